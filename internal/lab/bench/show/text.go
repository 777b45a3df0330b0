package show

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/printable"
)

// Options say what Text may use, and how much it prints.
type Options struct {
	Width   int  // columns of the terminal; 0: unknown, so 80
	Color   bool // the terminal takes escape sequences
	Verbose bool // all metrics, and notes of severity info
}

const (
	defaultWidth = 80
	leastWidth   = 30  // nothing is readable below this
	wideWidth    = 100 // least width with histograms
	blocks       = 10  // of a histogram
)

// A layout is a way to place the cells of a row. Text tries layouts in this order until one is
// narrow enough.
type layout struct {
	lines     bool // one line per engine instead of one column
	stacked   bool // the relation is below the time
	histogram bool
}

var layouts = []layout{
	{histogram: true},
	{},
	{stacked: true, histogram: true},
	{stacked: true},
	{lines: true, histogram: true},
	{lines: true},
	{lines: true, stacked: true},
}

// Text writes the report as a table: packages and groups as a tree, a row for each benchmark, and a
// column for each engine, or a line for each engine where the columns do not fit. No line is wider
// than the terminal.
func Text(w io.Writer, r *result.Report, o Options) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	o.Width = max(o.Width, leastWidth)
	t := &terminal{Report: r, Options: o}
	t.about()
	for _, l := range layouts {
		if l.histogram && o.Width < wideWidth {
			continue
		}
		t.layout, t.grid = l, grid{}
		t.tables()
		if t.grid.width() <= o.Width {
			break
		}
	}
	t.grid.write(&t.out, o.Width, o.Color)
	t.notes()
	t.legend()
	_, err := io.WriteString(w, t.out.String())
	return err
}

// A terminal is a table under construction.
type terminal struct {
	*result.Report
	Options
	layout layout
	grid   grid
	out    strings.Builder
}

// paragraph wraps a text over as many lines as it needs. The first line is indented by first, the
// others by rest.
func (t *terminal) paragraph(words text, first, rest int) {
	for _, line := range words.wrap(t.Width, first, rest) {
		writeLine(&t.out, line, t.Color)
	}
}

// about prints what was measured where.
func (t *terminal) about() {
	for _, line := range About(t.Report) {
		t.paragraph(user(dim, line), 0, 2)
	}
	t.out.WriteByte('\n')
}

// About says in a few lines what was measured where, and whether the run was complete.
func About(r *result.Report) []string {
	if r.Record == nil || r.Record.Run == nil {
		return nil
	}
	var lines []string
	run := r.Record.Run
	var machine []string
	if e := run.Env; e != nil {
		machine = append(machine, e.Go, e.OS+"/"+e.Arch, e.CPU)
		if e.CPUs > 0 {
			machine = append(machine, fmt.Sprintf("%d processors", e.CPUs))
		}
	}
	if run.Revision != "" {
		machine = append(machine, "revision "+run.Revision)
	}
	machine = slices.DeleteFunc(machine, func(s string) bool { return s == "" || s == "/" })
	if len(machine) > 0 {
		lines = append(lines, strings.Join(machine, ", "))
	}
	if p := run.Plan; p.Visits > 0 {
		line := fmt.Sprintf("%d visits of %d batches of about %s, differences from %s on", visits(r), p.Batches, Nominal(float64(p.BatchNS)), Percent(p.Delta))
		if p.LiveBytes > 0 {
			line += ", beside a live heap of " + Bytes(p.LiveBytes)
		}
		lines = append(lines, line)
	}
	if r.Record.End == nil {
		lines = append(lines, "the run was interrupted: what is missing was not measured yet")
	}
	return lines
}

func (t *terminal) tables() {
	for i, table := range t.Tables {
		if i > 0 {
			t.grid.free(0, nil)
		}
		t.grid.free(0, user(bold, table.Package))
		if !t.layout.lines && (len(t.Engines) > 1 || i == 0) {
			t.header()
		}
		for _, row := range Tree(table) {
			if row.Heading != "" {
				t.grid.free(2, user(bold, row.Heading))
				continue
			}
			t.row(table, row)
		}
		t.mean(table.Package, "  geometric mean")
	}
	if len(t.Tables) > 1 {
		if t.means("") {
			t.grid.free(0, nil)
		}
		t.mean("", "geometric mean of all")
	}
}

// header names the columns.
func (t *terminal) header() {
	cells := []cell{{}}
	for _, e := range t.Engines {
		cells = append(cells, t.cells(user(dim, e), nil, nil, nil)...)
	}
	t.grid.add(cells)
}

// cells places the figures of a cell in the columns that an engine has in this layout. If the
// relation is below the time, it is not among them.
func (t *terminal) cells(time, reach, bars, relation text) []cell {
	list := []cell{{time, true}, {reach, true}}
	if t.layout.histogram {
		list = append(list, cell{bars, false})
	}
	if !t.layout.stacked {
		list = append(list, cell{relation, false})
	}
	return list
}

// row adds the lines of a benchmark.
func (t *terminal) row(table *result.Table, row TreeRow) {
	indent := strings.Repeat("  ", row.Depth)
	name := user(plain, row.Name)
	if marks := t.marks(row.Row); marks != "" {
		name = and(name, of(doubt, marks))
	}
	var line, below []cell
	var failed []text
	// A name much longer than its column should be goes above its row.
	if t.layout.lines || name.width() > max(24, t.Width/4) {
		t.grid.free(2*row.Depth, name)
		name = nil
	}
	line = append(line, cell{append(of(plain, indent), name...), false})
	below = append(below, cell{})
	for i, c := range row.Row.Cells {
		time, reach, bars, relation := t.cell(table, row.Row, i)
		if c != nil && c.Failed != "" {
			failure := Failure(c.Failed)
			if t.Verbose {
				failure = c.Failed
			}
			failed = append(failed, append(user(dim, t.Engines[i]+" failed: "), user(bad, failure)...))
		}
		if t.layout.lines {
			if c == nil {
				continue
			}
			label := append(of(plain, indent+"  "), user(dim, t.Engines[i])...)
			t.grid.add(append([]cell{{label, false}}, t.cells(time, reach, bars, relation)...))
			if t.layout.stacked && len(relation) > 0 {
				t.grid.free(2*row.Depth+4, relation)
			}
			continue
		}
		line = append(line, t.cells(time, reach, bars, relation)...)
		// Below the time and the figures beside it.
		span := len(t.cells(nil, nil, nil, nil))
		below = append(below, cell{relation, false})
		for range span - 1 {
			below = append(below, cell{})
		}
	}
	if !t.layout.lines {
		t.grid.add(line)
		if t.layout.stacked {
			t.grid.addSpans(below, len(t.cells(nil, nil, nil, nil)))
		}
	}
	at := 2*row.Depth + 2
	for _, f := range failed {
		t.grid.free(at, f)
	}
	t.items(at, "", metricItems(t.Engines, row.Row.Cells, t.Verbose))
	if t.Verbose {
		for i, c := range row.Row.Cells {
			if c == nil || c.Failed != "" {
				continue
			}
			items := details(c)
			if _, shown := Relation(table, row.Row, i); c.InGroup != nil && shown != c.InGroup {
				items = append([]string{"in its group " + Verdict(c.InGroup)}, items...)
			}
			t.items(at, t.Engines[i]+": ", items)
		}
		if n := row.Row.BreakEven; n > 0 && !math.IsInf(n, 0) {
			t.items(at, "", []string{"machine code is ahead after " + Number(math.Ceil(n)) + " iterations"})
		}
	}
}

// items adds figures below a row. A line is not broken within a figure.
func (t *terminal) items(indent int, label string, items []string) {
	if len(items) == 0 {
		return
	}
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = strings.ReplaceAll(printable.Line(item), " ", together)
	}
	t.grid.free(indent, of(dim, printable.Line(label)+strings.Join(list, together+"· ")))
}

// cell returns the contents of an engine's columns.
func (t *terminal) cell(table *result.Table, row *result.Row, i int) (time, reach, bars, relation text) {
	c := row.Cells[i]
	switch {
	case c == nil:
		return of(dim, none), nil, nil, nil
	case c.Failed != "":
		return of(bad, "failed"), nil, nil, nil
	}
	tag, comparison := Relation(table, row, i)
	style := plain
	if comparison != nil {
		style = verdictStyles[comparison.Verdict]
	}
	return of(bold, Duration(c.NS.Value)), of(dim, Half(c.NS)), of(dim, histogram(Batches(c), blocks)),
		and(of(good, tag), of(style, Verdict(comparison)))
}

var verdictStyles = map[result.Verdict]style{
	result.Faster: good, result.Slower: bad, result.Same: dim, result.Unresolved: doubt, result.Few: doubt,
}

// shown reports whether a note is printed.
func (t *terminal) shown(n *result.Note) bool { return t.Verbose || n.Severity != result.Info }

// marks are the numbers of the notes about a row.
func (t *terminal) marks(row *result.Row) string {
	var numbers []int
	for _, c := range row.Cells {
		if c != nil {
			numbers = append(numbers, c.Notes...)
		}
	}
	slices.Sort(numbers)
	var b strings.Builder
	for _, n := range slices.Compact(numbers) {
		if i := slices.IndexFunc(t.Notes, func(note *result.Note) bool { return note.Number == n }); i >= 0 && t.shown(t.Notes[i]) {
			fmt.Fprintf(&b, "[%d]", n)
		}
	}
	return b.String()
}

func (t *terminal) means(of string) bool {
	return slices.ContainsFunc(t.Means, func(m result.Mean) bool { return m.Of == of && m.Rows > 1 })
}

// mean adds the geometric means of a package, or of all.
func (t *terminal) mean(pkg, name string) {
	if !t.means(pkg) {
		return
	}
	line := []cell{{of(dim, name), false}}
	below := []cell{{}}
	var parts []string
	for _, e := range t.Engines {
		var words text
		if i := slices.IndexFunc(t.Means, func(m result.Mean) bool { return m.Of == pkg && m.Engine == e && m.Rows > 1 }); i >= 0 {
			m := t.Means[i]
			words = of(plain, fmt.Sprintf("%s, %d rows", Times(m.Ratio, math.NaN(), math.NaN()), m.Rows))
			parts = append(parts, e+" "+words[0].text)
		}
		line = append(line, t.cells(nil, nil, nil, words)...)
		below = append(below, cell{words, false})
		for range len(t.cells(nil, nil, nil, nil)) - 1 {
			below = append(below, cell{})
		}
	}
	switch {
	case t.layout.lines:
		t.items(2, strings.TrimSpace(name)+": ", parts)
	case t.layout.stacked:
		below[0] = line[0]
		t.grid.addSpans(below, len(t.cells(nil, nil, nil, nil)))
	default:
		t.grid.add(line)
	}
}

var severityStyles = map[result.Severity]style{result.Error: bad, result.Warning: doubt, result.Info: dim}

// notes prints the diagnoses, by number.
func (t *terminal) notes() {
	first := true
	for _, n := range t.Notes {
		if !t.shown(n) {
			continue
		}
		if first {
			t.out.WriteByte('\n')
			first = false
		}
		mark := fmt.Sprintf("[%d] %s ", n.Number, n.Code)
		indent := min(width(mark), 12)
		t.paragraph(append(user(severityStyles[n.Severity], mark), user(plain, NoteAbout(t.Report, n)+n.Cause+places(n))...), 0, indent)
		more := []string{n.Cure}
		if t.Verbose {
			more = append(more, n.Evidence...)
			if n.Place != "" {
				more = append(more, "at "+n.Place)
			}
		}
		for _, line := range more {
			if line != "" {
				t.paragraph(user(dim, line), indent, indent)
			}
		}
	}
}

// places are the places that a note is about, by the names of their files alone.
func places(n *result.Note) string {
	if n.Place == "" {
		return ""
	}
	var list []string
	for p := range strings.SplitSeq(n.Place, ", ") {
		list = append(list, filepath.Base(p))
	}
	return " See " + strings.Join(list, ", ") + "."
}

// NoteAbout says what a note is about: a benchmark, and the engines if it is not about all. It is
// empty if the note is about the whole run.
func NoteAbout(r *result.Report, n *result.Note) string {
	if n.Bench == "" {
		return ""
	}
	name := n.Bench
	// The last element of an import path is enough: the whole path is above the table.
	if dot := strings.LastIndexByte(name[:pathEnd(name)], '/'); dot >= 0 {
		name = name[dot+1:]
	}
	if len(n.Engines) > 0 && len(n.Engines) < len(r.Engines) {
		name += " (" + strings.Join(n.Engines, ", ") + ")"
	}
	return name + ": "
}

// pathEnd is the end of the import path in a key. That is the last dot with no slash but the path's
// before it. The name after it may have slashes of its own.
func pathEnd(key string) int {
	slash := strings.LastIndexByte(key, '/')
	for {
		// The name begins after a dot in the last element of the path.
		if dot := strings.IndexByte(key[slash+1:], '.'); dot >= 0 {
			return slash + 1 + dot
		}
		if slash < 0 {
			return len(key)
		}
		slash = strings.LastIndexByte(key[:slash], '/')
	}
}

// visits is the number of visits of a cell. It is larger than planned if many comparisons are made.
func visits(r *result.Report) int {
	n := r.Record.Run.Plan.Visits
	r.Rows(func(row *result.Row) {
		for _, c := range row.Cells {
			if c != nil && !strings.HasSuffix(c.Engine, result.Old) {
				n = max(n, len(c.Raw))
			}
		}
	})
	return n
}

// legend explains the table.
func (t *terminal) legend() {
	var parts []string
	if len(t.Tables) > 0 {
		parts = append(parts, "± is the 95 % interval of the median.")
		if t.layout.histogram {
			parts = append(parts, "▁▃█ is how its batches are distributed, the shortest on the left.")
		}
	}
	if words := Compared(t.Report); words != "" {
		parts = append(parts, printable.Line(words))
	}
	for _, table := range t.Tables {
		if slices.ContainsFunc(table.Rows, func(r *result.Row) bool { return r.Bench.Group != "" }) {
			parts = append(parts, "Benchmarks of a group are compared with its baseline, or the fastest.")
			break
		}
	}
	if len(parts) > 0 {
		t.out.WriteByte('\n')
		t.paragraph(of(dim, strings.Join(parts, " ")), 0, 0)
	}
}
