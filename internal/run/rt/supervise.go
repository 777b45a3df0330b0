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
// A Reader, a Writer or a file of the host may block, and nothing can interrupt it. If a context, a
// call's deadline or a Stop can end the run from outside, the run ends all the same. The call runs
// on another goroutine than the one that waits for the run's end, and is abandoned. Its goroutine
// keeps the Reader or Writer, and the guest's memory, which the call may still read or write. When
// the call returns, the goroutine ends without touching anything else. Until then Reset fails.
// Close gives back everything but the memory, which the goroutine gives back.
//
// A second goroutine comes about in one of two ways. A long run gets its own (Supervise), which
// costs some microseconds; each host call in the run then costs two atomic operations. A call of a
// guest function runs on its caller's goroutine, and each host call in it gets a goroutine (aside).
// Most such calls make no host call, and so pay nothing for a context that can end. If the last
// call of an instance made several host calls, the next call is run like a long run. The result is
// the same either way.
//
// # Readers and Writers that panic
//
// They end the run with a HostError that wraps a [api.HostPanicError]: package wasi recovers where
// it calls them. One that calls runtime.Goexit ends the goroutine that started the run.

// A supervision is a goroutine for host calls: those of one run, or one call.
type supervision struct {
	state    atomic.Int32
	whole    bool // it runs the whole run
	finished chan struct{}
	status   Status
	returned bool // its function returned; otherwise it panicked, or called runtime.Goexit
	panicked any
	release  func() // work that Close left to the goroutine
}

// States of a supervision.
const (
	runsGuest   = iota
	inHostCall  // the instance is not touched
	leftBehind  // still in the call; the instance belongs to the caller again
	orphaned    // and the instance is closed
	hasReturned // the abandoned call has returned
)

// manyCalls is the number of host calls from which a guest call is better run on its own goroutine.
const manyCalls = 4

// Unattended reports whether a run needs no goroutine of its own and the last one left none. A
// blocked host call in a long run, unlike one in a call of a function, also ends on a Stop when the
// context cannot end.
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

// Supervise calls run, which runs the guest, and returns its result. It returns Interrupted soon
// after the context ended or the Stop was requested, even while a host call blocks.
func (vm *VM) Supervise(long bool, run func() Status) Status {
	vm.super = nil
	vm.Config.Stop.Enter(wasi.InGuest) // an abandoned call did not reset it
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
	// The run ends at its next poll, unless it is in a host call.
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

// do is the body of the goroutine: f, and the work that Close left.
func (s *supervision) do(f func()) {
	defer close(s.finished)
	defer func() {
		if s.returned && s.whole {
			return
		}
		r := recover()
		switch {
		case s.state.CompareAndSwap(inHostCall, runsGuest), s.state.Load() == runsGuest:
			s.panicked = r // for the caller; nil after runtime.Goexit
		case !s.state.CompareAndSwap(leftBehind, hasReturned):
			s.release() // orphaned
		}
	}()
	f()
	s.returned = true
}

// end passes on how the goroutine ended, for instance by a Goexit of a Writer.
func (s *supervision) end() Status {
	if !s.returned {
		if s.panicked == nil {
			runtime.Goexit()
		}
		panic(s.panicked)
	}
	return s.status
}

// Block makes a call of the host that may block. It returns false if the run has to end. If the run
// has its own goroutine and is over, Block does not return.
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

// endsCalls reports whether a run on its caller's goroutine can end while a host call blocks.
func (vm *VM) endsCalls() bool {
	return vm.ended() != nil && vm.sys != nil && (vm.Config.Log != nil || vm.sys.MayBlock())
}

// aside makes a host call on a goroutine of its own.
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
		debug.SetPanicOnFault(true) // as for guest code: the call reads and writes guest memory
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

// left reports whether a goroutine was abandoned in a call, which may have returned since.
func (vm *VM) left() bool { return vm.super != nil && vm.super.state.Load() >= leftBehind }

// LeftBehind returns a channel that is closed when the last abandoned call has returned. It is nil
// if no call was abandoned.
func (vm *VM) LeftBehind() <-chan struct{} {
	if !vm.left() {
		return nil
	}
	return vm.super.finished
}

// Gone reports whether the calling goroutine was abandoned in a call and has to end. The instance
// belongs to its caller again.
func (vm *VM) Gone() bool { return vm.left() && vm.super.whole && vm.super.state.Load() != hasReturned }

// busy reports whether an abandoned call still holds the memory.
func (vm *VM) busy() bool {
	return vm.super != nil && vm.super.state.Load() == leftBehind
}

// orphan leaves release to the abandoned goroutine, if there is one.
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
