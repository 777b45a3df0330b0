package memory

import (
	"slices"
	"testing"
)

const (
	finalizer = 1 + iota
	cleanup
	weakKind
)

func addSpecial(t *testing.T, h *Heap, obj, kind uint32, id uint64) {
	t.Helper()
	if st := h.AddSpecial(obj, kind, id); st != StatusOK {
		t.Fatalf("AddSpecial(%#x, %d, %d): %v", obj, kind, id, st)
	}
}

// mark begins a collection and marks from the roots.
func mark(t *testing.T, h *Heap, roots ...uint32) {
	t.Helper()
	if st := h.BeginMark(); st != StatusOK {
		t.Fatal(st)
	}
	for _, r := range roots {
		h.MarkPtr(r)
	}
	h.Drain(0)
}

func dead(t *testing.T, h *Heap) []Special {
	t.Helper()
	list, st := h.DeadSpecials()
	if st != StatusOK {
		t.Fatal(st)
	}
	return list
}

func ids(list []Special) (ids []uint64) {
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestSpecialsComeInOrder(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	a := alloc(t, h, layPair, 16)
	b := alloc(t, h, layPair, 16)
	c := alloc(t, h, layPair, 16)
	addSpecial(t, h, c, cleanup, 1)
	addSpecial(t, h, a, weakKind, 2)
	addSpecial(t, h, b, weakKind, 3)
	addSpecial(t, h, a, cleanup, 4)
	addSpecial(t, h, c, weakKind, 5)
	addSpecial(t, h, a, finalizer, 6)
	addSpecial(t, h, a, cleanup, 4) // a second time: no effect
	if !h.RemoveSpecial(c, cleanup, 1) || h.RemoveSpecial(c, cleanup, 1) || h.RemoveSpecial(b, cleanup, 3) {
		t.Error("RemoveSpecial")
	}
	mark(t, h, b)
	if got := ids(dead(t, h)); !slices.Equal(got, []uint64{2, 4, 6, 5}) {
		t.Errorf("dead: %v", got)
	}
	if !h.IsMarked(b+3) || h.IsMarked(a) || h.IsMarked(0) {
		t.Error("IsMarked")
	}
	h.Sweep()
	if h.Stats().Host != UnitSpecial {
		t.Errorf("the specials left cost %d", h.Stats().Host)
	}
	mark(t, h)
	if got := ids(dead(t, h)); !slices.Equal(got, []uint64{3}) {
		t.Errorf("dead: %v", got)
	}
	h.Sweep()
	if s := h.Stats(); s.Host != 0 || s.HeapObjects != 0 {
		t.Errorf("%+v", s)
	}
}

func TestSpecialsNeedAnObject(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	p := alloc(t, h, layPair, 16)
	for _, addr := range []uint32{0, p + 8, p - 8, p + 1, p + 16, h.top, 1<<32 - 8} {
		if st := h.AddSpecial(addr, weakKind, 1); st != StatusInvalid {
			t.Errorf("AddSpecial(%#x): %v", addr, st)
		}
	}
	h = newTestHeap(t, BlockSize+UnitSpecial*3/2)
	p = alloc(t, h, layPair, 16)
	addSpecial(t, h, p, weakKind, 1)
	collect(t, h, p)
	if st := h.AddSpecial(p, weakKind, 2); st != StatusLimit {
		t.Errorf("beyond the limit: %v", st)
	}
}

// TestFinalizersInOrderOfReference checks Go's rules: in a chain of objects with finalizers only
// the first is finalized, and a cycle never is.
func TestFinalizersInOrderOfReference(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	a := alloc(t, h, layPair, 16)
	b := alloc(t, h, layPair, 16)
	c := alloc(t, h, layPair, 16)
	x := alloc(t, h, layPair, 16)
	y := alloc(t, h, layPair, 16)
	write(h, a, 0, b)
	write(h, b, 0, c)
	write(h, x, 0, y)
	write(h, y, 0, x)
	for i, p := range []uint32{a, b, x, y} {
		addSpecial(t, h, p, finalizer, uint64(i))
	}
	addSpecial(t, h, c, weakKind, 10)

	var order []uint32
	for range 4 {
		mark(t, h)
		h.MarkSpecials(finalizer)
		h.Drain(0)
		for _, s := range dead(t, h) {
			if s.Kind != finalizer {
				continue
			}
			h.RemoveSpecial(s.Obj, s.Kind, s.ID)
			h.MarkPtr(s.Obj)
			order = append(order, s.Obj)
		}
		h.Drain(0)
		for _, s := range dead(t, h) {
			order = append(order, s.Obj)
		}
		if st := h.Sweep(); st != StatusOK {
			t.Fatal(st)
		}
	}
	if !slices.Equal(order, []uint32{a, b, c}) {
		t.Errorf("order %#x, want %#x", order, []uint32{a, b, c})
	}
	if n := h.Stats().HeapObjects; n != 2 {
		t.Errorf("%d objects left, want the cycle", n)
	}
}
