//go:build unix

package memory

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// cpuTime is the CPU time of the process, in seconds.
func cpuTime() float64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}

// median makes a figure independent of short other loads.
func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
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

// BenchmarkCollectList has only one object to follow at any time.
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

// BenchmarkCheckpoint takes a checkpoint after writes to four pages, different ones each time or
// (hot) the same, and goes back to one.
func BenchmarkCheckpoint(b *testing.B) {
	tracker, err := NewTracker()
	if err != nil {
		b.Skip("no tracker: ", err)
	}
	for _, size := range []uint32{1 << 20, 64 << 20} {
		s, err := Reserve()
		if err != nil {
			b.Fatal(err)
		}
		defer s.Release()
		h := NewHeap(s, 1<<16, testLayouts, 1<<30)
		var objects []uint32
		for n := uint32(0); n < size; n += 8 << 10 {
			p, st := h.Alloc(0, 8<<10-64)
			if st == StatusCollect {
				collect(b, h, objects...)
				p, st = h.Alloc(0, 8<<10-64)
			}
			if st != StatusOK {
				b.Fatal(st)
			}
			objects = append(objects, p)
			h.word(p, 1)
			h.word(p+4096, 1)
		}
		cp, err := NewCheckpoint(h, tracker)
		if err != nil {
			b.Fatal(err)
		}
		defer cp.Release()
		if err := cp.Take(); err != nil {
			b.Fatal(err)
		}
		write := func(i, apart int) {
			for j := range 4 {
				h.word(objects[(i*apart+j*31)%len(objects)], uint64(i))
			}
		}
		for _, way := range []struct {
			name  string
			apart int
			back  bool
		}{{"take", 7, false}, {"take+back", 7, true}, {"hot/take", 0, false}, {"hot/take+back", 0, true}} {
			b.Run(fmt.Sprintf("%s/%dMiB", way.name, size>>20), func(b *testing.B) {
				b.ReportAllocs()
				began := cpuTime()
				for i := range b.N {
					write(i+1, way.apart)
					if way.back {
						if err := cp.Back(); err != nil {
							b.Fatal(err)
						}
					}
					if err := cp.Take(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((cpuTime()-began)*1e9/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
