package regalloc

// edges puts moves on all edges, so that every block finds the state with which its walk began.
func (a *allocator) edges() bool {
	nb := len(a.f.Blocks)
	a.heads, a.tails = a.stepLists.Make(nb), a.stepLists.Make(nb)
	for i := range a.f.Blocks {
		b := &a.f.Blocks[i]
		for s, t := range b.Succs {
			moves := a.edge(int32(i), s, t)
			if a.meter.Step(1) {
				return false
			}
			if len(moves) == 0 {
				continue
			}
			moves = a.stepMem.Copy(moves)
			if len(b.Succs) == 1 {
				// The terminator reads nothing that the moves write: it is a jump.
				a.tails[i] = moves
			} else {
				a.heads[t] = moves
			}
		}
	}
	return true
}

// edge returns the moves of the edge from block i to its successor number s, block t. They are
// valid until the next call.
func (a *allocator) edge(i int32, s int, t int32) []Step {
	b := &a.f.Blocks[i]
	a.meter.Step(len(b.Args[s]))
	p := parallel{a: a, block: i, moves: a.moves[:0]}
	source := func(v VReg, want Loc) Loc {
		first := Nowhere
		for _, x := range a.end[i] {
			if x.v == v {
				if l := InReg(x.reg); l == want {
					return want
				} else if first == Nowhere {
					first = l
				}
			}
		}
		if first != Nowhere {
			return first
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

// While edges are made, the value names its slot: slots have no numbers yet, and no two values
// share one.
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

// run orders the moves: a move is done when no other still reads its target. When only cycles are
// left, in which every place is read once, a move to Scratch opens each. So a move between slots
// cannot use Scratch.
func (p *parallel) run() []Step {
	a, moves := p.a, p.moves
	out := a.ordered[:0]
	var reads, writer [64]int32 // by register: moves that read it; number of the one that writes it, +1
	count := func(l Loc) *int32 {
		if l.IsReg() {
			return &reads[l.Reg()]
		}
		return &a.slotReads[l.Slot()]
	}
	writes := func(l Loc) *int32 {
		if l.IsReg() {
			return &writer[l.Reg()]
		}
		return &a.slotWriter[l.Slot()]
	}
	isPlace := func(l Loc) bool { return l.IsReg() || l.IsSlot() }
	for i := range moves {
		if m := &moves[i]; isPlace(m.From) {
			*count(m.From)++
		}
		*writes(moves[i].To) = int32(i) + 1
	}
	// leave notes that a place has one reader less, and makes the moves that waited for that.
	leave := func(l Loc) {
		for isPlace(l) {
			n := count(l)
			if *n--; *n > 0 || *writes(l) == 0 {
				return
			}
			m := &moves[*writes(l)-1]
			*writes(l) = 0
			out = append(out, *m)
			l = m.From
		}
	}
	do := func(m *Step) {
		*writes(m.To) = 0
		out = append(out, *m)
		leave(m.From)
	}
	for i := range moves {
		if m := &moves[i]; *writes(m.To) != 0 && *count(m.To) == 0 {
			do(m)
		}
	}
	for i := range moves {
		if m := &moves[i]; *writes(m.To) != 0 {
			from := m.From
			out = append(out, Step{V: m.V, From: from, To: Scratch})
			m.From = Scratch
			leave(from)
		}
	}
	a.ordered = out
	return out
}
