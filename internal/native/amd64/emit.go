package amd64

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// An emitter writes the code of a function whose values have places.
type emitter struct {
	*selector
	a      *Asm
	start  Label
	labels []Label // of blocks
	final  []int32 // by block: where a jump to it ends up
	empty  []bool  // by block: nothing but a jump

	frame    int32 // bytes that the prologue subtracts
	slotBase int32
	locals   int32 // offset of the words of the shadow frame

	pool    map[uint64]Label
	pool16  map[uint64]Label
	order8  []uint64
	order6  []uint64
	tables  []jumpTable
	pos     ir.Pos
	seq     []int32 // blocks in the order of the code
	cur     int32   // block
	follows int32   // the next one
	stubOf  []*inst // with notes: whose the stubs are

	tabler ir.LocalTabler
}

type jumpTable struct {
	at      Label
	targets []Label
}

// run writes everything. It reports false when the compilation is to stop.
func (e *emitter) run() bool {
	e.pool, e.pool16 = map[uint64]Label{}, map[uint64]Label{}
	e.a = &e.asm
	e.tabler = ir.NewLocalTabler(e.f, e.selector.locals)
	e.layout()
	n := len(e.rf.Blocks)
	e.labels = e.room.labels.Make(n)
	e.start = e.a.NewLabel()
	e.a.Bind(e.start)
	for i := range e.labels {
		e.labels[i] = e.a.NewLabel()
	}
	e.findEmpty()
	e.seq = slices.DeleteFunc(e.placeBlocks(), func(i int32) bool { return e.empty[i] })
	for k, i := range e.seq {
		e.cur = i
		e.follows = -1
		if k+1 < len(e.seq) {
			e.follows = e.seq[k+1]
		}
		e.a.Bind(e.labels[i])
		e.note(abi.Note{Kind: abi.NoteBlock, Block: e.blocks[i].b})
		if e.blocks[i].b != nil && e.blocks[i].b == e.f.Recover {
			e.out.Recover = int32(e.a.Pos())
		}
		for k := range e.rf.Blocks[i].Steps {
			if e.meter.Step(1) {
				return false
			}
			s := &e.rf.Blocks[i].Steps[k]
			if s.Inst == nil {
				e.noteMove(s)
				e.move(s)
				continue
			}
			in := &e.insts[s.Inst.Tag]
			e.noteOp(in)
			e.inst(s.Inst, in)
			e.noteStubs(in)
		}
	}
	for i := 0; i < len(e.stubs); i++ {
		if e.meter.Step(1) {
			return false
		}
		e.noteStub()
		e.stubs[i]()
	}
	for i, l := range e.labels { // of empty blocks, which nobody jumps to
		if e.empty[i] {
			e.a.Bind(l)
		}
	}
	e.constants()
	e.a.Finish()
	for _, t := range e.tables {
		base := e.a.Offset(t.at)
		for i, l := range t.targets {
			binary.LittleEndian.PutUint32(e.a.Buf[base+4*i:], uint32(e.a.Offset(l)-base))
		}
	}
	o := e.out
	o.Code = slices.Clone(e.a.Buf)
	o.LocalTable = e.tabler.Table()
	e.room.out.give(o)
	return true
}

// layout decides the frame.
func (e *emitter) layout() {
	o := e.out
	e.slotBase = 8 * e.outWords
	need := e.slotBase + 8*e.rf.Slots
	if e.locSize > 0 {
		e.locals = need
		o.Locals = need
		need += 16
	}
	const fill = 64 // a frame is at most so much larger than it needs
	native := int64(need) + 8
	o.Guest = e.f.Frame
	switch {
	case o.Guest >= native && o.Guest-native <= fill:
		need = int32(o.Guest - 8)
	default:
		o.Adjust = o.Guest - native
	}
	e.frame, o.Frame = need, need
}

// findEmpty finds the blocks of which no code is left.
func (e *emitter) findEmpty() {
	n := len(e.rf.Blocks)
	e.empty = e.bools.Make(n)
	e.final = e.ints.Make(n)
	for i := range e.rf.Blocks {
		b := &e.rf.Blocks[i]
		e.final[i] = -1
		e.empty[i] = i > 0 && len(b.Steps) == 1 && len(b.Succs) == 1 && e.insts[b.Steps[0].Inst.Tag].kind == kJump
	}
	for i := range e.final {
		// A circle of empty blocks, an empty endless loop, stays one block.
		t := int32(i)
		for steps := 0; e.empty[t]; steps++ {
			if steps > n {
				e.empty[t] = false
				break
			}
			t = e.rf.Blocks[t].Succs[0]
		}
		e.final[i] = t
	}
}

// next is the block whose code follows that of the current one, -1 if none does.
func (e *emitter) next() int32 { return e.follows }

func (e *emitter) target(succ int) int32 { return e.final[e.rf.Blocks[e.cur].Succs[succ]] }

func (e *emitter) jumpTo(t int32) {
	if t != e.next() {
		e.a.Jmp(e.labels[t])
	}
}

func ctx(off int32) Mem { return At(regBase, off) }

// slot is the memory of a slot; deeper is how much the stack pointer is lower
// than it usually is.
func (e *emitter) slot(l regalloc.Loc, deeper int32) Mem {
	return At(RSP, e.slotBase+8*l.Slot()+deeper)
}

func isXMM(l regalloc.Loc) bool { return l.IsReg() && Reg(l.Reg()).IsXMM() }

// below is memory below the stack pointer, which nobody else writes: signals have
// a stack of their own.
var below = At(RSP, -8)

// move writes one move.
func (e *emitter) move(s *regalloc.Step) {
	float := e.rf.Class[s.V] == regalloc.Float
	switch from, to := s.From, s.To; {
	case from == regalloc.Again && to.IsReg():
		e.again(s.V, Reg(to.Reg()))
	case from == regalloc.Again && e.immediate(s.V):
		e.a.MI(MOV, S64, e.slot(to, 0), e.insts[e.remat[s.V]].imm)
	case from == regalloc.Again:
		e.a.MR(MOV, S64, below, RAX)
		if float {
			e.a.MovImm(RAX, e.insts[e.remat[s.V]].imm)
		} else {
			e.again(s.V, RAX)
		}
		e.toPlace(to, RAX, false)
		e.a.RM(MOV, S64, RAX, below)
	case from.IsSlot() && to.IsSlot():
		e.a.MR(MOV, S64, below, RAX)
		e.a.RM(MOV, S64, RAX, e.slot(from, 0))
		e.a.MR(MOV, S64, e.slot(to, 0), RAX)
		e.a.RM(MOV, S64, RAX, below)
	case from == regalloc.Scratch:
		e.toPlace(to, scratch, true)
	case to == regalloc.Scratch && from.IsReg():
		e.copyReg(scratch, Reg(from.Reg()))
	case to == regalloc.Scratch:
		e.a.RM(MOVSD, S64, scratch, e.slot(from, 0))
	case from.IsSlot():
		if float {
			e.a.RM(MOVSD, S64, Reg(to.Reg()), e.slot(from, 0))
		} else {
			e.a.RM(MOV, S64, Reg(to.Reg()), e.slot(from, 0))
		}
	default:
		e.toPlace(to, Reg(from.Reg()), float)
	}
}

// immediate reports whether a value to compute again is an integer that an instruction holds.
func (e *emitter) immediate(v regalloc.VReg) bool {
	in := &e.insts[e.remat[v]]
	return in.kind == kImm && in.imm == int64(int32(in.imm))
}

// toPlace copies a register to a register or a slot.
func (e *emitter) toPlace(to regalloc.Loc, r Reg, float bool) {
	switch {
	case to.IsReg():
		e.copyReg(Reg(to.Reg()), r)
	case to == regalloc.Scratch:
		e.copyReg(scratch, r)
	case r.IsXMM():
		e.a.MR(MOVSD, S64, e.slot(to, 0), r)
	default:
		e.a.MR(MOV, S64, e.slot(to, 0), r)
	}
}

// copyReg copies between any two registers.
func (e *emitter) copyReg(to, from Reg) {
	switch {
	case to == from:
	case to.IsXMM() && from.IsXMM():
		e.a.RR(MOVAPS, S32, to, from)
	case to.IsXMM():
		e.a.RR(MOVD, S64, to, from)
	case from.IsXMM():
		e.a.RR(MOVDT, S64, to, from)
	default:
		e.a.RR(MOV, S64, to, from)
	}
}

// again computes a value anew.
func (e *emitter) again(v regalloc.VReg, to Reg) {
	in := &e.insts[e.remat[v]]
	switch in.kind {
	case kImm:
		e.a.MovImm(to, in.imm)
	case kZero:
		e.a.RR(XORPS, S32, to, to)
	case kPool:
		e.loadPool(to, in)
	case kLocals:
		e.a.RM(MOV, S64, to, At(RSP, e.locals))
	default:
		panic("amd64: cannot compute that again")
	}
}

func (e *emitter) loadPool(to Reg, in *inst) {
	op := MOVSD
	if in.size == S32 {
		op = MOVSS
	}
	e.a.RM(op, in.size, to, e.const8(uint64(in.imm)))
}

// const8 is the address of 8 constant bytes, const16 that of the same ones twice.
func (e *emitter) const8(x uint64) Mem {
	l, ok := e.pool[x]
	if !ok {
		l = e.a.NewLabel()
		e.pool[x] = l
		e.order8 = append(e.order8, x)
	}
	return AtLabel(l)
}

func (e *emitter) const16(x uint64) Mem {
	l, ok := e.pool16[x]
	if !ok {
		l = e.a.NewLabel()
		e.pool16[x] = l
		e.order6 = append(e.order6, x)
	}
	return AtLabel(l)
}

// constants writes the pool and room for the tables of jumps.
func (e *emitter) constants() {
	e.note(abi.Note{Kind: abi.NoteData})
	fill := func(n int) {
		for len(e.a.Buf)%n != 0 {
			e.a.Buf = append(e.a.Buf, 0xcc)
		}
	}
	if len(e.order6) > 0 {
		fill(16)
		for _, x := range e.order6 {
			e.a.Bind(e.pool16[x])
			e.a.Buf = binary.LittleEndian.AppendUint64(e.a.Buf, x)
			e.a.Buf = binary.LittleEndian.AppendUint64(e.a.Buf, x)
		}
	}
	if len(e.order8) > 0 {
		fill(8)
		for _, x := range e.order8 {
			e.a.Bind(e.pool[x])
			e.a.Buf = binary.LittleEndian.AppendUint64(e.a.Buf, x)
		}
	}
	if len(e.tables) > 0 {
		fill(4)
		for _, t := range e.tables {
			e.a.Bind(t.at)
			e.a.Buf = append(e.a.Buf, make([]byte, 4*len(t.targets))...)
		}
	}
}

// operands of an instruction

func use(r *regalloc.Inst, i int) Reg {
	l := r.Uses[i].Loc
	if !l.IsReg() {
		panic(fmt.Sprintf("amd64: operand %d is in no register", i))
	}
	return Reg(l.Reg())
}

func def(r *regalloc.Inst) Reg        { return Reg(r.Defs[0].Loc.Reg()) }
func tmp(r *regalloc.Inst, i int) Reg { return Reg(r.Temps[i].Loc.Reg()) }

// mem makes a memory operand.
func (e *emitter) mem(r *regalloc.Inst, m *mem) Mem {
	switch m.kind {
	case memBase:
		return At(regBase, m.disp).Plus(use(r, int(m.use)), 1)
	case memConst:
		return At(regBase, m.disp)
	case memHost:
		return At(use(r, int(m.use)), m.disp)
	case memHostX:
		return At(use(r, int(m.use)), m.disp).Plus(use(r, int(m.use)+1), m.scale)
	case memIndex:
		return At(regBase, m.disp).Plus(use(r, int(m.use)), m.scale)
	case memPool:
		return e.const8(m.bits)
	case memFrame:
		return At(RSP, e.frame+8+8*m.disp)
	case memOut:
		return At(RSP, 8*m.disp)
	}
	panic("amd64: no memory operand")
}

// inst writes one instruction.
func (e *emitter) inst(r *regalloc.Inst, in *inst) {
	a := e.a
	if in.pos != 0 && in.pos != e.pos {
		e.pos = in.pos
		e.room.out.lines = append(e.room.out.lines, abi.Line{PC: int32(a.Pos()), Pos: in.pos})
	}
	switch in.kind {
	case kRecover:
	case kHead, kJump:
		e.jumpTo(e.target(0))
	case kEntry:
		e.prologue(r)
	case kImm:
		a.MovImm(def(r), in.imm)
	case kZero:
		a.RR(XORPS, S32, def(r), def(r))
	case kPool:
		e.loadPool(def(r), in)
	case kLocals:
		a.RM(MOV, S64, def(r), At(RSP, e.locals))
	case kMov:
		d, u := def(r), use(r, 0)
		if in.op == MOV && (in.float || d.IsXMM()) {
			e.copyReg(d, u)
			return
		}
		if in.neg && d != u {
			a.RR(XORPS, S32, d, d) // do not wait for what was there
		}
		a.RR(in.op, in.size, d, u)
	case kRR:
		a.RR(in.op, in.size, def(r), use(r, 1))
	case kRM:
		a.RM(in.op, in.size, def(r), e.mem(r, &in.m))
	case kMI:
		a.MI(in.op, in.size, e.mem(r, &in.m), in.imm)
	case kRI:
		a.RI(in.op, in.size, def(r), in.imm)
	case kR:
		if in.op == BSWAP {
			a.Bswap(in.size, def(r))
			return
		}
		a.R(in.op, in.size, def(r))
	case kRRI:
		if x := use(r, 0); in.op == IMUL && (in.imm == 3 || in.imm == 5 || in.imm == 9) {
			a.RM(LEA, in.size, def(r), At(x, 0).Plus(x, uint8(in.imm-1)))
		} else {
			a.RRI(in.op, in.size, def(r), x, in.imm)
		}
	case kRRR:
		a.RRR(in.op, in.size, def(r), use(r, 0), use(r, 1))
	case kLea:
		e.lea(r, in)
	case kTruncLea:
		m := e.mem(r, &in.m)
		if m.Index == NoReg && m.Disp == 0 {
			a.RR(MOV, S32, def(r), m.Base)
			return
		}
		a.RM(LEA, S32, def(r), m)
	case kLoad:
		op := in.op
		if in.float && op == MOV {
			op = MOVSD
		}
		a.RM(op, in.size, def(r), e.mem(r, &in.m))
	case kStore:
		op := in.op
		if in.float {
			op = MOVSD
		}
		a.MR(op, in.size, e.mem(r, &in.m), use(r, 0))
	case kStoreI:
		a.MI(MOV, in.size, e.mem(r, &in.m), in.imm)
	case kStoreF:
		e.storeFloat(r, in)
	case kCanonical:
		e.canonical(r, in)
	case kSet:
		e.setcc(r, in)
	case kSelect:
		e.selectValue(r, in)
	case kBranch:
		e.branch(r, in)
	case kSwitch:
		e.switchOn(r, in)
	case kReturn:
		e.epilogue(r)
	case kUnreachable:
		e.exitInline(r, in, abi.FailExit)
	case kMul:
		a.R(in.op, S64, use(r, 1))
	case kDiv:
		e.divide(r, in)
	case kShl:
		e.shift(r, in)
	case kRot:
		a.R(in.op, in.size, def(r))
	case kUToF:
		e.utof(r, in)
	case kFToU:
		e.ftou(r, in)
	case kFBits:
		e.floatBits(r, in)
	case kFMA:
		a.RRR(in.op, S32, def(r), use(r, 1), use(r, 2))
	case kCopysign:
		e.copysign(r, in)
	case kMaskF:
		mask := uint64(in.imm)
		if in.size == S32 {
			mask = mask&math.MaxUint32 | mask<<32
		}
		a.RM(in.op, S32, def(r), e.const16(mask))
	case kMove:
		e.moveBytes(r, in)
	case kClear:
		e.clearBytes(use(r, 0), in.imm)
	case kBulk:
		e.bulk(r, in)
	case kGas:
		e.gas(r, in)
	case kGasN:
		e.gasN(r, in)
	case kNil:
		l := e.a.NewLabel()
		a.RR(TEST, S32, use(r, 0), use(r, 0))
		a.Jcc(E, l)
		e.trapStub(l, in, ir.TrapNil, nil)
	case kBounds, kCheck:
		e.check(r, in)
	case kCall:
		e.call(r, in)
	case kExit:
		e.exit(r, in)
	case kNew:
		e.alloc(r, in)
	case kNewArray:
		e.allocArray(r, in)
	case kNewTyped:
		e.allocTyped(r, in)
	case kFrameID:
		a.RM(MOV, S64, def(r), ctx(abi.Top))
		a.RR(SUB, S64, def(r), RSP)
		a.RI(SHR, S64, def(r), 3)
	case kEnterLocals:
		e.enterLocals(r, in)
	default:
		panic(fmt.Sprintf("amd64: kind %d", in.kind))
	}
}

// lea computes a sum without touching an operand that lives on.
func (e *emitter) lea(r *regalloc.Inst, in *inst) {
	d := def(r)
	m := e.mem(r, &in.m)
	switch {
	case in.m.kind == memHost && m.Base == d:
		if m.Disp != 0 {
			e.a.RI(ADD, in.size, d, int64(m.Disp))
		}
	case in.m.kind == memHostX && m.Scale == 1 && m.Disp == 0 && m.Base == d:
		e.a.RR(ADD, in.size, d, m.Index)
	case in.m.kind == memHostX && m.Scale == 1 && m.Disp == 0 && m.Index == d:
		e.a.RR(ADD, in.size, d, m.Base)
	default:
		e.a.RM(LEA, in.size, d, m)
	}
}

func (e *emitter) storeFloat(r *regalloc.Inst, in *inst) {
	x := use(r, 0)
	m := e.mem(r, &in.m)
	ucomis, mov, nan := UCOMISD, MOVSD, uint64(canonNaN64)
	if in.size == S32 {
		ucomis, mov, nan = UCOMISS, MOVSS, canonNaN32
	}
	slow, back := e.a.NewLabel(), e.a.NewLabel()
	e.a.RR(ucomis, S32, x, x)
	e.a.Jcc(P, slow)
	e.a.MR(mov, in.size, m, x)
	e.a.Bind(back)
	e.stubs = append(e.stubs, func() {
		e.a.Bind(slow)
		e.a.RM(mov, in.size, scratch, e.const8(nan))
		e.a.MR(mov, in.size, m, scratch)
		e.a.Jmp(back)
	})
}

// canonical makes two floats canonical, in place.
func (e *emitter) canonical(r *regalloc.Inst, in *inst) {
	a := e.a
	ucomis, mov, nan := UCOMISD, MOVSD, uint64(canonNaN64)
	if in.size == S32 {
		ucomis, mov, nan = UCOMISS, MOVSS, canonNaN32
	}
	x, y := use(r, 0), use(r, 1)
	slow, back := a.NewLabel(), a.NewLabel()
	a.RR(ucomis, S32, x, y)
	a.Jcc(P, slow)
	a.Bind(back)
	e.stubs = append(e.stubs, func() {
		a.Bind(slow)
		for _, f := range []Reg{x, y} {
			next := a.NewLabel()
			a.RR(ucomis, S32, f, f)
			a.Jcc(NP, next)
			a.RM(mov, in.size, f, e.const8(nan))
			a.Bind(next)
		}
		a.Jmp(back)
	})
}

const (
	canonNaN64 = 0x7FF8000000000001
	canonNaN32 = 0x7FC00000
)

// compare writes the comparison and returns the condition.
func (e *emitter) compare(r *regalloc.Inst, c *comparison) Cond {
	if c.m.kind != memNone {
		return e.compareMem(r, c)
	}
	x := use(r, int(c.use))
	switch {
	case c.test:
		e.a.RR(TEST, S8, x, x)
		return NE
	case c.float:
		op := UCOMISD
		if c.size == S32 {
			op = UCOMISS
		}
		e.a.RR(op, S32, x, use(r, int(c.use)+1))
		return c.cond
	case c.isImm && c.imm == 0: // the flags are those of a comparison with 0
		e.a.RR(TEST, c.size, x, x)
	case c.isImm:
		e.a.RI(CMP, c.size, x, c.imm)
	default:
		e.a.RR(CMP, c.size, x, use(r, int(c.use)+1))
	}
	return c.cond
}

// compareMem writes a comparison with memory.
func (e *emitter) compareMem(r *regalloc.Inst, c *comparison) Cond {
	m := e.mem(r, &c.m)
	op := CMP
	switch {
	case c.left && c.isImm:
		e.a.MI(CMP, c.size, m, c.imm)
		return c.cond
	case c.left:
		e.a.MR(CMP, c.size, m, use(r, int(c.use)))
		return c.cond
	case c.float && c.size == S32:
		op = UCOMISS
	case c.float:
		op = UCOMISD
	}
	e.a.RM(op, c.size, use(r, int(c.use)), m)
	return c.cond
}

// parity reports whether a condition needs the parity flag too: equality of floats.
func (c *comparison) parity() bool { return c.float && (c.cond == E || c.cond == NE) }

func (e *emitter) setcc(r *regalloc.Inst, in *inst) {
	d := def(r)
	cond := e.compare(r, in.cmp)
	e.a.Setcc(cond, d)
	if in.cmp.parity() {
		t := tmp(r, 0)
		if cond == E {
			e.a.Setcc(NP, t)
			e.a.RR(AND, S32, d, t)
		} else {
			e.a.Setcc(P, t)
			e.a.RR(OR, S32, d, t)
		}
	}
	e.a.RR(MOVZX8, S32, d, d)
}

func (e *emitter) selectValue(r *regalloc.Inst, in *inst) {
	d, yes := def(r), use(r, 1)
	cond := e.compare(r, in.cmp)
	if in.float {
		over := e.a.NewLabel()
		e.a.Jcc(cond.Not(), over)
		e.copyReg(d, yes)
		e.a.Bind(over)
		return
	}
	e.a.Cmov(cond, S64, d, yes)
}

func (e *emitter) branch(r *regalloc.Inst, in *inst) {
	yes, no, next := e.target(0), e.target(1), e.next()
	cond := e.compare(r, in.cmp)
	if yes == no {
		e.jumpTo(yes)
		return
	}
	if in.cmp.parity() {
		if cond == NE { // not equal or not ordered: equality with the targets exchanged
			yes, no = no, yes
		}
		e.a.Jcc(P, e.labels[no])
		if yes == next {
			e.a.Jcc(NE, e.labels[no])
			return
		}
		e.a.Jcc(E, e.labels[yes])
		e.jumpTo(no)
		return
	}
	if yes == next {
		e.a.Jcc(cond.Not(), e.labels[no])
		return
	}
	e.a.Jcc(cond, e.labels[yes])
	e.jumpTo(no)
}

func (e *emitter) switchOn(r *regalloc.Inst, in *inst) {
	x, t, u := use(r, 0), tmp(r, 0), tmp(r, 1)
	b := in.b
	n := len(b.Cases)
	other := e.target(n)
	type arm struct {
		c  int64
		to int32
	}
	arms := make([]arm, n)
	for i, c := range b.Cases {
		arms[i] = arm{ir.TruncConst(b.Ctrl.Type, c), e.target(i)}
	}
	slices.SortStableFunc(arms, func(p, q arm) int {
		switch {
		case p.c < q.c:
			return -1
		case p.c > q.c:
			return 1
		}
		return 0
	})
	if n == 0 {
		e.jumpTo(other)
		return
	}
	cmp := func(c int64) {
		if c == int64(int32(c)) {
			e.a.RI(CMP, in.size, x, c)
			return
		}
		e.a.MovImm(t, c)
		e.a.RR(CMP, in.size, x, t)
	}
	const dense, linear = 3, 4
	var tree func(list []arm)
	tree = func(list []arm) {
		lo, hi := list[0].c, list[len(list)-1].c
		span := uint64(hi) - uint64(lo)
		if len(list) > linear && span < uint64(len(list))*dense {
			tab := jumpTable{at: e.a.NewLabel()}
			for k, i := lo, 0; ; k++ {
				if list[i].c == k {
					tab.targets = append(tab.targets, e.labels[list[i].to])
					i++
				} else {
					tab.targets = append(tab.targets, e.labels[other])
				}
				if i == len(list) {
					break
				}
			}
			e.tables = append(e.tables, tab)
			e.copyReg(t, x)
			if lo != 0 {
				if lo == int64(int32(lo)) {
					e.a.RI(SUB, in.size, t, lo)
				} else {
					e.a.MovImm(u, lo)
					e.a.RR(SUB, in.size, t, u)
				}
			}
			if in.size == S32 {
				e.a.RR(MOV, S32, t, t)
			}
			e.a.RI(CMP, in.size, t, int64(span))
			e.a.Jcc(A, e.labels[other])
			e.a.RM(LEA, S64, u, AtLabel(tab.at))
			e.a.RM(MOVSX32, S64, t, At(u, 0).Plus(t, 4))
			e.a.RR(ADD, S64, t, u)
			e.a.R(JMPR, S64, t)
			return
		}
		if len(list) <= linear {
			for _, l := range list {
				cmp(l.c)
				e.a.Jcc(E, e.labels[l.to])
			}
			e.a.Jmp(e.labels[other])
			return
		}
		mid := len(list) / 2
		right := e.a.NewLabel()
		cmp(list[mid].c)
		e.a.Jcc(GE, right)
		tree(list[:mid])
		e.a.Bind(right)
		tree(list[mid:])
	}
	tree(arms)
}

func (e *emitter) divide(r *regalloc.Inst, in *inst) {
	a := e.a
	y := use(r, 1)
	size := in.size
	if in.op == DIV {
		a.RR(XOR, S32, RDX, RDX)
		a.R(DIV, size, y)
		return
	}
	sign := CQO
	if size == S32 {
		sign = CDQ
	}
	if !in.neg {
		a.None(sign)
		a.R(IDIV, size, y)
		return
	}
	one, done := a.NewLabel(), a.NewLabel()
	a.RI(CMP, size, y, -1)
	a.Jcc(E, one)
	a.None(sign)
	a.R(IDIV, size, y)
	a.Bind(done)
	e.stubs = append(e.stubs, func() {
		a.Bind(one)
		if Reg(r.Defs[0].Reg) == RAX {
			a.R(NEG, size, RAX)
		} else {
			a.RR(XOR, S32, RDX, RDX)
		}
		a.Jmp(done)
	})
}

func (e *emitter) shift(r *regalloc.Inst, in *inst) {
	a := e.a
	d, x, n, t := def(r), use(r, 0), use(r, 1), tmp(r, 0)
	width := int64(in.size.bits())
	if in.op == SARX {
		a.MovImm(t, width-1)
		a.RI(CMP, S64, n, width)
		a.Cmov(B, S64, t, n)
		a.RRR(SARX, in.size, d, x, t)
		return
	}
	a.RI(CMP, S64, n, width)
	a.RRR(in.op, in.size, d, x, n)
	a.RR(SBB, S64, t, t)
	a.RR(AND, S64, d, t)
}

func (e *emitter) utof(r *regalloc.Inst, in *inst) {
	a := e.a
	d, x, t, u := def(r), use(r, 0), tmp(r, 0), tmp(r, 1)
	add := ADDSD
	if in.size == S32 {
		add = ADDSS
	}
	big, done := a.NewLabel(), a.NewLabel()
	a.RR(XORPS, S32, d, d)
	a.RR(TEST, S64, x, x)
	a.Jcc(S, big)
	a.RR(in.op, S64, d, x)
	a.Bind(done)
	e.stubs = append(e.stubs, func() {
		// Half of it, the lowest bit sticking, so that it rounds the same.
		a.Bind(big)
		a.RR(MOV, S64, t, x)
		a.RR(MOV, S32, u, x)
		a.RI(SHR, S64, t, 1)
		a.RI(AND, S32, u, 1)
		a.RR(OR, S64, t, u)
		a.RR(in.op, S64, d, t)
		a.RR(add, S32, d, d)
		a.Jmp(done)
	})
}

func (e *emitter) ftou(r *regalloc.Inst, in *inst) {
	a := e.a
	d, x := def(r), use(r, 0)
	ucomis, sub, cvt, mov, c := UCOMISD, SUBSD, CVTTSD2SI, MOVSD, math.Float64bits(1<<63)
	if in.size == S32 {
		ucomis, sub, cvt, mov, c = UCOMISS, SUBSS, CVTTSS2SI, MOVSS, uint64(math.Float32bits(1<<63))
	}
	small, done := a.NewLabel(), a.NewLabel()
	a.RM(mov, in.size, scratch, e.const8(c))
	a.RR(ucomis, S32, scratch, x)
	a.Jcc(A, small)
	a.RR(MOVAPS, S32, scratch, x)
	a.RM(sub, S32, scratch, e.const8(c))
	a.RR(cvt, S64, d, scratch)
	a.RM(XOR, S64, d, e.const8(1<<63))
	a.Jmp(done)
	a.Bind(small)
	a.RR(cvt, S64, d, x)
	a.Bind(done)
}

func (e *emitter) floatBits(r *regalloc.Inst, in *inst) {
	a := e.a
	d, x := def(r), use(r, 0)
	ucomis, nan := UCOMISD, int64(canonNaN64)
	if in.size == S32 {
		ucomis, nan = UCOMISS, canonNaN32
	}
	slow, back := a.NewLabel(), a.NewLabel()
	a.RR(MOVDT, in.size, d, x)
	a.RR(ucomis, S32, x, x)
	a.Jcc(P, slow)
	a.Bind(back)
	e.stubs = append(e.stubs, func() {
		a.Bind(slow)
		a.MovImm(d, nan)
		a.Jmp(back)
	})
}

// copysign gives use 0 the sign of use 1, which of a NaN is plus.
func (e *emitter) copysign(r *regalloc.Inst, in *inst) {
	a, y := e.a, use(r, 1)
	mask, ucomis := uint64(in.imm), UCOMISD
	if in.size == S32 {
		mask, ucomis = mask|mask<<32, UCOMISS
	}
	slow, back := a.NewLabel(), a.NewLabel()
	e.copyReg(scratch, y)
	a.RM(ANDPS, S32, scratch, e.const16(mask))
	a.RR(ucomis, S32, y, y)
	a.Jcc(P, slow)
	a.Bind(back)
	a.RM(ANDPS, S32, def(r), e.const16(^mask))
	a.RR(ORPS, S32, def(r), scratch)
	e.stubs = append(e.stubs, func() {
		a.Bind(slow)
		a.RR(XORPS, S32, scratch, scratch)
		a.Jmp(back)
	})
}

func (e *emitter) moveBytes(r *regalloc.Inst, in *inst) {
	vectors, ints := pieces(in.imm)
	dst, src := use(r, 0), use(r, 1)
	each := func(f func(p piece, reg Reg)) {
		for i, p := range vectors {
			f(p, tmp(r, i))
		}
		for i, p := range ints {
			f(p, tmp(r, len(vectors)+i))
		}
	}
	each(func(p piece, reg Reg) {
		m := At(regBase, p.off).Plus(src, 1)
		switch p.size {
		case 16:
			e.a.RM(MOVUPS, S32, reg, m)
		case 8:
			e.a.RM(MOVSD, S64, reg, m)
		case 4:
			e.a.RM(MOVSS, S32, reg, m)
		case 2:
			e.a.RM(MOVZX16, S32, reg, m)
		default:
			e.a.RM(MOVZX8, S32, reg, m)
		}
	})
	each(func(p piece, reg Reg) {
		m := At(regBase, p.off).Plus(dst, 1)
		switch p.size {
		case 16:
			e.a.MR(MOVUPS, S32, m, reg)
		case 8:
			e.a.MR(MOVSD, S64, m, reg)
		case 4:
			e.a.MR(MOVSS, S32, m, reg)
		case 2:
			e.a.MR(MOV, S16, m, reg)
		default:
			e.a.MR(MOV, S8, m, reg)
		}
	})
}

// clearBytes clears n bytes at guest address p.
func (e *emitter) clearBytes(p Reg, n int64) {
	vectors, ints := pieces(n)
	if len(vectors) > 0 {
		e.a.RR(XORPS, S32, scratch, scratch)
	}
	for _, p2 := range append(vectors, ints...) {
		m := At(regBase, p2.off).Plus(p, 1)
		switch p2.size {
		case 16:
			e.a.MR(MOVUPS, S32, m, scratch)
		case 8:
			e.a.MR(MOVSD, S64, m, scratch)
		case 4:
			e.a.MR(MOVSS, S32, m, scratch)
		case 2:
			e.a.MI(MOV, S16, m, 0)
		default:
			e.a.MI(MOV, S8, m, 0)
		}
	}
}
