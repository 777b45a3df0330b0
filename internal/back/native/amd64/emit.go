package amd64

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/arena"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// An emitter writes the code of one function after another.
type emitter struct {
	*plan.Emitter
	asm Asm
	a   *Asm
}

// Begin implements plan.Writer.
func (e *emitter) Begin(f *plan.Emitter) *plan.Buffer {
	e.asm.Buffer.Reset()
	e.asm.fixes = arena.Kept(e.asm.fixes)
	e.Emitter, e.a = f, &e.asm
	e.asm.tally = tally{of: f.Env.Tally}
	return &e.asm.Buffer
}

// End implements plan.Writer.
func (e *emitter) End() bool {
	e.a.Finish()
	e.Out.Blocks = e.a.tally.blocks
	e.Emitter = nil
	return true
}

// Inst implements plan.Writer.
func (e *emitter) Inst(r *regalloc.Inst, in *plan.Inst) { writers[in.Kind](e, r, in) }

// A writer writes an instruction of a kind or with an operation.
type writer func(e *emitter, r *regalloc.Inst, in *plan.Inst)

// writers are the writers of the kinds.
var writers = [plan.NumKinds]writer{
	plan.KEntry:     (*emitter).prologue,
	plan.KHead:      (*emitter).jump,
	plan.KRecover:   func(*emitter, *regalloc.Inst, *plan.Inst) {},
	plan.KImm:       func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.MovImm(def(r), in.Imm) },
	plan.KPool:      func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.loadPool(def(r), in) },
	plan.KZero:      func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.RR(XORPS, S32, def(r), def(r)) },
	plan.KLocals:    func(e *emitter, r *regalloc.Inst, in *plan.Inst) { e.a.RM(MOV, S64, def(r), At(RSP, e.LocalsAt)) },
	plan.KUnary:     (*emitter).unary,
	plan.KBinary:    (*emitter).binary,
	plan.KImmOp:     (*emitter).withImm,
	plan.KLoadOp:    (*emitter).loadOp,
	plan.KTernary:   (*emitter).fma,
	plan.KUpdate:    (*emitter).update,
	plan.KUpdateImm: (*emitter).updateImm,
	plan.KLea:       (*emitter).lea,
	plan.KTruncLea:  (*emitter).truncLea,
	plan.KLoad:      (*emitter).load,
	plan.KStore:     (*emitter).store,
	plan.KStoreImm:  (*emitter).storeImm,
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
	plan.KGasLeft:     (*emitter).gasLeft,
	plan.KEnterLocals: (*emitter).enterLocals,
	plan.KConsume:     func(*emitter, *regalloc.Inst, *plan.Inst) {},
}

func ctx(off int32) Mem { return At(regBase, off) }

// slot returns the memory operand of a slot.
func (e *emitter) slot(l regalloc.Loc) Mem { return At(RSP, e.SlotAt(l)) }

func isXMM(l regalloc.Loc) bool { return l.IsReg() && Reg(l.Reg()).IsXMM() }

// below is memory below the stack pointer. Nothing else writes it: signals have a stack of their
// own.
var below = At(RSP, -8)

// Move implements plan.Writer.
func (e *emitter) Move(s *regalloc.Step) {
	float := e.IsFloat(s.V)
	switch from, to := s.From, s.To; {
	case from == regalloc.Again && to.IsReg():
		e.again(s.V, Reg(to.Reg()))
	case from == regalloc.Again && e.immediate(s.V):
		e.a.MI(MOV, S64, e.slot(to), e.Remat(s.V).Imm)
	case from == regalloc.Again:
		e.a.MR(MOV, S64, below, RAX)
		if float {
			e.a.MovImm(RAX, e.Remat(s.V).Imm)
		} else {
			e.again(s.V, RAX)
		}
		e.toPlace(to, RAX)
		e.a.RM(MOV, S64, RAX, below)
	case from.IsSlot() && to.IsSlot():
		e.a.MR(MOV, S64, below, RAX)
		e.a.RM(MOV, S64, RAX, e.slot(from))
		e.a.MR(MOV, S64, e.slot(to), RAX)
		e.a.RM(MOV, S64, RAX, below)
	case from == regalloc.Scratch:
		e.toPlace(to, scratch)
	case to == regalloc.Scratch && from.IsReg():
		e.copyReg(scratch, Reg(from.Reg()))
	case to == regalloc.Scratch:
		e.a.RM(MOVSD, S64, scratch, e.slot(from))
	case from.IsSlot():
		if float {
			e.a.RM(MOVSD, S64, Reg(to.Reg()), e.slot(from))
		} else {
			e.a.RM(MOV, S64, Reg(to.Reg()), e.slot(from))
		}
	default:
		e.toPlace(to, Reg(from.Reg()))
	}
}

// immediate reports whether a rematerialized value is an integer that an instruction holds.
func (e *emitter) immediate(v regalloc.VReg) bool {
	in := e.Remat(v)
	return in.Kind == plan.KImm && in.Imm == int64(int32(in.Imm))
}

// toPlace copies a register to a register or a slot.
func (e *emitter) toPlace(to regalloc.Loc, r Reg) {
	switch {
	case to.IsReg():
		e.copyReg(Reg(to.Reg()), r)
	case to == regalloc.Scratch:
		e.copyReg(scratch, r)
	case r.IsXMM():
		e.a.MR(MOVSD, S64, e.slot(to), r)
	default:
		e.a.MR(MOV, S64, e.slot(to), r)
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
	in := e.Remat(v)
	switch in.Kind {
	case plan.KImm:
		e.a.MovImm(to, in.Imm)
	case plan.KZero:
		e.a.RR(XORPS, S32, to, to)
	case plan.KPool:
		e.loadPool(to, in)
	case plan.KLocals:
		e.a.RM(MOV, S64, to, At(RSP, e.LocalsAt))
	default:
		panic("amd64: cannot compute that again")
	}
}

// loadFloat returns the move of a float of a size.
func loadFloat(size Size) Op {
	if size == S32 {
		return MOVSS
	}
	return MOVSD
}

// moveOf returns the move of 64 bits from and to a register.
func moveOf(r Reg) Op {
	if r.IsXMM() {
		return MOVSD
	}
	return MOV
}

func (e *emitter) loadPool(to Reg, in *plan.Inst) {
	e.a.RM(loadFloat(in.Size), in.Size, to, e.const8(uint64(in.Imm)))
}

// const8 is the address of 8 constant bytes, const16 that of the same bytes twice.
func (e *emitter) const8(x uint64) Mem { return AtLabel(e.Const8(x)) }

func (e *emitter) const16(x uint64) Mem { return AtLabel(e.Const16(x)) }

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
func (e *emitter) mem(r *regalloc.Inst, m *plan.Mem) Mem {
	switch m.Kind {
	case plan.MemBase:
		if m.Disp < 0 || m.Disp > memory.MaxDisplacement {
			panic(fmt.Sprintf("amd64: displacement %#x behind a pointer", m.Disp))
		}
		return At(regBase, m.Disp).Plus(use(r, int(m.Use)), 1)
	case plan.MemConst:
		return At(regBase, m.Disp)
	case plan.MemHost:
		return At(use(r, int(m.Use)), m.Disp)
	case plan.MemHostX:
		return At(use(r, int(m.Use)), m.Disp).Plus(use(r, int(m.Use)+1), m.Scale)
	case plan.MemIndex:
		return At(regBase, m.Disp).Plus(use(r, int(m.Use)), m.Scale)
	case plan.MemPool:
		return e.const8(m.Bits)
	case plan.MemFrame:
		return At(RSP, e.Frame+linkBytes+8*m.Disp)
	case plan.MemOut:
		return At(RSP, 8*m.Disp)
	}
	panic("amd64: no memory operand")
}
