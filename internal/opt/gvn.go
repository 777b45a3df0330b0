package opt

import "github.com/gyrvm/gyr/internal/ir"

// gvn merges pure operations that compute the same from the same operands: a walk down the
// dominator tree with a table of known values (value numbering over dominators; Briggs, Cooper and
// Simpson, 1997). An operation is replaced only by one that dominates it, so nothing is computed
// earlier than before. In a large function the replacement is in the same block, so that live
// ranges stay short.
func gvn(s *state) {
	t := newValueTable(s.f.NumOps())
	keep := elementAddresses(s.f)
	found := false
	number := func(b *ir.Block) {
		for _, v := range b.Values {
			s.step(1)
			if v.Op == ir.OpCopy {
				continue
			}
			settle(v.Args)
			if !numbered(v) || keep != nil && keep[v.ID] {
				continue
			}
			if w := t.find(v); w != nil {
				becomes(v, w)
				found = true
			}
		}
	}
	if s.f.Large() {
		for _, b := range s.f.Blocks {
			number(b)
			t.release(0)
		}
	} else {
		ir.OverDominators(s.Dom(), func(b *ir.Block) int {
			mark := len(t.entries)
			number(b)
			return mark
		}, t.release)
	}
	if found {
		s.changed = true
		s.sweep()
	}
}

// elementAddresses marks, by ID, addresses of elements that only loads and
// stores of the element use: both back ends make them part of the access, so
// one for each access costs nothing and one for several costs an operation.
func elementAddresses(f *ir.Func) []bool {
	var keep []bool
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpPtrIdx && v.Aux2 == 0 && v.Aux <= 8 {
				if keep == nil {
					keep = make([]bool, f.NumValues())
				}
				keep[v.ID] = true
			}
		}
	}
	if keep == nil {
		return nil
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if !keep[a.ID] || i == 0 && v.Aux == 0 &&
					(v.Op == ir.OpLoad && v.Type.Size() == a.Aux || v.Op == ir.OpStore && v.Args[1].Type.Size() == a.Aux) {
					continue
				}
				keep[a.ID] = false
			}
		}
		for _, r := range b.Rets {
			keep[r.ID] = false
		}
	}
	return keep
}

// numbered reports whether two operations like v are interchangeable.
func numbered(v *ir.Value) bool {
	if v.Op == ir.OpPhi {
		return true // within one block
	}
	return v.Op.Pure() && v.Op != ir.OpCopy && v.Op != ir.OpInvalid
}

// A valueTable is a hash table with scopes: entries are removed in the reverse order.
type valueTable struct {
	heads   []int32 // by hash: entry + 1
	entries []tableEntry
	mask    uint32
}

type tableEntry struct {
	v    *ir.Value
	hash uint32
	next int32
}

func newValueTable(n int) *valueTable {
	size := 64
	for size < n {
		size *= 2
	}
	return &valueTable{heads: make([]int32, size), mask: uint32(size - 1)}
}

func hashValue(v *ir.Value) uint32 {
	h := uint64(v.Op)<<8 ^ uint64(v.Type)
	h = h*0x9e3779b97f4a7c15 + uint64(v.Aux)
	h = h*0x9e3779b97f4a7c15 + uint64(v.Aux2)
	for _, a := range v.Args {
		h = h*0x9e3779b97f4a7c15 + uint64(a.ID)
	}
	if v.Op == ir.OpPhi {
		h += uint64(v.Block.ID) << 20
	}
	h *= 0x9e3779b97f4a7c15
	return uint32(h >> 32)
}

func sameValue(v, w *ir.Value) bool {
	if v.Op != w.Op || v.Type != w.Type || v.Aux != w.Aux || v.Aux2 != w.Aux2 || len(v.Args) != len(w.Args) {
		return false
	}
	if v.Op == ir.OpPhi && v.Block != w.Block {
		return false
	}
	for i, a := range v.Args {
		if w.Args[i] != a {
			return false
		}
	}
	return true
}

// maxProbe bounds the entries that find tries: constants can be chosen so that all have one hash.
const maxProbe = 64

// find returns an equal operation from the table, or enters v.
func (t *valueTable) find(v *ir.Value) *ir.Value {
	if v.Op.Commutes() && v.Args[0].ID > v.Args[1].ID && v.Args[1].Op != ir.OpConst {
		// One order for each pair; constants stay second.
		if v.Args[0].Op != ir.OpConst {
			v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		}
	}
	h := hashValue(v)
	i := t.heads[h&t.mask]
	for probe := 0; i != 0 && probe < maxProbe; probe++ {
		e := &t.entries[i-1]
		i = e.next
		if e.hash == h && sameValue(e.v, v) {
			return e.v
		}
	}
	t.entries = append(t.entries, tableEntry{v, h, t.heads[h&t.mask]})
	t.heads[h&t.mask] = int32(len(t.entries))
	return nil
}

// release removes the entries made since the table had n.
func (t *valueTable) release(n int) {
	for len(t.entries) > n {
		e := &t.entries[len(t.entries)-1]
		t.heads[e.hash&t.mask] = e.next
		t.entries = t.entries[:len(t.entries)-1]
	}
}
