package regalloc

import (
	"math/bits"
	"slices"
)

// spills decides where the slots are filled: at the least executed place before all readers. That
// is after the definition, or at the start of a block between it and the readers where the value is
// still in a register on every incoming edge. If all readers are in cold blocks, each cold region
// has one such place.
func (a *allocator) spills() bool {
	f := a.f
	d := a.dom
	if d != nil {
		a.findCold(d)
	}
	a.behind = a.bools.Make(len(f.Class))
	a.stores = a.stepLists.Make(len(f.Blocks))
	a.inSlot = a.bools.Make(len(f.Class))
	a.cold = a.bools.Make(len(f.Class))
	a.slotReads, a.slotWriter = a.ints.Make(len(f.Class)), a.ints.Make(len(f.Class))
	for i := range f.Blocks {
		if a.meter.Step(1) {
			return false
		}
		for k, p := range f.Blocks[i].Params {
			if a.paramLoc[i][k].IsSlot() {
				a.inSlot[p] = true
			}
		}
		// The moves of the edges read slots too.
		for s, t := range f.Blocks[i].Succs {
			a.edge(int32(i), s, t)
		}
	}
	for i := range a.slot {
		v := VReg(i)
		if !a.slot[v] || a.inSlot[v] {
			continue
		}
		if len(a.readers[v]) == 0 {
			a.slot[v] = false
			continue
		}
		if f.Cheap {
			a.behind[v] = true
			continue
		}
		if a.meter.Step(len(a.readers[v])) {
			return false
		}
		if a.storeInCold(d, v) {
			continue
		}
		b := a.readers[v][0]
		for _, r := range a.readers[v][1:] {
			b = d.common(b, r)
		}
		if a.meter.Step(1) {
			return false
		}
		depth := f.Blocks[a.defBlock[v]].Depth
		best, reg := a.storePlace(d, v, b, func(c int32) bool { return true })
		if reg == noReg || f.Blocks[best].Depth > depth {
			a.behind[v] = true
			continue
		}
		a.store(v, reg, best)
	}
	return true
}

// store adds a store of v, in register reg, at the start of block i.
func (a *allocator) store(v VReg, reg Reg, i int32) {
	a.stores[i] = a.stepMem.Append(a.stores[i], Step{V: v, From: InReg(reg), To: slotOf(v)})
	for j := range a.start[i] {
		if s := &a.start[i][j]; s.reg == reg {
			s.used = true
		}
	}
}

// storeInCold stores v in cold blocks, if only those read its slot, once in each cold region. It
// reports false if that is impossible.
func (a *allocator) storeInCold(d *dominators, v VReg) bool {
	f := a.f
	places := a.places[:0]
	ok := true
	for _, r := range a.readers[v] {
		root := a.coldRoot[r]
		if ok = root >= 0; !ok {
			break
		}
		if n := a.placeOf[root]; n != 0 {
			p := &places[n-1]
			p.block = d.common(p.block, r)
		} else {
			places = append(places, place{root: root, block: r})
			a.placeOf[root] = int32(len(places))
		}
	}
	for i := range places {
		p := &places[i]
		a.placeOf[p.root] = 0
		p.block, p.reg = a.storePlace(d, v, p.block, func(c int32) bool { return f.Blocks[c].Cold })
		ok = ok && p.reg != noReg
	}
	a.places = places
	if !ok {
		return false
	}
	for _, p := range places {
		a.store(v, p.reg, p.block)
	}
	a.cold[v] = true
	return true
}

// storePlace looks among the dominators of block b after the definition of v, as far as in allows,
// for blocks where v arrives in a register. It returns the one of least depth, and the nearest of
// those. If there is none, reg is noReg.
func (a *allocator) storePlace(d *dominators, v VReg, b int32, in func(int32) bool) (best int32, reg Reg) {
	best, reg = -1, noReg
	for c := b; c != a.defBlock[v] && in(c); c = d.idom[c] {
		if best >= 0 && a.f.Blocks[c].Depth >= a.f.Blocks[best].Depth {
			continue
		}
		if r := a.arrives(c, v); r != noReg {
			best, reg = c, r
		}
	}
	return best, reg
}

// findCold finds the cold region of each block: its consecutive cold dominators.
func (a *allocator) findCold(d *dominators) {
	f := a.f
	a.coldRoot, a.placeOf = a.ints.Make(len(f.Blocks)), a.ints.Make(len(f.Blocks))
	for i := range f.Blocks { // dominators come first
		switch up := a.coldRoot[d.idom[i]]; {
		case !f.Blocks[i].Cold:
			a.coldRoot[i] = -1
		case i == 0 || up < 0:
			a.coldRoot[i] = int32(i)
		default:
			a.coldRoot[i] = up
		}
	}
}

// A place is where a value is stored: at the start of a block of a cold region. The block that
// dominates the others names the region.
type place struct {
	root, block int32
	reg         Reg
}

// arrives returns the register in which v arrives at the start of block i on every edge, without a
// move out of its slot.
func (a *allocator) arrives(i int32, v VReg) Reg {
	reg := noReg
	for _, x := range a.start[i] {
		if x.v == v {
			reg = x.reg
		}
	}
	if reg == noReg {
		return noReg
	}
	for _, p := range a.f.Blocks[i].Preds {
		if !slices.ContainsFunc(a.end[p], func(x assignment) bool { return x.v == v }) {
			return noReg
		}
	}
	return reg
}

// finish puts the stores into the steps and numbers the slots. It reports false if it was stopped.
func (a *allocator) finish() bool {
	f := a.f
	numbers := a.color()
	for i := range f.Blocks {
		b := &f.Blocks[i]
		b.ParamLocs = a.paramLoc[i]
		for k, l := range b.ParamLocs {
			if l.IsSlot() {
				b.ParamLocs[k] = InSlot(numbers[b.Params[k]])
			}
		}
		if a.meter.Step(len(b.Steps)) {
			return false
		}
		out := append(a.steps[:0], a.heads[i]...)
		for k, p := range b.Params {
			if a.behind[p] {
				out = append(out, Step{V: p, From: a.paramLoc[i][k], To: slotOf(p)})
			}
		}
		out = append(out, a.stores[i]...)
		for k, s := range b.Steps {
			if k == len(b.Steps)-1 {
				out = append(out, a.tails[i]...)
			}
			out = append(out, s)
			if s.Inst == nil {
				continue
			}
			for j := range s.Inst.Defs {
				if d := &s.Inst.Defs[j]; a.behind[d.V] {
					out = append(out, Step{V: d.V, From: d.Loc, To: slotOf(d.V)})
				}
			}
		}
		// Up to here the values name their slots.
		for k := range out {
			s := &out[k]
			if s.Inst == nil {
				if s.From.IsSlot() {
					s.From = InSlot(numbers[s.V])
				}
				if s.To.IsSlot() {
					s.To = InSlot(numbers[s.To.Slot()])
				}
				continue
			}
			for j := range s.Inst.Uses {
				if u := &s.Inst.Uses[j]; u.Loc.IsSlot() {
					u.Loc = InSlot(numbers[u.V])
				}
			}
		}
		n := 0
		for k, s := range out {
			if k == len(a.heads[i]) {
				b.Moves = n
			}
			if s.Inst != nil || s.From != s.To {
				out[n] = s
				n++
			}
		}
		a.steps = out
		b.Steps = a.stepMem.Copy(out[:n])
	}
	return true
}

// A lifetime is the blocks, in code order, from the first to the last in which a value has a slot.
type lifetime struct {
	v        VReg
	from, to int32
}

// color numbers the slots of all values; values with disjoint lifetimes may share one. Lifetimes
// are counted in whole blocks.
func (a *allocator) color() []int32 {
	f := a.f
	life := a.lives.Make(len(f.Class))
	for v := range life {
		life[v] = lifetime{VReg(v), int32(len(f.Blocks)), -1}
	}
	in := func(v VReg, i int32) {
		if a.slot[v] && (!a.cold[v] || f.Blocks[i].Cold) {
			l := &life[v]
			l.from, l.to = min(l.from, i), max(l.to, i)
		}
	}
	for i := range f.Blocks {
		b, n := &f.Blocks[i], int32(i)
		for _, l := range a.liveOut[i] {
			in(l.v, n)
		}
		for _, p := range b.Params {
			in(p, n)
			for _, q := range b.Preds { // filled there
				in(p, q)
			}
		}
		for k := range b.Insts {
			for _, u := range b.Insts[k].Uses {
				in(u.V, n)
			}
			for _, d := range b.Insts[k].Defs {
				in(d.V, n)
			}
		}
	}
	list := slices.DeleteFunc(life, func(l lifetime) bool { return l.to < 0 })
	slices.SortFunc(list, func(x, y lifetime) int {
		if x.from != y.from {
			return int(x.from - y.from)
		}
		return int(x.v - y.v)
	})
	// Each takes the lowest slot that is free where it begins.
	numbers := a.ints.Make(len(f.Class))
	over := a.intLists.Make(len(f.Blocks)) // by block: slots that are free after it
	var free []uint64                      // one bit per slot
	low := 0                               // no word below has a free slot
	next := int32(0)                       // block
	for _, l := range list {
		for ; next < l.from; next++ {
			for _, n := range over[next] {
				free[n/64] |= 1 << (n % 64)
				low = min(low, int(n/64))
			}
		}
		for low < len(free) && free[low] == 0 {
			low++
		}
		n := f.Slots
		if low < len(free) {
			n = int32(64*low + bits.TrailingZeros64(free[low]))
			free[low] &^= 1 << (n % 64)
		} else if f.Slots++; f.Slots > int32(64*len(free)) {
			free = append(free, 0)
		}
		over[l.to] = a.ints.Append(over[l.to], n)
		numbers[l.v] = n
	}
	return numbers
}
