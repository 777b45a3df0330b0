package amd64

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// # Allocation
//
// The heap's fast path (memory.Heap) is inline: an object that fits the window takes a header, an
// addition and a count. Otherwise the handler allocates. Both give the same addresses.

// alloc writes the allocation of a known type.
func (e *emitter) alloc(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	d, t := def(r), tmp(r, 0)
	layout, size := in.V.Aux, in.V.Aux2
	words := (size + 7) / 8
	n := words*8 + 8
	slow, back := a.NewLabel(), a.NewLabel()
	if n > math.MaxInt32 {
		a.Jmp(slow)
	} else {
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
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		e.leaveFor(abi.NewExit, r, in, s)
		e.loadArg(d)
		a.Jmp(back)
	})
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
		a.Jmp(slow)
	} else {
		a.RI(CMP, S64, count, inlineArray/size)
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
		e.bump(d, t, u, slow)
		a.MI(MOV, S32, At(regBase, 4).Plus(d, 1), int64(int32(layout)))
		a.RI(ADD, S64, d, 8)
	}
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		a.MR(MOV, S64, ctx(abi.Args), count)
		e.leaveFor(abi.ArrayExit, r, in, s)
		e.loadArg(d)
		a.Jmp(back)
	})
}

// bump takes an object from the window. Its size less 7 is in t. The address of its header goes to
// d; the layout in it is still to be stored. t and u are destroyed. Nothing has happened when it
// jumps to slow.
func (e *emitter) bump(d, t, u Reg, slow Label) {
	a := e.a
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

// allocTyped writes a call of the host's malloc (rt): some bytes, at least count elements of the
// type whose descriptor is at an address. The type is looked up in the host's cache of types. A nil
// type matches an unused entry: no pointers, no size.
func (e *emitter) allocTyped(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	size, typ, count := use(r, 0), use(r, 1), use(r, 2)
	d, t, u, x := def(r), tmp(r, 0), tmp(r, 1), tmp(r, 2)
	slow, back := a.NewLabel(), a.NewLabel()
	a.RR(MOV, S32, u, typ)
	a.RR(MOV, S32, x, typ)
	a.RI(SHR, S32, x, memory.TypeFold)
	a.RR(XOR, S32, x, u)
	a.RI(SHR, S32, x, memory.TypeShift)
	a.RI(AND, S32, x, memory.TypeSlots-1)
	a.RI(SHL, S32, x, 4) // times memory.TypeSlot
	a.RM(CMP, S32, u, ctx(abi.TypeAddr).Plus(x, 1))
	a.Jcc(NE, slow)
	a.RI(CMP, S64, count, inlineArray)
	a.Jcc(A, slow)
	a.RM(MOV, S64, t, ctx(abi.TypeSize).Plus(x, 1))
	a.RI(CMP, S64, t, inlineArray)
	a.Jcc(A, slow)
	a.RR(IMUL, S64, t, count)
	a.RR(CMP, S64, t, size)
	a.Cmov(B, S64, t, size)
	a.RI(CMP, S64, t, inlineArray)
	a.Jcc(A, slow)
	a.RI(ADD, S64, t, 7)
	e.bump(d, t, u, slow)
	a.RM(MOV, S32, u, ctx(abi.TypeLayout).Plus(x, 1))
	a.MR(MOV, S32, At(regBase, 4).Plus(d, 1), u)
	a.RI(ADD, S64, d, 8)
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		e.storeArgs(r, in.NArgs)
		e.leaveFor(abi.HostExit, r, in, s)
		e.loadArg(d)
		a.Jmp(back)
	})
}
