package amd64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// arithmetic are the operations that one instruction with two operands computes, for 32 and 64
// bits.
var arithmetic = [plan.NumOps][2]Op{
	plan.Add: {ADD, ADD}, plan.Sub: {SUB, SUB}, plan.Mul: {IMUL, IMUL},
	plan.And: {AND, AND}, plan.Or: {OR, OR}, plan.Xor: {XOR, XOR},
	plan.Shl: {SHL, SHL}, plan.ShrU: {SHR, SHR}, plan.ShrS: {SAR, SAR}, plan.Rotl: {ROL, ROL},
	plan.FAdd: {ADDSS, ADDSD}, plan.FSub: {SUBSS, SUBSD}, plan.FMul: {MULSS, MULSD}, plan.FDiv: {DIVSS, DIVSD},
}

// forSize selects one of two operations by size.
func forSize(ops [2]Op, size Size) Op {
	if size == S64 {
		return ops[1]
	}
	return ops[0]
}

// threeOperands are the operations whose result overwrites nothing. Which there are depends on the
// processor.
var threeOperands = func() (ops [plan.NumOps][2]Op) {
	if hasBMI1 {
		ops[plan.AndNot] = [2]Op{ANDN, ANDN}
	}
	if hasBMI2 {
		ops[plan.Shl], ops[plan.ShrU], ops[plan.ShrS] = [2]Op{SHLX, SHLX}, [2]Op{SHRX, SHRX}, [2]Op{SARX, SARX}
	}
	if hasAVX {
		ops[plan.FAdd], ops[plan.FSub] = [2]Op{VADDSS, VADDSD}, [2]Op{VSUBSS, VSUBSD}
		ops[plan.FMul], ops[plan.FDiv] = [2]Op{VMULSS, VMULSD}, [2]Op{VDIVSS, VDIVSD}
	}
	return ops
}()

// binaries are the operations on two registers that take more than one instruction, or another form.
var binaries = [plan.NumOps]writer{
	plan.MulHighU: (*emitter).mulHighU,
	plan.MulHighS: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.R(IMUL1, S64, plan.Use(r, 1)) },
	plan.DivU:     (*emitter).divide, plan.DivS: (*emitter).divide,
	plan.RemU: (*emitter).divide, plan.RemS: (*emitter).divide,
	plan.AndNot: (*emitter).andNot,
	plan.Shl:    (*emitter).shiftCL, plan.ShrU: (*emitter).shiftCL, plan.ShrS: (*emitter).shiftCL, plan.Rotl: (*emitter).shiftCL,
	plan.ShlAny: (*emitter).shift, plan.ShrUAny: (*emitter).shift, plan.ShrSAny: (*emitter).shift,
	plan.FCopysign: (*emitter).copysign,
}

// mulHighU computes the upper half of a product: into RDX, or, by MULX, into both results of it.
func (e *emitter) mulHighU(r *regalloc.Inst, in *plan.Inst) {
	if hasBMI2 {
		e.a.RRR(MULX, S64, plan.Def(r), plan.Def(r), plan.Use(r, 0))
		return
	}
	e.a.R(MUL1, S64, plan.Use(r, 1))
}

func (e *emitter) binary(r *regalloc.Inst, in *plan.Inst) {
	if op := forSize(threeOperands[in.Op], in.Size); op != OpNone {
		e.a.RRR(op, in.Size, plan.Def(r), plan.Use(r, 0), plan.Use(r, 1))
		return
	}
	if write := binaries[in.Op]; write != nil {
		write(e, r, in)
		return
	}
	e.a.RR(forSize(arithmetic[in.Op], in.Size), in.Size, plan.Def(r), plan.Use(r, 1))
}

func (e *emitter) loadOp(r *regalloc.Inst, in *plan.Inst) {
	if op := forSize(threeOperands[in.Op], in.Size); op != OpNone {
		e.a.RRM(op, in.Size, plan.Def(r), plan.Use(r, 0), e.mem(r, &in.M))
		return
	}
	e.a.RM(forSize(arithmetic[in.Op], in.Size), in.Size, plan.Def(r), e.mem(r, &in.M))
}

func (e *emitter) update(r *regalloc.Inst, in *plan.Inst) {
	e.a.MR(arithmetic[in.Op][0], in.Size, e.mem(r, &in.M), plan.Use(r, 0))
}

func (e *emitter) updateImm(r *regalloc.Inst, in *plan.Inst) {
	e.a.MI(arithmetic[in.Op][0], in.Size, e.mem(r, &in.M), in.Imm)
}

func (e *emitter) fma(r *regalloc.Inst, in *plan.Inst) {
	e.a.RRR(forSize([2]Op{VFMADD231SS, VFMADD231SD}, in.Size), S32, plan.Def(r), plan.Use(r, 1), plan.Use(r, 2))
}

// A conversion is an operation on one operand that one instruction computes: on 32 and 64 bits, or,
// for floats, on float32 and float64.
type conversion struct {
	ops   [2]Op
	size  Size // of the instruction; S8: that of the operation
	clear bool // clear the result first: do not wait for its old value
}

var conversions = [plan.NumOps]conversion{
	plan.Zext8:  {ops: [2]Op{MOVZX8, MOVZX8}, size: S32},
	plan.Zext16: {ops: [2]Op{MOVZX16, MOVZX16}, size: S32},
	plan.Zext32: {ops: [2]Op{MOV, MOV}, size: S32},
	plan.Sext8:  {ops: [2]Op{MOVSX8, MOVSX8}, size: S64},
	plan.Sext16: {ops: [2]Op{MOVSX16, MOVSX16}, size: S64},
	plan.Sext32: {ops: [2]Op{MOVSX32, MOVSX32}, size: S64},
	plan.Clz:    {ops: withFeature(hasLZCNT, LZCNT)}, plan.Ctz: {ops: withFeature(hasBMI1, TZCNT)},
	plan.Popcnt:  {ops: [2]Op{POPCNT, POPCNT}},
	plan.DropLow: {ops: [2]Op{BLSR, BLSR}}, plan.KeepLow: {ops: [2]Op{BLSI, BLSI}},
	plan.FSqrt:   {ops: [2]Op{SQRTSS, SQRTSD}, size: S32, clear: true},
	plan.IToF:    {ops: [2]Op{CVTSI2SS, CVTSI2SD}, size: S64, clear: true},
	plan.FToI:    {ops: [2]Op{CVTTSS2SI, CVTTSD2SI}, size: S64},
	plan.FToN:    {ops: [2]Op{CVTTSS2SI, CVTTSD2SI}, size: S32},
	plan.FWiden:  {ops: [2]Op{OpNone, CVTSS2SD}, size: S32, clear: true},
	plan.FNarrow: {ops: [2]Op{CVTSD2SS, OpNone}, size: S32, clear: true},
	plan.FloatOf: {ops: [2]Op{MOVD, MOVD}},
}

// withFeature returns an operation for both sizes, or none if the processor does not have it.
func withFeature(has bool, op Op) [2]Op {
	if !has {
		return [2]Op{}
	}
	return [2]Op{op, op}
}

// unaries are the other operations on one operand.
var unaries = [plan.NumOps]writer{
	plan.Copy:  (*emitter).copy,
	plan.Neg:   func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.R(NEG, in.Size, plan.Def(r)) },
	plan.Not:   func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.R(NOT, in.Size, plan.Def(r)) },
	plan.Bswap: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Bswap(in.Size, plan.Def(r)) },
	plan.Clz:   (*emitter).zeros, plan.Ctz: (*emitter).zeros,
	plan.UToF: (*emitter).utof, plan.FToU: (*emitter).ftou,
	plan.FFloor: (*emitter).round, plan.FCeil: (*emitter).round, plan.FTrunc: (*emitter).round,
	plan.FNeg: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.maskFloat(XORPS, r, in, signBit(in.Size)) },
	plan.FAbs: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.maskFloat(ANDPS, r, in, ^signBit(in.Size)) },
}

func (e *emitter) unary(r *regalloc.Inst, in *plan.Inst) {
	c, d, u := conversions[in.Op], plan.Def(r), plan.Use(r, 0)
	if c.ops == [2]Op{} {
		unaries[in.Op](e, r, in)
		return
	}
	if c.clear {
		e.clear(d, u)
	}
	size := c.size
	if size == S8 {
		size = in.Size
	}
	e.a.RR(forSize(c.ops, in.Size), size, d, u)
}

// clear clears the register of a result that keeps the rest of its old value, which an instruction would
// have to wait for.
func (e *emitter) clear(d, u Reg) {
	if d != u {
		e.a.RR(XORPS, S32, d, d)
	}
}

// copy does not vanish between equal integer registers: nothing depends on that.
func (e *emitter) copy(r *regalloc.Inst, in *plan.Inst) {
	if d, u := plan.Def(r), plan.Use(r, 0); in.Float || isXMM(d) {
		e.a.Copy(d, u)
	} else {
		e.a.RR(MOV, S64, d, u)
	}
}

// signBit returns the sign bit of a float of a size.
func signBit(size Size) uint64 {
	if size == S32 {
		return 1 << 31
	}
	return 1 << 63
}

// maskFloat combines a float with a constant; for a float32 it takes the lower half of the
// constant.
func (e *emitter) maskFloat(op Op, r *regalloc.Inst, in *plan.Inst, mask uint64) {
	if in.Size == S32 {
		mask = mask&math.MaxUint32 | mask<<32
	}
	e.a.RM(op, S32, plan.Def(r), e.const16(mask))
}

// Modes of rounding: the direction, and no exception for lost precision.
const (
	roundQuietly = 1 << 3
	roundDown    = 1 | roundQuietly
	roundUp      = 2 | roundQuietly
	roundToZero  = 3 | roundQuietly
)

var roundModes = [plan.NumOps]int64{plan.FFloor: roundDown, plan.FCeil: roundUp, plan.FTrunc: roundToZero}

func (e *emitter) round(r *regalloc.Inst, in *plan.Inst) {
	d, u := plan.Def(r), plan.Use(r, 0)
	e.clear(d, u)
	e.a.RRI(forSize([2]Op{ROUNDSS, ROUNDSD}, in.Size), S32, d, u, roundModes[in.Op])
}

// lea computes a sum without touching an operand that stays live.
func (e *emitter) lea(r *regalloc.Inst, in *plan.Inst) {
	d := plan.Def(r)
	m := e.mem(r, &in.M)
	switch {
	case in.M.Kind == plan.MemHost && m.Base == d:
		switch {
		case m.Disp != 0:
			e.a.RI(ADD, in.Size, d, int64(m.Disp))
		case in.Size == S32: // a sum of 32 bits has zeros above
			e.a.RR(MOV, S32, d, d)
		}
	case in.M.Kind == plan.MemHostX && m.Scale == 1 && m.Disp == 0 && m.Base == d:
		e.a.RR(ADD, in.Size, d, m.Index)
	case in.M.Kind == plan.MemHostX && m.Scale == 1 && m.Disp == 0 && m.Index == d:
		e.a.RR(ADD, in.Size, d, m.Base)
	default:
		e.a.RM(LEA, in.Size, d, m)
	}
}

func (e *emitter) truncLea(r *regalloc.Inst, in *plan.Inst) {
	m := e.mem(r, &in.M)
	if m.Index == NoReg && m.Disp == 0 {
		e.a.RR(MOV, S32, plan.Def(r), m.Base)
		return
	}
	e.a.RM(LEA, S32, plan.Def(r), m)
}

func (e *emitter) divide(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	y := plan.Use(r, 1)
	size := in.Size
	if in.Op == plan.DivU || in.Op == plan.RemU {
		a.RR(XOR, S32, RDX, RDX)
		a.R(DIV, size, y)
		return
	}
	sign := CQO
	if size == S32 {
		sign = CDQ
	}
	if !in.Neg {
		a.None(sign)
		a.R(IDIV, size, y)
		return
	}
	one, done := a.NewLabel(), a.NewLabel()
	a.RI(CMP, size, y, -1)
	a.Jcc(E, one)
	a.None(sign)
	a.R(IDIV, size, y)
	a.Bind(done)
	e.Later(func() {
		a.Bind(one)
		if r.Defs[0].Reg == RAX {
			a.R(NEG, size, RAX)
		} else {
			a.RR(XOR, S32, RDX, RDX)
		}
		a.Jmp(done)
	})
}

// andNot computes AndNot in place of the operand that is inverted.
func (e *emitter) andNot(r *regalloc.Inst, in *plan.Inst) {
	if plan.Use(r, 1) == plan.Def(r) { // of a value and itself
		e.a.RR(XOR, S32, plan.Def(r), plan.Def(r))
		return
	}
	e.a.R(NOT, in.Size, plan.Def(r))
	e.a.RR(AND, in.Size, plan.Def(r), plan.Use(r, 1))
}

// shiftCL shifts in place, by a count in CL.
func (e *emitter) shiftCL(r *regalloc.Inst, in *plan.Inst) {
	e.a.R(arithmetic[in.Op][0], in.Size, plan.Def(r))
}

// ofLess are the shifts by any count as those by less than the width.
var ofLess = [plan.NumOps]plan.Op{plan.ShlAny: plan.Shl, plan.ShrUAny: plan.ShrU, plan.ShrSAny: plan.ShrS}

// shift writes the shifts by any count. Without BMI2 the operand is shifted in place, by CL.
func (e *emitter) shift(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, x, n, t := plan.Def(r), plan.Use(r, 0), plan.Use(r, 1), plan.Temp(r, 0)
	width := int64(in.Size.Bits())
	by := func(n Reg) {
		if op := threeOperands[ofLess[in.Op]][0]; op != OpNone {
			a.RRR(op, in.Size, d, x, n)
			return
		}
		if n != RCX {
			a.RR(MOV, S64, RCX, n)
		}
		a.R(arithmetic[ofLess[in.Op]][0], in.Size, d)
	}
	if in.Op == plan.ShrSAny {
		if !hasBMI2 && d == n { // x>>x is the sign of x, whatever x is
			a.RI(SAR, in.Size, d, width-1)
			return
		}
		a.MovImm(t, width-1)
		a.RI(CMP, S64, n, width)
		a.Cmov(B, S64, t, n)
		by(t)
		return
	}
	a.RI(CMP, S64, n, width)
	a.RR(SBB, S64, t, t)
	by(n)
	a.RR(AND, S64, d, t)
}

// zeros counts the zeros before the first bit that is set, without LZCNT or TZCNT. The instructions that
// search for a bit leave nothing useful if there is none.
func (e *emitter) zeros(r *regalloc.Inst, in *plan.Inst) {
	a, d, x, t := e.a, plan.Def(r), plan.Use(r, 0), plan.Temp(r, 0)
	width := int64(in.Size.Bits())
	if in.Op == plan.Ctz {
		a.MovImm(t, width)
		a.RR(BSF, in.Size, d, x)
		a.Cmov(E, in.Size, d, t)
		return
	}
	a.MovImm(t, 2*width-1)
	a.RR(BSR, in.Size, d, x)
	a.Cmov(E, in.Size, d, t)
	a.RI(XOR, in.Size, d, width-1)
}
