package exec

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// Memory of execution stacks: pieces of 2^k slots outside Go's heap.
//
// Pieces of up to 32 KiB are cut from regions of 32 pieces of one size. Larger ones are mappings of
// their own, which grow without being copied where the system supports that. Regions are kept for
// the next goroutines, and given back when the guest needs memory for something else (trim).
// Mappings of up to keptPiece bytes are kept too, keptBytes in total. A system takes many times
// longer to make a mapping and to serve the first access to each page than a recursion of that
// depth takes on a stack that is ready. A mapping that was assembled from pieces
// (memory.Pages.GrowDown) consists of the same pieces as any other of its size, so it may be kept
// as well.
//
// The first region of each size is smaller and lies in memory that every space has
// (memory.Space.Stacks). So an instance with few goroutines needs no mapping for its stacks.

const (
	minPiece   = 7  // log2 of the slots of the smallest piece: 1 KiB
	maxPiece   = 12 // log2 of the slots of the largest piece in a region: 32 KiB
	regionSize = 32 // pieces

	keptBytes = 16 << 20      // what a stack leaves that grew from the smallest piece to keptPiece
	keptPiece = keptBytes / 2 // bytes
)

// firstRegions is the number of pieces in the first region of each size.
var firstRegions = [maxPiece + 1]int{7: 8, 8: 8, 9: 4, 10: 2, 11: 1, 12: 1}

// A stackPiece is the memory of one stack.
type stackPiece struct {
	Mem    []uint64
	pages  *memory.Pages // of a piece that is a mapping of its own
	region int32         // number of the region, or -1
}

type region struct {
	pages memory.Pages
	first bool   // it is part of the space
	class uint8  // log2 of a piece's slots
	count uint8  // pieces
	free  uint32 // a bit for each piece that no stack uses
	dirty uint32 // those of free whose memory was used since it was given back
	next  int32  // neighbours in the list of the class's regions with free pieces
	prev  int32
}

// all is the set of all pieces of a region.
func (r *region) all() uint32 { return uint32(1<<r.count - 1) }

type stackMemory struct {
	heap    *memory.Heap
	given   []byte // of the space, for first regions
	regions []region
	spare   []int32             // numbers of unused regions
	began   [maxPiece + 1]bool  // by class: the first region exists
	partial [maxPiece + 1]int32 // by class: a region with a free piece, or -1
	kept    []*memory.Pages     // unused mappings, the one freed last at the end
	held    int                 // bytes in kept
}

// init prepares the stacks of a machine. given is memory for first regions, which a may use until
// its release.
func (a *stackMemory) init(h *memory.Heap, given []byte) {
	a.heap, a.given = h, given
	h.Trim = a.trim
	for i := range a.partial {
		a.partial[i] = -1
	}
}

// get returns a piece of at least n slots.
func (a *stackMemory) get(n int) stackPiece {
	k := max(bits.Len(uint(n-1)), minPiece)
	if k > maxPiece {
		if p, ok := a.take(8 << k); ok {
			return p
		}
		pages := memory.MapPages(8 << k)
		return stackPiece{region: -1, pages: &pages, Mem: slotsOf(pages.Bytes)}
	}
	i := a.partial[k]
	if i < 0 {
		i = a.newRegion(k)
	}
	r := &a.regions[i]
	n = bits.TrailingZeros32(r.free)
	r.free &^= 1 << n
	if r.dirty&(1<<n) != 0 {
		r.dirty &^= 1 << n
		a.heap.Idle(-8 << k)
	}
	if r.free == 0 {
		a.unlink(i)
	}
	return stackPiece{Mem: slotsOf(r.pages.Bytes[n<<(k+3) : (n+1)<<(k+3)]), region: i}
}

func slotsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), len(b)/8)
}

func (a *stackMemory) newRegion(k int) int32 {
	r := region{class: uint8(k), count: regionSize}
	if n := firstRegions[k] * 8 << k; n <= len(a.given) && !a.began[k] {
		a.began[k], r.first, r.count = true, true, uint8(firstRegions[k])
		r.pages.Bytes, a.given = a.given[:n:n], a.given[n:]
	} else {
		r.pages = memory.MapPages(regionSize * 8 << k)
	}
	r.free = r.all()
	var i int32
	if n := len(a.spare); n > 0 {
		i = a.spare[n-1]
		a.spare = a.spare[:n-1]
		a.regions[i] = r
	} else {
		i = int32(len(a.regions))
		a.regions = append(a.regions, r)
	}
	a.link(i)
	return i
}

// grow makes a piece at least twice as large and at least n slots. Its contents are kept, at the
// high end if down is set.
func (a *stackMemory) grow(p *stackPiece, n int, down bool) {
	n = max(n, 2*len(p.Mem))
	if p.region < 0 {
		n = 8 << bits.Len(uint(n-1))
		if q, ok := a.take(n); ok {
			a.replace(p, q, down)
			return
		}
		if down {
			p.pages.GrowDown(n)
		} else {
			p.pages.Grow(n)
		}
		p.Mem = slotsOf(p.pages.Bytes)
		return
	}
	a.replace(p, a.get(n), down)
}

// replace moves the contents of p to q, which is larger, and takes p back.
func (a *stackMemory) replace(p *stackPiece, q stackPiece, down bool) {
	if down {
		copy(q.Mem[len(q.Mem)-len(p.Mem):], p.Mem)
	} else {
		copy(q.Mem, p.Mem)
	}
	a.put(*p)
	*p = q
}

// take returns a kept mapping of n bytes, if there is one.
func (a *stackMemory) take(n int) (stackPiece, bool) {
	for i := len(a.kept) - 1; i >= 0; i-- {
		if p := a.kept[i]; len(p.Bytes) == n {
			a.kept = slices.Delete(a.kept, i, i+1)
			a.held -= n
			a.heap.Idle(-int64(n))
			return stackPiece{region: -1, pages: p, Mem: slotsOf(p.Bytes)}, true
		}
	}
	return stackPiece{}, false
}

// put takes a piece back.
func (a *stackMemory) put(p stackPiece) {
	if p.region < 0 {
		n := len(p.pages.Bytes)
		if n > keptPiece || a.held+n > keptBytes {
			p.pages.Free()
			return
		}
		a.kept = append(a.kept, p.pages)
		a.held += n
		a.heap.Idle(int64(n))
		return
	}
	r := &a.regions[p.region]
	n := uintptr(unsafe.Pointer(&p.Mem[0])) - uintptr(unsafe.Pointer(&r.pages.Bytes[0]))
	bit := uint32(1) << (n >> (r.class + 3))
	if r.free == 0 {
		a.link(p.region)
	}
	r.free |= bit
	r.dirty |= bit
	a.heap.Idle(8 << r.class)
}

func (a *stackMemory) link(i int32) {
	r := &a.regions[i]
	head := &a.partial[r.class]
	r.next, r.prev = *head, -1
	if *head >= 0 {
		a.regions[*head].prev = i
	}
	*head = i
}

func (a *stackMemory) unlink(i int32) {
	r := &a.regions[i]
	if r.prev < 0 {
		a.partial[r.class] = r.next
	} else {
		a.regions[r.prev].next = r.next
	}
	if r.next >= 0 {
		a.regions[r.next].prev = r.prev
	}
}

// trim gives back the memory of free pieces: all memory of regions without a stack, and whole pages
// of other regions.
func (a *stackMemory) trim() {
	a.freeKept()
	for k := minPiece; k <= maxPiece; k++ {
		for i := a.partial[k]; i >= 0; {
			r := &a.regions[i]
			next := r.next
			switch {
			case r.first: // small, and not a mapping of its own
			case r.free == r.all():
				a.unlink(i)
				r.pages.Free()
				a.spare = append(a.spare, i)
			case r.dirty != 0:
				for left := r.free; left != 0; {
					first := bits.TrailingZeros32(left)
					n := bits.TrailingZeros32(^(left >> first))
					left &^= (1<<n - 1) << first
					r.pages.Drop(first<<(k+3), n<<(k+3))
				}
				r.dirty = 0
			}
			i = next
		}
	}
}

// freeKept gives back the unused mappings. The caller subtracts them from the idle memory
// (Heap.Trim).
func (a *stackMemory) freeKept() {
	for _, p := range a.kept {
		p.Free()
	}
	clear(a.kept)
	a.kept, a.held = a.kept[:0], 0
}

// release gives everything back.
func (a *stackMemory) release() {
	a.freeKept()
	for i := range a.regions {
		a.regions[i].pages.Free()
	}
	clear(a.regions)
	if *a = (stackMemory{regions: a.regions[:0], spare: a.spare[:0], kept: a.kept[:0]}); cap(a.regions) > releaseKeep {
		*a = stackMemory{}
	}
}
