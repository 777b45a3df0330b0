package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// An emitter writes the code of one function after another.
type emitter struct {
	*plan.Emitter
	asm Asm
	a   *Asm
}

// Begin implements plan.Writer.
func (e *emitter) Begin(f *plan.Emitter) plan.Assembler {
	e.asm.Reset()
	e.Emitter, e.a = f, &e.asm
	return e.a
}

// End implements plan.Writer.
func (e *emitter) End() bool {
	e.Emitter = nil
	return e.a.Finish()
}

// Inst implements plan.Writer.
func (e *emitter) Inst(r *regalloc.Inst, in *plan.Inst) { writers[in.Kind](e, r, in) }

// A writer writes an instruction of a kind or with an operation.
type writer func(e *emitter, r *regalloc.Inst, in *plan.Inst)

// writers are the writers of the kinds.
var writers = [plan.NumKinds]writer{
	plan.KUnary:     (*emitter).unary,
	plan.KBinary:    (*emitter).binary,
	plan.KLoadOp:    (*emitter).loadOp,
	plan.KTernary:   (*emitter).fma,
	plan.KUpdate:    (*emitter).update,
	plan.KUpdateImm: (*emitter).updateImm,
	plan.KLea:       (*emitter).lea,
	plan.KTruncLea:  (*emitter).truncLea,
	plan.KSet:       (*emitter).setcc,
	plan.KSelect:    (*emitter).selectValue,
	plan.KBranch:    (*emitter).branch,
}

// below is memory below the stack pointer. Nothing else writes it: signals have a stack of their
// own.
var below = At(RSP, -8)

// ComputeTo implements plan.Writer.
func (e *emitter) ComputeTo(to plan.Address, v regalloc.VReg) {
	if in := e.Remat(v); in.Kind == plan.KImm && fits32(in.Imm) {
		e.a.MI(MOV, S64, operand(to), in.Imm)
		return
	}
	e.byWay(to, func() {
		if in := e.Remat(v); in.Kind == plan.KLocals {
			e.a.RM(MOV, S64, RAX, At(RSP, e.LocalsAt))
		} else {
			e.a.MovImm(RAX, in.Imm)
		}
	})
}

// MoveSlot implements plan.Writer.
func (e *emitter) MoveSlot(to, from plan.Address) {
	e.byWay(to, func() { e.a.RM(MOV, S64, RAX, operand(from)) })
}

// byWay stores what load leaves in RAX, which keeps its content.
func (e *emitter) byWay(to plan.Address, load func()) {
	e.a.MR(MOV, S64, below, RAX)
	load()
	e.a.MR(MOV, S64, operand(to), RAX)
	e.a.RM(MOV, S64, RAX, below)
}

// Computed implements plan.Writer.
func (e *emitter) Computed(v regalloc.VReg) Reg {
	e.a.RM(MOVSD, S64, scratch, e.const8(uint64(e.Remat(v).Imm)))
	return scratch
}

// Pool implements plan.Writer.
func (e *emitter) Pool(d Reg, size Size, bits uint64) {
	e.a.RM(moveOf(d, size), size, d, e.const8(bits))
}

// TrapArgs implements plan.Writer.
func (e *emitter) TrapArgs(args []plan.TrapArg) {
	is := func(i int, r Reg) bool { return args[i].Loc == regalloc.InReg(r) }
	load := func(i int) { e.LoadTrapArg(intArgs[i], args[i]) }
	switch {
	case len(args) == 1:
		load(0)
	case is(0, RBX) && is(1, RAX):
		e.a.RR(XCHG, S64, RAX, RBX)
	case is(0, RBX):
		load(0)
		load(1)
	default:
		load(1)
		load(0)
	}
}

// const8 is the address of 8 constant bytes, const16 that of the same bytes twice.
func (e *emitter) const8(x uint64) Mem { return AtLabel(e.Const8(x)) }

func (e *emitter) const16(x uint64) Mem { return AtLabel(e.Const16(x)) }

// mem makes a memory operand.
func (e *emitter) mem(r *regalloc.Inst, m *plan.Mem) Mem { return operand(e.Address(r, m)) }
