package memory

import (
	"math/bits"
	"unsafe"
)

// A blockState is the use of a block.
type blockState uint8

const (
	blockFree   blockState = iota
	blockLines             // windows of small and medium objects
	blockLarge             // first block of a large object
	blockChunks            // chunks of one size, less than a block
	blockRun               // first block of a chunk of several blocks
	blockTail              // a further block of a large object or chunk: head is the first
)

// A block is the record of one block of guest memory.
type block struct {
	holes lineSet // blockLines: free lines that no window has claimed since the sweep
	fresh lineSet // blockLines: lines that windows filled since the sweep, still to be indexed
	extra lineSet // while marking: lines that a marked object covers beyond the line of its start
	size  uint64  // blockLarge: bytes of the object without header; blockRun: of the chunk
	head  uint32  // blockTail: first block of the run
	count uint32  // blockLarge, blockRun: blocks of the run
	slots uint32  // blockChunks: a bit for each chunk in use
	next  uint32  // blockChunks: the next block of the class with a free chunk
	prev  uint32  // and the previous one
	state blockState
	class uint8 // blockChunks: log2 of the chunk size, less minChunkShift
	dirty bool  // the memory may hold something other than zeros
}

// blockRecord is the size of a block record.
const blockRecord = uint64(unsafe.Sizeof(block{}))

// A bitPair describes 512 bytes of guest memory, a bit every 8.
type bitPair struct {
	start uint64 // an object starts here
	mark  uint64 // and it was reached; all zero between collections
}

// initTables makes the slices over the side tables of the space. Their memory
// is committed as the heap grows.
func (h *Heap) initTables() {
	side := unsafe.Pointer(&h.space.all[0])
	h.bits = unsafe.Slice((*bitPair)(side), SpaceSize/512)
	h.blocks = unsafe.Slice((*block)(unsafe.Add(side, sideBits)), SpaceSize/BlockSize)
	h.tags = unsafe.Slice((*uint32)(unsafe.Add(side, sideBits+sideBlocks)), SpaceSize>>minChunkShift)
	if old := h.space.heap; old != nil {
		old.resetBuffers()
		old.wipeBlocks()
	}
	h.space.heap = h
	h.noteLowest()
}

// inUse returns the bytes that count against the limit.
func (h *Heap) inUse() uint64 {
	return h.data + h.used<<blockShift + h.host
}

// over decides about a request that would exceed the limit: collect if anything was allocated since
// the last collection. But between two collections that the limit causes, a sixteenth of the live
// bytes must be allocated. Otherwise a guest just below the limit could cause a collection of all
// its memory with every line that it allocates.
func (h *Heap) over() Status {
	s := h.allocatedSince() + h.buffers.freed
	if s == 0 || h.tight && s < h.live/16 {
		return StatusLimit
	}
	h.squeeze = true
	return StatusCollect
}

// claimBlocks takes n adjacent free blocks, first fit by address, and returns the number of the
// first. The records stay unchanged except that the blocks are not free any more. Dirty blocks are
// not cleared.
func (h *Heap) claimBlocks(n uint32) (first uint32, st Status) {
	if h.err != nil {
		return 0, StatusHost
	}
	if h.inUse()+uint64(n)<<blockShift > h.bound {
		return 0, h.over()
	}
	first, ok := h.findFree(n)
	if !ok {
		return 0, h.over()
	}
	end := first + n
	if end > h.top>>blockShift {
		if err := h.grow(end); err != nil {
			h.err = err
			return 0, StatusHost
		}
	}
	for i := first; i < end; i++ {
		h.free[i>>6] &^= 1 << (i & 63)
		if !h.blocks[i].dirty {
			h.dirty++
		}
	}
	if n == 1 || first == h.lowFree {
		h.lowFree = end
	}
	h.used += uint64(n)
	h.notePeak()
	if h.resident() > h.limit+h.trimSlack() && !h.trim() {
		return 0, StatusInterrupted
	}
	return first, StatusOK
}

// releaseBlock makes a block free. The caller has updated its record.
func (h *Heap) releaseBlock(i uint32) {
	b := &h.blocks[i]
	*b = block{dirty: b.dirty}
	h.free[i>>6] |= 1 << (i & 63)
	h.lowFree = min(h.lowFree, i)
	h.used--
}

// findFree finds the lowest n adjacent blocks that are free or were never used.
func (h *Heap) findFree(n uint32) (uint32, bool) {
	top := h.top >> blockShift
	run := uint32(0) // free blocks that end where the next word begins
	for w := h.lowFree >> 6; w < uint32(len(h.free)); w++ {
		x := h.free[w]
		if x == 0 {
			run = 0
			continue
		}
		if x == ^uint64(0) {
			if run+64 >= n {
				return w<<6 - run, true
			}
			run += 64
			continue
		}
		if run+uint32(bits.TrailingZeros64(^x)) >= n {
			return w<<6 - run, true
		}
		if i, ok := runInWord(x, n); ok {
			return w<<6 + i, true
		}
		run = uint32(bits.LeadingZeros64(^x))
	}
	// The last run counts only if it reaches top, where unused blocks follow.
	first := top
	for first > h.lo>>blockShift && h.free[(first-1)>>6]>>((first-1)&63)&1 != 0 {
		first--
	}
	if n > h.ceil-first {
		return 0, false
	}
	return first, true
}

// runInWord finds n adjacent one bits in x.
func runInWord(x uint64, n uint32) (uint32, bool) {
	if n > 64 {
		return 0, false
	}
	// x has the positions where a run of length have begins.
	for have := uint32(1); have < n; {
		s := min(have, n-have)
		x &= x >> s
		have += s
	}
	if x == 0 {
		return 0, false
	}
	return uint32(bits.TrailingZeros64(x)), true
}

// grow commits memory and tables for the blocks below end.
func (h *Heap) grow(end uint32) error {
	if end<<blockShift > h.ready {
		if err := h.makeReady(min(readyFor(uint64(end)<<blockShift), uint64(h.ceil)<<blockShift)); err != nil {
			return err
		}
	}
	h.reach(end)
	return nil
}

// makeReady commits memory and tables up to an address.
func (h *Heap) makeReady(to uint64) error {
	from := uint64(max(h.ready, h.lo))
	if err := h.space.Commit(from, to-from); err != nil {
		return err
	}
	if err := h.commitTables(from, to); err != nil {
		return err
	}
	h.ready = uint32(to)
	return nil
}

// reach sets the end of the blocks that were ever in use.
func (h *Heap) reach(end uint32) {
	for uint32(len(h.free))<<6 < end {
		h.free = append(h.free, 0)
	}
	h.top = end << blockShift
}

// readyFor returns the end of the committed memory of a heap whose blocks end at a guest address.
// It adds a quarter, at least half a MiB, up to a whole number of granules, so that growing costs
// few system calls. It depends on the address alone, so the memory that a program can access does
// not depend on the history of its heap.
func readyFor(end uint64) uint64 {
	step := uint64(1 << 20)
	for step < end/4 && step < 64<<20 {
		step *= 2
	}
	return min((end+step/2+step-1)&^(step-1), maxBlocks<<blockShift)
}

// tableReach is the size of the heap up to which its tables may be part of a snapshot's image. A
// page of them that one instance touches stays in the file for ever.
const tableReach = 64 << 20

// commitTables commits the tables of the blocks between two addresses. The tables below from are
// committed.
func (h *Heap) commitTables(from, to uint64) error {
	s := h.space
	if s.image != nil {
		if s.tablesMoved || to-uint64(h.lo) <= tableReach {
			return nil
		}
		return s.moveTables(tableSpans(uint64(h.lo), from))
	}
	for _, r := range tableSpans(from, to) {
		if err := s.side(r); err != nil {
			return err
		}
	}
	return nil
}

// tableSpans returns the parts of the tables that describe the blocks between two guest addresses.
func tableSpans(from, to uint64) [3]span {
	return [3]span{
		{from >> 9 * bitPairSize, to >> 9 * bitPairSize},
		{sideBits + from>>blockShift*blockRecord, sideBits + to>>blockShift*blockRecord},
		{sideBits + sideBlocks + from>>minChunkShift*4, sideBits + sideBlocks + to>>minChunkShift*4},
	}
}

// resident returns what the host really spends: what counts against the limit, and free memory that
// the operating system has not got back yet.
func (h *Heap) resident() uint64 { return h.data + h.dirty<<blockShift + h.host + h.beyond + h.idle }

// trim gives the memory of free blocks, and what Heap.Idle counts, back to the operating system, so
// that the host's real use stays near the limit. It returns false if the run has to end.
func (h *Heap) trim() bool {
	if h.Trim != nil {
		h.Trim()
	}
	h.idle = 0
	for i, top := h.lowFree, h.top>>blockShift; i < top; i++ {
		if !h.trimmable(i) {
			continue
		}
		first := i
		for i++; i < top && i-first < trimStep && h.trimmable(i); i++ {
		}
		h.space.wipe(h.mem(first<<blockShift, uint64(i-first)<<blockShift), 0)
		for j := first; j < i; j++ {
			h.blocks[j].dirty = false
		}
		h.dirty -= uint64(i - first)
		i--
		if h.stopped() {
			return false
		}
	}
	return true
}

// trimStep is the number of blocks that are given back between polls.
const trimStep = 128

// Idle adds n bytes to the memory that the caller keeps in pools for the guest's next need, or
// removes them if n is negative. Heap.Trim gives that memory back.
func (h *Heap) Idle(n int64) { h.idle = uint64(max(0, int64(h.idle)+n)) }

// stopped reports whether the run has to end.
func (h *Heap) stopped() bool { return h.Poll != nil && !h.Poll() }

func (h *Heap) trimmable(i uint32) bool {
	return h.blocks[i].dirty && h.free[i>>6]>>(i&63)&1 != 0
}

// wipeBlocks restores all blocks and tables to their state before the first use. A hostile guest
// may have written to all committed memory.
func (h *Heap) wipeBlocks() {
	if h.ready == 0 {
		return
	}
	h.space.wipe(h.mem(h.lo, uint64(h.ready-h.lo)), wipeLimit)
	h.space.wipe(bytesOf(h.bits[h.lo>>9:h.top>>9]), wipeLimit)
	h.space.wipe(bytesOf(h.blocks[h.lo>>blockShift:h.top>>blockShift]), wipeLimit)
	h.space.wipe(bytesOf(h.tags[h.lo>>minChunkShift:h.top>>minChunkShift]), wipeLimit)
	clear(h.free)
}

func bytesOf[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(t))
}
