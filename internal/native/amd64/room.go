package amd64

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// A room is the memory that a compilation needs on its way, kept from one function to
// the next: new memory, and the host's collections that it brings about, were more than
// half of what compiling costs. Nothing of it is part of the code that comes out.
type room struct {
	regalloc regalloc.Memory
	asm      Asm

	uses      regalloc.Slab[regalloc.Use]
	defs      regalloc.Slab[regalloc.Def]
	temps     regalloc.Slab[regalloc.Temp]
	blocks    regalloc.Slab[regalloc.Block]
	vregs     regalloc.Slab[regalloc.VReg]
	vregLists regalloc.Slab[[]regalloc.VReg]
	places    regalloc.Slab[place]
	compares  regalloc.Slab[comparison]
	values    regalloc.Slab[*ir.Value]
	ints      regalloc.Slab[int32]
	bools     regalloc.Slab[bool]
	roots     regalloc.Slab[uint16]
	labels    regalloc.Slab[Label]
	savings   regalloc.Slab[Reg]
	counts    regalloc.Slab[hostCount]

	insts   []inst
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
}

// reset makes the memory ready for the next function.
func (m *room) reset() {
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
	m.bools.Reset()
	m.roots.Reset()
	m.labels.Reset()
	m.savings.Reset()
	m.counts.Reset()
	m.insts, m.list, m.infos, m.stubs = regalloc.Kept(m.insts), regalloc.Kept(m.list), regalloc.Kept(m.infos), regalloc.Kept(m.stubs)
	m.classes, m.again, m.remat = regalloc.Kept(m.classes), regalloc.Kept(m.again), regalloc.Kept(m.remat)
	m.useBuf, m.words, m.key = regalloc.Kept(m.useBuf), regalloc.Kept(m.words), regalloc.Kept(m.key)
	m.asm = Asm{Buf: regalloc.Kept(m.asm.Buf), labels: regalloc.Kept(m.asm.labels), fixes: regalloc.Kept(m.asm.fixes)}
	m.out.reset()
	clear(m.consts)
	clear(m.mapAt)
}

func (t *tables) reset() {
	t.sites, t.maps, t.relocs, t.lines = regalloc.Kept(t.sites), regalloc.Kept(t.maps), regalloc.Kept(t.relocs), regalloc.Kept(t.lines)
}

// give hands the tables over to the code that they describe.
func (t *tables) give(o *abi.Func) {
	slices.SortFunc(t.sites, func(a, b abi.Site) int { return int(a.PC) - int(b.PC) })
	o.Sites, o.Maps, o.Relocs, o.Lines = slices.Clone(t.sites), slices.Clone(t.maps), slices.Clone(t.relocs), slices.Clone(t.lines)
}
