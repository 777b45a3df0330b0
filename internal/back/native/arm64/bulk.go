package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// A bulkOp is one of the routines.
type bulkOp struct {
	op     ir.Op
	kernel string // with ir.OpHost
	args   []Reg
	also   []Reg // that it destroys besides bulkClobber
	write  func(a *Asm)
}

var bulkClobber = setOf(rangeOf(X0, 10)...) | setOf(rangeOf(V16, 8)...)

var bulkOps = []bulkOp{}

// routines returns bulkOps in the form of package plan.
func routines() []plan.Routine {
	list := make([]plan.Routine, len(bulkOps))
	for i, op := range bulkOps {
		list[i] = plan.Routine{Op: op.op, Kernel: op.kernel, Args: numbers(op.args), Clobber: bulkClobber | setOf(op.also...)}
	}
	return list
}

// bulk writes the call, and the out-of-line exit to the handler.
func (e *emitter) bulk(r *regalloc.Inst, in *plan.Inst) {
	a := e.a
	op := bulkOps[in.Imm]
	slow, back := a.NewLabel(), a.NewLabel()
	e.jumpOut(abi.RelBulk, int32(in.Imm), true)
	a.Bcond(HS, slow)
	a.Bind(back)
	s := e.SavingAt(r, in)
	e.Later(func() {
		a.Bind(slow)
		for i, reg := range op.args {
			e.store64(ctx(abi.Args+8*int32(i)), reg)
		}
		e.save(s)
		site := abi.Site{Reason: description.Routines[in.Imm].Exit(), Extra: s.Bytes(), Pos: in.V.Pos}
		if op.kernel != "" {
			site.A = in.V.Aux
		}
		e.callStub(site, nil, nil)
		e.restore(s)
		if len(r.Defs) > 0 {
			e.loadArg(X0)
		}
		a.B(back)
	})
}
