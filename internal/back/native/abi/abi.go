// Package abi is the contract between machine code and the Go code around it: the context below
// guest memory, the reasons why code leaves, and the tables that say what a place in the code
// means.
//
// # Registers and frames
//
// One register holds the base (guest offset 0), another the gas; the rest is for values. A call
// destroys all of them. Integers and floats are passed and returned in registers from two lists
// (see the back end); the rest goes to the lowest words of the caller's frame. Pointers are
// zero-extended offsets. Narrow integers have arbitrary bits above their width.
//
// Stacks grow down. A frame is a return address and the words below it, [Func.Frame] bytes, listed
// lowest first. A call, or the callee at once, may put other words above the return address: the
// processor's description says how many (plan.Desc.Link).
//
//	arguments and results of calls that registers have no room for
//	spill slots
//	the two words of the shadow frame, if there are address-taken locals
//	filling
//
// The filling makes a frame as large as its size in guest units, so that the stack pointer itself
// measures the depth that the stack limit counts. If the two differ by much, or the frame is larger
// than its guest size, entering the function moves the limit by the difference (Func.Adjust), and
// leaving it moves it back.
//
// # Leaving
//
// Code leaves for the handler by calling a stub (package native), so the return address on top of
// the native stack names a [Site]. The argument words of the context hold what the site cannot
// know. A site in the middle of code (a poll, an allocation) has saved the live registers at the
// top of the stack, Extra bytes; its map names words of the frame as extended by them.
package abi

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// The context, below the base: offsets from there, all negative. The assembly of package native
// repeats the first ones.
const (
	GoSP  = -8  // Go's stack pointer when Enter began
	GoBP  = -16 // Go's frame pointer then; on arm64 Go's return address
	Exit  = -24 // the exit point
	SP    = -32 // native stack pointer
	BP    = -40 // native frame pointer
	PC    = -48 // where native code resumes
	Gas   = -56 // the gas register
	Why   = -64 // CompileExit, YieldExit or FaultExit if code left for that, regardless of the site
	Limit = -72 // the stack pointer may not go below this

	Top     = -80  // highest address of the native stack
	Plim    = -88  // plain charges leave when the gas is below this
	Target  = -96  // for CompileExit: where execution continues
	Cur     = -104 // window of the heap: next header, end (as 32-bit words)
	CurEnd  = -100
	Mallocs = -112 // objects allocated in the window
	SSP     = -120 // shadow stack: next free byte, end of its chunk (as 32-bit words)
	SLim    = -116
	Bottom  = -128 // lowest address of the native stack that frames may use
	Fault   = -136 // for FaultExit: the host address that was accessed
	Signal  = -144 // the signal

	// The chunks of the shadow stack that code may change by itself (as 32-bit words).
	Spare    = -152 // the one that is kept: start, 0 if there is none; its end
	SpareEnd = -148
	Chunk    = -160 // start of the last one, 0 if code may not leave it; end of the one before
	Before   = -156
	Moves    = -168 // entered, less left

	// Calls of function values need these, from the running program: code of a base runs in
	// many.
	Table    = -176 // address of the table of code addresses, by function
	Sigs     = -184 // address of the table of the numbers of signatures
	NumFuncs = -192 // length of both

	Kept = -200 // the register that a counter of blocks uses

	NaN64 = -208 // what a NaN becomes in memory
	NaN32 = -216

	KeptToo = -224 // another register of a counter
	LinkReg = -232 // for FaultExit, where calls put the return address into a register: that register

	NewChunk = 1 // in the second word of a shadow frame that began a chunk

	// Args is the place of an exit's arguments and results, going up: an ir.Args.
	Args  = -1024
	Saved = -2048 // registers that the stub of CompileExit keeps, going up
	Bytes = 2048

	// An entry of package rt's table of types: the address of the descriptor, the
	// layout (32 bits each), the size.
	TypeAddr   = memory.TypeCache
	TypeLayout = memory.TypeCache + 4
	TypeSize   = memory.TypeCache + 8
)

// ContextNames are the names of the context's words, for listings.
var ContextNames = []struct {
	Off  int32
	Name string
}{
	{GoSP, "go sp"}, {GoBP, "go bp"}, {Exit, "exit point"}, {SP, "sp"}, {BP, "bp"}, {PC, "pc"}, {Gas, "gas"}, {Why, "why"},
	{Limit, "stack limit"}, {Top, "stack top"}, {Plim, "gas limit"}, {Target, "target"}, {Cur, "heap next"},
	{CurEnd, "heap end"},
	{Mallocs, "mallocs"}, {SSP, "shadow next"}, {SLim, "shadow end"}, {Bottom, "stack bottom"},
	{Spare, "spare chunk"}, {SpareEnd, "spare chunk's end"}, {Chunk, "last chunk"}, {Before, "chunk before's end"},
	{Moves, "chunk moves"},
	{Table, "table"}, {Sigs, "signatures"}, {NumFuncs, "number of functions"}, {Kept, "counter's register"},
	{NaN64, "NaN"}, {NaN32, "NaN of 32 bits"}, {KeptToo, "counter's other register"}, {LinkReg, "return address"},
	{TypeAddr, "types"}, {TypeLayout, "types' layouts"}, {TypeSize, "types' sizes"},
}

// A Reason says why code left.
type Reason int32

const (
	NoExit        Reason = iota
	GasExit              // a charge: the register is below the limit for plain ones
	LoopExit             // a loop's charge
	EnterExit            // no room for the frame
	CompileExit          // the function that the site calls is not compiled
	BadCallExit          // a value that is no function, or one of another type
	NewExit              // Site.A layout, Site.B size → Args[0]
	ArrayExit            // Site.A layout, Site.B element size, Args[0] count → Args[0]
	HostExit             // Site.A number of the function, Args
	LocalsExit           // no room for the shadow frame of Site.A bytes: fills its two words
	UnlocalExit          // the shadow frame began a chunk
	UnwindExit           // Args[0] activation
	FailExit             // unreachable code
	EndExit              // the first function of a stack returned
	MoveExit             // Args: dst, src, n
	ClearExit            // Args: p, n
	MemEqExit            // Args: p, q, n → Args[0]
	MemCmpExit           // Args: p, n, q, m → Args[0]
	MemHashExit          // Args: p, seed, n → Args[0]
	IndexByteExit        // Args: p, n, byte → Args[0]
	KernelExit           // Site.A number of the function, which calls no function of the guest; Args
	FMA32Exit            // Args: x, y, z → Args[0]
	FMA64Exit            // the same with float64
	TrapExit             // Site.A trap without a function
	NumReasons

	YieldExit Reason = 63 // a call of the host function that may end the run with rt.Yield; Args
	FaultExit Reason = 64 // an instruction at PC could not be executed; Fault, Signal
)

// MayCall reports whether the guest may continue in a function that the code does not call. That
// function's frame lies below the registers that the site has saved (Site.Extra). They are no part
// of the guest's depth: the handler lowers the limit by their size, and code raises it again after
// the exit.
func (r Reason) MayCall() bool {
	switch r {
	case LoopExit, NewExit, ArrayExit, HostExit:
		return true
	}
	return false
}

// Below returns by how much the limit is lowered while the site's exit is handled.
func (s *Site) Below() int64 {
	if s.Reason.MayCall() {
		return int64(s.Extra)
	}
	return 0
}

// LeafSlack bounds the frame of a leaf that is entered without a check of the stack's memory. Every stack
// has so many bytes more, and most stacks are small.
const LeafSlack = 64

// A Site is a return address: what the collector, tracebacks and the handler need to know about the
// place.
type Site struct {
	PC     int32  // offset in the function's code
	Pos    ir.Pos // of the operation
	Reason Reason // 0: a call
	Extra  int32  // bytes below the frame's own words; negative if the stack pointer is above them
	A, B   int64  // depend on the reason; for a call A is the function, -1 for indirect calls through the register
	Shape  int32  // for a call of a function value: index+1 into Module.Shapes

	// Roots are the words, counted from the stack pointer after the return, that hold live
	// pointers.
	Root, Roots int32
	// Run are the pointers in locals that are live: ranges of LocalTable.Runs.
	Run, Runs uint32
}

// A Func is the code of one function.
type Func struct {
	Fn     *ir.Func
	Code   []byte
	Frame  int32 // bytes that the prologue subtracts from the stack pointer
	Guest  int64 // its size in guest units
	Adjust int64 // what entering adds to the limit: guest size minus real size; 0 if they are equal
	Locals int32 // offset of the two words of the shadow frame in the frame, -1: none

	Recover int32 // offset of the recovery block, 0: none

	Sites  []Site  // by PC
	Maps   []int32 // Site.Root
	Relocs []Reloc

	LocalTable ir.LocalTable

	Lines []Line // by PC: where each run of instructions comes from
	Owed  []Owed // by PC, in checked code: where late charges wait
	// Blocks are the counted blocks, in code order, if the back end was asked to count
	// (plan.Tally).
	Blocks []Block
	Notes  []Note // by PC: the purpose of the code, if the back end was asked for notes
}

// A Block is code that is entered at its first instruction and left after its
// last. Instructions are numbered in code order from 0, without those of the counters.
type Block struct {
	First, Instrs int32
	Counter       int32 // number of the counter; -1: the block is not counted
}

// CounterAt is the offset of a counter from the base. They go down from the context; those of coverage go up from below.
func CounterAt(n int32) int32 { return memory.Counters + 8*(memory.MaxCounters-1-n) }

// A NoteKind is what a Note begins.
type NoteKind uint8

const (
	NoteBlock   NoteKind = iota // Block, nil if it is only the block of an edge
	NoteOp                      // the code of V, or of the end of Block
	NoteMove                    // a move of the register allocator: Text says which kind
	NoteStub                    // code out of line, for V or the end of Block: Text says which
	NoteSave                    // live registers are saved
	NoteRestore                 // and restored
	NotePad                     // padding before a block, which is not executed
	NoteData                    // constants and tables
)

// A Note tells listings the purpose of the code from an offset on.
type Note struct {
	PC    int32
	Kind  NoteKind
	V     *ir.Value
	Block *ir.Block
	Text  string
	Cold  bool // for NoteBlock: hardly ever executed, as far as the compiler knows
}

// A Line gives the position of the code from an offset on.
type Line struct {
	PC  int32
	Pos ir.Pos
}

// An Owed gives the gas that the code from an offset on has used and not charged yet. A fault there
// charges it.
type Owed struct{ PC, Units int32 }

// A RelocKind says what a Reloc refers to.
type RelocKind uint8

const (
	RelTable RelocKind = iota // the table entry of function N
	RelStub                   // the exit stub
	RelYield                  // the stub for calls that may end the run with rt.Yield
	RelBulk                   // routine number N
	NumRelocs
)

// A Reloc is a place in the code whose content depends on the code's address. The processor decides
// how to write it (plan.CPU.Relocate).
type Reloc struct {
	PC   int32
	Kind RelocKind
	N    int32
}
