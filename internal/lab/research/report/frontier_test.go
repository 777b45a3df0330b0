package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestFrontier: with three objectives the rows that no other beats remain, kept or not, but none
// that failed a check. The page has lessons and hypotheses.
func TestFrontier(t *testing.T) {
	s := &Session{Lines: []ledger.Line{{Config: &ledger.Config{Name: "three", MetricName: "a", Metrics: []ledger.Metric{
		{Name: "a", Goal: "min"}, {Name: "b", Goal: "min"}, {Name: "c", Goal: "max"}}}}}}
	for i, x := range []struct {
		a, b, c float64
		status  string
	}{{5, 5, 5, ledger.Keep}, {4, 6, 5, ledger.Discard}, {5, 5, 4, ledger.Discard}, {1, 1, 9, ledger.ChecksFailed}, {6, 6, 6, ledger.Keep}, {4, 6, 4, ledger.Keep}} {
		s.Lines = append(s.Lines, ledger.Line{Row: &ledger.Row{Run: i + 1, Status: x.status, Verdict: x.status, Metric: ptr(x.a), Metrics: map[string]float64{"b": x.b, "c": x.c},
			Hypothesis: "it is copied", Lesson: "copies cost"}})
	}
	s.Lines = append(s.Lines, ledger.Line{Event: &ledger.Event{Event: ledger.EventLesson, Reason: "so do <maps>"}})
	if got := s.segments()[0].frontier(); !slices.Equal(got, []int{0, 1, 4}) {
		t.Errorf("%v", got)
	}
	var b strings.Builder
	if err := Frontier(&b, s); err != nil || strings.Count(b.String(), "\n") != 4 || !strings.Contains(b.String(), "run  commit  a  b  c  verdict") {
		t.Errorf("%v\n%s", err, b.String())
	}
	page := htmlOf(t, s)
	for _, want := range []string{"<li>copies cost</li>", "<li>so do &lt;maps&gt;</li>", "hypothesis: it is copied"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
