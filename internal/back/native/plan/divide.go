package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// Divisions by constants: reciprocal.go explains them. Operands are extended to 64 bits first.

// widened returns a register with all 64 bits of v.
func (s *selector) widened(v *ir.Value, signed bool) regalloc.VReg {
	x := s.use(v)
	switch {
	case v.Type == ir.I64 || !signed && s.isClean(v):
		return x
	case signed && s.signed(alias(v)) && alias(v).Type == v.Type:
		return x
	}
	return s.extend(x, v.Type, signed)
}

// extend returns a new register with x, a value of type t, extended.
func (s *selector) extend(x regalloc.VReg, t ir.Type, signed bool) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	if signed {
		s.signExtendTo(x, t, d)
	} else {
		s.zeroExtend(x, t, d)
	}
	return d
}

// divideByConst selects a division by a constant other than 0, 1 and -1, by the steps of its
// recipe. It reports false if a real division is needed.
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
	var regs [maxSteps + 1]regalloc.VReg
	regs[0] = s.widened(v.Args[0], d.signed)
	of := quotient{of: s.use(v.Args[0]), by: d.c, signed: d.signed, w: d.w}
	done := 0
	if q, ok := s.quotientOf(of); ok {
		regs[r.quotient], done = q, int(r.quotient)
	}
	for i, t := range r.steps {
		if i >= done {
			regs[i+1] = s.divideStep(t, regs[t.x], regs[t.y])
		}
	}
	if done == 0 {
		of.reg = regs[r.quotient]
		s.quotients = append(s.quotients, of)
	}
	s.vregs[v.ID] = regs[len(r.steps)]
	return true
}

// A quotient is the result of a division in the current block. The remainder of the same numbers begins
// with it.
type quotient struct {
	of     regalloc.VReg
	by     int64
	signed bool
	w      uint
	reg    regalloc.VReg
}

// quotientOf returns the register of a quotient, if the block has computed it.
func (s *selector) quotientOf(of quotient) (regalloc.VReg, bool) {
	const look = 16 // looks at the newest only
	for _, q := range s.quotients[max(0, len(s.quotients)-look):] {
		if of.reg = q.reg; of == q {
			return q.reg, true
		}
	}
	return 0, false
}

// stepOps are the operations of steps; those of shifts take a constant.
var stepOps = [...]Op{
	stepShl: Shl, stepShr: ShrU, stepSar: ShrS, stepMul: Mul, stepHighU: MulHighU, stepHighS: MulHighS,
	stepSub: Sub, stepNeg: Neg,
}

// divideStep selects the instruction of a step on its operands.
func (s *selector) divideStep(t step, x, y regalloc.VReg) regalloc.VReg {
	op, k := stepOps[t.op], int64(t.k)
	byConst := t.op == stepHighU || t.op == stepHighS || t.op == stepMul && !s.cpu.Fits(Mul, k)
	if byConst {
		y = s.constant(ir.I64, k)
	}
	d := s.newVReg(ir.I64, false)
	switch {
	case byConst || t.op == stepSub:
		s.binary(op, S64, x, y, d)
	case t.op == stepAdd:
		s.sum(S64, x, y, d)
	case t.op == stepNeg:
		s.unary(Neg, S64, x, d)
	default:
		s.withImm(op, S64, x, k, d)
	}
	return d
}
