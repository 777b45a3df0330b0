package facts_test

import (
	"errors"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestOf: the description from Of holds for each result of an operation, in all cases of all
// operations with operands of all types, constants included, and in random functions. A description
// that says no more than the type shows nothing, so the test counts the others.
func TestOf(t *testing.T) {
	told := map[ir.Op]bool{}
	wrong := 0
	run := func(name string, mod *ir.Module, limit int64) {
		said := map[*ir.Value]facts.Value{}
		e := irtest.NewEval(mod)
		e.Limit = limit
		e.See = func(v *ir.Value, x uint64) {
			if !v.Type.IsInt() {
				return
			}
			is, known := said[v]
			if !known {
				is = facts.Of(v)
				said[v] = is
				if is != facts.Top(facts.WidthOf(v.Type)) {
					told[v.Op] = true
				}
			}
			if !is.Contains(facts.WidthOf(v.Type), x) {
				if wrong++; wrong < 20 {
					t.Errorf("%s: %v is %#x, and Of says %+v", name, v.LongString(), x, is)
				}
			}
		}
		if _, err := e.Call(mod.Entry, nil); err != nil && !errors.As(err, new(*irtest.Trap)) && !errors.Is(err, irtest.ErrSteps) && !errors.Is(err, irtest.ErrGas) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range irtest.Operations() {
		run(c.Name, c.Mod, c.Limit)
	}
	for seed := range uint64(300) {
		run("random", irtest.Random(seed, 40, true), 0)
	}
	for op := ir.Op(1); op < ir.NumOps; op++ {
		if facts.Has(op) && !told[op] {
			t.Errorf("nothing was said of %v", op)
		}
	}
}
