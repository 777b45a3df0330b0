package amd64

import "github.com/gyrvm/gyr/internal/back/native/plan"

// Places implements plan.Assembler.
func (a *Asm) Places(p, q Reg) (m, n plan.Address) { return guest(p), guest(q) }

func guest(p Reg) plan.Address {
	return plan.Address{Kind: plan.MemBase, Base: regBase, Index: p, Scale: 1}
}

// Clear implements plan.Assembler.
func (a *Asm) Clear(p Reg, n int64) {
	vectors, ints := plan.Pieces(n)
	if len(vectors) > 0 {
		a.RR(XORPS, S32, scratch, scratch)
	}
	for _, piece := range append(vectors, ints...) {
		m := At(regBase, piece.Off).Plus(p, 1)
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
func (a *Asm) ClearMore(t, end Reg, n int64) {
	loop := a.NewLabel()
	a.RM(LEA, S64, t, At(regBase, 0).Plus(t, 1))
	a.RM(LEA, S64, end, At(t, int32(n)))
	a.RR(XORPS, S32, scratch, scratch)
	a.Bind(loop)
	a.MR(MOVSD, S64, At(t, 0), scratch)
	a.RI(ADD, S64, t, 8)
	a.RR(CMP, S64, t, end)
	a.Jcc(B, loop)
}
