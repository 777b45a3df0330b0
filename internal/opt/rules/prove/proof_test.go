package prove

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/gyrvm/gyr/internal/opt/rules"
	"github.com/gyrvm/gyr/internal/opt/rules/smt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var timeout = flag.Duration("rules.timeout", time.Minute, "how long z3 may think about one rule at one width")

func all(t testing.TB) []*rules.Rule {
	t.Helper()
	list, err := rules.All()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var exhaust = flag.Uint64("rules.exhaust", 1<<20, "assignments that are tried for a rule at given widths, which are left out if there are more; 16777216 for a full run")

// exhaustAll suffices for all small widths. Every day, a part of the rules has it.
const exhaustAll = 1 << 24

// TestExhaustive: every rule is right for all operands and constants at small widths.
func TestExhaustive(t *testing.T) {
	tab := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	list := slices.DeleteFunc(all(t), func(r *rules.Rule) bool { return !Algebra(r) })
	today := daily.Numbers(t, len(list), len(list)/12+1, *exhaust >= exhaustAll)
	for i, r := range list {
		limit := *exhaust
		if slices.Contains(today, i) {
			limit = max(limit, exhaustAll)
		}
		var tried uint64
		var widths, left string
		for _, w := range Small(r) {
			res := Exhaust(r, w, limit)
			if res.TooMany {
				left += " " + w.Describe(r)
				continue
			}
			widths += " " + w.Describe(r)
			tried += res.Tried
			if res.Counter != "" {
				t.Errorf("%s:%d: %s is wrong: %s", r.File, r.Line, r.Name, res.Counter)
			}
		}
		if tried == 0 {
			t.Errorf("%s:%d: %s never applies", r.File, r.Line, r.Name)
		}
		if left != "" {
			left = "too many:" + left
		}
		fmt.Fprintf(tab, "%s\t%d\t%s\t%s\n", r.Name, tried, widths, left)
	}
	if testing.Verbose() {
		tab.Flush()
	}
	t.Logf("%d rules are right for all operands at small widths", len(list))
}

// TestSolver: every rule is right at the existing widths.
func TestSolver(t *testing.T) {
	daily.Turn(t, 3, false)
	if testing.Short() {
		t.Skip("takes a minute")
	}
	s, err := smt.Start(*timeout)
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	tab := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	proved, claims := 0, 0
	for _, r := range all(t) {
		if !Algebra(r) {
			continue
		}
		text, took := "", time.Duration(0)
		ok := true
		for _, w := range Real(r) {
			queries := Queries(r, w)
			if queries == nil {
				ok, text = false, "no term in the logic"
				break
			}
			for _, q := range queries {
				a, err := s.Prove(q)
				if err != nil {
					t.Fatalf("%s: %v", r.Name, err)
				}
				took += a.Took
				claims++
				if !a.Proved {
					ok = false
					text += " " + w.Describe(r) + " " + a.String()
				}
				if a.Refuted {
					t.Errorf("%s:%d: %s is wrong at %s: %s", r.File, r.Line, r.Name, w.Describe(r), a.Model)
				}
			}
		}
		switch {
		case ok:
			proved++
			text = fmt.Sprintf("proved at %d widths", len(Real(r)))
			if r.Sampled != "" {
				t.Errorf("%s is proved: it needs no theorem", r.Name)
			}
		case r.Sampled == "":
			t.Errorf("%s:%d: %s has no proof: %s", r.File, r.Line, r.Name, text)
		}
		fmt.Fprintf(tab, "%s\t%s\t%v\n", r.Name, text, took.Round(time.Millisecond))
	}
	if testing.Verbose() {
		tab.Flush()
	}
	t.Logf("%d rules are proved, by %d claims", proved, claims)
}

var samples = flag.Uint64("rules.samples", 300_000, "operands tried for each rule that only a theorem proves; 100000000 for a full run")

// TestSampled: rules that no solver can decide are right for many operands at the existing widths.
func TestSampled(t *testing.T) {
	for _, r := range all(t) {
		if r.Sampled == "" {
			continue
		}
		for _, w := range Real(r) {
			res := Sample(r, w, 1, *samples)
			t.Logf("%s at %s: %d operands; %s", r.Name, w.Describe(r), res.Tried, r.Sampled)
			if res.Counter != "" || res.Tried < *samples {
				t.Errorf("%s: %d operands: %s", r.Name, res.Tried, res.Counter)
			}
		}
	}
}
