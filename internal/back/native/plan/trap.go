package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Checks and calls

// nilCheck writes a check for a nil pointer.
func (e *Emitter) nilCheck(r *regalloc.Inst, in *Inst) {
	l := e.NewLabel()
	e.asm.JumpIfZero(Eq, S32, Use(r, 0), l)
	e.trapStub(l, r, in, ir.TrapNil, nil)
}

// check writes a comparison whose failure is a panic.
func (e *Emitter) check(r *regalloc.Inst, in *Inst) {
	l := e.NewLabel()
	e.writer.Branch(r, in.Cmp, in.Kind == KBounds, l)
	e.trapStub(l, r, in, ir.Trap(in.V.Aux), e.trapArgs(r, in))
}

// trapStub calls, out of line, the function that raises a trap. All other registers are forgotten:
// nothing stays live.
func (e *Emitter) trapStub(l Label, r *regalloc.Inst, in *Inst, trap ir.Trap, args []TrapArg) {
	fn := e.Env.Trap(trap)
	pos := in.V.Pos
	e.Later(func() {
		e.Bind(l)
		if in.Owed != 0 {
			e.asm.Charge(Sub, int64(in.Owed), NoReg, false)
		}
		if in.Kind == KBounds && in.Cmp.M.Kind != MemNone {
			e.asm.Load(Copy, S64, e.cpu.MoveScratch, e.Address(r, &in.Cmp.M))
		}
		if len(args) > 0 {
			e.writer.TrapArgs(args)
		}
		if fn == 0 {
			e.callStub(abi.Site{Reason: abi.TrapExit, A: int64(trap), Pos: pos}, nil, nil)
			return
		}
		e.callFunc(fn)
		e.site(abi.Site{A: int64(fn), Pos: pos}, nil, nil)
	})
}

// LoadTrapArg puts an argument of a trap into a register.
func (e *Emitter) LoadTrapArg(d Reg, x TrapArg) {
	switch l := x.Loc; {
	case l == regalloc.Scratch:
		e.asm.Copy(d, e.cpu.MoveScratch)
	case l.IsReg():
		e.asm.Copy(d, l.Reg())
	case l.IsSlot():
		e.asm.Load(Copy, S64, d, e.slot(l))
	default:
		e.asm.Const(d, x.Imm)
	}
}

// callFunc calls a function through the table, or itself.
func (e *Emitter) callFunc(fn int32) {
	if fn == e.F.Index {
		e.asm.CallLabel(e.Start)
		return
	}
	e.callOut(abi.RelTable, fn)
}

// callIndex calls a function of a signature by its index.
func (v *Env) callIndex(a Assembler, checked bool, sig *ir.Sig, bad Label) {
	id := uint32(0)
	if checked {
		id = v.SigID(sig)
	}
	a.CallIndex(checked, id, bad)
}

func (e *Emitter) call(r *regalloc.Inst, in *Inst) {
	v := in.V
	site := abi.Site{A: -1, Pos: v.Pos, Shape: v.Shape}
	if v.Op == ir.OpCall {
		site.A = int64(v.Fn.Index)
		e.callFunc(v.Fn.Index)
	} else {
		if v.Op == ir.OpCallClosure {
			e.asm.Load(Copy, S64, e.cpu.Index, e.cpu.guest(e.cpu.Closure))
		}
		bad := e.NewLabel()
		e.Env.callIndex(e.asm, e.Checked, v.Sig, bad)
		e.Later(func() {
			e.Bind(bad)
			e.callStub(abi.Site{Reason: abi.BadCallExit, Pos: v.Pos}, nil, nil)
		})
	}
	e.site(site, e.rootWords(r, in, nil), v)
}
