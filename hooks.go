package gyr

import "context"

// JoinHooks returns hooks that tell all of the given ones, in their order: a service's own and those
// of an exporter, for instance. Nil ones are left out. The context that one BeforeCall returns goes
// to the next one, and that of the last one is the call's. A field that is nil in all of them stays
// nil, and costs nothing. Without any hooks the result is nil.
//
// The fields are read now: later changes of them have no effect.
func JoinHooks(hooks ...*Hooks) *Hooks {
	var list []*Hooks
	for _, h := range hooks {
		if h != nil {
			list = append(list, h)
		}
	}
	if list == nil {
		return nil
	}
	return &Hooks{
		Compile:    join(list, func(h *Hooks) func(context.Context, CompileEvent) { return h.Compile }),
		Make:       join(list, func(h *Hooks) func(context.Context, InstanceEvent) { return h.Make }),
		Reset:      join(list, func(h *Hooks) func(context.Context, InstanceEvent) { return h.Reset }),
		Init:       join(list, func(h *Hooks) func(context.Context, InstanceEvent) { return h.Init }),
		BeforeCall: joinBefore(list),
		Call:       join(list, func(h *Hooks) func(context.Context, CallEvent) { return h.Call }),
		Limit:      join(list, func(h *Hooks) func(context.Context, CallEvent) { return h.Limit }),
		HostCall:   join(list, func(h *Hooks) func(context.Context, HostCallEvent) { return h.HostCall }),
	}
}

// join returns a function that calls the functions of a field that are not nil.
func join[E any](hooks []*Hooks, field func(*Hooks) func(context.Context, E)) func(context.Context, E) {
	var fs []func(context.Context, E)
	for _, h := range hooks {
		if f := field(h); f != nil {
			fs = append(fs, f)
		}
	}
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return fs[0]
	}
	return func(ctx context.Context, e E) {
		for _, f := range fs {
			f(ctx, e)
		}
	}
}

// joinBefore is join for BeforeCall, which may return nil for the context that it was given.
func joinBefore(hooks []*Hooks) func(context.Context, string) context.Context {
	var fs []func(context.Context, string) context.Context
	for _, h := range hooks {
		if f := h.BeforeCall; f != nil {
			fs = append(fs, f)
		}
	}
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return fs[0]
	}
	return func(ctx context.Context, name string) context.Context {
		for _, f := range fs {
			if c := f(ctx, name); c != nil {
				ctx = c
			}
		}
		return ctx
	}
}
