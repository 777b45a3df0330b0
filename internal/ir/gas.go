package ir

// A charge is late if nothing right after it checks whether the program had that much gas: the next
// charge that is not late does. Nothing observable lies between, so the only difference is the line
// that is named when the gas runs out. A late charge is one subtraction.

// Kinds of an OpGas, in Aux2.
const (
	GasChecked = 0 // it checks
	GasLate    = 1
	GasEntry   = 2 // it checks only because its function makes calls, which may never end; where the function is inlined, it is late
)

// IsLate reports whether v is a late charge.
func (v *Value) IsLate() bool { return v.Op == OpGas && v.Aux2 == GasLate }

// AllLate reports whether all charges of a list are late.
func AllLate(charges []*Value) bool {
	for _, v := range charges {
		if !v.IsLate() {
			return false
		}
	}
	return true
}

// Kinds of an OpGasLeft, in Aux.
const (
	GasLeftOnce  = 0 // chooses between a loop and a copy of all its rounds
	GasLeftRound = 1 // chooses between a round of a loop and several, again and again
)
