package opt

import (
	"math"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// prove removes checks that cannot fail and decides branches, from what the
// path to them has established: conditions of branches taken, checks passed,
// ranges of operations, and how loops count.
//
// It walks the dominator tree once with a set of facts that hold at the current
// place: a signed range for every integer, inequalities x ≤ y + c between
// values (searched on demand as in ABCD: Bodik, Gupta and Sarkar, PLDI 2000),
// and pointers that are not nil. All values are taken as numbers of their
// width, sign-extended; a fact about a sum is only used when it cannot wrap.
//
// A length is known not to be negative behind a check against it, and not
// before: the same SSA name may be a number that makeslice has yet to refuse.
func prove(s *state) {
	if !worthProving(s.f) {
		return
	}
	p := &prover{
		state:  s,
		lo:     make([]int64, s.f.NumValues()),
		hi:     make([]int64, s.f.NumValues()),
		head:   make([]int32, s.f.NumValues()),
		nonNil: make([]bool, s.f.NumValues()),
		counts: make([]*counter, s.f.NumValues()),
	}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if isInt(v) {
				p.lo[v.ID], p.hi[v.ID] = smallRange(v)
			}
		}
	}
	p.heads = loopHeads(s.f)
	p.findCounters()
	p.walk()
	if p.decided || p.removed {
		s.sweep()
		s.changed = true
	}
}

// worthProving reports whether there is any check or branch.
func worthProving(f *ir.Func) bool {
	for _, b := range f.Blocks {
		if b.Kind == ir.BlockIf {
			return true
		}
		for _, v := range b.Values {
			if v.HasEffect(ir.MayTrap) && !v.HasEffect(ir.IsCall) {
				return true
			}
		}
	}
	return false
}

type prover struct {
	*state
	lo, hi  []int64 // by value ID
	head    []int32 // by value ID: first inequality + 1
	facts   []fact
	nonNil  []bool
	undo    []undoRange
	counts  []*counter // by ID of the phi
	heads   []bool     // by block ID: entered by a way back
	steps   int        // left for the current query
	decided bool
	removed bool
}

// A fact says x ≤ to + c, in the list of x.
type fact struct {
	x    *ir.Value
	to   *ir.Value
	c    int64
	next int32
}

// undoRange restores what was known of a value.
type undoRange struct {
	v      *ir.Value
	lo, hi int64
	nonNil bool
}

// A counter is a phi of a loop header that every way back changes by constants
// of one sign, without wrapping.
type counter struct {
	init *ir.Value
	up   bool
	room int64 // no sum with a step of this size wraps, on any way
	// If the loop goes on only below limit + c, the phi never exceeds that.
	limit *ir.Value
	c     int64
}

func isInt(v *ir.Value) bool { return v.Type.IsInt() }

func minOf(t ir.Type) int64 { return math.MinInt64 >> (64 - t.Bits()) }
func maxOf(t ir.Type) int64 { return math.MaxInt64 >> (64 - t.Bits()) }

// walk visits blocks in dominator order.
func (p *prover) walk() {
	d := p.Dom()
	type frame struct {
		b           *ir.Block
		next        int
		facts, undo int
	}
	var stack []frame
	enter := func(b *ir.Block) {
		stack = append(stack, frame{b, 0, len(p.facts), len(p.undo)})
		if a := p.onlyWayIn(b); a != nil {
			p.edge(a, b)
		}
		p.block(b)
	}
	for _, root := range d.Order {
		if d.Idom(root) != nil {
			continue
		}
		enter(root)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if kids := d.Children(top.b); top.next < len(kids) {
				top.next++
				enter(kids[top.next-1])
				continue
			}
			p.forget(top.facts, top.undo)
			stack = stack[:len(stack)-1]
		}
	}
}

// forget goes back to an earlier number of facts and ranges.
func (p *prover) forget(facts, undo int) {
	for len(p.facts) > facts {
		f := &p.facts[len(p.facts)-1]
		p.head[f.x.ID] = f.next
		p.facts = p.facts[:len(p.facts)-1]
	}
	for len(p.undo) > undo {
		u := &p.undo[len(p.undo)-1]
		p.lo[u.v.ID], p.hi[u.v.ID], p.nonNil[u.v.ID] = u.lo, u.hi, u.nonNil
		p.undo = p.undo[:len(p.undo)-1]
	}
}

// onlyWayIn returns the predecessor through which control first gets to b: the
// only one, or the only one of a loop's header outside of the loop. What the
// branch there compares does not change in the loop.
func (p *prover) onlyWayIn(b *ir.Block) *ir.Block {
	if len(b.Preds) == 1 {
		return b.Preds[0]
	}
	if !p.heads[b.ID] {
		return nil
	}
	d := p.Dom()
	var from *ir.Block
	for _, a := range b.Preds {
		if !d.Dominates(b, a) {
			if from != nil {
				return nil
			}
			from = a
		}
	}
	return from
}

// edge adds what the branch from a to b shows.
func (p *prover) edge(a, b *ir.Block) {
	switch a.Kind {
	case ir.BlockIf:
		p.assume(a.Ctrl, a.Succs[0] == b, 4)
	case ir.BlockSwitch:
		if n := len(a.Cases); a.Succs[n] != b {
			lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
			for i, t := range a.Succs[:n] {
				if t == b {
					lo, hi = min(lo, a.Cases[i]), max(hi, a.Cases[i])
				}
			}
			p.setRange(a.Ctrl, lo, hi)
		}
	}
}

func (p *prover) block(b *ir.Block) {
	for _, v := range b.Values {
		p.step(1)
		if isInt(v) {
			p.define(v)
		}
		switch v.Op {
		case ir.OpDivS, ir.OpRemS:
			p.narrowDivide(v)
		case ir.OpPhi:
			if v.Type == ir.Ptr {
				p.definePointer(v)
			}
		case ir.OpNilCheck:
			if p.notNil(v.Args[0]) {
				p.remove(v)
			} else {
				p.keeps(v)
				p.setNonNil(v.Args[0])
			}
		case ir.OpBounds:
			i, n := v.Args[0], v.Args[1]
			if p.atLeastZero(i) && p.less(i, n, -1) {
				p.remove(v)
			} else {
				p.keeps(v)
			}
			if t := ir.Trap(v.Aux); t == ir.TrapIndex || t == ir.TrapIndexU {
				p.setRange(n, 1, math.MaxInt64) // a length
			}
			if p.has(n) && p.lo[n.ID] >= 0 {
				p.setRange(i, 0, math.MaxInt64)
				p.inequality(i, n, -1)
			}
		case ir.OpCheck:
			if c := v.Args[0]; p.decide(c) == 1 {
				p.remove(v)
			} else {
				p.keeps(v)
				if c.Op == ir.OpLeU && len(v.Args) == 3 && isSliceTrap(ir.Trap(v.Aux)) {
					p.setRange(c.Args[1], 0, math.MaxInt64)
				}
				p.assume(c, true, 4)
			}
		}
	}
	if b.Kind == ir.BlockIf && b.Ctrl.Op != ir.OpConst {
		if r := p.decide(b.Ctrl); r >= 0 {
			c := p.newConst(ir.I8, int64(r))
			c.Pos = b.Pos
			b.Append(c)
			b.Ctrl = c
			p.decided = true
		}
	}
}

// isSliceTrap reports whether the trap's second operand is a length or capacity.
func isSliceTrap(t ir.Trap) bool {
	switch t {
	case ir.TrapSliceAlen, ir.TrapSliceAlenU, ir.TrapSliceAcap, ir.TrapSliceAcapU,
		ir.TrapSlice3Alen, ir.TrapSlice3AlenU, ir.TrapSlice3Acap, ir.TrapSlice3AcapU:
		return true
	}
	return false
}

func (p *prover) remove(v *ir.Value) {
	if p.log {
		p.because(v, "%s", p.shown(v))
	}
	deleted(v)
	p.removed = true
}

// keeps tells why a check stays.
func (p *prover) keeps(v *ir.Value) {
	if p.log {
		p.event("prove", Kept, v, v.LongString(), p.keptBecause(v))
	}
}

// narrowDivide makes signed divisions of numbers that are not negative
// unsigned ones, which are cheaper to strength-reduce.
func (p *prover) narrowDivide(v *ir.Value) {
	if p.lo[v.Args[0].ID] >= 0 && p.lo[v.Args[1].ID] >= 0 {
		if v.Op == ir.OpDivS {
			v.Op = ir.OpDivU
		} else {
			v.Op = ir.OpRemU
		}
		p.removed = true
	}
}

// has reports whether the tables know v: values that the pass made are not in them.
func (p *prover) has(v *ir.Value) bool { return int(v.ID) < len(p.lo) }

// save records v for the end of the scope.
func (p *prover) save(v *ir.Value) {
	p.undo = append(p.undo, undoRange{v, p.lo[v.ID], p.hi[v.ID], p.nonNil[v.ID]})
}

// setRange intersects what is known of v.
func (p *prover) setRange(v *ir.Value, lo, hi int64) { p.setRangeDepth(v, lo, hi, 3) }

func (p *prover) setRangeDepth(v *ir.Value, lo, hi int64, depth int) {
	if !p.has(v) || v.Op == ir.OpConst || !isInt(v) {
		return
	}
	oldLo, oldHi := p.lo[v.ID], p.hi[v.ID]
	lo, hi = max(lo, oldLo), min(hi, oldHi)
	if lo > hi || lo == oldLo && hi == oldHi {
		return // nothing new, or a place that is not reached
	}
	p.save(v)
	p.lo[v.ID], p.hi[v.ID] = lo, hi
	if depth == 0 {
		return
	}
	switch v.Op {
	case ir.OpAdd:
		// x = v - c, if x + c did not wrap
		if x, c := addConst(v); x != v && p.has(x) && !p.mayWrap(x, c) {
			l, ok1 := subOverflow(lo, c)
			h, ok2 := subOverflow(hi, c)
			if ok1 && ok2 {
				p.setRangeDepth(x, l, h, depth-1)
			}
		}
	case ir.OpSExt:
		p.setRangeDepth(v.Args[0], lo, hi, depth-1)
	case ir.OpZExt:
		if x := v.Args[0]; hi <= maxOf(x.Type) {
			p.setRangeDepth(x, lo, hi, depth-1)
		}
	}
}

func (p *prover) setNonNil(v *ir.Value) {
	if p.has(v) && !p.nonNil[v.ID] {
		p.save(v)
		p.nonNil[v.ID] = true
	}
}

func (p *prover) notNil(v *ir.Value) bool {
	for {
		if nonNil(v) || p.has(v) && p.nonNil[v.ID] {
			return true
		}
		if v.Op != ir.OpPtrAdd && v.Op != ir.OpPtrIdx {
			return false
		}
		v = v.Args[0]
	}
}

// definePointer finds that all operands of a phi are not nil.
func (p *prover) definePointer(v *ir.Value) {
	for _, a := range v.Args {
		if a != v && !p.notNil(a) {
			return
		}
	}
	p.nonNil[v.ID] = true
}

// inequality adds x ≤ y + c.
func (p *prover) inequality(x, y *ir.Value, c int64) {
	if x == y || !p.has(x) || !p.has(y) {
		return
	}
	if h, ok := addOverflow(p.hi[y.ID], c); ok {
		p.setRange(x, math.MinInt64, h)
	}
	if l, ok := subOverflow(p.lo[x.ID], c); ok {
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
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU:
	default:
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
		// With y ≥ 0 the unsigned comparison bounds x on both sides.
		if p.lo[y.ID] >= 0 {
			p.setRange(x, 0, math.MaxInt64)
			p.inequality(x, y, -b2i(op == ir.OpLtU))
		}
	}
}

// exclude uses x ≠ y where y is a constant at an end of x's range, or x ≤ y is known.
func (p *prover) exclude(x, y *ir.Value) {
	if y.Op == ir.OpConst {
		switch y.Aux {
		case p.lo[x.ID]:
			if y.Aux < math.MaxInt64 {
				p.setRange(x, y.Aux+1, math.MaxInt64)
			}
		case p.hi[x.ID]:
			if y.Aux > math.MinInt64 {
				p.setRange(x, math.MinInt64, y.Aux-1)
			}
		}
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
	if p.has(c) && isBool(c) && p.lo[c.ID] == p.hi[c.ID] {
		return int(p.lo[c.ID])
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
		if p.has(x) && p.has(y) && p.lo[x.ID] == p.hi[x.ID] && p.lo[y.ID] == p.hi[y.ID] && p.lo[x.ID] == p.lo[y.ID] {
			return int(b2i(c.Op == ir.OpEq))
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
		case zx && p.has(y) && p.hi[y.ID] < 0:
			return 1
		case zy && p.has(x) && p.hi[x.ID] < 0:
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

// atLeastZero proves x ≥ 0.
func (p *prover) atLeastZero(x *ir.Value) bool {
	if !p.has(x) || !isInt(x) {
		return false
	}
	if p.lo[x.ID] >= 0 {
		return true
	}
	switch x.Op {
	case ir.OpSub:
		// 0 ≤ b ≤ a gives a - b ≥ 0
		a, b := x.Args[0], x.Args[1]
		if p.has(a) && p.has(b) && p.lo[b.ID] >= 0 && p.less(b, a, 0) {
			return true
		}
	case ir.OpAdd:
		// a ≥ -c for x = a + c: a came from a fact after the sum was made
		if a, c := addConst(x); a != x && p.has(a) && c < 0 && c > math.MinInt64 && p.lo[a.ID] >= -c {
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
	if s, ok := addOverflow(p.lo[y.ID], c); ok && p.hi[x.ID] <= s {
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
			if p.has(a) && p.has(b) && p.lo[a.ID] >= 0 && p.lo[b.ID] >= 0 && p.lo[y.ID] >= 0 {
				return p.search(x, a, c, depth-1) || p.search(x, b, c, depth-1)
			}
		}
	}
	return false
}

// upper proves x ≤ y + c from how x is made.
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
		if p.has(a) && p.has(b) && p.lo[b.ID] >= 0 && p.lo[a.ID] >= 0 {
			if d, ok := addOverflow(c, p.lo[b.ID]); ok {
				return p.search(a, y, d, depth)
			}
		}
	case ir.OpAnd:
		a, b := x.Args[0], x.Args[1]
		return p.has(a) && p.lo[a.ID] >= 0 && p.search(a, y, c, depth) ||
			p.has(b) && p.lo[b.ID] >= 0 && p.search(b, y, c, depth)
	case ir.OpShrS, ir.OpShrU, ir.OpDivS, ir.OpDivU:
		a := x.Args[0]
		// (l + r) >> 1 lies between l and r, even if the sum is taken for negative.
		if x.Op == ir.OpShrU && x.Args[1].IsConst(1) && a.Op == ir.OpAdd {
			l, r := a.Args[0], a.Args[1]
			if p.has(l) && p.has(r) && p.lo[l.ID] >= 0 && p.lo[r.ID] >= 0 && p.search(l, r, -1, depth/2) {
				if d, ok := addOverflow(c, 1); ok && p.search(r, y, d, depth) {
					return true
				}
			}
		}
		if !p.has(a) || p.lo[a.ID] < 0 {
			return false
		}
		by := x.Args[1]
		if !p.has(by) || x.Op == ir.OpDivS && p.lo[by.ID] <= 0 {
			return false
		}
		// Half of a number above zero is less than the number.
		least := int64(1)
		if x.Op == ir.OpDivS || x.Op == ir.OpDivU {
			least = 2
		}
		if d, ok := addOverflow(c, 1); ok && p.lo[a.ID] >= 1 && p.lo[by.ID] >= least {
			return p.search(a, y, d, depth)
		}
		return p.search(a, y, c, depth)
	case ir.OpRemS, ir.OpRemU:
		a, b := x.Args[0], x.Args[1]
		if !p.has(a) || !p.has(b) || p.lo[a.ID] < 0 || p.lo[b.ID] <= 0 {
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
		l, ok := addOverflow(p.lo[y.ID], c)
		return p.lo[x.Args[1].ID] >= 0 || ok && l >= -1
	case ir.OpSelect:
		if a, b, least, ok := minMax(x); ok && least {
			return p.search(a, y, c, depth) || p.search(b, y, c, depth)
		}
		return p.search(x.Args[1], y, c, depth) && p.search(x.Args[2], y, c, depth)
	case ir.OpPhi:
		if n := p.counts[x.ID]; n != nil {
			return !n.up && p.search(n.init, y, c, depth)
		}
		// Not in a loop's header: there the operands are those of another round.
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
		return p.has(a) && p.lo[a.ID] >= 0 && p.search(a, y, c, depth)
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
	l, ok1 := addOverflow(p.lo[x.ID], c)
	h, ok2 := addOverflow(p.hi[x.ID], c)
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

// define computes the range of a value where it is made.
func (p *prover) define(v *ir.Value) {
	lo, hi := p.rangeOf(v)
	t := v.Type
	lo, hi = max(lo, minOf(t)), min(hi, maxOf(t))
	if lo > hi {
		lo, hi = minOf(t), maxOf(t)
	}
	p.lo[v.ID], p.hi[v.ID] = lo, hi
	if n := p.counts[v.ID]; n != nil && v.Op == ir.OpPhi {
		if n.up {
			p.inequality(n.init, v, 0)
		} else {
			p.inequality(v, n.init, 0)
		}
		if n.limit != nil && p.has(n.limit) && p.less(n.init, n.limit, n.c) {
			p.inequality(v, n.limit, n.c)
		}
	}
}

func (p *prover) bounds(v *ir.Value) (lo, hi int64) {
	if v.Op == ir.OpConst {
		return v.Aux, v.Aux
	}
	if !p.has(v) {
		return minOf(v.Type), maxOf(v.Type)
	}
	return p.lo[v.ID], p.hi[v.ID]
}

// rangeOf computes a signed range from the operation and the ranges of its operands.
func (p *prover) rangeOf(v *ir.Value) (int64, int64) {
	t := v.Type
	full := func() (int64, int64) { return minOf(t), maxOf(t) }
	var al, ah, bl, bh int64
	if len(v.Args) > 0 && isInt(v.Args[0]) && v.Op != ir.OpPhi {
		al, ah = p.bounds(v.Args[0])
		if len(v.Args) > 1 && isInt(v.Args[1]) {
			bl, bh = p.bounds(v.Args[1])
		}
	}
	fits := func(lo, hi int64, ok bool) (int64, int64) {
		if !ok || lo < minOf(t) || hi > maxOf(t) {
			return full()
		}
		return lo, hi
	}
	switch v.Op {
	case ir.OpConst:
		return v.Aux, v.Aux
	case ir.OpAdd:
		l, ok1 := addOverflow(al, bl)
		h, ok2 := addOverflow(ah, bh)
		return fits(l, h, ok1 && ok2)
	case ir.OpSub:
		l, ok1 := subOverflow(al, bh)
		h, ok2 := subOverflow(ah, bl)
		lo, hi := fits(l, h, ok1 && ok2)
		if lo < 0 && bl >= 0 && p.less(v.Args[1], v.Args[0], 0) {
			lo, hi = 0, ah // 0 ≤ b ≤ a
		}
		return lo, hi
	case ir.OpMul:
		if al >= 0 && bl >= 0 {
			h, l := bits.Mul64(uint64(ah), uint64(bh))
			return fits(al*bl, int64(l), h == 0 && int64(l) >= 0)
		}
		if bl == bh && bl > 0 {
			h := bh
			if ah <= math.MaxInt64/h && al >= math.MinInt64/h {
				return fits(al*h, ah*h, true)
			}
		}
	case ir.OpDivS:
		if bl > 0 {
			if al >= 0 {
				return al / bh, ah / bl
			}
			return min(al/bl, 0), max(ah/bl, 0)
		}
	case ir.OpDivU:
		if al >= 0 && bl > 0 {
			return al / bh, ah / bl
		}
		if bl > 1 {
			return 0, int64(unsigned(t, -1) / uint64(bl))
		}
	case ir.OpRemS:
		if bl > 0 {
			if al >= 0 {
				return 0, min(ah, bh-1)
			}
			return max(al, -(bh - 1)), min(max(ah, 0), bh-1)
		}
		if al >= 0 {
			return 0, ah
		}
	case ir.OpRemU:
		if bl > 0 {
			if al >= 0 {
				return 0, min(ah, bh-1)
			}
			return 0, bh - 1
		}
	case ir.OpAnd:
		switch {
		case al >= 0 && bl >= 0:
			return 0, min(ah, bh)
		case al >= 0:
			return 0, ah
		case bl >= 0:
			return 0, bh
		}
	case ir.OpAndNot:
		if al >= 0 {
			return 0, ah
		}
	case ir.OpOr, ir.OpXor:
		if al >= 0 && bl >= 0 {
			return 0, 1<<bits.Len64(uint64(ah|bh)) - 1
		}
	case ir.OpShl:
		if bl == bh && bl >= 0 && bl < int64(t.Bits())-1 {
			k := uint(bl)
			if ah <= maxOf(t)>>k && al >= minOf(t)>>k {
				return al << k, ah << k
			}
		}
	case ir.OpShrS:
		if bl == bh && bl >= 0 {
			k := min(uint64(bl), 63)
			return al >> k, ah >> k
		}
		return min(al, 0), max(ah, 0)
	case ir.OpShrU:
		if bl == bh && bl > 0 && bl < int64(t.Bits()) {
			k := uint(bl)
			if al >= 0 {
				return al >> k, ah >> k
			}
			return 0, int64(unsigned(t, -1) >> k)
		}
		if al >= 0 {
			return 0, ah
		}
	case ir.OpSExt:
		return al, ah
	case ir.OpZExt:
		if al >= 0 {
			return al, ah
		}
		return 0, int64(unsigned(v.Args[0].Type, -1))
	case ir.OpTrunc:
		return fits(al, ah, true)
	case ir.OpSelect:
		tl, th := p.bounds(v.Args[1])
		fl, fh := p.bounds(v.Args[2])
		if _, _, least, ok := minMax(v); ok && least {
			return min(tl, fl), min(th, fh)
		} else if ok {
			return max(tl, fl), max(th, fh)
		}
		return min(tl, fl), max(th, fh)
	case ir.OpClz, ir.OpCtz, ir.OpPopcnt:
		return 0, int64(t.Bits())
	case ir.OpMemCmp:
		return -1, 1
	case ir.OpIndexByte:
		if _, h := p.bounds(v.Args[1]); h > 0 {
			return -1, h - 1
		}
		return -1, math.MaxInt64
	case ir.OpMemHash, ir.OpPtrToInt:
		return 0, math.MaxUint32
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe, ir.OpMemEq:
		return 0, 1
	case ir.OpPhi:
		return p.phiRange(v)
	}
	return full()
}

func (p *prover) phiRange(v *ir.Value) (int64, int64) {
	t := v.Type
	if n := p.counts[v.ID]; n != nil {
		l, h := p.bounds(n.init)
		if n.up {
			return l, maxOf(t) - n.room
		}
		return minOf(t) + n.room, h
	}
	d := p.Dom()
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i, a := range v.Args {
		if a == v {
			continue
		}
		if a.Op != ir.OpConst && d.Number(v.Block.Preds[i]) >= d.Number(v.Block) {
			return minOf(t), maxOf(t) // comes from a place that was not visited
		}
		l, h := p.bounds(a)
		lo, hi = min(lo, l), max(hi, h)
	}
	if lo > hi {
		return minOf(t), maxOf(t)
	}
	return lo, hi
}

// findCounters looks at the phis of loop headers.
func (p *prover) findCounters() {
	for _, lp := range p.Loops().List {
		for _, v := range lp.Header.Phis() {
			if isInt(v) {
				p.counts[v.ID] = p.counter(lp, v)
			}
		}
	}
}

func (p *prover) counter(lp *ir.Loop, v *ir.Value) *counter {
	d := p.Dom()
	n := &counter{}
	sign := int64(0)
	for i, a := range v.Args {
		from := lp.Header.Preds[i]
		if !d.Dominates(lp.Header, from) {
			if n.init != nil && n.init != a {
				return nil
			}
			n.init = a
			continue
		}
		if a == v {
			continue
		}
		x, c := addConst(a)
		if x != v || c == 0 || c != 1 && c != -1 && (c < -1<<20 || c > 1<<20) {
			return nil
		}
		if sign != 0 && (sign > 0) != (c > 0) {
			return nil
		}
		sign = c
		limit, k, carried, ok := p.stops(lp, v, a, c, from)
		if !ok {
			return nil
		}
		if carried {
			n.room = max(c, -c)
		}
		if n.limit == nil && limit != nil && c == 1 {
			n.limit, n.c = limit, k
		} else if n.limit != limit || n.c != k {
			n.limit = nil
		}
	}
	if n.init == nil || sign == 0 {
		return nil
	}
	n.up = sign > 0
	if !n.up || n.limit != nil && !p.invariant(lp, n.limit) || len(lp.Latches) != 1 {
		n.limit = nil
	}
	return n
}

func (p *prover) invariant(lp *ir.Loop, v *ir.Value) bool {
	return v.Op == ir.OpConst || !p.Loops().Contains(lp, v.Block)
}

// stops finds a condition on every way to the end of the edge from→header that
// keeps the counter v, or its next value next = v + c, on one side of something:
// then the sum cannot wrap. For c = 1 it also returns the limit: next ≤ limit + k.
func (p *prover) stops(lp *ir.Loop, v, next *ir.Value, c int64, from *ir.Block) (limit *ir.Value, k int64, carried, ok bool) {
	d := p.Dom()
	if limit, k, carried, ok = p.stopsAt(lp, v, next, c, from, lp.Header); ok {
		return
	}
	for b := from; b != nil && b != lp.Header; {
		if len(b.Preds) != 1 {
			b = d.Idom(b)
			continue
		}
		a := b.Preds[0]
		if limit, k, carried, ok = p.stopsAt(lp, v, next, c, a, b); ok {
			return
		}
		b = a
	}
	return nil, 0, false, false
}

// stopsAt looks at the condition under which control goes from a to b.
//
// A condition on v itself bounds the sum of the same round. One on next bounds
// the value that is carried around, so the sum of the round after; then the
// first sum must not wrap either, and there must be no other way around: then
// no sum ever wraps, whatever happens to it (carried).
func (p *prover) stopsAt(lp *ir.Loop, v, next *ir.Value, c int64, a, b *ir.Block) (limit *ir.Value, k int64, carried, ok bool) {
	if a.Kind != ir.BlockIf {
		return nil, 0, false, false
	}
	t := v.Type
	truth := a.Succs[0] == b
	op := a.Ctrl.Op
	switch op {
	case ir.OpLtS, ir.OpLeS:
		x, y := a.Ctrl.Args[0], a.Ctrl.Args[1]
		if !truth { // not x < y: y ≤ x
			x, y = y, x
			op = ir.OpLtS + ir.OpLeS - op
		}
		strict := b2i(op == ir.OpLtS)
		if c > 0 && (x == v || x == next && p.firstFits(lp, v, c)) {
			if _, yh := smallRange(y); yh <= maxOf(t)-(c-strict) {
				if x == v {
					return y, c - strict, false, true
				}
				return y, -strict, true, true
			}
		}
		if c < 0 && (y == v || y == next && p.firstFits(lp, v, c)) {
			if xl, _ := smallRange(x); xl >= minOf(t)-c-strict {
				return nil, 0, y == next, true
			}
		}
	case ir.OpEq, ir.OpNe:
		// A loop that ends at equality does not wrap if it starts on the right side.
		if (op == ir.OpNe) != truth || c != 1 && c != -1 {
			return nil, 0, false, false
		}
		x, y := a.Ctrl.Args[0], a.Ctrl.Args[1]
		if x != v && x != next || y.Op != ir.OpConst || !p.firstFits(lp, v, c) {
			return nil, 0, false, false
		}
		init := p.initOf(lp, v)
		if init.Op != ir.OpConst {
			return nil, 0, false, false
		}
		first := init.Aux
		if x == next {
			first += c
		}
		if c > 0 && first <= y.Aux || c < 0 && first >= y.Aux {
			return nil, 0, false, true
		}
	}
	return nil, 0, false, false
}

// firstFits reports that a loop has one way around and that the first sum does not wrap.
func (p *prover) firstFits(lp *ir.Loop, v *ir.Value, c int64) bool {
	init := p.initOf(lp, v)
	if init == nil || len(lp.Latches) != 1 {
		return false
	}
	lo, hi := smallRange(init)
	return c > 0 && hi <= maxOf(v.Type)-c || c < 0 && lo >= minOf(v.Type)-c
}

func (p *prover) initOf(lp *ir.Loop, v *ir.Value) *ir.Value {
	d := p.Dom()
	var init *ir.Value
	for i, a := range v.Args {
		if !d.Dominates(lp.Header, lp.Header.Preds[i]) {
			if init != nil && init != a {
				return nil
			}
			init = a
		}
	}
	return init
}
