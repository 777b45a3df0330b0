package probe

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// differing is the number of cases in which two reports differ; they must have the same inputs.
func differing(t *testing.T, a, b *Report) (n int) {
	t.Helper()
	if len(a.Cases) == 0 || len(a.Cases) != len(b.Cases) {
		t.Fatalf("%d cases and %d", len(a.Cases), len(b.Cases))
	}
	for i := range a.Cases {
		if a.Cases[i].Args != b.Cases[i].Args {
			t.Fatalf("%q and %q", a.Cases[i].Args, b.Cases[i].Args)
		}
		if a.Cases[i].Out != b.Cases[i].Out {
			n++
		}
	}
	return n
}

// find counts the places of a text. With skips it goes on behind what it has compared, where a match
// may already have begun.
func find(skips bool) func(s, what string) int {
	return func(s, what string) (n int) {
		for i := 0; i+len(what) <= len(s); {
			k := 0
			for k < len(what) && s[i+k] == what[k] {
				k++
			}
			if k == len(what) {
				n++
			}
			if !skips || k == 0 {
				k = 1
			}
			i += k
		}
		return n
	}
}

// TestRelated: texts of one case occur in each other, whole, in part and overlapping.
func TestRelated(t *testing.T) {
	if differing(t, run("finds", find(false)), run("finds", find(true))) == 0 {
		t.Error("a match that begins in another part does not show")
	}
}

// A listener calls a function, with a lock or without one.
type listener struct {
	mu     sync.Mutex
	locked bool
	n      int
	f      func(int)
}

func (c *listener) Do(x int) int {
	c.mu.Lock()
	c.n++
	n, f := c.n, c.f
	if c.locked {
		defer c.mu.Unlock()
	} else {
		c.mu.Unlock()
	}
	if f != nil {
		f(x)
	}
	return n
}

func (c *listener) Set(f func(int)) {
	c.mu.Lock()
	c.f = f
	c.mu.Unlock()
}

// TestCallsBack: functions that an object calls call the object.
func TestCallsBack(t *testing.T) {
	process.home = reflect.TypeOf(listener{}).PkgPath()
	report := func(locked bool) *Report {
		w := &worker{pkg: &Package{Types: []interface{}{(*listener)(nil)}, Functions: map[string]interface{}{
			"newListener": func() *listener { return &listener{locked: locked} }, "(*listener).Do": (*listener).Do, "(*listener).Set": (*listener).Set,
		}}}
		return w.sequences("type listener", 160)
	}
	free, locked := report(false), report(true)
	if n := differing(t, free, report(false)); n != 0 {
		t.Errorf("%d sequences differ from those of another run", n)
	}
	blocked := func(r *Report) (n int) {
		for _, c := range r.Cases {
			if strings.Contains(c.Out, waitsForItself) {
				n++
			}
		}
		return n
	}
	if blocked(free) != 0 || blocked(locked) != mostBlocked {
		t.Errorf("%d and %d sequences wait for themselves", blocked(free), blocked(locked))
	}
}

// TestEnding: contexts end before a call, and in it.
func TestEnding(t *testing.T) {
	sum := func(looks func(i int) bool) func(ctx context.Context, list []int, f func(int) int) (int, error) {
		return func(ctx context.Context, list []int, f func(int) int) (n int, err error) {
			for i, x := range list {
				if looks(i) && ctx.Err() != nil {
					return 0, ctx.Err()
				}
				n += f(x)
			}
			return n, nil
		}
	}
	report := func(looks func(i int) bool) *Report {
		return examineWith(&worker{pkg: &Package{}}, func(w *worker, r *Report, c *callee) {
			c.origins = nil
			w.failing(r, c)
		}, "sum", sum(looks), 0)
	}
	always := report(func(int) bool { return true })
	for name, looks := range map[string]func(i int) bool{"never": func(int) bool { return false }, "at first": func(i int) bool { return i == 0 }} {
		if differing(t, always, report(looks)) == 0 {
			t.Errorf("a context that is looked at %s does not show", name)
		}
	}
}

// TestNils: whether a list is nil shows where the parent's text decides it.
func TestNils(t *testing.T) {
	none := func(list []int) func(n int) []int { return func(int) []int { return list } }
	for _, decided := range []bool{false, true} {
		process.nils = nil
		if decided {
			process.nils = map[string]uint64{"none": 1}
		}
		if n := differing(t, run("none", none(nil)), run("none", none([]int{}))); n > 0 != decided {
			t.Errorf("decided %v: %d cases differ", decided, n)
		}
	}
	process.nils = nil
}
