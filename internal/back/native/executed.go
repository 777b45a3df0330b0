package native

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// A Count says how often the blocks of a piece of code were entered.
type Count struct {
	*abi.Func          // Fn is nil for the routines that functions share
	Entered   []uint64 // by block; 0 if it is not counted
	Layer     int      // 0: of the program, 1: of its base, and so on
}

// Executed returns how many instructions the machine has executed, if its code counts them
// (Options.Tally), and 0 otherwise. It may be called while a host function runs.
func (m *Machine) Executed() (n uint64) {
	m.counted(func(_ *code, _ int, b *abi.Block, entered uint64) { n += entered * uint64(b.Instrs) })
	return n
}

// Instructions implements the engine's machine.
func (m *Machine) Instructions() uint64 { return m.Executed() }

// Counts returns the counts that Executed sums, for each piece of code.
func (m *Machine) Counts() (list []Count) {
	var last *code
	m.counted(func(c *code, layer int, _ *abi.Block, entered uint64) {
		if c != last {
			last, list = c, append(list, Count{Func: c.Func, Layer: layer, Entered: make([]uint64, 0, len(c.Blocks))})
		}
		k := len(list) - 1
		list[k].Entered = append(list[k].Entered, entered)
	})
	return list
}

// counted calls tell for all blocks, those of the bases too.
func (m *Machine) counted(tell func(c *code, layer int, b *abi.Block, entered uint64)) {
	if m.counters == nil {
		return
	}
	for p, layer := m.prog, 0; p != nil; p, layer = p.base, layer+1 {
		for _, c := range *p.index.Load() {
			for i := range c.Blocks {
				b, entered := &c.Blocks[i], uint64(0)
				if b.Counter >= 0 {
					entered = m.counters[memory.MaxCounters-1-b.Counter]
				}
				tell(c, layer, b, entered)
			}
		}
	}
}
