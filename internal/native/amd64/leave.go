package amd64

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// # Places where the code is left
//
// A saving is a set of registers that stands on the stack while Go code runs.

// A saving says which registers are kept, lowest word first.
type saving []Reg

func (m *room) savingOf(set regalloc.RegSet) saving {
	s := saving(m.savings.Make(set.Len()))[:0]
	for ; set != 0; set &= set - 1 {
		s = append(s, Reg(set.First()))
	}
	return s
}

func (s saving) bytes() int32 { return int32(8 * len(s)) }

func (e *emitter) save(s saving) {
	if len(s) == 0 {
		return
	}
	e.note(abi.Note{Kind: abi.NoteSave})
	e.a.RM(LEA, S64, RSP, At(RSP, -s.bytes()))
	for i, r := range s {
		op := MOV
		if r.IsXMM() {
			op = MOVSD
		}
		e.a.MR(op, S64, At(RSP, int32(8*i)), r)
	}
}

func (e *emitter) restore(s saving) {
	if len(s) == 0 {
		return
	}
	e.note(abi.Note{Kind: abi.NoteRestore})
	for i, r := range s {
		op := MOV
		if r.IsXMM() {
			op = MOVSD
		}
		e.a.RM(op, S64, r, At(RSP, int32(8*i)))
	}
	e.a.RM(LEA, S64, RSP, At(RSP, s.bytes()))
}

// rootSet are the registers that hold roots of an instruction.
func rootSet(r *regalloc.Inst, roots []uint16) (set regalloc.RegSet) {
	for _, i := range roots {
		if l := r.Uses[i].Loc; l.IsReg() {
			set = set.With(l.Reg())
		}
	}
	return set
}

// rootWords are the words of the frame that hold the roots of an instruction
// whose registers are saved as s says. They hold until the next call.
func (e *emitter) rootWords(r *regalloc.Inst, roots []uint16, s saving) []int32 {
	words := e.words[:0]
	for _, i := range roots {
		switch l := r.Uses[i].Loc; {
		case l.IsReg():
			words = append(words, int32(slices.Index(s, Reg(l.Reg()))))
		case l.IsSlot():
			words = append(words, (s.bytes()+e.slotBase)/8+l.Slot())
		}
	}
	e.words = words
	return words
}

// callStub calls the exit stub and notes the site.
func (e *emitter) callStub(site abi.Site, words []int32, v *ir.Value) {
	if site.Reason == abi.HostExit && e.f.Module.Hosts[site.A].Yields() {
		after := e.a.NewLabel()
		e.a.RM(LEA, S64, RAX, AtLabel(after))
		e.a.u8(0xe9)
		e.rel(abi.RelYield, 0)
		e.a.Bind(after)
	} else {
		e.a.u8(0xe8)
		e.rel(abi.RelStub, 0)
	}
	e.site(site, words, v)
}

// rel writes a distance that publication fills in.
func (e *emitter) rel(kind abi.RelocKind, n int32) {
	e.room.out.relocs = append(e.room.out.relocs, abi.Reloc{PC: int32(e.a.Pos()), Kind: kind, N: n})
	e.a.i32(0)
}

// site notes what this place, a return address, means. v is the operation, nil
// where a panic begins.
func (e *emitter) site(site abi.Site, words []int32, v *ir.Value) {
	site.PC = int32(e.a.Pos())
	if site.Pos == 0 {
		site.Pos = e.pos
	}
	slices.Sort(words)
	words = slices.Compact(words)
	key := e.key[:0]
	for _, w := range words {
		key = append(key, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	at, ok := e.mapAt[string(key)]
	if !ok {
		at = int32(len(e.room.out.maps))
		e.room.out.maps = append(e.room.out.maps, words...)
		e.mapAt[string(key)] = at
	}
	e.key = key
	site.Root, site.Roots = at, int32(len(words))
	var locals []int32
	if v != nil && e.keeps[v.ID] != nil {
		_, locals = e.keeps[v.ID].Kept()
	}
	site.Run, site.Runs = e.tabler.At(v, locals)
	e.room.out.sites = append(e.room.out.sites, site)
}

// exitInline leaves for ever.
func (e *emitter) exitInline(r *regalloc.Inst, in *inst, reason abi.Reason) {
	e.callStub(abi.Site{Reason: reason}, nil, nil)
}

// exit writes an operation of the handler.
func (e *emitter) exit(r *regalloc.Inst, in *inst) {
	e.storeArgs(r, in.nargs)
	s := e.savingOf(r.Live | rootSet(r, in.roots))
	e.save(s)
	e.callStub(abi.Site{Reason: in.exit, Extra: s.bytes(), A: in.v.Aux, B: in.v.Aux2, Pos: in.v.Pos}, e.rootWords(r, in.roots, s), in.v)
	e.restore(s)
	if len(r.Defs) > 0 {
		e.loadArg(def(r), 0)
	}
}

func (e *emitter) loadArg(d Reg, i int32) {
	op := MOV
	if d.IsXMM() {
		op = MOVSD
	}
	e.a.RM(op, S64, d, ctx(abi.Args+8*i))
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
			e.a.RM(MOVSD, S64, scratch, e.slot(u.Loc, 0))
			e.a.MR(MOVSD, S64, m, scratch)
		default:
			e.a.RM(MOVSD, S64, scratch, e.const8(uint64(e.insts[e.remat[u.V]].imm)))
			e.a.MR(MOVSD, S64, m, scratch)
		}
	}
}

// prologue makes the frame.
func (e *emitter) prologue(r *regalloc.Inst) {
	a := e.a
	o := e.out
	a.RI(SUB, S64, RSP, int64(e.frame))
	slow, back := a.NewLabel(), a.NewLabel()
	if o.Adjust != 0 {
		// R12 carries no argument.
		if o.Adjust == int64(int32(o.Adjust)) {
			a.MI(ADD, S64, ctx(abi.Limit), o.Adjust)
		} else {
			a.MovImm(R12, o.Adjust)
			a.MR(ADD, S64, ctx(abi.Limit), R12)
		}
		if o.Adjust < 0 {
			// The limit has gone down: memory may end above it.
			a.RM(MOV, S64, R12, ctx(abi.Limit))
			a.RM(CMP, S64, R12, ctx(abi.Bottom))
			a.Jcc(B, slow)
		}
	}
	a.RM(CMP, S64, RSP, ctx(abi.Limit))
	a.Jcc(B, slow)
	a.Bind(back)
	var set regalloc.RegSet
	for i := range r.Defs {
		set = set.With(r.Defs[i].Reg)
	}
	s := e.savingOf(set)
	var words []int32
	if e.keepIn != nil {
		bases, _ := e.keepIn.Kept()
		list, _ := e.placesOf(e.f.Sig.Params)
		for _, b := range bases {
			reg := inMemory
			switch b.Op {
			case ir.OpClosure:
				reg = regClosure
			case ir.OpArg:
				p := list[b.Aux]
				if p.reg == inMemory {
					words = append(words, (s.bytes()+8)/8+p.word)
					continue
				}
				reg = p.reg
			}
			if i := slices.Index(s, reg); i >= 0 {
				words = append(words, int32(i))
			}
		}
	}
	e.stubs = append(e.stubs, func() {
		// There may be no memory where the frame is: what is saved goes above it.
		a.Bind(slow)
		a.RI(ADD, S64, RSP, int64(e.frame))
		e.save(s)
		e.callStub(abi.Site{Reason: abi.EnterExit, Extra: s.bytes() - e.frame, Pos: e.f.Pos}, words, nil)
		e.restore(s)
		a.RI(SUB, S64, RSP, int64(e.frame))
		a.Jmp(back)
	})
}

// epilogue leaves the function; the results are in their places.
func (e *emitter) epilogue(r *regalloc.Inst) {
	a := e.a
	if e.locSize > 0 {
		slow, back := a.NewLabel(), a.NewLabel()
		a.RM(MOV, S64, R11, At(RSP, e.locals+8))
		a.RI(TEST, S32, R11, abi.NewChunk)
		a.Jcc(NE, slow)
		a.MR(MOV, S32, ctx(abi.SSP), R11)
		a.Bind(back)
		var set regalloc.RegSet
		for i := range r.Uses {
			set = set.With(r.Uses[i].Loc.Reg())
		}
		s := e.savingOf(set)
		pos := e.pos
		e.stubs = append(e.stubs, func() {
			a.Bind(slow)
			leave := a.NewLabel()
			e.leaveChunk(leave)
			a.Jmp(back)
			a.Bind(leave)
			a.MR(MOV, S64, ctx(abi.Args), R11)
			e.save(s)
			e.callStub(abi.Site{Reason: abi.UnlocalExit, Extra: s.bytes(), Pos: pos}, nil, nil)
			e.restore(s)
			a.Jmp(back)
		})
	}
	if adj := e.out.Adjust; adj != 0 {
		if adj == int64(int32(adj)) {
			a.MI(SUB, S64, ctx(abi.Limit), adj)
		} else {
			a.MovImm(R11, adj)
			a.MR(SUB, S64, ctx(abi.Limit), R11)
		}
	}
	a.RI(ADD, S64, RSP, int64(e.frame))
	a.None(RET)
}

// enterLocals makes the shadow frame.
func (e *emitter) enterLocals(r *regalloc.Inst, in *inst) {
	a := e.a
	t, u, x := tmp(r, 0), tmp(r, 1), tmp(r, 2)
	slow, back := a.NewLabel(), a.NewLabel()
	a.RM(MOV, S32, t, ctx(abi.SSP))
	if e.locSize == int64(int32(e.locSize)) {
		a.RM(LEA, S64, u, At(t, int32(e.locSize)))
	} else {
		a.MovImm(u, e.locSize)
		a.RR(ADD, S64, u, t)
	}
	a.RM(MOV, S32, x, ctx(abi.SLim)) // the sum may have 33 bits
	a.RR(CMP, S64, u, x)
	a.Jcc(A, slow)
	a.MR(MOV, S32, ctx(abi.SSP), u)
	a.MR(MOV, S64, At(RSP, e.locals), t)
	a.MR(MOV, S64, At(RSP, e.locals+8), t)
	a.Bind(back)
	if n := e.tabler.Zeroed(); n > 0 {
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
	s := e.savingOf(r.Live | rootSet(r, in.roots))
	e.stubs = append(e.stubs, func() {
		a.Bind(slow)
		leave := a.NewLabel()
		e.enterSpare(t, u, x, leave)
		a.Jmp(back)
		a.Bind(leave)
		e.save(s)
		e.callStub(abi.Site{Reason: abi.LocalsExit, Extra: s.bytes(), A: e.locSize, Pos: e.f.Pos}, e.rootWords(r, in.roots, s), nil)
		e.restore(s)
		a.RM(MOV, S64, t, At(RSP, e.locals))
		a.Jmp(back)
	})
}

// enterSpare makes the shadow frame in the chunk that is kept, as exec.PushChunk
// does, its address in t. It jumps to leave, with nothing changed but t, u and x,
// where there is none that is large enough.
func (e *emitter) enterSpare(t, u, x Reg, leave Label) {
	a := e.a
	if e.locSize != int64(int32(e.locSize)) {
		a.Jmp(leave)
		return
	}
	a.RM(MOV, S32, u, ctx(abi.Spare))
	a.RR(TEST, S32, u, u)
	a.Jcc(E, leave)
	a.RM(LEA, S64, x, At(u, int32(e.locSize)))
	a.RM(MOV, S32, t, ctx(abi.SpareEnd))
	a.RR(CMP, S64, x, t)
	a.Jcc(A, leave)
	a.MR(MOV, S64, At(RSP, e.locals), u)
	a.MR(MOV, S32, ctx(abi.Chunk), u)
	a.RM(MOV, S32, u, ctx(abi.SLim))
	a.MR(MOV, S32, ctx(abi.Before), u)
	a.MR(MOV, S32, ctx(abi.SLim), t)
	a.RM(MOV, S32, t, ctx(abi.SSP))
	a.RI(OR, S32, t, abi.NewChunk)
	a.MR(MOV, S64, At(RSP, e.locals+8), t)
	a.MR(MOV, S32, ctx(abi.SSP), x)
	a.MI(MOV, S32, ctx(abi.Spare), 0)
	a.MI(ADD, S32, ctx(abi.Moves), 1)
	a.RM(MOV, S64, t, At(RSP, e.locals))
}

// leaveChunk makes the last chunk the one that is kept, as exec.PopChunk does; R11 has
// the frame's second word. It jumps to leave, with nothing changed but R12, where
// one is kept already, and where the one before is not known.
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
func (e *emitter) gas(r *regalloc.Inst, in *inst) {
	a := e.a
	if len(r.Temps) > 0 {
		a.MovImm(tmp(r, 0), in.imm)
		a.RR(SUB, S64, regGas, tmp(r, 0))
	} else {
		a.RI(SUB, S64, regGas, in.imm)
	}
	if !in.late {
		e.gasSlow(r, in)
	}
}

func (e *emitter) gasN(r *regalloc.Inst, in *inst) {
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
// Once a quantum is due the register stays below 0 until a loop's charge, so a plain
// charge that finds it there compares with the limit for plain ones. A function
// without such loops, which may call itself for long, compares with that at once.
func (e *emitter) gasSlow(r *regalloc.Inst, in *inst) {
	a := e.a
	slow, back := a.NewLabel(), a.NewLabel()
	if !e.polls {
		a.RM(CMP, S64, regGas, ctx(abi.Plim))
	}
	a.Jcc(L, slow)
	a.Bind(back)
	s := e.savingOf(r.Live | rootSet(r, in.roots))
	e.stubs = append(e.stubs, func() {
		a.Bind(slow)
		if in.exit == abi.GasExit && e.polls {
			a.RM(CMP, S64, regGas, ctx(abi.Plim))
			a.Jcc(GE, back)
		}
		if in.run != nil {
			e.gasSteps(r, in, s, back)
			return
		}
		e.save(s)
		v := in.v
		if in.exit == abi.GasExit {
			v = nil
		}
		e.callStub(abi.Site{Reason: in.exit, Extra: s.bytes(), Pos: in.v.Pos}, e.rootWords(r, in.roots, s), v)
		e.restore(s)
		a.Jmp(back)
	})
}

// gasSteps makes charges one by one that could not be made together.
func (e *emitter) gasSteps(r *regalloc.Inst, in *inst, s saving, back Label) {
	a := e.a
	a.RI(ADD, S64, regGas, in.imm)
	for _, v := range in.run {
		a.RI(SUB, S64, regGas, v.Aux)
		if v.IsLate() {
			continue
		}
		next := a.NewLabel()
		site := abi.Site{Reason: abi.GasExit, Extra: s.bytes(), Pos: v.Pos}
		if v.Op == ir.OpGasLoop {
			a.Jcc(GE, next)
			e.save(s)
			site.Reason = abi.LoopExit
			e.callStub(site, e.rootWords(r, in.roots, s), v)
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
func (e *emitter) check(r *regalloc.Inst, in *inst) {
	l := e.a.NewLabel()
	cond := e.compare(r, in.cmp)
	trap := ir.Trap(in.v.Aux)
	if in.kind == kBounds {
		e.a.Jcc(cond, l)
		args := []*ir.Value{in.v.Args[0], in.v.Args[1]}
		var locs []regalloc.Loc
		var imms []int64
		for _, x := range args {
			loc, imm := regalloc.Nowhere, int64(0)
			c := in.cmp
			switch {
			case c.m.kind != memNone && (x == c.a) == c.left:
				loc = loadedArg
			case c.isImm && x == c.b:
				imm = c.imm
			case x == c.a || c.left:
				loc = r.Uses[c.use].Loc
			default:
				loc = r.Uses[c.use+1].Loc
			}
			locs, imms = append(locs, loc), append(imms, imm)
		}
		e.trapStub(l, in, trap, func() {
			if in.cmp.m.kind != memNone {
				e.a.RM(MOVSD, S64, scratch, e.mem(r, &in.cmp.m))
			}
			e.trapArgs(locs, imms)
		})
		return
	}
	if in.cmp.parity() {
		if cond == E { // fails when not equal or not ordered
			e.a.Jcc(P, l)
			e.a.Jcc(NE, l)
		} else {
			over := e.a.NewLabel()
			e.a.Jcc(P, over)
			e.a.Jcc(E, l)
			e.a.Bind(over)
		}
	} else {
		e.a.Jcc(cond.Not(), l)
	}
	var locs []regalloc.Loc
	var imms []int64
	for _, u := range r.Uses[in.nargs:] {
		imm := int64(0)
		if u.Loc == regalloc.Again {
			imm = e.insts[e.remat[u.V]].imm
			u.Loc = regalloc.Nowhere
		}
		locs, imms = append(locs, u.Loc), append(imms, imm)
	}
	e.trapStub(l, in, trap, func() { e.trapArgs(locs, imms) })
}

// loadedArg is the place of an argument of a trap that was compared in memory.
const loadedArg = regalloc.Loc(scratch)

// trapArgs puts up to two integers, in places or (Nowhere) constants, into the
// first two argument registers.
func (e *emitter) trapArgs(locs []regalloc.Loc, imms []int64) {
	a := e.a
	load := func(d Reg, i int) {
		switch l := locs[i]; {
		case l.IsReg():
			e.copyReg(d, Reg(l.Reg()))
		case l.IsSlot():
			a.RM(MOV, S64, d, e.slot(l, 0))
		default:
			a.MovImm(d, imms[i])
		}
	}
	is := func(i int, r Reg) bool { return locs[i].IsReg() && Reg(locs[i].Reg()) == r }
	switch {
	case len(locs) == 0:
	case len(locs) == 1:
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

// trapStub calls, out of line, the function that raises a trap. All other
// registers are forgotten: nothing lives on.
func (e *emitter) trapStub(l Label, in *inst, trap ir.Trap, args func()) {
	a := e.a
	fn := e.env.Trap(trap)
	pos := in.v.Pos
	e.stubs = append(e.stubs, func() {
		a.Bind(l)
		if args != nil {
			args()
		}
		if fn == 0 {
			e.callStub(abi.Site{Reason: abi.TrapExit, A: int64(trap), Pos: pos}, nil, nil)
			return
		}
		e.callFunc(fn)
		e.site(abi.Site{A: int64(fn), Pos: pos}, nil, nil)
	})
}

// callFunc calls a function through the table.
func (e *emitter) callFunc(fn int32) {
	if fn == e.f.Index {
		e.a.Call(e.start)
		return
	}
	e.a.u8(0xff, 0x15)
	e.rel(abi.RelTable, fn)
}

func (e *emitter) call(r *regalloc.Inst, in *inst) {
	a := e.a
	v := in.v
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
		a.RM(CMP, S64, regIndex, ctx(abi.NumFuncs))
		a.Jcc(AE, bad)
		if e.checked {
			ok := a.NewLabel()
			a.RM(MOV, S64, R13, ctx(abi.Sigs))
			a.RM(MOV, S32, R13, At(R13, 0).Plus(regIndex, 4))
			a.RI(CMP, S32, R13, int64(int32(e.env.SigID(v.Sig))))
			a.Jcc(E, ok)
			a.RI(CMP, S32, R13, -1)
			a.Jcc(NE, bad)
			a.Bind(ok)
		}
		a.RM(MOV, S64, R12, ctx(abi.Table))
		a.M(CALLR, S64, At(R12, 0).Plus(regIndex, 8))
		e.stubs = append(e.stubs, func() {
			a.Bind(bad)
			e.callStub(abi.Site{Reason: abi.BadCallExit, Pos: v.Pos}, nil, nil)
		})
	}
	words := e.words[:0]
	for _, i := range in.roots {
		if l := r.Uses[i].Loc; l.IsSlot() {
			words = append(words, e.slotBase/8+l.Slot())
		}
	}
	e.words = words
	e.site(site, words, v)
}
