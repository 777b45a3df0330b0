package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// forked is a library whose state is of every kind that a fork takes along.
const forked = `package lib

import (
	"fmt"
	"log/slog"
	"math/rand"
	"os"
	"runtime"
	"sort"
	"strings"
	"time"
)

type node struct {
	next *node
	pad  [20]int
}

var (
	counts = map[string]int{}
	list   *node
	big    [][]byte
	finals int
	things []any
)

// Step does one of many things.
func Step(n int) string {
	switch n % 9 {
	case 0:
		counts[fmt.Sprint("k", n)] += n
	case 1:
		for range n % 50 {
			list = &node{next: list}
		}
	case 2:
		big = append(big, make([]byte, n*977%200_000))
		big[len(big)-1][0] = byte(n)
	case 3:
		if len(big) > 3 {
			big = big[len(big)/2:]
		}
		list = nil
	case 4:
		p := &node{}
		p.pad[3] = n
		runtime.SetFinalizer(p, func(p *node) { finals += p.pad[3] })
	case 5:
		name := fmt.Sprintf("/tmp/f%d", n%5)
		b, _ := os.ReadFile(name)
		os.WriteFile(name, append(b, fmt.Sprint(n)...), 0o600)
	case 6:
		runtime.GC()
	case 7:
		things = append(things, rand.Int63(), time.Now().UnixNano(), strings.Repeat("x", n%1000))
	case 8:
		time.Sleep(time.Duration(n) * time.Millisecond)
	}
	return Look()
}

// Look returns what can be seen of everything.
func Look() string {
	var keys []string
	for k, v := range counts {
		keys = append(keys, fmt.Sprint(k, v))
	}
	sort.Strings(keys)
	var b strings.Builder
	fmt.Fprintln(&b, keys, len(big), finals, things, time.Now().UnixNano(), rand.Int63(), runtime.NumGoroutine())
	for i := range 5 {
		text, err := os.ReadFile(fmt.Sprintf("/tmp/f%d", i))
		fmt.Fprintln(&b, string(text), err)
	}
	n := 0
	for p := list; p != nil; p = p.next {
		n++
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	fmt.Fprintln(&b, n, ms.Mallocs, ms.TotalAlloc, ms.HeapAlloc, ms.NumGC)
	return b.String()
}

func Grow(mib int) { for range mib { b := make([]byte, 1<<20); for i := range b { b[i] = byte(i*7) | 1 }; big = append(big, b) } }

func Touch(pages, step int) { for i := range pages { b := big[i*step/256%len(big)]; b[i*step%256*4096]++ } }

func Spin() { for { } }

func Log() { slog.Info("hello"); fmt.Print("out") }

var wait = make(chan int)

func Leave() { go func() { <-wait }(); runtime.Gosched() }

var open *os.File

func Open() { open, _ = os.Create("/tmp/open") }
`

func compileForked(t testing.TB) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(forked)}}, Exports: true}, &gyr.CompileOptions{State: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func rootOf(t testing.TB, in *gyr.Instance) state.Hash {
	t.Helper()
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s.Root
}

func fork(t testing.TB, in *gyr.Instance) *gyr.Instance {
	t.Helper()
	f, err := in.Fork(t.Context(), gyr.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestForks: an instance, its forks and their forks take random steps, also in transactions. Each is
// beside a model that was never forked: an instance that has made the same steps from the start.
func TestForks(t *testing.T) {
	p := compileForked(t)
	steps := 60
	if testing.Short() {
		steps = 25
	}
	type line struct {
		in    *gyr.Instance
		steps []int
	}
	for seed := range uint64(3) {
		for _, tier := range tiers() {
			rnd := rand.New(rand.NewPCG(seed, 5))
			cfg := gyr.Config{Tier: tier, Memory: 64 << 20}
			lines := []*line{{in: newInstance(t, p, cfg)}}
			call := func(in *gyr.Instance, n int) string {
				t.Helper()
				out, err := in.Call(t.Context(), "Step", n)
				if err != nil {
					t.Fatal(err)
				}
				return out[0].(string)
			}
			for range steps {
				l := lines[rnd.IntN(len(lines))]
				switch k := rnd.IntN(10); {
				case k < 2 && len(lines) < 8:
					lines = append(lines, &line{fork(t, l.in), append([]int(nil), l.steps...)})
				case k == 2: // a transaction that is rolled back
					if err := l.in.Begin(t.Context()); err != nil {
						t.Fatal(err)
					}
					call(l.in, rnd.IntN(1000))
					if err := l.in.Rollback(); err != nil {
						t.Fatal(err)
					}
				case k == 3:
					f := fork(t, l.in)
					if a, b := rootOf(t, f), rootOf(t, l.in); a != b {
						t.Fatalf("seed %d, %s, after %v: the root of a fork is %v, of the instance %v", seed, tier, l.steps, a, b)
					}
					f.Close()
				default:
					n := rnd.IntN(1000)
					call(l.in, n)
					l.steps = append(l.steps, n)
				}
			}
			for i, l := range lines {
				model := newInstance(t, p, cfg)
				model.Run(t.Context())
				for _, n := range l.steps {
					call(model, n)
				}
				if a, b := rootOf(t, l.in), rootOf(t, model); a != b {
					t.Errorf("seed %d, %s, line %d, after %v: root %v, the model has %v", seed, tier, i, l.steps, a, b)
				}
				if a, b := call(l.in, 7), call(model, 7); a != b {
					t.Errorf("seed %d, %s, line %d: %s\nwant %s", seed, tier, i, a, b)
				}
				if err := l.in.Reset(cfg); err != nil {
					t.Error(err)
				}
				l.in.Run(t.Context())
				fresh := newInstance(t, p, cfg)
				fresh.Run(t.Context())
				if a, b := rootOf(t, l.in), rootOf(t, fresh); a != b {
					t.Errorf("seed %d, %s, line %d: a fork that was reset has the root %v, a new instance %v", seed, tier, i, a, b)
				}
				model.Close()
				fresh.Close()
			}
			for _, l := range lines {
				l.in.Close()
			}
		}
	}
}

// TestForkAlone: forks go on at the same time, while the instance goes on and is forked, and after it is closed. They
// share neither writers, nor log, nor limits.
func TestForkAlone(t *testing.T) {
	p := compileForked(t)
	for _, tier := range tiers() {
		var out, log bytes.Buffer
		in := newInstance(t, p, gyr.Config{Tier: tier, Gas: 500_000_000, Output: 100, Stdout: &out, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if _, err := in.Call(t.Context(), "Grow", 3); err != nil {
			t.Fatal(err)
		}
		var forks []*gyr.Instance
		for range 6 {
			forks = append(forks, fork(t, in))
		}
		var own, ownLog bytes.Buffer
		given, err := in.Fork(t.Context(), gyr.ForkConfig{Stdout: &own, Log: slog.New(slog.NewTextHandler(&ownLog, nil)), Gas: 1_000_000, Output: 200})
		if err != nil {
			t.Fatal(err)
		}
		defer given.Close()
		if a, b := rootOf(t, given), rootOf(t, in); a != b {
			t.Errorf("%s: %v, %v", tier, a, b)
		}
		for _, f := range append(forks, given) {
			if _, err := f.Call(t.Context(), "Log"); err != nil {
				t.Error(err)
			}
		}
		if out.Len()+log.Len() > 0 || own.String() != "out" || !strings.Contains(ownLog.String(), "hello") {
			t.Errorf("%s: %q, %q, %q, %q", tier, out.String(), log.String(), own.String(), ownLog.String())
		}
		var gas *gyr.OutOfGasError
		before := given.Stats().Gas
		if _, err := given.Call(t.Context(), "Spin"); !errors.As(err, &gas) || given.Stats().Gas > before+1_100_000 {
			t.Errorf("%s: %v, %d units from %d", tier, err, given.Stats().Gas, before)
		}
		outs := make([]string, len(forks))
		step := func() *sync.WaitGroup {
			var wg sync.WaitGroup
			for i, f := range forks {
				wg.Go(func() {
					for n := range 20 {
						o, err := f.Call(t.Context(), "Step", n*13)
						if err != nil {
							t.Error(err)
							return
						}
						outs[i] = o[0].(string)
					}
				})
			}
			return &wg
		}
		same := func(when string) {
			root := rootOf(t, forks[0])
			for i, o := range outs {
				if o != outs[0] || rootOf(t, forks[i]) != root {
					t.Errorf("%s: forks that do the same differ %s", tier, when)
				}
			}
		}
		wg := step()
		for n := range 40 {
			if _, err := in.Call(t.Context(), "Step", n*7); err != nil {
				t.Fatal(err)
			}
			fork(t, in).Close()
		}
		wg.Wait()
		same("while the instance is forked")
		in.Close()
		step().Wait()
		same("after it was closed")
		if b := forks[0].Stats().Began; !b.Copy {
			t.Errorf("%+v", b)
		}
	}
}

// TestForkRefuses: what cannot be forked says so, and is unchanged.
func TestForkRefuses(t *testing.T) {
	p := compileForked(t)
	for _, tier := range tiers() {
		made := func() *gyr.Instance { return newInstance(t, p, gyr.Config{Tier: tier}) }
		refuse := func(in *gyr.Instance, cfg gyr.ForkConfig, want string) {
			t.Helper()
			f, err := in.Fork(t.Context(), cfg)
			if err == nil {
				f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", tier, err, want)
			}
		}
		in := made()
		if err := in.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		refuse(in, gyr.ForkConfig{}, "gyr: Fork: a transaction is open")
		if err := in.Rollback(); err != nil {
			t.Error(err)
		}
		refuse(in, gyr.ForkConfig{Gas: -1}, "Gas")
		refuse(in, gyr.ForkConfig{Output: -1}, "Output")
		refuse(in, gyr.ForkConfig{Log: slog.Default()}, "Log")
		fork(t, in).Close()
		in.Call(t.Context(), "Open")
		refuse(in, gyr.ForkConfig{}, "gyr: Fork: a file is open")
		in = made()
		in.Call(t.Context(), "Leave")
		refuse(in, gyr.ForkConfig{}, "gyr: Fork: the guest has other goroutines")
		in = made()
		if _, err := in.NewBuffer(100); err != nil {
			t.Fatal(err)
		}
		refuse(in, gyr.ForkConfig{}, "gyr: Fork: there are lent buffers")
		in = made()
		in.Close()
		refuse(in, gyr.ForkConfig{}, gyr.ErrClosed.Error())
		refuse(nil, gyr.ForkConfig{}, gyr.ErrClosed.Error())
		in = made()
		in.CallWith(t.Context(), gyr.CallOptions{Gas: 1000}, "Spin")
		refuse(in, gyr.ForkConfig{}, gyr.ErrEnded.Error())
		real := newInstance(t, p, gyr.Config{Tier: tier, Realtime: true})
		refuse(real, gyr.ForkConfig{}, "gyr: Fork: its clock is the machine's")
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := made().Fork(done, gyr.ForkConfig{}); !errors.As(err, new(*gyr.DeadlineError)) {
			t.Errorf("%v", err)
		}
		spins := made()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			defer close(ended)
			for err := gyr.ErrBusy; errors.Is(err, gyr.ErrBusy); { // a Fork may be under way
				_, err = spins.Call(ctx, "Spin")
			}
		}()
		for {
			f, err := spins.Fork(t.Context(), gyr.ForkConfig{})
			if errors.Is(err, gyr.ErrBusy) {
				break
			}
			if err == nil {
				f.Close()
			}
			time.Sleep(time.Millisecond)
		}
		stop()
		<-ended
	}
}

// TestForkDirs: a fork opens granted directories anew, and its files are its own.
func TestForkDirs(t *testing.T) {
	const src = `package lib

import "os"

func Read(name string) string { b, err := os.ReadFile(name); if err != nil { return err.Error() }; return string(b) }

func Write(name, text string) error { return os.WriteFile(name, []byte(text), 0o600) }
`
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(src)}}, Exports: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, copied := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, copied} {
		for _, name := range []string{"/file", "/other"} {
			if err := os.WriteFile(d+name, []byte("text"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier, Dirs: []gyr.Dir{{Host: dir, Guest: "/dir"}, {Host: copied, Guest: "/copy", Copy: true}},
			Mounts: []gyr.Mount{{Guest: "/mount", FS: fstest.MapFS{"file": {Data: []byte("text")}, "other": {Data: []byte("text")}}, Write: true}}})
		read := func(in *gyr.Instance, name, want string) {
			t.Helper()
			if out, err := in.Call(t.Context(), "Read", name); err != nil || out[0] != want {
				t.Errorf("%s: %s: %v, %v", tier, name, out, err)
			}
		}
		write := func(in *gyr.Instance, name, text string) {
			t.Helper()
			if _, err := in.Call(t.Context(), "Write", name, text); err != nil {
				t.Errorf("%s: %s: %v", tier, name, err)
			}
		}
		for _, place := range []string{"/copy", "/mount"} {
			read(in, place+"/file", "text")
			write(in, place+"/file", "changed")
		}
		write(in, "/tmp/file", "mine")
		f := fork(t, in)
		for _, place := range []string{"/copy", "/mount"} {
			read(f, place+"/file", "changed")
			write(f, place+"/file", "forked")
			read(in, place+"/file", "changed")
		}
		read(f, "/tmp/file", "mine")
		write(f, "/tmp/file", "forked")
		read(in, "/tmp/file", "mine")
		in.Close()
		for _, place := range []string{"/copy", "/mount", "/dir"} {
			read(f, place+"/other", "text")
		}
		write(f, "/dir/new", "new")
		if b, err := os.ReadFile(dir + "/new"); err != nil || string(b) != "new" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// TestReadOnlyCalls: read-only calls change nothing, whatever they do and however they end, also between
// other calls and transactions, and are refused where a transaction is.
func TestReadOnlyCalls(t *testing.T) {
	p := compileForked(t)
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier, Memory: 64 << 20})
		model := newInstance(t, p, gyr.Config{Tier: tier, Memory: 64 << 20})
		ro := gyr.CallOptions{ReadOnly: true}
		same := func(when string) {
			t.Helper()
			if a, b := rootOf(t, in), rootOf(t, model); a != b {
				t.Errorf("%s, %s: root %v, want %v", tier, when, a, b)
			}
		}
		rnd := rand.New(rand.NewPCG(3, 4))
		for i := range 60 {
			n := rnd.IntN(1000)
			switch rnd.IntN(4) {
			case 0:
				in.Call(t.Context(), "Step", n)
				model.Call(t.Context(), "Step", n)
			case 1:
				for range rnd.IntN(4) {
					a, st, err := in.CallWith(t.Context(), ro, "Step", n)
					f := fork(t, model)
					b, err2 := f.Call(t.Context(), "Step", n)
					if err != nil || err2 != nil || a[0] != b[0] || st.Gas == 0 {
						t.Errorf("%s: %v %v %v %v", tier, err, err2, a, b)
					}
					f.Close()
				}
			case 2:
				o := ro
				o.Gas = 10_000
				var gas *gyr.OutOfGasError
				if _, _, err := in.CallWith(t.Context(), o, "Spin"); !errors.As(err, &gas) || gas.Call != true {
					t.Errorf("%s: %v", tier, err)
				}
			case 3:
				same("step")
				in.Stats()
			}
			if i == 30 {
				if err := in.Begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				var refused *gyr.TransactionError
				if _, _, err := in.CallWith(t.Context(), ro, "Step", 1); !errors.As(err, &refused) || !strings.Contains(err.Error(), "a transaction is open") {
					t.Errorf("%s: %v", tier, err)
				}
				in.Call(t.Context(), "Step", 5)
				model.Call(t.Context(), "Step", 5)
				if err := in.Commit(); err != nil {
					t.Error(err)
				}
			}
		}
		same("in the end")
		if out, _, err := in.CallWith(t.Context(), ro, "Step", "text"); err == nil {
			t.Errorf("%v", out)
		}
		in.Call(t.Context(), "Leave")
		if _, _, err := in.CallWith(t.Context(), ro, "Look"); err == nil || !strings.Contains(err.Error(), "gyr: a read-only call: the guest has other goroutines") {
			t.Errorf("%s: %v", tier, err)
		}
	}
}
