// Package gas is the price list of the engine: what every operation of the IR,
// and every function of the runtime that lowered code calls, costs.
//
// One unit stands for about a nanosecond of native code, or 2.5 ns of the
// interpreter, on the machine that the table was calibrated on; the virtual clock
// advances by one nanosecond. Within a factor of two prices are proportional to
// the time in the interpreter, which go run ./internal/cmd/gascal measures and
// checks; where that leaves room they lean towards native code. docs/gas.md has
// the measurements and the exceptions. Prices are data: a back end that became
// faster does not change them, and any edit raises Version.
//
// [Place] puts the charges into a program as lowered; they are operations of the
// IR from then on. Nothing else charges.
package gas

import "github.com/gyrvm/gyr/internal/ir"

// Version identifies the table. It is part of the determinism version.
const Version = 3

// Quantum is the gas after which a goroutine gives way at a loop header when
// others wait.
const Quantum = 1_000_000

// PoolInterval is the gas after which every sync.Pool is emptied, at a loop header.
const PoolInterval = 1_000_000_000

// op is the price of each operation, in tenths of a unit. Those of operations
// with a size are in Op.
var op = [ir.NumOps]int64{
	ir.OpAdd: 4, ir.OpSub: 4, ir.OpMul: 8, ir.OpDivS: 22, ir.OpDivU: 22, ir.OpRemS: 22, ir.OpRemU: 22,
	ir.OpAnd: 4, ir.OpOr: 4, ir.OpXor: 4, ir.OpAndNot: 4, ir.OpShl: 5, ir.OpShrS: 5, ir.OpShrU: 5, ir.OpRotl: 5,
	ir.OpNeg: 4, ir.OpNot: 4, ir.OpMulHiU: 10, ir.OpMulHiS: 10, ir.OpClz: 5, ir.OpCtz: 5, ir.OpPopcnt: 5, ir.OpBswap: 4,
	ir.OpEq: 3, ir.OpNe: 3, ir.OpLtS: 3, ir.OpLeS: 3, ir.OpLtU: 3, ir.OpLeU: 3,
	ir.OpFEq: 5, ir.OpFNe: 5, ir.OpFLt: 5, ir.OpFLe: 5, ir.OpSelect: 7,
	ir.OpSExt: 3, ir.OpZExt: 3, ir.OpTrunc: 0, ir.OpIToF: 6, ir.OpUToF: 7, ir.OpFToI: 8, ir.OpFToU: 9, ir.OpFCvt: 6,
	ir.OpBitcast: 4, ir.OpPtrToInt: 0, ir.OpIntToPtr: 3,
	ir.OpFAdd: 8, ir.OpFSub: 8, ir.OpFMul: 8, ir.OpFDiv: 20, ir.OpFNeg: 5, ir.OpFSqrt: 20, ir.OpFAbs: 5,
	ir.OpFFloor: 15, ir.OpFCeil: 15, ir.OpFTrunc: 15, ir.OpFMA: 15, ir.OpFCopysign: 7,
	ir.OpPtrAdd: 4, ir.OpPtrIdx: 5, ir.OpLocalAddr: 3,
	ir.OpLoad: 6, ir.OpStore: 6, ir.OpMoveN: 20, ir.OpClearN: 20,
	ir.OpMemEq: 25, ir.OpMemCmp: 25, ir.OpMemHash: 30, ir.OpIndexByte: 25,
	ir.OpNew: 40, ir.OpNewArray: 50,
	ir.OpNilCheck: 3, ir.OpBounds: 3, ir.OpCheck: 3,
	ir.OpCall: 20, ir.OpCallClosure: 25, ir.OpCallIndex: 25, ir.OpHost: 40, ir.OpFrameID: 5, ir.OpUnwind: 200,
}

// Branch is the price of a block's end by a branch or switch, in tenths of a unit.
const Branch = 3

// Op returns the price of an operation in tenths of a unit, including the
// constant part of its size.
func Op(v *ir.Value) int64 {
	c := op[v.Op]
	switch n := v.Aux; v.Op {
	case ir.OpMove:
		// A few words move in line, more by a call.
		if n <= 32 {
			return 4 + n>>3
		}
		return 20 + n>>5
	case ir.OpClear:
		if n <= 64 {
			return 4 + n>>3
		}
		return 20 + n>>5
	case ir.OpNew:
		c += 10 * AllocWeight * v.Aux2 >> BulkShift
	case ir.OpCall:
		c += 3 * int64(len(v.Args))
	}
	return c
}

// BulkShift says how counted work is charged beside the operation that does
// it: n*weight >> BulkShift units for n bytes.
const BulkShift = 7

// Weights of counted work, for each byte.
const (
	MoveWeight   = 1   // moving, clearing, comparing, searching
	AllocWeight  = 12  // allocating: clearing, and the byte's share of collections
	HashWeight   = 8   // hashing as a key, CRC-32
	EntryWeight  = 256 // an entry of a map that is cleared or made room for
	IOWeight     = 32  // moving between the guest and the host's readers and writers
	RandomWeight = 64  // drawing random bytes
	BlockWeight  = 192 // hashing by SHA-256
	WordWeight   = 192 // a word, not a byte, of math/big's vectors
)

// Calls is the price of the functions of the runtime and of the map package
// that lowered code calls, in units. It holds the first iteration of their loops;
// the others, and bulk work that the caller cannot know of, their bodies charge. A
// function that is not listed costs DefaultCall.
var Calls = map[string]int64{
	"concatstring2": 15, "concatstring3": 20, "concatstrings": 25, "slicebytetostring": 8, "stringtoslicebyte": 12,
	"stringtoslicerune": 40, "slicerunetostring": 40, "intstring": 12, "decoderune": 10,
	"growslice": 40, "makeslice": 20, "getitab": 12, "efaceeq": 12, "typehash": 20,
	"makemap": 60, "makemap_small": 40, "mapclear": 50, "mapIterStart": 40, "mapIterNext": 25,
	"mapaccess1": 25, "mapaccess1_fast32": 28, "mapaccess1_fast64": 26, "mapaccess1_faststr": 25,
	"mapaccess2": 25, "mapaccess2_fast32": 28, "mapaccess2_fast64": 26, "mapaccess2_faststr": 25,
	// Between writing to an entry and making one, the growth of the map shared out.
	"mapassign": 80, "mapassign_fast32": 70, "mapassign_fast64": 70, "mapassign_faststr": 75, "mapdelete": 60,
	"makechan": 60, "chansend1": 40, "chanrecv1": 40, "chanrecv2": 40, "closechan": 40, "selectgo": 40,
	"charge": 0, "timeSleep": 150, "newTimer": 80, "stopTimer": 40, "resetTimer": 60, "Gosched": 60,
	"sha256block": 60, "bigadd": 20, "bigsub": 20, "bigmul": 20, "bigmuladd": 20, "bigshl": 20, "bigshr": 20, "countbyte": 20, "crc32": 20,
	"newproc": 250, "deferproc": 15, "deferreturn": 10, "gopanic": 60, "GC": 20000, "gorecover": 20,
}

// DefaultCall is the price of a runtime function that Calls does not list.
const DefaultCall = 15

// Call returns the price of a runtime function in units.
func Call(name string) int64 {
	if c, ok := Calls[name]; ok {
		return c
	}
	return DefaultCall
}
