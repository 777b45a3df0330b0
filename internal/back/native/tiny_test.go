//go:build unix

package native

import (
	"encoding/binary"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # A processor that does not exist
//
// A tinyCPU proves that package plan and this package know no processor. Its code is a list of
// records of one size that a loop in Go executes (tinymachine_test.go), with a stack, calls, an
// exit and a table of functions like those of a real one. It differs from amd64 where processors
// differ: results never overwrite operands, nothing is computed in memory, addresses have no scales
// and short displacements, immediates are short, a call takes 16 bytes of the stack, bulk memory
// has no routines, and all allocations leave for the handler.

// A record is an instruction.
type record struct {
	do             action
	op             plan.Op
	size           plan.Size
	cond           plan.Cond
	float, checked bool
	at             anchor // of an address
	scale          uint8
	d, x, y, z     uint8 // registers
	mx, my         uint8 // of an address
	_              [2]uint8
	disp           int32
	to             int32 // distance to a label from the record's start
	imm            int64
}

const recordSize = int(unsafe.Sizeof(record{}))

// An anchor is the start of an address.
type anchor uint8

const (
	atNothing anchor = iota
	atBase
	atStack
)

// An action is what a record does. M is the memory at its address.
type action uint8

const (
	doTrap     action = iota
	doImm             // d = imm
	doUnary           // d = op x
	doBinary          // d = x op y
	doImmOp           // d = x op imm
	doFMA             // d = y*z + x
	doLea             // d = address
	doTruncLea        // d = its low 32 bits
	doLoad            // d = M, extended by op
	doStore           // M = x
	doStoreImm        // M = imm
	doStoreF          // M = x, canonical
	doCanon           // x and y become canonical
	doNear            // d = the constant of 64 bits at to
	doSet             // d = x cond y
	doIf              // jumps to to if x cond y, or imm with y == none
	doIfNot           // if not
	doJump
	doTable     // jumps to where entry x of the table at to says
	doMove      // copies imm bytes from y to x
	doClear     // clears imm bytes at x
	doStack     // moves the stack pointer by imm
	doLimit     // moves its limit by imm
	doEnter     // makes a frame of disp bytes, the limit moves by imm; to if there is no memory
	doReturn    // undoes that, and returns
	doLocals    // makes a shadow frame of imm bytes, its words at disp; to if its chunk is full; d is destroyed
	doUnlocals  // undoes that; to if the chunk ends, with the second word in d
	doCall      // calls the code at imm, or to, from here
	doCallTable // calls the code whose address is there
	doCallIndex // calls function x of the machine's table, of signature imm if checked; to if there is none
	doCharge    // gas -= imm
	doChargeReg // gas -= x, unsigned, at most 2^62
	doIfGas     // jumps to to if the gas is below 0, or, checked, below the limit for plain charges
	doFrameID
	doGasLeft
	doLeave // notes where it is and calls the handler: imm is what Why becomes, if not 0
	doRet
	doKeep   // saves the registers of arguments in the context
	doTarget // takes them from there and goes to Target
)

// Registers: floats from 16 on.
const (
	tinyInts      = 12
	tinyFloat     = 16
	tinyClosure   = 10
	tinyIndex     = 11
	tinySpare     = 30 // of moves between slots
	tinyScratch   = 31
	tinyNone      = 255
	tinyLink      = 16
	tinyArgs      = 5
	tinyFloatArgs = 4
)

// A tinyCPU implements plan.CPU.
type tinyCPU struct{ desc *plan.Desc }

func newTiny() *tinyCPU {
	d := &plan.Desc{
		Name: "tiny", Ints: 1<<tinyInts - 1, Floats: (1<<10 - 1) << tinyFloat,
		Closure: tinyClosure, Index: tinyIndex, ReturnClobber: 1 << 9,
		Temps: [plan.NumKinds]uint8{plan.KSwitch: 1, plan.KEnterLocals: 1},
		Fits: func(op plan.Op, x int64) bool {
			switch op {
			case plan.Add, plan.Sub, plan.Cmp:
				return x == int64(int8(x))
			}
			return false
		},
		Scales: 1 << 1, MaxDisp: 63, MaxAddress: 1 << 20, MoveBytes: 40, ClearBytes: 24,
		Link: tinyLink, Fill: 64, RelocBytes: [...]int32{int32(recordSize), int32(recordSize), int32(recordSize), int32(recordSize)}, ArenaBytes: 256 << 20,
	}
	for r := range regalloc.Reg(tinyArgs) {
		d.IntArgs = append(d.IntArgs, r)
	}
	for r := range regalloc.Reg(tinyFloatArgs) {
		d.FloatArgs = append(d.FloatArgs, tinyFloat+r)
	}
	return &tinyCPU{d}
}

func (c *tinyCPU) Desc() *plan.Desc       { return c.desc }
func (c *tinyCPU) Features() string       { return "tiny" }
func (c *tinyCPU) Missing() string        { return "" }
func (c *tinyCPU) NewWriter() plan.Writer { return &tinyWriter{cpu: c} }

// Relocate fills in the distance from a record.
func (c *tinyCPU) Relocate(code []byte, r abi.Reloc, at, to uintptr) {
	binary.NativeEndian.PutUint64(code[int(r.PC)+int(unsafe.Offsetof(record{}.imm)):], uint64(to-at)-uint64(r.PC))
}

// A tinyCode is a buffer of records.
type tinyCode struct {
	plan.Buffer
	fixes map[int]plan.Label
}

func (b *tinyCode) put(r record) {
	b.Buf = append(b.Buf, unsafe.Slice((*byte)(unsafe.Pointer(&r)), recordSize)...)
}

// jump appends a record with a label.
func (b *tinyCode) jump(r record, to plan.Label) {
	b.fixes[len(b.Buf)] = to
	b.put(r)
}

func (b *tinyCode) finish() {
	for at, l := range b.fixes {
		binary.NativeEndian.PutUint32(b.Buf[at+int(unsafe.Offsetof(record{}.to)):], uint32(b.Offset(l)-at))
	}
	clear(b.fixes)
}

// Stubs implements plan.CPU.
func (c *tinyCPU) Stubs(env *plan.Env, entry int32) *plan.Stubs {
	s := &plan.Stubs{Func: &abi.Func{Locals: -1}}
	b := &tinyCode{fixes: map[int]plan.Label{}}
	site := func(x abi.Site) {
		x.PC = int32(b.Pos())
		s.Sites = append(s.Sites, x)
	}
	exit := b.NewLabel()
	leave := func(x abi.Site) {
		b.jump(record{do: doCall}, exit)
		site(x)
	}
	b.Bind(exit)
	s.Exit = b.Pos()
	b.put(record{do: doLeave})
	b.put(record{do: doRet})
	s.Yield = b.Pos()
	b.put(record{do: doLeave, imm: int64(abi.YieldExit)})
	b.put(record{do: doRet})
	s.Compile = b.Pos()
	b.put(record{do: doKeep})
	b.put(record{do: doLeave, imm: int64(abi.CompileExit)})
	s.Enter = b.Pos()
	s.Jump = b.Pos()
	b.put(record{do: doTarget})
	s.Main = b.Pos()
	s.Relocs = append(s.Relocs, abi.Reloc{PC: int32(b.Pos()), Kind: abi.RelTable, N: entry})
	b.put(record{do: doCallTable})
	site(abi.Site{A: int64(entry)})
	leave(abi.Site{Reason: abi.EndExit})
	s.Closure = b.Pos()
	bad := b.NewLabel()
	b.put(record{do: doLoad, op: plan.Copy, size: plan.S64, d: tinyClosure, at: atStack, mx: tinyNone, my: tinyNone})
	b.put(record{do: doLoad, op: plan.Copy, size: plan.S64, d: tinyIndex, at: atBase, mx: tinyClosure, my: tinyNone})
	index := record{do: doCallIndex, x: tinyIndex, checked: env.Checked}
	if env.Checked {
		index.imm = int64(env.SigID(&ir.Sig{}))
	}
	b.jump(index, bad)
	site(abi.Site{A: -1})
	leave(abi.Site{Reason: abi.EndExit})
	b.Bind(bad)
	leave(abi.Site{Reason: abi.BadCallExit})
	b.finish()
	s.Code = b.Buf
	return s
}

// A tinyWriter implements plan.Writer.
type tinyWriter struct {
	*plan.Emitter
	cpu *tinyCPU
	b   tinyCode
}

func (w *tinyWriter) Begin(e *plan.Emitter) *plan.Buffer {
	w.Emitter, w.b.fixes = e, map[int]plan.Label{}
	w.b.Reset()
	return &w.b.Buffer
}

func (w *tinyWriter) End() bool {
	w.b.finish()
	return true
}

func def(r *regalloc.Inst) uint8        { return uint8(r.Defs[0].Loc.Reg()) }
func use(r *regalloc.Inst, i int) uint8 { return uint8(r.Uses[i].Loc.Reg()) }
func tmp(r *regalloc.Inst, i int) uint8 { return uint8(r.Temps[i].Loc.Reg()) }

// onStack is a load or store of the word at an offset from the stack pointer, inContext of one of the context.
func onStack(do action, reg uint8, off int32) record {
	return record{do: do, op: plan.Copy, size: plan.S64, at: atStack, mx: tinyNone, my: tinyNone, d: reg, x: reg, disp: off}
}

func inContext(do action, reg uint8, off int32) record {
	return record{do: do, op: plan.Copy, size: plan.S64, at: atBase, mx: tinyNone, my: tinyNone, d: reg, x: reg, disp: off}
}

func (w *tinyWriter) Move(s *regalloc.Step) {
	reg := uint8(tinySpare)
	switch from := s.From; {
	case from == regalloc.Again:
		w.again(s.V, reg)
	case from == regalloc.Scratch:
		reg = tinyScratch
	case from.IsSlot():
		w.b.put(onStack(doLoad, reg, w.SlotAt(from)))
	default:
		reg = uint8(from.Reg())
	}
	switch to := s.To; {
	case to == regalloc.Scratch:
		w.b.put(record{do: doUnary, op: plan.Copy, d: tinyScratch, x: reg})
	case to.IsSlot():
		w.b.put(onStack(doStore, reg, w.SlotAt(to)))
	default:
		w.b.put(record{do: doUnary, op: plan.Copy, d: uint8(to.Reg()), x: reg})
	}
}

// again computes a value anew.
func (w *tinyWriter) again(v regalloc.VReg, d uint8) { w.constant(w.Remat(v), d) }

func (w *tinyWriter) constant(in *plan.Inst, d uint8) {
	switch in.Kind {
	case plan.KPool:
		w.b.jump(record{do: doNear, d: d}, w.Const8(uint64(in.Imm)))
	case plan.KLocals:
		w.b.put(onStack(doLoad, d, w.LocalsAt))
	default:
		w.b.put(record{do: doImm, d: d, imm: in.Imm})
	}
}

// address adds an operand in memory to a record.
func (w *tinyWriter) address(x record, r *regalloc.Inst, m *plan.Mem) record {
	x.mx, x.my, x.scale, x.disp = tinyNone, tinyNone, m.Scale, m.Disp
	switch m.Kind {
	case plan.MemBase, plan.MemIndex:
		x.at, x.mx = atBase, use(r, int(m.Use))
	case plan.MemConst:
		x.at = atBase
	case plan.MemHost:
		x.mx = use(r, int(m.Use))
	case plan.MemHostX:
		x.mx, x.my = use(r, int(m.Use)), use(r, int(m.Use)+1)
	case plan.MemFrame:
		x.at, x.disp = atStack, w.Frame+tinyLink+8*m.Disp
	case plan.MemOut:
		x.at, x.disp = atStack, 8*m.Disp
	default:
		panic("tiny: an operand in memory that it does not have")
	}
	return x
}

// compare adds a comparison to a record.
func compare(x record, r *regalloc.Inst, c *plan.Comparison) record {
	x.size, x.cond, x.float, x.x, x.y = c.Size, c.Cond, c.Float, use(r, int(c.Use)), tinyNone
	switch {
	case c.Test:
		x.size = plan.S8
	case c.IsImm:
		x.imm = c.Imm
	default:
		x.y = use(r, int(c.Use)+1)
	}
	return x
}

// Inst implements plan.Writer.
func (w *tinyWriter) Inst(r *regalloc.Inst, in *plan.Inst) {
	b := &w.b
	x := record{op: in.Op, size: in.Size, float: in.Float, imm: in.Imm}
	if len(r.Defs) > 0 && r.Defs[0].Loc.IsReg() {
		x.d = def(r)
	}
	for i, to := range []*uint8{&x.x, &x.y, &x.z} {
		if i < len(r.Uses) && r.Uses[i].Loc.IsReg() {
			*to = use(r, i)
		}
	}
	plain := func(do action) {
		x.do = do
		b.put(x)
	}
	inMemory := func(do action) {
		x.do = do
		b.put(w.address(x, r, &in.M))
	}
	switch in.Kind {
	case plan.KRecover, plan.KConsume:
	case plan.KEntry:
		w.enter(r)
	case plan.KHead, plan.KJump:
		w.Goto(w.Target(0))
	case plan.KImm, plan.KZero, plan.KPool, plan.KLocals:
		w.constant(in, x.d)
	case plan.KUnary:
		plain(doUnary)
	case plan.KBinary:
		plain(doBinary)
	case plan.KImmOp:
		plain(doImmOp)
	case plan.KTernary:
		plain(doFMA)
	case plan.KLea:
		inMemory(doLea)
	case plan.KTruncLea:
		inMemory(doTruncLea)
	case plan.KLoad:
		inMemory(doLoad)
	case plan.KStore:
		inMemory(doStore)
	case plan.KStoreF:
		inMemory(doStoreF)
	case plan.KCanonical:
		plain(doCanon)
	case plan.KSet:
		b.put(compare(record{do: doSet, d: x.d}, r, in.Cmp))
	case plan.KSelect:
		over := b.NewLabel()
		b.jump(compare(record{do: doIfNot}, r, in.Cmp), over)
		b.put(record{do: doUnary, op: plan.Copy, d: x.d, x: x.y})
		b.Bind(over)
	case plan.KBranch:
		b.jump(compare(record{do: doIf}, r, in.Cmp), w.Label(w.Target(0)))
		w.Goto(w.Target(1))
	case plan.KSwitch:
		w.Switch(in, &tinyChooser{w, in.Size, x.x, tmp(r, 0)})
	case plan.KReturn:
		w.leave(r)
	case plan.KUnreachable:
		w.callStub(abi.Site{Reason: abi.FailExit}, nil, nil)
	case plan.KMove:
		plain(doMove)
	case plan.KClear:
		plain(doClear)
	case plan.KGas:
		plain(doCharge)
		if !in.Late {
			w.gas(r, in)
		}
	case plan.KGasN:
		plain(doChargeReg)
		w.gas(r, in)
	case plan.KNil:
		w.trapIf(record{do: doIf, size: plan.S32, cond: plan.Eq, x: x.x, y: tinyNone}, ir.TrapNil, nil, in)
	case plan.KBounds:
		w.trapIf(compare(record{do: doIf}, r, in.Cmp), ir.Trap(in.V.Aux), w.TrapArgs(r, in), in)
	case plan.KCheck:
		w.trapIf(compare(record{do: doIfNot}, r, in.Cmp), ir.Trap(in.V.Aux), w.TrapArgs(r, in), in)
	case plan.KCall:
		w.call(r, in)
	case plan.KExit, plan.KNew, plan.KNewArray, plan.KNewTyped:
		w.exit(r, in)
	case plan.KFrameID:
		plain(doFrameID)
	case plan.KGasLeft:
		plain(doGasLeft)
	case plan.KEnterLocals:
		w.enterLocals(r, in)
	default:
		panic("tiny: a kind of instruction that it does not have")
	}
}

// Goto and what follows implement plan.Chooser.
func (w *tinyWriter) Goto(to plan.Target) {
	if !w.Follows(to) {
		w.b.jump(record{do: doJump}, w.Label(to))
	}
}

type tinyChooser struct {
	*tinyWriter
	size plan.Size
	x, t uint8
}

// test jumps if a register, or the number in it, is in a relation to a number of any size.
func (c *tinyChooser) test(cond plan.Cond, x uint8, n int64, to plan.Label) {
	c.b.jump(record{do: doIf, size: c.size, cond: cond, x: x, y: tinyNone, imm: n}, to)
}

func (c *tinyChooser) Equal(n int64, to plan.Label)   { c.test(plan.Eq, c.x, n, to) }
func (c *tinyChooser) AtLeast(n int64, to plan.Label) { c.test(plan.GeS, c.x, n, to) }
func (c *tinyChooser) Jump(to plan.Label)             { c.b.jump(record{do: doJump}, to) }

func (c *tinyChooser) Dense(lo, span int64, table, other plan.Label) {
	c.b.put(record{do: doImmOp, op: plan.Sub, size: c.size, d: c.t, x: c.x, imm: lo})
	c.test(plan.GtU, c.t, span, other)
	c.b.jump(record{do: doTable, x: c.t}, table)
}

func (w *tinyWriter) save(s plan.Saving) {
	w.b.put(record{do: doStack, imm: -int64(s.Bytes())})
	for i, r := range s {
		w.b.put(onStack(doStore, uint8(r), int32(8*i)))
	}
}

func (w *tinyWriter) restore(s plan.Saving) {
	for i, r := range s {
		w.b.put(onStack(doLoad, uint8(r), int32(8*i)))
	}
	w.b.put(record{do: doStack, imm: int64(s.Bytes())})
}

func (w *tinyWriter) callStub(site abi.Site, words []int32, v *ir.Value) {
	kind := abi.RelStub
	if w.Yields(&site) {
		kind = abi.RelYield
	}
	w.Reloc(kind, 0)
	w.b.put(record{do: doCall})
	w.Site(site, words, v)
	if n := site.Below(); n != 0 {
		w.b.put(record{do: doLimit, imm: n})
	}
}

// leaving writes a call of the stub between the saving of registers and their return.
func (w *tinyWriter) leaving(s plan.Saving, site abi.Site, words []int32, v *ir.Value) {
	w.save(s)
	site.Extra += s.Bytes()
	w.callStub(site, words, v)
	w.restore(s)
}

// exit writes what the handler does.
func (w *tinyWriter) exit(r *regalloc.Inst, in *plan.Inst) {
	for i, u := range r.Uses[:in.NArgs] {
		reg := uint8(tinySpare)
		switch {
		case u.Loc.IsReg():
			reg = uint8(u.Loc.Reg())
		case u.Loc.IsSlot():
			w.b.put(onStack(doLoad, reg, w.SlotAt(u.Loc)))
		default:
			w.again(u.V, reg)
		}
		w.b.put(inContext(doStore, reg, abi.Args+8*int32(i)))
	}
	s := w.SavingAt(r, in)
	site := abi.Site{Reason: in.Exit, A: in.V.Aux, B: in.V.Aux2, Pos: in.V.Pos}
	w.leaving(s, site, w.RootWords(r, in, s), in.V)
	if len(r.Defs) > 0 {
		w.b.put(inContext(doLoad, def(r), abi.Args))
	}
}

func (w *tinyWriter) enter(r *regalloc.Inst) {
	slow, back := w.b.NewLabel(), w.b.NewLabel()
	w.b.jump(record{do: doEnter, disp: w.Frame, imm: w.Out.Adjust}, slow)
	w.b.Bind(back)
	var set regalloc.RegSet
	for i := range r.Defs {
		set = set.With(r.Defs[i].Reg)
	}
	s := w.SavingOf(set)
	words := w.EntryWords(s)
	w.Later(func() {
		w.b.Bind(slow)
		w.b.put(record{do: doStack, imm: int64(w.Frame)})
		w.leaving(s, abi.Site{Reason: abi.EnterExit, Extra: -w.Frame, Pos: w.F.Pos}, words, nil)
		w.b.put(record{do: doStack, imm: -int64(w.Frame)})
		w.b.jump(record{do: doJump}, back)
	})
}

func (w *tinyWriter) leave(r *regalloc.Inst) {
	if w.LocSize > 0 {
		const reg = 9 // Desc.ReturnClobber
		slow, back := w.b.NewLabel(), w.b.NewLabel()
		w.b.jump(record{do: doUnlocals, disp: w.LocalsAt, d: reg}, slow)
		w.b.Bind(back)
		var set regalloc.RegSet
		for i := range r.Uses {
			set = set.With(r.Uses[i].Loc.Reg())
		}
		s, pos := w.SavingOf(set), w.Pos
		w.Later(func() {
			w.b.Bind(slow)
			w.b.put(inContext(doStore, reg, abi.Args))
			w.leaving(s, abi.Site{Reason: abi.UnlocalExit, Pos: pos}, nil, nil)
			w.b.jump(record{do: doJump}, back)
		})
	}
	w.b.put(record{do: doReturn, disp: w.Frame, imm: w.Out.Adjust})
}

func (w *tinyWriter) enterLocals(r *regalloc.Inst, in *plan.Inst) {
	slow, back, t := w.b.NewLabel(), w.b.NewLabel(), tmp(r, 0)
	w.b.jump(record{do: doLocals, disp: w.LocalsAt, imm: w.LocSize, d: t}, slow)
	w.b.Bind(back)
	w.b.put(record{do: doClear, x: t, imm: w.Tabler.Zeroed()})
	s := w.SavingAt(r, in)
	w.Later(func() {
		w.b.Bind(slow)
		w.leaving(s, abi.Site{Reason: abi.LocalsExit, A: w.LocSize, Pos: w.F.Pos}, w.RootWords(r, in, s), nil)
		w.b.put(onStack(doLoad, t, w.LocalsAt))
		w.b.jump(record{do: doJump}, back)
	})
}

// gas leaves when it has run out: see the same of amd64.
func (w *tinyWriter) gas(r *regalloc.Inst, in *plan.Inst) {
	slow, back := w.b.NewLabel(), w.b.NewLabel()
	w.b.jump(record{do: doIfGas, checked: !w.Polls}, slow)
	w.b.Bind(back)
	s := w.SavingAt(r, in)
	charge := func(v *ir.Value, reason abi.Reason) {
		next, out := w.b.NewLabel(), w.b.NewLabel()
		w.b.jump(record{do: doIfGas, checked: reason == abi.GasExit}, out)
		w.b.jump(record{do: doJump}, next)
		w.b.Bind(out)
		site := abi.Site{Reason: reason, Pos: v.Pos}
		if reason == abi.GasExit {
			w.leaving(s, site, nil, nil)
		} else {
			w.leaving(s, site, w.RootWords(r, in, s), v)
		}
		w.b.Bind(next)
	}
	w.Later(func() {
		w.b.Bind(slow)
		if in.Run == nil {
			charge(in.V, in.Exit)
		} else {
			w.b.put(record{do: doCharge, imm: -in.Imm})
		}
		for _, v := range in.Run {
			w.b.put(record{do: doCharge, imm: v.Aux})
			switch {
			case v.IsLate():
			case v.Op == ir.OpGasLoop:
				charge(v, abi.LoopExit)
			default:
				charge(v, abi.GasExit)
			}
		}
		w.b.jump(record{do: doJump}, back)
	})
}

// trapIf raises a trap if a comparison says so.
func (w *tinyWriter) trapIf(x record, trap ir.Trap, args []plan.TrapArg, in *plan.Inst) {
	l := w.b.NewLabel()
	w.b.jump(x, l)
	fn, pos := w.Env.Trap(trap), in.V.Pos
	w.Later(func() {
		w.b.Bind(l)
		for i, a := range args { // by way of registers that are no arguments
			d := tinySpare + uint8(i)
			switch {
			case a.Loc.IsReg():
				w.b.put(record{do: doUnary, op: plan.Copy, d: d, x: uint8(a.Loc.Reg())})
			case a.Loc.IsSlot():
				w.b.put(onStack(doLoad, d, w.SlotAt(a.Loc)))
			default:
				w.b.put(record{do: doImm, d: d, imm: a.Imm})
			}
		}
		for i := range args {
			w.b.put(record{do: doUnary, op: plan.Copy, d: uint8(i), x: tinySpare + uint8(i)})
		}
		if fn == 0 {
			w.callStub(abi.Site{Reason: abi.TrapExit, A: int64(trap), Pos: pos}, nil, nil)
			return
		}
		w.callFunc(fn)
		w.Site(abi.Site{A: int64(fn), Pos: pos}, nil, nil)
	})
}

func (w *tinyWriter) callFunc(fn int32) {
	w.Reloc(abi.RelTable, fn)
	w.b.put(record{do: doCallTable})
}

func (w *tinyWriter) call(r *regalloc.Inst, in *plan.Inst) {
	v := in.V
	site := abi.Site{A: -1, Pos: v.Pos, Shape: v.Shape}
	if v.Op == ir.OpCall {
		site.A = int64(v.Fn.Index)
		w.callFunc(v.Fn.Index)
	} else {
		if v.Op == ir.OpCallClosure {
			w.b.put(record{do: doLoad, op: plan.Copy, size: plan.S64, d: tinyIndex, at: atBase, mx: tinyClosure, my: tinyNone})
		}
		x := record{do: doCallIndex, x: tinyIndex, checked: w.Checked}
		if w.Checked {
			x.imm = int64(w.Env.SigID(v.Sig))
		}
		bad := w.b.NewLabel()
		w.b.jump(x, bad)
		w.Later(func() {
			w.b.Bind(bad)
			w.callStub(abi.Site{Reason: abi.BadCallExit, Pos: v.Pos}, nil, nil)
		})
	}
	w.Site(site, w.RootWords(r, in, nil), v)
}
