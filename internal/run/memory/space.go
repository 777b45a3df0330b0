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
	ContextSize = 64 << 10  // below Base: state of the back end, and of package rt
	SpaceSize   = 4 << 30   // what guest pointers can name
	GuardSize   = 64 << 20  // unmapped space after it, which an offset and a displacement cannot pass

	// MaxDisplacement is the most that a back end may add to a 32-bit offset and Base when it accesses memory.
	// The guard has room for it and for the bytes of any access, routines for bulk memory among them.
	MaxDisplacement = 16 << 20

	sideBits   = SpaceSize / (8 * 64) * 16 // a bitPair for every 512 bytes
	sideBlocks = SpaceSize / BlockSize * blockRecord
	sideTags   = SpaceSize >> minChunkShift * 4
	sideSize   = sideBits + sideBlocks + sideTags

	below       = sideSize + CounterSize + StackSize + ContextSize // before Base
	contextOff  = below - ContextSize                              // of the context in the reservation
	reserveSize = below + SpaceSize + GuardSize
)

// TypeCache is where package rt keeps what it knows of types, as an offset from
// Base: TypeSlots entries of TypeSlot bytes, in the context page, so that machine
// code can look there too. The entry of the descriptor at address p is number
// (p ^ p>>TypeFold) >> TypeShift modulo TypeSlots.
const (
	TypeCache = -8 << 10
	TypeSlots = 256
	TypeSlot  = 16
	TypeShift = 4
	TypeFold  = 8
)

// Counters is where the counters of coverage are, of 8 bytes each, as an offset from Base;
// MaxCounters is how many there is room for.
const (
	Counters    = -ContextSize - StackSize - CounterSize
	MaxCounters = CounterSize / 8
)

// A Space is the address space of one instance. It is not safe for concurrent use. One
// that is not released goes when nobody can reach it any more: who uses memory of it holds it.
type Space struct {
	// Base is the host address of guest offset 0. The ContextSize bytes before
	// it are readable and writable from the start.
	Base unsafe.Pointer

	all       []byte // the whole reservation; nil: released
	mapping   *owned
	mem       []byte    // of it, from the context page on
	page      uint64    // size of the host's pages
	counted   uint64    // bytes of counters that were committed, where no image has them
	committed []span    // of guest memory: sorted, apart from each other
	image     *Snapshot // whose image is mapped; nil: none
	heap      *Heap     // whose tables are in the side part

	followed    *Checkpoint  // nil: nobody asks which pages were written to
	tablesMoved bool         // the tables are no part of the image any more, see side
	regions     []pageRegion // what rewind asks the system for
	idle        int          // resets in a row that found many pages as they were
}

// A span is the range of offsets [lo, hi).
type span struct{ lo, hi uint64 }

var (
	errReleased = errors.New("memory: the space is released")
	errRange    = errors.New("memory: range outside the guest's 4 GiB")
)

// Reserve reserves address space for an instance; only stacks and the context page are
// committed. It takes about 4.2 GiB of addresses and no memory.
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

// ReserveOnly is Reserve for a space whose memory will be that of a snapshot ([Snapshot.Heap]), which has a context. Nothing
// is committed.
func ReserveOnly() (*Space, error) {
	all, err := reserve(reserveSize)
	if err != nil {
		return nil, mappingError(fmt.Sprintf("reserving %d MiB of address space", reserveSize>>20), err)
	}
	mem := all[contextOff:]
	s := &Space{all: all, mem: mem, page: uint64(os.Getpagesize())}
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

// Release gives the reservation back. Nothing in it may be used afterwards.
// Releasing twice does nothing.
func (s *Space) Release() error {
	if s.mem == nil {
		return nil
	}
	all := s.all
	s.mapping.kept()
	s.all, s.mem, s.Base, s.committed, s.image = nil, nil, nil, nil, nil
	return release(all)
}

// Context returns the context page, ContextSize bytes that end at Base.
func (s *Space) Context() []byte { return s.mem[:ContextSize:ContextSize] }

// Stacks returns the StackSize bytes below the context. They belong to execution stacks; no guest address
// leads there. They are not zero, and no snapshot has them.
func (s *Space) Stacks() []byte {
	return s.all[contextOff-StackSize : contextOff : contextOff]
}

// guest is guest memory, committed or not.
func (s *Space) guest(r span) []byte { return s.all[below+r.lo : below+r.hi] }

// Counters returns the first n counters, which are zero at first. They belong to no
// memory of the guest: it can neither reach them nor learn of them from any figure.
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
	if s.image == nil { // an image has room for them
		size := (8*uint64(n) + s.page - 1) &^ (s.page - 1)
		if err := protectRW(all[:size]); err != nil {
			return nil, mappingError("committing counters", err)
		}
		s.counted = max(s.counted, size)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&all[0])), n), nil
}

// Commit makes the n bytes at off readable and writable, in whole pages. Memory
// that was not committed before is zero.
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

// Bytes returns the n bytes of guest memory at off. It reports false unless
// all of them are committed. Both numbers may come from a hostile guest. The
// window is valid until Release; the guest sees what is written to it. What lies in a lent buffer
// can only be read: see [Space.Overlaps].
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

// Readable returns how many of the n bytes at off can be read, from the first up to one that cannot.
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

// spanEnd returns where the memory ends that a readable byte is in, 0 if it is none.
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

// Main is Bytes for n bytes of the first span that is committed, in which data and heap are; nil if n is 0 or not all
// of them are there. It is small enough to be inlined, for what every call does.
func (s *Space) Main(off, n uint64) []byte {
	if len(s.committed) == 0 {
		return nil
	}
	if c := &s.committed[0]; off-c.lo >= c.hi-c.lo || n-1 >= c.hi-off {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(s.Base, off)), n)
}

// Zero makes committed memory zero; whole pages among it are returned to the
// operating system when that is cheaper.
func (s *Space) Zero(off, n uint64) error {
	if _, ok := s.Bytes(off, n); !ok {
		return errRange
	}
	s.wipe(s.mem[ContextSize+off:ContextSize+off+n], wipeLimit)
	return nil
}

// wipeLimit is the size from which memory that is not needed soon is given back.
const wipeLimit = 256 << 10

// wipe makes committed memory of the guest, or side tables, zero: from limit bytes on by giving
// pages back to the operating system. Of what an image has it clears the pages: its contents would come back.
func (s *Space) wipe(b []byte, limit int) {
	if n := min(s.inImage(b), uint64(len(b))); n > 0 {
		clear(b[:n])
		b = b[n:]
	}
	if len(b) < max(limit, 1) || s.followed != nil { // what is given back, nobody has written to
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

// inImage returns how many bytes from the start of b on lie where an image is mapped: all, or those before its end.
func (s *Space) inImage(b []byte) uint64 {
	if s.image == nil {
		return 0
	}
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) - uint64(uintptr(unsafe.Pointer(&s.all[0])))
	if at < sideSize && s.tablesMoved {
		return 0
	}
	end := below + s.image.imageEnd()
	return max(end, at) - at
}

// takeAway makes the end of committed memory inaccessible. It stays followed, and is zero when it is committed again.
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
