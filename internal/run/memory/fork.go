package memory

import (
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/gyrvm/gyr/internal/ir"
)

// Forks.
//
// A fork is a second space with the memory of a checkpoint. It maps the checkpoint's base, an image
// that the kernel shares between spaces until they write to it. Before it does, the base gets the
// pages that were written to since the last fork, as Take has found them (base_linux.go). So a fork
// takes time for these, once.
//
// A space whose first fork this is has no base of its own yet: it may have begun as a copy of an
// image that many spaces share. While few pages differ from that, each fork gets copies of them.
// When they have been copied so often that a base would have cost less, the checkpoint makes one:
// an image of all its pages. The checkpoint's own space stays mapped as it is: its next writes cost
// nothing more than before.
//
// Where the system has no images, all pages are copied.

// A forkBase is what a snapshot has that is a base: its file changes.
type forkBase struct {
	// The lock is held while the file, or what a space knows of it, is changed (Lock) or read (RLock).
	mu     sync.RWMutex
	spaces map[weak.Pointer[Space]]struct{} // that map the file
}

// sole reports whether one space maps the file.
func (b *forkBase) sole() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.spaces) == 1
}

// leaveBase ends that a space keeps pages of its image, because it maps something else from now on.
func (s *Space) leaveBase() {
	if s.image == nil || s.image.forks == nil {
		return
	}
	b := s.image.forks
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.spaces, weak.Make(s))
	s.was = nil
}

// imagePage returns a page of the image as it was when the space mapped it, by its offset in the
// reservation; nil: zeros. The lock of a base is held.
func (s *Space) imagePage(at uint64) []byte {
	if s.image == nil || at >= below+s.imageEnd || at < sideSize && s.tablesMoved {
		return nil
	}
	if b, ok := s.was[uint32(at/PageSize)]; ok {
		return b
	}
	return s.image.page(at)
}

// readImage takes the lock of the base that the space maps, if it does, and returns what gives it
// back.
func (s *Space) readImage() (done func()) {
	if s.image == nil || s.image.forks == nil {
		return func() {}
	}
	b := s.image.forks
	b.mu.RLock()
	return b.mu.RUnlock
}

// A Forked says what a fork took.
type Forked struct {
	Copied int  // pages that were copied
	Shared bool // the rest is shared; false: the system cannot, and all was copied
}

const (
	// smallFork is how many pages are copied for a fork without counting them: a new base would
	// hardly make it cheaper.
	smallFork = 32
	// baseShare is the part of all pages from which a base is made at once: it costs no more than
	// twice what the copies do.
	baseShare = 2
)

// base is the snapshot whose image has what pages without a copy held, and where it ends; nil: there
// is none, and they were zeros.
func (cp *Checkpoint) base() (*Snapshot, uint64) {
	if cp.rebased != nil {
		return cp.rebased, cp.baseEnd
	}
	if s := cp.heap.space; s.image != nil && !s.tablesMoved {
		return s.image, s.imageEnd
	}
	return nil, 0
}

// Fork makes the memory of a space that was reserved ([ReserveOnly]) that of the checkpoint, and
// the heap in it. Take was called, and nothing has run since. Counters, stacks and the context are
// the caller's.
func (cp *Checkpoint) Fork(s *Space) (*Heap, Forked, error) {
	var f Forked
	was, st := cp.heap, &cp.state
	end := uint64(max(st.ready, was.lo))
	if n := len(cp.slots); cp.rebased != nil && n > 0 && cp.sync(end) {
		f.Copied = n
	} else if cp.worthBase(end) {
		cp.rebase(end)
	}
	start := uint32(0)
	if was.data > 0 {
		start = uint32(ir.DataBase + was.data)
	}
	h := newHeap(s, start, was.layouts.tab[:was.layouts.fixed:was.layouts.fixed], was.limit)
	base, baseEnd := cp.base()
	if base != nil && baseEnd <= end {
		mapped, copied, err := cp.mapBase(s)
		if err != nil {
			return nil, f, err
		}
		if f.Shared = mapped; mapped {
			h.ready = uint32(baseEnd)
			f.Copied += copied
		}
	}
	if !f.Shared {
		if err := s.commitContext(); err != nil {
			return nil, f, err
		}
		if err := s.Commit(ir.DataBase, uint64(h.lo)-ir.DataBase); err != nil {
			return nil, f, err
		}
	}
	if end > uint64(max(h.ready, h.lo)) {
		if err := h.makeReady(end); err != nil {
			return nil, f, err
		}
	}
	if !f.Shared && base != nil {
		done := was.space.readImage()
		cp.heap.eachPage(end, func(at uint64) {
			if b := cp.basePage(at); b != nil && !allZero(b) {
				copy(s.all[at:], b)
				f.Copied++
			}
		})
		done()
	}
	for n, slot := range cp.slots {
		if at := uint64(n) * PageSize; at < below+end {
			copy(s.all[at:at+PageSize], cp.copies.Bytes[int(slot)*PageSize:])
			f.Copied++
		}
	}
	cp.forked += f.Copied
	cp.setHeap(h)
	return h, f, nil
}

// mapBase gives a space the image of the base, and returns how many pages it had to copy. It reports
// false where the system has no images.
func (cp *Checkpoint) mapBase(s *Space) (mapped bool, copied int, err error) {
	if cp.rebased != nil {
		mapped, err = cp.rebased.mapInto(s)
		return mapped, 0, err
	}
	return cp.heap.space.image.mapAgain(s, cp.heap.space)
}

// basePage returns what a page without a copy held; nil: zeros.
func (cp *Checkpoint) basePage(at uint64) []byte {
	if cp.rebased != nil {
		return cp.rebased.page(at)
	}
	return cp.heap.space.imagePage(at)
}

// setHeap makes a heap, whose memory is that of the checkpoint, know what the checkpoint's does.
func (cp *Checkpoint) setHeap(h *Heap) {
	was, s := cp.heap, &cp.state
	h.ready = s.ready
	h.top = s.top
	h.setWindow(s.window)
	h.spare, h.cursor, h.lowFree = s.spare, s.cursor, s.lowFree
	h.Mallocs, h.counters, h.wide, h.chunks = s.mallocs, s.counters, s.wide, s.chunks
	h.counters.idle = 0 // of the stacks of the other's machine
	h.free = append(h.free[:0], s.free...)
	h.layouts.tab = was.layouts.tab[:s.layouts:s.layouts]
	h.layouts.made = maps.Clone(was.layouts.made)
	maps.DeleteFunc(h.layouts.made, func(_ string, at uint32) bool { return int(at) >= s.layouts })
	h.special.set(slices.Clone(s.specials), s.live, s.index, nil)
}

// Share makes the checkpoint's own space one that maps the base, and drops its own pages. It returns
// how large the base is, and reports false where there is none, or pages that it does not have.
// The stacks, counters and context of the space are gone: its machine cannot run any more.
func (cp *Checkpoint) Share() (size uint64, ok bool) {
	h := cp.heap
	end := uint64(max(h.ready, h.lo))
	if s := h.space; cp.rebased == nil && s.image != nil && s.image.forks != nil && !s.tablesMoved && s.image.forks.sole() {
		cp.rebased, cp.baseEnd = s.image, s.imageEnd
	}
	if cp.rebased == nil || len(cp.slots) > 0 && !cp.sync(end) {
		if !cp.rebase(end) {
			return 0, false
		}
	}
	h.space.committed = h.space.committed[:0]
	mapped, err := cp.rebased.mapInto(h.space)
	return cp.baseEnd, mapped && err == nil
}

// rebase makes a base of all pages, after which there are no copies. It reports false if the system
// cannot.
func (cp *Checkpoint) rebase(end uint64) bool {
	done := cp.heap.space.readImage()
	sn := cp.baseOf(end, cp.page)
	done()
	if sn == nil {
		return false
	}
	cp.rebased, cp.baseEnd, cp.forked, cp.used = sn, end, 0, 0
	clear(cp.slots)
	cp.copies.Free()
	return true
}

// worthBase reports whether a new base is worth its price: that of copying all pages.
func (cp *Checkpoint) worthBase(end uint64) bool {
	n := len(cp.slots)
	if n <= smallFork {
		return false
	}
	all := n
	if base, end := cp.base(); base != nil {
		all = max(n, int(end/PageSize)-base.holes())
	}
	return n >= all/baseShare || cp.forked+n >= all
}

// eachPage calls f for the pages that may hold something, up to an address of the guest.
func (h *Heap) eachPage(end uint64, f func(at uint64)) {
	parts := []span{{below + dataStart, below + end}}
	if end > uint64(h.lo) {
		spans := tableSpans(uint64(h.lo), end)
		parts = append(parts, spans[:]...)
	}
	for _, r := range parts {
		for at := r.lo &^ (PageSize - 1); at < r.hi; at += PageSize {
			f(at)
		}
	}
}

// newBase returns a snapshot that will have nothing but an image up to a guest address.
func newBase(end uint64) *Snapshot {
	return &Snapshot{ends: end, forks: &forkBase{spaces: map[weak.Pointer[Space]]struct{}{}}}
}

// baseOf makes a base of pages, as page tells them; nil: the system cannot.
func (cp *Checkpoint) baseOf(end uint64, page func(at uint64) []byte) *Snapshot {
	sn := newBase(end)
	err := sn.image.openFrom(sn, func(write func(at uint64, b []byte) error) error {
		var run []byte // pages that follow each other, also in memory, for one call of the system
		var from uint64
		looked := 0
		var failed error
		flush := func() {
			if failed == nil && len(run) > 0 {
				failed = write(from, run)
			}
			run = nil
		}
		cp.heap.eachPage(end, func(at uint64) {
			if looked++; looked%stopPages == 0 && cp.Stop != nil && failed == nil {
				failed = cp.Stop()
			}
			b := page(at)
			if failed != nil || b == nil {
				return
			}
			if n := len(run); n > 0 && n < baseRun && at == from+uint64(n) && cap(run) > n && &run[:n+1][n] == &b[0] {
				run = run[:n+len(b)]
				return
			}
			flush()
			run, from = b, at
		})
		flush()
		return failed
	})
	if err != nil {
		return nil
	}
	return sn
}

// baseRun is how many bytes are written to an image at once.
const baseRun = 1 << 20

// takeWhole is Take for the first fork of an instance most of whose memory is its own: a base takes
// the place of the copies. It reports false if copies are as good.
func (cp *Checkpoint) takeWhole() bool {
	h := cp.heap
	end := uint64(max(h.ready, h.lo))
	own := 0
	for _, c := range h.space.committed {
		if !h.space.ownPages(span{below + c.lo, below + c.hi}, func(r span) { own += int((r.hi - r.lo) / PageSize) }) {
			return false
		}
	}
	if own <= smallFork || own < int((end-ir.DataBase)/PageSize)/baseShare {
		return false
	}
	all := h.space.all
	sn := cp.baseOf(end, func(at uint64) []byte {
		if at >= below+end || at < below && at >= sideSize {
			return nil
		}
		return all[at : at+PageSize]
	})
	if sn == nil {
		return false
	}
	cp.rebased, cp.baseEnd = sn, end
	cp.note()
	return true
}
