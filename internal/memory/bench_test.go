package memory

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

// A mutator stands for a guest: it allocates as a tier does, inline, and keeps
// its roots on an explicit stack.
type mutator struct {
	h     *Heap
	roots []uint32
	pause func() // called after each collection
}

func (m *mutator) new(layout uint32, size uint64) uint32 {
	h := m.h
	n := uint32(size+7)&^7 + HeaderSize
	if n <= h.Limit-h.Cur {
		*(*uint64)(unsafe.Add(h.base, h.Cur)) = (uint64(n)-HeaderSize)>>3 | uint64(layout)<<layoutShift
		addr := h.Cur + HeaderSize
		h.Cur += n
		h.Mallocs++
		return addr
	}
	return m.slow(layout, size)
}

//go:noinline
func (m *mutator) slow(layout uint32, size uint64) uint32 {
	p, st := m.h.Alloc(layout, size)
	if st == StatusCollect {
		m.collect()
		p, st = m.h.Alloc(layout, size)
	}
	if st != StatusOK {
		panic(st)
	}
	return p
}

func (m *mutator) collect() {
	h := m.h
	if st := h.BeginMark(); st != StatusOK {
		panic(st)
	}
	for _, r := range m.roots {
		h.MarkPtr(r)
	}
	for !h.Drain(MarkQuantum) {
	}
	if st := h.Sweep(); st != StatusOK {
		panic(st)
	}
	if m.pause != nil {
		m.pause()
	}
}

func (m *mutator) push(p uint32) { m.roots = append(m.roots, p) }
func (m *mutator) pop()          { m.roots = m.roots[:len(m.roots)-1] }

func (m *mutator) tree(depth int) uint32 {
	if depth == 0 {
		return m.new(layPair, 16)
	}
	l := m.tree(depth - 1)
	m.push(l)
	r := m.tree(depth - 1)
	m.push(r)
	p := m.new(layPair, 16)
	m.pop()
	m.pop()
	b := unsafe.Add(m.h.base, p)
	*(*uint64)(b) = uint64(l)
	*(*uint64)(unsafe.Add(b, 8)) = uint64(r)
	return p
}

func (m *mutator) count(p uint32) int {
	b := unsafe.Add(m.h.base, p)
	l := *(*uint32)(b)
	if l == 0 {
		return 1
	}
	return 1 + m.count(l) + m.count(*(*uint32)(unsafe.Add(b, 8)))
}

// binaryTrees is the benchmark game's program.
func (m *mutator) binaryTrees(n int) int {
	sum := m.count(m.tree(n + 1))
	long := m.tree(n)
	m.push(long)
	for d := 4; d <= n; d += 4 {
		for range 1 << (n - d + 4) {
			sum += m.count(m.tree(d))
		}
	}
	m.pop()
	return sum + m.count(long)
}

// median spares the figures the other load of the machine.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

type goTree struct{ l, r *goTree }

func newGoTree(depth int) *goTree {
	if depth == 0 {
		return &goTree{}
	}
	return &goTree{newGoTree(depth - 1), newGoTree(depth - 1)}
}

func (t *goTree) count() int {
	if t.l == nil {
		return 1
	}
	return 1 + t.l.count() + t.r.count()
}

func goBinaryTrees(n int) int {
	sum := newGoTree(n + 1).count()
	long := newGoTree(n)
	for d := 4; d <= n; d += 4 {
		for range 1 << (n - d + 4) {
			sum += newGoTree(d).count()
		}
	}
	return sum + long.count()
}

// BenchmarkBinaryTrees reports the time of this heap and its ratio to Go's own
// allocator and collector, the two interleaved.
func BenchmarkBinaryTrees(b *testing.B) {
	const depth = 16
	s, err := Reserve()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Release()
	h := NewHeap(s, 1<<16, testLayouts, 1<<30)
	m := &mutator{h: h}
	var own, native, ratio []float64
	for b.Loop() {
		t0 := cpuTime()
		x := m.binaryTrees(depth)
		t1 := cpuTime()
		y := goBinaryTrees(depth)
		runtime.GC()
		t2 := cpuTime()
		if x != y {
			b.Fatal(x, y)
		}
		own = append(own, t1-t0)
		native = append(native, t2-t1)
		ratio = append(ratio, (t1-t0)/(t2-t1))
	}
	b.ReportMetric(median(own)*1e3, "own-ms")
	b.ReportMetric(median(native)*1e3, "go-ms")
	b.ReportMetric(median(ratio), "ratio")
	b.ReportMetric(float64(h.Stats().NumGC)/float64(b.N), "GCs")
	b.ReportMetric(float64(h.Stats().HeapSys)/(1<<20), "MiB")
}

// benchMutator returns a mutator over a heap of its own.
func benchMutator(b *testing.B) *mutator {
	s, err := Reserve()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Release() })
	return &mutator{h: NewHeap(s, 1<<16, testLayouts, 2<<30)}
}

// benchCollect measures collections of the live objects of m.
func benchCollect(b *testing.B, m *mutator) {
	h := m.h
	m.collect()
	var mark, sweep []float64
	for b.Loop() {
		t0 := cpuTime()
		h.BeginMark()
		for _, r := range m.roots {
			h.MarkPtr(r)
		}
		for !h.Drain(MarkQuantum) {
		}
		t1 := cpuTime()
		h.Sweep()
		mark = append(mark, t1-t0)
		sweep = append(sweep, cpuTime()-t1)
	}
	n := float64(h.Stats().HeapObjects)
	b.ReportMetric(median(mark)*1e9/n, "mark-ns/obj")
	b.ReportMetric(median(sweep)*1e9/n, "sweep-ns/obj")
	b.ReportMetric(n, "objects")
}

func BenchmarkCollectTree(b *testing.B) {
	m := benchMutator(b)
	m.push(m.tree(20))
	benchCollect(b, m)
}

// BenchmarkCollectGraph has pointers without any locality.
func BenchmarkCollectGraph(b *testing.B) {
	m := benchMutator(b)
	const n = 1 << 20
	all := m.new(layPtr, n*8)
	m.push(all)
	at := func(i uint32) *uint64 { return (*uint64)(unsafe.Add(m.h.base, all+i*8)) }
	for i := range uint32(n) {
		*at(i) = uint64(m.new(layPair, 16))
	}
	x := uint32(1)
	for i := range uint32(n) {
		x = x*1664525 + 1013904223
		*(*uint64)(unsafe.Add(m.h.base, *at(i))) = *at(x >> 8 % n)
		x = x*1664525 + 1013904223
		*(*uint64)(unsafe.Add(m.h.base, *at(i)+8)) = *at(x >> 8 % n)
	}
	root := *at(0)
	m.roots[0] = uint32(root)
	benchCollect(b, m)
}

// BenchmarkCollectList has one object to follow at a time.
func BenchmarkCollectList(b *testing.B) {
	m := benchMutator(b)
	m.push(0)
	for range 1 << 18 {
		p := m.new(layPair, 16)
		*(*uint64)(unsafe.Add(m.h.base, p)) = uint64(m.roots[0])
		m.roots[0] = p
	}
	benchCollect(b, m)
}

// BenchmarkLargeObjects allocates and drops objects of 1 MiB.
func BenchmarkLargeObjects(b *testing.B) {
	m := benchMutator(b)
	for b.Loop() {
		m.new(layNone, 1<<20)
	}
}

// BenchmarkStart is what a new instance pays: a space, a heap, an object.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := Reserve()
		if err != nil {
			b.Fatal(err)
		}
		h := NewHeap(s, 1<<16, testLayouts, 64<<20)
		h.Alloc(layNone, 8)
		s.Release()
	}
}

// BenchmarkReset is what it costs to use a small instance again.
func BenchmarkReset(b *testing.B) {
	m := benchMutator(b)
	for b.Loop() {
		m.tree(12)
		m.h.Reset()
	}
}
