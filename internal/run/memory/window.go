package memory

import "math/bits"

// A window is a run of lines for objects: the next header goes to cur, the headers from walked on
// have no start bits yet, and [cur, end) is zero. The heap's own window is spread over start,
// walked, Cur and winEnd.
type window struct{ start, walked, cur, end uint32 }

func (h *Heap) window() window { return window{h.start, h.walked, h.Cur, h.winEnd} }

func (h *Heap) setWindow(w window) {
	h.start, h.walked, h.Cur, h.winEnd = w.start, w.walked, w.cur, w.end
	h.Limit = w.end
	if h.seesAll() {
		h.Limit = w.cur
	}
}

// refill is the slow path of Alloc: n bytes, header included, do not fit the window. It makes room
// for small and medium objects, and checks whether a collection is due. With aside the window is
// for this object only, and the spare window becomes the current one afterwards.
func (h *Heap) refill(n uint64) (aside bool, st Status) {
	switch {
	case h.corrupt:
		return false, StatusCorrupt
	case h.phase != phaseIdle:
		return false, StatusInvalid
	case h.err != nil:
		return false, StatusHost
	}
	if h.stress.everyRefill(h.numGC) || h.collectionDue() {
		return false, StatusCollect
	}
	switch {
	case n > LargeObject:
		return false, StatusOK
	case h.scattered():
		return h.refillApart(uint32(n))
	case n <= LineSize:
		return false, h.refillSmall(uint32(n))
	}
	return false, h.refillMedium(uint32(n))
}

// refillSmall finds a window for an object that fits any hole: the spare window, the next hole, a
// free block, in this order.
func (h *Heap) refillSmall(n uint32) Status {
	old := h.window()
	if n <= h.spare.end-h.spare.cur {
		w := h.spare
		h.spare = window{}
		return h.replace(old, w)
	}
	if w, ok := h.nextHole(maxHole); ok {
		return h.replace(old, w)
	}
	w, st := h.freeBlockWindow()
	if st != StatusOK {
		return st
	}
	return h.replace(old, w)
}

// refillMedium finds a window for an object that may be larger than a hole: the spare window if it
// is wide enough, else a free block. The rest of the old window becomes the spare one, unless the
// spare one is wider.
func (h *Heap) refillMedium(n uint32) Status {
	old := h.window()
	if n <= h.spare.end-h.spare.cur {
		w := h.spare
		h.spare = old
		h.setWindow(w)
		return StatusOK
	}
	w, st := h.freshWindow(n)
	if st != StatusOK {
		return st
	}
	if old.end-old.cur > h.spare.end-h.spare.cur {
		old, h.spare = h.spare, old
	}
	return h.replace(old, w)
}

// scattered reports whether more blocks are in use than if collections left no holes: blocks for
// what survived the last one, and for what is allocated until the next. Up to that number, free
// blocks are as good as holes, and faster. Beyond it, the blocks that single objects keep would
// grow with every collection, up to the limit.
func (h *Heap) scattered() bool {
	return (h.used-h.chunks.blocks)<<blockShift > h.live+h.next
}

// If objects are scattered, holes are taken before free blocks. Objects of different sizes are kept
// apart, so that a few survivors do not keep the memory of many larger objects that died.
const (
	narrow     = 2 << 10                 // up to this size, header included, objects use narrow windows
	narrowHole = 2 * narrow >> lineShift // lines of a narrow window: a part of a hole
	maxHole    = BlockSize >> lineShift

	// nearHole is how many blocks are searched before a free one is taken. A later search continues
	// after them.
	nearHole = 64
)

// refillApart finds a window when objects are scattered. Small objects take the next holes, in
// narrow pieces. Objects above narrow go to the spare window, which is a wide hole or a free block,
// and the narrow window stays the current one.
func (h *Heap) refillApart(n uint32) (aside bool, st Status) {
	old := h.window()
	if n <= narrow {
		var (
			w  window
			ok bool
		)
		if n <= LineSize {
			w, ok = h.nextHole(narrowHole)
		} else {
			w, ok = h.wideHole(n, nearHole, narrowHole)
		}
		if !ok {
			if w, st = h.freshWindow(n); st != StatusOK {
				return false, st
			}
		}
		return false, h.replace(old, w)
	}
	w := h.spare
	if n > w.end-w.cur {
		var ok bool
		if w, ok = h.wideHole(n, nearHole, maxHole); !ok {
			if w, st = h.freshWindow(n); st != StatusOK {
				return false, st
			}
		}
		h.retire(h.spare)
	}
	h.spare = old
	h.setWindow(w)
	return true, StatusOK
}

// goOn makes the spare window the current one again.
func (h *Heap) goOn() {
	w := h.window()
	h.setWindow(h.spare)
	h.spare = w
}

// freshWindow makes a window of a free block or, if the limit allows none, of a hole for n bytes.
func (h *Heap) freshWindow(n uint32) (window, Status) {
	w, st := h.freeBlockWindow()
	if st == StatusCollect || st == StatusLimit {
		if w, ok := h.wideHole(n, maxBlocks, maxHole); ok {
			return w, StatusOK
		}
	}
	return w, st
}

// replace gives up the window old and makes w the current one.
func (h *Heap) replace(old, w window) Status {
	h.setWindow(w)
	h.retire(old)
	return StatusOK
}

// nextHole claims the next run of free lines after the last one, but no more lines than most.
func (h *Heap) nextHole(most uint32) (window, bool) {
	end := h.top >> blockShift
	for ; h.cursor < end; h.cursor++ {
		b := &h.blocks[h.cursor]
		if b.state != blockLines || b.holes.empty() {
			continue
		}
		first, n := b.holes.firstRun()
		n = min(n, most)
		b.holes.clear(first, n)
		return h.claimLines(h.cursor, first, n), true
	}
	return window{}, false
}

// wideHole searches near blocks for the first unclaimed hole of size bytes. It claims no more lines
// of it than most, if these suffice. A block without a hole of that width gets none before the next
// sweep, so it is visited once: wide is where to continue.
func (h *Heap) wideHole(size, near, most uint32) (window, bool) {
	want := (size + LineSize - 1) >> lineShift
	i := max(h.wide[want], h.cursor)
	for end := min(i+near, h.top>>blockShift); i < end; i++ {
		b := &h.blocks[i]
		if b.state != blockLines {
			continue
		}
		for rest := b.holes; !rest.empty(); {
			first, n := rest.firstRun()
			if n >= want {
				h.wide[want] = i
				n = min(n, max(most, want))
				b.holes.clear(first, n)
				return h.claimLines(i, first, n), true
			}
			rest.clear(first, n)
		}
	}
	h.wide[want] = i
	return window{}, false
}

// claimLines makes a window of n free lines of a block.
func (h *Heap) claimLines(block, first, n uint32) window {
	addr := block<<blockShift + first<<lineShift
	size := n << lineShift
	clear(h.mem(addr, uint64(size)))
	return window{addr, addr, addr, addr + size}
}

// freeBlockWindow claims a free block for lines.
func (h *Heap) freeBlockWindow() (window, Status) {
	i, st := h.claimBlocks(1)
	if st != StatusOK {
		return window{}, st
	}
	b := &h.blocks[i]
	if b.dirty {
		clear(h.mem(i<<blockShift, BlockSize))
	}
	b.state = blockLines
	b.dirty = true
	b.holes = lineSet{}
	addr := i << blockShift
	return window{addr, addr, addr, addr + BlockSize}, StatusOK
}

// A lineSet is a set of lines, from the 128 lines of a block.
type lineSet struct{ lo, hi uint64 }

func (s lineSet) empty() bool { return s.lo|s.hi == 0 }

// has reports whether a line is in the set.
func (s lineSet) has(line uint32) bool {
	if line < 64 {
		return s.lo>>line&1 != 0
	}
	return s.hi>>(line-64)&1 != 0
}

// firstRun returns the first line and the length of the lowest run of a nonempty set.
func (s lineSet) firstRun() (first, n uint32) {
	if s.lo == 0 {
		first = uint32(bits.TrailingZeros64(s.hi))
		return first + 64, uint32(bits.TrailingZeros64(^(s.hi >> first)))
	}
	first = uint32(bits.TrailingZeros64(s.lo))
	n = uint32(bits.TrailingZeros64(^(s.lo >> first)))
	if first+n >= 64 { // reaches the upper half; the shift brought in zeros
		n = 64 - first + uint32(bits.TrailingZeros64(^s.hi))
	}
	return first, n
}

// rangeMask returns the bits [first, first+n) of 64, where n may reach beyond.
func rangeMask(first, n uint32) uint64 {
	return (uint64(1)<<n - 1) << first
}

func (s *lineSet) clear(first, n uint32) {
	lo, hi := lineRange(first, n)
	s.lo &^= lo
	s.hi &^= hi
}

func (s *lineSet) add(first, n uint32) {
	lo, hi := lineRange(first, n)
	s.lo |= lo
	s.hi |= hi
}

// lineRange returns the bits of n lines from first on, in both halves.
func lineRange(first, n uint32) (lo, hi uint64) {
	if first >= 64 {
		return 0, rangeMask(first-64, n)
	}
	lo = rangeMask(first, n)
	if first+n > 64 {
		hi = rangeMask(0, first+n-64)
	}
	return lo, hi
}
