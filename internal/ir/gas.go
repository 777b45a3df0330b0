package ir

// A charge is late if nobody asks behind it whether the program had that much: the next
// charge that is not late does. Nothing that anybody can observe stands between, so all that
// differs is which line of the program is named when its gas is at an end; and a late
// charge is one subtraction.

// IsLate reports whether v is a late charge.
func (v *Value) IsLate() bool { return v.Op == OpGas && v.Aux2 == 1 }

// AllLate reports whether all charges of a list are late.
func AllLate(charges []*Value) bool {
	for _, v := range charges {
		if !v.IsLate() {
			return false
		}
	}
	return true
}
