package plan

import (
	"fmt"
	"sync/atomic"

	"github.com/gyrvm/gyr/internal/back/native/abi"
)

// # Counting what is executed
//
// With a Tally, each block of the machine code begins with a counter. Such a block is code
// that is entered only at its first instruction and left after its last. It is smaller than a block
// of the IR, which contains branches to out-of-line code and calls that may not return. So the
// number of executed instructions is a sum over the blocks: how often each was entered, times its
// number of instructions. It is exact whenever the run is not in machine code.
//
// The counters change neither registers nor flags, so the instructions are those of code without
// counters, in the same order; only offsets differ. The stubs are not counted, nor is padding, nor code that
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

// A tally keeps the blocks of the code in a buffer.
type tally struct {
	of     *Tally // nil: nothing is counted
	asm    Assembler
	hidden bool // the code being written is not counted
	blocks []abi.Block
}

// startCount begins to count in an empty buffer, which is that of an Assembler.
func (b *Buffer) startCount(of *Tally, a Assembler) { b.tally = tally{of: of, asm: a} }

// Instruction must be called before each instruction.
func (b *Buffer) Instruction() {
	if b.tally.of != nil {
		b.tallied()
	}
}

func (b *Buffer) tallied() {
	t := &b.tally
	if k := len(t.blocks); b.Leads || k == 0 {
		first := int32(0)
		if k > 0 {
			first = t.blocks[k-1].First + t.blocks[k-1].Instrs
		}
		b.Leads = false
		t.blocks = append(t.blocks, abi.Block{First: first, Counter: b.counter()})
	}
	t.blocks[len(t.blocks)-1].Instrs++
}

// counter writes a counter and returns its number, -1 if there is none.
func (b *Buffer) counter() int32 {
	if b.tally.hidden {
		return -1
	}
	of := b.tally.of
	n, ok := of.New()
	if !ok {
		return -1
	}
	b.tally.of = nil // the instructions of the counter do not count
	b.tally.asm.Count(n)
	b.tally.of = of
	return n
}

// pad aligns what follows. Padding has no number and is in no block.
func (b *Buffer) pad(n int) {
	of, asm := b.tally.of, b.tally.asm
	b.tally.of = nil
	asm.Align(n)
	b.tally.of = of
}

// hide says whether the following code is not to be counted.
func (b *Buffer) hide(yes bool) { b.tally.hidden, b.Leads = yes, true }

// unseen writes out-of-line code that runs when the host wants to look. It is not counted.
func (e *Emitter) unseen(write func()) {
	e.Later(func() {
		e.hide(true)
		write()
		e.hide(false)
	})
}
