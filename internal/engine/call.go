package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Call calls an exported function of the guest with copies of the arguments and returns copies of
// its results. The first call initialises the program's packages.
//
// Arguments and results may be booleans, numbers, strings, times, errors, any, handles, and slices,
// arrays, maps, pointers and structs of these. Types must have the same structure on both sides,
// whatever their names, and structs the same exported fields in the same order. A variadic
// parameter takes a slice. Results have basic types, []T, [n]T, map[K]T, *T, the types of package
// time, any, error and struct types made by package reflect; use [Instance.Bind] for types that the
// host declares.
//
// If the function's last result has type error it becomes Call's error, a [*api.GuestError]. Any
// other error is of one of two kinds. After a wrong name or type the instance can be used as
// before. The other errors end the program, as from [Instance.Run]; later calls return
// [api.ErrEnded]. A panic that the guest does not recover ends the program. Limits of gas, memory
// and time cover all calls of the instance; the end of ctx ends this call and the program.
//
// Goroutines that the guest started run during a call, and wait between calls.
func (in *Instance) Call(ctx context.Context, name string, args ...any) (out []any, err error) {
	out, _, err = in.callByName(ctx, nil, name, args)
	return out, err
}

// CallWith is Call with limits of its own. It returns the figures of the call, even if the call
// fails.
func (in *Instance) CallWith(ctx context.Context, opts api.CallOptions, name string, args ...any) ([]any, api.CallStats, error) {
	return in.callByName(ctx, &opts, name, args)
}

func (in *Instance) callByName(ctx context.Context, opts *api.CallOptions, name string, args []any) (out []any, stats api.CallStats, err error) {
	u, err := in.use()
	if err != nil {
		return nil, stats, err
	}
	defer func() {
		if u.over(&err) {
			out = nil
		}
	}()
	if err := u.limit(opts); err != nil {
		return nil, stats, err
	}
	defer u.unlimit(opts)
	c, err := u.prepare(ctx, name, args)
	if err != nil {
		return nil, stats, err
	}
	if stats, err = u.callWith(ctx, opts, c.fn, c.call); err != nil {
		return nil, stats, err
	}
	out = make([]any, len(c.results))
	for i, r := range c.results {
		out[i] = r.Interface()
	}
	return out, stats, nil
}

// A prepared call is a call by name.
type prepared struct {
	fn      *exported
	call    *rt.Call
	results []reflect.Value
}

// prepare compares the arguments of a call with the function's parameters and makes room for its
// results.
func (u *use) prepare(ctx context.Context, name string, args []any) (*prepared, error) {
	fn, err := u.export(ctx, name)
	if err != nil {
		return nil, err
	}
	values := make([]reflect.Value, len(args))
	for i, a := range args {
		values[i] = reflect.ValueOf(a)
	}
	if err := fn.checkArgs(values); err != nil {
		return nil, err
	}
	results := make([]reflect.Value, len(fn.results))
	for i, f := range fn.results {
		t, err := f.Type.HostType()
		if err != nil {
			return nil, callError(name, "result %d of %s: %w", i, name, err)
		}
		results[i] = reflect.New(t).Elem()
	}
	return &prepared{fn, rt.NewCall(fn.number, values, results), results}, nil
}

// exported is an exported function, as an instance knows it.
type exported struct {
	name            string
	number          int
	fails           bool
	params, results []guesttype.Field

	// Set for bound functions only: the host's types, and the instance for which they were compared
	// with the guest's.
	in, out []reflect.Type
	checked *rt.VM
}

// check compares the types of a bound function with those of the guest's function.
func (f *exported) check() error {
	if len(f.in) != len(f.params) || len(f.out) != len(f.results) {
		return fmt.Errorf("%d parameters and %d results, the guest's function has %d and %d", len(f.in), len(f.out),
			len(f.params), len(f.results))
	}
	for i, g := range f.params {
		if err := g.Type.CheckParam(f.in[i]); err != nil {
			return fmt.Errorf("parameter %d: %w", i, err)
		}
	}
	for i, g := range f.results {
		if err := g.Type.Check(f.out[i]); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	return nil
}

func (f *exported) checkArgs(args []reflect.Value) error {
	if len(args) != len(f.params) {
		return callError(f.name, "%d arguments for %s, which has %d parameters", len(args), f.name, len(f.params))
	}
	for i, a := range args {
		var err error
		if args[i], err = f.params[i].Type.Argument(a); err != nil {
			return callError(f.name, "argument %d of %s: %w", i, f.name, err)
		}
	}
	return nil
}

// A use is an instance that the caller has taken in order to call functions.
type use struct {
	*Instance
	was, next uint32
}

// use takes the instance.
func (in *Instance) use() (use, error) {
	was, err := in.take()
	return use{in, was, was}, err
}

// over puts the instance back at the end of a call that returns err. If the instance was closed
// meanwhile, over reports that, and a successful call ends with ErrClosed.
func (u *use) over(err *error) (shut bool) {
	if u.past != nil {
		u.rescue(err)
	}
	if shut = u.put(u.was, u.next); shut && *err == nil {
		*err = api.ErrClosed
	}
	return shut
}

// export is use.export for callers that have not taken the instance.
func (in *Instance) export(ctx context.Context, name string) (_ *exported, err error) {
	u, err := in.use()
	if err != nil {
		return nil, err
	}
	defer u.over(&err)
	return u.export(ctx, name)
}

// export finds a function, once the program's packages are initialised.
func (u *use) export(ctx context.Context, name string) (*exported, error) {
	list := u.prog.mod.Exports
	if list == nil {
		return nil, api.ErrNotExports
	}
	number := slices.IndexFunc(list, func(x ir.Export) bool { return x.Name == name })
	if number < 0 {
		return nil, callError(name, "no exported function %s; the package has %v", name, u.prog.callable())
	}
	if why := list[number].Refusal; why != "" {
		return nil, callError(name, "%s cannot be called: %s", name, why)
	}
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	f := &exported{name: name, number: number, fails: list[number].Fails}
	var err error
	if f.params, f.results, err = u.vm.Signature(number, f.fails); err != nil {
		return nil, callError(name, "%s: %w", name, err)
	}
	return f, nil
}

// begin initialises the program's packages if nothing has run yet. It fails if the program has
// ended.
func (u *use) begin(ctx context.Context) error {
	if u.next == stateFresh {
		if err := notEnded(ctx); err != nil {
			return err
		}
		if err := u.run(ctx, true); err != nil {
			return err
		}
	}
	if u.next != stateReady {
		return u.ended()
	}
	return nil
}

// run continues the program until it waits for a call, or ends.
func (u *use) run(ctx context.Context, long bool) (err error) {
	u.next = stateFailed // in case run does not return
	u.next, err = u.Instance.run(ctx, long)
	return err
}

// notEnded returns a DeadlineError if a context has ended. Then nothing begins, and the instance
// stays as it is.
func notEnded(ctx context.Context) error {
	if ctx != nil && ctx.Err() != nil {
		return &api.DeadlineError{Err: context.Cause(ctx)}
	}
	return nil
}

// call makes a call whose types were checked.
func (u *use) call(ctx context.Context, f *exported, c *rt.Call) error {
	if u.told {
		_, err := u.toldCall(ctx, nil, f, c)
		return err
	}
	if !u.isReady(ctx, f) {
		if err := u.ready(ctx, f); err != nil {
			return err
		}
	}
	return u.make(ctx, f, c)
}

// isReady reports whether ready has nothing to do, as before most calls. It is small enough to be
// inlined.
func (u *use) isReady(ctx context.Context, f *exported) bool {
	return u.next == stateReady && f.checked == u.vm && ctx != nil && ctx.Err() == nil
}

// ready initialises the program's packages and compares types, where that is due.
func (u *use) ready(ctx context.Context, f *exported) error {
	if err := notEnded(ctx); err != nil {
		return err
	}
	if u.next != stateReady { // the function was bound before a Reset
		if err := u.begin(ctx); err != nil {
			return err
		}
	}
	vm := u.vm
	if f.in != nil && f.checked != vm {
		// After a Reset the guest may describe its types differently.
		var err error
		if f.params, f.results, err = vm.Signature(f.number, f.fails); err == nil {
			err = f.check()
		}
		if err != nil {
			return callError(f.name, "%s: %w", f.name, err)
		}
		f.checked = vm
	}
	return nil
}

// make makes a call. The instance is ready.
func (u *use) make(ctx context.Context, f *exported, c *rt.Call) error {
	vm := u.vm
	vm.SetContext(ctx)
	if err := vm.PrepareCall(c); err != nil {
		if stopped, ok := err.(*rt.StoppedError); ok {
			if stopped.Err == rt.ErrStopped {
				return api.ErrClosed
			}
			return &api.DeadlineError{Err: stopped.Err, Call: notEnded(ctx) == nil}
		}
		return callError(f.name, "%s: %w", f.name, err)
	}
	u.next = stateFailed // in case execute does not return
	if st, err := u.execute(false); st != rt.Yield || err != nil {
		if u.next, err = u.outcome(st, err); err != nil {
			return err
		}
		return u.ended() // the program exited with status 0
	}
	u.next = stateReady
	switch text, failed, err := vm.CallOutcome(); {
	case err != nil:
		return callError(f.name, "results of %s: %w", f.name, err)
	case failed:
		return &api.GuestError{Func: f.name, Text: text}
	}
	return nil
}
