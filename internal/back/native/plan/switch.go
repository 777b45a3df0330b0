package plan

import (
	"cmp"
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Switches
//
// A switch is a tree of comparisons. Its leaves are tables, for dense cases, and lists.

// A chooser is a switch that is being written: on x, with two temporaries.
type chooser struct {
	*Emitter
	size    Size
	x, t, u Reg
	other   Label
}

const (
	denseCases  = 3 // a table has at most this many entries per case
	linearCases = 4 // this few are compared one by one
)

// arm is a case.
type arm struct {
	c  int64
	to Label
}

// switchOn writes the end of a block that is a switch.
func (e *Emitter) switchOn(r *regalloc.Inst, in *Inst) {
	b := in.B
	n := len(b.Cases)
	other := e.Target(n)
	if n == 0 {
		e.Goto(other)
		return
	}
	arms := make([]arm, n)
	for i, c := range b.Cases {
		arms[i] = arm{ir.TruncConst(b.Ctrl.Type, c), e.Label(e.Target(i))}
	}
	slices.SortStableFunc(arms, func(p, q arm) int { return cmp.Compare(p.c, q.c) })
	c := chooser{e, in.Size, Use(r, 0), e.temp(r, 0), e.temp(r, 1), e.Label(other)}
	c.choose(arms, e.Follows(other))
}

// choose writes the choice among arms. If it is the last one and falls through, no jump leads to the default.
func (c *chooser) choose(list []arm, falls bool) {
	lo, hi := list[0].c, list[len(list)-1].c
	span := uint64(hi) - uint64(lo)
	switch {
	case len(list) > linearCases && span < uint64(len(list))*denseCases:
		c.asm.Dense(c.size, c.x, c.t, c.u, lo, int64(span), c.Table(targets(list, c.other)), c.other)
	case len(list) <= linearCases:
		for _, l := range list {
			c.asm.JumpIfConst(Eq, c.size, c.x, l.c, c.t, l.to)
		}
		if !falls {
			c.asm.Goto(c.other)
		}
	default:
		mid := len(list) / 2
		right := c.NewLabel()
		c.asm.JumpIfConst(GeS, c.size, c.x, list[mid].c, c.t, right)
		c.choose(list[:mid], false)
		c.Bind(right)
		c.choose(list[mid:], falls)
	}
}

// targets are the entries of the table of a dense list.
func targets(list []arm, other Label) (t []Label) {
	for k := list[0].c; ; k++ {
		if list[0].c != k {
			t = append(t, other)
			continue
		}
		t = append(t, list[0].to)
		if list = list[1:]; len(list) == 0 {
			return t
		}
	}
}
