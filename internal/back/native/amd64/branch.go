package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// compare writes the comparison and returns the condition.
func (e *emitter) compare(r *regalloc.Inst, c *plan.Comparison) Cond {
	if c.M.Kind != plan.MemNone {
		return e.compareMem(r, c)
	}
	x := e.Left(r, c)
	switch {
	case c.Test:
		e.a.RR(TEST, S8, x, x)
		return NE
	case c.Float:
		op := UCOMISD
		if c.Size == S32 {
			op = UCOMISS
		}
		e.a.RR(op, S32, x, plan.Use(r, int(c.Use)+1))
		return conds[c.Cond]
	case c.IsImm && c.Imm == 0: // the flags are those of a comparison with 0
		e.a.RR(TEST, c.Size, x, x)
	case c.IsImm:
		e.a.RI(CMP, c.Size, x, c.Imm)
	default:
		e.a.RR(CMP, c.Size, x, plan.Use(r, int(c.Use)+1))
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
		e.a.MR(CMP, c.Size, m, plan.Use(r, int(c.Use)))
		return conds[c.Cond]
	case c.Float && c.Size == S32:
		op = UCOMISS
	case c.Float:
		op = UCOMISD
	}
	e.a.RM(op, c.Size, plan.Use(r, int(c.Use)), m)
	return conds[c.Cond]
}

func (e *emitter) setcc(r *regalloc.Inst, in *plan.Inst) {
	d := plan.Def(r)
	cond := e.compare(r, in.Cmp)
	e.a.Setcc(cond, d)
	if in.Cmp.Equality() {
		t := plan.Temp(r, 0)
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
	d, yes := plan.Def(r), plan.Use(r, 1)
	cond := e.compare(r, in.Cmp)
	if in.Float {
		over := e.a.NewLabel()
		e.a.Jcc(cond.Not(), over)
		e.a.Copy(d, yes)
		e.a.Bind(over)
		return
	}
	e.a.Cmov(cond, S64, d, yes)
}

func (e *emitter) branch(r *regalloc.Inst, in *plan.Inst) {
	yes, no := e.Target(0), e.Target(1)
	cond := e.compare(r, in.Cmp)
	if yes == no {
		e.Goto(yes)
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
		e.Goto(no)
		return
	}
	if e.Follows(yes) {
		e.a.Jcc(cond.Not(), e.Label(no))
		return
	}
	e.a.Jcc(cond, e.Label(yes))
	e.Goto(no)
}

// Branch implements plan.Writer. Floats that are not ordered set the flags of equal ones, and the parity.
func (e *emitter) Branch(r *regalloc.Inst, c *plan.Comparison, yes bool, to Label) {
	cond := e.compare(r, c)
	if !yes {
		cond = cond.Not()
	}
	switch {
	case !c.Equality():
		e.a.Jcc(cond, to)
	case cond == NE:
		e.a.Jcc(P, to)
		e.a.Jcc(NE, to)
	default:
		over := e.a.NewLabel()
		e.a.Jcc(P, over)
		e.a.Jcc(E, to)
		e.a.Bind(over)
	}
}
