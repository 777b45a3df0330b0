package gofunc

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"unsafe"
)

// recorded is a Calls that answers with what it was told to, and writes down what it was asked.
type recorded struct {
	args   []reflect.Value
	result reflect.Value // not valid: there is none
	err    error

	ctx   context.Context
	ended error
}

func (r *recorded) Begin() *Frame {
	f := &Frame{}
	for _, a := range r.args {
		f.Args = append(f.Args, a.Addr().UnsafePointer())
	}
	if r.result.IsValid() {
		f.Result = r.result.Addr().UnsafePointer()
	}
	return f
}

func (r *recorded) Do(ctx context.Context, f *Frame) error { r.ctx = ctx; return r.err }

func (r *recorded) End(f *Frame, err error) error {
	if r.result.IsValid() {
		r.result.SetZero() // it was read before
	}
	r.ended = err
	return err
}

// TestMakerOf makes a function of each shape, with and without defined types, and calls it.
func TestMakerOf(t *testing.T) {
	type (
		number int64
		text   string
		list   []string
		truth  bool
	)
	params := []any{7, number(-3), uint64(1 << 63), 1.5, "s", text("t"), []byte{1, 2}, list{"x"}}
	results := append([]any{nil, true, truth(true)}, params...)
	var lists [][]any
	lists = append(lists, nil)
	for _, a := range params {
		lists = append(lists, []any{a})
		for _, b := range params {
			lists = append(lists, []any{a, b})
		}
	}
	errType, ctxType := reflect.TypeFor[error](), reflect.TypeFor[context.Context]()
	ctx := t.Context()
	for _, args := range lists {
		for _, result := range results {
			for _, has := range []struct{ ctx, err bool }{{false, false}, {false, true}, {true, true}} {
				var in, out []reflect.Type
				var give []reflect.Value
				r := &recorded{}
				if has.ctx {
					in, give = append(in, ctxType), append(give, reflect.ValueOf(ctx))
				}
				for _, a := range args {
					in, give = append(in, reflect.TypeOf(a)), append(give, reflect.ValueOf(a))
					r.args = append(r.args, reflect.New(reflect.TypeOf(a)).Elem())
				}
				if result != nil {
					out = append(out, reflect.TypeOf(result))
					r.result = reflect.New(out[0]).Elem()
					r.result.Set(reflect.ValueOf(result))
				}
				if has.err {
					out = append(out, errType)
					r.err = errors.New("an error")
				}
				typ := reflect.FuncOf(in, out, false)
				store := MakerOf(typ)
				if store == nil {
					t.Fatalf("%s is left to reflect", typ)
				}
				fn := reflect.New(typ)
				store(fn.UnsafePointer(), r)
				got := fn.Elem().Call(give)
				for i, a := range args {
					if !reflect.DeepEqual(r.args[i].Interface(), a) {
						t.Errorf("%s: argument %d is %v, was %v", typ, i, r.args[i], a)
					}
				}
				if result != nil && !reflect.DeepEqual(got[0].Interface(), result) {
					t.Errorf("%s: the result is %v, was %v", typ, got[0], result)
				}
				if has.err && got[len(got)-1].Interface() != r.err || r.ended != r.err {
					t.Errorf("%s: error %v", typ, r.ended)
				}
				if (r.ctx != nil) != has.ctx || has.ctx && r.ctx != ctx {
					t.Errorf("%s: context %v", typ, r.ctx)
				}
			}
		}
	}
	for _, f := range []any{
		func(a, b, c int) {}, func(int32) {}, func(bool) {}, func() (a, b int) { return }, func() float32 { return 0 },
		func(...int) {}, func(context.Context) {}, func(int, context.Context) error { return nil }, func(struct{ A int }) {}, func(map[int]int) {},
	} {
		if MakerOf(reflect.TypeOf(f)) != nil {
			t.Errorf("%T is not left to reflect", f)
		}
	}
}

// nothing is a Calls that does nothing.
type nothing struct{ Frame }

func (n *nothing) Begin() *Frame                          { return &n.Frame }
func (n *nothing) Do(ctx context.Context, f *Frame) error { return nil }
func (n *nothing) End(f *Frame, err error) error          { return err }

func BenchmarkMade(b *testing.B) {
	var fn func(a, c int) (int, error)
	var x, y, r int
	MakerOf(reflect.TypeOf(fn))(unsafe.Pointer(&fn), &nothing{Frame{[]unsafe.Pointer{unsafe.Pointer(&x), unsafe.Pointer(&y)}, unsafe.Pointer(&r)}})
	for b.Loop() {
		fn(1, 2)
	}
}
