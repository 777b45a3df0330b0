// Package gas is the price list of the engine: what every operation of the IR,
// and every function of the runtime that lowered code calls, costs.
//
// One unit is about a nanosecond of native code, or 2.5 ns of the interpreter, on the machine that
// the table was calibrated on; the virtual clock advances by one nanosecond. Within a factor of
// two, prices are proportional to the time in the interpreter, which go run ./internal/cmd/gascal
// measures and checks; within that range they lean towards native code. docs/gas.md has the
// measurements and the exceptions. Prices are data: a faster back end does not change them, and any
// edit raises Version.
//
// [Place] puts the charges into a program as lowered; from then on they are operations of the IR.
// Nothing else charges.
package gas

import "github.com/gyrvm/gyr/internal/ir"

// Version identifies the table. It is a summand of the determinism version. A test requires that
// every change of a price raises it; go generate then writes testdata/versions and the tables of
// docs/gas.md.
const Version = 5

//go:generate go test . -run ^(TestVersions|TestDocs)$ -update
//go:generate go test ../cmd/gascal -run ^TestDocs$ -update

// Quantum is the gas after which a goroutine gives way at a loop header if others wait.
const Quantum = 1_000_000

// PoolInterval is the gas after which every sync.Pool is emptied, at a loop header.
const PoolInterval = 1_000_000_000

// These stand in the tables of prices instead of a number.
const (
	free   = -1 // nothing
	bySize = -2 // see Op
)

// classPrices are the prices of operations by their class, in tenths of a unit.
var classPrices = [ir.NumClasses]int64{
	ir.ClassNothing: free, ir.ClassStructure: free, ir.ClassCharge: free, ir.ClassCoverage: free,
	ir.ClassArithmetic: 4, ir.ClassDivision: 22, ir.ClassShift: 5, ir.ClassBitCount: 5,
	ir.ClassComparison: 4, ir.ClassFloatComparison: 5, ir.ClassSelection: 7,
	ir.ClassConversion: 4, ir.ClassFloatConversion: 6, ir.ClassFloatArithmetic: 8, ir.ClassFloatFunction: 15,
	ir.ClassAddress: 4, ir.ClassAccess: 6, ir.ClassBulk: 25, ir.ClassAllocation: 40, ir.ClassAssertion: 4,
	ir.ClassCall: 25, ir.ClassHostCall: 40, ir.ClassFrame: 5,
}

// ownPrices are the prices of operations that differ from their class's.
var ownPrices = [ir.NumOps]int64{
	ir.OpMul: 8, ir.OpMulHiU: 10, ir.OpMulHiS: 10,
	ir.OpTrunc: free, ir.OpPtrToInt: free, ir.OpUToF: 7, ir.OpFToI: 8, ir.OpFToU: 9, ir.OpBitcast: 4, ir.OpBswap: 5,
	ir.OpFDiv: 20, ir.OpFNeg: 5, ir.OpFSqrt: 20, ir.OpFAbs: 5, ir.OpFCopysign: 7,
	ir.OpPtrIdx: 5, ir.OpLocalAddr: 3,
	ir.OpMove: bySize, ir.OpClear: bySize, ir.OpMoveN: 20, ir.OpClearN: 20, ir.OpMemHash: 30,
	ir.OpNewArray: 50, ir.OpUnwind: 200,
}

// op is the price of each operation, in tenths of a unit: its own or that of its class. Op has
// those of operations with a size.
var op = func() (prices [ir.NumOps]int64) {
	for o := range ir.NumOps {
		c := priceOf(o)
		if c == 0 {
			panic("gas: operation " + o.String() + " has no price and is not free")
		}
		prices[o] = max(c, 0)
	}
	return prices
}()

// priceOf returns the entry of the tables for an operation: a price, free, bySize, or 0, which
// means that it is missing.
func priceOf(o ir.Op) int64 {
	if c := ownPrices[o]; c != 0 {
		return c
	}
	return classPrices[o.Class()]
}

// Branch is the price of a block's end by a branch or switch, in tenths of a unit.
const Branch = 2

// Op returns the price of an operation in tenths of a unit, including the
// constant part of its size.
func Op(v *ir.Value) int64 {
	c := op[v.Op]
	switch n := v.Aux; v.Op {
	case ir.OpMove:
		// A few words move inline, more by a call.
		if n <= 32 {
			return 4 + n>>3
		}
		return ir.BulkPrice(n)
	case ir.OpClear:
		return ir.ClearPrice(n)
	case ir.OpNew:
		c += 10 * AllocWeight * v.Aux2 >> BulkShift
	case ir.OpCall:
		c += 3 * int64(len(v.Args))
	}
	return c
}

// BulkShift scales counted work, which is charged beside the operation that does it: n*weight >>
// BulkShift units for n bytes.
const BulkShift = 7

// Weights of counted work, for each byte.
const (
	MoveWeight   = ir.MoveWeight // moving, clearing, comparing, searching
	AllocWeight  = 12            // allocating: clearing, and the byte's share of collections
	HashWeight   = ir.HashWeight // hashing as a key, CRC-32
	EntryWeight  = 256           // an entry of a map that is cleared or reserved
	IOWeight     = 32            // moving between the guest and the host's readers and writers
	RandomWeight = 64            // drawing random bytes
	BlockWeight  = 192           // hashing by SHA-256
	WordWeight   = 192           // a word, not a byte, of math/big's vectors
)

// Calls is the price of the functions of the runtime and of the map package that lowered code
// calls, in units. It includes the first iteration of their loops. Their bodies charge for the
// other iterations, and for bulk work that the caller cannot know. A function that is not listed
// costs DefaultCall.
var Calls = map[string]int64{
	"concatstring2": 15, "concatstring3": 20, "concatstrings": 25, "slicebytetostring": 8, "stringtoslicebyte": 12,
	"stringtoslicerune": 40, "slicerunetostring": 40, "intstring": 18, "decoderune": 10,
	"growslice": 40, "makeslice": 20, "getitab": 12, "efaceeq": 12, "typehash": 20,
	"makemap": 60, "makemap_small": 40, "mapclear": 50, "mapIterStart": 40, "mapIterNext": 25,
	"mapaccess1": 25, "mapaccess1_fast32": 28, "mapaccess1_fast64": 26, "mapaccess1_faststr": 25,
	"mapaccess2": 25, "mapaccess2_fast32": 28, "mapaccess2_fast64": 26, "mapaccess2_faststr": 25,
	// Between writing to an entry and making one; the growth of the map is spread over all
	// calls.
	"mapassign": 80, "mapassign_fast32": 70, "mapassign_fast64": 70, "mapassign_faststr": 75, "mapdelete": 60,
	"makechan": 60, "chansend1": 40, "chanrecv1": 40, "chanrecv2": 40, "closechan": 40, "selectgo": 40,
	"charge": 0, "timeSleep": 150, "newTimer": 80, "stopTimer": 40, "resetTimer": 60, "Gosched": 60,
	"newproc": 250, "deferproc": 15, "deferreturn": 10, "gopanic": 40, "gorecover": 20,
	"GC": 20000, "runtime_debug_freeOSMemory": 20000,
	// Walks the frames, and the host looks things up.
	"Caller": 50, "(*Frames).Next": 60, "(*Func).FileLine": 30,
	// A special is entered in tables here and in the collector.
	"SetFinalizer": 110, "addcleanup": 80, "weak_registerWeakPointer": 100,
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

// hostPrices are the prices of the host functions by their class in ir.Primitives, in units.
var hostPrices = [ir.NumPrimitivePrices]int64{ir.FreePrice: 0, ir.CallPrice: DefaultCall, ir.KernelPrice: 20, ir.BlockPrice: 60}

// hostWeights are the weights of the counted work that ir.Primitives names.
var hostWeights = [ir.NumWorkWeights]int64{
	ir.MoveWork: MoveWeight, ir.HashWork: HashWeight, ir.BlockWork: BlockWeight,
	ir.WordWork: WordWeight, ir.IOWork: IOWeight, ir.RandomWork: RandomWeight,
}
