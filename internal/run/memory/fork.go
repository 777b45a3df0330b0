package memory

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
)

// Forks.
//
// A fork is a second space with the memory of a checkpoint. It maps the checkpoint's base, an image
// that the kernel shares between spaces until they write to it, and gets copies of the pages that
// differ from it: those that were written to since the base was made, as Take has found them. So it
// takes time for these, at each fork.
//
// When they have been copied so often that a new base would have cost less, the checkpoint makes
// one: an image of all its pages, after which no page differs. The copies of the checkpoint are not
// needed any more then; the base has what the pages held. The checkpoint's own space stays mapped
// as it is: its next writes cost nothing more than before.
//
// Where the system has no images, all pages are copied.

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

// base is the snapshot whose image has what pages without a copy held; nil: there is none, and they
// were zeros.
func (cp *Checkpoint) base() *Snapshot {
	if cp.rebased != nil {
		return cp.rebased
	}
	if s := cp.heap.space; s.image != nil && !s.tablesMoved {
		return s.image
	}
	return nil
}

// Fork makes the memory of a space that was reserved ([ReserveOnly]) that of the checkpoint, and
// the heap in it. Take was called, and nothing has run since. Counters, stacks and the context are
// the caller's.
func (cp *Checkpoint) Fork(s *Space) (*Heap, Forked, error) {
	var f Forked
	was, st := cp.heap, &cp.state
	end := uint64(max(st.ready, was.lo))
	if cp.worthBase(end) {
		cp.rebase(end)
	}
	start := uint32(0)
	if was.data > 0 {
		start = uint32(ir.DataBase + was.data)
	}
	h := newHeap(s, start, was.layouts.tab[:was.layouts.fixed:was.layouts.fixed], was.limit)
	if base := cp.base(); base != nil && base.imageEnd() <= end {
		mapped, err := base.mapInto(s)
		if err != nil {
			return nil, f, err
		}
		if f.Shared = mapped; mapped {
			h.ready = uint32(base.imageEnd())
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
	if !f.Shared && cp.base() != nil {
		cp.eachPage(end, func(at uint64) {
			if b := cp.base().page(at); b != nil && !allZero(b) {
				copy(s.all[at:], b)
				f.Copied++
			}
		})
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
	if end := uint64(max(h.ready, h.lo)); cp.rebased == nil || len(cp.slots) > 0 {
		if !cp.rebase(end) {
			return 0, false
		}
	}
	h.space.committed = h.space.committed[:0]
	mapped, err := cp.rebased.mapInto(h.space)
	return cp.rebased.imageEnd(), mapped && err == nil
}

// rebase makes a base of all pages, after which there are no copies. It reports false if the system
// cannot.
func (cp *Checkpoint) rebase(end uint64) bool {
	sn := cp.newBase(end, cp.page)
	if sn == nil {
		return false
	}
	cp.rebased, cp.forked, cp.used = sn, 0, 0
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
	if base := cp.base(); base != nil {
		all = max(n, int(base.imageEnd()/PageSize)-base.holes())
	}
	return n >= all/baseShare || cp.forked+n >= all
}

// eachPage calls f for the pages that may hold something, up to an address of the guest.
func (cp *Checkpoint) eachPage(end uint64, f func(at uint64)) {
	parts := []span{{below + dataStart, below + end}}
	if h := cp.heap; end > uint64(h.lo) {
		spans := tableSpans(uint64(h.lo), end)
		parts = append(parts, spans[:]...)
	}
	for _, r := range parts {
		for at := r.lo &^ (PageSize - 1); at < r.hi; at += PageSize {
			f(at)
		}
	}
}

// newBase makes a snapshot that has nothing but an image of pages, as page tells them; nil: the
// system cannot.
func (cp *Checkpoint) newBase(end uint64, page func(at uint64) []byte) *Snapshot {
	sn := &Snapshot{ends: end}
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
		cp.eachPage(end, func(at uint64) {
			if looked++; looked%stopPages == 0 && cp.Stop != nil && failed == nil {
				failed = cp.Stop()
			}
			b := page(at)
			if failed != nil || b == nil {
				return
			}
			if n := len(run); n > 0 && n < baseRun && at == from+uint64(n) && unsafe.Pointer(&b[0]) == unsafe.Add(unsafe.Pointer(&run[0]), n) {
				run = unsafe.Slice(&run[0], n+len(b))
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
	sn := cp.newBase(end, func(at uint64) []byte {
		if at >= below+end || at < below && at >= sideSize {
			return nil
		}
		return all[at : at+PageSize]
	})
	if sn == nil {
		return false
	}
	cp.rebased = sn
	cp.note()
	return true
}
