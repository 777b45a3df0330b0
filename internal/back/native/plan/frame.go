package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// # Frames
//
// A function makes its frame when it begins, and its shadow frame, in guest memory, if it has locals
// whose addresses are taken.

// enter makes the frame. A leaf (ir.Func.IsLeaf) does not compare with the limit; whatever it spills
// has room below the limit.
func (e *Emitter) enter(r *regalloc.Inst, in *Inst) {
	a, adjust := e.asm, e.Out.Adjust
	a.Enter(e.Frame)
	leaf := e.F.IsLeaf() && e.Frame <= abi.LeafSlack
	if leaf && adjust == 0 {
		return
	}
	slow, back := e.NewLabel(), e.NewLabel()
	if adjust != 0 {
		t := e.cpu.EndTemps[1]
		a.Limit(Add, adjust, t)
		if leaf {
			return
		}
		if adjust < 0 {
			// The limit has gone down: memory may end above it.
			a.JumpIfWords(LtU, abi.Limit, abi.Bottom, t, slow)
		}
	}
	if !e.F.IsLeaf() {
		a.JumpIfWord(LtU, e.cpu.Stack, abi.Limit, slow)
	}
	e.Bind(back)
	var set regalloc.RegSet
	for i := range r.Defs {
		set = set.With(r.Defs[i].Reg)
	}
	s := e.savingOf(set)
	words := e.entryWords(s)
	e.unseen(func() {
		// The frame may have no memory: saved registers go above it.
		e.Bind(slow)
		a.MoveStack(Add, e.Frame)
		e.leaveSaved(s, abi.Site{Reason: abi.EnterExit, Extra: -e.Frame, Pos: e.F.Pos}, words, nil)
		a.MoveStack(Sub, e.Frame)
		a.Goto(back)
	})
}

// leave leaves the function; the results are in their places.
func (e *Emitter) leave(r *regalloc.Inst, in *Inst) {
	a := e.asm
	if e.LocSize > 0 {
		e.leaveLocals(r)
	}
	if n := e.Out.Adjust; n != 0 {
		a.Limit(Sub, n, e.cpu.EndTemps[0])
	}
	a.Return(e.Frame)
}

// frameID computes the depth of the stack, in words.
func (e *Emitter) frameID(r *regalloc.Inst, in *Inst) {
	d := Def(r)
	e.asm.Load(Copy, S64, d, e.cpu.word(abi.Top))
	e.asm.Sub(d, e.cpu.Stack)
	e.asm.OpConst(ShrU, S64, d, d, 3)
}

// enterLocals makes the shadow frame.
func (e *Emitter) enterLocals(r *regalloc.Inst, in *Inst) {
	a, frame := e.asm, e.cpu.stack(e.LocalsAt)
	t, u, x := Temp(r, 0), Temp(r, 1), Temp(r, 2)
	slow, back := e.NewLabel(), e.NewLabel()
	a.Load(Zext32, S32, t, e.cpu.word(abi.SSP))
	a.AddConst(u, t, e.LocSize)
	a.Load(Zext32, S32, x, e.cpu.word(abi.SLim)) // the sum may have 33 bits
	a.JumpIf(GtU, S64, u, x, slow)
	a.Store(S32, e.cpu.word(abi.SSP), u)
	a.Store(S64, frame, t)
	a.Store(S64, e.cpu.stack(e.LocalsAt+8), t)
	e.Bind(back)
	switch n := e.Tabler.Zeroed(); {
	case n > 256:
		a.ClearMore(t, u, n)
	case n > 0:
		a.Clear(t, n)
	}
	s := e.savingAt(r, in)
	e.Later(func() {
		e.Bind(slow)
		out := e.NewLabel()
		e.enterSpare(t, u, x, out)
		a.Goto(back)
		e.Bind(out)
		e.leaveSaved(s, abi.Site{Reason: abi.LocalsExit, A: e.LocSize, Pos: e.F.Pos}, e.rootWords(r, in, s), nil)
		a.Load(Copy, S64, t, frame)
		a.Goto(back)
	})
}

// enterSpare makes the shadow frame in the spare chunk, as exec.PushChunk does, with its address in
// t. If no spare chunk is large enough, it jumps to out, with only t, u and x changed.
func (e *Emitter) enterSpare(t, u, x Reg, out Label) {
	a, frame := e.asm, e.cpu.stack(e.LocalsAt)
	if e.LocSize != int64(int32(e.LocSize)) {
		a.Goto(out)
		return
	}
	a.Load(Zext32, S32, u, e.cpu.word(abi.Spare))
	a.JumpIfZero(Eq, S32, u, out)
	a.AddConst(x, u, e.LocSize)
	a.Load(Zext32, S32, t, e.cpu.word(abi.SpareEnd))
	a.JumpIf(GtU, S64, x, t, out)
	a.Store(S64, frame, u)
	a.Store(S32, e.cpu.word(abi.Chunk), u)
	y := u
	if e.cpu.Spare != NoReg {
		y = e.cpu.Spare
	}
	e.moveHalf(abi.Before, abi.SLim, y)
	a.Store(S32, e.cpu.word(abi.SLim), t)
	a.Load(Zext32, S32, t, e.cpu.word(abi.SSP))
	a.OpConst(Or, S32, t, t, abi.NewChunk)
	a.Store(S64, e.cpu.stack(e.LocalsAt+8), t)
	a.Store(S32, e.cpu.word(abi.SSP), x)
	a.StoreConst(S32, e.cpu.word(abi.Spare), 0)
	a.AddTo(S32, e.cpu.word(abi.Moves), 1)
	if y == u {
		a.Load(Copy, S64, t, frame)
	} else {
		a.Copy(t, u)
	}
}

// moveHalf copies 32 bits of the context by way of t.
func (e *Emitter) moveHalf(to, from int32, t Reg) {
	e.asm.Load(Zext32, S32, t, e.cpu.word(from))
	e.asm.Store(S32, e.cpu.word(to), t)
}

// leaveLocals removes the shadow frame.
func (e *Emitter) leaveLocals(r *regalloc.Inst) {
	a, t := e.asm, e.cpu.EndTemps[0]
	slow, back := e.NewLabel(), e.NewLabel()
	a.Load(Copy, S64, t, e.cpu.stack(e.LocalsAt+8))
	a.JumpIfBits(S32, t, abi.NewChunk, slow)
	a.Store(S32, e.cpu.word(abi.SSP), t)
	e.Bind(back)
	var set regalloc.RegSet
	for i := range r.Uses {
		set = set.With(r.Uses[i].Loc.Reg())
	}
	s := e.savingOf(set)
	pos := e.Pos
	e.Later(func() {
		e.Bind(slow)
		out := e.NewLabel()
		e.leaveChunk(t, e.cpu.EndTemps[1], out)
		a.Goto(back)
		e.Bind(out)
		a.Store(S64, e.cpu.word(abi.Args), t)
		e.leaveSaved(s, abi.Site{Reason: abi.UnlocalExit, Pos: pos}, nil, nil)
		a.Goto(back)
	})
}

// leaveChunk makes the last chunk the spare one, as exec.PopChunk does; t has the frame's second
// word. If a spare chunk exists already, or the previous chunk is unknown, it jumps to out, with
// only u changed.
func (e *Emitter) leaveChunk(t, u Reg, out Label) {
	a := e.asm
	a.Load(Zext32, S32, u, e.cpu.word(abi.Spare))
	a.JumpIfZero(Ne, S32, u, out)
	a.Load(Zext32, S32, u, e.cpu.word(abi.Chunk))
	a.JumpIfZero(Eq, S32, u, out)
	a.Store(S32, e.cpu.word(abi.Spare), u)
	e.moveHalf(abi.SpareEnd, abi.SLim, u)
	e.moveHalf(abi.SLim, abi.Before, u)
	a.OpConst(And, S32, t, t, ^abi.NewChunk)
	a.Store(S32, e.cpu.word(abi.SSP), t)
	a.StoreConst(S32, e.cpu.word(abi.Chunk), 0)
	a.AddTo(S32, e.cpu.word(abi.Moves), -1)
}
