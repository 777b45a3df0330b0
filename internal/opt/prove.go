package opt

import (
	"math"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// prove removes checks that cannot fail and decides branches. It uses what the path to them has
// established: conditions of branches taken, checks passed, ranges of operations, and the counting
// of loops.
//
// It walks the dominator tree once with a set of facts that hold at the current place. These are
// the descriptions of package facts for every integer (ranges and known bits, narrow.go),
// inequalities x ≤ y + c between values (searched on demand as in ABCD: Bodik, Gupta and Sarkar,
// PLDI 2000; inequality.go), the counters of loops (counter.go), and pointers that are not nil. In
// inequalities values are numbers of their width, sign-extended. A fact about a sum is only used if
// the sum cannot wrap.
//
// A length is known not to be negative only after a check against it: the same SSA name may be a
// number that makeslice has yet to refuse.
func prove(s *state) {
	if !worthProving(s.f) {
		return
	}
	p := newProver(s)
	p.walk()
	if p.decided || p.removed {
		s.sweep()
		s.changed = true
	}
}

// newProver makes a prover with the facts that hold everywhere.
func newProver(s *state) *prover {
	p := &prover{
		state:  s,
		about:  make([]facts.Value, s.f.NumValues()),
		head:   make([]int32, s.f.NumValues()),
		nonNil: make([]bool, s.f.NumValues()),
		counts: make([]*counter, s.f.NumValues()),
	}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if isInt(v) {
				p.about[v.ID] = describe(v)
			}
		}
	}
	p.heads = loopHeads(s.f)
	p.findCounters()
	return p
}

// worthProving reports whether the function has any check or branch.
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
	about   []facts.Value // by value ID, of integers
	head    []int32       // by value ID: first inequality + 1
	facts   []fact
	nonNil  []bool
	undo    []undoRange
	counts  []*counter // by ID of the phi
	heads   []bool     // by block ID: it is the target of a back edge
	steps   int        // steps left for the current query
	decided bool
	removed bool
	see     func(b *ir.Block, end bool) // for tests: called where b begins and ends
}

// A fact is the inequality x ≤ to + c, in the list of x.
type fact struct {
	x    *ir.Value
	to   *ir.Value
	c    int64
	next int32
}

// undoRange has the earlier description of a value.
type undoRange struct {
	v      *ir.Value
	about  facts.Value
	nonNil bool
}

// A counter is a phi of a loop header that every back edge changes by constants of one sign,
// without wrapping.
type counter struct {
	init *ir.Value
	up   bool
	room int64 // no sum with a step of this size wraps, on any back edge
	// If the loop continues only below limit + c, the phi never exceeds that.
	limit *ir.Value
	c     int64
}

func isInt(v *ir.Value) bool { return v.Type.IsInt() }

func minOf(t ir.Type) int64 { return math.MinInt64 >> (64 - t.Bits()) }
func maxOf(t ir.Type) int64 { return math.MaxInt64 >> (64 - t.Bits()) }

// walk visits blocks in dominator order.
func (p *prover) walk() {
	type mark struct{ facts, undo int }
	ir.OverDominators(p.Dom(), func(b *ir.Block) mark {
		m := mark{len(p.facts), len(p.undo)}
		if a := p.onlyWayIn(b); a != nil {
			p.edge(a, b)
		}
		if p.see != nil {
			p.see(b, false)
		}
		p.block(b)
		if p.see != nil {
			p.see(b, true)
		}
		return m
	}, func(m mark) { p.forget(m.facts, m.undo) })
}

// forget restores an earlier number of facts and ranges.
func (p *prover) forget(facts, undo int) {
	for len(p.facts) > facts {
		f := &p.facts[len(p.facts)-1]
		p.head[f.x.ID] = f.next
		p.facts = p.facts[:len(p.facts)-1]
	}
	for len(p.undo) > undo {
		u := &p.undo[len(p.undo)-1]
		p.about[u.v.ID], p.nonNil[u.v.ID] = u.about, u.nonNil
		p.undo = p.undo[:len(p.undo)-1]
	}
}

// onlyWayIn returns the predecessor through which control first reaches b: the only one, or the
// only one outside the loop if b is a loop header. The operands of the branch there do not change
// in the loop.
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

// edge adds the facts from the branch from a to b.
func (p *prover) edge(a, b *ir.Block) {
	switch a.Kind {
	case ir.BlockIf:
		p.assume(a.Ctrl, a.Succs[0] == b, 4)
	case ir.BlockSwitch:
		if n := len(a.Cases); a.Succs[n] != b {
			p.narrow(a.Ctrl, casesOf(a, b), 3)
		}
	}
}

// casesOf describes the numbers for which switch a jumps to b, which is not its default.
func casesOf(a, b *ir.Block) facts.Value {
	w := width(a.Ctrl.Type)
	var x facts.Value
	found := false
	for i, t := range a.Succs[:len(a.Cases)] {
		if t == b {
			c := facts.Const(w, a.Cases[i])
			if found {
				c = facts.Join(x, c)
			}
			x, found = c, true
		}
	}
	return x
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
			if p.below(i, n) {
				p.remove(v)
			} else {
				p.keeps(v)
			}
			if t := ir.Trap(v.Aux); t == ir.TrapIndex || t == ir.TrapIndexU {
				p.setRange(n, 1, math.MaxInt64) // a length
			}
			if p.has(n) && p.lo(n) >= 0 {
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

// keeps logs why a check stays.
func (p *prover) keeps(v *ir.Value) {
	if p.log {
		p.event("prove", Kept, v, v.LongString(), p.keptBecause(v))
	}
}

// narrowDivide makes signed divisions of nonnegative numbers unsigned, which are cheaper to
// strength-reduce.
func (p *prover) narrowDivide(v *ir.Value) {
	if p.lo(v.Args[0]) >= 0 && p.lo(v.Args[1]) >= 0 {
		if v.Op == ir.OpDivS {
			v.Op = ir.OpDivU
		} else {
			v.Op = ir.OpRemU
		}
		p.removed = true
	}
}

// has reports whether the tables contain v: they lack the values that the pass made.
func (p *prover) has(v *ir.Value) bool { return int(v.ID) < len(p.about) }

// save records the description of v, to restore at the end of the scope.
func (p *prover) save(v *ir.Value) {
	p.undo = append(p.undo, undoRange{v, p.about[v.ID], p.nonNil[v.ID]})
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

// definePointer marks a phi as not nil if all its operands are.
func (p *prover) definePointer(v *ir.Value) {
	for _, a := range v.Args {
		if a != v && !p.notNil(a) {
			return
		}
	}
	p.nonNil[v.ID] = true
}
