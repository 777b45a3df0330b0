package amd64

import (
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// TestTables: every kind of instruction and every operation has code, one way or the other.
func TestTables(t *testing.T) {
	for k, write := range writers {
		if (write != nil) == plan.Writes(plan.Kind(k)) {
			t.Errorf("none or two for kind %d", k)
		}
	}
	for op := plan.NoOp + 1; op < plan.NumOps; op++ {
		switch op {
		case plan.Cmp, plan.FCmp, plan.FMA, plan.Store, plan.BitsOf: // with kinds of their own, or of package plan
			continue
		}
		unary := unaries[op] != nil || conversions[op].ops != [2]Op{}
		binary := binaries[op] != nil || arithmetic[op] != [2]Op{} || threeOperands[op][0] != OpNone
		if unary == binary {
			t.Errorf("operation %d: of one operand %v, of two %v", op, unary, binary)
		}
	}
}
