package plan

import (
	"fmt"
	"sync/atomic"
)

// # Counting what is executed
//
// With a Tally, a Writer begins each block of the machine code with a counter. Such a block is code
// that is entered only at its first instruction and left after its last. It is smaller than a block
// of the IR, which contains branches to out-of-line code and calls that may not return. So the
// number of executed instructions is a sum over the blocks: how often each was entered, times its
// number of instructions. It is exact whenever the run is not in machine code.
//
// The counters change neither registers nor flags, so the instructions are those of code without
// counters, in the same order; only offsets differ. The stubs are not counted, nor is code that
// leaves because the host wants to look (for gas, or for a stack to grow): how often that happens
// says nothing about the program.

// A Tally numbers the counters of all modules of a run from 0 on. The counters lie below the
// context of the running machine: each run has its own. Several goroutines may use it at once.
type Tally struct {
	Limit int32 // how many counters there may be
	next  atomic.Int32
}

// New returns the number of a new counter; false: there are too many.
func (t *Tally) New() (int32, bool) {
	n := t.next.Add(1) - 1
	return n, n < t.Limit
}

// err reports that a function got no counters.
func (t *Tally) err() error {
	if t == nil || t.next.Load() <= t.Limit {
		return nil
	}
	return fmt.Errorf("counting instructions: more than %d blocks", t.Limit)
}
