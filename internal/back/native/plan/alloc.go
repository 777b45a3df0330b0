package plan

import "github.com/gyrvm/gyr/internal/back/native/regalloc"

// # Allocation
//
// The heap's fast path (memory.Heap) is inline: an object that fits the window takes a header, an
// addition and a count. Otherwise the handler allocates. Both give the same addresses.

// InlineArray bounds the bytes of arrays, and of their elements, that are allocated inline if
// possible.
const InlineArray = 8 << 10

// alloc writes the allocation of a known type.
func (e *Emitter) alloc(r *regalloc.Inst, in *Inst) {
	slow := e.NewLabel()
	e.asm.New(Def(r), Temp(r, 0), in.V.Aux, in.V.Aux2, slow)
	e.allocSlow(r, in, slow)
}

// allocArray writes the allocation of an array.
func (e *Emitter) allocArray(r *regalloc.Inst, in *Inst) {
	slow := e.NewLabel()
	e.asm.NewArray(Def(r), Temp(r, 0), Temp(r, 1), Use(r, 0), in.V.Aux, in.V.Aux2, slow)
	e.allocSlow(r, in, slow)
}

// allocTyped writes a call of the host's malloc (rt): some bytes, at least count elements of the
// type whose descriptor is at an address. The type is looked up in the host's cache of types. A nil
// type matches an unused entry: no pointers, no size.
func (e *Emitter) allocTyped(r *regalloc.Inst, in *Inst) {
	slow := e.NewLabel()
	e.asm.NewTyped(Def(r), [3]Reg{Temp(r, 0), Temp(r, 1), Temp(r, 2)}, Use(r, 0), Use(r, 1), Use(r, 2), slow)
	e.allocSlow(r, in, slow)
}

// allocSlow has the handler allocate, out of line.
func (e *Emitter) allocSlow(r *regalloc.Inst, in *Inst, slow Label) {
	back := e.NewLabel()
	e.Bind(back)
	e.Later(func() {
		e.Bind(slow)
		e.exit(r, in)
		e.asm.Goto(back)
	})
}
