package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// # Writing instructions
//
// Most kinds of instructions are written here. What operations compute, and how comparisons are made,
// the Writer knows.

// inst writes an instruction whose operands have places.
func (e *Emitter) inst(r *regalloc.Inst, in *Inst) {
	switch write := writers[in.Kind]; {
	case write != nil:
		write(e, r, in)
	case in.Op == BitsOf:
		e.floatBits(r, in)
	default:
		e.writer.Inst(r, in)
	}
}

// Writes reports whether instructions of a kind are written here, and not by a Writer.
func Writes(k Kind) bool { return writers[k] != nil }

// writers write the kinds that are the same for all processors.
var writers = [NumKinds]func(e *Emitter, r *regalloc.Inst, in *Inst){
	KEntry:   (*Emitter).enter,
	KHead:    (*Emitter).jump,
	KRecover: func(*Emitter, *regalloc.Inst, *Inst) {},
	KImm:     (*Emitter).constant,
	KPool:    (*Emitter).constant,
	KZero:    (*Emitter).constant,
	KLocals:  (*Emitter).constant,
	KImmOp:   func(e *Emitter, r *regalloc.Inst, in *Inst) { e.asm.OpConst(in.Op, in.Size, Def(r), Use(r, 0), in.Imm) },
	KLoad: func(e *Emitter, r *regalloc.Inst, in *Inst) {
		e.asm.Load(in.Op, in.Size, Def(r), e.Address(r, &in.M))
	},
	KStore: func(e *Emitter, r *regalloc.Inst, in *Inst) {
		e.asm.Store(in.Size, e.Address(r, &in.M), Use(r, 0))
	},
	KStoreImm: func(e *Emitter, r *regalloc.Inst, in *Inst) {
		e.asm.StoreConst(in.Size, e.Address(r, &in.M), in.Imm)
	},
	KStoreF:      (*Emitter).storeFloat,
	KCanonical:   (*Emitter).canonical,
	KJump:        (*Emitter).jump,
	KSwitch:      (*Emitter).switchOn,
	KReturn:      (*Emitter).leave,
	KUnreachable: func(e *Emitter, r *regalloc.Inst, in *Inst) { e.callStub(abi.Site{Reason: abi.FailExit}, nil, nil) },
	KClear:       func(e *Emitter, r *regalloc.Inst, in *Inst) { e.asm.Clear(Use(r, 0), in.Imm) },
	KMove:        (*Emitter).moveBytes,
	KBulk:        (*Emitter).bulk,
	KGas:         (*Emitter).charge,
	KGasN:        (*Emitter).chargeReg,
	KGasLeft:     func(e *Emitter, r *regalloc.Inst, in *Inst) { e.asm.Copy(Def(r), e.cpu.Gas) },
	KNil:         (*Emitter).nilCheck,
	KBounds:      (*Emitter).check,
	KCheck:       (*Emitter).check,
	KCall:        (*Emitter).call,
	KExit:        (*Emitter).exit,
	KNew:         (*Emitter).alloc,
	KNewArray:    (*Emitter).allocArray,
	KNewTyped:    (*Emitter).allocTyped,
	KFrameID:     (*Emitter).frameID,
	KEnterLocals: (*Emitter).enterLocals,
	KConsume:     func(*Emitter, *regalloc.Inst, *Inst) {},
}

func (e *Emitter) jump(r *regalloc.Inst, in *Inst) { e.Goto(e.Target(0)) }

// Goto jumps to a target that does not follow.
func (e *Emitter) Goto(t Target) {
	if !e.Follows(t) {
		e.asm.Goto(e.Label(t))
	}
}

func (e *Emitter) constant(r *regalloc.Inst, in *Inst) { e.compute(in, Def(r)) }

// compute writes a constant, or the address of the shadow frame, to a register.
func (e *Emitter) compute(in *Inst, d Reg) {
	switch in.Kind {
	case KImm:
		e.asm.Const(d, in.Imm)
	case KZero:
		e.asm.Zero(d)
	case KPool:
		e.writer.Pool(d, in.Size, uint64(in.Imm))
	case KLocals:
		e.asm.Load(Copy, S64, d, e.cpu.stack(e.LocalsAt))
	default:
		panic("plan: cannot compute that again")
	}
}

// move writes a move of the register allocator.
func (e *Emitter) move(s *regalloc.Step) {
	scratch := e.cpu.MoveScratch
	switch from, to := s.From, s.To; {
	case from == regalloc.Again && to.IsReg():
		e.compute(e.Remat(s.V), to.Reg())
	case from == regalloc.Again:
		e.writer.ComputeTo(e.slot(to), s.V)
	case from.IsSlot() && to.IsSlot():
		e.writer.MoveSlot(e.slot(to), e.slot(from))
	case from == regalloc.Scratch:
		e.toPlace(to, scratch)
	case to == regalloc.Scratch && from.IsReg():
		e.asm.Copy(scratch, from.Reg())
	case to == regalloc.Scratch:
		e.asm.Load(Copy, S64, scratch, e.slot(from))
	case from.IsSlot():
		e.asm.Load(Copy, S64, to.Reg(), e.slot(from))
	default:
		e.toPlace(to, from.Reg())
	}
}

// toPlace copies a register to a register or a slot.
func (e *Emitter) toPlace(to regalloc.Loc, r Reg) {
	if to.IsReg() {
		e.asm.Copy(to.Reg(), r)
	} else {
		e.asm.Store(S64, e.slot(to), r)
	}
}
