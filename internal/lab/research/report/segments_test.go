package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestSegmentClaims: each segment shows its own claim, an exact metric has no interval, and all
// objectives are on the page.
func TestSegmentClaims(t *testing.T) {
	s := &Session{}
	add := func(l ledger.Line) { s.Lines = append(s.Lines, l) }
	segment := func(values ...float64) {
		add(ledger.Line{Config: &ledger.Config{Name: "two", MetricName: "allocs", BestDirection: "lower", Metrics: []ledger.Metric{
			{Name: "allocs", Goal: "min"}, {Name: "speed", Unit: "MB/s", Goal: "max"}, {Name: "guarded", Guard: "at most 2 % worse"}}}})
		for i, v := range values {
			row := &ledger.Row{Run: len(s.Lines), Status: ledger.Keep, Verdict: ledger.VerdictKeep, Metric: ptr(v), Metrics: map[string]float64{"speed": 1000 / v}}
			if i == 0 {
				row.Verdict = ledger.VerdictBaseline
			}
			add(ledger.Line{Row: row})
		}
		data, err := json.Marshal(map[string]any{"stats": map[string]ledger.Stat{
			"allocs": {Class: "exact", Ratio: values[len(values)-1] / values[0], Hi: math.MaxFloat64, N: 2},
			"speed":  {Class: "noisy", Ratio: 1.5, Lo: 1.2, Hi: 1.7, N: 32, P: ptr(0.001)}}})
		if err != nil {
			t.Fatal(err)
		}
		add(ledger.Line{Event: &ledger.Event{Event: ledger.EventClaim, Data: data}})
	}
	segment(100, 80)
	segment(80, 60, 40)
	page := htmlOf(t, s)
	first, second, ok := strings.Cut(page, "Segment 2")
	if !ok || !strings.Contains(first, "-20.0 % exact") || strings.Contains(first, "-50.0 % exact") || !strings.Contains(second, "-50.0 % exact") {
		t.Error("the claims are not those of the segments")
	}
	for _, want := range []string{"speed (MB/s), more is better", "10 → 12.5 (+25.0 %)", "12.5 → 25 (+100.0 %)", "&#43;50.0 % [&#43;20.0, &#43;70.0] n=32"} {
		if want = strings.ReplaceAll(want, "&#43;", "+"); !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "∞") {
		t.Error("an exact metric has an interval without an end")
	}
	var b strings.Builder
	if err := Text(&b, s, Terminal{}); err != nil || !strings.Contains(b.String(), "speed (MB/s), more is better: 12.5 → 25  +100.0 %") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestRangeHasCandidates: the chart includes candidates, except those that are off by many times
// its range.
func TestRangeHasCandidates(t *testing.T) {
	g := &segment{Config: &ledger.Config{MetricName: "a"}}
	for i, v := range []float64{100, 90, 125, 100000} {
		status := ledger.Discard
		if i < 2 {
			status = ledger.Keep
		}
		g.Rows = append(g.Rows, &ledger.Row{Run: i + 1, Metric: &v, Status: status})
	}
	if lo, hi := g.valueRange(); lo > 90 || hi < 125 || hi > 200 {
		t.Errorf("from %v to %v", lo, hi)
	}
}

// TestSubBenchmarks: sub-benchmarks have a table by row on the page and in Markdown, and no columns
// beside the other metrics. Two metrics with one unit have their names.
func TestSubBenchmarks(t *testing.T) {
	s := &Session{Lines: []ledger.Line{
		{Config: &ledger.Config{Name: "subs", MetricName: "cpu", BestDirection: "lower", Metrics: []ledger.Metric{
			{Name: "cpu", Unit: "cpu-ns/op", Goal: "min", Of: []string{"cpu/small", "cpu/large"}}, {Name: "cpu/small", Unit: "cpu-ns/op"}, {Name: "cpu/large", Unit: "cpu-ns/op"},
			{Name: "other", Unit: "cpu-ns/op", Goal: "min"}, {Name: "allocs", Unit: "allocs/op"}}}},
		{Row: &ledger.Row{Run: 1, Status: ledger.Keep, Verdict: ledger.VerdictBaseline, Metric: ptr(4), Metrics: map[string]float64{"cpu/small": 2, "cpu/large": 8, "other": 5}}},
		{Row: &ledger.Row{Run: 2, Status: ledger.Keep, Verdict: ledger.VerdictKeep, Metric: ptr(3), Metrics: map[string]float64{"cpu/small": 2, "cpu/large": 4.5, "other": 5},
			Stats: map[string]ledger.Stat{"cpu": {Ratio: 0.75}, "cpu/large": {Ratio: 0.5625}}}},
	}}
	var text strings.Builder
	if err := Markdown(&text, s); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"| # | commit | cpu (cpu-ns/op) | other (cpu-ns/op) | allocs/op | status |", "| # | geometric mean | small | large |\n|---:|---:|---:|---:|\n| 1 | 4 | 2 | 8 |\n| 2 | 3 (-25.0 %) | 2 | 4.5 (-43.8 %) |"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q in\n%s", part, text.String())
		}
	}
	page := htmlOf(t, s)
	for _, part := range []string{"cpu (cpu-ns/op) by sub-benchmark", "4.5 (-43.8 %)"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q on the page", part)
		}
	}
}
