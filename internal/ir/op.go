package ir

// An Op is an operation of the IR. Everything about one stands in its line of
// the table below: printers, the verifier, the passes and the gas table are
// derived from it.
type Op uint16

// Effects of an operation, as a set. An operation without effects is pure: it
// may be moved, merged and deleted freely.
type Effect uint16

const (
	ReadMem   Effect = 1 << iota // depends on linear memory
	WriteMem                     // changes linear memory
	MayTrap                      // may leave for a Go panic
	Allocates                    // allocates: phase B may not touch it
	IsCall                       // runs other guest code or the host
	Charges                      // changes the gas counter
	Safepoint                    // a collection or a goroutine switch may happen here
	Commutes                     // pure binary operation whose operands may be swapped
	Pinned                       // must stay in its block and order for another reason (parameters, frames)
	Counts                       // counts for the host: happens as often as control comes by, and nothing else

	Pure Effect = 0
)

// OpInfo describes one operation.
//
// Args spells the operand types, one letter each:
//
//	t  the type of the result     u  any integer (all u operands alike)
//	i  any integer                l  I64
//	b  I8, a condition            p  Ptr
//	f  any float (all alike)      s  any scalar
//	x  integer or Ptr (all x operands alike)
//	*  any number of further scalars
//
// Result is the result type: a letter t (given by the value's Type: any), i
// (any integer), f (any float), l, b, p, x or v (no result).
type OpInfo struct {
	Name    string
	Args    string
	Result  byte
	Effects Effect
	Aux     string // the meaning of Aux and Aux2, empty if unused
	Doc     string
}

const (
	OpInvalid Op = iota

	// Constants, parameters, block parameters.
	OpConst
	OpArg
	OpClosure
	OpPhi
	OpCopy

	// Integers. Shifts take any count: 64-bit unsigned, Go's meaning at and above the width.
	OpAdd
	OpSub
	OpMul
	OpDivS
	OpDivU
	OpRemS
	OpRemU
	OpAnd
	OpOr
	OpXor
	OpAndNot
	OpShl
	OpShrS
	OpShrU
	OpRotl
	OpNeg
	OpNot
	OpMulHiU
	OpMulHiS
	OpClz
	OpCtz
	OpPopcnt
	OpBswap

	// Comparisons.
	OpEq
	OpNe
	OpLtS
	OpLeS
	OpLtU
	OpLeU
	OpFEq
	OpFNe
	OpFLt
	OpFLe

	OpSelect

	// Conversions.
	OpSExt
	OpZExt
	OpTrunc
	OpIToF
	OpUToF
	OpFToI
	OpFToU
	OpFCvt
	OpBitcast
	OpPtrToInt
	OpIntToPtr

	// Floats.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFNeg
	OpFSqrt
	OpFAbs
	OpFFloor
	OpFCeil
	OpFTrunc
	OpFMA
	OpFCopysign

	// Addresses.
	OpPtrAdd
	OpPtrIdx
	OpLocalAddr

	// Memory.
	OpLoad
	OpStore
	OpMove
	OpClear
	OpMoveN
	OpClearN
	OpMemEq
	OpMemCmp
	OpMemHash
	OpIndexByte

	// Allocation.
	OpNew
	OpNewArray

	// Checks.
	OpNilCheck
	OpBounds
	OpCheck

	// Gas.
	OpGas
	OpGasLoop
	OpGasN

	// Calls.
	OpCall
	OpCallClosure
	OpCallIndex
	OpHost
	OpResult

	// Frames.
	OpFrameID
	OpUnwind
	OpKeep

	// Coverage.
	OpCount
	OpCountIf

	NumOps
)

// Ops is the table of all operations.
var Ops = [NumOps]OpInfo{
	OpInvalid: {"invalid", "", 'v', Pure, "", "no operation"},

	OpConst:   {"const", "", 't', Pure, "bits", "a constant; Aux holds the value sign-extended, for floats the bits"},
	OpArg:     {"arg", "", 't', Pinned, "index", "scalar parameter number Aux; only in the entry block"},
	OpClosure: {"closure", "", 'p', Pinned, "", "the function value through which this function was called; only in the entry block"},
	OpPhi:     {"phi", "*", 't', Pinned, "", "the operand of the predecessor by which the block was entered; first in its block"},
	OpCopy:    {"copy", "t", 't', Pure, "", "its operand"},

	OpAdd:    {"add", "tt", 'i', Commutes, "", "sum, wrapping"},
	OpSub:    {"sub", "tt", 'i', Pure, "", "difference, wrapping"},
	OpMul:    {"mul", "tt", 'i', Commutes, "", "product, wrapping"},
	OpDivS:   {"divs", "tt", 'i', Pure, "", "signed quotient toward zero; the divisor is not zero; MinInt/-1 = MinInt"},
	OpDivU:   {"divu", "tt", 'i', Pure, "", "unsigned quotient; the divisor is not zero"},
	OpRemS:   {"rems", "tt", 'i', Pure, "", "signed remainder with the sign of the dividend; the divisor is not zero"},
	OpRemU:   {"remu", "tt", 'i', Pure, "", "unsigned remainder; the divisor is not zero"},
	OpAnd:    {"and", "tt", 'i', Commutes, "", "bitwise and"},
	OpOr:     {"or", "tt", 'i', Commutes, "", "bitwise or"},
	OpXor:    {"xor", "tt", 'i', Commutes, "", "bitwise exclusive or"},
	OpAndNot: {"andnot", "tt", 'i', Pure, "", "x &^ y"},
	OpShl:    {"shl", "tl", 'i', Pure, "", "shift left; 0 when the unsigned count reaches the width"},
	OpShrS:   {"shrs", "tl", 'i', Pure, "", "arithmetic shift right; the sign when the unsigned count reaches the width"},
	OpShrU:   {"shru", "tl", 'i', Pure, "", "logical shift right; 0 when the unsigned count reaches the width"},
	OpRotl:   {"rotl", "tl", 'i', Pure, "", "rotate left by the count modulo the width"},
	OpNeg:    {"neg", "t", 'i', Pure, "", "0 - x"},
	OpNot:    {"not", "t", 'i', Pure, "", "all bits inverted"},
	OpMulHiU: {"mulhiu", "ll", 'l', Commutes, "", "upper 64 bits of the unsigned product"},
	OpMulHiS: {"mulhis", "ll", 'l', Commutes, "", "upper 64 bits of the signed product"},
	OpClz:    {"clz", "t", 'i', Pure, "", "leading zero bits; the width for 0"},
	OpCtz:    {"ctz", "t", 'i', Pure, "", "trailing zero bits; the width for 0"},
	OpPopcnt: {"popcnt", "t", 'i', Pure, "", "one bits"},
	OpBswap:  {"bswap", "t", 'i', Pure, "", "bytes reversed"},

	OpEq:  {"eq", "xx", 'b', Commutes, "", "x == y"},
	OpNe:  {"ne", "xx", 'b', Commutes, "", "x != y"},
	OpLtS: {"lts", "uu", 'b', Pure, "", "x < y, signed"},
	OpLeS: {"les", "uu", 'b', Pure, "", "x <= y, signed"},
	OpLtU: {"ltu", "xx", 'b', Pure, "", "x < y, unsigned"},
	OpLeU: {"leu", "xx", 'b', Pure, "", "x <= y, unsigned"},
	OpFEq: {"feq", "ff", 'b', Commutes, "", "x == y; false with a NaN"},
	OpFNe: {"fne", "ff", 'b', Commutes, "", "x != y; true with a NaN"},
	OpFLt: {"flt", "ff", 'b', Pure, "", "x < y; false with a NaN"},
	OpFLe: {"fle", "ff", 'b', Pure, "", "x <= y; false with a NaN"},

	OpSelect: {"select", "btt", 't', Pure, "", "the second operand if the first is 1, else the third"},

	OpSExt:     {"sext", "i", 'i', Pure, "", "sign extension to a wider type"},
	OpZExt:     {"zext", "i", 'i', Pure, "", "zero extension to a wider type"},
	OpTrunc:    {"trunc", "i", 'i', Pure, "", "the low bits"},
	OpIToF:     {"itof", "l", 'f', Pure, "", "signed integer to float, rounded to nearest even"},
	OpUToF:     {"utof", "l", 'f', Pure, "", "unsigned integer to float, rounded to nearest even"},
	OpFToI:     {"ftoi", "f", 'l', Pure, "", "toward zero; NaN and out of range give MinInt64"},
	OpFToU:     {"ftou", "f", 'l', Pure, "", "toward zero; x < 2^63 as ftoi, else ftoi(x - 2^63) with the top bit inverted"},
	OpFCvt:     {"fcvt", "f", 'f', Pure, "", "between F32 and F64"},
	OpBitcast:  {"bitcast", "s", 't', Pure, "", "the same bits as another type of the same size (I32/F32, I64/F64); a NaN becomes the canonical NaN on the way to an integer"},
	OpPtrToInt: {"ptrtoint", "p", 'l', Pure, "", "the offset as an integer, which keeps nothing alive"},
	OpIntToPtr: {"inttoptr", "l", 'p', Pure, "", "the low 32 bits as a pointer"},

	OpFAdd:      {"fadd", "tt", 'f', Commutes, "", "sum"},
	OpFSub:      {"fsub", "tt", 'f', Pure, "", "difference"},
	OpFMul:      {"fmul", "tt", 'f', Commutes, "", "product, never fused"},
	OpFDiv:      {"fdiv", "tt", 'f', Pure, "", "quotient"},
	OpFNeg:      {"fneg", "t", 'f', Pure, "", "sign inverted"},
	OpFSqrt:     {"fsqrt", "t", 'f', Pure, "", "square root"},
	OpFAbs:      {"fabs", "t", 'f', Pure, "", "sign cleared"},
	OpFFloor:    {"ffloor", "t", 'f', Pure, "", "toward minus infinity"},
	OpFCeil:     {"fceil", "t", 'f', Pure, "", "toward plus infinity"},
	OpFTrunc:    {"ftrunc", "t", 'f', Pure, "", "toward zero"},
	OpFMA:       {"fma", "ttt", 'f', Pure, "", "x*y + z, rounded once"},
	OpFCopysign: {"fcopysign", "tt", 'f', Pure, "", "x with the sign of y, which of a NaN is plus"},

	OpPtrAdd:    {"ptradd", "pl", 'p', Pure, "", "p + i bytes, within one object"},
	OpPtrIdx:    {"ptridx", "pl", 'p', Pure, "scale, offset", "p + i*Aux + Aux2, within one object"},
	OpLocalAddr: {"localaddr", "", 'p', Pure, "local", "address of the function's local number Aux in the shadow stack"},

	OpLoad:      {"load", "p", 't', ReadMem, "offset", "the value at p + Aux"},
	OpStore:     {"store", "ps", 'v', WriteMem, "offset", "the second operand to p + Aux"},
	OpMove:      {"move", "pp", 'v', ReadMem | WriteMem, "size, plain", "Aux bytes from the second to the first address, which may overlap; Aux2 is 1 if no pointers are among them"},
	OpClear:     {"clear", "p", 'v', WriteMem, "size", "Aux zero bytes"},
	OpMoveN:     {"moven", "ppl", 'v', ReadMem | WriteMem, "zero, plain", "as move with a counted size, not negative"},
	OpClearN:    {"clearn", "pl", 'v', WriteMem, "", "as clear with a counted size, not negative"},
	OpMemEq:     {"memeq", "ppl", 'b', ReadMem, "", "whether the bytes at two addresses are equal"},
	OpMemCmp:    {"memcmp", "plpl", 'l', ReadMem, "", "-1, 0 or 1: byte strings (p,n) and (q,m) in lexical order"},
	OpMemHash:   {"memhash", "pll", 'l', ReadMem, "", "32-bit hash of (p, n) with a seed: operands p, seed, n"},
	OpIndexByte: {"indexbyte", "pll", 'l', ReadMem, "", "first index in (p, n) of the byte in the low bits of the third operand, or -1"},

	OpNew:      {"new", "", 'p', Allocates | Safepoint | WriteMem, "layout, size", "a zeroed object of Aux2 bytes with layout number Aux"},
	OpNewArray: {"newarray", "l", 'p', Allocates | Safepoint | WriteMem, "layout, element size", "a zeroed array of n elements of Aux2 bytes; n is not negative and n*Aux2 below 2^32"},

	OpNilCheck: {"nilcheck", "p", 'v', MayTrap, "", "panics when p is nil"},
	OpBounds:   {"bounds", "ll", 'v', MayTrap, "trap", "panics with trap Aux(i, n) unless i < n unsigned"},
	OpCheck:    {"check", "b*", 'v', MayTrap, "trap", "panics with trap Aux when the condition is 0; up to two I64 operands for the message"},

	OpGas:     {"gas", "", 'v', Charges, "units, late", "charges Aux units; if Aux2 is 1, whether there are so many is asked by a charge that comes later, see IsLate"},
	OpGasLoop: {"gasloop", "", 'v', Charges | Safepoint | IsCall, "units", "charges Aux units at a loop header as lowered: the goroutine quantum ends here"},
	OpGasN:    {"gasn", "l", 'v', Charges, "", "charges a computed number of units; negative counts as 2^62"},

	OpCall:        {"call", "*", 't', IsCall | Safepoint | ReadMem | WriteMem | Charges | MayTrap | Allocates, "", "calls the function Fn"},
	OpCallClosure: {"callclosure", "p*", 't', IsCall | Safepoint | ReadMem | WriteMem | Charges | MayTrap | Allocates, "", "calls the function value given first, which is not nil"},
	OpCallIndex:   {"callindex", "l*", 't', IsCall | Safepoint | ReadMem | WriteMem | Charges | MayTrap | Allocates, "", "calls the function whose index is given first (an itab entry)"},
	OpHost:        {"host", "*", 't', IsCall | Safepoint | ReadMem | WriteMem | MayTrap | Allocates, "host function", "calls a function of the host"},
	OpResult:      {"result", "s", 't', Pinned, "index", "result number Aux of a call; result 0 is the call's own value. Directly after the call"},

	OpFrameID: {"frameid", "", 'l', Pinned, "", "identifies this activation of the function; keeps it from being inlined"},
	OpKeep:    {"keep", "*", 'v', Pinned, "kind", "holds the objects of its operands across the safepoint before it (Aux 1: across the function's entry); see FixRoots"},
	OpCount:   {"count", "", 'v', Counts, "counter", "adds 1 to counter number Aux, which the guest cannot see"},
	OpCountIf: {"countif", "b*", 'v', Counts, "counter, inverted", "adds 1 to counter number Aux when all conditions hold; bit i of Aux2 inverts condition i"},
	OpUnwind:  {"unwind", "l", 'v', IsCall | Safepoint | ReadMem | WriteMem | MayTrap, "", "drops all frames above the given activation and continues at its recovery block"},
}

var opByName = func() map[string]Op {
	m := make(map[string]Op, NumOps)
	for i, o := range Ops {
		m[o.Name] = Op(i)
	}
	return m
}()

func (o Op) String() string {
	if o < NumOps {
		return Ops[o].Name
	}
	return "op?"
}

// Info returns the operation's line of the table.
func (o Op) Info() *OpInfo { return &Ops[o] }

// Effects returns the effects of the operation.
func (o Op) Effects() Effect { return Ops[o].Effects }

// A Trap says which Go panic a failing check raises. The runtime overlay has
// one function a trap, named here; it takes the check's I64 operands.
type Trap int64

const (
	TrapNil Trap = iota
	TrapIndex
	TrapIndexU
	TrapSliceAlen
	TrapSliceAlenU
	TrapSliceAcap
	TrapSliceAcapU
	TrapSliceB
	TrapSliceBU
	TrapSlice3Alen
	TrapSlice3AlenU
	TrapSlice3Acap
	TrapSlice3AcapU
	TrapSlice3B
	TrapSlice3BU
	TrapSlice3C
	TrapSlice3CU
	TrapSliceConvert
	TrapDivide
	TrapShift
	TrapMakeSliceLen
	TrapMakeSliceCap
	TrapUnsafeSliceLen
	TrapUnsafeSliceNil
	TrapUnsafeStringLen
	TrapUnsafeStringNil
	NumTraps
)

// TrapInfo names the function of package runtime that raises a trap and the
// number of I64 operands that it takes.
type TrapInfo struct {
	Name string
	Func string
	Args int
}

// Traps is the table of all traps.
var Traps = [NumTraps]TrapInfo{
	TrapNil:             {"nil", "sigpanic", 0},
	TrapIndex:           {"index", "panicIndex", 2},
	TrapIndexU:          {"indexu", "panicIndexU", 2},
	TrapSliceAlen:       {"slicealen", "panicSliceAlen", 2},
	TrapSliceAlenU:      {"slicealenu", "panicSliceAlenU", 2},
	TrapSliceAcap:       {"sliceacap", "panicSliceAcap", 2},
	TrapSliceAcapU:      {"sliceacapu", "panicSliceAcapU", 2},
	TrapSliceB:          {"sliceb", "panicSliceB", 2},
	TrapSliceBU:         {"slicebu", "panicSliceBU", 2},
	TrapSlice3Alen:      {"slice3alen", "panicSlice3Alen", 2},
	TrapSlice3AlenU:     {"slice3alenu", "panicSlice3AlenU", 2},
	TrapSlice3Acap:      {"slice3acap", "panicSlice3Acap", 2},
	TrapSlice3AcapU:     {"slice3acapu", "panicSlice3AcapU", 2},
	TrapSlice3B:         {"slice3b", "panicSlice3B", 2},
	TrapSlice3BU:        {"slice3bu", "panicSlice3BU", 2},
	TrapSlice3C:         {"slice3c", "panicSlice3C", 2},
	TrapSlice3CU:        {"slice3cu", "panicSlice3CU", 2},
	TrapSliceConvert:    {"sliceconvert", "panicSliceConvert", 2},
	TrapDivide:          {"divide", "panicdivide", 0},
	TrapShift:           {"shift", "panicshift", 0},
	TrapMakeSliceLen:    {"makeslicelen", "panicmakeslicelen", 0},
	TrapMakeSliceCap:    {"makeslicecap", "panicmakeslicecap", 0},
	TrapUnsafeSliceLen:  {"unsafeslicelen", "panicunsafeslicelen", 0},
	TrapUnsafeSliceNil:  {"unsafeslicenil", "panicunsafeslicenilptr", 0},
	TrapUnsafeStringLen: {"unsafestringlen", "panicunsafestringlen", 0},
	TrapUnsafeStringNil: {"unsafestringnil", "panicunsafestringnilptr", 0},
}
