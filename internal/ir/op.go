package ir

// An Op is an operation of the IR. Its line in the table below holds what every part of the engine
// must know about it: printers, the verifier, the passes and the gas table are derived from it.
// Each evaluator and back end has one table or switch for its code and result; tests walk all
// operations.
type Op uint16

// A Class is a kind of operations that most of the engine treats alike. The gas table has a price
// for each class, and for operations that differ from it. The comments say what a back end must
// provide for each.
type Class uint8

const (
	ClassNothing         Class = iota // no operation
	ClassStructure                    // names and constants: the back end places them, they do no work
	ClassArithmetic                   // integers of one width: code for each width, or one that leaves the upper bits open
	ClassDivision                     // quotients and remainders: the divisor is not zero, MinInt / -1 does not trap
	ClassShift                        // shifts and rotations: code for counts of any size
	ClassBitCount                     // counts of bits: narrow operands have no upper bits
	ClassComparison                   // of integers and pointers: as a value of 0 or 1, and as the end of a block
	ClassFloatComparison              // of floats: in the same places, NaNs included
	ClassSelection                    // a choice between two values: no branch is needed
	ClassConversion                   // between integers and pointers: fixes what the representation leaves open
	ClassFloatConversion              // from, to and between floats: every result is defined, NaNs included
	ClassFloatArithmetic              // sums, products, quotients of floats: IEEE 754, no operation is fused
	ClassFloatFunction                // functions of floats: the exact result, rounded once
	ClassAddress                      // addresses: 32 bits
	ClassAccess                       // one scalar in memory: an access outside of memory ends the run
	ClassBulk                         // ranges of memory: package exec has the functions, long ones are done in pieces
	ClassAllocation                   // objects: the fast path of package memory in line, or a call of the host
	ClassAssertion                    // checks: a comparison, and a call of the guest's function for the trap
	ClassCharge                       // gas: the account of package exec
	ClassCall                         // calls of the guest
	ClassHostCall                     // calls of the host: exec.Core.CallHost
	ClassFrame                        // activations: their numbers, and unwinding
	ClassCoverage                     // counters of the host
	NumClasses
)

var classNames = [NumClasses]string{
	"nothing", "structure", "arithmetic", "division", "shift", "bit count", "comparison", "comparison of floats",
	"selection",
	"conversion", "conversion of floats", "arithmetic of floats", "function of floats", "address", "access", "bulk memory",
	"allocation", "check", "charge", "call", "call of the host", "frame", "coverage",
}

func (c Class) String() string { return classNames[c] }

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
	Counts                       // counts for the host: happens each time that control passes, and does nothing else

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
//	w  I32 or I64
//	*  any number of further scalars
//
// Result is the result type: a letter t (given by the value's Type: any), i
// (any integer), f (any float), l, w, b, p, x or v (no result).
type OpInfo struct {
	Name    string
	Args    string
	Result  byte
	Class   Class
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

	// Measured loops.
	OpOpaque
	OpConsume

	// Copies of loops.
	OpGasLeft

	// Add a new operation here, last: images and the fingerprints of the runtime's functions
	// hold the numbers.

	NumOps
)

// Ops is the table of all operations.
var Ops = [NumOps]OpInfo{
	OpInvalid: {"invalid", "", 'v', ClassNothing, Pure, "", "no operation"},

	OpConst: {"const", "", 't', ClassStructure, Pure, "bits",
		"a constant; Aux holds the value sign-extended, for floats the bits"},
	OpArg: {"arg", "", 't', ClassStructure, Pinned, "index", "scalar parameter number Aux; only in the entry block"},
	OpClosure: {"closure", "", 'p', ClassStructure, Pinned, "",
		"the function value through which this function was called; only in the entry block"},
	OpPhi: {"phi", "*", 't', ClassStructure, Pinned, "",
		"the operand of the predecessor by which the block was entered; first in its block"},
	OpCopy: {"copy", "t", 't', ClassStructure, Pure, "", "its operand"},

	OpAdd: {"add", "tt", 'i', ClassArithmetic, Commutes, "", "sum, wrapping"},
	OpSub: {"sub", "tt", 'i', ClassArithmetic, Pure, "", "difference, wrapping"},
	OpMul: {"mul", "tt", 'i', ClassArithmetic, Commutes, "", "product, wrapping"},
	OpDivS: {"divs", "tt", 'i', ClassDivision, Pure, "",
		"signed quotient toward zero; the divisor is not zero; MinInt/-1 = MinInt"},
	OpDivU: {"divu", "tt", 'i', ClassDivision, Pure, "", "unsigned quotient; the divisor is not zero"},
	OpRemS: {"rems", "tt", 'i', ClassDivision, Pure, "",
		"signed remainder with the sign of the dividend; the divisor is not zero"},
	OpRemU:   {"remu", "tt", 'i', ClassDivision, Pure, "", "unsigned remainder; the divisor is not zero"},
	OpAnd:    {"and", "tt", 'i', ClassArithmetic, Commutes, "", "bitwise and"},
	OpOr:     {"or", "tt", 'i', ClassArithmetic, Commutes, "", "bitwise or"},
	OpXor:    {"xor", "tt", 'i', ClassArithmetic, Commutes, "", "bitwise exclusive or"},
	OpAndNot: {"andnot", "tt", 'i', ClassArithmetic, Pure, "", "x &^ y"},
	OpShl:    {"shl", "tl", 'i', ClassShift, Pure, "", "shift left; 0 when the unsigned count reaches the width"},
	OpShrS: {"shrs", "tl", 'i', ClassShift, Pure, "",
		"arithmetic shift right; the sign when the unsigned count reaches the width"},
	OpShrU: {"shru", "tl", 'i', ClassShift, Pure, "",
		"logical shift right; 0 when the unsigned count reaches the width"},
	OpRotl:   {"rotl", "tl", 'i', ClassShift, Pure, "", "rotate left by the count modulo the width"},
	OpNeg:    {"neg", "t", 'i', ClassArithmetic, Pure, "", "0 - x"},
	OpNot:    {"not", "t", 'i', ClassArithmetic, Pure, "", "all bits inverted"},
	OpMulHiU: {"mulhiu", "ll", 'l', ClassArithmetic, Commutes, "", "upper 64 bits of the unsigned product"},
	OpMulHiS: {"mulhis", "ll", 'l', ClassArithmetic, Commutes, "", "upper 64 bits of the signed product"},
	OpClz:    {"clz", "t", 'i', ClassBitCount, Pure, "", "leading zero bits; the width for 0"},
	OpCtz:    {"ctz", "t", 'i', ClassBitCount, Pure, "", "trailing zero bits; the width for 0"},
	OpPopcnt: {"popcnt", "t", 'i', ClassBitCount, Pure, "", "one bits"},
	OpBswap:  {"bswap", "t", 'i', ClassArithmetic, Pure, "", "bytes reversed"},

	OpEq:  {"eq", "xx", 'b', ClassComparison, Commutes, "", "x == y"},
	OpNe:  {"ne", "xx", 'b', ClassComparison, Commutes, "", "x != y"},
	OpLtS: {"lts", "uu", 'b', ClassComparison, Pure, "", "x < y, signed"},
	OpLeS: {"les", "uu", 'b', ClassComparison, Pure, "", "x <= y, signed"},
	OpLtU: {"ltu", "xx", 'b', ClassComparison, Pure, "", "x < y, unsigned"},
	OpLeU: {"leu", "xx", 'b', ClassComparison, Pure, "", "x <= y, unsigned"},
	OpFEq: {"feq", "ff", 'b', ClassFloatComparison, Commutes, "", "x == y; false with a NaN"},
	OpFNe: {"fne", "ff", 'b', ClassFloatComparison, Commutes, "", "x != y; true with a NaN"},
	OpFLt: {"flt", "ff", 'b', ClassFloatComparison, Pure, "", "x < y; false with a NaN"},
	OpFLe: {"fle", "ff", 'b', ClassFloatComparison, Pure, "", "x <= y; false with a NaN"},

	OpSelect: {"select", "btt", 't', ClassSelection, Pure, "", "the second operand if the first is 1, else the third"},

	OpSExt:  {"sext", "i", 'i', ClassConversion, Pure, "", "sign extension to a wider type"},
	OpZExt:  {"zext", "i", 'i', ClassConversion, Pure, "", "zero extension to a wider type"},
	OpTrunc: {"trunc", "i", 'i', ClassConversion, Pure, "", "the low bits"},
	OpIToF:  {"itof", "l", 'f', ClassFloatConversion, Pure, "", "signed integer to float, rounded to nearest even"},
	OpUToF:  {"utof", "l", 'f', ClassFloatConversion, Pure, "", "unsigned integer to float, rounded to nearest even"},
	OpFToI:  {"ftoi", "f", 'w', ClassFloatConversion, Pure, "", "toward zero; NaN and out of range give the least number of the type"},
	OpFToU: {"ftou", "f", 'l', ClassFloatConversion, Pure, "",
		"toward zero; x < 2^63 as ftoi, else ftoi(x - 2^63) with the top bit set"},
	OpFCvt: {"fcvt", "f", 'f', ClassFloatConversion, Pure, "", "between F32 and F64"},
	OpBitcast: {"bitcast", "s", 't', ClassFloatConversion, Pure, "",
		"the same bits as another type of the same size (I32/F32, I64/F64); a NaN becomes the canonical NaN on the way to an integer"},
	OpPtrToInt: {"ptrtoint", "p", 'l', ClassConversion, Pure, "", "the offset as an integer, which keeps nothing alive"},
	OpIntToPtr: {"inttoptr", "l", 'p', ClassConversion, Pure, "", "the low 32 bits as a pointer"},

	OpFAdd:      {"fadd", "tt", 'f', ClassFloatArithmetic, Commutes, "", "sum"},
	OpFSub:      {"fsub", "tt", 'f', ClassFloatArithmetic, Pure, "", "difference"},
	OpFMul:      {"fmul", "tt", 'f', ClassFloatArithmetic, Commutes, "", "product, never fused"},
	OpFDiv:      {"fdiv", "tt", 'f', ClassFloatArithmetic, Pure, "", "quotient"},
	OpFNeg:      {"fneg", "t", 'f', ClassFloatFunction, Pure, "", "sign inverted"},
	OpFSqrt:     {"fsqrt", "t", 'f', ClassFloatFunction, Pure, "", "square root"},
	OpFAbs:      {"fabs", "t", 'f', ClassFloatFunction, Pure, "", "sign cleared"},
	OpFFloor:    {"ffloor", "t", 'f', ClassFloatFunction, Pure, "", "toward minus infinity"},
	OpFCeil:     {"fceil", "t", 'f', ClassFloatFunction, Pure, "", "toward plus infinity"},
	OpFTrunc:    {"ftrunc", "t", 'f', ClassFloatFunction, Pure, "", "toward zero"},
	OpFMA:       {"fma", "ttt", 'f', ClassFloatFunction, Pure, "", "x*y + z, rounded once"},
	OpFCopysign: {"fcopysign", "tt", 'f', ClassFloatFunction, Pure, "", "x with the sign of y, which of a NaN is plus"},

	OpPtrAdd: {"ptradd", "pl", 'p', ClassAddress, Pure, "", "p + i bytes, within one object"},
	OpPtrIdx: {"ptridx", "pl", 'p', ClassAddress, Pure, "scale, offset", "p + i*Aux + Aux2, within one object"},
	OpLocalAddr: {"localaddr", "", 'p', ClassAddress, Pure, "local",
		"address of the function's local number Aux in the shadow stack"},

	OpLoad:  {"load", "p", 't', ClassAccess, ReadMem, "offset", "the value at p + Aux"},
	OpStore: {"store", "ps", 'v', ClassAccess, WriteMem, "offset", "the second operand to p + Aux"},
	OpMove: {"move", "pp", 'v', ClassBulk, ReadMem | WriteMem, "size, plain",
		"Aux bytes from the second to the first address, which may overlap; Aux2 is 1 if no pointers are among them"},
	OpClear: {"clear", "p", 'v', ClassBulk, WriteMem, "size", "Aux zero bytes"},
	OpMoveN: {"moven", "ppl", 'v', ClassBulk, ReadMem | WriteMem, "zero, plain",
		"as move with a counted size, not negative"},
	OpClearN: {"clearn", "pl", 'v', ClassBulk, WriteMem, "", "as clear with a counted size, not negative"},
	OpMemEq:  {"memeq", "ppl", 'b', ClassBulk, ReadMem, "", "whether the bytes at two addresses are equal"},
	OpMemCmp: {"memcmp", "plpl", 'l', ClassBulk, ReadMem, "",
		"-1, 0 or 1: byte strings (p,n) and (q,m) in lexical order"},
	OpMemHash: {"memhash", "pll", 'l', ClassBulk, ReadMem, "", "32-bit hash of (p, n) with a seed: operands p, seed, n"},
	OpIndexByte: {"indexbyte", "pll", 'l', ClassBulk, ReadMem, "",
		"first index in (p, n) of the byte in the low bits of the third operand, or -1"},

	OpNew: {"new", "", 'p', ClassAllocation, Allocates | Safepoint | WriteMem, "layout, size",
		"a zeroed object of Aux2 bytes with layout number Aux"},
	OpNewArray: {"newarray", "l", 'p', ClassAllocation, Allocates | Safepoint | WriteMem, "layout, element size",
		"a zeroed array of n elements of Aux2 bytes; n is not negative and n*Aux2 below 2^32"},

	OpNilCheck: {"nilcheck", "p", 'v', ClassAssertion, MayTrap, "", "panics when p is nil"},
	OpBounds:   {"bounds", "ll", 'v', ClassAssertion, MayTrap, "trap", "panics with trap Aux(i, n) unless i < n unsigned"},
	OpCheck: {"check", "b*", 'v', ClassAssertion, MayTrap, "trap",
		"panics with trap Aux when the condition is 0; up to two I64 operands for the message"},

	OpGas: {"gas", "", 'v', ClassCharge, Charges, "units, kind",
		"charges Aux units; Aux2 says whether it checks that there are so many, see GasChecked"},
	OpGasLoop: {"gasloop", "", 'v', ClassCharge, Charges | Safepoint | IsCall, "units",
		"charges Aux units at a loop header as lowered: the goroutine quantum ends here"},
	OpGasN: {"gasn", "l", 'v', ClassCharge, Charges, "", "charges a computed number of units; negative counts as 2^62"},

	OpCall: {"call", "*", 't', ClassCall, IsCall | Safepoint | ReadMem | WriteMem | Charges | MayTrap | Allocates,
		"", "calls the function Fn"},
	OpCallClosure: {"callclosure", "p*", 't', ClassCall,
		IsCall | Safepoint | ReadMem | WriteMem | Charges | MayTrap | Allocates, "",
		"calls the function value given first, which is not nil"},
	OpCallIndex: {"callindex", "l*", 't', ClassCall,
		IsCall | Safepoint | ReadMem | WriteMem | Charges | MayTrap | Allocates, "",
		"calls the function whose index is given first (an itab entry)"},
	OpHost: {"host", "*", 't', ClassHostCall, IsCall | Safepoint | ReadMem | WriteMem | MayTrap | Allocates,
		"host function", "calls a function of the host"},
	OpResult: {"result", "s", 't', ClassStructure, Pinned, "index",
		"result number Aux of a call; result 0 is the call's own value. Directly after the call"},

	OpFrameID: {"frameid", "", 'l', ClassFrame, Pinned, "",
		"identifies this activation of the function; keeps it from being inlined"},
	OpKeep: {"keep", "*", 'v', ClassStructure, Pinned, "kind",
		"holds the objects of its operands across the safepoint before it (Aux 1: across the function's entry); see FixRoots"},
	OpCount: {"count", "", 'v', ClassCoverage, Counts, "counter",
		"adds 1 to counter number Aux, which the guest cannot see"},
	OpCountIf: {"countif", "b*", 'v', ClassCoverage, Counts, "counter, inverted",
		"adds 1 to counter number Aux when all conditions hold; bit i of Aux2 inverts condition i"},
	OpOpaque: {"opaque", "t", 't', ClassStructure, Pinned, "",
		"its operand, of which no pass knows anything, nor that it is the same each time; it makes no code"},
	OpConsume: {"consume", "s", 'v', ClassStructure, Pinned | ReadMem, "",
		"needs its operand, and what stands in the object that it points to; no address escapes by it, and it makes no code"},
	OpGasLeft: {"gasleft", "", 'l', ClassCharge, Charges, "kind",
		"what may be charged before the goroutine's quantum or the gas ends, less than 0 if it has; phase B alone asks, and only to choose between two ways that charge the same. Aux says which, see GasLeftOnce"},
	OpUnwind: {"unwind", "l", 'v', ClassFrame, IsCall | Safepoint | ReadMem | WriteMem | MayTrap, "",
		"drops all frames above the given activation and continues at its recovery block"},
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

// Class returns the class of the operation.
func (o Op) Class() Class { return Ops[o].Class }

// OpsOf returns the operations of a class in the order of the table. The result must not be written
// to.
func OpsOf(c Class) []Op { return opsOf[c] }

var opsOf = func() (lists [NumClasses][]Op) {
	for o := range NumOps {
		lists[o.Class()] = append(lists[o.Class()], o)
	}
	return lists
}()

// Pure reports whether the operation only computes: it may be moved, merged and deleted freely. A
// division may not move to a place where its divisor may be zero.
func (o Op) Pure() bool { return Ops[o].Effects&^Commutes == Pure }

// Reads reports whether the operation only computes, or reads memory besides.
func (o Op) Reads() bool { return Ops[o].Effects&^(Commutes|ReadMem) == Pure }

// Commutes reports whether the operation has two operands that may be swapped.
func (o Op) Commutes() bool { return Ops[o].Effects&Commutes != 0 }

// IsComparison reports whether the operation compares integers, pointers or floats.
func (o Op) IsComparison() bool {
	return o.Class() == ClassComparison || o.Class() == ClassFloatComparison
}

// IsCondition reports whether the result is 0 or 1 whatever the operands are.
func (o Op) IsCondition() bool { return o.IsComparison() || o == OpMemEq }

// Divides reports whether the operation has a divisor, which must not be zero; that fact may hold
// only in the operation's block.
func (o Op) Divides() bool { return o.Class() == ClassDivision }

// IsShift reports whether the operation shifts or rotates its first operand by the second.
func (o Op) IsShift() bool { return o.Class() == ClassShift }

// IsFloatMath reports whether the operation computes with floats or converts from or to them.
func (o Op) IsFloatMath() bool {
	c := o.Class()
	return c == ClassFloatConversion || c == ClassFloatArithmetic || c == ClassFloatFunction
}

// Charges reports whether the operation is a charge of gas.
func (o Op) Charges() bool { return o.Class() == ClassCharge }

// CallsGuest reports whether the operation calls a function of the guest.
func (o Op) CallsGuest() bool { return o.Class() == ClassCall }

// HasSig reports whether the operation calls a function, of the guest or the host, and so has its
// signature.
func (o Op) HasSig() bool { return o.Class() == ClassCall || o.Class() == ClassHostCall }
