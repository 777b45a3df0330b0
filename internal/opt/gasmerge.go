package opt

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// mergeGas brings charges of one block together if nothing observable lies between: no call, trap,
// allocation, write to memory or other charge whose place matters. With package unsafe a load counts
// too: if it faults, the run ends with the charges before it. The later charge moves up to the earlier one,
// and into it if both are of the same line. So a program out of gas stops a few pure operations
// sooner, with the same figure. Back ends make a run of charges one subtraction.
//
// A charge is at the head of its block if possible, since a back end makes it part of the branches
// that lead there.
//
// A counted charge checks, so those that come together with it need not: they become late. Two counted
// ones become one of the sum.
func mergeGas(s *state) {
	m := merger{state: s, observable: keepEffects}
	if s.f.Flags&ir.Unsafe != 0 {
		m.observable |= ir.ReadMem
	}
	for _, b := range s.f.Blocks {
		m.list, m.run, m.counted = b.Values[:0], -1, -1
		if slices.ContainsFunc(b.Values, func(v *ir.Value) bool { return v.Op == ir.OpGasN }) {
			m.list = make([]*ir.Value, 0, len(b.Values)+8) // sums come in between
		}
		for _, v := range b.Values {
			m.value(v)
		}
		m.endRun()
		if len(m.list) < len(b.Values) {
			clear(b.Values[len(m.list):])
		}
		b.Values = m.list
	}
}

// A merger writes the list of a block anew.
type merger struct {
	*state
	observable ir.Effect
	list       []*ir.Value
	after      []*ir.Value // the part of the list after the run, so far
	run        int         // index in list where the run of charges began, -1: there is none
	counted    int         // index of a counted charge after which nothing observable came, -1: there is none
}

func (m *merger) endRun() {
	m.list = append(m.list, m.after...)
	m.after, m.run = m.after[:0], -1
}

func (m *merger) value(v *ir.Value) {
	switch {
	case v.Op == ir.OpGas && m.counted >= 0:
		v.Aux2 = ir.GasLate
		m.list = slices.Insert(m.list, m.counted, v)
		m.counted++
		m.changed = true
		return
	case v.Op == ir.OpGas && m.run >= 0:
		joined := joinCharge(m.list[m.run:], v)
		m.changed = m.changed || joined || len(m.after) > 0
		if joined {
			return
		}
	case v.Op == ir.OpGas:
		m.run = len(m.list)
	case v.Op == ir.OpGasN:
		m.count(v)
	case v.HasEffect(m.observable):
		m.endRun()
		m.counted = -1
	case m.run >= 0:
		m.after = append(m.after, v)
		return
	}
	m.list = append(m.list, v)
}

// count prepares the list for a counted charge, which comes next.
func (m *merger) count(v *ir.Value) {
	if m.run >= 0 {
		for _, c := range m.list[m.run:] {
			c.Aux2 = ir.GasLate
		}
		m.changed = true
	}
	m.endRun()
	if i := m.counted; i >= 0 && bounded(m.list[i], v) {
		before := m.list[i]
		sum := m.f.NewValue(ir.OpAdd, ir.I64, before.Args[0], v.Args[0])
		sum.Pos, sum.Block = v.Pos, v.Block
		m.list = append(slices.Delete(m.list, i, i+1), sum)
		m.because(before, "it is part of the next one")
		deleted(before)
		v.Args = []*ir.Value{sum}
		m.changed = true
	}
	m.counted = len(m.list)
}

// bounded reports whether the sum of two counted charges is at most what one may charge, 2^62.
func bounded(v, w *ir.Value) bool {
	x, y := facts.Most(v.Args[0]), facts.Most(w.Args[0])
	return x <= 1<<62 && y <= 1<<62 && x+y <= 1<<62
}

// joinCharge adds v to the charge of the same position in a run. A late charge does not join one
// that checks, which would then fail too early.
func joinCharge(run []*ir.Value, v *ir.Value) bool {
	c := run[len(run)-1]
	if c.Pos != v.Pos || c.Aux+v.Aux > 1<<40 || v.IsLate() && !c.IsLate() {
		return false
	}
	c.Aux += v.Aux
	if c.Aux2 != ir.GasChecked {
		c.Aux2 = v.Aux2
	}
	deleted(v)
	return true
}
