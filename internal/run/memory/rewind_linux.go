package memory

import (
	"bytes"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gyrvm/gyr/internal/ir"
)

// rewindMost is the number of pages up to which rewind copies the image's contents back. The
// instance keeps the pages, and so the memory. It will need most of them again, and getting a page
// from the system takes ten times as long as copying one.
const rewindMost = 512

// A page with the image's contents has, almost certainly, not been written to since the last reset.
// If idleResets resets in a row find more than idlePages of them, the instance once did more than
// it does now, and the system gets them back. Comparing a page takes about 0.1 µs at each reset,
// getting it again 0.7 µs.
const (
	idlePages  = 16
	idleResets = 32
)

// A watch says whether the guest's memory, as far as the image has it, is write-protected in the page
// tables, as [Tracker] does it. Then a reset asks which pages were written to since, for which the
// kernel reads page tables alone, and not which ones are the space's own, for which it reads the
// record of each page. Written pages stay unprotected, so that each costs a fault once, and not in
// every request.
type watch uint8

const (
	unwatched   watch = iota // the resets so far did not need it
	watched                  // by the image's tracker; pages that are not reported have the image's contents
	unwatchable              // the system refuses
)

// A space is watched from its third reset on, unless its image is so large that page tables for all of
// it are worth more than what a reset saves. Every 256th reset looks at all of the space's own pages:
// those that were not written to since they were protected go back to the system.
const (
	watchFrom = 3
	watchAll  = 256
	watchMost = 8 << 20
)

// rewind restores the mapped image by copying to the pages that the space has of its own. It
// removes memory after the image. It returns false if it cannot do that, or if it does not pay. A
// part may be done then, and the image has to be mapped again.
func (s *Space) rewind() bool {
	sn := s.image
	if sn == nil || sn.image.pages < 0 || s.tablesMoved {
		return false
	}
	defer runtime.KeepAlive(sn)
	im := &sn.image
	for _, z := range im.zeros {
		if decommit(s.guest(z)) != nil {
			return false
		}
	}
	r := rewinding{space: s, im: im, drop: s.idle == idleResets}
	// The heap has written only to the tables of its blocks. Start and mark bits are far from all
	// others.
	tables := tableSpans(uint64(s.heap.lo), max(im.end, uint64(s.heap.ready)))
	bits := span{tables[0].lo &^ (s.page - 1), (tables[0].hi + s.page - 1) &^ (s.page - 1)}
	if !r.part(bits) || !r.part(span{tables[1].lo &^ (s.page - 1), below}) || !r.guest() {
		return false
	}
	switch {
	case r.drop || r.equal <= idlePages:
		s.idle = 0
	default:
		s.idle++
	}
	if s.closeBehind(im.end) != nil {
		return false
	}
	s.committed = append(s.committed[:0], span{ir.DataBase, im.end})
	return true
}

// A rewinding is a call of rewind.
type rewinding struct {
	space          *Space
	im             *image
	drop           bool // equal pages are given back
	changed, equal int  // the space's own pages that differed from the image, and that did not
}

// guest restores the guest's memory.
func (r *rewinding) guest() bool {
	s := r.space
	p := span{below + ir.DataBase, below + r.im.end}
	s.resets++
	if s.watch != watched {
		return r.part(p) && r.protect(p)
	}
	if !r.scan(p, pagesWritten) {
		return false
	}
	if !r.drop && s.resets%watchAll != 0 {
		return true
	}
	// The memory is the image's now. Protected pages count as swapped out where there is no page.
	r.drop, r.changed, r.equal = true, 0, 0
	return r.scan(p, pagesOfOwnPresent) && r.protect(p)
}

// protect begins to watch the guest's memory, which is the image's now, or protects it again. It
// waits while the space has many pages that it does not seem to need: those are given back first.
func (r *rewinding) protect(p span) bool {
	s, im := r.space, r.im
	small := len(im.zeros) == 0 && im.end <= watchMost
	if s.watch == unwatched && s.resets >= watchFrom && small && s.followed == nil && (r.drop || r.equal <= idlePages) {
		im.tracks.Do(func() { im.tracker, _ = NewTracker() })
		s.watch = unwatchable
		// All of the mapping, which stays one.
		if im.tracker != nil && im.tracker.track(s, span{0, below + im.end}) == nil {
			s.watch = watched
		}
	}
	return s.watch != watched || im.tracker.written(s, p, true, func(uint64, uint64) {}) == nil
}

// unwatch ends the watch, for a checkpoint that tracks the space.
func (s *Space) unwatch() {
	if s.watch == watched {
		s.image.image.tracker.forget(s, span{0, below + s.image.image.end})
		s.watch, s.resets = unwatched, 0
	}
}

// part restores a part of the reservation, whole pages, to the image, except for what lies apart.
func (r *rewinding) part(p span) bool { return r.scan(p, pagesOfOwn) }

// scan restores the pages of a part that are of a kind.
func (r *rewinding) scan(p span, kind pageScan) bool {
	done := true
	return r.space.scan(p, kind, func(g span) { done = done && r.region(g) }) && done
}

// ownPages calls f with the ranges of a part of the reservation that are no longer those of an image's
// file, in memory or swapped out: the space has written to them, or no image has them. It reports
// false if the system cannot tell.
func (s *Space) ownPages(p span, f func(span)) bool { return s.scan(p, pagesOfOwn, f) }

// pagesOfOwn asks for pages that are not the file's, in memory or swapped out.
var pagesOfOwn = pageScan{inverted: pageIsFile, all: pageIsFile, any: pageIsPresent | pageIsSwapped, tell: pageIsFile}

// pagesOfOwnPresent asks for those in memory. pagesWritten asks for pages of a watched part that may
// have been written to since they were protected.
var (
	pagesOfOwnPresent = pageScan{inverted: pageIsFile, all: pageIsFile | pageIsPresent, tell: pageIsFile}
	pagesWritten      = pageScan{all: pageIsWritten, tell: pageIsWritten} // for more, see Tracker.written
)

// scan calls f with the ranges of a part of the reservation that are of a kind. It reports false if the
// system cannot tell.
func (s *Space) scan(p span, kind pageScan, f func(span)) bool {
	sn := s.image
	if sn == nil || sn.image.pages < 0 {
		return false
	}
	defer runtime.KeepAlive(sn)
	if s.regions == nil {
		s.regions = make([]pageRegion, 32)
	}
	start := uint64(uintptr(unsafe.Pointer(&s.all[0])))
	for p.lo < p.hi {
		a := kind
		a.size, a.start, a.end = uint64(unsafe.Sizeof(a)), start+p.lo, start+p.hi
		a.vec, a.vecLen = uint64(uintptr(unsafe.Pointer(&s.regions[0]))), uint64(len(s.regions))
		n, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(sn.image.pages), pagemapScan, uintptr(unsafe.Pointer(&a)))
		if errno != 0 {
			return false
		}
		for _, g := range s.regions[:n] {
			f(span{g.start - start, g.end - start})
		}
		if int(n) < len(s.regions) {
			break
		}
		p.lo = a.walkEnd - start
	}
	return true
}

// apart is what rewind does not touch: stacks, whose contents mean nothing, and the guest's lowest
// addresses, which have no memory.
var apart = [...]span{{contextOff - StackSize, contextOff}, {below, below + ir.DataBase}}

// region restores pages of the space's own to the contents of the image.
func (r *rewinding) region(g span) bool {
	for _, a := range apart {
		if g.lo < a.hi && g.hi > a.lo {
			return (g.lo >= a.lo || r.region(span{g.lo, a.lo})) && (g.hi <= a.hi || r.region(span{a.hi, g.hi}))
		}
	}
	s := r.space
	equal := g.lo // pages from here to at are equal
	for at := g.lo; at < g.hi; at += s.page {
		if r.changed+r.equal == rewindMost {
			return false
		}
		end := min(at+s.page, g.hi) // the kernel's pages may be smaller in a test
		own, was := s.all[at:end], r.im.view[at:end]
		if bytes.Equal(own, was) {
			r.equal++
			continue
		}
		r.changed++
		copy(own, was)
		if !r.give(span{equal, at}) {
			return false
		}
		equal = end
	}
	return r.give(span{equal, g.hi})
}

// give gives pages back if that is due. The file's pages take their place.
func (r *rewinding) give(g span) bool {
	return !r.drop || g.lo >= g.hi || decommit(r.space.all[g.lo:g.hi]) == nil
}

// A pageScan is the kernel's struct pm_scan_arg, a pageRegion its struct page_region
// (linux/fs.h, since Linux 6.7).
type pageScan struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages uint64
	inverted, all, any, tell                                uint64
}

type pageRegion struct{ start, end, categories uint64 }

const (
	pageIsFile    = 1 << 2
	pageIsPresent = 1 << 3
	pageIsSwapped = 1 << 4

	pagemapScan = 3<<30 | unsafe.Sizeof(pageScan{})<<16 | 'f'<<8 | 16 // _IOWR
)
