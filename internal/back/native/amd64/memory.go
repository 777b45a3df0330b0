package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

func (e *emitter) frameID(r *regalloc.Inst, in *plan.Inst) {
	e.a.RM(MOV, S64, def(r), ctx(abi.Top))
	e.a.RR(SUB, S64, def(r), RSP)
	e.a.RI(SHR, S64, def(r), 3)
}

func (e *emitter) moveBytes(r *regalloc.Inst, in *plan.Inst) {
	vectors, ints := plan.Pieces(in.Imm)
	dst, src := use(r, 0), use(r, 1)
	each := func(f func(p plan.Piece, reg Reg)) {
		for i, p := range vectors {
			f(p, tmp(r, i))
		}
		for i, p := range ints {
			f(p, tmp(r, len(vectors)+i))
		}
	}
	each(func(p plan.Piece, reg Reg) {
		m := At(regBase, p.Off).Plus(src, 1)
		switch p.Size {
		case 16:
			e.a.RM(MOVUPS, S32, reg, m)
		case 8:
			e.a.RM(MOVSD, S64, reg, m)
		case 4:
			e.a.RM(MOVSS, S32, reg, m)
		case 2:
			e.a.RM(MOVZX16, S32, reg, m)
		default:
			e.a.RM(MOVZX8, S32, reg, m)
		}
	})
	each(func(p plan.Piece, reg Reg) {
		m := At(regBase, p.Off).Plus(dst, 1)
		switch p.Size {
		case 16:
			e.a.MR(MOVUPS, S32, m, reg)
		case 8:
			e.a.MR(MOVSD, S64, m, reg)
		case 4:
			e.a.MR(MOVSS, S32, m, reg)
		case 2:
			e.a.MR(MOV, S16, m, reg)
		default:
			e.a.MR(MOV, S8, m, reg)
		}
	})
}

// Clear implements plan.Assembler.
func (a *Asm) Clear(p plan.Reg, n int64) {
	vectors, ints := plan.Pieces(n)
	if len(vectors) > 0 {
		a.RR(XORPS, S32, scratch, scratch)
	}
	for _, piece := range append(vectors, ints...) {
		m := At(regBase, piece.Off).Plus(Reg(p), 1)
		switch piece.Size {
		case 16:
			a.MR(MOVUPS, S32, m, scratch)
		case 8:
			a.MR(MOVSD, S64, m, scratch)
		case 4:
			a.MR(MOVSS, S32, m, scratch)
		case 2:
			a.MI(MOV, S16, m, 0)
		default:
			a.MI(MOV, S8, m, 0)
		}
	}
}

// ClearMore implements plan.Assembler: eight bytes at a time.
func (a *Asm) ClearMore(p, end plan.Reg, n int64) {
	t, u := Reg(p), Reg(end)
	loop := a.NewLabel()
	a.RM(LEA, S64, t, At(regBase, 0).Plus(t, 1))
	a.RM(LEA, S64, u, At(t, int32(n)))
	a.RR(XORPS, S32, scratch, scratch)
	a.Bind(loop)
	a.MR(MOVSD, S64, At(t, 0), scratch)
	a.RI(ADD, S64, t, 8)
	a.RR(CMP, S64, t, u)
	a.Jcc(B, loop)
}
