package opt

import (
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// This file computes up to where the copies of a loop that counts need neither its test nor the checks
// of every round.

// A hoisted check holds in all rounds of the fast way.
type hoisted struct {
	check *ir.Value
	add   int64     // the index is the counter + add
	less  *ir.Value // than this; nil: the check does not change in the loop
}

const maxAhead = 1 << 20 // of an index before or behind the counter, if its check is hoisted

// hoist finds the checks that need not be copied. They are in every round: others might fail that the
// program never comes to, and there would be no fast way.
func (u *unroller) hoist() {
	c := &u.count
	invariant := func(v *ir.Value) bool { return v.Op == ir.OpConst || !u.holds(v.Block) }
	for _, b := range u.lp.Blocks {
		if slices.ContainsFunc(u.latches, func(l *ir.Block) bool { return !u.before.Dominates(b, l) }) {
			continue
		}
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
			default:
				continue
			}
			x := v.Args[0]
			i, add := addConst(x)
			switch {
			case !slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return !invariant(x) }):
				u.hoisted = append(u.hoisted, hoisted{check: v})
			case v.Op == ir.OpBounds && i == c.phi && c.phi.Type == ir.I64 && invariant(v.Args[1]) &&
				(c.op == ir.OpLtS || c.op == ir.OpLeS || c.up && c.op != ir.OpNe) &&
				max(add, -add) <= maxAhead && max(c.add, -c.add) <= maxAhead:
				u.hoisted = append(u.hoisted, hoisted{v, add, v.Args[1]})
			}
		}
	}
}

// isHoisted reports whether a check is not copied.
func (u *unroller) isHoisted(v *ir.Value) bool {
	return slices.ContainsFunc(u.hoisted, func(h hoisted) bool { return h.check == v })
}

// holdFrom asks whether the hoisted checks hold in so many rounds, the first of which has counter init.
// The result is nil if there are none. Checks that fail at once are not hoisted, nor those that are
// constant in a copy.
func (u *unroller) holdFrom(to emitter, init, rounds int64) (all *ir.Value) {
	indices := func(h hoisted) (least, greatest int64) {
		first := init + h.add
		last := first + u.count.step*(rounds-1)
		if u.test == u.head && h.check.Block == u.head { // which is passed once more
			last += u.count.step
		}
		return min(first, last), max(first, last)
	}
	u.hoisted = slices.DeleteFunc(u.hoisted, func(h hoisted) bool {
		least, _ := indices(h)
		return h.less != nil && (least < 0 || h.less.Op == ir.OpConst)
	})
	conds := to.holding()
	for _, h := range u.hoisted {
		if h.less != nil {
			_, greatest := indices(h)
			conds = append(conds, to.op(ir.OpLtU, ir.I8, to.konst(ir.I64, greatest), h.less))
		}
	}
	for _, c := range conds {
		if all == nil {
			all = c
		} else {
			all = to.op(ir.OpAnd, ir.I8, all, c)
		}
	}
	return all
}

// An emitter appends operations to a block.
type emitter struct {
	*unroller
	to *ir.Block
}

func (e emitter) op(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := e.f.NewValue(op, t, args...)
	v.Pos = e.test.Ctrl.Pos
	return e.to.Append(v)
}

func (e emitter) konst(t ir.Type, c int64) *ir.Value { return e.to.Append(e.newConst(t, c)) }

// here is v, or its copy if it is a constant, which may be computed elsewhere.
func (e emitter) here(v *ir.Value) *ir.Value {
	if v.Op == ir.OpConst {
		return e.konst(v.Type, v.Aux)
	}
	return v
}

// plus is v + c.
func (e emitter) plus(v *ir.Value, c int64) *ir.Value {
	if c == 0 {
		return v
	}
	return e.op(ir.OpAdd, v.Type, v, e.konst(v.Type, c))
}

// choose is x where all conditions hold, and otherwise a constant.
func (e emitter) choose(x *ir.Value, otherwise int64, conds ...*ir.Value) *ir.Value {
	for _, c := range conds {
		x = e.op(ir.OpSelect, x.Type, c, x, e.konst(x.Type, otherwise))
	}
	return x
}

// holding are the conditions under which the hoisted checks hold of what the loop does not change.
func (e emitter) holding() (list []*ir.Value) {
	for _, h := range e.hoisted {
		args := slices.Clone(h.check.Args)
		for i, v := range args {
			args[i] = e.here(v)
		}
		switch {
		case h.less != nil:
		case h.check.Op == ir.OpBounds:
			list = append(list, e.op(ir.OpLtU, ir.I8, args...))
		case h.check.Op == ir.OpNilCheck:
			list = append(list, e.op(ir.OpNe, ir.I8, args[0], e.konst(ir.Ptr, 0)))
		default:
			list = append(list, args[0])
		}
	}
	return list
}

// room computes in block top whether the test holds in so many rounds after the next one, too, and all
// hoisted checks do. here are the header's phis there. The limit less what the sum grows by may lie
// beyond the least number: then the answer is no.
func (u *unroller) room(pre, top *ir.Block, here []*ir.Value, rounds int64) *ir.Value {
	c := &u.count
	t := c.phi.Type
	before, at := emitter{u, pre}, emitter{u, top}
	phi := here[slices.Index(u.head.Values, c.phi)]
	if slices.ContainsFunc(u.hoisted, func(h hoisted) bool { return h.less != nil }) {
		if c.up {
			return u.roomBelow(before, at, phi, rounds)
		}
		return u.roomBetween(before, at, phi, rounds)
	}
	sum := at.plus(phi, c.add)
	limit := c.large
	if !c.up {
		limit = c.small
	}
	if c.op == ir.OpNe {
		limit = at.here(limit)
		left := at.op(ir.OpSub, t, limit, sum)
		if c.step < 0 {
			left.Args[0], left.Args[1] = sum, limit
		}
		return at.op(ir.OpLtU, ir.I8, before.choose(before.konst(t, rounds), -1, before.holding()...), left)
	}
	// Strictly: nothing lies below the least number and above the greatest.
	less, atMost, least, greatest, strict := ir.OpLtS, ir.OpLeS, minOf(t), maxOf(t), int64(0)
	if c.op == ir.OpLtU || c.op == ir.OpLeU {
		less, atMost, least, greatest = ir.OpLtU, ir.OpLeU, 0, -1
	}
	if c.op == atMost {
		strict = 1
	}
	limit = before.here(limit)
	if !c.up {
		bound := before.op(ir.OpAdd, t, limit, before.konst(t, -c.step*rounds-strict))
		bound = before.choose(bound, greatest, append(before.holding(), before.op(atMost, ir.I8, limit, bound))...)
		return at.op(less, ir.I8, bound, sum)
	}
	more := before.konst(t, c.step*rounds-strict)
	if c.by != nil {
		more = before.op(ir.OpSub, t, before.op(ir.OpMul, t, c.by, before.konst(t, rounds)), before.konst(t, strict))
	}
	bound := before.op(ir.OpSub, t, limit, more)
	bound = before.choose(bound, least, append(before.holding(), before.op(atMost, ir.I8, bound, limit))...)
	if c.by != nil {
		bound = before.choose(bound, least, before.small(c.by))
	}
	return at.op(less, ir.I8, sum, bound)
}

// small reports whether a step is positive, and a product with the number of rounds does not overflow.
func (e emitter) small(by *ir.Value) *ir.Value {
	return e.op(ir.OpLtU, ir.I8, e.plus(by, -1), e.konst(by.Type, 1<<40))
}

// roomBelow is room where checks of indices are hoisted. All that grows with the counter (the test's
// operand and the indices) is low, which grows least, plus a constant. If low is below a bound without
// a sign, the greatest of each kind is below its limit in the last round, so nothing overflows on the
// way. A negative low, with which no index is right, is above every bound.
func (u *unroller) roomBelow(before, at emitter, phi *ir.Value, rounds int64) *ir.Value {
	c := &u.count
	least := c.add
	for _, h := range u.hoisted {
		if h.less != nil {
			least = min(least, h.add)
		}
	}
	grown := before.konst(ir.I64, c.step*rounds)
	if c.by != nil {
		grown = before.op(ir.OpMul, ir.I64, c.by, before.konst(ir.I64, rounds))
	}
	var bound *ir.Value
	below := func(limit *ir.Value, more int64, less ir.Op) {
		limit = before.here(limit)
		k := before.plus(grown, more)
		x := before.choose(before.op(ir.OpSub, ir.I64, limit, k), 0, before.op(less, ir.I8, k, limit))
		if bound == nil {
			bound = x
		} else {
			bound = before.op(ir.OpSelect, ir.I64, before.op(ir.OpLtU, ir.I8, x, bound), x, bound)
		}
	}
	switch c.op {
	case ir.OpLtS, ir.OpLtU:
		below(c.large, c.add-least, c.op)
	case ir.OpLeS:
		below(c.large, c.add-least-1, ir.OpLtS)
	case ir.OpLeU:
		below(c.large, c.add-least-1, ir.OpLtU)
	}
	for _, h := range u.greatest() {
		below(h.less, h.add-least, ir.OpLtU)
	}
	bound = before.choose(bound, 0, before.holding()...)
	if c.by != nil {
		bound = before.choose(bound, 0, before.small(c.by))
	}
	return at.op(ir.OpLtU, ir.I8, at.plus(phi, least), bound)
}

// greatest are the hoisted checks of indices, of each slice the one whose index is the greatest.
func (u *unroller) greatest() (list []hoisted) {
	for _, h := range u.hoisted {
		i := slices.IndexFunc(list, func(x hoisted) bool { return x.less == h.less })
		switch {
		case h.less == nil:
		case i < 0:
			list = append(list, h)
		case h.add > list[i].add:
			list[i] = h
		}
	}
	return list
}

// roomBetween is room where checks of indices are hoisted and the counter counts down: it is at least low,
// with which the test holds and no index is negative in the last round, and below high, with which all
// indices are right in the first.
func (u *unroller) roomBetween(before, at emitter, phi *ir.Value, rounds int64) *ir.Value {
	const far = 1 << 62 // so that nothing overflows
	c := &u.count
	konst := func(x int64) *ir.Value { return before.konst(ir.I64, x) }
	limit := before.here(c.small)
	more := -c.step*rounds - c.add
	if c.op == ir.OpLtS {
		more++
	}
	low := before.choose(before.plus(limit, more), far, before.op(ir.OpLtU, ir.I8, before.plus(limit, far), konst(math.MinInt64)))
	var high *ir.Value
	least := int64(math.MinInt64)
	for _, h := range u.hoisted {
		if h.less != nil {
			least = max(least, -c.step*rounds-h.add)
		}
	}
	low = before.op(ir.OpSelect, ir.I64, before.op(ir.OpLtS, ir.I8, low, konst(least)), konst(least), low)
	for _, h := range u.greatest() {
		x := before.here(h.less)
		x = before.choose(before.plus(x, -h.add), -far, before.op(ir.OpLtU, ir.I8, x, konst(far)))
		if high == nil {
			high = x
		} else {
			high = before.op(ir.OpSelect, ir.I64, before.op(ir.OpLtS, ir.I8, x, high), x, high)
		}
	}
	between := before.choose(before.op(ir.OpSub, ir.I64, high, low), 0, append(before.holding(), before.op(ir.OpLtS, ir.I8, low, high))...)
	return at.op(ir.OpLtU, ir.I8, at.op(ir.OpSub, ir.I64, phi, low), between)
}
