package amd64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

func (e *emitter) utof(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, x, t, u := plan.Def(r), plan.Use(r, 0), plan.Temp(r, 0), plan.Temp(r, 1)
	add, cvt := ADDSD, CVTSI2SD
	if in.Size == S32 {
		add, cvt = ADDSS, CVTSI2SS
	}
	big, done := a.NewLabel(), a.NewLabel()
	a.RR(XORPS, S32, d, d)
	a.RR(TEST, S64, x, x)
	a.Jcc(S, big)
	a.RR(cvt, S64, d, x)
	a.Bind(done)
	e.Later(func() {
		// Half of it, with the lowest bit sticky, so that it rounds the same.
		a.Bind(big)
		a.RR(MOV, S64, t, x)
		a.RR(MOV, S32, u, x)
		a.RI(SHR, S64, t, 1)
		a.RI(AND, S32, u, 1)
		a.RR(OR, S64, t, u)
		a.RR(cvt, S64, d, t)
		a.RR(add, S32, d, d)
		a.Jmp(done)
	})
}

func (e *emitter) ftou(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, x := plan.Def(r), plan.Use(r, 0)
	ucomis, sub, cvt, mov, c := UCOMISD, SUBSD, CVTTSD2SI, MOVSD, math.Float64bits(1<<63)
	if in.Size == S32 {
		ucomis, sub, cvt, mov, c = UCOMISS, SUBSS, CVTTSS2SI, MOVSS, uint64(math.Float32bits(1<<63))
	}
	small, done := a.NewLabel(), a.NewLabel()
	a.RM(mov, in.Size, scratch, e.const8(c))
	a.RR(ucomis, S32, scratch, x)
	a.Jcc(A, small)
	a.RR(MOVAPS, S32, scratch, x)
	a.RM(sub, S32, scratch, e.const8(c))
	a.RR(cvt, S64, d, scratch)
	a.RM(OR, S64, d, e.const8(1<<63))
	a.Jmp(done)
	a.Bind(small)
	a.RR(cvt, S64, d, x)
	a.Bind(done)
}

// copysign gives use 0 the sign of use 1; the sign of a NaN is plus.
func (e *emitter) copysign(r *regalloc.Inst, in *plan.Inst) {
	a, y := e.a, plan.Use(r, 1)
	mask, ucomis := signBit(in.Size), UCOMISD
	if in.Size == S32 {
		mask, ucomis = mask|mask<<32, UCOMISS
	}
	slow, back := a.NewLabel(), a.NewLabel()
	e.a.RR(MOVAPS, S32, scratch, y)
	a.RM(ANDPS, S32, scratch, e.const16(mask))
	a.RR(ucomis, S32, y, y)
	a.Jcc(P, slow)
	a.Bind(back)
	a.RM(ANDPS, S32, plan.Def(r), e.const16(^mask))
	a.RR(ORPS, S32, plan.Def(r), scratch)
	e.Later(func() {
		a.Bind(slow)
		a.RR(XORPS, S32, scratch, scratch)
		a.Jmp(back)
	})
}
