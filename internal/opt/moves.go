package opt

import "github.com/gyrvm/gyr/internal/ir"

// fuseMoves makes one move of loads and stores that copy word for word from one place to another. A
// structure that was passed or returned as scalars leaves such code. The registers that held them
// all become free, and other passes see a copy.
//
// The loads precede the stores, or the stores do not write what they read. Nothing else accesses
// memory between the first and the last.
func fuseMoves(s *state) {
	var m *fuser
	for _, b := range s.f.Blocks {
		s.step(len(b.Values))
		n := 0
		for _, v := range b.Values {
			if isCopied(v) {
				n++
			}
		}
		if n < minFused {
			continue
		}
		if m == nil {
			m = &fuser{state: s, uses: useCounts(s.f), at: make([]int32, s.f.NumValues()), alias: newAliases(s)}
		}
		m.block(b)
	}
	if m != nil {
		s.sweep()
	}
}

// minFused is the least number of words for a move: fewer are as well copied one by one.
const minFused = 4

// isCopied reports whether v stores the result of a load before it in its block. Floats do not
// count: a store makes their NaNs canonical.
func isCopied(v *ir.Value) bool {
	if v.Op != ir.OpStore {
		return false
	}
	x := v.Args[1]
	return x.Op == ir.OpLoad && x.Block == v.Block && !x.Type.IsFloat() && x.Type.Size() == 8
}

type fuser struct {
	*state
	uses  []int32
	at    []int32 // by value ID: place in the block
	alias *aliases
	added additions
}

func (m *fuser) block(b *ir.Block) {
	for i, v := range b.Values {
		m.at[v.ID] = int32(i)
	}
	m.added = additions{}
	for i := 0; i < len(b.Values); i++ {
		if isCopied(b.Values[i]) {
			i = max(i, m.group(b.Values, i))
		}
	}
	m.added.insert(b)
}

// group looks for a copy whose first store is at place i, makes a move of it and returns
// the place of its last store; 0 if there is none.
func (m *fuser) group(list []*ir.Value, i int) int {
	first := list[i]
	dst, src := first.Args[0], first.Args[1].Args[0]
	delta := first.Args[1].Aux - first.Aux
	var stores []*ir.Value
	loads := map[*ir.Value]bool{}
	begin, end := i, i // places of the first load and the last store
scan:
	for k := i; k < len(list); k++ {
		v := list[k]
		switch {
		case isCopied(v) && v.Args[0] == dst && v.Aux == first.Aux+8*int64(len(stores)) &&
			v.Args[1].Args[0] == src && v.Args[1].Aux-v.Aux == delta && m.uses[v.Args[1].ID] == 1:
			stores = append(stores, v)
			loads[v.Args[1]] = true
			begin, end = min(begin, int(m.at[v.Args[1].ID])), k
		case v.HasEffect(keepEffects) || v.Op == ir.OpKeep || v.HasEffect(ir.ReadMem) && v.Op != ir.OpLoad:
			break scan
		}
	}
	if len(stores) < minFused || i-begin > maxReach {
		return 0
	}
	size := 8 * int64(len(stores))
	to, from := m.alias.place(dst, first.Aux), m.alias.place(src, first.Aux+delta)
	meet := m.alias.overlap(&to, size, &from, size)
	for k := begin; k < end; k++ {
		switch v := list[k]; {
		case k < i:
			if v.HasEffect(ir.WriteMem|ir.IsCall|ir.Safepoint|ir.Allocates) && !m.misses(v, &from, size) {
				return 0
			}
		case loads[v]:
			if meet {
				return 0
			}
		case v.Op == ir.OpLoad: // of something else, behind the first store
			p := m.alias.place(v.Args[0], v.Aux)
			if m.alias.overlap(&to, size, &p, v.Type.Size()) {
				return 0
			}
		}
	}
	last := stores[len(stores)-1]
	at := func(p *ir.Value, off int64) *ir.Value {
		if off == 0 {
			return p
		}
		c := m.newConst(ir.I64, off)
		q := m.f.NewValue(ir.OpPtrAdd, ir.Ptr, p, c)
		c.Pos, q.Pos = last.Pos, last.Pos
		m.added[last] = append(m.added[last], c, q)
		return q
	}
	x, y := at(dst, first.Aux), at(src, first.Aux+delta)
	last.Op, last.Aux = ir.OpMove, size
	last.Args = append(last.Args[:0:0], x, y)
	for _, v := range stores[:len(stores)-1] {
		deleted(v)
	}
	m.changed = true
	return end
}

// misses reports whether v surely does not write the size bytes at p.
func (m *fuser) misses(v *ir.Value, p *place, size int64) bool {
	n := v.Aux
	q := place{}
	switch v.Op {
	case ir.OpStore:
		q, n = m.alias.place(v.Args[0], v.Aux), v.Args[1].Type.Size()
	case ir.OpMove, ir.OpClear:
		q = m.alias.place(v.Args[0], 0)
	default:
		return false
	}
	return !m.alias.overlap(&q, n, p, size)
}

// maxReach bounds how far before its first store the loads of a copy begin.
const maxReach = 1000
