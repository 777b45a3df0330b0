package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// A tally keeps the blocks of the code that is being written (plan.Tally).
type tally struct {
	of     *plan.Tally // nil: nothing is counted
	hidden bool        // the code being written is not counted
	blocks []abi.Block
}

// begin runs before each instruction.
func (a *Asm) begin() {
	if a.tally.of != nil {
		a.tallied()
	}
}

func (a *Asm) tallied() {
	t := &a.tally
	if k := len(t.blocks); a.Leads || k == 0 {
		first := int32(0)
		if k > 0 {
			first = t.blocks[k-1].First + t.blocks[k-1].Instrs
		}
		a.Leads = false
		t.blocks = append(t.blocks, abi.Block{First: first, Counter: a.counter()})
	}
	t.blocks[len(t.blocks)-1].Instrs++
}

// counter writes a counter and returns its number, -1 if there is none.
//
// A counter may appear anywhere: flags and all registers may be live across it, and there may be no
// memory below the stack pointer. So it adds with an address computation, in a register that a word
// of the context saves.
func (a *Asm) counter() int32 {
	if a.tally.hidden {
		return -1
	}
	n, ok := a.tally.of.New()
	if !ok {
		return -1
	}
	of := a.tally.of
	a.tally.of = nil
	at := ctx(abi.CounterAt(n))
	a.MR(MOV, S64, ctx(abi.Kept), RAX)
	a.RM(MOV, S64, RAX, at)
	a.RM(LEA, S64, RAX, At(RAX, 1))
	a.MR(MOV, S64, at, RAX)
	a.RM(MOV, S64, RAX, ctx(abi.Kept))
	a.tally.of = of
	return n
}

// hide says whether the following code is not to be counted.
func (a *Asm) hide(yes bool) { a.tally.hidden, a.Leads = yes, true }

// unseen writes out-of-line code that runs when the host wants to look. It is not counted.
func (e *emitter) unseen(write func()) {
	e.Later(func() {
		e.a.hide(true)
		write()
		e.a.hide(false)
	})
}
