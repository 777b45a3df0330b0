package result

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// A made record is made by hand: benchmarks of a package m whose batches take a microsecond per
// iteration, on an idle machine.
type made struct{ *record.Record }

func newMade(engines ...string) made {
	return made{&record.Record{Run: &record.Run{Schema: record.Schema, Engines: engines, Env: &measure.Environment{CPUs: 2},
		Plan: record.Plan{Mode: "default", Visits: 8, Batches: 8, BatchNS: 1e6, Delta: 0.01, Seed: 1}}}}
}

// bench adds a benchmark.
func (m made) bench(name string) *record.Bench {
	b := &record.Bench{Key: "m." + name, Package: "m", Name: name, Func: "Benchmark" + strings.Split(name, "/")[0]}
	m.Benches = append(m.Benches, b)
	return b
}

// visits measures a benchmark in an engine. f changes a batch.
func (m made) visits(name, engine string, n int, f func(visit, batch int, b *record.Batch)) {
	for i := range n {
		v := &record.Visit{Cell: record.Cell{Bench: "m." + name, Engine: engine}, Visit: i, Order: len(m.Visits), CanaryNS: 1e6, Load: 1}
		for k := range 8 {
			b := record.Batch{N: 1000, NS: 1e6}
			if f != nil {
				f(i, k, &b)
			}
			v.Batches = append(v.Batches, b)
		}
		m.Visits = append(m.Visits, v)
	}
}

// count adds exact figures of a benchmark whose iterations are all alike.
func (m made) count(name, engine string, gas float64) *record.Count {
	figures := func() map[string]float64 {
		return map[string]float64{"gas/op": gas, "allocs/op": 0, "B/op": 0, "instructions/op": gas}
	}
	c := &record.Count{Cell: record.Cell{Bench: "m." + name, Engine: engine}, N: 1000, Mean: figures(), PerOp: figures(), First: figures(), Again: figures()}
	m.Counts = append(m.Counts, c)
	return c
}

// one is a record of one benchmark in one engine.
func one(engine string, f func(visit, batch int, b *record.Batch)) made {
	m := newMade(engine)
	m.bench("A")
	m.visits("A", engine, 8, f)
	return m
}

// counted is one, with exact figures.
func counted(change func(*record.Count)) made {
	m := one("native", nil)
	change(m.count("A", "native", 100))
	return m
}

// proved is counted, with a proof.
func proved(overhead int, instructions float64, change func(made, *record.Proof)) made {
	m := counted(func(c *record.Count) { c.PerOp["instructions/op"] = instructions })
	p := &record.Proof{Cell: record.Cell{Bench: "m.A", Engine: "native"}, Left: 3, Lowered: 3, Work: 2, WorkLeft: 2, Overhead: overhead}
	m.Proofs = append(m.Proofs, p)
	change(m, p)
	return m
}

// sizes is a benchmark at several sizes, in bytes. The last takes gas and time times as much as the
// others.
func sizes(gas, time float64, counts bool, values ...int) made {
	m := newMade("native")
	for i, v := range values {
		last := i == len(values)-1
		name := fmt.Sprintf("A/n=%d", v)
		b := m.bench(name)
		b.Params, b.Bytes = []record.Param{{Name: "n", Value: fmt.Sprint(v)}}, int64(v)
		m.visits(name, "native", 8, func(_, _ int, b *record.Batch) {
			if last {
				b.NS *= time
			}
		})
		if counts {
			g := 100.0
			if last {
				g *= gas
			}
			m.count(name, "native", g)
		}
	}
	return m
}

// busy makes the machine of a record a loaded one.
func busy(m made) made {
	for _, v := range m.Visits {
		v.Load = 7
	}
	return m
}

func same(made, *record.Proof) {}

// modes yields batches. One in three does gas times the work, or takes time times as long.
func modes(gas, time float64) func(visit, batch int, b *record.Batch) {
	return func(visit, batch int, b *record.Batch) {
		b.NS += float64(batch) // as a real clock does
		b.Gas = 1e5
		if (visit+batch)%3 == 0 {
			b.NS, b.Gas = b.NS*time, b.Gas*gas
		}
	}
}

// TestNotes: each rule finds its mistake, with its severity, and ignores near misses.
func TestNotes(t *testing.T) {
	found, missed := map[string]bool{}, map[string]bool{} // codes with cases
	for _, c := range []struct {
		what     string
		rec      made
		code     string
		severity Severity // empty: no such note
	}{
		{"as much loop as body", proved(5, 10, same), "BP06", Warning},
		{"a third is the loop", proved(3, 10, same), "BP06", Info},
		{"little of it is the loop", proved(3, 100, same), "BP06", ""},
		{"the body calls something", proved(5, 10, func(_ made, p *record.Proof) { p.Calls = 1 }), "BP06", ""},
		{"nothing is known of the loop", proved(5, 10, func(_ made, p *record.Proof) { p.Unknown = "no loop" }), "BP06", ""},
		{"a declared loop", proved(5, 10, func(m made, _ *record.Proof) { m.Benches[0].Declared = true }), "BP06", ""},
		{"the work went, which says more", proved(5, 10, func(m made, _ *record.Proof) {
			m.Statics = append(m.Statics, &record.Static{Bench: "m.A", Code: "BP01"})
		}), "BP06", ""},

		{"batches of 50 us", one("go", func(_, _ int, b *record.Batch) { b.NS = 50e3 }), "BP09", Error},
		{"on a loaded machine", busy(one("go", func(_, _ int, b *record.Batch) { b.NS = 50e3 })), "BP09", Info},
		{"of little gas, on a loaded machine", busy(one("native", func(_, _ int, b *record.Batch) { b.NS, b.Gas = 50e3, 5e3 })), "BP09", Error},
		{"batches of 200 us", one("go", func(_, _ int, b *record.Batch) { b.NS = 200e3 }), "BP09", ""},
		{"a tenth of a nanosecond", one("go", func(_, _ int, b *record.Batch) { b.N = 1e7 }), "BP09", Error},
		{"half a nanosecond", one("go", func(_, _ int, b *record.Batch) { b.N = 2e6 }), "BP09", ""},

		{"as much gas for a thousand as for one", counted(func(c *record.Count) {
			c.First["gas/op"], c.Mean["gas/op"], c.PerOp["gas/op"] = 5000, 5, 0
		}), "BP10", Error},
		{"a dear first iteration", counted(func(c *record.Count) {
			c.First["gas/op"], c.Mean["gas/op"], c.PerOp["gas/op"] = 5000, 105, 100
		}), "BP10", ""},
		{"a billion iterations in less than a batch", func() made {
			m := one("go", func(_, _ int, b *record.Batch) { b.N, b.NS = 1e9, 0.5e6 })
			m.Calibrate = append(m.Calibrate, &record.Calibration{Cell: record.Cell{Bench: "m.A", Engine: "go"}, N: 1e9})
			return m
		}(), "BP10", Error},
		{"a billion that fill it", func() made {
			m := one("go", func(_, _ int, b *record.Batch) { b.N, b.NS = 1e9, 300e6 })
			m.Calibrate = append(m.Calibrate, &record.Calibration{Cell: record.Cell{Bench: "m.A", Engine: "go"}, N: 1e9})
			return m
		}(), "BP10", ""},

		{"three times the gas in the second half", counted(func(c *record.Count) { c.PerOp["gas/op"] = 300 }), "BP13", Error},
		{"a tenth more", counted(func(c *record.Count) { c.PerOp["gas/op"] = 110 }), "BP13", Warning},
		{"a hundredth more", counted(func(c *record.Count) { c.PerOp["gas/op"] = 101 }), "BP13", ""},
		{"too few iterations to tell", counted(func(c *record.Count) { c.PerOp["gas/op"], c.N = 300, 4 }), "BP13", ""},
		{"b.N is the size, by the source", func() made {
			m := counted(func(c *record.Count) { c.PerOp["gas/op"] = 300 })
			m.Statics = append(m.Statics, &record.Static{Bench: "m.A", Code: "BP11", Severity: "error"})
			return m
		}(), "BP13", ""},

		{"half of the time collects", one("native", func(_, _ int, b *record.Batch) { b.GCs, b.GCNS = 1, 0.5e6 }), "BP14", Warning},
		{"a fifth does", one("native", func(_, _ int, b *record.Batch) { b.GCs, b.GCNS = 1, 0.2e6 }), "BP14", ""},

		{"two kinds of batches, by gas", one("native", modes(2, 2)), "BP15", Warning},
		{"the same on a loaded machine", busy(one("native", modes(2, 2))), "BP15", Warning},
		{"by times alone, at rest", one("native", modes(1, 2)), "BP15", Warning},
		{"by times alone, loaded", busy(one("native", modes(1, 2))), "BP15", Info},
		{"a tenth apart", one("native", modes(1.1, 1.1)), "BP15", ""},
		{"each batch does something else", one("native", func(visit, batch int, b *record.Batch) {
			b.Gas = 1e5 * float64(1+batch*batch)
			b.NS = b.Gas
		}), "BP15", ""},

		{"each batch does something else", one("native", func(visit, batch int, b *record.Batch) {
			b.Gas = 1e5 * float64(1+batch*batch)
		}), "BP16", Warning},
		{"two levels of work", one("native", modes(2, 1)), "BP16", ""},
		{"visits are 20 % apart", one("go", func(visit, _ int, b *record.Batch) { b.NS *= 1 + 0.2*float64(visit) }), "BP16", Warning},
		{"visits are 1 % apart", one("go", func(visit, _ int, b *record.Batch) { b.NS *= 1 + 0.01*float64(visit) }), "BP16", ""},
		{"and the pairs have settled it", func() made {
			m := newMade("go", "native")
			m.bench("A")
			for i, e := range m.Run.Engines {
				m.visits("A", e, 8, func(visit, _ int, b *record.Batch) { b.NS *= (1 + 0.2*float64(visit)) * (1 + 2*float64(i)) })
			}
			return m
		}(), "BP16", Info},

		{"each batch does more", one("native", func(_, batch int, b *record.Batch) { b.Gas = 1e5 * float64(10+batch) }), "BP17", Warning},
		{"each batch does a little more", one("native", func(_, batch int, b *record.Batch) { b.Gas = 1e5 * (100 + float64(batch)/10) }), "BP17", ""},
		{"the last batches are slower", one("native", func(_, batch int, b *record.Batch) {
			b.NS += float64(batch % 2)
			if batch > 3 {
				b.NS *= 1.5
			}
		}), "BP17", Warning},
		{"slower on a loaded machine", busy(one("native", func(_, batch int, b *record.Batch) {
			b.NS += float64(batch % 2)
			if batch > 3 {
				b.NS *= 1.5
			}
		})), "BP17", Info},
		{"slower in every third process", one("native", func(visit, batch int, b *record.Batch) {
			b.NS += float64(batch % 2)
			if batch > 3 && visit%3 == 0 {
				b.NS *= 1.5
			}
		}), "BP17", Info},
		{"faster when it is warm", one("native", func(_, batch int, b *record.Batch) {
			b.NS += float64(batch % 2)
			if batch < 4 {
				b.NS *= 1.5
			}
		}), "BP17", ""},

		{"engines print different things", printing("x", "y", ""), "BP20", Error},
		{"engines print the same", printing("x", "x", ""), "BP20", ""},
		{"one engine failed", printing("x", "y", "it failed"), "BP20", ""},

		{"a terabyte and more in a second", one("go", func(_, _ int, b *record.Batch) { b.Metrics = map[string]float64{"MB/s": 2e6} }), "BP21", Error},
		{"half a terabyte", one("go", func(_, _ int, b *record.Batch) { b.Metrics = map[string]float64{"MB/s": 5e5} }), "BP21", ""},
		{"eight times the size for the same gas", sizes(1, 1.5, true, 512, 4096), "BP21", Error},
		{"eight times the size for twice the gas", sizes(2, 1, true, 512, 4096), "BP21", ""},
		{"for the same gas, but not in the same time", sizes(1, 3, true, 512, 4096), "BP21", ""},
		{"four times the size", sizes(1, 1, true, 1024, 4096), "BP21", ""},
		{"eight times what is little", sizes(1, 1, true, 8, 64), "BP21", ""},
		{"of several sizes the largest takes longer", sizes(3, 3, true, 512, 4096, 32768), "BP21", ""},
		{"of several sizes none does", sizes(1, 1, true, 512, 4096, 32768), "BP21", Error},
		{"eight times the size in the same time", sizes(1, 1, false, 512, 4096), "BP21", Error},
		{"the same on a loaded machine", busy(sizes(1, 1, false, 512, 4096)), "BP21", Info},
		{"eight times the size in twice the time", sizes(1, 2, false, 512, 4096), "BP21", ""},
		{"a word that is no size", func() made {
			m := sizes(1, 1, true, 512, 4096)
			m.Benches[1].Params[0].Value = "large"
			return m
		}(), "BP21", ""},

		{"seven want to run", busy(one("go", nil)), "BP23", Warning},
		{"one does", one("go", nil), "BP23", ""},
		{"seven do, on sixteen processors", func() made {
			m := busy(one("go", nil))
			m.Run.Env.CPUs = 16
			return m
		}(), "BP23", ""},

		{"ten times the time for its gas", priced(10), "BP26", Info},
		{"twice", priced(2), "BP26", ""},

		{"a tenth of a batch is setup", setup(100, 1e6), "BP12", Warning},
		{"a hundredth", setup(100, 1e3), "BP12", ""},
		{"nothing before the loop is timed", func() made {
			m := setup(100, 1e6)
			m.Benches[0].Hints = nil
			return m
		}(), "BP12", ""},
		{"half of the time is setup", setup(0, 500e3), "BP12", Warning},
		{"a tenth of it, by single readings", setup(0, 100e3), "BP12", ""},
		{"half of the time, on a loaded machine", func() made {
			m := setup(0, 500e3)
			for _, v := range m.Visits {
				v.Load = 8
			}
			return m
		}(), "BP12", Info},
		{"half of the time, where gas shows no setup", func() made {
			m := setup(0, 500e3)
			m.Run.Engines = append(m.Run.Engines, "native")
			m.visits("A", "native", 8, nil)
			m.count("A", "native", 100)
			return m
		}(), "BP12", ""},

		{"the timer is stopped each time, for a microsecond", hint(record.HintStop, 1), "BP12", Warning},
		{"for a hundred", hint(record.HintStop, 100), "BP12", ""},
		{"the clock is read each time, for a microsecond", hint(record.HintClock, 1), "BP33", Warning},
		{"for a hundred of them", hint(record.HintClock, 100), "BP33", ""},

		{"each run's first iteration is dear", counted(func(c *record.Count) { c.First["gas/op"], c.Again["gas/op"] = 9000, 9000 }), "BP27", Warning},
		{"the first one of a process is", counted(func(c *record.Count) { c.First["gas/op"] = 9000 }), "BP27", Info},
		{"a little dearer", counted(func(c *record.Count) { c.First["gas/op"], c.Again["gas/op"] = 450, 450 }), "BP27", ""},
		{"four times as dear", counted(func(c *record.Count) {
			c.First["gas/op"], c.Again["gas/op"], c.PerOp["gas/op"], c.Mean["gas/op"] = 40e3, 40e3, 10e3, 10e3
		}), "BP27", ""},
		{"a buffer is made and stays", counted(func(c *record.Count) { c.Again["B/op"], c.Again["allocs/op"] = 8192, 2 }), "BP27", Info},
		{"a variable is made before the loop", counted(func(c *record.Count) { c.Again["B/op"], c.Again["allocs/op"] = 64, 2 }), "BP27", ""},

		{"the machine got slower by a third", drifted(1.35), "BP28", Warning},
		{"by a twentieth", drifted(1.05), "BP28", ""},

		{"each process is slower", one("go", func(visit, batch int, b *record.Batch) { b.NS *= 1 + 0.03*float64(visit) }), "BP29", Warning},
		{"on a loaded machine", busy(one("go", func(visit, batch int, b *record.Batch) { b.NS *= 1 + 0.03*float64(visit) })), "BP29", Info},
		{"because each does more, on a loaded machine", busy(one("native", func(visit, batch int, b *record.Batch) {
			b.NS *= 1 + 0.03*float64(visit)
			b.Gas = b.NS
		})), "BP29", Warning},
		{"by little", one("go", func(visit, batch int, b *record.Batch) { b.NS *= 1 + 0.003*float64(visit) }), "BP29", ""},
		{"slower in turns", one("go", func(visit, batch int, b *record.Batch) { b.NS *= 1 + 0.3*float64(visit%2) }), "BP29", ""},

		{"a collection in some batches", one("native", func(_, batch int, b *record.Batch) { b.GCs = batch % 4 / 3 }), "BP30", Info},
		{"in all of them", one("native", func(_, batch int, b *record.Batch) { b.GCs = 1 }), "BP30", ""},
		{"in none", one("native", nil), "BP30", ""},
	} {
		r := Of(c.rec.Record)
		var got Severity
		var said []string
		for _, n := range r.Notes {
			said = append(said, fmt.Sprintf("%s (%s) %s", n.Code, n.Severity, n.Cause))
			if n.Code == c.code {
				got = n.Severity
				if n.Cause == "" || n.Cure == "" || !strings.HasSuffix(n.Cause, ".") || !strings.HasSuffix(n.Cure, ".") {
					t.Errorf("%s: the note says %q and %q", c.what, n.Cause, n.Cure)
				}
			}
		}
		if got != c.severity {
			t.Errorf("%s: %s is %q, want %q: %q", c.what, c.code, got, c.severity, said)
		}
		if c.severity == "" {
			missed[c.code] = true
		} else {
			found[c.code] = true
		}
	}
	for _, ru := range rules {
		if !found[ru.code] || !missed[ru.code] {
			t.Errorf("%s, %s, has no test that finds it and one that does not", ru.code, ru.name)
		}
	}
}

// hint is a benchmark with a hint whose iterations take so many microseconds.
func hint(kind string, us float64) made {
	m := one("go", func(_, _ int, b *record.Batch) { b.NS *= us })
	m.Benches[0].Hints = []record.Hint{{Kind: kind, Place: "a_test.go:3"}}
	return m
}

// setup is a benchmark with a setup within the time: of so much gas, or, if its iterations take no
// known gas, so many nanoseconds.
func setup(gas, fixed float64) made {
	if gas == 0 {
		m := one("go", nil)
		m.Benches[0].Hints = []record.Hint{{Kind: record.HintSetup, Place: "a_test.go:3"}}
		m.Calibrate = append(m.Calibrate, &record.Calibration{Cell: record.Cell{Bench: "m.A", Engine: "go"}, N: 1000, FixedNS: fixed})
		return m
	}
	m := counted(func(c *record.Count) { c.Mean["gas/op"] += fixed / float64(c.N) })
	m.Benches[0].Hints = []record.Hint{{Kind: record.HintSetup, Place: "a_test.go:3"}}
	return m
}

// printing is a benchmark whose output differs between two engines.
func printing(a, b, failed string) made {
	m := newMade("go", "native")
	m.bench("A")
	m.visits("A", "go", 8, nil)
	if failed == "" {
		m.visits("A", "native", 8, nil)
	} else {
		m.Visits = append(m.Visits, &record.Visit{Cell: record.Cell{Bench: "m.A", Engine: "native"}, Failed: failed})
	}
	m.count("A", "go", 100).Result = a
	m.count("A", "native", 100).Result = b
	return m
}

// priced are six benchmarks, one of which takes times as long for its gas.
func priced(times float64) made {
	m := newMade("native")
	for i := range 6 {
		name := fmt.Sprintf("A%d", i)
		m.bench(name)
		m.visits(name, "native", 8, func(_, _ int, b *record.Batch) {
			if i == 3 {
				b.NS *= times
			}
		})
		m.count(name, "native", 100)
	}
	return m
}

// drifted is a run in which the machine gets slower in steps, times as slow at the end.
func drifted(times float64) made {
	m := newMade("go")
	m.bench("A")
	m.visits("A", "go", 15, nil)
	for i, v := range m.Visits {
		if i >= 8 {
			v.CanaryNS *= times
		}
	}
	return m
}

// TestIgnored: codes that the source says to ignore are not noted, whichever package finds them.
func TestIgnored(t *testing.T) {
	m := one("native", modes(2, 2))
	m.Statics = append(m.Statics, &record.Static{Bench: "m.A", Code: "BP12", Text: "setup"})
	if r := Of(m.Record); len(r.Notes) < 2 {
		t.Fatalf("notes: %d", len(r.Notes))
	}
	m.Benches[0].Ignore = []string{"BP15", "BP12", "BP16"}
	for _, n := range Of(m.Record).Notes {
		t.Errorf("%s is noted", n.Code)
	}
}

// TestNotesOfEngines: one note stands for all engines with the same finding, in the words of the
// worst, and cells name their notes.
func TestNotesOfEngines(t *testing.T) {
	m := newMade("go", "native", "interp")
	m.bench("A")
	for _, e := range m.Run.Engines {
		m.visits("A", e, 8, func(visit, batch int, b *record.Batch) {
			switch e {
			case "go":
				modes(0, 2)(visit, batch, b) // no work is known of it
			case "native":
				modes(2, 2)(visit, batch, b)
			}
		})
	}
	r := Of(busy(m).Record)
	i := slices.IndexFunc(r.Notes, func(n *Note) bool { return n.Code == "BP15" })
	if i < 0 || !slices.Equal(r.Notes[i].Engines, []string{"go", "native"}) || r.Notes[i].Severity != Warning || !strings.Contains(r.Notes[i].Cause, "gas") {
		t.Fatalf("notes: %+v", r.Notes)
	}
	row := r.Tables[0].Rows[0]
	for k, want := range []bool{true, true, false} {
		if got := slices.Contains(row.Cells[k].Notes, r.Notes[i].Number); got != want {
			t.Errorf("%s: notes %v", row.Cells[k].Engine, row.Cells[k].Notes)
		}
	}
	// Errors come first, then warnings. Numbers follow that order.
	for k, n := range r.Notes {
		if n.Number != k+1 || k > 0 && rank(n.Severity) < rank(r.Notes[k-1].Severity) {
			t.Errorf("note %d has number %d and severity %s", k, n.Number, n.Severity)
		}
	}
}
