package ratio

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

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

// programTable has the rows of programs: times and peak of the first engine, and
// for each other one its ratios and its peak.
func (rep *Report) programTable() *table {
	t := &table{head: []string{"program", "size", "go wall", "cpu", "peak", "bound"}}
	for _, name := range rep.Engines[1:] {
		t.head = append(t.head, name+" wall", "cpu", "peak")
	}
	for _, r := range rep.Rows {
		n := r.Cells[0]
		line := []string{r.Program, n.Size, seconds(n.Wall), seconds(n.CPU), mebibytes(n.Peak), bound(r.BoundNS)}
		if n.Failed != "" {
			line = []string{r.Program, n.Size, "failed", "", "", ""}
		}
		for _, c := range r.Cells[1:] {
			if c.Failed != "" {
				line = append(line, "failed", "", "")
			} else {
				line = append(line, times(c.RatioWall), times(c.RatioCPU), mebibytes(c.Peak))
			}
		}
		t.add(line...)
	}
	return t
}

// layerTable has a column of CPU ratios an engine.
func (rep *Report) layerTable() *table {
	t := &table{head: append([]string{"program", "go cpu"}, rep.Engines[1:]...)}
	for _, r := range rep.Rows {
		line := []string{r.Program, seconds(r.Cells[0].CPU)}
		for _, c := range r.Cells[1:] {
			if c.Failed != "" {
				line = append(line, "failed")
			} else {
				line = append(line, times(c.RatioCPU))
			}
		}
		t.add(line...)
	}
	line := []string{"geometric mean", ""}
	for _, m := range rep.Means {
		if m.Family == "" {
			line = append(line, times(m.CPU))
		}
	}
	t.add(line...)
	return t
}

// meanTable has the means of all programs and of each family.
func (rep *Report) meanTable() *table {
	t := &table{head: []string{"geometric mean"}}
	lines := map[string][]string{}
	var order []string
	for _, m := range rep.Means {
		if m.Engine == rep.Engines[1] {
			name := m.Family
			if name == "" {
				name = "all"
			}
			lines[m.Family] = []string{name}
			order = append(order, m.Family)
		}
	}
	for _, name := range rep.Engines[1:] {
		t.head = append(t.head, name+" wall", "cpu", "worst", "of")
	}
	for _, m := range rep.Means {
		cells := []string{"-", "-", "-", "0"}
		if m.Programs > 0 {
			cells = []string{times(m.Wall), times(m.CPU), times(m.Most), fmt.Sprint(m.Programs)}
		}
		lines[m.Family] = append(lines[m.Family], cells...)
	}
	for _, f := range order {
		t.add(lines[f]...)
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

// failures lists what failed, below the table.
func (rep *Report) failures(w io.Writer) {
	for _, r := range rep.Rows {
		for _, c := range r.Cells {
			if c.Failed != "" {
				fmt.Fprintf(w, "%s in %s: %s\n", r.Program, c.Engine, c.Failed)
			}
		}
	}
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

func bound(ns float64) string {
	if ns == 0 {
		return "-"
	}
	return seconds(ns / 1e9)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0fM", float64(n)/(1<<20)) }

// times prints a ratio: three digits are enough.
func times(x float64) string {
	if x < 10 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
