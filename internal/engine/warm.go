package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// nameWarm finds the functions of Source.Warm.
func (p *Program) nameWarm(names []string) error {
	if len(names) > 0 && p.mod.Exports == nil {
		return errors.New("gyr: CompileOptions.Warm is for programs that are compiled with Source.Exports")
	}
	for _, name := range names {
		n := slices.IndexFunc(p.mod.Exports, func(x ir.Export) bool { return x.Name == name })
		if n < 0 {
			return fmt.Errorf("gyr: CompileOptions.Warm: no exported function %s", name)
		}
		if why := p.mod.Exports[n].Refusal; why != "" {
			return fmt.Errorf("gyr: CompileOptions.Warm: %s cannot be called: %s", name, why)
		}
		if len(p.mod.Exports[n].Params) > 0 {
			return fmt.Errorf("gyr: CompileOptions.Warm: %s has parameters", name)
		}
		p.warm = append(p.warm, n)
	}
	return nil
}

// warmUp makes the warm-up calls of an instance that has initialised its packages. It returns the
// new state, as Instance.run does.
func (in *Instance) warmUp(long bool) (next uint32, err error) {
	for _, n := range in.prog.warm {
		x := &in.prog.mod.Exports[n]
		failed := func(err error) (uint32, error) {
			return stateFailed, fmt.Errorf("gyr: warm-up call of %s: %w", x.Name, err)
		}
		switch _, results, err := in.vm.Signature(n, x.Fails); {
		case err != nil:
			return failed(err)
		case len(results) > 0:
			return failed(errors.New("it has results besides an error"))
		}
		in.vm.PrepareCall(rt.NewCall(n, nil, nil))
		if next, err := in.goOn(long); next != stateReady {
			if err != nil {
				_, err = failed(err)
			}
			return next, err
		}
		switch text, guest, err := in.vm.CallOutcome(); {
		case err != nil:
			return failed(err)
		case guest:
			return failed(&api.GuestError{Func: x.Name, Text: text})
		}
	}
	return stateReady, nil
}
