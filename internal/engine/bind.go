package engine

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/gofunc"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// This file binds functions of the host's own types.
//
// Package gofunc makes a bound function of a common shape. Package reflect makes any other: it
// passes the arguments as values of its own and copies the results. The memory of a call is kept
// for later calls: a frame has a struct for the arguments and one for the results, at addresses
// that the call knows, so that numbers are moved as for a Func.

// A binding is a bound function.
type binding struct {
	in *Instance
	fn *exported

	// The first parameters of the host's function may belong to the host: a context, options.
	hasContext, hasOptions bool
	// Its last results may belong to the host: figures, the error.
	hasStats bool

	args, out reflect.Type // structs: the guest's parameters; all results of the host's function
	outcome   reflect.Type // a struct: the array of values that reflect gets, and a struct of type out that contains them
	results   int          // number of the guest's results
	idle      atomic.Pointer[frame]
}

// A frame is the memory of a call of a bound function.
type frame struct {
	gofunc.Frame // the first field: see frameOf

	args, out reflect.Value // structs
	params    []reflect.Value
	call      *rt.Call
	refers    bool // they may hold references

	options api.CallOptions // for a function that gofunc made; zero if it has none
	stats   api.CallStats   // likewise
}

// frameOf returns the frame whose first field is v.
func frameOf(v *gofunc.Frame) *frame { return (*frame)(unsafe.Pointer(v)) }

// Bind sets the function variable that fn points to. The new function calls the guest's: for func
// Sum(xs []int) (int, error) of the guest, fn may be a *func([]int) (int, error). The last result
// must be an error, because the limits of the instance apply; the other results and the parameters
// are those of the guest's function. If the first parameter has type context.Context, its end ends
// the call; the next may be api.CallOptions, and the result before the error api.CallStats.
func (in *Instance) Bind(ctx context.Context, name string, fn any) error {
	p := reflect.ValueOf(fn)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Kind() != reflect.Func {
		return callError(name, "Bind of %s: %T is not a pointer to a function", name, fn)
	}
	f, err := in.export(ctx, name)
	if err != nil {
		return err
	}
	t := p.Type().Elem()
	b := &binding{in: in, fn: f, results: t.NumOut() - 1}
	first := 0
	if t.NumIn() > first && t.In(first) == reflect.TypeFor[context.Context]() {
		b.hasContext = true
		first++
	}
	if t.NumIn() > first && t.In(first) == reflect.TypeFor[api.CallOptions]() {
		b.hasOptions = true
		first++
	}
	if b.results > 0 && t.Out(b.results-1) == reflect.TypeFor[api.CallStats]() {
		b.hasStats = true
		b.results--
	}
	switch {
	case t.NumOut() == 0 || t.Out(t.NumOut()-1) != reflect.TypeFor[error]():
		return callError(name, "Bind of %s: the last result of %s must be an error", name, t)
	case t.NumIn()-first != len(f.params):
		return callError(name, "Bind of %s: %s has %d parameters, the guest's function %d", name, t, t.NumIn()-first,
			len(f.params))
	case b.results != len(f.results):
		return callError(name, "Bind of %s: %s has %d results beside the error, the guest's function %d", name, t, b.results,
			len(f.results))
	}
	for i := range f.params {
		f.in = append(f.in, t.In(first+i))
	}
	for i := range f.results {
		f.out = append(f.out, t.Out(i))
	}
	if err := f.check(); err != nil {
		return callError(name, "Bind of %s: %w", name, err)
	}
	out := make([]reflect.Type, t.NumOut())
	for i := range out {
		out[i] = t.Out(i)
	}
	b.args, b.out = structOf(f.in), structOf(out)
	b.outcome = structOf([]reflect.Type{reflect.ArrayOf(len(out), reflect.TypeFor[reflect.Value]()), b.out})
	shape := gofunc.Signature{Context: b.hasContext, Limits: b.hasOptions, Figures: b.hasStats, Error: true}
	if store := gofunc.MakerOf(shape, f.in, f.out); store != nil {
		store(p.UnsafePointer(), b)
		return nil
	}
	p.Elem().Set(reflect.MakeFunc(t, b.call))
	return nil
}

// Begin, Do and End make the calls of a function that package gofunc made.

func (b *binding) Begin() *gofunc.Frame { return &b.frame().Frame }

func (b *binding) Do(ctx context.Context, v *gofunc.Frame) error {
	f := frameOf(v)
	var opts *api.CallOptions
	if b.hasStats {
		opts = &f.options
	}
	stats, err := b.run(ctx, opts, f)
	f.stats = stats
	if _, guest := err.(*api.GuestError); err != nil && !guest {
		f.out.SetZero()
	}
	return err
}

func (b *binding) End(v *gofunc.Frame, err error) error {
	b.giveBack(frameOf(v), err)
	return err
}

// structOf returns a struct type with fields of the given types.
func structOf(types []reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, len(types))
	for i, t := range types {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t}
	}
	return reflect.StructOf(fields)
}

// fields returns the first n fields of a struct.
func fields(v reflect.Value, n int) []reflect.Value {
	list := make([]reflect.Value, n)
	for i := range list {
		list[i] = v.Field(i)
	}
	return list
}

// frame returns an unused frame.
func (b *binding) frame() *frame {
	if f := b.idle.Swap(nil); f != nil {
		return f
	}
	f := &frame{args: reflect.New(b.args).Elem(), out: reflect.New(b.out).Elem()}
	f.params = fields(f.args, b.args.NumField())
	f.call = rt.NewCall(b.fn.number, f.params, fields(f.out, b.results))
	f.refers = !f.call.Numbers()
	for _, p := range f.params {
		f.Args = append(f.Args, p.Addr().UnsafePointer())
	}
	f.Result = f.out.Addr().UnsafePointer() // field 0
	f.Limits, f.Figures = unsafe.Pointer(&f.options), unsafe.Pointer(&f.stats)
	return f
}

// giveBack releases a frame after a call that returned err.
func (b *binding) giveBack(f *frame, err error) {
	if f.refers {
		f.args.SetZero()
	}
	if f.refers || err != nil {
		f.out.SetZero()
	}
	b.idle.Store(f)
}

// call is called by reflect for the host's function.
func (b *binding) call(args []reflect.Value) []reflect.Value {
	ctx := context.Background()
	if b.hasContext {
		if c, ok := args[0].Interface().(context.Context); ok {
			ctx = c
		}
		args = args[1:]
	}
	var opts *api.CallOptions
	if b.hasOptions {
		o := args[0].Interface().(api.CallOptions)
		opts, args = &o, args[1:]
	} else if b.hasStats {
		opts = &api.CallOptions{}
	}
	f := b.frame()
	for i, a := range args {
		f.params[i].Set(a)
	}
	stats, err := b.run(ctx, opts, f)
	// The caller gets a copy: another call may use the frame before reflect has taken the results.
	outcome := reflect.New(b.outcome)
	results := outcome.Elem().Field(1)
	out := unsafe.Slice((*reflect.Value)(outcome.UnsafePointer()), b.out.NumField()) // its field 0
	for i := range out {
		out[i] = results.Field(i)
	}
	if _, guest := err.(*api.GuestError); guest || err == nil {
		results.Set(f.out)
	}
	b.giveBack(f, err)
	if b.hasStats {
		out[b.results].Set(reflect.ValueOf(stats))
	}
	if err != nil {
		out[len(out)-1].Set(reflect.ValueOf(err))
	}
	return out
}

// run makes the call of a frame.
func (b *binding) run(ctx context.Context, opts *api.CallOptions, f *frame) (stats api.CallStats, err error) {
	u, err := b.in.use()
	if err != nil {
		return stats, err
	}
	defer u.over(&err)
	if err := u.limit(opts); err != nil {
		return stats, err
	}
	defer u.unlimit(opts)
	return u.callWith(ctx, opts, b.fn, f.call)
}
