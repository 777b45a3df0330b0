package gyr

import (
	"context"
)

// CallWith is [Instance.Call] with limits of its own. It returns the figures of the call, even if
// the call fails.
func (in *Instance) CallWith(ctx context.Context, opts CallOptions, name string, args ...any) ([]any, CallStats, error) {
	return in.engine().CallWith(ctx, opts, name, args...)
}

// AddGas raises the instance's gas limit, Config.Gas, by n units. A host that bills lets a guest
// use what has been paid for. An instance without a limit stays without one. A negative n is a
// [*ConfigError]. A program that has run out of gas has ended; only [Instance.Reset] revives its
// instance, and sets the limit anew.
func (in *Instance) AddGas(n int64) error { return in.engine().AddGas(n) }
