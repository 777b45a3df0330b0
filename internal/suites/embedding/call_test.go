package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

const library = `package lib

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

var calls = func() int { fmt.Println("initialised"); return 0 }()

type Point struct {
	X, Y int
	Name string
	Tags []string
}

type celsius float64

func Add(a, b int) int { calls++; return a + b }
func Calls() int       { return calls }
func Nothing()         {}

func Basics(b bool, i8 int8, u16 uint16, i32 int32, u64 uint64, f float32, g float64, c complex128, s string) string {
	return fmt.Sprint(b, i8, u16, i32, u64, f, g, c, s)
}
func Echo(b bool, i8 int8, u16 uint16, i32 int32, u64 uint64, f float32, g float64, c complex64, s string) (bool, int8, uint16, int32, uint64, float32, float64, complex64, string) {
	return b, i8, u16, i32, u64, f, g, c, s
}
func Join(sep string, parts ...string) string { return strings.Join(parts, sep) }
func Bytes(b []byte) []byte                   { return append(b, b...) }
func Move(p Point, by [2]int) (Point, error) {
	if p.Name == "" {
		return p, errors.New("no name")
	}
	p.X, p.Y = p.X+by[0], p.Y+by[1]
	p.Tags = append(p.Tags, "moved")
	return p, nil
}
func Tree(p *Point) **Point { p.X++; return &p }
func Warm(c celsius) celsius { return c + 1 }
func Nested(x [][]Point) (n int) {
	for _, y := range x {
		n += len(y)
	}
	return n
}
func Map(m map[string]int) int { return len(m) }
func Chan(c chan int) int { return len(c) }
func Fail() error              { return fmt.Errorf("code %d", 7) }
func Panic()                   { var p *Point; p.X = 1 }
func Exit(code int)            { os.Exit(code) }
func Spin()                    { for { calls++ } }
func Sleep() int64             { t := time.Now(); time.Sleep(time.Hour); return int64(time.Since(t).Truncate(time.Second)) }
func Grow() { var x [][]byte; for { x = append(x, make([]byte, 1<<20)) } }
func Wait() { select {} }
func Empty(x []struct{}, y []int, z *int) (bool, bool, bool) { return x == nil, y == nil, z == nil }

var background = make(chan int)

func Background() { go func() { for i := 0; ; i++ { background <- i } }() }
func Next() int   { return <-background }

func generic[T any](x T) T     { return x }
func Generic[T any](x T) T     { return x }
func (p Point) Method()        {}
func hidden()                  {}
`

func compileLibrary(t testing.TB, src string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(src)}}, Exports: true},
		&gyr.CompileOptions{Debug: gyr.CompileDebug{Verify: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type hostPoint struct {
	X, Y int
	Name string
	Tags []string
}

func TestCall(t *testing.T) {
	p := compileLibrary(t, library)
	if got := fmt.Sprint(p.Exports()); !strings.HasPrefix(got, "[func Add(a int, b int) int func Calls() int func Nothing()") || strings.Contains(got, "Generic") || strings.Contains(got, "Method") {
		t.Errorf("exports: %s", got)
	}
	ctx := context.Background()
	for _, debug := range []map[string]string{nil, {"gcstress": "1", "poison": ""}} {
		var out bytes.Buffer
		in, err := p.NewInstance(ctx, gyr.Config{Stdout: &out, Stderr: &out, Debug: debug})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		for _, c := range []struct {
			name string
			args []any
			want []any
			err  string
		}{
			{name: "Add", args: []any{40, 2}, want: []any{42}},
			{name: "Add", args: []any{-1, -2}, want: []any{-3}},
			{name: "Calls", want: []any{2}},
			{name: "Nothing", want: []any{}},
			{name: "Basics", args: []any{true, int8(-8), uint16(65535), int32(-1), uint64(1 << 63), float32(1.5), 2.5, 1 + 2i, "text"}, want: []any{"true -8 65535 -1 9223372036854775808 1.5 2.5 (1+2i)text"}},
			{name: "Echo", args: []any{true, int8(-8), uint16(65535), int32(-1), uint64(1 << 63), float32(1.5), 2.5, complex64(1 + 2i), "text"}, want: []any{true, int8(-8), uint16(65535), int32(-1), uint64(1 << 63), float32(1.5), 2.5, complex64(1 + 2i), "text"}},
			{name: "Join", args: []any{"-", []string{"a", "", "c"}}, want: []any{"a--c"}},
			{name: "Join", args: []any{"-", []string(nil)}, want: []any{""}},
			{name: "Bytes", args: []any{[]byte("ab")}, want: []any{[]byte("abab")}},
			{name: "Nested", args: []any{[][]hostPoint{{{}, {Tags: []string{"x"}}}, nil, {{Name: "n"}}}}, want: []any{3}},
			{name: "Fail", err: "code 7"},
			{name: "Move", args: []any{hostPoint{}, [2]int{}}, err: "no name"},
			{name: "Sleep", want: []any{int64(time.Hour)}},
			{name: "Warm", args: []any{1.5}, want: []any{2.5}},
			{name: "Empty", args: []any{[]struct{}(nil), []int(nil), (*int)(nil)}, want: []any{true, true, true}},
			{name: "Empty", args: []any{[]struct{}{}, []int{}, new(int)}, want: []any{false, false, false}},
			{name: "Background", want: []any{}},
			{name: "Next", want: []any{0}},
			{name: "Next", want: []any{1}},
			{name: "Absent", err: "gyr: no exported function Absent; the package has [Add"},
			{name: "Add", args: []any{1}, err: "gyr: 1 arguments for Add, which has 2 parameters"},
			{name: "Add", args: []any{1, "x"}, err: "gyr: argument 1 of Add: string of the host for int of the guest"},
			{name: "Add", args: []any{1, nil}, err: "gyr: argument 1 of Add: untyped nil"},
			{name: "Map", args: []any{map[string]int{"a": 1}}, want: []any{1}},
			{name: "Chan", args: []any{make(chan int)}, err: "gyr: Chan cannot be called: parameter 0 (c): chan int does not cross"},
			{name: "Move", args: []any{struct{ X, Y int }{}, [2]int{}}, err: "gyr: argument 0 of Move: struct { X int; Y int } has 2 fields, the guest's struct 4"},
			{name: "Calls", want: []any{2}},
		} {
			got, err := in.Call(ctx, c.name, c.args...)
			if c.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.err) {
					t.Errorf("%s: error %v, want %s", c.name, err, c.err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s%v: %v, want %v", c.name, c.args, got, c.want)
			}
		}
		var guest *gyr.GuestError
		if _, err := in.Call(ctx, "Fail"); !errors.As(err, &guest) || guest.Func != "Fail" {
			t.Errorf("Fail: %#v", err)
		}
		if out.String() != "initialised\n" {
			t.Errorf("output %q", out.String())
		}
	}
}

func TestBind(t *testing.T) {
	in, err := compileLibrary(t, library).NewInstance(t.Context(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx := context.Background()
	var move func(hostPoint, [2]int) (hostPoint, error)
	if err := in.Bind(ctx, "Move", &move); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := move(hostPoint{1, 2, "p", []string{"a"}}, [2]int{10, 20})
		if err != nil || !reflect.DeepEqual(got, hostPoint{11, 22, "p", []string{"a", "moved"}}) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := move(hostPoint{}, [2]int{}); err == nil || err.Error() != "no name" {
			t.Errorf("%v", err)
		}
		// Bound functions remain valid after a reset.
		if err := in.Reset(gyr.Config{}); err != nil {
			t.Fatal(err)
		}
	}
	var tree func(*hostPoint) (**hostPoint, error)
	if err := in.Bind(ctx, "Tree", &tree); err != nil {
		t.Fatal(err)
	}
	if got, err := tree(&hostPoint{X: 1}); err != nil || (*got).X != 2 {
		t.Errorf("%v", err)
	}
	var spin func(context.Context) error
	if err := in.Bind(ctx, "Spin", &spin); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	var deadline *gyr.DeadlineError
	if err := spin(short); !errors.As(err, &deadline) {
		t.Errorf("%v", err)
	}
	if err := spin(ctx); !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &deadline) {
		t.Errorf("%v", err)
	}
	for _, fn := range []any{nil, 1, move, new(int), new(func()), new(func(int) error), new(func(string, int) (int, error)), new(func(int, int) (string, error)), new(func(int, int) error)} {
		if err := in.Reset(gyr.Config{}); err != nil {
			t.Fatal(err)
		}
		if err := in.Bind(ctx, "Add", fn); err == nil {
			t.Errorf("%T is accepted", fn)
		}
	}
}

// A call that ends the program ends only its instance.
func TestCallEnds(t *testing.T) {
	p := compileLibrary(t, library)
	for _, c := range []struct {
		name string
		args []any
		want any
	}{
		{"Panic", nil, new(*gyr.ExitError)},
		{"Exit", []any{3}, new(*gyr.ExitError)},
		{"Exit", []any{0}, nil},
		{"Spin", nil, new(*gyr.OutOfGasError)},
		{"Grow", nil, new(*gyr.MemoryLimitError)},
		{"Wait", nil, new(*gyr.ExitError)},
	} {
		var stderr bytes.Buffer
		in, err := p.NewInstance(context.Background(), gyr.Config{Gas: 100_000_000, Memory: 16 << 20, Stderr: &stderr})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Call(context.Background(), "Add", 1, 2); err != nil || got[0] != 3 {
			t.Errorf("%v, %v", got, err)
		}
		_, err = in.Call(context.Background(), c.name, c.args...)
		if c.want == nil && err != gyr.ErrEnded || c.want != nil && !errors.As(err, c.want) {
			t.Errorf("%s: %v\n%s", c.name, err, stderr.String())
		}
		if _, err := in.Call(context.Background(), "Add", 1, 2); !errors.Is(err, gyr.ErrEnded) || c.want != nil && !errors.As(err, c.want) {
			t.Errorf("after %s: %v", c.name, err)
		}
		if err := in.Reset(gyr.Config{}); err != nil {
			t.Fatal(err)
		}
		if got, err := in.Call(context.Background(), "Calls"); err != nil || got[0] != 0 {
			t.Errorf("after Reset: %v, %v", got, err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Call(context.Background(), "Add", 1, 2); err != gyr.ErrClosed {
			t.Errorf("after Close: %v", err)
		}
	}
}

func TestNoExports(t *testing.T) {
	_, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"a.go": {Data: []byte("package a\n\nfunc f() {}\n")}}, Patterns: []string{"a.go"}, Exports: true}, nil)
	if err == nil || !strings.Contains(err.Error(), "has no exported function to call") {
		t.Errorf("%v", err)
	}
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"a.go": {Data: []byte("package main\n\nfunc main() {}\n\nfunc F() {}\n")}}, Patterns: []string{"a.go"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.NewInstance(context.Background(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Call(context.Background(), "F"); err != gyr.ErrNotExports {
		t.Errorf("%v", err)
	}
}

func BenchmarkCall(b *testing.B) {
	p := compileLibrary(b, library)
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		b.Run(string(tier), func(b *testing.B) {
			in, err := p.NewInstance(context.Background(), gyr.Config{Tier: tier})
			if err != nil {
				b.Skip(err)
			}
			defer in.Close()
			add, err := gyr.FuncOf[struct{ A, B int }, struct{ Sum int }](context.Background(), in, "Add")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			cpu := cpuTime()
			for b.Loop() {
				if r, err := add.Call(context.Background(), struct{ A, B int }{1, 2}); err != nil || r.Sum != 3 {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
			s := in.Stats()
			b.ReportMetric(float64(s.Mallocs)/float64(b.N), "mallocs/op")
			b.ReportMetric(float64(s.Gas)/float64(b.N), "gas/op")
		})
	}
}
