package amd64

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
	e.a.RM(LEA, S64, RSP, At(RSP, -s.Bytes()))
	for i, r := range s {
		e.a.MR(moveOf(Reg(r)), S64, At(RSP, int32(8*i)), Reg(r))
	}
}

func (e *emitter) restore(s plan.Saving) {
	if len(s) == 0 {
		return
	}
	e.Note(abi.Note{Kind: abi.NoteRestore})
	for i, r := range s {
		e.a.RM(moveOf(Reg(r)), S64, Reg(r), At(RSP, int32(8*i)))
	}
	e.a.RM(LEA, S64, RSP, At(RSP, s.Bytes()))
}

// callStub calls the exit stub and notes the site.
func (e *emitter) callStub(site abi.Site, words []int32, v *ir.Value) {
	if e.Yields(&site) {
		after := e.a.NewLabel()
		e.a.RM(LEA, S64, RAX, AtLabel(after))
		e.a.transfer(0xe9)
		e.rel(abi.RelYield, 0)
		e.a.Bind(after)
	} else {
		e.a.transfer(0xe8)
		e.rel(abi.RelStub, 0)
	}
	e.Site(site, words, v)
	if n := site.Below(); n != 0 {
		e.a.MI(ADD, S64, ctx(abi.Limit), n)
	}
}

// rel writes a distance that publication fills in.
func (e *emitter) rel(kind abi.RelocKind, n int32) {
	e.Reloc(kind, n)
	e.a.i32(0)
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
func (e *emitter) loadArg(d Reg) {
	e.a.RM(moveOf(d), S64, d, ctx(abi.Args))
}

// storeArgs stores the first n operands to the context.
func (e *emitter) storeArgs(r *regalloc.Inst, n int) {
	for i, u := range r.Uses[:n] {
		m := ctx(abi.Args + 8*int32(i))
		switch {
		case u.Loc.IsReg() && isXMM(u.Loc):
			e.a.MR(MOVSD, S64, m, Reg(u.Loc.Reg()))
		case u.Loc.IsReg():
			e.a.MR(MOV, S64, m, Reg(u.Loc.Reg()))
		case u.Loc.IsSlot():
			e.a.RM(MOVSD, S64, scratch, e.slot(u.Loc))
			e.a.MR(MOVSD, S64, m, scratch)
		default:
			e.a.RM(MOVSD, S64, scratch, e.const8(uint64(e.Remat(u.V).Imm)))
			e.a.MR(MOVSD, S64, m, scratch)
		}
	}
}

// prologue makes the frame. A leaf (ir.Func.IsLeaf) does not compare with the limit; whatever it spills
// has room below the limit.
func (e *emitter) prologue(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	o := e.Out
	if e.Frame != 0 {
		a.RI(SUB, S64, RSP, int64(e.Frame))
	}
	leaf := e.F.IsLeaf() && e.Frame <= abi.LeafSlack
	if leaf && o.Adjust == 0 {
		return
	}
	slow, back := a.NewLabel(), a.NewLabel()
	if o.Adjust != 0 {
		// R12 carries no argument.
		if o.Adjust == int64(int32(o.Adjust)) {
			a.MI(ADD, S64, ctx(abi.Limit), o.Adjust)
		} else {
			a.MovImm(R12, o.Adjust)
			a.MR(ADD, S64, ctx(abi.Limit), R12)
		}
		if leaf {
			return
		}
		if o.Adjust < 0 {
			// The limit has gone down: memory may end above it.
			a.RM(MOV, S64, R12, ctx(abi.Limit))
			a.RM(CMP, S64, R12, ctx(abi.Bottom))
			a.Jcc(B, slow)
		}
	}
	if !e.F.IsLeaf() {
		a.RM(CMP, S64, RSP, ctx(abi.Limit))
		a.Jcc(B, slow)
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
		a.RI(ADD, S64, RSP, int64(e.Frame))
		e.save(s)
		e.callStub(abi.Site{Reason: abi.EnterExit, Extra: s.Bytes() - e.Frame, Pos: e.F.Pos}, words, nil)
		e.restore(s)
		a.RI(SUB, S64, RSP, int64(e.Frame))
		a.Jmp(back)
	})
}

// epilogue leaves the function; the results are in their places.
func (e *emitter) epilogue(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	if e.LocSize > 0 {
		slow, back := a.NewLabel(), a.NewLabel()
		a.RM(MOV, S64, R11, At(RSP, e.LocalsAt+8))
		a.RI(TEST, S32, R11, abi.NewChunk)
		a.Jcc(NE, slow)
		a.MR(MOV, S32, ctx(abi.SSP), R11)
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
			a.Jmp(back)
			a.Bind(leave)
			a.MR(MOV, S64, ctx(abi.Args), R11)
			e.save(s)
			e.callStub(abi.Site{Reason: abi.UnlocalExit, Extra: s.Bytes(), Pos: pos}, nil, nil)
			e.restore(s)
			a.Jmp(back)
		})
	}
	if adj := e.Out.Adjust; adj != 0 {
		if adj == int64(int32(adj)) {
			a.MI(SUB, S64, ctx(abi.Limit), adj)
		} else {
			a.MovImm(R11, adj)
			a.MR(SUB, S64, ctx(abi.Limit), R11)
		}
	}
	if e.Frame != 0 {
		a.RI(ADD, S64, RSP, int64(e.Frame))
	}
	a.None(RET)
}

// enterLocals makes the shadow frame.
func (e *emitter) enterLocals(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	t, u, x := tmp(r, 0), tmp(r, 1), tmp(r, 2)
	slow, back := a.NewLabel(), a.NewLabel()
	a.RM(MOV, S32, t, ctx(abi.SSP))
	if e.LocSize == int64(int32(e.LocSize)) {
		a.RM(LEA, S64, u, At(t, int32(e.LocSize)))
	} else {
		a.MovImm(u, e.LocSize)
		a.RR(ADD, S64, u, t)
	}
	a.RM(MOV, S32, x, ctx(abi.SLim)) // the sum may have 33 bits
	a.RR(CMP, S64, u, x)
	a.Jcc(A, slow)
	a.MR(MOV, S32, ctx(abi.SSP), u)
	a.MR(MOV, S64, At(RSP, e.LocalsAt), t)
	a.MR(MOV, S64, At(RSP, e.LocalsAt+8), t)
	a.Bind(back)
	if n := e.Tabler.Zeroed(); n > 0 {
		if n <= 256 {
			e.clearBytes(t, n)
		} else {
			loop := a.NewLabel()
			a.RM(LEA, S64, t, At(regBase, 0).Plus(t, 1))
			a.RM(LEA, S64, u, At(t, int32(n)))
			a.RR(XORPS, S32, scratch, scratch)
			a.Bind(loop)
			a.MR(MOVSD, S64, At(t, 0), scratch)
			a.RI(ADD, S64, t, 8)
			a.RR(CMP, S64, t, u)
			a.Jcc(B, loop)
		}
	}
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		leave := a.NewLabel()
		e.enterSpare(t, u, x, leave)
		a.Jmp(back)
		a.Bind(leave)
		e.save(s)
		e.callStub(abi.Site{Reason: abi.LocalsExit, Extra: s.Bytes(), A: e.LocSize, Pos: e.F.Pos}, e.RootWords(r, in, s), nil)
		e.restore(s)
		a.RM(MOV, S64, t, At(RSP, e.LocalsAt))
		a.Jmp(back)
	})
}

// enterSpare makes the shadow frame in the spare chunk, as exec.PushChunk does, with its address in
// t. If no spare chunk is large enough, it jumps to leave, with only t, u and x changed.
func (e *emitter) enterSpare(t, u, x Reg, leave Label) {
	a := e.a
	if e.LocSize != int64(int32(e.LocSize)) {
		a.Jmp(leave)
		return
	}
	a.RM(MOV, S32, u, ctx(abi.Spare))
	a.RR(TEST, S32, u, u)
	a.Jcc(E, leave)
	a.RM(LEA, S64, x, At(u, int32(e.LocSize)))
	a.RM(MOV, S32, t, ctx(abi.SpareEnd))
	a.RR(CMP, S64, x, t)
	a.Jcc(A, leave)
	a.MR(MOV, S64, At(RSP, e.LocalsAt), u)
	a.MR(MOV, S32, ctx(abi.Chunk), u)
	a.RM(MOV, S32, u, ctx(abi.SLim))
	a.MR(MOV, S32, ctx(abi.Before), u)
	a.MR(MOV, S32, ctx(abi.SLim), t)
	a.RM(MOV, S32, t, ctx(abi.SSP))
	a.RI(OR, S32, t, abi.NewChunk)
	a.MR(MOV, S64, At(RSP, e.LocalsAt+8), t)
	a.MR(MOV, S32, ctx(abi.SSP), x)
	a.MI(MOV, S32, ctx(abi.Spare), 0)
	a.MI(ADD, S32, ctx(abi.Moves), 1)
	a.RM(MOV, S64, t, At(RSP, e.LocalsAt))
}

// leaveChunk makes the last chunk the spare one, as exec.PopChunk does; R11 has the frame's second
// word. If a spare chunk exists already, or the previous chunk is unknown, it jumps to leave, with
// only R12 changed.
func (e *emitter) leaveChunk(leave Label) {
	a := e.a
	a.RM(MOV, S32, R12, ctx(abi.Spare))
	a.RR(TEST, S32, R12, R12)
	a.Jcc(NE, leave)
	a.RM(MOV, S32, R12, ctx(abi.Chunk))
	a.RR(TEST, S32, R12, R12)
	a.Jcc(E, leave)
	a.MR(MOV, S32, ctx(abi.Spare), R12)
	a.RM(MOV, S32, R12, ctx(abi.SLim))
	a.MR(MOV, S32, ctx(abi.SpareEnd), R12)
	a.RM(MOV, S32, R12, ctx(abi.Before))
	a.MR(MOV, S32, ctx(abi.SLim), R12)
	a.RI(AND, S32, R11, ^abi.NewChunk)
	a.MR(MOV, S32, ctx(abi.SSP), R11)
	a.MI(MOV, S32, ctx(abi.Chunk), 0)
	a.MI(SUB, S32, ctx(abi.Moves), 1)
}

// gas writes a charge.
func (e *emitter) gas(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	if len(r.Temps) > 0 {
		a.MovImm(tmp(r, 0), in.Imm)
		a.RR(SUB, S64, regGas, tmp(r, 0))
	} else {
		a.RI(SUB, S64, regGas, in.Imm)
	}
	if !in.Late {
		e.gasSlow(r, in)
	}
}

func (e *emitter) gasLeft(r *regalloc.Inst, in *plan.Inst) { e.a.RR(MOV, S64, def(r), regGas) }

func (e *emitter) gasN(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	x, t := use(r, 0), tmp(r, 0)
	a.MovImm(t, 1<<62)
	a.RR(CMP, S64, x, t)
	a.Cmov(B, S64, t, x)
	a.RR(SUB, S64, regGas, t)
	e.gasSlow(r, in)
}

// gasSlow leaves when the register has run out.
//
// Once a quantum is due the register stays below 0 until a loop charge. So a plain charge that
// finds it below 0 compares with the limit for plain ones. A function without such loops, which may
// recurse for long, compares with that limit at once.
func (e *emitter) gasSlow(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	slow, back := a.NewLabel(), a.NewLabel()
	if !e.Polls {
		a.RM(CMP, S64, regGas, ctx(abi.Plim))
	}
	a.Jcc(L, slow)
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.unseen(func() {
		a.Bind(slow)
		if in.Exit == abi.GasExit && e.Polls {
			a.RM(CMP, S64, regGas, ctx(abi.Plim))
			a.Jcc(GE, back)
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
		a.Jmp(back)
	})
}

// gasSteps makes charges one by one that could not be made together.
func (e *emitter) gasSteps(r *regalloc.Inst, in *plan.Inst, s plan.Saving, back Label) {
	a := e.a
	a.RI(ADD, S64, regGas, in.Imm)
	for _, v := range in.Run {
		a.RI(SUB, S64, regGas, v.Aux)
		if v.IsLate() {
			continue
		}
		next := a.NewLabel()
		site := abi.Site{Reason: abi.GasExit, Extra: s.Bytes(), Pos: v.Pos}
		if v.Op == ir.OpGasLoop {
			a.Jcc(GE, next)
			e.save(s)
			site.Reason = abi.LoopExit
			e.callStub(site, e.RootWords(r, in, s), v)
		} else {
			a.RM(CMP, S64, regGas, ctx(abi.Plim))
			a.Jcc(GE, next)
			e.save(s)
			e.callStub(site, nil, nil)
		}
		e.restore(s)
		a.Bind(next)
	}
	a.Jmp(back)
}

// check writes a comparison whose failure is a panic.
func (e *emitter) check(r *regalloc.Inst, in *plan.Inst) {
	l := e.a.NewLabel()
	cond := e.compare(r, in.Cmp)
	switch {
	case in.Kind == plan.KBounds:
		e.a.Jcc(cond, l)
	case !in.Cmp.Equality():
		e.a.Jcc(cond.Not(), l)
	case cond == E: // fails when not equal or not ordered
		e.a.Jcc(P, l)
		e.a.Jcc(NE, l)
	default:
		over := e.a.NewLabel()
		e.a.Jcc(P, over)
		e.a.Jcc(E, l)
		e.a.Bind(over)
	}
	args := e.TrapArgs(r, in)
	e.trapStub(l, in, ir.Trap(in.V.Aux), func() {
		if in.Kind == plan.KBounds && in.Cmp.M.Kind != plan.MemNone {
			e.a.RM(MOVSD, S64, scratch, e.mem(r, &in.Cmp.M))
		}
		e.trapArgs(args)
	})
}

// trapArgs puts up to two integers into the first two argument registers.
func (e *emitter) trapArgs(args []plan.TrapArg) {
	a := e.a
	load := func(d Reg, i int) {
		switch l := args[i].Loc; {
		case l == regalloc.Scratch:
			e.copyReg(d, scratch)
		case l.IsReg():
			e.copyReg(d, Reg(l.Reg()))
		case l.IsSlot():
			a.RM(MOV, S64, d, e.slot(l))
		default:
			a.MovImm(d, args[i].Imm)
		}
	}
	is := func(i int, r Reg) bool { return args[i].Loc.IsReg() && Reg(args[i].Loc.Reg()) == r }
	switch {
	case len(args) == 0:
	case len(args) == 1:
		load(RAX, 0)
	case is(0, RBX) && is(1, RAX):
		a.RR(XCHG, S64, RAX, RBX)
	case is(0, RBX):
		load(RAX, 0)
		load(RBX, 1)
	default:
		load(RBX, 1)
		load(RAX, 0)
	}
}

// trapStub calls, out of line, the function that raises a trap. All other registers are forgotten:
// nothing stays live.
func (e *emitter) trapStub(l Label, in *plan.Inst, trap ir.Trap, args func()) {
	a := e.a
	fn := e.Env.Trap(trap)
	pos := in.V.Pos
	e.Later(func() {
		a.Bind(l)
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
		e.a.Call(e.Start)
		return
	}
	e.a.transfer(0xff, 0x15)
	e.rel(abi.RelTable, fn)
}

// callIndex calls the function whose index regIndex holds. It goes to bad if no such function
// exists or, with checked, its signature is another.
func callIndex(a *Asm, env *plan.Env, checked bool, sig *ir.Sig, bad Label) {
	a.RM(CMP, S64, regIndex, ctx(abi.NumFuncs))
	a.Jcc(AE, bad)
	if checked {
		ok := a.NewLabel()
		a.RM(MOV, S64, R13, ctx(abi.Sigs))
		a.RM(MOV, S32, R13, At(R13, 0).Plus(regIndex, 4))
		a.RI(CMP, S32, R13, int64(int32(env.SigID(sig))))
		a.Jcc(E, ok)
		a.RI(CMP, S32, R13, -1)
		a.Jcc(NE, bad)
		a.Bind(ok)
	}
	a.RM(MOV, S64, R12, ctx(abi.Table))
	a.M(CALLR, S64, At(R12, 0).Plus(regIndex, 8))
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
			a.RM(MOV, S64, regIndex, At(regBase, 0).Plus(regClosure, 1))
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
