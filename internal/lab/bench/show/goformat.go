package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/printable"
)

// GoFormat writes the report in the format of go test -bench. Each visit is a line: benchstat
// treats each line as an independent value, and the batches of one process are not independent.
// Unit lines declare exact figures as such. The engine and the revision are configuration, so that
// benchstat -col engine compares the engines of one file, and -col commit revisions.
func GoFormat(w io.Writer, r *result.Report) error {
	f := &goFormat{Report: r, config: map[string]string{}}
	if run := r.Record.Run; run != nil {
		if e := run.Env; e != nil {
			f.set("goos", e.OS)
			f.set("goarch", e.Arch)
			f.set("cpu", e.CPU)
			f.set("toolchain", e.Go)
		}
		f.set("gyr", run.Gyr)
	}
	f.units()
	for _, i := range order(r.Engines) {
		for _, t := range r.Tables {
			for _, row := range t.Rows {
				if c := row.Cells[i]; c != nil {
					f.cell(t, c)
				}
			}
		}
	}
	_, err := io.WriteString(w, f.out.String())
	return err
}

// order are the columns with older revisions first: benchstat compares with the first one that it
// reads.
func order(engines []string) []int {
	columns := make([]int, len(engines))
	for i := range columns {
		columns[i] = i
	}
	slices.SortStableFunc(columns, func(a, b int) int {
		return strings.Count(engines[b], "@") - strings.Count(engines[a], "@")
	})
	return columns
}

// A goFormat is a text under construction.
type goFormat struct {
	*result.Report
	out    strings.Builder
	config map[string]string // the last values of the configuration lines
}

// set writes a configuration line if its value is new.
func (f *goFormat) set(key, value string) {
	if value = strings.TrimSpace(printable.Line(value)); f.config[key] == value {
		return
	}
	f.config[key] = value
	fmt.Fprintf(&f.out, "%s: %s\n", key, value)
}

// units declares the units for which all cells have exact figures, and which way is better.
func (f *goFormat) units() {
	var cells []*result.Cell
	for _, t := range f.Tables {
		for _, row := range t.Rows {
			cells = append(cells, row.Cells...)
		}
	}
	for _, unit := range Units(cells, true) {
		var properties []string
		if !slices.ContainsFunc(cells, func(c *result.Cell) bool {
			_, ok := Value(c, unit)
			return ok && !exact(c.Count, unit)
		}) {
			properties = append(properties, "assume=exact")
		}
		if better := known(unit).better; better != "" {
			properties = append(properties, "better="+better)
		}
		if len(properties) > 0 {
			fmt.Fprintf(&f.out, "Unit %s %s\n", word(unit), strings.Join(properties, " "))
		}
	}
}

// cell writes a line for each visit, or a single line without a time if the cell has only exact
// figures.
func (f *goFormat) cell(t *result.Table, c *result.Cell) {
	engine, revision, other := strings.Cut(c.Engine, "@")
	if run := f.Record.Run; !other && run != nil {
		revision = run.Revision
		if revision == "" && run.Against != "" {
			revision = "new" // columns of benchstat need a name
		}
	}
	name := f.name(t, c.Bench)
	line := func(n int, values []string) {
		f.set("pkg", t.Package)
		f.set("engine", engine)
		f.set("commit", revision)
		fmt.Fprintf(&f.out, "Benchmark%s\t%8d\t%s\n", name, n, strings.Join(values, "\t"))
	}
	lines := 0
	for i, v := range c.Raw {
		if v == nil || v.Failed != "" || i >= len(c.Visits) || math.IsNaN(c.Visits[i]) {
			continue
		}
		n := 0
		for k := range v.Batches {
			n += v.Batches[k].N
		}
		line(n, values(c, v, c.Visits[i]))
		lines++
	}
	if lines == 0 && c.Count != nil {
		if list := values(c, nil, math.NaN()); len(list) > 0 {
			line(max(c.Count.N, 1), list)
		}
	}
}

// values are the figures of a visit with their units: its time, the cell's exact figures, and the
// visit's other metrics.
func values(c *result.Cell, v *record.Visit, ns float64) []string {
	var list []string
	add := func(v float64, unit string) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			// Seven digits are more than a clock has, and keep the file readable.
			list = append(list, shortest(v)+" "+word(unit))
		}
	}
	add(ns, "ns/op")
	for _, unit := range Units([]*result.Cell{c}, true) {
		value, _ := Value(c, unit)
		switch gas := c.PerOp["gas/op"]; {
		case exact(c.Count, unit):
			add(value, unit)
		case unit == "ns/gas" && gas > 0:
			add(ns/gas, unit)
		case unit == "MB/s" && (c.Bench.Bytes > 0 || c.WithoutSetup):
			add(c.Bytes()/ns*1e3, unit)
		case v != nil && inVisit(v, unit) > 0:
			add(mean(v, unit), unit)
		case v == nil || c.Counters != nil && hasUnit(c.Counters.PerOp, unit):
			// Hardware counters have a single reading, which does not show how visits differ.
		default:
			add(value, unit)
		}
	}
	return list
}

func hasUnit(perOp map[string]float64, unit string) bool { _, ok := perOp[unit]; return ok }

// inVisit is the number of a visit's batches with a figure in a unit.
func inVisit(v *record.Visit, unit string) int {
	n := 0
	for i := range v.Batches {
		if hasUnit(v.Batches[i].Metrics, unit) {
			n++
		}
	}
	return n
}

// mean is a visit's figure in a unit. Batches are weighted by their iterations.
func mean(v *record.Visit, unit string) float64 {
	sum, n := 0.0, 0
	for i := range v.Batches {
		if b := &v.Batches[i]; hasUnit(b.Metrics, unit) {
			sum, n = sum+b.Metrics[unit]*float64(b.N), n+b.N
		}
	}
	return sum / float64(n)
}

// shortest prints a value in at most seven digits, never as a power of ten.
func shortest(v float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	if err != nil || v == math.Trunc(v) {
		short = v
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// name is a benchmark's name in the format: it begins with a capital and has no blanks. If another
// benchmark has the same name except for the capital, a declared one is marked.
func (f *goFormat) name(t *result.Table, b *record.Bench) string {
	name := capital(word(b.Name))
	if name != word(b.Name) && slices.ContainsFunc(t.Rows, func(r *result.Row) bool { return word(r.Bench.Name) == name }) {
		name += "/declared"
	}
	return name
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// word is text without blanks, as the testing package writes names of sub-benchmarks.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, printable.Line(s))
}
