package gyr

import (
	"context"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
)

// CallOptions are limits of one call, beside those of the instance: what is reached first ends the program, and the
// error's Call says whose limit it was. The zero value limits nothing. What the guest does does not depend on a limit
// that is not reached, nor do its gas and its heap figures.
//
// The limits of gas and memory are for the function that is called, the timeout is for all of the call, with the
// initialisation of packages that the first one begins with. A negative limit is a [*ConfigError], and nothing has happened.
type CallOptions struct {
	// Gas is the units that the call may use; 0: what the instance has left.
	Gas int64
	// Memory is the bytes by which the memory in use, as Config.Memory counts it, may grow during the call; 0: up to
	// Config.Memory. A call that would grow it further collects garbage first. Memory is taken in blocks of 32 KiB.
	Memory uint64
	// Timeout ends the call like a context with a deadline, and costs less than to make one; 0: none. The error is a
	// DeadlineError that unwraps to context.DeadlineExceeded.
	Timeout time.Duration
}

// CallStats are the figures of one call. They are the same on every run.
type CallStats struct {
	Gas        int64  // units charged
	Mallocs    uint64 // objects allocated
	AllocBytes uint64 // their bytes
	Memory     int64  // bytes by which the memory in use has grown, or (below 0) shrunk
}

// CallWith is [Instance.Call] with limits of its own, and returns the figures of the call, also when it fails.
func (in *Instance) CallWith(ctx context.Context, opts CallOptions, name string, args ...any) ([]any, CallStats, error) {
	results, stats, err := in.engine().CallWith(ctx, engine.CallOptions(opts), name, args...)
	return results, CallStats(stats), err
}

// AddGas raises the instance's gas limit, Config.Gas, by n units: a host that bills lets a guest use what has been paid
// for. An instance without a limit keeps having none. A negative n is a [*ConfigError]. A program that has
// run out of gas has ended: there is only [Instance.Reset], which sets the limit anew.
func (in *Instance) AddGas(n int64) error { return in.engine().AddGas(n) }
