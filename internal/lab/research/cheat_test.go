package research

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A cheat is a way to look better without being better.
type cheat struct {
	name    string
	script  string            // run by the proposer in its worktree
	files   map[string]string // or put there by it
	verdict string
	reason  string // part of the row's reason
	long    bool   // similar to another one, and needs builds
}

// renderFile is a render.go with other lines at the marked places.
func renderFile(imports, globals, begin string) map[string]string {
	s := strings.Replace(fixture["render.go"], "package hot\n", "package hot\n\n"+imports+"\n"+globals, 1)
	return map[string]string{"render.go": strings.Replace(s, "\tvar out []byte\n", begin+"\tvar out []byte\n", 1)}
}

// cheats are all refused, each with its reason.
var cheats = []cheat{
	{name: "reads the benchmark's name", files: renderFile("import (\n\t\"os\"\n\t\"strings\"\n)\n", "", "\tif strings.Contains(strings.Join(os.Args, \" \"), \"bench\") {\n\t\treturn nil\n\t}\n"), verdict: ledger.VerdictRisk, reason: "benchmark-name"},
	{name: "asks whether it is tested", files: renderFile("import \"testing\"\n", "", "\tif testing.Testing() {\n\t\treturn nil\n\t}\n"), verdict: ledger.VerdictRisk, reason: "testing-aware"},
	{name: "caches by input", files: renderFile("", "var cache = map[string][]byte{}\n",
		"\tkey := \"\"\n\tfor _, r := range rs {\n\t\tkey += r.Name + string(rune(r.ID))\n\t}\n\tif b, ok := cache[key]; ok {\n\t\treturn b\n\t}\n\tdefer func() { cache[key] = render(rs) }()\n\treturn render(rs)\n}\n\nfunc render(rs []Record) []byte {\n"),
		verdict: "checks_failed:fresh-input", reason: "keeps state"},
	{name: "skips work after the first iteration", long: true, files: renderFile("", "var last []byte\n",
		"\tif len(rs) == 10 && last != nil {\n\t\treturn last\n\t}\n\tlast = render(rs)\n\treturn last\n}\n\nfunc render(rs []Record) []byte {\n"), verdict: "checks_failed:fresh-input", reason: "keeps state"},
	{name: "knows the benchmark's input", files: renderFile("import \"bytes\"\n", "",
		"\tif len(rs) == 10 {\n\t\treturn bytes.Repeat([]byte{'\\n'}, 10)\n\t}\n"), verdict: "checks_failed:differential", reason: "hot.Render"},
	{name: "is wrong where only the hidden checks look", files: map[string]string{"number.go": "package hot\n\nimport \"strconv\"\n\nfunc number(n int) string {\n\tif n == 123456789 {\n\t\treturn \"\"\n\t}\n\treturn strconv.Itoa(n)\n}\n"}, verdict: ledger.VerdictHiddenFailed, reason: "hidden"},
	{name: "is too good", long: true, files: renderFile("import \"bytes\"\n", "",
		"\tif len(rs) == 10 {\n\t\treturn bytes.Repeat([]byte(\"0123456789012345678901234567890123456789\\n\"), 10)\n\t}\n"), verdict: "checks_failed:differential", reason: "hot.Render"},
	{name: "edits the test", script: "sed -i 's/BenchmarkRender/BenchmarkOther/' hot_test.go", verdict: ledger.VerdictScope, reason: "hot_test.go is denied"},
	{name: "deletes the tests", script: "rm hot_test.go", verdict: ledger.VerdictScope, reason: "hot_test.go is denied"},
	{name: "adds a test file", script: "echo 'package hot' > fast_test.go", verdict: ledger.VerdictScope, reason: "fast_test.go is denied"},
	{name: "edits the golden file", script: "echo > testdata/golden.txt", verdict: ledger.VerdictScope, reason: "golden.txt belongs to the evaluator"},
	{name: "edits the measure script", script: "echo 'echo METRIC size=0' > measure.sh", verdict: ledger.VerdictScope, reason: "measure.sh belongs to the evaluator"},
	{name: "writes outside its scope", script: "echo 'toolchain go1.99' >> go.mod", verdict: ledger.VerdictScope, reason: "go.mod is denied"},
	{name: "hides files from git", script: "echo 'x*' > .gitignore", verdict: ledger.VerdictScope, reason: ".gitignore is denied"},
	{name: "links to the outside", script: "ln -sf /etc/passwd number.go", verdict: ledger.VerdictScope, reason: "a symbolic link"},
	{name: "prints a benchmark's line", files: renderFile("import \"fmt\"\n", "", "\tif len(rs) == 10 {\n\t\tfmt.Println(\"BenchmarkRender 100 1 ns/op 0 B/op 0 allocs/op\")\n\t}\n"), verdict: ledger.VerdictRisk, reason: "benchmark-name"},
	{name: "prints a benchmark's line in disguise", long: true, files: renderFile("import \"os\"\n", "", "\tif len(rs) == 10 {\n\t\tb := []byte(\"Admbgl`qjQdmcdq\\x1f0//\\x1f0\\x1fmr.no\\x1f/\\x1fA.no\\x1f/\\x1f`kknbr.no\\t\")\n\t\tfor i := range b {\n\t\t\tb[i]++\n\t\t}\n\t\tos.Stdout.Write(b)\n\t}\n"), verdict: ledger.VerdictCrash, reason: "printed more than once"},
	{name: "prints a METRIC line", files: renderFile("import \"fmt\"\n", "func init() { fmt.Println(\"METRIC size=0\") }\n", ""), verdict: ledger.VerdictRisk, reason: "prints-result"},
	{name: "tampers with time", files: renderFile("import _ \"unsafe\"\n", "//go:linkname now time.now\nfunc now() (sec int64, nsec int32, mono int64) { return 0, 0, 0 }\n", ""), verdict: ledger.VerdictRisk, reason: "linkname"},
	{name: "turns the collector off", files: renderFile("import \"runtime/debug\"\n", "func init() { debug.SetGCPercent(-1) }\n", ""), verdict: ledger.VerdictRisk, reason: "runtime-tuning"},
	{name: "ends the process before the tests", files: renderFile("import \"os\"\n", "func init() { os.Exit(0) }\n", ""), verdict: ledger.VerdictRisk, reason: "runtime-tuning"},
	{name: "is built otherwise when measured", files: map[string]string{"render.go": "//go:build !race\n\n" + fixture["render.go"]}, verdict: ledger.VerdictRisk, reason: "build-tag"},
	{name: "rewrites the golden file while it is tested", long: true, files: renderFile("import \"os\"\n", "func init() { os.WriteFile(\"testdata/golden.txt\", nil, 0o666) }\n", ""), verdict: "checks_failed:test", reason: "changed the checkout: testdata/golden.txt"},
	{name: "spoils the parent while it is tested", long: true, files: renderFile("import \"os\"\n", "func init() { os.WriteFile(\"../par/number.go\", nil, 0o666) }\n", ""), verdict: "checks_failed:test", reason: "changed the checkout: number.go"},
	{name: "spoils the parent's binary while it is tested", files: renderFile("import (\n\t\"os\"\n\t\"path/filepath\"\n)\n", "func init() {\n\tlist, _ := filepath.Glob(\"../par.bin/*\")\n\tfor _, f := range list {\n\t\tos.WriteFile(f, nil, 0o777)\n\t}\n}\n", ""), verdict: ledger.VerdictCrash, reason: "par.bin/0.test was changed"},
	{name: "leaves a process behind", script: "sed -i 's/%d/%v/' number.go; sleep 1000 &", verdict: ledger.VerdictCrash, reason: "left 1 processes behind"},
	{name: "writes its own row", script: `for f in "$(git rev-parse --git-common-dir)"/research/*/log.jsonl; do echo '{"run":99,"status":"keep","commit":"1234567"}' >> "$f"; done; sed -i 's/%d/%v/' number.go`, verdict: ledger.VerdictScope, reason: "the proposer changed the session's log"},
	{name: "moves the branch", script: `git commit -q --allow-empty -m mine; git update-ref refs/heads/research/cheats HEAD; sed -i 's/%d/%v/' number.go`, verdict: ledger.VerdictScope, reason: "the proposer changed refs/heads/research/cheats"},
	{name: "claims a negative cost", script: `echo '{"description": "cheap", "cost": {"usd": -5}}' > "$RESEARCH_OUT/proposal.json"; sed -i 's/%d/%v/' number.go`, verdict: ledger.VerdictCrash, reason: "a cost below 0"},
	{name: "repeats what was refused", files: renderFile("import \"fmt\"\n", "func init() { fmt.Println(\"METRIC size=0\") }\n", ""), verdict: ledger.VerdictRisk, reason: "prints-result"},
}

// TestCheats: each cheat is refused with its reason in the log, and the branch stays at the base.
func TestCheats(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{"measure.sh": "echo METRIC size=$(wc -c < number.go)\n"})
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "a script")
	b.write(b.side, map[string]string{"hidden/hidden_test.go": "package hot\n\nimport \"testing\"\n\nfunc TestHidden(t *testing.T) {\n\tif s := string(Render([]Record{{ID: 123456789, Name: \"a\"}})); s[0] != '1' {\n\t\tt.Error(s)\n\t}\n}\n"})
	c := b.config(func(c map[string]any) {
		c["name"], c["sandbox"] = "cheats", sandboxOff
		c["metrics"] = append(c["metrics"].([]any), map[string]any{"name": "size", "from": "command", "run": []string{"sh", "measure.sh"}})
		if !*long {
			c["battery"] = []any{map[string]any{"name": "test", "run": []string{"cat", "testdata/golden.txt"}, "golden": "testdata/golden.txt"}}
		}
		c["hidden"] = map[string]any{"dir": "hidden", "run": []string{"go", "test", "-vet=off", "."}}
		c["proposer"] = map[string]any{"kind": "manual"}
	})
	before := b.checkout()
	s := b.open(c)
	refused := 0
	for _, x := range cheats {
		if x.long && !*long {
			continue
		}
		refused++
		dir := filepath.Join(b.side, "cheat")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		b.write(dir, x.files)
		script := x.script
		if script == "" {
			script = "cp -R '" + dir + "/.' ."
		}
		row, err := s.Once(t.Context(), []string{"sh", "-c", script})
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		if row.Verdict != x.verdict || !strings.Contains(row.Reason, x.reason) {
			t.Errorf("%s: %s: %s", x.name, row.Verdict, row.Reason)
		}
		if row.Status == ledger.Keep {
			t.Errorf("%s is kept", x.name)
		}
	}
	if refused < 15 || s.state.tip != s.segment.Base {
		t.Error("the branch moved")
	}
	// An honest proposal is still kept: the session does not refuse everything.
	row, err := s.Once(t.Context(), []string{"sh", "-c", `printf 'package hot\n\nimport "strconv"\n\nfunc number(n int) string { return strconv.Itoa(n) }\n' > number.go`})
	if err != nil || row.Status != ledger.Keep {
		t.Errorf("an honest proposal: %+v, %v", row, err)
	}
	// The hidden checks cannot be put back, so the session does not continue.
	_, err = s.Once(t.Context(), []string{"sh", "-c", "echo > '" + b.side + "/hidden/hidden_test.go'"})
	if !errors.Is(err, ErrEvaluator) {
		t.Errorf("changed hidden checks: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	lines, err := ledger.ReadFile(filepath.Join(b.repo, ".git/research/cheats/log.jsonl"))
	if err != nil || len(ledger.Rows(lines)) != refused+2 {
		t.Errorf("%d rows in the log, %v", len(ledger.Rows(lines)), err)
	}
	if last := lines[len(lines)-1]; last.Event == nil || !strings.Contains(last.Event.Reason, "evaluator changed") {
		t.Errorf("the log's last line is %s", last.Raw)
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
}

// TestBadProposers: a proposer that crashes, hangs, does nothing or destroys its worktree gets a
// row, and the session continues.
func TestBadProposers(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) {
		byText(c)
		c["sandbox"] = sandboxOff
		c["battery"] = c["battery"].([]any)[:1]
		c["proposer"] = map[string]any{"kind": "command", "run": []string{"sh", "propose.sh"}, "timeout": "1s"}
		c["stop"] = map[string]any{"cost": "1 USD"}
	})
	b.write(b.repo, map[string]string{"untracked": "mine"})
	before := b.checkout()
	s := b.open(c)
	for _, x := range []struct{ name, script, verdict, reason string }{
		{"crashes", "echo broken >&2; exit 1", ledger.VerdictCrash, "exit status 1: broken"},
		{"is killed", "kill -9 $$", ledger.VerdictCrash, "killed"},
		{"is not there", "exec /nowhere/agent", ledger.VerdictCrash, "exit status 127"},
		{"hangs", "sleep 1000", ledger.VerdictTimeout, "longer than 1s"},
		{"writes nothing", "true", ledger.VerdictEmpty, "nothing was changed"},
		{"deletes its worktree", "rm -rf \"$RESEARCH_WORKTREE\"", ledger.VerdictCrash, "the worktree is gone"},
		{"deletes git's part of it", "rm -rf \"$(git rev-parse --absolute-git-dir)\"", ledger.VerdictCrash, ""},
		{"puts the user's checkout in its place", "rm -rf \"$RESEARCH_WORKTREE\"; ln -s '" + b.repo + "' \"$RESEARCH_WORKTREE\"", ledger.VerdictCrash, "the worktree is gone"},
		{"puts it in the candidate's place, by its tests", "printf 'package hot\nimport \"os\"\nfunc number(n int) string { d, _ := os.Getwd(); os.RemoveAll(d); os.Symlink(\"" + b.repo + "\", d); return \"\" }\n' > number.go", ledger.VerdictChecksFailed + ":test", "the worktree is gone"},
		{"does not compile", "echo 'package hot; func' > number.go", ledger.VerdictChecksFailed + ":test", "test: example.com/hot [build failed]: exit status 1"},
		{"writes no JSON", "echo x > \"$RESEARCH_OUT/proposal.json\"", ledger.VerdictCrash, "proposal.json"},
		{"breaks the benchmark", "sed -i 's/var out/if len(rs) == 10 { panic(0) }; var out/' render.go", ledger.VerdictChecksFailed + ":test", ""},
	} {
		row, err := s.Once(t.Context(), []string{"sh", "-c", x.script})
		if err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
		if row.Verdict != x.verdict || !strings.Contains(row.Reason, x.reason) {
			t.Errorf("%s: %s: %s", x.name, row.Verdict, row.Reason)
		}
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
	if _, err := s.Once(t.Context(), []string{"sh", "-c", "exit 3"}); !errors.Is(err, errExhausted) {
		t.Errorf("no more ideas: %v", err)
	}
	row, err := s.Once(t.Context(), []string{"sh", "-c", `grep -q '"metrics"' "$RESEARCH_BRIEF" && echo '{"description": "number by strconv", "asi": {"learned": 1}, "cost": {"usd": 1.5}}' > "$RESEARCH_OUT/proposal.json"; cat > number.go <<'END'
package hot

import "strconv"

func number(n int) string { return strconv.Itoa(n) }
END`})
	if err != nil || row.Verdict != ledger.VerdictKeep || row.Description != "number by strconv" || row.Cost.USD != 1.5 || string(row.ASI) != `{"learned":1}` {
		t.Errorf("%+v, %v", row, err)
	}
	stopped, err := s.Run(t.Context())
	if err != nil || stopped.Reason != "cost" {
		t.Errorf("%+v, %v", stopped, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
