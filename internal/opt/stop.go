package opt

import (
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Cancellation
//
// Phase B of a large function takes longer than the context of a run may have left. Passes count
// the operations that they visit (state.step), and Options.Stop is called regularly. A pass that
// has to end is in the middle of changing the function. So PhaseB keeps a copy of the function. The
// pass unwinds to PhaseB by a panic that nothing else sees, and the copy replaces the changed
// function. Phase B starts again at the next call of the function.

// stopOps is the least number of operations for which phase B can be stopped. Smaller functions do
// not take long enough.
const stopOps = 1 << 10

// stopped is the panic value of a pass.
type stopped struct{}

// step records that a pass is about to visit n operations.
func (s *state) step(n int) {
	if s.meter.Step(n) {
		panic(stopped{})
	}
}

// untilStopped runs phase B so that it can be stopped, if the options ask for that.
func (s *state) untilStopped(run func() error) (err error) {
	if s.cfg.Stop == nil || s.f.NumOps() < stopOps {
		return run()
	}
	before := s.f.Copy()
	s.meter.Stop = s.cfg.Stop
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			s.f.Restore(before)
			err = cancel.ErrStopped
		default:
			panic(r)
		}
	}()
	return run()
}

// operations returns the number of operations in some blocks, for step.
func operations(list []*ir.Block) int {
	n := 0
	for _, b := range list {
		n += len(b.Values) + 1
	}
	return n
}
