package memory

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// Sizes of the parts of a reservation.
const (
	CounterSize = 8 << 20  // below the context: counters that only the host reads
	ContextSize = 64 << 10 // below Base: state of the back end, and of package rt
	SpaceSize   = 4 << 30  // what guest pointers can name
	GuardSize   = 64 << 20 // behind it: nothing, so that an offset and a displacement lead nowhere else

	// MaxDisplacement is the most that a back end may add to a 32-bit offset and Base when it accesses memory.
	// The guard has room for it and for the bytes of any access, routines for bulk memory among them.
	MaxDisplacement = 16 << 20

	sideBits   = SpaceSize / (8 * 64) * 16 // a bitPair for every 512 bytes
	sideBlocks = SpaceSize / BlockSize * blockRecord
	sideTags   = SpaceSize >> minChunkShift * 4
	sideSize   = sideBits + sideBlocks + sideTags

	reserveSize = CounterSize + ContextSize + SpaceSize + GuardSize + sideSize
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

// Counters is where the counters of coverage are, 8 bytes each, as an offset from Base;
// MaxCounters is how many there is room for.
const (
	Counters    = -ContextSize - CounterSize
	MaxCounters = CounterSize / 8
)

// A Space is the address space of one instance. It is not safe for concurrent use. One
// that is not released goes when nobody can reach it any more: who uses memory of it holds it.
type Space struct {
	// Base is the host address of guest offset 0. The ContextSize bytes before
	// it are readable and writable from the start.
	Base unsafe.Pointer

	all       []byte // the whole reservation
	mapping   *owned
	mem       []byte // of it, from the context page on
	page      uint64 // size of the host's pages
	committed []span // of guest memory: sorted, apart from each other
	mapped    []span // of guest memory: private pages of a snapshot's file
	heap      *Heap  // whose tables are in the side part
}

// A span is the range of offsets [lo, hi).
type span struct{ lo, hi uint64 }

var (
	errReleased = errors.New("memory: the space is released")
	errRange    = errors.New("memory: range outside the guest's 4 GiB")
)

// Reserve reserves address space for an instance; only the context page is
// committed. It takes about 6 GiB of addresses and no memory.
func Reserve() (*Space, error) {
	all, err := reserve(reserveSize)
	if err != nil {
		return nil, fmt.Errorf("memory: reserving %d MiB of address space: %w", reserveSize>>20, err)
	}
	mem := all[CounterSize:]
	s := &Space{all: all, mem: mem, page: uint64(os.Getpagesize())}
	s.Base = unsafe.Pointer(&mem[ContextSize])
	if err := protectRW(mem[:ContextSize]); err != nil {
		release(all)
		return nil, fmt.Errorf("memory: committing the context page: %w", err)
	}
	s.mapping = newOwned(all, func(b []byte) { release(b) })
	return s, nil
}

// Release gives the reservation back. Nothing in it may be used afterwards.
// Releasing twice does nothing.
func (s *Space) Release() error {
	if s.mem == nil {
		return nil
	}
	all := s.all
	s.mapping.kept()
	s.all, s.mem, s.Base, s.committed, s.mapped = nil, nil, nil, nil, nil
	return release(all)
}

// Context returns the context page, ContextSize bytes that end at Base.
func (s *Space) Context() []byte { return s.mem[:ContextSize:ContextSize] }

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
	size := (8*uint64(n) + s.page - 1) &^ (s.page - 1)
	if err := protectRW(s.all[:size]); err != nil {
		return nil, fmt.Errorf("memory: committing counters: %w", err)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&s.all[0])), n), nil
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
	if err := protectRW(s.mem[ContextSize+lo : ContextSize+hi]); err != nil {
		return fmt.Errorf("memory: committing %d KiB at %#x: %w", (hi-lo)>>10, lo, err)
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
// window is valid until Release; the guest sees what is written to it.
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
	return nil, false
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

// wipe makes memory of the reservation zero: from limit bytes on by giving
// pages back to the operating system, unless the contents of a snapshot would
// then come back.
func (s *Space) wipe(b []byte, limit int) {
	if len(b) < limit || s.isMapped(b) {
		clear(b)
		return
	}
	addr := uint64(uintptr(unsafe.Pointer(&b[0])))
	lo := (addr+s.page-1)&^(s.page-1) - addr
	hi := (addr+uint64(len(b)))&^(s.page-1) - addr
	clear(b[:lo])
	clear(b[hi:])
	if decommit(b[lo:hi]) != nil {
		clear(b[lo:hi])
	}
}

// isMapped reports whether memory of the reservation is in part that of a
// snapshot's file.
func (s *Space) isMapped(b []byte) bool {
	lo := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) - uint64(uintptr(s.Base))
	for _, m := range s.mapped {
		if lo < m.hi && m.lo < lo+uint64(len(b)) {
			return true
		}
	}
	return false
}

// side commits a part of the side tables.
func (s *Space) side(off, n uint64) error {
	if s.mem == nil {
		return errReleased
	}
	lo := uint64(ContextSize+SpaceSize+GuardSize) + off
	a := lo &^ (s.page - 1)
	b := min((lo+n+s.page-1)&^(s.page-1), uint64(len(s.mem)))
	if err := protectRW(s.mem[a:b]); err != nil {
		return fmt.Errorf("memory: committing side tables: %w", err)
	}
	return nil
}
