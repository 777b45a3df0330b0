package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/arena"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// arenas are the working memory of a compilation, kept from one function to the next. None of it is
// part of the resulting code.
type arenas struct {
	cpu      *Desc
	writer   Writer
	regalloc regalloc.Memory

	uses      arena.Slab[regalloc.Use]
	defs      arena.Slab[regalloc.Def]
	temps     arena.Slab[regalloc.Temp]
	blocks    arena.Slab[regalloc.Block]
	vregs     arena.Slab[regalloc.VReg]
	vregLists arena.Slab[[]regalloc.VReg]
	places    arena.Slab[place]
	compares  arena.Slab[Comparison]
	values    arena.Slab[*ir.Value]
	ints      arena.Slab[int32]
	longs     arena.Slab[int64]
	bools     arena.Slab[bool]
	roots     arena.Slab[uint16]
	labels    arena.Slab[Label]
	savings   arena.Slab[regalloc.Reg]
	counts    arena.Slab[hostCount]
	ways      arena.Slab[way]

	insts   []Inst
	list    []regalloc.Inst // of all blocks, in order
	classes []regalloc.Class
	again   []bool
	remat   []int32
	infos   []blockInfo
	useBuf  []regalloc.Use
	words   []int32
	key     []byte
	stubs   []func()
	out     tables
	consts  map[constKey]regalloc.VReg
	mapAt   map[string]int32
}

// tables are the lists of an abi.Func while they grow.
type tables struct {
	sites  []abi.Site
	maps   []int32
	relocs []abi.Reloc
	lines  []abi.Line
	owed   []abi.Owed
}

// reset makes the memory ready for the next function.
func (m *arenas) reset() {
	m.uses.Reset()
	m.defs.Reset()
	m.temps.Reset()
	m.blocks.Reset()
	m.vregs.Reset()
	m.vregLists.Reset()
	m.places.Reset()
	m.compares.Reset()
	m.values.Reset()
	m.ints.Reset()
	m.longs.Reset()
	m.bools.Reset()
	m.roots.Reset()
	m.labels.Reset()
	m.savings.Reset()
	m.counts.Reset()
	m.ways.Reset()
	m.insts, m.list, m.infos, m.stubs = arena.Kept(m.insts), arena.Kept(m.list), arena.Kept(m.infos), arena.Kept(m.stubs)
	m.classes, m.again, m.remat = arena.Kept(m.classes), arena.Kept(m.again), arena.Kept(m.remat)
	m.useBuf, m.words, m.key = arena.Kept(m.useBuf), arena.Kept(m.words), arena.Kept(m.key)
	m.out.reset()
	clear(m.consts)
	clear(m.mapAt)
}

func (t *tables) reset() {
	t.sites, t.maps, t.relocs, t.lines = arena.Kept(t.sites), arena.Kept(t.maps), arena.Kept(t.relocs), arena.Kept(t.lines)
	t.owed = arena.Kept(t.owed)
}

// give hands the tables over to the code that they describe.
func (t *tables) give(o *abi.Func) {
	slices.SortFunc(t.sites, func(a, b abi.Site) int { return int(a.PC) - int(b.PC) })
	o.Sites, o.Maps = slices.Clone(t.sites), slices.Clone(t.maps)
	o.Relocs, o.Lines, o.Owed = slices.Clone(t.relocs), slices.Clone(t.lines), slices.Clone(t.owed)
}
