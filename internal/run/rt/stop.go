package rt

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// ErrStopped is why a run was interrupted whose Stop was asked for.
var ErrStopped = errors.New("the run was stopped")

// A Stop ends the runs of an instance from outside, whatever their contexts are: the one that is
// going on at its next poll, or in a call of the host that blocks as when its context ends, and all
// later ones at once. It may be asked for by any goroutine, more than once. A nil Stop is never
// asked for.
//
// Who has asked may want to wait for the end of the run, unless it is in code of the host, for which nobody waits: the
// Stop knows that, too.
type Stop struct {
	ctx context.Context
	ask context.CancelFunc
	in  wasi.Place
}

// Places of the host besides those of package wasi. Those of functions of host packages begin at InHostFunc.
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

// PlaceName names a place of the host, in which a program has these functions.
func PlaceName(p wasi.Place, funcs []*HostFunc) string {
	switch {
	case p < wasi.NumPlaces:
		return wasi.Places[p]
	case p < InHostFunc:
		return placeNames[p-wasi.NumPlaces]
	}
	return "the function " + funcs[p-InHostFunc].Name
}

// Enter says that the run enters code of the host, or comes back from it (wasi.InGuest), and returns where it was.
//
// The word is written twice for each call of the host, and read by those who wait for the end of a run. An atomic write would take
// a tenth of what a call takes, and tell no more: a reader looks again and again, and what it reads is one of the values
// that were written. Once the Stop was asked for, the run does not enter a function, a stream or a file any more.
//
//go:norace
func (s *Stop) Enter(p wasi.Place) (was wasi.Place) {
	if s == nil {
		return wasi.InGuest
	}
	was, s.in = s.in, p
	return was
}

// Where returns which code of the host the run is in, or was in a moment ago.
//
//go:norace
//go:noinline
func (s *Stop) Where() wasi.Place { return s.in }

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
