package result

import (
	"math"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// timed adds a benchmark with a setup within its time to a record: so many nanoseconds in native Go,
// twice as many in gyr, where iterations take twice as long, too. A batch has a thousand iterations of
// a microsecond, a larger one three thousand.
func (m made) timed(name string, setup float64) *record.Bench {
	b := m.bench(name)
	b.Hints = []record.Hint{{Kind: record.HintSetup, Place: "a_test.go:3"}}
	for i, e := range m.Run.Engines {
		times := float64(i + 1)
		m.visits(name, e, 8, func(visit, batch int, b *record.Batch) {
			b.NS = times * (setup + 1e6 + float64(visit+batch))
			b.Metrics = map[string]float64{"MB/s": 5000 * 1e3 / (b.NS / 1e3)} // 5000 bytes an iteration
		})
	}
	for _, v := range m.Visits {
		if v.Bench == b.Key {
			for _, x := range v.Batches {
				times := 1.0
				if v.Engine != m.Run.Engines[0] {
					times = 2
				}
				v.Larger = append(v.Larger, record.Batch{N: 3000, NS: x.NS + times*2e6})
			}
		}
	}
	return b
}

// only are the visits of a benchmark in an engine.
func (m made) only(name, engine string) (list []*record.Visit) {
	for _, v := range m.Visits {
		if v.Cell == (record.Cell{Bench: "m." + name, Engine: engine}) {
			list = append(list, v)
		}
	}
	return list
}

// TestWithoutSetup: a setup is taken off the times of everything that is compared, or of nothing, and
// the note says which.
func TestWithoutSetup(t *testing.T) {
	const off, on = "ns/op is without it.", "ns/op includes it"
	for _, c := range []struct {
		what   string
		change func(made)
		phrase string
	}{
		{"two sizes", func(made) {}, off},
		{"one size in one of the engines", func(m made) {
			for _, v := range m.only("A", "native") {
				v.Larger = nil
			}
			m.Calibrate = append(m.Calibrate, &record.Calibration{Cell: record.Cell{Bench: "m.A", Engine: "go"}, FixedNS: 3e6})
		}, on},
		{"a visit in which more iterations take less", func(m made) {
			for i := range m.only("A", "native")[3].Larger {
				m.only("A", "native")[3].Larger[i].NS = 1e6
			}
		}, on},
		{"visits that do not agree", func(m made) {
			for i, v := range m.only("A", "native") {
				for k := range v.Larger {
					v.Larger[k].NS += 2e6 * float64(int(1)<<i)
				}
			}
		}, on},
		{"a larger size that is none", func(m made) {
			for _, v := range m.only("A", "native") {
				for k := range v.Larger {
					v.Larger[k].N = 1000
				}
			}
		}, on},
		{"a failed visit", func(m made) {
			v := m.only("A", "native")[3]
			v.Batches, v.Larger, v.Failed = nil, nil, "it did"
		}, off},
		{"a rival whose setup cannot be taken off", func(m made) {
			m.Benches[0].Group = "g"
			m.timed("B", 3e6).Group = "g"
			for _, v := range m.only("B", "go") {
				for k := range v.Larger {
					v.Larger[k].NS = v.Batches[k].NS
				}
			}
		}, on},
		{"a rival without a setup", func(m made) {
			m.Benches[0].Group = "g"
			m.bench("B").Group = "g"
			m.visits("B", "go", 8, nil)
			m.visits("B", "native", 8, nil)
		}, off},
		{"the source shows the setup", func(m made) {
			m.Statics = append(m.Statics, &record.Static{Bench: "m.A", Code: "BP12", Severity: "warning", Text: "It does."})
		}, off},
		{"a loaded machine", func(m made) { busy(m) }, off},
		{"gas shows the setup", func(m made) { m.count("A", "native", 100).Mean["gas/op"] = 400 }, off},
		{"gas shows none", func(m made) { m.count("A", "native", 100) }, ""},
		{"a small setup", func(m made) {
			for _, v := range m.Visits {
				for k := range v.Larger {
					v.Batches[k].NS /= 4
					v.Larger[k].NS = 2.9 * v.Batches[k].NS
				}
			}
		}, ""},
		{"a small setup that the source shows", func(m made) {
			m.count("A", "native", 100)
			m.Statics = append(m.Statics, &record.Static{Bench: "m.A", Code: "BP12", Severity: "warning", Text: "It does."})
		}, on},
		{"nothing stands before the loop", func(m made) { m.Benches[0].Hints = nil }, ""},
		{"b.N is a size", func(m made) {
			m.Statics = append(m.Statics, &record.Static{Bench: "m.A", Code: "BP11", Text: "It is."})
		}, ""},
	} {
		m := newMade("go", "native")
		m.timed("A", 3e6)
		c.change(m)
		r := Of(m.Record)
		said, warned := "", false
		for _, n := range r.Notes {
			for _, phrase := range []string{off, on} {
				if n.Code == "BP12" && n.Bench == "m.A" && strings.Contains(n.Cause, phrase) {
					said, warned = phrase, n.Severity == Warning
				}
			}
		}
		if said != c.phrase || said != "" && !warned {
			t.Errorf("%s: it says %q, want %q, as a warning: %v", c.what, said, c.phrase, warned)
		}
		row := r.Tables[0].Rows[0]
		for i, x := range row.Cells {
			rate := 5000 / x.NS.Value * 1e3
			switch each := float64(1000 * (i + 1)); {
			case x.WithoutSetup != (c.phrase == off):
				t.Errorf("%s: in %s the setup is taken off: %v", c.what, x.Engine, x.WithoutSetup)
			case x.WithoutSetup && (math.Abs(x.NS.Value-each) > 1e-6 || math.Abs(x.P95-each) > 1e-6 || math.Abs(x.PerOp["MB/s"]-rate) > 1e-6*rate):
				t.Errorf("%s: in %s %+v, p95 %v, %v MB/s", c.what, x.Engine, x.NS, x.P95, x.PerOp["MB/s"])
			case c.phrase == on && x.NS.Value < 3.9*each:
				t.Errorf("%s: in %s an iteration with its part of the setup takes %v ns", c.what, x.Engine, x.NS.Value)
			}
		}
		if other := row.Cells[1].ToOther; c.phrase == off && (other == nil || math.Abs(other.Ratio-2) > 1e-6) {
			t.Errorf("%s: the ratio is %+v, want 2", c.what, other)
		}
	}
}

// TestSetupOfOldRecord: a setup that only one of two merged records can take off stays in both.
func TestSetupOfOldRecord(t *testing.T) {
	old, now := newMade("go"), newMade("go")
	old.timed("A", 3e6)
	now.timed("A", 3e6)
	for _, v := range old.Visits {
		v.Larger = nil
	}
	now.count("A", "go", 100).Mean["gas/op"] = 400
	cells := Of(Merge(old.Record, now.Record)).Tables[0].Rows[0].Cells
	if len(cells) != 2 || cells[0].WithoutSetup || cells[1].WithoutSetup || math.Abs(cells[0].ToOther.Ratio-1) > 1e-6 {
		t.Errorf("%+v, compared %+v", cells, cells[0].ToOther)
	}
}

// TestLargerBatches: only a setup that the source may have, and that is large enough to show and small
// enough to be taken off, needs a second size.
func TestLargerBatches(t *testing.T) {
	n := map[string]int{"native": 1000}
	for _, c := range []struct {
		setup float64 // in batches without it
		hint  bool
		want  int
	}{{0.01, true, 0}, {0.5, true, 2}, {0.5, false, 0}, {3.2, true, 5}, {40, true, 9}, {60, true, 0}} {
		m := newMade("native")
		b := m.bench("A")
		if c.hint {
			b.Hints = []record.Hint{{Kind: record.HintSetup, Place: "a_test.go:3"}}
		}
		byTime := newMade("native")
		m.count("A", "native", 100).Mean["gas/op"] += 100 * c.setup
		byTime.Calibrate = append(byTime.Calibrate, &record.Calibration{Cell: record.Cell{Bench: "m.A", Engine: "native"}, N: 1000, FixedNS: 1e6 * c.setup})
		for _, rec := range []made{m, byTime} {
			if got := LargerBatches(rec.Record, b, n); got != c.want {
				t.Errorf("a setup of %v batches: %d times the iterations, want %d", c.setup, got, c.want)
			}
		}
	}
}
