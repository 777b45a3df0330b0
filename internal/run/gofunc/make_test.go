package gofunc

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"
)

// recorded is a Calls with prepared results that records what it is asked.
type recorded struct {
	args   []reflect.Value
	result reflect.Value // invalid: none
	err    error
	counts testFigures

	limits testLimits
	ctx    context.Context
	ended  error
}

type testLimits struct {
	A int64
	B uint64
	C time.Duration
}

type testFigures struct{ A, B, C, D int64 }

func (r *recorded) Begin() *Frame {
	f := &Frame{Result: unsafe.Pointer(r), Limits: unsafe.Pointer(&r.limits), Figures: unsafe.Pointer(&r.counts)}
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
		r.result.SetZero() // has been read by now
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
		order  struct {
			Item  string
			Count int
		}
		inner struct{ S struct{ X float64 } }
	)
	params := []any{7, number(-3), uint64(1 << 63), 1.5, inner{}, "s", text("t"), struct {
		M map[int]int
		N uint64
	}{map[int]int{1: 2}, 3}, []byte{1, 2}, list{"x"}, order{"tea", 2}}
	results := append([]any{nil, true, truth(true)}, params...)
	var lists [][]any
	lists = append(lists, nil)
	for _, a := range params {
		lists = append(lists, []any{a})
		for _, b := range params {
			lists = append(lists, []any{a, b})
		}
	}
	ctx := t.Context()
	shapes := []Signature{{}, {Error: true}, {Error: true, Context: true}, {Error: true, Figures: true}, {Error: true, Figures: true, Limits: true}}
	for _, args := range lists {
		for _, result := range results {
			for _, has := range shapes {
				var in, out []reflect.Type
				var give []reflect.Value
				r := &recorded{}
				front, limits := 0, testLimits{1, 1 << 63, 3}
				if has.Context {
					in, give = append(in, reflect.TypeFor[context.Context]()), append(give, reflect.ValueOf(ctx))
				} else if has.Limits {
					in, give = append(in, reflect.TypeOf(limits)), append(give, reflect.ValueOf(limits))
				}
				front = len(in)
				for _, a := range args {
					in, give = append(in, reflect.TypeOf(a)), append(give, reflect.ValueOf(a))
					r.args = append(r.args, reflect.New(reflect.TypeOf(a)).Elem())
				}
				if result != nil {
					out = append(out, reflect.TypeOf(result))
					r.result = reflect.New(out[0]).Elem()
					r.result.Set(reflect.ValueOf(result))
				}
				store := MakerOf(has, in[front:], out)
				if has.Figures {
					out = append(out, reflect.TypeFor[testFigures]())
					r.counts = testFigures{-1, 2, 3, 4}
				}
				if has.Error {
					out = append(out, reflect.TypeFor[error]())
					r.err = errors.New("an error")
				}
				typ := reflect.FuncOf(in, out, false)
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
				if has.Error && got[len(got)-1].Interface() != r.err || r.ended != r.err {
					t.Errorf("%s: error %v", typ, r.ended)
				}
				if (r.ctx != nil) != has.Context || has.Context && r.ctx != ctx || has.Limits && r.limits != limits {
					t.Errorf("%s: context %v, limits %v", typ, r.ctx, r.limits)
				}
				if has.Figures && got[len(got)-2].Interface() != r.counts {
					t.Errorf("%s: figures %v", typ, got[len(got)-2])
				}
			}
		}
	}
	for _, f := range []any{
		func(a, b, c int) {}, func(int32) {}, func(bool) {}, func() (a, b int) { return }, func() float32 { return 0 },
		func(int, context.Context) {}, func(struct{}) {}, func(map[int]int) {}, func(struct{ A, B int }) {},
		func(struct {
			A int
			B struct{}
		}) {
		},
		func(struct {
			A int32
			S string
		}) {
		},
		func(struct {
			S string
			_ int
		}) {
		},
	} {
		typ := reflect.TypeOf(f)
		if MakerOf(Signature{}, slices.Collect(typ.Ins()), slices.Collect(typ.Outs())) != nil {
			t.Errorf("%T is not left to reflect", f)
		}
	}
	for _, s := range []Signature{{Context: true}, {Figures: true}, {Error: true, Limits: true}, {Error: true, Figures: true, Context: true}} {
		if MakerOf(s, nil, nil) != nil {
			t.Errorf("%+v is not left to reflect", s)
		}
	}
}

// nothing is a Calls without an effect.
type nothing struct{ Frame }

func (n *nothing) Begin() *Frame                          { return &n.Frame }
func (n *nothing) Do(ctx context.Context, f *Frame) error { return nil }
func (n *nothing) End(f *Frame, err error) error          { return err }

func BenchmarkMade(b *testing.B) {
	var fn func(a, c int) (int, error)
	var x, y, r int
	n := reflect.TypeFor[int]()
	store := MakerOf(Signature{Error: true}, []reflect.Type{n, n}, []reflect.Type{n})
	store(unsafe.Pointer(&fn), &nothing{Frame{Args: []unsafe.Pointer{unsafe.Pointer(&x), unsafe.Pointer(&y)}, Result: unsafe.Pointer(&r)}})
	for b.Loop() {
		fn(1, 2)
	}
}
