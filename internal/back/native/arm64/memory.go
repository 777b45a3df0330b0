package arm64

import "github.com/gyrvm/gyr/internal/back/native/plan"

// Places implements plan.Assembler.
func (a *Asm) Places(p, q Reg) (m, n plan.Address) {
	a.RRR(ADD, S64, far, regBase, q)
	a.RRR(ADD, S64, scratch, regBase, p)
	return plan.Address{Base: scratch, Index: NoReg}, plan.Address{Base: far, Index: NoReg}
}

// Clear implements plan.Assembler.
func (a *Asm) Clear(to Reg, n int64) {
	vectors, ints := plan.Pieces(n)
	a.RRR(ADD, S64, far, regBase, to)
	if n >= 16 {
		a.RR(MOVI0, S32, scratchV, V0)
	}
	for i := 0; i < len(vectors); i++ {
		p := vectors[i]
		switch {
		case p.Size == 16 && i+1 < len(vectors) && vectors[i+1] == plan.Piece{Off: p.Off + 16, Size: 16} && pairReaches(STPQ, p.Off):
			a.Pair(STPQ, scratchV, scratchV, far, p.Off)
			i++
		case p.Size == 16:
			a.Mem(STRQ, scratchV, At(far, p.Off))
		case p.Size == 8:
			a.Mem(STRX, ZR, At(far, p.Off))
		default:
			a.Mem(STRW, ZR, At(far, p.Off))
		}
	}
	for _, p := range ints {
		a.Mem(stores[p.Size>>1], ZR, At(far, p.Off)) // of 1 or 2
	}
}

// ClearMore implements plan.Assembler: eight bytes at a time.
func (a *Asm) ClearMore(t, end Reg, n int64) {
	loop := a.NewLabel()
	a.RRR(ADD, S64, t, regBase, t)
	a.addConst(end, t, n)
	a.Bind(loop)
	a.MemPost(STRX, ZR, t, 8)
	a.Cmp(S64, t, end)
	a.Bcond(LO, loop)
}
