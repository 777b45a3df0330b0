package rt

import (
	"math"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// Units that compacting a heap costs besides the collection. A line is cleared in a page that may
// have to be copied for that, which takes half a microsecond: a sixteenth of a page pays for it.
const (
	compactLine  = 4
	compactBlock = 512
)

// compactFixed is the fixed price of runtime.GC (gas.Table; embedding's TestCompact compares).
const compactFixed = 20_000

// Compact collects garbage and clears what is free, between two calls. It charges what runtime.GC
// charges, and what the clearing takes. No run is under way; one has begun and yielded. The status is
// OK, or one with which the run ends.
func (vm *VM) Compact() Status {
	least := vm.Heap.Stats().InUse / 4 // as for the overlay's GC
	if st := vm.Collect(); st != OK {
		return st
	}
	units := compactFixed + max(least, vm.Heap.Work())
	lines, blocks, st := vm.Heap.Compact()
	if st != memory.StatusOK {
		return vm.HeapStatus("compact", st)
	}
	units += compactLine*lines + compactBlock*blocks
	vm.Exec.Spend(int64(min(units, math.MaxInt64)))
	if vm.Exec.Overdrawn() {
		return OutOfGas
	}
	return OK
}
