package arm64

import (
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
func (e *emitter) Begin(f *plan.Emitter) plan.Assembler {
	e.asm.Reset()
	if e.again != f {
		e.reach = e.least
	}
	e.Emitter, e.a, e.again, e.asm.reach = f, &e.asm, nil, e.reach
	return e.a
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
	return true
}

// Inst implements plan.Writer.
func (e *emitter) Inst(r *regalloc.Inst, in *plan.Inst) { writers[in.Kind](e, r, in) }

// A writer writes an instruction of a kind or with an operation.
type writer func(e *emitter, r *regalloc.Inst, in *plan.Inst)

// writers are the writers of the kinds that a selection for this processor has.
var writers = [plan.NumKinds]writer{
	plan.KUnary:    (*emitter).unary,
	plan.KBinary:   (*emitter).binary,
	plan.KTernary:  (*emitter).fma,
	plan.KLea:      (*emitter).lea,
	plan.KTruncLea: (*emitter).lea,
	plan.KSet:      (*emitter).setcc,
	plan.KSelect:   (*emitter).selectValue,
	plan.KBranch:   (*emitter).branch,
}

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

// addOf returns the operation and the operand of a sum with a constant.
func addOf(x int64) (Op, int64) {
	if x < 0 {
		return SUB, -x
	}
	return ADD, x
}

// ComputeTo implements plan.Writer.
func (e *emitter) ComputeTo(to plan.Address, v regalloc.VReg) { e.a.Store(S64, to, e.Computed(v)) }

// MoveSlot implements plan.Writer.
func (e *emitter) MoveSlot(to, from plan.Address) {
	e.a.Load(plan.Copy, S64, scratch, from)
	e.a.Store(S64, to, scratch)
}

// Computed implements plan.Writer.
func (e *emitter) Computed(v regalloc.VReg) Reg {
	in := e.Remat(v)
	switch {
	case in.Kind == plan.KLocals:
		e.a.access(LDRX, scratch, At(regStack, e.LocalsAt))
	case in.Kind == plan.KZero || in.Imm == 0:
		return ZR
	default:
		e.a.MovImm(scratch, in.Imm)
	}
	return scratch
}

// Pool implements plan.Writer.
func (e *emitter) Pool(to Reg, size Size, bits uint64) {
	imm, ok := floatImm(size, bits)
	switch {
	case ok:
		e.a.FmovImm(size, to, imm)
	case e.reach == Reach128M:
		e.a.MovImm(scratch, int64(bits))
		e.a.RR(FMOVToFloat, S64, to, scratch)
	default:
		e.a.Near(to, size, e.Const8(bits))
	}
}

// TrapArgs implements plan.Writer.
func (e *emitter) TrapArgs(args []plan.TrapArg) {
	if len(args) > 1 {
		e.LoadTrapArg(scratch, args[1])
	}
	e.LoadTrapArg(X0, args[0])
	if len(args) > 1 {
		e.a.Mov(S64, X1, scratch)
	}
}

// mem makes a memory operand.
func (e *emitter) mem(r *regalloc.Inst, m *plan.Mem) Mem { return e.a.operand(e.Address(r, m)) }
