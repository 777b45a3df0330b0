package embedding_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

// metered is a library whose functions use as much of a resource as their arguments say.
const metered = `package lib

import (
	"fmt"
	"os"
	"time"
)

var kept [][]byte

func Work(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}
func Keep(n int)    { kept = append(kept, make([]byte, n)) }
func Garbage(n int) (sum int) {
	for i := range n {
		b := make([]byte, 1<<10+i%7)
		sum += len(b)
		if i%64 == 0 {
			kept = append(kept[:0], b)
		}
	}
	return sum
}
func Grow()               { for { Keep(1 << 16) } }
func Spin()               { for { } }
func Sleep()              { time.Sleep(1 << 62) }
func Print(s string)      { fmt.Print(s) }
func Exit(code int)       { os.Exit(code) }
func Twice(x float64, s string) (float64, string, error) { return 2 * x, s + s, nil }
`

// eachTier calls f with an instance in each tier of this machine.
func eachTier(t *testing.T, p *gyr.Program, cfg gyr.Config, f func(t *testing.T, in *gyr.Instance)) {
	for _, tier := range tiers() {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		t.Run(string(tier), func(t *testing.T) {
			cfg := cfg
			cfg.Tier = tier
			f(t, newInstance(t, p, cfg))
		})
	}
}

// TestCallGas: a call uses at most its gas, exactly, and the error says which limit was reached.
func TestCallGas(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	cfg := gyr.Config{Gas: 1_000_000_000}
	eachTier(t, p, cfg, func(t *testing.T, in *gyr.Instance) {
		cfg.Tier = gyr.Tier(in.Tier())
		call := func(gas int64) (gyr.CallStats, error) {
			if err := in.Reset(cfg); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Call(ctx, "Work", 1); err != nil { // initialises
				t.Fatal(err)
			}
			before := in.Stats()
			got, stats, err := in.CallWith(ctx, gyr.CallOptions{Gas: gas}, "Work", 100_000)
			if err == nil && got[0] != 4999950000 {
				t.Errorf("%v", got)
			}
			if after := in.Stats(); stats.Gas != after.Gas-before.Gas || stats.Mallocs != after.Mallocs-before.Mallocs {
				t.Errorf("%+v of %+v and %+v", stats, before, after)
			}
			return stats, err
		}
		all, err := call(0)
		if err != nil || all.Gas < 100_000 {
			t.Fatalf("%+v, %v", all, err)
		}
		if stats, err := call(all.Gas); err != nil || stats != all {
			t.Errorf("%+v, %v, want %+v", stats, err, all)
		}
		if stats, err := call(math.MaxInt64); err != nil || stats != all {
			t.Errorf("%+v, %v, want %+v", stats, err, all)
		}
		for _, gas := range []int64{1, 1000, all.Gas / 2, all.Gas - 1} {
			var out *gyr.OutOfGasError
			stats, err := call(gas)
			if !errors.As(err, &out) || !out.Call || out.Limit != gas || out.Used != gas || stats.Gas != gas {
				t.Errorf("%d: %+v, %v", gas, stats, err)
			}
			_, _, err = in.CallWith(ctx, gyr.CallOptions{}, "Work", 1)
			if first := out; !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &out) || *out != *first {
				t.Errorf("afterwards: %v", err)
			}
		}
		// The limit applies to that call only.
		call(all.Gas)
		if _, err := in.Call(ctx, "Work", 1_000_000); err != nil {
			t.Error(err)
		}
		// The instance has less gas.
		limit := in.Stats().Gas + 5000
		cfg := cfg
		cfg.Gas = limit
		if err := in.Reset(cfg); err != nil {
			t.Fatal(err)
		}
		for {
			left := cfg.Gas - in.Stats().Gas
			_, stats, err := in.CallWith(ctx, gyr.CallOptions{Gas: all.Gas + 100}, "Work", 100_000)
			var out *gyr.OutOfGasError
			if err == nil {
				continue
			}
			if !errors.As(err, &out) {
				t.Fatal(err)
			}
			if whole := left > all.Gas+100; out.Call || whole || out.Limit != limit || in.Stats().Gas != limit || stats.Gas > left {
				t.Errorf("%d left: %+v, %+v", left, out, stats)
			}
			break
		}
	})
}

// TestCallMemory: a call's limit bounds the growth of memory in use, however much garbage the call
// makes.
func TestCallMemory(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	cfg := gyr.Config{Memory: 64 << 20}
	var figures []gyr.Stats
	eachTier(t, p, cfg, func(t *testing.T, in *gyr.Instance) {
		opts := gyr.CallOptions{Memory: 4 << 20}
		for range 5 { // each may grow
			if _, stats, err := in.CallWith(ctx, opts, "Keep", 3<<20); err != nil || stats.Memory < 3<<20 || stats.Memory > 4<<20 || stats.Mallocs == 0 {
				t.Fatalf("%+v, %v", stats, err)
			}
		}
		if _, stats, err := in.CallWith(ctx, opts, "Garbage", 50_000); err != nil || stats.AllocBytes < 50_000<<10 || stats.Memory > 4<<20 {
			t.Fatalf("%+v, %v", stats, err)
		}
		var limit *gyr.MemoryLimitError
		if _, stats, err := in.CallWith(ctx, opts, "Grow"); !errors.As(err, &limit) || !limit.Call || limit.Limit != 4<<20 || stats.Memory > 4<<20 || limit.Func != "main.Keep" && limit.Func != "main.Grow" {
			t.Errorf("%+v, %+v, %v", limit, stats, err)
		}
		if _, err := in.Call(ctx, "Keep", 1); !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &limit) {
			t.Errorf("%v", err)
		}
		s := in.Stats()
		s = s.Repeatable()
		figures = append(figures, s)

		cfg := cfg
		cfg.Tier = gyr.Tier(in.Tier())
		if err := in.Reset(cfg); err != nil {
			t.Fatal(err)
		}
		opts.Memory = 1 << 40 // the instance's limit is lower
		if _, _, err := in.CallWith(ctx, opts, "Grow"); !errors.As(err, &limit) || limit.Call || limit.Limit != 64<<20 {
			t.Errorf("%v", err)
		}
	})
	for _, s := range figures {
		if s != figures[0] {
			t.Errorf("the tiers differ: %+v, %+v", figures[0], s)
		}
	}
}

// TestCallLimitsChangeNothing: limits of calls that are not reached do not change the figures of an
// instance.
func TestCallLimitsChangeNothing(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	var want *gyr.Stats
	for _, tier := range tiers() {
		for _, opts := range []gyr.CallOptions{{}, {Gas: 1 << 40}, {Gas: 40_000_000}, {Memory: 1 << 30}, {Memory: 40 << 20}, {Timeout: time.Hour}, {Gas: 1 << 40, Memory: 40 << 20, Timeout: time.Hour}} {
			if tier == gyr.TierNative && p.NativeError() != nil {
				continue
			}
			in := newInstance(t, p, gyr.Config{Tier: tier, Memory: 48 << 20, Gas: 1 << 50})
			for i := range 20 {
				for name, n := range map[string]int{"Work": 10_000, "Garbage": 2000} {
					_, stats, err := in.CallWith(ctx, opts, name, n+i)
					if err != nil || stats.Gas == 0 {
						t.Fatalf("%+v, %+v, %v", opts, stats, err)
					}
				}
				if _, err := in.Call(ctx, "Keep", 100); err != nil {
					t.Fatal(err)
				}
			}
			s := in.Stats()
			s = s.Repeatable()
			if s.Collections == 0 {
				t.Error("nothing was collected")
			}
			if want == nil {
				want = &s
			} else if s != *want {
				t.Errorf("%s, %+v: %+v, want %+v", tier, opts, s, *want)
			}
		}
	}
}

// TestCallTimeout: a call ends at its deadline, whatever it does, and other calls do not.
func TestCallTimeout(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, ctx := range []context.Context{ctx, context.Background(), nil} {
		entered, leave := make(chan bool, 1), make(chan bool)
		cfg := gyr.Config{Realtime: true, Stdout: streamFunc(func(p []byte) (int, error) {
			if string(p) == "block" {
				entered <- true
				<-leave
			}
			return len(p), nil
		})}
		eachTier(t, p, cfg, func(t *testing.T, in *gyr.Instance) {
			cfg := cfg
			cfg.Tier = gyr.Tier(in.Tier())
			for _, c := range []struct {
				name string
				args []any
			}{{"Spin", nil}, {"Sleep", nil}, {"Print", []any{"block"}}} {
				if _, _, err := in.CallWith(ctx, gyr.CallOptions{Timeout: time.Hour}, "Print", "x"); err != nil {
					t.Fatal(err)
				}
				var dead *gyr.DeadlineError
				_, stats, err := in.CallWith(ctx, gyr.CallOptions{Timeout: 20 * time.Millisecond}, c.name, c.args...)
				if !errors.As(err, &dead) || !dead.Call || !errors.Is(err, context.DeadlineExceeded) || stats.Gas == 0 && c.name != "Sleep" {
					t.Errorf("%s: %v, %+v", c.name, err, stats)
				}
				if _, err := in.Call(ctx, "Work", 1); !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &dead) {
					t.Errorf("%s: %v", c.name, err)
				}
				if c.name == "Print" {
					select {
					case <-entered:
						if err := in.Close(); !errors.Is(err, gyr.ErrBusy) {
							t.Errorf("Close: %v", err)
						}
						leave <- true
					default: // the machine was too busy to get this far
					}
					break
				}
				if err := in.Reset(cfg); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestCallOptionsRefused: invalid options are refused before anything happens.
func TestCallOptionsRefused(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	in := newInstance(t, p, gyr.Config{})
	work, err := gyr.FuncOf[struct{ N int }, sum](ctx, in, "Work")
	if err != nil {
		t.Fatal(err)
	}
	var bound func(opts gyr.CallOptions, n int) (int, error)
	if err := in.Bind(ctx, "Work", &bound); err != nil {
		t.Fatal(err)
	}
	before := in.Stats()
	for _, c := range []struct {
		field string
		opts  gyr.CallOptions
	}{{"CallOptions.Gas", gyr.CallOptions{Gas: -1}}, {"CallOptions.Timeout", gyr.CallOptions{Timeout: -1}}} {
		_, _, err1 := in.CallWith(ctx, c.opts, "Work", 1)
		_, _, err2 := work.CallWith(ctx, c.opts, struct{ N int }{1})
		_, err3 := bound(c.opts, 1)
		for _, err := range []error{err1, err2, err3} {
			var refused *gyr.ConfigError
			if !errors.As(err, &refused) || refused.Field != c.field || err.Error() != "gyr: "+c.field+": it is negative" {
				t.Errorf("%v", err)
			}
		}
	}
	if after := in.Stats(); after != before {
		t.Errorf("%+v, %+v", before, after)
	}
	if got, _, err := in.CallWith(ctx, gyr.CallOptions{Gas: 1 << 20}, "Work", 3); err != nil || got[0] != 3 {
		t.Errorf("%v, %v", got, err)
	}
	for _, state := range []struct {
		name  string
		enter func() error
		want  error
	}{
		{"ended", func() error { _, err := in.Call(ctx, "Exit", 0); return err }, gyr.ErrEnded},
		{"closed", in.Close, gyr.ErrClosed},
	} {
		state.enter()
		_, _, err1 := in.CallWith(ctx, gyr.CallOptions{}, "Work", 1)
		_, _, err2 := work.CallWith(ctx, gyr.CallOptions{}, struct{ N int }{1})
		_, err3 := bound(gyr.CallOptions{}, 1)
		for _, err := range []error{err1, err2, err3, in.AddGas(1)} {
			if err != state.want {
				t.Errorf("%s: %v", state.name, err)
			}
		}
	}
	if _, _, err := (*gyr.Instance)(nil).CallWith(ctx, gyr.CallOptions{}, "Work", 1); err != gyr.ErrClosed {
		t.Errorf("%v", err)
	}
	if err := (*gyr.Instance)(nil).AddGas(1); err != gyr.ErrClosed {
		t.Errorf("%v", err)
	}
}

// TestEndedContext: a call whose context has already ended does nothing.
func TestEndedContext(t *testing.T) {
	p := compileLibrary(t, metered)
	cause := errors.New("too late")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		for range 2 { // fresh, ready
			before := in.Stats()
			var dead *gyr.DeadlineError
			if _, err := in.Call(ctx, "Work", 1); !errors.As(err, &dead) || !errors.Is(err, cause) || dead.Call {
				t.Errorf("%v", err)
			}
			if after := in.Stats(); after != before {
				t.Errorf("%+v, %+v", before, after)
			}
			if _, err := in.Call(context.Background(), "Work", 1); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAddGas: an instance continues with gas that is added before it runs out.
func TestAddGas(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	eachTier(t, p, gyr.Config{Gas: 1_000_000}, func(t *testing.T, in *gyr.Instance) {
		if err := in.AddGas(1_000_000); err != nil { // fresh
			t.Fatal(err)
		}
		var used int64
		for range 20 {
			_, stats, err := in.CallWith(ctx, gyr.CallOptions{Gas: 1_000_000}, "Work", 100_000)
			if err != nil {
				t.Fatal(err)
			}
			used = stats.Gas
			if err := in.AddGas(stats.Gas); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []int64{-1, math.MinInt64} {
			var refused *gyr.ConfigError
			if err := in.AddGas(n); !errors.As(err, &refused) || refused.Field != "Gas" {
				t.Errorf("%v", err)
			}
		}
		limit := 2_000_000 + 20*used
		var out *gyr.OutOfGasError
		if _, err := in.Call(ctx, "Spin"); !errors.As(err, &out) || out.Call || out.Limit != limit || in.Stats().Gas != limit {
			t.Errorf("%+v, want %d", out, limit)
		}
		if err := in.AddGas(1); !errors.Is(err, gyr.ErrEnded) || !errors.As(err, &out) {
			t.Errorf("%v", err)
		}
		cfg := gyr.Config{Tier: gyr.Tier(in.Tier())}
		if err := in.Reset(cfg); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int64{0, math.MaxInt64, math.MaxInt64} { // no limit
			if err := in.AddGas(n); err != nil {
				t.Error(err)
			}
		}
		if _, err := in.Call(ctx, "Work", 1_000_000); err != nil {
			t.Error(err)
		}
		cfg.Gas = 1
		if err := in.Reset(cfg); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := in.AddGas(math.MaxInt64); err != nil {
				t.Error(err)
			}
		}
		if _, err := in.Call(ctx, "Work", 1_000_000); err != nil {
			t.Error(err)
		}
	})
}

// TestAddGasStays: gas from AddGas remains after a rollback, even if it is more than a limit can
// hold.
func TestAddGasStays(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	for _, add := range []int64{1_000_000, math.MaxInt64} {
		eachTier(t, p, gyr.Config{Gas: 10_000}, func(t *testing.T, in *gyr.Instance) {
			if err := in.AddGas(add); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := in.Begin(ctx); err != nil {
					t.Fatal(err)
				}
				if err := in.Rollback(); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := in.Call(ctx, "Work", 100_000); err != nil {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// TestBindWith: a bound function takes limits and returns figures if its type has them.
func TestBindWith(t *testing.T) {
	p := compileLibrary(t, metered)
	ctx := context.Background()
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		var work func(ctx context.Context, opts gyr.CallOptions, n int) (int, gyr.CallStats, error)
		var counted func(n int) (int, gyr.CallStats, error)
		var twice func(opts gyr.CallOptions, x float64, s string) (float64, string, gyr.CallStats, error)
		for f, name := range map[any]string{&work: "Work", &counted: "Work", &twice: "Twice"} {
			if err := in.Bind(ctx, name, f); err != nil {
				t.Fatal(err)
			}
		}
		n, stats, err := counted(1000)
		if err != nil || n != 499500 || stats.Gas == 0 {
			t.Errorf("%d, %+v, %v", n, stats, err)
		}
		if n, again, err := work(ctx, gyr.CallOptions{Gas: stats.Gas}, 1000); err != nil || n != 499500 || again != stats {
			t.Errorf("%d, %+v, %v", n, again, err)
		}
		if x, s, stats, err := twice(gyr.CallOptions{Memory: 1 << 20}, 1.5, "ab"); err != nil || x != 3 || s != "abab" || stats.Mallocs == 0 {
			t.Errorf("%v, %q, %+v, %v", x, s, stats, err)
		}
		var out *gyr.OutOfGasError
		if n, again, err := work(ctx, gyr.CallOptions{Gas: stats.Gas - 1}, 1000); !errors.As(err, &out) || !out.Call || n != 0 || again.Gas != stats.Gas-1 {
			t.Errorf("%d, %+v, %v", n, again, err)
		}
		var wrong func(n int, opts gyr.CallOptions) (int, error)
		if err := in.Bind(ctx, "Work", &wrong); err == nil {
			t.Error("options behind the parameters")
		}
	})
}
