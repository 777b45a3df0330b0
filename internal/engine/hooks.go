package engine

import (
	"context"
	"errors"
	"runtime/pprof"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// This file tells api.Hooks what happens, and sets the labels of profiles.

// toldCall is a call of a function for an instance whose Config is told.
func (u *use) toldCall(ctx context.Context, opts *api.CallOptions, f *exported, c *rt.Call) (s api.CallStats, err error) {
	u.tell(orBackground(ctx), f.name, func(ctx context.Context) (api.CallStats, error) {
		if err = u.ready(ctx, f); err != nil {
			return s, err
		}
		before := u.counters()
		if opts != nil {
			u.vm.Limit(*opts)
		}
		err = u.make(ctx, f, c)
		s = difference(before, u.counters())
		return s, err
	})
	return s, err
}

// tell calls do with labels, and tells the hooks of it.
func (in *Instance) tell(ctx context.Context, name string, do func(context.Context) (api.CallStats, error)) {
	h := in.cfg.Hooks
	if h == nil {
		h = &api.Hooks{}
	}
	e := api.CallEvent{Func: name, Start: time.Now()}
	if h.BeforeCall != nil {
		if c := h.BeforeCall(ctx, name); c != nil {
			ctx = c
		}
	}
	if labels := in.cfg.Labels; labels == nil {
		e.Stats, e.Err = do(ctx)
	} else {
		list := []string{"gyr.func", name}
		for k, v := range labels {
			list = append(list, k, v)
		}
		pprof.Do(ctx, pprof.Labels(list...), func(ctx context.Context) { e.Stats, e.Err = do(ctx) })
	}
	e.Took = time.Since(e.Start)
	if h.Call != nil {
		h.Call(ctx, e)
	}
	if h.Limit != nil && limited(e.Err) {
		h.Limit(ctx, e)
	}
}

// limited reports whether a limit, or the context, ended a program.
func limited(err error) bool {
	switch {
	case err == nil, errors.Is(err, api.ErrEnded): // it had ended before
		return false
	case errors.As(err, new(*api.OutOfGasError)), errors.As(err, new(*api.MemoryLimitError)), errors.As(err, new(*api.StackLimitError)),
		errors.As(err, new(*api.OutputLimitError)), errors.As(err, new(*api.DeadlineError)):
		return true
	}
	return false
}

// toldInstance tells a hook of the making, reset or initialisation of an instance.
func (c *Config) toldInstance(ctx context.Context, hook func(*api.Hooks) func(context.Context, api.InstanceEvent), start time.Time, began api.Beginning, err error) {
	if c.Hooks == nil {
		return
	}
	f := hook(c.Hooks)
	if f == nil {
		return
	}
	if err != nil {
		began = api.Beginning{}
	}
	f(orBackground(ctx), api.InstanceEvent{Start: start, Took: time.Since(start), Began: began, Err: err})
}

func hookMake(h *api.Hooks) func(context.Context, api.InstanceEvent)  { return h.Make }
func hookReset(h *api.Hooks) func(context.Context, api.InstanceEvent) { return h.Reset }
func hookInit(h *api.Hooks) func(context.Context, api.InstanceEvent)  { return h.Init }
