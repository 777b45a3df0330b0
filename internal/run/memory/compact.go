package memory

// Compact clears what is free: the lines of blocks in which objects live, and free blocks, whose
// memory goes back to the system where nobody follows it. It moves nothing. No other operation
// clears free lines, so that a collection writes to side tables alone and a state changes by what
// the guest writes.
//
// It returns how many lines and blocks there were, which follow from what the guest has done: that
// they may be zero already changes nothing. A collection has just ended.
func (h *Heap) Compact() (lines, blocks uint64, st Status) {
	if h.phase != phaseIdle || h.corrupt || h.err != nil {
		return 0, 0, StatusInvalid
	}
	for i, end := h.lo>>blockShift, h.top>>blockShift; i < end; i++ {
		if i%sweepStep == 0 && h.stopped() {
			return lines, blocks, StatusInterrupted
		}
		b := &h.blocks[i]
		if b.state != blockLines {
			continue
		}
		for line := uint32(0); line < BlockSize/LineSize; line++ {
			if !b.holes.has(line) {
				continue
			}
			lines++
			if m := h.mem(i<<blockShift+line<<lineShift, LineSize); !allZero(m) {
				clear(m)
			}
		}
	}
	blocks = h.dirtyFree()
	if !h.trim() {
		return lines, blocks, StatusInterrupted
	}
	return lines, blocks, StatusOK
}

// dirtyFree counts the free blocks that may hold something.
func (h *Heap) dirtyFree() (n uint64) {
	for i := h.lowFree; i < h.top>>blockShift; i++ {
		if h.trimmable(i) {
			n++
		}
	}
	return n
}
