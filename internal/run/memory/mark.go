package memory

import (
	"math/bits"
	"unsafe"
)

// MarkQuantum is a budget for Drain of about 100 µs.
const MarkQuantum = 4096

// Costs in units of Drain's budget. An object costs one.
const (
	wordsPerUnit = 4   // words scanned of an object larger than a line
	indexCost    = 128 // making the start bits of a block
)

// A marker is the state of marking.
type marker struct {
	stack   Vec[uint32]    // marked objects whose headers have not been read yet
	ranges  Vec[markRange] // memory to scan piece by piece: roots, large objects
	bytes   uint64         // of marked objects, headers included
	objects uint64
	far     uint64 // pointers to cold cache lines, see scanCounted
	cost    int    // units still to be subtracted from the budget

	chunkPtrs Vec[uint32] // pointers into chunks, each word once, that NextChunkPtr has not returned yet
	inChunks  bool        // there were some: mark bits of chunks are set

	inner        [4 * lineWords]uint32 // pointers into the interior of objects that drainStack found
	queue        [8]uint32             // objects popped from the stack ahead of their turn
	next, queued uint32                // the first of the queue, and its length

	lowest  uint32 // Heap.lowest, near the inner loop's data
	touched uint64 // a sum of headers, so that the compiler keeps the loads
}

// lineWords bounds the objects of the marker's inner loop: they lie in one line, so they have fewer
// words. Every pattern covers as many.
const lineWords = LineSize / 8

// aheadSize is the size of live objects from which headers are loaded some time before they are
// read. So large a heap is not in the cache, and the loads overlap. A smaller heap is in the cache,
// and the detour through the queue does not pay.
const aheadSize = 8 << 20

// A markRange is a row of elements of one layout.
type markRange struct {
	addr   uint32
	words  uint32 // left to scan
	layout uint32
	phase  uint32 // words of the pattern's current repetition that were scanned
}

// rangeStep is how many words of a range are scanned before the objects found are followed. It
// bounds the growth of the mark stack.
const rangeStep = 512

func (m *marker) reset() {
	m.stack.Clear(markKeep)
	m.ranges.Clear(markKeep)
	m.chunkPtrs.Clear(markKeep)
	m.inChunks = false
	m.bytes, m.objects, m.far, m.cost, m.next, m.queued = 0, 0, 0, 0, 0, 0
}

// markKeep is the size up to which a buffer of the marker is kept between collections.
const markKeep = 256 << 10

func (m *marker) free() {
	m.stack.Free()
	m.ranges.Free()
	m.chunkPtrs.Free()
}

// done reports whether nothing is left to follow.
func (m *marker) done() bool {
	return len(m.stack.List) == 0 && m.queued == 0 && len(m.ranges.List) == 0
}

// BeginMark starts a collection. Until Sweep nothing can be allocated and the guest must not run.
// It restarts a collection that was begun and not finished.
func (h *Heap) BeginMark() Status {
	if h.phase == phaseMark {
		h.dropMarks()
	}
	if h.corrupt {
		return StatusCorrupt
	}
	if cap(h.marker.chunkPtrs.List) == 0 {
		h.marker.chunkPtrs.Grow(512) // what most programs ever need
	}
	if h.Poison {
		h.indexAll() // to find the dead ones
	}
	h.retire(h.window())
	h.retire(h.spare)
	h.setWindow(window{})
	h.spare = window{}
	h.marker.reset()
	h.unmarkBuffers()
	h.marker.lowest = h.lowest
	h.phase = phaseMark
	return StatusOK
}

// dropMarks forgets what an unfinished collection marked.
func (h *Heap) dropMarks() {
	pairs := h.bits[h.lo>>9 : h.top>>9]
	for i := range pairs {
		pairs[i].mark = 0
	}
	for i := h.lo >> blockShift; i < h.top>>blockShift; i++ {
		h.blocks[i].extra = lineSet{}
	}
}

// MarkPtr marks the object that addr points into, if any. Drain marks everything that it leads to.
func (h *Heap) MarkPtr(addr uint32) {
	if h.phase == phaseMark {
		h.mark(addr)
	}
}

func (h *Heap) mark(addr uint32) {
	if addr-h.lo >= h.top-h.lo {
		if addr >= h.lowest {
			h.markBuffer(addr)
		}
		return
	}
	pair := &h.bits[addr>>9]
	bit := uint64(1) << (addr >> 3 & 63)
	if pair.start&bit == 0 || addr&7 != 0 {
		var ok bool
		p := addr
		if addr, _, ok = h.find(p); !ok {
			h.markChunk(p)
			return
		}
		pair = &h.bits[addr>>9]
		bit = 1 << (addr >> 3 & 63)
	}
	if pair.mark&bit == 0 {
		pair.mark |= bit
		h.marker.stack.Append(addr)
	}
}

// MarkRange marks what count elements of a layout at addr point to, for instance an ir.Root. The
// memory must be committed. It need not be in the heap.
func (h *Heap) MarkRange(addr, layout, count uint32) {
	if h.phase != phaseMark {
		return
	}
	if layout >= uint32(len(h.layouts.tab)) {
		h.corrupt = true
		return
	}
	words := uint64(h.layouts.tab[layout].words) * uint64(count)
	if words == 0 {
		return
	}
	if words > SpaceSize/8 {
		h.corrupt = true
		return
	}
	if _, ok := h.space.Bytes(uint64(addr), words*8); !ok || addr&7 != 0 {
		h.corrupt = true
		return
	}
	h.marker.ranges.Append(markRange{addr: addr, words: uint32(words), layout: layout})
}

// MarkBitmap marks what the words of memory at addr point to: word i is a
// pointer if bit i of ptrs is set. It is for frames of the shadow stack.
func (h *Heap) MarkBitmap(addr uint32, ptrs []uint64, words uint32) {
	if h.phase != phaseMark || words == 0 {
		return
	}
	if _, ok := h.space.Bytes(uint64(addr), uint64(words)*8); !ok || addr&7 != 0 {
		h.corrupt = true
		return
	}
	for i, x := range ptrs {
		at := uint32(i) * 64
		if at >= words {
			break
		}
		h.scan(addr+at*8, x&wordMask(uint64(words-at)))
	}
}

// scan marks what the words at addr with a bit in m point to.
func (h *Heap) scan(addr uint32, m uint64) {
	p := unsafe.Add(h.base, addr)
	for ; m != 0; m &= m - 1 {
		h.mark(*(*uint32)(unsafe.Add(p, uintptr(bits.TrailingZeros64(m))*8)))
	}
}

// scanCounted is scan for memory that the heap visits in every tier alike: objects and globals. It
// counts a pointer if it leads to another block than the previous pointer (last) and than its own.
// It returns the last pointer.
func (h *Heap) scanCounted(addr uint32, m uint64, last uint32) uint32 {
	p := unsafe.Add(h.base, addr)
	for ; m != 0; m &= m - 1 {
		to := *(*uint32)(unsafe.Add(p, uintptr(bits.TrailingZeros64(m))*8))
		if to-h.lo >= h.top-h.lo {
			if to >= h.lowest {
				h.markBuffer(to)
			}
			continue
		}
		if (to^addr)>>blockShift != 0 && (to^last)>>blockShift != 0 {
			h.marker.far++
		}
		last = to
		h.mark(to)
	}
	return last
}

// Drain follows marked objects to what they point to. It does a bounded amount of work, about
// budget objects, and reports whether everything is done. With a budget of 0 or less it continues
// to the end.
func (h *Heap) Drain(budget int) (done bool) {
	if h.phase != phaseMark {
		return true
	}
	if budget <= 0 {
		budget = int(^uint(0) >> 1)
	}
	m := &h.marker
	for {
		budget = h.drainStack(budget)
		if m.done() {
			return true
		}
		if budget <= 0 {
			return false
		}
		h.scanStep()
		budget -= m.cost
		m.cost = 0
	}
}

// drainStack pops objects until the stack is empty or the budget is used up. It returns the rest of
// the budget.
//
// The inner loop makes no calls, so that the compiler keeps its variables in registers. The outer
// loop does the rare cases: an object across lines, a pointer into an object, a stack that has to
// grow.
func (h *Heap) drainStack(budget int) int {
	m := &h.marker
	var (
		base, lo, size = h.base, h.lo, h.top - h.lo
		pairs          = unsafe.Pointer(unsafe.SliceData(h.bits))
		layouts        = unsafe.Pointer(unsafe.SliceData(h.layouts.tab))
		numLayouts     = uint64(len(h.layouts.tab))
		ahead          = h.live > aheadSize
	)
	for budget > 0 && (len(m.stack.List) > 0 || m.queued > 0) {
		m.stack.Grow(2 * lineWords)
		stack := unsafe.Pointer(unsafe.SliceData(m.stack.List))
		n, room := len(m.stack.List), cap(m.stack.List)-lineWords
		inner := 0
		live, before, far := uint64(0), budget, uint64(0)
		var odd uint32
		for budget > 0 && n <= room && inner <= len(m.inner)-lineWords {
			var obj uint32
			if !ahead {
				if n == 0 {
					break
				}
				n--
				obj = *(*uint32)(unsafe.Add(stack, n*4))
			} else {
				for m.queued < uint32(len(m.queue)) && n > 0 {
					n--
					obj = *(*uint32)(unsafe.Add(stack, n*4))
					m.touched += *(*uint64)(unsafe.Add(base, obj-HeaderSize))
					m.queue[(m.next+m.queued)%uint32(len(m.queue))] = obj
					m.queued++
				}
				if m.queued == 0 {
					break
				}
				obj = m.queue[m.next%uint32(len(m.queue))]
				m.next++
				m.queued--
			}
			p := unsafe.Add(base, obj)
			header := *(*uint64)(unsafe.Add(p, -HeaderSize))
			words := uint32(header)
			number := header >> layoutShift & layoutMask
			if words > lineWords || (obj-HeaderSize)^(obj+words*8-1) >= LineSize || number >= numLayouts {
				odd = obj
				break
			}
			budget--
			live += uint64(words)
			l := (*layout)(unsafe.Add(layouts, uintptr(number)*unsafe.Sizeof(layout{})))
			for x := l.pattern & (1<<words - 1); x != 0; x &= x - 1 {
				addr := *(*uint32)(unsafe.Add(p, uintptr(bits.TrailingZeros64(x))*8))
				if addr-lo >= size {
					if addr >= m.lowest {
						m.inner[inner] = addr
						inner++
					}
					continue
				}
				if (addr^obj)>>blockShift != 0 {
					far++
				}
				pair := (*bitPair)(unsafe.Add(pairs, uintptr(addr>>9)*unsafe.Sizeof(bitPair{})))
				bit := uint64(1) << (addr >> 3 & 63)
				if pair.start&bit == 0 || addr&7 != 0 {
					m.inner[inner] = addr
					inner++
				} else if pair.mark&bit == 0 {
					pair.mark |= bit
					*(*uint32)(unsafe.Add(stack, n*4)) = addr
					n++
				}
			}
		}
		m.stack.List = m.stack.List[:n]
		m.objects += uint64(before - budget)
		m.bytes += live*8 + uint64(before-budget)*HeaderSize
		m.far += far
		for _, addr := range m.inner[:inner] {
			h.mark(addr)
		}
		if odd != 0 {
			h.visit(odd)
		}
		budget -= m.cost
		m.cost = 0
	}
	return budget
}

// visit is drainStack for one object of any kind.
func (h *Heap) visit(obj uint32) {
	m := &h.marker
	header := h.load(obj - HeaderSize)
	words := uint32(header)
	number := uint32(header>>layoutShift) & layoutMask
	m.cost++
	if number >= uint32(len(h.layouts.tab)) {
		h.corrupt = true
		return
	}
	if !h.spread(obj, words) {
		return
	}
	m.objects++
	m.bytes += uint64(words)*8 + HeaderSize
	switch l := &h.layouts.tab[number]; {
	case l.words == 0: // no pointers
	case words <= l.span:
		m.cost += int(words / wordsPerUnit)
		h.scanCounted(obj, l.pattern&wordMask(uint64(words)), 0)
	default:
		m.ranges.Append(markRange{addr: obj, words: words, layout: number})
		if words <= rangeStep {
			h.scanStep()
		}
	}
}

// spread records the lines that an object covers besides the one that it starts in: of its header
// before, of its end after it. It returns false if the object can't be as large as its header says.
func (h *Heap) spread(obj, words uint32) bool {
	b := &h.blocks[obj>>blockShift]
	if b.state == blockLarge {
		if uint64(words)*8 != b.size {
			h.corrupt = true
			return false
		}
		return true
	}
	at := obj & (BlockSize - 1) // at least HeaderSize, as a header precedes it
	if uint64(words)*8 > BlockSize-uint64(at) {
		h.corrupt = true
		return false
	}
	first := (at - HeaderSize) >> lineShift
	last := (at + words*8 - 1) >> lineShift
	b.extra.add(first, last-first+1)
	return true
}

// scanStep scans a piece of the last range, and removes the range at its end.
func (h *Heap) scanStep() {
	m := &h.marker
	if len(m.ranges.List) == 0 {
		return
	}
	// The range leaves the list while its objects are marked. Mark pushes only to the stack, so the
	// place stays free meanwhile.
	last := len(m.ranges.List) - 1
	r := m.ranges.List[last]
	m.ranges.List = m.ranges.List[:last]
	l := &h.layouts.tab[r.layout]
	left := min(r.words, rangeStep)
	m.cost += int(left / wordsPerUnit)
	to := uint32(0)
	for left > 0 {
		// The pattern repeats after period words. A long one is read 64 words at a time.
		x, n, period := l.pattern>>r.phase, l.span-r.phase, l.span
		if l.long != nil {
			x, n, period = 0, 64-r.phase%64, l.words
			if i := r.phase / 64; i < uint32(len(l.long)) {
				x = l.long[i] >> (r.phase % 64)
			}
		}
		n = min(n, period-r.phase, left)
		if r.phase += n; r.phase == period {
			r.phase = 0
		}
		to = h.scanCounted(r.addr, x&wordMask(uint64(n)), to)
		r.addr += n * 8
		r.words -= n
		left -= n
	}
	if r.words > 0 {
		m.ranges.Append(r)
	}
}
