//go:build unix && amd64

package native

import (
	"testing"

	"github.com/gyrvm/gyr/internal/exec"
	"github.com/gyrvm/gyr/internal/interp/irtest"
	"github.com/gyrvm/gyr/internal/interp/irtest/passes"
	"github.com/gyrvm/gyr/internal/rt"
)

// started makes the machine of a test's module number i.
var started irtest.Start = func(vm *rt.VM, i int, quantum, slice int64) (irtest.Machine, error) {
	opts := Options{Checked: i%5 == 2, Verify: i < 1000 || i%8 == 0}
	if vm.Config.Gas == 0 { // passes choose where between two effects gas runs out
		opts.Prepare = passes.Number(i / 4).Prepare
	}
	var base *Program
	var err error
	if b := vm.Mod.Base; b != nil {
		if base, err = NewProgram(b, opts); err != nil {
			return nil, err
		}
	}
	prog, err := newProgram(base, vm.Mod, opts)
	if err != nil {
		return nil, err
	}
	m, err := New(vm, prog, exec.Config{Quantum: quantum})
	if err == nil && slice > 0 {
		m.SetSlice(slice)
	}
	return m, err
}

// needsCode skips a test where code cannot be made executable.
func needsCode(t *testing.T) {
	if err := Check(); err != nil {
		t.Skip(err)
	}
}

func TestRandom(t *testing.T) {
	needsCode(t)
	started.TestRandom(t)
}

func TestOperations(t *testing.T) {
	needsCode(t)
	t.Run("type-safe", func(t *testing.T) { started.TestOperations(t, 0, false) })
	t.Run("checked", func(t *testing.T) { started.TestOperations(t, 2, true) })
}
