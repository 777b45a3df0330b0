package opt

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// notFolded are the pure operations that evalConst leaves alone, with what folds them instead.
var notFolded = map[ir.Op]string{
	ir.OpInvalid:   "it is no operation",
	ir.OpConst:     "it is a constant",
	ir.OpLocalAddr: "the address is known when the function runs",
	ir.OpCopy:      "passes look through copies",
	ir.OpSelect:    "rules take the operand that is chosen",
	ir.OpFMA:       "evalConst takes two operands, and sums of constant products are rare",
}

// TestEveryOperationFolds: a pure operation is folded for some constants of some types, or the test
// gives a reason.
func TestEveryOperationFolds(t *testing.T) {
	for op := range ir.NumOps {
		folds := false
		for _, x := range irtest.Variants(op) {
			v := &ir.Value{Op: op, Type: x.Type, Aux: x.Aux, Aux2: x.Aux2}
			for _, a := range x.Args {
				v.Args = append(v.Args, &ir.Value{Op: ir.OpConst, Type: a, Aux: 1})
			}
			_, ok := evalConst(v)
			folds = folds || ok
		}
		if _, excused := notFolded[op]; op.Pure() && folds == excused || !op.Pure() && excused {
			t.Errorf("%v: evalConst folds it: %v, there is a reason why not: %v", op, folds, excused)
		}
	}
}

// TestOperations: every operation means the same after the passes of phase B, whatever they know
// about its operands. Memory, gas and traps equal those of the evaluator.
func TestOperations(t *testing.T) {
	type end struct {
		mem  []byte
		gas  int64
		trap irtest.Trap
		err  error
	}
	eval := func(c *irtest.Case) (x end) {
		e := irtest.NewEval(c.Mod)
		e.Limit = c.Limit
		_, x.err = e.Call(c.Mod.Entry, nil)
		if trap := (*irtest.Trap)(nil); errors.As(x.err, &trap) {
			x.trap, x.err = *trap, nil
			x.trap.Pos = 0
		}
		x.mem, x.gas = e.Mem[:len(c.Mod.Data)+int(c.Mod.BSS)], e.Gas
		return x
	}
	before, after := irtest.Operations(), irtest.Operations()
	for i := range before {
		t.Run(before[i].Name, func(t *testing.T) {
			want := eval(&before[i])
			mod := after[i].Mod
			for _, f := range mod.Funcs()[1:] {
				f.FixRoots()
				f.FixFrame()
				if err := PhaseB(f, &Options{Verify: true}); err != nil {
					t.Fatal(err)
				}
			}
			got := eval(&after[i])
			if got.err != want.err || !reflect.DeepEqual(got.trap, want.trap) || got.gas != want.gas {
				t.Errorf("%v %v, gas %d; want %v %v, gas %d", got.err, &got.trap, got.gas, want.err, &want.trap, want.gas)
			}
			if !bytes.Equal(got.mem, want.mem) {
				for j := 0; j < len(got.mem); j += 8 {
					if k := min(j+8, len(got.mem)); !bytes.Equal(got.mem[j:k], want.mem[j:k]) {
						t.Fatalf("at %#x: %x, want %x", ir.DataBase+j, got.mem[j:k], want.mem[j:k])
					}
				}
			}
		})
	}
}
