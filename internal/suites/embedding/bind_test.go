package embedding_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

const shapes = `package lib

import "errors"

func Zero()                              { calls++ }
func Count() int                         { return calls }
func Text() string                       { return "text" }
func Float() float64                     { return 1.5 }
func List() []string                     { return []string{"a", "b"} }
func True() bool                         { return true }
func Take(n uint64)                      { calls += int(n) }
func Negate(x float64) float64           { return -x }
func Twice(s string) string              { return s + s }
func Long(s string) bool                 { return len(s) > 3 }
func Sum(list []int64) (n int)           { for _, x := range list { n += int(x) }; return n }
func Add(a int64, b uint) uint64         { return uint64(a) + uint64(b) }
func Scale(x float64, n int) float64     { return x * float64(n) }
func Repeat(s string, n int) []string    { return append([]string(nil), make([]string, n)...) }
func At(list []string, n int) string     { return list[n] }
func Fill(list []float64, x float64) []float64 { for i := range list { list[i] = x }; return list }
func Divide(a, b int) (int, error)       { if b == 0 { return a, errors.New("by zero") }; return a / b, nil }
func Check(s, t string) error            { if s != t { return errors.New(s + " is not " + t) }; return nil }
func Panic(s string) string              { panic(s) }

var calls int
`

type (
	hostID   string
	hostNum  int64
	hostRate float64
	hostList []hostNum
	hostFlag bool
)

// TestBindShapes: bound functions of all shapes, including types of the host's own, return what the
// guest's functions return.
func TestBindShapes(t *testing.T) {
	daily.Turn(t, 3, false)
	p := compileLibrary(t, shapes)
	ctx := context.Background()
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		values := func(x ...any) []any { return x }
		for _, c := range []struct {
			name string
			fn   any // a nil function of the host's type
			args []any
			want []any
			err  string
		}{
			{"Zero", (func() error)(nil), nil, nil, ""},
			{"Count", (func() (int, error))(nil), nil, values(1), ""},
			{"Text", (func() (hostID, error))(nil), nil, values(hostID("text")), ""},
			{"Float", (func() (hostRate, error))(nil), nil, values(hostRate(1.5)), ""},
			{"List", (func() ([]hostID, error))(nil), nil, values([]hostID{"a", "b"}), ""},
			{"True", (func() (hostFlag, error))(nil), nil, values(hostFlag(true)), ""},
			{"Take", (func(n uint64) error)(nil), values(uint64(5)), nil, ""},
			{"Count", (func() (int, error))(nil), nil, values(6), ""},
			{"Negate", (func(x hostRate) (float64, error))(nil), values(hostRate(2.5)), values(-2.5), ""},
			{"Twice", (func(s hostID) (string, error))(nil), values(hostID("ab")), values("abab"), ""},
			{"Long", (func(s string) (bool, error))(nil), values("abcd"), values(true), ""},
			{"Long", (func(s string) (bool, error))(nil), values("a"), values(false), ""},
			{"Sum", (func(list hostList) (int, error))(nil), values(hostList{1, 2, -9}), values(-6), ""},
			{"Add", (func(a hostNum, b uint) (uint64, error))(nil), values(hostNum(-1), uint(10)), values(uint64(9)), ""},
			{"Scale", (func(x float64, n int) (hostRate, error))(nil), values(1.5, -4), values(hostRate(-6)), ""},
			{"Repeat", (func(s string, n int) ([]string, error))(nil), values("x", 2), values([]string{"", ""}), ""},
			{"At", (func(list []hostID, n int) (hostID, error))(nil), values([]hostID{"p", "q"}, 1), values(hostID("q")), ""},
			{"Fill", (func(list []float64, x float64) ([]float64, error))(nil), values([]float64{1, 2}, 0.5), values([]float64{0.5, 0.5}), ""},
			{"Divide", (func(a, b int) (int, error))(nil), values(7, 2), values(3), ""},
			{"Divide", (func(a, b int) (int, error))(nil), values(7, 0), values(7), "by zero"},
			{"Check", (func(s, t hostID) error)(nil), values(hostID("a"), hostID("a")), nil, ""},
			{"Check", (func(s, t hostID) error)(nil), values(hostID("a"), hostID("b")), nil, "a is not b"},
			{"Panic", (func(s string) (string, error))(nil), values("oops"), values(""), "panic: oops in example.com/lib.Panic (lib.go:23)"},
			{"Text", (func() (string, error))(nil), nil, values(""), "gyr: the program has ended: panic: oops in example.com/lib.Panic (lib.go:23)"},
		} {
			typ := reflect.TypeOf(c.fn)
			// With a context and with figures, the function is called through reflect.
			params, results := []reflect.Type{reflect.TypeFor[context.Context]()}, []reflect.Type{}
			for p := range typ.Ins() {
				params = append(params, p)
			}
			for r := range typ.Outs() {
				results = append(results, r)
			}
			withContext := reflect.FuncOf(params, results, false)
			counted := reflect.FuncOf(params[1:], slices.Insert(slices.Clone(results), len(results)-1, reflect.TypeFor[gyr.CallStats]()), false)
			list := []reflect.Type{typ, withContext, counted}
			if c.name == "Take" || c.name == "Zero" || c.name == "Count" {
				list = list[:1] // they count calls
			}
			if c.name == "Panic" || c.err != "" && c.name == "Text" {
				list = list[:1]
			}
			for _, typ := range list {
				fn := reflect.New(typ)
				args := []reflect.Value{}
				if typ == withContext {
					args = append(args, reflect.ValueOf(ctx))
				}
				for _, a := range c.args {
					args = append(args, reflect.ValueOf(a))
				}
				err := in.Bind(ctx, c.name, fn.Interface())
				if c.err != "" && errors.Is(err, gyr.ErrEnded) {
					if err.Error() != c.err {
						t.Errorf("%s: %v", c.name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				runtime.GC()
				out := fn.Elem().Call(args)
				if err, _ := out[len(out)-1].Interface().(error); c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
					t.Errorf("%s: %v, want %s", typ, err, c.err)
				}
				for i, want := range c.want {
					if got := out[i].Interface(); !reflect.DeepEqual(got, want) {
						t.Errorf("%s of type %s: %v, want %v", c.name, typ, got, want)
					}
				}
			}
		}
	})
}

// TestBoundCallsAllocateNothing: a bound function of numbers, with a context that can end and
// without one.
func TestBoundCallsAllocateNothing(t *testing.T) {
	p := compileLibrary(t, shapes)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := gyr.Config{Stdout: streamFunc(func(p []byte) (int, error) { return len(p), nil })} // it may block
	eachTier(t, p, cfg, func(t *testing.T, in *gyr.Instance) {
		var divide func(ctx context.Context, a, b int) (int, error)
		if err := in.Bind(ctx, "Divide", &divide); err != nil {
			t.Fatal(err)
		}
		call := func() {
			if n, err := divide(ctx, 84, 2); err != nil || n != 42 {
				t.Fatal(n, err)
			}
		}
		call()
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
