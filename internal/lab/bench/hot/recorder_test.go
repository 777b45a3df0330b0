package hot

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
)

// benchProgram runs two functions between lines that announce them. Its argument says how often.
const benchProgram = `package main

import (
	"fmt"
	"os"
	"strconv"
)

//go:noinline
func sum(a []int) (s int) {
	for _, x := range a {
		s += x
	}
	return s
}

//go:noinline
func collatz(n int) (steps int) {
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	a := make([]int, 100)
	for i := range a {
		a[i] = i
	}
	t := 0
	fmt.Println("begin")
	for range n {
		t += sum(a)
		t += collatz(27)
	}
	fmt.Println("end")
	fmt.Println(t)
}
`

// once leaves out copies of loops, so that the counts are those of the source.
var once = []string{"unroll"}

type events func(string)

func (w events) Write(b []byte) (int, error) {
	w(strings.TrimSpace(string(b)))
	return len(b), nil
}

func compiled(t *testing.T, text string, src engine.Source) *engine.Program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	src.Patterns = []string{file}
	p, err := engine.Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recorded runs a program twice, and profiles the work between its lines.
func recorded(t *testing.T, p *engine.Program, tier api.Tier, sampled, counted int) *record.Profile {
	t.Helper()
	if tier == api.TierNative && engine.CheckNative() != nil {
		t.Skip("no machine code here")
	}
	r := NewRecorder(p, sample.Config{})
	defer r.Close()
	for _, run := range []struct {
		n        int
		counting bool
	}{{sampled, false}, {counted, true}} {
		if run.n == 0 {
			continue
		}
		cfg := engine.Config{Config: api.Config{Tier: tier}}
		cfg.Args = []string{fmt.Sprint(run.n)}
		Configure(&cfg, run.counting)
		cfg.Stdout = events(func(line string) {
			switch line {
			case "begin":
				r.Start()
			case "end":
				r.Stop()
			}
		})
		in, err := p.NewInstance(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.On(in, run.counting)
		if err := in.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	return r.Profile(sampled, counted)
}

func listingOf(p *record.Profile, name string) *record.Listing {
	for i := range p.Listings {
		if p.Listings[i].Func == name {
			return &p.Listings[i]
		}
	}
	return nil
}

// blockCounts are the distinct counts of each block of the IR in a listing, without out-of-line
// code.
func blockCounts(l *record.Listing) map[string][]float64 {
	out := map[string][]float64{}
	block := ""
	for _, x := range l.Code {
		if strings.HasPrefix(x.Label, "out") {
			break
		}
		if strings.HasPrefix(x.Label, "b") {
			block = x.Label
		}
		if c := out[block]; len(c) == 0 || c[len(c)-1] != x.Count {
			out[block] = append(c, x.Count)
		}
	}
	return out
}

// The counts of instructions match the source: a loop over 100 elements, and one of 111 steps, 70
// of them halving. The listing has as many instructions as decoding the bytes finds, and the
// counters cover as many as the code generator emitted.
func TestCountsOfKnownLoops(t *testing.T) {
	for _, src := range []engine.Source{{NoPass: once}, {NoBase: true, NoPass: once}} {
		p := recorded(t, compiled(t, benchProgram, src), api.TierNative, 0, 50)
		if p.By != "blocks" || p.N != 50 || p.Failed != "" {
			t.Fatalf("%s, %d iterations, %q", p.By, p.N, p.Failed)
		}
		total, shares := 0.0, 0.0
		for _, c := range []struct {
			name string
			want []float64 // executions of blocks, in any order
		}{
			{"main.sum", []float64{1, 100, 101}},
			{"main.collatz", []float64{1, 41, 70, 111, 112}},
		} {
			l := listingOf(p, c.name)
			if l == nil {
				t.Fatalf("no listing of %s: %+v", c.name, p.Shares)
			}
			seen := map[float64]bool{}
			for block, counts := range blockCounts(l) {
				if len(counts) != 1 {
					t.Errorf("%s: %s is executed %v times", c.name, block, counts)
				}
				seen[counts[0]] = true
			}
			for _, n := range c.want {
				if !seen[n] {
					t.Errorf("%s: nothing is executed %g times: %v", c.name, n, seen)
				}
			}
			if len(seen) != len(c.want) {
				t.Errorf("%s: %v, want %v", c.name, seen, c.want)
			}
			sum := 0.0
			for _, x := range l.Code {
				shares += x.Share
				if x.Count > 0 {
					sum += x.Count
				}
				if x.Text == "" || x.File == "" || x.Line == 0 || l.Source[x.File][x.Line] == "" {
					t.Errorf("%s: nothing is known of %+v", c.name, x)
				}
			}
			total += sum
		}
		all := 0.0
		for _, s := range p.Shares {
			all += s.Share
			if s.Func == "main.sum" || s.Func == "main.collatz" {
				shares -= s.Share
			}
		}
		if math.Abs(all-1) > 0.005 || math.Abs(shares) > 1e-9 {
			t.Errorf("shares add up to %g; those of instructions are %g more than those of functions", all, shares)
		}
		if total < 1000 || total > 3000 {
			t.Errorf("%g instructions an iteration", total)
		}
	}
}

// Samples fall where the counts show the work, and the listing is of the code that ran.
func TestSamplesAndCounts(t *testing.T) {
	p := recorded(t, compiled(t, benchProgram, engine.Source{}), api.TierNative, 1_000_000, 100)
	if p.Samples == 0 {
		t.Skip(p.Failed)
	}
	if p.Failed != "" || p.By == "blocks" || p.Samples < 100 || len(p.Stacks) == 0 {
		t.Fatalf("%s: %d samples, %d stacks, %q", p.By, p.Samples, len(p.Stacks), p.Failed)
	}
	hot := 0.0
	for _, s := range p.Shares {
		if s.Func == "main.sum" || s.Func == "main.collatz" || s.Func == "main.main" {
			hot += s.Share
			if s.Kind != sample.Guest || !strings.HasPrefix(s.Place, "main.go:") {
				t.Errorf("%+v", s)
			}
		}
	}
	if hot < 0.6 { // all of it, except the race detector's share
		t.Errorf("%+v", p.Shares)
	}
	// Each stack of the guest leads to main, through the line of the call.
	whole, called := 0.0, 0.0
	for _, s := range p.Stacks {
		k := len(s.Frames)
		if f := s.Frames[0].Func; f != "main.sum" && f != "main.collatz" {
			continue
		}
		whole += s.Samples
		if k > 2 && s.Frames[1].Func == "main.main" && (s.Frames[1].Line == 39 || s.Frames[1].Line == 40) && strings.HasPrefix(s.Frames[k-1].Func, "runtime.") {
			called += s.Samples
		}
	}
	if called < whole*0.99 {
		t.Errorf("%g of %g stacks are whole: %+v", called, whole, p.Stacks)
	}
	l := listingOf(p, "main.collatz")
	share, executed := 0.0, 0.0
	for _, x := range l.Code {
		share += x.Share
		if x.Count > 1 {
			executed += x.Share
		}
	}
	if math.Abs(share-l.Share) > 0.02 || executed < share*0.95 {
		t.Errorf("%s: share %g, instructions' %g, of what is executed %g", l.Func, l.Share, share, executed)
	}
}

// In the interpreter, its own samples attribute the time to operations, and the counts are those of
// the loops in the source. One operation may stand for a comparison and the jump after it, so there
// are fewer distinct counts.
func TestInterpreter(t *testing.T) {
	p := recorded(t, compiled(t, benchProgram, engine.Source{NoPass: once}), api.TierInterp, 100_000, 50)
	if p.Samples < 20 {
		t.Fatalf("%d samples: %s", p.Samples, p.Failed)
	}
	t.Logf("%s, %d samples", p.By, p.Samples)
	hot, guest := 0.0, 0.0
	for _, s := range p.Shares {
		if s.Kind == sample.Guest {
			guest += s.Share
		}
		if strings.HasPrefix(s.Func, "main.") {
			hot += s.Share
		}
		if strings.HasPrefix(s.Func, interpreter) {
			t.Errorf("the interpreter itself is in the profile: %+v", s)
		}
	}
	if hot < 0.8*guest || guest < 0.01 { // the race detector takes most of it
		t.Errorf("%+v", p.Shares)
	}
	for name, want := range map[string][]float64{"main.sum": {1, 100}, "main.collatz": {1, 41, 70, 111}} {
		l := listingOf(p, name)
		if l == nil || l.Kind != "interp" {
			t.Fatalf("no listing of %s", name)
		}
		seen := map[float64]bool{}
		share := 0.0
		labels := map[string]bool{}
		for _, x := range l.Code {
			seen[x.Count] = true
			share += x.Share
			labels[x.Label] = true
			// Code that runs only when the host looks in may have a count of 0, but only a small share.
			if x.Line == 0 || x.Text == "" || x.Count == 0 && x.Share > 0.02 {
				t.Errorf("%s: %+v", name, x)
			}
		}
		for _, x := range l.Code {
			if x.To != "" && !labels[x.To] {
				t.Errorf("%s: nothing is at %s", name, x.To)
			}
		}
		for _, n := range want {
			if !seen[n] {
				t.Errorf("%s: no operation is executed %g times: %v", name, n, seen)
			}
		}
		if math.Abs(share-l.Share) > 1e-9 {
			t.Errorf("%s: share %g, operations' %g", name, l.Share, share)
		}
	}
}

// If the system gives no samples, the counts give shares, and the profile says why it has no
// samples.
func TestDenied(t *testing.T) {
	if engine.CheckNative() != nil {
		t.Skip("no machine code here")
	}
	p := compiled(t, benchProgram, engine.Source{})
	r := NewRecorder(p, sample.Config{})
	r.denied = &sample.DeniedError{What: "perf_event_open", Why: "a test says so"}
	for _, counting := range []bool{false, true} {
		cfg := engine.Config{Config: api.Config{Tier: api.TierNative}}
		cfg.Args = []string{"10"}
		Configure(&cfg, counting)
		cfg.Stdout = events(func(line string) {
			switch line {
			case "begin":
				r.Start()
			case "end":
				r.Stop()
			}
		})
		in, err := p.NewInstance(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		r.On(in, counting)
		if err := in.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	got := r.Profile(10, 10, "main.main")
	if got.By != "blocks" || !strings.Contains(got.Failed, "a test says so") || listingOf(got, "main.collatz") == nil || listingOf(got, "main.main") == nil {
		t.Errorf("%s, %q, %d listings", got.By, got.Failed, len(got.Listings))
	}
	if s := got.Shares[0]; s.Func != "main.collatz" || s.Share < 0.4 {
		t.Errorf("%+v", got.Shares)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
