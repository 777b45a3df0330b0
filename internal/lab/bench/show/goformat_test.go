package show_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"github.com/gyrvm/gyr/internal/lab/bench/fixture"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
)

func goFormat(t *testing.T, r *result.Report) string {
	t.Helper()
	var b strings.Builder
	if err := show.GoFormat(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGoFormat: benchstat's reader finds every visit of every engine, with the measured values.
func TestGoFormat(t *testing.T) {
	rep := fixture.Report()
	out := goFormat(t, rep)
	type point struct{ pkg, engine, name string }
	got := map[point][]float64{}
	units := map[string]float64{}
	r := benchfmt.NewReader(strings.NewReader(out), "out")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			sec, ok := rec.Value("sec/op")
			if !ok {
				t.Errorf("no time: %s", rec.Name)
			}
			p := point{rec.GetConfig("pkg"), rec.GetConfig("engine"), rec.Name.String()}
			got[p] = append(got[p], sec*1e9)
			if rec.GetConfig("goos") != "linux" || rec.GetConfig("goarch") != "amd64" || rec.GetConfig("commit") != "0a1b2c3" || rec.GetConfig("cpu") == "" {
				t.Errorf("configuration: %v", rec.Config)
			}
			if p == (point{"example.com/lists", "native", "Growable"}) {
				for _, v := range rec.Values {
					units[v.Unit] = v.Value
				}
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	cells := 0
	for i, engine := range rep.Engines {
		for _, table := range rep.Tables {
			for _, row := range table.Rows {
				c := row.Cells[i]
				if c == nil || c.Failed != "" {
					continue
				}
				cells++
				name := strings.ToUpper(row.Bench.Name[:1]) + row.Bench.Name[1:]
				if strings.HasPrefix(row.Bench.Name, "Ü") {
					name = row.Bench.Name
				}
				values := got[point{table.Package, engine, name}]
				if !slices.EqualFunc(values, c.Visits, func(a, b float64) bool { return math.Abs(a/b-1) < 1e-6 }) {
					t.Errorf("%s in %s: read %v, measured %v", name, engine, values, c.Visits)
				}
			}
		}
	}
	if len(got) != cells {
		t.Errorf("%d cells were read, there are %d", len(got), cells)
	}
	if units["gas/op"] != 63 || units["instructions/op"] != 141 || units["B/op"] != 320 || units["allocs/op"] != 2 || units["B/s"] == 0 {
		t.Errorf("units: %v", units)
	}
	for unit, exact := range map[string]bool{"gas/op": true, "instructions/op": true, "B/op": true, "ns/gas": false, "B/s": false} {
		if is := r.Units().GetAssumption(unit) == benchmath.AssumeExact; is != exact {
			t.Errorf("%s is exact: %v", unit, is)
		}
	}
	if r.Units().GetBetter("B/s") != 1 || r.Units().GetBetter("gas/op") != -1 {
		t.Error("the better directions are wrong")
	}
	// As benchstat -col engine does.
	golden(t, "goformat.txt", strings.Join(strings.SplitAfter(out, "\n")[:20], ""))
}

// TestGoFormatColumns: benchstat -col engine puts the engines of a benchmark side by side.
func TestGoFormatColumns(t *testing.T) {
	var p benchproc.ProjectionParser
	filter, err := benchproc.NewFilter("*")
	if err != nil {
		t.Fatal(err)
	}
	col, err := p.Parse("engine", filter)
	if err != nil {
		t.Fatal(err)
	}
	row, err := p.Parse(".fullname", filter)
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ row, col benchproc.Key }
	samples := map[key][]float64{}
	r := benchfmt.NewReader(strings.NewReader(goFormat(t, fixture.Report())), "out")
	for r.Scan() {
		rec, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		v, _ := rec.Value("sec/op")
		k := key{row.Project(rec), col.Project(rec)}
		samples[k] = append(samples[k], v)
	}
	found := 0
	for k, values := range samples {
		if k.row.Get(row.Fields()[0]) != "Growable" {
			continue
		}
		found++
		s := benchmath.NewSample(values, &benchmath.DefaultThresholds)
		if sum := benchmath.AssumeNothing.Summary(s, .95); len(values) != 8 || len(sum.Warnings) > 0 {
			t.Errorf("%v: %d values, %v", k, len(values), sum.Warnings)
		}
	}
	if found != 3 {
		t.Errorf("%d engines of Growable", found)
	}
}

// TestGoFormatRevisions: the old revision comes first, as benchstat compares with the first one,
// and both have names.
func TestGoFormatRevisions(t *testing.T) {
	r := revisions()
	r.Record.Run.Revision = ""
	out := goFormat(t, r)
	old, now := strings.Index(out, "commit: beef123\n"), strings.Index(out, "commit: new\n")
	if old < 0 || now < old || strings.Count(out, "engine: ") != 1 {
		t.Errorf("the old one is at %d, the new one at %d:\n%.1500s", old, now, out)
	}
}

// TestGoFormatNames: a declared benchmark does not share its name with one of package testing, and
// a varying figure is not declared exact.
func TestGoFormatNames(t *testing.T) {
	r := fixture.Report()
	rows := r.Tables[0].Rows
	rows[1].Bench.Name = "Fixed"
	rows[2].Bench.Name = "with blanks\nand lines"
	out := goFormat(t, r)
	for _, want := range []string{"BenchmarkFixed/declared\t", "BenchmarkFixed\t", `BenchmarkWith_blanks\nand_lines` + "\t", "Unit B/op assume=exact better=lower\n", "Unit allocs/op assume=exact better=lower\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%.2000s", want, out)
		}
	}
}
