package memory

import (
	"errors"
	"slices"
	"testing"
)

// TestVec grows arrays from Go's heap into pages of their own and beyond.
func TestVec(t *testing.T) {
	var v Vec[uint32]
	defer v.Free()
	for round := range 2 {
		const n = 200_000
		for i := range uint32(n) {
			v.Append(i * 3)
		}
		if len(v.List) != n {
			t.Fatalf("%d elements", len(v.List))
		}
		for i, x := range v.List {
			if x != uint32(i)*3 {
				t.Fatalf("round %d: element %d is %d", round, i, x)
			}
		}
		v.Grow(1 << 20)
		if cap(v.List)-len(v.List) < 1<<20 || len(v.List) != n || v.List[n-1] != (n-1)*3 {
			t.Fatalf("Grow: %d of %d", len(v.List), cap(v.List))
		}
		v.Clear(1 << 10)
		if len(v.List) != 0 || cap(v.List) != 0 {
			t.Fatal("Clear kept a large array")
		}
	}
	v.Append(1)
	v.Clear(1 << 10)
	if cap(v.List) == 0 {
		t.Error("Clear gave a small array away")
	}
}

func TestPages(t *testing.T) {
	p := MapPages(1)
	if n := len(p.Bytes); n < 1 || n%pageGrain != 0 {
		t.Fatalf("%d bytes", n)
	}
	p.Bytes[0], p.Bytes[pageGrain-1] = 1, 2
	p.Grow(10 * pageGrain)
	if p.Bytes[0] != 1 || p.Bytes[pageGrain-1] != 2 || slices.ContainsFunc(p.Bytes[pageGrain:], func(b byte) bool { return b != 0 }) {
		t.Error("Grow lost something")
	}
	p.Drop(100, 3*pageGrain)
	if p.Bytes[0] != 1 || p.Bytes[5*pageGrain] != 0 {
		t.Error("Drop lost something outside")
	}
	p.Bytes[2*pageGrain] = 3
	p.Free()
	if p.Bytes != nil {
		t.Error("Free")
	}
	p.Free()
}

// TestPagesGrowDown: contents are at the end, the rest is zero.
func TestPagesGrowDown(t *testing.T) {
	p := MapPages(3 * pageGrain)
	defer p.Free()
	for n := len(p.Bytes); n < 64*pageGrain; {
		for i := range p.Bytes[:n] {
			p.Bytes[len(p.Bytes)-1-i] = byte(i * 7 >> 8)
		}
		p.GrowDown(n + n/2)
		if len(p.Bytes) < n+n/2 {
			t.Fatalf("%d bytes, want %d", len(p.Bytes), n+n/2)
		}
		for i := range p.Bytes {
			want := byte(0)
			if i < n {
				want = byte(i * 7 >> 8)
			}
			if got := p.Bytes[len(p.Bytes)-1-i]; got != want {
				t.Fatalf("byte %d of %d from the end is %d, want %d", i, len(p.Bytes), got, want)
			}
		}
		n = len(p.Bytes)
	}
	p.GrowDown(1)
	if len(p.Bytes) < 64*pageGrain {
		t.Error("GrowDown made it smaller")
	}
}

// TestPagesMoved grows large arrays downwards by moving page tables, also when the system refuses
// that at some point.
func TestPagesMoved(t *testing.T) {
	const step = 4 << 10
	for _, fail := range []int{0, 1, 2, 5, 9} {
		p := MapPages(moveFrom / 2)
		filled, calls := 0, 0
		for _, n := range []int{moveFrom, 2 * moveFrom, 8 * moveFrom, 16 * moveFrom} {
			for i := filled; i < len(p.Bytes); i += step {
				p.Bytes[len(p.Bytes)-1-i] = byte(i / step * 11)
			}
			filled = len(p.Bytes)
			p.growDown(n, func(to, from []byte) error {
				if calls++; fail > 0 && calls%fail == 0 {
					return errors.ErrUnsupported
				}
				return movePages(to, from)
			})
			if len(p.Bytes) != n {
				t.Fatalf("%d bytes, want %d", len(p.Bytes), n)
			}
			for i := 0; i < n; i += step {
				want := byte(0)
				if i < filled {
					want = byte(i / step * 11)
				}
				if got := p.Bytes[n-1-i]; got != want {
					t.Fatalf("fail %d: byte %d of %d from the end is %d, want %d", fail, i, n, got, want)
				}
			}
		}
		if canMove && fail == 0 && calls < 10 {
			t.Errorf("%d moves", calls)
		}
		p.Free()
	}
}

// TestMediumObjectsInHoles: the search for wide holes finds all of them, each width in its own
// order, and does not search again where there is none.
func TestMediumObjectsInHoles(t *testing.T) {
	h := newTestHeap(t, 2<<20)
	var roots []uint32
	for {
		p, st := allocOrCollect(t, h, layNone, LineSize-HeaderSize, roots...)
		if st == StatusLimit {
			break
		}
		roots = append(roots, p)
	}
	// Holes of 1 to 5 lines, wider ones further up.
	var keep []uint32
	holes := map[int]int{}
	for i := 0; i < len(roots); {
		width := 1 + 5*i/len(roots)
		if i%(BlockSize/LineSize)+width < BlockSize/LineSize && i+width < len(roots) {
			holes[width]++
			i += width
		}
		keep = append(keep, roots[i])
		i++
	}
	collect(t, h, keep...)
	for _, want := range []struct{ lines, n int }{{5, holes[5]}, {3, holes[3] + holes[4]}, {2, holes[2]}} {
		got := 0
		for {
			p, st := h.Alloc(layNone, uint64(want.lines*LineSize-HeaderSize))
			if st != StatusOK {
				break
			}
			keep = append(keep, p)
			got++
		}
		if got != want.n {
			t.Errorf("%d objects of %d lines, want %d", got, want.lines, want.n)
		}
	}
	checkBlocks(t, h, false)
}

// TestInterrupted: everything that takes long calls Poll, and ends when Poll says so.
func TestInterrupted(t *testing.T) {
	h := newTestHeap(t, 512<<20)
	polls, stop := 0, 1<<60
	h.Poll = func() bool { polls++; return polls < stop }
	reset := func() { polls, stop = 0, 1<<60 }

	p := alloc(t, h, layNone, 100<<20)
	collect(t, h, p)
	if polls < 10 {
		t.Errorf("%d polls during a sweep of 100 MiB", polls)
	}
	collect(t, h) // the object's memory is dirty now
	reset()
	p = alloc(t, h, layNone, 100<<20)
	if polls < 50 {
		t.Errorf("%d polls while 100 MiB were made zero", polls)
	}
	objs := make([]uint32, 50_000)
	collect(t, h, p)
	for i := range objs {
		objs[i] = alloc(t, h, layPair, 16)
		addSpecial(t, h, objs[i], weakKind, uint64(i))
	}
	reset()
	mark(t, h, p)
	if st := h.MarkSpecials(finalizer); st != StatusOK || polls < 40 {
		t.Errorf("MarkSpecials: %v, %d polls", st, polls)
	}
	reset()
	if got := dead(t, h); len(got) != len(objs) || polls < 80 {
		t.Errorf("DeadSpecials: %d, %d polls", len(got), polls)
	}
	reset()
	if st := h.Sweep(); st != StatusOK || polls < 40 {
		t.Errorf("Sweep: %v, %d polls", st, polls)
	}

	for stop = 1; ; stop++ {
		polls = 0
		if st := h.BeginMark(); st != StatusOK {
			t.Fatal(st)
		}
		h.Drain(0)
		if st := h.Sweep(); st == StatusOK {
			break
		} else if st != StatusInterrupted {
			t.Fatal(st)
		}
	}
	if stop < 10 {
		t.Errorf("a sweep was interrupted %d times", stop)
	}
}

// TestChunkTags: a tag belongs to the place.
func TestChunkTags(t *testing.T) {
	h := newTestHeap(t, 8<<20)
	for i, size := range []uint32{1 << 10, 1 << 10, 4 << 10, 16 << 10, 32 << 10, 100 << 10} {
		p, st := h.AllocChunk(size)
		if st != StatusOK {
			t.Fatal(st)
		}
		h.TagChunk(p, uint32(i)+7)
		for _, at := range []uint32{p, p + 8, p + size/2, p + size - 1} {
			if got, ok := h.ChunkOf(at); !ok || got != p || h.TagOf(got) != uint32(i)+7 {
				t.Errorf("chunk of %d bytes at %#x: %#x belongs to %#x, %v", size, p, at, got, ok)
			}
		}
	}
	for _, at := range []uint32{0, h.lo - 1, alloc(t, h, layPair, 16), alloc(t, h, layNone, 1<<20) + 100<<10, h.top, 1<<32 - 1} {
		if got, ok := h.ChunkOf(at); ok {
			t.Errorf("%#x lies in a chunk at %#x", at, got)
		}
	}
}
