package arm64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// Registers that hold no values.
//
// X18 belongs to the system, X28 to Go: its handlers of signals find the goroutine there. X29 and the
// system's stack pointer stay what they were when code was entered. The stack of code has a register of
// its own, since the system's pointer may only be a multiple of 16.
const (
	regBase  = X26
	regGas   = X25
	regStack = X27
	regLink  = X30

	// Copies of words of the context, since every function reads them: the limit of the stack pointer,
	// which code moves, and the limit for plain charges.
	regLimit = X24
	regPlain = X23

	// Scratch registers of emitted sequences: scratch for values, far for addresses (Asm.near), and
	// scratchV also during moves of the allocator.
	scratch  = X16
	far      = X17
	scratchV = V31

	regClosure = X10 // function value of a call
	regIndex   = X11 // index of the function of an indirect call
)

// Registers of arguments and results, in order.
var (
	intArgs   = rangeOf(X0, 10)
	floatArgs = rangeOf(V0, 16)
)

func rangeOf(first Reg, n int) (list []Reg) {
	for i := range n {
		list = append(list, first+Reg(i))
	}
	return list
}

// linkBytes is what a function puts on the stack before it makes its frame: the return address.
const linkBytes = 8

// maxDisp is the largest displacement after a pointer: any larger one takes more instructions than a
// sum.
const maxDisp = 4095

var description = plan.Desc{
	Name: "arm64",
	Ints: regalloc.SetOf(rangeOf(X0, 16)...) | regalloc.SetOf(rangeOf(X19, 4)...), Floats: regalloc.SetOf(rangeOf(V0, 31)...),
	IntArgs: intArgs, FloatArgs: floatArgs,
	Closure: regClosure, Index: regIndex,
	EndTemps: [...]Reg{scratch, far},
	Base:     regBase, Stack: regStack, Gas: regGas, Yield: scratch,
	MoveScratch: scratchV, Carrier: scratch, Spare: scratch,
	Temps: [plan.NumKinds]uint8{
		plan.KSwitch: 1, plan.KEnterLocals: 3, plan.KNew: 1, plan.KNewArray: 2, plan.KNewTyped: 3,
	},
	Fits:   fits,
	Scales: 1<<1 | 1<<2 | 1<<4 | 1<<8, MaxDisp: maxDisp, MaxBaseDisp: 0, MaxAddress: math.MaxInt32,
	WideCompares: true,
	MoveBytes:    160, ClearBytes: 192,
	Routines: routines(), RoutineResult: X0,
	Link: linkBytes, Fill: 256, Trap: trapByte, RelocBytes: [...]int32{abi.RelTable: 8, abi.RelStub: 4, abi.RelYield: 4, abi.RelBulk: 4}, ArenaBytes: 120 << 20,
}

// fits reports whether a constant may be part of an instruction.
func fits(op plan.Op, x int64) bool {
	switch op {
	case plan.Add, plan.Sub, plan.Cmp:
		return fitsCmp(x)
	case plan.And, plan.Or, plan.Xor:
		return fitsImm(AND, S64, x)
	case plan.Mul:
		_, ok := plan.Log2(x - 1)
		return ok // a sum with a shifted operand
	case plan.Store:
		return x == 0
	}
	return false
}
