package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

func (m *arenas) newComparison(c Comparison) *Comparison {
	p := &m.compares.Make(1)[0]
	*p = c
	return p
}

// comparison describes a condition.
func (s *selector) comparison(c *ir.Value) *Comparison {
	switch {
	case s.operand[c.ID]:
		return s.newComparison(Comparison{A: c, Size: S8, Cond: Ne, IsImm: true})
	case !s.folded[c.ID]:
		if s.cpu.WideCompares {
			return s.newComparison(Comparison{A: c, Size: S32, Cond: Ne, IsImm: true, Extends: true})
		}
		return s.newComparison(Comparison{Test: true, A: c, Size: S8, Cond: Ne})
	}
	return s.describe(c)
}

// intConds are the conditions of comparisons of integers.
var intConds = [ir.NumOps]Cond{ir.OpEq: Eq, ir.OpNe: Ne, ir.OpLtS: LtS, ir.OpLeS: LeS, ir.OpLtU: LtU, ir.OpLeU: LeU}

// describe describes the condition that v computes.
func (s *selector) describe(v *ir.Value) *Comparison {
	x, y := v.Args[0], v.Args[1]
	c := s.newComparison(Comparison{A: x, B: y, Size: sizeOf(x.Type)})
	switch v.Op {
	case ir.OpFEq, ir.OpFNe:
		c.Float = true
		c.Cond = Eq
		if v.Op == ir.OpFNe {
			c.Cond = Ne
		}
		return c
	case ir.OpFLt, ir.OpFLe:
		// y > x instead of x < y: with a NaN the flags of processors say that it is false.
		c.Float = true
		c.A, c.B = y, x
		c.Cond = GtU
		if v.Op == ir.OpFLe {
			c.Cond = GeU
		}
		return c
	}
	c.Cond = intConds[v.Op]
	if alias(x).Op == ir.OpConst && alias(y).Op != ir.OpConst {
		c.A, c.B, c.Cond = y, x, c.Cond.Swapped()
	}
	signed := true
	if s.cpu.WideCompares && c.Size < S32 {
		signed = c.Cond >= LtS && c.Cond <= GtS
		c.Size, c.Extends, c.Signed = S32, true, signed
	}
	if k := alias(c.B); k.Op == ir.OpConst {
		imm := ir.TruncConst(c.B.Type, k.Aux)
		if !signed {
			imm &= 1<<c.B.Type.Bits() - 1
		}
		if c.B.Type == ir.Ptr {
			imm = int64(int32(k.Aux))
		}
		if s.cpu.Fits(Cmp, imm) {
			c.IsImm, c.Imm = true, imm
		}
	}
	return c
}

// compareUses appends the operands of a comparison.
func (s *selector) compareUses(c *Comparison, uses []regalloc.Use) []regalloc.Use {
	c.Use = int8(len(uses))
	switch {
	case c.A.Op == ir.OpGasLeft && s.folded[c.A.ID]:
		c.Gas = true
	case s.operand[c.A.ID]:
		c.Left = true
		if !c.IsImm {
			uses = append(uses, inReg(s.use(c.B)))
		}
		c.M, uses = s.loaded(c.A, uses)
	case c.Test || c.IsImm:
		uses = append(uses, inReg(s.compared(c, c.A)))
	case c.Float && alias(c.B).Op == ir.OpConst && alias(c.B).Aux != 0 && s.cpu.Ops[FCmp].Load:
		uses = append(uses, inReg(s.use(c.A)))
		c.M = Mem{Kind: MemPool, Bits: uint64(alias(c.B).Aux)}
	case s.operand[c.B.ID]:
		uses = append(uses, inReg(s.use(c.A)))
		c.M, uses = s.loaded(c.B, uses)
	default:
		uses = append(uses, inReg(s.compared(c, c.A)), inReg(s.compared(c, c.B)))
	}
	return uses
}

// compared returns the register of an operand.
func (s *selector) compared(c *Comparison, v *ir.Value) regalloc.VReg {
	switch {
	case !c.Extends:
		return s.use(v)
	case alias(v).Op == ir.OpConst:
		x := ir.TruncConst(v.Type, alias(v).Aux)
		if !c.Signed {
			x &= 1<<v.Type.Bits() - 1
		}
		return s.constant(ir.I64, x)
	}
	return s.extended(v, c.Signed)
}

// Left returns the register of the left operand of a comparison of registers.
func (e *Emitter) Left(r *regalloc.Inst, c *Comparison) Reg {
	if c.Gas {
		return e.cpu.Gas
	}
	return Use(r, int(c.Use))
}
