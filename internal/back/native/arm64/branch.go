package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// conds are the flag conditions of comparisons of integers, floatConds of floats: with a NaN all but NE
// and the opposites are false.
var (
	conds = [plan.NumConds]Cond{
		plan.Eq: EQ, plan.Ne: NE, plan.LtS: LT, plan.GeS: GE, plan.LeS: LE, plan.GtS: GT,
		plan.LtU: LO, plan.GeU: HS, plan.LeU: LS, plan.GtU: HI,
	}
	floatConds = [plan.NumConds]Cond{plan.Eq: EQ, plan.Ne: NE, plan.GtU: GT, plan.GeU: GE}
)

// compare writes the comparison and returns the condition.
func (e *emitter) compare(r *regalloc.Inst, c *plan.Comparison) Cond {
	x := use(r, int(c.Use))
	switch {
	case c.Float:
		e.a.Fcmp(c.Size, x, use(r, int(c.Use)+1))
		return floatConds[c.Cond]
	case c.IsImm:
		e.a.CmpImm(c.Size, x, c.Imm)
	default:
		e.a.Cmp(c.Size, x, use(r, int(c.Use)+1))
	}
	return conds[c.Cond]
}

func (e *emitter) setcc(r *regalloc.Inst, in *plan.Inst) { e.a.Cset(def(r), e.compare(r, in.Cmp)) }

func (e *emitter) selectValue(r *regalloc.Inst, in *plan.Inst) {
	d, no, yes := def(r), use(r, 0), use(r, 1)
	if cond := e.compare(r, in.Cmp); in.Float {
		e.a.Fcsel(S64, d, yes, no, cond)
	} else {
		e.a.Csel(S64, d, yes, no, cond)
	}
}

// jumpIf jumps to a label if the comparison holds.
func (e *emitter) jumpIf(r *regalloc.Inst, c *plan.Comparison, yes bool, to Label) {
	a, cond := e.a, c.Cond
	if !yes {
		cond = cond.Not()
	}
	if !c.Float && c.IsImm && c.Imm == 0 {
		x, top := use(r, int(c.Use)), c.Size.Bits()-1
		switch cond {
		case plan.Eq:
			a.Cbz(c.Size, x, to)
			return
		case plan.Ne:
			a.Cbnz(c.Size, x, to)
			return
		case plan.LtS:
			a.Tbnz(x, top, to)
			return
		case plan.GeS:
			a.Tbz(x, top, to)
			return
		}
	}
	holds := e.compare(r, c)
	if !yes {
		holds = holds.Not()
	}
	a.Bcond(holds, to)
}

func (e *emitter) branch(r *regalloc.Inst, in *plan.Inst) {
	switch yes, no := e.Target(0), e.Target(1); {
	case yes == no:
		e.jumpTo(yes)
	case e.Follows(yes):
		e.jumpIf(r, in.Cmp, false, e.Label(no))
	default:
		e.jumpIf(r, in.Cmp, true, e.Label(yes))
		e.jumpTo(no)
	}
}

func (e *emitter) jump(r *regalloc.Inst, in *plan.Inst) { e.jumpTo(e.Target(0)) }

func (e *emitter) jumpTo(t plan.Target) {
	if !e.Follows(t) {
		e.a.B(e.Label(t))
	}
}

func (e *emitter) switchOn(r *regalloc.Inst, in *plan.Inst) {
	e.Switch(in, &chooser{e, in.Size, use(r, 0), tmp(r, 0)})
}

// A chooser implements plan.Chooser for the value in x.
type chooser struct {
	*emitter
	size Size
	x, t Reg
}

func (w *chooser) compare(c int64) {
	if fitsCmp(c) {
		w.a.CmpImm(w.size, w.x, c)
		return
	}
	w.a.MovImm(scratch, c)
	w.a.Cmp(w.size, w.x, scratch)
}

func (w *chooser) Equal(c int64, to Label) {
	w.compare(c)
	w.a.Bcond(EQ, to)
}

func (w *chooser) AtLeast(c int64, to Label) {
	w.compare(c)
	w.a.Bcond(GE, to)
}

func (w *chooser) Jump(to Label) { w.a.B(to) }

func (w *chooser) Goto(to plan.Target) { w.jumpTo(to) }

func (w *chooser) Dense(lo, span int64, table, other Label) {
	a, t := w.a, w.t
	switch op, y := addOf(-lo); {
	case lo == 0:
		a.Mov(w.size, t, w.x)
	case fitsImm(op, w.size, y):
		a.RRI(op, w.size, t, w.x, y)
	default:
		a.MovImm(scratch, lo)
		a.RRR(SUB, w.size, t, w.x, scratch)
	}
	if fitsCmp(span) {
		a.CmpImm(w.size, t, span)
	} else {
		a.MovImm(scratch, span)
		a.Cmp(w.size, t, scratch)
	}
	a.Bcond(HI, other)
	a.Adr(far, table)
	a.Mem(LDRSW, scratch, Mem{Base: far, Index: t, Shift: 2})
	a.RRR(ADD, S64, scratch, scratch, far)
	a.Br(scratch)
}

func (e *emitter) nilCheck(r *regalloc.Inst, in *plan.Inst) {
	l := e.a.NewLabel()
	e.a.Cbz(S32, use(r, 0), l)
	e.trapStub(l, in, ir.TrapNil, nil)
}
