package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gyrvm/gyr"
)

// TestPoolMakes: a pool makes an instance only for a Get that finds all of them in use.
func TestPoolMakes(t *testing.T) {
	p := compilePooled(t)
	for _, procs := range []int{1, 2, 8} {
		for _, cfg := range []gyr.PoolConfig{{}, {MaxIdle: 1}, {ResetAtGet: true}, {MaxIdle: 1, ResetAtGet: true}} {
			for _, users := range []int{1, 8, 64} {
				was := runtime.GOMAXPROCS(procs)
				pool, err := gyr.NewPool(t.Context(), p, cfg)
				if err != nil {
					t.Fatal(err)
				}
				var wg sync.WaitGroup
				for range users {
					wg.Go(func() {
						for range 2000 / users {
							if err := pool.Do(t.Context(), func(in *gyr.Instance) error { _, err := in.Call(t.Context(), "Count"); return err }); err != nil {
								t.Error(err)
							}
						}
					})
				}
				wg.Wait()
				if s := pool.Stats(); s.Made > uint64(users) {
					t.Errorf("GOMAXPROCS %d, %d users, MaxIdle %d, ResetAtGet %v: %+v", procs, users, cfg.MaxIdle, cfg.ResetAtGet, s)
				}
				if err := pool.Close(); err != nil {
					t.Error(err)
				}
				runtime.GOMAXPROCS(was)
			}
		}
	}
}

// TestPoolResets: an instance that is needed at once is reset by Get, one that is not in the
// background, unless the pool leaves that to Get.
func TestPoolResets(t *testing.T) {
	p := compilePooled(t)
	for _, atGet := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			pool, err := gyr.NewPool(t.Context(), p, gyr.PoolConfig{ResetAtGet: atGet})
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			resets := func(want uint64) {
				t.Helper()
				if s := pool.Stats(); s.Resets != want || s.Made != 1 || s.Waits != 0 {
					t.Errorf("at Get %v: %+v, want %d resets", atGet, s, want)
				}
			}
			use := func() {
				t.Helper()
				if err := pool.Do(t.Context(), count(t)); err != nil {
					t.Error(err)
				}
			}
			use()
			resets(0)
			use() // at once
			resets(1)
			time.Sleep(time.Millisecond)
			if atGet {
				resets(1)
			} else {
				resets(2)
			}
			use()
			resets(2)
			if s := pool.Stats(); s.Copies+s.Afresh != 3 || s.Afresh > 0 && s.Reason == "" {
				t.Errorf("%+v", s)
			}
		})
	}
}

// count returns a use of an instance that finds it as new.
func count(t *testing.T) func(*gyr.Instance) error {
	return func(in *gyr.Instance) error {
		out, err := in.Call(t.Context(), "Count")
		if err == nil && out[0] != 1 {
			return fmt.Errorf("not as new: %v", out)
		}
		return err
	}
}

// TestPoolTrims: instances above MaxIdle are closed when no Get has needed them for a second.
func TestPoolTrims(t *testing.T) {
	p := compilePooled(t)
	for _, atGet := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			pool, err := gyr.NewPool(t.Context(), p, gyr.PoolConfig{MaxIdle: 2, ResetAtGet: atGet})
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			use := func(n int) {
				t.Helper()
				var list []*gyr.Instance
				for range n {
					in, err := pool.Get(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					list = append(list, in)
				}
				for _, in := range list {
					pool.Put(in)
				}
			}
			idle := func(want int) {
				t.Helper()
				if s := pool.Stats(); s.Idle != want || s.Live != want {
					t.Errorf("at Get %v: %+v, want %d", atGet, s, want)
				}
			}
			use(8)
			idle(8)
			for range 30 { // six are needed again and again
				time.Sleep(100 * time.Millisecond)
				use(6)
			}
			idle(6)
			time.Sleep(3 * time.Second)
			idle(2)
			time.Sleep(time.Hour)
			idle(2)
		})
	}
}

// TestPoolDrain: Drain refuses new users and waits for those that are there.
func TestPoolDrain(t *testing.T) {
	p := compilePooled(t)
	synctest.Test(t, func(t *testing.T) {
		pool, err := gyr.NewPool(t.Context(), p, gyr.PoolConfig{MaxLive: 1})
		if err != nil {
			t.Fatal(err)
		}
		in, err := pool.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() { waited <- pool.Do(t.Context(), count(t)) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var late *gyr.DeadlineError
		if err := pool.Drain(ctx); !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 instances in use") {
			t.Errorf("%v", err)
		}
		if _, err := pool.Get(t.Context()); !errors.Is(err, gyr.ErrClosed) || !strings.Contains(err.Error(), "drained") {
			t.Errorf("%v", err)
		}
		drained := make(chan error, 2)
		for range 2 {
			go func() { drained <- pool.Drain(t.Context()) }()
		}
		synctest.Wait()
		select {
		case err := <-drained:
			t.Errorf("drained with an instance in use: %v", err)
		default:
		}
		if err := pool.Put(in); err != nil {
			t.Error(err)
		}
		for _, c := range []chan error{waited, drained, drained} {
			if err := <-c; err != nil {
				t.Error(err)
			}
		}
		if s := pool.Stats(); s.Live != 0 || s.Gets != 2 {
			t.Errorf("%+v", s)
		}
		if err := pool.Drain(t.Context()); !errors.Is(err, gyr.ErrClosed) {
			t.Errorf("drained twice: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // Close ends what waits for Drain
		pool, err := gyr.NewPool(t.Context(), p, gyr.PoolConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		drained := make(chan error)
		go func() { drained <- pool.Drain(t.Context()) }()
		synctest.Wait()
		pool.Close()
		if err := <-drained; err != nil {
			t.Error(err)
		}
	})
}

// TestPoolFunctions: functions of a pool find every instance as new, stay with the instances, and
// may be called by many goroutines.
func TestPoolFunctions(t *testing.T) {
	p := compilePooled(t)
	pool, err := gyr.NewPool(t.Context(), p, gyr.PoolConfig{MaxLive: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	type none struct{}
	type number struct{ N int }
	counted, err := gyr.PoolFuncOf[none, number](t.Context(), pool, "Count")
	if err != nil {
		t.Fatal(err)
	}
	var bound func(context.Context) (int, error)
	var plain func() (int, error)
	var figures func(context.Context, gyr.CallOptions) (int, gyr.CallStats, error)
	for _, fn := range []any{&bound, &plain, &figures} {
		if err := pool.Bind(t.Context(), "Count", fn); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				a, err1 := counted.Call(t.Context(), none{})
				b, err2 := bound(t.Context())
				c, err3 := plain()
				d, st, err4 := figures(t.Context(), gyr.CallOptions{Gas: 100_000})
				e, st2, err5 := counted.CallWith(t.Context(), gyr.CallOptions{Gas: 100_000}, none{})
				if err := errors.Join(err1, err2, err3, err4, err5); err != nil || a.N != 1 || b != 1 || c != 1 || d != 1 || e.N != 1 || st.Gas == 0 || st.Gas != st2.Gas {
					t.Errorf("%v: %d %d %d %d %d %+v %+v", err, a.N, b, c, d, e.N, st, st2)
				}
			}
		})
	}
	wg.Wait()
	if s := pool.Stats(); s.Made > 3 || s.InUse != 0 {
		t.Errorf("%+v", s)
	}
	// Errors: of the call, of what cannot be bound, of the pool.
	var limit *gyr.OutOfGasError
	if n, _, err := figures(t.Context(), gyr.CallOptions{Gas: 1}); n != 0 || !errors.As(err, &limit) {
		t.Errorf("%d, %v", n, err)
	}
	var wrong func(string) error
	var number2 func() int
	for _, fn := range []any{nil, 1, (*func() error)(nil), &wrong, &number2} {
		if err := pool.Bind(t.Context(), "Count", fn); err == nil {
			t.Errorf("%T is bound", fn)
		}
	}
	if _, err := gyr.PoolFuncOf[none, none](t.Context(), pool, "Missing"); err == nil {
		t.Error("no error")
	}
	if s := pool.Stats(); s.InUse != 0 {
		t.Errorf("%+v", s)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bound(done); !errors.As(err, new(*gyr.DeadlineError)) {
		t.Errorf("%v", err)
	}
	pool.Close()
	if n, err := plain(); n != 0 || !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := counted.Call(t.Context(), none{}); !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := (*gyr.PoolFunc[none, none])(nil).Call(t.Context(), none{}); !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// BenchmarkPool compares pools with and without work in the background, in turn: the processor time
// of a request (Get, a call, Put) and the 99th percentile of Get. The metric x-best is the default
// beside the better of the two.
func BenchmarkPool(b *testing.B) {
	p := compilePooled(b)
	const requests, rounds = 4000, 9
	for _, procs := range []int{1, 2, 8} {
		for _, users := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("procs=%d/users=%d", procs, users), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				type figure struct {
					cpu, p99 time.Duration
					made     uint64
				}
				measure := func(cfg gyr.PoolConfig) (f figure) {
					pool, err := gyr.NewPool(b.Context(), p, cfg)
					if err != nil {
						b.Fatal(err)
					}
					defer pool.Close()
					waits := make([][]time.Duration, users)
					began := cpuTime()
					var wg sync.WaitGroup
					for u := range users {
						wg.Go(func() {
							for range requests / users {
								at := time.Now()
								in, err := pool.Get(b.Context())
								if err != nil {
									b.Error(err)
									return
								}
								waits[u] = append(waits[u], time.Since(at))
								if _, err := in.Call(b.Context(), "Count"); err != nil {
									b.Error(err)
								}
								pool.Put(in)
							}
						})
					}
					wg.Wait()
					f.cpu = (cpuTime() - began) / requests
					all := slices.Concat(waits...)
					slices.Sort(all)
					f.p99, f.made = all[len(all)*99/100], pool.Stats().Made
					return f
				}
				for b.Loop() {
					var background, atGet []figure
					for range rounds {
						background = append(background, measure(gyr.PoolConfig{}))
						atGet = append(atGet, measure(gyr.PoolConfig{ResetAtGet: true}))
					}
					median := func(list []figure, of func(figure) time.Duration) float64 {
						slices.SortFunc(list, func(a, b figure) int { return int(of(a) - of(b)) })
						return float64(of(list[len(list)/2]).Nanoseconds())
					}
					cpu := func(f figure) time.Duration { return f.cpu }
					p99 := func(f figure) time.Duration { return f.p99 }
					mine, other := median(background, cpu), median(atGet, cpu)
					b.ReportMetric(mine/1000, "cpu-µs")
					b.ReportMetric(other/1000, "at-get-cpu-µs")
					b.ReportMetric(mine/min(mine, other), "x-best")
					b.ReportMetric(median(background, p99)/1000, "get-p99-µs")
					b.ReportMetric(median(atGet, p99)/1000, "at-get-get-p99-µs")
					b.ReportMetric(float64(slices.MaxFunc(background, func(a, b figure) int { return int(a.made) - int(b.made) }).made), "made")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
