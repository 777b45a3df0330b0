package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// TestReproducible: errors of real calls, the guest's own and those of this process.
func TestReproducible(t *testing.T) {
	declared := "package host\n\nfunc Fail() error\n\nfunc Panic()\n"
	host := gyr.HostPackage{Path: "example.com/host", Source: declared, Funcs: map[string]any{
		"Fail":  gyr.HostFunc{Func: func() error { return errors.New("no") }, Deterministic: true},
		"Panic": gyr.HostFunc{Func: func() { panic("host") }, Deterministic: true},
	}}
	p, err := gyr.Compile(t.Context(), gyr.Source{Exports: true, FS: fstest.MapFS{"guest.go": {Data: []byte(`package guest

import (
	"errors"
	"example.com/host"
	"os"
)

var all [][]byte

func Error() error    { return errors.New("no") }
func HostErr() error  { return host.Fail() }
func HostPanic()      { host.Panic() }
func Panic()          { panic("no") }
func Exit()           { os.Exit(3) }
func Spin()           { for { } }
func Deep(n int) int  { return Deep(n+1) + 1 }
func Print()          { println("0123456789") }
func Grow()           { for { all = append(all, make([]byte, 1<<20)) } }
`)}}, Patterns: []string{"guest.go"}}, &gyr.CompileOptions{Host: []gyr.HostPackage{host}})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range []struct {
		call string
		args []any
		cfg  gyr.Config
		opts gyr.CallOptions
		ctx  context.Context
		want bool
	}{
		{call: "Error", want: true},
		{call: "HostErr", want: true},
		{call: "Panic", want: true},
		{call: "Exit", want: true},
		{call: "Spin", opts: gyr.CallOptions{Gas: 1000}, want: true},
		{call: "Spin", cfg: gyr.Config{Gas: 10_000_000}, want: true},
		{call: "Deep", args: []any{0}, cfg: gyr.Config{Stack: 1 << 20}, want: true},
		{call: "Print", cfg: gyr.Config{Output: 5}, want: true},
		{call: "Grow", cfg: gyr.Config{Memory: 64 << 20}, want: true},
		{call: "NotThere", want: true},
		{call: "Deep", args: []any{"x"}, want: true},
		{call: "HostPanic"},
		{call: "Spin", opts: gyr.CallOptions{Timeout: time.Millisecond}},
		{call: "Spin", ctx: ended},
	} {
		t.Run(fmt.Sprintf("%s,%v", x.call, x.opts), func(t *testing.T) {
			in, err := p.NewInstance(t.Context(), x.cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			ctx := x.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			_, _, err = in.CallWith(ctx, x.opts, x.call, x.args...)
			if err == nil || gyr.Reproducible(err) != x.want {
				t.Errorf("%T %v: reproducible %t", err, err, gyr.Reproducible(err))
			}
			if _, again := in.Call(t.Context(), "Error"); gyr.Reproducible(again) != (x.want || !errors.Is(again, gyr.ErrEnded)) {
				t.Errorf("and then %T %v: reproducible %t", again, again, gyr.Reproducible(again))
			}
		})
	}
	closed, err := p.NewInstance(t.Context(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	_, err = closed.Call(t.Context(), "Error")
	for _, err := range []error{err, gyr.ErrBusy, errors.New("x"), fmt.Errorf("y: %w", gyr.ErrClosed),
		errors.Join(&gyr.GuestError{}, gyr.ErrBusy), fmt.Errorf("z: %w", &gyr.HostError{Err: &gyr.OutOfGasError{}})} {
		if err == nil || gyr.Reproducible(err) {
			t.Errorf("%T %v is taken for the program's", err, err)
		}
	}
	if !gyr.Reproducible(nil) || !gyr.Reproducible(gyr.ErrEnded) || !gyr.Reproducible(fmt.Errorf("x: %w", &gyr.OutOfGasError{})) {
		t.Error("an outcome is not taken for one")
	}
}
