package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

const pooled = `package lib

import "os"

var calls int

var table = func() map[int]int { m := map[int]int{}; for i := range 1000 { m[i] = i * i }; return m }()

func Count() int { calls++; return calls + table[0] }

func Exit(code int) { os.Exit(code) }

func Spin() { for { calls++ } }

func Grow() { var l [][]byte; for { l = append(l, make([]byte, 1<<20)) } }

func Leave() { c := make(chan int); for range 10 { go func() { c <- 1 }() } }

func Panic() { var m map[int]int; m[calls] = 1 }
`

func compilePooled(t testing.TB) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(pooled)}}, Exports: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPoolGivesFresh: whatever happens to an instance, its next user gets a fresh one.
func TestPoolGivesFresh(t *testing.T) {
	p := compilePooled(t)
	ctx := t.Context()
	for _, tier := range tiers() {
		for _, atGet := range []bool{false, true} {
			pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Tier: tier, Gas: 50_000_000, Memory: 32 << 20}, MaxLive: 1, ResetAtGet: atGet})
			if err != nil {
				t.Fatal(err)
			}
			var first gyr.Stats
			for i, end := range []func(*gyr.Instance){
				func(*gyr.Instance) {},
				func(in *gyr.Instance) { in.Call(ctx, "Count") },
				func(in *gyr.Instance) { in.Call(ctx, "Exit", 0) },
				func(in *gyr.Instance) { in.Call(ctx, "Exit", 3) },
				func(in *gyr.Instance) { in.Call(ctx, "Spin") },
				func(in *gyr.Instance) { in.Call(ctx, "Grow") },
				func(in *gyr.Instance) { in.Call(ctx, "Leave") },
				func(in *gyr.Instance) { in.Call(ctx, "Panic") },
				func(in *gyr.Instance) {
					c, cancel := context.WithTimeout(ctx, time.Millisecond)
					defer cancel()
					in.Call(c, "Spin")
				},
				func(in *gyr.Instance) { in.Close() },
				func(in *gyr.Instance) {
					done := make(chan bool)
					go func() {
						defer close(done)
						for err := gyr.ErrBusy; errors.Is(err, gyr.ErrBusy); { // the call below may interfere
							_, err = in.Call(ctx, "Spin")
						}
					}()
					for busy := false; !busy; { // until the call has begun, before Put
						_, err := in.Call(ctx, "Count")
						busy = errors.Is(err, gyr.ErrBusy) || errors.Is(err, gyr.ErrEnded) // on a loaded machine Spin may be over
					}
					t.Cleanup(func() { <-done })
				},
				func(*gyr.Instance) {},
			} {
				in, err := pool.Get(ctx)
				if err != nil {
					t.Fatal(i, err)
				}
				out, err := in.Call(ctx, "Count")
				if err != nil || out[0] != 1 {
					t.Fatalf("%s, at Get %v, %d: %v, %v", tier, atGet, i, out, err)
				}
				s := in.Stats()
				s = s.Repeatable()
				if i == 0 {
					first = s
				} else if s != first {
					t.Errorf("%s, at Get %v, %d: %+v, want %+v", tier, atGet, i, s, first)
				}
				end(in)
				if err := pool.Put(in); err != nil {
					t.Errorf("%d: %v", i, err)
				}
				if err := pool.Put(in); err != gyr.ErrNotInUse {
					t.Errorf("%d: put twice: %v", i, err)
				}
			}
			if err := pool.Close(); err != nil && !errors.Is(err, gyr.ErrBusy) {
				t.Error(err)
			}
			if s := pool.Stats(); s.Live != 0 || s.Gets != 12 || s.Resets == 0 {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestPoolLimits: MaxLive makes Get wait, MaxIdle bounds the kept instances, and the statistics
// show both.
func TestPoolLimits(t *testing.T) {
	p := compilePooled(t)
	ctx := t.Context()
	for _, cfg := range []gyr.PoolConfig{{MaxLive: -1}, {MaxIdle: -2}, {Config: gyr.Config{Gas: -1}}} {
		var bad *gyr.ConfigError
		if _, err := gyr.NewPool(ctx, p, cfg); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{MaxLive: 2, MaxIdle: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := pool.Get(ctx)
	b, err2 := pool.Get(ctx)
	if err1 != nil || err2 != nil || a == b {
		t.Fatal(err1, err2)
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	var deadline *gyr.DeadlineError
	if _, err := pool.Get(short); !errors.As(err, &deadline) || deadline.Err != context.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	got := make(chan *gyr.Instance)
	go func() {
		in, err := pool.Get(ctx)
		if err != nil {
			t.Error(err)
		}
		got <- in
	}()
	for pool.Stats().Waits == 0 {
		runtime.Gosched()
	}
	time.Sleep(10 * time.Millisecond) // it is likely to wait by now
	pool.Put(a)
	if in := <-got; in != a {
		t.Error("the one who waited has got another instance")
	}
	if s := pool.Stats(); s.Live != 2 || s.InUse != 2 || s.Waits < 1 || s.Made != 2 {
		t.Errorf("%+v", s)
	}
	pool.Put(a)
	pool.Put(b)
	c, err := pool.Get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	idle := a
	if c == a {
		idle = b
	}
	stranger := newInstance(t, p, gyr.Config{})
	for _, in := range []*gyr.Instance{idle, nil, stranger} {
		if err := pool.Put(in); err != gyr.ErrNotInUse {
			t.Errorf("%v", err)
		}
	}
	waits := make(chan error)
	d, _ := pool.Get(ctx)
	go func() { _, err := pool.Get(ctx); waits <- err }()
	time.Sleep(10 * time.Millisecond)
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if err := <-waits; !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("%v", err)
	}
	for _, in := range []*gyr.Instance{c, d} {
		if _, err := in.Call(ctx, "Count"); err != gyr.ErrClosed {
			t.Errorf("in use while the pool is closed: %v", err)
		}
		if err := pool.Put(in); err != gyr.ErrNotInUse {
			t.Errorf("%v", err)
		}
	}
	if _, err := pool.Get(ctx); !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if s := pool.Stats(); s.Live != 0 || s.Idle != 0 || s.InUse != 0 || s.Resetting != 0 {
		t.Errorf("%+v", s)
	}
}

// TestPoolAtRandom: goroutines take, use, damage and return instances, until one closes the pool;
// nothing is left.
func TestPoolAtRandom(t *testing.T) {
	daily.Turn(t, 3, false)
	p := compilePooled(t)
	newInstance(t, p, gyr.Config{}).Close() // allocates what a program keeps
	goroutines, reserved := runtime.NumGoroutine(), reservations(t)
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	for _, cfg := range []gyr.PoolConfig{{}, {MaxLive: 3}, {MaxLive: 5, MaxIdle: 1, ResetAtGet: true}} {
		cfg.Config = gyr.Config{Gas: 5_000_000, Memory: 16 << 20}
		pool, err := gyr.NewPool(t.Context(), p, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 1))
				for i := range rounds {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rnd.IntN(20))*time.Millisecond)
					in, err := pool.Get(ctx)
					if err != nil {
						if !errors.As(err, new(*gyr.DeadlineError)) && !errors.Is(err, gyr.ErrClosed) {
							t.Error(err)
						}
						cancel()
						continue
					}
					if s := pool.Stats(); cfg.MaxLive > 0 && s.Live > cfg.MaxLive {
						t.Errorf("%+v", s)
					}
					out, err := in.Call(t.Context(), "Count")
					if err != nil && !errors.Is(err, gyr.ErrClosed) || err == nil && out[0] != 1 {
						t.Errorf("%v, %v", out, err)
					}
					in.Call(ctx, []string{"Count", "Leave", "Panic", "Spin", "Grow"}[rnd.IntN(5)])
					if rnd.IntN(10) == 0 {
						in.Close()
					}
					if rnd.IntN(20) > 0 || i < rounds/2 {
						pool.Put(in)
					} // otherwise it stays lost until the pool is closed
					cancel()
				}
			})
		}
		if cfg.MaxLive == 3 {
			time.Sleep(50 * time.Millisecond)
			pool.Close()
		}
		wg.Wait()
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		if s := pool.Stats(); s.Live != 0 || s.InUse != 0 || s.Idle != 0 || s.Resetting != 0 {
			t.Errorf("%+v", s)
		}
	}
	for i := 0; runtime.NumGoroutine() > goroutines; i++ {
		if i == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(time.Millisecond)
	}
	if n := reservations(t); n > reserved {
		t.Errorf("%d reservations, %d before", n, reserved)
	}
}

// TestWarm: every instance has made the warm-up calls before its first call. If a warm-up call
// fails, the error names it.
func TestWarm(t *testing.T) {
	const src = `package lib

import "errors"

var log []string

func First() { log = append(log, "first") }
func Second() error { log = append(log, "second"); return nil }
func Log() []string { return log }
func Fail() error { return errors.New("no") }
func Panic() { panic("warm") }
func Result() int { return 1 }
func Param(n int) {}
`
	compile := func(warm ...string) (*gyr.Program, error) {
		return gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(src)}}, Exports: true}, &gyr.CompileOptions{Warm: warm})
	}
	p, err := compile("First", "Second", "First")
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range tiers() {
		var gas []int64
		for range 4 { // later instances start like the second one
			in := newInstance(t, p, gyr.Config{Tier: tier})
			out, err := in.Call(t.Context(), "Log")
			if err != nil || fmt.Sprint(out...) != "[first second first]" {
				t.Errorf("%s: %v, %v", tier, out, err)
			}
			if gas = append(gas, in.Stats().Gas); gas[0] != gas[len(gas)-1] {
				t.Errorf("%s: gas %d", tier, gas)
			}
			if err := in.Reset(gyr.Config{Tier: tier}); err != nil {
				t.Fatal(err)
			}
			if err := in.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if out, err := in.Call(t.Context(), "Log"); err != nil || fmt.Sprint(out...) != "[first second first]" {
				t.Errorf("%s: behind Reset: %v, %v", tier, out, err)
			}
		}
	}
	for name, want := range map[string]string{
		"Fail": "gyr: warm-up call of Fail: no", "Result": "gyr: warm-up call of Result: it has results besides an error",
		"Panic": "gyr: warm-up call of Panic: ",
	} {
		p, err := compile("First", name)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			in := newInstance(t, p, gyr.Config{})
			if err := in.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := in.Call(t.Context(), "Log"); !errors.Is(err, gyr.ErrEnded) {
				t.Errorf("%s: behind it: %v", name, err)
			}
		}
	}
	for name, want := range map[string]string{"Param": "gyr: CompileOptions.Warm: Param has parameters", "None": "gyr: CompileOptions.Warm: no exported function None"} {
		if _, err := compile(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte("package main\nfunc main() {}\n")}}},
		&gyr.CompileOptions{Warm: []string{"X"}})
	if err == nil || !strings.Contains(err.Error(), "Source.Exports") {
		t.Errorf("%v", err)
	}
}
