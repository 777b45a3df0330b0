package rt

// Debug are memory settings. They do not change the output or the gas of a program that observes no
// address and no collection.
type Debug struct {
	// GCStress N collects before every N-th allocation; StressSlowPaths collects at every slow path
	// of an allocation. Both also collect when a stack grows. 0 collects only when memory is
	// needed.
	GCStress int
	// Poison fills the memory of dead objects with a pattern.
	Poison bool
}

// StressSlowPaths is a value of Debug.GCStress.
const StressSlowPaths = -1

// debug applies the settings.
func (vm *VM) debug() {
	vm.Heap.SetStress(vm.Config.Debug.GCStress)
	vm.Heap.Poison = vm.Config.Debug.Poison
}
