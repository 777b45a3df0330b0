package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A GuestError is the error that a guest function returned as its last result.
type GuestError struct {
	Func string
	Text string
}

func (e *GuestError) Error() string { return e.Text }

// ErrEnded is returned by runs and calls of an instance whose program has ended, by itself or by a
// limit. Only Reset and Close are then of use.
var ErrEnded = errors.New("gyr: the program has ended")

// ErrNotExports is returned by calls of an instance whose program was compiled
// without [Source.Exports].
var ErrNotExports = errors.New("gyr: the program was compiled without Source.Exports")

// Exports lists the functions that [Instance.Call] can call: the exported
// functions of the package, without methods and generic functions. It is empty
// unless the program was compiled with [Source.Exports].
func (p *Program) Exports() []string {
	var names []string
	for _, x := range p.mod.Exports {
		names = append(names, x.Name)
	}
	return names
}

// Call calls an exported function of the guest with copies of the arguments and returns copies of its
// results. The first call initialises the program's packages.
//
// Arguments and results may be booleans, numbers, strings, and slices, arrays, pointers and structs of
// these. Types must have the same structure on both sides, whatever their names, and structs the same
// exported fields in the same order. A variadic parameter takes a slice. Results are of basic types,
// []T, [n]T, *T and struct types made by package reflect; use [Instance.Bind] to get types that the host
// declares.
//
// If the function's last result is of type error it becomes Call's error, a [*GuestError]. Any other
// error is the host's: a wrong name or type, after which the instance can be used as before, or the end
// of the program, as from [Instance.Run], after which calls return [ErrEnded]. A panic that the guest
// does not recover ends the program. Limits of gas, memory and time apply to the instance, over all of
// its calls; the end of ctx ends this call, and with it the program.
//
// Goroutines that the guest started run during a call, and wait between calls.
func (in *Instance) Call(ctx context.Context, name string, args ...any) (out []any, err error) {
	u, err := in.use()
	if err != nil {
		return nil, err
	}
	defer func() {
		if u.over(&err) {
			out = nil
		}
	}()
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
			return nil, fmt.Errorf("gyr: result %d of %s: %w", i, name, err)
		}
		results[i] = reflect.New(t).Elem()
	}
	if err := u.call(ctx, fn, rt.NewCall(fn.number, values, results)); err != nil {
		return nil, err
	}
	out = make([]any, len(results))
	for i, r := range results {
		out[i] = r.Interface()
	}
	return out, nil
}

// Bind sets the variable of function type that fn points to, to a function that calls the guest's.
// For func Sum(xs []int) (int, error) of the guest, fn may be a *func([]int) (int, error). The last
// result must be an error, because the limits of the instance apply; the other results and the
// parameters are those of the guest's function. If the first parameter has type context.Context, its
// end ends the call.
func (in *Instance) Bind(ctx context.Context, name string, fn any, told func(error) error) error {
	p := reflect.ValueOf(fn)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Kind() != reflect.Func {
		return fmt.Errorf("gyr: Bind of %s: %T is not a pointer to a function", name, fn)
	}
	f, err := in.export(ctx, name)
	if err != nil {
		return err
	}
	t := p.Type().Elem()
	first := 0
	if t.NumIn() > 0 && t.In(0) == reflect.TypeFor[context.Context]() {
		first = 1
	}
	n := t.NumOut()
	switch {
	case n == 0 || t.Out(n-1) != reflect.TypeFor[error]():
		return fmt.Errorf("gyr: Bind of %s: the last result of %s must be an error", name, t)
	case t.NumIn()-first != len(f.params):
		return fmt.Errorf("gyr: Bind of %s: %s has %d parameters, the guest's function %d", name, t, t.NumIn()-first,
			len(f.params))
	case n-1 != len(f.results):
		return fmt.Errorf("gyr: Bind of %s: %s has %d results beside the error, the guest's function %d", name, t, n-1,
			len(f.results))
	}
	for i := range f.params {
		f.in = append(f.in, t.In(first+i))
	}
	for i := range f.results {
		f.out = append(f.out, t.Out(i))
	}
	if err := f.check(); err != nil {
		return fmt.Errorf("gyr: Bind of %s: %w", name, err)
	}
	p.Elem().Set(reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		ctx := context.Background()
		if first == 1 {
			if c, ok := args[0].Interface().(context.Context); ok {
				ctx = c
			}
			args = args[1:]
		}
		out := make([]reflect.Value, n)
		for i := range out {
			out[i] = reflect.New(t.Out(i)).Elem()
		}
		if err := in.callBound(ctx, f, rt.NewCall(f.number, args, out[:n-1])); err != nil {
			out[n-1].Set(reflect.ValueOf(told(err)))
		}
		return out
	}))
	return nil
}

// exported is an exported function, as an instance knows it.
type exported struct {
	name            string
	number          int
	fails           bool
	params, results []rt.GuestField

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
		if err := g.Type.Check(f.in[i]); err != nil {
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
		return fmt.Errorf("gyr: %d arguments for %s, which has %d parameters", len(args), f.name, len(f.params))
	}
	for i, a := range args {
		var err error
		if args[i], err = f.params[i].Type.Argument(a); err != nil {
			return fmt.Errorf("gyr: argument %d of %s: %w", i, f.name, err)
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

// over puts the instance back at the end of a call that returns err. Somebody may have closed it since the call looked
// last: over reports that, and the call that would have ended well ends with ErrClosed.
func (u *use) over(err *error) (shut bool) {
	if shut = u.put(u.was, u.next); shut && *err == nil {
		*err = ErrClosed
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

// callBound is use.call for callers that have not taken the instance.
func (in *Instance) callBound(ctx context.Context, f *exported, c *rt.Call) (err error) {
	u, err := in.use()
	if err != nil {
		return err
	}
	defer u.over(&err)
	return u.call(ctx, f, c)
}

// export finds a function, once the program's packages are initialised.
func (u *use) export(ctx context.Context, name string) (*exported, error) {
	list := u.prog.mod.Exports
	if list == nil {
		return nil, ErrNotExports
	}
	number := slices.IndexFunc(list, func(x ir.Export) bool { return x.Name == name })
	if number < 0 {
		return nil, fmt.Errorf("gyr: no exported function %s; the package has %v", name, u.prog.Exports())
	}
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	f := &exported{name: name, number: number, fails: list[number].Fails}
	var err error
	if f.params, f.results, err = u.vm.Signature(number, f.fails); err != nil {
		return nil, fmt.Errorf("gyr: %s: %w", name, err)
	}
	return f, nil
}

// begin initialises the program's packages if nothing has run yet. It fails if the program has ended.
func (u *use) begin(ctx context.Context) error {
	if u.next == stateFresh {
		if err := u.run(ctx, true); err != nil {
			return err
		}
	}
	if u.next != stateReady {
		return ErrEnded
	}
	return nil
}

// run continues the program until it waits for a call, or ends.
func (u *use) run(ctx context.Context, long bool) (err error) {
	u.next = stateFailed // in case run does not return
	u.next, err = u.Instance.run(ctx, long)
	return err
}

// call makes a call whose types were checked.
func (u *use) call(ctx context.Context, f *exported, c *rt.Call) error {
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
			return fmt.Errorf("gyr: %s: %w", f.name, err)
		}
		f.checked = vm
	}
	if err := vm.PrepareCall(c); err != nil {
		return fmt.Errorf("gyr: %s: %w", f.name, err)
	}
	if err := u.run(ctx, false); err != nil {
		return err
	}
	text, failed, err := vm.CallOutcome()
	switch {
	case u.next != stateReady:
		return ErrEnded // the program exited with status 0
	case err != nil:
		return fmt.Errorf("gyr: results of %s: %w", f.name, err)
	case failed:
		return &GuestError{f.name, text}
	}
	return nil
}
