package engine

import (
	"context"
	"reflect"
	"unsafe"
)

// Bound functions without package reflect.
//
// What reflect.MakeFunc makes costs three times as much as the call of a small guest function. So functions of the commonest
// shapes are made here, from a generic function for each shape: at most two parameters and one result beside the context and the
// error, each a 64-bit integer, a float64, a string, a slice, or as a result a bool.
//
// The host's function type may have defined types, or int for uint64. A function value is stored as one of another type then, in
// which these have the same size, are kept in registers of the same kind and have pointers at the same places. Nothing that
// calls a function or looks at its frame can tell them apart.

// A class is a set of types that are alike for a caller.
type class uint8

const (
	otherClass class = iota
	wordClass        // 64-bit integers: uint64 here
	floatClass       // float64
	textClass        // strings
	listClass        // slices: []byte here
	truthClass       // bool, as a result
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

// A shape is a binding whose function is to be stored at fn, of a type with these parameters and results.
type shape struct {
	*binding
	fn      unsafe.Pointer // of a variable of function type
	in, out []reflect.Type
}

// bindFast stores a function at fn, and reports whether there is one of that shape.
func bindFast(s shape) bool {
	if s.hasOptions || s.hasStats || len(s.in) > 2 || len(s.out) > 1 {
		return false
	}
	if len(s.in) == 0 {
		return result0(s)
	}
	switch classOf(s.in[0]) {
	case wordClass:
		return second[uint64](s)
	case floatClass:
		return second[float64](s)
	case textClass:
		return second[string](s)
	case listClass:
		return second[[]byte](s)
	}
	return false
}

func second[A any](s shape) bool {
	if len(s.in) == 1 {
		return result1[A](s)
	}
	switch classOf(s.in[1]) {
	case wordClass:
		return result2[A, uint64](s)
	case floatClass:
		return result2[A, float64](s)
	case textClass:
		return result2[A, string](s)
	case listClass:
		return result2[A, []byte](s)
	}
	return false
}

// resultClass is the class of the result, and whether there is one.
func (s *shape) resultClass() (c class, none bool) {
	if len(s.out) == 0 {
		return otherClass, true
	}
	return classOf(s.out[0]), false
}

func result0(s shape) bool {
	c, none := s.resultClass()
	switch {
	case none:
		store(s, func(ctx context.Context) error { return s.finish(s.quick(ctx, s.frame())) }, func() error { return s.finish(s.quick(nil, s.frame())) })
	case c == wordClass:
		store0[uint64](s)
	case c == floatClass:
		store0[float64](s)
	case c == textClass:
		store0[string](s)
	case c == listClass:
		store0[[]byte](s)
	case c == truthClass:
		store0[bool](s)
	default:
		return false
	}
	return true
}

func result1[A any](s shape) bool {
	c, none := s.resultClass()
	switch {
	case none:
		store(s, func(ctx context.Context, a A) error { return s.finish(s.quick(ctx, with(s.frame(), 0, a))) },
			func(a A) error { return s.finish(s.quick(nil, with(s.frame(), 0, a))) })
	case c == wordClass:
		store1[A, uint64](s)
	case c == floatClass:
		store1[A, float64](s)
	case c == textClass:
		store1[A, string](s)
	case c == listClass:
		store1[A, []byte](s)
	case c == truthClass:
		store1[A, bool](s)
	default:
		return false
	}
	return true
}

func result2[A, B any](s shape) bool {
	c, none := s.resultClass()
	switch {
	case none:
		store(s, func(ctx context.Context, a A, b B) error {
			return s.finish(s.quick(ctx, with(with(s.frame(), 0, a), 1, b)))
		},
			func(a A, b B) error { return s.finish(s.quick(nil, with(with(s.frame(), 0, a), 1, b))) })
	case c == wordClass:
		store2[A, B, uint64](s)
	case c == floatClass:
		store2[A, B, float64](s)
	case c == textClass:
		store2[A, B, string](s)
	case c == listClass:
		store2[A, B, []byte](s)
	case c == truthClass:
		store2[A, B, bool](s)
	default:
		return false
	}
	return true
}

func store0[R any](s shape) {
	b := s.binding
	store(s, func(ctx context.Context) (R, error) { return taken[R](b.quick(ctx, b.frame())) },
		func() (R, error) { return taken[R](b.quick(nil, b.frame())) })
}

func store1[A, R any](s shape) {
	b := s.binding
	store(s, func(ctx context.Context, x A) (R, error) { return taken[R](b.quick(ctx, with(b.frame(), 0, x))) },
		func(x A) (R, error) { return taken[R](b.quick(nil, with(b.frame(), 0, x))) })
}

func store2[A, B, R any](s shape) {
	b := s.binding
	store(s, func(ctx context.Context, x A, y B) (R, error) {
		return taken[R](b.quick(ctx, with(with(b.frame(), 0, x), 1, y)))
	}, func(x A, y B) (R, error) { return taken[R](b.quick(nil, with(with(b.frame(), 0, x), 1, y))) })
}

// store stores the one of two functions that has the context that the host's type has.
func store[F, G any](s shape, withContext F, without G) {
	if s.hasContext {
		*(*F)(s.fn) = withContext
	} else {
		*(*G)(s.fn) = without
	}
}

// with sets argument i of a frame.
func with[A any](f *frame, i int, a A) *frame {
	*(*A)(f.params[i].Addr().UnsafePointer()) = a
	return f
}

// An end is a call of a bound function that is over.
type end struct {
	b   *binding
	f   *frame
	err error
}

// quick makes the call of a frame without limits.
func (b *binding) quick(ctx context.Context, f *frame) end {
	_, err := b.run(ctx, nil, f)
	return end{b, f, err}
}

// finish gives the frame back, and returns the error that the caller sees.
func (b *binding) finish(e end) error {
	b.giveBack(e.f, e.err)
	if e.err != nil {
		return b.edge.Told(e.err)
	}
	return nil
}

// taken is finish for a function with a result.
func taken[R any](e end) (r R, err error) {
	if _, guest := e.err.(*GuestError); guest || e.err == nil {
		r = *(*R)(e.f.out.Addr().UnsafePointer()) // field 0
	}
	return r, e.b.finish(e)
}
