package arm64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// Conversions to integers give what amd64 gives where the result has no such number: the smallest one.
// The processor gives 0 for a NaN, and the nearest one for others.

// ftoi converts to 64 bits. The largest integer is no float, so it means that the float was larger.
func (e *emitter) ftoi(r *regalloc.Inst, in *plan.Inst) {
	e.toInt64(plan.Def(r), plan.Use(r, 0), in.Size)
}

func (e *emitter) toInt64(d, x Reg, size Size) {
	a := e.a
	slow, back := a.NewLabel(), a.NewLabel()
	const v = 1 // the flag for overflow
	a.RR(FCVTZS_X, size, d, x)
	a.Fcmp(size, x, x)
	a.CcmnImm(S64, d, 1, v, VC)
	a.Bcond(VS, slow)
	a.Bind(back)
	e.Later(func() {
		a.Bind(slow)
		a.MovImm(d, math.MinInt64)
		a.B(back)
	})
}

// fton converts to 32 bits, by way of 64.
func (e *emitter) fton(r *regalloc.Inst, in *plan.Inst) {
	a, d, x := e.a, plan.Def(r), plan.Use(r, 0)
	slow, back := a.NewLabel(), a.NewLabel()
	a.RR(FCVTZS_X, in.Size, scratch, x)
	a.Sxt(S64, far, scratch, 32)
	a.Mov(S32, d, scratch)
	a.Fcmp(in.Size, x, x)
	a.Ccmp(S64, scratch, far, 0, VC)
	a.Bcond(NE, slow)
	a.Bind(back)
	e.Later(func() {
		a.Bind(slow)
		a.MovImm(d, 1<<31)
		a.B(back)
	})
}

// ftou converts to 64 bits without a sign: below 2^63 as ftoi, all else less 2^63, with the top bit set.
func (e *emitter) ftou(r *regalloc.Inst, in *plan.Inst) {
	a, d, x := e.a, plan.Def(r), plan.Use(r, 0)
	large, done := a.NewLabel(), a.NewLabel()
	c := math.Float64bits(1 << 63)
	if in.Size == S32 {
		c = uint64(math.Float32bits(1 << 63))
	}
	a.MovImm(scratch, int64(c))
	a.RR(FMOVToFloat, in.Size, scratchV, scratch)
	a.Fcmp(in.Size, x, scratchV)
	a.Bcond(PL, large) // not less, or not ordered
	a.RR(FCVTZS_X, in.Size, d, x)
	a.Bind(done)
	e.Later(func() {
		a.Bind(large)
		a.RRR(FSUB, in.Size, scratchV, x, scratchV)
		a.RR(FCVTZS_X, in.Size, d, scratchV)
		// 0 for a NaN, and too large a number has all bits but the top one.
		a.RRI(ADDS, S64, ZR, d, 1)
		a.Csel(S64, d, ZR, d, VS)
		a.RRI(ORR, S64, d, d, math.MinInt64)
		a.B(done)
	})
}

// copysign gives use 0 the sign of use 1; the sign of a NaN is plus.
func (e *emitter) copysign(r *regalloc.Inst, in *plan.Inst) {
	a, x, y := e.a, plan.Use(r, 0), plan.Use(r, 1)
	top := in.Size.Bits() - 1
	a.RR(FMOVFromFloat, in.Size, far, y)
	a.Fcmp(in.Size, y, y)
	a.Csel(S64, far, ZR, far, VS)
	a.RR(FMOVFromFloat, in.Size, scratch, x)
	a.Lsr(in.Size, far, far, top)
	a.Bfi(in.Size, scratch, far, top, 1)
	a.RR(FMOVToFloat, in.Size, plan.Def(r), scratch)
}
