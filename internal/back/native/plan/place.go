package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// placeBlocks returns the order in which the blocks are written. It may differ from the order in which registers
// were given out.
//
// A block comes behind the one that leads to it most often, so that the common way through a function takes few
// jumps (Pettis and Hansen, Profile guided code positioning, 1990). The edges, the most frequent ones first, join
// chains of blocks: the last block of one and the first block of another. Chains are written in the order of
// their first blocks.
//
// A loop that is left at its top is rotated: its test comes behind the last block of a round, so that a round
// takes one jump. Cold blocks come last, in the order that they have. See tops for where rounds begin.
func (e *Emitter) placeBlocks() []int32 {
	n := len(e.rf.Blocks)
	next, first, last := e.ints.Make(n), e.ints.Make(n), e.ints.Make(n) // by block; of its chain, if it is at the other end
	for i := range int32(n) {
		next[i], first[i], last[i] = -1, i, i
	}
	follows := e.bools.Make(n)
	for _, x := range e.wayOn() {
		if next[x.from] >= 0 || follows[x.to] || first[x.from] == x.to {
			continue
		}
		next[x.from], follows[x.to] = x.to, true
		head, tail := first[x.from], last[x.to]
		last[head], first[tail] = tail, head
	}
	var heads []int32
	for i := range int32(n) {
		if !follows[i] {
			heads = append(heads, i)
		}
	}
	// A chain that begins on an edge comes where it leads to.
	place := func(i int32) int32 {
		for e.blocks[i].from != nil {
			i = e.final[e.rf.Blocks[i].Succs[0]]
		}
		return i
	}
	slices.SortStableFunc(heads, func(x, y int32) int {
		if c, d := e.rf.Blocks[x].Cold, e.rf.Blocks[y].Cold; c != d {
			if c {
				return 1
			}
			return -1
		}
		return cmp.Compare(place(x), place(y))
	})
	seq := e.ints.Make(n)[:0]
	for _, i := range heads {
		for ; i >= 0; i = next[i] {
			seq = append(seq, i)
		}
	}
	return seq
}

// A way leads from the end of one block to another, without the empty ones in between.
type way struct {
	from, to int32
	weight   int64
}

// wayOn returns the ways on which code may go on without a jump, the most frequent ones first.
func (e *Emitter) wayOn() []way {
	rotated := e.rotated()
	list := e.ways.Make(2 * len(e.rf.Blocks))[:0]
	for i := range int32(len(e.rf.Blocks)) {
		if e.empty[i] {
			continue
		}
		b := &e.rf.Blocks[i]
		for k, t := range b.Succs {
			x := way{i, e.final[t], e.runs.weight[i] * e.chance(i, k)}
			top := e.loopOf(x.to)
			switch {
			case b.Cold != e.rf.Blocks[x.to].Cold, i == 0 && k > 0:
				continue
			case i == 0:
				x.weight = math.MaxInt64
			case e.isAside(i, k):
				x.weight = e.runs.weight[i] * certain
			case rotated[i] && e.isIn(e.loopOf(i), x.to): // on from the test
				continue
			case top != nil && !rotated[x.to] && e.isIn(top, i): // back to the top
				continue
			}
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(x, y way) int { return cmp.Compare(y.weight, x.weight) })
	return list
}

// isAside reports whether successor number k of block i is a single block beside the way to the other successor, and
// is not unlikely. Written in between, it costs at most one jump. Written elsewhere, it costs two, or none; estimates
// are too rough to bet on none.
func (e *Emitter) isAside(i int32, k int) bool {
	b := &e.rf.Blocks[i]
	t := b.Succs[k]
	to := &e.rf.Blocks[t]
	if len(b.Succs) != 2 || e.empty[t] || len(to.Preds) != 1 || len(to.Succs) != 1 || e.chance(i, k) <= unlikely {
		return false
	}
	join, other := e.final[to.Succs[0]], e.final[b.Succs[1-k]]
	return other == join || e.blocks[other].from != nil && e.final[e.rf.Blocks[other].Succs[0]] == join
}

// rotated returns which blocks, by number, are the tests of loops that are rotated: at their tops, with jumps to them
// from ends of rounds.
func (e *Emitter) rotated() []bool {
	rotated := e.bools.Make(len(e.rf.Blocks))
	for i := range int32(len(e.rf.Blocks)) {
		b := &e.rf.Blocks[i]
		if e.empty[i] || len(b.Succs) != 1 {
			continue
		}
		h := e.final[b.Succs[0]]
		lp := e.loopOf(h)
		if lp == nil || e.empty[h] || b.Cold != e.rf.Blocks[h].Cold || !e.isIn(lp, i) || lp.Header.Kind != ir.BlockIf {
			continue
		}
		rotated[h] = e.loops.Contains(lp, lp.Header.Succs[0]) != e.loops.Contains(lp, lp.Header.Succs[1])
	}
	return rotated
}

// loopOf returns the loop whose header is block i, or nil.
func (e *Emitter) loopOf(i int32) *ir.Loop {
	if b := e.blocks[i].b; b != nil {
		if lp := e.loops.Of(b); lp != nil && lp.Header == b {
			return lp
		}
	}
	return nil
}

// topAlign is a common size of what a processor decodes at once, in bytes.
const topAlign = 32

// tops returns which blocks begin at a multiple of topAlign: those that the end of a round jumps back to, unless the
// block before leads to them. So padding is never executed.
func (e *Emitter) tops() []bool {
	n := len(e.rf.Blocks)
	tops, place := e.bools.Make(n), e.ints.Make(n)
	for k, i := range e.seq {
		place[i] = int32(k)
	}
	for k, i := range e.seq {
		for _, to := range e.rf.Blocks[i].Succs {
			if to = e.final[to]; place[to] <= int32(k) {
				tops[to] = !e.rf.Blocks[to].Cold
			}
		}
	}
	tops[e.seq[0]] = false
	for k, i := range e.seq[1:] {
		for _, to := range e.rf.Blocks[e.seq[k]].Succs {
			if e.final[to] == i {
				tops[i] = false
			}
		}
	}
	return tops
}
