package gofunc

import (
	"context"
	"reflect"
	"unsafe"
)

// The commonest shapes of functions have at most two parameters and one result. Each of these is a
// 64-bit integer, a float64, a string, a slice or, as a result, a bool. A context may come first
// and an error last. Each shape has a generic function.
//
// The function's type may have other types: defined ones, int for uint64, a struct of a string and
// an int for a slice. A function value is then stored as one of another type. The types in that one
// have the same sizes, are kept in registers of the same kind and have pointers at the same places.
// A caller, or code that reads the frame, cannot tell the two apart.

// A Frame has the variables of a call, for the arguments and for the result, without context and
// error.
type Frame struct {
	Args    []unsafe.Pointer
	Result  unsafe.Pointer // not nil, even without a result
	Limits  unsafe.Pointer // of a function with limits
	Figures unsafe.Pointer // of a function with figures
}

// Calls makes the calls of a function that a [Maker] made: Begin, Do and End for each, on the
// goroutine that calls the function.
type Calls interface {
	// Begin returns the variables of a call. The function stores its arguments there.
	Begin() *Frame
	// Do makes the call, and sets the result. ctx is nil for a function without one.
	Do(ctx context.Context, f *Frame) error
	// End takes the variables back when the result has been read. err is the result of Do. The
	// result of End is the function's error; a function without one drops it.
	End(f *Frame, err error) error
}

// A Maker stores a function in the variable at fn, whose calls c makes. The variable has the
// Maker's type.
type Maker func(fn unsafe.Pointer, c Calls)

// A Signature is the part of a function's type besides its parameters and its result.
type Signature struct {
	Context bool // a first parameter of type context.Context; with an error alone
	Limits  bool // a first parameter, a struct of three 64-bit integers; with figures alone
	Figures bool // after the result, a struct of four of them; with an error alone
	Error   bool // a last result of type error
}

// MakerOf returns the maker of functions with these parameters and results in addition to those of
// s. It returns nil if only package reflect can make them.
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

// A class is a set of types that callers cannot distinguish.
type class uint8

const (
	noClass    class = iota // no result: struct{} here, which takes no room
	otherClass              // left to reflect
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
	if t.Size() != uintptr(8*len(list)) { // padding between parts or at the end
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

// parts describes the parts of a value: n for 64 bits of an integer, p for a pointer, f for a
// float64, x for anything else.
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

// A shape selects the generic function for functions of a type.
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

// Stand-ins for the types of limits and figures.
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
