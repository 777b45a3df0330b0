// Package regalloc gives registers and stack slots to the values of a function
// in machine form.
//
// The function comes in SSA: every value has one definition, an operand of an instruction or a
// parameter of a block (a phi). Instructions state their demands on operands (any register, a
// certain one, any place), the registers that they destroy (a call destroys all), and which results
// take the register of an operand. The output is the same list with a location for every operand
// and with moves between the instructions.
//
// # Algorithm
//
// One forward walk over the blocks in code order, as in the allocator of Go's compiler. It makes a
// greedy choice at every instruction and evicts the value whose next use is farthest (Belady). A
// block begins with the registers at the end of a predecessor. A backward analysis computes the
// distances to next uses. It counts instructions, much for a call and more for leaving a loop
// (next.go). Where edges meet, moves make the states equal (edges.go). A loop begins without the values
// that it uses only after a call or after its end, unless it calls nothing and has registers left.
//
// A value that loses its registers while it is needed lives in a stack slot. As values never
// change, one store is enough. Its place is the least executed one between the definition and the
// slot's first readers (spill.go).
//
// Cold blocks should come after all others. The blocks that are allocated first decide the places
// of values where paths meet. So a call in a cold block, which destroys all registers, costs
// nothing elsewhere: values that live through it are stored in each cold region, and are back in
// their registers at its end.
//
// Values that are cheap to compute again (constants) have no slot.
//
// [Check] proves the result: it tracks the content of every location along all paths.
package regalloc

import "math/bits"

// A VReg is a value's number.
type VReg int32

// A Reg is a register of the machine, below 64.
type Reg uint8

// A RegSet is a set of registers.
type RegSet uint64

// SetOf makes a set of registers.
func SetOf(list ...Reg) (s RegSet) {
	for _, r := range list {
		s = s.With(r)
	}
	return s
}

// Has, With and Without are the operations on sets that need a name.
func (s RegSet) Has(r Reg) bool       { return s>>r&1 != 0 }
func (s RegSet) With(r Reg) RegSet    { return s | 1<<r }
func (s RegSet) Without(r Reg) RegSet { return s &^ (1 << r) }
func (s RegSet) First() Reg           { return Reg(bits.TrailingZeros64(uint64(s))) }
func (s RegSet) Len() int             { return bits.OnesCount64(uint64(s)) }

// A Class is a kind of registers.
type Class uint8

const (
	Int Class = iota
	Float
	NumClasses
)

// A Loc is where a value is: a register, a stack slot, or one of the others below.
type Loc int32

const (
	// Nowhere is no location: that of an operand that is not allocated yet.
	Nowhere Loc = -1 << 31
	// Again says that the value is to be computed again.
	Again Loc = -1<<31 + 1
	// Scratch holds a value of either class during the moves of an edge.
	Scratch Loc = -1<<31 + 2
)

// InReg is the location of a register, InSlot that of a stack slot of 8 bytes.
func InReg(r Reg) Loc    { return Loc(r) }
func InSlot(n int32) Loc { return Loc(^n) }

// IsReg and IsSlot tell locations apart.
func (l Loc) IsReg() bool  { return l >= 0 }
func (l Loc) IsSlot() bool { return l < 0 && l > Scratch }
func (l Loc) Reg() Reg     { return Reg(l) }
func (l Loc) Slot() int32  { return int32(^l) }

// A Need is a demand of an instruction on an operand.
type Need uint8

const (
	Register Need = iota // any register of the value's class
	Fixed                // the register named
	Anything             // a register, a slot, or Again
	Slot                 // the value's stack slot (for a collector that looks while the callee runs)
	Same                 // for a result: the register of operand number Of
)

// A Use is an operand that is read.
type Use struct {
	V    VReg
	Need Need
	Reg  Reg
	Loc  Loc // set by Allocate

	hint Reg // register that the value will be wanted in, or noReg
}

// A Def is a result.
type Def struct {
	V     VReg
	Need  Need // Register, Fixed or Same
	Reg   Reg
	Of    uint8
	Early bool // written before all operands are read: shares no register with them
	Loc   Loc  // set by Allocate

	hint Reg // register that the value will be wanted in, or noReg
}

// A Temp is a register for the instruction's own use.
type Temp struct {
	Class Class
	Loc   Loc // set by Allocate
}

// An Inst is an instruction. Operands that are read late or destroyed on the way must be declared
// by Early results, temporaries or Clobbers.
type Inst struct {
	Uses    []Use
	Defs    []Def
	Temps   []Temp
	Clobber RegSet // destroyed, after the operands are read
	Reserve RegSet // no operand is in one of these; they are destroyed only if they are in Clobber or results too
	Call    bool   // values that live across it are far from their next use
	Tag     int32  // the caller's

	// Commutes says that Allocate may exchange the first two operands.
	Commutes bool

	// WantLive asks for Live: the registers whose values stay live after the instruction,
	// without those of results.
	WantLive bool
	Live     RegSet
}

// A Block is a basic block. Edges from a block with several successors to one
// with several predecessors must have been split.
type Block struct {
	Params []VReg // defined at its start
	Insts  []Inst // the last is the terminator
	Succs  []int32
	Preds  []int32
	Args   [][]VReg // by successor: the values of its parameters

	Depth  int32 // number of loops around it
	Header bool  // of a loop
	Cold   bool  // unlikely to be executed; so should be all blocks that it dominates

	// The result: the first Moves steps are moves of the edge that leads here; ParamLocs says
	// where the parameters are after them.
	Steps     []Step
	Moves     int
	ParamLocs []Loc
}

// A Func is a function. Blocks are in code order, the first is the entry; a block comes after one
// of its predecessors.
type Func struct {
	Blocks []Block
	Class  []Class            // by value
	Again  []bool             // by value: may be computed again
	Regs   [NumClasses]RegSet // that may be given out

	// Stop, if not nil, is called repeatedly during allocation, see cancel.Meter. Once it
	// returns true, Allocate returns soon, without a result.
	Stop func() bool

	// Cheap asks for stores right after the definitions: finding a better place takes more than
	// linear time.
	Cheap bool

	// Memory, if not nil, is where Allocate takes its memory, also for the steps of the blocks.
	// So these are valid until its next use.
	Memory *Memory

	Slots int32 // the result: stack slots in use
}

// A Step is an instruction, or a move if Inst is nil.
type Step struct {
	Inst     *Inst
	V        VReg // of a move
	From, To Loc
}

const (
	noReg  Reg  = 255
	noVReg VReg = -1
)
