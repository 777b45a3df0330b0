package opt

import "github.com/gyrvm/gyr/internal/ir"

// Metering is the name in Options.NoPass that leaves out the charges of functions, to measure what
// charging costs. Loops and calls stay places where a run can be stopped: a loop charge is one
// unit, and a function that calls keeps one unit at its entry. Such a run has neither a gas limit
// nor a clock that follows from gas.
const Metering = "metering"

// dropCharges removes the charges that a function does not need to be stopped.
func dropCharges(s *state) {
	calls := false
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			calls = calls || v.Op.CallsGuest()
		}
	}
	for _, b := range s.f.Blocks {
		list := b.Values[:0]
		for _, v := range b.Values {
			switch {
			case v.Op == ir.OpGas && b == s.f.Entry && calls:
				v.Aux, v.Aux2, calls = 1, 0, false
			case v.Op == ir.OpGas, v.Op == ir.OpGasN:
				deleted(v)
				continue
			case v.Op == ir.OpGasLoop:
				v.Aux = 1
			}
			list = append(list, v)
		}
		clear(b.Values[len(list):])
		b.Values = list
	}
	s.changed = true
}
