package embedding_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// TestHooks: each thing that an embedder does is told once, with its figures and its error, and the
// context that BeforeCall returns is that of the call.
func TestHooks(t *testing.T) {
	type key struct{}
	var told []string
	var mu sync.Mutex
	say := func(took time.Duration, start time.Time, err error, format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if took < 0 || start.IsZero() {
			t.Errorf("%v %v", took, start)
		}
		told = append(told, fmt.Sprintf(format, args...)+" "+gyr.Kind(err))
	}
	in := func(what string) func(context.Context, gyr.InstanceEvent) {
		return func(_ context.Context, e gyr.InstanceEvent) { say(e.Took, e.Start, e.Err, "%s %v", what, e.Began.Copy) }
	}
	call := func(what string) func(context.Context, gyr.CallEvent) {
		return func(ctx context.Context, e gyr.CallEvent) {
			if (ctx.Value(key{}) == nil) || e.Err == nil && e.Stats.Gas <= 0 {
				t.Errorf("%+v", e)
			}
			say(e.Took, e.Start, e.Err, "%s %s", what, e.Func)
		}
	}
	hooks := &gyr.Hooks{
		Compile: func(_ context.Context, e gyr.CompileEvent) {
			say(e.Took, e.Start, e.Err, "compile %v", e.Stats != gyr.CompileStats{})
		},
		Make: in("make"), Reset: in("reset"),
		Init:       in("init"),
		BeforeCall: func(ctx context.Context, name string) context.Context { return context.WithValue(ctx, key{}, name) },
		Call:       call("call"), Limit: call("limit"),
		HostCall: func(ctx context.Context, e gyr.HostCallEvent) {
			say(e.Took, e.Start, e.Err, "host %s %v", e.Func, ctx.Value(key{}))
		},
	}
	check := func(want ...string) {
		t.Helper()
		if !slices.Equal(told, want) {
			t.Errorf("told %q\nwant %q", told, want)
		}
		told = nil
	}
	host := gyr.HostPackage{Path: "example.com/host", Source: "package host\n\nfunc Do(n int) error\n\nfunc Back(f func())\n", Funcs: map[string]any{
		"Do": func(ctx context.Context, n int) error {
			if ctx.Value(key{}) == nil {
				t.Error("the context of BeforeCall is lost")
			}
			switch n {
			case 0:
				return nil
			case 1:
				return errors.New("no")
			}
			panic("host")
		},
		"Back": func(f func()) { f() },
	}}
	const src = `package lib

import "example.com/host"

func Warm() { host.Do(0) }
func Do(n int) error { return host.Do(n) }
func Back() { host.Back(func() { host.Do(0) }) }
func Spin() { for { } }
`
	opts := &gyr.CompileOptions{Hooks: hooks, Host: []gyr.HostPackage{host}}
	compile := func(src string) (*gyr.Program, error) {
		return gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(src)}}, Exports: true}, opts)
	}
	if _, err := compile("package lib\n\nvar x int = \"\"\n"); err == nil {
		t.Fatal("it compiles")
	}
	check("compile false compile")
	ctx := t.Context()
	for _, tier := range tiers() {
		p, err := compile(src)
		if err != nil {
			t.Fatal(err)
		}
		check("compile true ok")
		cfg := gyr.Config{Tier: tier, Hooks: hooks}
		inst, err := p.NewInstance(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		check("make false ok")
		inst.Call(ctx, "Do", 0)
		check("init false ok", "host host.Do Do ok", "call Do ok")
		var bound func(context.Context, int) error
		if err := inst.Bind(ctx, "Do", &bound); err != nil {
			t.Fatal(err)
		}
		fn, err := gyr.FuncOf[struct{ N int }, struct{}](ctx, inst, "Do")
		if err != nil {
			t.Fatal(err)
		}
		check()
		bound(ctx, 1)
		check("host host.Do Do other", "call Do guest")
		fn.Call(ctx, struct{ N int }{0})
		fn.CallWith(ctx, gyr.CallOptions{Gas: 10_000}, struct{ N int }{0})
		check("host host.Do Do ok", "call Do ok", "host host.Do Do ok", "call Do ok")
		inst.Call(ctx, "Back")
		check("host host.Do Back ok", "host host.Back Back ok", "call Back ok")
		inst.Call(ctx, "Do", "text")
		check() // it is not made
		inst.CallWith(ctx, gyr.CallOptions{Gas: 10_000}, "Spin")
		check("call Spin gas", "limit Spin gas")
		inst.Call(ctx, "Spin")
		check()
		if err := inst.Reset(cfg); err != nil {
			t.Fatal(err)
		}
		check("reset false ok")
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		inst.Call(short, "Spin")
		cancel()
		check("init false ok", "call Spin deadline", "limit Spin deadline")
		inst.Reset(cfg)
		check("reset true ok")
		inst.Call(ctx, "Do", 2)
		check("host host.Do Do host", "call Do host")
		inst.Close()
		if _, err := p.NewInstance(ctx, gyr.Config{Tier: tier, Hooks: hooks, Gas: -1}); err == nil {
			t.Error("no error")
		}
		check("make false config")
	}
	// A program with a main function, and hooks of which most are nil.
	main, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() { println(1) }\n")}}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	told = nil
	for _, h := range []*gyr.Hooks{hooks, {}, {Call: hooks.Call, BeforeCall: hooks.BeforeCall}} {
		i, err := main.NewInstance(ctx, gyr.Config{Hooks: h})
		if err == nil {
			err = i.Run(ctx)
		}
		if err != nil {
			t.Error(err)
		}
		i.Close()
	}
	check("make false ok", "call main ok", "call main ok")
}

// TestHookPanics: a hook that panics harms nothing but the call.
func TestHookPanics(t *testing.T) {
	host := gyr.HostPackage{Path: "example.com/host", Source: "package host\n\nfunc Do()\n", Funcs: map[string]any{"Do": func() {}}}
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte("package lib\n\nimport \"example.com/host\"\n\nfunc Do() { host.Do() }\n")}}, Exports: true},
		&gyr.CompileOptions{Host: []gyr.HostPackage{host}})
	if err != nil {
		t.Fatal(err)
	}
	in := newInstance(t, p, gyr.Config{Hooks: &gyr.Hooks{HostCall: func(context.Context, gyr.HostCallEvent) { panic("hook") }}})
	if _, err := in.Call(t.Context(), "Do"); gyr.Kind(err) != "host" {
		t.Errorf("%v", err)
	}
	in = newInstance(t, p, gyr.Config{Hooks: &gyr.Hooks{Call: func(context.Context, gyr.CallEvent) { panic("hook") }}})
	func() {
		defer func() {
			if r := recover(); r != "hook" {
				t.Errorf("%v", r)
			}
		}()
		in.Call(t.Context(), "Do")
	}()
	if err := in.Reset(gyr.Config{}); err != nil {
		t.Error(err)
	}
	if _, err := in.Call(t.Context(), "Do"); err != nil {
		t.Error(err)
	}
}

// TestLabels: the time of a guest has the labels of its Config in the host's CPU profile.
func TestLabels(t *testing.T) {
	p := compilePooled(t)
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier, Labels: map[string]string{"plugin": "mine"}})
		found := false
		for range 20 { // the profiler takes a sample each 10 ms of the processor's time
			var profile bytes.Buffer
			if err := pprof.StartCPUProfile(&profile); err != nil {
				t.Skip(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			in.Call(ctx, "Spin")
			cancel()
			pprof.StopCPUProfile()
			z, err := gzip.NewReader(&profile)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			if found = bytes.Contains(b, []byte("plugin")) && bytes.Contains(b, []byte("mine")) && bytes.Contains(b, []byte("gyr.func")) && bytes.Contains(b, []byte("Spin")); found {
				break
			}
			in.Reset(gyr.Config{Tier: tier, Labels: map[string]string{"plugin": "mine"}})
		}
		if !found {
			t.Errorf("%s: no labels", tier)
		}
	}
}

// TestKinds: each type of error and each error variable of the package has a kind.
func TestKinds(t *testing.T) {
	text := map[string]bool{}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "../../../errors.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == "Kind" {
			for word := range strings.FieldsFuncSeq(d.Doc.Text(), func(r rune) bool { return r < 'a' || r > 'z' }) {
				text[word] = true
			}
		}
	}
	for want, err := range map[string]error{
		"ok": nil, "guest": &gyr.GuestError{}, "exit": &gyr.ExitError{Code: 2}, "panic": &gyr.PanicError{}, "gas": &gyr.OutOfGasError{},
		"memory": &gyr.MemoryLimitError{}, "stack": &gyr.StackLimitError{}, "output": &gyr.OutputLimitError{},
		"deadline": &gyr.DeadlineError{Err: context.DeadlineExceeded}, "canceled": &gyr.DeadlineError{Err: context.Canceled},
		"fault": &gyr.MemoryFaultError{}, "readonly": &gyr.ReadOnlyError{}, "host": &gyr.HostError{Err: &gyr.OutOfGasError{}}, "ended": gyr.ErrEnded,
		"busy": gyr.ErrBusy, "closed": gyr.ErrClosed, "call": &gyr.CallError{Err: errors.New("")}, "config": &gyr.ConfigError{Err: errors.New("")},
		"buffer": &gyr.BufferError{Err: gyr.ErrBufferGone}, "transaction": &gyr.TransactionError{}, "state": &gyr.StateError{Err: errors.New("")},
		"compile": &gyr.CompileError{Err: errors.New("")}, "limit": &gyr.CompileError{Err: &gyr.CompileLimitError{}}, "image": &gyr.ImageError{Err: errors.New("")},
		"std": &gyr.StdError{Err: errors.New("")}, "go": &gyr.NeedsGoError{}, "hostpackage": &gyr.HostPackageError{Err: errors.New("")},
		"internal": &gyr.InternalError{}, "other": errors.New("x"),
	} {
		for _, err := range []error{err, fmt.Errorf("x: %w", err), errors.Join(err, errors.New("y"))} {
			if err != nil && errors.Unwrap(err) == nil && want == "ok" {
				continue
			}
			if got := gyr.Kind(err); got != want && !(want == "ok" && err != nil) {
				t.Errorf("%T %v: %s, want %s", err, err, got, want)
			}
		}
		if !text[want] {
			t.Errorf("the documentation of Kind does not name %s", want)
		}
	}
	if got := gyr.Kind(&gyr.EndedError{Cause: &gyr.OutOfGasError{}}); got != "gas" {
		t.Error(got)
	}
	if got := gyr.Kind(&gyr.PanicError{}); got != "panic" { // which unwraps to an ExitError
		t.Error(got)
	}
}
