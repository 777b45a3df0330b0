// Package ir is the intermediate representation that every part of the engine shares: typed SSA
// over scalars, with explicit memory, explicit checks and explicit gas.
//
// A [Module] is a whole program: functions, the initial contents of linear memory, heap layouts,
// and the tables that tell the source position of an operation. A module may continue another one,
// its base: usually that is the precompiled standard library. A [Func] is a graph of [Block]s; a
// block is a list of [Value]s that run in order, then one terminator. A Value is an operation. If
// it has a result, it is also the SSA name of that result.
//
// Operations with effects stay in the order of their block. Pure operations may stand anywhere that
// their operands dominate. There is no memory SSA: passes that move loads look at the effects in
// between.
//
// A call with several results is followed by OpResult operations, which name the second and later
// ones.
//
// A function that defers calls has a recovery block, a second entry: after a recovered panic the
// activation continues there. Only locals (LocalAddr) and constants reach it, no SSA name.
//
// # Safepoints
//
// At a safepoint a collection or a switch of goroutines may happen. Which objects a collection
// keeps must not depend on phase B (package opt) or the back end. So FixRoots records the live
// pointers of each safepoint in the IR as phase A leaves it (roots.go, locals.go).
//
// # Where things are
//
//   - Tables: op.go has the operations, primitive.go the functions of the host that the runtime
//     calls, type.go the machine types, trap.go the panics of failing checks.
//   - The module: ir.go (its parts), funcs.go (numbers of functions), signumbers.go (numbers of
//     signatures), data.go (the data segment), lines.go (positions), shapes.go (call frames of
//     reflection). A module from a trusted image reads most of these parts on first use (late.go).
//   - Text form: print.go and parse.go. verify.go checks that functions and modules are well
//     formed, whatever wrote them. budget.go bounds the cost of analyses: functions over a budget
//     get fewer passes, or keep values in locals.
//   - Analyses: dom.go (dominators), loops.go, live.go, locals.go and localtable.go (pointers in
//     locals), roots.go (the objects that a safepoint keeps).
//   - Changes: edit.go; count.go moves counts of coverage out of blocks that hold nothing else;
//     frame.go computes the size of a function's frame; gas.go tells which charges need no check of
//     their own (late charges).
package ir

// A Pos is the number of a position of a module (Module.Position); 0 is no position.
type Pos int32

// A PosEntry is a place in the source as lowered: the site, and for an inlined
// operation the place of the call that it was inlined into.
type PosEntry struct {
	Site   int32
	Parent Pos // 0 for an operation of the function itself
}

// A Site is a position in one function as lowered. Guest-visible program
// counters are made of site numbers, so they do not depend on tier or passes.
type Site struct {
	Func int32 // index of the function as lowered
	File int32 // index into Module.Files
	Line int32
}

// SitePC and SiteOf convert between sites and the program counters that guest code sees: a counter
// below SitePCBase is a function's index (its entry); one above names a site. The value is that of
// a return address: one more than the call's.
const SitePCBase = 1 << 26

// SitePC returns the return address for a site.
func SitePC(site int32) uint64 { return SitePCBase + 2*uint64(site) + 1 }

// SiteOf returns the site of a program counter or of the byte before it.
func SiteOf(pc uint64) (site int32, ok bool) {
	if pc < SitePCBase || pc >= SitePCBase+1<<32 {
		return 0, false
	}
	return int32((pc - SitePCBase) >> 1), true
}

// A Layout tells the collector where an object's pointers are. Objects larger
// than one element repeat it.
type Layout struct {
	Size int64    // bytes of one element, a multiple of 8 unless Ptrs is empty
	Ptrs []uint64 // bit i: word i is a pointer; empty: no pointers
}

// NoPointers is the layout number of objects without pointers, whatever their size.
const NoPointers = 0

// A Root is a range of the data segment that holds pointers.
type Root struct {
	Addr   uint32
	Layout int32
	Count  int32 // elements
}

// RuntimeEntries are the functions among Module.Runtime, beside those of traps, that tiers call by
// themselves. They have no parameters and no results.
var RuntimeEntries = []string{"preempt", "emptypools", "droppools", "paycollection"}

// A Module is a whole program.
type Module struct {
	// Base, if not nil, is a module that this one continues. Other modules may continue it at
	// the same time, and it may have a base itself. Its functions are the first of this module
	// (their Func.Module is the base, or one below it), and its tables are prefixes of this
	// module's: Shapes (the same pointers), Layouts, Roots, Files and Primitives; Data begins
	// with the base's. Sites and Pos have only what follows the base's. Go, Runtime and Vars
	// are the base's. TypeLayouts has only this module's own types, see TypeLayout. The base
	// never refers to functions or data of this module.
	Base *Module

	own       []*Func // functions after the base's; see Func
	lateFuncs *lateFuncs

	Data     []byte // initial memory, at DataBase; see LoadData
	lateData *lateData

	lateShapes *lateShapes

	BSS     int64    // zero bytes after Data
	Layouts []Layout // heap layouts; 0 is NoPointers
	Roots   []Root

	Files []string
	Sites []Site     // without a base 0 is unused; see LoadLines
	Pos   []PosEntry // without a base 0 is no position; see LoadLines
	late  *lateLines

	// Go is the minor release of the standard library, as in go1.26. It decides the layout of
	// descriptors (package release). 0: there is none.
	Go int

	Entry *Func // the program's first function: no parameters, no results
	// functions of the runtime overlay that tiers call, by name: those of Traps, RuntimeEntries
	Runtime     map[string]*Func
	Vars        map[string]uint32 // addresses of variables of the overlay that tiers read and write, by name
	TypeLayouts map[uint32]int32  // address of a type descriptor in Data → layout of one element
	Shapes      []*Shape          // see LoadShapes
	Primitives  []Primitive       // the host functions used, by OpHost's Aux
	Exports     []Export          // the functions that the host may call, by number; after them other exported ones

	HostPackages []HostPackage // the packages of the host that the program imports, sorted by path

	// Sigs, in a module that others continue, are the signatures of all functions and all
	// calls: tiers number them before they see any body.
	Sigs []Sig

	Counters int // of OpCount and OpCountIf

	// Described lists the package-level variables and types of a library, for comparisons of
	// the states of its versions: see package front/lower. It decides nothing.
	Described string

	// Inits are the packages with something to initialise, in the order of initialisation,
	// those of the standard library first.
	Inits []Init
}

// TypeLayout returns the layout of one element of the type whose descriptor is at an address, and
// false if the module and its bases have none there.
func (m *Module) TypeLayout(addr uint32) (int32, bool) {
	for ; m != nil; m = m.Base {
		if l, ok := m.TypeLayouts[addr]; ok {
			return l, true
		}
	}
	return 0, false
}

// An Init is the initialisation of one package.
type Init struct {
	Path    string // import path
	Func    *Func  // no parameters, no results
	Closure uint32 // address of its closure object
	Std     bool   // of the standard library
	// Deps are the numbers of the Inits of packages that a std package imports,
	// directly or through packages without any.
	Deps []int32
}

// A HostPackage is a package whose functions are the host's. The program names them by number.
type HostPackage struct {
	Path  string
	Sum   [32]byte // identifies the declaration and prices that the program was compiled with
	First int      // the number of its first function
	Funcs int      // how many it has

	FirstError, Errors int // likewise of its sentinel errors
}

// MaxHostFuncs bounds the numbers of functions of the host.
const MaxHostFuncs = 1 << 16

// An Export is an exported function of a library: one that the host may call, or with a reason why
// it may not.
type Export struct {
	Name        string
	Params      []string // names of the parameters
	Fails       bool     // the last result is an error
	Signature   string   // parameters and results as Go writes them in the package: "(a, b int) (int, error)"
	ParamTypes  []string // of Params; the last of a variadic function begins with "..."
	ResultTypes []string // without that error
	Refusal     string   // why the host cannot call it, or ""
}

// DataBase is the address of the data segment. Lower addresses are never mapped.
const DataBase = 1 << 16

// A Shape is the memory layout of a Go signature: how reflect's frames hold the scalars. Functions
// that reflect can call, and calls of function values, carry one.
type Shape struct {
	Sig     Sig
	Offsets []int32 // of each scalar in the frame: parameters, then results
	ByRef   []bool  // the scalar is the address of an aggregate in the frame at the offset
	Sizes   []int32 // bytes of the scalar or aggregate
	RetOff  int32   // where results start
	Size    int32   // bytes of the frame
	// Unpack is the number of the function (fn ptr, frame ptr) that calls fn with a frame's
	// values and stores the results. Pack is the number of a function with the Sig of the
	// shape; it calls reflect with a frame. 0: the program cannot need it.
	Unpack, Pack int32
}

// A Local is an address-taken variable in the shadow stack.
type Local struct {
	Name  string
	Size  int64
	Align int64
	Ptrs  []uint64 // as in Layout
}

// FuncFlags are properties of a function for passes and tracebacks.
type FuncFlags uint32

const (
	NoInline     FuncFlags = 1 << iota
	Wrapper                // synthetic: hidden from tracebacks, transparent for recover
	HasDefer               // has a recovery block
	HasRecover             // calls recover: its frame must exist
	NoReturn               // never returns
	Runtime                // of package runtime, from its source: the caller pays a fixed price
	NoPreempt              // part of an operation: no goroutine gives way in it
	MakeFuncStub           // entry of functions made by reflect: the call site's shape says which
	AnySignature           // may be called with any signature: takes nothing and does not return
	NoEscape               // addresses passed to it do not outlive the call, by declaration
	Unsafe                 // its source, or that of a function inlined in it, uses package unsafe
	ByName                 // called only by name: no function value has its number, a call by value ends in a trap
	Measured               // a measured loop, which is neither charged nor left: its caller limits the iterations
	InlineMore             // with Measured: its callees are inlined as if they were function literals

	AllFlags = InlineMore<<1 - 1
)

// A Func is one function.
type Func struct {
	Name     string // as runtime.FuncForPC prints it
	Index    int32
	SigIndex int32 // index+1 of Sig in the Sigs of its module, 0: unknown
	Sig      Sig
	Flags    FuncFlags
	Pos      Pos   // of its declaration
	Shape    int32 // index+1 into Module.Shapes, 0: not callable by reflect
	Entry    *Block
	Recover  *Block   // recovery block or nil
	Blocks   []*Block // Entry first
	Locals   []Local
	Module   *Module

	LocalLive  *LocalLive // result of FixRoots, nil before
	RootsFixed bool       // FixRoots has run
	Size       int64      // number of operations that FixRoots counted
	Moved      int64      // number of values that FixRoots moved into locals, see Large
	Frame      int64      // result of FixFrame, 0 before

	keptLocals map[*Value][]int32 // see SettleKeeps

	nextValue int32
	nextBlock int32
}

// BlockKind says how a block ends.
type BlockKind uint8

const (
	BlockInvalid     BlockKind = iota
	BlockJump                  // to Succs[0]
	BlockIf                    // Ctrl is an I8: to Succs[0] if it is 1, else Succs[1]
	BlockSwitch                // Ctrl is an integer: to Succs[i] if it equals Cases[i], else to the last
	BlockReturn                // with Rets
	BlockUnreachable           // control never gets here
)

// A Block is a basic block.
type Block struct {
	ID     int32
	Kind   BlockKind
	Likely int8 // BlockIf: 1 Succs[0] is likely, -1 unlikely, 0 unknown
	Values []*Value
	Ctrl   *Value
	Cases  []int64
	Rets   []*Value
	Succs  []*Block
	Preds  []*Block // phis have one operand per predecessor, in this order
	Func   *Func
	Pos    Pos // of the terminator
}

// A Value is one operation.
type Value struct {
	ID    int32
	Op    Op
	Type  Type
	Aux   int64
	Aux2  int64
	Args  []*Value
	Fn    *Func // OpCall
	Shape int32 // OpCallClosure: index+1 into Module.Shapes
	Live  int32 // safepoints: a set of Func.LocalLive
	Sig   *Sig  // calls
	Block *Block
	Pos   Pos
}

// NewBlock appends an empty block to f.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: f.nextBlock, Func: f}
	f.nextBlock++
	f.Blocks = append(f.Blocks, b)
	if f.Entry == nil {
		f.Entry = b
	}
	return b
}

// NewValue makes a value of f that is in no block yet.
func (f *Func) NewValue(op Op, t Type, args ...*Value) *Value {
	v := &Value{ID: f.nextValue, Op: op, Type: t, Args: args}
	f.nextValue++
	return v
}

// NumValues returns an upper bound of the IDs of values: a size for side tables.
func (f *Func) NumValues() int { return int(f.nextValue) }

// NumBlocks returns an upper bound of the IDs of blocks.
func (f *Func) NumBlocks() int { return int(f.nextBlock) }

// AddLocal adds a local and returns its number.
func (f *Func) AddLocal(l Local) int64 {
	f.Locals = append(f.Locals, l)
	return int64(len(f.Locals) - 1)
}

// Append adds v at the end of b.
func (b *Block) Append(v *Value) *Value {
	v.Block = b
	b.Values = append(b.Values, v)
	return v
}

// AddEdge makes s the next successor of b.
func (b *Block) AddEdge(s *Block) {
	b.Succs = append(b.Succs, s)
	s.Preds = append(s.Preds, b)
}

// IsConst reports whether v is the constant c.
func (v *Value) IsConst(c int64) bool { return v.Op == OpConst && v.Aux == c && !v.Type.IsFloat() }

// HasEffect reports whether the operation has any of the effects.
func (v *Value) HasEffect(e Effect) bool { return Ops[v.Op].Effects&e != 0 }
