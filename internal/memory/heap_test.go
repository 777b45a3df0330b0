package memory

import (
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// Layouts of the tests.
const (
	layNone  = iota
	layPair  // two pointers
	layNode  // pointer, word, pointer
	layWide  // 100 words, pointers at 0, 63, 64, 99
	layPtr   // one pointer: arrays of pointers
	layMixed // word, word, pointer: 3 words do not divide 64
	numLayouts
)

var testLayouts = []ir.Layout{
	layNone:  {},
	layPair:  {Size: 16, Ptrs: []uint64{3}},
	layNode:  {Size: 24, Ptrs: []uint64{5}},
	layWide:  {Size: 800, Ptrs: []uint64{1 | 1<<63, 1 | 1<<35}},
	layPtr:   {Size: 8, Ptrs: []uint64{1}},
	layMixed: {Size: 24, Ptrs: []uint64{4}},
}

// isPtr reports whether word i of an object of the layout is a pointer.
func isPtr(layout, i uint32) bool {
	l := &testLayouts[layout]
	if len(l.Ptrs) == 0 {
		return false
	}
	i %= uint32(l.Size / 8)
	return l.Ptrs[i/64]>>(i%64)&1 != 0
}

func newTestHeap(t testing.TB, limit uint64) *Heap {
	t.Helper()
	s, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Release() })
	return NewHeap(s, ir.DataBase, testLayouts, limit)
}

func alloc(t testing.TB, h *Heap, layout uint32, size uint64) uint32 {
	t.Helper()
	p, st := h.Alloc(layout, size)
	if st != StatusOK {
		t.Fatalf("Alloc(%d, %d): %v", layout, size, st)
	}
	return p
}

// collect collects with the given roots.
func collect(t testing.TB, h *Heap, roots ...uint32) {
	t.Helper()
	if st := h.BeginMark(); st != StatusOK {
		t.Fatalf("BeginMark: %v", st)
	}
	for _, r := range roots {
		h.MarkPtr(r)
	}
	for !h.Drain(7) {
	}
	if st := h.Sweep(); st != StatusOK {
		t.Fatalf("Sweep: %v", st)
	}
}

func TestSmoke(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	a := alloc(t, h, layPair, 16)
	b := alloc(t, h, layNone, 5)
	h.word(a+8, uint64(b))
	alloc(t, h, layPair, 16)
	collect(t, h, a)
	s := h.Stats()
	if s.Mallocs != 3 || s.Frees != 1 || s.HeapAlloc != 24 || s.TotalAlloc != 40 || s.NumGC != 1 {
		t.Errorf("stats: %+v", s)
	}
}
