package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A model mirrors the heap: which objects exist, and their contents.
type model struct {
	t      *testing.T
	h      *Heap
	rng    *rand.Rand
	objs   map[uint32]*modelObj // by address; without those known to be freed
	addrs  []uint32             // of objs, sorted
	roots  []uint32
	chunks []modelChunk

	mallocs, frees, total, live uint64
	limits                      int // how often StatusLimit was returned
}

type modelChunk struct{ addr, size uint32 }

type modelObj struct {
	layout uint32
	size   uint64 // rounded up to 8
	words  map[uint32]uint64
	serial uint64
}

func (m *model) alloc(layout uint32, size uint64) uint32 {
	var p uint32
	if n := (size+7)&^7 + HeaderSize; m.rng.IntN(2) == 0 && n <= uint64(m.h.Limit-m.h.Cur) {
		m.h.word(m.h.Cur, Header(layout, size))
		p = m.h.Cur + HeaderSize
		m.h.Cur += uint32(n)
		m.h.Mallocs++
	} else {
		var st Status
		p, st = m.h.Alloc(layout, size)
		if st == StatusCollect {
			m.collect()
			p, st = m.h.Alloc(layout, size)
		}
		if st == StatusLimit { // drop something
			m.limits++
			if len(m.roots) == 0 && len(m.chunks) == 0 {
				m.t.Fatalf("Alloc(%d, %d): %v without a root", layout, size, st)
			}
			m.roots = m.roots[:len(m.roots)/2]
			for range len(m.chunks) / 2 {
				m.freeChunk()
			}
			m.collect()
			return m.alloc(layout, size)
		}
		if st != StatusOK {
			m.t.Fatalf("Alloc(%d, %d): %v", layout, size, st)
		}
	}
	size = (size + 7) &^ 7
	for q := p; q < p+uint32(size); q += 8 {
		if v := m.h.load(q); v != 0 {
			m.t.Fatalf("object %#x of %d bytes: word at %d is %#x, not zero", p, size, q-p, v)
		}
	}
	m.mallocs++
	m.total += size
	m.live += size
	if size == 0 {
		m.frees++ // unreachable at once
		return 0
	}
	if o := m.objs[p]; o != nil {
		m.t.Fatalf("object %#x allocated twice", p)
	}
	i, _ := slices.BinarySearch(m.addrs, p)
	m.addrs = slices.Insert(m.addrs, i, p)
	m.objs[p] = &modelObj{layout: layout, size: size, words: map[uint32]uint64{}, serial: m.mallocs}
	return p
}

// store puts a pointer into some object at some pointer word of another, a
// pattern elsewhere. Pointers may be interior.
func (m *model) store(p uint32) {
	o := m.objs[p]
	w := uint32(m.rng.Uint64N(o.size / 8))
	v := m.rng.Uint64() // also garbage in non-pointer words
	if isPtr(o.layout, w) {
		v = uint64(m.target())
		v |= m.rng.Uint64() << 32 // only the low half counts
	}
	m.h.word(p+w*8, v)
	o.words[w] = v
}

// target is a pointer to a live object, sometimes interior, sometimes nil, just past the end, or
// outside the heap.
func (m *model) target() uint32 {
	if len(m.roots) == 0 || m.rng.IntN(10) == 0 {
		return []uint32{0, 8, 1 << 16, 1<<32 - 8, m.h.top, m.h.top - 1}[m.rng.IntN(6)]
	}
	p := m.walkFrom(m.roots[m.rng.IntN(len(m.roots))])
	o := m.objs[p]
	switch m.rng.IntN(4) {
	case 0:
		return p + uint32(m.rng.Uint64N(o.size))
	case 1:
		if m.rng.IntN(4) == 0 {
			return p + uint32(o.size)
		}
	}
	return p
}

// walkFrom follows a few pointers.
func (m *model) walkFrom(p uint32) uint32 {
	for range m.rng.IntN(6) {
		o := m.objs[p]
		next := uint32(0)
		for w, v := range o.words {
			if isPtr(o.layout, w) {
				if q := m.owner(uint32(v)); q != 0 && (next == 0 || q < next) {
					next = q
				}
			}
		}
		if next == 0 {
			break
		}
		p = next
	}
	return p
}

// owner finds the model's object that addr points into, without the heap's help. Asking the heap
// makes start bits, and would hide behaviour without them.
func (m *model) owner(addr uint32) uint32 {
	i, found := slices.BinarySearch(m.addrs, addr)
	if found {
		return addr
	}
	if i > 0 {
		if p := m.addrs[i-1]; uint64(addr-p) < m.objs[p].size {
			return p
		}
	}
	return 0
}

// lookup compares the heap's view of an address with the model's.
func (m *model) lookup(addr uint32) {
	start, size, ok := m.h.ObjectOf(addr)
	want := m.owner(addr)
	if !ok {
		start = 0
	}
	if start != want || ok && size != m.objs[want].size {
		m.t.Fatalf("ObjectOf(%#x) = %#x, %d, %v; want %#x", addr, start, size, ok, want)
	}
}

func (m *model) collect() {
	// The model's own set of reachable objects, by address.
	reach := map[uint32]bool{}
	var visit func(addr uint32)
	visit = func(addr uint32) {
		p := m.owner(addr)
		if p == 0 || reach[p] {
			return
		}
		reach[p] = true
		o := m.objs[p]
		for w, v := range o.words {
			if isPtr(o.layout, w) {
				visit(uint32(v))
			}
		}
	}
	for _, r := range m.roots {
		visit(r)
	}
	collect(m.t, m.h, m.roots...)
	m.frees, m.live = m.mallocs, 0
	for p, o := range m.objs {
		if !reach[p] {
			delete(m.objs, p)
			continue
		}
		m.frees--
		m.live += o.size
	}
	m.addrs = slices.DeleteFunc(m.addrs, func(p uint32) bool { return m.objs[p] == nil })
	m.check()
}

// check compares all contents and figures.
func (m *model) check() {
	t := m.t
	for p, o := range m.objs {
		for w := range uint32(o.size / 8) {
			if got := m.h.load(p + w*8); got != o.words[w] {
				t.Fatalf("object %#x (number %d), word %d: %#x, want %#x", p, o.serial, w, got, o.words[w])
			}
		}
		if got := m.h.load(p - 8); got != Header(o.layout, o.size) {
			t.Fatalf("object %#x: header %#x", p, got)
		}
		if m.h.LayoutOf(p) != o.layout {
			t.Fatalf("object %#x: layout %d, want %d", p, m.h.LayoutOf(p), o.layout)
		}
	}
	s := m.h.Stats()
	if s.Mallocs != m.mallocs || s.Frees != m.frees || s.TotalAlloc != m.total || s.HeapAlloc != m.live {
		t.Fatalf("figures: %+v\nwant mallocs %d, frees %d, total %d, live %d", s, m.mallocs, m.frees, m.total, m.live)
	}
	checkBlocks(t, m.h, true)
}

// checkBlocks verifies the invariants of an idle heap's tables. With zero it also checks memory:
// clean blocks must hold only zeros.
func checkBlocks(t *testing.T, h *Heap, zero bool) {
	t.Helper()
	var used, dirty, chunkBlocks uint64
	for i := h.lo >> blockShift; i < h.top>>blockShift; i++ {
		b := &h.blocks[i]
		free := h.free[i>>6]>>(i&63)&1 != 0
		if free != (b.state == blockFree) {
			t.Fatalf("block %d: state %d, free bit %v", i, b.state, free)
		}
		if free && i < h.lowFree {
			t.Fatalf("block %d is free, below lowFree %d", i, h.lowFree)
		}
		if !free {
			used++
		}
		if b.dirty {
			dirty++
		} else if zero {
			for a := i << blockShift; a < (i+1)<<blockShift; a += 8 {
				if h.load(a) != 0 {
					t.Fatalf("clean block %d is not zero at %#x", i, a)
				}
			}
		}
		switch b.state {
		case blockChunks:
			chunkBlocks++
		case blockRun:
			chunkBlocks += uint64(b.count)
		case blockTail:
			head := &h.blocks[b.head]
			if i-b.head >= head.count || head.state != blockLarge && head.state != blockRun {
				t.Fatalf("block %d: tail of %d", i, b.head)
			}
		}
		if !b.extra.empty() {
			t.Fatalf("block %d: lines of a collection are left", i)
		}
		for _, p := range h.bits[i<<blockShift>>9 : (i+1)<<blockShift>>9] {
			if p.mark != 0 || b.state != blockLines && b.state != blockLarge && p.start != 0 {
				t.Fatalf("block %d, state %d: stray bits", i, b.state)
			}
		}
	}
	if used != h.used || dirty != h.dirty || chunkBlocks != h.chunks.blocks {
		t.Fatalf("blocks: used %d (counted %d), dirty %d (%d), chunks %d (%d)",
			h.used, used, h.dirty, dirty, h.chunks.blocks, chunkBlocks)
	}
	if h.inUse() > h.limit || h.resident() > h.limit+h.trimSlack() {
		t.Fatalf("in use %d, dirty %d blocks, limit %d", h.inUse(), h.dirty, h.limit)
	}
}

func (m *model) size() (layout uint32, size uint64) {
	layout = uint32(m.rng.IntN(numLayouts))
	elem := max(uint64(testLayouts[layout].Size), 1)
	var n uint64
	switch x := m.rng.IntN(1000); {
	case x < 900:
		n = m.rng.Uint64N(200)
	case x < 985:
		n = m.rng.Uint64N(4000)
	case x < 997:
		n = m.rng.Uint64N(40000)
	default:
		n = m.rng.Uint64N(300000)
	}
	if layout == layNone && m.rng.IntN(2) == 0 {
		return layout, n
	}
	return layout, (n/elem + 1) * elem
}

func (m *model) step() {
	switch x := m.rng.IntN(100); {
	case x == 99 && m.rng.IntN(3) == 0:
		m.lookup(m.target())
		m.lookup(m.h.lo + m.rng.Uint32N(m.h.top-m.h.lo+1))
	case x < 45:
		if p := m.alloc(m.size()); p != 0 && m.rng.IntN(3) == 0 {
			m.roots = append(m.roots, p)
		}
	case x < 80 && len(m.roots) > 0:
		m.store(m.walkFrom(m.roots[m.rng.IntN(len(m.roots))]))
	case x < 90 && len(m.roots) > 0:
		i := m.rng.IntN(len(m.roots))
		m.roots[i] = m.roots[len(m.roots)-1]
		m.roots = m.roots[:len(m.roots)-1]
	case x < 91 && len(m.roots) > 100 && m.rng.IntN(20) == 0:
		m.roots = m.roots[:m.rng.IntN(len(m.roots))]
	case x < 93:
		size := uint32(1) << (6 + m.rng.IntN(12))
		p, st := m.h.AllocChunk(size)
		if st == StatusCollect {
			m.collect()
			p, st = m.h.AllocChunk(size)
		}
		if st == StatusLimit {
			return
		}
		if st != StatusOK {
			m.t.Fatalf("AllocChunk(%d): %v", size, st)
		}
		for _, c := range m.h.mem(p, uint64(size)) {
			if c != 0 {
				m.t.Fatalf("chunk %#x is not zero", p)
			}
		}
		fill(m.h.mem(p, uint64(size)), 0xcc)
		m.chunks = append(m.chunks, modelChunk{p, size})
	case x < 96:
		if len(m.chunks) > 0 {
			m.freeChunk()
		}
	}
}

// freeChunk frees a random chunk, after a check of its contents.
func (m *model) freeChunk() {
	i := m.rng.IntN(len(m.chunks))
	c := m.chunks[i]
	m.chunks = slices.Delete(m.chunks, i, i+1)
	for _, b := range m.h.mem(c.addr, uint64(c.size)) {
		if b != 0xcc {
			m.t.Fatalf("chunk %#x was overwritten", c.addr)
		}
	}
	if st := m.h.FreeChunk(c.addr); st != StatusOK {
		m.t.Fatalf("FreeChunk(%#x): %v", c.addr, st)
	}
}

// TestModel runs random programs against the model, with settings that
// collect at different times.
func TestModel(t *testing.T) {
	steps := 12000
	if testing.Short() {
		steps = 4000
	}
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			limit := uint64(64 << 20)
			if seed >= 8 {
				limit = 2 << 20
			}
			h := newTestHeap(t, limit)
			m := &model{t: t, h: h, rng: rand.New(rand.NewPCG(seed, 1)), objs: map[uint32]*modelObj{}}
			h.Poison = seed%2 == 1
			switch seed % 4 {
			case 2:
				h.SetStress(97)
			case 3:
				h.SetStress(-1)
			}
			for range steps {
				m.step()
			}
			m.collect()
			t.Logf("%d objects left, %d times at the limit, %+v", len(m.objs), m.limits, h.Stats())
			m.roots = nil
			m.collect()
			for len(m.chunks) > 0 {
				m.freeChunk()
			}
			if s := h.Stats(); s.HeapObjects != 0 || s.HeapAlloc != 0 || s.InUse != 0 || s.StackInuse != 0 {
				t.Errorf("after everything was dropped: %+v", s)
			}
			h.Reset()
			if s := h.Stats(); s != (Stats{Limit: h.limit, NextGC: MinTrigger}) {
				t.Errorf("after Reset: %+v", s)
			}
			checkBlocks(t, h, true)
		})
	}
}
