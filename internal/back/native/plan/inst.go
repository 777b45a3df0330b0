package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
)

// Size is the width of an integer operation. For operations on floats S32 means float32 and S64
// float64. S128 is the size of a vector: only loads and stores have it.
type Size uint8

const (
	S8 Size = iota
	S16
	S32
	S64
	S128
)

// Bits is the number of bits.
func (z Size) Bits() int { return 8 << z }

// A Cond is the condition x cond y of a comparison. Floats have only Eq, Ne, GtU and GeU, where GtU
// means greater: with a NaN all but Ne are false.
type Cond uint8

const (
	Eq Cond = iota
	Ne
	LtS
	GeS
	LeS
	GtS
	LtU
	GeU
	LeU
	GtU
	NumConds
)

// Not returns the opposite condition. For floats, exactly one of c and its opposite holds with a
// NaN.
func (c Cond) Not() Cond { return c ^ 1 }

// Swapped returns the condition with the operands exchanged.
func (c Cond) Swapped() Cond { return swapped[c] }

var swapped = [NumConds]Cond{
	Eq: Eq, Ne: Ne, LtS: GtS, GtS: LtS, LeS: GeS, GeS: LeS, LtU: GtU, GtU: LtU, LeU: GeU, GeU: LeU,
}

// An Op is an operation on registers, named after its result. Integers narrower than 32 bits have
// arbitrary bits above their width, before and after, unless noted.
type Op uint8

const (
	NoOp Op = iota

	// Integers: two operands.
	Add
	Sub
	And
	Or
	Xor
	Mul
	AndNot   // x &^ y
	MulHighU // upper half of the product of 64 bits
	MulHighS
	DivU // with Inst.Neg: a divisor of -1 needs care in signed ones
	DivS
	RemU
	RemS
	Shl // by less than the width
	ShrU
	ShrS
	ShlAny // by any count: 0, or the sign, if the count is the width or more
	ShrUAny
	ShrSAny
	Rotl // of the width that Size says
	Cmp  // in comparisons

	// One operand. The extensions have results of 64 bits.
	Zext8
	Zext16
	Zext32
	Sext8
	Sext16
	Sext32
	Copy // of all 64 bits of a register, of either class
	Neg
	Not
	Bswap   // of 32 or 64 bits
	Clz     // of 32 or 64 bits, the width with 0
	Ctz     // the same
	Popcnt  // the same
	DropLow // x & (x-1), where the processor has it
	KeepLow // x & -x, likewise

	// Floats.
	FAdd
	FSub
	FMul
	FDiv
	FCopysign // x with the sign of y; the sign of a NaN is plus
	FMA       // of use 1, use 2 and, added to their product, use 0
	FCmp      // in comparisons
	FSqrt
	FFloor
	FCeil
	FTrunc
	FNeg
	FAbs
	IToF // of 64 bits
	UToF
	FToI
	FToN // to 32 bits
	FToU
	FWiden  // float32 to float64
	FNarrow // and back
	FloatOf // the float that has an integer's bits
	BitsOf  // and back; a NaN gives ir.NaN64 or ir.NaN32 (nan.go)

	// Memory, for questions about what fits into an instruction.
	Store
	NumOps
)

// A Kind is the arrangement of the operands of an instruction. Uses and results are those of its
// regalloc.Inst, in that order.
type Kind uint8

const (
	KEntry     Kind = iota // parameters arrive
	KHead                  // the terminator of the block before the entry
	KRecover               // the recovery block begins
	KImm                   // def = constant
	KPool                  // def = float constant
	KZero                  // def = 0.0
	KLocals                // def = address of the shadow frame
	KUnary                 // def = Op use 0
	KBinary                // def = use 0 Op use 1
	KImmOp                 // def = use 0 Op Imm
	KLoadOp                // def = use 0 Op memory
	KTernary               // def = Op of three uses
	KUpdate                // memory = memory Op use 0
	KUpdateImm             // memory = memory Op Imm
	KLea                   // def = address; changes no operand that stays live
	KTruncLea              // def = low 32 bits of an address
	KLoad                  // def = memory, extended as Op says
	KStore                 // memory = use 0
	KStoreImm              // memory = Imm
	KStoreF                // memory = use 0, a float; a NaN as it is in memory
	KCanonical             // gives one or two floats the bits that they have in memory if they are NaNs, in place
	KSet                   // def = comparison
	KSelect                // def (in place of use 0) = use 1 if the comparison, whose operands are the next uses, holds
	KBranch                // to the first successor if the comparison holds, else to the second
	KJump
	KSwitch
	KReturn
	KUnreachable
	KMove  // copies Imm bytes to guest address use 0 from use 1, which may overlap
	KClear // clears Imm bytes at guest address use 0
	KBulk  // calls routine number Imm
	KGas   // charges Imm
	KGasN  // charges use 0, unsigned, at most 2^62
	KNil   // traps if use 0 is nil
	KBounds
	KCheck
	KCall
	KExit
	KNew
	KNewArray
	KNewTyped // a call of the host's malloc
	KFrameID
	KGasLeft
	KEnterLocals
	KConsume // the uses are needed here; there is no code
	NumKinds
)

// An Inst is the meaning of a regalloc.Inst: how to write it once its operands have places.
type Inst struct {
	Kind  Kind
	Op    Op
	Size  Size
	Neg   bool  // of DivS and RemS: the divisor may be -1
	Float bool  // for KImm to KZero, KLoad and KStore, Copy and KSelect: of floats
	Late  bool  // for KGas: all charges of the run are late
	Owed  int32 // late charges that wait here; for KGas: that it makes besides its own
	Imm   int64
	M     Mem
	Cmp   *Comparison
	V     *ir.Value
	Run   []*ir.Value // for KGas: the charges that are made together
	B     *ir.Block
	Exit  abi.Reason
	Roots []uint16 // the numbers of uses that are live across a safepoint
	NArgs int      // leading uses that are arguments

	pos  ir.Pos
	from source
}

// A Mem is a memory operand before registers are known.
type Mem struct {
	Kind  MemKind
	Use   int8 // number of the first register among the uses
	Scale uint8
	Disp  int32
	Bits  uint64 // MemPool
}

// A MemKind says what an address is made of. The base is that of guest memory.
type MemKind uint8

const (
	MemNone  MemKind = iota
	MemBase          // base + use + disp
	MemConst         // base + disp
	MemHost          // use + disp
	MemHostX         // use + (use+1)*scale + disp
	MemIndex         // base + use*scale + disp
	MemPool          // a constant after the code
	MemFrame         // a word of the frame of this function's caller: its arguments
	MemOut           // a word at the bottom of the frame
)

// A Comparison is a condition, written where it is used: by a branch, a select or on its own. Its
// operands are uses of that instruction.
type Comparison struct {
	Float bool
	Size  Size
	Cond  Cond // of A Cond B
	Test  bool // A, a byte, != 0
	IsImm bool // B is Imm
	Left  bool // the memory operand is A, not B
	Gas   bool // A is the gas that is left, with what late charges owe, and no use
	// Extends says that the operands have fewer than 32 bits and are extended for the comparison.
	Extends, Signed bool
	Use             int8 // number of the first operand in a register
	Imm             int64
	M               Mem // the loaded operand, MemNone if none
	A, B            *ir.Value
}

// Equality reports whether floats are compared for equality.
func (c *Comparison) Equality() bool { return c.Float && (c.Cond == Eq || c.Cond == Ne) }
