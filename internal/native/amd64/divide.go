package amd64

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// Divisions by constants: reciprocal.go says how. Operands are extended to 64 bits first.

// ri, rr, mulHi and shiftRight compute intermediate values.
func (s *selector) ri(op Op, x regalloc.VReg, imm int64) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kRI, op: op, size: S64, imm: imm}, []regalloc.Use{inReg(x)}, []regalloc.Def{{V: d, Need: regalloc.Same}})
	return d
}

func (s *selector) rr(op Op, x, y regalloc.VReg) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kRR, op: op, size: S64}, []regalloc.Use{inReg(x), inReg(y)}, []regalloc.Def{{V: d, Need: regalloc.Same}})
	return d
}

func (s *selector) add(x, y regalloc.VReg) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kLea, size: S64, m: mem{kind: memHostX, scale: 1}}, []regalloc.Use{inReg(x), inReg(y)}, s.reg(d))
	return d
}

func (s *selector) mulHi(op Op, x, y regalloc.VReg) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.mulHiTo(op, x, y, d)
	return d
}

// mulHiTo selects the upper half of a product: op is MUL1 or IMUL1.
func (s *selector) mulHiTo(op Op, x, y, d regalloc.VReg) {
	in := s.emit(inst{kind: kMul, op: op}, []regalloc.Use{{V: x, Need: regalloc.Fixed, Reg: regalloc.Reg(RAX)}, inReg(y)},
		[]regalloc.Def{{V: d, Need: regalloc.Fixed, Reg: regalloc.Reg(RDX)}})
	in.Clobber = setOf(RAX)
}

// widened returns a register with all 64 bits of v.
func (s *selector) widened(v *ir.Value, signed bool) regalloc.VReg {
	x := s.use(v)
	switch {
	case v.Type == ir.I64 || !signed && s.isClean(v):
		return x
	case signed && s.signed(alias(v)) && alias(v).Type == v.Type:
		return x
	}
	d := s.newVReg(ir.I64, false)
	if signed {
		s.signExtendTo(x, v.Type, d)
	} else {
		s.zeroExtend(x, v.Type, d)
	}
	return d
}

// divideByConst selects a division by a constant other than 0, 1 and -1, by the steps of its
// recipe. It reports false where a division is needed.
func (s *selector) divideByConst(v *ir.Value) bool {
	k := alias(v.Args[1])
	if k.Op != ir.OpConst {
		return false
	}
	d := division{
		signed: v.Op == ir.OpDivS || v.Op == ir.OpRemS,
		rem:    v.Op == ir.OpRemS || v.Op == ir.OpRemU,
		c:      ir.TruncConst(v.Type, k.Aux),
		w:      v.Type.Bits(),
	}
	r, ok := recipeOf(64, d)
	if !ok {
		return false
	}
	var regs [len(r.room) + 1]regalloc.VReg
	regs[0] = s.widened(v.Args[0], d.signed)
	for i, t := range r.steps {
		regs[i+1] = s.divideStep(t, regs[t.x], regs[t.y])
	}
	s.vregs[v.ID] = regs[len(r.steps)]
	return true
}

// divideStep selects the instruction of a step on its operands.
func (s *selector) divideStep(t step, x, y regalloc.VReg) regalloc.VReg {
	k := int64(t.k)
	switch t.op {
	case stepShl:
		return s.ri(SHL, x, k)
	case stepShr:
		return s.ri(SHR, x, k)
	case stepSar:
		return s.ri(SAR, x, k)
	case stepHighU:
		return s.mulHi(MUL1, x, s.constant(ir.I64, k))
	case stepHighS:
		return s.mulHi(IMUL1, x, s.constant(ir.I64, k))
	case stepAdd:
		return s.add(x, y)
	case stepSub:
		return s.rr(SUB, x, y)
	case stepMul:
		if k != int64(int32(k)) {
			return s.rr(IMUL, x, s.constant(ir.I64, k))
		}
		d := s.newVReg(ir.I64, false)
		s.emit(inst{kind: kRRI, op: IMUL, size: S64, imm: k}, []regalloc.Use{inReg(x)}, s.reg(d))
		return d
	}
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kR, op: NEG, size: S64}, []regalloc.Use{inReg(x)}, []regalloc.Def{{V: d, Need: regalloc.Same}})
	return d
}
