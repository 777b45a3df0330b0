package research

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestSweepSettings: a sweep over a linker variable and an environment variable finds the best
// point. The tree stays as it is, row and trailer have the settings, and the claim is measured with
// them.
func TestSweepSettings(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.git("rm", "-rq", ".")
	b.write(b.repo, map[string]string{"go.mod": tuned["go.mod"], "tuned_test.go": tuned["tuned_test.go"], "tuned.go": `package tuned

import (
	"os"
	"strconv"
)

var chunk = "4"

var sink []*int

// Work allocates by its settings.
func Work() {
	c, _ := strconv.Atoi(chunk)
	s, _ := strconv.Atoi(os.Getenv("STAGES"))
	n := 10 + (c-64)*(c-64)/64 + 5*(s-2)*(s-2)
	sink = sink[:0]
	for range n {
		sink = append(sink, new(int))
	}
}
`})
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "tuned")
	c := b.config(func(c map[string]any) {
		// The same sum, without a build.
		c["metrics"] = []any{map[string]any{"name": "allocs", "from": "command", "goal": "min", "minEffect": 1, "class": "exact", "run": []string{"sh", "-c",
			`c=${GOFLAGS##*chunk=}; c=${c%\'}; case $c in [0-9]*) ;; *) c=4;; esac; s=${STAGES:-0}; echo METRIC allocs=$((10 + (c-64)*(c-64)/64 + 5*(s-2)*(s-2) + !${#STAGES}))`}}}
		if *long {
			c["metrics"] = []any{map[string]any{"name": "allocs", "from": "gobench", "bench": "BenchmarkWork", "unit": "allocs/op", "goal": "min", "minEffect": 1}}
		}
		c["battery"] = []any{map[string]any{"name": "env", "run": []string{"sh", "-c", `case "$STAGES $GOFLAGS" in " "*|[12]*"-ldflags=-X example.com/tuned.chunk="*) ;; *) echo "$STAGES $GOFLAGS"; exit 1;; esac`}}}
		c["proposer"] = map[string]any{"kind": "sweep", "params": []any{
			map[string]any{"name": "example.com/tuned.chunk", "in": "ldflags", "values": []string{"32", "64"}},
			map[string]any{"name": "STAGES", "in": "env", "values": []string{"1", "2"}},
		}}
	})
	s := b.open(c)
	stopped, err := s.Run(t.Context())
	if err != nil || stopped.Reason != "exhausted" || stopped.Keeps != 4 {
		t.Fatalf("%+v, %v", stopped, err)
	}
	rows := s.Proposals()
	best := "-X example.com/tuned.chunk=64 STAGES=2"
	if r := rows[3]; r.Verdict != ledger.VerdictKeep || *r.Metric != 10 || settings(r.Settings).String() != best || len(r.Files) != 0 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(b.git("log", "-1", "--format=%B", "research/fixture"), "\nResearch-Settings: "+best+"\n") {
		t.Error("the trailer is missing")
	}
	if b.git("rev-parse", "research/fixture^{tree}") != b.git("rev-parse", "main^{tree}") {
		t.Error("the tree has changed")
	}
	if st := stopped.Claim.Stats["allocs"]; *st.Parent != 10+60*60/64+20+1 || // and the error of an empty number
		*st.Candidate != 10 {
		t.Errorf("the claim is %+v", st)
	}
	list, err := s.Ablate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range list {
		want := Entangled // later keeps have set again what the first two had set
		if i >= 2 {
			want = Pays
		}
		if a.Result != want {
			t.Errorf("run %d: %s", a.Run, a.Result)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// The log restores the settings.
	lines, err := ledger.ReadFile(LogFile(s.repo, "fixture"))
	if err != nil {
		t.Fatal(err)
	}
	if st, err := NewStatus("fixture", lines); err != nil || settings(st.Settings).String() != best {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestSettingsOf: a keep stands for the settings that it made, not for those that it found.
func TestSettingsOf(t *testing.T) {
	row := func(run int, set settings) *ledger.Row {
		return &ledger.Row{Run: run, Status: ledger.Keep, Verdict: ledger.VerdictKeep, Settings: set}
	}
	s := &Session{state: &state{settings: settings{"A": "1", "B": "3"},
		current: []*ledger.Row{row(1, settings{"A": "1"}), row(2, settings{"A": "1", "B": "2"}), row(3, settings{"A": "1", "B": "2"}), row(4, settings{"A": "1", "B": "3"})}}}
	for run, want := range map[int]string{1: "B=3 false", 2: "A=1 B=3 true", 3: "A=1 B=3 false", 4: "A=1 B=2 false"} {
		set, entangled := s.settingsWithout(run)
		if got := fmt.Sprint(set, " ", entangled); got != want {
			t.Errorf("without %d: %s, want %s", run, got, want)
		}
	}
	if got := s.settingsOf(among(s.state.current[3:])).String(); got != "B=3" {
		t.Errorf("the last one alone: %s", got)
	}
}
