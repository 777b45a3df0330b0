package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// TestHostPackageErrors: a wrong declaration, or a wrong binding, is an error that names both sides
// and the place where they differ.
func TestHostPackageErrors(t *testing.T) {
	type pair struct {
		Name string
		Conn chan int
	}
	for _, c := range []struct {
		path, source string
		funcs        map[string]any
		want         string
	}{
		{"example.com/h", "package h\n\nfunc F(", nil, "host package example.com/h: 3:8: "},
		{"example.com/h", "package h\n\nfunc F() T\n", nil, "3:10: undefined: T"},
		{"example.com/h", "package main\n", nil, "package main"},
		{"example.com/h", "package h\n\nimport \"os\"\n", nil, "package time alone"},
		{"example.com/h", "package h\n\nfunc F[T any](T)\n", nil, "generic"},
		{"example.com/h", "package h\n\nvar N int\n", nil, "no variables but errors"},
		{"example.com/h", "package h\n\nvar ErrX error\n", nil, "ErrX: it is declared as error, and nothing is bound"},
		{"example.com/h", "package h\n\nfunc F(n int)\n", nil, "F: it is declared as func(int), and nothing is bound"},
		{"example.com/h", "package h\n", map[string]any{"F": func() {}}, "F: it is bound, and not declared"},
		{"example.com/h", "package h\n\nfunc F(n int)\n", map[string]any{"F": 3}, "no function"},
		{"example.com/h", "package h\n\nfunc F(n int)\n", map[string]any{"F": func(string) {}}, "declared as func(int) and bound to func(string): parameter 1: int is declared, the host's type is string"},
		{"example.com/h", "package h\n\nfunc F(n int) int\n", map[string]any{"F": func(int) {}}, "1 results are declared"},
		{"example.com/h", "package h\n\ntype P struct{ Name string; Conn []int }\n\nfunc F(list []P)\n", map[string]any{"F": func([]pair) {}}, "parameter 1: element: field Conn: []int is declared, the host's type is chan int"},
		{"example.com/h", "package h\n\nfunc F(c chan int)\n", map[string]any{"F": func(chan int) {}}, "parameter 1: chan int does not cross"},
		{"example.com/h", "package h\n\nfunc F(f func(string) int)\n", map[string]any{"F": func(func(int) int) {}}, "parameter 1: its parameter 1: string is declared"},
		{"example.com/h", "package h\n\nfunc F()\n", map[string]any{"F": gyr.HostFunc{Func: func() {}, Gas: -1}}, "a price of -1 units"},
		{"example.com/h", "package h\n\nfunc F()\n", map[string]any{"F": gyr.HostFunc{Func: func() {}, OnError: gyr.GuestFailure}}, "none is declared as the last result"},
		{"example.com/h", "package h\n\nfunc F(n int)\n", map[string]any{"F": gyr.Fast(func(context.Context, *struct{ S string }, *struct{}) error { return nil })}, "parameter 1: int is declared"},
		{"bad path", "package h\n", nil, "host package bad path: "},
		{"os/exec", "package exec\n", nil, "its path is that of a package of the standard library"},
	} {
		_, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() {}\n")}}, Patterns: []string{"main.go"}},
			&gyr.CompileOptions{Host: []gyr.HostPackage{{Path: c.path, Source: c.source, Funcs: c.funcs}}})
		var refused *gyr.HostPackageError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || refused.Path != c.path {
			t.Errorf("%s %q: %v, want %q", c.path, c.source, err, c.want)
		}
	}
}

// TestHostFuncsOfImages: an image names the declarations that it was built against. Another
// declaration or price is refused.
func TestHostFuncsOfImages(t *testing.T) {
	host := func(gas int64, source string) []gyr.HostPackage {
		return []gyr.HostPackage{
			{Path: "example.com/a", Source: "package a\n\nfunc Unused()\n", Funcs: map[string]any{"Unused": func() {}}},
			{Path: "example.com/h", Source: "package h\n\n" + source, Funcs: map[string]any{"F": gyr.HostFunc{Func: func(n int) int { return n + 1 }, Gas: gas}}},
		}
	}
	const source = "func F(n int) int\n"
	data, err := gyr.Build(t.Context(), gyr.Source{Patterns: []string{"main.go"}, FS: fstest.MapFS{
		"main.go": {Data: []byte("package main\n\nimport \"example.com/h\"\n\nfunc main() { println(h.F(4)) }\n")}}}, &gyr.CompileOptions{Host: host(7, source)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gyr.CompileImage(t.Context(), data, &gyr.CompileOptions{Host: host(7, source)[1:]}) // without an unused package
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Nondeterministic(); !slices.Equal(got, []string{"example.com/h.F"}) {
		t.Errorf("nondeterministic: %v", got)
	}
	var out strings.Builder
	if in := newInstance(t, p, gyr.Config{Stderr: &out}); in.Run(t.Context()) != nil || out.String() != "5\n" {
		t.Errorf("output %q", &out)
	}
	for _, list := range [][]gyr.HostPackage{nil, host(8, source), host(7, "// F has another comment.\n"+source)} {
		var refused *gyr.HostPackageError
		if _, err := gyr.CompileImage(t.Context(), data, &gyr.CompileOptions{Host: list}); !errors.As(err, &refused) || refused.Path != "example.com/h" {
			t.Errorf("%d packages: %v", len(list), err)
		}
	}
}

// TestCallbacksAndResets: an instance that is reset repeatedly keeps nothing of earlier callbacks,
// and leaves no goroutine.
func TestCallbacksAndResets(t *testing.T) {
	p := compileHost(t, "package guest\n\nimport \"example.com/h\"\n\nfunc F() int { return h.F(func(n int) int { return n + 1 }) }\n", true, gyr.HostPackage{
		Path: "example.com/h", Source: "package h\n\nfunc F(f func(int) int) int\n", Funcs: map[string]any{"F": func(f func(int) int) int { return f(1) }}})
	in := newInstance(t, p, gyr.Config{})
	round := func(n int) (objects uint64) {
		for range n {
			if out, err := in.Call(t.Context(), "F"); err != nil || out[0] != 2 {
				t.Fatal(out, err)
			}
			if err := in.Reset(gyr.Config{}); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapObjects
	}
	round(100)
	before, goroutines := round(10), runtime.NumGoroutine()
	if after := round(2000); after > before+1000 {
		t.Errorf("%d objects after 2,000 resets, %d before", after, before)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
}

// TestHostContext: a function that observes its context ends with the run's context, at a call's
// timeout and when the instance is closed.
func TestHostContext(t *testing.T) {
	type key struct{}
	entered := make(chan bool, 1)
	p := compileHost(t, "package guest\n\nimport \"example.com/h\"\n\nfunc F() string { return h.Wait(func(s string) string { return s }) }\n\nfunc G() string { return h.Value() }\n", true, gyr.HostPackage{
		Path: "example.com/h", Source: "package h\n\nfunc Wait(f func(string) string) string\n\nfunc Value() string\n", Funcs: map[string]any{
			"Wait": func(ctx context.Context, f func(string) string) string {
				entered <- true
				<-ctx.Done()
				return f(ctx.Err().Error())
			},
			"Value": func(ctx context.Context) string { s, _ := ctx.Value(key{}).(string); return s },
		}})
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier})
		if out, err := in.Call(context.WithValue(t.Context(), key{}, "v"), "G"); err != nil || out[0] != "v" {
			t.Error(out, err)
		}
		if out, err := in.Call(context.Background(), "G"); err != nil || out[0] != "" {
			t.Error(out, err)
		}
		var late *gyr.DeadlineError
		if _, _, err := in.CallWith(t.Context(), gyr.CallOptions{Timeout: 20 * time.Millisecond}, "F"); !errors.As(err, &late) || !late.Call {
			t.Errorf("%s: a timeout: %v", tier, err)
		}
		<-entered
		in = newInstance(t, p, gyr.Config{Tier: tier})
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-entered; cancel(errNotFound) }()
		if _, err := in.Call(ctx, "F"); !errors.As(err, &late) || !errors.Is(err, errNotFound) {
			t.Errorf("%s: a context: %v", tier, err)
		}
		for _, ctx := range []context.Context{context.Background(), t.Context()} {
			in = newInstance(t, p, gyr.Config{Tier: tier})
			go func() { <-entered; in.Close() }()
			if _, err := in.Call(ctx, "F"); !errors.Is(err, gyr.ErrClosed) {
				t.Errorf("%s: Close: %v", tier, err)
			}
		}
	}
}

// panickingError is an error whose Error method panics.
type panickingError struct{}

func (panickingError) Error() string { panic("no text") }

// TestErrorsOfOtherPackages: a sentinel error is the same for the functions and callbacks of all
// host packages, and an error whose text cannot be had ends the run.
func TestErrorsOfOtherPackages(t *testing.T) {
	errA := errors.New("a")
	var crossed error
	p := compileHost(t, `package guest

import (
	"errors"
	"example.com/a"
	"example.com/b"
	"fmt"
)

func F() string {
	err := b.Wrap(func() error { return errors.Join(errors.New("x"), a.ErrA) })
	return fmt.Sprint(errors.Is(err, a.ErrA), err == a.ErrA, errors.Is(err, b.ErrB), " ", err)
}

func Same() bool { return b.Wrap(func() error { return nil }) == a.ErrA }

func Bad() { b.Bad() }
`, true,
		gyr.HostPackage{Path: "example.com/a", Source: "package a\n\nvar ErrA error\n", Errors: map[string]error{"ErrA": errA}},
		gyr.HostPackage{Path: "example.com/b", Source: "package b\n\nvar ErrB error\n\nfunc Wrap(f func() error) error\n\nfunc Bad() error\n",
			Errors: map[string]error{"ErrB": errors.New("b")},
			Funcs: map[string]any{
				"Wrap": func(f func() error) error {
					if crossed = f(); crossed == nil {
						return errA
					}
					return fmt.Errorf("wrapped: %w", errA)
				},
				"Bad": func() error { return panickingError{} },
			}})
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier})
		if out, err := in.Call(t.Context(), "F"); err != nil || out[0] != "true false false wrapped: a" {
			t.Errorf("%s: %q %v", tier, out, err)
		}
		if !errors.Is(crossed, errA) || crossed.Error() != "x\na" {
			t.Errorf("%s: the host gets %v", tier, crossed)
		}
		if out, err := in.Call(t.Context(), "Same"); err != nil || out[0] != true {
			t.Errorf("%s: %v %v", tier, out, err)
		}
		var failed *gyr.HostError
		if _, err := in.Call(t.Context(), "Bad"); !errors.As(err, &failed) || !strings.Contains(err.Error(), "no text") {
			t.Errorf("%s: an error without a text: %v", tier, err)
		}
	}
}
