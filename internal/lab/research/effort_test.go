package research

import (
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestEffort: the row says its effort and what that leaves out. A gain with the least effort is
// unchecked.
func TestEffort(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[2].patch(t)})
	for effort, want := range map[string][]string{
		effortQuick:  {ledger.VerdictUnchecked, "disturbed concurrent"},
		effortNormal: {ledger.VerdictKeep, "5 more runs of answers that did not change in 2"},
	} {
		c := b.config(func(c map[string]any) {
			byText(c)
			c["name"] = effort
			c["battery"] = []any{map[string]any{"name": "build", "run": []string{"go", "build", "."}}}
		})
		if err := c.SetEffort(effort); err != nil {
			t.Fatal(err)
		}
		_, rows := b.run(c)
		if r := rows[0]; r.Verdict != want[0] || r.Effort != effort || strings.Join(r.LeftOut, " ") != want[1] {
			t.Errorf("%s: %s (%s), effort %s leaves out %q", effort, r.Verdict, r.Reason, r.Effort, r.LeftOut)
		}
	}
	c := &Config{}
	if err := c.SetEffort("none"); err == nil {
		t.Error("an effort without a meaning")
	}
	s := &Session{config: c}
	for _, x := range []struct {
		effort, flags string
		labels, left  []string
	}{
		{effortQuick, "-race", nil, []string{"race", "checkptr", "poisoned"}},
		{effortNormal, "-race", nil, nil},
		{effortNormal, "-race -count=10", []string{"lock"}, nil},
		{effortThorough, "-race -count=10", nil, nil},
	} {
		c.effort = x.effort
		var left []string
		for _, name := range []string{"race", "checkptr", "poisoned", "differential"} {
			if _, is := s.leftCheck(name); is {
				left = append(left, name)
			}
		}
		if s.raceFlags(x.labels) != x.flags || !slices.Equal(left, x.left) {
			t.Errorf("%s %v: %s without %v", x.effort, x.labels, s.raceFlags(x.labels), left)
		}
	}
}
