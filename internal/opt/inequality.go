package opt

import (
	"math"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// inequality adds x ≤ y + c.
func (p *prover) inequality(x, y *ir.Value, c int64) {
	if x == y || !p.has(x) || !p.has(y) {
		return
	}
	if h, ok := addOverflow(p.hi(y), c); ok {
		p.setRange(x, math.MinInt64, h)
	}
	if l, ok := subOverflow(p.lo(x), c); ok {
		p.setRange(y, l, math.MaxInt64)
	}
	if x.Op == ir.OpConst || y.Op == ir.OpConst {
		return
	}
	p.facts = append(p.facts, fact{x, y, c, p.head[x.ID]})
	p.head[x.ID] = int32(len(p.facts))
	// x = a + k: a ≤ y + c - k
	if a, k := addConst(x); a != x && a != y && a.Op != ir.OpConst && p.has(a) && !p.mayWrap(a, k) {
		if d, ok := subOverflow(c, k); ok {
			p.facts = append(p.facts, fact{a, y, d, p.head[a.ID]})
			p.head[a.ID] = int32(len(p.facts))
		}
	}
}

// assume adds the facts of a condition that is true or false.
func (p *prover) assume(c *ir.Value, truth bool, depth int) {
	if depth == 0 {
		return
	}
	if x := invertedBool(c); x != nil {
		p.assume(x, !truth, depth-1)
		// fall through: the comparison itself says something, too
	}
	op := c.Op
	switch op {
	case ir.OpAnd:
		if truth && isBool(c) {
			p.assume(c.Args[0], true, depth-1)
			p.assume(c.Args[1], true, depth-1)
		}
		return
	case ir.OpOr:
		if !truth && isBool(c) {
			p.assume(c.Args[0], false, depth-1)
			p.assume(c.Args[1], false, depth-1)
		}
		return
	}
	if op.Class() != ir.ClassComparison {
		if isBool(c) {
			p.setRange(c, b2i(truth), b2i(truth))
		}
		return
	}
	x, y := c.Args[0], c.Args[1]
	p.setRange(c, b2i(truth), b2i(truth))
	if x.Type == ir.Ptr {
		if (op == ir.OpEq && !truth || op == ir.OpNe && truth) && y.IsConst(0) {
			p.setNonNil(x)
		}
		return
	}
	if !p.has(x) || !p.has(y) {
		return
	}
	if !truth {
		switch op {
		case ir.OpEq:
			op = ir.OpNe
		case ir.OpNe:
			op = ir.OpEq
		case ir.OpLtS:
			op, x, y = ir.OpLeS, y, x
		case ir.OpLeS:
			op, x, y = ir.OpLtS, y, x
		case ir.OpLtU:
			op, x, y = ir.OpLeU, y, x
		case ir.OpLeU:
			op, x, y = ir.OpLtU, y, x
		}
	}
	switch op {
	case ir.OpEq:
		p.narrow(x, p.known(y), 3)
		p.narrow(y, p.known(x), 3)
		p.inequality(x, y, 0)
		p.inequality(y, x, 0)
	case ir.OpNe:
		p.exclude(x, y)
		p.exclude(y, x)
	case ir.OpLtS:
		p.inequality(x, y, -1)
	case ir.OpLeS:
		p.inequality(x, y, 0)
	case ir.OpLtU, ir.OpLeU:
		strict := uint64(b2i(op == ir.OpLtU))
		if h, l := p.known(y).UHi, p.known(x).ULo; h >= strict && l <= math.MaxUint64-strict {
			p.narrow(x, facts.Unsigned(width(x.Type), 0, h-strict), 3)
			p.narrow(y, facts.Unsigned(width(y.Type), l+strict, math.MaxUint64), 3)
		}
		if p.lo(y) >= 0 { // so x is not negative either
			p.inequality(x, y, -int64(strict))
		}
	}
}

// exclude uses x ≠ y where y is a constant at an end of one of x's ranges, or x ≤ y is known.
func (p *prover) exclude(x, y *ir.Value) {
	if y.Op == ir.OpConst {
		p.narrow(x, facts.Without(width(x.Type), p.known(x), y.Aux), 3)
		return
	}
	if x.Op != ir.OpConst && p.less(x, y, 0) {
		p.inequality(x, y, -1)
	}
}

// decide evaluates a condition: 1, 0, or -1 if the facts do not tell.
func (p *prover) decide(c *ir.Value) int {
	if c.Op == ir.OpConst {
		return int(c.Aux)
	}
	if p.has(c) && isBool(c) && p.lo(c) == p.hi(c) {
		return int(p.lo(c))
	}
	if facts.Has(c.Op) && len(c.Args) == 2 {
		if x, ok := p.transfer(c).IsConst(); ok && (x == 0 || x == 1) {
			return int(x)
		}
	}
	switch c.Op {
	case ir.OpEq, ir.OpNe:
		x, y := c.Args[0], c.Args[1]
		if x.Type == ir.Ptr {
			if y.IsConst(0) && p.notNil(x) {
				return int(b2i(c.Op == ir.OpNe))
			}
			return -1
		}
		if p.less(x, y, -1) || p.less(y, x, -1) {
			return int(b2i(c.Op == ir.OpNe))
		}
	case ir.OpLtS:
		return p.decideLess(c.Args[0], c.Args[1], -1)
	case ir.OpLeS:
		return p.decideLess(c.Args[0], c.Args[1], 0)
	case ir.OpLtU, ir.OpLeU:
		x, y := c.Args[0], c.Args[1]
		if !isInt(x) {
			return -1
		}
		k := -b2i(c.Op == ir.OpLtU)
		switch zx, zy := p.atLeastZero(x), p.atLeastZero(y); {
		case zx && zy:
			return p.decideLess(x, y, k)
		case zx && p.has(y) && p.hi(y) < 0: // an inequality may imply x ≥ 0
			return 1
		case zy && p.has(x) && p.hi(x) < 0:
			return 0
		}
	}
	return -1
}

// decideLess decides x ≤ y + c for c of 0 or -1.
func (p *prover) decideLess(x, y *ir.Value, c int64) int {
	if p.less(x, y, c) {
		return 1
	}
	if p.less(y, x, -c-1) {
		return 0
	}
	return -1
}

// below proves x < y, unsigned, for the operands of a bounds check.
func (p *prover) below(x, y *ir.Value) bool {
	return p.atLeastZero(x) && p.less(x, y, -1) || p.known(x).UHi < p.known(y).ULo
}

// atLeastZero proves x ≥ 0.
func (p *prover) atLeastZero(x *ir.Value) bool {
	if !p.has(x) || !isInt(x) {
		return false
	}
	if p.lo(x) >= 0 {
		return true
	}
	switch x.Op {
	case ir.OpSub:
		// 0 ≤ b ≤ a gives a - b ≥ 0
		a, b := x.Args[0], x.Args[1]
		if p.has(a) && p.has(b) && p.lo(b) >= 0 && p.less(b, a, 0) {
			return true
		}
	case ir.OpAdd:
		// a ≥ -c for x = a + c: a came from a fact after the sum was made
		if a, c := addConst(x); a != x && p.has(a) && c < 0 && c > math.MinInt64 && p.lo(a) >= -c {
			return true
		}
	}
	return false
}

// less proves x ≤ y + c.
func (p *prover) less(x, y *ir.Value, c int64) bool {
	p.steps = 64
	return p.search(x, y, c, 8)
}

func (p *prover) search(x, y *ir.Value, c int64, depth int) bool {
	if x == y {
		return c >= 0
	}
	if !p.has(x) || !p.has(y) {
		return false
	}
	if s, ok := addOverflow(p.lo(y), c); ok && p.hi(x) <= s {
		return true
	}
	if depth == 0 || p.steps <= 0 {
		return false
	}
	p.steps--
	// What is known of x.
	for i := p.head[x.ID]; i != 0; i = p.facts[i-1].next {
		f := &p.facts[i-1]
		if d, ok := subOverflow(c, f.c); ok && p.search(f.to, y, d, depth-1) {
			return true
		}
	}
	if p.upper(x, y, c, depth-1) {
		return true
	}
	// How y is made.
	switch y.Op {
	case ir.OpAdd:
		if a, k := addConst(y); a != y && p.has(a) && !p.mayWrap(a, k) {
			if d, ok := addOverflow(c, k); ok {
				return p.search(x, a, d, depth-1)
			}
		} else if a == y {
			// y = a + b with b ≥ 0 is at least a, unless it wraps: then it is negative.
			a, b := y.Args[0], y.Args[1]
			if p.has(a) && p.has(b) && p.lo(a) >= 0 && p.lo(b) >= 0 && p.lo(y) >= 0 {
				return p.search(x, a, c, depth-1) || p.search(x, b, c, depth-1)
			}
		}
	}
	return false
}

// upper proves x ≤ y + c from the operation of x.
func (p *prover) upper(x, y *ir.Value, c int64, depth int) bool {
	switch x.Op {
	case ir.OpAdd:
		if a, k := addConst(x); a != x && p.has(a) && !p.mayWrap(a, k) {
			if d, ok := subOverflow(c, k); ok {
				return p.search(a, y, d, depth)
			}
		}
	case ir.OpSub:
		a, b := x.Args[0], x.Args[1]
		if p.has(a) && p.has(b) && p.lo(b) >= 0 && p.lo(a) >= 0 {
			if d, ok := addOverflow(c, p.lo(b)); ok {
				return p.search(a, y, d, depth)
			}
		}
	case ir.OpAnd:
		a, b := x.Args[0], x.Args[1]
		return p.has(a) && p.lo(a) >= 0 && p.search(a, y, c, depth) ||
			p.has(b) && p.lo(b) >= 0 && p.search(b, y, c, depth)
	case ir.OpShrS, ir.OpShrU, ir.OpDivS, ir.OpDivU:
		a := x.Args[0]
		// (l + r) >> 1 lies between l and r, even if the sum looks negative.
		if x.Op == ir.OpShrU && x.Args[1].IsConst(1) && a.Op == ir.OpAdd {
			l, r := a.Args[0], a.Args[1]
			if p.has(l) && p.has(r) && p.lo(l) >= 0 && p.lo(r) >= 0 && p.search(l, r, -1, depth/2) {
				if d, ok := addOverflow(c, 1); ok && p.search(r, y, d, depth) {
					return true
				}
			}
		}
		if !p.has(a) || p.lo(a) < 0 {
			return false
		}
		by := x.Args[1]
		if !p.has(by) || x.Op == ir.OpDivS && p.lo(by) <= 0 {
			return false
		}
		// Half of a number above zero is less than the number.
		least := int64(1)
		if x.Op == ir.OpDivS || x.Op == ir.OpDivU {
			least = 2
		}
		if d, ok := addOverflow(c, 1); ok && p.lo(a) >= 1 && p.lo(by) >= least {
			return p.search(a, y, d, depth)
		}
		return p.search(a, y, c, depth)
	case ir.OpRemS, ir.OpRemU:
		a, b := x.Args[0], x.Args[1]
		if !p.has(a) || !p.has(b) || p.lo(a) < 0 || p.lo(b) <= 0 {
			return false
		}
		if d, ok := addOverflow(c, 1); ok && p.search(b, y, d, depth) {
			return true
		}
		return p.search(a, y, c, depth)
	case ir.OpIndexByte:
		// Below the length, or -1.
		d, ok := addOverflow(c, 1)
		if !ok || !p.has(x.Args[1]) || !p.search(x.Args[1], y, d, depth) {
			return false
		}
		l, ok := addOverflow(p.lo(y), c)
		return p.lo(x.Args[1]) >= 0 || ok && l >= -1
	case ir.OpSelect:
		if a, b, least, ok := minMax(x); ok && least {
			return p.search(a, y, c, depth) || p.search(b, y, c, depth)
		}
		return p.search(x.Args[1], y, c, depth) && p.search(x.Args[2], y, c, depth)
	case ir.OpPhi:
		if n := p.counts[x.ID]; n != nil {
			return !n.up && p.search(n.init, y, c, depth)
		}
		// Not in a loop's header: there the operands belong to another iteration.
		if len(x.Args) > 4 || depth < 3 || p.heads[x.Block.ID] {
			return false
		}
		for _, a := range x.Args {
			if a != x && !p.search(a, y, c, depth-2) {
				return false
			}
		}
		return true
	case ir.OpSExt:
		return p.search(x.Args[0], y, c, depth)
	case ir.OpZExt:
		a := x.Args[0]
		return p.has(a) && p.lo(a) >= 0 && p.search(a, y, c, depth)
	}
	return false
}

// minMax returns the operands of a selection of the smaller or larger of two numbers.
func minMax(v *ir.Value) (a, b *ir.Value, least, ok bool) {
	c, x, y := v.Args[0], v.Args[1], v.Args[2]
	if c.Op != ir.OpLtS && c.Op != ir.OpLeS {
		return nil, nil, false, false
	}
	switch {
	case c.Args[0] == x && c.Args[1] == y:
		return x, y, true, true
	case c.Args[0] == y && c.Args[1] == x:
		return x, y, false, true
	}
	return nil, nil, false, false
}

// mayWrap reports whether x + c may leave the range of its type.
func (p *prover) mayWrap(x *ir.Value, c int64) bool {
	l, ok1 := addOverflow(p.lo(x), c)
	h, ok2 := addOverflow(p.hi(x), c)
	return !ok1 || !ok2 || l < minOf(x.Type) || h > maxOf(x.Type)
}

func addOverflow(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func subOverflow(a, b int64) (int64, bool) {
	s := a - b
	return s, (s < a) == (b > 0)
}
