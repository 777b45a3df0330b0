package page

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
	"github.com/gyrvm/gyr/internal/lab/markup"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// HTML writes the report as a page.
func HTML(w io.Writer, r *result.Report) error {
	p := &page{Report: r}
	p.thin()
	p.head()
	p.overview()
	p.forest()
	p.notes()
	p.benchmarks()
	p.environment()
	p.End(script)
	_, err := io.WriteString(w, p.String())
	return err
}

// A page under construction.
type page struct {
	*result.Report
	markup.Writer
	every int // one of this many batches is drawn
	code  int // instructions shown so far
	lists int // listings so far, for their names in the page
}

func (p *page) head() {
	p.Begin(p.title(), style, script)
	for _, line := range show.About(p.Report) {
		p.Add("<p class=\"about\">%s</p>\n", line)
	}
	p.Add(`</header>
<div class="tools"><label><input type="checkbox" id="zoom"/> axes around the values, not from 0</label>
<label id="filter" hidden="">benchmarks with <input type="search" placeholder="part of the name"/></label></div>
`)
}

// title names the packages that were measured, as many as can be read.
func (p *page) title() string {
	var names []string
	for _, t := range p.Tables {
		names = append(names, t.Package)
	}
	switch {
	case len(names) == 0:
		return "Benchmarks"
	case len(names) > 2:
		return fmt.Sprintf("Benchmarks of %s and %d other packages", names[0], len(names)-1)
	}
	return "Benchmarks of " + strings.Join(names, " and ")
}

// notes writes the diagnoses. Those of severity info are folded up below the others.
func (p *page) notes() {
	if len(p.Notes) == 0 {
		return
	}
	var told, info []*result.Note
	for _, n := range p.Notes {
		if n.Severity == result.Info {
			info = append(info, n)
		} else {
			told = append(told, n)
		}
	}
	p.Add("<section>\n<h2>Notes</h2>\n")
	p.noteList(told)
	if len(info) > 0 {
		p.Add("<details class=\"info\"><summary>%d for information</summary>\n", len(info))
		p.noteList(info)
		p.Add("</details>\n")
	}
	p.Add("</section>\n")
}

func (p *page) noteList(list []*result.Note) {
	if len(list) == 0 {
		return
	}
	p.Add("<ol class=\"notes\">\n")
	for _, n := range list {
		p.Add(`<li id="n%d" value="%d" class="%s"><b class="code">%s</b> %s%s`, n.Number, n.Number, string(n.Severity), n.Code, show.NoteAbout(p.Report, n), n.Cause)
		p.AddIf(`<br/><span class="cure">%s</span>`, n.Cure)
		if len(n.Evidence) > 0 || n.Place != "" {
			p.Add("<details><summary>seen by</summary><ul>")
			for _, e := range n.Evidence {
				p.Add("<li>%s</li>", e)
			}
			p.AddIf("<li>at <code>%s</code></li>", n.Place)
			p.Add("</ul></details>")
		}
		p.Add("</li>\n")
	}
	p.Add("</ol>\n")
}

// marks are links to the notes about some cells, each note once.
func (p *page) marks(cells ...*result.Cell) markup.Markup {
	var numbers []int
	for _, c := range cells {
		if c != nil {
			numbers = append(numbers, c.Notes...)
		}
	}
	slices.Sort(numbers)
	var w markup.Writer
	for _, n := range slices.Compact(numbers) {
		if i := slices.IndexFunc(p.Notes, func(note *result.Note) bool { return note.Number == n }); i >= 0 {
			w.Add(`<a class="mark %s" href="#n%d" title="%s: %s">%d</a>`, string(p.Notes[i].Severity), n, p.Notes[i].Code, p.Notes[i].Cause, n)
		}
	}
	return w.Markup()
}

// classes of verdicts, for their colours.
var classes = map[result.Verdict]string{result.Faster: "faster", result.Slower: "slower", result.Same: "same", result.Unresolved: "open", result.Few: "open"}

// overview writes a table for each package. Its rows can be sorted by the values in data-v.
func (p *page) overview() {
	p.Add("<section>\n<h2>Times</h2>\n")
	index := 0
	for _, t := range p.Tables {
		units := show.Units(column(t, 0), false)
		p.Add("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table of %s\">\n<table class=\"sortable\"><caption>%s</caption>\n<thead><tr><th aria-sort=\"none\">benchmark</th>", t.Package, t.Package)
		for _, e := range p.Engines {
			p.Add(`<th class="n" aria-sort="none">%s</th>`, e)
		}
		for _, u := range units {
			p.Add(`<th class="n" aria-sort="none" title="of %s">%s</th>`, p.Engines[0], u)
		}
		p.Add("</tr></thead>\n<tbody>\n")
		group := ""
		for _, row := range t.Rows {
			p.Add(`<tr data-name="%s"><td data-v="%d"><a href="#b%d">%s</a>`, row.Bench.Name, index, index, row.Bench.Name)
			if row.Bench.Group != group || row.Bench.Group != "" {
				group = row.Bench.Group
				p.AddIf(`<br/><span class="quiet">%s</span>`, group)
			}
			p.Add("</td>")
			index++
			for i, c := range row.Cells {
				p.overviewCell(t, row, i, c)
			}
			for _, u := range units {
				v, ok := show.Value(row.Cells[0], u)
				if !ok {
					p.Add(`<td class="n"></td>`)
					continue
				}
				p.Add(`<td class="n"%s>%s</td>`, sortable(v), show.Number(v))
			}
			p.Add("</tr>\n")
		}
		p.Add("</tbody>")
		p.means(t, len(units))
		p.Add("\n</table>\n</div>\n")
	}
	p.AddIf("<p class=\"about\">± is the 95 %% interval of the median. %s</p>\n", show.Compared(p.Report))
	p.Add("</section>\n")
}

func (p *page) overviewCell(t *result.Table, row *result.Row, i int, c *result.Cell) {
	switch {
	case c == nil:
		p.Add(`<td class="n quiet">–</td>`)
		return
	case c.Failed != "":
		p.Add(`<td class="n"><span class="slower" title="%s">failed</span>%s</td>`, c.Failed, p.marks(c))
		return
	}
	p.Add(`<td class="n"%s><b>%s</b> <span class="quiet">%s</span>%s`, sortable(c.NS.Value), show.Duration(c.NS.Value), show.Half(c.NS), p.marks(c))
	tag, comparison := show.Relation(t, row, i)
	p.AddIf(`<br/><span class="faster">%s</span>`, tag)
	if comparison != nil {
		p.Add(`<br/><span class="%s">%s</span>`, classes[comparison.Verdict], show.Verdict(comparison))
	}
	p.Add("</td>")
}

// sortable is the attribute of a value by which rows are sorted; nothing if the value is not
// finite.
func sortable(v float64) markup.Markup {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return markup.Markup(fmt.Sprintf(` data-v="%g"`, v))
}

// means writes the geometric means of a package as the foot of its table.
func (p *page) means(t *result.Table, more int) {
	find := func(engine string) *result.Mean {
		i := slices.IndexFunc(p.Means, func(m result.Mean) bool { return m.Of == t.Package && m.Engine == engine && m.Rows > 1 })
		if i < 0 {
			return nil
		}
		return &p.Means[i]
	}
	if !slices.ContainsFunc(p.Engines, func(e string) bool { return find(e) != nil }) {
		return
	}
	p.Add("\n<tfoot><tr><td>geometric mean</td>")
	for _, e := range p.Engines {
		if m := find(e); m != nil {
			p.Add(`<td class="n">%s<br/><span class="quiet">%d rows</span></td>`, show.Times(m.Ratio, math.NaN(), math.NaN()), m.Rows)
		} else {
			p.Add("<td></td>")
		}
	}
	for range more {
		p.Add("<td></td>")
	}
	p.Add("</tr></tfoot>")
}

// column are the cells of an engine.
func column(t *result.Table, i int) []*result.Cell {
	var list []*result.Cell
	for _, row := range t.Rows {
		list = append(list, row.Cells[i])
	}
	return list
}

// benchmarks writes the details of each benchmark, folded up.
func (p *page) benchmarks() {
	p.Add("<section>\n<h2>Benchmarks</h2>\n")
	index := 0
	for _, t := range p.Tables {
		p.Add("<h3>%s</h3>\n", t.Package)
		for _, row := range t.Rows {
			p.Add("<details class=\"bench\" id=\"b%d\" data-name=\"%s\">\n<summary><b>%s</b>", index, row.Bench.Name, row.Bench.Name)
			index++
			if c := row.Cells[0]; c != nil && c.Failed == "" {
				p.Add(` <span class="quiet">%s %s</span>`, show.Duration(c.NS.Value), show.Half(c.NS))
			}
			p.Add("%s</summary>\n<div class=\"body\">\n", p.marks(row.Cells...))
			if b := row.Bench; b.File != "" {
				p.Add(`<p class="about"><code>%s</code> at <code>%s:%d</code></p>`+"\n", b.Func, b.File, b.Line)
			}
			p.figures(row)
			p.distributions(row)
			p.series(row)
			for _, c := range row.Cells {
				p.proof(c)
			}
			for _, c := range row.Cells {
				p.profile(c)
			}
			p.difference(row)
			p.Add("</div>\n</details>\n")
		}
	}
	p.Add("</section>\n")
}

// A figure is a line of the table of a benchmark.
type figure struct {
	name string
	of   func(c *result.Cell) string // empty: none
}

// positive prints a positive value, and nothing for others.
func positive(v float64, print func(float64) string) string {
	if !(v > 0) || math.IsInf(v, 0) {
		return ""
	}
	return print(v)
}

var figures = []figure{
	{"median", func(c *result.Cell) string { return show.Duration(c.NS.Value) }},
	{"interval, 95 %", func(c *result.Cell) string {
		if math.IsNaN(c.NS.Lo) || math.IsNaN(c.NS.Hi) {
			return ""
		}
		return show.Duration(c.NS.Lo) + " to " + show.Duration(c.NS.Hi)
	}},
	{"in its group", func(c *result.Cell) string { return show.Verdict(c.InGroup) }},
	{"compared", func(c *result.Cell) string { return show.Verdict(c.ToOther) }},
	{"p, corrected", func(c *result.Cell) string {
		if c.ToOther == nil {
			return ""
		}
		return fmt.Sprintf("%.2g, %d pairs", c.ToOther.P, c.ToOther.N)
	}},
	{"p of Mann and Whitney", func(c *result.Cell) string {
		if c.ToOther == nil {
			return ""
		}
		return fmt.Sprintf("%.2g", c.ToOther.U)
	}},
	{"p50 of batches", func(c *result.Cell) string { return positive(c.P50, show.Duration) }},
	{"p95 of batches", func(c *result.Cell) string { return positive(c.P95, show.Duration) }},
	{"longest batch", func(c *result.Cell) string { return positive(c.Max, show.Duration) }},
	{"collections, of the time", func(c *result.Cell) string { return positive(c.GCShare, show.Percent) }},
	{"batches with a collection", func(c *result.Cell) string { return positive(c.GCBatches, show.Percent) }},
	{"first iteration", func(c *result.Cell) string { return positive(c.FirstNS, show.Duration) }},
	{"warm-up", func(c *result.Cell) string { return string(c.Warmup) }},
	{"compiled in", func(c *result.Cell) string { return positive(c.CompileNS, show.Duration) }},
	{"code", func(c *result.Cell) string {
		if c.CodeBytes == 0 {
			return ""
		}
		return show.Bytes(c.CodeBytes)
	}},
}

// figures writes all figures of a benchmark, a column for each engine.
func (p *page) figures(row *result.Row) {
	columns := []any{""}
	for i, e := range p.Engines {
		if row.Cells[i] != nil {
			columns = append(columns, markup.Figure(e))
		}
	}
	p.Table("figures", columns...)
	list := slices.Clone(figures)
	for _, unit := range show.Units(row.Cells, true) {
		list = append(list, figure{unit, func(c *result.Cell) string {
			if v, ok := show.Value(c, unit); ok {
				return show.Number(v)
			}
			return ""
		}})
	}
	for _, f := range list {
		var values []any
		found := false
		for _, c := range row.Cells {
			switch {
			case c == nil:
			case c.Failed != "":
				values = append(values, markup.Figure(""))
			default:
				v := f.of(c)
				values, found = append(values, markup.Figure(v)), found || v != ""
			}
		}
		if found {
			p.Named(f.name, values...)
		}
	}
	p.EndTable()
	for i, c := range row.Cells {
		if c != nil && c.Failed != "" {
			p.Add("<p class=\"failed\">%s failed: %s</p>\n", p.Engines[i], c.Failed)
		}
	}
	if n := row.BreakEven; n > 0 && !math.IsInf(n, 0) {
		p.Add("<p>Machine code is ahead of the interpreter after %s iterations, its compilation counted.</p>\n", show.Number(math.Ceil(n)))
	}
}

// proof writes what the compiler left of a benchmark.
func (p *page) proof(c *result.Cell) {
	if c == nil || c.Proof == nil {
		return
	}
	r := c.Proof
	p.Add("<h4>What is left in the measured loop: %s</h4>\n", c.Engine)
	if r.Unknown != "" {
		p.Add("<p class=\"about\">unknown: %s</p>\n", r.Unknown)
		return
	}
	if r.Lowered == 0 {
		p.Add("<p>%d instructions more than in an empty loop: %s. <span class=\"quiet\"><code>%s</code> at <code>%s</code></span></p>\n",
			r.Left, strings.Join(r.Kept, ", "), r.Func, r.Place)
		return
	}
	p.Add("<p>%d of %d operations as lowered; calls among them: %d, allocations: %d. Beside them, %d of the loop itself (counter, poll, gas). <span class=\"quiet\"><code>%s</code> at <code>%s</code></span></p>\n",
		r.Left, r.Lowered, r.Calls, r.Allocs, r.Overhead, r.Func, r.Place)
	if len(r.Gone) > 0 {
		p.Table("", "gone", "at", "reason", "pass")
		for _, g := range r.Gone {
			reason := g.Reason
			if g.Why != "" {
				reason += ": " + g.Why
			}
			p.Row(markup.Of("<code>%s</code>", g.What), markup.Of("<code>%s</code>", g.Place), reason, g.Pass)
		}
		p.EndTable()
	}
}

// environment writes the machine and the plan.
func (p *page) environment() {
	run := p.Record.Run
	if run == nil {
		return
	}
	p.Add("<section>\n<h2>Environment</h2>\n")
	p.Table("figures")
	line := func(name, value string) {
		if value != "" {
			p.Named(name, value)
		}
	}
	line("gyr", run.Gyr)
	line("arguments", strings.Join(run.Args, " "))
	if !run.Time.IsZero() {
		line("begun", run.Time.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	line("revision", run.Revision)
	line("against", run.Against)
	if e := run.Env; e != nil {
		line("Go", e.Go)
		line("system", e.OS+"/"+e.Arch+" "+e.Kernel)
		line("processor", e.CPU)
		line("processors", show.Number(float64(e.CPUs)))
		line("governor", e.Governor)
		for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
			line(name, cmp.Or(e.Settings[name], "(empty)"))
		}
		if e.Load >= 0 {
			line("load", show.Number(e.Load))
		}
	}
	plan := run.Plan
	line("plan", fmt.Sprintf("%s: %d visits of %d batches, seed %d", plan.Mode, plan.Visits, plan.Batches, plan.Seed))
	p.EndTable()
	p.Add("</section>\n")
}
