package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// frontier are the indices of the rows that no other row beats: none is as good in all objectives
// and better in one. Rows that lack a value or failed a check are left out.
func (g *segment) frontier() []int {
	objectives := g.objectives()
	values := func(r *ledger.Row) []float64 {
		if r.Implementation == ledger.ImplFaulty || r.Verdict == ledger.VerdictCanary || r.Status == ledger.ChecksFailed {
			return nil
		}
		var list []float64
		for _, m := range objectives {
			v := g.value(r, m.Name)
			if v == nil {
				return nil
			}
			if m.Goal == "max" {
				list = append(list, -*v)
			} else {
				list = append(list, *v)
			}
		}
		return list
	}
	var front []int
	for i, r := range g.Rows {
		x := values(r)
		beaten := slices.ContainsFunc(g.Rows, func(q *ledger.Row) bool {
			y := values(q)
			if y == nil || len(y) != len(x) {
				return false
			}
			better := false
			for k := range y {
				if y[k] > x[k] {
					return false
				}
				better = better || y[k] < x[k]
			}
			return better
		})
		if x != nil && !beaten {
			front = append(front, i)
		}
	}
	return front
}

// Frontier writes the rows of the last segment that no other beats in all objectives, kept or not.
// Where one objective costs another, the reader decides.
func Frontier(w io.Writer, s *Session) error {
	segments := s.segments()
	if len(segments) == 0 {
		_, err := fmt.Fprintln(w, "nothing was recorded yet")
		return err
	}
	g := segments[len(segments)-1]
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "run\tcommit")
	for _, m := range g.objectives() {
		fmt.Fprintf(tw, "\t%s", g.heading(m.Name))
	}
	fmt.Fprint(tw, "\tverdict\tdescription\n")
	for _, i := range g.frontier() {
		r := g.Rows[i]
		fmt.Fprintf(tw, "%d\t%s", r.Run, commit(r))
		for _, m := range g.objectives() {
			fmt.Fprintf(tw, "\t%s", optional(g.value(r, m.Name)))
		}
		fmt.Fprintf(tw, "\t%s\t%s\n", verdict(r), oneLine(r.Description, 0))
	}
	return tw.Flush()
}

// lessons are the lessons from rows and people, in the order of the log.
func (s *Session) lessons() []string {
	var list []string
	for _, l := range s.Lines {
		text := ""
		if l.Row != nil {
			text = l.Row.Lesson
		} else if l.Event != nil && l.Event.Event == ledger.EventLesson {
			text = l.Event.Reason
		}
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
