package research

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// sumSource is a package whose objective is its number of loops.
func sumSource(name, empty, loops string) string {
	return fmt.Sprintf("package m\n\n// %s adds numbers.\nfunc %s(x []int) (s int) {\n\tif len(x) == 0 {\n\t\treturn %s\n\t}\n%s\treturn\n}\n",
		name, name, empty, loops)
}

func sumTest(name, empty string, more string) string {
	return fmt.Sprintf("package m\n\nimport \"testing\"\n\nfunc Test%s(t *testing.T) {\n\tif %s([]int{1, 2, 3}) != 6 || %s(nil) != %s {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n%s",
		name, name, name, empty, more)
}

const (
	twoLoops = "\tfor _, v := range x {\n\t\ts += v\n\t}\n\tfor range x {\n\t\ts += 0\n\t}\n"
	oneLoop  = "\tfor _, v := range x {\n\t\ts += v\n\t}\n"
	fails    = "\nfunc TestAlways(t *testing.T) {\n\tt.Error(\"as always\")\n}\n"
)

// series commits versions of m.go and m_test.go onto the base and returns the config of a replay.
func (b *bench) series(base map[string]string, commits []map[string]string, o ReplayOptions, change func(map[string]any)) *Config {
	b.t.Helper()
	b.git("rm", "-rq", ".")
	base["go.mod"] = "module example.com/m\n\ngo 1.24\n"
	b.write(b.repo, base)
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "base")
	b.git("tag", "base")
	for i, files := range commits {
		b.write(b.repo, files)
		b.git("add", "-A")
		b.git("commit", "-q", "-m", fmt.Sprintf("commit %d", i+1))
	}
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "loops", "from": "command", "class": "exact", "goal": "min",
			"run": []string{"sh", "-c", "echo METRIC loops=$(cat m.go | grep -c 'for ')"}}}
		c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "./..."}}}
		c["risk"] = map[string]any{"off": []string{"differential", "mutation"}}
		if change != nil {
			change(c)
		}
	})
	o.Each, o.Chain = true, true
	if err := c.ForReplay("base..main", o); err != nil {
		b.t.Fatal(err)
	}
	return c
}

// verdicts of a replay: for each commit on its own parent and, if that is another row, in the chain.
func (b *bench) verdicts(c *Config) (list []string, r *Replay) {
	b.t.Helper()
	s := b.open(c)
	defer s.Close()
	if _, err := s.Run(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	r, err := s.Replay(b.t.Context(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Logf("\n%s", r.Text(c))
	for _, x := range r.List {
		text := x.Row.Verdict
		if x.Chain != nil && x.Chain != x.Row {
			text += " / " + x.Chain.Verdict
		}
		list = append(list, text)
	}
	return list, r
}

// notes are the notes of all checks of a row.
func notes(r *ledger.Row) string {
	var list []string
	for _, k := range r.Battery {
		list = append(list, k.Notes...)
	}
	return strings.Join(list, "; ")
}

// TestParentsTests: a commit that changes behaviour together with its test is refused by its
// parent's test, which the row names. The commits after it are judged by their own parents' tests.
func TestParentsTests(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	got, r := b.verdicts(b.series(
		map[string]string{"m.go": sumSource("Sum", "-1", twoLoops), "m_test.go": sumTest("Sum", "-1", "")},
		[]map[string]string{
			{"m.go": sumSource("Sum", "0", twoLoops), "m_test.go": sumTest("Sum", "0", "")},
			{"m.go": sumSource("Sum", "0", oneLoop)},
			{"m_test.go": sumTest("Sum", "0", fails), "m.go": sumSource("Sum", "0", "\ts = x[0]\n\tif len(x) > 1 {\n\t\ts += Sum(x[1:])\n\t}\n")},
		}, ReplayOptions{}, nil))
	want := []string{"checks_failed:test / checks_failed:test", "keep / keep", "checks_failed:test"}
	want[0] = "checks_failed:test"
	if len(got) != 3 || got[0] != want[0] || !strings.HasPrefix(got[1], "keep") || !strings.HasPrefix(got[2], "checks_failed:test") {
		t.Fatalf("%q", got)
	}
	for i, words := range [][]string{
		{"TestSum of example.com/m", "with the parent's tests", "it passes with its own tests, which it changes"},
		nil,
		{"with its own tests", "TestAlways of example.com/m"},
	} {
		for _, w := range words {
			if reason := r.List[i].Row.Battery[0].Detail; !strings.Contains(reason, w) {
				t.Errorf("commit %d: no %q in %s", i+1, w, reason)
			}
		}
	}
}

// TestParentFails: what the parent fails too is no fault of a commit, and the row says so. A test
// that only the commit fails is one.
func TestParentFails(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	got, r := b.verdicts(b.series(
		map[string]string{"m.go": sumSource("Sum", "-1", twoLoops), "m_test.go": sumTest("Sum", "-1", "")},
		[]map[string]string{
			{"m.go": sumSource("Sum", "-1", twoLoops) + "\n", "m_test.go": sumTest("Sum", "-1", fails)},
			{"m.go": sumSource("Sum", "-1", oneLoop)},
			{"m.go": sumSource("Sum", "-1", "\ts = len(x)\n")},
		}, ReplayOptions{}, nil))
	if len(got) != 3 || !strings.HasPrefix(got[0], "checks_failed:test") || !strings.HasPrefix(got[1], "keep") ||
		!strings.HasPrefix(got[2], "checks_failed:test") {
		t.Fatalf("%q", got)
	}
	if n := notes(r.List[1].Row); !strings.Contains(n, "the parent fails it too: TestAlways of example.com/m") {
		t.Errorf("notes: %s", n)
	}
	if reason := r.List[2].Row.Reason; !strings.Contains(reason, "TestSum of example.com/m") {
		t.Errorf("reason: %s", reason)
	}
}

// TestRenameInChain: a rename gains nothing, and with it the parent's tests do not build. It is
// judged by its own tests, and the chain goes on: what builds on it is judged together with it.
func TestRenameInChain(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	got, r := b.verdicts(b.series(
		map[string]string{"m.go": sumSource("Sum", "-1", twoLoops), "m_test.go": sumTest("Sum", "-1", "")},
		[]map[string]string{
			{"m.go": sumSource("Add", "-1", twoLoops), "m_test.go": sumTest("Add", "-1", "")},
			{"m.go": sumSource("Add", "-1", oneLoop), "m_test.go": sumTest("Add", "-1", "\n// once\n")},
			{"m.go": sumSource("Add", "-1", "\ts = x[0]\n\tif len(x) > 1 {\n\t\ts += Add(x[1:])\n\t}\n")},
			{"m.go": sumSource("Add", "-1", "\ts = x[0]\n\tif len(x) > 1 {\n\t\ts = s + Add(x[1:])\n\t}\n")},
		}, ReplayOptions{}, nil))
	if strings.Join(got, ", ") != "no_effect, keep / keep, keep / keep, no_effect" {
		t.Fatalf("%q", got)
	}
	x := r.List[2].Chain // the second one does without the rename
	if !slices.Equal(x.With, []int{r.List[0].Row.Run}) || !strings.Contains(x.Reason, "judged together with row") {
		t.Errorf("with %v: %s", x.With, x.Reason)
	}
	// In the chain the next one has the tree of its own parent, so it is judged once.
	if y := r.List[3]; y.Chain != y.Row {
		t.Errorf("rows %d and %d", y.Row.Run, y.Chain.Run)
	}
}

// TestBenchFrom: a benchmark that was written later measures the commits before it, with the
// helpers, imports and data that it needs.
func TestBenchFrom(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	later := "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\tmr \"math/rand\"\n)\n\nvar sink int\n\nfunc numbers() []int {\n\treturn mr.New(mr.NewSource(1)).Perm(100)\n}\n\n" +
		"func BenchmarkSum(b *testing.B) {\n\tif _, err := os.ReadFile(\"testdata/in.txt\"); err != nil {\n\t\tb.Fatal(err)\n\t}\n\tx := numbers()\n\tfor i := 0; i < b.N; i++ {\n\t\tsink = Sum(x)\n\t}\n}\n\nfunc TestLater(t *testing.T) { _ = notYet }\n"
	c := b.series(
		map[string]string{"m.go": sumSource("Sum", "-1", "\ty := append([]int(nil), x...)\n\tfor _, v := range y {\n\t\ts += v\n\t}\n"), "m_test.go": sumTest("Sum", "-1", "")},
		[]map[string]string{
			{"m.go": sumSource("Sum", "-1", oneLoop)},
			{"m.go": sumSource("Sum", "-1", oneLoop) + "\nvar notYet int\n", "bench_test.go": later, "testdata/in.txt": "x\n"},
		}, ReplayOptions{BenchFrom: "main"}, func(c map[string]any) {
			c["metrics"] = []any{map[string]any{"name": "allocs", "from": "gobench", "bench": "BenchmarkSum", "unit": "allocs/op", "goal": "min", "minEffect": "1", "iterations": 100}}
		})
	got, _ := b.verdicts(c)
	if strings.Join(got, ", ") != "keep, no_effect" {
		t.Fatalf("%q", got)
	}
	c.replay.BenchFrom = "base"
	s := &Session{config: c, repo: mustOpen(t, b.repo)}
	if _, err := s.carryBenchmarks(t.Context(), "base"); err == nil || !strings.Contains(err.Error(), "there is no BenchmarkSum") {
		t.Errorf("benchmarks of a commit without them: %v", err)
	}
}

// TestOnBase: patches that exclude each other are each judged on the base, and the branch stays.
func TestOnBase(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	for i, body := range []string{"return \"\\n\"", "s := \"\\n\"\n\treturn s"} {
		b.write(b.side, map[string]string{fmt.Sprintf("patches/%d.patch", i+1): filePatch(t, fmt.Sprint("end ", i), "end.go", fixture["end.go"],
			"package hot\n\nfunc end() string {\n\t"+body+"\n}\n")})
	}
	for _, onBase := range []bool{false, true} {
		c := b.config(func(c map[string]any) {
			byText(c)
			c["battery"] = []any{map[string]any{"name": "build", "run": []string{"go", "build", "."}}}
			c["risk"] = map[string]any{"off": []string{"differential", "mutation"}}
			c["name"] = fmt.Sprint("base ", onBase)
			c["proposer"] = map[string]any{"kind": "patches", "dir": "patches", "onBase": onBase}
		})
		stopped, rows := b.run(c)
		want, keeps := "keep conflict", 1
		if onBase {
			want, keeps = "keep keep", 2
		}
		if got := rows[0].Verdict + " " + rows[1].Verdict; got != want || stopped.Keeps != keeps {
			t.Errorf("on the base %v: %s, %d kept", onBase, got, stopped.Keeps)
		}
		tip := b.git("rev-parse", "research/"+c.Session)
		if moved := tip != b.git("rev-parse", "main"); moved == onBase {
			t.Errorf("on the base %v: the branch moved: %v", onBase, moved)
		}
	}
}

func mustOpen(t *testing.T, dir string) *gitx.Repo {
	t.Helper()
	repo, err := gitx.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// TestFailedTests: the names of failed tests are read from go test's output.
func TestFailedTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "gotest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"TestA/deep/x of example.com/m", "TestB of example.com/m", "example.com/m/broken [build failed]", "TestPanics of example.com/m/sub"}
	if got := failedTests(text); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if w := failedWords([]string{"1", "2", "3", "4", "5", "6", "7"}); w != "1, 2, 3, 4, 5 and 2 more: " {
		t.Error(w)
	}
	same := ledger.Check{Status: fail, Failed: []string{"TestA of m"}}
	for _, c := range []struct {
		now, parent ledger.Check
		want        bool
	}{
		{same, same, true},
		{same, ledger.Check{Status: pass}, false},
		{ledger.Check{Status: fail, Failed: []string{"TestA of m", "TestB of m"}}, same, false},
		{ledger.Check{Status: timeout}, same, false},
		{ledger.Check{Status: fail, Failed: []string{"m [build failed]"}}, ledger.Check{Status: fail, Failed: []string{"m [build failed]"}}, false},
		{ledger.Check{Status: fail, Detail: "exit status 1: vet: x"}, ledger.Check{Status: fail, Detail: "exit status 1: vet: x"}, true},
		{ledger.Check{Status: fail, Detail: "exit status 1: vet: x"}, ledger.Check{Status: fail, Detail: "exit status 1: vet: y"}, false},
	} {
		if got := sameFailure(c.now, c.parent); got != c.want {
			t.Errorf("%+v beside %+v: %v", c.now, c.parent, got)
		}
	}
}
