package memory

import (
	"slices"
	"testing"
)

// allocOrCollect allocates. If a collection is requested, it collects with the roots and allocates
// again.
func allocOrCollect(t *testing.T, h *Heap, layout uint32, size uint64, roots ...uint32) (uint32, Status) {
	t.Helper()
	p, st := h.Alloc(layout, size)
	if st == StatusCollect {
		collect(t, h, roots...)
		if p, st = h.Alloc(layout, size); st == StatusCollect {
			t.Fatal("a collection is asked for twice")
		}
	}
	return p, st
}

func TestLimit(t *testing.T) {
	h := newTestHeap(t, 1<<20) // 32 blocks
	var roots []uint32
	for {
		p, st := allocOrCollect(t, h, layNone, 1000, roots...)
		if st == StatusLimit {
			break
		}
		if st != StatusOK {
			t.Fatal(st)
		}
		roots = append(roots, p)
	}
	if s := h.Stats(); s.InUse != 1<<20 || s.Peak != 1<<20 || len(roots) != 32*32 {
		t.Errorf("%d objects, %+v", len(roots), s)
	}
	// The heap is full of live objects. It stays full, and causes no further collections.
	n := h.Stats().NumGC
	for range 100 {
		if _, st := allocOrCollect(t, h, layNone, 1000, roots...); st != StatusLimit {
			t.Fatal(st)
		}
	}
	if got := h.Stats().NumGC; got > n+1 {
		t.Errorf("%d collections at the limit", got-n)
	}
	// Every second object is gone. Medium objects may use the holes too.
	for i := range roots {
		if i%2 == 0 {
			roots[i] = 0
		}
	}
	collect(t, h, roots...)
	for i := range 32 * 8 {
		if _, st := allocOrCollect(t, h, layNone, 600, roots...); st != StatusOK {
			t.Fatalf("object %d in a hole: %v", i, st)
		}
	}
	checkBlocks(t, h, true)
}

func TestLimitOfLargeObjects(t *testing.T) {
	h := newTestHeap(t, 8<<20)
	if _, st := h.Alloc(layNone, 8<<20); st != StatusLimit {
		t.Errorf("object as large as the limit: %v", st)
	}
	for _, n := range []uint64{1 << 32, 1<<64 - 1, 1<<64 - 8, maxObject, maxObject + 1} {
		if _, st := h.Alloc(layNone, n); st != StatusLimit {
			t.Errorf("%d bytes: %v", n, st)
		}
	}
	p := alloc(t, h, layNone, 5<<20)
	if q, st := allocOrCollect(t, h, layNone, 5<<20); st != StatusOK || q != p {
		t.Errorf("after the first one died: %#x, %v; want %#x", q, st, p)
	}
}

func TestDataCountsAgainstTheLimit(t *testing.T) {
	s := newTestSpace(t)
	h := NewHeap(s, 1<<16+3<<20+1, testLayouts, 4<<20)
	if h.Start()%BlockSize != 0 || h.Start() <= 1<<16+3<<20 {
		t.Errorf("heap starts at %#x", h.Start())
	}
	n := 0
	for ; ; n++ {
		if _, st := h.Alloc(layNone, 30<<10); st != StatusOK {
			break
		}
	}
	if n != 31 {
		t.Errorf("%d blocks beside 3 MiB of data, want 31", n)
	}
}

func TestChargeHost(t *testing.T) {
	h := newTestHeap(t, 1<<20)
	if st := h.ChargeHost(1<<20 - 100_000); st != StatusOK {
		t.Fatal(st)
	}
	p := alloc(t, h, layNone, 60_000) // two blocks
	if st := h.ChargeHost(100_000 - 64<<10); st != StatusOK {
		t.Fatal(st)
	}
	if st := h.ChargeHost(1); st != StatusCollect {
		t.Errorf("over the limit with garbage: %v", st)
	}
	collect(t, h, p)
	if st := h.ChargeHost(1); st != StatusLimit {
		t.Errorf("over the limit after a collection: %v", st)
	}
	if st := h.ChargeHost(1<<63 - 1); st != StatusLimit {
		t.Error(st)
	}
	collect(t, h)
	if st := h.ChargeHost(64 << 10); st != StatusOK {
		t.Error(st)
	}
	h.ChargeHost(-1 << 40)
	if s := h.Stats(); s.Host != 0 || s.InUse != 0 || s.Peak != 1<<20 {
		t.Errorf("%+v", s)
	}
	checkBlocks(t, h, true)
}

// TestTrim checks that dirty free blocks are given back when other memory uses up the limit.
func TestTrim(t *testing.T) {
	h := newTestHeap(t, 4<<20)
	p := alloc(t, h, layNone, 3<<20)
	fill(h.mem(p, 3<<20), 1)
	collect(t, h)
	if h.dirty != 97 {
		t.Fatalf("%d dirty blocks", h.dirty)
	}
	if st := h.ChargeHost(3 << 20); st != StatusOK {
		t.Fatal(st)
	}
	checkBlocks(t, h, true)
	if h.dirty != 0 {
		t.Errorf("%d dirty blocks beside the charge", h.dirty)
	}
	for _, c := range h.mem(alloc(t, h, layNone, 900<<10), 900<<10) {
		if c != 0 {
			t.Fatal("trimmed memory is not zero")
		}
	}
}

// TestThrashing bounds the price of collections near the limit: a full heap is not marked
// repeatedly for a few bytes. A program with enough garbage continues.
func TestThrashing(t *testing.T) {
	for _, c := range []struct {
		limit uint64
		ok    bool
	}{{7 << 20, true}, {6<<20 + 300<<10, false}} {
		h := newTestHeap(t, c.limit)
		m := &mutator{h: h}
		m.push(m.tree(17)) // 6 MiB
		allocated, gcs := h.Stats().TotalAlloc, h.Stats().NumGC
		st := StatusOK
		for st == StatusOK && h.Stats().TotalAlloc < allocated+20<<20 {
			for range 100 {
				if _, st = h.Alloc(layPair, 16); st == StatusCollect {
					m.collect()
					_, st = h.Alloc(layPair, 16)
				}
				if st != StatusOK {
					break
				}
			}
		}
		if want := map[bool]Status{true: StatusOK, false: StatusLimit}[c.ok]; st != want {
			t.Errorf("limit %d: %v, want %v", c.limit, st, want)
		}
		n, bytes := h.Stats().NumGC-gcs, h.Stats().TotalAlloc-allocated
		if n > 3+bytes/(h.live/32) {
			t.Errorf("limit %d: %d collections for %d bytes, %d bytes live", c.limit, n, bytes, h.live)
		}
	}
}

func TestLargeObjectsCoalesce(t *testing.T) {
	h := newTestHeap(t, 256<<20)
	var p []uint32
	for range 60 { // below the trigger of a collection
		p = append(p, alloc(t, h, layNone, 2*BlockSize-HeaderSize))
	}
	lo := p[0]
	// Free 10..19 and 30..49, two runs of adjacent blocks, each larger than any object in it.
	keep := slices.Concat(p[:10], p[20:30], p[50:])
	collect(t, h, keep...)
	a := alloc(t, h, layNone, 40*BlockSize-HeaderSize) // fits only the second
	b := alloc(t, h, layNone, 19*BlockSize-HeaderSize)
	c := alloc(t, h, layNone, 2*BlockSize-HeaderSize) // does not fit the first any more
	d := alloc(t, h, layNone, BlockSize-HeaderSize)   // its last block
	for i, got := range []uint32{a, b, c, d} {
		want := []uint32{lo + 60*BlockSize, lo + 20*BlockSize, lo + 120*BlockSize, lo + 39*BlockSize}[i]
		if got != want {
			t.Errorf("object %d at %#x, want %#x", i, got, want)
		}
	}
	// A run at the end of the heap grows into fresh blocks.
	collect(t, h, slices.Concat(keep, []uint32{a, b, d})...)
	if e := alloc(t, h, layNone, 7*BlockSize-HeaderSize); e != c {
		t.Errorf("object at the end at %#x, want %#x", e, c)
	}
	checkBlocks(t, h, true)
}

// TestFindFree compares the search for free runs with a simple one.
func TestFindFree(t *testing.T) {
	h := newTestHeap(t, 1<<30)
	alloc(t, h, layNone, 600*BlockSize)
	first, top := h.lo>>blockShift, h.top>>blockShift
	x := uint32(1)
	random := func(n uint32) uint32 { x = x*1664525 + 1013904223; return (x >> 8) % n }
	for range 2000 {
		clear(h.free)
		for i := first; i < top; {
			n := 1 + random(1+random(150))
			for range n {
				if i < top {
					h.free[i>>6] |= 1 << (i & 63)
					i++
				}
			}
			i += 1 + random(1+random(100))
		}
		h.lowFree = first
		for _, n := range []uint32{1, 2, 3, 31, 63, 64, 65, 100, 128, 140, 1000} {
			want, run := top, uint32(0)
			for i := first; ; i++ {
				if i < top && h.free[i>>6]>>(i&63)&1 == 0 {
					run = 0
					continue
				}
				if run++; run == n {
					want = i + 1 - n
					break
				}
			}
			if got, ok := h.findFree(n); !ok || got != want {
				t.Fatalf("findFree(%d) = %d, %v; want %d", n, got, ok, want)
			}
		}
	}
}

func TestChunks(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	var all []uint32
	for _, size := range []uint32{0, 1, 1024, 1025, 4096, 16384, 16385, 32768, 100_000} {
		for range 40 {
			p, st := h.AllocChunk(size)
			if st != StatusOK {
				t.Fatal(st)
			}
			if align := min(max(size, 1024), BlockSize); p%align != 0 && size&(size-1) == 0 {
				t.Errorf("chunk of %d bytes at %#x", size, p)
			}
			all = append(all, p)
		}
	}
	sorted := slices.Clone(all)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != len(all) {
		t.Error("a chunk was given out twice")
	}
	if got, want := h.Stats().StackInuse, uint64(40*(3*1024+2048+4096+16384+2*32768+4*32768)); got != want {
		t.Errorf("StackInuse %d, want %d", got, want)
	}
	collect(t, h, all...)
	checkBlocks(t, h, true)
	for _, p := range []uint32{all[0] + 8, all[0] + 512, h.top, 0, h.lo - 1, all[len(all)-1] + BlockSize} {
		if st := h.FreeChunk(p); st != StatusInvalid {
			t.Errorf("FreeChunk(%#x): %v", p, st)
		}
	}
	for i := range all {
		p := all[(i*97)%len(all)]
		if st := h.FreeChunk(p); st != StatusOK {
			t.Fatal(st)
		}
		if st := h.FreeChunk(p); st != StatusInvalid {
			t.Fatalf("FreeChunk twice: %v", st)
		}
	}
	if s := h.Stats(); s.StackInuse != 0 || s.InUse != 0 {
		t.Errorf("%+v", s)
	}
	checkBlocks(t, h, true)
}
