package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// placeBlocks returns the order in which the blocks are written. It may differ from the order in
// which registers were given out: blocks that run when a loop is left come after the loop. A loop
// that is left at its top is rotated, so that its test is at the end and an iteration takes one
// jump.
func (e *Emitter) placeBlocks() []int32 {
	n := len(e.blocks)
	var seq, cold []int32
	before := map[int32][]int32{} // by block: blocks that go before it
	for i := range int32(n) {
		if x := &e.blocks[i]; x.from != nil {
			t := x.from.Succs[x.succ]
			if lp := e.loops.Of(x.from); lp != nil && !e.loops.Contains(lp, t) {
				to := e.rf.Blocks[i].Succs[0]
				before[to] = append(before[to], i)
				continue
			}
			if e.rf.Blocks[i].Cold {
				cold = append(cold, i)
				continue
			}
		}
		seq = append(seq, i)
	}
	seq = append(seq, cold...)
	if len(before) > 0 {
		var all []int32
		for _, i := range seq {
			all = append(append(all, before[i]...), i)
		}
		seq = all
	}
	inLoop := func(lp *ir.Loop, i int32) bool {
		x := &e.blocks[i]
		if x.b != nil {
			return e.loops.Contains(lp, x.b)
		}
		return x.from != nil && e.loops.Contains(lp, x.from) && e.loops.Contains(lp, x.from.Succs[x.succ])
	}
	if e.F.Large() {
		return seq // rotating a loop looks for it in the whole list
	}
	for _, lp := range e.loops.List { // inner loops first
		h := e.number[lp.Header.ID]
		if lp.Header.Kind != ir.BlockIf {
			continue
		}
		in0, in1 := e.loops.Contains(lp, lp.Header.Succs[0]), e.loops.Contains(lp, lp.Header.Succs[1])
		if in0 == in1 {
			continue
		}
		first := slices.Index(seq, h)
		last := first
		for last+1 < len(seq) && inLoop(lp, seq[last+1]) {
			last++
		}
		// The last block that has code must lead to the header.
		end := last
		for end > first && e.empty[seq[end]] {
			end--
		}
		if end == first || len(e.rf.Blocks[seq[end]].Succs) != 1 || e.final[e.rf.Blocks[seq[end]].Succs[0]] != h ||
			e.empty[h] {
			continue
		}
		copy(seq[first:], seq[first+1:last+1])
		seq[last] = h
	}
	return seq
}
