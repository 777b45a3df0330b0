package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// conds are the flag conditions of comparisons. Comparisons of floats set those of unsigned
// numbers.
var conds = [plan.NumConds]Cond{
	plan.Eq: E, plan.Ne: NE, plan.LtS: L, plan.GeS: GE, plan.LeS: LE, plan.GtS: G,
	plan.LtU: B, plan.GeU: AE, plan.LeU: BE, plan.GtU: A,
}

// compare writes the comparison and returns the condition.
func (e *emitter) compare(r *regalloc.Inst, c *plan.Comparison) Cond {
	if c.M.Kind != plan.MemNone {
		return e.compareMem(r, c)
	}
	x := use(r, int(c.Use))
	switch {
	case c.Test:
		e.a.RR(TEST, S8, x, x)
		return NE
	case c.Float:
		op := UCOMISD
		if c.Size == S32 {
			op = UCOMISS
		}
		e.a.RR(op, S32, x, use(r, int(c.Use)+1))
		return conds[c.Cond]
	case c.IsImm && c.Imm == 0: // the flags are those of a comparison with 0
		e.a.RR(TEST, c.Size, x, x)
	case c.IsImm:
		e.a.RI(CMP, c.Size, x, c.Imm)
	default:
		e.a.RR(CMP, c.Size, x, use(r, int(c.Use)+1))
	}
	return conds[c.Cond]
}

// compareMem writes a comparison with memory.
func (e *emitter) compareMem(r *regalloc.Inst, c *plan.Comparison) Cond {
	m := e.mem(r, &c.M)
	op := CMP
	switch {
	case c.Left && c.IsImm:
		e.a.MI(CMP, c.Size, m, c.Imm)
		return conds[c.Cond]
	case c.Left:
		e.a.MR(CMP, c.Size, m, use(r, int(c.Use)))
		return conds[c.Cond]
	case c.Float && c.Size == S32:
		op = UCOMISS
	case c.Float:
		op = UCOMISD
	}
	e.a.RM(op, c.Size, use(r, int(c.Use)), m)
	return conds[c.Cond]
}

func (e *emitter) setcc(r *regalloc.Inst, in *plan.Inst) {
	d := def(r)
	cond := e.compare(r, in.Cmp)
	e.a.Setcc(cond, d)
	if in.Cmp.Equality() {
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

func (e *emitter) selectValue(r *regalloc.Inst, in *plan.Inst) {
	d, yes := def(r), use(r, 1)
	cond := e.compare(r, in.Cmp)
	if in.Float {
		over := e.a.NewLabel()
		e.a.Jcc(cond.Not(), over)
		e.copyReg(d, yes)
		e.a.Bind(over)
		return
	}
	e.a.Cmov(cond, S64, d, yes)
}

func (e *emitter) branch(r *regalloc.Inst, in *plan.Inst) {
	yes, no := e.Target(0), e.Target(1)
	cond := e.compare(r, in.Cmp)
	if yes == no {
		e.jumpTo(yes)
		return
	}
	if in.Cmp.Equality() {
		if cond == NE { // not equal or not ordered: equality with the targets exchanged
			yes, no = no, yes
		}
		e.a.Jcc(P, e.Label(no))
		if e.Follows(yes) {
			e.a.Jcc(NE, e.Label(no))
			return
		}
		e.a.Jcc(E, e.Label(yes))
		e.jumpTo(no)
		return
	}
	if e.Follows(yes) {
		e.a.Jcc(cond.Not(), e.Label(no))
		return
	}
	e.a.Jcc(cond, e.Label(yes))
	e.jumpTo(no)
}

func (e *emitter) jump(r *regalloc.Inst, in *plan.Inst) { e.jumpTo(e.Target(0)) }

func (e *emitter) jumpTo(t plan.Target) {
	if !e.Follows(t) {
		e.a.Jmp(e.Label(t))
	}
}

func (e *emitter) switchOn(r *regalloc.Inst, in *plan.Inst) {
	e.Switch(in, &chooser{e, in.Size, use(r, 0), tmp(r, 0), tmp(r, 1)})
}

// A chooser implements plan.Chooser for the value in x.
type chooser struct {
	*emitter
	size    Size
	x, t, u Reg
}

func (w *chooser) compare(c int64) {
	if c == int64(int32(c)) {
		w.a.RI(CMP, w.size, w.x, c)
		return
	}
	w.a.MovImm(w.t, c)
	w.a.RR(CMP, w.size, w.x, w.t)
}

func (w *chooser) Equal(c int64, to Label) {
	w.compare(c)
	w.a.Jcc(E, to)
}

func (w *chooser) AtLeast(c int64, to Label) {
	w.compare(c)
	w.a.Jcc(GE, to)
}

func (w *chooser) Jump(to Label) { w.a.Jmp(to) }

func (w *chooser) Goto(to plan.Target) { w.jumpTo(to) }

func (w *chooser) Dense(lo, span int64, table, other Label) {
	a, t, u := w.a, w.t, w.u
	switch {
	case lo == 0:
		a.RR(MOV, w.size, t, w.x)
	case -lo == int64(int32(-lo)):
		a.RM(LEA, w.size, t, At(w.x, int32(-lo)))
	default:
		a.RR(MOV, w.size, t, w.x)
		a.MovImm(u, lo)
		a.RR(SUB, w.size, t, u)
	}
	a.RI(CMP, w.size, t, span)
	a.Jcc(A, other)
	a.RM(LEA, S64, u, AtLabel(table))
	a.RM(MOVSX32, S64, t, At(u, 0).Plus(t, 4))
	a.RR(ADD, S64, t, u)
	a.R(JMPR, S64, t)
}

func (e *emitter) nilCheck(r *regalloc.Inst, in *plan.Inst) {
	l := e.a.NewLabel()
	e.a.RR(TEST, S32, use(r, 0), use(r, 0))
	e.a.Jcc(E, l)
	e.trapStub(l, in, ir.TrapNil, nil)
}
