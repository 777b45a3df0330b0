package amd64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// A floatForm has the operations on floats of a size.
type floatForm struct {
	compare, move Op
	bits          int64 // of a NaN that a program sees
	memory        int32 // where the context has those of a NaN in memory
}

func floatOf(size Size) floatForm {
	if size == S32 {
		return floatForm{UCOMISS, MOVSS, ir.NaN32, abi.NaN32}
	}
	return floatForm{UCOMISD, MOVSD, ir.NaN64, abi.NaN64}
}

func (e *emitter) storeFloat(r *regalloc.Inst, in *plan.Inst) {
	x, f := use(r, 0), floatOf(in.Size)
	m := e.mem(r, &in.M)
	slow, back := e.a.NewLabel(), e.a.NewLabel()
	e.a.RR(f.compare, S32, x, x)
	e.a.Jcc(P, slow)
	e.a.MR(f.move, in.Size, m, x)
	e.a.Bind(back)
	e.Later(func() {
		e.a.Bind(slow)
		e.a.RM(f.move, in.Size, scratch, ctx(f.memory))
		e.a.MR(f.move, in.Size, m, scratch)
		e.a.Jmp(back)
	})
}

// canonical gives one or two floats the bits that they have in memory if they are NaNs, in place.
func (e *emitter) canonical(r *regalloc.Inst, in *plan.Inst) {
	a, f := e.a, floatOf(in.Size)
	list := []Reg{use(r, 0)}
	if len(r.Uses) > 1 {
		list = append(list, use(r, 1))
	}
	slow, back := a.NewLabel(), a.NewLabel()
	a.RR(f.compare, S32, list[0], list[len(list)-1])
	a.Jcc(P, slow)
	a.Bind(back)
	e.Later(func() {
		a.Bind(slow)
		for _, x := range list {
			next := a.NewLabel()
			if len(list) > 1 {
				a.RR(f.compare, S32, x, x)
				a.Jcc(NP, next)
			}
			a.RM(f.move, in.Size, x, ctx(f.memory))
			a.Bind(next)
		}
		a.Jmp(back)
	})
}

func (e *emitter) utof(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, x, t, u := def(r), use(r, 0), tmp(r, 0), tmp(r, 1)
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
	d, x := def(r), use(r, 0)
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

func (e *emitter) floatBits(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, x, f := def(r), use(r, 0), floatOf(in.Size)
	slow, back := a.NewLabel(), a.NewLabel()
	a.RR(MOVDT, in.Size, d, x)
	a.RR(f.compare, S32, x, x)
	a.Jcc(P, slow)
	a.Bind(back)
	e.Later(func() {
		a.Bind(slow)
		a.MovImm(d, f.bits)
		a.Jmp(back)
	})
}

// copysign gives use 0 the sign of use 1; the sign of a NaN is plus.
func (e *emitter) copysign(r *regalloc.Inst, in *plan.Inst) {
	a, y := e.a, use(r, 1)
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
	a.RM(ANDPS, S32, def(r), e.const16(^mask))
	a.RR(ORPS, S32, def(r), scratch)
	e.Later(func() {
		a.Bind(slow)
		a.RR(XORPS, S32, scratch, scratch)
		a.Jmp(back)
	})
}
