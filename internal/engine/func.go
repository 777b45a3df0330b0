package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Func is an exported function of the guest with cheap calls: for numbers and booleans a call
// makes no Go allocation and uses no reflection. A and R are structs. The exported fields of A are
// the parameters, in order; those of R are the results, without a final error.
//
// Like the instance, a Func is for one goroutine at a time: see [api.ErrBusy].
type Func[A, R any] struct {
	in      *Instance
	fn      *exported
	call    *rt.Call
	args    A
	results R
}

// FuncOf returns a function of an instance by its name. For func Sum(xs []int) (int, error) of the
// guest:
//
//	sum, err := gyr.FuncOf[struct{ Xs []int }, struct{ Sum int }](ctx, in, "Sum")
//
// Parameters and results may have the types that [Instance.Bind] allows.
func FuncOf[A, R any](ctx context.Context, in *Instance, name string) (*Func[A, R], error) {
	fn, err := in.export(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &Func[A, R]{in: in, fn: fn}
	args, in1, err := fieldsOf(reflect.ValueOf(&f.args).Elem())
	if err != nil {
		return nil, callError(name, "FuncOf %s: arguments: %w", name, err)
	}
	results, out1, err := fieldsOf(reflect.ValueOf(&f.results).Elem())
	if err != nil {
		return nil, callError(name, "FuncOf %s: results: %w", name, err)
	}
	fn.in, fn.out = in1, out1
	if err := fn.check(); err != nil {
		return nil, callError(name, "FuncOf %s: %w", name, err)
	}
	f.call = rt.NewCall(fn.number, args, results)
	return f, nil
}

// fieldsOf returns the fields of a struct and their types.
func fieldsOf(v reflect.Value) (fields []reflect.Value, types []reflect.Type, err error) {
	if v.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("%s is not a struct", v.Type())
	}
	fields, types = make([]reflect.Value, v.NumField()), make([]reflect.Type, v.NumField())
	for i := range fields {
		if !v.Type().Field(i).IsExported() {
			return nil, nil, errors.New("field " + v.Type().Field(i).Name + " is not exported")
		}
		fields[i], types[i] = v.Field(i), v.Field(i).Type()
	}
	return fields, types, nil
}

// Call calls the function: see [Instance.Call] for the errors.
func (f *Func[A, R]) Call(ctx context.Context, args A) (results R, err error) {
	if f == nil {
		return results, api.ErrClosed
	}
	u, err := f.in.use()
	if err != nil {
		return results, err
	}
	defer u.over(&err)
	f.args = args
	err = u.call(ctx, f.fn, f.call)
	return f.done(err), err
}

// CallWith is Call with limits of its own. It returns the figures of the call, even if the call
// fails.
func (f *Func[A, R]) CallWith(ctx context.Context, opts api.CallOptions, args A) (results R, stats api.CallStats, err error) {
	if f == nil {
		return results, stats, api.ErrClosed
	}
	u, err := f.in.use()
	if err != nil {
		return results, stats, err
	}
	defer u.over(&err)
	if err = u.limit(&opts); err != nil {
		return results, stats, err
	}
	defer u.unlimit(&opts)
	f.args = args
	stats, err = u.callWith(ctx, &opts, f.fn, f.call)
	return f.done(err), stats, err
}

// done returns the results of a call. It drops the references of arguments and results, which
// belong to the caller.
func (f *Func[A, R]) done(err error) (results R) {
	if err == nil {
		results = f.results
	}
	var a A
	var r R
	f.args, f.results = a, r
	return results
}
