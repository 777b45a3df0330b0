package show_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/lab/bench/fixture"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares the output with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", file, got)
	}
}

func text(t *testing.T, r *result.Report, o show.Options) string {
	t.Helper()
	var b strings.Builder
	if err := show.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestText prints the same report for terminals of several widths.
func TestText(t *testing.T) {
	golden(t, "wide.txt", text(t, fixture.Report(), show.Options{Width: 140}))
	golden(t, "narrow.txt", text(t, fixture.Report(), show.Options{Width: 60}))
	golden(t, "default.txt", text(t, fixture.Report(), show.Options{}))
	golden(t, "verbose.txt", text(t, fixture.Report(), show.Options{Width: 110, Verbose: true}))
	golden(t, "revisions.txt", text(t, revisions(), show.Options{Width: 130}))
	golden(t, "one.txt", text(t, oneEngine(), show.Options{Width: 100}))
}

// oneEngine is the report without the other engines.
func oneEngine() *result.Report {
	r := fixture.Report()
	r.Engines, r.Means = r.Engines[:1], nil
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			row.Cells = row.Cells[:1]
		}
	}
	return r
}

// TestWidths: no line is wider than the terminal, and colours change only colours.
func TestWidths(t *testing.T) {
	r := fixture.Report()
	sequence := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, r := range []*result.Report{r, oneEngine()} {
		for w := 30; w < 220; w += 3 {
			for _, verbose := range []bool{false, true} {
				bare := text(t, r, show.Options{Width: w, Verbose: verbose})
				for line := range strings.Lines(bare) {
					line = strings.TrimSuffix(line, "\n")
					// The letters of 世界 take two columns each.
					if n := utf8.RuneCountInString(line) + strings.Count(line, "世") + strings.Count(line, "界"); n > w || strings.TrimRight(line, " ") != line {
						t.Errorf("width %d: %d columns: %q", w, n, line)
					}
				}
				colored := text(t, r, show.Options{Width: w, Verbose: verbose, Color: true})
				if sequence.ReplaceAllString(colored, "") != bare {
					t.Errorf("width %d: with colours it says something else", w)
				}
				if !strings.Contains(colored, "\x1b[32m") || !strings.Contains(colored, "\x1b[31m") {
					t.Errorf("width %d: no green or no red", w)
				}
			}
		}
	}
}

// TestHarmless: text from the benchmarked program cannot send control characters to the terminal.
func TestHarmless(t *testing.T) {
	r := fixture.Report()
	evil := "a\x1b[2Jb\r\nc\u202ed"
	row := r.Tables[0].Rows[0]
	row.Bench.Name, row.Bench.Group, r.Tables[0].Package = evil, evil, evil
	row.Cells[1].Failed, r.Notes[0].Cause, r.Notes[0].Cure, r.Notes[0].Bench = evil, evil, evil, evil
	row.Cells[0].PerOp[evil] = 3
	for w := range 5 {
		if s := text(t, r, show.Options{Width: 40 * w}); strings.ContainsAny(s, "\x1b\r\u202e") || !strings.Contains(s, `\x1b`) {
			t.Errorf("%q", s)
		}
	}
}

// TestEmpty: a record of an interrupted run, or without any content, is shown too.
func TestEmpty(t *testing.T) {
	rec := fixture.Record()
	rec.End = nil
	for _, r := range []*result.Report{{Record: rec}, {Record: &record.Record{}}, {Record: rec, Engines: fixture.Engines, Tables: []*result.Table{{Package: "p", Rows: []*result.Row{{Bench: rec.Benches[0], Cells: make([]*result.Cell, 3)}}}}}} {
		out := text(t, r, show.Options{}) + goFormat(t, r) + markdown(t, r)
		if strings.Contains(out, "NaN") || r.Record.Run != nil && !strings.Contains(out, "interrupted") {
			t.Error(out)
		}
	}
}

func markdown(t *testing.T, r *result.Report) string {
	t.Helper()
	var b strings.Builder
	if err := show.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// revisions is the report with the engines native and native@beef123. The old figures are those of
// go.
func revisions() *result.Report {
	r := fixture.Report()
	r.Engines, r.Means, r.Record.Run.Against = []string{"native", "native@beef123"}, nil, "beef123"
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			row.Cells = []*result.Cell{row.Cells[0], row.Cells[2]}
			if old := row.Cells[1]; old != nil {
				old.Engine = "native@beef123"
			}
			if old, now := row.Cells[1], row.Cells[0]; old != nil && old.ToOther != nil {
				c := *old.ToOther
				c.Ratio, c.Lo, c.Hi = 1/c.Ratio, 1/c.Hi, 1/c.Lo
				if c.Verdict == result.Faster {
					c.Verdict = result.Slower
				}
				now.ToOther, old.ToOther = &c, nil
			}
		}
	}
	r.Tables[0].Rows[1].Cells[1].Count.PerOp["gas/op"] = 60
	r.Tables[0].Rows[1].Cells[1].PerOp["gas/op"] = 60
	return r
}

// TestMarkdown writes a report of engines and one of revisions.
func TestMarkdown(t *testing.T) {
	golden(t, "engines.md", markdown(t, fixture.Report()))
	out := markdown(t, revisions())
	golden(t, "revisions.md", out)
	// Every row of a table has as many columns as its head, and no name of a benchmark becomes
	// markup.
	columns := 0
	for line := range strings.Lines(out + markdown(t, fixture.Report())) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case n == 0:
			columns = 0
		case columns == 0:
			columns = n
		case n != columns:
			t.Errorf("%d columns and not %d: %s", n, columns, line)
		}
		if strings.Contains(line, "<img") || strings.Contains(line, "</script") || strings.Contains(line, " `*_") {
			t.Errorf("not escaped: %s", line)
		}
	}
}

// TestLongMarkdown: the text stays within GitHub's limit and says that it was cut.
func TestLongMarkdown(t *testing.T) {
	for _, r := range []*result.Report{fixture.Report(), revisions()} {
		for _, table := range r.Tables {
			for range 9 {
				table.Rows = append(table.Rows, table.Rows...)
			}
		}
		for range 9 {
			r.Notes = append(r.Notes, r.Notes...)
		}
		out := markdown(t, r)
		if len(out) > 65000 || !strings.Contains(out, "rows left out") || !strings.Contains(out, "more notes are left out") || !strings.HasSuffix(out, "</sub>\n") {
			t.Errorf("%d bytes: …%s", len(out), out[len(out)-500:])
		}
	}
}

// TestNumbers: units, digits, and the words for ratios.
func TestNumbers(t *testing.T) {
	for ns, want := range map[float64]string{0: "0 ns", .29: "290.0 ps", 131.607: "131.6 ns", 999.94: "999.9 ns", 999.96: "1.000 us", 2410.4: "2.410 us", 8.21e6: "8.210 ms", 1.5e9: "1.500 s", 7.2e12: "7200 s", math.NaN(): "–", 9.9996: "10.00 ns"} {
		if got := show.Duration(ns); got != want {
			t.Errorf("%v ns is printed as %s, not %s", ns, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 1204: "1,204", 3.2087: "3.209", .31682: "0.3168", -12345.6: "-12,346", 1e6: "1,000,000"} {
		if got := show.Number(v); got != want {
			t.Errorf("%v is printed as %s, not %s", v, got, want)
		}
	}
	for p, want := range map[float64]string{.006: "0.6 %", .12: "12 %", .0004: "0.04 %", 0: "0 %", .0995: "10 %", -.25: "-25 %"} {
		if got := show.Percent(p); got != want {
			t.Errorf("%v is printed as %s, not %s", p, got, want)
		}
	}
	nan := math.NaN()
	for _, x := range []struct {
		ratio, lo, hi float64
		want          string
	}{
		{1.31, 1.29, 1.33, "1.3 times as slow (1.29-1.33)"}, {.5, .48, .52, "2.0 times as fast (1.92-2.08)"}, {18.3, 18.02, 18.6, "18.3 times as slow (18.0-18.6)"},
		{1.05, 1.04, 1.06, "1.05 times as slow (1.04-1.06)"}, {1.004, 1.0031, 1.005, "1.004 times as slow (1.003-1.005)"}, {1234, 1200, 1300, "1,234 times as slow (1,200-1,300)"},
		{1.3, nan, nan, "1.3 times as slow"}, {1.353, 1.33, 1.38, "1.35 times as slow (1.33-1.38)"}, {nan, nan, nan, "–"}, {1.5, 1.4999, 1.5001, "1.5 times as slow (1.4999-1.5001)"},
	} {
		if got := show.Times(x.ratio, x.lo, x.hi); got != x.want {
			t.Errorf("%v in [%v, %v] is told as %s, not %s", x.ratio, x.lo, x.hi, got, x.want)
		}
	}
}
