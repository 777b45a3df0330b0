package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
)

// Call calls an exported function of the guest with copies of the arguments and returns copies of
// its results. The first call initialises the program's packages.
//
// These types cross: booleans, numbers, strings, [time.Time], [time.Duration], error, any,
// [Handle], and slices, arrays, maps, pointers and structs of them. Types must have the same
// structure on both sides, whatever their names; structs must have the same exported fields in the
// same order. docs/embedding.md tells how each crosses, and which values do not: they are an error
// of the call, and the guest is not called. nil is an argument for an any or an error. A variadic
// parameter takes a slice. Results have basic types, the types named above, []T, [n]T, map[K]T, *T
// and struct types made by package reflect. Use [Instance.Bind] for types of the host's own, for
// recursive types, and for handles.
//
// A last result of type error becomes Call's error, a [*GuestError]. Any other error is of one of
// two kinds. After a wrong name or type the instance can be used as before. The other errors end
// the program, as from [Instance.Run]; later calls return an [ErrEnded] that unwraps to the reason.
// A panic that the guest does not recover ends the program with a [*PanicError].
//
// Gas and memory limits cover all calls of the instance; [Instance.CallWith] limits a single one.
// The end of ctx ends this call and the program. If ctx has ended before the call, the error is a
// [*DeadlineError] and the guest is not called.
//
// Goroutines that the guest started run during calls, and wait between them.
func (in *Instance) Call(ctx context.Context, name string, args ...any) ([]any, error) {
	return in.engine().Call(ctx, name, args...)
}

// Bind sets the function variable that fn points to. The new function calls the guest's: for func
// Sum(xs []int) (int, error) of the guest, fn may be a *func([]int) (int, error). The last result
// must be an error, because the limits of the instance apply. The other results and the parameters
// are those of the guest's function. The variable may have a first parameter of type
// context.Context, which ends the call. The next parameter may be [CallOptions], the limits of the
// call, and the last result before the error [CallStats], its figures.
func (in *Instance) Bind(ctx context.Context, name string, fn any) error {
	return in.engine().Bind(ctx, name, fn)
}

// A Func is an exported function of the guest with cheap calls: for numbers and booleans a call
// makes no Go allocation and uses no reflection. A and R are structs. Their exported fields, in
// order, are the parameters and the results without a final error.
//
// Like the instance, a Func is for one goroutine at a time: see [ErrBusy].
type Func[A, R any] struct{ e *engine.Func[A, R] }

// FuncOf returns a function of an instance by its name. For func Sum(xs []int) (int, error) of the
// guest:
//
//	sum, err := gyr.FuncOf[struct{ Xs []int }, struct{ Sum int }](ctx, in, "Sum")
//
// Parameters and results may have the types that [Instance.Bind] allows.
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

// CallWith is [Func.Call] with limits of its own. It returns the figures of the call, even if the
// call fails. See [CallOptions].
func (f *Func[A, R]) CallWith(ctx context.Context, opts CallOptions, args A) (results R, stats CallStats, err error) {
	if f == nil {
		return results, stats, ErrClosed
	}
	return f.e.CallWith(ctx, opts, args)
}
