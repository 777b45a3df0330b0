package gyr_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrdev"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// compileWithState compiles a library whose instances have states, without some passes.
func compileWithState(t testing.TB, src string, noPass ...string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyrdev.Source(gyr.Source{
		FS:      fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(src)}},
		Exports: true, State: true,
	}, gyrdev.Settings{NoPass: noPass}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// explain says what of two states differs.
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

// TestRoots makes the same random calls, some of them in transactions that are rolled back, in instances of all tiers, with passes of phase B off, and in one that is
// stored and restored again and again, in any tier: after each step all have the same root, gas, output and figures.
func TestRoots(t *testing.T) {
	rounds := *rootsFlag
	if testing.Short() {
		rounds = min(rounds, 25)
	}
	ctx := context.Background()
	p := compileWithState(t, bank)
	without := compileWithState(t, bank, "phaseb")
	cfg := gyr.Config{Gas: 1 << 50, Memory: 64 << 20, Seed: 5}
	type runner struct {
		name string
		in   *gyr.Instance
	}
	var all []runner
	for _, tier := range tiers() {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		cfg.Tier = tier
		all = append(all, runner{string(tier), newInstance(t, p, cfg)}, runner{string(tier) + " without phase B", newInstance(t, without, cfg)},
			runner{string(tier) + " restored", newInstance(t, p, cfg)})
	}
	s, err := store.New(store.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := rand.New(rand.NewPCG(3, 4))
	for round := range rounds {
		seed, calls, rolls := r.Uint64(), 1+r.IntN(6), r.IntN(4) == 0
		var first *gyr.State
		for i := range all {
			in := all[i].in
			if rolls {
				if err := in.Begin(ctx); err != nil {
					t.Fatal(err)
				}
			}
			c := rand.New(rand.NewPCG(seed, 1))
			ended := false
			for range calls {
				text, err := step(in, c, rolls)
				if ended = err != nil && !errors.As(err, new(*gyr.GuestError)); ended {
					if !rolls {
						t.Fatal(text)
					}
					break
				}
			}
			if rolls {
				if err := in.Rollback(); (err != nil) != ended {
					t.Fatal(err)
				}
			}
			st, err := in.State(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = st
			}
			if st.Root != first.Root {
				t.Fatalf("round %d: %s has another root than %s\n%s", round, all[i].name, all[0].name, explain(st, first))
			}
		}
		if r.IntN(3) > 0 {
			continue
		}
		for i := range all {
			if i%3 != 2 {
				continue
			}
			st, err := all[i].in.State(ctx)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprint(i)
			entries, err := s.Commit(store.Change{Name: name, Seq: uint64(round + 1), Tree: st.Tree, Sections: st.Sections, Page: st.Page})
			if err != nil {
				t.Fatal(err)
			}
			if entries[0].Root != st.Root {
				t.Fatalf("the store has root %v, the state %v", entries[0].Root, st.Root)
			}
			v, err := s.Open(name, uint64(round+1))
			if err != nil {
				t.Fatal(err)
			}
			var saved gyr.Saved = v
			if r.IntN(2) == 0 {
				var b bytes.Buffer
				if err := state.Write(&b, nil, &st.Tree, st.Sections, st.Page); err != nil {
					t.Fatal(err)
				}
				if saved, err = state.Read(&b, nil); err != nil {
					t.Fatal(err)
				}
			}
			all[i].in.Close()
			cfg.Tier = tiers()[r.IntN(len(tiers()))]
			if cfg.Tier == gyr.TierNative && p.NativeError() != nil {
				cfg.Tier = gyr.TierInterp
			}
			if all[i].in, err = p.Restore(ctx, cfg, st.Root, saved); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { all[i].in.Close() })
			again, err := all[i].in.State(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if again.Root != st.Root {
				t.Fatalf("round %d: restored, it has another root\n%s", round, explain(again, st))
			}
		}
	}
	want := mustCall(t, all[0].in, "State")
	for _, x := range all[1:] {
		if got := mustCall(t, x.in, "State"); got != want {
			t.Errorf("%s tells of itself\n%s\n%s tells\n%s", x.name, got, all[0].name, want)
		}
	}
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

// TestRestoreRefuses: what is not the state with the root, or not one of the program and the configuration, is named.
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
	// Arguments and environment are in memory, so they have to be the same.
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
	image, err := gyr.Build(ctx, gyr.Source{
		FS:      fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(bank)}},
		Exports: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	same, err := gyr.Compile(ctx, gyr.Source{Image: image, State: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := same.Restore(ctx, cfg, st.Root, v); err != nil {
		t.Error(err)
	}
	var refused *gyr.TransactionError
	if _, err := newInstance(t, plain, cfg).State(ctx); !errors.As(err, &refused) || refused.Op != "State" {
		t.Errorf("a State without Source.State: %v", err)
	}
}

// TestTransactionRefuses: what no copy of memory can bring back is named, and nothing has changed.
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

// BenchmarkTransactions measures a small call by itself, in a transaction, rolled back, and followed by a State.
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

// BenchmarkRestore is a Restore of a small state and of one of 64 MiB.
func BenchmarkRestore(b *testing.B) {
	p := compileWithState(b, "package lib\n\nvar all [][]byte\n\nfunc Fill(n int) {\n\tfor range n {\n\t\tx := make([]byte, 1<<20)\n\t\tfor i := range x {\n\t\t\tx[i] = byte(len(all) + i + i>>12)\n\t\t}\n\t\tall = append(all, x)\n\t}\n}\n")
	for _, size := range []int{1, 64} {
		in := newInstance(b, p, gyr.Config{})
		if _, err := in.Call(b.Context(), "Fill", size); err != nil {
			b.Fatal(err)
		}
		root, saved := kept(b, in)
		b.Run(fmt.Sprint(size, "MiB"), func(b *testing.B) {
			began := cpuTime()
			defer func() { b.ReportMetric(float64(cpuTime()-began)/float64(b.N)/1e3, "cpu-µs/op") }()
			for b.Loop() {
				again, err := p.Restore(b.Context(), gyr.Config{}, root, saved)
				if err != nil {
					b.Fatal(err)
				}
				again.Close()
			}
		})
	}
}
