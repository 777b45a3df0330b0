package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/examples/internal/leaks"
	"github.com/gyrvm/gyr/examples/udf/score"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// TestWays: each way gives the scores of the native function, bit by bit, or run fails; also if the
// last batch is a short one.
func TestWays(t *testing.T) {
	leaks.Check(t)
	for _, c := range []struct{ rows, batch int }{{10_000, 4096}, {5, 8192}, {1, 1}} {
		var out strings.Builder
		if err := run(&out, "score", c.rows, c.batch, 2); err != nil {
			t.Fatalf("%d rows in batches of %d: %v", c.rows, c.batch, err)
		}
		if n := len(regexp.MustCompile(`(?m)^ *(native|gyr), .*\d+\.\d\d *$`).FindAllString(out.String(), -1)); n != 6 {
			t.Errorf("%d ways:\n%s", n, &out)
		}
	}
	if err := run(&strings.Builder{}, "nowhere", 1, 1, 1); err == nil {
		t.Error("no error for a directory that is not there")
	}
}

// TestScores: the function distinguishes payments, so that the sums that run compares are
// meaningful.
func TestScores(t *testing.T) {
	c := table(1000)
	seen := map[float64]bool{}
	for i, s := range score.Payments(c.amount, c.items, c.country, c.hour) {
		if s <= 0 || s >= 1 {
			t.Errorf("row %d: %v", i, s)
		}
		seen[s] = true
	}
	if len(seen) < 900 {
		t.Errorf("%d different scores", len(seen))
	}
}
