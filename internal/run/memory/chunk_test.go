package memory

import (
	"slices"
	"testing"
)

// Pointers into chunks are returned, each word once a collection, independently of the path to them
// and of the chunk's size. Pointers to anything else are not.
func TestChunkPointers(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	small, st := h.AllocChunk(1 << 10)
	if st != StatusOK {
		t.Fatal(st)
	}
	large, st := h.AllocChunk(3 * BlockSize)
	if st != StatusOK {
		t.Fatal(st)
	}
	a, b := alloc(t, h, layPair, 16), alloc(t, h, layPair, 16)
	write(h, a, 0, large+2*BlockSize+8)
	write(h, a, 1, b)
	write(h, b, 0, small+20)
	write(h, b, 1, large+2*BlockSize+8)
	for round := range 3 {
		if st := h.BeginMark(); st != StatusOK {
			t.Fatal(st)
		}
		h.MarkPtr(a)
		h.MarkPtr(small)
		h.MarkPtr(small)
		h.MarkPtr(0)
		h.MarkPtr(h.top + 8)
		if round == 1 { // an unfinished collection
			h.Drain(0)
			continue
		}
		h.Drain(0)
		var got []uint32
		for {
			p, ok := h.NextChunkPtr()
			if !ok {
				break
			}
			got = append(got, p)
		}
		slices.Sort(got)
		if want := []uint32{small, small + 20, large + 2*BlockSize + 8}; !slices.Equal(got, want) {
			t.Fatalf("round %d: %x, want %x", round, got, want)
		}
		if st := h.Sweep(); st != StatusOK {
			t.Fatal(st)
		}
		for i := range h.bits[h.lo>>9 : h.top>>9] {
			if m := h.bits[h.lo>>9:][i].mark; m != 0 {
				t.Fatalf("round %d: marks %x left", round, m)
			}
		}
	}
}
