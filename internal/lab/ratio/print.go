package ratio

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// A table is printed in columns, or as Markdown.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer, markdown bool) {
	if markdown {
		line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
		line(t.head)
		fmt.Fprintf(w, "|---%s|\n", strings.Repeat("|---:", len(t.head)-1))
		for _, r := range t.rows {
			line(r)
		}
	} else {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, r := range append([][]string{t.head}, t.rows...) {
			fmt.Fprintln(tw, strings.Join(r, "\t")+"\t")
		}
		tw.Flush()
	}
	fmt.Fprintln(w)
}

// A column of a table of rows. Its function returns the text of a cell, empty if the cell has
// nothing to say. Columns without any text are left out.
type column struct {
	head string
	text func(row *result.Row, c *result.Cell) string
}

// A ratio is a cell's figure over the yardstick's; NaN if a cell has none.
type ratio struct {
	name string
	of   func(row *result.Row, c *result.Cell) float64
}

// cpuRatio is the ratio of the times. For programs that is processor time.
var cpuRatio = ratio{"cpu", func(_ *result.Row, c *result.Cell) float64 {
	if c.ToOther == nil {
		return math.NaN()
	}
	return c.ToOther.Ratio
}}

var wallRatio = ratio{"wall", func(row *result.Row, c *result.Cell) float64 {
	if c.ToOther == nil {
		return math.NaN()
	}
	return c.PerOp[wallUnit] / row.Cells[0].PerOp[wallUnit]
}}

func (r ratio) column(head string) column {
	return column{head, func(row *result.Row, c *result.Cell) string { return times(r.of(row, c)) }}
}

// columns are the yardstick's columns and those of each other engine.
type columns struct{ first, others []column }

// programColumns has times and peak of the first engine, and the ratios and the peak of each other
// one.
func programColumns(m *measure.Machine) columns {
	peak := column{"peak", func(_ *result.Row, c *result.Cell) string {
		var list []float64
		for _, v := range c.Raw {
			list = append(list, float64(v.PeakBytes))
		}
		return fmt.Sprintf("%.0fM", measure.Median(list)/(1<<20))
	}}
	return columns{[]column{
		{"size", func(row *result.Row, _ *result.Cell) string { return row.Bench.Params[0].Value }},
		{"go wall", func(_ *result.Row, c *result.Cell) string { return duration(c.PerOp[wallUnit]) }},
		{"cpu", cpuTime}, peak,
		{"bound", func(row *result.Row, _ *result.Cell) string { return programBound(m, row) }},
	}, []column{wallRatio.column("wall"), cpuRatio.column("cpu"), peak}}
}

func cpuTime(_ *result.Row, c *result.Cell) string { return duration(c.NS.Value) }

// programBound is the lower bound of a program at its size.
func programBound(m *measure.Machine, row *result.Row) string {
	i := slices.IndexFunc(Programs, func(p Program) bool { return p.Name == row.Bench.Name })
	n, err := strconv.ParseFloat(row.Bench.Params[0].Value, 64)
	if i < 0 || err != nil || Programs[i].bound == nil {
		return ""
	}
	return duration(Programs[i].bound(m, n))
}

// layerTable has one column of ratios for each engine, and their means below it.
func layerTable(rep *result.Report) *table {
	t := rowTable(rep, "program", columns{[]column{{"go cpu", cpuTime}}, []column{cpuRatio.column("")}})
	line := []string{"geometric mean", ""}
	mean := meanTable(rep, cpuRatio).rows[0]
	for i := 1; i < len(mean); i += 3 {
		line = append(line, mean[i])
	}
	t.add(line...)
	return t
}

// benchColumns has the figures that the testing package prints, the bounds of kernels where m is
// known, and the ratios.
func benchColumns(m *measure.Machine) columns {
	number := func(v float64) string {
		if v < 100 {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	unit := func(unit string) func(*result.Row, *result.Cell) string {
		return func(_ *result.Row, c *result.Cell) string {
			if v, ok := c.PerOp[unit]; ok {
				return number(v)
			}
			return ""
		}
	}
	ns := func(_ *result.Row, c *result.Cell) string { return number(c.NS.Value) }
	bound := func(row *result.Row, _ *result.Cell) string {
		if f := kernelBounds[row.Bench.Name]; f != nil && m != nil {
			return number(f(m))
		}
		return ""
	}
	return columns{[]column{{"go ns/op", ns}, {"allocs/op", unit("allocs/op")}, {"MB/s", unit("MB/s")}, {"bound", bound}},
		[]column{{"ns/op", ns}, {"allocs/op", unit("allocs/op")}, {"MB/s", unit("MB/s")}, cpuRatio.column("ratio")}}
}

// rowTable has the rows of a report.
func rowTable(rep *result.Report, what string, cols columns) *table {
	t := &table{head: []string{what}}
	type place struct {
		engine int
		column
	}
	var places []place
	for i, e := range rep.Engines {
		list, prefix := cols.others, e+" "
		if i == 0 {
			list, prefix = cols.first, ""
		}
		for _, c := range list {
			said := false
			rep.Rows(func(row *result.Row) {
				said = said || sound(row.Cells[i]) && c.text(row, row.Cells[i]) != ""
			})
			if said {
				places = append(places, place{i, c})
				t.head = append(t.head, strings.TrimSpace(prefix+c.head))
				prefix = ""
			}
		}
	}
	for _, group := range rep.Tables {
		if what == "benchmark" && len(rep.Tables) > 1 {
			t.add(append([]string{group.Package}, make([]string, len(places))...)...)
		}
		for _, row := range group.Rows {
			line, failed := []string{row.Bench.Name}, -1
			for _, p := range places {
				c, text := row.Cells[p.engine], "-"
				switch {
				case sound(c):
					if said := p.text(row, c); said != "" {
						text = said
					}
				case c != nil && failed == p.engine:
					text = ""
				case c != nil:
					text, failed = "failed", p.engine
				}
				line = append(line, text)
			}
			t.add(line...)
		}
	}
	return t
}

// sound reports whether a cell has figures.
func sound(c *result.Cell) bool { return c != nil && c.Failed == "" && c.NS.Value > 0 }

// meanTable has the geometric means of ratios over all rows and over each package or family, with
// the largest value of the last ratio.
func meanTable(rep *result.Report, ratios ...ratio) *table {
	t := &table{head: []string{"geometric mean"}}
	for _, e := range rep.Engines[1:] {
		for i, r := range ratios {
			name := r.name
			if i == 0 {
				name = e + " " + name
			}
			t.head = append(t.head, name)
		}
		t.head = append(t.head, "worst", "of")
	}
	all := &result.Table{Package: "all"}
	for _, g := range rep.Tables {
		all.Rows = append(all.Rows, g.Rows...)
	}
	for _, g := range append([]*result.Table{all}, rep.Tables...) {
		line := []string{g.Package}
		for i := 1; i < len(rep.Engines); i++ {
			var values []float64
			for _, r := range ratios {
				values = nil
				for _, row := range g.Rows {
					if c := row.Cells[i]; sound(c) && r.of(row, c) > 0 {
						values = append(values, r.of(row, c))
					}
				}
				line = append(line, times(measure.GeoMean(values)))
			}
			worst := "-"
			if len(values) > 0 {
				worst = times(slices.Max(values))
			}
			line = append(line, worst, fmt.Sprint(len(values)))
		}
		t.add(line...)
	}
	return t
}

func machineTable(m *measure.Machine) *table {
	t := &table{head: []string{"operation", "ns"}}
	for _, r := range m.Rows() {
		t.add(r.Name, fmt.Sprintf("%.2f", r.NS))
	}
	return t
}

// duration prints nanoseconds.
func duration(ns float64) string { return time.Duration(ns).Round(time.Millisecond).String() }

// times prints a ratio: three digits are enough.
func times(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
