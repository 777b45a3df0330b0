package rt

import (
	"context"
	"errors"
)

// ErrStopped is why a run was interrupted whose Stop was asked for.
var ErrStopped = errors.New("the run was stopped")

// A Stop ends the runs of an instance from outside, whatever their contexts are: the one that is
// going on at its next poll, or in a call of the host that blocks as when its context ends, and all
// later ones at once. It may be asked for by any goroutine, more than once. A nil Stop is never
// asked for.
type Stop struct {
	ctx context.Context
	ask context.CancelFunc
}

// NewStop returns a Stop that nobody has asked for.
func NewStop() *Stop {
	s := &Stop{}
	s.ctx, s.ask = context.WithCancel(context.Background())
	return s
}

// Ask ends the runs. It does not wait for that.
func (s *Stop) Ask() { s.ask() }

// done is closed when the Stop was asked for; nil if it cannot be.
func (s *Stop) done() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.ctx.Done()
}

// asked reports whether the Stop was asked for.
func (s *Stop) asked() bool { return s != nil && s.ctx.Err() != nil }

// Until returns a channel that is closed when the run is to end, for work that takes long and
// does not poll; over has to be called behind that work.
func (vm *VM) Until() (done <-chan struct{}, over func()) {
	stop, ended := vm.Config.Stop, vm.ended()
	switch {
	case stop == nil:
		return ended, func() {}
	case ended == nil:
		return stop.done(), func() {}
	}
	both, cancel := context.WithCancel(vm.untilDeadline())
	forget := context.AfterFunc(stop.ctx, cancel)
	return both.Done(), func() {
		forget()
		cancel()
	}
}
