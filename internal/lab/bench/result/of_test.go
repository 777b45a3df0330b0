package result

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// twoEngines has one benchmark in two engines, with these times of visits.
func twoEngines(a, b []float64) made {
	m := newMade("go", "native")
	m.bench("A")
	for i, list := range [][]float64{a, b} {
		m.visits("A", m.Run.Engines[i], len(list), func(visit, _ int, b *record.Batch) { b.NS = 1e6 * list[visit] })
	}
	return m
}

// around are n values around a level, alternately above and below by a part of it.
func around(n int, level, part float64) (list []float64) {
	for i := range n {
		list = append(list, level*(1+part*float64(i%3-1)))
	}
	return list
}

// TestVerdicts: verdicts of comparing two engines, by levels, noise and number of visits.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		what  string
		a, b  []float64
		delta float64
		want  Verdict
	}{
		{"twice as slow", around(8, 1, 0.01), around(8, 2, 0.02), 0.01, Slower},
		{"twice as fast", around(8, 1, 0.01), around(8, 0.5, 0.02), 0.01, Faster},
		{"the same figures", around(8, 1, 0.01), around(8, 1, 0.01), 0.01, Same},
		{"a difference below delta", around(8, 1, 0.001), around(8, 1.005, 0.001), 0.01, Same},
		{"the same with another delta", around(8, 1, 0.0001), around(8, 1.005, 0.0001), 0.001, Slower},
		{"lost in noise", around(8, 1, 0.3), []float64{1.4, 0.8, 1.1, 0.7, 1.2, 1.3, 0.9, 1}, 0.01, Unresolved},
		{"five visits", around(5, 1, 0.01), around(5, 3, 0.01), 0.01, Few},
		{"six visits", around(6, 1, 0.01), around(6, 3, 0.01), 0.01, Slower},
		{"one visit", around(1, 1, 0), around(1, 3, 0), 0.01, Few},
		// All pairs agree, and the interval reaches below delta: the difference is shown, and yet
		// may count as none.
		{"a little more than delta, with noise", around(8, 1, 0), []float64{1.001, 1.03, 1.02, 1.015, 1.025, 1.005, 1.04, 1.01}, 0.01, Slower},
	} {
		m := twoEngines(c.a, c.b)
		m.Run.Plan.Delta = c.delta
		r := Of(m.Record)
		row := r.Tables[0].Rows[0]
		cmp := row.Cells[1].ToOther
		if cmp == nil || cmp.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.what, cmp, c.want)
			continue
		}
		if row.Cells[0].ToOther != nil {
			t.Errorf("%s: the yardstick is compared with %+v", c.what, row.Cells[0].ToOther)
		}
		if cmp.N >= Fewest && !(cmp.Lo <= cmp.Ratio && cmp.Ratio <= cmp.Hi) {
			t.Errorf("%s: %v is not between %v and %v", c.what, cmp.Ratio, cmp.Lo, cmp.Hi)
		}
	}
}

// TestPairs: pairs are visits of the same round, and a failed visit drops its pair.
func TestPairs(t *testing.T) {
	a, b := around(9, 1, 0.01), around(9, 2, 0.01)
	m := twoEngines(a, b)
	for _, v := range m.Visits {
		if v.Engine == "native" && v.Visit == 4 {
			v.Batches, v.Failed = nil, "it did"
		}
	}
	slices.Reverse(m.Visits)
	r := Of(m.Record)
	c := r.Tables[0].Rows[0].Cells[1]
	if c.ToOther.N != 8 || c.ToOther.Verdict != Slower || math.Abs(c.ToOther.Ratio-2) > 1e-9 || c.Failed != "" {
		t.Errorf("%+v, failed %q", c.ToOther, c.Failed)
	}
	if len(r.Means) != 1 || math.Abs(r.Means[0].Ratio-2) > 1e-9 {
		t.Errorf("means: %+v", r.Means)
	}
}

// TestFailed: a cell without a successful visit says why, and nothing is compared with it.
func TestFailed(t *testing.T) {
	m := newMade("go", "native")
	m.bench("A")
	m.visits("A", "go", 8, nil)
	m.Visits = append(m.Visits, &record.Visit{Cell: record.Cell{Bench: "m.A", Engine: "native"}, Failed: "panic: no"})
	c := Of(m.Record).Tables[0].Rows[0].Cells[1]
	if c.Failed != "panic: no" || c.ToOther != nil || !math.IsNaN(c.NS.Value) {
		t.Errorf("%+v", c)
	}
}

// TestGroup: in each engine the rows of a group are compared with the declared baseline, else with
// the fastest.
func TestGroup(t *testing.T) {
	group := func(baseline string) *Report {
		m := newMade("go")
		for i, name := range []string{"Slow", "Fast", "Mid", "Alone"} {
			b := m.bench(name)
			if name != "Alone" {
				b.Group = "g"
			}
			b.Baseline = name == baseline
			m.visits(name, "go", 10, func(_, _ int, b *record.Batch) { b.NS *= []float64{4, 1, 2, 1}[i] })
		}
		return Of(m.Record)
	}
	for baseline, want := range map[string]map[string]Verdict{
		"":     {"Slow": Slower, "Mid": Slower},
		"Mid":  {"Slow": Slower, "Fast": Faster},
		"Slow": {"Fast": Faster, "Mid": Faster},
	} {
		r := group(baseline)
		for _, row := range r.Tables[0].Rows {
			c := row.Cells[0].InGroup
			if w := want[row.Bench.Name]; w == "" && c != nil || w != "" && (c == nil || c.Verdict != w) {
				t.Errorf("baseline %q: %s is %+v, want %q", baseline, row.Bench.Name, c, w)
			}
			if row.Fastest != (row.Bench.Name == "Fast") {
				t.Errorf("%s is the fastest: %v", row.Bench.Name, row.Fastest)
			}
		}
	}
}

// TestHolm: eight pairs decide a single comparison, with p = 2/256, but not each of twenty
// comparisons that are alike.
func TestHolm(t *testing.T) {
	verdicts := func(rows int) (list []Verdict) {
		m := newMade("go", "native")
		for i := range rows {
			name := fmt.Sprintf("A%d", i)
			m.bench(name)
			m.visits(name, "go", 8, nil)
			m.visits(name, "native", 8, func(visit, _ int, b *record.Batch) { b.NS *= 1.5 + 0.01*float64(visit) })
		}
		Of(m.Record).Rows(func(row *Row) {
			c := row.Cells[1].ToOther
			if want := math.Min(1, float64(rows)*2/256); math.Abs(c.P-want) > 1e-9 {
				t.Errorf("%d rows: p = %v, want %v", rows, c.P, want)
			}
			list = append(list, c.Verdict)
		})
		return list
	}
	if got := verdicts(1); got[0] != Slower {
		t.Errorf("one row: %v", got)
	}
	if got := verdicts(6); slices.ContainsFunc(got, func(v Verdict) bool { return v != Slower }) { // 6 · 2/256 < 5 %
		t.Errorf("six rows: %v", got)
	}
	if got := verdicts(20); slices.ContainsFunc(got, func(v Verdict) bool { return v == Slower }) {
		t.Errorf("twenty rows: %v", got)
	}
}

var reports = flag.Int("reports", 600, "reports that the tests of false verdicts simulate for each model of noise")

// noise yields the logarithms of the noise, visit after visit in the order in which they are taken.
var noise = []struct {
	name string
	next func(r *rand.Rand, state *float64) float64
}{
	{"independent, 2 %", func(r *rand.Rand, _ *float64) float64 { return 0.02 * r.NormFloat64() }},
	{"a machine that drifts by 5 %", func(r *rand.Rand, s *float64) float64 {
		*s = 0.95**s + 0.05*math.Sqrt(1-0.95*0.95)*r.NormFloat64()
		return *s + 0.01*r.NormFloat64()
	}},
	{"now and then half as long again", func(r *rand.Rand, _ *float64) float64 {
		x := 0.02 * r.NormFloat64()
		if r.IntN(10) == 0 {
			x += 0.5 * r.Float64()
		}
		return x
	}},
}

// simulated is a report on rows of a group in two engines, with visits in turns. All rows take the
// same time, except that slow is a part slower in the second engine. The cells have no intervals,
// since a bootstrap takes long.
func simulated(r *rand.Rand, next func(*rand.Rand, *float64) float64, rows, visits int, baseline bool, slow float64) *Report {
	rep := &Report{Record: newMade("go", "native").Record, Engines: []string{"go", "native"}, Tables: []*Table{{}}}
	for i := range rows {
		b := &record.Bench{Key: fmt.Sprint(i), Name: fmt.Sprint(i), Group: "g", Baseline: baseline && i == 0}
		row := &Row{Bench: b}
		for _, e := range rep.Engines {
			row.Cells = append(row.Cells, &Cell{Bench: b, Engine: e})
		}
		rep.Tables[0].Rows = append(rep.Tables[0].Rows, row)
	}
	state := 0.0
	for visit := range visits {
		for _, i := range r.Perm(2 * rows) {
			row := rep.Tables[0].Rows[i/2]
			x := math.Exp(next(r, &state))
			if i == 1 {
				x *= 1 + slow
			}
			c := row.Cells[i%2]
			c.Visits = append(c.Visits, x)
			c.Raw = append(c.Raw, &record.Visit{Visit: visit})
		}
	}
	rep.Rows(func(row *Row) {
		for _, c := range row.Cells {
			c.NS.Value = measure.Median(c.Visits)
		}
	})
	rep.compare()
	return rep
}

// TestSameCode: in reports whose cells are all the same code, at most one in twenty claims anywhere
// that one is faster or slower, even if each group's baseline is the one that happened to be
// fastest. The tests still have power: they do find a real difference.
func TestSameCode(t *testing.T) {
	const rows, visits = 3, 12
	for _, m := range noise {
		for _, baseline := range []bool{true, false} {
			r := rand.New(rand.NewPCG(18, uint64(len(m.name))))
			wrong, found, same := 0, 0, 0
			for range *reports {
				said := false
				simulated(r, m.next, rows, visits, baseline, 0).Rows(func(row *Row) {
					for _, c := range row.Cells {
						for _, cmp := range []*Comparison{c.InGroup, c.ToOther} {
							if cmp == nil {
								continue
							}
							said = said || cmp.Verdict == Faster || cmp.Verdict == Slower
							if cmp.Verdict == Same {
								same++
							}
						}
					}
				})
				if said {
					wrong++
				}
			}
			for range *reports / 10 {
				if simulated(r, m.next, rows, visits, baseline, 0.3).Tables[0].Rows[0].Cells[1].ToOther.Verdict == Slower {
					found++
				}
			}
			share := float64(wrong) / float64(*reports)
			t.Logf("%s, declared baseline %v: %.1f %% of reports err, %d comparisons say same, 30 %% are found in %d of %d",
				m.name, baseline, 100*share, same, found, *reports/10)
			if share > Level {
				t.Errorf("%s, declared baseline %v: %d of %d reports say that the same code differs", m.name, baseline, wrong, *reports)
			}
			if 2*found < *reports/10 {
				t.Errorf("%s, declared baseline %v: a slow-down of 30 %% is found in %d of %d reports", m.name, baseline, found, *reports/10)
			}
		}
	}
}

// TestCoverage: at least 93 of 100 intervals contain the true value, although batches of one
// process are alike.
func TestCoverage(t *testing.T) {
	const visits, batches = 8, 4
	for i, m := range noise {
		if i == 1 {
			continue // turns spread drift evenly, and this measures one after the other
		}
		r := rand.New(rand.NewPCG(21, 22))
		hit, paired := 0, 0
		n := *reports
		for i := range n {
			mk := newMade("go", "native")
			mk.Run.Plan.Seed = uint64(i)
			mk.bench("A")
			for k, e := range mk.Run.Engines {
				process := make([]float64, visits)
				var state float64
				for v := range process {
					process[v] = m.next(r, &state)
				}
				for v := range visits {
					x := &record.Visit{Cell: record.Cell{Bench: "m.A", Engine: e}, Visit: v}
					for range batches {
						x.Batches = append(x.Batches, record.Batch{N: 1, NS: (1 + 0.5*float64(k)) * 1e6 * math.Exp(process[v]+0.01*r.NormFloat64())})
					}
					mk.Visits = append(mk.Visits, x)
				}
			}
			cells := Of(mk.Record).Tables[0].Rows[0].Cells
			if cells[0].NS.Lo <= 1e6 && 1e6 <= cells[0].NS.Hi {
				hit++
			}
			if c := cells[1].ToOther; c.Lo <= 1.5 && 1.5 <= c.Hi {
				paired++
			}
		}
		t.Logf("%s: %.1f %% of the intervals of cells have the median, %.1f %% of those of ratios the ratio", m.name, 100*float64(hit)/float64(n), 100*float64(paired)/float64(n))
		if 100*hit < 93*n || 100*paired < 93*n {
			t.Errorf("%s: of %d intervals %d of cells and %d of ratios have the value", m.name, n, hit, paired)
		}
	}
}

// TestMerge: a run is compared with an older one by unpaired samples, engine by engine.
func TestMerge(t *testing.T) {
	run := func(level float64, extra string) *record.Record {
		m := newMade("go", "native")
		m.Run.Revision = "abc"
		m.bench("A")
		for _, e := range m.Run.Engines {
			m.visits("A", e, 10, func(visit, _ int, b *record.Batch) { b.NS *= level * (1 + 0.01*float64(visit%3)) })
		}
		m.bench(extra)
		m.visits(extra, "go", 10, nil)
		return m.Record
	}
	old, now := run(1, "Gone"), run(1.5, "New")
	r := Of(Merge(old, now))
	if want := []string{"go", "native", "go@old", "native@old"}; !slices.Equal(r.Engines, want) {
		t.Fatalf("engines %q", r.Engines)
	}
	seen := map[string]bool{}
	r.Rows(func(row *Row) {
		seen[row.Bench.Name] = true
		for _, e := range []string{"go", "native"} {
			c := row.Cell(r, e)
			switch {
			case row.Bench.Name != "A":
				if c != nil && c.ToOther != nil {
					t.Errorf("%s in %s is compared with %+v", row.Bench.Name, e, c.ToOther)
				}
			case c.ToOther == nil || c.ToOther.Verdict != Slower || c.ToOther.With != e+Old || math.Abs(c.ToOther.Ratio-1.5) > 0.02:
				t.Errorf("%s: %+v", e, c.ToOther)
			}
		}
	})
	if !seen["Gone"] || !seen["New"] {
		t.Errorf("rows: %v", seen)
	}
	if old.Visits[0].Engine != "go" || len(now.Run.Engines) != 2 {
		t.Error("the records that are merged were changed")
	}
	for _, c := range Of(Merge(run(1, "X"), run(1, "X"))).Tables[0].Rows[0].Cells[:2] {
		if v := c.ToOther.Verdict; v != Same && v != Unresolved {
			t.Errorf("the same twice: %s", v)
		}
	}
}
