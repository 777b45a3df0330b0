package irtest

import (
	"errors"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// Every operation of the IR occurs in a case, and every case ends in a way that the evaluator
// knows.
func TestOperationsAreComplete(t *testing.T) {
	var seen [ir.NumOps]bool
	steps := 0
	for _, c := range Operations() {
		for _, f := range c.Mod.Funcs()[1:] {
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					seen[v.Op] = true
				}
			}
		}
		e := NewEval(c.Mod)
		e.Limit = c.Limit
		if _, err := e.Call(c.Mod.Entry, nil); err == ErrSteps || errors.Is(err, ErrMeaning) {
			t.Errorf("%s: %v", c.Name, err)
		}
		steps += e.Steps
	}
	for op := ir.OpInvalid + 1; op < ir.NumOps; op++ {
		if !seen[op] {
			t.Errorf("no case for %v", op)
		}
	}
	t.Log(steps, "operations")
}

// TestRandomDrawsOperations: every operation that only computes with integers occurs in random
// programs.
func TestRandomDrawsOperations(t *testing.T) {
	var seen [ir.NumOps]bool
	for seed := range uint64(100) {
		m := Random(seed, 100, true)
		for _, f := range m.Funcs()[1:] {
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					seen[v.Op] = true
				}
			}
		}
	}
	for op := range ir.NumOps {
		switch op.Class() {
		case ir.ClassArithmetic, ir.ClassDivision, ir.ClassShift, ir.ClassBitCount, ir.ClassComparison, ir.ClassSelection:
			if !seen[op] {
				t.Errorf("%v is in no random program: see generator.step", op)
			}
		}
	}
}
