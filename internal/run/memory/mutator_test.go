package memory

import "unsafe"

// A mutator stands for a guest: it allocates inline, as a tier does, and keeps its roots on an
// explicit stack.
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

// binaryTrees is the program of the Benchmarks Game.
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
