package memory

import (
	"bytes"
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// snapshotData is the size of the data segment of the tests: it ends inside a
// granule, and a granule in its middle is zero.
const snapshotData = 5*granule + 1000

// newSnapshot makes a heap with objects of all kinds and its snapshot.
func newSnapshot(t testing.TB) (*Heap, *Snapshot) {
	t.Helper()
	s, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Release() })
	if err := s.Commit(ir.DataBase, snapshotData); err != nil {
		t.Fatal(err)
	}
	data, _ := s.Bytes(ir.DataBase, snapshotData)
	rnd := rand.New(rand.NewSource(1))
	rnd.Read(data[:granule+5])
	rnd.Read(data[3*granule:])
	h := NewHeap(s, ir.DataBase+snapshotData, testLayouts, 64<<20)
	for i := range 2000 {
		h.word(alloc(t, h, uint32(i%numLayouts), uint64(8+i)), uint64(i))
	}
	alloc(t, h, layPair, 100<<10)
	h.ObjectOf(alloc(t, h, layNode, 24))
	alloc(t, h, layNone, 9000)
	c, st := h.AllocChunk(1 << 10)
	if st != StatusOK {
		t.Fatal(st)
	}
	if _, err := h.Snapshot(); !errors.Is(err, ErrNoSnapshot) {
		t.Errorf("snapshot with a chunk: %v", err)
	}
	h.FreeChunk(c)
	sn, err := h.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return h, sn
}

func fromSnapshot(t testing.TB, sn *Snapshot) *Heap {
	t.Helper()
	s, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Release() })
	h, err := sn.Heap(s, testLayouts, 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// use allocates, collects and frees, and returns all of its observations.
func use(t testing.TB, h *Heap, seed int64) (trace []uint64) {
	t.Helper()
	rnd := rand.New(rand.NewSource(seed))
	var roots []uint32
	for i := range 4000 {
		size := uint64(rnd.Intn(600))
		switch rnd.Intn(100) {
		case 0:
			size = uint64(rnd.Intn(200 << 10))
		case 1, 2:
			size = uint64(rnd.Intn(20 << 10))
		}
		p, st := h.Alloc(layNone, size)
		if st == StatusCollect || i%1500 == 1499 {
			collect(t, h, roots...)
			p, st = h.Alloc(layNone, size)
		}
		if st != StatusOK {
			t.Fatal(st)
		}
		b, ok := h.space.Bytes(uint64(p), size)
		if !ok || !allZero(b) {
			t.Fatalf("object %d at %#x: not zero", i, p)
		}
		fill(b, byte(i))
		if rnd.Intn(3) == 0 {
			roots = append(roots, p)
		}
		if rnd.Intn(8) == 0 && len(roots) > 0 {
			roots = append(roots[:0], roots[len(roots)/2:]...)
		}
		trace = append(trace, uint64(p))
	}
	s := h.Stats()
	return append(trace, s.Mallocs, s.TotalAlloc, s.HeapAlloc, s.Frees, s.NumGC, s.HeapSys, s.InUse, s.Peak, s.SinceGC)
}

func equalTraces(a, b []uint64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// A heap that starts from a snapshot continues as the original: the same memory, addresses,
// collections and figures.
func TestSnapshotGoesOn(t *testing.T) {
	h, sn := newSnapshot(t)
	if sn.InUse() != h.inUse() {
		t.Errorf("in use: %d and %d", sn.InUse(), h.inUse())
	}
	g := fromSnapshot(t, sn)
	n := uint64(h.top) - ir.DataBase
	a, _ := h.space.Bytes(ir.DataBase, n)
	b, ok := g.space.Bytes(ir.DataBase, n)
	if !ok || !bytes.Equal(a, b) {
		t.Fatal("memory differs")
	}
	hp, gp := h.Stats(), g.Stats()
	hp.Peak = hp.InUse // the snapshot does not remember the chunk
	if hp != gp {
		t.Errorf("figures\n%+v\n%+v", hp, gp)
	}
	h.peak = gp.Peak
	if !equalTraces(use(t, h, 7), use(t, g, 7)) {
		t.Error("heaps go on differently")
	}
}

// Instances of one snapshot do not affect each other. Restore restores everything, also after
// collections that freed blocks of the snapshot.
func TestSnapshotIsShared(t *testing.T) {
	_, sn := newSnapshot(t)
	a, b := fromSnapshot(t, sn), fromSnapshot(t, sn)
	n := uint64(a.top) - ir.DataBase
	mem := func(h *Heap) []byte {
		m, ok := h.space.Bytes(ir.DataBase, n)
		if !ok {
			t.Fatal("not committed")
		}
		return m
	}
	want := bytes.Clone(mem(b))
	first := use(t, a, 1)
	fill(mem(a), 0xee)
	if !bytes.Equal(mem(b), want) {
		t.Fatal("one instance sees what another writes")
	}
	for range 3 {
		if err := sn.Restore(a); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(mem(a), want) {
			t.Fatal("Restore leaves what the guest wrote")
		}
		if !equalTraces(use(t, a, 1), first) {
			t.Error("a restored heap goes on differently")
		}
	}
	if !equalTraces(use(t, b, 1), first) {
		t.Error("two instances go on differently")
	}
}

// One space is released before the snapshot, and one outlives it.
func TestSnapshotOutlived(t *testing.T) {
	_, sn := newSnapshot(t)
	a, b := fromSnapshot(t, sn), fromSnapshot(t, sn)
	a.space.Release()
	sn = nil
	use(t, b, 3)
}

// Memory given back to the operating system is zero, not the snapshot's.
func TestWipeOfSnapshotMemory(t *testing.T) {
	_, sn := newSnapshot(t)
	h := fromSnapshot(t, sn)
	n := uint64(h.top) - ir.DataBase
	m, _ := h.space.Bytes(ir.DataBase, n)
	h.space.wipe(m, 0)
	if !allZero(m) {
		t.Error("wiped memory is not zero")
	}
}

// States without snapshots.
func TestNoSnapshot(t *testing.T) {
	for name, spoil := range map[string]func(h *Heap){
		"collected": func(h *Heap) { collect(t, h) },
		"special":   func(h *Heap) { h.AddSpecial(alloc(t, h, layPair, 16), 1, 1) },
		"layout":    func(h *Heap) { h.Layout(16, []uint64{2}) },
		"stress":    func(h *Heap) { h.SetStress(3) },
		"marking":   func(h *Heap) { h.BeginMark() },
	} {
		h := newTestHeap(t, 64<<20)
		alloc(t, h, layPair, 16)
		if _, err := h.Snapshot(); err != nil {
			t.Fatal(err)
		}
		spoil(h)
		if _, err := h.Snapshot(); !errors.Is(err, ErrNoSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// readSnapshot reads a snapshot of a module with data.
func readSnapshot(b, data []byte) (*Snapshot, error) {
	return ReadSnapshot(b, len(data), func(dst []byte, at int) error {
		copy(dst, data[at:at+len(dst)])
		return nil
	})
}

// If the data cannot be read, no memory is made.
func TestSnapshotWithoutData(t *testing.T) {
	_, sn := newSnapshot(t)
	b, err := sn.AppendBinary(nil, make([]byte, snapshotData))
	if err != nil {
		t.Fatal(err)
	}
	unread := errors.New("damaged")
	again, err := ReadSnapshot(b, snapshotData, func([]byte, int) error { return unread })
	if err != nil {
		t.Fatal(err)
	}
	s, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if _, err := again.Heap(s, testLayouts, 1<<30); err != unread {
		t.Errorf("error %v", err)
	}
}

// A snapshot that was written and read is the same.
func TestSnapshotBinary(t *testing.T) {
	h, sn := newSnapshot(t)
	seg, _ := h.space.Bytes(ir.DataBase, snapshotData)
	data := bytes.Clone(seg) // before anything was initialised
	for i := 0; i < len(data); i += 10_000 {
		data[i]++
	}
	var sizes []int
	var b []byte
	for _, known := range [][]byte{nil, data[:1000], data[:4*granule+7], data} {
		var err error
		if b, err = sn.AppendBinary([]byte("head"), known); err != nil {
			t.Fatal(err)
		}
		b = b[4:]
		sizes = append(sizes, len(b))
		again, err := readSnapshot(b, known)
		if err != nil {
			t.Fatal(err)
		}
		if !equalTraces(use(t, fromSnapshot(t, sn), 5), use(t, fromSnapshot(t, again), 5)) {
			t.Error("heaps go on differently")
		}
		for i, g := range sn.segments {
			got := make([]byte, g.size)
			if err := again.read(&again.segments[i], got, 0); err != nil || !bytes.Equal(got, g.bytes) {
				t.Errorf("segment %d is another one, %v", i, err)
			}
			for at := uint64(0); at < g.size; at += granule {
				part := bytes.Repeat([]byte{0xaa}, int(min(granule, g.size-at)))
				if err := again.read(&again.segments[i], part, at); err != nil || !bytes.Equal(part, g.bytes[at:][:len(part)]) {
					t.Errorf("segment %d differs from %d on, %v", i, at, err)
				}
			}
		}
	}
	if !slices.IsSortedFunc(sizes, func(a, b int) int { return b - a }) || sizes[0]-sizes[3] < snapshotData/2 {
		t.Errorf("%d bytes with more and more data known", sizes)
	}
	for n := 0; n < len(b); n += 1 + n/100 {
		if _, err := readSnapshot(b[:n], data); err == nil {
			t.Fatalf("%d of %d bytes are a snapshot", n, len(b))
		}
	}
	if _, err := readSnapshot(append(b, 0), data); err == nil {
		t.Error("a byte too many is accepted")
	}
	empty, err := newTestHeap(t, 1<<20).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = empty.AppendBinary(nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := readSnapshot(b, nil); err != nil {
		t.Errorf("snapshot of nothing: %v", err)
	}
}

// Every snapshot that is accepted can be started from.
//
//fuzz:runs 60000
func FuzzSnapshot(f *testing.F) {
	h := NewHeap(must(Reserve()), ir.DataBase+100, testLayouts, 1<<20)
	if err := h.space.Commit(ir.DataBase, 100); err != nil {
		f.Fatal(err)
	}
	h.Alloc(layPair, 16)
	h.Alloc(layPair, 40<<10)
	sn, err := h.Snapshot()
	if err != nil {
		f.Fatal(err)
	}
	b, _ := sn.AppendBinary(nil, nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		sn, err := readSnapshot(b, nil)
		if err != nil {
			return
		}
		s, err := Reserve()
		if err != nil {
			t.Skip(err)
		}
		defer s.Release()
		if sn.InUse() > 1<<20 {
			return
		}
		if h, err := sn.Heap(s, testLayouts, 1<<20); err == nil {
			h.Alloc(layPair, 64)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
