package rt

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Calls of the host that may last for ever.
//
// A Reader, a Writer or a file of the host may block, and nothing can interrupt
// it. Where that may happen and the context can end, the run has a goroutine of
// its own (Supervise): when the context ends while it is inside such a call the run
// ends all the same, and the goroutine is left behind. It holds on to the Reader
// or Writer, and to the guest's memory, whose bytes the call may still read or write;
// when the call returns the goroutine ends without touching anything else. Until
// then Reset fails, and Close gives everything back but the memory, which the
// goroutine does.
//
// Calls in between cost two atomic operations.

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

// MayBlock reports whether a call of the host may block beyond the end of the
// context, or one of the last run's did: if not, a run need not be supervised.
func (vm *VM) MayBlock() bool {
	return vm.super != nil || vm.done != nil && vm.mayBlock()
}

// mayBlock forgets the last run and reports whether this one has to be supervised.
func (vm *VM) mayBlock() bool {
	vm.super = nil
	return vm.done != nil && vm.sys != nil && vm.sys.MayBlock()
}

// Supervise calls run, which runs the guest, and returns what it returns; or
// Interrupted soon after the context ended, even while a call of the host blocks.
func (vm *VM) Supervise(run func() Status) Status {
	if !vm.mayBlock() {
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

// end passes on how the goroutine ended, a panic of a Writer for instance.
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
// context has ended.
func (vm *VM) Enter() bool {
	s := vm.super
	if s == nil {
		return true
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
