package report

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A metric of several sub-benchmarks is their geometric mean. Its table has a line for each run and
// a column for each sub-benchmark, with its value and how it moved against the parent.

// wholes are the metrics with sub-benchmarks.
func (g *segment) wholes() []ledger.Metric {
	return g.metrics(func(m ledger.Metric) bool { return len(m.Of) > 0 })
}

// parts are the names of the sub-benchmarks' metrics.
func (g *segment) parts() (names []string) {
	for _, m := range g.Config.Metrics {
		names = append(names, m.Of...)
	}
	return names
}

// sub is the name of a sub-benchmark's column.
func sub(whole ledger.Metric, part string) string { return strings.TrimPrefix(part, whole.Name+"/") }

// cell is a run's value of a metric with its change against the parent; a dash if it has none.
func (g *segment) cell(r *ledger.Row, name string) string {
	text := optional(g.value(r, name))
	if st, ok := r.Stats[name]; ok && st.Ratio > 0 {
		text += " (" + percent(st.Ratio-1) + ")"
	}
	return text
}

// subs writes the tables of the sub-benchmarks.
func (p *page) subs(g *segment, prefix string) {
	for _, m := range g.wholes() {
		p.Add("<h3>%s by sub-benchmark</h3>\n", g.heading(m.Name))
		columns := []any{"#", markup.Figure("geometric mean")}
		for _, name := range m.Of {
			columns = append(columns, markup.Figure(sub(m, name)))
		}
		p.Table("runs", columns...)
		for _, r := range g.Rows {
			cells := []any{markup.Of(`<a href="#%s%d">%d</a>`, prefix, r.Run, r.Run)}
			for _, name := range append([]string{m.Name}, m.Of...) {
				cells = append(cells, markup.Figure(g.cell(r, name)))
			}
			p.RowOf(class(r), cells...)
		}
		p.EndTable()
	}
}

// markdownSubs writes the same tables in Markdown.
func (g *segment) markdownSubs(b *strings.Builder, escape func(string) string) {
	for _, m := range g.wholes() {
		fmt.Fprintf(b, "\n%s by sub-benchmark:\n\n| # | geometric mean", escape(g.heading(m.Name)))
		for _, name := range m.Of {
			b.WriteString(" | " + escape(sub(m, name)))
		}
		b.WriteString(" |\n|---:|---:|" + strings.Repeat("---:|", len(m.Of)) + "\n")
		for _, r := range g.Rows {
			fmt.Fprintf(b, "| %d", r.Run)
			for _, name := range append([]string{m.Name}, m.Of...) {
				b.WriteString(" | " + g.cell(r, name))
			}
			b.WriteString(" |\n")
		}
	}
}
