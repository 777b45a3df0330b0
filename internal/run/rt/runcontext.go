package rt

import (
	"context"
	"time"
	"unsafe"
)

// A runContext is what ends a run from outside, in addition to the Stop: its context, and the
// deadline of a call.
//
// Polls check both, the context by its Err and the deadline by the clock. The channel that is
// closed when one of them ends is made only when the run waits for something, so that short calls
// pay for neither.
type runContext struct {
	ctx  context.Context
	done <-chan struct{} // of timed or ctx, if doneKnown
	// doneKnown says that done is set for the current ctx and deadline.
	doneKnown bool

	deadline time.Duration      // since the epoch; 0: none
	timed    context.Context    // ctx with the deadline, once something waits for it; nil: nothing does
	forget   context.CancelFunc // of timed
}

// epoch is the time from which deadlines count.
var epoch = time.Now()

// SetContext replaces Config.Context, before a run begins or resumes. Nil: nothing ends the run.
func (vm *VM) SetContext(ctx context.Context) {
	if !sameContext(ctx, vm.ctx) { // most calls of guest functions have the same one
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

// sameContext reports whether two interfaces have the same two words, and so the same value.
// Comparing the values takes several times as long.
func sameContext(a, b context.Context) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&a)) == *(*[2]uintptr)(unsafe.Pointer(&b))
}

// A polledContext is the result of WithPolls.
type polledContext struct {
	context.Context
	polled func()
}

// WithPolls returns a context whose runs call f at each poll, so that a test can measure the time
// between polls. Contexts derived from it do not.
func WithPolls(ctx context.Context, f func()) context.Context { return polledContext{ctx, f} }

// SetTimeout sets the time after which the next run or resumption ends, at least 1 ns; 0: no limit.
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

// ended returns a channel that is closed when the context has ended or the deadline has passed. It
// is nil if neither can happen.
func (vm *VM) ended() <-chan struct{} {
	if !vm.doneKnown {
		vm.done, vm.doneKnown = vm.untilDeadline().Done(), true
	}
	return vm.done
}

// untilDeadline returns the context, with the deadline if there is one.
func (vm *VM) untilDeadline() context.Context {
	if vm.deadline == 0 {
		return vm.ctx
	}
	if vm.timed == nil {
		vm.timed, vm.forget = context.WithDeadline(vm.ctx, epoch.Add(vm.deadline))
	}
	return vm.timed
}

// Poll is called by tiers about every 100 µs. It returns OK, or Interrupted if the context has
// ended, the deadline has passed, or the instance has to stop.
func (vm *VM) Poll() Status {
	if vm.polled != nil {
		vm.polled()
	}
	if vm.mustStop() {
		return vm.interrupt()
	}
	return OK
}

// mustStop reports whether the context has ended, the deadline has passed, or the instance has to
// stop.
func (vm *VM) mustStop() bool {
	return vm.Config.Stop.asked() || vm.ctx.Err() != nil || vm.late()
}

func (vm *VM) interrupt() Status {
	if vm.Err == nil {
		vm.Err = vm.whyStopped()
	}
	return Interrupted
}

// whyStopped returns the reason why a run must stop.
func (vm *VM) whyStopped() error {
	switch {
	case vm.Config.Stop.asked():
		return ErrStopped
	case vm.ctx.Err() != nil:
		return context.Cause(vm.ctx)
	}
	return context.DeadlineExceeded
}
