package opt

import (
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Cancellation
//
// Phase B of a large function takes longer than the context of a run may have left.
// Passes count the operations that they look at (state.step), and Options.Stop is asked again
// and again. A pass that has to end is in the midst of changing the function,
// so what PhaseB changes there is a function of which it keeps a copy: it
// unwinds to PhaseB by a panic that nothing else sees, and the copy replaces the changed
// function. The function is as it was, and phase B begins anew at the next call.

// stopOps is how many operations a function must have to be stopped: phase B of less
// does not take long enough.
const stopOps = 1 << 10

// stopped is what a pass panics with.
type stopped struct{}

// step notes that a pass is about to look at n operations.
func (s *state) step(n int) {
	if s.meter.Step(n) {
		panic(stopped{})
	}
}

// untilStopped runs phase B so that it can be stopped, if that is wanted.
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

// operations is the number of operations in some blocks, for step.
func operations(list []*ir.Block) int {
	n := 0
	for _, b := range list {
		n += len(b.Values) + 1
	}
	return n
}
