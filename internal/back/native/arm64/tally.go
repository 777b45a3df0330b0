package arm64

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
// memory below the stack pointer. So words of the context save the two registers that it uses.
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
	a.Mem(STRX, X0, At(regBase, abi.Kept))
	a.Mem(STRX, X1, At(regBase, abi.KeptToo))
	a.MovImm(X1, int64(abi.CounterAt(n)))
	m := Mem{Base: regBase, Index: X1}
	a.Mem(LDRX, X0, m)
	a.RRI(ADD, S64, X0, X0, 1)
	a.Mem(STRX, X0, m)
	a.Mem(LDRX, X1, At(regBase, abi.KeptToo))
	a.Mem(LDRX, X0, At(regBase, abi.Kept))
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
