package gofunc

import (
	"context"
	"reflect"
	"unsafe"
)

// Functions of the commonest shapes: at most two parameters and one result, each a 64-bit integer, a float64, a string, a slice or, as a
// result, a bool, perhaps with a context in front or an error behind. There is a generic function for each shape.
//
// The function's type may have defined types, or int for uint64. A function value is stored as one of another type then, in
// which these have the same size, are kept in registers of the same kind and have pointers at the same places. Nothing that
// calls a function or looks at its frame can tell them apart.

// A Frame has the variables of a call, for the arguments and for the result if there is one. A context and an error are not among them.
type Frame struct {
	Args   []unsafe.Pointer
	Result unsafe.Pointer
}

// Calls makes the calls of a function that a [Maker] made: Begin, Do and End for each, on the goroutine that calls the function.
type Calls interface {
	// Begin returns variables for a call. Its arguments are stored there.
	Begin() *Frame
	// Do makes the call, and sets the result. ctx is nil for a function without one.
	Do(ctx context.Context, f *Frame) error
	// End takes the variables back when the result has been read. err is what Do returned; what End returns is the
	// function's error. A function without one drops it.
	End(f *Frame, err error) error
}

// A Maker stores a function whose calls c makes in the variable at fn. The variable has the type that the Maker is for.
type Maker func(fn unsafe.Pointer, c Calls)

// MakerOf returns what makes functions of type t, nil if that is package reflect alone.
func MakerOf(t reflect.Type) Maker {
	var s shape
	first, n := 0, t.NumOut()
	if t.NumIn() > 0 && t.In(0) == reflect.TypeFor[context.Context]() {
		s.context, first = true, 1
	}
	if n > 0 && t.Out(n-1) == reflect.TypeFor[error]() {
		s.fails, n = true, n-1
	}
	if s.context && !s.fails || t.IsVariadic() || n > 1 {
		return nil
	}
	for i := first; i < t.NumIn(); i++ {
		s.in = append(s.in, classOf(t.In(i)))
	}
	if n == 1 {
		if s.out = classOf(t.Out(0)); s.out == otherClass {
			return nil
		}
	}
	return s.maker()
}

// A class is a set of types that are alike for a caller.
type class uint8

const (
	noClass    class = iota // there is no result
	otherClass              // a type that is left to reflect
	wordClass               // 64-bit integers: uint64 here
	floatClass              // float64
	textClass               // strings
	listClass               // slices: []byte here
	truthClass              // bool, as a result
)

func classOf(t reflect.Type) class {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Uintptr:
		if t.Size() == 8 {
			return wordClass
		}
	case reflect.Float64:
		return floatClass
	case reflect.String:
		return textClass
	case reflect.Slice:
		return listClass
	case reflect.Bool:
		return truthClass
	}
	return otherClass
}

// A shape is what decides how functions of a type are made.
type shape struct {
	context, fails bool
	in             []class
	out            class
}

func (s shape) maker() Maker {
	if len(s.in) == 0 {
		return s.result0()
	}
	switch s.in[0] {
	case wordClass:
		return second[uint64](s)
	case floatClass:
		return second[float64](s)
	case textClass:
		return second[string](s)
	case listClass:
		return second[[]byte](s)
	}
	return nil
}

func second[A any](s shape) Maker {
	if len(s.in) == 1 {
		return result1[A](s)
	}
	if len(s.in) > 2 {
		return nil
	}
	switch s.in[1] {
	case wordClass:
		return result2[A, uint64](s)
	case floatClass:
		return result2[A, float64](s)
	case textClass:
		return result2[A, string](s)
	case listClass:
		return result2[A, []byte](s)
	}
	return nil
}

func (s shape) result0() Maker {
	switch s.out {
	case wordClass:
		return make0[uint64](s)
	case floatClass:
		return make0[float64](s)
	case textClass:
		return make0[string](s)
	case listClass:
		return make0[[]byte](s)
	case truthClass:
		return make0[bool](s)
	}
	return choose(s,
		func(c Calls) func(context.Context) error {
			return func(ctx context.Context) error { f := c.Begin(); return c.End(f, c.Do(ctx, f)) }
		},
		func(c Calls) func() error { return func() error { f := c.Begin(); return c.End(f, c.Do(nil, f)) } },
		func(c Calls) func() { return func() { f := c.Begin(); c.End(f, c.Do(nil, f)) } })
}

func result1[A any](s shape) Maker {
	switch s.out {
	case wordClass:
		return make1[A, uint64](s)
	case floatClass:
		return make1[A, float64](s)
	case textClass:
		return make1[A, string](s)
	case listClass:
		return make1[A, []byte](s)
	case truthClass:
		return make1[A, bool](s)
	}
	return choose(s,
		func(c Calls) func(context.Context, A) error {
			return func(ctx context.Context, a A) error { f := with(c.Begin(), 0, a); return c.End(f, c.Do(ctx, f)) }
		},
		func(c Calls) func(A) error {
			return func(a A) error { f := with(c.Begin(), 0, a); return c.End(f, c.Do(nil, f)) }
		},
		func(c Calls) func(A) { return func(a A) { f := with(c.Begin(), 0, a); c.End(f, c.Do(nil, f)) } })
}

func result2[A, B any](s shape) Maker {
	switch s.out {
	case wordClass:
		return make2[A, B, uint64](s)
	case floatClass:
		return make2[A, B, float64](s)
	case textClass:
		return make2[A, B, string](s)
	case listClass:
		return make2[A, B, []byte](s)
	case truthClass:
		return make2[A, B, bool](s)
	}
	return choose(s,
		func(c Calls) func(context.Context, A, B) error {
			return func(ctx context.Context, a A, b B) error {
				f := with(with(c.Begin(), 0, a), 1, b)
				return c.End(f, c.Do(ctx, f))
			}
		},
		func(c Calls) func(A, B) error {
			return func(a A, b B) error { f := with(with(c.Begin(), 0, a), 1, b); return c.End(f, c.Do(nil, f)) }
		},
		func(c Calls) func(A, B) {
			return func(a A, b B) { f := with(with(c.Begin(), 0, a), 1, b); c.End(f, c.Do(nil, f)) }
		})
}

func make0[R any](s shape) Maker {
	return choose(s,
		func(c Calls) func(context.Context) (R, error) {
			return func(ctx context.Context) (R, error) { return made[R](c, ctx, c.Begin()) }
		},
		func(c Calls) func() (R, error) { return func() (R, error) { return made[R](c, nil, c.Begin()) } },
		func(c Calls) func() R { return func() R { r, _ := made[R](c, nil, c.Begin()); return r } })
}

func make1[A, R any](s shape) Maker {
	return choose(s,
		func(c Calls) func(context.Context, A) (R, error) {
			return func(ctx context.Context, a A) (R, error) { return made[R](c, ctx, with(c.Begin(), 0, a)) }
		},
		func(c Calls) func(A) (R, error) {
			return func(a A) (R, error) { return made[R](c, nil, with(c.Begin(), 0, a)) }
		},
		func(c Calls) func(A) R {
			return func(a A) R { r, _ := made[R](c, nil, with(c.Begin(), 0, a)); return r }
		})
}

func make2[A, B, R any](s shape) Maker {
	return choose(s,
		func(c Calls) func(context.Context, A, B) (R, error) {
			return func(ctx context.Context, a A, b B) (R, error) {
				return made[R](c, ctx, with(with(c.Begin(), 0, a), 1, b))
			}
		},
		func(c Calls) func(A, B) (R, error) {
			return func(a A, b B) (R, error) { return made[R](c, nil, with(with(c.Begin(), 0, a), 1, b)) }
		},
		func(c Calls) func(A, B) R {
			return func(a A, b B) R { r, _ := made[R](c, nil, with(with(c.Begin(), 0, a), 1, b)); return r }
		})
}

// choose returns the Maker for the one of three functions that has what the shape has beside parameters and result.
func choose[F, G, H any](s shape, contextAndError func(Calls) F, withError func(Calls) G, bare func(Calls) H) Maker {
	switch {
	case s.context:
		return func(fn unsafe.Pointer, c Calls) { *(*F)(fn) = contextAndError(c) }
	case s.fails:
		return func(fn unsafe.Pointer, c Calls) { *(*G)(fn) = withError(c) }
	}
	return func(fn unsafe.Pointer, c Calls) { *(*H)(fn) = bare(c) }
}

// with sets argument i of a call.
func with[A any](f *Frame, i int, a A) *Frame {
	*(*A)(f.Args[i]) = a
	return f
}

// made makes a call that has a result.
func made[R any](c Calls, ctx context.Context, f *Frame) (R, error) {
	err := c.Do(ctx, f)
	r := *(*R)(f.Result)
	return r, c.End(f, err)
}
