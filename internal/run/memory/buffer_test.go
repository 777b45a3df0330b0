package memory

import (
	"bytes"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"
)

func buffer(t testing.TB, h *Heap, size uint64) *Buffer {
	t.Helper()
	b, st, err := h.NewBuffer(size)
	if st != StatusOK {
		t.Fatalf("NewBuffer(%d): %v %v", size, st, err)
	}
	return b
}

// faults reports whether a write to guest memory faults.
func faults(h *Heap, off uint64) (faults bool) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() { faults = recover() != nil }()
	*(*byte)(unsafe.Add(h.base, off)) = 1
	return
}

// TestBufferViews: the guest's side shows what the host writes, and is read-only.
func TestBufferViews(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	for _, size := range []uint64{0, 1, BufferUnit, BufferUnit + 1, 3 << 20} {
		b := buffer(t, h, size)
		n := max((size+BufferUnit-1)/BufferUnit, 1) * BufferUnit
		p := b.View()
		guest, ok := h.space.Bytes(b.lo, n)
		if uint64(len(p)) != n || !ok || b.lo%BufferUnit != 0 || !allZero(p) {
			t.Fatalf("%d bytes: a view of %d at %#x, readable %v", size, len(p), b.lo, ok)
		}
		for i := range p {
			p[i] = byte(i % 253)
		}
		if !bytes.Equal(p, guest) {
			t.Error("the guest sees something else")
		}
		for _, off := range []uint64{0, n / 2, n - 1} {
			if !h.space.ReadOnly(b.lo+off) || !faults(h, b.lo+off) || !h.space.Overlaps(b.lo+off, 1) {
				t.Errorf("%#x can be written to", b.lo+off)
			}
		}
		if _, ok := h.space.Bytes(b.lo, n+1); ok {
			t.Error("what lies in no one buffer is readable")
		}
	}
	if h.space.ReadOnly(buffersEnd) || h.space.ReadOnly(0) || h.space.Overlaps(buffersEnd, 1<<16) || h.space.Overlaps(1<<63, 1<<63) ||
		h.space.Overlaps(1<<16, 1<<63) || !h.space.Overlaps(1<<16, SpaceSize-1) {
		t.Error("what is no buffer is one, or the reverse")
	}
}

// TestBuffersCount: whole units count against the limit until a buffer is gone. That is at once if
// the guest does not know it, and otherwise when a collection finds it unreachable.
func TestBuffersCount(t *testing.T) {
	h := newTestHeap(t, 4<<20)
	use := h.Stats().InUse
	check := func(what string, units uint64) {
		t.Helper()
		if s := h.Stats(); s.InUse != use+units*BufferUnit {
			t.Errorf("%s: %d bytes in use, want %d units", what, s.InUse-use, units)
		}
	}
	a, b := buffer(t, h, 1), buffer(t, h, BufferUnit+1)
	check("two", 3)
	h.FreeBuffer(a)
	check("never lent", 2)
	addr := b.Lend()
	h.FreeBuffer(b)
	h.FreeBuffer(b)
	check("lent", 2)
	if b.Of(h) || b.Alive() || !allZero(b.View()) {
		t.Error("it is not gone for the host")
	}
	b.View()[0] = 1
	collect(t, h, addr+BufferUnit)
	check("reached by its last unit", 2)
	collect(t, h)
	check("out of reach", 0)
	if _, ok := h.space.Bytes(uint64(addr), 1); ok || !faults(h, uint64(addr)) {
		t.Error("its memory is still there")
	}
	// Reachable from objects, small and large.
	for _, size := range []uint64{16, 1 << 17} {
		p := alloc(t, h, layPair, size)
		b := buffer(t, h, 10)
		h.word(p+8, uint64(b.Lend()+9))
		h.FreeBuffer(b)
		collect(t, h, p)
		if guest, ok := h.space.Bytes(b.lo, BufferUnit); !ok || len(guest) != BufferUnit {
			t.Errorf("a buffer is gone that an object of %d bytes leads to", size)
		}
		h.word(p+8, 0)
		collect(t, h, p)
		if h.space.HasBuffers() {
			t.Errorf("a buffer stays that an object of %d bytes led to", size)
		}
	}
}

// TestBufferLimit: a buffer is refused if the limit or the room is short, a collection is requested
// if it may help, and neither changes anything.
func TestBufferLimit(t *testing.T) {
	h := newTestHeap(t, 8<<20)
	for _, size := range []uint64{9 << 20, SpaceSize, 1 << 63, 1<<64 - 1} {
		if _, st, _ := h.NewBuffer(size); st != StatusLimit {
			t.Errorf("%d bytes: %v", size, st)
		}
	}
	a := buffer(t, h, 3<<20)
	a.Lend()
	h.FreeBuffer(a)
	if _, st, _ := h.NewBuffer(6 << 20); st != StatusCollect {
		t.Error(st)
	}
	if p, st := h.Alloc(layNone, 6<<20); st != StatusCollect {
		t.Error(p, st)
	}
	collect(t, h)
	b := buffer(t, h, 6<<20)
	if _, st, _ := h.NewBuffer(6 << 20); st != StatusLimit {
		t.Error(st)
	}
	h.FreeBuffer(b)
	// Buffers that are freed one after the other request collections long before the limit, and
	// leave no debt.
	h = newTestHeap(t, 1<<30)
	asked := 0
	for range 64 {
		b, st, _ := h.NewBuffer(1 << 20)
		if st == StatusCollect {
			asked++
			collect(t, h)
			b = buffer(t, h, 1<<20)
		}
		b.Lend()
		h.FreeBuffer(b)
	}
	if asked < 10 || h.Debt() != 0 || h.Stats().InUse > 6<<20 {
		t.Errorf("%d collections, debt %d, %d bytes in use", asked, h.Debt(), h.Stats().InUse)
	}
}

// TestBuffersAndBlocks: buffers and blocks do not take each other's memory, in whichever order they
// come.
func TestBuffersAndBlocks(t *testing.T) {
	h := newTestHeap(t, SpaceSize)
	b := buffer(t, h, SpaceSize-64<<20)
	b.View()[0] = 7
	m := &mutator{h: h}
	for {
		p, st := h.Alloc(layNone, 1<<20)
		if st == StatusCollect {
			m.collect()
			p, st = h.Alloc(layNone, 1<<20)
		}
		if st != StatusOK {
			break
		}
		h.mem(p, 1<<20)[1<<20-1] = 1
		m.push(p)
	}
	if n := len(m.roots); n < 55 || n > 64 || b.View()[0] != 7 {
		t.Errorf("%d MiB of objects below the buffer", n)
	}
	if _, st, _ := h.NewBuffer(64 << 20); st == StatusOK {
		t.Error("a buffer in the place of objects")
	}
	h.Reset()
	if b.View()[0] != 0 || b.Alive() {
		t.Error("Reset leaves the buffer")
	}
	// Committed memory does not prevent a buffer.
	c := buffer(t, h, SpaceSize-32<<20)
	if h.ready > uint32(c.lo) {
		t.Errorf("committed up to %#x, buffer at %#x", h.ready, c.lo)
	}
	if _, ok := h.space.Bytes(c.lo-BlockSize, BlockSize+1); ok {
		t.Error("the committed memory reaches into the buffer")
	}
	h.FreeBuffer(c)
	m = &mutator{h: h}
	for range 60 {
		p := m.new(layNone, 1<<20)
		if !allZero(h.mem(p, 1<<20)) {
			t.Fatal("memory is not zero")
		}
		h.mem(p, 1<<20)[5] = 1
	}
}

// TestBuffersAtRandom makes and frees buffers, some of them held by the guest, beside objects, and
// compares with a model.
func TestBuffersAtRandom(t *testing.T) {
	type held struct {
		b     *Buffer
		fill  byte
		guest bool // the guest holds it
		freed bool
	}
	r := rand.New(rand.NewPCG(1, 2))
	h := newTestHeap(t, 256<<20)
	m := &mutator{h: h}
	m.push(m.tree(8))
	var all []*held
	collectAll := func() {
		m.roots = m.roots[:1]
		for _, x := range all {
			if x.guest {
				m.push(uint32(x.b.lo) + uint32(r.IntN(int(x.b.hi-x.b.lo))))
			}
		}
		m.collect()
		all = slices.DeleteFunc(all, func(x *held) bool { return x.freed && !x.guest })
	}
	for range 3000 {
		switch r.IntN(6) {
		case 0, 1:
			b, st, err := h.NewBuffer(uint64(r.IntN(500_000)))
			if st == StatusCollect {
				collectAll()
				continue
			}
			if st != StatusOK {
				t.Fatal(st, err)
			}
			x := &held{b: b, fill: byte(r.Uint32() | 1), guest: r.IntN(2) == 0}
			if !allZero(b.View()) {
				t.Fatal("a new buffer is not zero")
			}
			b.View()[0], b.View()[len(b.View())-1] = x.fill, x.fill
			if x.guest || r.IntN(2) == 0 {
				b.Lend()
			}
			all = append(all, x)
		case 2:
			if len(all) > 0 {
				x := all[r.IntN(len(all))]
				x.freed = true
				h.FreeBuffer(x.b)
				if !x.b.lent {
					all = slices.DeleteFunc(all, func(y *held) bool { return y == x })
				}
			}
		case 3:
			if len(all) > 0 {
				all[r.IntN(len(all))].guest = false
			}
		case 4:
			m.new(layNone, uint64(r.IntN(100_000)))
		case 5:
			if r.IntN(5) == 0 {
				collectAll()
			}
		}
		for _, x := range all {
			p, ok := h.space.Bytes(x.b.lo, x.b.hi-x.b.lo)
			if !ok || p[0] != x.fill || p[len(p)-1] != x.fill {
				t.Fatalf("a buffer at %#x has changed", x.b.lo)
			}
		}
	}
	collectAll()
	var units uint64
	for _, x := range all {
		units += (x.b.hi - x.b.lo) / BufferUnit
	}
	if len(h.buffers.list) != len(all) || h.host != units*BufferUnit {
		t.Errorf("%d buffers of %d bytes, want %d of %d", len(h.buffers.list), h.host, len(all), units*BufferUnit)
	}
	h.Reset()
	if h.host != 0 || h.ceil != maxBlocks || h.space.HasBuffers() {
		t.Error("Reset leaves something")
	}
}

func BenchmarkNewBuffer(b *testing.B) {
	h := newTestHeap(b, 64<<20)
	for b.Loop() {
		h.FreeBuffer(buffer(b, h, 1<<20))
	}
}
