package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	report "github.com/gyrvm/gyr/internal/lab/bench/result"
)

// A setupModel is an engine with one benchmark, whose batches take a setup and so many nanoseconds
// for each iteration. The setup varies at random, by a part of itself.
type setupModel struct {
	label             string
	setup, vary, each float64
	rnd               *rand.Rand
}

func (m *setupModel) Label() string                               { return m.label }
func (m *setupModel) Build(context.Context, *pkg) error           { return nil }
func (m *setupModel) Open(context.Context, *pkg) (session, error) { return m, nil }
func (m *setupModel) Close() error                                { return nil }

func (m *setupModel) Run(_ context.Context, o *order) (*reply, error) {
	r := &reply{}
	for range o.Count {
		ns := m.setup*(1+m.vary*(2*m.rnd.Float64()-1)) + m.each*float64(o.N)
		r.CPUNS += ns
		r.Batches = append(r.Batches, named{Name: "X", Batch: record.Batch{N: o.N, NS: ns}})
	}
	return r, nil
}

// phraseOf is the end of the note that tells a benchmark's setup, and empty if there is none.
func phraseOf(r *report.Report, bench string) string {
	for _, n := range r.Notes {
		if n.Code != "BP12" || n.Bench != bench {
			continue
		}
		for _, phrase := range []string{"ns/op is without it.", "ns/op includes it"} {
			if strings.Contains(n.Cause, phrase) {
				return phrase
			}
		}
	}
	return ""
}

// TestSetupOfModels: the whole way from calibration to the report, with engines whose times are known.
// A setup is taken off in both engines, or in none of them.
func TestSetupOfModels(t *testing.T) {
	const without, includes = "ns/op is without it.", "ns/op includes it"
	for _, c := range []struct {
		what       string
		a, b       setupModel
		hint       bool
		phrase     string
		ns         [2]float64
		within     float64
		withLarger bool
	}{
		{"10 ms and 100 ns", setupModel{setup: 10e6, each: 100}, setupModel{setup: 14e6, each: 250}, true, without, [2]float64{100, 250}, 1e-6, true},
		{"the source times nothing before the loop", setupModel{setup: 10e6, each: 100}, setupModel{setup: 14e6, each: 250}, false, "", [2]float64{0, 0}, 0, false},
		{"a small one", setupModel{setup: 50e3, each: 100}, setupModel{setup: 60e3, each: 250}, true, "", [2]float64{100, 250}, 0.01, false},
		{"one that varies", setupModel{setup: 10e6, vary: 0.3, each: 100}, setupModel{setup: 14e6, vary: 0.3, each: 250}, true, without, [2]float64{100, 250}, 0.3, true},
		{"one that varies by many batches", setupModel{setup: 800e6, vary: 0.5, each: 100}, setupModel{setup: 14e6, each: 250}, true, includes, [2]float64{0, 0}, 0, true},
	} {
		c.a.label, c.b.label = "go", "native"
		c.a.rnd, c.b.rnd = rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
		plan := record.Plan{Visits: 8, Batches: 8, BatchNS: 20e6, Seed: 1, Delta: DefaultDelta}
		log, err := record.NewLog(nil, &record.Run{Engines: []string{"go", "native"}, Plan: plan})
		if err != nil {
			t.Fatal(err)
		}
		bench := &record.Bench{Key: "m.X", Package: "m", Name: "X"}
		if c.hint {
			bench.Hints = []record.Hint{{Kind: record.HintSetup, Place: "x_test.go:3"}}
		}
		if err := log.Write(bench); err != nil {
			t.Fatal(err)
		}
		r := newRunner(&Options{Plan: plan, Log: log, LockFile: t.TempDir() + "/lock"})
		b := &block{}
		for _, e := range []engine{&c.a, &c.b} {
			b.cells = append(b.cells, &cell{Cell: record.Cell{Bench: "m.X", Engine: e.Label()}, bench: bench, engine: e})
		}
		if err := r.measure(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if has := slices.ContainsFunc(log.Record().Visits, func(v *record.Visit) bool { return len(v.Larger) > 0 }); has != c.withLarger {
			t.Errorf("%s: larger batches: %v, want %v", c.what, has, c.withLarger)
		}
		rep := report.Of(log.Record())
		row := rep.Tables[0].Rows[0]
		if got := phraseOf(rep, "m.X"); got != c.phrase {
			t.Errorf("%s: it says %q, want %q", c.what, got, c.phrase)
		}
		for i, x := range row.Cells {
			if x.WithoutSetup != (c.phrase == without) {
				t.Errorf("%s: in %s the setup is taken off: %v", c.what, x.Engine, x.WithoutSetup)
			}
			if want := c.ns[i]; want > 0 && !(math.Abs(x.NS.Value/want-1) <= c.within) {
				t.Errorf("%s: in %s an iteration takes %v ns, want %v", c.what, x.Engine, x.NS.Value, want)
			}
		}
		if other := row.Cells[1].ToOther; c.phrase == without && !(other.Lo <= 2.5*(1+1e-9) && other.Hi >= 2.5*(1-1e-9)) {
			t.Errorf("%s: the ratio is %v (%v to %v), want 2.5", c.what, other.Ratio, other.Lo, other.Hi)
		}
	}
}

// TestSetupTaken: benchmarks with a setup that is large, one that varies and one that is small, in
// native Go and in gyr. If the large one is taken off, as it is unless the machine is too busy, the
// figure is that of the benchmark which resets its timer. Nothing else depends on the machine.
func TestSetupTaken(t *testing.T) {
	dir := writeModule(t, map[string]string{"m_test.go": `package m

import (
	"math/rand/v2"
	"testing"
)

var sink, input = 0, 7

func work(n int) int {
	x := input
	for range n {
		x = x*31 ^ x>>3
	}
	return x
}

func BenchmarkTwin(b *testing.B) {
	sink += work(5_000_000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sink += work(50)
	}
}

func BenchmarkLarge(b *testing.B) {
	sink += work(5_000_000)
	for i := 0; i < b.N; i++ {
		sink += work(50)
	}
}

func BenchmarkVaries(b *testing.B) {
	sink += work(1_000_000 + rand.IntN(8_000_000))
	for i := 0; i < b.N; i++ {
		sink += work(50)
	}
}

func BenchmarkSmall(b *testing.B) {
	sink += work(100)
	for i := 0; i < b.N; i++ {
		sink += work(50)
	}
}
`})
	plan := Plans["quick"]
	plan.BatchNS, plan.Seed, plan.Delta = 2e6, 7, DefaultDelta
	rec, err := testRun(t, dir, "m", ".", plan, "go", "native")
	if err != nil {
		t.Fatal(err)
	}
	r := report.Of(rec)
	twin := map[string]*report.Cell{}
	r.Rows(func(row *report.Row) {
		for _, c := range row.Cells {
			if row.Bench.Name == "Twin" {
				twin[c.Engine] = c
			}
		}
	})
	r.Rows(func(row *report.Row) {
		name, phrase := row.Bench.Name, phraseOf(r, row.Bench.Key)
		if told := name == "Large" || name == "Varies"; told != (phrase != "") {
			t.Errorf("%s: it says %q", name, phrase)
		}
		for _, c := range row.Cells {
			larger := slices.ContainsFunc(c.Raw, func(v *record.Visit) bool { return len(v.Larger) > 0 })
			without := phrase == "ns/op is without it."
			if c.Failed != "" || c.WithoutSetup != without || without && !larger || name == "Small" && larger {
				t.Errorf("%s in %s: it says %q, larger batches %v, without setup %v, failed %q", name, c.Engine, phrase, larger, c.WithoutSetup, c.Failed)
			}
			ratio := c.NS.Value / twin[c.Engine].NS.Value
			t.Logf("%s in %s: %q, %v times the twin", name, c.Engine, phrase, ratio)
			if name == "Large" && c.WithoutSetup && !(ratio > 0.5 && ratio < 2) {
				t.Errorf("%s in %s takes %v times as long as its twin", name, c.Engine, ratio)
			}
			// The work itself is exact, and the same.
			if a, b := c.PerOp["gas/op"], twin[c.Engine].PerOp["gas/op"]; a != b {
				t.Errorf("%s in %s takes %v gas, and its twin %v", name, c.Engine, a, b)
			}
		}
	})
}
