package interp

import (
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/irtest"
	"github.com/gyrvm/gyr/internal/suites/irtest/passes"
)

// started makes the machine of a test's module number i.
var started irtest.Start = func(vm *rt.VM, i int, quantum, slice int64) (irtest.Machine, error) {
	opts := bytecode.Options{NoFuse: i%7 == 3, NoCoalesce: i%11 == 5}
	if vm.Config.Gas == 0 { // passes decide between which two effects gas runs out
		opts.Prepare = passes.Number(i / 4).Prepare
	}
	prog, err := newProgram(vm.Mod, opts)
	if err != nil {
		return nil, err
	}
	m, err := New(vm, prog, Options{Options: exec.Options{Quantum: quantum}})
	if err == nil && slice > 0 {
		m.SetSlice(slice)
	}
	return m, err
}

// newProgram makes the program of a module and that of its base.
func newProgram(mod *ir.Module, opts bytecode.Options) (prog *bytecode.Module, err error) {
	if mod.Base == nil {
		prog, err = bytecode.NewModule(nil, mod)
	} else {
		var base *bytecode.Module
		if base, err = newProgram(mod.Base, opts); err != nil {
			return nil, err
		}
		prog, err = bytecode.NewModule(base, mod)
	}
	if err == nil {
		prog.Opts = opts
	}
	return prog, err
}

func TestRandom(t *testing.T)     { started.TestRandom(t) }
func TestOperations(t *testing.T) { started.TestOperations(t, 0, false) }
