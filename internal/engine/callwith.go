package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// limit begins a call with options, if it has any: it checks them and sets the time.
func (u *use) limit(opts *api.CallOptions) error {
	if opts == nil {
		return nil
	}
	if err := rt.CheckCall(opts); err != nil {
		return err
	}
	if opts.Timeout > 0 {
		u.vm.SetTimeout(opts.Timeout)
	}
	return nil
}

// unlimit ends what limit and callWith began.
func (u *use) unlimit(opts *api.CallOptions) {
	if opts != nil {
		u.vm.SetTimeout(0)
		u.vm.Unlimit()
	}
}

// callWith is call between limit and unlimit. The limits of gas and memory cover only the function,
// not the initialisation of packages before the first call.
func (u *use) callWith(ctx context.Context, opts *api.CallOptions, f *exported, c *rt.Call) (s api.CallStats, err error) {
	if opts == nil {
		return s, u.call(ctx, f, c)
	}
	if opts.ReadOnly {
		return u.readOnly(ctx, opts, f, c)
	}
	if u.told {
		return u.toldCall(ctx, opts, f, c)
	}
	if err := u.ready(ctx, f); err != nil {
		return s, err
	}
	before := u.counters()
	u.vm.Limit(*opts)
	err = u.make(ctx, f, c)
	return difference(before, u.counters()), err
}

// readOnly makes a call that is undone in any case: a transaction that is always rolled back. If
// nothing but such calls was made since the last one, the moment to go back to is still taken.
func (u *use) readOnly(ctx context.Context, opts *api.CallOptions, f *exported, c *rt.Call) (s api.CallStats, err error) {
	const op = "a read-only call"
	if h := u.past; h != nil && h.open {
		return s, &api.TransactionError{Op: op, Reason: "a transaction is open"}
	}
	if err := u.ready(ctx, f); err != nil {
		return s, err
	}
	if h := u.past; h == nil || !h.was {
		if err := u.remember(op); err != nil {
			return s, err
		}
	}
	h := u.past
	h.open, h.undone = true, nil
	u.vm.Undoable(true)
	limits := *opts
	limits.ReadOnly = false
	s, err = u.callWith(ctx, &limits, f, c)
	if back := u.goBack(h, nil); back != nil {
		return s, errors.Join(err, back)
	}
	h.present = true
	return s, err
}

// difference returns the figures of a call, from the counters before and after it.
func difference(before, after api.CallStats) api.CallStats {
	return api.CallStats{Gas: after.Gas - before.Gas, Mallocs: after.Mallocs - before.Mallocs, AllocBytes: after.AllocBytes - before.AllocBytes,
		Memory: after.Memory - before.Memory}
}

// counters returns the figures of the instance. Their differences are those of a call.
func (in *Instance) counters() api.CallStats {
	h := in.vm.Heap.Stats()
	return api.CallStats{Gas: in.m.GasUsed(), Mallocs: h.Mallocs, AllocBytes: h.TotalAlloc, Memory: int64(h.InUse)}
}

// AddGas raises the gas limit of the instance by n units. An instance without a limit stays without
// one.
func (in *Instance) AddGas(n int64) error {
	was, err := in.take()
	if err != nil {
		return err
	}
	defer in.put(was, was)
	switch {
	case n < 0:
		return configError("Gas", fmt.Errorf("%d units cannot be added", n))
	case was == stateEnded || was == stateFailed:
		return in.ended()
	}
	in.vm.Exec.AddGas(n)
	return nil
}
