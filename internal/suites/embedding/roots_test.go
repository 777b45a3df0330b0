package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// compileWithState compiles a library whose instances have states, without some passes.
func compileWithState(t testing.TB, src string, noPass ...string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(src)}}, Exports: true},
		&gyr.CompileOptions{State: true, Debug: gyr.CompileDebug{NoPass: noPass}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// explain says how two states differ.
func explain(a, b *gyr.State) (text string) {
	for i, s := range a.Sections {
		if x := b.Sections[i]; string(x.Content) != string(s.Content) {
			text += fmt.Sprintf("section %s:\n%q\n%q\n", s.Name, s.Content, x.Content)
		}
	}
	n := 0
	state.Diff(&a.Tree, &b.Tree, func(page uint32) bool {
		x, _ := a.Page(page)
		y, _ := b.Page(page)
		at := 0
		for at < len(x) && at < len(y) && x[at] == y[at] {
			at++
		}
		text += fmt.Sprintf("page %#x at %#x: %x, %x\n", page, at, x[at:min(len(x), at+32)], y[at:min(len(y), at+32)])
		n++
		return n < 10
	})
	return text
}

var rootsFlag = flag.Int("roots", 60, "rounds of TestRoots, of 3 or 4 calls each")

// TestRoots makes the same random calls in instances of all tiers, with passes of phase B off, and
// in one that is stored and restored repeatedly, in any tier. Some calls are in transactions that a
// limit ends or that are rolled back, and each instance also has transactions of its own that are
// rolled back. After each step all have the same root, gas, output and figures.
func TestRoots(t *testing.T) {
	rounds := *rootsFlag
	if testing.Short() {
		rounds = min(rounds, 25)
	}
	p, without := compileWithState(t, bank), compileWithState(t, bank, "phaseb")
	// Near the limit of gas all calls are in transactions, since a call that reaches the limit ends
	// its instance.
	t.Run("with gas", func(t *testing.T) { roots(t, p, without, rounds*2/3, 1<<50) })
	t.Run("near the limit", func(t *testing.T) { roots(t, p, without, rounds/3, 5_000_000) })
}

// A runner is an instance of TestRoots.
type runner struct {
	name   string
	in     *gyr.Instance
	burned int64      // gas of what was rolled back
	own    *rand.Rand // draws the differences between runners
}

// used is the gas in the root.
func (x *runner) used() int64 { return x.in.Stats().Gas - x.burned }

// undo begins a transaction, does something, and rolls it back, unless that has ended the
// transaction.
func (x *runner) undo(t *testing.T, do func() (ended bool)) {
	gas := x.in.Stats().Gas
	if err := x.in.Begin(t.Context()); err != nil {
		t.Fatal(x.name, err)
	}
	ended := do()
	if err := x.in.Rollback(); (err != nil) != ended {
		t.Fatal(x.name, err)
	}
	x.burned += x.in.Stats().Gas - gas
}

// steps makes random calls until one ends the program. They may do so only with mayEnd.
func steps(t *testing.T, in *gyr.Instance, c *rand.Rand, calls int, mayEnd bool) (texts []string, ended bool) {
	for range calls {
		text, err := step(in, c, mayEnd)
		texts = append(texts, text)
		if err != nil && !errors.As(err, new(*gyr.GuestError)) {
			if !mayEnd {
				t.Fatal(text)
			}
			return texts, true
		}
	}
	return texts, false
}

// boundsOf returns the limits of the model's instances. Some calls reach them.
func boundsOf(gas int64) gyr.Config {
	return gyr.Config{Gas: gas, Memory: 32 << 20, Stack: 2 << 20, Output: 12_000, Seed: 5}
}

func roots(t *testing.T, p, without *gyr.Program, rounds int, gas int64) {
	ctx := t.Context()
	near := gas < 1<<40
	cfg := boundsOf(gas)
	var all []runner
	for _, tier := range tiers() {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		cfg.Tier = tier
		for name, p := range map[string]*gyr.Program{"": p, " without phase B": without, " restored": p} {
			all = append(all, runner{name: string(tier) + name, in: newInstance(t, p, cfg)})
		}
	}
	slices.SortFunc(all, func(a, b runner) int { return strings.Compare(a.name, b.name) })
	for i := range all {
		all[i].own = rand.New(rand.NewPCG(9, uint64(i)))
		if _, err := all[i].in.State(ctx); err != nil { // initialises packages
			t.Fatal(err)
		}
	}
	s, err := store.New(store.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := rand.New(rand.NewPCG(3, 4))
	ends := map[string]int{}
	for round := range rounds {
		seed, calls, rolls, keeps, holds := r.Uint64(), 1+r.IntN(6), r.IntN(4) == 0, r.IntN(2) == 0, r.IntN(2) == 0
		var first *gyr.State
		var texts []string
		var used, spent int64
		more := false
		for i := range all {
			x := &all[i]
			if x.own.IntN(4) == 0 {
				x.undo(t, func() bool {
					_, ended := steps(t, x.in, rand.New(rand.NewPCG(x.own.Uint64(), 1)), 1+x.own.IntN(4), true)
					return ended
				})
			}
			c := rand.New(rand.NewPCG(seed, 1))
			var out []string
			ended := false
			before := x.in.Stats().Gas
			switch {
			case rolls:
				x.undo(t, func() bool {
					if holds {
						if _, err := x.in.Call(ctx, "Hold", gyr.NewHandle(new(conn))); err != nil {
							ended = true // by the limit of gas
							return true
						}
					}
					out, ended = steps(t, x.in, c, calls, true)
					return ended
				})
			case keeps || near:
				gas := x.in.Stats().Gas
				if err := x.in.Begin(ctx); err != nil {
					t.Fatal(x.name, err)
				}
				out, ended = steps(t, x.in, c, calls, true)
				if err := x.in.Commit(); (err != nil) != ended {
					t.Fatal(x.name, err)
				}
				if ended {
					x.burned += x.in.Stats().Gas - gas
				}
			default:
				out, _ = steps(t, x.in, c, calls, false)
			}
			st, err := x.in.State(ctx)
			if err != nil {
				t.Fatal(x.name, err)
			}
			if first == nil {
				first, texts, used, spent = st, out, x.used(), x.in.Stats().Gas-before
				if ended {
					last := "[] out of gas"
					if len(out) > 0 {
						last = out[len(out)-1]
					}
					more = strings.Contains(last, "out of gas")
					ends[strings.Join(strings.Fields(last)[1:4], " ")]++
				}
			}
			if st.Root != first.Root || x.used() != used {
				t.Fatalf("round %d: %s has another root than %s, or gas %d and not %d\n%s", round, x.name, all[0].name, x.used(), used, explain(st, first))
			}
			if n := x.in.Stats().Gas - before; n != spent {
				t.Fatalf("round %d: %s has used %d units, %s %d, for\n%s", round, x.name, n, all[0].name, spent, out)
			}
			if got, want := fmt.Sprint(out), fmt.Sprint(texts); got != want {
				t.Fatalf("round %d: %s has returned\n%s\n%s has\n%s", round, x.name, got, all[0].name, want)
			}
		}
		if near && more {
			n := r.Int64N(10_000_000)
			cfg.Gas += n
			for i := range all {
				if err := all[i].in.AddGas(n); err != nil {
					t.Fatal(err)
				}
			}
		}
		if r.IntN(3) > 0 {
			continue
		}
		for i := range all {
			if x := &all[i]; strings.HasSuffix(x.name, " restored") {
				cfg.Tier = tiers()[r.IntN(len(tiers()))]
				if cfg.Tier == gyr.TierNative && p.NativeError() != nil {
					cfg.Tier = gyr.TierInterp
				}
				x.in = handOver(t, p, s, x.in, cfg, fmt.Sprint(i), uint64(round+1), r.IntN(2) == 0)
				x.burned = 0
			}
		}
	}
	t.Logf("%d rounds of %d instances, which ended by %v", rounds, len(all), ends)
	// Reading an instance's own figures takes gas: some must be left.
	for i := range all {
		if err := all[i].in.AddGas(1 << 32); err != nil {
			t.Fatal(err)
		}
	}
	want := mustCall(t, all[0].in, "State")
	for _, x := range all[1:] {
		if got := mustCall(t, x.in, "State"); got != want {
			t.Errorf("%s tells of itself\n%s\n%s tells\n%s", x.name, got, all[0].name, want)
		}
	}
}

// handOver stores the state of an instance under a name and closes the instance. It returns an
// instance that continues from there, or from a file of the state.
func handOver(t *testing.T, p *gyr.Program, s *store.Store, in *gyr.Instance, cfg gyr.Config, name string, seq uint64, file bool) *gyr.Instance {
	ctx := t.Context()
	st, err := in.State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.Commit(store.Change{Name: name, Seq: seq, Tree: st.Tree, Sections: st.Sections, Page: st.Page})
	if err != nil {
		t.Fatal(err)
	}
	if entries[0].Root != st.Root {
		t.Fatalf("the store has root %v, the state %v", entries[0].Root, st.Root)
	}
	v, err := s.Open(name, seq)
	if err != nil {
		t.Fatal(err)
	}
	var saved gyr.Saved = v
	if file {
		var b bytes.Buffer
		if err := state.Write(&b, nil, &st.Tree, st.Sections, st.Page); err != nil {
			t.Fatal(err)
		}
		if saved, err = state.Read(&b, nil); err != nil {
			t.Fatal(err)
		}
	}
	in.Close()
	next, err := p.Restore(ctx, cfg, st.Root, saved)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { next.Close() })
	again, err := next.State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if again.Root != st.Root {
		t.Fatalf("restored, it has another root\n%s", explain(again, st))
	}
	return next
}

// damaged is a state with a flipped bit.
type damaged struct {
	gyr.Saved
	page    uint32
	section string
}

func (d damaged) ReadPage(number uint32, into []byte) error {
	err := d.Saved.ReadPage(number, into)
	if number == d.page {
		into[100] ^= 4
	}
	return err
}

func (d damaged) Sections() ([]state.Section, error) {
	list, err := d.Saved.Sections()
	for i := range list {
		if list[i].Name == d.section {
			list[i].Content = append(list[i].Content, 1)
		}
	}
	return list, err
}

// TestRestoreRefuses: a state that does not match the root, the program or the configuration is
// refused with the reason.
func TestRestoreRefuses(t *testing.T) {
	ctx := context.Background()
	p := compileWithState(t, bank)
	cfg := gyr.Config{Memory: 64 << 20, Seed: 5}
	in := newInstance(t, p, cfg)
	mustStep := func(name string, args ...any) {
		if _, err := in.Call(ctx, name, args...); err != nil {
			t.Fatal(err)
		}
	}
	mustStep("Open", "a", 0)
	mustStep("File", "x")
	st, err := in.State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(store.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Commit(store.Change{Name: "a", Seq: 1, Tree: st.Tree, Sections: st.Sections, Page: st.Page}); err != nil {
		t.Fatal(err)
	}
	v, err := s.Open("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	var page uint32
	st.Tree.Walk(&state.Tree{}, func(n state.Node) (bool, error) {
		if n.Level == 0 {
			page = n.Index
		}
		return page == 0, nil
	}, func(state.Node, *[state.Fanout]state.Hash) error { return nil })
	other := compileWithState(t, bank+"\nfunc Other() int { return 1 }\n")
	plain := compileLibrary(t, bank)
	less := cfg
	less.Memory = 32 << 20
	named := cfg
	named.Env = []string{"NODE=a"}
	for name, c := range map[string]struct {
		p     *gyr.Program
		cfg   gyr.Config
		root  state.Hash
		saved gyr.Saved
		what  string
	}{
		"another root":      {p, cfg, state.Hash{1}, v, "root"},
		"a damaged page":    {p, cfg, st.Root, damaged{v, page, ""}, fmt.Sprint("page ", page)},
		"a damaged section": {p, cfg, st.Root, damaged{v, 0, "runtime"}, "root"},
		"another program":   {other, cfg, st.Root, v, "program"},
		"a program without": {plain, cfg, st.Root, v, "program"},
		"with other limits": {p, less, st.Root, v, "limits"},
		"with other words":  {p, named, st.Root, v, "limits"},
		"with no sections":  {p, cfg, st.Root, damaged{v, 0, "program"}, "root"},
	} {
		var wrong *gyr.StateError
		if in, err := c.p.Restore(ctx, c.cfg, c.root, c.saved); !errors.As(err, &wrong) || wrong.What != c.what || in != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Restore(ctx, cfg, st.Root, v); err != nil {
		t.Error(err)
	}
	// Arguments and environment are in memory, so they must be the same.
	words := newInstance(t, p, named)
	ws, err := words.State(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(store.Change{Name: "words", Seq: 1, Tree: ws.Tree, Sections: ws.Sections, Page: ws.Page}); err != nil {
		t.Fatal(err)
	}
	w, err := s.Open("words", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Restore(ctx, named, ws.Root, w); err != nil {
		t.Error(err)
	}
	for _, env := range [][]string{nil, {"NODE=b"}} {
		named.Env = env
		var field *gyr.ConfigError
		if _, err := p.Restore(ctx, named, ws.Root, w); !errors.As(err, &field) || field.Field != "Env" {
			t.Errorf("with the environment %q: %v", env, err)
		}
	}
	// A portable image of the program is the same program.
	image, err := gyr.Build(ctx, gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(bank)}}, Exports: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	same, err := gyr.CompileImage(ctx, image, &gyr.CompileOptions{State: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := same.Restore(ctx, cfg, st.Root, v); err != nil {
		t.Error(err)
	}
	var refused *gyr.TransactionError
	if _, err := newInstance(t, plain, cfg).State(ctx); !errors.As(err, &refused) || refused.Op != "State" {
		t.Errorf("a State without CompileOptions.State: %v", err)
	}
}

// TestTransactionRefuses: state that a copy of memory cannot restore is named, and nothing has
// changed.
func TestTransactionRefuses(t *testing.T) {
	ctx := context.Background()
	p := compileBank(t)
	eachTier(t, p, gyr.Config{}, func(t *testing.T, in *gyr.Instance) {
		var refused *gyr.TransactionError
		for _, f := range []func() error{in.Commit, in.Rollback} {
			if err := f(); !errors.As(err, &refused) || refused.Err != nil {
				t.Errorf("outside of a transaction: %v", err)
			}
		}
		if err := in.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		if err := in.Begin(ctx); !errors.As(err, &refused) || refused.Op != "Begin" {
			t.Errorf("Begin twice: %v", err)
		}
		if _, err := in.Call(ctx, "Start"); err != nil {
			t.Fatal(err)
		}
		if err := in.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := in.Begin(ctx); !errors.As(err, &refused) {
			t.Errorf("with another goroutine: %v", err)
		}
		if err := in.Reset(gyr.Config{}); err != nil {
			t.Fatal(err)
		}
		if err := in.Rollback(); !errors.As(err, &refused) {
			t.Errorf("behind Reset: %v", err)
		}
		if err := in.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		in.Close()
		if err := in.Commit(); err != gyr.ErrClosed {
			t.Errorf("a closed instance: %v", err)
		}
	})
}

// BenchmarkTransactions measures a small call by itself, in a transaction, rolled back, and
// followed by a State.
func BenchmarkTransactions(b *testing.B) {
	ctx := context.Background()
	p := compileWithState(b, bank)
	for _, tier := range tiers() {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		in := newInstance(b, p, gyr.Config{Tier: tier, Memory: 256 << 20})
		for i := range 1000 {
			if _, err := in.Call(ctx, "Open", fmt.Sprint("account", i), 0); err != nil {
				b.Fatal(err)
			}
		}
		var add func(string, int) error
		if err := in.Bind(ctx, "Add", &add); err != nil {
			b.Fatal(err)
		}
		check := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		var query func(gyr.CallOptions, string, int) error
		if err := in.Bind(ctx, "Add", &query); err != nil {
			b.Fatal(err)
		}
		b.Run(string(tier)+"/ReadOnly", func(b *testing.B) {
			b.ReportAllocs()
			began := cpuTime()
			for i := range b.N {
				check(query(gyr.CallOptions{ReadOnly: true}, fmt.Sprint("account", i%1000), 1))
			}
			b.ReportMetric(float64(cpuTime()-began)/float64(b.N), "cpu-ns/op")
		})
		for name, f := range map[string]func(){
			"Bare":     func() {},
			"Commit":   func() { check(in.Commit()) },
			"Rollback": func() { check(in.Rollback()) },
			"State":    func() { check(in.Commit()); _, err := in.State(ctx); check(err) },
		} {
			b.Run(string(tier)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				began := cpuTime()
				for i := range b.N {
					if name != "Bare" {
						check(in.Begin(ctx))
					}
					check(add(fmt.Sprint("account", i%1000), 1))
					f()
				}
				b.ReportMetric(float64(cpuTime()-began)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// BenchmarkRestore is a Restore of a small state and of one of 64 MiB, with -large also of 1,024: the
// first of the program, which reads it, and the next ones.
func BenchmarkRestore(b *testing.B) {
	const src = "package lib\n\nvar all [][]byte\n\nfunc Fill(n int) {\n\tfor range n {\n\t\tx := make([]byte, 1<<20)\n\t\tfor i := range x {\n\t\t\tx[i] = byte(len(all) + i + i>>12)\n\t\t}\n\t\tall = append(all, x)\n\t}\n}\n"
	p := compileWithState(b, src)
	sizes := []int{1, 64}
	if *large {
		sizes = append(sizes, 1024)
	}
	for _, size := range sizes {
		in := newInstance(b, p, gyr.Config{})
		if _, err := in.Call(b.Context(), "Fill", size); err != nil {
			b.Fatal(err)
		}
		root, saved := kept(b, in)
		restore := func(p *gyr.Program) {
			again, err := p.Restore(b.Context(), gyr.Config{}, root, saved)
			if err != nil {
				b.Fatal(err)
			}
			again.Close()
		}
		b.Run(fmt.Sprint(size, "MiB/first"), func(b *testing.B) {
			var cpu time.Duration
			for range b.N {
				b.StopTimer()
				fresh := compileWithState(b, src)
				newInstance(b, fresh, gyr.Config{}).Run(b.Context())
				newInstance(b, fresh, gyr.Config{}).Run(b.Context())
				b.StartTimer()
				began := cpuTime()
				restore(fresh)
				cpu += cpuTime() - began
			}
			b.ReportMetric(float64(cpu)/float64(b.N)/1e3, "cpu-µs/op")
		})
		b.Run(fmt.Sprint(size, "MiB/next"), func(b *testing.B) {
			began := cpuTime()
			defer func() { b.ReportMetric(float64(cpuTime()-began)/float64(b.N)/1e3, "cpu-µs/op") }()
			for b.Loop() {
				restore(p)
			}
		})
	}
}
