package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// Markdown writes the rows as a table for a pull request, one for each segment: number, commit or a
// dash, the objective, the other metrics, the status and the description.
func Markdown(w io.Writer, s *Session) error {
	var b strings.Builder
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "\\`")
	for i, g := range s.segments() {
		if i > 0 {
			b.WriteString("\n")
		}
		others := g.others()
		b.WriteString("| # | commit | " + escape.Replace(g.heading(g.Config.MetricName)))
		for _, name := range others {
			b.WriteString(" | " + escape.Replace(g.heading(name)))
		}
		b.WriteString(" | status | description |\n|---:|---|" + strings.Repeat("---:|", 1+len(others)) + "---|---|\n")
		for _, r := range g.Rows {
			fmt.Fprintf(&b, "| %d | %s | %s", r.Run, commit(r), optional(r.Metric))
			for _, name := range others {
				b.WriteString(" | " + optional(g.value(r, name)))
			}
			status := r.Status
			if v := verdict(r); v != r.Status {
				status += " (" + v + ")"
			}
			fmt.Fprintf(&b, " | %s | %s |\n", escape.Replace(status), escape.Replace(oneLine(r.Description, 0)))
		}
		g.markdownSubs(&b, escape.Replace)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A Terminal says what Text may use.
type Terminal struct {
	Width int  // columns; 0: 100
	Color bool // the terminal takes escape sequences
}

// Text writes the last segment for a terminal: the best value so far as a line of blocks, the
// outcome, and a line for each run.
func Text(w io.Writer, s *Session, t Terminal) error {
	segments := s.segments()
	if len(segments) == 0 {
		_, err := fmt.Fprintln(w, "nothing was recorded yet")
		return err
	}
	g := segments[len(segments)-1]
	width := t.Width
	if width <= 0 {
		width = 100
	}
	var b strings.Builder
	n := g.tally()
	fmt.Fprintf(&b, "%s: %s, %s is better\n", s.name(), g.heading(g.Config.MetricName),
		map[bool]string{true: "more", false: "less"}[g.higher()])
	fmt.Fprintf(&b, "%d kept, %d discarded, %d failed checks, %d crashed\n", n.Kept, n.Discarded, n.Failed, n.Crashed)
	if base := g.baseline(); base != nil {
		best := g.best()
		line := sparkline(best, width-40)
		if t.Color {
			line = "\x1b[32m" + line + "\x1b[0m"
		}
		last := best[len(best)-1]
		if !math.IsNaN(last) {
			fmt.Fprintf(&b, "%s %s %s  %s\n", number(*base), line, number(last), g.change())
		}
	}
	for _, o := range g.further() {
		fmt.Fprintf(&b, "%s: %s  %s\n", o.Heading, o.Values, o.Change)
	}
	if len(segments) > 1 {
		fmt.Fprintf(&b, "segment %d of %d\n", len(segments), len(segments))
	}
	for _, e := range g.Events {
		if e.Event == "alarm" {
			fmt.Fprintf(&b, "alarm: %s\n", oneLine(e.Reason, 0))
		}
	}
	b.WriteString("\n")
	others := g.others()
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "run\tcommit\t%s", g.heading(g.Config.MetricName))
	for _, name := range others {
		fmt.Fprintf(tw, "\t%s", g.heading(name))
	}
	fmt.Fprint(tw, "\tverdict\tdescription\n")
	for _, r := range g.Rows {
		fmt.Fprintf(tw, "%d\t%s\t%s", r.Run, commit(r), optional(r.Metric))
		for _, name := range others {
			fmt.Fprintf(tw, "\t%s", optional(g.value(r, name)))
		}
		fmt.Fprintf(tw, "\t%s\t%s\n", verdict(r), oneLine(r.Description, 0))
	}
	tw.Flush()
	// Lines that are too wide are cut at the right, where the descriptions are.
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		text := strings.TrimRight(line, " \n")
		if r := []rune(text); len(r) > width && !strings.Contains(text, "\x1b") {
			text = string(r[:width-1]) + "…"
		}
		out.WriteString(text + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// sparkline draws values as blocks, at most width of them. The values before the first one are
// gaps.
func sparkline(values []float64, width int) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	if width = max(width, 10); len(values) > width {
		// The last value of each piece, which is its best.
		short := make([]float64, width)
		for i := range short {
			short[i] = values[(i+1)*len(values)/width-1]
		}
		values = short
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	line := make([]rune, len(values))
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			line[i] = ' '
		case hi == lo:
			line[i] = blocks[len(blocks)/2]
		default:
			line[i] = blocks[int((v-lo)/(hi-lo)*float64(len(blocks)-1)+0.5)]
		}
	}
	return string(line)
}
