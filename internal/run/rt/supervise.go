package rt

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Calls of the host that may last for ever.
//
// A Reader, a Writer or a file of the host may block, and nothing can interrupt
// it. Where the run can be ended from outside, by its context, by the deadline of a call or by
// its Stop, it ends all the same: the call is made on another goroutine than the one that waits for the run's
// end, and is left behind. Its goroutine holds on to the Reader
// or Writer, and to the guest's memory, whose bytes the call may still read or write;
// when the call returns the goroutine ends without touching anything else. Until
// then Reset fails, and Close gives everything back but the memory, which the
// goroutine does.
//
// There are two ways to have two goroutines. A long run gets one of its own (Supervise), which costs some microseconds;
// calls of the host in between cost two atomic operations. A call of a function of the guest runs where its
// caller does, and each call of the host that it makes gets a goroutine (aside): most such calls make none, and pay
// nothing for a context that can end. An instance whose last call made several is expected to do so again,
// and runs the next one like a long run. What happens is the same either way.
//
// # Readers and Writers that panic
//
// They end the run with a HostError that wraps a [api.HostPanicError]: package wasi recovers where it
// calls them. One that calls runtime.Goexit ends the goroutine that asked for the run.

// A supervision is a goroutine that makes calls of the host: for one run, or one call.
type supervision struct {
	state    atomic.Int32
	whole    bool // the run is on it
	finished chan struct{}
	status   Status
	returned bool // what it does returned; otherwise it panicked, or called runtime.Goexit
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

// manyCalls is how many calls of the host a call of the guest makes that had better have a goroutine of its own.
const manyCalls = 4

// Unattended reports whether a run needs no goroutine of its own and the last one left none.
// A long run, unlike a call of a function, is also ended in a call that blocks when its context
// cannot end but its Stop is asked for.
func (vm *VM) Unattended(long bool) bool {
	if vm.super != nil || long || vm.asides >= manyCalls {
		return false
	}
	vm.asides = 0
	return true
}

// attend reports whether a run should have a goroutine of its own.
func (vm *VM) attend(long bool) bool {
	return (long || vm.asides >= manyCalls) && (vm.ended() != nil || long && vm.Config.Stop != nil) && vm.sys != nil &&
		(vm.Config.Log != nil || vm.sys.MayBlock())
}

// Supervise calls run, which runs the guest, and returns what it returns; or
// Interrupted soon after the context ended or the Stop was asked for, even while a call of the
// host blocks.
func (vm *VM) Supervise(long bool, run func() Status) Status {
	vm.super = nil
	vm.Config.Stop.Enter(wasi.InGuest) // a call that was left behind did not come back
	attended := vm.attend(long)
	vm.asides = 0
	if !attended {
		return run()
	}
	s := &supervision{whole: true, finished: make(chan struct{})}
	vm.super = s
	go s.do(func() { s.status = run() })
	select {
	case <-s.finished:
		return s.end()
	case <-vm.ended():
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

// do is what the goroutine does: f, and what is left to it.
func (s *supervision) do(f func()) {
	defer close(s.finished)
	defer func() {
		if s.returned && s.whole {
			return
		}
		r := recover()
		switch {
		case s.state.CompareAndSwap(inHostCall, runsGuest), s.state.Load() == runsGuest:
			s.panicked = r // for the caller; nil if somebody called runtime.Goexit
		case !s.state.CompareAndSwap(leftBehind, hasReturned):
			s.release() // orphaned
		}
	}()
	f()
	s.returned = true
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

// Block makes a call of the host that may block. It reports false when the run is to end, and does not return
// when the run is over that has a goroutine of its own.
func (vm *VM) Block(call wasi.Blocking) bool {
	if s := vm.super; s != nil && s.whole {
		vm.asides++
		if vm.Poll() != OK {
			return false
		}
		s.state.Store(inHostCall)
		vm.Config.Stop.Enter(call.Place())
		call.Do()
		if !s.state.CompareAndSwap(inHostCall, runsGuest) {
			runtime.Goexit()
		}
		vm.Config.Stop.Enter(wasi.InGuest)
		return true
	}
	if !vm.endsCalls() {
		if vm.Config.Stop.asked() {
			return false
		}
		vm.Config.Stop.Enter(call.Place())
		call.Do()
		vm.Config.Stop.Enter(wasi.InGuest)
		return true
	}
	return vm.aside(call)
}

// endsCalls reports whether a run on its caller's goroutine is to end while a call of the host blocks.
func (vm *VM) endsCalls() bool {
	return vm.ended() != nil && vm.sys != nil && (vm.Config.Log != nil || vm.sys.MayBlock())
}

// aside makes a call of the host on a goroutine of its own.
func (vm *VM) aside(call wasi.Blocking) bool {
	vm.asides++
	if vm.Poll() != OK {
		return false
	}
	s := &supervision{finished: make(chan struct{})}
	s.state.Store(inHostCall)
	vm.super = s
	vm.Config.Stop.Enter(call.Place())
	go s.do(func() {
		debug.SetPanicOnFault(true) // as where guests run: it reads and writes their memory
		call.Do()
	})
	select {
	case <-s.finished:
	case <-vm.ended():
	case <-vm.Config.Stop.done():
	}
	if s.state.CompareAndSwap(inHostCall, leftBehind) {
		vm.interrupt()
		return false
	}
	<-s.finished
	vm.Config.Stop.Enter(wasi.InGuest)
	vm.super = nil
	s.end()
	return true
}

// left reports whether a goroutine was left behind, in a call that has perhaps returned.
func (vm *VM) left() bool { return vm.super != nil && vm.super.state.Load() >= leftBehind }

// LeftBehind returns what is closed when the last call that was left behind has returned; nil if
// there is none.
func (vm *VM) LeftBehind() <-chan struct{} {
	if !vm.left() {
		return nil
	}
	return vm.super.finished
}

// Gone reports whether the goroutine that asks runs in an instance that is the caller's again: it
// was left behind in a call, and ends.
func (vm *VM) Gone() bool { return vm.left() && vm.super.whole && vm.super.state.Load() != hasReturned }

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
