package bytecode

import "github.com/gyrvm/gyr/internal/ir"

// An Op is the operation of an instruction. Its line in the table below says everything about it;
// the encoder, the printer and the verifier are derived from the table. Package interp/loop holds
// the interpreter's code for each operation and checks it against the line.
type Op uint16

// OpInfo describes one operation.
//
// Form spells the fields of the instruction, one character for each 16-bit
// field a, b, c of the first word, then, after a slash, the extension words:
//
//	=  slot written           r  slot read
//	i  signed immediate       u  unsigned immediate
//	I  signed 32-bit immediate in b and c     -  unused
//	L  one word: 64-bit immediate
//	H  one word: 32-bit unsigned immediate (low half), second immediate (high half)
//	J  one word: branch offset (32 bits, in words from the end of the instruction),
//	   gas of the taken edge, gas of the other edge (16 bits each)
//	K  one word: branch offset (16 bits), immediate (16 bits), gas as in J
//	=riu in an extension word: up to four 16-bit fields, as in the first word
//
// In Pic, a, b, c are the slots named by the fields of the first word, d to g (in
// the places of a to c, then one more) those of the extension word; #, ##, ###
// are the immediates in their order, and M[p] is linear memory at p.
type OpInfo struct {
	Name string
	Form string
	Flow Flow
	Pic  string
}

// Flow says what an operation may do besides continuing with the next one.
type Flow uint8

const (
	Next   Flow = 0
	Jumps  Flow = 1 << iota // has a branch word (or is a jump)
	Ends                    // never goes on with the next instruction
	Traps                   // may raise a Go panic
	Calls                   // pushes a frame or runs the host
	GCSafe                  // a collection may happen here: has a stack map
	Loop                    // the taken edge is a loop charge
)

const (

	// Control.
	Invalid Op = iota
	Jmp
	JmpL
	JmpBack
	Gas
	GasL
	GasN

	// Coverage.
	Count
	CountIf
	CountUnless

	// Branches. Each is followed by its twin whose taken edge is a loop charge.
	Br
	BrL
	BrZ
	BrZL
	EqBr
	EqBrL
	NeBr
	NeBrL
	LtSBr
	LtSBrL
	LeSBr
	LeSBrL
	LtUBr
	LtUBrL
	LeUBr
	LeUBrL
	EqIBr
	EqIBrL
	NeIBr
	NeIBrL
	LtSIBr
	LtSIBrL
	GeSIBr
	GeSIBrL
	LtUIBr
	LtUIBrL
	GeUIBr
	GeUIBrL
	FEq64Br
	FEq64BrL
	FNe64Br
	FNe64BrL
	FLt64Br
	FLt64BrL
	FNlt64Br
	FNlt64BrL
	FLe64Br
	FLe64BrL
	FNle64Br
	FNle64BrL
	FEq32Br
	FEq32BrL
	FNe32Br
	FNe32BrL
	FLt32Br
	FLt32BrL
	FNlt32Br
	FNlt32BrL
	FLe32Br
	FLe32BrL
	FNle32Br
	FNle32BrL
	Switch
	SwitchB

	// Calls. a is the base of the new frame, in slots from this one; its slots from 2 on hold
	// arguments, later results.
	Call
	CallC
	CallX
	Ret
	Ret1
	EnterLocals
	LeaveLocals
	ZeroLocals
	Unreachable

	// Constants and moves.
	Mov
	Mov2
	Const
	Const64
	Select

	// Integers: 64 bits, then narrower results in sign-extended form.
	Add
	Sub
	Mul
	And
	Or
	Xor
	AndNot
	Shl
	ShrS
	ShrU
	DivS
	DivU
	RemS
	RemU
	Rotl
	MulHiU
	MulHiS
	Neg
	Not
	Clz
	Ctz
	Popcnt
	Bswap
	AddI
	MulI
	AndI
	OrI
	XorI
	ShlI
	ShrSI
	ShrUI
	RSubI
	Add32
	Sub32
	Mul32
	Shl32
	ShrU32
	DivS32
	DivU32
	RemU32
	Rotl32
	Neg32
	Clz32
	Ctz32
	Popcnt32
	Bswap32
	Add32I
	Mul32I
	Shl32I
	ShrU32I
	RSub32I
	Add16
	Sub16
	Mul16
	Shl16
	ShrU16
	DivS16
	DivU16
	RemU16
	Rotl16
	Neg16
	Clz16
	Ctz16
	Popcnt16
	Bswap16
	Add16I
	Mul16I
	Shl16I
	ShrU16I
	RSub16I
	Add8
	Sub8
	Mul8
	Shl8
	ShrU8
	DivS8
	DivU8
	RemU8
	Rotl8
	Neg8
	Clz8
	Ctz8
	Popcnt8
	Add8I
	Mul8I
	Shl8I
	ShrU8I
	RSub8I
	SExt8
	SExt16
	SExt32
	ZExt8
	ZExt16
	ZExt32

	// Comparisons: 0 or 1.
	Eq
	Ne
	LtS
	LeS
	LtU
	LeU
	EqI
	NeI
	LtSI
	GeSI
	LtUI
	GeUI
	FEq64
	FNe64
	FLt64
	FLe64
	FEq32
	FNe32
	FLt32
	FLe32

	// Floats.
	FAdd64
	FSub64
	FMul64
	FDiv64
	FNeg64
	FSqrt64
	FAbs64
	FCopysign64
	IToF64
	UToF64
	FToI64
	FToU64
	FToN64
	FBits64
	FAdd32
	FSub32
	FMul32
	FDiv32
	FNeg32
	FSqrt32
	FAbs32
	FCopysign32
	IToF32
	UToF32
	FToI32
	FToU32
	FToN32
	FBits32
	F32to64
	F64to32

	// Addresses: 32 bits.
	PtrAdd
	PtrAddI
	PtrAddX
	PtrIdx2
	PtrIdx4
	PtrIdx8
	PtrIdx16
	PtrIdx
	FrameID
	GasLeft

	// Memory.
	Load8S
	Load8U
	Load16S
	Load16U
	Load32S
	Load32U
	Load64
	Store8
	Store16
	Store32
	Store64
	StoreP
	StoreF32
	StoreF64
	Move8
	Move16
	Move24
	Move32
	ClearW

	// Checks and allocation.
	NilCheck
	Bounds
	Check0
	Check2
	New
	NewArray

	// Superinstructions. Loops: add, compare, branch with both charges. A jump follows. It is
	// executed instead, with nothing changed, if the charge does not fit; its target does the
	// same in steps.
	LoopLtS
	LoopGtS
	LoopLeS
	LoopGeS
	LoopLtU
	LoopGeU
	LoopEq
	LoopNe
	LoopLtSI
	LoopGeSI
	LoopLtUI
	LoopGeUI
	LoopEqI
	LoopNeI

	// Superinstructions: element accesses, with and without the check of the index.
	LoadX8S
	LoadX8U
	LoadX16S
	LoadX16U
	LoadX32S
	LoadX32U
	LoadX64
	LoadXP
	BLoadX8S
	BLoadX8U
	BLoadX16S
	BLoadX16U
	BLoadX32S
	BLoadX32U
	BLoadX64
	BLoadXP
	StoreX8
	StoreX16
	StoreX32
	StoreX64
	StoreXP
	StoreXF32
	StoreXF64
	BStoreX8
	BStoreX16
	BStoreX32
	BStoreX64
	BStoreXP
	BStoreXF32
	BStoreXF64
	BPtrIdx
	BoundsI
	BoundsC
	CheckLeU
	LoadPL
	LoadPLX

	// Superinstructions: arithmetic with memory, and two operations in one.
	Add8To
	Add16To
	Add32To
	Add64To
	Sub64To
	FAdd64To
	FSub64To
	Add32ITo
	Add64ITo
	FAdd64M
	FSub64M
	FRSub64M
	FMul64M
	AddM
	FMulAdd64
	FMulSub64
	FNMulAdd64
	MulAdd
	AddAddI
	DivSP2

	// Superinstructions: accesses with the check of the pointer.
	NLoad8S
	NLoad8U
	NLoad16S
	NLoad16U
	NLoad32S
	NLoad32U
	NLoad64
	NStore8
	NStore16
	NStore32
	NStore64
	NStoreP
	NStoreF32
	NStoreF64
	NLoadPL

	// Superinstructions: elements of a slice or string whose header is in memory, at h = the first slot read + #.
	SLoad8S
	SLoad8U
	SLoad16S
	SLoad16U
	SLoad32S
	SLoad32U
	SLoad64
	SLoadP
	SStore8
	SStore16
	SStore32
	SStore64
	SStoreP
	SStoreF32
	SStoreF64

	// Superinstructions: stores of constants, wide arithmetic, moves.
	Store8I
	Store16I
	Store32I
	Store64I
	MulW
	Add3
	Carry
	Borrow
	Mov3

	// The run loop leaves these to Go functions.
	Compile
	MakeFunc
	Missing
	StackEnd
	Host
	Unwind
	Move
	Clear
	MoveN
	ClearN
	MemEq
	MemCmp
	MemHash
	IndexByte
	FFloor64
	FCeil64
	FTrunc64
	FMA64
	FFloor32
	FCeil32
	FTrunc32
	FMA32
	FarLoad
	FarStore
	CallFar
	FarReturn

	NumOps

	// FirstSlow is the first operation that the run loop leaves to a Go function.
	FirstSlow = Compile
)

// Ops is the table of all operations.
var Ops = [NumOps]OpInfo{

	Invalid: {"invalid", "---", Ends, "never executed"},
	Jmp:     {"jmp", "uI", Jumps | Ends, "pc += #, charge a"},
	JmpL:    {"jmpl", "uI", Jumps | Ends | Loop | GCSafe, "pc += #, loop charge a"},
	JmpBack: {"jmpback", "-I", Jumps | Ends, "pc += #: the charges of where it leads have been made"},
	Gas:     {"gas", "-I", Next, "charge #"},
	GasL:    {"gasl", "-I", GCSafe, "loop charge #"},
	GasN:    {"gasn", "-r-", Next, "charge b, 2^62 if b < 0"},

	Count:       {"count", "-I", Next, "counter[#] += 1"},
	CountIf:     {"countif", "rI", Next, "counter[#] += a & 1"},
	CountUnless: {"countunless", "rI", Next, "counter[#] += a & 1 ^ 1"},

	Br:        {"br", "r--/J", Jumps, "if a != 0: pc += offset, charge; else charge"},
	BrL:       {"brl", "r--/J", Jumps | Loop | GCSafe, "if a != 0: pc += offset, loop charge; else charge"},
	BrZ:       {"brz", "r--/J", Jumps, "if a == 0: pc += offset, charge; else charge"},
	BrZL:      {"brzl", "r--/J", Jumps | Loop | GCSafe, "if a == 0: pc += offset, loop charge; else charge"},
	EqBr:      {"eqbr", "rr-/J", Jumps, "if a == b: pc += offset, charge; else charge"},
	EqBrL:     {"eqbrl", "rr-/J", Jumps | Loop | GCSafe, "if a == b: pc += offset, loop charge; else charge"},
	NeBr:      {"nebr", "rr-/J", Jumps, "if a != b: pc += offset, charge; else charge"},
	NeBrL:     {"nebrl", "rr-/J", Jumps | Loop | GCSafe, "if a != b: pc += offset, loop charge; else charge"},
	LtSBr:     {"ltsbr", "rr-/J", Jumps, "if a < b: pc += offset, charge; else charge"},
	LtSBrL:    {"ltsbrl", "rr-/J", Jumps | Loop | GCSafe, "if a < b: pc += offset, loop charge; else charge"},
	LeSBr:     {"lesbr", "rr-/J", Jumps, "if a <= b: pc += offset, charge; else charge"},
	LeSBrL:    {"lesbrl", "rr-/J", Jumps | Loop | GCSafe, "if a <= b: pc += offset, loop charge; else charge"},
	LtUBr:     {"ltubr", "rr-/J", Jumps, "if a <u b: pc += offset, charge; else charge"},
	LtUBrL:    {"ltubrl", "rr-/J", Jumps | Loop | GCSafe, "if a <u b: pc += offset, loop charge; else charge"},
	LeUBr:     {"leubr", "rr-/J", Jumps, "if a <=u b: pc += offset, charge; else charge"},
	LeUBrL:    {"leubrl", "rr-/J", Jumps | Loop | GCSafe, "if a <=u b: pc += offset, loop charge; else charge"},
	EqIBr:     {"eqibr", "ri-/J", Jumps, "if a == #: pc += offset, charge; else charge"},
	EqIBrL:    {"eqibrl", "ri-/J", Jumps | Loop | GCSafe, "if a == #: pc += offset, loop charge; else charge"},
	NeIBr:     {"neibr", "ri-/J", Jumps, "if a != #: pc += offset, charge; else charge"},
	NeIBrL:    {"neibrl", "ri-/J", Jumps | Loop | GCSafe, "if a != #: pc += offset, loop charge; else charge"},
	LtSIBr:    {"ltsibr", "ri-/J", Jumps, "if a < #: pc += offset, charge; else charge"},
	LtSIBrL:   {"ltsibrl", "ri-/J", Jumps | Loop | GCSafe, "if a < #: pc += offset, loop charge; else charge"},
	GeSIBr:    {"gesibr", "ri-/J", Jumps, "if a >= #: pc += offset, charge; else charge"},
	GeSIBrL:   {"gesibrl", "ri-/J", Jumps | Loop | GCSafe, "if a >= #: pc += offset, loop charge; else charge"},
	LtUIBr:    {"ltuibr", "ri-/J", Jumps, "if a <u #: pc += offset, charge; else charge"},
	LtUIBrL:   {"ltuibrl", "ri-/J", Jumps | Loop | GCSafe, "if a <u #: pc += offset, loop charge; else charge"},
	GeUIBr:    {"geuibr", "ri-/J", Jumps, "if a >=u #: pc += offset, charge; else charge"},
	GeUIBrL:   {"geuibrl", "ri-/J", Jumps | Loop | GCSafe, "if a >=u #: pc += offset, loop charge; else charge"},
	FEq64Br:   {"feq64br", "rr-/J", Jumps, "if a == b: pc += offset, charge; else charge"},
	FEq64BrL:  {"feq64brl", "rr-/J", Jumps | Loop | GCSafe, "if a == b: pc += offset, loop charge; else charge"},
	FNe64Br:   {"fne64br", "rr-/J", Jumps, "if a != b: pc += offset, charge; else charge"},
	FNe64BrL:  {"fne64brl", "rr-/J", Jumps | Loop | GCSafe, "if a != b: pc += offset, loop charge; else charge"},
	FLt64Br:   {"flt64br", "rr-/J", Jumps, "if a < b: pc += offset, charge; else charge"},
	FLt64BrL:  {"flt64brl", "rr-/J", Jumps | Loop | GCSafe, "if a < b: pc += offset, loop charge; else charge"},
	FNlt64Br:  {"fnlt64br", "rr-/J", Jumps, "if !(a < b): pc += offset, charge; else charge"},
	FNlt64BrL: {"fnlt64brl", "rr-/J", Jumps | Loop | GCSafe, "if !(a < b): pc += offset, loop charge; else charge"},
	FLe64Br:   {"fle64br", "rr-/J", Jumps, "if a <= b: pc += offset, charge; else charge"},
	FLe64BrL:  {"fle64brl", "rr-/J", Jumps | Loop | GCSafe, "if a <= b: pc += offset, loop charge; else charge"},
	FNle64Br:  {"fnle64br", "rr-/J", Jumps, "if !(a <= b): pc += offset, charge; else charge"},
	FNle64BrL: {"fnle64brl", "rr-/J", Jumps | Loop | GCSafe, "if !(a <= b): pc += offset, loop charge; else charge"},
	FEq32Br:   {"feq32br", "rr-/J", Jumps, "if a == b: pc += offset, charge; else charge"},
	FEq32BrL:  {"feq32brl", "rr-/J", Jumps | Loop | GCSafe, "if a == b: pc += offset, loop charge; else charge"},
	FNe32Br:   {"fne32br", "rr-/J", Jumps, "if a != b: pc += offset, charge; else charge"},
	FNe32BrL:  {"fne32brl", "rr-/J", Jumps | Loop | GCSafe, "if a != b: pc += offset, loop charge; else charge"},
	FLt32Br:   {"flt32br", "rr-/J", Jumps, "if a < b: pc += offset, charge; else charge"},
	FLt32BrL:  {"flt32brl", "rr-/J", Jumps | Loop | GCSafe, "if a < b: pc += offset, loop charge; else charge"},
	FNlt32Br:  {"fnlt32br", "rr-/J", Jumps, "if !(a < b): pc += offset, charge; else charge"},
	FNlt32BrL: {"fnlt32brl", "rr-/J", Jumps | Loop | GCSafe, "if !(a < b): pc += offset, loop charge; else charge"},
	FLe32Br:   {"fle32br", "rr-/J", Jumps, "if a <= b: pc += offset, charge; else charge"},
	FLe32BrL:  {"fle32brl", "rr-/J", Jumps | Loop | GCSafe, "if a <= b: pc += offset, loop charge; else charge"},
	FNle32Br:  {"fnle32br", "rr-/J", Jumps, "if !(a <= b): pc += offset, charge; else charge"},
	FNle32BrL: {"fnle32brl", "rr-/J", Jumps | Loop | GCSafe, "if !(a <= b): pc += offset, loop charge; else charge"},
	Switch: {"switch", "rI/L", Jumps | Ends,
		"# + 1 words offset | gas follow: word a - ##, the last if that is not below #"},
	SwitchB: {"switchb", "rI", Jumps | Ends,
		"# pairs (value, offset | gas) sorted by value follow, then the word of the default"},

	Call:        {"call", "uI", Calls | GCSafe, "call function #"},
	CallC:       {"callc", "ur-/L", Calls | GCSafe, "call the closure b; its signature must be #"},
	CallX:       {"callx", "ur-/L", Calls | GCSafe, "call the function with index b; its signature must be #"},
	Ret:         {"ret", "-I", Ends, "return; gives # units of stack back"},
	Ret1:        {"ret1", "rI", Ends, "slot 2 = a, return; gives # units of stack back"},
	EnterLocals: {"enterlocals", "=I", GCSafe, "a = shadow stack pointer; a+1 = its former value; push # bytes"},
	LeaveLocals: {"leavelocals", "r--", Next, "shadow stack pointer = a+1"},
	ZeroLocals:  {"zerolocals", "rI", Next, "# bytes of zero at a"},
	Unreachable: {"unreachable", "---", Ends, "never executed"},

	Mov:     {"mov", "=r-", Next, "a = b"},
	Mov2:    {"mov2", "=r=/r---", Next, "a = b, c = d"},
	Const:   {"const", "=I", Next, "a = #"},
	Const64: {"const64", "=--/L", Next, "a = #"},
	Select:  {"select", "=rr/r---", Next, "a = b != 0 ? c : d"},

	Add:      {"add", "=rr", Next, "a = b + c"},
	Sub:      {"sub", "=rr", Next, "a = b - c"},
	Mul:      {"mul", "=rr", Next, "a = b * c"},
	And:      {"and", "=rr", Next, "a = b & c"},
	Or:       {"or", "=rr", Next, "a = b | c"},
	Xor:      {"xor", "=rr", Next, "a = b ^ c"},
	AndNot:   {"andnot", "=rr", Next, "a = b &^ c"},
	Shl:      {"shl", "=rr", Next, "a = b << c"},
	ShrS:     {"shrs", "=rr", Next, "a = b >> c"},
	ShrU:     {"shru", "=rr", Next, "a = b >>u c"},
	DivS:     {"divs", "=rr", Next, "a = b / c"},
	DivU:     {"divu", "=rr", Next, "a = b /u c"},
	RemS:     {"rems", "=rr", Next, "a = b % c"},
	RemU:     {"remu", "=rr", Next, "a = b %u c"},
	Rotl:     {"rotl", "=rr", Next, "a = b rotl c"},
	MulHiU:   {"mulhiu", "=rr", Next, "a = upper half of b *u c"},
	MulHiS:   {"mulhis", "=rr", Next, "a = upper half of b * c"},
	Neg:      {"neg", "=r-", Next, "a = -b"},
	Not:      {"not", "=r-", Next, "a = ^b"},
	Clz:      {"clz", "=r-", Next, "a = leading zeros of b"},
	Ctz:      {"ctz", "=r-", Next, "a = trailing zeros of b"},
	Popcnt:   {"popcnt", "=r-", Next, "a = ones in b"},
	Bswap:    {"bswap", "=r-", Next, "a = bytes of b reversed"},
	AddI:     {"addi", "=ri", Next, "a = b + #"},
	MulI:     {"muli", "=ri", Next, "a = b * #"},
	AndI:     {"andi", "=ri", Next, "a = b & #"},
	OrI:      {"ori", "=ri", Next, "a = b | #"},
	XorI:     {"xori", "=ri", Next, "a = b ^ #"},
	ShlI:     {"shli", "=ri", Next, "a = b << #"},
	ShrSI:    {"shrsi", "=ri", Next, "a = b >> #"},
	ShrUI:    {"shrui", "=ri", Next, "a = b >>u #"},
	RSubI:    {"rsubi", "=ri", Next, "a = # - b"},
	Add32:    {"add32", "=rr", Next, "a = sext32(b + c)"},
	Sub32:    {"sub32", "=rr", Next, "a = sext32(b - c)"},
	Mul32:    {"mul32", "=rr", Next, "a = sext32(b * c)"},
	Shl32:    {"shl32", "=rr", Next, "a = sext32(b << c)"},
	ShrU32:   {"shru32", "=rr", Next, "a = sext32(b >>u c)"},
	DivS32:   {"divs32", "=rr", Next, "a = sext32(b / c)"},
	DivU32:   {"divu32", "=rr", Next, "a = sext32(b /u c)"},
	RemU32:   {"remu32", "=rr", Next, "a = sext32(b %u c)"},
	Rotl32:   {"rotl32", "=rr", Next, "a = sext32(b rotl c)"},
	Neg32:    {"neg32", "=r-", Next, "a = sext32(-b)"},
	Clz32:    {"clz32", "=r-", Next, "a = sext32(leading zeros of b)"},
	Ctz32:    {"ctz32", "=r-", Next, "a = sext32(trailing zeros of b)"},
	Popcnt32: {"popcnt32", "=r-", Next, "a = sext32(ones in b)"},
	Bswap32:  {"bswap32", "=r-", Next, "a = sext32(bytes of b reversed)"},
	Add32I:   {"add32i", "=ri", Next, "a = sext32(b + #)"},
	Mul32I:   {"mul32i", "=ri", Next, "a = sext32(b * #)"},
	Shl32I:   {"shl32i", "=ri", Next, "a = sext32(b << #)"},
	ShrU32I:  {"shru32i", "=ri", Next, "a = sext32(b >>u #)"},
	RSub32I:  {"rsub32i", "=ri", Next, "a = sext32(# - b)"},
	Add16:    {"add16", "=rr", Next, "a = sext16(b + c)"},
	Sub16:    {"sub16", "=rr", Next, "a = sext16(b - c)"},
	Mul16:    {"mul16", "=rr", Next, "a = sext16(b * c)"},
	Shl16:    {"shl16", "=rr", Next, "a = sext16(b << c)"},
	ShrU16:   {"shru16", "=rr", Next, "a = sext16(b >>u c)"},
	DivS16:   {"divs16", "=rr", Next, "a = sext16(b / c)"},
	DivU16:   {"divu16", "=rr", Next, "a = sext16(b /u c)"},
	RemU16:   {"remu16", "=rr", Next, "a = sext16(b %u c)"},
	Rotl16:   {"rotl16", "=rr", Next, "a = sext16(b rotl c)"},
	Neg16:    {"neg16", "=r-", Next, "a = sext16(-b)"},
	Clz16:    {"clz16", "=r-", Next, "a = sext16(leading zeros of b)"},
	Ctz16:    {"ctz16", "=r-", Next, "a = sext16(trailing zeros of b)"},
	Popcnt16: {"popcnt16", "=r-", Next, "a = sext16(ones in b)"},
	Bswap16:  {"bswap16", "=r-", Next, "a = sext16(bytes of b reversed)"},
	Add16I:   {"add16i", "=ri", Next, "a = sext16(b + #)"},
	Mul16I:   {"mul16i", "=ri", Next, "a = sext16(b * #)"},
	Shl16I:   {"shl16i", "=ri", Next, "a = sext16(b << #)"},
	ShrU16I:  {"shru16i", "=ri", Next, "a = sext16(b >>u #)"},
	RSub16I:  {"rsub16i", "=ri", Next, "a = sext16(# - b)"},
	Add8:     {"add8", "=rr", Next, "a = sext8(b + c)"},
	Sub8:     {"sub8", "=rr", Next, "a = sext8(b - c)"},
	Mul8:     {"mul8", "=rr", Next, "a = sext8(b * c)"},
	Shl8:     {"shl8", "=rr", Next, "a = sext8(b << c)"},
	ShrU8:    {"shru8", "=rr", Next, "a = sext8(b >>u c)"},
	DivS8:    {"divs8", "=rr", Next, "a = sext8(b / c)"},
	DivU8:    {"divu8", "=rr", Next, "a = sext8(b /u c)"},
	RemU8:    {"remu8", "=rr", Next, "a = sext8(b %u c)"},
	Rotl8:    {"rotl8", "=rr", Next, "a = sext8(b rotl c)"},
	Neg8:     {"neg8", "=r-", Next, "a = sext8(-b)"},
	Clz8:     {"clz8", "=r-", Next, "a = sext8(leading zeros of b)"},
	Ctz8:     {"ctz8", "=r-", Next, "a = sext8(trailing zeros of b)"},
	Popcnt8:  {"popcnt8", "=r-", Next, "a = sext8(ones in b)"},
	Add8I:    {"add8i", "=ri", Next, "a = sext8(b + #)"},
	Mul8I:    {"mul8i", "=ri", Next, "a = sext8(b * #)"},
	Shl8I:    {"shl8i", "=ri", Next, "a = sext8(b << #)"},
	ShrU8I:   {"shru8i", "=ri", Next, "a = sext8(b >>u #)"},
	RSub8I:   {"rsub8i", "=ri", Next, "a = sext8(# - b)"},
	SExt8:    {"sext8", "=r-", Next, "a = sext8(b)"},
	SExt16:   {"sext16", "=r-", Next, "a = sext16(b)"},
	SExt32:   {"sext32", "=r-", Next, "a = sext32(b)"},
	ZExt8:    {"zext8", "=r-", Next, "a = zext8(b)"},
	ZExt16:   {"zext16", "=r-", Next, "a = zext16(b)"},
	ZExt32:   {"zext32", "=r-", Next, "a = zext32(b)"},

	Eq:    {"eq", "=rr", Next, "a = b == c"},
	Ne:    {"ne", "=rr", Next, "a = b != c"},
	LtS:   {"lts", "=rr", Next, "a = b < c"},
	LeS:   {"les", "=rr", Next, "a = b <= c"},
	LtU:   {"ltu", "=rr", Next, "a = b <u c"},
	LeU:   {"leu", "=rr", Next, "a = b <=u c"},
	EqI:   {"eqi", "=ri", Next, "a = b == #"},
	NeI:   {"nei", "=ri", Next, "a = b != #"},
	LtSI:  {"ltsi", "=ri", Next, "a = b < #"},
	GeSI:  {"gesi", "=ri", Next, "a = b >= #"},
	LtUI:  {"ltui", "=ri", Next, "a = b <u #"},
	GeUI:  {"geui", "=ri", Next, "a = b >=u #"},
	FEq64: {"feq64", "=rr", Next, "a = b == c"},
	FNe64: {"fne64", "=rr", Next, "a = b != c"},
	FLt64: {"flt64", "=rr", Next, "a = b < c"},
	FLe64: {"fle64", "=rr", Next, "a = b <= c"},
	FEq32: {"feq32", "=rr", Next, "a = b == c"},
	FNe32: {"fne32", "=rr", Next, "a = b != c"},
	FLt32: {"flt32", "=rr", Next, "a = b < c"},
	FLe32: {"fle32", "=rr", Next, "a = b <= c"},

	FAdd64:      {"fadd64", "=rr", Next, "a = b + c"},
	FSub64:      {"fsub64", "=rr", Next, "a = b - c"},
	FMul64:      {"fmul64", "=rr", Next, "a = b * c"},
	FDiv64:      {"fdiv64", "=rr", Next, "a = b / c"},
	FNeg64:      {"fneg64", "=r-", Next, "a = -b"},
	FSqrt64:     {"fsqrt64", "=r-", Next, "a = sqrt(b)"},
	FAbs64:      {"fabs64", "=r-", Next, "a = |b|"},
	FCopysign64: {"fcopysign64", "=rr", Next, "a = b with the sign of c, which of a NaN is plus"},
	IToF64:      {"itof64", "=r-", Next, "a = float(b)"},
	UToF64:      {"utof64", "=r-", Next, "a = float(unsigned b)"},
	FToI64:      {"ftoi64", "=r-", Next, "a = int(b); MinInt64 out of range"},
	FToU64:      {"ftou64", "=r-", Next, "a = unsigned int(b)"},
	FToN64:      {"fton64", "=r-", Next, "a = int32(b); MinInt32 out of range"},
	FBits64:     {"fbits64", "=r-", Next, "a = bits of b, ir.NaN64 of a NaN"},
	FAdd32:      {"fadd32", "=rr", Next, "a = b + c"},
	FSub32:      {"fsub32", "=rr", Next, "a = b - c"},
	FMul32:      {"fmul32", "=rr", Next, "a = b * c"},
	FDiv32:      {"fdiv32", "=rr", Next, "a = b / c"},
	FNeg32:      {"fneg32", "=r-", Next, "a = -b"},
	FSqrt32:     {"fsqrt32", "=r-", Next, "a = sqrt(b)"},
	FAbs32:      {"fabs32", "=r-", Next, "a = |b|"},
	FCopysign32: {"fcopysign32", "=rr", Next, "a = b with the sign of c, which of a NaN is plus"},
	IToF32:      {"itof32", "=r-", Next, "a = float(b)"},
	UToF32:      {"utof32", "=r-", Next, "a = float(unsigned b)"},
	FToI32:      {"ftoi32", "=r-", Next, "a = int(b); MinInt64 out of range"},
	FToU32:      {"ftou32", "=r-", Next, "a = unsigned int(b)"},
	FToN32:      {"fton32", "=r-", Next, "a = int32(b); MinInt32 out of range"},
	FBits32:     {"fbits32", "=r-", Next, "a = bits of b, ir.NaN64 of a NaN"},
	F32to64:     {"f32to64", "=r-", Next, "a = float64(b)"},
	F64to32:     {"f64to32", "=r-", Next, "a = float32(b)"},

	PtrAdd:   {"ptradd", "=rr", Next, "a = zext32(b + c)"},
	PtrAddI:  {"ptraddi", "=ri", Next, "a = zext32(b + #)"},
	PtrAddX:  {"ptraddx", "=r-/H", Next, "a = zext32(b + #)"},
	PtrIdx2:  {"ptridx2", "=rr", Next, "a = zext32(b + c*2)"},
	PtrIdx4:  {"ptridx4", "=rr", Next, "a = zext32(b + c*4)"},
	PtrIdx8:  {"ptridx8", "=rr", Next, "a = zext32(b + c*8)"},
	PtrIdx16: {"ptridx16", "=rr", Next, "a = zext32(b + c*16)"},
	PtrIdx:   {"ptridx", "=rr/H", Next, "a = zext32(b + c*# + ##)"},
	FrameID:  {"frameid", "=--", Next, "a = number of this activation"},
	GasLeft:  {"gasleft", "=--", Next, "a = what may be charged before something has to happen"},

	Load8S:   {"load8s", "=ru", Next, "a = sext8(M[b + #])"},
	Load8U:   {"load8u", "=ru", Next, "a = zext8(M[b + #])"},
	Load16S:  {"load16s", "=ru", Next, "a = sext16(M[b + #])"},
	Load16U:  {"load16u", "=ru", Next, "a = zext16(M[b + #])"},
	Load32S:  {"load32s", "=ru", Next, "a = sext32(M[b + #])"},
	Load32U:  {"load32u", "=ru", Next, "a = zext32(M[b + #])"},
	Load64:   {"load64", "=ru", Next, "a = (M[b + #])"},
	Store8:   {"store8", "rru", Next, "M[a + #] = low 8 bits of b"},
	Store16:  {"store16", "rru", Next, "M[a + #] = low 16 bits of b"},
	Store32:  {"store32", "rru", Next, "M[a + #] = low 32 bits of b"},
	Store64:  {"store64", "rru", Next, "M[a + #] = b"},
	StoreP:   {"storep", "rru", Next, "M[a + #] = zext32(b), 8 bytes"},
	StoreF32: {"storef32", "rru", Next, "M[a + #] = b"},
	StoreF64: {"storef64", "rru", Next, "M[a + #] = b"},
	Move8:    {"move8", "rr-", Next, "8 bytes at a = those at b"},
	Move16:   {"move16", "rr-", Next, "16 bytes at a = those at b"},
	Move24:   {"move24", "rr-", Next, "24 bytes at a = those at b"},
	Move32:   {"move32", "rr-", Next, "32 bytes at a = those at b"},
	ClearW:   {"clearw", "ru-", Next, "# words of zero at a"},

	NilCheck: {"nilcheck", "r--", Traps, "trap nil if a == 0"},
	Bounds:   {"bounds", "rru", Traps, "trap #(a, b) unless a <u b"},
	Check0:   {"check0", "ru-", Traps, "trap # if a == 0"},
	Check2:   {"check2", "rrr/L", Traps, "trap #(b, c) if a == 0"},
	New:      {"new", "=--/L", GCSafe, "a = new object with header #"},
	NewArray: {"newarray", "=r-/H", GCSafe, "a = new array of b elements of ## bytes, layout #"},

	LoopLtS:  {"looplts", "=rr/K", Jumps, "a = b + #; if a < c: pc += offset, charge; else charge, skip the next word"},
	LoopGtS:  {"loopgts", "=rr/K", Jumps, "a = b + #; if a > c: pc += offset, charge; else charge, skip the next word"},
	LoopLeS:  {"looples", "=rr/K", Jumps, "a = b + #; if a <= c: pc += offset, charge; else charge, skip the next word"},
	LoopGeS:  {"loopges", "=rr/K", Jumps, "a = b + #; if a >= c: pc += offset, charge; else charge, skip the next word"},
	LoopLtU:  {"loopltu", "=rr/K", Jumps, "a = b + #; if a <u c: pc += offset, charge; else charge, skip the next word"},
	LoopGeU:  {"loopgeu", "=rr/K", Jumps, "a = b + #; if a >=u c: pc += offset, charge; else charge, skip the next word"},
	LoopEq:   {"loopeq", "=rr/K", Jumps, "a = b + #; if a == c: pc += offset, charge; else charge, skip the next word"},
	LoopNe:   {"loopne", "=rr/K", Jumps, "a = b + #; if a != c: pc += offset, charge; else charge, skip the next word"},
	LoopLtSI: {"loopltsi", "=ri/K", Jumps, "a = b + ##; if a < #: pc += offset, charge; else charge, skip the next word"},
	LoopGeSI: {"loopgesi", "=ri/K", Jumps, "a = b + ##; if a >= #: pc += offset, charge; else charge, skip the next word"},
	LoopLtUI: {"loopltui", "=ri/K", Jumps, "a = b + ##; if a <u #: pc += offset, charge; else charge, skip the next word"},
	LoopGeUI: {"loopgeui", "=ri/K", Jumps,
		"a = b + ##; if a >=u #: pc += offset, charge; else charge, skip the next word"},
	LoopEqI: {"loopeqi", "=ri/K", Jumps, "a = b + ##; if a == #: pc += offset, charge; else charge, skip the next word"},
	LoopNeI: {"loopnei", "=ri/K", Jumps, "a = b + ##; if a != #: pc += offset, charge; else charge, skip the next word"},

	LoadX8S:    {"loadx8s", "=rr", Next, "a = sext8(M[b + c*1])"},
	LoadX8U:    {"loadx8u", "=rr", Next, "a = zext8(M[b + c*1])"},
	LoadX16S:   {"loadx16s", "=rr", Next, "a = sext16(M[b + c*2])"},
	LoadX16U:   {"loadx16u", "=rr", Next, "a = zext16(M[b + c*2])"},
	LoadX32S:   {"loadx32s", "=rr", Next, "a = sext32(M[b + c*4])"},
	LoadX32U:   {"loadx32u", "=rr", Next, "a = zext32(M[b + c*4])"},
	LoadX64:    {"loadx64", "=rr", Next, "a = (M[b + c*8])"},
	LoadXP:     {"loadxp", "=rr", Next, "a = zext32(M[b + c*8])"},
	BLoadX8S:   {"bloadx8s", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = sext8(M[b + c*1 + #])"},
	BLoadX8U:   {"bloadx8u", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = zext8(M[b + c*1 + #])"},
	BLoadX16S:  {"bloadx16s", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = sext16(M[b + c*2 + #])"},
	BLoadX16U:  {"bloadx16u", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = zext16(M[b + c*2 + #])"},
	BLoadX32S:  {"bloadx32s", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = sext32(M[b + c*4 + #])"},
	BLoadX32U:  {"bloadx32u", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = zext32(M[b + c*4 + #])"},
	BLoadX64:   {"bloadx64", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = (M[b + c*8 + #])"},
	BLoadXP:    {"bloadxp", "=rr/ruu", Traps, "bounds(c, d, trap ##); a = zext32(M[b + c*8 + #])"},
	StoreX8:    {"storex8", "rrr", Next, "M[a + b*1] = c, as store8"},
	StoreX16:   {"storex16", "rrr", Next, "M[a + b*2] = c, as store16"},
	StoreX32:   {"storex32", "rrr", Next, "M[a + b*4] = c, as store32"},
	StoreX64:   {"storex64", "rrr", Next, "M[a + b*8] = c, as store64"},
	StoreXP:    {"storexp", "rrr", Next, "M[a + b*8] = c, as storep"},
	StoreXF32:  {"storexf32", "rrr", Next, "M[a + b*4] = c, as storef32"},
	StoreXF64:  {"storexf64", "rrr", Next, "M[a + b*8] = c, as storef64"},
	BStoreX8:   {"bstorex8", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*1 + #] = c, as store8"},
	BStoreX16:  {"bstorex16", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*2 + #] = c, as store16"},
	BStoreX32:  {"bstorex32", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*4 + #] = c, as store32"},
	BStoreX64:  {"bstorex64", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*8 + #] = c, as store64"},
	BStoreXP:   {"bstorexp", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*8 + #] = c, as storep"},
	BStoreXF32: {"bstorexf32", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*4 + #] = c, as storef32"},
	BStoreXF64: {"bstorexf64", "rrr/ruu", Traps, "bounds(b, d, trap ##); M[a + b*8 + #] = c, as storef64"},
	BPtrIdx:    {"bptridx", "=rr/ruuu", Traps, "bounds(c, d, trap ###); a = zext32(b + c*# + ##)"},
	BoundsI:    {"boundsi", "riu", Traps, "trap ##(a, #) unless a <u #"},
	BoundsC:    {"boundsc", "riu", Traps, "trap ##(#, a) unless # <u a"},
	CheckLeU:   {"checkleu", "rru", Traps, "trap #(a, b) unless a <=u b"},
	LoadPL: {"loadpl", "=r=/u", Next,
		"a = zext32(M[b + #]), c = M[b + # + 8]: the pointer and the length of a string or slice"},
	LoadPLX: {"loadplx", "=r=/ruu", Next, "a = zext32(M[b + d*# + ##]), c = M[b + d*# + ## + 8]"},

	Add8To:     {"add8to", "rru", Next, "M[a + #] = M[a + #] + b"},
	Add16To:    {"add16to", "rru", Next, "M[a + #] = M[a + #] + b"},
	Add32To:    {"add32to", "rru", Next, "M[a + #] = M[a + #] + b"},
	Add64To:    {"add64to", "rru", Next, "M[a + #] = M[a + #] + b"},
	Sub64To:    {"sub64to", "rru", Next, "M[a + #] = M[a + #] - b"},
	FAdd64To:   {"fadd64to", "rru", Next, "M[a + #] = M[a + #] + b"},
	FSub64To:   {"fsub64to", "rru", Next, "M[a + #] = M[a + #] - b"},
	Add32ITo:   {"add32ito", "riu", Next, "M[a + ##] += #"},
	Add64ITo:   {"add64ito", "riu", Next, "M[a + ##] += #"},
	FAdd64M:    {"fadd64m", "=rr/u", Next, "a = b + M[c + #]"},
	FSub64M:    {"fsub64m", "=rr/u", Next, "a = b - M[c + #]"},
	FRSub64M:   {"frsub64m", "=rr/u", Next, "a = M[c + #] - b"},
	FMul64M:    {"fmul64m", "=rr/u", Next, "a = b * M[c + #]"},
	AddM:       {"addm", "=rr/u", Next, "a = b + M[c + #], 64 bits"},
	FMulAdd64:  {"fmuladd64", "=rr/r", Next, "a = b*c + d, rounded twice"},
	FMulSub64:  {"fmulsub64", "=rr/r", Next, "a = b*c - d, rounded twice"},
	FNMulAdd64: {"fnmuladd64", "=rr/r", Next, "a = d - b*c, rounded twice"},
	MulAdd:     {"muladd", "=rr/r", Next, "a = b*c + d"},
	AddAddI:    {"addaddi", "=rr/i", Next, "a = b + c + #"},
	DivSP2:     {"divsp2", "=ru", Next, "a = b / (1 << #), signed, toward zero"},

	NLoad8S:   {"nload8s", "=ru", Traps, "trap nil if b == 0; a = sext8(M[b + #])"},
	NLoad8U:   {"nload8u", "=ru", Traps, "trap nil if b == 0; a = zext8(M[b + #])"},
	NLoad16S:  {"nload16s", "=ru", Traps, "trap nil if b == 0; a = sext16(M[b + #])"},
	NLoad16U:  {"nload16u", "=ru", Traps, "trap nil if b == 0; a = zext16(M[b + #])"},
	NLoad32S:  {"nload32s", "=ru", Traps, "trap nil if b == 0; a = sext32(M[b + #])"},
	NLoad32U:  {"nload32u", "=ru", Traps, "trap nil if b == 0; a = zext32(M[b + #])"},
	NLoad64:   {"nload64", "=ru", Traps, "trap nil if b == 0; a = (M[b + #])"},
	NStore8:   {"nstore8", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as store8"},
	NStore16:  {"nstore16", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as store16"},
	NStore32:  {"nstore32", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as store32"},
	NStore64:  {"nstore64", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as store64"},
	NStoreP:   {"nstorep", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as storep"},
	NStoreF32: {"nstoref32", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as storef32"},
	NStoreF64: {"nstoref64", "rru", Traps, "trap nil if a == 0; M[a + #] = b, as storef64"},
	NLoadPL:   {"nloadpl", "=r=/u", Traps, "trap nil if b == 0; a = zext32(M[b + #]), c = M[b + # + 8]"},

	SLoad8S:   {"sload8s", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = sext8(M[zext32(M[h]) + c*1])"},
	SLoad8U:   {"sload8u", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = zext8(M[zext32(M[h]) + c*1])"},
	SLoad16S:  {"sload16s", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = sext16(M[zext32(M[h]) + c*2])"},
	SLoad16U:  {"sload16u", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = zext16(M[zext32(M[h]) + c*2])"},
	SLoad32S:  {"sload32s", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = sext32(M[zext32(M[h]) + c*4])"},
	SLoad32U:  {"sload32u", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = zext32(M[zext32(M[h]) + c*4])"},
	SLoad64:   {"sload64", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = (M[zext32(M[h]) + c*8])"},
	SLoadP:    {"sloadp", "=rr/uu", Traps, "bounds(c, M[h + 8], trap ##); a = zext32(M[zext32(M[h]) + c*8])"},
	SStore8:   {"sstore8", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*1] = c, as store8"},
	SStore16:  {"sstore16", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*2] = c, as store16"},
	SStore32:  {"sstore32", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*4] = c, as store32"},
	SStore64:  {"sstore64", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*8] = c, as store64"},
	SStoreP:   {"sstorep", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*8] = c, as storep"},
	SStoreF32: {"sstoref32", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*4] = c, as storef32"},
	SStoreF64: {"sstoref64", "rrr/uu", Traps, "bounds(b, M[h + 8], trap ##); M[zext32(M[h]) + b*8] = c, as storef64"},

	Store8I:  {"store8i", "riu", Next, "M[a + ##] = #"},
	Store16I: {"store16i", "riu", Next, "M[a + ##] = #"},
	Store32I: {"store32i", "riu", Next, "M[a + ##] = #"},
	Store64I: {"store64i", "riu", Next, "M[a + ##] = #"},
	MulW:     {"mulw", "=rr/=", Next, "a, d = upper and lower half of b *u c"},
	Add3:     {"add3", "=rr/r", Next, "a = b + c + d"},
	Carry:    {"carry", "=rr/r", Next, "a = ((b & c) | ((b | c) &^ d)) >>u 63: of the sum d of b, c and a carry"},
	Borrow: {"borrow", "=rr/r", Next,
		"a = ((c &^ b) | (d &^ (b ^ c))) >>u 63: of the difference d of b, c and a borrow"},
	Mov3: {"mov3", "=r=/r=r-", Next, "a = b, then c = d, then e = f"},

	Compile:  {"compile", "-I", Ends, "compile function # and enter it"},
	MakeFunc: {"makefunc", "---", Ends, "enter the Pack function of the shape of the call site"},
	Missing:  {"missing", "-I", Ends, "function # has no body: the program fails"},
	StackEnd: {"stackend", "---", Ends, "the first function of the stack returned"},
	Host:     {"host", "uI", Calls | GCSafe, "call host function #: arguments and results as in a call with base a"},
	Unwind: {"unwind", "r--", Calls | GCSafe | Ends,
		"drop the frames above activation a, continue at its recovery block"},
	Move:      {"move", "rr-/H", Next, "# bytes at a = those at b"},
	Clear:     {"clear", "r--/H", Next, "# zero bytes at a"},
	MoveN:     {"moven", "rrr", Next, "c bytes at a = those at b"},
	ClearN:    {"clearn", "rr-", Next, "b zero bytes at a"},
	MemEq:     {"memeq", "=rr/r---", Next, "a = d bytes at b and c are equal"},
	MemCmp:    {"memcmp", "=rr/rr--", Next, "a = order of (b, c) and (d, e)"},
	MemHash:   {"memhash", "=rr/r---", Next, "a = hash of d bytes at b with seed c"},
	IndexByte: {"indexbyte", "=rr/r---", Next, "a = index of the byte d in c bytes at b, or -1"},
	FFloor64:  {"ffloor64", "=r-", Next, "a = floor(b)"},
	FCeil64:   {"fceil64", "=r-", Next, "a = ceil(b)"},
	FTrunc64:  {"ftrunc64", "=r-", Next, "a = trunc(b)"},
	FMA64:     {"fma64", "=rr/r---", Next, "a = b*c + d, rounded once"},
	FFloor32:  {"ffloor32", "=r-", Next, "a = floor(b)"},
	FCeil32:   {"fceil32", "=r-", Next, "a = ceil(b)"},
	FTrunc32:  {"ftrunc32", "=r-", Next, "a = trunc(b)"},
	FMA32:     {"fma32", "=rr/r---", Next, "a = b*c + d, rounded once"},
	FarLoad:   {"farload", "=I", Next, "a = slot #"},
	FarStore:  {"farstore", "rI", Next, "slot # = a"},
	CallFar: {"callfar", "uI/L", Calls | GCSafe,
		"call kind a with the frame at slot #: function, signature or host function ##; the callee in slot # + 1"},
	FarReturn: {"farreturn", "---", Ends, "end of a call whose frame was far away: the two words before it say where"},
}

func (o Op) String() string {
	if o < NumOps {
		return Ops[o].Name
	}
	return "op?"
}

// loopTwins maps a conditional branch to its twin whose taken edge is a loop charge. The twin has
// the same name with an l appended.
var loopTwins = func() (twins [NumOps]Op) {
	byName := map[string]Op{}
	for o := range NumOps {
		byName[Ops[o].Name] = o
	}
	for o := range NumOps {
		if l, ok := byName[Ops[o].Name+"l"]; ok && Ops[l].Flow == Ops[o].Flow|Loop|GCSafe {
			twins[o] = l
		}
	}
	return twins
}()

// A Failure says where a trapping operation keeps the number of the trap and the operands of the
// message: in the fields a, b, c of its first word or in its extension word e.
type Failure uint8

const (
	NoFailure       Failure = iota
	NilFails                // ir.TrapNil, no operands
	SlotsFail               // trap c; slots a and b
	SlotImmFails            // trap c; slot a and the immediate b
	ImmSlotFails            // trap c; the immediate b and slot a
	ConditionFails          // trap b, no operands
	MessageFails            // trap e; slots b and c
	LoadFails               // trap in the third field of e; slot c and the slot in the first
	StoreFails              // trap in the third field of e; slot b and the slot in the first
	SliceLoadFails          // trap in the second field of e; slot c and the length of the slice at b
	SliceStoreFails         // trap in the second field of e; slot b and the length of the slice at a
	AddressFails            // trap in the fourth field of e; slot c and the slot in the first
	NumFailures
)

// Failures has the failure of each operation that traps.
var Failures = [NumOps]Failure{
	NilCheck: NilFails, NLoad8S: NilFails, NLoad8U: NilFails, NLoad16S: NilFails, NLoad16U: NilFails,
	NLoad32S: NilFails, NLoad32U: NilFails, NLoad64: NilFails, NLoadPL: NilFails, NStore8: NilFails, NStore16: NilFails,
	NStore32: NilFails, NStore64: NilFails, NStoreP: NilFails, NStoreF32: NilFails, NStoreF64: NilFails,
	Bounds: SlotsFail, CheckLeU: SlotsFail,
	BoundsI:  SlotImmFails,
	BoundsC:  ImmSlotFails,
	Check0:   ConditionFails,
	Check2:   MessageFails,
	BLoadX8S: LoadFails, BLoadX8U: LoadFails, BLoadX16S: LoadFails, BLoadX16U: LoadFails, BLoadX32S: LoadFails,
	BLoadX32U: LoadFails, BLoadX64: LoadFails, BLoadXP: LoadFails,
	BStoreX8: StoreFails, BStoreX16: StoreFails, BStoreX32: StoreFails, BStoreX64: StoreFails, BStoreXP: StoreFails,
	BStoreXF32: StoreFails, BStoreXF64: StoreFails,
	SLoad8S: SliceLoadFails, SLoad8U: SliceLoadFails, SLoad16S: SliceLoadFails, SLoad16U: SliceLoadFails,
	SLoad32S: SliceLoadFails, SLoad32U: SliceLoadFails, SLoad64: SliceLoadFails, SLoadP: SliceLoadFails,
	SStore8: SliceStoreFails, SStore16: SliceStoreFails, SStore32: SliceStoreFails, SStore64: SliceStoreFails,
	SStoreP: SliceStoreFails, SStoreF32: SliceStoreFails, SStoreF64: SliceStoreFails,
	BPtrIdx: AddressFails,
}

// A widths holds an operation's form for 8, 16, 32 and 64 bits.
type widths [4]Op

func same(op Op) widths { return widths{op, op, op, op} }

func widthIndex(t ir.Type) int { return int(t - ir.I8) }

// binOps are the integer operations on two registers.
var binOps = map[ir.Op]widths{
	ir.OpAdd: {Add8, Add16, Add32, Add}, ir.OpSub: {Sub8, Sub16, Sub32, Sub}, ir.OpMul: {Mul8, Mul16, Mul32, Mul},
	ir.OpDivS: {DivS8, DivS16, DivS32, DivS}, ir.OpDivU: {DivU8, DivU16, DivU32, DivU},
	ir.OpRemS: same(RemS), ir.OpRemU: {RemU8, RemU16, RemU32, RemU},
	ir.OpAnd: same(And), ir.OpOr: same(Or), ir.OpXor: same(Xor), ir.OpAndNot: same(AndNot),
	ir.OpShl: {Shl8, Shl16, Shl32, Shl}, ir.OpShrS: same(ShrS), ir.OpShrU: {ShrU8, ShrU16, ShrU32, ShrU},
	ir.OpRotl: {Rotl8, Rotl16, Rotl32, Rotl}, ir.OpMulHiU: same(MulHiU), ir.OpMulHiS: same(MulHiS),
}

// unOps are the integer operations on one register.
var unOps = map[ir.Op]widths{
	ir.OpNeg: {Neg8, Neg16, Neg32, Neg}, ir.OpNot: same(Not), ir.OpClz: {Clz8, Clz16, Clz32, Clz},
	ir.OpCtz:    {Ctz8, Ctz16, Ctz32, Ctz},
	ir.OpPopcnt: {Popcnt8, Popcnt16, Popcnt32, Popcnt}, ir.OpBswap: {Mov, Bswap16, Bswap32, Bswap},
}

// floatOps are the operations on floats, for 32 and 64 bits. The operand or the result is the
// float.
var floatOps = map[ir.Op][2]Op{
	ir.OpFAdd: {FAdd32, FAdd64}, ir.OpFSub: {FSub32, FSub64}, ir.OpFMul: {FMul32, FMul64}, ir.OpFDiv: {FDiv32, FDiv64},
	ir.OpFNeg: {FNeg32, FNeg64}, ir.OpFSqrt: {FSqrt32, FSqrt64}, ir.OpFAbs: {FAbs32, FAbs64},
	ir.OpFFloor: {FFloor32, FFloor64}, ir.OpFCeil: {FCeil32, FCeil64}, ir.OpFTrunc: {FTrunc32, FTrunc64},
	ir.OpFMA: {FMA32, FMA64}, ir.OpFCopysign: {FCopysign32, FCopysign64},
	ir.OpIToF: {IToF32, IToF64}, ir.OpUToF: {UToF32, UToF64}, ir.OpFToI: {FToI32, FToI64}, ir.OpFToU: {FToU32, FToU64},
}
