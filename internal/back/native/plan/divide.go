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
	of := dividing{of: s.use(v.Args[0]), by: d.c, signed: d.signed, w: d.w}
	q, known := s.quotientOf(of)
	if known {
		regs[0], regs[r.quotient] = q.widened, q.reg
	} else {
		regs[0] = s.widened(v.Args[0], d.signed)
	}
	for i, t := range r.steps {
		if !known || i >= int(r.quotient) {
			regs[i+1] = s.divideStep(t, regs[t.x], regs[t.y])
		}
	}
	if !known {
		s.quotients = append(s.quotients, quotient{of, regs[0], regs[r.quotient]})
	}
	s.vregs[v.ID] = regs[len(r.steps)]
	return true
}

// A dividing is what a division by a constant is of.
type dividing struct {
	of     regalloc.VReg
	by     int64
	signed bool
	w      uint
}

// A quotient is the result of a division in the current block, and its dividend. The remainder of the
// same numbers begins with both.
type quotient struct {
	dividing
	widened, reg regalloc.VReg
}

// quotientOf returns a quotient that the block has computed.
func (s *selector) quotientOf(of dividing) (quotient, bool) {
	const look = 16 // looks at the newest only
	for _, q := range s.quotients[max(0, len(s.quotients)-look):] {
		if q.dividing == of {
			return q, true
		}
	}
	return quotient{}, false
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
