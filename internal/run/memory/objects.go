package memory

import "math/bits"

// Objects calls each with the heap's objects and their headers, by address, until each returns
// false. After a collection these are the live objects, and those allocated since. It returns
// [StatusCorrupt] if the guest wrote over headers.
func (h *Heap) Objects(each func(addr uint32, header uint64, content []byte) bool) Status {
	h.indexAll()
	for n := h.lo >> blockShift; n < h.top>>blockShift && !h.corrupt; n++ {
		switch h.blocks[n].state {
		case blockLarge:
			if !h.object(n<<blockShift+HeaderSize, each) {
				return StatusOK
			}
		case blockLines:
			for i := n << blockShift >> 9; i < (n+1)<<blockShift>>9; i++ {
				for x := h.bits[i].start; x != 0; x &= x - 1 {
					if !h.object(i<<9+uint32(bits.TrailingZeros64(x))<<3, each) {
						return StatusOK
					}
				}
			}
		}
	}
	if h.corrupt {
		return StatusCorrupt
	}
	return StatusOK
}

// object calls each with the object that starts at addr.
func (h *Heap) object(addr uint32, each func(uint32, uint64, []byte) bool) bool {
	start, size, ok := h.find(addr)
	if !ok || start != addr {
		return true // of size 0
	}
	b, ok := h.space.Bytes(uint64(addr), size&^7)
	if !ok {
		h.corrupt = true
		return false
	}
	return each(addr, h.load(addr-HeaderSize), b)
}

// MadeLayouts returns the number of layouts that the guest has made at run time.
func (h *Heap) MadeLayouts() int { return len(h.layouts.tab) - h.layouts.fixed }
