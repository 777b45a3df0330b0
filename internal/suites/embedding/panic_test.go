package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// panicking is a library, or with its main function a program, that ends in many ways.
const panicking = `package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

type code int

func (c code) String() string { return fmt.Sprint("code ", int(c)) }

type name string

func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
	println()
}

func Value(kind string) {
	switch kind {
	case "string":
		panic("one\ntwo\n\tthree")
	case "error":
		panic(errors.New("an error"))
	case "stringer":
		panic(code(7))
	case "named":
		panic(name("x"))
	case "nil":
		var p *code
		*p = 1
	case "index":
		_ = make([]int, 3)[len(kind)]
	case "deep":
		deep(2, func() { panic("deep") })
	case "again":
		defer func() { panic(fmt.Sprint("again: ", recover())) }()
		panic("first")
	case "goroutine":
		go func() { panic("elsewhere") }()
		select {}
	case "exit":
		os.Exit(2)
	case "unlock":
		new(sync.Mutex).Unlock()
	case "deadlock":
		select {}
	}
}

// These have the names of what gyr generates.
func gyr_main()            { panic("mine") }
func gyr_call_0_0(f func()) { f() }
func Mine()                { gyr_call_0_0(gyr_main) }

func main() {
	if os.Args[1] == "mine" {
		Mine()
	}
	Value(os.Args[1])
}
`

// TestLongReport: the reason of a program's end is known even if the list of its goroutines is too
// long to print.
func TestLongReport(t *testing.T) {
	p := compileMain(t, "package main\n\nfunc main() {\n\tc := make(chan int)\n\tfor range 200_000 {\n\t\tgo func() { <-c }()\n\t}\n\tselect {}\n}\n")
	var stderr bytes.Buffer
	err := newInstance(t, p, gyr.Config{Memory: 1 << 30, Stderr: &stderr}).Run(t.Context())
	var e *gyr.PanicError
	if want := "all goroutines are asleep - deadlock!"; !errors.As(err, &e) || !e.Fatal || e.Value != want {
		t.Fatalf("%v, want the fatal error %q", err, want)
	}
	if n := strings.Count(stderr.String(), "\ngoroutine "); n == 0 || n >= 200_000 {
		t.Errorf("the report tells of %d goroutines", n)
	}
}

// TestPanicError: a panic is an error with all details, in a call and in a run.
func TestPanicError(t *testing.T) {
	library, program := compileLibrary(t, panicking), compileMain(t, panicking)
	ctx := context.Background()
	for _, c := range []struct {
		kind, value, fn string
		fatal           bool
		text            string // of the error, without the position
	}{
		{kind: "string", value: "one\ntwo\n\tthree", fn: "main.Value", text: `panic: one\ntwo\n\tthree in main.Value (`},
		{kind: "error", value: "an error", fn: "main.Value", text: "panic: an error in main.Value ("},
		{kind: "stringer", value: "code 7", fn: "main.Value"},
		{kind: "named", value: `main.name("x")`, fn: "main.Value"},
		{kind: "nil", value: "runtime error: invalid memory address or nil pointer dereference", fn: "main.Value"},
		{kind: "index", value: "runtime error: index out of range [5] with length 3", fn: "main.Value"},
		{kind: "deep", value: "deep", fn: "main.Value.func1"},
		{kind: "again", value: "again: first", fn: "main.Value.func2"},
		{kind: "goroutine", value: "elsewhere", fn: "main.Value.func3"},
		{kind: "unlock", value: "sync: unlock of unlocked mutex", fn: "internal/sync.(*Mutex).unlockSlow", fatal: true, text: "fatal error: sync: unlock of unlocked mutex in "},
		{kind: "deadlock", value: "all goroutines are asleep - deadlock!", fatal: true, text: "fatal error: all goroutines are asleep - deadlock!"},
		{kind: "mine", value: "mine", fn: "main.gyr_main"},
	} {
		for _, tier := range tiers() {
			for _, call := range []bool{true, false} {
				var stderr bytes.Buffer
				cfg := gyr.Config{Tier: tier, Stderr: &stderr, Args: []string{c.kind}, Gas: 1 << 40}
				p := program
				if call {
					p = library
				}
				in := newInstance(t, p, cfg)
				var err error
				switch {
				case !call:
					err = in.Run(ctx)
				case c.kind == "mine":
					_, err = in.Call(ctx, "Mine")
				default:
					_, err = in.Call(ctx, "Value", c.kind)
				}
				var crash *gyr.PanicError
				var exit *gyr.ExitError
				if !errors.As(err, &crash) || !errors.As(err, &exit) || exit.Code != 2 {
					t.Errorf("%s: %T %v", c.kind, err, err)
					continue
				}
				if crash.Value != c.value || crash.Fatal != c.fatal || crash.Func != c.fn || !strings.HasPrefix(crash.Error(), c.text) {
					t.Errorf("%s: %q, %v, %v: %v", c.kind, crash.Value, crash.Fatal, crash.Position, crash)
				}
				if c.fn != "" && (len(crash.Frames) == 0 || crash.Frames[0] != crash.Position || crash.Line == 0) {
					t.Errorf("%s: %v", c.kind, crash.Frames)
				}
				generated := 0
				for _, f := range crash.Frames {
					if strings.HasPrefix(f.Func, "main.gyr_") {
						generated++
					}
					if strings.HasSuffix(f.File, "gyr_exports.go") || strings.HasPrefix(f.Func, "runtime.") {
						t.Errorf("%s: %v", c.kind, f)
					}
				}
				want := 0
				if c.kind == "mine" {
					want = 2
				}
				if n := strings.Count(crash.Trace, "\nmain.gyr_"); generated != want || n != want || strings.Contains(crash.Trace, "gyr_exports.go") {
					t.Errorf("%s: %d and %d functions: %v\n%s", c.kind, generated, n, crash.Frames, crash.Trace)
				}
				if !call && crash.Trace != stderr.String() {
					t.Errorf("%s: %q, printed %q", c.kind, crash.Trace, stderr.String())
				}
				if !strings.Contains(crash.Trace, "goroutine ") || !strings.Contains(crash.Trace, ".go:") {
					t.Errorf("%s: %s", c.kind, crash.Trace)
				}
				if call {
					var first *gyr.PanicError
					if _, err := in.Call(ctx, "Mine"); !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &first) || first.Value != crash.Value {
						t.Errorf("%s: afterwards %v", c.kind, err)
					}
				}
			}
		}
	}
	in := newInstance(t, program, gyr.Config{Args: []string{"exit"}})
	if err := in.Run(ctx); !errors.As(err, new(*gyr.ExitError)) || errors.As(err, new(*gyr.PanicError)) {
		t.Errorf("%T %v", err, err)
	}
}

// TestPanicErrorWithoutStderr: the kept part of a report does not depend on whether the host reads
// standard error.
func TestPanicErrorWithoutStderr(t *testing.T) {
	p := compileMain(t, panicking)
	ctx := context.Background()
	var want string
	for i, cfg := range []gyr.Config{
		{Stderr: new(bytes.Buffer)}, {},
		{Stderr: streamFunc(func(p []byte) (int, error) { return 0, errors.New("full") })},
		{Stderr: streamFunc(func(p []byte) (int, error) { return min(len(p), 7), nil })},
	} {
		cfg.Args = []string{"deep"}
		var crash *gyr.PanicError
		if err := newInstance(t, p, cfg).Run(ctx); !errors.As(err, &crash) {
			t.Fatalf("%d: %v", i, err)
		}
		if i == 0 {
			want = crash.Trace
		}
		if crash.Trace != want || crash.Value != "deep" || len(crash.Frames) != 6 {
			t.Errorf("%d: %q, want %q: %v", i, crash.Trace, want, crash.Frames)
		}
	}
}
