package memory

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// Sizes of the parts of a reservation.
const (
	CounterSize = 8 << 20   // below the stacks: counters that only the host reads
	StackSize   = 128 << 10 // below the context: the first execution stacks
	ContextSize = 64 << 10  // below Base: state of the back end and of package rt
	SpaceSize   = 4 << 30   // what guest pointers can address
	GuardSize   = 64 << 20  // unmapped space after it, which an offset and a displacement cannot pass

	// MaxDisplacement is the most that a back end may add to a 32-bit offset and Base in a memory
	// access. The guard has room for it and for the bytes of any access, routines for bulk memory
	// included.
	MaxDisplacement = 16 << 20

	sideBits   = SpaceSize / (8 * 64) * 16 // a bitPair for every 512 bytes
	sideBlocks = SpaceSize / BlockSize * blockRecord
	sideTags   = SpaceSize >> minChunkShift * 4
	sideSize   = sideBits + sideBlocks + sideTags

	below       = sideSize + CounterSize + StackSize + ContextSize // before Base
	contextOff  = below - ContextSize                              // of the context in the reservation
	reserveSize = below + SpaceSize + GuardSize
)

// TypeCache is the offset from Base of package rt's cache of types: TypeSlots entries of TypeSlot
// bytes, in the context page, so that machine code can read it too. The entry of the descriptor at
// address p is number (p ^ p>>TypeFold) >> TypeShift modulo TypeSlots.
const (
	TypeCache = -8 << 10
	TypeSlots = 256
	TypeSlot  = 16
	TypeShift = 4
	TypeFold  = 8
)

// Counters is the offset from Base of the coverage counters, of 8 bytes each. MaxCounters is how
// many have room.
const (
	Counters    = -ContextSize - StackSize - CounterSize
	MaxCounters = CounterSize / 8
)

// HostPage is the size of the pages that the system maps and protects. Tests raise it: a multiple of
// the system's own size is as good.
var HostPage = os.Getpagesize()

// A Space is the address space of one instance. It is not safe for concurrent use. One that is not
// released goes when it becomes unreachable, so a user of its memory keeps the Space reachable.
type Space struct {
	// Base is the host address of guest offset 0. The ContextSize bytes before
	// it are readable and writable from the start.
	Base unsafe.Pointer

	all       []byte // the whole reservation; nil: released
	mapping   *owned
	mem       []byte    // its part from the context page on
	page      uint64    // size of the host's pages
	counted   uint64    // bytes of counters in use
	committed []span    // of guest memory: sorted and disjoint
	image     *Snapshot // the snapshot whose image is mapped, or nil
	imageEnd  uint64    // guest address where the mapping of the image ends
	heap      *Heap     // the heap with its tables in the side part

	followed    *Checkpoint  // the checkpoint that tracks writes, or nil
	tablesMoved bool         // the tables are not part of the image any more, see side
	regions     []pageRegion // room for the kernel's answers in rewind
	idle        int          // resets in a row that found many unchanged pages
	watch       watch        // whether resets find written pages by protection
	resets      uint         // by rewind, since the image was mapped or the watch has ended

	// was has pages that the image, a base, had when it was mapped and has no more, by number; nil:
	// zeros. The lock of the base guards it.
	was map[uint32][]byte
}

// A span is the range of offsets [lo, hi).
type span struct{ lo, hi uint64 }

var (
	errReleased = errors.New("memory: the space is released")
	errRange    = errors.New("memory: range outside the guest's 4 GiB")
)

// Reserve reserves address space for an instance. Only stacks and the context page are committed.
// It takes about 4.2 GiB of addresses and no memory.
func Reserve() (*Space, error) {
	s, err := ReserveOnly()
	if err != nil {
		return nil, err
	}
	if err := s.commitContext(); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// ReserveOnly is Reserve for a space that will get the memory of a snapshot ([Snapshot.Heap]),
// which has a context. Nothing is committed.
func ReserveOnly() (*Space, error) {
	all, err := reserve(reserveSize)
	if err != nil {
		return nil, mappingError(fmt.Sprintf("reserving %d MiB of address space", reserveSize>>20), err)
	}
	mem := all[contextOff:]
	s := &Space{all: all, mem: mem, page: uint64(HostPage)}
	s.Base = unsafe.Pointer(&mem[ContextSize])
	s.mapping = newOwned(all, func(b []byte) { release(b) })
	return s, nil
}

func (s *Space) commitContext() error {
	if err := protectRW(s.all[contextOff-StackSize : below]); err != nil {
		return mappingError("committing the context page", err)
	}
	return nil
}

// Release gives the reservation back. Nothing in it may be used afterwards. A second Release has no
// effect.
func (s *Space) Release() error {
	if s.mem == nil {
		return nil
	}
	s.leaveBase()
	all := s.all
	s.mapping.kept()
	s.all, s.mem, s.Base, s.committed, s.image = nil, nil, nil, nil, nil
	return release(all)
}

// Context returns the context page, ContextSize bytes that end at Base.
func (s *Space) Context() []byte { return s.mem[:ContextSize:ContextSize] }

// Stacks returns the StackSize bytes below the context. They belong to execution stacks, and no
// guest address leads there. They are not zero, and no snapshot has them.
func (s *Space) Stacks() []byte {
	return s.all[contextOff-StackSize : contextOff : contextOff]
}

// guest returns guest memory, committed or not.
func (s *Space) guest(r span) []byte { return s.all[below+r.lo : below+r.hi] }

// Counters returns the first n counters, which are zero at first. They are outside the guest's
// memory: it can neither reach them nor learn of them from any figure.
func (s *Space) Counters(n int) ([]uint64, error) {
	if s.mem == nil {
		return nil, errReleased
	}
	if n <= 0 {
		return nil, nil
	}
	if n > MaxCounters {
		return nil, fmt.Errorf("memory: %d counters, at most %d", n, MaxCounters)
	}
	all := s.all[sideSize : sideSize+CounterSize]
	size := (8*uint64(n) + s.page - 1) &^ (s.page - 1)
	if s.image == nil { // an image has room for them
		if err := protectRW(all[:size]); err != nil {
			return nil, mappingError("committing counters", err)
		}
	}
	s.counted = max(s.counted, size)
	return unsafe.Slice((*uint64)(unsafe.Pointer(&all[0])), n), nil
}

// Commit makes the n bytes at off readable and writable, in whole pages. Newly committed memory is
// zero.
func (s *Space) Commit(off, n uint64) error {
	if s.mem == nil {
		return errReleased
	}
	if off > SpaceSize || n > SpaceSize-off {
		return errRange
	}
	if n == 0 {
		return nil
	}
	lo := off &^ (s.page - 1)
	hi := (off + n + s.page - 1) &^ (s.page - 1)
	if s.covers(lo, hi) {
		return nil
	}
	if err := protectRW(s.guest(span{lo, hi})); err != nil {
		return mappingError(fmt.Sprintf("committing %d KiB at %#x", (hi-lo)>>10, lo), err)
	}
	s.addSpan(lo, hi)
	return nil
}

func (s *Space) covers(lo, hi uint64) bool {
	for _, c := range s.committed {
		if lo >= c.lo && hi <= c.hi {
			return true
		}
	}
	return false
}

func (s *Space) addSpan(lo, hi uint64) {
	i := 0
	for i < len(s.committed) && s.committed[i].hi < lo {
		i++
	}
	j := i
	for j < len(s.committed) && s.committed[j].lo <= hi {
		lo, hi = min(lo, s.committed[j].lo), max(hi, s.committed[j].hi)
		j++
	}
	if i == j {
		s.committed = append(s.committed, span{})
		copy(s.committed[i+1:], s.committed[i:])
	} else {
		s.committed = append(s.committed[:i+1], s.committed[j:]...)
	}
	s.committed[i] = span{lo, hi}
}

// Bytes returns the n bytes of guest memory at off. It is false unless all of them are committed.
// Both numbers may come from a hostile guest. The slice is valid until Release, and the guest sees
// writes to it. The part in a lent buffer is read-only: see [Space.Overlaps].
func (s *Space) Bytes(off, n uint64) ([]byte, bool) {
	if n > SpaceSize || off > SpaceSize {
		return nil, false
	}
	if n == 0 {
		return nil, true
	}
	for i := range s.committed {
		if c := &s.committed[i]; off >= c.lo && off+n <= c.hi {
			return unsafe.Slice((*byte)(unsafe.Add(s.Base, off)), n), true
		}
	}
	if s.inBuffer(off, n) {
		return unsafe.Slice((*byte)(unsafe.Add(s.Base, off)), n), true
	}
	return nil, false
}

// Readable returns how many of the n bytes at off can be read, counted from the first.
func (s *Space) Readable(off, n uint64) (k uint64) {
	for k < n && off+k < SpaceSize {
		end := s.spanEnd(off + k)
		if end == 0 {
			return k
		}
		k = min(n, end-off)
	}
	return k
}

// spanEnd returns the end of the readable memory around at, or 0.
func (s *Space) spanEnd(at uint64) uint64 {
	for i := range s.committed {
		if c := &s.committed[i]; c.lo <= at && at < c.hi {
			return c.hi
		}
	}
	if s.heap != nil {
		if b := s.heap.buffers.at(at); b != nil {
			return b.hi
		}
	}
	return 0
}

// Main is Bytes for the first committed span, which has data and heap. It returns nil if n is 0 or
// some of the bytes are not there. It is small enough to be inlined into the path of every call.
func (s *Space) Main(off, n uint64) []byte {
	if len(s.committed) == 0 {
		return nil
	}
	if c := &s.committed[0]; off-c.lo >= c.hi-c.lo || n-1 >= c.hi-off {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(s.Base, off)), n)
}

// Zero clears committed memory. It returns whole pages to the operating system if that is cheaper.
func (s *Space) Zero(off, n uint64) error {
	if _, ok := s.Bytes(off, n); !ok {
		return errRange
	}
	s.wipe(s.mem[ContextSize+off:ContextSize+off+n], wipeLimit)
	return nil
}

// wipeLimit is the size from which memory that is not needed soon is given back.
const wipeLimit = 256 << 10

// wipe clears committed memory of the guest, or side tables. From limit bytes on it gives pages
// back to the operating system. It clears the pages of an image instead, since their contents would
// come back.
func (s *Space) wipe(b []byte, limit int) {
	if n := min(s.inImage(b), uint64(len(b))); n > 0 {
		clear(b[:n])
		b = b[n:]
	}
	if len(b) < max(limit, 1) || s.followed != nil { // tracked memory is not given back: that would not count as a write
		clear(b)
		return
	}
	addr := uint64(uintptr(unsafe.Pointer(&b[0])))
	lo := (addr+s.page-1)&^(s.page-1) - addr
	hi := (addr+uint64(len(b)))&^(s.page-1) - addr
	if lo >= hi {
		clear(b)
		return
	}
	clear(b[:lo])
	clear(b[hi:])
	if decommit(b[lo:hi]) != nil {
		clear(b[lo:hi])
	}
}

// inImage returns how many bytes from the start of b lie in a mapped image: all, or those before
// its end.
func (s *Space) inImage(b []byte) uint64 {
	if s.image == nil {
		return 0
	}
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) - uint64(uintptr(unsafe.Pointer(&s.all[0])))
	if at < sideSize && s.tablesMoved {
		return 0
	}
	end := below + s.imageEnd
	return max(end, at) - at
}

// takeAway makes the end of committed memory inaccessible. It stays tracked, and is zero when it is
// committed again.
func (s *Space) takeAway(lo, hi uint64) error {
	b := s.guest(span{lo, hi})
	if decommit(b) != nil {
		clear(b)
	}
	if err := protectNone(b); err != nil {
		return mappingError("taking memory back", err)
	}
	for i := range s.committed {
		if c := &s.committed[i]; c.lo <= lo && c.hi >= lo {
			if c.hi = lo; c.lo < lo {
				i++
			}
			s.committed = s.committed[:i]
			break
		}
	}
	return nil
}

// side commits a part of the side tables.
func (s *Space) side(r span) error {
	if s.mem == nil {
		return errReleased
	}
	lo := r.lo &^ (s.page - 1)
	hi := min((r.hi+s.page-1)&^(s.page-1), sideSize)
	if err := protectRW(s.all[lo:hi]); err != nil {
		return mappingError("committing side tables", err)
	}
	return nil
}
