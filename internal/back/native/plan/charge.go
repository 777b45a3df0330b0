package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Charges
//
// Once a quantum is due the register for gas stays below 0 until a loop charge. So a plain charge that
// finds it below 0 compares with the limit for plain ones. A function without such loops, which may
// recurse for long, compares with that limit at once.

// charge writes a charge of a constant.
func (e *Emitter) charge(r *regalloc.Inst, in *Inst) {
	t := NoReg
	if len(r.Temps) > 0 {
		t = Temp(r, 0)
	}
	n, op := in.Imm+int64(in.Owed), Sub
	if n < 0 {
		n, op = -n, Add
	}
	e.asm.Charge(op, n, t, !in.Late)
	if !in.Late {
		e.gasSlow(r, in)
	}
}

func (e *Emitter) chargeReg(r *regalloc.Inst, in *Inst) {
	t := NoReg
	if mayExceed(in.V) {
		t = e.temp(r, 0)
	}
	e.asm.ChargeReg(Use(r, 0), t)
	e.gasSlow(r, in)
}

// gasSlow leaves when the register has run out.
func (e *Emitter) gasSlow(r *regalloc.Inst, in *Inst) {
	slow, back := e.NewLabel(), e.NewLabel()
	e.asm.JumpIfGas(LtS, !e.Polls, slow)
	e.Bind(back)
	s := e.savingAt(r, in)
	e.unseen(func() {
		e.Bind(slow)
		if in.Exit == abi.GasExit && e.Polls {
			e.asm.JumpIfGas(GeS, true, back)
		}
		if in.Run != nil {
			e.gasSteps(r, in, s)
		} else {
			v := in.V
			if in.Exit == abi.GasExit {
				v = nil
			}
			e.leaveSaved(s, abi.Site{Reason: in.Exit, Pos: in.V.Pos}, e.rootWords(r, in, s), v)
		}
		e.asm.Goto(back)
	})
}

// gasSteps makes charges one by one that could not be made together.
func (e *Emitter) gasSteps(r *regalloc.Inst, in *Inst, s Saving) {
	e.asm.Charge(Add, in.Imm, NoReg, false)
	for _, v := range in.Run {
		e.asm.Charge(Sub, v.Aux, NoReg, true)
		if v.IsLate() {
			continue
		}
		next := e.NewLabel()
		if v.Op == ir.OpGasLoop {
			e.asm.JumpIfGas(GeS, false, next)
			e.leaveSaved(s, abi.Site{Reason: abi.LoopExit, Pos: v.Pos}, e.rootWords(r, in, s), v)
		} else {
			e.asm.JumpIfGas(GeS, true, next)
			e.leaveSaved(s, abi.Site{Reason: abi.GasExit, Pos: v.Pos}, nil, nil)
		}
		e.Bind(next)
	}
}
