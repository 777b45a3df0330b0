package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// inlineMost bounds the bytes of an object of a known type that is allocated inline.
const inlineMost = 1 << 20

// New implements plan.Assembler.
func (a *Asm) New(d, t Reg, layout, size int64, slow Label) {
	words := (size + 7) / 8
	if size > inlineMost {
		a.B(slow)
		return
	}
	a.access(LDRW, d, ctx(abi.Cur))
	a.addConst(far, d, words*8+8)
	a.bump(slow)
	a.MovImm(t, layout<<32|words)
	a.endHeader(d, t)
}

// bump moves the window to the end of an object, whose address is in far. Nothing has happened when it
// jumps to slow. It changes scratch.
func (a *Asm) bump(slow Label) {
	a.access(LDRW, scratch, ctx(abi.CurEnd))
	a.Cmp(S64, far, scratch)
	a.Bcond(HI, slow)
	a.access(STRW, far, ctx(abi.Cur))
	a.access(LDRX, scratch, ctx(abi.Mallocs))
	a.RRI(ADD, S64, scratch, scratch, 1)
	a.access(STRX, scratch, ctx(abi.Mallocs))
}

// bumpWords takes an object of t words, without its header, from the window; the address of the header
// goes to d.
func (a *Asm) bumpWords(d, t Reg, slow Label) {
	a.access(LDRW, d, ctx(abi.Cur))
	a.RRS(ADD, S64, far, d, t, LSL, 3)
	a.RRI(ADD, S64, far, far, 8)
	a.bump(slow)
}

// endHeader writes the header t of an object, and turns its address in d into the object's.
func (a *Asm) endHeader(d, t Reg) {
	a.Mem(STRX, t, Mem{Base: regBase, Index: d})
	a.RRI(ADD, S64, d, d, 8)
}

// NewArray implements plan.Assembler.
func (a *Asm) NewArray(d, t, u, count Reg, layout, size int64, slow Label) {
	if size < 1 || size > plan.InlineArray {
		a.B(slow)
		return
	}
	a.CmpImm(S64, count, fittingCmp(plan.InlineArray/size))
	a.Bcond(HI, slow)
	if n, ok := plan.Log2(size); ok {
		a.Lsl(S64, t, count, n)
	} else {
		a.MovImm(u, size)
		a.RRR(MUL, S64, t, count, u)
	}
	a.wordsOf(t)
	a.bumpWords(d, t, slow)
	a.MovImm(u, layout<<32)
	a.RRR(ORR, S64, t, t, u)
	a.endHeader(d, t)
}

// fittingCmp returns the largest constant up to x that a comparison may have.
func fittingCmp(x int64) int64 {
	if x < 1<<12 {
		return x
	}
	return x &^ (1<<12 - 1)
}

// wordsOf turns bytes into words.
func (a *Asm) wordsOf(t Reg) {
	a.RRI(ADD, S64, t, t, 7)
	a.Lsr(S64, t, t, 3)
}

// NewTyped implements plan.Assembler.
func (a *Asm) NewTyped(d Reg, temps [3]Reg, size, typ, count Reg, slow Label) {
	t, u, x := temps[0], temps[1], temps[2]
	a.Mov(S32, u, typ)
	a.RRS(EOR, S32, x, u, u, LSR, memory.TypeFold)
	a.Lsr(S32, x, x, memory.TypeShift)
	a.RRI(AND, S32, x, x, memory.TypeSlots-1)
	a.addConst(far, regBase, abi.TypeAddr)
	a.RRS(ADD, S64, x, far, x, LSL, 4) // times memory.TypeSlot
	a.Mem(LDRW, scratch, At(x, 0))
	a.Cmp(S32, scratch, u)
	a.Bcond(NE, slow)
	a.CmpImm(S64, count, plan.InlineArray)
	a.Bcond(HI, slow)
	a.Mem(LDRX, t, At(x, abi.TypeSize-abi.TypeAddr))
	a.CmpImm(S64, t, plan.InlineArray)
	a.Bcond(HI, slow)
	a.RRR(MUL, S64, t, t, count)
	a.Cmp(S64, t, size)
	a.Csel(S64, t, size, t, LO)
	a.CmpImm(S64, t, plan.InlineArray)
	a.Bcond(HI, slow)
	a.wordsOf(t)
	a.bumpWords(d, t, slow)
	a.Mem(LDRW, u, At(x, abi.TypeLayout-abi.TypeAddr))
	a.RRS(ORR, S64, t, t, u, LSL, 32)
	a.endHeader(d, t)
}
