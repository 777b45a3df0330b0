package memory

import "math/bits"

// walk makes the start bits of the objects in w whose headers were written
// since the last walk. It reports false if the headers do not tile the window
// exactly, which only a guest that writes over headers can bring about.
func (h *Heap) walk(w *window) bool {
	p, end := w.walked, w.cur
	w.walked = end
	h.walkedBytes += uint64(end - p)
	var (
		at    = p >> 9 // the pair that acc is for
		acc   uint64
		count uint64
	)
	for p != end {
		words := uint32(h.load(p))
		obj := p + HeaderSize
		next := uint64(obj) + uint64(words)*8
		if next > uint64(end) {
			h.corrupt = true
			return false
		}
		if words != 0 { // an object of no size can't be found: it has no bytes
			if obj>>9 != at {
				h.bits[at].start |= acc
				at, acc = obj>>9, 0
			}
			acc |= 1 << (obj >> 3 & 63)
		}
		count++
		p = uint32(next)
	}
	if acc != 0 {
		h.bits[at].start |= acc
	}
	h.walkedObjects += count
	return true
}

// index makes the start bits of all objects. It reports false if guest memory
// is corrupt. Its cost is proportional to what was allocated since the last call.
func (h *Heap) index() bool {
	if h.corrupt {
		return false
	}
	w := h.window()
	if !h.walk(&w) || !h.walk(&h.spare) {
		return false
	}
	h.walked = w.walked
	if h.walkedObjects != h.Mallocs {
		h.corrupt = true // forged headers of plausible sizes
		return false
	}
	return true
}

// find returns the object that addr points into. All start bits must have
// been made. Large objects answer with their true size; the size of others
// comes from the header, but never reaches beyond the block.
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

// ObjectOf returns the object that addr points into: its address and its size,
// which is the size asked for rounded up to a multiple of 8. It reports false
// for addresses outside the objects of the heap and just past the end of one.
func (h *Heap) ObjectOf(addr uint32) (start uint32, size uint64, ok bool) {
	if h.phase == phaseIdle && !h.index() {
		return 0, 0, false
	}
	return h.find(addr)
}

// LayoutOf returns the layout number in the header of the object that starts at
// obj, as ObjectOf returned it; NoPointers if the guest wrote nonsense there.
func (h *Heap) LayoutOf(obj uint32) uint32 {
	if obj-h.lo-HeaderSize >= h.top-h.lo {
		return 0
	}
	l := uint32(h.load(obj-HeaderSize)>>layoutShift) & layoutMask
	if l >= uint32(len(h.layouts.tab)) {
		return 0
	}
	return l
}
