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

// A Heap allocates and collects the guest's objects. Heaps are independent of each other; one heap
// is not safe for concurrent use.
//
// The caller may do the fast path of an allocation. For an object of size bytes, n being size
// rounded up to 8 plus HeaderSize:
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

	// Poll, if not nil, is called during long work, about every 100 µs. When it returns false the
	// run has to end, and the work ends with StatusInterrupted.
	Poll func() bool

	// Trim, if not nil, gives back to the operating system the memory that the caller has reported
	// to Idle.
	Trim func()

	space *Space
	base  unsafe.Pointer // space.Base
	lo    uint32         // guest address of the first block
	top   uint32         // end of the blocks that were ever in use
	ready uint32         // end of the committed memory and tables; 0 before the first block
	limit uint64
	bound uint64 // limit of a request: limit, or less under Bound
	data  uint64 // bytes of the data segment, which count against the limit
	err   error

	bits   []bitPair // by address / 512
	blocks []block   // by address / BlockSize
	free   []uint64  // a bit for each block: below top and not in use
	tags   []uint32  // by address / 1 KiB: TagChunk

	winEnd  uint32                           // end of the window; Limit, unless every allocation must be seen
	watch   bool                             // every allocation must be seen, see SetWatch
	start   uint32                           // start of the window
	walked  uint32                           // the window's headers below this have their start bits
	spare   window                           // the window that a medium object displaced
	cursor  uint32                           // block where the search for the next hole begins
	lowFree uint32                           // no free block lies below
	wide    [LargeObject/LineSize + 1]uint32 // by number of lines: no block below has an unclaimed hole so wide

	phase   phase
	corrupt bool // found while marking or walking headers

	marker  marker
	layouts layoutTable
	special specialTable
	chunks  chunkPool
	buffers bufferTable
	lowest  uint32 // address where buffers begin, or noBuffers
	ceil    uint32 // number of the block where buffers begin: all blocks of the heap are below it
	stress  stress

	counters
}

type phase uint8

const (
	phaseIdle phase = iota
	phaseMark
)

// NewHeap makes an empty heap in s. Its blocks begin at the first multiple of BlockSize from start
// on, the end of the data segment. layouts is the module's table, which is kept and not changed.
// limit bounds what the guest can make grow, in bytes: the data segment, blocks, and what
// ChargeHost adds.
//
// Nothing is committed before the first allocation, so NewHeap can't fail. If the operating system
// refuses memory later, the heap reports StatusHost. A space has one heap: an earlier one in s is
// wiped and must not be used any more.
func NewHeap(s *Space, start uint32, layouts []ir.Layout, limit uint64) *Heap {
	h := newHeap(s, start, compileLayouts(layouts), limit)
	h.Reset()
	return h
}

// newHeap makes a heap that the caller will reset or restore.
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

// Release gives back the heap's memory outside its space. The caller releases the space. The heap
// must not be used afterwards.
func (h *Heap) Release() {
	h.abandonBuffers()
	h.marker.free()
	h.special.free()
}

// SetLimit changes the limit, see NewHeap. More may be in use already.
func (h *Heap) SetLimit(limit uint64) { h.limit, h.bound = limit, limit }

// Start returns the guest address of the heap's first block.
func (h *Heap) Start() uint32 { return h.lo }

// Err returns the operating system's error after StatusHost.
func (h *Heap) Err() error { return h.err }

// Alloc allocates an object of size bytes, zeroed, and returns its address. Objects of size 0 have
// an address of their own or share one with the next object. No pointer finds them, and nothing
// keeps them.
//
// With StatusCollect nothing is allocated: the caller collects and calls again. One request does
// not get that status again after a collection.
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

// Reset returns the heap to the state after NewHeap: no objects, no special, only the module's
// layouts, all figures zero. Settings stay.
func (h *Heap) Reset() {
	h.resetBuffers()
	h.wipeBlocks()
	h.forget()
}

// forget is Reset for a heap with unchanged memory and tables.
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
