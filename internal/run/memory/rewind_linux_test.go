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

// TestRewindWatched: resets that ask for written pages alone restore what a new space has, whoever has
// written: this process, or the system on its behalf. A checkpoint ends the watch, and a space that
// no checkpoint follows any more is watched again. Pages that were not written to for long are given
// back.
func TestRewindWatched(t *testing.T) {
	_, sn := newSnapshot(t)
	fresh, h := fromSnapshot(t, sn), fromSnapshot(t, sn)
	s := h.space
	whole := span{below + ir.DataBase, below + sn.imageEnd()}
	rnd := rand.New(rand.NewSource(2))
	random, err := os.Open("/dev/urandom")
	if err != nil {
		t.Fatal(err)
	}
	defer random.Close()
	sum := byte(0)
	dirty := func(n int) {
		for range n {
			at := whole.lo + uint64(rnd.Intn(300))*s.page*3 + uint64(rnd.Intn(int(s.page)-8)) // fewer pages than rewindMost
			switch rnd.Intn(4) {
			case 0:
				sum += s.all[at]
			case 1:
				if _, err := random.Read(s.all[at : at+8]); err != nil {
					t.Fatal(err)
				}
			default:
				s.all[at]++
			}
		}
	}
	again := func() {
		t.Helper()
		if !s.rewind() {
			t.Fatal("not in place")
		}
		sn.restoreHeap(h)
		if !bytes.Equal(s.all[whole.lo:whole.hi], fresh.space.all[whole.lo:whole.hi]) {
			t.Fatal("memory differs from a new space's")
		}
	}
	watch := func() {
		t.Helper()
		for range watchFrom + idleResets + 1 {
			dirty(2)
			again()
		}
		if s.watch == unwatchable || sn.image.pages < 0 {
			t.Skip("the system does not protect pages")
		}
		if s.watch != watched {
			t.Fatal("not watched")
		}
	}
	watch()
	for range 200 {
		dirty(rnd.Intn(60))
		again()
	}
	tracker, err := NewTracker()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		cp, err := NewCheckpoint(h, tracker)
		if err != nil || cp.tracker == nil || s.watch != unwatched {
			t.Fatal(err, cp.tracker, s.watch)
		}
		dirty(20)
		if err := cp.Take(); err != nil {
			t.Fatal(err)
		}
		was := bytes.Clone(s.all[whole.lo:whole.hi])
		dirty(20)
		if err := cp.Back(); err != nil || !bytes.Equal(was, s.all[whole.lo:whole.hi]) {
			t.Fatal("not the state that was taken ", err)
		}
		for range watchFrom + 1 {
			again()
		}
		if s.watch != unwatched {
			t.Error("watched beside a checkpoint")
		}
		cp.Release()
		watch()
	}
	for at := whole.lo; at < whole.hi; at += 8 * s.page {
		s.all[at]++
	}
	again()
	many := ownPages(t, s, whole)
	for range 2 * watchAll {
		s.all[whole.lo]++
		again()
	}
	if few := ownPages(t, s, whole); few > many/2 {
		t.Errorf("%d pages of its own, %d when it has not written to them for long; %d", many, few, sum)
	}
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
