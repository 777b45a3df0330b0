package opt

import "github.com/gyrvm/gyr/internal/ir"

// mergeGas brings charges of one block together if nothing observable lies between: no call, trap,
// allocation, write to memory or other charge whose place matters. With package unsafe a load counts
// too: if it faults, the run ends with the charges before it. The later charge moves up to the earlier one,
// and into it if both are of the same line. So a program out of gas stops a few pure operations
// sooner, with the same figure. Back ends make a run of charges one subtraction.
//
// A charge is at the head of its block if possible, since a back end makes it part of the branches
// that lead there.
func mergeGas(s *state) {
	var after []*ir.Value // the part of the list after the run, so far
	observable := keepEffects
	if s.f.Flags&ir.Unsafe != 0 {
		observable |= ir.ReadMem
	}
	for _, b := range s.f.Blocks {
		list := b.Values[:0]
		run := -1 // index in list where the run of charges began, -1: there is none
		for _, v := range b.Values {
			switch {
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
			case run >= 0 && !v.HasEffect(observable):
				after = append(after, v)
				continue
			case run >= 0:
				list = append(list, after...)
				after = after[:0]
				run = -1
			}
			list = append(list, v)
		}
		list = append(list, after...)
		after = after[:0]
		clear(b.Values[len(list):])
		b.Values = list
	}
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
