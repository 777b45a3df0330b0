package memory

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"testing"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
)

// ownPages counts the pages in a part of the reservation that exist and are not the file's.
func ownPages(t *testing.T, s *Space, p span) (n int) {
	t.Helper()
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	b := make([]byte, (p.hi-p.lo)/s.page*8)
	at := uint64(uintptr(unsafe.Pointer(&s.all[0]))) + p.lo
	if _, err := f.ReadAt(b, int64(at/s.page*8)); err != nil {
		t.Fatal(err)
	}
	for ; len(b) > 0; b = b[8:] {
		const present, ofFile = 1 << 63, 1 << 61
		if binary.LittleEndian.Uint64(b)&(present|ofFile) == present {
			n++
		}
	}
	return n
}

// TestRewind: whatever was written to tables, counters, context, data and heap, Restore restores
// the state of a new space in place. Pages that an instance wrote to once are not kept for ever.
func TestRewind(t *testing.T) {
	_, sn := newSnapshot(t)
	fresh, h := fromSnapshot(t, sn), fromSnapshot(t, sn)
	if sn.image.pages < 0 {
		t.Skip("the system does not tell which pages were written to")
	}
	s, end := h.space, sn.imageEnd()
	parts := []span{{sideSize, sideSize + CounterSize}, {contextOff, below}, {below + ir.DataBase, below + end}}
	for _, p := range tableSpans(uint64(h.lo), end) {
		parts = append(parts, span{p.lo &^ 7, p.hi})
	}
	whole := span{below + ir.DataBase, below + end}
	rnd := rand.New(rand.NewSource(1))
	dirty := func(n int) {
		for range n {
			p := parts[rnd.Intn(len(parts))]
			s.all[p.lo+uint64(rnd.Int63n(int64(p.hi-p.lo)))] ^= byte(1 + rnd.Intn(255))
		}
	}
	again := func(round int) {
		t.Helper()
		if !s.rewind() {
			t.Fatalf("round %d: not in place", round)
		}
		sn.restoreHeap(h)
		for _, p := range parts {
			if !bytes.Equal(s.all[p.lo:p.hi], fresh.space.all[p.lo:p.hi]) {
				t.Fatalf("round %d: [%#x, %#x) differs", round, p.lo, p.hi)
			}
		}
	}
	for round := range 300 {
		if round%20 == 7 {
			use(t, h, int64(round)) // grows beyond the image
			if err := sn.Restore(h); err != nil {
				t.Fatal(err)
			}
		}
		for i := range s.Stacks() {
			s.Stacks()[i] = 1 // next to the context: not compared
		}
		dirty(rnd.Intn(100))
		again(round)
	}
	if err := sn.restore(h); err != nil { // it maps the file anew
		t.Fatal(err)
	}
	for at := whole.lo; at < whole.hi; at += 4 * s.page {
		s.all[at]++
	}
	many := ownPages(t, s, whole)
	for round := range 2*idleResets + 2 {
		dirty(3)
		again(300 + round)
	}
	if few := ownPages(t, s, whole); many < 100 || few > many/2 {
		t.Errorf("%d pages of its own, %d when it has not written to them for long", many, few)
	}
	for at := below + uint64(ir.DataBase); at < below+end && at < below+ir.DataBase+(rewindMost+8)*s.page; at += s.page {
		s.all[at]++
	}
	if n := ownPages(t, s, whole); n > rewindMost && s.rewind() {
		t.Errorf("%d pages are copied", n)
	}
	if err := sn.Restore(h); err != nil {
		t.Fatal(err)
	}
	again(-1)
	if !equalTraces(use(t, h, 5), use(t, fresh, 5)) {
		t.Error("the heap goes on otherwise")
	}
}

// BenchmarkRewind resets a heap that has written to some pages of an image of 2 MiB and read
// others.
func BenchmarkRewind(b *testing.B) {
	_, sn := newSnapshot(b)
	for _, pages := range []int{0, 8, 32, 128, 512} {
		b.Run(fmt.Sprint(pages), func(b *testing.B) {
			h := fromSnapshot(b, sn)
			s := h.space
			sum := byte(0)
			for at := below + uint64(ir.DataBase); at < below+sn.imageEnd(); at += s.page {
				sum += s.all[at]
			}
			for b.Loop() {
				at := below + uint64(ir.DataBase)
				for range pages {
					s.all[at]++
					at += s.page
				}
				if !s.rewind() {
					b.Skip("not in place", sum)
				}
				sn.restoreHeap(h)
			}
		})
	}
}
