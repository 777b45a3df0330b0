package interp

import (
	"testing"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/interp/irtest"
	"github.com/gyrvm/gyr/internal/rt"
)

// started makes the machine of a test's module number i.
var started irtest.Start = func(vm *rt.VM, i int, quantum, slice int64) (irtest.Machine, error) {
	prog, err := bytecode.NewProgram(vm.Mod)
	if err != nil {
		return nil, err
	}
	prog.Opts = bytecode.Options{NoFuse: i%7 == 3, NoCoalesce: i%11 == 5}
	m, err := New(vm, prog, Config{Quantum: quantum})
	if err == nil && slice > 0 {
		m.SetSlice(slice)
	}
	return m, err
}

func TestRandom(t *testing.T)     { started.TestRandom(t) }
func TestOperations(t *testing.T) { started.TestOperations(t, 0, false) }
