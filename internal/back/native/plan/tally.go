package plan

import (
	"fmt"
	"sync/atomic"
)

// # Counting what is executed
//
// With a Tally, a Writer begins each block of the machine's with a counter: each piece of code that is entered at its
// first instruction alone and left behind its last. These are smaller than the blocks of the IR, which have branches to
// code out of line in them, and calls that may not return. So the instructions that a run has executed are a sum, over
// the blocks, of how often each was entered times how many instructions it has, exact whenever the run is not in
// machine code.
//
// The counters change neither registers nor flags, so the instructions are those of code without counters, in the same
// order; only offsets are others. Code that leaves because the host wants to look (for gas, or for a stack to grow) and
// the stubs are not counted: how often that happens says nothing of the program.

// A Tally gives numbers to the counters of all modules of a run, from 0 on. The counters lie below the context of the
// machine that runs: each run has its own. It may be used by several goroutines at once.
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
