package randgo

import (
	"fmt"
	"math/bits"
)

// related returns an integer expression whose constants are related to its operations: masks near
// the bounds of remainders, shifts and bit counts, shifts near a width, conversions that change
// nothing or much, divisions that undo a product. A wrong rule of an optimiser is wrong for such
// constants, which independent ones never hit.
func (g *gen) related(t *typ, d int) *expr {
	x := g.operand(t, d)
	w := t.bits()
	if t.kind == kParam {
		w = 8
	}
	switch g.n(13) {
	case 0, 1:
		c := g.modulus()
		return mk(t, "(", x, fmt.Sprintf(" %% %d", c), g.beside(t, c), ")")
	case 2:
		f := bitFuncs[g.n(len(bitFuncs))]
		if len(f.params) > 1 {
			f = bitFuncs[0]
		}
		width := f.params[0].bits()
		e := mk(intType, "bits."+f.name+"(", g.conv(f.params[0], x), ")")
		return mk(t, t.name+"("+"int(", e, ")", g.beside(intType, width), ")")
	case 3:
		a, b := g.nearWidth(w), g.nearWidth(w)
		if g.chance(40) {
			b = a
		}
		ops := [][2]string{{"<<", ">>"}, {">>", "<<"}, {"<<", "<<"}, {">>", ">>"}}[g.n(4)]
		return mk(t, "(", x, fmt.Sprintf(" %s %d %s %d)", ops[0], a, ops[1], b))
	case 4, 5:
		// Through other widths, with a mask of one of them in between.
		e := x
		for range g.between(1, 3) {
			u := ints[g.n(len(ints))]
			e = g.conv(u, e)
			if g.chance(50) {
				e = mk(u, "(", e, g.beside(u, 1<<min([]int{4, 7, 8, 15, 16, 31, 32}[g.n(7)], u.bits()-2)), ")")
			}
		}
		return g.conv(t, e)
	case 6:
		m, n := g.mask(t), g.mask(t)
		return mk(t, "(", x, fmt.Sprintf(" %s %d %s %d)", []string{"&", "|", "&^", "^"}[g.n(4)], m,
			[]string{"&", "|", "&^", "^"}[g.n(4)], n))
	case 7:
		c := g.modulus()
		k := c
		if g.chance(30) {
			k = g.modulus()
		}
		switch g.n(4) {
		case 0:
			return mk(t, "(", x, fmt.Sprintf(" * %d / %d)", c, k))
		case 1:
			return mk(t, "(", x, fmt.Sprintf(" / %d * %d)", c, k))
		case 2:
			return mk(t, "(", x, fmt.Sprintf(" / %d %% %d)", c, k))
		}
		return mk(t, "(", x, " - ", x, fmt.Sprintf("/%d*%d)", c, k))
	case 8:
		return mk(t, t.name+"(bit(", g.relatedBool(d), "))")
	case 9:
		// The sign as a mask.
		s := g.nearWidth(w)
		if g.chance(60) {
			s = w - 1
		}
		switch g.n(3) {
		case 0:
			return mk(t, "((", x, fmt.Sprintf(" >> %d) & ", s), g.operand(t, d), ")")
		case 1:
			return mk(t, "(-(", x, fmt.Sprintf(" & 1) ^ (%s(", t.name), x, fmt.Sprintf(") >> %d))", s))
		}
		return mk(t, "((", x, " ^ (", x, fmt.Sprintf(" >> %d)) - (", s), x, fmt.Sprintf(" >> %d))", s))
	case 10:
		a, b := g.mask(t), g.mask(t)
		return mk(t, "(min(max(", x, fmt.Sprintf(", %d), %d)", a, b), g.beside(t, b), ")")
	case 11:
		k := g.nearWidth(w) % (w + 1)
		return mk(t, "(", x, fmt.Sprintf(" << %d %s ", k, []string{"|", "^", "+"}[g.n(3)]), x, fmt.Sprintf(" >> %d)", w-k))
	}
	if e := g.length(); e != nil {
		return g.conv(t, mk(intType, "(", e, g.beside(intType, 1<<g.n(7)), ")"))
	}
	return mk(t, "(", x, g.beside(t, g.mask(t)), ")")
}

// relatedBool compares a bounded value with a constant near the bound.
func (g *gen) relatedBool(d int) *expr {
	t := g.intOrParam()
	x := g.operand(t, d)
	w := t.bits()
	if t.kind == kParam {
		w = 8
	}
	op := compare[g.n(6)]
	switch g.n(5) {
	case 0:
		c := g.modulus()
		return mk(boolType, "(", x, fmt.Sprintf(" %% %d %s %d)", c, op, g.near(t, c)))
	case 1:
		k := g.between(max(1, w-7), w-1)
		return mk(boolType, "(", x, fmt.Sprintf(" >> %d %s %d)", k, op, g.near(t, 1<<(w-k))))
	case 2:
		m := g.mask(t)
		return mk(boolType, "(", x, fmt.Sprintf(" & %d %s %d)", m, op, g.near(t, m)))
	case 3:
		u := ints[g.n(len(ints))]
		return mk(boolType, "(", g.conv(t, g.conv(u, x)), " "+op+" ", x, ")")
	}
	c := g.modulus()
	return mk(boolType, "(", x, fmt.Sprintf(" / %d %s %d)", c, op, g.near(t, c)))
}

// conv converts an expression, even to its own type.
func (g *gen) conv(t *typ, e *expr) *expr { return mk(t, t.name+"(", e, ")") }

// modulus returns a small constant above 1.
func (g *gen) modulus() int {
	if g.chance(30) {
		return 1 << g.between(1, 6)
	}
	return g.between(2, 101)
}

// mask returns a constant for every type: a run of ones, or any bits.
func (g *gen) mask(t *typ) int {
	if g.chance(40) {
		return g.n(128)
	}
	return 1<<g.between(1, min(t.bits()-1, 7+24*g.n(2)*bit(t.kind != kParam))) - 1
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// near returns a constant of type t that is related to c.
func (g *gen) near(t *typ, c int) int {
	top := 1<<min(t.bits()-1, 31) - 1
	if t.kind == kParam {
		top = 127
	}
	round := 1 << bits.Len(uint(c-1)|1)
	x := []int{c - 1, c - 1, c, c, c + 1, round - 1, round, round/2 - 1, round / 2, c &^ -c, c & -c, 2*c - 1,
		round + 1}[g.n(13)]
	return min(max(x, 0), top)
}

// beside returns an operation with a constant near c.
func (g *gen) beside(t *typ, c int) string {
	return fmt.Sprintf(" %s %d", []string{"&", "&", "&", "&^", "&^", "|", "^", "+", "-"}[g.n(9)], g.near(t, c))
}

// nearWidth returns a shift count near the width w of a type, or near the width of one of its
// halves.
func (g *gen) nearWidth(w int) int {
	return max(0, []int{w, w / 2, w, w - 8}[g.n(4)]+g.between(-2, 1))
}
