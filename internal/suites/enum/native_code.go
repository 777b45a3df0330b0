//go:build unix && (amd64 || arm64)

package enum

import (
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// nativeEngines run machine code: compiled as for type-safe programs, and as for others.
var nativeEngines = func() []engine {
	if native.Check() != nil {
		return nil
	}
	start := func(checked bool) func(*rt.VM, bool) (machine, error) {
		return func(vm *rt.VM, verify bool) (machine, error) {
			prog, err := native.NewModule(nil, vm.Mod, native.Options{Checked: checked, Verify: verify})
			if err != nil {
				return nil, err
			}
			return native.New(vm, prog, exec.Options{})
		}
	}
	return []engine{{"machine code", start(false)}}
}()
