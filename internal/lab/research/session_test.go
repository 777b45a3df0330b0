package research

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestFixture runs the queue of eight patches. Each gets the expected verdict, and the user's dirty
// checkout does not change.
func TestFixture(t *testing.T) {
	daily.Turn(t, 3, false)
	notShort(t)
	b := newBench(t)
	b.patches()
	n, keeps, reason := 1, 1, "experiments" // -long runs the others too
	if *long {
		n, keeps, reason = len(fixturePatches), 4, "exhausted"
	}
	b.write(b.repo, map[string]string{"mine.go": "package hot // not committed\n", "render.go": "package hot // neither is this\n"})
	before := b.checkout()
	c := b.config(func(c map[string]any) {
		if !*long {
			c["stop"] = map[string]any{"experiments": n}
		}
	})
	stopped, rows := b.run(c)
	if stopped.Reason != reason || stopped.Keeps != keeps {
		t.Errorf("stopped by %+v", stopped)
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
	if len(rows) != n {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		if p := fixturePatches[i]; r.Verdict != p.verdict || r.Status != p.status || r.Description != p.name {
			t.Errorf("%s: %s %s: %s", p.name, r.Status, r.Verdict, r.Reason)
		}
	}
	if got := b.git("rev-list", "--count", "main..research/fixture"); got != jsonNumber(float64(keeps)) {
		t.Errorf("%s commits on the branch", got)
	}
	if list := b.git("worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("worktrees are left:\n%s", list)
	}
	message := b.git("log", "-1", "--format=%B", "research/fixture")
	trailer := strings.Split(message, "\n")
	var result map[string]any
	i := len(trailer)
	for i > 0 && !strings.HasPrefix(trailer[i-1], "Result: ") {
		i--
	}
	if i == 0 || json.Unmarshal([]byte(strings.TrimPrefix(trailer[i-1], "Result: ")), &result) != nil || result["status"] != "keep" || result["allocs_per_op"] != *rows[n-1].Metric {
		t.Errorf("the branch's last message is\n%s", message)
	}
	for i, r := range rows {
		if got := b.git("rev-parse", "refs/research/fixture/"+jsonNumber(float64(i+2))); got != r.Object {
			t.Errorf("run %d is at %s, not %s", r.Run, got, r.Object)
		}
	}
}

// TestAgain: a session ends by its budget and continues in a new segment. It does not continue with
// another evaluator, and two processes cannot hold it.
func TestAgain(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) { c["stop"], c["battery"] = map[string]any{"experiments": 2}, []any{}; byText(c) })
	if stopped, rows := b.run(c); stopped.Reason != "experiments" || len(rows) != 2 {
		t.Errorf("%+v, %d rows", stopped, len(rows))
	}
	// Another proposer is allowed; another rule is another evaluator.
	c = b.config(func(c map[string]any) {
		c["stop"], c["battery"], c["proposer"] = map[string]any{"experiments": 2}, []any{}, map[string]any{"kind": "manual"}
		byText(c)
	})
	if stopped, rows := b.run(c); stopped.Reason != "experiments" || len(rows) != 2 {
		t.Errorf("another proposer: %+v, %d rows", stopped, len(rows))
	}
	c = b.config(func(c map[string]any) { c["stop"], c["battery"] = map[string]any{"experiments": 3}, []any{}; byText(c) })
	if _, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}}); err == nil || !strings.Contains(err.Error(), "research.json") {
		t.Errorf("another research.json: %v", err)
	}
	s, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}, NewSegment: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}}); err == nil {
		t.Error("two sessions of one name at once")
	}
	stopped, err := s.Run(t.Context())
	if err != nil || stopped.Keeps != 1 {
		t.Fatalf("%+v, %v", stopped, err)
	}
	rows := s.state.rows
	if last := rows[len(rows)-1]; last.Segment != 1 || last.Run != len(rows) {
		t.Errorf("the last row is %+v", last)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	lines, err := ledger.ReadFile(filepath.Join(b.repo, ".git/research/fixture/log.jsonl"))
	if err != nil || len(ledger.Rows(lines)) != len(rows) {
		t.Errorf("%d rows in the log, %v", len(ledger.Rows(lines)), err)
	}
}
