package rt

import (
	"context"
	"time"
	"unsafe"
)

// A runContext is what ends a run from outside, beside the Stop: its context, and the deadline of a call.
//
// Both are looked at when the machine polls, the context by its Err and the deadline by the clock. The channel that is
// closed when one of them ends is made only when the run waits for something, so that short calls pay for neither.
type runContext struct {
	ctx  context.Context
	done <-chan struct{} // of timed or ctx, if doneKnown
	// doneKnown says that somebody has asked for done since ctx or deadline changed.
	doneKnown bool

	deadline time.Duration      // since the epoch; 0: none
	timed    context.Context    // ctx until the deadline, once something waits for it; nil: nothing does
	forget   context.CancelFunc // of timed
}

// epoch is when deadlines count their time from.
var epoch = time.Now()

// SetContext replaces Config.Context, before a run begins or goes on. Nil:
// nothing ends the run.
func (vm *VM) SetContext(ctx context.Context) {
	if !sameContext(ctx, vm.ctx) { // it is for most calls of guest functions
		vm.setContext(ctx)
	}
}

func (vm *VM) setContext(ctx context.Context) {
	if ctx == nil {
		ctx = context.Background()
	}
	vm.ctx, vm.done, vm.doneKnown = ctx, nil, false
	vm.polled = nil
	if p, ok := ctx.(polledContext); ok {
		vm.polled = p.polled
	}
}

// sameContext reports whether two interfaces hold the same two words, and with them
// the same value. Comparing the values takes several times as long.
func sameContext(a, b context.Context) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&a)) == *(*[2]uintptr)(unsafe.Pointer(&b))
}

// A polledContext is what WithPolls returns.
type polledContext struct {
	context.Context
	polled func()
}

// WithPolls returns a context whose runs call f at each poll, so that a test can
// measure what lies between two. A context that is derived from it does not.
func WithPolls(ctx context.Context, f func()) context.Context { return polledContext{ctx, f} }

// SetTimeout lets the run that begins or goes on next end when a time has passed, at least 1 ns; 0: it need not.
func (vm *VM) SetTimeout(d time.Duration) {
	if vm.timed != nil {
		vm.forget()
		vm.timed, vm.forget, vm.doneKnown = nil, nil, false
	}
	vm.deadline = 0
	if d > 0 {
		vm.deadline = time.Duration(satAdd(int64(time.Since(epoch)), int64(d)))
		vm.doneKnown = false
	}
}

// Deadline returns the time of SetTimeout, for SetDeadline.
func (vm *VM) Deadline() time.Duration { return vm.deadline }

// SetDeadline sets a deadline of another machine.
func (vm *VM) SetDeadline(d time.Duration) {
	vm.SetTimeout(0)
	vm.deadline, vm.doneKnown = d, false
}

// late reports whether the deadline has passed.
func (vm *VM) late() bool { return vm.deadline != 0 && time.Since(epoch) >= vm.deadline }

// ended returns a channel that is closed when the context has ended or the deadline has passed; nil: neither can be.
func (vm *VM) ended() <-chan struct{} {
	if !vm.doneKnown {
		vm.done, vm.doneKnown = vm.untilDeadline().Done(), true
	}
	return vm.done
}

// untilDeadline returns the context, one with the deadline if there is one.
func (vm *VM) untilDeadline() context.Context {
	if vm.deadline == 0 {
		return vm.ctx
	}
	if vm.timed == nil {
		vm.timed, vm.forget = context.WithDeadline(vm.ctx, epoch.Add(vm.deadline))
	}
	return vm.timed
}

// Poll is called by tiers about every 100 µs: OK, or Interrupted when the
// context has ended, the deadline has passed, or the instance is to stop.
func (vm *VM) Poll() Status {
	if vm.polled != nil {
		vm.polled()
	}
	if vm.mustStop() {
		return vm.interrupt()
	}
	return OK
}

// mustStop reports whether the context has ended, the deadline has passed, or the instance is to stop.
func (vm *VM) mustStop() bool {
	return vm.Config.Stop.asked() || vm.ctx.Err() != nil || vm.late()
}

func (vm *VM) interrupt() Status {
	if vm.Err == nil {
		vm.Err = vm.whyStopped()
	}
	return Interrupted
}

// whyStopped is what ends a run that must stop.
func (vm *VM) whyStopped() error {
	switch {
	case vm.Config.Stop.asked():
		return ErrStopped
	case vm.ctx.Err() != nil:
		return context.Cause(vm.ctx)
	}
	return context.DeadlineExceeded
}
