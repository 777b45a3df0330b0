package regalloc

import "unsafe"

// A Slab hands out slices that live until its next Reset. A compilation takes its
// tables from slabs, so that the next one needs no new memory. The zero value is ready.
type Slab[T any] struct {
	mem  []T
	used int
}

// slabBytes is the most memory that a slab keeps over a Reset.
const slabBytes = 512 << 10

// Make returns n elements that are zero, without room for more.
func (s *Slab[T]) Make(n int) []T {
	if n > len(s.mem)-s.used {
		s.mem, s.used = make([]T, max(2*len(s.mem), n, 64)), 0
	}
	at := s.used
	s.used += n
	return s.mem[at:s.used:s.used]
}

// Copy returns a copy of list.
func (s *Slab[T]) Copy(list []T) []T {
	c := s.Make(len(list))
	copy(c, list)
	return c
}

// Append is append with memory of the slab. The list came from the slab or is nil.
func (s *Slab[T]) Append(list []T, x T) []T {
	if n := len(list); n == cap(list) {
		list = append(s.Make(max(2*n, 2))[:0], list...)
	}
	return append(list, x)
}

// Reset takes everything back.
func (s *Slab[T]) Reset() {
	var x T
	if len(s.mem)*int(unsafe.Sizeof(x)) > slabBytes {
		*s = Slab[T]{}
		return
	}
	clear(s.mem[:s.used])
	s.used = 0
}

// Memory is what allocations need on their way, kept from one function to the next. The
// zero value is ready.
type Memory struct {
	ints        Slab[int32]
	intLists    Slab[[]int32]
	bools       Slab[bool]
	sets        Slab[RegSet]
	regList     Slab[Reg]
	locs        Slab[Loc]
	locLists    Slab[[]Loc]
	states      Slab[state]
	assignments Slab[assignment]
	live        Slab[liveValue]
	liveLists   Slab[[]liveValue]
	lives       Slab[lifetime]
	stepMem     Slab[Step]
	stepLists   Slab[[]Step]

	// Lists of the block or edge in hand.
	steps, moves, ordered []Step
	uses                  []useNode
	listed, hinted        []VReg // values with uses, and with hints, in the block
	paramHint             []Reg
	wanted                []liveValue // of preload
	places                []place     // of storeInCold
	slotReads, slotWriter []int32     // by value: of its slot, see parallel.run
}

func (m *Memory) reset() {
	m.ints.Reset()
	m.intLists.Reset()
	m.bools.Reset()
	m.sets.Reset()
	m.regList.Reset()
	m.locs.Reset()
	m.locLists.Reset()
	m.states.Reset()
	m.assignments.Reset()
	m.live.Reset()
	m.liveLists.Reset()
	m.lives.Reset()
	m.stepMem.Reset()
	m.stepLists.Reset()
	m.steps, m.moves, m.ordered = Kept(m.steps), Kept(m.moves), Kept(m.ordered)
	m.uses, m.listed, m.hinted = Kept(m.uses), Kept(m.listed), Kept(m.hinted)
	m.paramHint, m.wanted, m.places = Kept(m.paramHint), Kept(m.wanted), Kept(m.places)
}

// Kept empties a list and keeps its memory, if that is not too much.
func Kept[T any](list []T) []T {
	var x T
	if cap(list)*int(unsafe.Sizeof(x)) > slabBytes {
		return nil
	}
	clear(list)
	return list[:0]
}
