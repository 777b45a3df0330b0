package rt

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Calls of the host that may last for ever.
//
// A Reader, a Writer or a file of the host may block, and nothing can interrupt
// it. Where that may happen and the run can be ended from outside, by its context or by
// its Stop, it has a goroutine of its own (Supervise): when that happens while it is inside
// such a call the run ends all the same, and the goroutine is left behind. It holds on to the Reader
// or Writer, and to the guest's memory, whose bytes the call may still read or write;
// when the call returns the goroutine ends without touching anything else. Until
// then Reset fails, and Close gives everything back but the memory, which the
// goroutine does.
//
// Calls in between cost two atomic operations.
//
// # Readers and Writers that panic
//
// They end the run with a HostError that wraps a [PanicError]: package wasi recovers where it
// calls them. One that calls runtime.Goexit ends the goroutine that asked for the run.

// A supervision is one run with a goroutine of its own.
type supervision struct {
	state    atomic.Int32
	finished chan struct{}
	status   Status
	returned bool // run returned; otherwise it panicked, or called runtime.Goexit
	panicked any
	release  func() // what Close left to the goroutine
}

// States of a supervision.
const (
	runsGuest   = iota
	inHostCall  // nothing of the instance is touched
	leftBehind  // still in the call; the instance is the caller's again
	orphaned    // and closed
	hasReturned // the call that was left behind is over
)

// Unattended reports whether a run needs no goroutine of its own and the last one had none.
// A long run, unlike a call of a function, is also ended in a call that blocks when its context
// cannot end but its Stop is asked for.
func (vm *VM) Unattended(long bool) bool { return vm.super == nil && !vm.attend(long) }

// attend reports whether a call of the host may block in a run that can be ended all the same.
func (vm *VM) attend(long bool) bool {
	return (vm.done != nil || long && vm.Config.Stop != nil) && vm.sys != nil && (vm.Config.Log != nil || vm.sys.MayBlock())
}

// Supervise calls run, which runs the guest, and returns what it returns; or
// Interrupted soon after the context ended or the Stop was asked for, even while a call of the
// host blocks.
func (vm *VM) Supervise(long bool, run func() Status) Status {
	vm.super = nil
	if !vm.attend(long) {
		return run()
	}
	s := &supervision{finished: make(chan struct{})}
	vm.super = s
	go func() {
		defer close(s.finished)
		defer func() {
			switch {
			case s.returned:
			case s.state.CompareAndSwap(inHostCall, runsGuest), s.state.Load() == runsGuest:
				s.panicked = recover() // for the caller; nil if somebody called runtime.Goexit
			case !s.state.CompareAndSwap(leftBehind, hasReturned):
				s.release() // orphaned
			}
		}()
		s.status = run()
		s.returned = true
	}()
	select {
	case <-s.finished:
		return s.end()
	case <-vm.done:
	case <-vm.Config.Stop.done():
	}
	// It ends at its next poll, unless it is in a call.
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for {
		if s.state.CompareAndSwap(inHostCall, leftBehind) {
			return vm.interrupt()
		}
		select {
		case <-s.finished:
			return s.end()
		case <-tick.C:
		}
	}
}

// end passes on how the goroutine ended, a Goexit of a Writer for instance.
func (s *supervision) end() Status {
	if !s.returned {
		if s.panicked == nil {
			runtime.Goexit()
		}
		panic(s.panicked)
	}
	return s.status
}

// Enter and Leave stand around what may block. Enter reports false when the
// run is to end.
func (vm *VM) Enter() bool {
	s := vm.super
	if s == nil {
		return !vm.Config.Stop.asked()
	}
	if vm.Poll() != OK {
		return false
	}
	s.state.Store(inHostCall)
	return true
}

// Leave does not return when the run is over.
func (vm *VM) Leave() {
	s := vm.super
	if s != nil && !s.state.CompareAndSwap(inHostCall, runsGuest) {
		runtime.Goexit()
	}
}

// LeftBehind returns what is closed when the last call that was left behind has returned; nil if
// there is none.
func (vm *VM) LeftBehind() <-chan struct{} {
	if !vm.Gone() {
		return nil
	}
	return vm.super.finished
}

// Gone reports whether the goroutine that asks runs in an instance that is the caller's again: it
// was left behind in a call, and ends.
func (vm *VM) Gone() bool {
	s := vm.super
	return s != nil && (s.state.Load() == leftBehind || s.state.Load() == orphaned)
}

// busy reports whether a call that was left behind still holds the memory.
func (vm *VM) busy() bool {
	return vm.super != nil && vm.super.state.Load() == leftBehind
}

// orphan leaves release to the goroutine that was left behind, if there is one.
func (vm *VM) orphan(release func()) bool {
	s := vm.super
	switch {
	case s == nil:
		return false
	case s.state.Load() == leftBehind:
		s.release = release
		return s.state.CompareAndSwap(leftBehind, orphaned)
	}
	return s.state.Load() == orphaned // closed twice
}
