package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

func (e *emitter) save(s plan.Saving) {
	if len(s) == 0 {
		return
	}
	e.Note(abi.Note{Kind: abi.NoteSave})
	e.a.addConst(regStack, regStack, int64(-s.Bytes()))
	e.eachSaved(s, STPX, STPD, e.a.store64)
}

func (e *emitter) restore(s plan.Saving) {
	if len(s) == 0 {
		return
	}
	e.Note(abi.Note{Kind: abi.NoteRestore})
	e.eachSaved(s, LDPX, LDPD, func(m Mem, r Reg) { e.a.load64(r, m) })
	e.a.addConst(regStack, regStack, int64(s.Bytes()))
}

// eachSaved moves the registers of a saving, two of a class by one instruction.
func (e *emitter) eachSaved(s plan.Saving, ints, floats PairOp, one func(Mem, Reg)) {
	for i := 0; i < len(s); i++ {
		r, off := Reg(s[i]), int32(8*i)
		if i+1 == len(s) || Reg(s[i+1]).IsVector() != r.IsVector() {
			one(At(regStack, off), r)
			continue
		}
		op := ints
		if r.IsVector() {
			op = floats
		}
		e.a.Pair(op, r, Reg(s[i+1]), regStack, off)
		i++
	}
}

// callStub calls the exit stub and notes the site.
func (e *emitter) callStub(site abi.Site, words []int32, v *ir.Value) {
	if e.Yields(&site) {
		after := e.a.NewLabel()
		e.a.Adr(scratch, after)
		e.jumpOut(abi.RelYield, 0, false)
		e.a.Bind(after)
	} else {
		e.jumpOut(abi.RelStub, 0, true)
	}
	e.Site(site, words, v)
	if n := site.Below(); n != 0 {
		e.a.addConst(regLimit, regLimit, n)
	}
}

// jumpOut jumps to code outside of the function, whose distance publication fills in, or calls it.
func (e *emitter) jumpOut(kind abi.RelocKind, n int32, call bool) {
	e.a.begin()
	e.Reloc(kind, n)
	if call {
		e.a.raw(0x94000000)
	} else {
		e.a.raw(0x14000000)
	}
	e.a.Leads = true
}

// leaveFor leaves for an operation of the handler.
func (e *emitter) leaveFor(reason abi.Reason, r *regalloc.Inst, in *plan.Inst, s plan.Saving) {
	e.save(s)
	site := abi.Site{Reason: reason, Extra: s.Bytes(), A: in.V.Aux, B: in.V.Aux2, Pos: in.V.Pos}
	e.callStub(site, e.RootWords(r, in, s), in.V)
	e.restore(s)
}

// exit writes an operation of the handler.
func (e *emitter) exit(r *regalloc.Inst, in *plan.Inst) {
	e.storeArgs(r, in.NArgs)
	s := e.SavingAt(r, in)
	e.leaveFor(in.Exit, r, in, s)
	if len(r.Defs) > 0 {
		e.loadArg(def(r))
	}
}

// loadArg loads the first of the context words by which exits pass operands and results.
func (e *emitter) loadArg(d Reg) { e.load64(d, ctx(abi.Args)) }

// storeArgs stores the first n operands to the context.
func (e *emitter) storeArgs(r *regalloc.Inst, n int) {
	for i, u := range r.Uses[:n] {
		reg := scratch
		switch {
		case u.Loc.IsReg():
			reg = Reg(u.Loc.Reg())
		case u.Loc.IsSlot():
			e.load64(scratch, e.slot(u.Loc))
		default:
			reg = e.computed(u.V)
		}
		e.store64(ctx(abi.Args+8*int32(i)), reg)
	}
}

// prologue makes the frame. A leaf (ir.Func.IsLeaf) does not compare with the limit; whatever it spills
// has room below the limit.
func (e *emitter) prologue(r *regalloc.Inst, in *plan.Inst) {
	a, o := e.a, e.Out
	if e.Frame == 0 {
		a.MemPre(STRX, regLink, regStack, -linkBytes)
	} else {
		a.addConst(regStack, regStack, int64(-e.Frame-linkBytes))
		e.store64(e.frame(e.Frame), regLink)
	}
	leaf := e.F.IsLeaf() && e.Frame <= abi.LeafSlack
	if leaf && o.Adjust == 0 {
		return
	}
	slow, back := a.NewLabel(), a.NewLabel()
	if o.Adjust != 0 {
		a.addConst(regLimit, regLimit, o.Adjust)
		if leaf {
			return
		}
		if o.Adjust < 0 {
			// The limit has gone down: memory may end above it.
			a.access(LDRX, scratch, ctx(abi.Bottom))
			a.Cmp(S64, regLimit, scratch)
			a.Bcond(LO, slow)
		}
	}
	if !e.F.IsLeaf() {
		a.Cmp(S64, regStack, regLimit)
		a.Bcond(LO, slow)
	}
	a.Bind(back)
	var set regalloc.RegSet
	for i := range r.Defs {
		set = set.With(r.Defs[i].Reg)
	}
	s := e.SavingOf(set)
	words := e.EntryWords(s)
	e.unseen(func() {
		// The frame may have no memory: saved registers go above it.
		a.Bind(slow)
		if e.Frame != 0 {
			a.addConst(regStack, regStack, int64(e.Frame))
		}
		e.save(s)
		e.callStub(abi.Site{Reason: abi.EnterExit, Extra: s.Bytes() - e.Frame, Pos: e.F.Pos}, words, nil)
		e.restore(s)
		if e.Frame != 0 {
			a.addConst(regStack, regStack, int64(-e.Frame))
		}
		a.B(back)
	})
}

// epilogue leaves the function; the results are in their places.
func (e *emitter) epilogue(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	if e.LocSize > 0 {
		slow, back := a.NewLabel(), a.NewLabel()
		e.load64(scratch, e.frame(e.LocalsAt+8))
		a.RRI(ANDS, S32, ZR, scratch, abi.NewChunk)
		a.Bcond(NE, slow)
		a.store32(ctx(abi.SSP), scratch)
		a.Bind(back)
		var set regalloc.RegSet
		for i := range r.Uses {
			set = set.With(r.Uses[i].Loc.Reg())
		}
		s := e.SavingOf(set)
		pos := e.Pos
		e.Later(func() {
			a.Bind(slow)
			leave := a.NewLabel()
			e.leaveChunk(leave)
			a.B(back)
			a.Bind(leave)
			e.store64(ctx(abi.Args), scratch)
			e.save(s)
			e.callStub(abi.Site{Reason: abi.UnlocalExit, Extra: s.Bytes(), Pos: pos}, nil, nil)
			e.restore(s)
			a.B(back)
		})
	}
	if adj := e.Out.Adjust; adj != 0 {
		a.addConst(regLimit, regLimit, -adj)
	}
	if e.Frame == 0 {
		a.MemPost(LDRX, regLink, regStack, linkBytes)
	} else {
		e.load64(regLink, e.frame(e.Frame))
		a.addConst(regStack, regStack, int64(e.Frame)+linkBytes)
	}
	a.Ret()
}

// enterLocals makes the shadow frame.
func (e *emitter) enterLocals(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	t, u, x := tmp(r, 0), tmp(r, 1), tmp(r, 2)
	slow, back := a.NewLabel(), a.NewLabel()
	a.load32(t, ctx(abi.SSP))
	a.addConst(u, t, e.LocSize)
	a.load32(x, ctx(abi.SLim)) // the sum may have 33 bits
	a.Cmp(S64, u, x)
	a.Bcond(HI, slow)
	a.store32(ctx(abi.SSP), u)
	e.store64(e.frame(e.LocalsAt), t)
	e.store64(e.frame(e.LocalsAt+8), t)
	a.Bind(back)
	if n := e.Tabler.Zeroed(); n > 0 {
		if n <= 256 {
			e.clearBytes(t, n)
		} else {
			loop := a.NewLabel()
			a.RRR(ADD, S64, t, regBase, t)
			a.addConst(u, t, n)
			a.Bind(loop)
			a.MemPost(STRX, ZR, t, 8)
			a.Cmp(S64, t, u)
			a.Bcond(LO, loop)
		}
	}
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		leave := a.NewLabel()
		e.enterSpare(t, u, x, leave)
		a.B(back)
		a.Bind(leave)
		e.save(s)
		e.callStub(abi.Site{Reason: abi.LocalsExit, Extra: s.Bytes(), A: e.LocSize, Pos: e.F.Pos}, e.RootWords(r, in, s), nil)
		e.restore(s)
		e.load64(t, e.frame(e.LocalsAt))
		a.B(back)
	})
}

// enterSpare makes the shadow frame in the spare chunk, as exec.PushChunk does, with its address in
// t. If no spare chunk is large enough, it jumps to leave, with only t, u and x changed.
func (e *emitter) enterSpare(t, u, x Reg, leave Label) {
	a := e.a
	a.load32(u, ctx(abi.Spare))
	a.Cbz(S32, u, leave)
	a.addConst(x, u, e.LocSize)
	a.load32(t, ctx(abi.SpareEnd))
	a.Cmp(S64, x, t)
	a.Bcond(HI, leave)
	e.store64(e.frame(e.LocalsAt), u)
	a.store32(ctx(abi.Chunk), u)
	a.load32(scratch, ctx(abi.SLim))
	a.store32(ctx(abi.Before), scratch)
	a.store32(ctx(abi.SLim), t)
	a.load32(t, ctx(abi.SSP))
	a.RRI(ORR, S32, t, t, abi.NewChunk)
	e.store64(e.frame(e.LocalsAt+8), t)
	a.store32(ctx(abi.SSP), x)
	a.store32(ctx(abi.Spare), ZR)
	a.addTo(abi.Moves, LDRW, STRW, 1)
	a.Mov(S64, t, u)
}

// leaveChunk makes the last chunk the spare one, as exec.PopChunk does; scratch has the frame's second
// word. If a spare chunk exists already, or the previous chunk is unknown, it jumps to leave, with
// only far changed.
func (e *emitter) leaveChunk(leave Label) {
	a := e.a
	a.load32(far, ctx(abi.Spare))
	a.Cbnz(S32, far, leave)
	a.load32(far, ctx(abi.Chunk))
	a.Cbz(S32, far, leave)
	a.store32(ctx(abi.Spare), far)
	a.load32(far, ctx(abi.SLim))
	a.store32(ctx(abi.SpareEnd), far)
	a.load32(far, ctx(abi.Before))
	a.store32(ctx(abi.SLim), far)
	a.RRI(AND, S32, scratch, scratch, ^abi.NewChunk)
	a.store32(ctx(abi.SSP), scratch)
	a.store32(ctx(abi.Chunk), ZR)
	a.addTo(abi.Moves, LDRW, STRW, -1)
}

// gas writes a charge.
func (e *emitter) gas(r *regalloc.Inst, in *plan.Inst) {
	op := SUBS
	if in.Late {
		op = SUB
	}
	e.charge(op, in.Imm)
	if !in.Late {
		e.gasSlow(r, in)
	}
}

// charge subtracts a charge, or adds it again.
func (e *emitter) charge(op Op, n int64) {
	if fitsImm(op, S64, n) {
		e.a.RRI(op, S64, regGas, regGas, n)
		return
	}
	e.a.MovImm(scratch, n)
	e.a.RRR(op, S64, regGas, regGas, scratch)
}

func (e *emitter) gasN(r *regalloc.Inst, in *plan.Inst) {
	a, x := e.a, use(r, 0)
	a.MovImm(scratch, 1<<62)
	a.Cmp(S64, x, scratch)
	a.Csel(S64, scratch, x, scratch, LO)
	a.RRR(SUBS, S64, regGas, regGas, scratch)
	e.gasSlow(r, in)
}

// belowPlain sets the flags of the gas and the limit for plain charges.
func (e *emitter) belowPlain() { e.a.Cmp(S64, regGas, regPlain) }

// gasSlow leaves when the register has run out.
//
// Once a quantum is due the register stays below 0 until a loop charge. So a plain charge that
// finds it below 0 compares with the limit for plain ones. A function without such loops, which may
// recurse for long, compares with that limit at once.
func (e *emitter) gasSlow(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	slow, back := a.NewLabel(), a.NewLabel()
	if !e.Polls {
		e.belowPlain()
	}
	a.Bcond(LT, slow)
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.unseen(func() {
		a.Bind(slow)
		if in.Exit == abi.GasExit && e.Polls {
			e.belowPlain()
			a.Bcond(GE, back)
		}
		if in.Run != nil {
			e.gasSteps(r, in, s, back)
			return
		}
		e.save(s)
		v := in.V
		if in.Exit == abi.GasExit {
			v = nil
		}
		e.callStub(abi.Site{Reason: in.Exit, Extra: s.Bytes(), Pos: in.V.Pos}, e.RootWords(r, in, s), v)
		e.restore(s)
		a.B(back)
	})
}

// gasSteps makes charges one by one that could not be made together.
func (e *emitter) gasSteps(r *regalloc.Inst, in *plan.Inst, s plan.Saving, back Label) {
	a := e.a
	e.charge(ADD, in.Imm)
	for _, v := range in.Run {
		e.charge(SUBS, v.Aux)
		if v.IsLate() {
			continue
		}
		next := a.NewLabel()
		site := abi.Site{Reason: abi.GasExit, Extra: s.Bytes(), Pos: v.Pos}
		if v.Op == ir.OpGasLoop {
			a.Bcond(GE, next)
			e.save(s)
			site.Reason = abi.LoopExit
			e.callStub(site, e.RootWords(r, in, s), v)
		} else {
			e.belowPlain()
			a.Bcond(GE, next)
			e.save(s)
			e.callStub(site, nil, nil)
		}
		e.restore(s)
		a.Bind(next)
	}
	a.B(back)
}

// check writes a comparison whose failure is a panic.
func (e *emitter) check(r *regalloc.Inst, in *plan.Inst) {
	l := e.a.NewLabel()
	e.jumpIf(r, in.Cmp, in.Kind == plan.KBounds, l)
	args := e.TrapArgs(r, in)
	e.trapStub(l, in, ir.Trap(in.V.Aux), func() { e.trapArgs(args) })
}

// trapArgs puts up to two integers into the first two argument registers.
func (e *emitter) trapArgs(args []plan.TrapArg) {
	a := e.a
	load := func(d Reg, i int) {
		switch l := args[i].Loc; {
		case l.IsReg():
			e.copyReg(d, Reg(l.Reg()))
		case l.IsSlot():
			e.load64(d, e.slot(l))
		default:
			a.MovImm(d, args[i].Imm)
		}
	}
	if len(args) > 1 {
		load(scratch, 1)
	}
	if len(args) > 0 {
		load(X0, 0)
	}
	if len(args) > 1 {
		a.Mov(S64, X1, scratch)
	}
}

// trapStub calls, out of line, the function that raises a trap. All other registers are forgotten:
// nothing stays live.
func (e *emitter) trapStub(l Label, in *plan.Inst, trap ir.Trap, args func()) {
	fn := e.Env.Trap(trap)
	pos := in.V.Pos
	e.Later(func() {
		e.a.Bind(l)
		if args != nil {
			args()
		}
		if fn == 0 {
			e.callStub(abi.Site{Reason: abi.TrapExit, A: int64(trap), Pos: pos}, nil, nil)
			return
		}
		e.callFunc(fn)
		e.Site(abi.Site{A: int64(fn), Pos: pos}, nil, nil)
	})
}

// callFunc calls a function through the table.
func (e *emitter) callFunc(fn int32) {
	if fn == e.F.Index {
		e.a.Bl(e.Start)
		return
	}
	e.a.begin()
	e.Reloc(abi.RelTable, fn)
	e.a.callTable()
}

// callTable calls the function of an entry of the table. CPU.Relocate writes where that is.
func (a *Asm) callTable() {
	a.raw(0x90000000 | scratch.code()) // adrp
	a.Mem(LDRX, scratch, At(scratch, 0))
	a.Blr(scratch)
}

// callIndex calls the function whose index regIndex holds. It goes to bad if no such function
// exists or, with checked, its signature is another.
func callIndex(a *Asm, env *plan.Env, checked bool, sig *ir.Sig, bad Label) {
	a.access(LDRX, scratch, ctx(abi.NumFuncs))
	a.Cmp(S64, regIndex, scratch)
	a.Bcond(HS, bad)
	if checked {
		ok := a.NewLabel()
		a.access(LDRX, scratch, ctx(abi.Sigs))
		a.Mem(LDRW, scratch, Mem{Base: scratch, Index: regIndex, Shift: 2})
		a.MovImm(far, int64(env.SigID(sig)))
		a.Cmp(S32, scratch, far)
		a.Bcond(EQ, ok)
		a.CmpImm(S32, scratch, -1)
		a.Bcond(NE, bad)
		a.Bind(ok)
	}
	a.access(LDRX, scratch, ctx(abi.Table))
	a.Mem(LDRX, scratch, Mem{Base: scratch, Index: regIndex, Shift: 3})
	a.Blr(scratch)
}

func (e *emitter) call(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	v := in.V
	site := abi.Site{A: -1, Pos: v.Pos, Shape: v.Shape}
	switch v.Op {
	case ir.OpCall:
		site.A = int64(v.Fn.Index)
		e.callFunc(v.Fn.Index)
	default:
		if v.Op == ir.OpCallClosure {
			a.Mem(LDRX, regIndex, Mem{Base: regBase, Index: regClosure})
		}
		bad := a.NewLabel()
		callIndex(a, e.Env, e.Checked, v.Sig, bad)
		e.Later(func() {
			a.Bind(bad)
			e.callStub(abi.Site{Reason: abi.BadCallExit, Pos: v.Pos}, nil, nil)
		})
	}
	e.Site(site, e.RootWords(r, in, nil), v)
}
