package embedding_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var (
	stressTime = flag.Duration("instances.time", 3*time.Second, "how long TestInstancesAtRandom goes on")
	stressSeed = flag.Uint64("instances.seed", 1, "of what it does")
)

// reservations counts the address spaces of instances: inaccessible mappings of a gibibyte or more.
func reservations(t testing.TB) (n int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var lo, hi uint64
		var prot string
		if fmt.Sscanf(s.Text(), "%x-%x %s", &lo, &hi, &prot); prot == "---p" && hi-lo >= 1<<30 {
			n++
		}
	}
	return n
}

// settles waits until the numbers of goroutines and reservations are no higher than before.
func settles(t *testing.T, goroutines, reserved int) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		if runtime.NumGoroutine() <= goroutines && reservations(t) <= reserved {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d; %d reservations, before %d", runtime.NumGoroutine(), goroutines, reservations(t), reserved)
	pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
}

// TestDroppedInstances: an instance that was not closed is released once it is unreachable,
// whatever its state and although its Writer refers to it.
func TestDroppedInstances(t *testing.T) {
	p := compileLibrary(t, streamed+`
func Deep(n int) int { if n == 0 { return 0 }; return Deep(n-1) + 1 }
`)
	for _, tier := range tiers() {
		newInstance(t, p, gyr.Config{Tier: tier}).Close() // makes the snapshot
		goroutines, reserved := runtime.NumGoroutine(), reservations(t)
		most := 0
		for i := range 24 {
			ctx, cancel := context.WithCancel(context.Background())
			var in *gyr.Instance
			cfg := gyr.Config{Tier: tier, Stdout: streamFunc(func(p []byte) (int, error) { cancel(); return len(p), in.Run(ctx) })}
			in, err := p.NewInstance(ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			what := []func() error{
				func() error { return nil },
				func() error { return in.Run(ctx) },
				func() error { _, err := in.Call(ctx, "Deep", 100_000); return err },
				func() error { _, err := in.Call(ctx, "Exit", 0); return err },
				func() error { _, err := in.Call(ctx, "Print", "x"); return err },
				func() error { return errors.Join(in.Run(ctx), in.Reset(cfg)) },
			}
			what[i%len(what)]()
			cancel()
			most = max(most, reservations(t))
		}
		if runtime.GOOS == "linux" && most < reserved+1 {
			t.Errorf("%s: %d reservations while there are instances, %d without", tier, most, reserved)
		}
		settles(t, goroutines, reserved)
	}
}

// A shared is an instance that several goroutines use at once, with its bound functions.
type shared struct {
	in    *gyr.Instance
	add   *gyr.Func[pair, sum]
	bound func(a, b int) (int, error)
}

// A stress lets goroutines do everything at once to a few instances.
type stress struct {
	t     *testing.T
	progs []*gyr.Program
	slots [6]atomic.Pointer[shared]
	done  atomic.Int64
	ends  sync.Map // of errors, by their kind
}

// TestInstancesAtRandom: whatever 16 goroutines do at once, each call returns, with a documented
// error or none, and in the end everything is released.
func TestInstancesAtRandom(t *testing.T) {
	daily.Turn(t, 3, false)
	s := &stress{t: t, progs: []*gyr.Program{compileLibrary(t, streamed), compileMain(t, streamedMain)}}
	for _, tier := range tiers() {
		for _, p := range s.progs {
			in := newInstance(t, p, gyr.Config{Tier: tier})
			in.Run(context.Background())
			in.Close()
		}
	}
	goroutines, reserved := runtime.NumGoroutine(), reservations(t)
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := range uint64(16) {
		rnd := rand.New(rand.NewPCG(*stressSeed, i))
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.step(rnd)
				}
			}
		})
	}
	time.Sleep(*stressTime)
	close(stop)
	for i := range s.slots { // ends what they are doing
		if x := s.slots[i].Load(); x != nil {
			x.in.Close()
		}
	}
	over := make(chan bool)
	go func() { wg.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(5 * time.Minute):
		pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		t.Fatal("a call does not return")
	}
	for i := range s.slots {
		if x := s.slots[i].Swap(nil); x != nil {
			x.in.Close()
		}
	}
	settles(t, goroutines, reserved)
	var list []string
	s.ends.Range(func(k, v any) bool { list = append(list, fmt.Sprint(k, " ", v.(*atomic.Int64).Load())); return true })
	t.Logf("seed %d: %d calls; %s", *stressSeed, s.done.Load(), strings.Join(list, ", "))
}

// instance makes the instance of a slot.
func (s *stress) instance(rnd *rand.Rand, slot int) {
	tier := tiers()[slot%2]
	p := s.progs[slot/2%2]
	if p.NativeError() != nil {
		tier = gyr.TierInterp
	}
	in, err := p.NewInstance(context.Background(), s.config(rnd.Uint64(), slot, tier))
	if err != nil {
		s.t.Error(err)
		return
	}
	x := &shared{in: in}
	if p == s.progs[0] {
		if x.add, err = gyr.FuncOf[pair, sum](context.Background(), in, "Add"); err == nil {
			err = in.Bind(context.Background(), "Add", &x.bound)
		}
		s.check("bind", err)
	}
	if old := s.slots[slot].Swap(x); old != nil && rnd.IntN(2) == 0 {
		s.check("Close", old.in.Close()) // the others are dropped
	}
}

// config returns a configuration whose streams misbehave.
func (s *stress) config(seed uint64, slot int, tier gyr.Tier) gyr.Config {
	var mu sync.Mutex // a call may still run while the next one is made
	rnd := rand.New(rand.NewPCG(seed, 0))
	host := streamFunc(func(p []byte) (int, error) {
		mu.Lock()
		what, wait := rnd.IntN(12), time.Duration(rnd.IntN(3000))*time.Microsecond
		own := rand.New(rand.NewPCG(rnd.Uint64(), 0))
		mu.Unlock()
		switch what {
		case 0:
			panic("a stream")
		case 1, 2:
			time.Sleep(wait)
		case 3, 4:
			if x := s.slots[slot].Load(); x != nil {
				s.use(own, x)
			}
		case 5:
			return len(p) + 1, nil
		case 6:
			return 0, io.EOF
		}
		if len(p) > 0 {
			p[0] = 'x'
		}
		return len(p), nil
	})
	c := gyr.Config{Tier: tier, Stdin: host, Stdout: host, Stderr: host, Gas: 1_000_000, Memory: 16 << 20, Realtime: seed&1 == 0}
	if tier == gyr.TierInterp && seed&6 == 0 {
		c.Profiles = gyr.GasProfile | gyr.CPUProfile
	}
	return c
}

// step does something to an instance, or replaces one.
func (s *stress) step(rnd *rand.Rand) {
	slot := rnd.IntN(len(s.slots))
	x := s.slots[slot].Load()
	if x == nil || rnd.IntN(200) == 0 {
		s.instance(rnd, slot)
		return
	}
	s.use(rnd, x)
}

// use calls a method of an instance.
func (s *stress) use(rnd *rand.Rand, x *shared) {
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if rnd.IntN(2) == 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rnd.IntN(2000))*time.Microsecond)
	}
	defer cancel()
	call := func(name string, args ...any) {
		_, err := x.in.Call(ctx, name, args...)
		s.check(name, err)
	}
	switch rnd.IntN(24) {
	case 0, 1:
		s.check("Run", x.in.Run(ctx))
	case 2, 3:
		call("Add", 1, 2)
	case 4, 5:
		call("Print", "text")
	case 6:
		call("Read")
	case 7:
		call("Spin")
	case 8:
		if ctx.Done() != nil {
			call("Sleep")
		}
	case 9:
		call("Grow")
	case 10:
		call("Exit", rnd.IntN(2))
	case 11, 12:
		s.check("Reset", x.in.Reset(s.config(rnd.Uint64(), rnd.IntN(len(s.slots)), "")))
	case 13, 14, 15:
		if x.add != nil {
			r, err := x.add.Call(ctx, pair{40, 2})
			if s.check("Func", err); err == nil && r.Sum != 42 {
				s.t.Errorf("40 + 2 = %d", r.Sum)
			}
		}
	case 16, 17:
		if x.bound != nil {
			r, err := x.bound(40, 2)
			if s.check("bound", err); err == nil && r != 42 {
				s.t.Errorf("40 + 2 = %d", r)
			}
		}
	case 18:
		x.in.Stats()
		x.in.Hints()
		x.in.Traceback()
		x.in.Coverage()
		x.in.Tier()
	case 19:
		if err := x.in.WriteProfile(gyr.GasProfile, io.Discard); err != nil && !strings.Contains(err.Error(), "was not recorded") {
			s.check("WriteProfile", err)
		}
		s.check("WriteOpStats", x.in.WriteOpStats(io.Discard))
	case 20:
		if _, err := gyr.FuncOf[pair, sum](ctx, x.in, "Add"); err != nil {
			s.check("FuncOf", err)
		}
	case 21:
		if rnd.IntN(20) == 0 {
			s.check("Close", x.in.Close())
		}
	}
	s.done.Add(1)
}

// check checks that an error is one that the documentation names.
func (s *stress) check(what string, err error) {
	var (
		dead  *gyr.DeadlineError
		exit  *gyr.ExitError
		gas   *gyr.OutOfGasError
		mem   *gyr.MemoryLimitError
		guest *gyr.GuestError
		crash *gyr.HostPanicError
	)
	kind := ""
	switch {
	case err == nil:
		kind = "nil"
	case errors.Is(err, gyr.ErrBusy):
		kind = "ErrBusy"
	case err == gyr.ErrClosed:
		kind = "ErrClosed"
	case errors.Is(err, gyr.ErrEnded):
		kind = "ErrEnded"
	case err == gyr.ErrNotExports:
		kind = "ErrNotExports"
	case errors.As(err, &dead) && errors.Is(err, context.DeadlineExceeded):
		kind = "DeadlineError"
	case errors.As(err, &exit):
		kind = "ExitError"
	case errors.As(err, &gas):
		kind = "OutOfGasError"
	case errors.As(err, &mem):
		kind = "MemoryLimitError"
	case errors.As(err, &guest):
		kind = "GuestError"
	case errors.As(err, &crash) && crash.Value == "a stream":
		kind = "HostPanicError"
	default:
		s.t.Errorf("%s: %T %v", what, err, err)
		return
	}
	n, _ := s.ends.LoadOrStore(kind, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}
