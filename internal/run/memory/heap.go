package memory

import (
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
)

// Sizes of the heap's units, in bytes.
const (
	BlockSize   = 32 << 10
	LineSize    = 256
	HeaderSize  = 8
	LargeObject = 16 << 10 // with its header, a bigger object has blocks of its own
	MinTrigger  = 4 << 20  // a collection is not due before that much was allocated

	blockShift = 15
	lineShift  = 8

	// The last block of the 4 GiB stays unused, so that the end of a window
	// is always a 32-bit offset.
	maxBlocks = SpaceSize/BlockSize - 1

	maxObject = SpaceSize - 2*BlockSize
)

// A Heap allocates and collects the guest's objects. Heaps are independent of
// each other; one heap is not safe for concurrent use.
//
// The fast path of an allocation may be done by the caller. For an object of
// size bytes, n being size rounded up to 8 plus HeaderSize:
//
//	if n <= Limit-Cur {
//		*(*uint64)(Base + Cur) = Header(layout, size)
//		addr = Cur + HeaderSize
//		Cur += n
//		Mallocs++
//	} else { Alloc }
//
// Both ways give the same addresses.
type Heap struct {
	Cur     uint32 // the window: the next header goes here…
	Limit   uint32 // …if the object ends here or before
	Mallocs uint64 // objects allocated since NewHeap or Reset

	// Poison fills the memory of dead objects with PoisonByte at each sweep, so
	// that a pointer that the collector was not told about shows. The guest
	// never sees the filling: windows are cleared when they are claimed.
	Poison bool

	// Poll, if it is not nil, is called in the midst of whatever takes long, at
	// least every 100 µs or so; when it returns false the run has to end, and what
	// was begun ends with StatusInterrupted.
	Poll func() bool

	// Trim, if it is not nil, gives back to the operating system what the caller
	// told Idle of.
	Trim func()

	space *Space
	base  unsafe.Pointer // space.Base
	lo    uint32         // guest address of the first block
	top   uint32         // end of the blocks that were ever in use
	ready uint32         // end of the committed memory and tables; 0 before the first block
	limit uint64
	bound uint64 // what a request meets: limit, or less while Limit says so
	data  uint64 // bytes of the data segment, which count against the limit
	err   error

	bits   []bitPair // by address / 512
	blocks []block   // by address / BlockSize
	free   []uint64  // one bit a block: below top and not in use
	tags   []uint32  // by address / 1 KiB: TagChunk

	winEnd  uint32                           // end of the window; Limit, unless every allocation must be seen
	watch   bool                             // it must, see SetWatch
	start   uint32                           // start of the window
	walked  uint32                           // the window's headers below have their start bits
	spare   window                           // the window that was left for a medium object
	cursor  uint32                           // block in which the next hole is looked for
	lowFree uint32                           // no free block lies below
	wide    [LargeObject/LineSize + 1]uint32 // by number of lines: no block below has so wide a hole that nobody claimed

	phase   phase
	corrupt bool // found while marking or walking headers

	marker  marker
	layouts layoutTable
	special specialTable
	chunks  chunkPool
	buffers bufferTable
	lowest  uint32 // where buffers begin; noBuffers if there are none
	ceil    uint32 // number of the block where they do: no block of the heap has it, or a higher one
	stress  stress

	counters
}

type phase uint8

const (
	phaseIdle phase = iota
	phaseMark
)

// NewHeap makes an empty heap in s. Its blocks begin at the first multiple of
// BlockSize from start on, the end of the data segment; layouts is the module's
// table, which is kept and not changed. limit bounds what the guest can make
// grow, in bytes: the data segment, blocks, and what ChargeHost adds.
//
// Nothing is committed before the first allocation, so NewHeap can't fail: a
// heap whose memory the operating system refuses reports StatusHost. A space
// has one heap: an earlier one in s is wiped and must not be used any more.
func NewHeap(s *Space, start uint32, layouts []ir.Layout, limit uint64) *Heap {
	h := newHeap(s, start, compileLayouts(layouts), limit)
	h.Reset()
	return h
}

// newHeap makes a heap that is to be reset or restored.
func newHeap(s *Space, start uint32, layouts []layout, limit uint64) *Heap {
	h := &Heap{space: s, base: s.Base, limit: limit, bound: limit}
	first := (uint64(start) + BlockSize - 1) >> blockShift
	first = min(max(first, ir.DataBase>>blockShift), maxBlocks)
	h.lo = uint32(first << blockShift)
	if start > ir.DataBase {
		h.data = uint64(start) - ir.DataBase
	}
	h.layouts.init(layouts)
	h.initTables()
	return h
}

// Header returns the header of an object of size bytes.
func Header(layout uint32, size uint64) uint64 {
	return (size+7)>>3 | uint64(layout&layoutMask)<<layoutShift
}

const (
	layoutShift = 32
	layoutMask  = 1<<24 - 1
)

// Release gives back what the heap holds outside of its space, which is the
// caller's to release. The heap must not be used afterwards.
func (h *Heap) Release() {
	h.abandonBuffers()
	h.marker.free()
	h.special.free()
}

// SetLimit makes limit bound what the guest can make grow, like that of NewHeap. What is in use already may be more.
func (h *Heap) SetLimit(limit uint64) { h.limit, h.bound = limit, limit }

// Start returns the guest address of the heap's first block.
func (h *Heap) Start() uint32 { return h.lo }

// Err returns the error of the operating system behind StatusHost.
func (h *Heap) Err() error { return h.err }

// Alloc allocates an object of size bytes, zeroed, and returns its address.
// Objects of no size have an address of their own or share one with the next
// object; they are never found by a pointer, and never kept.
//
// With StatusCollect nothing is allocated: the caller collects and calls again.
// The status is never returned twice for one request with a collection between.
func (h *Heap) Alloc(layout uint32, size uint64) (addr uint32, st Status) {
	if size > maxObject {
		return 0, StatusLimit
	}
	if layout >= uint32(len(h.layouts.tab)) {
		return 0, StatusInvalid
	}
	n := (size+7)&^7 + HeaderSize
	if h.stress.every != 0 && h.stress.due(h.numGC) {
		return 0, StatusCollect
	}
	aside := false
	if n > uint64(h.winEnd-h.Cur) {
		if aside, st = h.refill(n); st != StatusOK {
			return 0, st
		}
		if n > LargeObject {
			return h.allocLarge(layout, size)
		}
	}
	h.word(h.Cur, Header(layout, size))
	addr = h.Cur + HeaderSize
	h.Cur += uint32(n)
	h.Mallocs++
	if aside {
		h.goOn()
	} else if h.seesAll() {
		h.Limit = h.Cur
	}
	return addr, StatusOK
}

// word stores a word of guest memory that is known to be committed.
func (h *Heap) word(addr uint32, v uint64) { *(*uint64)(unsafe.Add(h.base, addr)) = v }

// load reads a word of guest memory that is known to be committed.
func (h *Heap) load(addr uint32) uint64 { return *(*uint64)(unsafe.Add(h.base, addr)) }

// mem is n bytes of guest memory that are known to be committed.
func (h *Heap) mem(addr uint32, n uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(h.base, addr)), n)
}

// Reset returns the heap to the state after NewHeap: no objects, no special,
// no layout but the module's, all figures zero. Settings stay.
func (h *Heap) Reset() {
	h.resetBuffers()
	h.wipeBlocks()
	h.forget()
}

// forget is Reset for a heap whose memory and tables are as they were.
func (h *Heap) forget() {
	h.setWindow(window{})
	h.spare = window{}
	h.top = h.lo
	h.cursor = h.lo >> blockShift
	h.lowFree = h.cursor
	clear(h.wide[:])
	h.Mallocs = 0
	h.counters = counters{next: MinTrigger}
	h.phase = phaseIdle
	h.corrupt = false
	h.err = nil
	h.marker.reset()
	h.layouts.reset()
	h.special.reset()
	h.chunks.reset()
	h.stress.reset()
	h.notePeak()
}
