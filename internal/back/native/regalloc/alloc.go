package regalloc

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/cancel"
)

// An allocator allocates one function.
type allocator struct {
	*Memory
	meter   cancel.Meter
	f       *Func
	liveOut [][]liveValue // by block
	length  []int32       // by block: its cost
	joined  *sparse
	dom     *dominators // nil if the function is to be compiled cheaply

	// The state of the walk.
	held  [64]VReg // by register of full: the value in it
	full  RegSet   // the registers that hold something
	regs  []RegSet // by value: the registers that hold it
	next  []int32  // by value: head of its uses in the rest of the block, 0: none
	pin   RegSet   // in use by the current instruction
	now   int32    // where the next instructions begin
	hints []Reg    // by value, while hints are computed

	written RegSet // registers whose content has changed since the start of the block
	block   int32

	start []state // by block
	end   []state
	done  []bool

	heads  [][]Step // by block: moves of the edge that leads there
	tails  [][]Step // by block: moves before its terminator
	stores [][]Step // by block: at its start
	behind []bool   // by value: its store follows its definition
	inSlot []bool   // by value: a parameter that arrives in its slot
	cold   []bool   // by value: only cold blocks use its slot
	room   []room   // by block: of the loops that were asked for

	coldRoot []int32 // by block: the first block of its cold region, or -1
	placeOf  []int32 // by block: number of a place, while places are looked for

	slot     []bool    // by value: it needs a slot
	readers  [][]int32 // by value: blocks that read its slot
	defBlock []int32   // by value
	paramLoc [][]Loc   // by block: where its parameters arrive
}

// A state says what registers hold at the start or end of a block.
type state []assignment

type assignment struct {
	reg  Reg
	v    VReg
	used bool // of a start state: the register is read, or passed on
}

type useNode struct {
	at   int32 // distance from the block's start
	next int32
}

// Allocate fills in the locations of all operands, the steps of all blocks and
// the number of slots. It reports false if f.Stop ended it.
func Allocate(f *Func) bool {
	n, nb := len(f.Class), len(f.Blocks)
	m := f.Memory
	if m == nil {
		m = &Memory{}
	}
	m.reset()
	a := &allocator{
		Memory: m, f: f, meter: cancel.Meter{Stop: f.Stop}, joined: m.newSparse(n),
		regs: m.sets.Make(n), next: m.ints.Make(n), hints: m.regList.Make(n),
		start: m.states.Make(nb), end: m.states.Make(nb), done: m.bools.Make(nb),
		slot: m.bools.Make(n), readers: m.intLists.Make(n), defBlock: m.ints.Make(n),
		paramLoc: m.locLists.Make(nb),
	}
	for i := range a.hints {
		a.hints[i] = noReg
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		for _, p := range b.Params {
			a.defBlock[p] = int32(i)
		}
		for k := range b.Insts {
			for _, d := range b.Insts[k].Defs {
				a.defBlock[d.V] = int32(i)
			}
		}
	}
	if !a.liveness() {
		return false
	}
	if !f.Cheap {
		a.dom = a.newDominators(f)
	}
	for i := range f.Blocks {
		if !a.allocateBlock(int32(i)) {
			return false
		}
	}
	if !a.spills() || !a.edges() {
		return false
	}
	return a.finish()
}

// allocateBlock walks through one block. It reports false if it was stopped.
func (a *allocator) allocateBlock(i int32) bool {
	b := &a.f.Blocks[i]
	a.block = i
	a.steps = a.steps[:0]
	a.listUses(i)
	a.begin(i)
	if slices.Contains(b.Succs, i) {
		a.listHints(i) // the edge back wants its arguments where begin put the parameters
	}
	at := int32(0)
	for k := range b.Insts {
		if a.meter.Step(1) {
			return false
		}
		in := &b.Insts[k]
		at += cost(in)
		a.instruction(in, at)
	}
	a.end[i] = a.content()
	// Values that are still where they were at the start were passed on.
	for j := range a.start[i] {
		s := &a.start[i][j]
		if a.holds(s.reg, s.v) && a.passed(s.reg) {
			s.used = true
		}
	}
	for a.full != 0 {
		a.drop(a.full.First())
	}
	b.Steps = a.stepMem.Copy(a.steps)
	a.done[i] = true
	return true
}

// before reports whether block i begins with the state after p rather than that after q, both its
// predecessors: a likely one comes first, then the one that also leads to the others.
func (a *allocator) before(i, p, q int32) bool {
	blocks := a.f.Blocks
	if blocks[p].Cold != blocks[q].Cold {
		return blocks[q].Cold
	}
	over := func(p int32) bool {
		if a.dom == nil {
			return false
		}
		b := &blocks[p]
		return a.dom.idom[i] == p || len(b.Insts) == 1 && len(b.Preds) == 1 && a.dom.idom[i] == b.Preds[0]
	}
	if x, y := over(p), over(q); x != y {
		return x
	}
	if x, y := a.keeps(p), a.keeps(q); x != y {
		return x > y
	}
	return p > q
}

// keeps returns how many of the values that the block needs soon are in registers at the end of block p:
// fewer if it ends with a call of a slow way.
func (a *allocator) keeps(p int32) (n int) {
	for _, x := range a.end[p] {
		if next := a.next[x.v]; next != 0 && a.uses[next].at < callDistance {
			n++
		}
	}
	return n
}

// content returns what registers hold now.
func (a *allocator) content() state {
	st := a.assignments.Make(a.full.Len())[:0]
	for s := a.full; s != 0; s &= s - 1 {
		st = append(st, assignment{reg: s.First(), v: a.held[s.First()]})
	}
	return st
}

// holds reports whether r holds v.
func (a *allocator) holds(r Reg, v VReg) bool { return a.full.Has(r) && a.held[r] == v }

// passed reports whether a register still holds what it held at the start of
// the block; see load.
func (a *allocator) passed(r Reg) bool { return !a.written.Has(r) }

// listUses makes the lists of uses of the values of block i. Of two operands that may be exchanged it
// puts the one first that no later instruction needs: the result can take its place. Then it finds hints.
func (a *allocator) listUses(i int32) {
	b := &a.f.Blocks[i]
	a.uses = append(a.uses[:0], useNode{})
	for _, v := range a.listed {
		a.next[v] = 0
	}
	a.listed = a.listed[:0]
	add := func(v VReg, at int32) {
		if a.next[v] == 0 {
			a.listed = append(a.listed, v)
		}
		a.uses = append(a.uses, useNode{at, a.next[v]})
		a.next[v] = int32(len(a.uses) - 1)
	}
	at := a.length[i]
	for _, l := range a.liveOut[i] {
		add(l.v, at+l.dist)
	}
	for k := len(b.Insts) - 1; k >= 0; k-- {
		in := &b.Insts[k]
		at -= cost(in)
		if in.Commutes && a.next[in.Uses[0].V] != 0 && a.next[in.Uses[1].V] == 0 {
			in.Uses[0], in.Uses[1] = in.Uses[1], in.Uses[0]
		}
		for j := range in.Uses {
			add(in.Uses[j].V, at)
		}
	}
	a.listHints(i)
}

// listHints finds the registers in which values of block i will be wanted: for results, for operands that
// have to be loaded, and for its parameters.
func (a *allocator) listHints(i int32) {
	b := &a.f.Blocks[i]
	hinted := a.hinted[:0]
	hint := func(v VReg, r Reg) {
		a.hints[v] = r
		hinted = append(hinted, v)
	}
	for s, t := range b.Succs {
		for _, x := range a.start[t] {
			hint(x.v, x.reg)
		}
		for k, l := range a.paramLoc[t] {
			if l.IsReg() {
				hint(b.Args[s][k], l.Reg())
			}
		}
	}
	for k := len(b.Insts) - 1; k >= 0; k-- {
		in := &b.Insts[k]
		for j := range in.Defs {
			d := &in.Defs[j]
			d.hint = a.hints[d.V]
			if d.Need == Same && d.hint != noReg {
				// The overwritten operand is best there already.
				hint(in.Uses[d.Of].V, d.hint)
			}
		}
		if in.Call {
			for _, v := range hinted {
				a.hints[v] = noReg
			}
			hinted = hinted[:0]
		}
		for j := range in.Uses {
			u := &in.Uses[j]
			u.hint = a.hints[u.V]
			if u.Need == Fixed {
				hint(u.V, u.Reg)
			}
		}
	}
	a.paramHint = a.paramHint[:0]
	for _, p := range b.Params {
		a.paramHint = append(a.paramHint, a.hints[p])
	}
	for _, v := range hinted {
		a.hints[v] = noReg
	}
	a.hinted = hinted[:0]
}

// begin sets the state at the start of block i to that at the end of a predecessor that was visited: see
// before.
func (a *allocator) begin(i int32) {
	b := &a.f.Blocks[i]
	a.written, a.full = 0, 0
	from := int32(-1)
	for _, p := range b.Preds {
		if a.done[p] && (from < 0 || a.before(i, p, from)) {
			from = p
		}
	}
	a.paramLoc[i] = a.locs.Make(len(b.Params))
	if from >= 0 {
		for _, x := range a.end[from] {
			n := a.next[x.v]
			if n == 0 {
				continue // not live here
			}
			if a.regs[x.v] != 0 {
				continue // one copy is enough
			}
			if b.Header && a.uses[n].at >= callDistance && !a.passes(i, x.v) {
				continue
			}
			a.put(x.reg, x.v)
		}
	}
	// The parameters: in the register of the argument if that is free now.
	for k, p := range b.Params {
		a.paramLoc[i][k] = Nowhere
		if a.next[p] == 0 {
			continue // never read
		}
		mask := a.f.Regs[a.f.Class[p]]
		free := mask &^ a.full
		if b.Header && a.uses[a.next[p]].at >= callDistance && !a.passes(i, p) || free == 0 && !a.nearer(p, mask) {
			a.paramLoc[i][k] = InSlot(0)
			a.slot[p] = true
			continue
		}
		want := noReg
		if h := a.paramHint[k]; h != noReg && free.Has(h) {
			want = h
		}
		if want == noReg && from >= 0 {
			arg := a.argument(from, i, k)
			for _, x := range a.end[from] {
				if x.v == arg && free.Has(x.reg) {
					want = x.reg
				}
			}
		}
		if want == noReg {
			if free == 0 {
				want = a.farthest(mask)
				for j, q := range b.Params[:k] {
					if a.holds(want, q) { // no place for it after all
						a.paramLoc[i][j] = InSlot(0)
						a.slot[q] = true
					}
				}
				a.drop(want)
			} else {
				want = free.First()
			}
		}
		a.put(want, p)
		a.paramLoc[i][k] = InReg(want)
	}
	if b.Header && from >= 0 {
		a.preload(i)
	}
	a.start[i] = slices.DeleteFunc(a.content(), func(x assignment) bool { return a.isParam(b, x.v) })
	a.written = 0
}

// passes reports whether a loop keeps a value on entry that it uses only after a call, or only after its end:
// if it does not call, and has a register left.
func (a *allocator) passes(header int32, v VReg) bool {
	if a.room == nil {
		a.room = a.rooms.Make(len(a.f.Blocks))
	}
	r := &a.room[header]
	if !r.known {
		*r = a.roomIn(header)
	}
	return r.class[a.f.Class[v]]
}

// A room says of which classes a loop has registers left.
type room struct {
	known bool
	class [NumClasses]bool
}

// spare is how many registers of a class a loop must have left: some operations need one of their own.
const spare = 2

// mostLooked bounds the instructions and blocks of a loop that is looked at, since loops nest.
const mostLooked = 1 << 10

// roomIn finds the room in a loop. Blocks of it that are colder than its header do not count.
func (a *allocator) roomIn(header int32) (r room) {
	r.known = true
	f := a.f
	looked := int32(0)
	b := &f.Blocks[header]
	last := header
	for _, p := range b.Preds {
		if f.Blocks[p].Cold == b.Cold {
			last = max(last, p)
		}
	}
	var most [NumClasses]int
	for i := header; i <= last; i++ {
		x := &f.Blocks[i]
		if x.Depth < b.Depth {
			continue // of an edge out of it
		}
		looked += 1 + a.length[i]
		if a.length[i] >= callDistance || looked > mostLooked || len(a.liveOut[i]) > 2*len(a.held) { // it calls, or is large
			return r
		}
		var n [NumClasses]int
		live := a.joined
		live.clear()
		enter := func(v VReg) {
			if _, ok := live.get(v); !ok {
				live.set(v, 0)
				c := f.Class[v]
				n[c]++
				most[c] = max(most[c], n[c])
			}
		}
		for _, l := range a.liveOut[i] {
			enter(l.v)
		}
		for _, in := range slices.Backward(x.Insts) {
			for _, d := range in.Defs {
				enter(d.V)
			}
			for _, d := range in.Defs {
				live.remove(d.V)
				n[f.Class[d.V]]--
			}
			for _, u := range in.Uses {
				enter(u.V)
			}
		}
	}
	for c := range most {
		r.class[c] = most[c]+spare <= bits.OnesCount64(uint64(f.Regs[c]))
	}
	return r
}

// preload lets a loop begin with values that it uses in registers that are free at its start, the
// values used first before the rest. Then the edges that enter the loop load them from slots, not
// every iteration. A register that is needed for another value before such a value is read costs
// nothing, since no edge fills it then.
func (a *allocator) preload(i int32) {
	want := a.wanted[:0]
	for _, v := range a.listed {
		if n := a.next[v]; n != 0 && a.regs[v] == 0 && a.defBlock[v] != i && a.uses[n].at < callDistance {
			want = append(want, liveValue{v, a.uses[n].at})
		}
	}
	a.wanted = want
	slices.SortFunc(want, func(x, y liveValue) int { return cmp.Or(cmp.Compare(x.dist, y.dist), cmp.Compare(x.v, y.v)) })
	a.pin = 0
	for _, w := range want {
		if free := a.free(a.f.Regs[a.f.Class[w.v]]); free != 0 {
			a.put(free.First(), w.v)
		}
	}
}

func (a *allocator) isParam(b *Block, v VReg) bool {
	for _, p := range b.Params {
		if p == v {
			return true
		}
	}
	return false
}

// argument returns the value that predecessor p passes for parameter k of block i.
func (a *allocator) argument(p, i int32, k int) VReg {
	pb := &a.f.Blocks[p]
	for s, t := range pb.Succs {
		if t == i {
			return pb.Args[s][k]
		}
	}
	return noVReg
}

// nearer reports whether v is needed sooner than some value in the registers of mask.
func (a *allocator) nearer(v VReg, mask RegSet) bool {
	r := a.farthest(mask)
	return r != noReg && (!a.full.Has(r) || a.distance(a.held[r]) > a.distance(v))
}

func (a *allocator) distance(v VReg) int32 {
	if a.next[v] == 0 {
		return maxDistance * 2
	}
	return a.uses[a.next[v]].at
}

// put notes that r now holds v.
func (a *allocator) put(r Reg, v VReg) {
	a.held[r] = v
	a.full = a.full.With(r)
	a.regs[v] = a.regs[v].With(r)
	a.written = a.written.With(r)
}

// drop notes that r now holds nothing.
func (a *allocator) drop(r Reg) {
	if a.full.Has(r) {
		v := a.held[r]
		a.regs[v] = a.regs[v].Without(r)
		a.full = a.full.Without(r)
	}
}

// needSlot notes that the slot of v is read in block i.
func (a *allocator) needSlot(v VReg, i int32) {
	a.slot[v] = true
	if l := a.readers[v]; len(l) == 0 || l[len(l)-1] != i {
		a.readers[v] = a.ints.Append(l, i)
	}
}

// read notes that the content of r was read.
func (a *allocator) read(r Reg) {
	if a.written.Has(r) {
		return
	}
	for j := range a.start[a.block] {
		if s := &a.start[a.block][j]; s.reg == r {
			s.used = true
		}
	}
}

// move copies v from one of its places to register r, which is free.
func (a *allocator) move(v VReg, r Reg) {
	from := Nowhere
	switch {
	case a.regs[v] != 0:
		s := a.regs[v].First()
		a.read(s)
		from = InReg(s)
	case a.f.Again[v]:
		from = Again
	default:
		a.needSlot(v, a.block)
		from = InSlot(0) // numbered later
	}
	a.steps = append(a.steps, Step{V: v, From: from, To: InReg(r)})
	a.put(r, v)
}

// free returns the registers of a class that hold nothing and are not in use.
func (a *allocator) free(mask RegSet) RegSet {
	return mask &^ a.pin &^ a.full
}

// farthest returns the register of mask, not in use now, whose value is needed last; values with
// copies elsewhere come first.
func (a *allocator) farthest(mask RegSet) Reg {
	best, dist := noReg, int32(-1)
	for s := mask &^ a.pin; s != 0; s &= s - 1 {
		r := s.First()
		if !a.full.Has(r) {
			return r
		}
		v := a.held[r]
		d := a.distance(v)
		if a.regs[v].Len() > 1 {
			d = maxDistance * 3
		} else if a.f.Again[v] {
			d += callDistance
		}
		if d > dist {
			best, dist = r, d
		}
	}
	return best
}

// evict makes r free. Its value goes to another register if one is free that the instruction does
// not take too; else later uses read it from its slot.
func (a *allocator) evict(r Reg) { a.evictTo(r, 0) }

func (a *allocator) evictTo(r Reg, allowed RegSet) {
	if !a.full.Has(r) {
		return
	}
	v := a.held[r]
	if a.regs[v].Len() == 1 && a.next[v] != 0 && !a.f.Again[v] {
		if f := a.free(allowed & a.f.Regs[a.f.Class[v]]).Without(r); f != 0 {
			a.move(v, f.First())
		}
	}
	a.drop(r)
}

// take frees a register of mask and returns it, want if possible.
func (a *allocator) take(mask RegSet, want Reg) Reg {
	free := a.free(mask)
	switch {
	case want != noReg && free.Has(want):
		return want
	case free != 0:
		return free.First()
	}
	r := a.farthest(mask)
	if r == noReg {
		panic("regalloc: an instruction needs more registers than there are")
	}
	a.evict(r)
	return r
}

// usedAfter reports whether v is used at distance at or later.
func (a *allocator) usedAfter(v VReg, at int32) bool {
	for n := a.next[v]; n != 0; n = a.uses[n].next {
		if a.uses[n].at >= at {
			return true
		}
	}
	return false
}

// advance forgets the uses of v before at. A value without further uses leaves its registers.
func (a *allocator) advance(v VReg, at int32) {
	for a.next[v] != 0 && a.uses[a.next[v]].at < at {
		a.next[v] = a.uses[a.next[v]].next
	}
	if a.next[v] == 0 {
		a.forget(v)
	}
}

func (a *allocator) forget(v VReg) {
	for a.regs[v] != 0 {
		a.drop(a.regs[v].First())
	}
}
