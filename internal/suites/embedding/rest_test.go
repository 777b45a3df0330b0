package embedding_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestFutureOfLimits: three instances with one root end at the same call, by the limits of output
// and of gas over all calls, with the same error. One of them was restored, and one has undone
// calls.
func TestFutureOfLimits(t *testing.T) {
	ctx := t.Context()
	p := compileWithState(t, `package lib

import "os"

func Out(n int) { os.Stdout.Write(make([]byte, n)) }

func Use(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}
`)
	for _, c := range []struct {
		cfg  gyr.Config
		call string
		n    int
	}{
		{gyr.Config{Output: 100_000}, "Out", 30_000},
		{gyr.Config{Gas: 1_000_000}, "Use", 80_000},
	} {
		for _, tier := range tiers() {
			c.cfg.Tier = tier
			executed := newInstance(t, p, c.cfg)
			do(t, executed, c.call, c.n)
			root, saved := kept(t, executed)
			restored, err := p.Restore(ctx, c.cfg, root, saved)
			if err != nil {
				t.Fatal(err)
			}
			undone := newInstance(t, p, c.cfg)
			do(t, undone, c.call, c.n)
			for range 3 {
				if err := undone.Begin(ctx); err != nil {
					t.Fatal(err)
				}
				do(t, undone, c.call, c.n)
				if err := undone.Rollback(); err != nil {
					t.Fatal(err)
				}
			}
			var want string
			for i, in := range []*gyr.Instance{executed, restored, undone} {
				if got, _ := kept(t, in); got != root {
					t.Errorf("%s, %s, instance %d: another root", c.call, tier, i)
				}
				calls := 0
				for err = nil; err == nil && calls < 20; calls++ {
					_, err = in.Call(ctx, c.call, c.n)
				}
				if got := fmt.Sprint(calls, err, gyr.Reproducible(err)); want == "" {
					want = got
				} else if got != want {
					t.Errorf("%s, %s, instance %d ends with %s, the first with %s", c.call, tier, i, got, want)
				}
			}
			if !strings.HasSuffix(want, "true") || strings.HasPrefix(want, "20") {
				t.Errorf("%s, %s: %s", c.call, tier, want)
			}
			restored.Close()
		}
	}
}

// TestRest: runtime work that a call has caused does not prevent Begin and State, even if a cleanup
// takes longer than a quantum or a call has recursed deeply. A blocked finalizer does prevent them,
// and the error names it.
func TestRest(t *testing.T) {
	daily.Turn(t, 3, false)
	ctx := t.Context()
	p := compileWithState(t, `package lib

import (
	"crypto/ed25519"
	"os"
	"runtime"
	"unique"
	"weak"
)

type thing struct{ name string }

var (
	names   []unique.Handle[string]
	cache   = map[string]weak.Pointer[thing]{}
	log     []string
	wait    = make(chan bool)
	receipt []byte
)

func Sign()   { receipt = ed25519.Sign(ed25519.NewKeyFromSeed(make([]byte, 32)), []byte("a")); runtime.GC() }
func Intern() { names = append(names, unique.Make("a")); runtime.GC() }

func Weak() {
	x := &thing{"x"}
	cache["x"] = weak.Make(x)
	runtime.AddCleanup(x, func(name string) { delete(cache, name) }, x.name)
	runtime.GC()
}

func Leak() {
	f, err := os.Create("/tmp/leaked")
	f.Write([]byte("x"))
	if err != nil {
		panic(err)
	}
	f = nil
	runtime.GC()
}

func Slow() {
	for range 5 {
		runtime.AddCleanup(&thing{}, func(n int) {
			for i := range n {
				log = append(log[:0], string(rune(i)))
			}
		}, 2_000_000)
	}
	runtime.GC()
}

func Deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + Deep(n-1)
}

func Goexit() {
	runtime.SetFinalizer(&thing{}, func(*thing) { log = append(log, "ends"); runtime.Goexit() })
	runtime.GC()
}

func Block() {
	runtime.SetFinalizer(&thing{}, func(*thing) { <-wait; log = append(log, "went on") })
	runtime.GC()
}

func Wake() string { wait <- true; runtime.Gosched(); return log[len(log)-1] }
`)
	roots := map[string]string{}
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier})
		for _, c := range []struct {
			call string
			args []any
		}{{"Sign", nil}, {"Intern", nil}, {"Weak", nil}, {"Leak", nil}, {"Slow", nil}, {"Deep", []any{200_000}}, {"Goexit", nil}} {
			if err := in.Begin(ctx); err != nil {
				t.Fatalf("%s, before %s: %v", tier, c.call, err)
			}
			do(t, in, c.call, c.args...)
			if err := in.Rollback(); err != nil {
				t.Fatal(err)
			}
			do(t, in, c.call, c.args...)
			root, saved := kept(t, in)
			if got := root.String(); roots[c.call] == "" {
				roots[c.call] = got
			} else if got != roots[c.call] {
				t.Errorf("behind %s: tiers have different roots", c.call)
			}
			again, err := p.Restore(ctx, gyr.Config{Tier: tier}, root, saved)
			if err != nil {
				t.Fatalf("%s, behind %s: %v", tier, c.call, err)
			}
			again.Close()
		}
		if err := in.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		if err := in.Quiescent(ctx); err != nil {
			t.Errorf("%s: in a transaction: %v", tier, err)
		}
		do(t, in, "Block")
		var early, refused *gyr.TransactionError
		if err := in.Quiescent(ctx); !errors.As(err, &early) || early.Op != "Quiescent" {
			t.Errorf("%s: Quiescent while a finalizer waits: %v", tier, err)
		}
		if err := in.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := in.Begin(ctx); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "in the midst of a finalizer") {
			t.Errorf("%s: Begin while a finalizer waits: %v", tier, err)
		} else if early != nil && early.Reason != refused.Reason {
			t.Errorf("%s: Quiescent says %q, Begin %q", tier, early.Reason, refused.Reason)
		}
		if got := do(t, in, "Wake"); got[0] != "went on" {
			t.Errorf("%s: %v", tier, got)
		}
		if err := in.Begin(ctx); err != nil {
			t.Errorf("%s: Begin when it has gone on: %v", tier, err)
		}
	}
}
