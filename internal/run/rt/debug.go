package rt

// Debug are settings that concern memory. Neither changes the output or the gas of a
// program that observes no address and no collection.
type Debug struct {
	// GCStress N collects before every N-th allocation, StressSlowPaths at every slow path of an allocation; both
	// collect when a stack grows, too. 0: only when memory is to be had.
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
