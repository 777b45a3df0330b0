package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestReplayPage: the page of a replay has a column with published verdicts, marks rows that
// contradict them, names the runs that a row depends on, and counts the agreement. A row judged on
// its own parent is no step of the chain.
func TestReplayPage(t *testing.T) {
	data, err := json.Marshal(&ledger.Replayed{Shift: -1, Matrix: [3][2]int{{1, 1}, {0, 7}, {0, 3}},
		Rows:  map[int]ledger.Published{2: {Status: ledger.Keep, Metric: ptr(50), Agrees: true}, 3: {Status: ledger.Keep}},
		Extra: []ledger.Published{{Status: ledger.Discard, Description: "a lost <row>"}}})
	if err != nil {
		t.Fatal(err)
	}
	row := func(run int, value float64, verdict, status string, apart bool, depends ...int) ledger.Line {
		return ledger.Line{Row: &ledger.Row{Run: run, Metric: ptr(value), Verdict: verdict, Status: status, Apart: apart, Depends: depends, Description: "a change"}}
	}
	s := &Session{Lines: []ledger.Line{
		{Config: &ledger.Config{Name: "replay", MetricName: "allocs", BestDirection: "lower"}},
		row(1, 60, ledger.VerdictBaseline, ledger.Keep, false),
		row(2, 50, ledger.VerdictKeep, ledger.Keep, false),
		row(3, 55, ledger.VerdictWorse, ledger.Discard, false),
		row(4, 40, ledger.VerdictKeep, ledger.Keep, true),
		row(5, 50, ledger.VerdictDepends, ledger.Discard, false, 3),
		{Event: &ledger.Event{Event: ledger.EventReplayed, Data: data}},
	}}
	page := htmlOf(t, s)
	for _, want := range []string{
		"<th>published</th>", "<td>keep 50</td>", `<td>keep <span class="badge crash">≠</span></td>`, "<td>–</td>",
		`depends</span> on <a href="#s1-run3">3</a>`, "(on its own parent)", "60 → 50",
		`<tr><td>discard</td><td class="n">0</td><td class="n">7</td></tr>`, "by -1: they are matched", "a lost &lt;row&gt;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if page := htmlOf(t, session()); strings.Contains(page, "published") {
		t.Error("a page of no replay has a column for what was published")
	}
}
