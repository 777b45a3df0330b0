package result

import (
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// report is the report of a group whose benchmarks take fixed times, in two functions with a
// parameter each.
func report(list ...*record.Bench) *Report {
	r := &Report{Record: &record.Record{Run: &record.Run{}}, Engines: []string{"native"}, Tables: []*Table{{}}}
	for i, b := range list {
		c := &Cell{Bench: b, Engine: "native", NS: Interval{Value: float64(10 - i)}}
		r.Tables[0].Rows = append(r.Tables[0].Rows, &Row{Bench: b, Cells: []*Cell{c}})
	}
	return r
}

func bench(fn, n, group string, baseline bool) *record.Bench {
	b := &record.Bench{Key: "p." + fn + "/n=" + n, Name: fn + "/n=" + n, Func: fn, Group: group, Baseline: baseline}
	if n != "" {
		b.Params = []record.Param{{Name: "n", Value: n}}
	}
	return b
}

// TestRivals: benchmarks of a group are compared with those whose parameters have the same values,
// if any exist.
func TestRivals(t *testing.T) {
	r := report(bench("sum", "8", "g", true), bench("sum", "64", "g", true), bench("fold", "8", "g", false), bench("fold", "64", "g", false),
		bench("alone", "8", "h", false), bench("alone", "64", "h", false), bench("none", "8", "", false))
	rows := r.Tables[0].Rows
	for i, want := range []string{"", "", "sum/n=8", "sum/n=64", "alone/n=64", "", ""} {
		base, _ := r.baseline(rows[i], "native")
		got := ""
		if base != nil {
			got = base.Bench.Name
		}
		if got != want {
			t.Errorf("%s is compared with %q, want %q", rows[i].Bench.Name, got, want)
		}
	}
	r.markFastest()
	for i, want := range []bool{false, false, true, true, false, true, false} {
		if rows[i].Fastest != want {
			t.Errorf("%s: fastest is %v", rows[i].Bench.Name, rows[i].Fastest)
		}
	}
}

// TestOnly: the report on an older record has only the cells of the newer one.
func TestOnly(t *testing.T) {
	cell := func(fn, engine string) record.Cell { return record.Cell{Bench: "p." + fn + "/n=8", Engine: engine} }
	old := &record.Record{Run: &record.Run{Engines: []string{"go", "native"}}, Benches: []*record.Bench{bench("a", "8", "", false), bench("b", "8", "", false)},
		Visits: []*record.Visit{{Cell: cell("a", "go")}, {Cell: cell("a", "native")}, {Cell: cell("b", "native")}}}
	now := &record.Record{Run: &record.Run{Engines: []string{"native"}}, Benches: []*record.Bench{bench("a", "8", "", false)}}
	got := Only(old, now)
	if len(got.Benches) != 1 || len(got.Visits) != 1 || got.Visits[0].Cell != cell("a", "native") || len(got.Run.Engines) != 1 {
		t.Errorf("%+v", got)
	}
	if len(old.Visits) != 3 || len(old.Benches) != 2 || len(old.Run.Engines) != 2 {
		t.Error("the old record was changed")
	}
}
