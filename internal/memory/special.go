package memory

import (
	"cmp"
	"slices"
)

// A Special is something to be done when an object becomes unreachable: run a
// finalizer or a cleanup, clear a weak pointer. The heap gives kinds and ids no meaning.
//
// The caller deals with specials between Drain and Sweep. To finalize as Go does:
//
//	MarkSpecials(finalizer); Drain  // what objects with finalizers refer to stays
//	for each of DeadSpecials():
//	    clear weak pointers; queue finalizers (RemoveSpecial, MarkPtr the object)
//	Drain                           // the objects of queued finalizers come back
//	queue cleanups of DeadSpecials()
//	Sweep
//
// Sweep removes the specials of the objects that it frees.
type Special struct {
	Obj  uint32 // address of the object
	Kind uint32
	ID   uint64

	seq uint64 // of its registration
}

// specialCost is what a special counts against the memory limit.
const specialCost = 128

// A specialTable is the set of specials. The list is in no order: an entry that
// is removed is replaced by the last one.
type specialTable struct {
	list []Special
	at   map[specialKey]int32
	dead []Special // result of DeadSpecials
	seq  uint64
}

type specialKey struct {
	obj, kind uint32
	id        uint64
}

func (s *Special) key() specialKey { return specialKey{s.Obj, s.Kind, s.ID} }

func (t *specialTable) reset() {
	t.list, t.dead, t.seq = t.list[:0], t.dead[:0], 0
	clear(t.at)
}

func (t *specialTable) remove(i int32) {
	last := int32(len(t.list) - 1)
	delete(t.at, t.list[i].key())
	if i != last {
		t.list[i] = t.list[last]
		t.at[t.list[i].key()] = i
	}
	t.list = t.list[:last]
}

// AddSpecial registers (kind, id) for the object that starts at obj. Adding it
// twice does nothing. StatusInvalid means that no object starts there.
func (h *Heap) AddSpecial(obj, kind uint32, id uint64) Status {
	start, _, ok := h.ObjectOf(obj)
	if h.corrupt {
		return StatusCorrupt
	}
	if !ok || start != obj {
		return StatusInvalid
	}
	t := &h.special
	s := Special{Obj: obj, Kind: kind, ID: id, seq: t.seq}
	if _, ok := t.at[s.key()]; ok {
		return StatusOK
	}
	if st := h.ChargeHost(specialCost); st != StatusOK {
		return st
	}
	if t.at == nil {
		t.at = make(map[specialKey]int32)
	}
	t.at[s.key()] = int32(len(t.list))
	t.list = append(t.list, s)
	t.seq++
	return StatusOK
}

// RemoveSpecial takes a registration back; it reports whether there was one.
func (h *Heap) RemoveSpecial(obj, kind uint32, id uint64) bool {
	i, ok := h.special.at[specialKey{obj, kind, id}]
	if ok {
		h.special.remove(i)
		h.ChargeHost(-specialCost)
	}
	return ok
}

// MarkSpecials marks what the objects that have a special of the kind refer
// to, but not these objects. It may be called between BeginMark and Sweep.
func (h *Heap) MarkSpecials(kind uint32) {
	if h.phase != phaseMark {
		return
	}
	for i := range h.special.list {
		s := &h.special.list[i]
		if s.Kind != kind {
			continue
		}
		obj, size, ok := h.find(s.Obj)
		l := h.LayoutOf(s.Obj)
		if ok && obj == s.Obj && h.layouts.tab[l].words != 0 {
			h.marker.ranges = append(h.marker.ranges, markRange{addr: obj, words: uint32(size / 8), layout: l})
		}
	}
}

// DeadSpecials returns the specials whose objects are not marked, by address
// and for one object in the order of registration. It is meant for use after Drain
// is done; the slice is valid until the next call.
func (h *Heap) DeadSpecials() []Special {
	t := &h.special
	t.dead = t.dead[:0]
	if h.phase != phaseMark {
		return t.dead
	}
	for i := range t.list {
		if s := &t.list[i]; h.bits[s.Obj>>9].mark>>(s.Obj>>3&63)&1 == 0 {
			t.dead = append(t.dead, *s)
		}
	}
	slices.SortFunc(t.dead, func(a, b Special) int {
		if c := cmp.Compare(a.Obj, b.Obj); c != 0 {
			return c
		}
		return cmp.Compare(a.seq, b.seq)
	})
	return t.dead
}

// IsMarked reports whether the object that addr points into was reached in the
// collection under way.
func (h *Heap) IsMarked(addr uint32) bool {
	if h.phase != phaseMark {
		return false
	}
	obj, _, ok := h.find(addr)
	return ok && h.bits[obj>>9].mark>>(obj>>3&63)&1 != 0
}

// dropSpecials removes the specials of freed objects, after the sweep.
func (h *Heap) dropSpecials() {
	t := &h.special
	for i := int32(len(t.list)) - 1; i >= 0; i-- {
		if o := t.list[i].Obj; h.bits[o>>9].start>>(o>>3&63)&1 == 0 {
			t.remove(i)
			h.ChargeHost(-specialCost)
		}
	}
}
