package regalloc

// Distances, in instructions. They decide which value is evicted, never whether the code is right.
const (
	callDistance = 1 << 8  // of a call, which takes the value's register away
	exitDistance = 1 << 11 // of leaving a loop
	coldDistance = 1 << 10 // of going to a cold block
	maxDistance  = 1 << 28
)

// A liveValue is a value that is live at the end of a block, with the distance to its next use from
// there.
type liveValue struct {
	v    VReg
	dist int32
}

// liveness computes the live values at the end of every block, by iteration over sparse sets:
// distances only shrink. It reports false if it was stopped.
func (a *allocator) liveness() bool {
	f := a.f
	nb := len(f.Blocks)
	a.liveOut = a.liveLists.Make(nb)
	a.length = a.ints.Make(nb)
	for i := range f.Blocks {
		n := int32(0)
		for k := range f.Blocks[i].Insts {
			n += cost(&f.Blocks[i].Insts[k])
		}
		a.length[i] = n
	}
	cur := a.newSparse(len(f.Class))
	queue := a.ints.Make(nb)[:0]
	queued := a.bools.Make(nb)
	push := func(i int32) {
		if !queued[i] {
			queued[i] = true
			queue = append(queue, i)
		}
	}
	for i := nb - 1; i >= 0; i-- {
		push(int32(i))
	}
	for len(queue) > 0 {
		i := queue[0]
		if a.meter.Step(1 + len(a.liveOut[i])/4 + len(f.Blocks[i].Insts)) {
			return false
		}
		queue = queue[1:]
		queued[i] = false
		cur.clear()
		for _, l := range a.liveOut[i] {
			cur.set(l.v, l.dist)
		}
		a.liveIn(i, cur)
		b := &f.Blocks[i]
		for _, p := range b.Preds {
			if a.join(p, i, cur) {
				push(p)
			}
		}
	}
	return true
}

func cost(in *Inst) int32 {
	if in.Call {
		return callDistance
	}
	return 1
}

// liveIn turns the live values at the end of block i into those at its start.
func (a *allocator) liveIn(i int32, cur *sparse) {
	b := &a.f.Blocks[i]
	cur.shift(a.length[i])
	at := a.length[i]
	for k := len(b.Insts) - 1; k >= 0; k-- {
		in := &b.Insts[k]
		at -= cost(in)
		for j := range in.Defs {
			cur.remove(in.Defs[j].V)
		}
		for j := range in.Uses {
			cur.set(in.Uses[j].V, at)
		}
	}
	for _, p := range b.Params {
		cur.remove(p)
	}
}

// join adds the values that block i needs at its start to the end of its predecessor p, and reports
// whether something changed.
func (a *allocator) join(p, i int32, cur *sparse) bool {
	f := a.f
	pb, b := &f.Blocks[p], &f.Blocks[i]
	extra := int32(0)
	if b.Depth < pb.Depth {
		extra += exitDistance * (pb.Depth - b.Depth)
	}
	if b.Cold && !pb.Cold {
		extra += coldDistance
	}
	out := a.joined
	out.clear()
	for _, l := range a.liveOut[p] {
		out.set(l.v, l.dist)
	}
	changed := false
	add := func(v VReg, d int32) {
		d = min(d, maxDistance)
		if old, ok := out.get(v); !ok || d < old {
			out.set(v, d)
			changed = true
		}
	}
	for _, v := range cur.dense {
		add(v, cur.val[v]+extra)
	}
	for s, t := range pb.Succs {
		if t == i {
			for _, v := range pb.Args[s] {
				add(v, extra)
			}
		}
	}
	if changed {
		list := a.liveOut[p][:0]
		if n := len(out.dense); n > cap(list) {
			list = a.live.Make(n + n/2)[:0]
		}
		for _, v := range out.dense {
			list = append(list, liveValue{v, out.val[v]})
		}
		a.liveOut[p] = list
	}
	return changed
}

// A sparse is a set of values with a number each. Clearing it takes time proportional to its size.
type sparse struct {
	dense []VReg
	place []int32 // index in dense, +1
	val   []int32
}

func (m *Memory) newSparse(n int) *sparse {
	return &sparse{place: m.ints.Make(n), val: m.ints.Make(n)}
}

func (s *sparse) get(v VReg) (int32, bool) { return s.val[v], s.place[v] != 0 }

func (s *sparse) set(v VReg, d int32) {
	if s.place[v] == 0 {
		s.dense = append(s.dense, v)
		s.place[v] = int32(len(s.dense))
	}
	s.val[v] = d
}

func (s *sparse) remove(v VReg) {
	i := s.place[v]
	if i == 0 {
		return
	}
	last := s.dense[len(s.dense)-1]
	s.dense[i-1] = last
	s.place[last] = i
	s.place[v] = 0
	s.dense = s.dense[:len(s.dense)-1]
}

func (s *sparse) clear() {
	for _, v := range s.dense {
		s.place[v] = 0
	}
	s.dense = s.dense[:0]
}

func (s *sparse) shift(d int32) {
	for _, v := range s.dense {
		s.val[v] = min(s.val[v]+d, maxDistance)
	}
}
