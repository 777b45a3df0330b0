package memory

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
)

// Checkpoints.
//
// A Checkpoint holds the memory of a heap at a moment, and the heap's own state, and can restore
// both. Taking and restoring cost time for the pages that were written to since, not for all pages.
// A [Tracker] finds the written pages; without one all pages are compared.
//
// Pages that the tracker has found stay unprotected. Most calls write to the same pages as the
// calls before them. So these writes do not fault, and nothing is protected again. Such pages are
// found the next time too, and compared, which takes a tenth of the time of a fault. When too many
// of them turn out to be unchanged, all are protected.
//
// The contents of a page at the moment are the checkpoint's copy if it has one, else the page of
// the image from which the space began (image_linux.go), else zeros. So a checkpoint takes as much
// memory as the space has pages of its own. Later writes are found by the next [Checkpoint.Take],
// which copies the pages, or undone by [Checkpoint.Back].
//
// Side tables are tracked like guest memory, since they describe it. Execution stacks, counters and
// the context page belong to others.

// A Checkpoint is not safe for concurrent use. Only one may track a heap's space at a time.
type Checkpoint struct {
	// Stop, if not nil, is called during Take and Told. Its error ends Take, which returns it; the
	// checkpoint is useless afterwards.
	Stop func() error

	// Forks says that the next Take is for the sake of Fork: what it would copy may be a base at once.
	Forks bool

	heap    *Heap
	tracker *Tracker // nil: pages are compared
	slots   map[uint32]uint32
	copies  Pages
	used    uint32    // slots in use in copies
	rebased *Snapshot // the base that Fork has made; nil: the space's image
	baseEnd uint64    // guest address where it ends
	forked  int       // pages that were copied for forks since
	state   heapState
	words   []*uint32 // figures of state, made on first use
	counts  []*uint64
	taken   bool // Take was called
	protect bool // the next Take protects the pages that it finds
	round   uint32
	dirty   map[uint32]struct{}
	bare    []bool // by block: its pages are not part of the state, see Changed
	told    bool   // Changed was called
}

// PageSize is the size of the pages that checkpoints copy, in bytes.
const PageSize = 4 << 10

// A heapState is the state of a heap apart from its tables. The list that TestFuture of package
// engine reads says what becomes of each field of Heap.
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

// NewCheckpoint starts to track a heap. Nothing has been taken yet. From now on unused memory is
// kept, not given back to the system. With a nil tracker, pages are compared.
func NewCheckpoint(h *Heap, t *Tracker) (*Checkpoint, error) {
	cp := &Checkpoint{heap: h, tracker: t, slots: map[uint32]uint32{}, protect: true, dirty: map[uint32]struct{}{}}
	h.space.unwatch()
	if err := cp.follow(); err != nil {
		cp.tracker = nil
	}
	h.space.followed = cp
	return cp, nil
}

// follow tells the system which memory is tracked.
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

// followedParts are the tables and all memory that a guest may ever have, as offsets in the
// reservation.
var followedParts = [...]span{{0, sideSize}, {below + dataStart, below + SpaceSize}}

// dataStart is the first page that a guest may have: a multiple of all systems' page sizes.
const dataStart = granule

// Release stops the tracking and gives memory back.
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

// Quiet reports whether a heap can be copied.
func (h *Heap) Quiet() bool {
	return h.phase == phaseIdle && !h.corrupt && h.err == nil && h.stress.every == 0 && !h.watch && !h.Poison && !h.squeeze &&
		h.debt == 0 && len(h.buffers.list) == 0
}

// Take makes the checkpoint the present. It fails with [ErrNoSnapshot], without a change, during a
// collection, after an error, while the heap is watched or stressed, and while buffers are lent.
func (cp *Checkpoint) Take() error {
	h := cp.heap
	if !h.Quiet() {
		return ErrNoSnapshot
	}
	defer h.space.readImage()()
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

// stopPages is how many pages are visited between calls of Stop.
const stopPages = 256

// mostIdle is how many unprotected pages may be unchanged, in addition to one for each changed
// page. Comparing so many takes as long as protecting all pages and three faults.
const mostIdle = 16

// freshRounds is the number of calls of Take after which all pages are protected even for a few
// unchanged ones.
const freshRounds = 64

// take copies the page at an offset of the reservation. It reports whether the page has changed.
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

// page returns the contents of a page when it was taken; nil: zeros.
func (cp *Checkpoint) page(at uint64) []byte {
	if slot, ok := cp.slots[uint32(at/PageSize)]; ok {
		return cp.copies.Bytes[int(slot)*PageSize : int(slot+1)*PageSize]
	}
	return cp.basePage(at)
}

// Back restores the heap and its memory to the taken state, whatever has happened since. The pace
// of collections, addresses and figures continue from there. The machine has to restore its own
// view of execution stacks and their chunks.
func (cp *Checkpoint) Back() error {
	h, s := cp.heap, &cp.state
	all, end := h.space.all, below+uint64(max(s.ready, h.lo))
	done := h.space.readImage()
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
	done()
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
	h.counters.idle = 0 // it counted stacks of a machine that is gone
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

// written calls f with the ranges, in whole pages, that may have been written to since they were
// protected. Either the tracker has found them, or they are so few that they are compared.
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
	// One call for all tables would take 20 µs, since the kernel visits everything between them.
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

// compareBelow is the size in bytes up to which pages are compared. That takes less time than a
// system call.
const compareBelow = 3 * PageSize

// same reports whether a page has the taken contents.
func (cp *Checkpoint) same(at uint64) bool {
	now, was := cp.heap.space.all[at:at+PageSize], cp.page(at)
	return was == nil && allZero(now) || was != nil && bytes.Equal(was, now)
}
