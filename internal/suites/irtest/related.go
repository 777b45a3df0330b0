package irtest

import (
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// Rules of an optimiser are about an operation whose constant stands in a relation to what
// its other operand can be: a mask next to a bound, a width next to a count of bits, the
// largest number of a narrower type next to an extension. Constants that know nothing of
// each other hardly ever do. So the generators follow an operation by one with such a constant.

// Related returns the bits of constants of v's type that lie on and about the bounds of what v's
// operation yields, as an operation on its operands shows them.
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

// about returns numbers next to x, the powers of two and the masks next to it, and their complements.
func about(x int64) []int64 {
	p := int64(1) << max(bits.Len64(uint64(x))-1, 0)
	return []int64{x, x - 1, x + 1, p, p - 1, ^p, -p, ^x, p << 1, p >> 1}
}

// related is a constant from Related, as an operand of type t.
func (g *generator) related(v *ir.Value, t ir.Type) *ir.Value {
	list := Related(v)
	return g.value(ir.OpConst, t, ir.TruncConst(t, list[g.r.IntN(len(list))]))
}

// follow makes an operation with v and a constant that is about v.
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
