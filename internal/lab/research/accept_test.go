package research

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestAccept: a row that is quarantined, or for which a check did not run, is kept only by a
// human's word, which is in the row and in the commit. Other rows cannot be accepted.
func TestAccept(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	const careful = "package hot\n\nimport \"strconv\"\n\n// Parse reads a number.\nfunc Parse(s string) int {\n\tn, err := strconv.Atoi(s)\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn n\n}\n"
	b.write(b.repo, map[string]string{"time.txt": "1000\n", "parse.go": careful})
	b.git("add", "-A")
	b.git("commit", "-qm", "times")
	b.write(b.side, map[string]string{
		"patches/1.patch": filePatch(t, "a gain of 200 times", "time.txt", "1000\n", "5\n"),
		"patches/2.patch": filePatch(t, "no error is looked at", "parse.go", careful, strings.Replace(careful, "n, err := strconv.Atoi(s)\n\tif err != nil {\n\t\treturn 0\n\t}\n", "n, _ := strconv.Atoi(s)\n", 1)) +
			strings.TrimPrefix(filePatch(t, "x", "time.txt", "1000\n", "900\n"), "x\n\n"),
		"patches/3.patch": filePatch(t, "no gain", "time.txt", "1000\n", "1001\n"),
	})
	config := func(unchecked string) *Config {
		return b.config(func(c map[string]any) {
			c["metrics"] = []any{map[string]any{"name": "time", "from": "command", "class": "exact", "goal": "min", "minEffect": "1%",
				"run": []string{"sh", "-c", "echo METRIC time=$(cat time.txt)"}}}
			c["battery"] = []any{}
			if c["risk"] = map[string]any{"unchecked": unchecked}; unchecked == uncheckedKeep {
				c["name"] = "lenient"
			}
		})
	}
	c := config(uncheckedRefuse)
	_, rows := b.run(c)
	for i, x := range []struct{ verdict, implementation, reason string }{
		{ledger.VerdictQuarantined, ledger.ImplSound, "too good to be taken unseen"},
		{ledger.VerdictUnchecked, ledger.ImplUnchecked, "review did not run: no such check in the battery"},
		{ledger.VerdictNoEffect, ledger.ImplUnchecked, ""},
	} {
		if r := rows[i]; r.Verdict != x.verdict || r.Implementation != x.implementation || !strings.Contains(r.Reason, x.reason) || r.Status != ledger.Discard {
			t.Errorf("%s: %s, %s: %s", r.Description, r.Verdict, r.Implementation, r.Reason)
		}
	}
	s := b.open(c)
	for _, x := range []struct {
		run       int
		why, want string
	}{{99, "x", "no row 99"}, {rows[2].Run, "x", "is no_effect"}, {rows[0].Run, " ", "for a reason"}} {
		if _, err := s.Accept(t.Context(), x.run, x.why); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("row %d: %v", x.run, err)
		}
	}
	for i, why := range []string{"the table was read by hand", "Atoi gives 0 with an error"} {
		r, err := s.Accept(t.Context(), rows[1-i].Run, why)
		if err != nil || r.Status != ledger.Keep || !strings.Contains(r.Accepted, why) || r.Description != rows[1-i].Description {
			// The second one conflicts with the first in time.txt.
			if i == 1 && err == nil && r.Verdict == ledger.VerdictConflict {
				continue
			}
			t.Fatalf("%+v, %v", r, err)
		}
		if m := b.git("log", "-1", "--format=%B", "research/fixture"); !strings.Contains(m, "Research-Accepted: run ") || !strings.Contains(m, why) {
			t.Errorf("the commit says %s", m)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, rows = b.run(config(uncheckedKeep))
	if r := rows[1]; r.Verdict != ledger.VerdictKeep || r.Implementation != ledger.ImplUnchecked {
		t.Errorf("%s, %s: %s", r.Verdict, r.Implementation, r.Reason)
	}
}
