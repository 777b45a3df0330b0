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
	var after []*ir.Value // the part of the list after the run, so far
	observable := keepEffects
	if s.f.Flags&ir.Unsafe != 0 {
		observable |= ir.ReadMem
	}
	for _, b := range s.f.Blocks {
		list := b.Values[:0]
		run := -1                   // index in list where the run of charges began, -1: there is none
		counted := (*ir.Value)(nil) // the counted charge after which nothing observable came
		if slices.ContainsFunc(b.Values, func(v *ir.Value) bool { return v.Op == ir.OpGasN }) {
			list = make([]*ir.Value, 0, len(b.Values)+8) // sums come in between
		}
		for _, v := range b.Values {
			switch {
			case v.Op == ir.OpGas && counted != nil:
				v.Aux2 = ir.GasLate
				list = slices.Insert(list, slices.Index(list, counted), v)
				s.changed = true
				continue
			case v.Op == ir.OpGas && run >= 0:
				s.changed = s.changed || len(after) > 0
				if !joinCharge(list[run:], v) {
					list = append(list, v)
				} else {
					s.changed = true
				}
				continue
			case v.Op == ir.OpGas:
				run = len(list)
			case v.Op == ir.OpGasN:
				if run >= 0 {
					for _, c := range list[run:] {
						c.Aux2 = ir.GasLate
					}
					list = append(list, after...)
					after = after[:0]
					run = -1
					s.changed = true
				}
				if counted != nil && bounded(counted, v) {
					sum := s.f.NewValue(ir.OpAdd, ir.I64, counted.Args[0], v.Args[0])
					sum.Pos, sum.Block = v.Pos, b
					i := slices.Index(list, counted)
					list = append(slices.Delete(list, i, i+1), sum)
					s.because(counted, "it is part of the next one")
					deleted(counted)
					v.Args = []*ir.Value{sum}
					s.changed = true
				}
				counted = v
			case v.HasEffect(observable):
				list = append(list, after...)
				after = after[:0]
				run, counted = -1, nil
			case run >= 0:
				after = append(after, v)
				continue
			}
			list = append(list, v)
		}
		list = append(list, after...)
		after = after[:0]
		if len(list) < len(b.Values) {
			clear(b.Values[len(list):])
		}
		b.Values = list
	}
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
