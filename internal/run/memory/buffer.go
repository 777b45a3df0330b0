package memory

import (
	"errors"
	"math"
	"sync/atomic"
)

// Lent buffers.
//
// A [Buffer] is memory that the host and the guest share. The host reads and writes it through a
// mapping of its own. The guest reads it through a mapping in its space that the processor protects
// against writes. Lending it means passing its address, so it costs the same for every size. A
// write by the guest, or by a host function on its behalf, faults, and [Space.ReadOnly] tells that
// fault from others.
//
// Buffers lie at the upper end of the guest's memory, first fit from above, and the blocks of the
// heap end where they begin (Heap.ceil). They are not objects. They have no header, since nothing
// of ours may be written there, and no block, no start bit and no mark bit. For addresses above all
// blocks the collector asks the table of buffers.
//
// A buffer counts against the memory limit in whole units of [BufferUnit], independently of the
// machine's page size, as memory of the host does (ChargeHost). After the host has freed it
// (FreeBuffer), the guest may still hold slices of it. The range stays as it is, and counts, until
// a collection finds that none of them is reachable.

const (
	// BufferUnit is the unit to which sizes of buffers are rounded up: a multiple of all systems'
	// page sizes.
	BufferUnit = granule

	// buffersEnd is the end of the first buffer's range. No slice of it may end at 4 GiB, as
	// offsets have 32 bits.
	buffersEnd = SpaceSize - BufferUnit

	// noBuffers is Heap.lowest without buffers.
	noBuffers = math.MaxUint32
)

// ErrReadOnly says that a host function was about to write to a lent buffer.
var ErrReadOnly = errors.New("write to a lent buffer")

// A Buffer is memory that the host fills and the guest reads. View may be called by any goroutine
// at any time. The other methods are for users of the heap.
type Buffer struct {
	lo, hi  uint64               // its range of guest memory, in whole units
	view    []byte               // the same memory, as the host sees it
	mapping *owned               // owns view
	heap    atomic.Pointer[Heap] // nil: the host has freed it, or the heap was reset or released
	lent    bool                 // the guest knows its address
	freed   bool                 // the host has freed it, and the guest may still reach it
	marked  bool                 // in this collection: the guest can reach it
}

// View returns the host's view of the buffer, in whole units. It may be used while the Buffer is
// reachable. When the buffer is freed, or its heap reset or released, the view becomes private
// memory of zeros.
func (b *Buffer) View() []byte { return b.view }

// Of reports whether the buffer belongs to a heap and is not freed.
func (b *Buffer) Of(h *Heap) bool { return b.heap.Load() == h }

// Alive reports whether the buffer belongs to any heap and is not freed.
func (b *Buffer) Alive() bool { return b.heap.Load() != nil }

// Lend returns the guest address of the buffer. From now on the guest may know it.
func (b *Buffer) Lend() uint32 {
	b.lent = true
	return uint32(b.lo)
}

// A bufferTable holds the buffers of a heap.
type bufferTable struct {
	list  []*Buffer // from the highest address down
	freed uint64    // bytes of the buffers that the host has freed since the last collection
}

// at returns the buffer that contains an address, or nil.
func (t *bufferTable) at(addr uint64) *Buffer {
	lo, hi := 0, len(t.list)
	for lo < hi {
		mid := (lo + hi) / 2
		if t.list[mid].lo <= addr {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo < len(t.list) && addr < t.list[lo].hi {
		return t.list[lo]
	}
	return nil
}

// NewBuffer makes a buffer of at least size zero bytes. StatusCollect means that nothing was made:
// the caller collects and calls again. StatusHost comes with the operating system's error; the heap
// remains usable.
func (h *Heap) NewBuffer(size uint64) (*Buffer, Status, error) {
	switch {
	case h.corrupt:
		return nil, StatusCorrupt, nil
	case h.phase != phaseIdle:
		return nil, StatusInvalid, nil
	case h.err != nil:
		return nil, StatusHost, h.err
	case size > buffersEnd:
		return nil, StatusLimit, nil
	}
	n := (max(size, 1) + BufferUnit - 1) &^ (BufferUnit - 1)
	// The host pays for the collections that its own buffers cause. The limit is not their reason,
	// unlike for those of Heap.over, which leave a debt to the guest.
	if h.buffers.freed >= max(MinTrigger, h.live) {
		return nil, StatusCollect, nil
	}
	in := h.inUse()
	lo, at, ok := h.findRange(n)
	if !ok || in > h.limit || n > h.limit-in {
		if h.buffers.freed+h.allocatedSince() == 0 {
			return nil, StatusLimit, nil
		}
		return nil, StatusCollect, nil
	}
	if uint64(h.ready) > lo {
		if err := h.space.uncommit(lo, uint64(h.ready)); err != nil {
			return nil, StatusHost, err
		}
		h.ready = uint32(lo)
	}
	view, err := h.space.lend(lo, lo+n)
	if err != nil {
		return nil, StatusHost, err
	}
	b := &Buffer{lo: lo, hi: lo + n, view: view, mapping: newOwned(view, unmapView)}
	b.heap.Store(h)
	t := &h.buffers
	t.list = append(t.list, nil)
	copy(t.list[at+1:], t.list[at:])
	t.list[at] = b
	h.noteLowest()
	h.host += n
	h.notePeak()
	if h.resident() > h.limit+h.trimSlack() && !h.trim() {
		return nil, StatusInterrupted, nil
	}
	return b, StatusOK, nil
}

// findRange finds n bytes for a buffer, and its place in the table. Addresses that blocks have used
// belong to the blocks until the heap is reset.
func (h *Heap) findRange(n uint64) (lo uint64, at int, ok bool) {
	end := uint64(buffersEnd)
	for i, b := range h.buffers.list {
		if end-b.hi >= n {
			return end - n, i, true
		}
		end = b.lo
	}
	return end - n, len(h.buffers.list), end >= n && end-n >= uint64(max(h.top, h.lo))
}

// noteLowest updates the address where buffers begin and blocks end.
func (h *Heap) noteLowest() {
	h.lowest, h.ceil = noBuffers, maxBlocks
	if n := len(h.buffers.list); n > 0 {
		h.lowest = uint32(h.buffers.list[n-1].lo)
		h.ceil = h.lowest >> blockShift
	}
}

// FreeBuffer frees a buffer. The guest can read its present contents as long as it can reach them.
// The host's view becomes zeros.
func (h *Heap) FreeBuffer(b *Buffer) {
	if !b.heap.CompareAndSwap(h, nil) {
		return
	}
	b.detach()
	if b.lent {
		b.freed = true
		h.buffers.freed += b.hi - b.lo
		return
	}
	h.dropBuffers(func(x *Buffer) bool { return x == b })
}

// detach makes the host's view memory of its own, since a goroutine may be writing there.
func (b *Buffer) detach() { _ = clearView(b.view) } // if the system refuses, the view is only given back with the Buffer

// dropBuffers removes the buffers that are gone from the guest's memory.
func (h *Heap) dropBuffers(gone func(*Buffer) bool) {
	t := &h.buffers
	keep := t.list[:0]
	for _, b := range t.list {
		// If the system refuses to unmap a buffer, its range stays taken.
		if !gone(b) || h.space.unlend(b.lo, b.hi) != nil {
			keep = append(keep, b)
			continue
		}
		h.host -= min(h.host, b.hi-b.lo)
	}
	clear(t.list[len(keep):])
	t.list = keep
	h.noteLowest()
}

// markBuffer marks the buffer that contains an address, if any. The collector calls it for
// addresses from h.lowest on.
func (h *Heap) markBuffer(addr uint32) {
	if b := h.buffers.at(uint64(addr)); b != nil {
		b.marked = true
	}
}

// unmarkBuffers begins a collection.
func (h *Heap) unmarkBuffers() {
	for _, b := range h.buffers.list {
		b.marked = false
	}
}

// sweepBuffers ends a collection.
func (h *Heap) sweepBuffers() {
	h.buffers.freed = 0
	if len(h.buffers.list) > 0 {
		h.dropBuffers(func(b *Buffer) bool { return b.freed && !b.marked })
	}
}

// resetBuffers frees all buffers and restores the guest's memory to its state before the first one.
func (h *Heap) resetBuffers() {
	h.abandonBuffers()
	h.buffers.freed = 0
	h.dropBuffers(func(*Buffer) bool { return true })
}

// abandonBuffers frees all buffers but leaves them in the guest's memory, which goes as a whole.
func (h *Heap) abandonBuffers() {
	for _, b := range h.buffers.list {
		if b.heap.CompareAndSwap(h, nil) {
			b.detach()
		}
	}
}

// ReadOnly reports whether an offset lies in a buffer, where writes through the space fault.
func (s *Space) ReadOnly(off uint64) bool { return s.heap != nil && s.heap.buffers.at(off) != nil }

// HasBuffers reports whether there are buffers.
func (s *Space) HasBuffers() bool { return s.heap != nil && len(s.heap.buffers.list) > 0 }

// Overlaps reports whether a part of the n bytes at off lies in a buffer. Code that writes and must
// not fault checks it first. Both numbers may come from a hostile guest.
func (s *Space) Overlaps(off, n uint64) bool {
	if s.heap == nil || off > SpaceSize || n > SpaceSize {
		return false
	}
	for _, b := range s.heap.buffers.list {
		if off < b.hi && b.lo < off+n {
			return true
		}
	}
	return false
}

// inBuffer reports whether all of the n bytes at off lie in one buffer. n is not 0.
func (s *Space) inBuffer(off, n uint64) bool {
	if s.heap == nil {
		return false
	}
	b := s.heap.buffers.at(off)
	return b != nil && off+n <= b.hi
}

// uncommit makes committed memory inaccessible again, from lo to the end of its committed span.
func (s *Space) uncommit(lo, hi uint64) error {
	if err := s.unlend(lo, hi); err != nil {
		return err
	}
	for i := range s.committed {
		if c := &s.committed[i]; lo < c.hi {
			c.hi = max(c.lo, lo)
		}
	}
	return nil
}
