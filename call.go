package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
)

// Call calls an exported function of the guest with copies of the arguments and
// returns copies of its results. The first call initialises the program's packages.
//
// Booleans, numbers, strings, [time.Time], [time.Duration], error, any, [Handle], and slices, arrays, maps,
// pointers and structs of such cross; types must have the same structure on both sides, whatever their names,
// and structs the same exported fields in the same order. docs/embedding.md tells how each crosses, and what of a
// value does not: that is an error of the call, and nothing has happened. nil is an argument for an any or an error. A variadic
// parameter takes a slice. Results are of basic types, those named above, []T, [n]T, map[K]T, *T and struct types made by
// package reflect; use [Instance.Bind] for types of the host's own, for types that contain themselves, and for handles.
//
// A last result of type error becomes Call's error, a [*GuestError]. Any other error is
// the host's: a wrong name or type, after which the instance can be used as
// before, or the end of the program, as from [Instance.Run], after which calls
// return an [ErrEnded] that unwraps to the reason. A panic that the guest does not recover ends the program, with
// a [*PanicError].
// Gas and memory are those of the instance, over all of its calls, and [Instance.CallWith] limits a single one. The end of
// ctx ends this call, and with it the program; if it has ended before the call, that is a [*DeadlineError]
// and nothing has happened.
//
// Goroutines that the guest started run while a call does, and wait between calls.
func (in *Instance) Call(ctx context.Context, name string, args ...any) ([]any, error) {
	return in.engine().Call(ctx, name, args...)
}

// Bind makes the variable of function type that fn points to a function that
// calls the guest's: for func Sum(xs []int) (int, error) of the guest, fn may be
// a *func([]int) (int, error). The last result must be an error, for the limits of the instance;
// the others and the parameters are those of the guest's function. A first
// parameter of type context.Context, if the variable has one, ends the call. The next may be [CallOptions], the limits of
// the call, and the last result before the error [CallStats], its figures.
func (in *Instance) Bind(ctx context.Context, name string, fn any) error {
	return in.engine().Bind(ctx, name, fn)
}

// A Func is an exported function of the guest for calls that are cheap: for
// numbers and booleans a call makes no Go allocation and uses no reflection. A
// and R are structs whose exported fields, in order, are the parameters and the
// results without an error at the end.
//
// Like the instance, a Func is for one goroutine at a time: see [ErrBusy].
type Func[A, R any] struct{ e *engine.Func[A, R] }

// FuncOf returns a function of an instance by its name, for func Sum(xs []int)
// (int, error) of the guest for instance
//
//	sum, err := gyr.FuncOf[struct{ Xs []int }, struct{ Sum int }](ctx, in, "Sum")
//
// Types of parameters and results are those that [Instance.Bind] allows.
func FuncOf[A, R any](ctx context.Context, in *Instance, name string) (*Func[A, R], error) {
	f, err := engine.FuncOf[A, R](ctx, in.engine(), name)
	if err != nil {
		return nil, err
	}
	return &Func[A, R]{f}, nil
}

// Call calls the function: see [Instance.Call] for the errors.
func (f *Func[A, R]) Call(ctx context.Context, args A) (results R, err error) {
	if f == nil {
		return results, ErrClosed
	}
	return f.e.Call(ctx, args)
}

// CallWith is [Func.Call] with limits of its own, and returns the figures of the call, also when it fails. See [CallOptions].
func (f *Func[A, R]) CallWith(ctx context.Context, opts CallOptions, args A) (results R, stats CallStats, err error) {
	if f == nil {
		return results, stats, ErrClosed
	}
	return f.e.CallWith(ctx, opts, args)
}
