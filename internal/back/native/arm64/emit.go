package arm64

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/arena"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// An emitter writes the code of one function after another.
type emitter struct {
	*plan.Emitter
	asm   Asm
	a     *Asm
	again *plan.Emitter // the function whose code is to be written with a longer reach
	least Reach         // that code is written with at first
	reach Reach
}

// Begin implements plan.Writer.
func (e *emitter) Begin(f *plan.Emitter) *plan.Buffer {
	e.asm.Buffer.Reset()
	e.asm.fixes = arena.Kept(e.asm.fixes)
	if e.again != f {
		e.reach = e.least
	}
	e.Emitter, e.a, e.again, e.asm.reach = f, &e.asm, nil, e.reach
	e.asm.tally = tally{of: f.Env.Tally}
	return &e.asm.Buffer
}

// End implements plan.Writer.
func (e *emitter) End() bool {
	f := e.Emitter
	e.Emitter = nil
	if !e.a.Finish() {
		e.again = f
		e.reach++
		return false
	}
	f.Out.Blocks = e.a.tally.blocks
	return true
}

// Inst implements plan.Writer.
func (e *emitter) Inst(r *regalloc.Inst, in *plan.Inst) { writers[in.Kind](e, r, in) }

// A writer writes an instruction of a kind or with an operation.
type writer func(e *emitter, r *regalloc.Inst, in *plan.Inst)

// writers are the writers of the kinds that a selection for this processor has.
var writers = [plan.NumKinds]writer{
	plan.KEntry:     (*emitter).prologue,
	plan.KHead:      (*emitter).jump,
	plan.KRecover:   func(*emitter, *regalloc.Inst, *plan.Inst) {},
	plan.KImm:       func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.MovImm(def(r), in.Imm) },
	plan.KPool:      func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.loadPool(def(r), in) },
	plan.KZero:      func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.RR(FMOVToFloat, S64, def(r), ZR) },
	plan.KLocals:    func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.load64(def(r), e.frame(e.LocalsAt)) },
	plan.KUnary:     (*emitter).unary,
	plan.KBinary:    (*emitter).binary,
	plan.KImmOp:     (*emitter).withImm,
	plan.KTernary:   (*emitter).fma,
	plan.KLea:       (*emitter).lea,
	plan.KTruncLea:  (*emitter).lea,
	plan.KLoad:      (*emitter).load,
	plan.KStore:     (*emitter).store,
	plan.KStoreImm:  (*emitter).storeZero,
	plan.KStoreF:    (*emitter).storeFloat,
	plan.KCanonical: (*emitter).canonical,
	plan.KSet:       (*emitter).setcc,
	plan.KSelect:    (*emitter).selectValue,
	plan.KBranch:    (*emitter).branch,
	plan.KJump:      (*emitter).jump,
	plan.KSwitch:    (*emitter).switchOn,
	plan.KReturn:    (*emitter).epilogue,
	plan.KUnreachable: func(e *emitter, r *regalloc.Inst, in *plan.Inst) {
		e.callStub(abi.Site{Reason: abi.FailExit}, nil, nil)
	},
	plan.KMove:        (*emitter).moveBytes,
	plan.KClear:       func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.clearBytes(use(r, 0), in.Imm) },
	plan.KBulk:        (*emitter).bulk,
	plan.KGas:         (*emitter).gas,
	plan.KGasN:        (*emitter).gasN,
	plan.KNil:         (*emitter).nilCheck,
	plan.KBounds:      (*emitter).check,
	plan.KCheck:       (*emitter).check,
	plan.KCall:        (*emitter).call,
	plan.KExit:        (*emitter).exit,
	plan.KNew:         (*emitter).alloc,
	plan.KNewArray:    (*emitter).allocArray,
	plan.KNewTyped:    (*emitter).allocTyped,
	plan.KFrameID:     (*emitter).frameID,
	plan.KGasLeft:     func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.Mov(S64, def(r), regGas) },
	plan.KEnterLocals: (*emitter).enterLocals,
	plan.KConsume:     func(*emitter, *regalloc.Inst, *plan.Inst) {},
}

func ctx(off int32) Mem { return At(regBase, off) }

// frame is a word of the frame, slot that of a slot.
func (e *emitter) frame(off int32) Mem { return At(regStack, off) }

func (e *emitter) slot(l regalloc.Loc) Mem { return e.frame(e.SlotAt(l)) }

// near makes an operand that an access has a form for, by instructions that leave part of the address in
// far.
func (a *Asm) near(op MemOp, m Mem) Mem {
	log := memRows[op].log
	if m.Index == NoReg {
		// The upper bits of the displacement are part of the sum, as far as the lower ones fit then.
		low := m.Disp & (1<<12 - 1)
		switch high := m.Disp - low; {
		case reaches(op, m.Disp):
			return m
		case high > 0 && high < 1<<24 && reaches(op, low):
			a.RRI(ADD, S64, far, m.Base, int64(high))
			return At(far, low)
		case m.Base == far || high == 0:
			a.addConst(far, m.Base, int64(m.Disp))
			return At(far, 0)
		}
		a.MovImm(far, int64(m.Disp))
		return Mem{Base: m.Base, Index: far}
	}
	switch {
	case m.Disp == 0 && (m.Shift == 0 || m.Shift == log):
		return m
	case reaches(op, m.Disp):
		a.RRS(ADD, S64, far, m.Base, m.Index, LSL, int(m.Shift))
		return At(far, m.Disp)
	}
	a.addConst(far, m.Base, int64(m.Disp))
	if m.Shift == 0 || m.Shift == log {
		return Mem{Base: far, Index: m.Index, Shift: m.Shift}
	}
	a.RRS(ADD, S64, far, far, m.Index, LSL, int(m.Shift))
	return At(far, 0)
}

// addConst computes d = n + x of 64 bits. It may change scratch.
func (a *Asm) addConst(d, n Reg, x int64) { a.sum(S64, d, n, x) }

// sum computes d = n + x. It may change scratch if d is n.
func (a *Asm) sum(size Size, d, n Reg, x int64) {
	op, y := addOf(x)
	switch {
	case fitsImm(op, size, y):
		a.RRI(op, size, d, n, y)
	case y > 0 && y < 1<<24:
		a.RRI(op, size, d, n, y&^(1<<12-1))
		a.RRI(op, size, d, d, y&(1<<12-1))
	case d != n:
		a.MovImm(d, x)
		a.RRR(ADD, size, d, n, d)
	default:
		a.MovImm(scratch, x)
		a.RRR(ADD, size, d, n, scratch)
	}
}

// access loads or stores, by as many instructions as the address takes.
func (a *Asm) access(op MemOp, t Reg, m Mem) { a.Mem(op, t, a.near(op, m)) }

// load64 and store64 move 64 bits of a register of either class, load32 and store32 the low half of an
// integer.
func (e *emitter) load64(t Reg, m Mem)  { e.a.load64(t, m) }
func (e *emitter) store64(m Mem, t Reg) { e.a.store64(m, t) }

func (a *Asm) load64(t Reg, m Mem) {
	if t.IsVector() {
		a.access(LDRD, t, m)
	} else {
		a.access(LDRX, t, m)
	}
}

func (a *Asm) store64(m Mem, t Reg) {
	if t.IsVector() {
		a.access(STRD, t, m)
	} else {
		a.access(STRX, t, m)
	}
}

func (a *Asm) load32(t Reg, m Mem)  { a.access(LDRW, t, m) }
func (a *Asm) store32(m Mem, t Reg) { a.access(STRW, t, m) }

// addTo adds a register or a constant to a word of memory in the context. It changes scratch and far.
func (a *Asm) addTo(off int32, load, store MemOp, x int64) {
	a.access(load, scratch, ctx(off))
	if op, y := addOf(x); fitsImm(op, S64, y) {
		a.RRI(op, S64, scratch, scratch, y)
	} else {
		a.MovImm(far, x)
		a.RRR(ADD, S64, scratch, scratch, far)
	}
	a.access(store, scratch, ctx(off))
}

// addOf returns the operation and the operand of a sum with a constant.
func addOf(x int64) (Op, int64) {
	if x < 0 {
		return SUB, -x
	}
	return ADD, x
}

// Move implements plan.Writer.
func (e *emitter) Move(s *regalloc.Step) {
	switch from, to := s.From, s.To; {
	case from == regalloc.Again && to.IsReg():
		e.compute(s.V, Reg(to.Reg()))
	case from == regalloc.Again:
		e.toPlace(to, e.computed(s.V))
	case from.IsSlot() && to.IsSlot():
		e.load64(scratch, e.slot(from))
		e.store64(e.slot(to), scratch)
	case from == regalloc.Scratch:
		e.toPlace(to, scratchV)
	case to == regalloc.Scratch && from.IsReg():
		e.copyReg(scratchV, Reg(from.Reg()))
	case to == regalloc.Scratch:
		e.load64(scratchV, e.slot(from))
	case from.IsSlot():
		e.load64(Reg(to.Reg()), e.slot(from))
	default:
		e.toPlace(to, Reg(from.Reg()))
	}
}

// toPlace copies a register to a register or a slot.
func (e *emitter) toPlace(to regalloc.Loc, r Reg) {
	switch {
	case to.IsReg():
		e.copyReg(Reg(to.Reg()), r)
	case to == regalloc.Scratch:
		e.copyReg(scratchV, r)
	default:
		e.store64(e.slot(to), r)
	}
}

// copyReg copies between any two registers.
func (e *emitter) copyReg(to, from Reg) {
	switch {
	case to == from:
	case to.IsVector() && from.IsVector():
		e.a.RR(FMOV, S64, to, from)
	case to.IsVector():
		e.a.RR(FMOVToFloat, S64, to, from)
	case from.IsVector():
		e.a.RR(FMOVFromFloat, S64, to, from)
	default:
		e.a.Mov(S64, to, from)
	}
}

// compute computes a value anew.
func (e *emitter) compute(v regalloc.VReg, to Reg) {
	in := e.Remat(v)
	switch in.Kind {
	case plan.KImm:
		e.a.MovImm(to, in.Imm)
	case plan.KZero:
		e.a.RR(FMOVToFloat, S64, to, ZR)
	case plan.KPool:
		e.loadPool(to, in)
	case plan.KLocals:
		e.load64(to, e.frame(e.LocalsAt))
	default:
		panic("arm64: cannot compute that again")
	}
}

// computed returns a register with the bits of a value that is computed again: the zero register, or
// scratch.
func (e *emitter) computed(v regalloc.VReg) Reg {
	in := e.Remat(v)
	switch {
	case in.Kind == plan.KLocals:
		e.load64(scratch, e.frame(e.LocalsAt))
	case in.Kind == plan.KZero || in.Imm == 0:
		return ZR
	default:
		e.a.MovImm(scratch, in.Imm)
	}
	return scratch
}

// loadPool loads a float constant.
func (e *emitter) loadPool(to Reg, in *plan.Inst) {
	imm, ok := floatImm(in.Size, uint64(in.Imm))
	switch {
	case ok:
		e.a.FmovImm(in.Size, to, imm)
	case e.reach == Reach128M:
		e.a.MovImm(scratch, in.Imm)
		e.a.RR(FMOVToFloat, S64, to, scratch)
	default:
		e.a.Near(to, in.Size, e.Const8(uint64(in.Imm)))
	}
}

// operands of an instruction

func use(r *regalloc.Inst, i int) Reg {
	l := r.Uses[i].Loc
	if !l.IsReg() {
		panic(fmt.Sprintf("arm64: operand %d is in no register", i))
	}
	return Reg(l.Reg())
}

func def(r *regalloc.Inst) Reg        { return Reg(r.Defs[0].Loc.Reg()) }
func tmp(r *regalloc.Inst, i int) Reg { return Reg(r.Temps[i].Loc.Reg()) }

// mem makes a memory operand. The parts of an address that no operand has are in far.
func (e *emitter) mem(r *regalloc.Inst, m *plan.Mem) Mem {
	shift := func() uint8 {
		n, ok := plan.Log2(int64(m.Scale))
		if !ok {
			panic("arm64: bad scale")
		}
		return uint8(n)
	}
	switch m.Kind {
	case plan.MemBase:
		if m.Disp == 0 {
			return Mem{Base: regBase, Index: use(r, int(m.Use))}
		}
		e.a.RRR(ADD, S64, far, regBase, use(r, int(m.Use)))
		return At(far, m.Disp)
	case plan.MemConst:
		return At(regBase, m.Disp)
	case plan.MemHost:
		return At(use(r, int(m.Use)), m.Disp)
	case plan.MemHostX:
		return Mem{Base: use(r, int(m.Use)), Index: use(r, int(m.Use)+1), Shift: shift(), Disp: m.Disp}
	case plan.MemIndex:
		return Mem{Base: regBase, Index: use(r, int(m.Use)), Shift: shift(), Disp: m.Disp}
	case plan.MemFrame:
		return e.frame(e.Frame + linkBytes + 8*m.Disp)
	case plan.MemOut:
		return e.frame(8 * m.Disp)
	}
	panic("arm64: no memory operand")
}
