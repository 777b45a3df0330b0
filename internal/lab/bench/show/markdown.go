package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/printable"
)

// Markdown writes the report for a pull request: a sentence with the outcome, a table of the rows
// that changed, the other rows folded up, and the notes. If two revisions were measured, a change
// is a difference between the new one and the old one. Otherwise nothing is a change, and all rows
// are shown with their engines.
func Markdown(w io.Writer, r *result.Report) error {
	m := &markdown{Report: r}
	notes := m.notes()
	m.room = mostMarkdown - len(notes)
	if pairs := m.revisions(); len(pairs) > 0 {
		m.changes(pairs)
	} else {
		m.engines()
	}
	m.out.WriteString(notes)
	if lines := About(r); len(lines) > 0 {
		m.out.WriteString("\n<sub>" + inline(strings.Join(lines, "; ")) + "</sub>\n")
	}
	_, err := io.WriteString(w, m.out.String())
	return err
}

// mostMarkdown limits the text, in bytes: GitHub takes comments of up to 65,536 letters.
const mostMarkdown = 60_000

// A markdown is a text under construction.
type markdown struct {
	*result.Report
	out  strings.Builder
	room int // bytes left for rows
}

// A revisionPair is an engine in two revisions, by columns.
type revisionPair struct{ old, new int }

// revisions are the engines that ran in two revisions.
func (m *markdown) revisions() []revisionPair {
	if m.Record.Run == nil {
		return nil
	}
	var list []revisionPair
	for i, e := range m.Engines {
		other := m.Other(e)
		if _, _, old := strings.Cut(other, "@"); old {
			list = append(list, revisionPair{slices.Index(m.Engines, other), i})
		}
	}
	return list
}

// A change is a benchmark in two revisions.
type change struct {
	row      *result.Row
	old, new *result.Cell
	time     *result.Comparison // of the new cell and the old one
	figures  []string           // differing exact figures
}

// changed reports whether a change belongs among the rows that are not folded up.
func (c *change) changed() bool {
	return len(c.figures) > 0 || c.new.Failed != c.old.Failed || c.time != nil && (c.time.Verdict == result.Faster || c.time.Verdict == result.Slower)
}

// changes writes the differences of the new revision.
func (m *markdown) changes(pairs []revisionPair) {
	var list []change
	count := map[result.Verdict]int{}
	exactly, failed := 0, 0
	for _, p := range pairs {
		for _, t := range m.Tables {
			for _, row := range t.Rows {
				c := change{row: row, old: row.Cells[p.old], new: row.Cells[p.new]}
				if c.old == nil || c.new == nil {
					continue
				}
				c.time = c.new.ToOther
				for _, unit := range Units([]*result.Cell{c.old, c.new}, true) {
					old, ok1 := Value(c.old, unit)
					now, ok2 := Value(c.new, unit)
					if ok1 && ok2 && old != now && exact(c.old.Count, unit) && exact(c.new.Count, unit) {
						c.figures = append(c.figures, difference(old, now, unit))
					}
				}
				if c.time != nil {
					count[c.time.Verdict]++
				}
				if len(c.figures) > 0 {
					exactly++
				}
				if c.new.Failed != "" {
					failed++
				}
				list = append(list, c)
			}
		}
	}
	var parts []string
	for _, v := range []struct {
		verdict result.Verdict
		words   string
	}{{result.Slower, "slower"}, {result.Faster, "faster"}, {result.Same, "the same"}, {result.Unresolved, "unresolved"}, {result.Few, "with too few visits"}} {
		if n := count[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("**%d %s**", n, v.words))
		}
	}
	if exactly > 0 {
		parts = append(parts, fmt.Sprintf("**%d with other exact figures**", exactly))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("**%d failed**", failed))
	}
	if len(parts) == 0 {
		parts = []string{"nothing could be compared"}
	}
	var engines []string
	for _, p := range pairs {
		engines = append(engines, m.Engines[p.new])
	}
	against := m.Engines[pairs[0].old]
	if m.Record.Run.Against != "" {
		against = m.Record.Run.Against
	}
	fmt.Fprintf(&m.out, "%s in %s against revision %s: %s.\n", plural(len(list), "comparison"), inline(strings.Join(engines, ", ")), inline(against), strings.Join(parts, ", "))
	var lines, rest []string
	for _, c := range list {
		name := m.label(c.row, c.new)
		if len(pairs) > 1 {
			name += " in " + inline(c.new.Engine)
		}
		line := fmt.Sprintf("| %s | %s | %s | %s | %s |", name, m.time(c.old), m.time(c.new), inline(Verdict(c.time)), inline(strings.Join(c.figures, ", ")))
		if c.changed() {
			lines = append(lines, line)
		} else {
			rest = append(rest, line)
		}
	}
	head := "| benchmark | old | new | time | exact |\n|---|---:|---:|---|---|\n"
	if len(lines) > 0 {
		m.table(head, lines)
	}
	m.folded(plural(len(rest), "comparison")+" without a change", head, rest)
}

// difference prints two figures with enough digits to tell them apart.
func difference(old, now float64, unit string) string {
	a, b := Number(old), Number(now)
	if a == b {
		a, b = shortest(old), shortest(now)
	}
	return fmt.Sprintf("%s → %s %s%s", a, b, unit, growth(old, now))
}

// growth is the growth from one figure to another, in parentheses.
func growth(old, now float64) string {
	if old == 0 {
		return ""
	}
	sign := ""
	if now > old {
		sign = "+"
	}
	return " (" + sign + Percent(now/old-1) + ")"
}

// shownRows is the number of rows before the others are folded up.
const shownRows = 20

// engines writes all rows with a column for each engine.
func (m *markdown) engines() {
	rows := 0
	for _, t := range m.Tables {
		rows += len(t.Rows)
	}
	fmt.Fprintf(&m.out, "%s in %s", plural(rows, "benchmark"), inline(strings.Join(m.Engines, ", ")))
	var means []string
	for _, mean := range m.Means {
		if mean.Of == "" && mean.Rows > 1 {
			means = append(means, fmt.Sprintf("%s is **%s** as %s (geometric mean of %d)", inline(mean.Engine), inline(Times(mean.Ratio, math.NaN(), math.NaN())), inline(m.Engines[0]), mean.Rows))
		}
	}
	if len(means) > 0 {
		m.out.WriteString(": " + strings.Join(means, ", "))
	}
	m.out.WriteString(".\n")
	head := "| benchmark |"
	rule := "|---|"
	for _, e := range m.Engines {
		head += " " + inline(e) + " |"
		rule += "---:|"
	}
	head += " figures |\n" + rule + "---|\n"
	var lines []string
	for _, t := range m.Tables {
		for _, row := range t.Rows {
			line := "| " + m.label(row, row.Cells...) + " |"
			for i, c := range row.Cells {
				words := m.time(c)
				tag, comparison := Relation(t, row, i)
				for _, more := range []string{tag, Verdict(comparison)} {
					if more != "" {
						words += "<br>" + inline(more)
					}
				}
				line += " " + words + " |"
			}
			lines = append(lines, line+" "+inline(strings.Join(metricItems(m.Engines, row.Cells, false), " · "))+" |")
		}
	}
	n := min(len(lines), shownRows)
	m.table(head, lines[:n])
	m.folded(plural(len(lines)-n, "more benchmark"), head, lines[n:])
}

// folded writes a table that the reader can unfold.
func (m *markdown) folded(summary, head string, lines []string) {
	if len(lines) > 0 {
		m.out.WriteString("\n<details><summary>" + summary + "</summary>\n")
		m.table(head, lines)
		m.out.WriteString("\n</details>\n")
	}
}

// table writes as many lines as fit.
func (m *markdown) table(head string, lines []string) {
	m.out.WriteString("\n" + head)
	for i, line := range lines {
		if m.room -= len(line) + 1; m.room < 0 {
			fmt.Fprintf(&m.out, "\n%s left out, as the text would be too long.\n", plural(len(lines)-i, "row"))
			return
		}
		m.out.WriteString(line + "\n")
	}
}

// label is a benchmark's name with the numbers of the notes about the cells.
func (m *markdown) label(row *result.Row, cells ...*result.Cell) string {
	name := row.Bench.Name
	if len(m.Tables) > 1 {
		name = strings.TrimSuffix(NoteAbout(m.Report, &result.Note{Bench: row.Bench.Package + "." + name}), ": ")
	}
	text := inline(name)
	var numbers []int
	for _, c := range cells {
		if c != nil {
			numbers = append(numbers, c.Notes...)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		if slices.ContainsFunc(m.Notes, func(note *result.Note) bool { return note.Number == n && note.Severity != result.Info }) {
			text += fmt.Sprintf(" \\[%d\\]", n)
		}
	}
	return text
}

// time is a cell's time with its interval.
func (m *markdown) time(c *result.Cell) string {
	switch {
	case c == nil:
		return none
	case c.Failed != "":
		return "failed: " + inline(Failure(c.Failed))
	}
	return strings.TrimSpace(Duration(c.NS.Value) + " " + Half(c.NS))
}

// notes are the diagnoses that could change a conclusion, as a list.
func (m *markdown) notes() string {
	var b strings.Builder
	for _, n := range m.Notes {
		if n.Severity == result.Info {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n")
		}
		if b.Len() > mostMarkdown/3 {
			b.WriteString("* more notes are left out\n")
			break
		}
		fmt.Fprintf(&b, "* \\[%d\\] **%s** %s %s\n", n.Number, inline(n.Code), inline(NoteAbout(m.Report, n)+n.Cause), inline(n.Cure))
	}
	return b.String()
}

// inline is text for a line of Markdown or a cell of its tables. Nothing in it is markup, a link or
// a mention.
func inline(s string) string { return marks.Replace(printable.Line(s)) }

// marks has the characters that may have a meaning in GitHub's Markdown. An @ would notify a user,
// and a # would link an issue; an empty comment after them prevents it.
var marks = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", "\\*", "_", "\\_", "~", "\\~", "[", "\\[", "]", "\\]",
	"@", "@<!-- -->", "#", "#<!-- -->", "$", "&#36;", "http://", "http<!-- -->://", "https://", "https<!-- -->://", "www.", "www<!-- -->.")

// plural is a number of things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
