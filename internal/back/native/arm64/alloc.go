package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// # Allocation
//
// The heap's fast path (memory.Heap) is inline: an object that fits the window takes a header, an
// addition and a count. Otherwise the handler allocates. Both give the same addresses.

// inlineMost bounds the bytes of an object of a known type that is allocated inline.
const inlineMost = 1 << 20

// alloc writes the allocation of a known type.
func (e *emitter) alloc(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, t := def(r), tmp(r, 0)
	layout, size := in.V.Aux, in.V.Aux2
	words := (size + 7) / 8
	slow, back := a.NewLabel(), a.NewLabel()
	if size > inlineMost {
		a.B(slow)
	} else {
		a.load32(d, ctx(abi.Cur))
		a.addConst(far, d, words*8+8)
		e.bump(slow)
		a.MovImm(t, layout<<32|words)
		e.endHeader(d, t)
	}
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		e.leaveFor(abi.NewExit, r, in, s)
		e.loadArg(d)
		a.B(back)
	})
}

// bump moves the window to the end of an object, whose address is in far. Nothing has happened when it
// jumps to slow. It changes scratch.
func (e *emitter) bump(slow Label) {
	a := e.a
	a.load32(scratch, ctx(abi.CurEnd))
	a.Cmp(S64, far, scratch)
	a.Bcond(HI, slow)
	a.store32(ctx(abi.Cur), far)
	a.addTo(abi.Mallocs, LDRX, STRX, 1)
}

// bumpWords takes an object of t words, without its header, from the window; the address of the header
// goes to d.
func (e *emitter) bumpWords(d, t Reg, slow Label) {
	e.a.load32(d, ctx(abi.Cur))
	e.a.RRS(ADD, S64, far, d, t, LSL, 3)
	e.a.RRI(ADD, S64, far, far, 8)
	e.bump(slow)
}

// endHeader writes the header t of an object, and turns its address in d into the object's.
func (e *emitter) endHeader(d, t Reg) {
	e.a.Mem(STRX, t, Mem{Base: regBase, Index: d})
	e.a.RRI(ADD, S64, d, d, 8)
}

// inlineArray bounds the bytes of arrays, and of their elements, that are allocated inline if
// possible.
const inlineArray = 8 << 10

// allocArray writes the allocation of an array that is not large.
func (e *emitter) allocArray(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, t, u, count := def(r), tmp(r, 0), tmp(r, 1), use(r, 0)
	layout, size := in.V.Aux, in.V.Aux2
	slow, back := a.NewLabel(), a.NewLabel()
	if size < 1 || size > inlineArray {
		a.B(slow)
	} else {
		a.CmpImm(S64, count, fittingCmp(inlineArray/size))
		a.Bcond(HI, slow)
		if n, ok := plan.Log2(size); ok {
			a.Lsl(S64, t, count, n)
		} else {
			a.MovImm(u, size)
			a.RRR(MUL, S64, t, count, u)
		}
		e.wordsOf(t)
		e.bumpWords(d, t, slow)
		a.MovImm(u, layout<<32)
		a.RRR(ORR, S64, t, t, u)
		e.endHeader(d, t)
	}
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		e.store64(ctx(abi.Args), count)
		e.leaveFor(abi.ArrayExit, r, in, s)
		e.loadArg(d)
		a.B(back)
	})
}

// fittingCmp returns the largest constant up to x that a comparison may have.
func fittingCmp(x int64) int64 {
	if x < 1<<12 {
		return x
	}
	return x &^ (1<<12 - 1)
}

// wordsOf turns bytes into words.
func (e *emitter) wordsOf(t Reg) {
	e.a.RRI(ADD, S64, t, t, 7)
	e.a.Lsr(S64, t, t, 3)
}

// allocTyped writes a call of the host's malloc (rt): some bytes, at least count elements of the
// type whose descriptor is at an address. The type is looked up in the host's cache of types. A nil
// type matches an unused entry: no pointers, no size.
func (e *emitter) allocTyped(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	size, typ, count := use(r, 0), use(r, 1), use(r, 2)
	d, t, u, x := def(r), tmp(r, 0), tmp(r, 1), tmp(r, 2)
	slow, back := a.NewLabel(), a.NewLabel()
	a.Mov(S32, u, typ)
	a.RRS(EOR, S32, x, u, u, LSR, memory.TypeFold)
	a.Lsr(S32, x, x, memory.TypeShift)
	a.RRI(AND, S32, x, x, memory.TypeSlots-1)
	a.addConst(far, regBase, abi.TypeAddr)
	a.RRS(ADD, S64, x, far, x, LSL, 4) // times memory.TypeSlot
	a.Mem(LDRW, scratch, At(x, 0))
	a.Cmp(S32, scratch, u)
	a.Bcond(NE, slow)
	a.CmpImm(S64, count, inlineArray)
	a.Bcond(HI, slow)
	a.Mem(LDRX, t, At(x, abi.TypeSize-abi.TypeAddr))
	a.CmpImm(S64, t, inlineArray)
	a.Bcond(HI, slow)
	a.RRR(MUL, S64, t, t, count)
	a.Cmp(S64, t, size)
	a.Csel(S64, t, size, t, LO)
	a.CmpImm(S64, t, inlineArray)
	a.Bcond(HI, slow)
	e.wordsOf(t)
	e.bumpWords(d, t, slow)
	a.Mem(LDRW, u, At(x, abi.TypeLayout-abi.TypeAddr))
	a.RRS(ORR, S64, t, t, u, LSL, 32)
	e.endHeader(d, t)
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		e.storeArgs(r, in.NArgs)
		e.leaveFor(abi.HostExit, r, in, s)
		e.loadArg(d)
		a.B(back)
	})
}
