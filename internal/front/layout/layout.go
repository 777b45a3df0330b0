// Package layout decides where everything that is fixed before a program runs lies in its linear
// memory, and builds the data segment that holds it.
//
// # What is laid out
//
// The guest is a wasip1/wasm program as gc would compile it: int and pointers take 8 bytes, a
// string is two words, a slice three, an interface two, and structs are padded as in gc (sizes.go).
// The real reflect, internal/runtime/maps and encoding/json run as guest code on top of this. So
// type descriptors, method tables and itabs must equal gc's byte by byte. GOROOT/src/internal/abi
// has their definitions (type.go, map.go, iface.go), and cmd/compile/internal/reflectdata the rules
// for their contents. Nothing at run time needs go/types: guest memory has all that an assertion, a
// map or reflect must know.
//
// # The data segment
//
// Memory starts at ir.DataBase and grows by first use: bytes of strings, names, descriptors, itabs,
// static closures, globals (segment.go). An address is final as soon as it is returned, so lowering
// can put it into code as a constant. Globals have their own pages, apart from data that is never
// written. Zeroed globals above a megabyte lie in a second region, whose bytes are not stored in
// the image.
//
// # Descriptors
//
// [Builder.Type] returns the address of the descriptor of a type. Identical types share a
// descriptor. Its key is the link string (names.go), which spells out everything that
// go/types.Identical compares: types are identical if and only if their keys are equal. The key's
// hash is the descriptor's Hash. The address is reserved when a type is first seen, and a worklist
// writes the contents (descriptors.go), so recursive types need no recursion of the host. All
// references are guest addresses, including those that gc stores as 4-byte offsets (NameOff,
// TypeOff). 4-byte function references (Ifn, Tfn) hold function indices, -1 while the method is
// unreachable.
//
// As in gc, a descriptor brings others with it: its elements, the pointer type of every named type,
// the signatures of its methods, the group type of a map.
//
// # Pointers
//
// A pointer mask has one bit for every 8-byte word. As in gc, the type word of an interface is not
// marked: it points to the data segment or to objects that reflect and the itab cache keep alive
// themselves. The collector gets masks as ir.Layout numbers (heap.go): identical masks share one,
// and an array has the layout of its element.
//
// # Limits
//
// [Builder.Err] reports demands of a program that we cannot meet: a segment beyond 2 GiB, a type
// larger than the address space, a type string beyond a megabyte, an anonymous interface that
// contains itself (gc rejects it, too), or more than 32 MiB of type strings, masks and scalar lists
// in all. Calls remain safe after an error, but their results are meaningless. So a hostile source
// cannot make the tables of the host much larger than itself.
//
// One goroutine uses a Builder. The segment depends only on the sequence of calls.
//
// maps.go lays out maps, methods.go method tables and itabs. base.go lets segments continue a
// finished one, plan.go keeps the addresses of a program for its later versions (planrecord.go: in
// the cache).
package layout

import (
	"cmp"
	"fmt"
	"go/types"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
	"golang.org/x/tools/go/types/typeutil"
)

// Hooks connect descriptors with the functions that only lowering can make. They are called while
// descriptors are being written. They may call the Builder, but the contents of descriptors that
// they ask for may not be written yet.
type Hooks struct {
	// Equal returns the address of a static closure
	// func(p, q unsafe.Pointer) bool for the comparable type t.
	Equal func(t types.Type) uint32
	// Hasher returns the address of a static closure
	// func(p unsafe.Pointer, h uintptr) uintptr for the map key type t.
	// On wasm hashes stay below 1<<32.
	Hasher func(t types.Type) uint32
	// Method reports that the method table of recv has an entry for sel. ifn and
	// tfn are the addresses of its 4-byte function indices: ifn is called with a
	// one-word receiver, tfn with the receiver itself. Both hold -1 until the
	// method becomes live and lowering writes them by SetInt32.
	Method func(recv types.Type, sel *types.Selection, ifn, tfn uint32)
	// ItabFun reports the 8-byte entry of an itab, to be filled by SetInt64 with
	// the index of the function that calls sel with a one-word receiver.
	ItabFun func(recv types.Type, sel *types.Selection, addr uint32)
	// PkgPath is the import path of a package as the linker knows it. Nil means
	// "main" for packages of that name, else Package.Path.
	PkgPath func(*types.Package) string
	// Std reports whether a package belongs to the standard library. Nil means that its path
	// decides.
	Std func(*types.Package) bool
	// OuterArgs returns the type arguments of the function instance that a copy of a local type
	// belongs to. It is called for types whose objects are in no scope. Nil means that the program
	// has none.
	OuterArgs func(*types.TypeName) []types.Type
}

// A Builder lays out the types and the data segment of one program.
type Builder struct {
	hooks Hooks
	err   error
	full  error // the first error of too little room
	spent int64 // bytes of tables whose size the source does not bound

	// Sizes, by identity of the go/types object: identical types that are different objects are
	// measured twice, which is cheaper than comparing them.
	infos map[types.Type]*info

	// Names.
	links    map[types.Type]string
	typeIDs  map[*types.TypeName]typeID
	outer    map[*types.TypeName][]types.Type // results of Hooks.OuterArgs
	usedIDs  map[string]int
	localIDs map[*types.Package]map[localKey]int
	paths    map[*types.Package]pkgNames

	// Descriptors.
	descs    map[types.Type]*desc
	descKeys map[string]*desc
	descList []*desc // in order of first use
	written  int     // descs before this index are written
	writing  bool
	mapType  release.MapType
	groups   map[*types.Map]MapInfo
	noalg    map[types.Type]*types.Map // parts of group types: they have no equality; a whole group names its map
	methods  typeutil.MethodSetCache
	imethods map[*types.Interface][]*types.Func
	itabs    map[itabKey]uint32

	// Data segment.
	low, high region
	inLow     int64   // bytes of globals in low
	pages     [2]span // partly used pages of globals: without and with pointers
	strings   map[string]uint32
	masks     map[string]uint32
	closures  map[int32]uint32

	// Collector.
	layouts   []ir.Layout
	layoutKey map[string]int32
	roots     []ir.Root

	base *Base // nil: the segment stands alone

	follow follower
	end    uint64 // the least end of the segment
}

// New returns a builder of a segment for the standard library of a release. The segment continues a
// base, or is empty if base is nil.
func New(h Hooks, r *release.Release, base *Base) *Builder {
	b := &Builder{
		mapType:   r.Map,
		hooks:     h,
		infos:     map[types.Type]*info{},
		links:     map[types.Type]string{},
		typeIDs:   map[*types.TypeName]typeID{},
		outer:     map[*types.TypeName][]types.Type{},
		usedIDs:   map[string]int{},
		localIDs:  map[*types.Package]map[localKey]int{},
		paths:     map[*types.Package]pkgNames{},
		descs:     map[types.Type]*desc{},
		descKeys:  map[string]*desc{},
		groups:    map[*types.Map]MapInfo{},
		imethods:  map[*types.Interface][]*types.Func{},
		noalg:     map[types.Type]*types.Map{},
		itabs:     map[itabKey]uint32{},
		low:       region{base: ir.DataBase, end: ir.DataBase},
		high:      region{base: highBase, end: highBase},
		strings:   map[string]uint32{},
		masks:     map[string]uint32{},
		closures:  map[int32]uint32{},
		layouts:   make([]ir.Layout, 1), // ir.NoPointers
		layoutKey: map[string]int32{},
	}
	if base != nil {
		b.continues(base)
	}
	return b
}

// Err returns the error of the first object that could not be laid out, or nil.
func (b *Builder) Err() error { return b.err }

// TooLarge returns the error of a program whose data or types do not fit in guest memory, or nil.
func (b *Builder) TooLarge() error { return b.full }

func (b *Builder) tooLarge(format string, args ...any) {
	b.fail(format, args...)
	b.full = cmp.Or(b.full, b.err)
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// maxSpent bounds those tables.
const maxSpent = 32 << 20

// spend accounts for n bytes of such tables.
func (b *Builder) spend(n int64) {
	if b.spent += n; b.spent > maxSpent {
		b.tooLarge("types too large: more than %d MiB of descriptions", maxSpent>>20)
	}
}

// Finish moves the segment and the collector's tables into m: Data, BSS, Layouts,
// Roots and TypeLayouts. The layouts of a base's types stay with the base. The
// builder must not be used afterwards.
func (b *Builder) Finish(m *ir.Module) {
	m.Data, m.BSS = b.image()
	m.TypeLayouts = make(map[uint32]int32, len(b.descList))
	for _, d := range b.descList {
		m.TypeLayouts[d.addr] = b.HeapLayout(d.typ)
	}
	m.Layouts = b.layouts
	m.Roots = b.roots
}
