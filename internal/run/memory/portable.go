package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// The state of a heap as data that is the same on every machine.
//
// It consists of pages, numbered by their contents, and of the rest of the heap's state as bytes. A
// guest page has the number of its address. Two side tables decide the future: start bits and
// records of blocks. Their pages are numbered as if they lay at the upper end of the guest's
// memory, which no heap with a state reaches ([tablePages]).
//
// Two things are left out, since they differ between tiers or passes: the contents of shadow
// stacks, whose chunks are zeros here, and free blocks, which may have been chunks. The restored
// machine waits, and has frames of its own.

const (
	guestPages = SpaceSize / PageSize

	// tablePages is the number of the first page of the tables.
	tablePages = guestPages - uint32((sideBits+sideBlocks)/PageSize)

	// tableAddr is the guest address with that number.
	tableAddr uint32 = tablePages * PageSize

	blockShare = BlockSize / PageSize // pages of a block
)

// stateNumber returns the number of the page at an offset of the reservation. It is false if the
// page is not part of the state.
func stateNumber(at uint64) (uint32, bool) {
	switch {
	case at >= below+dataStart && at < below+uint64(tableAddr):
		return uint32((at - below) / PageSize), true
	case at < sideBits+sideBlocks:
		return tablePages + uint32(at/PageSize), true
	}
	return 0, false
}

// offset returns the place of the page with a number in the reservation.
func offset(number uint32) (at uint64, ok bool) {
	switch {
	case number >= guestPages:
		return 0, false
	case number >= tablePages:
		return uint64(number-tablePages) * PageSize, true
	}
	return below + uint64(number)*PageSize, number >= dataStart/PageSize
}

// bare reports whether the pages of a block are left out of the state.
func (h *Heap) bare(i uint32) bool {
	switch b := &h.blocks[i]; b.state {
	case blockFree, blockChunks, blockRun:
		return true
	case blockTail:
		return h.blocks[b.head&(SpaceSize/BlockSize-1)].state == blockRun
	}
	return false
}

// ErrTooLarge says that a heap reaches the place of the tables in a state.
var ErrTooLarge = errors.New("memory: the heap is larger than 3.8 GiB")

// StatePage returns the content of a page of the state at the time of Take; nil: zeros. It is valid
// until the next Take or Fork.
func (cp *Checkpoint) StatePage(number uint32) []byte {
	s := cp.heap.space
	defer s.readImage()()
	b := cp.statePage(number)
	if at, _ := offset(number); b != nil && s.image != nil && s.image.forks != nil && cp.rebased == nil {
		if _, copied := cp.slots[uint32(at/PageSize)]; !copied {
			return bytes.Clone(b) // the owner of the base may change it
		}
	}
	return b
}

// statePage is StatePage for as long as the lock of the image is held.
func (cp *Checkpoint) statePage(number uint32) []byte {
	at, ok := offset(number)
	if !ok {
		return nil
	}
	if at >= below {
		if i := (at - below) >> blockShift; i >= uint64(len(cp.bare)) || cp.bare[i] {
			return nil
		}
	}
	return cp.page(at)
}

// Changed returns the numbers of the pages of the state that may have changed since its last call,
// in ascending order. Take has been called, and nothing has run since.
func (cp *Checkpoint) Changed() ([]uint32, error) {
	h := cp.heap
	if h.ready > tableAddr {
		return nil, ErrTooLarge
	}
	var list []uint32
	if !cp.told {
		cp.told = true
		return cp.all(), nil
	}
	for n := range cp.dirty {
		if number, ok := stateNumber(uint64(n) * PageSize); ok {
			list = append(list, number)
		}
	}
	clear(cp.dirty)
	// A block whose use has changed shows or hides pages without a write to them.
	for uint32(len(cp.bare)) < h.top>>blockShift {
		cp.bare = append(cp.bare, true)
	}
	for _, number := range list[:len(list):len(list)] {
		at, _ := offset(number)
		if at < sideBits || at >= sideBits+sideBlocks {
			continue
		}
		lo := (at - sideBits) / blockRecord
		for i := lo; i <= (at-sideBits+PageSize-1)/blockRecord && i < uint64(h.top>>blockShift); i++ {
			list = cp.look(uint32(i), list)
			// A tail has the use of its head.
			for j := uint32(i) + 1; j < h.top>>blockShift && h.blocks[j].state == blockTail; j++ {
				list = cp.look(j, list)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// Told records that the caller of Changed knows the present state. Take has been called, and
// nothing has run since.
func (cp *Checkpoint) Told() {
	cp.told = true
	cp.all()
}

// all returns the numbers of all pages of the state that may hold something.
func (cp *Checkpoint) all() (list []uint32) {
	h := cp.heap
	clear(cp.dirty)
	cp.bare = make([]bool, h.top>>blockShift)
	for i := range cp.bare {
		cp.bare[i] = uint32(i) >= h.lo>>blockShift && h.bare(uint32(i))
	}
	parts := []span{{below + ir.DataBase, below + uint64(max(h.lo, h.ready))}}
	if h.ready > h.lo {
		spans := tableSpans(uint64(h.lo), uint64(h.ready))
		parts = append(parts, spans[:2]...)
	}
	defer h.space.readImage()()
	for _, r := range parts {
		for at := r.lo &^ (PageSize - 1); at < r.hi; at += PageSize {
			if cp.Stop != nil && at/PageSize%(16*stopPages) == 0 && cp.Stop() != nil {
				return nil
			}
			if number, ok := stateNumber(at); ok && cp.statePage(number) != nil {
				list = append(list, number)
			}
		}
	}
	slices.Sort(list)
	return list
}

// look updates whether a block is bare. If that has changed, it adds the block's pages to a list.
func (cp *Checkpoint) look(i uint32, list []uint32) []uint32 {
	if bare := i >= cp.heap.lo>>blockShift && cp.heap.bare(i); bare != cp.bare[i] {
		cp.bare[i] = bare
		for p := range uint32(blockShare) {
			list = append(list, i*blockShare+p)
		}
	}
	return list
}

// figures returns the numbers of a heap's state, in the order in which they are written.
func (s *heapState) figures() (words []*uint32, counts []*uint64) {
	w, p, c := &s.window, &s.spare, &s.counters
	words = slices.Grow(words, 12+len(s.wide)+len(s.chunks.partial))
	words = append(words, &s.top, &s.ready, &w.start, &w.walked, &w.cur, &w.end, &p.start, &p.walked, &p.cur, &p.end, &s.cursor, &s.lowFree)
	for i := range s.wide {
		words = append(words, &s.wide[i])
	}
	for i := range s.chunks.partial {
		words = append(words, &s.chunks.partial[i])
	}
	return words, []*uint64{&s.mallocs, &s.chunks.bytes, &s.chunks.blocks, &c.retired, &c.gcBytes, &c.gcMallocs, &c.live, &c.liveObjects, &c.next, &c.work,
		&c.frames, &c.debt, &c.numGC, &c.used, &c.dirty, &c.host, &c.peak}
}

// AppendState appends the heap's state at the time of Take, without the pages.
func (cp *Checkpoint) AppendState(b []byte) []byte {
	s := &cp.state
	if cp.words == nil {
		cp.words, cp.counts = s.figures()
	}
	b = slices.Grow(b, 5*len(cp.words)+10*len(cp.counts)) // their largest size
	for _, p := range cp.words {
		b = binary.AppendUvarint(b, uint64(*p))
	}
	for _, p := range cp.counts {
		b = binary.AppendUvarint(b, *p)
	}
	tight := uint64(0)
	if s.counters.tight {
		tight = 1
	}
	b = binary.AppendUvarint(b, tight)
	made := make([]string, s.layouts-cp.heap.layouts.fixed)
	for key, n := range cp.heap.layouts.made {
		if i := int(n) - cp.heap.layouts.fixed; i < len(made) {
			made[i] = key
		}
	}
	b = binary.AppendUvarint(b, uint64(len(made)))
	for _, key := range made {
		b = binary.AppendUvarint(b, uint64(len(key)))
		b = append(b, key...)
	}
	b = binary.AppendUvarint(b, uint64(s.live))
	b = binary.AppendUvarint(b, uint64(s.index))
	b = binary.AppendUvarint(b, uint64(len(s.specials)))
	for _, x := range s.specials {
		b = binary.AppendUvarint(b, uint64(x.Obj))
		b = binary.AppendUvarint(b, uint64(x.Kind))
		b = binary.AppendUvarint(b, x.ID)
	}
	return b
}
