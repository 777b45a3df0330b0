package memory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Snapshot is guest memory from the data segment to the end of the heap, with the heap's own
// state. Any number of spaces can start from one: on Linux they share its pages until they write to
// them. A Snapshot is immutable and safe for concurrent use.
type Snapshot struct {
	data     uint64    // bytes of the data segment and of the zeros that follow it
	segments []segment // the nonzero parts, by address
	known    known     // of a snapshot that was read: the contents that its segments leave out
	heap     heapImage
	whole    *wholeHeap // of SnapshotWhole: the state beyond heapImage
	image    image
	ends     uint64    // guest address where the image ends, of a snapshot that is nothing else: Fork; 0: see imageEnd
	forks    *forkBase // of such a snapshot

	// The common start of all heaps, made for the first of them.
	begun   sync.Once
	layouts []layout // the module's layouts, then those made at run time
	free    []uint64 // Heap.free
}

// A segment is a part of a snapshot. It begins at a multiple of granule.
type segment struct {
	addr, size uint64 // whole granules, except in the last segment
	bytes      []byte // nil: made from the data and the stored pieces

	there  []byte // of a stored segment: a bit for each stored piece, and the pieces
	stored []byte
}

// granule is the unit in which a snapshot leaves out zeros: a multiple of all systems' page sizes.
const granule = 64 << 10

// A heapImage is the state of a heap that has never collected and holds only objects.
type heapImage struct {
	lo, top         uint32
	window, spare   window
	cursor, lowFree uint32
	mallocs         uint64
	retired, used   uint64
	dirty, host     uint64
	blocks          []blockImage // of the addresses from lo to top
	starts          []startImage
}

// A blockImage is the state of a block.
type blockImage struct {
	state       blockState
	dirty       bool
	head, count uint32
	size        uint64
	fresh       lineSet
}

// A startImage is a nonzero word of start bits.
type startImage struct {
	index uint32 // address / 512
	bits  uint64
}

// ErrNoSnapshot says that a heap is in a state without snapshots.
var ErrNoSnapshot = errors.New("memory: no snapshot: the heap has collected, or holds more than objects")

// Snapshot copies the memory of the space and the state of its heap. The heap must not have
// collected, nor hold chunks, specials, or layouts made at run time.
func (h *Heap) Snapshot() (*Snapshot, error) {
	if h.phase != phaseIdle || h.corrupt || h.err != nil || h.numGC != 0 || h.stress.every != 0 ||
		h.chunks.blocks != 0 || len(h.buffers.list) != 0 || h.special.live != 0 || len(h.layouts.tab) != h.layouts.fixed {
		return nil, ErrNoSnapshot
	}
	sn := &Snapshot{data: h.data}
	i := &sn.heap
	*i = heapImage{
		lo: h.lo, top: h.top, window: h.window(), spare: h.spare, cursor: h.cursor, lowFree: h.lowFree,
		mallocs: h.Mallocs, retired: h.retired, used: h.used, dirty: h.dirty, host: h.host,
	}
	for n := h.lo >> blockShift; n < h.top>>blockShift; n++ {
		b := &h.blocks[n]
		if !b.holes.empty() || !b.extra.empty() {
			return nil, ErrNoSnapshot
		}
		i.blocks = append(i.blocks, blockImage{b.state, b.dirty, b.head, b.count, b.size, b.fresh})
	}
	return sn, sn.copy(h)
}

// copy copies start bits and memory.
func (sn *Snapshot) copy(h *Heap) error {
	i := &sn.heap
	for n := h.lo >> 9; n < h.top>>9; n++ {
		if bits := h.bits[n].start; bits != 0 {
			i.starts = append(i.starts, startImage{n, bits})
		}
	}
	copySegments := func(lo, hi uint64) error {
		first := hi // start of the current segment
		for at := lo; ; at += granule {
			zero := true
			if at < hi {
				b, ok := h.space.Bytes(at, min(granule, hi-at))
				if !ok {
					return errRange
				}
				zero = allZero(b)
			}
			switch {
			case !zero:
				first = min(first, at)
			case first < hi:
				b, ok := h.space.Bytes(first, min(at, hi)-first)
				if !ok {
					return errRange
				}
				sn.segments = append(sn.segments, segment{addr: first, size: uint64(len(b)), bytes: bytes.Clone(b)})
				first = hi
			}
			if at >= hi {
				return nil
			}
		}
	}
	if err := h.space.Commit(ir.DataBase, sn.end()-ir.DataBase); err != nil {
		return err
	}
	return copySegments(ir.DataBase, sn.end())
}

// end is the address where the snapshot's memory ends. If the heap, which begins at the first block
// after the data, holds anything, it ends with the heap.
func (sn *Snapshot) end() uint64 {
	if sn.heap.top > sn.heap.lo {
		return uint64(sn.heap.top)
	}
	return ir.DataBase + sn.data
}

func allZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// Data returns the bytes of the data segment and of the zeros that follow it.
func (sn *Snapshot) Data() uint64 { return sn.data }

// InUse returns what the snapshot counts against the memory limit.
func (sn *Snapshot) InUse() uint64 { return sn.data + sn.heap.used<<blockShift + sn.heap.host }

// Heap gives a fresh space the memory of the snapshot, and makes the heap in it. layouts is the
// table of the module from which the snapshot was made.
func (sn *Snapshot) Heap(s *Space, layouts []ir.Layout, limit uint64) (*Heap, error) {
	sn.begun.Do(func() { sn.begin(compileLayouts(layouts)) })
	module := max(min(len(layouts), maxLayouts), 1)
	h := newHeap(s, uint32(ir.DataBase+sn.data), sn.layouts[:module], limit)
	return h, sn.restore(h)
}

// begin makes the common start of all heaps, from the module's layouts.
func (sn *Snapshot) begin(layouts []layout) {
	sn.layouts = layouts
	if sn.whole != nil {
		sn.layouts = append(layouts[:len(layouts):len(layouts)], sn.whole.layouts...)
	}
	sn.free = make([]uint64, (sn.heap.top>>blockShift+63)/64)
	for n, b := range sn.blocks() {
		if num := sn.heap.lo>>blockShift + uint32(n); b.state == blockFree {
			sn.free[num>>6] |= 1 << (num & 63)
		}
	}
}

// blocks returns the records of the blocks.
func (sn *Snapshot) blocks() []block {
	if sn.whole != nil {
		return sn.whole.blocks
	}
	list := make([]block, len(sn.heap.blocks))
	for n := range list {
		list[n] = sn.heap.blocks[n].block()
	}
	return list
}

// Restore gives a heap, and its memory, the state of the snapshot, whatever the guest has done.
// Heap has made it, from this or another snapshot of the module. Counters and the context are zero
// afterwards. It takes time for the pages that were written to. Settings stay.
func (sn *Snapshot) Restore(h *Heap) error {
	h.resetBuffers() // before anything reads their pages
	sn.begun.Do(func() { sn.begin(h.layouts.tab[:h.layouts.fixed:h.layouts.fixed]) })
	if h.space.image == sn && h.space.rewind() {
		sn.restoreHeap(h)
		return nil
	}
	return sn.restore(h)
}

// restore maps the image or copies the memory, whatever the present contents are.
func (sn *Snapshot) restore(h *Heap) error {
	if h.lo != sn.heap.lo {
		return fmt.Errorf("memory: a snapshot of a heap at %#x for one at %#x", sn.heap.lo, h.lo)
	}
	mapped, err := sn.mapInto(h.space)
	if err != nil {
		return err
	}
	if !mapped {
		return sn.copyInto(h)
	}
	sn.restoreHeap(h)
	return nil
}

// copyInto gives a space the memory of the snapshot without an image.
func (sn *Snapshot) copyInto(h *Heap) error {
	s, i := h.space, &sn.heap
	if err := s.commitContext(); err != nil {
		return err
	}
	clear(s.Context())
	clear(s.all[sideSize : sideSize+s.counted])
	h.wipeBlocks()
	// Up to the heap: the guest may have written after its data.
	n := max(sn.data, uint64(h.lo)-ir.DataBase)
	if err := s.Commit(ir.DataBase, n); err != nil {
		return err
	}
	if err := s.Zero(ir.DataBase, n); err != nil {
		return err
	}
	if err := h.grow(max(i.top, i.lo) >> blockShift); err != nil {
		return err
	}
	for _, g := range sn.segments {
		b, ok := s.Bytes(g.addr, g.size)
		if !ok {
			return errRange
		}
		if err := sn.read(&g, b, 0); err != nil {
			return err
		}
	}
	for _, p := range sn.tableParts() {
		copy(s.all[p.off:], p.bytes)
	}
	sn.restoreHeap(h)
	return nil
}

// restoreHeap gives the heap's own state the values of the snapshot.
func (sn *Snapshot) restoreHeap(h *Heap) {
	i := &sn.heap
	h.forget()
	if h.space.image != nil {
		h.ready = uint32(sn.imageEnd())
	}
	clear(h.free)
	h.reach(i.top >> blockShift)
	h.setWindow(i.window)
	h.spare = i.spare
	h.cursor, h.lowFree = i.cursor, i.lowFree
	h.Mallocs = i.mallocs
	h.counters = counters{retired: i.retired, next: MinTrigger, used: i.used, dirty: i.dirty, host: i.host}
	copy(h.free, sn.free)
	h.layouts.tab = sn.layouts[:len(sn.layouts):len(sn.layouts)]
	if sn.whole != nil {
		sn.whole.restore(h)
		return
	}
	h.notePeak()
}
