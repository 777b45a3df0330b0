package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// compare writes the comparison and returns the condition.
func (e *emitter) compare(r *regalloc.Inst, c *plan.Comparison) Cond {
	x := e.Left(r, c)
	switch {
	case c.Float:
		e.a.Fcmp(c.Size, x, plan.Use(r, int(c.Use)+1))
		return floatConds[c.Cond]
	case c.IsImm:
		e.a.CmpImm(c.Size, x, c.Imm)
	default:
		e.a.Cmp(c.Size, x, plan.Use(r, int(c.Use)+1))
	}
	return conds[c.Cond]
}

func (e *emitter) setcc(r *regalloc.Inst, in *plan.Inst) { e.a.Cset(plan.Def(r), e.compare(r, in.Cmp)) }

func (e *emitter) selectValue(r *regalloc.Inst, in *plan.Inst) {
	d, no, yes := plan.Def(r), plan.Use(r, 0), plan.Use(r, 1)
	if cond := e.compare(r, in.Cmp); in.Float {
		e.a.Fcsel(S64, d, yes, no, cond)
	} else {
		e.a.Csel(S64, d, yes, no, cond)
	}
}

// Branch implements plan.Writer.
func (e *emitter) Branch(r *regalloc.Inst, c *plan.Comparison, yes bool, to Label) {
	a, cond := e.a, c.Cond
	if !yes {
		cond = cond.Not()
	}
	if !c.Float && c.IsImm && c.Imm == 0 {
		x, top := e.Left(r, c), c.Size.Bits()-1
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
		e.Goto(yes)
	case e.Follows(yes):
		e.Branch(r, in.Cmp, false, e.Label(no))
	default:
		e.Branch(r, in.Cmp, true, e.Label(yes))
		e.Goto(no)
	}
}
