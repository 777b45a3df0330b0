package rt

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Execution stacks belong to the tier. These functions pass on requests of the guest's scheduler.
// The guest gives a stack's number, and the tier checks it.

// stacksHosts are the host functions in this file, by their names in ir.Primitives.
var stacksHosts = map[string]Func{
	"newstack":  hostNewstack,
	"switch":    hostSwitch,
	"freestack": hostFreestack,
	"curstack":  hostCurstack,
	"getg":      hostGetg,
	"setg":      hostSetg,
}

func hostNewstack(vm *VM, a *ir.Args) Status {
	fn := uint32(a[0])
	if _, ok := vm.bytes(a[0], 8); !ok {
		return vm.badAddress("newstack", a[0], 8)
	}
	stk, st := vm.Exec.NewStack(fn)
	a[0] = uint64(stk)
	return st
}

func hostSwitch(vm *VM, a *ir.Args) Status {
	if a[0] != uint64(uint32(a[0])) || !vm.Exec.SwitchTo(uint32(a[0])) {
		return vm.Fail("switch", memory.ErrCorrupt)
	}
	return Switch
}

func hostFreestack(vm *VM, a *ir.Args) Status {
	if a[0] != uint64(uint32(a[0])) {
		return vm.Fail("freestack", memory.ErrCorrupt)
	}
	vm.Exec.FreeStack(uint32(a[0]))
	return OK
}

func hostCurstack(vm *VM, a *ir.Args) Status {
	a[0] = uint64(vm.Exec.CurStack())
	return OK
}

func hostGetg(vm *VM, a *ir.Args) Status {
	a[0] = uint64(vm.Exec.G())
	return OK
}

func hostSetg(vm *VM, a *ir.Args) Status {
	vm.Exec.SetG(uint32(a[0]))
	return OK
}
