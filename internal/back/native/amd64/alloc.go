package amd64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// New implements plan.Assembler.
func (a *Asm) New(d, t Reg, layout, size int64, slow Label) {
	words := (size + 7) / 8
	n := words*8 + 8
	if n > math.MaxInt32 {
		a.Jmp(slow)
		return
	}
	a.RM(MOV, S32, d, ctx(abi.Cur))
	a.RM(MOV, S32, t, ctx(abi.CurEnd))
	a.RR(SUB, S32, t, d)
	a.RI(CMP, S64, t, n)
	a.Jcc(B, slow)
	a.MI(ADD, S32, ctx(abi.Cur), n)
	a.MI(MOV, S32, At(regBase, 0).Plus(d, 1), words)
	a.MI(MOV, S32, At(regBase, 4).Plus(d, 1), int64(int32(layout)))
	a.RI(ADD, S64, d, 8)
	a.MI(ADD, S64, ctx(abi.Mallocs), 1)
}

// NewArray implements plan.Assembler.
func (a *Asm) NewArray(d, t, u, count Reg, layout, size int64, slow Label) {
	if size < 1 || size > plan.InlineArray {
		a.Jmp(slow)
		return
	}
	a.RI(CMP, S64, count, plan.InlineArray/size)
	a.Jcc(A, slow)
	switch n, ok := plan.Log2(size); {
	case ok && n == 0:
		a.RM(LEA, S64, t, At(count, 7))
	case ok:
		a.RR(MOV, S64, t, count)
		a.RI(SHL, S64, t, int64(n))
		a.RI(ADD, S64, t, 7)
	default:
		a.RRI(IMUL, S64, t, count, size)
		a.RI(ADD, S64, t, 7)
	}
	a.bump(d, t, u, slow)
	a.MI(MOV, S32, At(regBase, 4).Plus(d, 1), int64(int32(layout)))
	a.RI(ADD, S64, d, 8)
}

// bump takes an object from the window. Its size less 7 is in t. The address of its header goes to
// d; the layout in it is still to be stored. t and u are destroyed. Nothing has happened when it
// jumps to slow.
func (a *Asm) bump(d, t, u Reg, slow Label) {
	a.RI(AND, S32, t, -8) // bytes
	a.RM(MOV, S32, d, ctx(abi.Cur))
	a.RM(MOV, S32, u, ctx(abi.CurEnd))
	a.RR(SUB, S32, u, d)
	a.RI(SUB, S64, u, 8)
	a.RR(CMP, S64, u, t)
	a.Jcc(L, slow)
	a.RM(LEA, S64, u, At(t, 8))
	a.MR(ADD, S32, ctx(abi.Cur), u)
	a.RI(SHR, S32, t, 3)
	a.MR(MOV, S32, At(regBase, 0).Plus(d, 1), t)
	a.MI(ADD, S64, ctx(abi.Mallocs), 1)
}

// NewTyped implements plan.Assembler.
func (a *Asm) NewTyped(d Reg, temps [3]Reg, size, typ, count Reg, slow Label) {
	t, u, x := temps[0], temps[1], temps[2]
	a.RR(MOV, S32, u, typ)
	a.RR(MOV, S32, x, typ)
	a.RI(SHR, S32, x, memory.TypeFold)
	a.RR(XOR, S32, x, u)
	a.RI(SHR, S32, x, memory.TypeShift)
	a.RI(AND, S32, x, memory.TypeSlots-1)
	a.RI(SHL, S32, x, 4) // times memory.TypeSlot
	a.RM(CMP, S32, u, ctx(abi.TypeAddr).Plus(x, 1))
	a.Jcc(NE, slow)
	a.RI(CMP, S64, count, plan.InlineArray)
	a.Jcc(A, slow)
	a.RM(MOV, S64, t, ctx(abi.TypeSize).Plus(x, 1))
	a.RI(CMP, S64, t, plan.InlineArray)
	a.Jcc(A, slow)
	a.RR(IMUL, S64, t, count)
	a.RR(CMP, S64, t, size)
	a.Cmov(B, S64, t, size)
	a.RI(CMP, S64, t, plan.InlineArray)
	a.Jcc(A, slow)
	a.RI(ADD, S64, t, 7)
	a.bump(d, t, u, slow)
	a.RM(MOV, S32, u, ctx(abi.TypeLayout).Plus(x, 1))
	a.MR(MOV, S32, At(regBase, 4).Plus(d, 1), u)
	a.RI(ADD, S64, d, 8)
}
