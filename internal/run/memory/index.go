package memory

import "math/bits"

// Start bits are made for a whole block at once, when a pointer into it is looked up. Blocks whose
// new objects are all dead are never visited, and most blocks are of this kind.

// retire gives up a window. Its lines are recorded as fresh: objects in them may have no start
// bits.
func (h *Heap) retire(w window) {
	h.retired += uint64(w.cur - w.start)
	if w.walked == w.cur {
		return
	}
	n := w.start >> blockShift
	h.blocks[n].fresh.add(w.start&(BlockSize-1)>>lineShift, (w.end-w.start)>>lineShift)
}

// indexBlock makes the start bits of the fresh lines of a block.
func (h *Heap) indexBlock(n uint32) {
	b := &h.blocks[n]
	runs := b.fresh
	b.fresh = lineSet{}
	h.marker.cost += indexCost
	for !runs.empty() {
		first, count := runs.firstRun()
		runs.clear(first, count)
		from := n<<blockShift + first<<lineShift
		h.walk(from, from+count<<lineShift)
	}
}

// indexWindows makes the start bits of the objects in the windows in use.
func (h *Heap) indexWindows() {
	h.walk(h.walked, h.Cur)
	h.walked = h.Cur
	h.walk(h.spare.walked, h.spare.cur)
	h.spare.walked = h.spare.cur
}

// indexAll makes all start bits.
func (h *Heap) indexAll() {
	h.indexWindows()
	for n := h.lo >> blockShift; n < h.top>>blockShift; n++ {
		if h.blocks[n].state == blockLines {
			h.indexBlock(n)
		}
	}
}

// walk makes the start bits of the objects in [p, end), which lies in one block. The unused part of
// a window is zero, and is taken for objects of size 0. An object that does not fit shows that the
// guest wrote over headers.
func (h *Heap) walk(p, end uint32) {
	var (
		at  = p >> 9 // the pair that acc belongs to
		acc uint64
	)
	for p < end {
		words := uint32(h.load(p))
		obj := p + HeaderSize
		if uint64(words)*8 > uint64(end-p)-HeaderSize {
			h.corrupt = true
			return
		}
		p = obj + words*8
		if words == 0 {
			continue // it has no bytes that a pointer could point to
		}
		if obj>>9 != at {
			h.bits[at].start |= acc
			at, acc = obj>>9, 0
		}
		acc |= 1 << (obj >> 3 & 63)
	}
	if acc != 0 {
		h.bits[at].start |= acc
	}
}

// find returns the object that addr points into, and makes the start bits that it needs. For large
// objects the size is exact. For others it comes from the header, but never reaches beyond the
// block.
func (h *Heap) find(addr uint32) (obj uint32, size uint64, ok bool) {
	if addr-h.lo >= h.top-h.lo {
		return 0, 0, false
	}
	n := addr >> blockShift
	b := &h.blocks[n]
	switch b.state {
	case blockTail:
		n = b.head
		b = &h.blocks[n]
		if b.state != blockLarge {
			return 0, 0, false
		}
		fallthrough
	case blockLarge:
		obj = n<<blockShift + HeaderSize
		return obj, b.size, addr >= obj && uint64(addr-obj) < b.size
	case blockLines:
		if !b.fresh.empty() {
			h.indexBlock(n)
		}
		i := addr >> 9
		x := h.bits[i].start & (1<<(addr>>3&63)<<1 - 1)
		for x == 0 {
			if i&(BlockSize/512-1) == 0 {
				return 0, 0, false
			}
			i--
			x = h.bits[i].start
		}
		obj = i<<9 + uint32(63-bits.LeadingZeros64(x))<<3
		size = uint64(uint32(h.load(obj-HeaderSize))) * 8
		size = min(size, uint64((obj&^(BlockSize-1))+BlockSize-obj))
		return obj, size, uint64(addr-obj) < size
	}
	return 0, 0, false
}

// ObjectOf returns the object that addr points into: its address and its size, which is the
// requested size rounded up to a multiple of 8. It is false for addresses outside the objects of
// the heap and just past the end of one.
func (h *Heap) ObjectOf(addr uint32) (start uint32, size uint64, ok bool) {
	h.indexWindows()
	start, size, ok = h.find(addr)
	if h.corrupt {
		return 0, 0, false
	}
	return start, size, ok
}

// LayoutOf returns the layout number in the header of the object that starts at
// obj, as ObjectOf returned it; NoPointers if the guest wrote nonsense there.
func (h *Heap) LayoutOf(obj uint32) uint32 {
	if obj-h.lo-HeaderSize >= h.top-h.lo || obj&7 != 0 {
		return 0
	}
	l := uint32(h.load(obj-HeaderSize)>>layoutShift) & layoutMask
	if l >= uint32(len(h.layouts.tab)) {
		return 0
	}
	return l
}

// Follows reports whether the collector treats the word at addr as a pointer.
func (h *Heap) Follows(addr uint32) bool {
	obj, _, ok := h.ObjectOf(addr)
	if !ok {
		return false
	}
	l := &h.layouts.tab[h.LayoutOf(obj)]
	if l.words == 0 {
		return false
	}
	if i := (addr - obj) / 8 % l.words; l.long == nil {
		return l.pattern>>i&1 != 0
	} else {
		return i/64 < uint32(len(l.long)) && l.long[i/64]>>(i%64)&1 != 0
	}
}
