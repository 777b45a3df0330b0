package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

func (e *emitter) frameID(r *regalloc.Inst, in *plan.Inst) {
	d := def(r)
	e.a.access(LDRX, d, ctx(abi.Top))
	e.a.RRR(SUB, S64, d, d, regStack)
	e.a.Lsr(S64, d, d, 3)
}

// A piece of a small move is loaded and stored by these.
var (
	vectorLoads  = map[int32]MemOp{4: LDRS, 8: LDRD, 16: LDRQ}
	vectorStores = map[int32]MemOp{4: STRS, 8: STRD, 16: STRQ}
	intLoads     = map[int32]MemOp{1: LDRB, 2: LDRH}
	intStores    = map[int32]MemOp{1: STRB, 2: STRH}
)

func (e *emitter) moveBytes(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	vectors, ints := plan.Pieces(in.Imm)
	dst, src := use(r, 0), use(r, 1)
	pieces := func(base Reg, vector, integer map[int32]MemOp) {
		for i, p := range vectors {
			a.Mem(vector[p.Size], tmp(r, i), At(base, p.Off))
		}
		for i, p := range ints {
			a.Mem(integer[p.Size], tmp(r, len(vectors)+i), At(base, p.Off))
		}
	}
	a.RRR(ADD, S64, far, regBase, src)
	a.RRR(ADD, S64, scratch, regBase, dst)
	pieces(far, vectorLoads, intLoads)
	pieces(scratch, vectorStores, intStores)
}

// Clear implements plan.Assembler.
func (a *Asm) Clear(at plan.Reg, n int64) {
	vectors, ints := plan.Pieces(n)
	a.RRR(ADD, S64, far, regBase, Reg(at))
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
		a.Mem(intStores[p.Size], ZR, At(far, p.Off))
	}
}

// ClearMore implements plan.Assembler: eight bytes at a time.
func (a *Asm) ClearMore(at, end plan.Reg, n int64) {
	t, u := Reg(at), Reg(end)
	loop := a.NewLabel()
	a.RRR(ADD, S64, t, regBase, t)
	a.addConst(u, t, n)
	a.Bind(loop)
	a.MemPost(STRX, ZR, t, 8)
	a.Cmp(S64, t, u)
	a.Bcond(LO, loop)
}
