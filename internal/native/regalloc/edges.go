package regalloc

// edges puts moves on all edges, so that every block finds what its walk began with.
func (a *allocator) edges() bool {
	nb := len(a.f.Blocks)
	a.heads, a.tails = a.stepLists.Make(nb), a.stepLists.Make(nb)
	for i := range a.f.Blocks {
		if a.stop(i) {
			return false
		}
		b := &a.f.Blocks[i]
		for s, t := range b.Succs {
			moves := a.edge(int32(i), s, t)
			if len(moves) == 0 {
				continue
			}
			moves = a.stepMem.Copy(moves)
			if len(b.Succs) == 1 {
				// The terminator reads nothing that moves write: it is a jump.
				a.tails[i] = moves
			} else {
				a.heads[t] = moves
			}
		}
	}
	return true
}

// edge returns the moves of the edge from block i to its successor number s, t, which
// hold until the next call.
func (a *allocator) edge(i int32, s int, t int32) []Step {
	b := &a.f.Blocks[i]
	var at [64]VReg // what registers hold
	for r := range at {
		at[r] = noVReg
	}
	for _, x := range a.end[i] {
		at[x.reg] = x.v
	}
	p := parallel{a: a, block: i, moves: a.moves[:0]}
	source := func(v VReg, want Loc) Loc {
		if want.IsReg() && at[want.Reg()] == v {
			return want
		}
		for _, x := range a.end[i] {
			if x.v == v {
				return InReg(x.reg)
			}
		}
		if a.f.Again[v] {
			return Again
		}
		return slotOf(v)
	}
	for _, x := range a.start[t] {
		if x.used {
			p.add(x.v, source(x.v, InReg(x.reg)), InReg(x.reg))
		}
	}
	for k, v := range b.Args[s] {
		switch l := a.paramLoc[t][k]; {
		case l == Nowhere:
		case l.IsSlot():
			p.add(v, source(v, l), slotOf(a.f.Blocks[t].Params[k]))
		default:
			p.add(v, source(v, l), l)
		}
	}
	a.moves = p.moves
	return p.run()
}

// While edges are made, the slot of a value is named by the value: slots have
// no numbers yet, and no two values share one.
func slotOf(v VReg) Loc { return InSlot(int32(v)) }

// A parallel is a parallel assignment.
type parallel struct {
	a     *allocator
	block int32
	moves []Step
}

func (p *parallel) add(v VReg, from, to Loc) {
	if from == to {
		return
	}
	if from.IsSlot() {
		p.a.needSlot(v, p.block)
	}
	p.moves = append(p.moves, Step{V: v, From: from, To: to})
}

// run orders the moves: one is done when no other still reads its target. A
// cycle is opened by a move to Scratch, which a move between slots therefore
// cannot use.
func (p *parallel) run() []Step {
	var regs [64]int32     // moves that read a register
	slots := p.a.slotReads // and a slot
	out := p.a.ordered[:0]
	read := func(l Loc, n int32) {
		switch {
		case l.IsReg():
			regs[l.Reg()] += n
		case l.IsSlot():
			slots[l.Slot()] += n
		}
	}
	for i := range p.moves {
		read(p.moves[i].From, 1)
	}
	for moves := p.moves; len(moves) > 0; {
		left := moves[:0]
		for _, m := range moves {
			if m.To.IsReg() && regs[m.To.Reg()] > 0 || m.To.IsSlot() && slots[m.To.Slot()] > 0 {
				left = append(left, m)
				continue
			}
			out = append(out, m)
			read(m.From, -1)
		}
		if len(left) == len(moves) {
			// Only cycles are left, in which every place is read once.
			m := &left[0]
			out = append(out, Step{V: m.V, From: m.From, To: Scratch})
			read(m.From, -1)
			m.From = Scratch
		}
		moves = left
	}
	p.a.ordered = out
	return out
}
