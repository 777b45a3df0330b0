package rt

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// ErrStopped is the reason of an interruption by a Stop.
var ErrStopped = errors.New("the run was stopped")

// A Stop ends the runs of an instance from outside, independently of their contexts. The current
// run ends at its next poll, or in a blocked host call as when its context ends. All later runs end
// at once. Any goroutine may request the stop, more than once. A nil Stop is never requested.
//
// After a request the caller may want to wait for the end of the run, but not if the run is in code
// of the host. The Stop knows that, too.
type Stop struct {
	ctx context.Context
	ask context.CancelFunc
	in  wasi.Place
}

// Places of the host that package wasi does not have. Those of host package functions begin at
// InHostFunc.
const (
	InLog = iota + wasi.NumPlaces
	InError
	InUndo
	InHandle
	InProfile
	InHostFunc
)

var placeNames = [InHostFunc - wasi.NumPlaces]string{"the handler of Config.Log", "a method of an error of the host's", "a function of Undo",
	"the Close method of a handle's object", "the Writer of a profile"}

// PlaceName returns the name of a place of the host, for a program with these functions.
func PlaceName(p wasi.Place, funcs []*HostFunc) string {
	switch {
	case p < wasi.NumPlaces:
		return wasi.Places[p]
	case p < InHostFunc:
		return placeNames[p-wasi.NumPlaces]
	}
	return "the function " + funcs[p-InHostFunc].Name
}

// Enter records that the run enters code of the host, or returns from it (wasi.InGuest). It returns
// the previous place.
//
// Each host call writes the word twice, and goroutines that wait for the end of a run read it. An
// atomic write would take a tenth of the time of a call, and tell no more: a reader looks
// repeatedly, and reads one of the values that were written. After the stop was requested, the run
// enters no function, stream or file.
//
//go:norace
func (s *Stop) Enter(p wasi.Place) (was wasi.Place) {
	if s == nil {
		return wasi.InGuest
	}
	was, s.in = s.in, p
	return was
}

// Where returns the code of the host that the run is in, or was in a moment ago.
//
//go:norace
//go:noinline
func (s *Stop) Where() wasi.Place { return s.in }

// NewStop returns a Stop that has not been requested.
func NewStop() *Stop {
	s := &Stop{}
	s.ctx, s.ask = context.WithCancel(context.Background())
	return s
}

// Ask requests that the runs end. It does not wait for that.
func (s *Stop) Ask() { s.ask() }

// done returns a channel that is closed when the stop is requested. It is nil for a nil Stop.
func (s *Stop) done() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.ctx.Done()
}

// asked reports whether the stop was requested.
func (s *Stop) asked() bool { return s != nil && s.ctx.Err() != nil }

// Until returns a channel that is closed when the run has to end, for long work that does not poll.
// The work calls over when it is done.
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
