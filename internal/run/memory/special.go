package memory

import (
	"cmp"
	"hash/maphash"
)

// A Special is an action that is due when an object becomes unreachable: run a finalizer or a
// cleanup, clear a weak pointer. The heap does not interpret kinds and ids; kinds are not 0.
//
// The caller handles specials between Drain and Sweep. To finalize as Go does:
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
}

// A specialTable is the set of specials, in the order of their registration. A removed entry has
// kind 0 until the next sweep, or until the index is rebuilt. There may be millions, so every loop
// over them polls.
type specialTable struct {
	list  Vec[Special]
	live  int          // entries that were not removed
	index Vec[uint32]  // hash table with linear probing: number in list + 1, 0 for a free slot
	seed  maphash.Seed // random, so that a guest cannot choose collisions
	dead  Vec[Special] // result of DeadSpecials
	tmp   Vec[Special] // room to sort it
}

func (t *specialTable) reset() {
	t.live = 0
	t.list.Clear(0)
	t.index.Clear(0)
	t.dead.Clear(0)
	t.tmp.Clear(0)
	t.seed = maphash.MakeSeed()
}

func (t *specialTable) free() {
	t.list.Free()
	t.index.Free()
	t.dead.Free()
	t.tmp.Free()
}

// slot returns the place of s in the index, or the free slot for it.
func (t *specialTable) slot(s Special) *uint32 {
	mask := uint64(len(t.index.List) - 1)
	for i := maphash.Comparable(t.seed, s); ; i++ {
		p := &t.index.List[i&mask]
		if *p == 0 || t.list.List[*p-1] == s {
			return p
		}
	}
}

// set gives the table a list, with live entries that were not removed, and an index of a size. It
// returns false if an entry occurs twice, or if going, which may be nil, returns false.
func (t *specialTable) set(list []Special, live, size int, going func() bool) bool {
	t.list.List = t.list.List[:0]
	t.list.Grow(len(list))
	t.list.List = append(t.list.List, list...)
	t.live = live
	t.index.List = t.index.List[:0]
	t.index.Grow(size)
	t.index.List = t.index.List[:size]
	clear(t.index.List)
	for i, s := range list {
		if i%specialStep == specialStep-1 && going != nil && !going() {
			return false
		}
		if s.Kind == 0 {
			continue
		}
		p := t.slot(s)
		if *p != 0 {
			return false
		}
		*p = uint32(i) + 1
	}
	return true
}

// find returns the number of s in the list, or -1.
func (t *specialTable) find(s Special) int {
	if t.live == 0 {
		return -1
	}
	return int(*t.slot(s)) - 1
}

// compactSpecials drops removed entries, and those for which keep is false, and rebuilds the index
// with room for one more entry.
func (h *Heap) compactSpecials(keep func(*Special) bool) Status {
	t := &h.special
	n := 0
	for i := range t.list.List {
		if i%specialStep == specialStep-1 && h.stopped() {
			return StatusInterrupted
		}
		s := &t.list.List[i]
		if s.Kind == 0 {
			continue
		}
		if !keep(s) {
			h.ChargeHost(-UnitSpecial)
			continue
		}
		t.list.List[n] = *s
		n++
	}
	t.list.List = t.list.List[:n]
	t.live = n
	size := 64
	for size < 4*(n+1) {
		size *= 2
	}
	t.index.Clear(0)
	t.index.Grow(size)
	t.index.List = t.index.List[:size]
	for at := 0; at < size; at += specialStep {
		clear(t.index.List[at:min(at+specialStep, size)])
		if h.stopped() {
			return StatusInterrupted
		}
	}
	for i, s := range t.list.List {
		if i%specialStep == specialStep-1 && h.stopped() {
			return StatusInterrupted
		}
		*t.slot(s) = uint32(i) + 1
	}
	return StatusOK
}

// specialStep is how many specials are visited between polls.
const specialStep = 1 << 10

// AddSpecial registers (kind, id) for the object that starts at obj. Adding it
// twice does nothing. StatusInvalid means that no object starts there.
func (h *Heap) AddSpecial(obj, kind uint32, id uint64) Status {
	start, _, ok := h.ObjectOf(obj)
	if h.corrupt {
		return StatusCorrupt
	}
	if !ok || start != obj || kind == 0 {
		return StatusInvalid
	}
	t := &h.special
	s := Special{Obj: obj, Kind: kind, ID: id}
	if t.find(s) >= 0 {
		return StatusOK
	}
	if st := h.ChargeHost(UnitSpecial); st != StatusOK {
		return st
	}
	if 2*(len(t.list.List)+1) > len(t.index.List) {
		if st := h.compactSpecials(func(*Special) bool { return true }); st != StatusOK {
			return st
		}
	}
	t.list.Append(s)
	*t.slot(s) = uint32(len(t.list.List))
	t.live++
	return StatusOK
}

// RemoveSpecial removes a registration. It reports whether there was one.
func (h *Heap) RemoveSpecial(obj, kind uint32, id uint64) bool {
	t := &h.special
	i := t.find(Special{obj, kind, id})
	if i < 0 {
		return false
	}
	t.list.List[i].Kind = 0
	t.live--
	h.ChargeHost(-UnitSpecial)
	return true
}

// MarkSpecials marks what the objects with a special of the kind refer to, but not these objects.
// It may be called between BeginMark and Sweep.
func (h *Heap) MarkSpecials(kind uint32) Status {
	if h.phase != phaseMark {
		return StatusInvalid
	}
	for i := range h.special.list.List {
		if i%specialStep == specialStep-1 && h.stopped() {
			return StatusInterrupted
		}
		s := &h.special.list.List[i]
		if s.Kind != kind {
			continue
		}
		obj, size, ok := h.find(s.Obj)
		l := h.LayoutOf(s.Obj)
		if ok && obj == s.Obj && h.layouts.tab[l].words != 0 {
			h.marker.ranges.Append(markRange{addr: obj, words: uint32(size / 8), layout: l})
		}
	}
	return StatusOK
}

// DeadSpecials returns the specials whose objects are not marked, by address and, for one object,
// in the order of registration. It is for use after Drain is done. The slice is valid until the
// next call.
func (h *Heap) DeadSpecials() ([]Special, Status) {
	t := &h.special
	t.dead.Clear(0)
	if h.phase != phaseMark {
		return nil, StatusInvalid
	}
	for i := range t.list.List {
		if i%specialStep == specialStep-1 && h.stopped() {
			return nil, StatusInterrupted
		}
		if s := &t.list.List[i]; s.Kind != 0 && h.bits[s.Obj>>9].mark>>(s.Obj>>3&63)&1 == 0 {
			t.dead.Append(*s)
		}
	}
	n := len(t.dead.List)
	t.tmp.Grow(n)
	byObject := func(a, b Special) int { return cmp.Compare(a.Obj, b.Obj) }
	if !SortPolling(t.dead.List, t.tmp.List[:n], byObject, h.Poll) {
		return nil, StatusInterrupted
	}
	return t.dead.List, StatusOK
}

// IsMarked reports whether the object that addr points into was reached in the current collection.
func (h *Heap) IsMarked(addr uint32) bool {
	if h.phase != phaseMark {
		return false
	}
	obj, _, ok := h.find(addr)
	return ok && h.bits[obj>>9].mark>>(obj>>3&63)&1 != 0
}

// Reached reports whether the object at addr was reached in the current collection. Unlike IsMarked
// it needs the address of the object itself.
func (h *Heap) Reached(obj uint32) bool {
	if h.phase != phaseMark || obj-h.lo >= h.top-h.lo {
		return false
	}
	return h.bits[obj>>9].mark>>(obj>>3&63)&1 != 0
}

// dropSpecials removes the specials of freed objects, after the sweep.
func (h *Heap) dropSpecials() Status {
	t := &h.special
	t.dead.Clear(markKeep)
	t.tmp.Clear(markKeep)
	if len(t.list.List) == 0 {
		return StatusOK
	}
	dead := false
	for i := range t.list.List {
		if i%specialStep == specialStep-1 && h.stopped() {
			return StatusInterrupted
		}
		if s := &t.list.List[i]; s.Kind == 0 || h.bits[s.Obj>>9].start>>(s.Obj>>3&63)&1 == 0 {
			dead = true
			break
		}
	}
	if !dead {
		return StatusOK
	}
	return h.compactSpecials(func(s *Special) bool { return h.bits[s.Obj>>9].start>>(s.Obj>>3&63)&1 != 0 })
}
