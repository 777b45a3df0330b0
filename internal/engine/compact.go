package engine

import (
	"context"
	"runtime/debug"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Compact makes the state of the instance no larger than what lives in it: see package gyr.
func (in *Instance) Compact(ctx context.Context) (stats api.CallStats, err error) {
	u, err := in.use()
	if err != nil {
		return stats, err
	}
	defer u.over(&err)
	if u.prog.mod.Exports == nil {
		return stats, api.ErrNotExports
	}
	if err := notEnded(ctx); err != nil {
		return stats, err
	}
	if err := u.begin(ctx); err != nil {
		return stats, err
	}
	before := u.counters()
	u.vm.SetContext(ctx)
	u.next = stateFailed // in case the collector does not return
	defer in.recovered(&err)
	old := debug.SetPanicOnFault(true) // the collector reads memory that the guest has written
	defer debug.SetPanicOnFault(old)
	if st := u.vm.Compact(); st != rt.OK {
		err = asClosed(u.vm.Finish(st))
		u.cause = err
		return difference(before, u.counters()), err
	}
	u.next = stateReady
	return difference(before, u.counters()), nil
}
