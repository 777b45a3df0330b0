package memory

import (
	"errors"
	"math"
	"sync/atomic"
)

// Lent buffers.
//
// A [Buffer] is memory that the host and the guest both see: the host reads and writes it through a mapping of its
// own, the guest reads it through one in its space that the processor lets nobody write to. Lending it is to pass its
// address, so it costs the same for every size. Who writes to it all the same, the guest or a function of the
// host on its behalf, faults, and [Space.ReadOnly] tells that from other faults.
//
// Buffers lie at the upper end of the guest's memory, first fit from above, and the blocks of the heap end where they
// begin (Heap.ceil). They are no objects: there is no header, since nothing of ours may be written there, and no
// block, no start bit and no mark bit. The collector asks the table of buffers for what lies above all blocks.
//
// A buffer counts against the memory limit with whole units of [BufferUnit], whatever the pages of the
// machine are, as memory of the host does (ChargeHost). Once the host has given it up (FreeBuffer) the guest still may
// hold slices of it: the range stays as it is, and counts, until a collection finds that none of them can be reached.

const (
	// BufferUnit is what the sizes of buffers are rounded up to: a multiple of the pages of all systems.
	BufferUnit = granule

	// buffersEnd is where the range of the first buffer ends: no slice of it may end at 4 GiB, as offsets have 32 bits.
	buffersEnd = SpaceSize - BufferUnit

	// noBuffers is Heap.lowest when there are none.
	noBuffers = math.MaxUint32
)

// ErrReadOnly says that a function of the host was to write to a lent buffer.
var ErrReadOnly = errors.New("write to a lent buffer")

// A Buffer is memory that the host fills and the guest reads. But for View, which anybody may call at any time, its
// methods are for who may use the heap.
type Buffer struct {
	lo, hi  uint64               // its range of guest memory, in whole units
	view    []byte               // the same memory, as the host sees it
	mapping *owned               // of view
	heap    atomic.Pointer[Heap] // nil: the host has given it up, or the heap was reset or released
	lent    bool                 // the guest has been told of it
	freed   bool                 // the host has given it up, and the guest may still know of it
	marked  bool                 // in this collection: the guest does
}

// View returns the host's view of the buffer, in whole units. It may be used as long as somebody holds the Buffer; when the
// buffer is freed, or its heap reset or released, the view becomes memory of zeros that nobody else sees.
func (b *Buffer) View() []byte { return b.view }

// Of reports whether the buffer is one of a heap, and not freed.
func (b *Buffer) Of(h *Heap) bool { return b.heap.Load() == h }

// Alive reports whether the buffer is one of any heap, and not freed.
func (b *Buffer) Alive() bool { return b.heap.Load() != nil }

// Lend returns the guest address of the buffer, which the guest may know from now on.
func (b *Buffer) Lend() uint32 {
	b.lent = true
	return uint32(b.lo)
}

// A bufferTable holds the buffers of a heap.
type bufferTable struct {
	list  []*Buffer // the highest addresses first
	freed uint64    // bytes of those that the host has given up since the last collection
}

// at returns the buffer that an address lies in, nil if there is none.
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

// NewBuffer makes a buffer of at least size bytes, all zero. With StatusCollect nothing was made: the caller collects and
// calls again. StatusHost comes with the error of the operating system, after which the heap is as good as before.
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
	// The host pays for the collections that its own buffers bring about: they are not for the sake of the limit, as
	// those of Heap.over are, which leave a debt to the guest.
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

// findRange finds n bytes for a buffer, and where it stands in the table. What was in use by blocks is theirs until the
// heap is reset.
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

// noteLowest notes where buffers begin, and blocks end.
func (h *Heap) noteLowest() {
	h.lowest, h.ceil = noBuffers, maxBlocks
	if n := len(h.buffers.list); n > 0 {
		h.lowest = uint32(h.buffers.list[n-1].lo)
		h.ceil = h.lowest >> blockShift
	}
}

// FreeBuffer gives a buffer up. What the guest knows of it stays readable, as it is now, for as long as the guest can
// reach it; the host's view becomes zeros.
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

// detach makes the host's view memory of its own: somebody may be writing there.
func (b *Buffer) detach() { _ = clearView(b.view) } // if the system refuses, the view is given back with the Buffer only

// dropBuffers takes the buffers that are gone out of the guest's memory.
func (h *Heap) dropBuffers(gone func(*Buffer) bool) {
	t := &h.buffers
	keep := t.list[:0]
	for _, b := range t.list {
		// If the system refuses to unmap it, the range stays taken.
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

// markBuffer marks the buffer that an address lies in, if it does. The collector calls it for addresses from h.lowest on.
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

// resetBuffers gives all buffers up; the guest's memory is as before the first one.
func (h *Heap) resetBuffers() {
	h.abandonBuffers()
	h.buffers.freed = 0
	h.dropBuffers(func(*Buffer) bool { return true })
}

// abandonBuffers gives all buffers up, and leaves them in the guest's memory, which goes as a whole.
func (h *Heap) abandonBuffers() {
	for _, b := range h.buffers.list {
		if b.heap.CompareAndSwap(h, nil) {
			b.detach()
		}
	}
}

// ReadOnly reports whether an offset lies in a buffer, where nobody can write through the space.
func (s *Space) ReadOnly(off uint64) bool { return s.heap != nil && s.heap.buffers.at(off) != nil }

// HasBuffers reports whether there are buffers.
func (s *Space) HasBuffers() bool { return s.heap != nil && len(s.heap.buffers.list) > 0 }

// Overlaps reports whether a part of the n bytes at off lies in a buffer: whoever is to write there and must not
// fault asks before. Both numbers may come from a hostile guest.
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

// inBuffer reports whether n bytes at off, more than none, all lie in one buffer.
func (s *Space) inBuffer(off, n uint64) bool {
	if s.heap == nil {
		return false
	}
	b := s.heap.buffers.at(off)
	return b != nil && off+n <= b.hi
}

// uncommit makes committed memory inaccessible again, from lo to the end of what is committed there.
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
