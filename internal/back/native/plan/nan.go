package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # NaNs
//
// A NaN has one pattern of bits in memory, and another that programs see. Out-of-line code puts it
// there.

// memoryNaN is the word of the context that has a NaN of a size as it is in memory.
func (d *Desc) memoryNaN(size Size) Address {
	if size == S32 {
		return d.word(abi.NaN32)
	}
	return d.word(abi.NaN64)
}

// storeFloat stores a float.
func (e *Emitter) storeFloat(r *regalloc.Inst, in *Inst) {
	a, x, t := e.asm, Use(r, 0), e.cpu.MoveScratch
	slow, back := e.NewLabel(), e.NewLabel()
	m := a.Fixed(in.Size, e.Address(r, &in.M))
	a.JumpIfOrdered(false, in.Size, x, x, slow)
	a.Store(in.Size, m, x)
	e.Bind(back)
	e.Later(func() {
		e.Bind(slow)
		a.Load(Copy, in.Size, t, e.cpu.memoryNaN(in.Size))
		a.Store(in.Size, m, t)
		a.Goto(back)
	})
}

// canonical gives one or two floats the bits that they have in memory if they are NaNs, in place.
func (e *Emitter) canonical(r *regalloc.Inst, in *Inst) {
	a, n := e.asm, len(r.Uses)
	slow, back := e.NewLabel(), e.NewLabel()
	a.JumpIfOrdered(false, in.Size, Use(r, 0), Use(r, n-1), slow)
	e.Bind(back)
	e.Later(func() {
		e.Bind(slow)
		for i := range n {
			x, next := Use(r, i), e.NewLabel()
			if n > 1 {
				a.JumpIfOrdered(true, in.Size, x, x, next)
			}
			a.Load(Copy, in.Size, x, e.cpu.memoryNaN(in.Size))
			e.Bind(next)
		}
		a.Goto(back)
	})
}

// floatBits computes BitsOf.
func (e *Emitter) floatBits(r *regalloc.Inst, in *Inst) {
	a, d, x := e.asm, Def(r), Use(r, 0)
	slow, back := e.NewLabel(), e.NewLabel()
	a.FloatBits(in.Size, d, x)
	a.JumpIfOrdered(false, in.Size, x, x, slow)
	e.Bind(back)
	e.Later(func() {
		e.Bind(slow)
		if in.Size == S32 {
			a.Const(d, ir.NaN32)
		} else {
			a.Const(d, ir.NaN64)
		}
		a.Goto(back)
	})
}
