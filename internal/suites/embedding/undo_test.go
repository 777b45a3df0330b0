package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// A till is state of a host outside any instance: what guests have paid. Each payment can be
// undone.
type till struct {
	paid   []string
	undone []string
	could  []bool // results of Undo
	bad    func(what string)
}

const tillGuest = `package guest

import (
	"errors"
	"example.com/till"
)

var count int

func Pay(what string) int { count++; till.Pay(what); return count }
func Two(a, b string)     { Pay(a); till.Each(func(n int) error { Pay(b); return nil }) }
func Inner(what string)   { till.Each(func(n int) error { Pay(what); return till.Each(func(int) error { Pay(what + "'"); return nil }) }) }
func Fail(what string) error { Pay(what); return errors.New("no") }
func Panic(what string)   { Pay(what); panic("no") }
func Spin(what string)    { Pay(what); for { } }
func Join(what string) error { return till.Join(what) }
func Ended(what string) error { return till.Ended(what) }
func Back() error { return till.Each(func(int) error { return errors.Join(errors.New("a"), till.ErrFull) }) }
func Count() int { return count }
`

func (x *till) host() gyr.HostPackage {
	return gyr.HostPackage{Path: "example.com/till", Source: `package till

var ErrFull error

func Pay(what string)
func Each(f func(n int) error) error
func Join(what string) error
func Ended(what string) error
`, Funcs: map[string]any{
		"Pay": func(ctx context.Context, what string) {
			x.paid = append(x.paid, what)
			x.could = append(x.could, gyr.Undo(ctx, func() {
				x.undone = append(x.undone, what)
				if x.bad != nil {
					x.bad(what)
				}
				x.paid = slices.DeleteFunc(x.paid, func(p string) bool { return p == what })
			}))
		},
		"Each": func(f func(n int) error) error { return f(1) },
		"Join": func(what string) error { return errors.Join(errors.New(what), errFull) },
		"Ended": gyr.HostFunc{Func: func(what string) error {
			return fmt.Errorf("%w, then %w", errFull, &several{[]error{errors.New(what), nil, errFull}})
		}, OnError: gyr.EndRun},
	}, Errors: map[string]error{"ErrFull": errFull}}
}

var errFull = errors.New("the till is full")

// A several is a host's own way to join errors.
type several struct{ list []error }

func (e *several) Error() string   { return fmt.Sprint(e.list) }
func (e *several) Unwrap() []error { return e.list }

// newTill compiles the guest with a till of its own.
func newTill(t *testing.T) (*till, *gyr.Program) {
	t.Helper()
	x := &till{}
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"guest.go": {Data: []byte(tillGuest)}}, Patterns: []string{"guest.go"}, Exports: true},
		&gyr.CompileOptions{Host: []gyr.HostPackage{x.host()}})
	if err != nil {
		t.Fatal(err)
	}
	return x, p
}

// check compares what was paid and undone since the last check, and whether Undo could promise it.
func (x *till) check(t *testing.T, paid, undone string, could bool) {
	t.Helper()
	if got := strings.Join(x.paid, " "); got != paid {
		t.Errorf("paid %q, want %q", got, paid)
	}
	if got := strings.Join(x.undone, " "); got != undone {
		t.Errorf("undone %q, want %q", got, undone)
	}
	if slices.Contains(x.could, !could) {
		t.Errorf("Undo says %v", x.could)
	}
	x.undone, x.could = nil, nil
}

// TestUndo: the effects of host functions in a transaction are undone, last first, unless the
// transaction is committed, whatever called the functions and whatever ends the transaction.
// Outside a transaction nothing is undone.
func TestUndo(t *testing.T) {
	x, p := newTill(t)
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		x.paid = nil
		ctx := t.Context()
		call := func(name string, args ...any) error {
			_, _, err := in.CallWith(ctx, gyr.CallOptions{Gas: 100_000}, name, args...)
			return err
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		count := func(want int) {
			t.Helper()
			if got, err := in.Call(ctx, "Count"); err != nil || got[0] != want {
				t.Errorf("the guest counts %v, %v, want %d", got, err, want)
			}
		}
		must(call("Pay", "before"))
		x.check(t, "before", "", false)

		must(in.Begin(ctx))
		must(call("Pay", "a"))
		must(call("Two", "b", "c"))
		must(call("Inner", "d"))
		x.check(t, "before a b c d d'", "", true)
		must(in.Rollback())
		x.check(t, "before", "d' d c b a", true)
		count(1)

		must(in.Begin(ctx))
		must(call("Pay", "kept"))
		must(in.Commit())
		x.check(t, "before kept", "", true)
		must(call("Pay", "between"))
		x.check(t, "before kept between", "", false)
		must(in.Begin(ctx)) // committed effects do not belong to this one
		must(in.Rollback())
		x.check(t, "before kept between", "", false)
		count(3)

		must(in.Begin(ctx))
		if err := call("Fail", "e"); !errors.As(err, new(*gyr.GuestError)) {
			t.Error(err)
		}
		x.check(t, "before kept between e", "", true) // the host decides
		must(in.Rollback())
		x.check(t, "before kept between", "e", true)
		for _, name := range []string{"Panic", "Spin"} { // they roll back
			must(in.Begin(ctx))
			must(call("Pay", "f"))
			if err := call(name, "g"); err == nil || !gyr.Reproducible(err) {
				t.Errorf("%s: %v", name, err)
			}
			x.check(t, "before kept between", "g f", true)
			if err := in.Commit(); !errors.As(err, new(*gyr.TransactionError)) {
				t.Error(err)
			}
			must(call("Pay", "h"))
			x.check(t, "before kept between h", "", false)
			x.paid = x.paid[:3]
		}
		count(5)

		// A transaction that is open when the instance is reset or closed is rolled back.
		must(in.Begin(ctx))
		must(call("Two", "i", "j"))
		must(in.Reset(gyr.Config{Tier: gyr.Tier(in.Tier())}))
		x.check(t, "before kept between", "j i", true)
		must(call("Pay", "k"))
		x.check(t, "before kept between k", "", false)
		must(in.Begin(ctx))
		must(in.Commit())
		must(in.Reset(gyr.Config{Tier: gyr.Tier(in.Tier())}))
		must(in.Begin(ctx))
		must(call("Two", "l", "m"))
		must(in.Close())
		x.check(t, "before kept between k", "m l", true)
		if err := in.Rollback(); !errors.Is(err, gyr.ErrClosed) {
			t.Error(err)
		}
	})
	if gyr.Undo(t.Context(), func() { t.Error("called") }) {
		t.Error("Undo with a context of nobody's")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a nil function is taken")
			}
		}()
		gyr.Undo(t.Context(), nil)
	}()
}

// TestUndoPanics: if an undo function panics, the end of the transaction reports it. The others are
// called, and the instance is as it was at the beginning of the transaction. The same holds if one
// of them uses the instance, registers another, or ends its goroutine.
func TestUndoPanics(t *testing.T) {
	x, p := newTill(t)
	broken := errors.New("broken")
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		x.paid, x.bad = nil, nil
		ctx := t.Context()
		begin := func() {
			t.Helper()
			if err := in.Begin(ctx); err != nil {
				t.Fatal(err)
			}
			x.bad = nil
			for _, what := range []string{"a", "b", "c"} {
				if _, err := in.Call(ctx, "Pay", what); err != nil {
					t.Fatal(err)
				}
			}
			x.bad = func(what string) {
				if what != "b" {
					panic(fmt.Errorf("%s is %w", what, broken))
				}
			}
		}
		told := func(err error, number int) {
			t.Helper()
			n := 0
			for _, e := range tree(err) {
				if crash, ok := e.(*gyr.HostPanicError); ok {
					n++
					if !strings.Contains(crash.Method, "(*till).host") || !strings.Contains(string(crash.Stack), "undo_test.go") || !errors.Is(crash, broken) {
						t.Errorf("%+v", crash)
					}
				}
				if name := reflect.TypeOf(e).String(); strings.HasPrefix(name, "*rt.") || strings.HasPrefix(name, "*engine.") {
					t.Errorf("%s is of type %s", e, name)
				}
			}
			var host *gyr.HostError
			if !errors.As(err, &host) || host.Op != "undo" || n != number || !errors.Is(err, broken) || gyr.Reproducible(err) {
				t.Errorf("%d panics are told: %v", n, err)
			}
			x.check(t, "a c", "c b a", true)
			x.paid, x.bad = nil, nil
		}
		usable := func() {
			t.Helper()
			if got, err := in.Call(ctx, "Count"); err != nil || got[0] != 0 {
				t.Errorf("then %v, %v", got, err)
			}
			if err := in.Commit(); !errors.As(err, new(*gyr.TransactionError)) {
				t.Errorf("a transaction is left: %v", err)
			}
		}
		begin()
		told(in.Rollback(), 2)
		usable()

		begin()
		x.could = nil
		_, _, err := in.CallWith(ctx, gyr.CallOptions{Gas: 10_000}, "Spin", "b")
		if !errors.As(err, new(*gyr.OutOfGasError)) {
			t.Errorf("the call's own error: %v", err)
		}
		x.undone = slices.Delete(x.undone, 0, 1) // of Spin
		told(err, 2)
		usable()

		begin()
		told(in.Reset(gyr.Config{Tier: gyr.Tier(in.Tier())}), 2)
		usable()

		// An undo function that uses the instance, and one that registers another.
		begin()
		x.bad = func(what string) {
			for _, err := range []error{in.Begin(ctx), in.Rollback(), in.Reset(gyr.Config{}), func() error { _, err := in.Call(ctx, "Count"); return err }()} {
				if !errors.Is(err, gyr.ErrBusy) {
					t.Errorf("the instance is used meanwhile: %v", err)
				}
			}
		}
		if err := in.Rollback(); err != nil {
			t.Error(err)
		}
		x.check(t, "", "c b a", true)
		usable()

		// An undo function that ends its goroutine does not prevent calls of the others.
		begin()
		x.bad = func(what string) {
			if what != "a" {
				runtime.Goexit()
			}
		}
		ended := make(chan bool)
		go func() {
			defer close(ended)
			in.Rollback()
			t.Error("Rollback has returned")
		}()
		<-ended
		x.check(t, "b c", "c b a", true)
		x.paid = nil
		usable()

		begin()
		err = in.Close()
		told(err, 2)
		if again := in.Close(); again == nil || again.Error() != err.Error() {
			t.Errorf("Close again: %v", again)
		}
	})
}

// tree returns err and all errors that it wraps.
func tree(err error) (list []error) {
	if err == nil {
		return nil
	}
	list = append(list, err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		list = append(list, tree(e.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			list = append(list, tree(inner)...)
		}
	}
	return list
}

// TestJoinedErrors: errors that host functions join reach guests with their text and identity. They
// reach the callers of the guest unchanged, through calls, callbacks, transactions and runs.
func TestJoinedErrors(t *testing.T) {
	x, p := newTill(t)
	text := func(t *testing.T, err error, want string, is bool) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, errFull) != is {
			t.Errorf("%v, want %q", err, want)
		}
		for _, e := range tree(err) {
			if name := reflect.TypeOf(e).String(); strings.HasPrefix(name, "*rt.") || strings.HasPrefix(name, "*engine.") || strings.HasPrefix(name, "*wasi.") {
				t.Errorf("%v is of type %s", e, name)
			}
		}
	}
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		x.paid, x.bad = nil, nil
		ctx := t.Context()
		call := func(name string, args ...any) error { _, err := in.Call(ctx, name, args...); return err }
		text(t, call("Join", "x"), "x\nthe till is full", false) // a guest gets the text of an error
		text(t, call("Back"), "a\nthe till is full", false)
		if err := in.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		err := call("Ended", "x")
		text(t, err, "the till is full, then [x <nil> the till is full]", true)
		if list := new(*several); !errors.As(err, list) || !errors.As(err, new(*gyr.HostError)) {
			t.Errorf("%v is not what the host has returned", err)
		}
		if err := call("Count"); err != nil { // it was rolled back
			t.Error(err)
		}
		text(t, in.Commit(), "the till is full, then", true)
		text(t, call("Ended", "x"), "the till is full, then", true)
		text(t, call("Count"), "the till is full, then", true) // that ended it
	})
	whole, err := gyr.Compile(t.Context(), gyr.Source{Patterns: []string{"main.go"}, FS: fstest.MapFS{"main.go": {Data: []byte(
		"package main\n\nimport \"example.com/till\"\n\nfunc main() { till.Each(func(int) error { return till.Ended(\"x\") }) }\n")}}}, &gyr.CompileOptions{Host: []gyr.HostPackage{x.host()}})
	if err != nil {
		t.Fatal(err)
	}
	eachTier(t, whole, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		text(t, in.Run(t.Context()), "the till is full, then", true)
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
}
