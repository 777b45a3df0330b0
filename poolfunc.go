package gyr

import (
	"context"
	"fmt"
	"reflect"
)

// Bind sets the function variable that fn points to, as [Instance.Bind] does, to a function that
// takes an instance of the pool for each call and gives it back. Every call finds an instance as
// new, so that calls share nothing. The function may be called by several goroutines. Its error is
// that of [Pool.Get] or of the call. The context of a call, if the function has one, bounds the
// wait for an instance too.
//
// Each instance keeps its functions, so a function is bound to it once. Bind once, not for every
// request.
func (l *Pool) Bind(ctx context.Context, name string, fn any) error {
	p := reflect.ValueOf(fn)
	bind := func(ctx context.Context, in *Instance) (reflect.Value, error) {
		f, err := bound(in, fn, func() (reflect.Value, error) {
			f := reflect.New(p.Type().Elem())
			return f, in.Bind(ctx, name, f.Interface())
		})
		if err != nil {
			return f, err
		}
		return f.Elem(), nil
	}
	if p.Kind() == reflect.Pointer && !p.IsNil() {
		if err := l.Do(ctx, func(in *Instance) error { _, err := bind(ctx, in); return err }); err != nil {
			return err
		}
	} else {
		return l.Do(ctx, func(in *Instance) error { return in.Bind(ctx, name, fn) }) // which says what is wrong
	}
	t := p.Type().Elem()
	hasContext := t.NumIn() > 0 && t.In(0) == reflect.TypeFor[context.Context]()
	p.Elem().Set(reflect.MakeFunc(t, func(args []reflect.Value) (results []reflect.Value) {
		ctx := context.Background()
		if hasContext {
			if c, ok := args[0].Interface().(context.Context); ok {
				ctx = c
			}
		}
		err := l.Do(ctx, func(in *Instance) error {
			f, err := bind(ctx, in)
			switch {
			case err != nil:
				return err
			case t.IsVariadic():
				results = f.CallSlice(args)
			default:
				results = f.Call(args)
			}
			return nil
		})
		if err != nil {
			results = make([]reflect.Value, t.NumOut())
			for i := range results {
				results[i] = reflect.Zero(t.Out(i))
			}
			results[len(results)-1] = reflect.ValueOf(&err).Elem()
		}
		return results
	}))
	return nil
}

// A PoolFunc is a [Func] that takes an instance of a pool for each call and gives it back. Every
// call finds an instance as new, so that calls share nothing. It may be used by several goroutines
// at the same time.
type PoolFunc[A, R any] struct {
	pool *Pool
	name string
}

// PoolFuncOf returns a function of a pool's program by its name: see [FuncOf]. Each instance keeps
// its functions, so a function is bound to it once.
func PoolFuncOf[A, R any](ctx context.Context, pool *Pool, name string) (*PoolFunc[A, R], error) {
	f := &PoolFunc[A, R]{pool, name}
	if err := pool.Do(ctx, func(in *Instance) error { _, err := f.of(ctx, in); return err }); err != nil {
		return nil, err
	}
	return f, nil
}

// of returns the function of an instance.
func (f *PoolFunc[A, R]) of(ctx context.Context, in *Instance) (*Func[A, R], error) {
	return bound(in, f, func() (*Func[A, R], error) { return FuncOf[A, R](ctx, in, f.name) })
}

// Call calls the function. The context bounds the wait for an instance too. For the errors see
// [Pool.Get] and [Instance.Call].
func (f *PoolFunc[A, R]) Call(ctx context.Context, args A) (results R, err error) {
	err = f.do(ctx, func(fn *Func[A, R]) error {
		results, err = fn.Call(ctx, args)
		return err
	})
	return results, err
}

// CallWith is [PoolFunc.Call] with limits of its own. It returns the figures of the call, even if
// the call fails. See [CallOptions].
func (f *PoolFunc[A, R]) CallWith(ctx context.Context, opts CallOptions, args A) (results R, stats CallStats, err error) {
	err = f.do(ctx, func(fn *Func[A, R]) error {
		results, stats, err = fn.CallWith(ctx, opts, args)
		return err
	})
	return results, stats, err
}

func (f *PoolFunc[A, R]) do(ctx context.Context, call func(*Func[A, R]) error) error {
	if f == nil {
		return fmt.Errorf("gyr: a nil PoolFunc: %w", ErrClosed)
	}
	return f.pool.Do(ctx, func(in *Instance) error {
		fn, err := f.of(ctx, in)
		if err != nil {
			return err
		}
		return call(fn)
	})
}

// bound returns what an instance keeps under a key, and makes it the first time. The caller uses
// the instance.
func bound[T any](in *Instance, key any, make func() (T, error)) (T, error) {
	if f, ok := in.bound[key]; ok {
		return f.(T), nil
	}
	f, err := make()
	if err == nil {
		if in.bound == nil {
			in.bound = map[any]any{}
		}
		in.bound[key] = f
	}
	return f, err
}
