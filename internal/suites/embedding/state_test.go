package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// streamed is a library and a program that use their streams on request.
const streamed = `package lib

import (
	"fmt"
	"os"
	"time"
)

func Add(a, b int) int { return a + b }
func Print(s string)   { fmt.Print(s) }
func Warn(s string)    { fmt.Fprint(os.Stderr, s) }
func Read() (string, error) {
	var b [16]byte
	n, err := os.Stdin.Read(b[:])
	return string(b[:n]), err
}
func Spin()         { for { } }
func Sleep()        { time.Sleep(1 << 62) }
func Exit(code int) { os.Exit(code) }
func Grow()         { var x [][]byte; for { x = append(x, make([]byte, 1<<16)) } }
`

const streamedMain = `package main

import (
	"fmt"
	"os"
)

func main() {
	for i := range 3 {
		fmt.Print("line ", i, "\n")
	}
	if len(os.Args) > 1 && os.Args[1] == "spin" {
		for { }
	}
}
`

func compileMain(t testing.TB, src string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}, Patterns: []string{"main.go"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type streamFunc func([]byte) (int, error)

func (f streamFunc) Write(p []byte) (int, error) { return f(p) }
func (f streamFunc) Read(p []byte) (int, error)  { return f(p) }

// newInstance makes an instance in a tier that the machine must have.
func newInstance(t testing.TB, p *gyr.Program, cfg gyr.Config) *gyr.Instance {
	t.Helper()
	if cfg.Tier == gyr.TierNative && p.NativeError() != nil {
		cfg.Tier = gyr.TierInterp // the machine has no other
	}
	in, err := p.NewInstance(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

type (
	pair    = struct{ A, B int }
	sum     = struct{ Sum int }
	nothing = struct{}
)

// A method is a use of an instance. Its error is its visible effect.
type method struct {
	name string
	call func(in *gyr.Instance) error
}

// uses returns everything that can be done with an instance except closing it. The functions were
// bound when nothing was running.
func uses(t testing.TB, in *gyr.Instance, library bool) []method {
	ctx := context.Background()
	list := []method{
		{"Run", func(in *gyr.Instance) error { return in.Run(ctx) }},
		{"Reset", func(in *gyr.Instance) error { return in.Reset(gyr.Config{}) }},
		{"WriteProfile", func(in *gyr.Instance) error { return in.WriteProfile(gyr.GasProfile, io.Discard) }},
		{"WriteOpStats", func(in *gyr.Instance) error { return in.WriteOpStats(io.Discard) }},
	}
	if !library {
		return list
	}
	var bound func(a, b int) (int, error)
	if err := in.Bind(ctx, "Add", &bound); err != nil {
		t.Fatal(err)
	}
	add, err := gyr.FuncOf[pair, sum](ctx, in, "Add")
	if err != nil {
		t.Fatal(err)
	}
	return append(list,
		method{"Call", func(in *gyr.Instance) error { _, err := in.Call(ctx, "Add", 1, 2); return err }},
		method{"Bind", func(in *gyr.Instance) error { var f func(a, b int) (int, error); return in.Bind(ctx, "Add", &f) }},
		method{"FuncOf", func(in *gyr.Instance) error { _, err := gyr.FuncOf[pair, sum](ctx, in, "Add"); return err }},
		method{"a bound function", func(*gyr.Instance) error { _, err := bound(1, 2); return err }},
		method{"a Func", func(*gyr.Instance) error { _, err := add.Call(ctx, pair{1, 2}); return err }},
	)
}

// silent checks that the methods without an error report nothing.
func silent(t *testing.T, in *gyr.Instance) {
	t.Helper()
	if s := in.Stats(); s != (gyr.Stats{}) {
		t.Errorf("Stats: %+v", s)
	}
	if in.Hints() != nil || in.Traceback() != nil || in.Coverage() != nil {
		t.Error("something is told")
	}
}

// TestTransitions brings an instance into each state and tries every method there.
func TestTransitions(t *testing.T) {
	library, program := compileLibrary(t, streamed), compileMain(t, streamedMain)
	ctx := context.Background()
	for _, tier := range tiers() {
		for _, c := range []struct {
			state   string
			library bool
			enter   func(in *gyr.Instance) error
			entered string // the error of entering it
			want    map[string]error
		}{
			{"fresh", false, nil, "", nil},
			{"ended", false, func(in *gyr.Instance) error { return in.Run(ctx) }, "", map[string]error{"Run": gyr.ErrEnded}},
			{"failed", false, func(in *gyr.Instance) error {
				if err := in.Reset(gyr.Config{Tier: tier, Args: []string{"spin"}, Gas: 100_000_000}); err != nil {
					return err
				}
				return in.Run(ctx)
			}, "out of gas", map[string]error{"Run": gyr.ErrEnded}},
			{"failed by its context", false, func(in *gyr.Instance) error {
				done, cancel := context.WithCancel(ctx)
				cancel()
				return in.Run(done)
			}, "interrupted: context canceled", map[string]error{"Run": gyr.ErrEnded}},
			{"closed", false, func(in *gyr.Instance) error { return in.Close() }, "", map[string]error{"": gyr.ErrClosed}},
			{"ready", true, func(in *gyr.Instance) error { return in.Run(ctx) }, "", nil},
			{"ended by a call", true, func(in *gyr.Instance) error { _, err := in.Call(ctx, "Exit", 0); return err }, gyr.ErrEnded.Error(), map[string]error{"": gyr.ErrEnded}},
			{"ended by a call with a status", true, func(in *gyr.Instance) error { _, err := in.Call(ctx, "Exit", 3); return err }, "exit status 3", map[string]error{"": gyr.ErrEnded}},
			{"failed in a call", true, func(in *gyr.Instance) error { _, err := in.Call(ctx, "Grow"); return err }, "memory limit", map[string]error{"": gyr.ErrEnded}},
			{"closed library", true, func(in *gyr.Instance) error { return in.Close() }, "", map[string]error{"": gyr.ErrClosed}},
		} {
			p := program
			if c.library {
				p = library
			}
			in := newInstance(t, p, gyr.Config{Tier: tier, Memory: 32 << 20})
			for _, m := range uses(t, in, c.library) {
				if err := in.Reset(gyr.Config{Tier: tier, Memory: 32 << 20}); err != nil {
					if in = newInstance(t, p, gyr.Config{Tier: tier, Memory: 32 << 20}); c.library {
						m = uses(t, in, true)[indexOf(uses(t, in, true), m.name)]
					}
				}
				if c.enter != nil {
					if err := c.enter(in); c.entered == "" && err != nil || c.entered != "" && (err == nil || !strings.HasPrefix(err.Error(), c.entered)) {
						t.Fatalf("%s: %v", c.state, err)
					}
				}
				want := c.want[m.name]
				if all := c.want[""]; all != nil && (all == gyr.ErrClosed || m.name != "Reset" && !strings.HasPrefix(m.name, "Write")) {
					want = all
				}
				err := m.call(in)
				if m.name == "WriteProfile" && want == nil { // nothing was recorded
					if err == nil || errors.Is(err, gyr.ErrBusy) {
						t.Errorf("%s, %s: %v", c.state, m.name, err)
					}
					continue
				}
				if !errors.Is(err, want) {
					t.Errorf("%s, %s, %s: %v, want %v", tier, c.state, m.name, err, want)
				}
			}
		}
	}
}

func indexOf(list []method, name string) int {
	for i, m := range list {
		if m.name == name {
			return i
		}
	}
	return -1
}

// TestBusyInAWriter: a Writer that uses its own instance changes nothing; one that closes it ends
// the run.
func TestBusyInAWriter(t *testing.T) {
	library, program := compileLibrary(t, streamed), compileMain(t, streamedMain)
	for _, tier := range tiers() {
		for _, ending := range []bool{false, true} {
			for _, stream := range []string{"Stdout", "Stderr", "Stdin"} {
				ctx, cancel := context.Background(), context.CancelFunc(func() {})
				if ending {
					ctx, cancel = context.WithCancel(ctx)
				}
				t.Run(fmt.Sprint(tier, " ", stream, " context ", ending), func(t *testing.T) {
					defer cancel()
					var in *gyr.Instance
					var list []method
					calls := 0
					host := streamFunc(func(p []byte) (int, error) {
						calls++
						for _, m := range list {
							if err := m.call(in); err != gyr.ErrBusy {
								t.Errorf("%s: %v", m.name, err)
							}
						}
						silent(t, in)
						return copy(p, "xyz"), nil
					})
					cfg := gyr.Config{Tier: tier, Stdout: host, Stderr: host, Stdin: host}
					in = newInstance(t, library, cfg)
					list = uses(t, in, true)
					var err error
					switch stream {
					case "Stdout":
						_, err = in.Call(ctx, "Print", "abc")
					case "Stderr":
						_, err = in.Call(ctx, "Warn", "abc")
					case "Stdin":
						var got []any
						if got, err = in.Call(ctx, "Read"); err == nil && got[0] != "xyz" {
							t.Errorf("%q", got)
						}
					}
					if err != nil || calls != 1 {
						t.Errorf("%d calls, %v", calls, err)
					}
					if got, err := in.Call(ctx, "Add", 1, 2); err != nil || got[0] != 3 {
						t.Errorf("afterwards: %v, %v", got, err)
					}
				})
			}
			t.Run(fmt.Sprint(tier, " Close, context ", ending), func(t *testing.T) {
				ctx, cancel := context.Background(), context.CancelFunc(func() {})
				if ending {
					ctx, cancel = context.WithCancel(ctx)
				}
				defer cancel()
				var in *gyr.Instance
				calls := 0
				in = newInstance(t, program, gyr.Config{Tier: tier, Stdout: streamFunc(func(p []byte) (int, error) {
					calls++
					for range 2 {
						if err := in.Close(); !errors.Is(err, gyr.ErrBusy) {
							t.Errorf("Close: %v", err)
						}
					}
					if err := in.Run(ctx); err != gyr.ErrClosed {
						t.Errorf("Run: %v", err)
					}
					p[0]++ // the memory exists
					return len(p), nil
				})})
				if err := in.Run(ctx); err != gyr.ErrClosed || calls != 1 {
					t.Errorf("%d calls, %v", calls, err)
				}
				for err := errors.New("first"); err != nil; err = in.Close() {
					if runtime.Gosched(); err.Error() != "first" && !errors.Is(err, gyr.ErrBusy) {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// TestCloseFromOutside closes instances that compute, sleep, and wait for the host.
func TestCloseFromOutside(t *testing.T) {
	library := compileLibrary(t, streamed)
	for _, tier := range tiers() {
		for _, what := range []string{"Spin", "Sleep", "Read", "Print"} {
			for _, ending := range []bool{false, true} {
				t.Run(fmt.Sprint(tier, " ", what, " context ", ending), func(t *testing.T) {
					ctx, cancel := context.Background(), context.CancelFunc(func() {})
					if ending {
						ctx, cancel = context.WithCancel(ctx)
					}
					defer cancel()
					entered, leave := make(chan bool, 1), make(chan bool)
					host := streamFunc(func(p []byte) (int, error) {
						entered <- true
						<-leave
						p[len(p)-1]++ // the memory exists
						return len(p), nil
					})
					in := newInstance(t, library, gyr.Config{Tier: tier, Stdin: host, Stdout: host, Realtime: true})
					if err := in.Run(ctx); err != nil {
						t.Fatal(err)
					}
					done := make(chan error, 1)
					go func() {
						var args []any
						if what == "Print" {
							args = append(args, "x")
						}
						err := gyr.ErrBusy
						for err == gyr.ErrBusy { // while Run, below, has the instance
							_, err = in.Call(ctx, what, args...)
						}
						done <- err
					}()
					blocks := what == "Read" || what == "Print"
					if blocks {
						<-entered
					} else {
						for in.Run(ctx) != gyr.ErrBusy {
							runtime.Gosched()
						}
					}
					err := in.Close()
					if blocks && !errors.Is(err, gyr.ErrBusy) || !blocks && err != nil {
						t.Errorf("Close: %v", err)
					}
					if err := in.Run(ctx); err != gyr.ErrClosed {
						t.Errorf("Run: %v", err)
					}
					if !blocks || ending {
						// The call returns although the host's code does not.
						if err := <-done; err != gyr.ErrClosed {
							t.Errorf("the call: %v", err)
						}
						close(leave)
					} else {
						close(leave)
						if err := <-done; err != gyr.ErrClosed {
							t.Errorf("the call: %v", err)
						}
					}
					for in.Close() != nil {
						time.Sleep(time.Millisecond)
					}
				})
			}
		}
	}
}

// TestCloseEndsABlockedRun: Run returns although its context cannot end and its Reader does not
// return.
func TestCloseEndsABlockedRun(t *testing.T) {
	p := compileMain(t, `package main
import "os"
func main() { os.Stdin.Read(make([]byte, 8)) }`)
	for _, tier := range tiers() {
		entered, leave := make(chan bool), make(chan bool)
		in := newInstance(t, p, gyr.Config{Tier: tier, Stdin: streamFunc(func([]byte) (int, error) {
			entered <- true
			<-leave
			return 0, io.EOF
		})})
		done := make(chan error, 1)
		go func() { done <- in.Run(context.Background()) }()
		<-entered
		if err := in.Close(); !errors.Is(err, gyr.ErrBusy) {
			t.Errorf("%s: Close: %v", tier, err)
		}
		if err := <-done; err != gyr.ErrClosed {
			t.Errorf("%s: Run: %v", tier, err)
		}
		close(leave)
		for in.Close() != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// TestCloseNames: while code of the host is being called, Close reports that and names it, whether
// that code or another goroutine calls Close. The instance is released when the code returns.
func TestCloseNames(t *testing.T) {
	var in *gyr.Instance
	var want string
	fromOutside, calls := false, 0
	check := func(err error) {
		t.Helper()
		if !errors.Is(err, gyr.ErrBusy) || !strings.Contains(err.Error(), want+" returns") {
			t.Errorf("%v, want one about %s", err, want)
		}
	}
	here := func(place string) {
		calls++
		want = place
		if !fromOutside {
			check(in.Close())
			return
		}
		done := make(chan error)
		go func() { done <- in.Close() }()
		check(<-done)
	}
	p := compileHost(t, `package lib

import (
	"example.com/h"
	"fmt"
	"log"
	"os"
)

func Do(what string) {
	switch what {
	case "read":
		os.Stdin.Read(make([]byte, 8))
	case "write":
		fmt.Print("x")
	case "warn":
		fmt.Fprint(os.Stderr, "x")
	case "log":
		log.Print("x")
	case "mount":
		os.ReadFile("/m/file")
	case "function":
		h.Function()
	case "calls back":
		h.Back(func() { fmt.Sprint("x") })
	case "in a callback":
		h.Call(func() { h.Function() })
	case "error":
		fmt.Sprint(h.Fails())
	}
}
`, true, gyr.HostPackage{
		Path:   "example.com/h",
		Source: "package h\n\nfunc Function()\nfunc Back(f func())\nfunc Call(f func())\nfunc Fails() error\n",
		Funcs: map[string]any{
			"Function": func() { here("the function h.Function") },
			"Back":     func(f func()) { f(); here("the function h.Back") },
			"Call":     func(f func()) { f() },
			"Fails": func() error {
				return textFunc(func() string { here("a method of an error of the host's"); return "x" })
			},
		},
	})
	stream := func(place string) streamFunc {
		return func(p []byte) (int, error) { here(place); return len(p), nil }
	}
	for _, tier := range tiers() {
		for _, fromOutside = range []bool{false, true} {
			for _, ending := range []bool{false, true} {
				for _, what := range []string{"read", "write", "warn", "log", "mount", "function", "calls back", "in a callback", "error"} {
					ctx, cancel := context.Background(), context.CancelFunc(func() {})
					if ending {
						ctx, cancel = context.WithCancel(ctx)
					}
					in = newInstance(t, p, gyr.Config{Tier: tier, Stdin: stream("the Reader of Config.Stdin"),
						Stdout: stream("the Writer of Config.Stdout or Stderr"), Stderr: stream("the Writer of Config.Stdout or Stderr"),
						Log: slog.New(handlerFunc(func() { here("the handler of Config.Log") })), Mounts: []gyr.Mount{{Guest: "/m", FS: openFunc(func() { here("a file system of Config.Mounts") })}}})
					if err := in.Run(ctx); err != nil {
						t.Fatal(err)
					}
					calls = 0
					if _, err := in.Call(ctx, "Do", what); err != gyr.ErrClosed || calls != 1 {
						t.Errorf("%s, %s: %d calls, %v", tier, what, calls, err)
					}
					cancel()
					for in.Close() != nil { // a goroutine was left running, and will end
						time.Sleep(time.Millisecond)
					}
				}
			}
		}
	}
}

type textFunc func() string

func (f textFunc) Error() string { return f() }

// A handlerFunc is called for each record.
type handlerFunc func()

func (f handlerFunc) Enabled(context.Context, slog.Level) bool  { return true }
func (f handlerFunc) Handle(context.Context, slog.Record) error { f(); return nil }
func (f handlerFunc) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f handlerFunc) WithGroup(string) slog.Handler             { return f }

// An openFunc is a file system without files. It is called for each requested file.
type openFunc func()

func (f openFunc) Open(name string) (fs.File, error) {
	f()
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// TestStreamsThatMisbehave: what Readers and Writers of the host may do wrong, and how the run
// ends.
func TestStreamsThatMisbehave(t *testing.T) {
	p := compileLibrary(t, streamed)
	oops := errors.New("oops")
	for _, tier := range tiers() {
		for _, ending := range []bool{false, true} {
			ctx, cancel := context.Background(), context.CancelFunc(func() {})
			if ending {
				ctx, cancel = context.WithCancel(ctx)
			}
			defer cancel()
			for name, f := range map[string]streamFunc{
				"panic":      func([]byte) (int, error) { panic(oops) },
				"nil map":    func([]byte) (int, error) { var m map[string]int; m["x"] = 1; return 0, nil },
				"nil":        func([]byte) (int, error) { var p *int; return *p, nil },
				"Goexit":     func([]byte) (int, error) { runtime.Goexit(); return 0, nil },
				"negative":   func([]byte) (int, error) { return -1, nil },
				"least":      func([]byte) (int, error) { return math.MinInt, nil },
				"one more":   func(p []byte) (int, error) { return len(p) + 1, nil },
				"most":       func([]byte) (int, error) { return math.MaxInt, nil },
				"overwrites": func(p []byte) (int, error) { return len(append(p, "over"...)) - 4, nil },
				"an error":   func([]byte) (int, error) { return 0, oops },
			} {
				for _, c := range []struct{ stream, method, fn string }{{"Stdout", "Write", "Print"}, {"Stderr", "Write", "Warn"}, {"Stdin", "Read", "Read"}} {
					in := newInstance(t, p, gyr.Config{Tier: tier, Stdout: f, Stderr: f, Stdin: f})
					var args []any
					if c.method == "Write" {
						args = append(args, "text")
					}
					err := errors.New("Goexit")
					over := make(chan bool)
					go func() {
						defer close(over)
						_, err = in.Call(ctx, c.fn, args...)
					}()
					<-over
					at := fmt.Sprint(tier, " ", ending, " ", c.stream, " ", name)
					var p *gyr.HostPanicError
					var h *gyr.HostError
					after := gyr.ErrEnded
					switch name {
					case "panic", "nil map", "nil":
						if !errors.As(err, &h) || h.Op != "Config."+c.stream || !errors.As(err, &p) || p.Method != c.method || name == "panic" && !errors.Is(err, oops) {
							t.Errorf("%s: %v", at, err)
						}
						if !strings.Contains(string(p.Stack), "TestStreamsThatMisbehave") {
							t.Errorf("%s: %s", at, p.Stack)
						}
					case "Goexit":
						if err.Error() != "Goexit" {
							t.Errorf("%s: %v", at, err)
						}
					default:
						after = nil
						var g *gyr.GuestError
						if c.method == "Write" && err != nil || c.method == "Read" && name != "overwrites" && !errors.As(err, &g) {
							t.Errorf("%s: %v", at, err)
						}
					}
					if _, err := in.Call(ctx, "Add", 1, 2); !errors.Is(err, after) {
						t.Errorf("%s: afterwards %v", at, err)
					}
					if err := in.Reset(gyr.Config{}); err != nil {
						t.Errorf("%s: Reset: %v", at, err)
					}
					if got, err := in.Call(ctx, "Add", 1, 2); err != nil || got[0] != 3 {
						t.Errorf("%s: after Reset: %v, %v", at, got, err)
					}
					if err := in.Close(); err != nil {
						t.Errorf("%s: Close: %v", at, err)
					}
				}
			}
		}
	}
}

// TestProfilesToTheInstance: effects of a profile's Writer on the instance.
func TestProfilesToTheInstance(t *testing.T) {
	p := compileMain(t, streamedMain)
	in := newInstance(t, p, gyr.Config{Profiles: gyr.GasProfile})
	if err := in.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := in.WriteProfile(gyr.GasProfile, streamFunc(func(p []byte) (int, error) {
		if err := in.Reset(gyr.Config{}); err != gyr.ErrBusy {
			t.Errorf("Reset: %v", err)
		}
		return len(p), nil
	})); err != nil {
		t.Error(err)
	}
	func() {
		defer func() {
			if r := recover(); r != "oops" {
				t.Errorf("recovered %v", r)
			}
		}()
		in.WriteProfile(gyr.GasProfile, streamFunc(func(p []byte) (int, error) { panic("oops") }))
	}()
	var out bytes.Buffer
	if err := in.WriteProfile(gyr.GasProfile, streamFunc(func(p []byte) (int, error) {
		if err := in.Close(); !errors.Is(err, gyr.ErrBusy) || !strings.Contains(err.Error(), "the Writer of a profile returns") {
			t.Errorf("Close: %v", err)
		}
		return out.Write(p)
	})); err != nil || out.Len() == 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	if err := in.WriteProfile(gyr.GasProfile, io.Discard); err != gyr.ErrClosed {
		t.Errorf("afterwards: %v", err)
	}
	if s := in.Stats(); s.Gas == 0 {
		t.Error("the figures of a closed instance are gone")
	}
}

// TestNobodysInstance: instances that NewInstance did not make behave like closed ones.
func TestNobodysInstance(t *testing.T) {
	for _, in := range []*gyr.Instance{nil, new(gyr.Instance)} {
		for _, m := range uses(t, in, false) {
			if err := m.call(in); err != gyr.ErrClosed {
				t.Errorf("%s: %v", m.name, err)
			}
		}
		if _, err := in.Call(context.Background(), "Add"); err != gyr.ErrClosed {
			t.Errorf("Call: %v", err)
		}
		if _, err := gyr.FuncOf[nothing, nothing](context.Background(), in, "Add"); err != gyr.ErrClosed {
			t.Errorf("FuncOf: %v", err)
		}
		if err := in.Close(); err != nil || in.Tier() != "" {
			t.Errorf("Close: %v", err)
		}
		silent(t, in)
	}
	for _, f := range []*gyr.Func[nothing, nothing]{nil, {}} {
		if _, err := f.Call(context.Background(), nothing{}); err != gyr.ErrClosed {
			t.Errorf("%v", err)
		}
	}
}

// TestNothing: nil contexts never end, and a Program that was not compiled has no instances.
func TestNothing(t *testing.T) {
	var none context.Context
	src := gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte("package lib\n\nfunc Add(a, b int) int { return a + b }\n")}}, Patterns: []string{"lib.go"}, Exports: true}
	image, err := gyr.Build(none, src, nil)
	if err != nil || !gyr.IsImage(image) {
		t.Fatal(err)
	}
	p, err := gyr.Compile(none, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := newInstance(t, p, gyr.Config{})
	if err := in.Run(none); err != nil {
		t.Error(err)
	}
	if got, err := in.Call(none, "Add", 1, 2); err != nil || got[0] != 3 {
		t.Errorf("%v, %v", got, err)
	}
	add, err := gyr.FuncOf[pair, sum](none, in, "Add")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := add.Call(none, pair{1, 2}); err != nil || r.Sum != 3 {
		t.Errorf("%v, %v", r, err)
	}
	var bound func(context.Context, int, int) (int, error)
	if err := in.Bind(none, "Add", &bound); err != nil {
		t.Fatal(err)
	}
	if n, err := bound(none, 1, 2); err != nil || n != 3 {
		t.Errorf("%v, %v", n, err)
	}
	for _, p := range []*gyr.Program{nil, {}} {
		if in, err := p.NewInstance(t.Context(), gyr.Config{}); err == nil || in != nil {
			t.Errorf("%v, %v", in, err)
		}
	}
}

// TestConfigErrors: invalid settings of a Config, by the name of the field.
func TestConfigErrors(t *testing.T) {
	p := compileMain(t, streamedMain)
	in := newInstance(t, p, gyr.Config{})
	for _, c := range []struct {
		cfg  gyr.Config
		want string
	}{
		{gyr.Config{Gas: -1}, "gyr: Config.Gas: -1 is negative; 0 means no limit"},
		{gyr.Config{Gas: math.MinInt64}, "gyr: Config.Gas: -9223372036854775808 is negative; 0 means no limit"},
		{gyr.Config{Output: -1}, "gyr: Config.Output: -1 is negative; 0 means no limit"},
		{gyr.Config{Memory: 1}, "gyr: Config.Memory: memory limit of 1 bytes is too small: the program begins with "},
		{gyr.Config{Memory: gyr.MaxMemory + 1}, "gyr: Config.Memory: 4294967297 bytes are more than the 4294967296 that a guest can address"},
		{gyr.Config{Memory: math.MaxUint64}, "gyr: Config.Memory: 18446744073709551615 bytes are more than the 4294967296 that a guest can address"},
		{gyr.Config{Stack: 1}, "gyr: Config.Stack: 1 bytes are less than the 2048 that every goroutine begins with"},
		{gyr.Config{Stack: math.MaxUint64}, "gyr: Config.Stack: 18446744073709551615 bytes are more than the 4294967296 that a guest can address"},
		{gyr.Config{Profiles: 1 << 7}, "gyr: Config.Profiles: 0x80 has bits that name no kind of profile"},
		{gyr.Config{Name: "a\x00b"}, "gyr: Config.Name: it has a zero byte"},
		{gyr.Config{Args: []string{"a", "b\x00"}}, "gyr: Config.Args[1]: it has a zero byte"},
		{gyr.Config{Env: []string{"A=1", "B=\x00"}}, "gyr: Config.Env[1]: it has a zero byte"},
		{gyr.Config{Env: []string{"A"}}, `gyr: Config.Env[0]: "A" is not NAME=value`},
		{gyr.Config{Env: []string{"=A"}}, `gyr: Config.Env[0]: "=A" is not NAME=value`},
		{gyr.Config{Tier: "fast"}, `gyr: Config.Tier: there is no "fast": it is "interp" or "native"`},
		{gyr.Config{Dirs: []gyr.Dir{{Host: "/no/such/directory"}}}, "gyr: Config.Dirs: "},
		{gyr.Config{Debug: map[string]string{"gcstress": "-4"}}, "gyr: Config.Debug: "},
	} {
		for what, err := range map[string]error{"NewInstance": second(p.NewInstance(context.Background(), c.cfg)), "Reset": in.Reset(c.cfg)} {
			var bad *gyr.ConfigError
			if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", what, err, c.want)
			}
		}
	}
	var limit *gyr.MemoryLimitError
	if _, err := p.NewInstance(context.Background(), gyr.Config{Memory: 1}); !errors.As(err, &limit) || limit.Limit != 1 {
		t.Errorf("%v", err)
	}
	if err := in.Run(context.Background()); err != nil {
		t.Errorf("behind resets that failed: %v", err)
	}
	for _, cfg := range []gyr.Config{{Gas: math.MaxInt64}, {Memory: gyr.MaxMemory, Stack: gyr.MaxMemory}, {Stack: gyr.MinStack}, {Env: []string{"A="}, Name: "x", Args: []string{""}}} {
		if err := in.Reset(cfg); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
		if err, limit := in.Run(context.Background()), new(*gyr.StackLimitError); err != nil && !errors.As(err, limit) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// TestNewInstanceContext: the context bounds NewInstance and not the run.
func TestNewInstanceContext(t *testing.T) {
	p := compileMain(t, streamedMain)
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(context.Background())
	in, err := p.NewInstance(ended, gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cancel(cause)
	if err := in.Run(context.Background()); err != nil {
		t.Errorf("%v", err)
	}
	var deadline *gyr.DeadlineError
	if in, err := p.NewInstance(ended, gyr.Config{}); in != nil || !errors.As(err, &deadline) || deadline.Err != cause {
		t.Errorf("%v, %v", in, err)
	}
	if _, err := p.NewInstance(ended, gyr.Config{Gas: -1}); !errors.As(err, new(*gyr.ConfigError)) {
		t.Errorf("%v", err)
	}
}

func second[T any](_ T, err error) error { return err }
