package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// arithmetic are the operations on two operands that one instruction computes.
var arithmetic = [plan.NumOps]Op{
	plan.Add: ADD, plan.Sub: SUB, plan.Mul: MUL, plan.And: AND, plan.Or: ORR, plan.Xor: EOR, plan.AndNot: BIC,
	plan.MulHighU: UMULH, plan.MulHighS: SMULH, plan.DivU: UDIV, plan.DivS: SDIV,
	plan.Shl: LSLV, plan.ShrU: LSRV, plan.ShrS: ASRV,
	plan.FAdd: FADD, plan.FSub: FSUB, plan.FMul: FMUL, plan.FDiv: FDIV,
}

// binaries are the operations that take more.
var binaries = [plan.NumOps]writer{
	plan.RemU: (*emitter).remainder, plan.RemS: (*emitter).remainder,
	plan.ShlAny: (*emitter).shift, plan.ShrUAny: (*emitter).shift, plan.ShrSAny: (*emitter).shift,
	plan.Rotl: (*emitter).rotate, plan.FCopysign: (*emitter).copysign,
}

func (e *emitter) binary(r *regalloc.Inst, in *plan.Inst) {
	if write := binaries[in.Op]; write != nil {
		write(e, r, in)
		return
	}
	e.a.RRR(arithmetic[in.Op], in.Size, plan.Def(r), plan.Use(r, 0), plan.Use(r, 1))
}

// repeated returns a register with x, of fewer than 32 bits, repeated in 32, so that these may be rotated
// instead.
func (a *Asm) repeated(x Reg, size Size) (Reg, Size) {
	if size >= S32 {
		return x, size
	}
	a.Mov(S32, scratch, x)
	for n := size.Bits(); n < 32; n *= 2 {
		a.Bfi(S32, scratch, scratch, n, n)
	}
	return scratch, S32
}

func (e *emitter) rotate(r *regalloc.Inst, in *plan.Inst) {
	e.a.RRR(SUB, S32, far, ZR, plan.Use(r, 1))
	x, size := e.a.repeated(plan.Use(r, 0), in.Size)
	e.a.RRR(RORV, size, plan.Def(r), x, far)
}

func (e *emitter) remainder(r *regalloc.Inst, in *plan.Inst) {
	op := SDIV
	if in.Op == plan.RemU {
		op = UDIV
	}
	x, y := plan.Use(r, 0), plan.Use(r, 1)
	e.a.RRR(op, in.Size, scratch, x, y)
	e.a.RRRR(MSUB, in.Size, plan.Def(r), scratch, y, x)
}

// ofLess are the shifts by any count as those by less than the width.
var ofLess = [plan.NumOps]Op{plan.ShlAny: LSLV, plan.ShrUAny: LSRV, plan.ShrSAny: ASRV}

// shift writes the shifts by any count.
func (e *emitter) shift(r *regalloc.Inst, in *plan.Inst) {
	a, d, x, n, op := e.a, plan.Def(r), plan.Use(r, 0), plan.Use(r, 1), ofLess[in.Op]
	width := int64(in.Size.Bits())
	a.CmpImm(S64, n, width)
	if in.Op == plan.ShrSAny {
		a.MovImm(scratch, width-1)
		a.Csel(S64, scratch, n, scratch, LO)
		a.RRR(op, in.Size, d, x, scratch)
		return
	}
	a.RRR(op, in.Size, scratch, x, n)
	a.Csel(S64, d, scratch, ZR, LO)
}

func (e *emitter) fma(r *regalloc.Inst, in *plan.Inst) {
	e.a.RRRR(FMADD, in.Size, plan.Def(r), plan.Use(r, 1), plan.Use(r, 2), plan.Use(r, 0))
}

// conversions are the operations on one operand that one instruction computes.
var conversions = [plan.NumOps]Op{
	plan.Clz: CLZ, plan.FSqrt: FSQRT, plan.FNeg: FNEG, plan.FAbs: FABS,
	plan.FFloor: FRINTM, plan.FCeil: FRINTP, plan.FTrunc: FRINTZ,
	plan.IToF: SCVTF_X, plan.UToF: UCVTF_X, plan.FWiden: FCVTDS, plan.FNarrow: FCVTSD, plan.FloatOf: FMOVToFloat,
}

// unaries are the others.
var unaries = [plan.NumOps]writer{
	plan.Zext8:  func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Uxt(plan.Def(r), plan.Use(r, 0), 8) },
	plan.Zext16: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Uxt(plan.Def(r), plan.Use(r, 0), 16) },
	plan.Zext32: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Mov(S32, plan.Def(r), plan.Use(r, 0)) },
	plan.Sext8:  func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Sxt(S64, plan.Def(r), plan.Use(r, 0), 8) },
	plan.Sext16: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Sxt(S64, plan.Def(r), plan.Use(r, 0), 16) },
	plan.Sext32: func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Sxt(S64, plan.Def(r), plan.Use(r, 0), 32) },
	plan.Copy:   func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Copy(plan.Def(r), plan.Use(r, 0)) },
	plan.Neg: func(e *emitter, r *regalloc.Inst, in *plan.Inst) {
		e.a.RRR(SUB, in.Size, plan.Def(r), ZR, plan.Use(r, 0))
	},
	plan.Not: func(e *emitter, r *regalloc.Inst, in *plan.Inst) {
		e.a.RRR(ORN, in.Size, plan.Def(r), ZR, plan.Use(r, 0))
	},
	plan.Bswap: func(e *emitter, r *regalloc.Inst, in *plan.Inst) {
		op := REVW
		if in.Size == S64 {
			op = REVX
		}
		e.a.RR(op, S32, plan.Def(r), plan.Use(r, 0))
	},
	plan.Ctz: func(e *emitter, r *regalloc.Inst, in *plan.Inst) {
		e.a.RR(RBIT, in.Size, plan.Def(r), plan.Use(r, 0))
		e.a.RR(CLZ, in.Size, plan.Def(r), plan.Def(r))
	},
	plan.Popcnt: func(e *emitter, r *regalloc.Inst, in *plan.Inst) {
		e.a.RR(FMOVToFloat, in.Size, scratchV, plan.Use(r, 0))
		e.a.RR(CNT8B, S32, scratchV, scratchV)
		e.a.RR(ADDV8B, S32, scratchV, scratchV)
		e.a.RR(FMOVFromFloat, S32, plan.Def(r), scratchV)
	},
	plan.FToI: (*emitter).ftoi, plan.FToN: (*emitter).fton, plan.FToU: (*emitter).ftou,
}

func (e *emitter) unary(r *regalloc.Inst, in *plan.Inst) {
	if op := conversions[in.Op]; op != OpNone {
		e.a.RR(op, in.Size, plan.Def(r), plan.Use(r, 0))
		return
	}
	unaries[in.Op](e, r, in)
}

// lea computes an address, or with 32 bits the low half of one.
func (e *emitter) lea(r *regalloc.Inst, in *plan.Inst) {
	a, d, m, size := e.a, plan.Def(r), &in.M, in.Size
	if in.Kind == plan.KTruncLea {
		size = S32
	}
	x := plan.Use(r, int(m.Use))
	switch m.Kind {
	case plan.MemBase:
		a.RRR(ADD, size, d, regBase, x)
	case plan.MemHost:
		if m.Disp == 0 {
			a.Mov(size, d, x)
		} else {
			a.sum(size, d, x, int64(m.Disp))
		}
		return
	case plan.MemHostX:
		by, _ := plan.Log2(int64(m.Scale))
		a.RRS(ADD, size, d, x, plan.Use(r, int(m.Use)+1), LSL, by)
	default:
		panic("arm64: no address")
	}
	if m.Disp != 0 {
		a.sum(size, d, d, int64(m.Disp))
	}
}
