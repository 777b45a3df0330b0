package research

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestFailedIdeas: the brief has each idea that failed once, without the last rows.
func TestFailedIdeas(t *testing.T) {
	row := func(n int, verdict, description string) *ledger.Row {
		return &ledger.Row{Run: n, Verdict: verdict, Description: description, Tree: "t", Status: map[bool]string{true: ledger.Keep, false: ledger.Discard}[verdict == ledger.VerdictKeep]}
	}
	all := []*ledger.Row{row(1, ledger.VerdictBaseline, "base"), row(2, ledger.VerdictWorse, "a map"), row(3, ledger.VerdictKeep, "an array"),
		row(4, ledger.VerdictEmpty, "proposal 3"), row(5, ledger.VerdictNoEffect, "a map"), row(6, ledger.VerdictRisk, "a pool"), row(7, ledger.VerdictCanary, "canary"), row(8, ledger.VerdictWorse, "the last")}
	var got []string
	for _, r := range failedIdeas(all, all[7:]) {
		got = append(got, fmt.Sprint(r.Run, r.Verdict))
	}
	if strings.Join(got, " ") != "5no_effect 6risk" {
		t.Error(got)
	}
}

// TestHotFunctions reads a list of pprof's.
func TestHotFunctions(t *testing.T) {
	const list = `File: hot.test
Type: cpu
Duration: 1.03s, Total samples = 170ms (16.49%)
Showing nodes accounting for 170ms, 100% of 170ms total
      flat  flat%   sum%        cum   cum%
     110ms 64.71% 64.71%      170ms   100%  example.com/hot.(*T).M /tmp/w/hot.go
      50ms 29.41% 94.12%       50ms 29.41%  runtime.memmove /usr/local/go/src/runtime/memmove_amd64.s
      10ms  5.88%   100%       10ms  5.88%  example.com/hot.number /tmp/w/in/number.go (inline)
         0     0%   100%      170ms   100%  example.com/hot.BenchmarkX /tmp/w/hot_test.go
         0     0%   100%       20ms 11.76%  example.com/hot.Render[go.shape.int] /tmp/w/hot.go
`
	got := fmt.Sprint(hotFunctions(list, "/tmp/w"))
	if want := "[{example.com/hot.(*T).M hot.go 64.71 100} {example.com/hot.number in/number.go 5.88 5.88} {example.com/hot.Render[go.shape.int] hot.go 0 11.76}]"; got != want {
		t.Error(got)
	}
	b := &brief{Hot: hotFunctions(list, "/tmp/w"), Failed: []briefRow{{Run: 2, Verdict: "worse", Description: "a map", Reason: "slow"}}}
	prompt := b.prompt(map[string]string{"a.go": "A", "in/number.go": "N", "hot.go": "H"})
	for _, part := range []string{"- example.com/hot.number in in/number.go: 5.9% itself", "do not propose these again\n\n- 2: worse: a map (slow)"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("no %q in %s", part, prompt)
		}
	}
	if at := strings.Index; !(at(prompt, "File hot.go") < at(prompt, "File in/number.go") && at(prompt, "File in/number.go") < at(prompt, "File a.go")) {
		t.Error(prompt)
	}
}

// TestAgentTranscripts: what command-line agents print, with what they spent if they say so.
func TestAgentTranscripts(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	quoted := strings.Trim(quote(goodPatch(t)), `"`)
	for name, want := range map[string]struct {
		verdict string
		tokens  int64
	}{
		"agent-plain": {ledger.VerdictKeep, 0}, "agent-result": {ledger.VerdictKeep, 30_000}, "agent-response": {ledger.VerdictKeep, 0},
		"agent-prose": {ledger.VerdictEmpty, 0}, "agent-nothing": {ledger.VerdictEmpty, 0},
	} {
		text, err := os.ReadFile("testdata/transcripts/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		patch := quoted
		if name == "agent-plain" {
			patch = goodPatch(t)
		}
		b.write(b.side, map[string]string{name: strings.ReplaceAll(string(text), "@PATCH@", patch)})
		c := b.proposing(map[string]any{"kind": "agent", "run": []string{"cat", filepath.Join(b.side, name)}}, func(c map[string]any) {
			uncalled(c)
			c["name"], c["stop"] = name, map[string]any{"experiments": 1}
		})
		_, rows := b.run(c)
		r := rows[0]
		if r.Verdict != want.verdict || want.verdict == ledger.VerdictKeep && r.Description != "by hand" {
			t.Errorf("%s: %s %s, %q", name, r.Verdict, r.Reason, r.Description)
		}
		if got := r.Cost; want.tokens > 0 && (got == nil || got.Tokens != want.tokens || got.USD != 0.0421) || want.tokens == 0 && got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestAllowance: a command learns what is left, and ends with the session's time.
func TestAllowance(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	c := b.proposing(map[string]any{"kind": "command", "run": []string{"sh", "-c", `echo $RESEARCH_TOKENS $RESEARCH_USD $RESEARCH_SECONDS > ` + b.side + `/left; exec sleep 600`}}, func(c map[string]any) {
		c["stop"] = map[string]any{"tokens": 5000, "cost": "2 USD", "wall": "3s"}
	})
	stopped, rows := b.run(c)
	if stopped.Reason == "wall" && len(rows) == 0 {
		t.Skip("the base alone took the time")
	}
	if stopped.Reason != "wall" || len(rows) != 1 || rows[0].Verdict != ledger.VerdictTimeout || !strings.Contains(rows[0].Reason, "all that was left of stop.wall") {
		t.Errorf("%+v, %+v", stopped, rows)
	}
	text, err := os.ReadFile(filepath.Join(b.side, "left"))
	if err != nil || !strings.HasPrefix(string(text), "5000 2.00 ") {
		t.Errorf("%q, %v", text, err)
	}
}
