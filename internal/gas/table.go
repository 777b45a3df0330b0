// Package gas is the price list of the engine: what every operation of the IR,
// and every function of the runtime that lowered code calls, costs.
//
// One unit stands for about a nanosecond of native code on the machine that the
// table was calibrated on; the virtual clock advances by it. Prices are data: a
// back end that became faster does not change them, and any edit raises Version.
//
// A charge is placed when a function is lowered (internal/lower) and is an
// operation of the IR from then on. Nothing else charges.
package gas

import "github.com/gyrvm/gyr/internal/ir"

// Version identifies the table. It is part of the determinism version.
const Version = 1

// Quantum is the gas after which a goroutine gives way at a loop header when
// others wait.
const Quantum = 1_000_000

// op is the price of each operation, in tenths of a unit.
var op = [ir.NumOps]int64{
	ir.OpAdd: 3, ir.OpSub: 3, ir.OpMul: 10, ir.OpDivS: 80, ir.OpDivU: 80, ir.OpRemS: 80, ir.OpRemU: 80,
	ir.OpAnd: 3, ir.OpOr: 3, ir.OpXor: 3, ir.OpAndNot: 3, ir.OpShl: 5, ir.OpShrS: 5, ir.OpShrU: 5, ir.OpRotl: 5,
	ir.OpNeg: 3, ir.OpNot: 3, ir.OpMulHiU: 12, ir.OpMulHiS: 12, ir.OpClz: 8, ir.OpCtz: 8, ir.OpPopcnt: 8, ir.OpBswap: 5,
	ir.OpEq: 3, ir.OpNe: 3, ir.OpLtS: 3, ir.OpLeS: 3, ir.OpLtU: 3, ir.OpLeU: 3,
	ir.OpFEq: 8, ir.OpFNe: 8, ir.OpFLt: 8, ir.OpFLe: 8, ir.OpSelect: 6,
	ir.OpSExt: 3, ir.OpZExt: 3, ir.OpTrunc: 0, ir.OpIToF: 15, ir.OpUToF: 25, ir.OpFToI: 15, ir.OpFToU: 25, ir.OpFCvt: 12,
	ir.OpBitcast: 6, ir.OpPtrToInt: 0, ir.OpIntToPtr: 3,
	ir.OpFAdd: 12, ir.OpFSub: 12, ir.OpFMul: 12, ir.OpFDiv: 50, ir.OpFNeg: 6, ir.OpFSqrt: 60, ir.OpFAbs: 6,
	ir.OpFFloor: 20, ir.OpFCeil: 20, ir.OpFTrunc: 20, ir.OpFMA: 15, ir.OpFCopysign: 10,
	ir.OpPtrAdd: 3, ir.OpPtrIdx: 5, ir.OpLocalAddr: 3,
	ir.OpLoad: 8, ir.OpStore: 8, ir.OpMove: 30, ir.OpClear: 20, ir.OpMoveN: 40, ir.OpClearN: 40,
	ir.OpMemEq: 40, ir.OpMemCmp: 50, ir.OpMemHash: 50, ir.OpIndexByte: 50,
	ir.OpNew: 150, ir.OpNewArray: 200,
	ir.OpNilCheck: 3, ir.OpBounds: 3, ir.OpCheck: 3,
	ir.OpCall: 20, ir.OpCallClosure: 30, ir.OpCallIndex: 30, ir.OpHost: 200, ir.OpFrameID: 3, ir.OpUnwind: 200,
}

// Branch is the price of a block's end by a branch or switch, in tenths of a unit.
const Branch = 3

// Op returns the price of an operation in tenths of a unit, including the
// constant part of its size.
func Op(v *ir.Value) int64 {
	c := op[v.Op]
	switch v.Op {
	case ir.OpMove, ir.OpClear:
		c += Bytes(v.Aux)
	case ir.OpNew:
		c += 2 * Bytes(v.Aux2)
	case ir.OpCall:
		c += 3 * int64(len(v.Args))
	}
	return c
}

// Bytes is the price of moving n bytes, in tenths of a unit.
func Bytes(n int64) int64 { return n >> 2 }

// BulkShift says how counted operations are charged: n >> BulkShift units for n bytes.
const BulkShift = 5

// Calls is the price of the functions of the runtime and of the map package
// that lowered code calls, in units; their bodies carry no charges. A function
// that is not listed costs DefaultCall.
var Calls = map[string]int64{
	"concatstring2": 30, "concatstring3": 35, "concatstrings": 40, "slicebytetostring": 25, "stringtoslicebyte": 25,
	"stringtoslicerune": 40, "slicerunetostring": 40, "intstring": 25, "decoderune": 6,
	"growslice": 40, "makeslice": 30, "getitab": 12, "efaceeq": 10, "typehash": 20,
	"makemap": 60, "makemap_small": 40, "mapaccess1": 20, "mapaccess2": 20, "mapassign": 35, "mapdelete": 30,
	"mapaccess1_fast32": 10, "mapaccess2_fast32": 10, "mapassign_fast32": 20, "mapaccess1_fast64": 10, "mapaccess2_fast64": 10,
	"mapassign_fast64": 20, "mapaccess1_faststr": 15, "mapaccess2_faststr": 15, "mapassign_faststr": 30, "mapclear": 50,
	"mapIterStart": 40, "mapIterNext": 10,
	"makechan": 60, "chansend1": 40, "chanrecv1": 40, "chanrecv2": 40, "closechan": 40, "selectgo": 90,
	"newproc": 250, "deferproc": 20, "deferreturn": 10, "gopanic": 300, "GC": 20000, "gorecover": 20,
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
