package memory

import (
	"slices"
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

// write stores a word of an object.
func write(h *Heap, obj, word, v uint32) { h.word(obj+word*8, uint64(v)) }

func TestInteriorPointers(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	for _, size := range []uint64{8, 16, 800, 8000, 16 << 10, 100 << 10} {
		before := alloc(t, h, layNone, 8)
		p := alloc(t, h, layNone, size)
		behind := alloc(t, h, layNone, 8)
		for _, off := range []uint64{0, 1, 7, size / 2, size - 1} {
			if start, n, ok := h.ObjectOf(p + uint32(off)); !ok || start != p || n != size {
				t.Errorf("ObjectOf(%#x+%d) = %#x, %d, %v", p, off, start, n, ok)
			}
		}
		for _, addr := range []uint32{p - 1, p - 8, p + uint32(size), p + uint32(size) + 7} {
			if start, _, ok := h.ObjectOf(addr); ok && start != before && start != behind {
				t.Errorf("ObjectOf(%#x) = %#x, object %#x has %d bytes", addr, start, p, size)
			}
		}
		collect(t, h, p+uint32(size)-1)
		if _, _, ok := h.ObjectOf(p); !ok {
			t.Errorf("%d bytes: a pointer to the last byte did not keep the object", size)
		}
		collect(t, h, p+uint32(size), p-1)
		if h.Stats().HeapObjects != 0 {
			t.Errorf("%d bytes: pointers beside the object kept something", size)
		}
	}
}

func TestObjectsOfNoSize(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	p := alloc(t, h, layNone, 0)
	q := alloc(t, h, layPair, 16)
	r := alloc(t, h, layPair, 0)
	collect(t, h, p, q, r)
	if s := h.Stats(); s.Mallocs != 3 || s.Frees != 2 || s.TotalAlloc != 16 || s.HeapAlloc != 16 {
		t.Errorf("stats: %+v", s)
	}
}

func TestRoots(t *testing.T) {
	s := newTestSpace(t)
	const data = 1 << 16
	if err := s.Commit(data, 1<<16); err != nil {
		t.Fatal(err)
	}
	h := NewHeap(s, data+1<<16, testLayouts, 64<<20)
	objects := func() uint64 { return h.Stats().HeapObjects }
	gc := func(mark func()) Status {
		if st := h.BeginMark(); st != StatusOK {
			return st
		}
		mark()
		for !h.Drain(1) {
		}
		return h.Sweep()
	}

	// 7 wide elements in the data segment, every word a pointer to an object of its own.
	const elems, words = 7, 700
	for w := range uint32(words) {
		write(h, data, w, alloc(t, h, layNone, 8))
	}
	if st := gc(func() { h.MarkRange(data, layWide, elems) }); st != StatusOK || objects() != 4*elems {
		t.Errorf("MarkRange of long elements: %v, %d objects, want %d", st, objects(), 4*elems)
	}
	for w := range uint32(words) {
		write(h, data, w, alloc(t, h, layNone, 8))
	}
	if st := gc(func() { h.MarkRange(data, layMixed, 233) }); st != StatusOK || objects() != 233 {
		t.Errorf("MarkRange of short elements: %v, %d objects, want 233", st, objects())
	}
	for w := range uint32(words) {
		write(h, data, w, alloc(t, h, layNone, 8))
	}
	if st := gc(func() { h.MarkBitmap(data, []uint64{1 << 63, 1<<63 | 5, ^uint64(0)}, 130) }); st != StatusOK || objects() != 6 {
		t.Errorf("MarkBitmap: %v, %d objects, want 6", st, objects())
	}
	if st := gc(func() { h.MarkRange(data, layNone, 1<<30) }); st != StatusOK || objects() != 0 {
		t.Errorf("MarkRange without pointers: %v, %d objects", st, objects())
	}

	for name, mark := range map[string]func(){
		"outside": func() { h.MarkRange(1<<31, layPtr, 1) },
		"wraps":   func() { h.MarkRange(data, layWide, 1<<32-1) },
		"layout":  func() { h.MarkRange(data, 1000, 1) },
		"bitmap":  func() { h.MarkBitmap(1<<31, []uint64{1}, 1) },
		"odd":     func() { h.MarkBitmap(data+4, []uint64{1}, 1) },
	} {
		h.Reset()
		if st := gc(mark); st != StatusCorrupt {
			t.Errorf("%s: %v, want corrupt", name, st)
		}
		if _, st := h.Alloc(layNone, 8); st != StatusCorrupt {
			t.Errorf("%s: Alloc afterwards: %v", name, st)
		}
	}
}

// TestMarkRestarts abandons a collection half-way.
func TestMarkRestarts(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	a := alloc(t, h, layPair, 4096) // covers several lines
	b := alloc(t, h, layPair, 100<<10)
	write(h, a, 0, b)
	h.BeginMark()
	h.MarkPtr(a)
	h.Drain(0)
	if _, st := h.Alloc(layNone, 8); st != StatusInvalid {
		t.Errorf("Alloc while marking: %v", st)
	}
	collect(t, h)
	if s := h.Stats(); s.HeapObjects != 0 || s.InUse != 0 || s.NumGC != 1 {
		t.Errorf("stats: %+v", s)
	}
	if h.Sweep() != StatusInvalid {
		t.Error("Sweep without BeginMark")
	}
	h.BeginMark()
	h.MarkPtr(alloc0(h))
	if st := h.Sweep(); st != StatusOK {
		t.Errorf("Sweep: %v", st)
	}
	p := alloc(t, h, layPair, 16)
	h.BeginMark()
	h.MarkPtr(p)
	if st := h.Sweep(); st != StatusInvalid {
		t.Errorf("Sweep before Drain: %v", st)
	}
}

// alloc0 is an address without an object.
func alloc0(h *Heap) uint32 { return h.lo }

// TestDeepList marks a list that would overflow a recursive marker.
func TestDeepList(t *testing.T) {
	h := newTestHeap(t, 256<<20)
	m := &mutator{h: h, roots: []uint32{0}}
	const n = 500_000
	for range n {
		p := m.new(layPair, 16)
		write(h, p, 1, m.roots[0])
		m.roots[0] = p
	}
	m.collect()
	if got := h.Stats().HeapObjects; got != n {
		t.Errorf("%d objects, want %d", got, n)
	}
}

// TestReuse checks that a program with a bounded live set runs in bounded memory.
func TestReuse(t *testing.T) {
	h := newTestHeap(t, 1<<30)
	m := &mutator{h: h}
	m.push(m.tree(10))
	for i := range 300_000 {
		m.new(layNone, uint64(i%400))
		m.new(layNone, uint64(i*7%3000))
		if i%1000 == 0 {
			m.new(layNone, 40000)
		}
	}
	s := h.Stats()
	if s.TotalAlloc < 300<<20 || s.HeapSys > 6<<20 {
		t.Errorf("%d MiB allocated, the heap grew to %d KiB", s.TotalAlloc>>20, s.HeapSys>>10)
	}
	if m.count(m.roots[0]) != 1<<11-1 {
		t.Error("the tree was damaged")
	}
}

// TestSameAddresses runs a program with inline allocation, without it, and on a heap that was used
// and reset. Addresses and figures are equal.
func TestSameAddresses(t *testing.T) {
	run := func(h *Heap, inline bool) (addrs []uint32, s Stats) {
		m := &mutator{h: h}
		for i := range 120_000 {
			size := uint64(i * 31 % 300)
			if i%50 == 0 {
				size *= 20
			}
			if i%5000 == 0 {
				size += 50000
			}
			var p uint32
			if inline {
				p = m.new(layNone, size)
			} else {
				p = m.slow(layNone, size)
			}
			if i%100 == 0 {
				m.push(p)
			}
			if i%17 == 0 {
				addrs = append(addrs, p)
			}
			if i%3000 == 0 {
				m.roots = m.roots[len(m.roots)/2:]
			}
		}
		return addrs, h.Stats()
	}
	h := newTestHeap(t, 64<<20)
	a1, s1 := run(h, true)
	a2, s2 := run(newTestHeap(t, 64<<20), false)
	h.Reset()
	a3, s3 := run(h, true)
	if !slices.Equal(a1, a2) || s1 != s2 {
		t.Errorf("inline and not:\n%+v\n%+v", s1, s2)
	}
	if !slices.Equal(a1, a3) || s1 != s3 {
		t.Errorf("before and after Reset:\n%+v\n%+v", s1, s3)
	}
	if s1.NumGC == 0 {
		t.Error("no collection")
	}
}

// TestNoGoAllocation: a heap in steady state does not allocate from Go's heap.
func TestNoGoAllocation(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	m := &mutator{h: h}
	round := func() {
		m.binaryTrees(10)
		m.push(m.new(layPtr, 100_000))
		obj := m.new(layPair, 16)
		h.AddSpecial(obj, 1, 1)
		m.collect()
		m.pop()
		c, _ := h.AllocChunk(4096)
		h.FreeChunk(c)
		h.Layout(24, testLayouts[layNode].Ptrs)
	}
	round()
	if n := testing.AllocsPerRun(10, round); n != 0 {
		t.Errorf("%v Go allocations a round", n)
	}
}

func TestHeapsAreIndependent(t *testing.T) {
	for i := range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			m := &mutator{h: newTestHeap(t, 64<<20)}
			if got, want := m.binaryTrees(8+i), goBinaryTrees(8+i); got != want {
				t.Errorf("count %d, want %d", got, want)
			}
		})
	}
}

func TestSecondHeapInASpace(t *testing.T) {
	s := newTestSpace(t)
	h := NewHeap(s, 1<<16, testLayouts, 64<<20)
	(&mutator{h: h}).binaryTrees(8)
	h = NewHeap(s, 3<<16, testLayouts, 64<<20)
	m := &mutator{h: h}
	if got, want := m.binaryTrees(8), goBinaryTrees(8); got != want {
		t.Errorf("count %d, want %d", got, want)
	}
}

func TestStress(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100, -1} {
		h := newTestHeap(t, 64<<20)
		h.SetStress(n)
		m := &mutator{h: h}
		keep := m.tree(4)
		m.push(keep)
		if h.Limit != h.Cur && n > 0 {
			t.Errorf("stress %d: the window is open", n)
		}
		for range 1000 {
			m.new(layPair, 16)
		}
		if m.count(keep) != 31 {
			t.Errorf("stress %d: the tree was damaged", n)
		}
		s := h.Stats()
		if n > 0 && s.NumGC != s.Mallocs/uint64(n) && s.NumGC != (s.Mallocs-1)/uint64(n) && s.NumGC+1 != s.Mallocs/uint64(n) {
			t.Errorf("stress %d: %d collections for %d objects", n, s.NumGC, s.Mallocs)
		}
		if n < 0 && s.NumGC == 0 {
			t.Error("no collection in slow paths")
		}
	}
}

func TestPoison(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	h.Poison = true
	a := alloc(t, h, layPair, 16)
	b := alloc(t, h, layPair, 16)
	c := alloc(t, h, layPair, 40000)
	collect(t, h, a)
	if v := h.load(b); v != 0xdbdbdbdbdbdbdbdb {
		t.Errorf("dead object holds %#x", v)
	}
	if v := h.load(c + 39992); v != 0xdbdbdbdbdbdbdbdb {
		t.Errorf("dead large object holds %#x", v)
	}
	if v := h.load(a); v != 0 {
		t.Errorf("live object holds %#x", v)
	}
	for range 1000 { // none of it reappears
		p := alloc(t, h, layNone, 512)
		for i := range uint32(64) {
			if h.load(p+i*8) != 0 {
				t.Fatal("new object is not zero")
			}
		}
	}
}

func TestLayoutsMadeAtRunTime(t *testing.T) {
	h := newTestHeap(t, 64<<20)
	mustLayout := func(size int64, ptrs ...uint64) uint32 {
		n, st := h.Layout(size, ptrs)
		if st != StatusOK {
			t.Fatal(st)
		}
		return n
	}
	a := mustLayout(32, 6)
	b := mustLayout(32, 6, 0, 0)
	c := mustLayout(40, 6)
	d := mustLayout(32)
	e := mustLayout(32, 0)
	long := mustLayout(8*200, 0, 0, 0, 1<<7)
	if a != numLayouts || b != a || c != a+1 || d != ir.NoPointers || e != d || long != a+2 {
		t.Errorf("numbers %d %d %d %d %d %d", a, b, c, d, e, long)
	}
	p := alloc(t, h, long, 8*200*3)
	for w := range uint32(600) {
		write(h, p, w, alloc(t, h, layNone, 8))
	}
	collect(t, h, p)
	if n := h.Stats().HeapObjects; n != 4 {
		t.Errorf("%d objects, want 4", n)
	}
	h.Reset()
	if _, st := h.Alloc(a, 32); st != StatusInvalid {
		t.Errorf("layout made before Reset: %v", st)
	}
	if n := mustLayout(40, 6); n != numLayouts {
		t.Errorf("first layout after Reset has number %d", n)
	}
	if h.Stats().Host == 0 {
		t.Error("layouts count nothing against the limit")
	}
}

func TestCompileLayout(t *testing.T) {
	for _, c := range []struct {
		in   ir.Layout
		want layout
	}{
		{ir.Layout{Size: 16}, pointerFree},
		{ir.Layout{Size: 16, Ptrs: []uint64{0, 0}}, pointerFree},
		{ir.Layout{Size: 16, Ptrs: []uint64{4}}, pointerFree}, // beyond the element
		{ir.Layout{Size: -8, Ptrs: []uint64{1}}, pointerFree},
		{ir.Layout{Size: 0, Ptrs: []uint64{1}}, pointerFree},
		{ir.Layout{Size: 1 << 62, Ptrs: []uint64{1}}, pointerFree},
		{ir.Layout{Size: 8, Ptrs: []uint64{1}}, layout{pattern: 1<<64 - 1, span: 64, words: 1}},
		{ir.Layout{Size: 24, Ptrs: []uint64{1<<63 | 4}}, layout{pattern: 0x4924924924924924, span: 63, words: 3}},
		{ir.Layout{Size: 33 * 8, Ptrs: []uint64{2}}, layout{pattern: 2, span: 33, words: 33}},
		{ir.Layout{Size: 65 * 8, Ptrs: []uint64{2, 1}}, layout{pattern: 2, span: 64, words: 65, long: []uint64{2, 1}}},
	} {
		got := compileLayout(&c.in)
		if got.pattern != c.want.pattern || got.span != c.want.span || got.words != c.want.words || !slices.Equal(got.long, c.want.long) {
			t.Errorf("%+v: %+v, want %+v", c.in, got, c.want)
		}
	}
}
