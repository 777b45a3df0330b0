package rt

import (
	"fmt"
	"strconv"
)

// debug applies the settings of -d that concern memory:
//
//	gcstress     collect at every slow path of an allocation, and when a stack grows
//	gcstress=N   collect before every N-th allocation, and when a stack grows
//	poison       fill the memory of dead objects with a pattern
//
// Neither changes the output or the gas of a program that observes no address
// and no collection.
func (vm *VM) debug() error {
	vm.Heap.SetStress(0)
	if v, ok := vm.Config.Debug["gcstress"]; ok {
		n := -1
		if v != "" {
			var err error
			if n, err = strconv.Atoi(v); err != nil || n <= 0 {
				return fmt.Errorf("debug setting gcstress=%s: not a positive number", v)
			}
		}
		vm.Heap.SetStress(n)
	}
	_, vm.Heap.Poison = vm.Config.Debug["poison"]
	return nil
}
