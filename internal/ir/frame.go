package ir

import "slices"

// FixFrame computes f.Frame, once: the size of an activation in guest units,
// which the stack limit and the memory limit count. It belongs between the
// phases of the optimiser, since it has to be the same whatever phase B does.
//
// A frame holds a link, the parameters, the results, the largest set of values alive at once and
// the locals of the shadow stack. Values count as in an interval allocator: from the definition to
// the last use in the order of the blocks, and to the end of every loop that starts after the
// definition and contains a use.
//
// The frame of a leaf is only its link, for which every stack has room: entering a leaf checks nothing.
func (f *Func) FixFrame() {
	if f.Frame != 0 {
		return
	}
	if f.isLeaf() {
		f.Frame = LeafFrame
		return
	}
	size := int64(0)
	for i := range f.Locals {
		a := max(f.Locals[i].Align, 1)
		size = (size+a-1)/a*a + f.Locals[i].Size
	}
	f.Frame = 16 + 8*int64(len(f.Sig.Params)+len(f.Sig.Results)+f.pressure()) + (size+15)&^15
}

// LeafFrame is the size of a leaf's frame. No other frame is so small.
const LeafFrame = 8

// leafPressure bounds the values of a leaf: one with more of them alive may need memory for them.
const leafPressure = 8

// IsLeaf reports whether f is a leaf, once its frame is fixed.
func (f *Func) IsLeaf() bool { return f.Frame == LeafFrame }

// isLeaf reports whether f is a small function that enters no other, except where it fails, waits or
// has allocated.
func (f *Func) isLeaf() bool {
	if len(f.Locals) > 0 || f.Recover != nil || f.Flags&HasRecover != 0 {
		return false
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op.HasSig() || v.Op.Class() == ClassFrame {
				return false
			}
		}
	}
	return f.pressure() <= leafPressure
}

// intervals are the live intervals of values: positions in the order of the blocks, one for each
// operation and the end of a block.
type intervals struct {
	def, last []int32 // by value ID; last is 0 if the value is unused
	starts    []int32 // by number of the block: the position before it
	end       int     // the last position
}

// block returns the number of the block that a position lies in.
func (in *intervals) block(pos int32) int32 {
	n, _ := slices.BinarySearch(in.starts, pos)
	return int32(n) - 1
}

// intervals computes the intervals of f, with its blocks in the given order.
func (f *Func) intervals(blocks []*Block) *intervals {
	type place struct{ start, end int } // positions of a block
	at := make([]place, f.NumBlocks())
	starts := make([]int32, len(blocks))
	def := make([]int32, f.NumValues())
	last := make([]int32, f.NumValues())
	order := make([]int32, f.NumBlocks()) // number of the block in blocks + 1
	pos := 0
	for i, b := range blocks {
		order[b.ID] = int32(i) + 1
		at[b.ID].start, starts[i] = pos, int32(pos)
		for _, v := range b.Values {
			pos++
			def[v.ID] = int32(pos)
		}
		pos++
		at[b.ID].end = pos
	}
	// loops[i] are the ends of the loops that block i lies in, innermost first, as a list.
	type loop struct {
		start, end int32
		outer      *loop
	}
	ends := make([]int32, f.NumBlocks())
	for _, b := range blocks {
		for _, s := range b.Succs {
			if order[s.ID] <= order[b.ID] {
				ends[s.ID] = max(ends[s.ID], int32(at[b.ID].end))
			}
		}
	}
	var inner *loop
	enclosing := make([]*loop, f.NumBlocks())
	for _, b := range blocks {
		for inner != nil && inner.end < int32(at[b.ID].start) {
			inner = inner.outer
		}
		if ends[b.ID] != 0 {
			end := ends[b.ID]
			for inner != nil && inner.end <= end {
				inner = inner.outer // intervals that only overlap count as nested
			}
			inner = &loop{int32(at[b.ID].start), end, inner}
		}
		enclosing[b.ID] = inner
	}
	use := func(v *Value, b *Block, p int) {
		if v == nil || v.Op == OpConst {
			return
		}
		for l := enclosing[b.ID]; l != nil && l.start >= def[v.ID]; l = l.outer {
			p = max(p, int(l.end))
		}
		last[v.ID] = max(last[v.ID], int32(p))
	}
	only := f.CountOnly()
	for _, b := range blocks {
		for _, v := range b.Values {
			if countUses(v, only) {
				continue
			}
			for k, a := range v.Args {
				if v.Op != OpPhi {
					use(a, b, int(def[v.ID]))
				} else if k < len(b.Preds) {
					use(a, b.Preds[k], at[b.Preds[k].ID].end)
				}
			}
			if v.Op == OpPhi { // written where its block is entered
				for _, p := range b.Preds {
					if order[p.ID] >= order[b.ID] {
						last[v.ID] = max(last[v.ID], int32(at[p.ID].end))
					}
				}
			}
		}
		use(b.Ctrl, b, at[b.ID].end)
		for _, r := range b.Rets {
			use(r, b, at[b.ID].end)
		}
	}
	return &intervals{def: def, last: last, starts: starts, end: pos}
}

// pressure returns the highest number of values that live at once.
func (f *Func) pressure() int {
	in := f.intervals(f.Blocks)
	def, last := in.def, in.last
	change := make([]int32, in.end+2)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if last[v.ID] > def[v.ID] && v.Op != OpArg { // counted with the parameters
				change[def[v.ID]]++
				change[last[v.ID]]--
			}
		}
	}
	live, most := int32(0), int32(0)
	for _, d := range change {
		live += d
		most = max(most, live)
	}
	return int(most)
}
