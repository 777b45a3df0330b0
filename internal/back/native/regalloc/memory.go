package regalloc

import "github.com/gyrvm/gyr/internal/back/native/arena"

// Memory is the working memory of allocations, kept from one function to the next. The zero value
// is ready.
type Memory struct {
	ints        arena.Slab[int32]
	intLists    arena.Slab[[]int32]
	bools       arena.Slab[bool]
	sets        arena.Slab[RegSet]
	regList     arena.Slab[Reg]
	locs        arena.Slab[Loc]
	locLists    arena.Slab[[]Loc]
	states      arena.Slab[state]
	assignments arena.Slab[assignment]
	live        arena.Slab[liveValue]
	liveLists   arena.Slab[[]liveValue]
	lives       arena.Slab[lifetime]
	stepMem     arena.Slab[Step]
	stepLists   arena.Slab[[]Step]
	rooms       arena.Slab[room]

	// Lists of the current block or edge.
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
	m.rooms.Reset()
	m.steps, m.moves, m.ordered = arena.Kept(m.steps), arena.Kept(m.moves), arena.Kept(m.ordered)
	m.uses, m.listed, m.hinted = arena.Kept(m.uses), arena.Kept(m.listed), arena.Kept(m.hinted)
	m.paramHint, m.wanted, m.places = arena.Kept(m.paramHint), arena.Kept(m.wanted), arena.Kept(m.places)
}
