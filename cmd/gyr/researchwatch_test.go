package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	researchreport "github.com/gyrvm/gyr/internal/lab/research/report"
)

// TestWatched: the view has the head, as many of the last rows as fit, and the work in progress.
func TestWatched(t *testing.T) {
	lines := []ledger.Line{{Config: &ledger.Config{Name: "watched", MetricName: "allocs"}}}
	for i := range 40 {
		v := 100.0
		lines = append(lines, ledger.Line{Row: &ledger.Row{Run: i + 1, Status: ledger.Discard, Verdict: ledger.VerdictNoEffect, Metric: &v, Description: fmt.Sprintf("change %d.", i+1)}})
	}
	for _, x := range []struct {
		st     research.Status
		height int
		want   []string
		not    string
	}{
		{research.Status{Pending: 41, Phase: "verified", Queued: 2, Cost: 0.5, Runs: 40}, 24, []string{"watched: allocs", "verdict", "change 40.", "run 41 is verified, 2 more wait; 0.50 USD"}, "change 1."},
		{research.Status{Stopped: "exhausted: no more ideas", Runs: 40}, 0, []string{"change 1.", "change 40.", "ended: exhausted"}, "run 41"},
		{research.Status{}, 24, []string{"the base is checked and calibrated"}, "ended"},
	} {
		text, err := watched(lines, &x.st, researchreport.Terminal{Width: 100}, x.height)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range x.want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
		if strings.Contains(text, x.not) || x.height > 0 && strings.Count(text, "\n") >= x.height {
			t.Errorf("%d lines:\n%s", strings.Count(text, "\n"), text)
		}
	}
}
