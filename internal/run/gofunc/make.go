package gofunc

import (
	"context"
	"reflect"
	"unsafe"
)

// Functions of the commonest shapes: at most two parameters and one result, each a 64-bit integer, a float64, a string, a slice or, as a
// result, a bool, perhaps with a context in front or an error behind. There is a generic function for each shape.
//
// The function's type may have other types: defined ones, int for uint64, a struct of a string and an int for a slice. A function value is stored as one
// of another type then, in which these have the same size, are kept in registers of the same kind and have pointers at the same
// places. Nothing that calls a function or looks at its frame can tell them apart.

// A Frame has the variables of a call, for the arguments and for the result. A context and an error are not among them.
type Frame struct {
	Args    []unsafe.Pointer
	Result  unsafe.Pointer // not nil, also if there is no result
	Limits  unsafe.Pointer // of a function with limits
	Figures unsafe.Pointer // of a function with figures
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

// A Signature is what a function has beside its parameters and its result.
type Signature struct {
	Context bool // a first parameter of type context.Context; with an error alone
	Limits  bool // a first parameter, a struct of three 64-bit integers; with figures alone
	Figures bool // behind the result, a struct of four of them; with an error alone
	Error   bool // a last result of type error
}

// MakerOf returns what makes functions with these parameters and results beside those of s, nil if that is package reflect alone.
func MakerOf(s Signature, in, out []reflect.Type) Maker {
	switch {
	case (s.Context || s.Figures) && !s.Error, s.Limits && !s.Figures, s.Context && s.Figures, len(in) > 2, len(out) > 1:
		return nil
	}
	h := shape{Signature: s}
	for _, t := range in {
		h.in = append(h.in, classOf(t))
	}
	if len(out) == 1 {
		if h.out = classOf(out[0]); h.out == otherClass {
			return nil
		}
	}
	return h.maker()
}

// A class is a set of types that are alike for a caller.
type class uint8

const (
	noClass    class = iota // there is no result: struct{} here, which takes no room
	otherClass              // a type that is left to reflect
	wordClass               // 64-bit integers: uint64 here
	floatClass              // float64
	textClass               // strings
	listClass               // slices: []byte here
	truthClass              // bool, as a result
)

func classOf(t reflect.Type) class {
	if t.Kind() == reflect.Bool {
		return truthClass
	}
	list := parts(t)
	if t.Size() != uintptr(8*len(list)) { // there is room between parts, or behind them
		return otherClass
	}
	switch list {
	case "n":
		return wordClass
	case "f":
		return floatClass
	case "pn":
		return textClass
	case "pnn":
		return listClass
	}
	return otherClass
}

// parts says what a value is made of: n for 64 bits of an integer, p for a pointer, f for a float64, x for anything else.
func parts(t reflect.Type) (list string) {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Uintptr:
		if t.Size() == 8 {
			return "n"
		}
	case reflect.Float64:
		return "f"
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		return "p"
	case reflect.String:
		return "pn"
	case reflect.Slice:
		return "pnn"
	case reflect.Struct:
		if t.NumField() > 3 {
			break
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				return "x"
			}
			list += parts(f.Type)
		}
		return list
	}
	return "x"
}

// A shape is what decides how functions of a type are made.
type shape struct {
	Signature
	in  []class
	out class
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
	return make0[struct{}](s)
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
	return make1[A, struct{}](s)
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
	return make2[A, B, struct{}](s)
}

// What stands for limits and figures.
type (
	limits  struct{ a, b, c uint64 }
	figures struct{ a, b, c, d uint64 }
)

func make0[R any](s shape) Maker {
	switch {
	case s.Limits:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(limits) (R, figures, error))(fn) = func(l limits) (R, figures, error) { return counted[R](c, limited(c.Begin(), l)) }
		}
	case s.Figures:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func() (R, figures, error))(fn) = func() (R, figures, error) { return counted[R](c, c.Begin()) }
		}
	case s.Context:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(context.Context) (R, error))(fn) = func(ctx context.Context) (R, error) { return made[R](c, ctx, c.Begin()) }
		}
	case s.Error:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func() (R, error))(fn) = func() (R, error) { return made[R](c, nil, c.Begin()) }
		}
	}
	return func(fn unsafe.Pointer, c Calls) {
		*(*func() R)(fn) = func() R { r, _ := made[R](c, nil, c.Begin()); return r }
	}
}

func make1[A, R any](s shape) Maker {
	switch {
	case s.Limits:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(limits, A) (R, figures, error))(fn) = func(l limits, a A) (R, figures, error) {
				return counted[R](c, with(limited(c.Begin(), l), 0, a))
			}
		}
	case s.Figures:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(A) (R, figures, error))(fn) = func(a A) (R, figures, error) { return counted[R](c, with(c.Begin(), 0, a)) }
		}
	case s.Context:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(context.Context, A) (R, error))(fn) = func(ctx context.Context, a A) (R, error) {
				return made[R](c, ctx, with(c.Begin(), 0, a))
			}
		}
	case s.Error:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(A) (R, error))(fn) = func(a A) (R, error) { return made[R](c, nil, with(c.Begin(), 0, a)) }
		}
	}
	return func(fn unsafe.Pointer, c Calls) {
		*(*func(A) R)(fn) = func(a A) R { r, _ := made[R](c, nil, with(c.Begin(), 0, a)); return r }
	}
}

func make2[A, B, R any](s shape) Maker {
	switch {
	case s.Limits:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(limits, A, B) (R, figures, error))(fn) = func(l limits, a A, b B) (R, figures, error) {
				return counted[R](c, with(with(limited(c.Begin(), l), 0, a), 1, b))
			}
		}
	case s.Figures:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(A, B) (R, figures, error))(fn) = func(a A, b B) (R, figures, error) {
				return counted[R](c, with(with(c.Begin(), 0, a), 1, b))
			}
		}
	case s.Context:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(context.Context, A, B) (R, error))(fn) = func(ctx context.Context, a A, b B) (R, error) {
				return made[R](c, ctx, with(with(c.Begin(), 0, a), 1, b))
			}
		}
	case s.Error:
		return func(fn unsafe.Pointer, c Calls) {
			*(*func(A, B) (R, error))(fn) = func(a A, b B) (R, error) { return made[R](c, nil, with(with(c.Begin(), 0, a), 1, b)) }
		}
	}
	return func(fn unsafe.Pointer, c Calls) {
		*(*func(A, B) R)(fn) = func(a A, b B) R { r, _ := made[R](c, nil, with(with(c.Begin(), 0, a), 1, b)); return r }
	}
}

// with sets argument i of a call.
func with[A any](f *Frame, i int, a A) *Frame {
	*(*A)(f.Args[i]) = a
	return f
}

// limited sets the limits of a call.
func limited(f *Frame, l limits) *Frame {
	*(*limits)(f.Limits) = l
	return f
}

// made makes a call.
func made[R any](c Calls, ctx context.Context, f *Frame) (R, error) {
	err := c.Do(ctx, f)
	r := *(*R)(f.Result)
	return r, c.End(f, err)
}

// counted makes a call with figures.
func counted[R any](c Calls, f *Frame) (R, figures, error) {
	err := c.Do(nil, f)
	r, n := *(*R)(f.Result), *(*figures)(f.Figures)
	return r, n, c.End(f, err)
}
