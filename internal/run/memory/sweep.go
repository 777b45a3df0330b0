package memory

// PoisonByte fills dead objects when Heap.Poison is set.
const PoisonByte = 0xdb

// Sweep ends a collection: everything that was not marked is free from now on. It returns
// StatusInvalid if marking is not done, StatusCorrupt if guest memory contradicted the heap's
// records.
func (h *Heap) Sweep() Status {
	m := &h.marker
	if h.phase != phaseMark || !m.done() {
		return StatusInvalid
	}
	if m.objects > h.liveObjects+h.Mallocs-h.gcMallocs {
		h.corrupt = true // forged headers of plausible sizes
	}
	if h.corrupt {
		return StatusCorrupt
	}
	if h.Poison {
		h.poison()
	}
	for i, end := h.lo>>blockShift, h.top>>blockShift; i < end; i++ {
		if i%sweepStep == 0 && h.stopped() {
			return StatusInterrupted
		}
		switch b := &h.blocks[i]; b.state {
		case blockLines:
			h.sweepLines(i, b)
		case blockLarge:
			pair := &h.bits[i<<blockShift>>9]
			pair.start, pair.mark = pair.mark, 0
			if pair.start == 0 {
				h.releaseRun(i)
			}
		case blockChunks, blockRun:
			if h.marker.inChunks {
				h.forgetChunk(i)
			}
		case blockTail:
			if h.marker.inChunks && h.blocks[b.head].state == blockRun {
				h.forgetChunk(i)
			}
		}
	}
	h.cursor = h.lo >> blockShift
	clear(h.wide[:])
	h.phase = phaseIdle
	h.sweepBuffers()
	h.noteSweep()
	h.marker.reset()
	return h.dropSpecials()
}

// sweepStep is the number of blocks that are swept between polls.
const sweepStep = 256

// sweepLines finds the free lines of a block.
func (h *Heap) sweepLines(i uint32, b *block) {
	pairs := (*[BlockSize / 512]bitPair)(h.bits[i<<blockShift>>9:])
	var live lineSet
	for j := range pairs[:32] {
		x := pairs[j].mark
		pairs[j] = bitPair{start: x}
		live.lo |= linesOf(x) << (2 * j)
	}
	for j := range pairs[32:] {
		x := pairs[32+j].mark
		pairs[32+j] = bitPair{start: x}
		live.hi |= linesOf(x) << (2 * j)
	}
	live.lo |= b.extra.lo
	live.hi |= b.extra.hi
	if live.empty() {
		h.releaseBlock(i)
		return
	}
	b.extra, b.fresh = lineSet{}, lineSet{}
	b.holes = lineSet{^live.lo, ^live.hi}
}

// linesOf tells which of the two lines that a pair describes have a mark.
func linesOf(mark uint64) uint64 {
	const half = 1<<32 - 1
	return (mark&half+half)>>32 | (mark>>32+half)>>32<<1
}

// poison fills the dead objects.
func (h *Heap) poison() {
	for i, end := h.lo>>9, h.top>>9; i < end; i++ {
		for dead := h.bits[i].start &^ h.bits[i].mark; dead != 0; dead &= dead - 1 {
			obj := i<<9 + trailing(dead)<<3
			if _, size, ok := h.find(obj); ok {
				fill(h.mem(obj-HeaderSize, size+HeaderSize), PoisonByte)
			}
		}
	}
}
