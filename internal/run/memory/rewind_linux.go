package memory

import (
	"bytes"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gyrvm/gyr/internal/ir"
)

// rewindMost is the number of pages up to which rewind copies back what the image has. An instance keeps the pages,
// and with them the memory: it will need most of them again, and to get a page from the system
// takes ten times as long as to copy one.
const rewindMost = 512

// A page that has the contents of the image is one that nobody has written to since the last reset, or almost. When idleResets resets in a
// row have found more than idlePages of them, an instance that once did more than it does now, the system gets them back: to compare a page
// takes about 0.1 µs at each reset, to get it again 0.7 µs.
const (
	idlePages  = 16
	idleResets = 32
)

// rewind restores the mapped image, by copying the pages that the space has copies of; memory after the image is
// taken away. It reports false when that cannot be done, or is not worth while: parts may have been done then, and
// the image has to be mapped again.
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
	// The heap has written to no tables but those of its blocks. Start and mark bits are far from all else.
	tables := tableSpans(uint64(s.heap.lo), max(im.end, uint64(s.heap.ready)))
	bits := span{tables[0].lo &^ (s.page - 1), (tables[0].hi + s.page - 1) &^ (s.page - 1)}
	if !r.part(bits) || !r.part(span{tables[1].lo &^ (s.page - 1), below + im.end}) {
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
	drop           bool // pages that are equal are given back
	changed, equal int  // pages of the space's own that differed from the image, and those that did not
}

// part makes a part of the reservation, whole pages, what it is in the image, but for what lies apart.
func (r *rewinding) part(p span) bool {
	done := true
	return r.space.ownPages(p, func(g span) { done = done && r.region(g) }) && done
}

// ownPages calls f with the ranges of a part of the reservation that are no longer those of an image's
// file, in memory or swapped out: the space has written to them, or no image has them. It reports
// false if the system cannot tell.
func (s *Space) ownPages(p span, f func(span)) bool {
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
		a := &pageScan{
			size: uint64(unsafe.Sizeof(pageScan{})), start: start + p.lo, end: start + p.hi,
			vec: uint64(uintptr(unsafe.Pointer(&s.regions[0]))), vecLen: uint64(len(s.regions)),
			inverted: pageIsFile, all: pageIsFile, any: pageIsPresent | pageIsSwapped, tell: pageIsFile,
		}
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(sn.image.pages), pagemapScan, uintptr(unsafe.Pointer(a)))
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

// apart is what rewind leaves alone: stacks, whose contents mean nothing, and the guest's lowest addresses, where nothing is.
var apart = [...]span{{contextOff - StackSize, contextOff}, {below, below + ir.DataBase}}

// region makes pages that are the space's own what they are in the image.
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
		own, was := s.all[at:at+s.page], r.im.view[at:at+s.page]
		if bytes.Equal(own, was) {
			r.equal++
			continue
		}
		r.changed++
		copy(own, was)
		if !r.give(span{equal, at}) {
			return false
		}
		equal = at + s.page
	}
	return r.give(span{equal, g.hi})
}

// give gives pages back if that is due: the file's take their place.
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
