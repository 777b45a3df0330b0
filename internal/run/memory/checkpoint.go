package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
)

// Checkpoints.
//
// A Checkpoint holds the memory of a heap as it was at a moment, and what the heap knew, and can bring it back. Both take
// time for the pages that were written to since, not for those that there are: a [Tracker] finds these, and
// without one all pages are compared.
//
// What the tracker has found stays unprotected. Most calls write to pages to which the last ones wrote, and so there is no fault for these, and nothing is protected again: they are found
// the next time too, and compared, which takes a tenth of the time. When too many of them turn out to be as they were, all are protected.
//
// The contents of a page at the moment are, in this order, the copy that the checkpoint has; what the image has from which the space
// began (image_linux.go); zeros. So a checkpoint takes as much memory as the space has pages of its own. What was written
// since then is found with the next [Checkpoint.Take], which copies it, or undone by [Checkpoint.Back].
//
// Side tables are followed like guest memory, since they tell about it. Execution stacks, counters and the context page belong to others.

// A Checkpoint is not safe for concurrent use, and has the heap to itself: no other may follow the heap's space.
type Checkpoint struct {
	// Stop, if it is not nil, is asked in the midst of Take and Told whether to go on; after its error, which Take returns, the checkpoint is of no use.
	Stop func() error

	// Forks says that the next Take is for the sake of Fork: what it would copy may be a base at once.
	Forks bool

	heap    *Heap
	tracker *Tracker // nil: pages are compared
	slots   map[uint32]uint32
	copies  Pages
	used    uint32    // slots of copies
	rebased *Snapshot // the base that Fork has made; nil: the space's image
	forked  int       // pages that were copied for forks since
	state   heapState
	words   []*uint32 // figures of state, made when they are needed
	counts  []*uint64
	taken   bool // Take was called
	protect bool // the next Take protects what it finds
	round   uint32
	dirty   map[uint32]struct{}
	bare    []bool // by block: its pages are no part of the state, see Changed
	told    bool   // Changed was called
}

// PageSize is the size of the pages that checkpoints copy, in bytes.
const PageSize = 4 << 10

// A heapState is what a heap knows besides its tables. What becomes of each field of Heap is in the list that TestFuture of package engine reads.
type heapState struct {
	top, ready      uint32
	window, spare   window
	cursor, lowFree uint32
	mallocs         uint64
	counters        counters
	wide            [LargeObject/LineSize + 1]uint32
	chunks          chunkPool
	free            []uint64
	layouts         int
	specials        []Special
	live, index     int
}

// NewCheckpoint begins to follow a heap: nothing has been taken yet. Memory that is not needed is kept from then on, and not
// given back to the system. A nil tracker compares.
func NewCheckpoint(h *Heap, t *Tracker) (*Checkpoint, error) {
	cp := &Checkpoint{heap: h, tracker: t, slots: map[uint32]uint32{}, protect: true, dirty: map[uint32]struct{}{}}
	if err := cp.follow(); err != nil {
		cp.tracker = nil
	}
	h.space.followed = cp
	return cp, nil
}

// follow says to the system what is followed.
func (cp *Checkpoint) follow() error {
	if cp.tracker == nil {
		return nil
	}
	for _, part := range followedParts {
		if err := cp.tracker.track(cp.heap.space, part); err != nil {
			return err
		}
	}
	return nil
}

// followedParts are where a guest may ever have memory, and the tables, as offsets in the reservation.
var followedParts = [...]span{{0, sideSize}, {below + dataStart, below + SpaceSize}}

// dataStart is where the first page begins that a guest may have: a multiple of all systems' pages.
const dataStart = granule

// Release ends the following and gives memory back.
func (cp *Checkpoint) Release() {
	if s := cp.heap.space; s.followed == cp {
		s.followed = nil
		if cp.tracker != nil && s.mem != nil {
			for _, part := range followedParts {
				cp.tracker.forget(s, part)
			}
		}
	}
	cp.copies.Free()
	cp.slots, cp.used, cp.rebased = nil, 0, nil
}

// quiet reports whether a heap can be copied.
func (h *Heap) quiet() bool {
	return h.phase == phaseIdle && !h.corrupt && h.err == nil && h.stress.every == 0 && !h.watch && !h.Poison && !h.squeeze &&
		h.debt == 0 && len(h.buffers.list) == 0
}

// Take makes the checkpoint the present. It fails with [ErrNoSnapshot], and nothing has changed, in the midst of a collection, after an error,
// while the heap is watched or stressed, and while there are lent buffers.
func (cp *Checkpoint) Take() error {
	h := cp.heap
	if !h.quiet() {
		return ErrNoSnapshot
	}
	changed, idle, looked := 0, 0, 0
	var stopped error
	if cp.Forks && !cp.taken && cp.takeWhole() {
		return cp.protectAll()
	}
	err := cp.written(cp.protect, func(lo, hi uint64, tracked bool) {
		for at := lo; at < hi && stopped == nil; at += PageSize {
			if looked++; looked%stopPages == 0 && cp.Stop != nil {
				stopped = cp.Stop()
			}
			switch {
			case cp.take(at):
				changed++
			case tracked:
				idle++
			}
		}
	})
	if err = cmp.Or(err, stopped); err != nil {
		return err
	}
	cp.taken = true
	cp.round++
	cp.protect = !cp.protect && (idle > mostIdle+changed || idle > 0 && cp.round%freshRounds == 0)
	cp.note()
	return nil
}

// note copies what the heap knows besides its tables.
func (cp *Checkpoint) note() {
	h, s := cp.heap, &cp.state
	s.top, s.ready, s.window, s.spare, s.cursor, s.lowFree = h.top, h.ready, h.window(), h.spare, h.cursor, h.lowFree
	s.mallocs, s.counters, s.wide, s.chunks = h.Mallocs, h.counters, h.wide, h.chunks
	s.free = append(s.free[:0], h.free...)
	s.layouts = len(h.layouts.tab)
	s.specials = append(s.specials[:0], h.special.list.List...)
	s.live, s.index = h.special.live, len(h.special.index.List)
}

// protectAll makes everything that was written to so far known.
func (cp *Checkpoint) protectAll() error {
	cp.taken, cp.protect = true, false
	return cp.written(true, func(uint64, uint64, bool) {})
}

// stopPages is how many pages are looked at before Stop is asked.
const stopPages = 256

// mostIdle is how many unprotected pages may be as they were, besides one for each that has changed. To compare them takes as long as
// protecting all and three faults.
const mostIdle = 16

// freshRounds is after how many calls of Take all are protected for the sake of the few.
const freshRounds = 64

// take copies the page at an offset of the reservation, and reports whether it has changed.
func (cp *Checkpoint) take(at uint64) bool {
	if cp.same(at) {
		return false
	}
	n := uint32(at / PageSize)
	cp.dirty[n] = struct{}{}
	slot, ok := cp.slots[n]
	if !ok {
		slot = cp.used
		cp.used++
		cp.copies.Grow(int(cp.used) * PageSize)
		cp.slots[n] = slot
	}
	copy(cp.copies.Bytes[int(slot)*PageSize:], cp.heap.space.all[at:at+PageSize])
	return true
}

// page returns what a page held; nil: zeros.
func (cp *Checkpoint) page(at uint64) []byte {
	if slot, ok := cp.slots[uint32(at/PageSize)]; ok {
		return cp.copies.Bytes[int(slot)*PageSize : int(slot+1)*PageSize]
	}
	if cp.rebased != nil {
		return cp.rebased.page(at)
	}
	s := cp.heap.space
	if s.image == nil || at < sideSize && s.tablesMoved {
		return nil
	}
	return s.image.page(at)
}

// Back makes the heap and its memory what they were when the checkpoint was taken, whatever has happened since. The pace of collections, addresses and figures go on from there.
// What execution stacks and their chunks are to the machine is its own to restore.
func (cp *Checkpoint) Back() error {
	h, s := cp.heap, &cp.state
	all, end := h.space.all, below+uint64(max(s.ready, h.lo))
	err := cp.written(false, func(lo, hi uint64, _ bool) {
		for at := lo; at < hi; at += PageSize {
			if at >= end || cp.same(at) {
				continue
			}
			if was := cp.page(at); was != nil {
				copy(all[at:at+PageSize], was)
			} else {
				clear(all[at : at+PageSize])
			}
		}
	})
	if err != nil {
		return err
	}
	if h.ready > s.ready {
		if err := h.space.takeAway(uint64(max(s.ready, h.lo)), uint64(h.ready)); err != nil {
			return err
		}
		h.ready = s.ready
	}
	if len(h.buffers.list) > 0 {
		h.resetBuffers()
		if err := cp.follow(); err != nil {
			return err
		}
	}
	h.phase, h.corrupt, h.err = phaseIdle, false, nil
	h.marker.reset()
	h.top = s.top
	h.setWindow(s.window)
	h.spare, h.cursor, h.lowFree = s.spare, s.cursor, s.lowFree
	h.Mallocs, h.counters, h.wide, h.chunks = s.mallocs, s.counters, s.wide, s.chunks
	h.counters.idle = 0 // of the stacks of a machine that is gone
	h.free = append(h.free[:0], s.free...)
	if n := s.layouts; len(h.layouts.tab) > n {
		h.layouts.tab = h.layouts.tab[:n]
		maps.DeleteFunc(h.layouts.made, func(_ string, at uint32) bool { return int(at) >= n })
	}
	if !slices.Equal(h.special.list.List, s.specials) || h.special.live != s.live {
		h.special.set(s.specials, s.live, s.index, nil)
	}
	return nil
}

// written calls f with the ranges that may have been written to since they were protected, in whole pages: the tracker has found them, or
// they are so few that they are compared.
func (cp *Checkpoint) written(protect bool, f func(lo, hi uint64, tracked bool)) error {
	h := cp.heap
	find := func(lo, hi uint64) error {
		if cp.tracker == nil || hi-lo <= compareBelow {
			f(lo, hi, false)
			return nil
		}
		if !cp.taken && h.space.ownPages(span{lo, hi}, func(r span) { f(r.lo, r.hi, true) }) {
			// Pages that are the image's are as they were. All are protected now.
			return cp.tracker.written(h.space, span{lo, hi}, protect, func(lo, hi uint64) {})
		}
		return cp.tracker.written(h.space, span{lo, hi}, protect, func(lo, hi uint64) { f(lo, hi, true) })
	}
	page := h.space.page
	// One call for all tables takes 20 µs: the kernel looks at what lies between.
	if h.ready > h.lo {
		for _, r := range tableSpans(uint64(h.lo), uint64(h.ready)) {
			if err := find(r.lo&^(page-1), (r.hi+page-1)&^(page-1)); err != nil {
				return err
			}
		}
	}
	for _, c := range h.space.committed {
		if err := find(below+c.lo, below+c.hi); err != nil {
			return err
		}
	}
	return nil
}

// compareBelow is the size in bytes up to which pages are compared, which takes less time than a system call.
const compareBelow = 3 * PageSize

// same reports whether a page holds what it held.
func (cp *Checkpoint) same(at uint64) bool {
	now, was := cp.heap.space.all[at:at+PageSize], cp.page(at)
	return was == nil && allZero(now) || was != nil && bytes.Equal(was, now)
}
