package rt

import "github.com/gyrvm/gyr/internal/ir"

// Package initialisation.
//
// The guest asks for one initialiser after the other. First come the packages of the standard
// library that the snapshot does not hold, which are free, then the program's own.

// An initQueue is the remaining initialisation.
type initQueue struct {
	std  []int32 // numbers in Module.Inits
	user int     // next of the program's own packages, which are at the end of Module.Inits
	free bool    // the free part is not over

	paused bool // the run was left after the initialisation
}

// initQueue returns the queue at the start of a run.
func (vm *VM) initQueue() initQueue {
	q := initQueue{free: true}
	for q.user < len(vm.Mod.Inits) && vm.Mod.Inits[q.user].Std {
		q.user++
	}
	switch {
	case vm.build != nil:
		q.std = vm.build.pure
	case vm.snap != nil:
		q.std = vm.snap.Live
	default:
		for i := range q.user {
			q.std = append(q.std, int32(i))
		}
	}
	return q
}

// pauses reports whether the run is left after the initialisation of all packages, to be copied.
// That is so for a program with a main function if the caller wants a Start. A run that has used
// more than its gas continues, to end where it would.
func (vm *VM) pauses() bool {
	return vm.watched && vm.unkept == "" && vm.Mod.Exports == nil && !vm.Exec.Overdrawn()
}

// initHosts are the host functions in this file, by their names in ir.Primitives.
var initHosts = map[string]Func{
	"nextinit": hostNextinit,
}

func hostNextinit(vm *VM, a *ir.Args) Status {
	q := &vm.inits
	if len(q.std) > 0 {
		n := q.std[0]
		q.std = q.std[1:]
		if vm.build != nil {
			vm.build.current = n
		}
		a[0] = uint64(vm.Mod.Inits[n].Closure)
		return OK
	}
	if vm.build != nil {
		vm.build.done = true
		return Exit
	}
	if q.free {
		q.free = false
		vm.Exec.FreeEnds()
		vm.Heap.RestartPeak()
		vm.Began = vm.Heap.Stats()
		if a := vm.Config.Accounts; a != nil {
			a.open(vm)
		}
	}
	if q.user == len(vm.Mod.Inits) {
		if !q.paused && vm.pauses() {
			q.paused = true
			return Yield
		}
		a[0] = 0
		return OK
	}
	a[0] = uint64(vm.Mod.Inits[q.user].Closure)
	q.user++
	return OK
}
