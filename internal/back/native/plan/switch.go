package plan

import (
	"cmp"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// # Switches
//
// A switch is a tree of comparisons. Its leaves are tables, for dense cases, and lists.

// A Chooser writes the pieces of one switch.
type Chooser interface {
	Equal(c int64, to Label)   // jumps if the value is c
	AtLeast(c int64, to Label) // jumps if it is c or more, signed
	Jump(to Label)
	Goto(to Target) // jumps if the target does not follow
	// Dense jumps to the table's target for the value less lo, or to other if the difference is
	// above span.
	Dense(lo, span int64, table, other Label)
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

// Switch writes the end of a block that is a switch.
func (e *Emitter) Switch(in *Inst, w Chooser) {
	b := in.B
	n := len(b.Cases)
	other := e.Target(n)
	if n == 0 {
		w.Goto(other)
		return
	}
	arms := make([]arm, n)
	for i, c := range b.Cases {
		arms[i] = arm{ir.TruncConst(b.Ctrl.Type, c), e.Label(e.Target(i))}
	}
	slices.SortStableFunc(arms, func(p, q arm) int { return cmp.Compare(p.c, q.c) })
	e.choose(arms, e.Label(other), w)
}

func (e *Emitter) choose(list []arm, other Label, w Chooser) {
	lo, hi := list[0].c, list[len(list)-1].c
	span := uint64(hi) - uint64(lo)
	switch {
	case len(list) > linearCases && span < uint64(len(list))*denseCases:
		w.Dense(lo, int64(span), e.Table(targets(list, other)), other)
	case len(list) <= linearCases:
		for _, l := range list {
			w.Equal(l.c, l.to)
		}
		w.Jump(other)
	default:
		mid := len(list) / 2
		right := e.NewLabel()
		w.AtLeast(list[mid].c, right)
		e.choose(list[:mid], other, w)
		e.Bind(right)
		e.choose(list[mid:], other, w)
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
