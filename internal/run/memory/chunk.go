package memory

import "math/bits"

// Chunks are memory for shadow stacks. The collector neither follows nor frees them. Their owner
// marks what they point to, and NextChunkPtr returns the pointers into them that marking meets.

const (
	minChunkShift = 10 // 1 KiB
	chunkClasses  = blockShift - minChunkShift
	noBlock       = 0 // no block of a heap has this number
)

// A chunkPool holds the blocks with chunks smaller than a block.
type chunkPool struct {
	partial [chunkClasses]uint32 // a block of the class with a free chunk; block.next links the others
	bytes   uint64               // in chunks
	blocks  uint64               // blocks that hold chunks
}

func (p *chunkPool) reset() { *p = chunkPool{} }

// AllocChunk allocates size bytes, zeroed. The size is rounded up to a power of two from 1 KiB on,
// or above a block to whole blocks. The chunk is aligned to its size or to a block. The result may
// be StatusCollect when the limit is reached.
func (h *Heap) AllocChunk(size uint32) (addr uint32, st Status) {
	if h.corrupt {
		return 0, StatusCorrupt
	}
	if size > BlockSize/2 {
		return h.allocRun(size)
	}
	shift := max(bits.Len32(max(size, 1)-1), minChunkShift)
	class := shift - minChunkShift
	i := h.chunks.partial[class]
	if i == noBlock {
		if i, st = h.claimBlocks(1); st != StatusOK {
			return 0, st
		}
		b := &h.blocks[i]
		b.state, b.class, b.slots = blockChunks, uint8(class), 0
		b.dirty = true
		h.chunks.blocks++
		h.linkChunks(i)
	}
	b := &h.blocks[i]
	slot := uint32(bits.TrailingZeros32(^b.slots))
	b.slots |= 1 << slot
	if b.slots == allSlots(class) {
		h.unlinkChunks(i)
	}
	addr = i<<blockShift + slot<<shift
	clear(h.mem(addr, 1<<shift))
	h.chunks.bytes += 1 << shift
	return addr, StatusOK
}

func allSlots(class int) uint32 { return uint32(1<<(BlockSize>>minChunkShift>>class) - 1) }

// allocRun allocates a chunk of whole blocks.
func (h *Heap) allocRun(size uint32) (addr uint32, st Status) {
	n := uint32((uint64(size) + BlockSize - 1) >> blockShift)
	first, st := h.claimBlocks(n)
	if st != StatusOK {
		return 0, st
	}
	if !h.cleanRun(first, n) {
		return 0, StatusInterrupted
	}
	b := &h.blocks[first]
	b.state, b.count, b.size = blockRun, n, uint64(n)<<blockShift
	h.tails(first, n)
	h.chunks.bytes += b.size
	h.chunks.blocks += uint64(n)
	return first << blockShift, StatusOK
}

// FreeChunk frees the chunk at addr, as AllocChunk returned it.
func (h *Heap) FreeChunk(addr uint32) Status {
	if addr-h.lo >= h.top-h.lo {
		return StatusInvalid
	}
	i := addr >> blockShift
	b := &h.blocks[i]
	switch b.state {
	case blockRun:
		if addr != i<<blockShift {
			return StatusInvalid
		}
		h.chunks.bytes -= b.size
		h.chunks.blocks -= uint64(b.count)
		h.releaseRun(i)
		return StatusOK
	case blockChunks:
		shift := uint32(b.class) + minChunkShift
		at := addr & (BlockSize - 1)
		bit := uint32(1) << (at >> shift)
		if at&(1<<shift-1) != 0 || b.slots&bit == 0 {
			return StatusInvalid
		}
		h.chunks.bytes -= 1 << shift
		if b.slots == allSlots(int(b.class)) {
			h.linkChunks(i)
		}
		b.slots &^= bit
		if b.slots == 0 {
			h.unlinkChunks(i)
			h.chunks.blocks--
			h.releaseBlock(i)
		}
		return StatusOK
	}
	return StatusInvalid
}

// linkChunks puts a block at the front of the list of its class.
func (h *Heap) linkChunks(i uint32) {
	b := &h.blocks[i]
	head := &h.chunks.partial[b.class]
	b.prev, b.next = noBlock, *head
	if *head != noBlock {
		h.blocks[*head].prev = i
	}
	*head = i
}

// unlinkChunks removes a block from the list of its class.
func (h *Heap) unlinkChunks(i uint32) {
	b := &h.blocks[i]
	if b.prev == noBlock {
		h.chunks.partial[b.class] = b.next
	} else {
		h.blocks[b.prev].next = b.next
	}
	if b.next != noBlock {
		h.blocks[b.next].prev = b.prev
	}
	b.prev, b.next = noBlock, noBlock
}

// ChunkOf returns the start of the chunk that addr lies in.
func (h *Heap) ChunkOf(addr uint32) (start uint32, ok bool) {
	if addr-h.lo >= h.top-h.lo {
		return 0, false
	}
	i := addr >> blockShift
	b := &h.blocks[i]
	switch b.state {
	case blockTail:
		i = b.head
		return i << blockShift, h.blocks[i].state == blockRun
	case blockRun:
		return i << blockShift, true
	case blockChunks:
		return addr &^ (1<<(uint32(b.class)+minChunkShift) - 1), true
	}
	return 0, false
}

// TagChunk sets a number for the chunk that starts at start, and TagOf returns it. A number stays
// when a chunk is freed and another takes its place. The caller has to know whether it is still
// valid.
func (h *Heap) TagChunk(start, tag uint32) { h.tags[start>>minChunkShift] = tag }
func (h *Heap) TagOf(start uint32) uint32  { return h.tags[start>>minChunkShift] }

// markChunk records a pointer into a chunk. Chunks hold no objects, so their mark bits tell which
// words were recorded.
func (h *Heap) markChunk(addr uint32) {
	if addr-h.lo >= h.top-h.lo {
		return
	}
	b := &h.blocks[addr>>blockShift]
	if b.state == blockTail {
		b = &h.blocks[b.head]
	}
	if b.state != blockChunks && b.state != blockRun {
		return
	}
	pair, bit := &h.bits[addr>>9], uint64(1)<<(addr>>3&63)
	if pair.mark&bit == 0 {
		pair.mark |= bit
		h.marker.inChunks = true
		h.marker.chunkPtrs.Append(addr)
	}
}

// NextChunkPtr returns an address in a chunk to which marking has found a pointer, or false if
// there is none at present.
func (h *Heap) NextChunkPtr() (addr uint32, ok bool) {
	list := &h.marker.chunkPtrs.List
	n := len(*list)
	if n == 0 {
		return 0, false
	}
	addr = (*list)[n-1]
	*list = (*list)[:n-1]
	return addr, true
}

// forgetChunk clears the mark bits of a block of chunks.
func (h *Heap) forgetChunk(i uint32) {
	pairs := (*[BlockSize / 512]bitPair)(h.bits[i<<blockShift>>9:])
	for j := range pairs {
		pairs[j].mark = 0
	}
}
