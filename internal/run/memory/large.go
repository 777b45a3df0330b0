package memory

// allocLarge gives an object a run of blocks of its own. The header and the object begin in the
// first one.
func (h *Heap) allocLarge(layout uint32, size uint64) (uint32, Status) {
	size = (size + 7) &^ 7
	n := uint32((size + HeaderSize + BlockSize - 1) >> blockShift)
	first, st := h.claimBlocks(n)
	if st != StatusOK {
		return 0, st
	}
	if !h.cleanRun(first, n) {
		return 0, StatusInterrupted
	}
	b := &h.blocks[first]
	b.state, b.size, b.count = blockLarge, size, n
	h.tails(first, n)
	obj := first<<blockShift + HeaderSize
	h.word(obj-HeaderSize, Header(layout, size))
	h.bits[obj>>9].start |= 1 << (obj >> 3 & 63)
	h.Mallocs++
	h.retired += size + HeaderSize
	return obj, StatusOK
}

// cleanStep is how many blocks are cleared between polls.
const cleanStep = 32

// tails makes the further blocks of a run point to its first.
func (h *Heap) tails(first, n uint32) {
	for i := first + 1; i < first+n; i++ {
		t := &h.blocks[i]
		t.state, t.head = blockTail, first
	}
}

// cleanRun zeroes the memory of claimed blocks and marks it as dirty. It returns false if the run
// has to end.
//
// It clears the memory for all sizes. Giving the memory back and faulting zeros in costs ten times
// as much for each byte that the guest then uses, and the blocks count as the host's use either
// way.
func (h *Heap) cleanRun(first, n uint32) bool {
	end := first + n
	for i := first; i < end; {
		if !h.blocks[i].dirty {
			h.blocks[i].dirty = true
			i++
			continue
		}
		from := i
		for i++; i < end && h.blocks[i].dirty; i++ {
		}
		for from < i {
			k := min(i-from, cleanStep)
			clear(h.mem(from<<blockShift, uint64(k)<<blockShift))
			if from += k; from < i && h.stopped() {
				return false
			}
		}
	}
	return true
}

// releaseRun makes a run of blocks free.
func (h *Heap) releaseRun(first uint32) {
	for i, end := first, first+h.blocks[first].count; i < end; i++ {
		h.releaseBlock(i)
	}
}
