package research

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/published"
)

// commits makes a branch series with the fixture's patches as commits, and returns them.
func (b *bench) commits() []string {
	b.t.Helper()
	b.git("checkout", "-q", "-b", "series")
	for i := range fixturePatches {
		p := &fixturePatches[i]
		cmd := exec.Command("git", "apply", "--index", "-")
		cmd.Dir, cmd.Env, cmd.Stdin = b.repo, gitx.Environ(), strings.NewReader(p.patch(b.t))
		if out, err := cmd.CombinedOutput(); err != nil {
			b.t.Fatalf("%s: %s", p.name, out)
		}
		b.git("commit", "-q", "-m", p.name, "--date=2026-01-02T00:00:00Z")
	}
	list := strings.Fields(b.git("rev-list", "--reverse", "main..series"))
	b.git("checkout", "-q", "main")
	return list
}

// TestReplay judges a series of commits against a table that claims six keeps and whose commits are
// one row late. A second replay has the same rows and refs.
func TestReplay(t *testing.T) {
	byTurns(t)
	// Without -long the objective is lines, under which two of the patches have no effect.
	times, keeps, matrix := 1, 2, [3][2]int{{2, 4}, {0, 2}, {0, 0}}
	other := map[int]string{5: ledger.VerdictWorse, 7: ledger.VerdictNoEffect}
	change := func(c map[string]any) {
		byText(c)
		c["battery"] = []any{map[string]any{"name": "golden", "run": []string{"sh", "-c", `grep -c '\\r' end.go; true`}, "compare": "parent"}}
	}
	if *long {
		times, keeps, matrix, other, change = 2, 4, [3][2]int{{4, 2}, {0, 2}, {0, 0}}, nil, nil
	}
	b := newBench(t)
	series := b.commits()
	var table strings.Builder
	table.WriteString("| # | commit | allocs/op | status | description |\n|---|---|---|---|---|\n")
	for i, p := range fixturePatches {
		commit := "-"
		if i > 0 {
			commit = "`" + series[i-1][:7] + "`"
		}
		status := p.status
		if p.verdict == ledger.VerdictRisk || p.verdict == ledger.VerdictWorse {
			status = ledger.Keep
		}
		fmt.Fprintf(&table, "| %d | %s | %d | %s | %s |\n", i+1, commit, 200-i, status, p.name)
	}
	rows, err := published.Read("table.md", []byte(table.String()))
	if err != nil || len(rows) != len(fixturePatches) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	before := b.checkout()
	first := ""
	for range times {
		c := b.config(change)
		if err := c.ForReplay("main..series", ReplayOptions{Chain: true}); err != nil {
			t.Fatal(err)
		}
		s := b.open(c)
		stopped, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Replay(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		t.Logf("\n%s", r.Text(c))
		if stopped.Keeps != keeps || r.Shift != -1 || r.Agrees() || len(r.Extra) != 0 {
			t.Errorf("%+v, shift %d, agrees %v, %d rows are not in the series", stopped, r.Shift, r.Agrees(), len(r.Extra))
		}
		if m := r.Matrix(); m != matrix {
			t.Errorf("matrix %v", m)
		}
		for i, x := range r.List {
			p, want := fixturePatches[i], fixturePatches[i].verdict
			if other[i] != "" {
				want = other[i]
			}
			if x.Row.Verdict != want || x.Row.Description != p.name || x.Row.Source != series[i] {
				t.Errorf("%s: %s %s", p.name, x.Row.Verdict, x.Row.Reason)
			}
		}
		settled := b.settled(c)
		if first == "" {
			first = settled
			// Once more, from scratch.
			b.git("update-ref", "-d", "refs/heads/research/"+c.Session)
			b.forget(c)
			continue
		}
		if settled != first {
			t.Errorf("the second replay is\n%s\nthe first was\n%s", settled, first)
		}
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
}

func TestMatchTable(t *testing.T) {
	series := []string{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"}
	subjects := []string{"pool the buffers", "write numbers by hand", "preallocate the output"}
	row := func(commit, description string) *ledger.Row {
		return &ledger.Row{Commit: commit, Description: description}
	}
	for _, c := range []struct {
		name  string
		table []*ledger.Row
		match []int
		shift int
	}{
		{"in place", []*ledger.Row{row("aaaaaaa", "pool buffers"), row("bbbbbbb", "numbers by hand"), row("ccccccc", "preallocate output")}, []int{0, 1, 2}, 0},
		{"trailing", []*ledger.Row{row("0000000", "pool the buffers"), row("aaaaaaa", "write numbers by hand"), row("bbbbbbb", "preallocate the output")}, []int{0, 1, 2}, -1},
		{"without commits", []*ledger.Row{row("-", "preallocate the output"), row("$(git r", "pool the buffers")}, []int{1, -1, 0}, 0},
		{"a lost row", []*ledger.Row{row("aaaaaaa", "pool the buffers"), row("ccccccc", "preallocate the output")}, []int{0, -1, 1}, 0},
		{"nothing", nil, []int{-1, -1, -1}, 0},
	} {
		match, shift := matchTable(series, subjects, c.table)
		if fmt.Sprint(match) != fmt.Sprint(c.match) || shift != c.shift {
			t.Errorf("%s: %v by %d, want %v by %d", c.name, match, shift, c.match, c.shift)
		}
	}
}

// TestRidingTests: a commit of a replay may contain tests. It is judged by those of the base,
// unless a check asks for the commit's own.
func TestRidingTests(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.git("checkout", "-q", "-b", "series")
	b.write(b.repo, map[string]string{
		"number.go":   "package hot\n\nfunc number(int) string { return \"\\n\" }\n",
		"hot_test.go": strings.Replace(fixture["hot_test.go"], "n != 10", "n < 10", 1),
	})
	b.git("commit", "-qam", "no numbers")
	b.git("checkout", "-q", "main")
	for from, want := range map[string]string{"base": ledger.VerdictKeep, "candidate": ledger.VerdictChecksFailed + ":test"} {
		c := b.config(func(c map[string]any) {
			byText(c)
			c["name"] = from
			c["battery"] = []any{map[string]any{"name": "test", "run": []string{"sh", "-c", "grep 'n != 10' *_test.go"}, "testsFrom": from}}
			c["risk"] = map[string]any{"off": []string{"differential"}}
		})
		if err := c.ForReplay("main..series", ReplayOptions{Chain: true}); err != nil {
			t.Fatal(err)
		}
		if _, rows := b.run(c); len(rows) != 1 || rows[0].Verdict != want || len(rows[0].Files) != 2 {
			t.Errorf("tests from the %s: %+v", from, rows[0])
		}
	}
	c := b.config(nil)
	for _, rng := range []string{"main", "main...series", "..series"} {
		if err := c.ForReplay(rng, ReplayOptions{Chain: true}); err == nil {
			t.Errorf("%s is a range", rng)
		}
	}
}

// TestReplayEach: the second commit of a series is refused; the third one does not apply without
// it, and the fourth one does not build without it. On their own parents both are judged on their
// merits; in the chain their rows name the refused one. The log that the series carries, and the
// files beside the code, do not matter under the config that init writes.
func TestReplayEach(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.git("checkout", "-q", "-b", "series")
	for i, c := range []struct {
		subject string
		files   map[string]string
	}{
		{"number by strconv", map[string]string{"number.go": "package hot\n\nimport \"strconv\"\n\nfunc number(n int) string {\n\treturn strconv.Itoa(n)\n}\n"}},
		{"an end without formatting", map[string]string{"end.go": "package hot\n\nfunc end() string {\n\treturn \"\\r\\n\"\n}\n\nconst newline = \"\\n\"\n"}},
		{"the end is right again", map[string]string{"end.go": "package hot\n\nfunc end() string {\n\treturn \"\\n\"\n}\n\nconst newline = \"\\n\"\n"}},
		{"join uses the constant", map[string]string{"join.go": "package hot\n\nimport \"strings\"\n\nfunc join(tags []string) string {\n\t_ = newline\n\tif len(tags) == 0 {\n\t\treturn \"\"\n\t}\n\treturn strings.Join(tags, \",\") + \",\"\n}\n"}},
		{"only the log", nil},
	} {
		files := map[string]string{".auto/log.jsonl": strings.Repeat("{}\n", i+1), fmt.Sprintf("NOTES-%d.md", i): c.subject + "\n"}
		if c.files == nil {
			delete(files, fmt.Sprintf("NOTES-%d.md", i))
		}
		for name, text := range c.files {
			files[name] = text
		}
		b.write(b.repo, files)
		b.git("add", "-A")
		b.git("commit", "-q", "-m", c.subject)
	}
	b.git("checkout", "-q", "main")
	change := func(c map[string]any) {
		byText(c)
		c["scope"] = map[string]any{"allow": initAllow, "maxDiffLines": 1}
		c["battery"] = []any{map[string]any{"name": "build", "run": []string{"go", "build", "."}},
			map[string]any{"name": "golden", "run": []string{"sh", "-c", `grep -c '\\r' end.go; true`}, "compare": "parent"}}
	}
	rows, err := published.Read("table.md", []byte("| # | status | description |\n|---|---|---|\n| 1 | keep | number by strconv |\n"+
		"| 2 | keep | an end without formatting |\n| 3 | discard | the end is right again |\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := b.config(change)
	if err := c.ForReplay("main..series", ReplayOptions{Each: true, Chain: true, Strip: DefaultStrip}); err != nil {
		t.Fatal(err)
	}
	s := b.open(c)
	defer s.Close()
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Replay(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", r.Text(c))
	depends := func(x *ledger.Row) string { return fmt.Sprint(x.Verdict, x.Depends) }
	var got []string
	for _, x := range r.List {
		got = append(got, fmt.Sprintf("%s: %s, in the chain %s", x.Row.Description, x.Row.Verdict, depends(x.Chain)))
	}
	want := []string{
		"number by strconv: keep, in the chain keep[]",
		"an end without formatting: checks_failed:golden, in the chain checks_failed:golden[]",
		"the end is right again: checks_failed:golden, in the chain depends[3]",
		"join uses the constant: keep, in the chain depends[3]",
		"only the log: empty, in the chain empty[]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m := r.Matrix(); m != [3][2]int{{1, 1}, {0, 1}, {1, 1}} {
		t.Errorf("matrix %v", m)
	}
	if n := len(s.state.keeps()); n != 1 {
		t.Errorf("%d rows are on the branch", n)
	}
	last := s.log.Lines()[len(s.log.Lines())-1]
	if last.Event == nil || last.Event.Event != ledger.EventReplayed {
		t.Errorf("the log ends in %s", last.Raw)
	}
}
