package irtest

import (
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// Rules of an optimiser concern operations whose constant is related to the possible values of the
// other operand: a mask next to a bound, a width next to a bit count, the largest number of a
// narrower type next to an extension. Independently drawn constants are hardly ever related. So the
// generators follow an operation by one with a related constant.

// Related returns the bits of constants of v's type on and near the bounds of v, as far as v's
// operation and its operands show them.
func Related(v *ir.Value) []int64 {
	t := v.Type
	w := int64(t.Bits())
	second := func() (int64, bool) {
		if len(v.Args) == 2 && v.Args[1].Op == ir.OpConst {
			return v.Args[1].Aux, true
		}
		return 0, false
	}
	if v.Op.IsCondition() {
		return []int64{0, 1, 2, -1, -2, 3}
	}
	switch v.Op {
	case ir.OpClz, ir.OpCtz, ir.OpPopcnt:
		return about(w)
	case ir.OpZExt, ir.OpSExt, ir.OpTrunc:
		n := v.Args[0].Type.Bits()
		if v.Op == ir.OpTrunc {
			n = t.Bits()
		}
		return append(about(1<<(n-1)), about(1<<(n&63))...)
	case ir.OpDivU, ir.OpDivS, ir.OpRemU, ir.OpRemS, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpAdd, ir.OpSub,
		ir.OpMul:
		if c, ok := second(); ok {
			return append(about(c), about(-c)...)
		}
	case ir.OpShl, ir.OpShrU, ir.OpShrS, ir.OpRotl:
		if c, ok := second(); ok {
			k := uint64(c) & uint64(w-1)
			return append(about(1<<k), about(1<<(uint64(w)-k-1))...)
		}
	case ir.OpLoad:
		return about(1 << (w - 1))
	}
	return about(1 << (w / 2))
}

// about returns numbers next to x, the powers of two and masks next to x, and their complements.
func about(x int64) []int64 {
	p := int64(1) << max(bits.Len64(uint64(x))-1, 0)
	return []int64{x, x - 1, x + 1, p, p - 1, ^p, -p, ^x, p << 1, p >> 1}
}

// related returns a constant from Related, as an operand of type t.
func (g *generator) related(v *ir.Value, t ir.Type) *ir.Value {
	list := Related(v)
	return g.value(ir.OpConst, t, ir.TruncConst(t, list[g.r.IntN(len(list))]))
}

// follow makes an operation with v and a constant related to v.
func (g *generator) follow(v *ir.Value) *ir.Value {
	t := v.Type
	switch g.r.IntN(6) {
	case 0, 1:
		op := []ir.Op{ir.OpAnd, ir.OpAnd, ir.OpAndNot, ir.OpOr, ir.OpXor}[g.r.IntN(5)]
		return g.value(op, t, 0, v, g.related(v, t))
	case 2:
		op := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}[g.r.IntN(3)]
		return g.value(op, t, 0, v, g.related(v, t))
	case 3:
		c := g.related(v, t)
		if c.Aux == 0 {
			c.Aux = 3
		}
		op := g.oneOf(ir.ClassDivision)
		return g.value(op, t, 0, v, c)
	case 4:
		op := g.oneOf(ir.ClassShift)
		return g.value(op, t, 0, v, g.value(ir.OpConst, ir.I64, int64(t.Bits())/int64(1+g.r.IntN(3))-int64(g.r.IntN(3))))
	}
	op := g.oneOf(ir.ClassComparison)
	x, y := v, g.related(v, t)
	if g.r.IntN(2) == 0 {
		x, y = y, x
	}
	return g.value(op, ir.I8, 0, x, y)
}
