package amd64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Registers.
const (
	regBase = R15
	regGas  = R14

	// scratch is free in emitted sequences and during moves; no value lives in it.
	scratch = X15

	regClosure = RDX // function value of a call
	regIndex   = R11 // index of the function of an indirect call
)

// Registers of arguments and results, in order.
var (
	intArgs   = []Reg{RAX, RBX, RCX, RDI, RSI, R8, R9, R10}
	floatArgs = []Reg{X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14}
)

// linkBytes is what a call puts on the stack.
const linkBytes = 8

// same is an operation whose result overwrites the first operand. load and sameLoad allow the second
// operand in memory.
var (
	same     = plan.Operands{Same: true}
	load     = plan.Operands{Load: true}
	sameLoad = plan.Operands{Same: true, Load: true}
)

var description = plan.Desc{
	Name: "amd64",
	Ints: regalloc.SetOf(RAX, RCX, RDX, RBX, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13), Floats: regalloc.SetOf(floatArgs...),
	IntArgs: intArgs, FloatArgs: floatArgs,
	Closure: regClosure, Index: regIndex,
	ReturnClobber: regalloc.SetOf(R11), EndTemps: [...]Reg{R11, R12},
	Base: regBase, Stack: RSP, Gas: regGas, Yield: RAX,
	MoveScratch: scratch, Carrier: scratch, Spare: NoReg,
	Ops: operands(),
	ImmOps: [plan.NumOps]plan.Operands{
		plan.Add: same, plan.Sub: same, plan.And: same, plan.Or: same, plan.Xor: same,
		plan.Shl: same, plan.ShrU: same, plan.ShrS: same, plan.Rotl: {Same: !hasBMI2},
	},
	Temps: [plan.NumKinds]uint8{
		plan.KSwitch: 2, plan.KEnterLocals: 3, plan.KNew: 1, plan.KNewArray: 2, plan.KNewTyped: 3, plan.KGasN: 1,
	},
	Fits: func(op plan.Op, x int64) bool { return x == int64(int32(x)) },
	Sums: true, LowBits: hasBMI1, Scales: 1<<1 | 1<<2 | 1<<4 | 1<<8,
	MaxDisp: memory.MaxDisplacement, MaxBaseDisp: memory.MaxDisplacement, MaxAddress: math.MaxInt32,
	Updates: true, TwoFlags: true, MemoryNaN: true, NoFMA: !hasFMA,
	MoveBytes: 160, ClearBytes: 192,
	Routines: routines(), RoutineResult: RAX,
	Link: linkBytes, Fill: 64, Trap: 0xcc, RelocBytes: [...]int32{4, 4, 4, 4}, ArenaBytes: 256 << 20,
}

// A division takes the dividend in RDX:RAX and leaves quotient and remainder there.
var (
	quotient  = plan.Operands{Use: [2]plan.Where{plan.In(RAX)}, Result: plan.In(RAX), Clobber: regalloc.SetOf(RDX), Reserve: regalloc.SetOf(RDX)}
	remainder = plan.Operands{Use: [2]plan.Where{plan.In(RAX)}, Result: plan.In(RDX), Clobber: regalloc.SetOf(RAX), Reserve: regalloc.SetOf(RDX)}
)

// byCL is a shift in place by the count in CL.
var byCL = plan.Operands{Same: true, Use: [2]plan.Where{1: plan.In(RCX)}}

// operands returns the demands of operations. They depend on what the processor has.
func operands() [plan.NumOps]plan.Operands {
	ops := [plan.NumOps]plan.Operands{
		plan.Add: sameLoad, plan.Sub: sameLoad, plan.And: sameLoad, plan.Or: sameLoad, plan.Xor: sameLoad, plan.Mul: sameLoad,
		plan.AndNot:   {Swap: true},
		plan.MulHighU: {Use: [2]plan.Where{plan.In(RAX)}, Result: plan.In(RDX), Clobber: regalloc.SetOf(RAX)},
		plan.MulHighS: {Use: [2]plan.Where{plan.In(RAX)}, Result: plan.In(RDX), Clobber: regalloc.SetOf(RAX)},
		plan.DivU:     quotient, plan.DivS: quotient, plan.RemU: remainder, plan.RemS: remainder,
		plan.ShlAny: {Temps: 1}, plan.ShrUAny: {Temps: 1}, plan.ShrSAny: {Temps: 1},
		plan.Rotl: byCL,
		plan.Neg:  same, plan.Not: same, plan.Bswap: same,
		plan.FAdd: load, plan.FSub: load, plan.FMul: load, plan.FDiv: load,
		plan.FNeg: same, plan.FAbs: same, plan.FCopysign: {Same: true, FloatTemps: 1}, plan.FMA: same,
		plan.UToF: {Temps: 2}, plan.FToU: {Early: true},
		plan.Cmp: load, plan.FCmp: load,
	}
	if !hasLZCNT {
		ops[plan.Clz] = plan.Operands{Temps: 1}
	}
	if !hasBMI1 {
		ops[plan.Ctz] = plan.Operands{Temps: 1}
		ops[plan.AndNot] = plan.Operands{Swap: true, Same: true}
	}
	if hasBMI2 {
		ops[plan.MulHighU] = plan.Operands{Use: [2]plan.Where{1: plan.In(RDX)}}
	}
	if !hasBMI2 {
		anyCount := byCL
		anyCount.Temps = 1
		ops[plan.Shl], ops[plan.ShrU], ops[plan.ShrS] = byCL, byCL, byCL
		ops[plan.ShlAny], ops[plan.ShrUAny] = anyCount, anyCount
		anyCount.Clobber = regalloc.SetOf(RCX)
		ops[plan.ShrSAny] = anyCount
	}
	if !hasAVX {
		ops[plan.FAdd], ops[plan.FSub], ops[plan.FMul], ops[plan.FDiv] = sameLoad, sameLoad, sameLoad, sameLoad
	}
	return ops
}
