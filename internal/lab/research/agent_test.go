package research

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// proposing is a config with a proposer, which needs no build.
func (b *bench) proposing(proposer map[string]any, change func(c map[string]any)) *Config {
	return b.config(func(c map[string]any) {
		byText(c)
		c["battery"] = []any{}
		c["proposer"] = proposer
		if change != nil {
			change(c)
		}
	})
}

// TestRecipes runs the recipes of docs/research-proposers.md with programs in place of the agents.
// These check that the prompt reaches them the way they are called, and answer by an edit or a
// patch.
func TestRecipes(t *testing.T) {
	byTurns(t)
	text, err := os.ReadFile("../../../docs/research-proposers.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```json\n")[1:]
	b := newBench(t)
	bin := filepath.Join(b.side, "bin")
	patch := fixturePatches[0].patch(t)
	edit := "sed -i.bak 's/%d/%v/' number.go && rm number.go.bak\ncat > number.go <<'END'\n" + strings.Replace(fixture["number.go"], fixturePatches[0].old, fixturePatches[0].new, 1) + "END\necho 'DESCRIPTION: by hand'\necho 'LESSON: formats are slow'\n"
	stubs := map[string]string{
		"claude": "[ \"$1 $2 $3\" = '-p --permission-mode acceptEdits' ] || exit 9\ngrep -q 'lines is' || exit 8\n" + edit,
		"codex":  "[ \"$1 $4\" = 'exec -' ] || exit 9\ngrep -q 'lines is' || exit 8\n" + edit,
		"aider":  "for last; do :; done\ngrep -q 'lines is' \"$last\" || exit 8\n" + edit,
		"llm":    "grep -q 'lines is' || exit 8\ncat <<'END'\nHere it is.\nDESCRIPTION: by hand\nHYPOTHESIS: no format\nLESSON: formats are slow\n```diff\n" + patch[strings.Index(patch, "diff --git"):] + "```\nGood luck.\nEND\n",
	}
	for name, script := range stubs {
		b.write(bin, map[string]string{name: "#!/bin/sh\n" + script})
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	agents := 0
	for i, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		var proposer map[string]any
		if err := json.Unmarshal([]byte(block), &proposer); err != nil {
			t.Fatalf("%v in %s", err, block)
		}
		c := b.proposing(proposer, func(c map[string]any) {
			c["name"] = fmt.Sprintf("recipe %d", i)
			c["stop"] = map[string]any{"experiments": 1}
		})
		if proposer["kind"] != "agent" {
			continue // parsing it is enough here
		}
		agents++
		_, rows := b.run(c)
		if r := rows[0]; r.Verdict != ledger.VerdictKeep || r.Description != "by hand" || r.Lesson != "formats are slow" {
			t.Errorf("%s: %s %s, %q, lesson %q", block, r.Verdict, r.Reason, r.Description, r.Lesson)
		}
	}
	if agents != len(stubs) {
		t.Errorf("%d recipes for agents", agents)
	}
}

// TestBadAnswers: prose, half a patch, a patch for another base and a repeated one are rows with a
// reason, and the session continues until the good answer. Lessons reach the next prompt.
func TestBadAnswers(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	good := fixturePatches[0].patch(t)
	good = good[strings.Index(good, "diff --git"):]
	noop := fixturePatches[1].patch(t)
	noop = noop[strings.Index(noop, "diff --git"):]
	other := strings.ReplaceAll(good, `fmt.Sprintf("%d", n)`, `fmt.Sprintf("%x", n)`)
	for i, answer := range []string{
		"I would look at the number first.\nLESSON: talk is cheap\n",
		"```diff\n" + good[:len(good)*2/3] + "\n```\n",
		"```diff\n" + other + "```\n",
		"```diff\n" + noop + "```\n",
		noop,
		"DESCRIPTION: the good one\n```diff\n" + good + "```\n",
	} {
		b.write(b.side, map[string]string{fmt.Sprintf("answers/%d", i): answer})
	}
	c := b.proposing(map[string]any{"kind": "agent", "run": []string{"sh", "-c",
		`cp {prompt} ` + b.side + `/prompt-$RESEARCH_INDEX; cat ` + b.side + `/answers/$RESEARCH_INDEX 2>/dev/null || exit 3`}}, nil)
	stopped, rows := b.run(c)
	want := []struct{ verdict, reason string }{
		{ledger.VerdictEmpty, "no patch: \"I would look"}, {ledger.VerdictConflict, "the patch of the answer: "}, {ledger.VerdictConflict, "the patch of the answer: "},
		{ledger.VerdictNoEffect, ""}, {ledger.VerdictDuplicate, "the tree of run 5"}, {ledger.VerdictKeep, ""},
	}
	if stopped.Reason != "exhausted" || len(rows) != len(want) {
		t.Fatalf("%+v, %d rows", stopped, len(rows))
	}
	for i, w := range want {
		if rows[i].Verdict != w.verdict || !strings.Contains(rows[i].Reason, w.reason) {
			t.Errorf("answer %d: %s %s", i, rows[i].Verdict, rows[i].Reason)
		}
	}
	text, err := os.ReadFile(filepath.Join(b.side, "prompt-5"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"- talk is cheap", "2: empty: proposal 1 (the answer has no patch", "lines is 5", "less is better", "```diff"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the prompt has no %q:\n%s", part, text)
		}
	}
}

// TestCombine: two changes that gain too little alone are proposed together after the others, and
// kept.
func TestCombine(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[0].patch(t), "patches/2.patch": fixturePatches[5].patch(t), "patches/3.patch": fixturePatches[1].patch(t)})
	c := b.proposing(map[string]any{"kind": "patches", "dir": "patches", "combine": true}, func(c map[string]any) {
		c["metrics"].([]any)[0].(map[string]any)["run"] = []string{"sh", "-c", `echo METRIC lines=$(( $(grep -c fmt.Sprint number.go) + $(grep -c 'var out' render.go) + 3 ))`}
		c["metrics"].([]any)[0].(map[string]any)["minEffect"] = "2"
	})
	stopped, rows := b.run(c)
	if stopped.Reason != "exhausted" || len(rows) != 4 {
		t.Fatalf("%+v, %d rows", stopped, len(rows))
	}
	if r := rows[3]; r.Verdict != ledger.VerdictKeep || r.Source != "combine 2+3" || r.Description != "number by strconv; room for the output" {
		t.Errorf("%s %s: %s, %s", r.Verdict, r.Reason, r.Source, r.Description)
	}
}

// TestMutateSession: rewrites are proposed one after the other, each once, also after a keep. One
// that does not compile is refused.
func TestMutateSession(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	c := b.proposing(map[string]any{"kind": "mutate", "mutations": []string{"itoa", "preallocate", "range-pointer"}}, func(c map[string]any) {
		c["battery"] = []any{map[string]any{"name": "build", "run": []string{"go", "build", "./..."}}}
		c["metrics"].([]any)[0].(map[string]any)["run"] = []string{"sh", "-c", `echo METRIC lines=$(cat *.go | grep -c -e fmt.Sprintf -e 'var out')`}
	})
	stopped, rows := b.run(c)
	if stopped.Reason != "exhausted" || stopped.Keeps != 2 {
		t.Errorf("%+v", stopped)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		t.Log(r.Verdict, r.Source, r.Reason)
		if seen[r.Source] {
			t.Errorf("%s twice", r.Source)
		}
		seen[r.Source] = true
	}
	if !seen["mutate itoa number.go number n"] || !seen["mutate preallocate render.go Render out"] {
		t.Errorf("%v", seen)
	}
}
