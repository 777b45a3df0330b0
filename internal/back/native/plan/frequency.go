package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// # How often blocks run
//
// Nothing has run yet, so this is an estimate: a loop has eight rounds, and a branch goes where its comparison
// and the loops around it let expect. Wu and Larus (Static branch frequency and program profile analysis,
// 1994) describe the method; these are its simplest rules. An estimate decides where late charges are paid
// (owe.go) and in which order the blocks are written (place.go).

// Chances that a branch takes an edge, in sixteenths.
const (
	certain  = 16
	equal    = 4 // two numbers mostly differ
	loopEnd  = 2 // a loop mostly goes on
	unlikely = 1 // the IR says so
)

const (
	fullRate  = 1 << 10 // the rate of a block that every round of its loop runs
	mostDepth = 8       // of loops that count, so that weights and their sums fit
)

// A frequencies says how often the blocks of a function run.
type frequencies struct {
	order  []int32 // the blocks, in reverse postorder
	rate   []int64 // by block: how often it runs when the loop around it does a round, of fullRate
	weight []int64 // by block: how often it runs, with the rounds of the loops around it
}

// estimate estimates how often the blocks run.
func (s *selector) estimate() {
	f := &s.runs
	n := len(s.rf.Blocks)
	f.rate, f.weight = s.longs.Make(n), s.longs.Make(n)
	s.setOrder()
	f.rate[0] = fullRate
	for _, i := range f.order {
		b := &s.rf.Blocks[i]
		f.rate[i] = min(max(f.rate[i], 1), fullRate)
		f.weight[i] = 1
		if !b.Cold {
			f.weight[i] = f.rate[i] << (3 * min(b.Depth, mostDepth))
		}
		for k, t := range b.Succs {
			rate := f.rate[i] * s.chance(i, k) / certain
			if s.rf.Blocks[t].Depth < b.Depth {
				rate = f.rate[i] // one of the rounds is the last
			}
			f.rate[t] += rate
		}
	}
}

// chance returns the chance that block i leads to its successor number k, in sixteenths.
func (s *selector) chance(i int32, k int) int64 {
	b := &s.rf.Blocks[i]
	if n := len(b.Succs); n != 2 {
		switch {
		case n == 1:
			return certain
		case k == n-1:
			return certain / 2 // the default of a switch
		}
		return max(certain/2/int64(n-1), unlikely)
	}
	to, other := &s.rf.Blocks[b.Succs[k]], &s.rf.Blocks[b.Succs[1-k]]
	if to.Cold != other.Cold {
		if to.Cold {
			return 0
		}
		return certain
	}
	if x, y := s.leaves(i, b.Succs[k]), s.leaves(i, b.Succs[1-k]); x != y {
		if x {
			return loopEnd
		}
		return certain - loopEnd
	}
	in := &s.insts[b.Insts[len(b.Insts)-1].Tag]
	if in.Kind != KBranch {
		return certain / 2
	}
	first := int64(certain / 2)
	switch c := in.Cmp; {
	case in.B.Likely > 0:
		first = certain - unlikely
	case in.B.Likely < 0:
		first = unlikely
	case c.Test:
	case c.Cond == Eq:
		first = equal
	case c.Cond == Ne:
		first = certain - equal
	}
	if k == 0 {
		return first
	}
	return certain - first
}

// leaves reports whether the edge from block i to block t leaves the innermost loop around i.
func (s *selector) leaves(i, t int32) bool {
	b := s.blocks[i].b
	if b == nil {
		return false
	}
	lp := s.loops.Of(b)
	return lp != nil && !s.isIn(lp, t)
}

// isIn reports whether block i is part of a loop.
func (s *selector) isIn(lp *ir.Loop, i int32) bool {
	x := &s.blocks[i]
	if x.b != nil {
		return s.loops.Contains(lp, x.b)
	}
	return x.from != nil && s.loops.Contains(lp, x.from) && s.loops.Contains(lp, x.from.Succs[x.succ])
}

// setOrder finds the order of the blocks.
func (s *selector) setOrder() {
	type place struct{ block, next int32 }
	seen := s.bools.Make(len(s.rf.Blocks))
	order := s.ints.Make(len(s.rf.Blocks))[:0]
	stack := []place{{}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := s.rf.Blocks[top.block].Succs
		if int(top.next) == len(succs) {
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		t := succs[top.next]
		top.next++
		if !seen[t] {
			seen[t] = true
			stack = append(stack, place{block: t})
		}
	}
	slices.Reverse(order)
	s.runs.order = order
}
