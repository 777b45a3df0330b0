package research

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var seriesOnly = flag.String("series.only", "", "only those commits of series whose name matches")

// A series is the history of a public module, with commits of this project's own. It is in
// testdata/series, in the form of the planted suite's files: an oracle, changes in their order, and
// files that the module has not, which the series' last commit adds. These are benchmarks. A change
// of kind same has no effect.
type series struct {
	file    string // without its directory and suffix
	module  string
	version string
	allocs  []string // benchmarks whose allocations are objectives
	cpu     []string // benchmarks whose processor time is an objective

	base    map[string]string   // files of the module, and those of the last commit
	steps   []*plantedChange    // each on a fixture that is the series up to it without the wrong commits
	history []map[string]string // what each step's commit changes
	late    map[string]string   // files of the last commit
}

func seriesOfModules() []*series {
	return []*series{
		{file: "humanize", module: "github.com/dustin/go-humanize", version: "v1.0.1",
			allocs: []string{"BenchmarkCommas", "BenchmarkCommaf", "BenchmarkBytes", "BenchmarkParseBytes", "BenchmarkParseSI", "BenchmarkOrdinal", "BenchmarkRelTime"},
			cpu:    []string{"BenchmarkSI"}},
		{file: "xstrings", module: "github.com/huandu/xstrings", version: "v1.5.0",
			allocs: []string{"BenchmarkReverse", "BenchmarkSwapCase", "BenchmarkWordSplit", "BenchmarkSnake", "BenchmarkTranslate"},
			cpu:    []string{"BenchmarkWidth", "BenchmarkSuccessor"}},
		{file: "ksuid", module: "github.com/segmentio/ksuid", version: "v1.0.4",
			allocs: []string{"BenchmarkMarshalText", "BenchmarkSetString", "BenchmarkCompress"},
			cpu:    []string{"BenchmarkSequence", "BenchmarkSort", "BenchmarkCompare", "BenchmarkRandom"}},
	}
}

// chosenSeries are the series, with the commits that the flag asks for.
func chosenSeries(t *testing.T) (list []*series) {
	t.Helper()
	for _, x := range seriesOfModules() {
		if x.read(t); len(x.steps) > 0 {
			list = append(list, x)
		}
	}
	return list
}

// read reads a series.
func (x *series) read(t *testing.T) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "series", x.file+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	now, oracle := moduleFiles(t, x.module, x.version), map[string]string{}
	x.late = map[string]string{}
	for _, s := range a.Files {
		switch {
		case strings.Contains(s.Name, ": "):
		case strings.HasPrefix(s.Name, "oracle/"):
			oracle[s.Name] = string(s.Data)
		default:
			x.late[s.Name] = string(s.Data)
		}
	}
	// The check of a change needs the benchmarks at once.
	maps.Copy(now, x.late)
	x.base = maps.Clone(now)
	all := maps.Clone(now)
	for _, s := range a.Files {
		kind, name, change := strings.Cut(s.Name, ": ")
		if !change || !regexp.MustCompile(*seriesOnly).MatchString(x.file+": "+s.Name) {
			continue
		}
		f := &plantedFixture{name: fmt.Sprintf("%s %d", x.file, len(x.steps)+1), repo: maps.Clone(now), oracle: oracle, quoted: x.base}
		step := f.change(t, kind, name, s.Data)
		if step.right {
			maps.Copy(now, step.after)
		}
		x.steps = append(x.steps, step)
		after := (&plantedFixture{name: x.file, repo: all, quoted: x.base}).change(t, kind, name, s.Data).after
		maps.Copy(all, after)
		x.history = append(x.history, after)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// moduleFiles are the files of a version of a module, from the go command's module cache.
func moduleFiles(t *testing.T, module, version string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = t.TempDir() // outside of this module
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if bad := json.Unmarshal(out, &got); bad != nil || err != nil || got.Dir == "" {
		t.Skipf("%s@%s is not to be had: %s %v", module, version, got.Error, err)
	}
	files := map[string]string{}
	err = filepath.WalkDir(got.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		name, err = filepath.Rel(got.Dir, name)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// commit makes the series a repository's history: main is the module, and the branch series has the
// commits.
func (x *series) commit(b *bench) {
	b.t.Helper()
	base := maps.Clone(x.base)
	for name := range x.late {
		delete(base, name)
	}
	b.hold(base, x.module+" "+x.version)
	b.git("checkout", "-q", "-b", "series")
	for i, step := range x.steps {
		b.write(b.repo, x.history[i])
		b.git("add", "-A")
		b.git("commit", "-qm", step.name)
	}
	b.write(b.repo, x.late)
	b.git("add", "-A")
	b.git("commit", "-qm", benchmarksCommit)
	b.git("checkout", "-q", "main")
}

// benchmarksCommit is the subject of the commit that ends a series.
const benchmarksCommit = "benchmarks"

// metrics are the objectives of a series, with a guard for each noisy one.
func (x *series) metrics() (list []any) {
	for _, name := range x.allocs {
		list = append(list, map[string]any{"name": name + "/allocs", "from": "gobench", "bench": name, "pkg": ".", "unit": "allocs/op", "goal": "min", "minEffect": "1", "iterations": 2000})
	}
	for _, name := range x.cpu {
		list = append(list, map[string]any{"name": name + "/cpu", "from": "rusage", "bench": name, "pkg": ".", "unit": cpuPerOp, "goal": "min", "minEffect": "3%", "guard": map[string]any{"maxRegression": "auto"}})
	}
	return list
}

// TestSeriesSuite checks the series themselves, without sessions, as TestPlantedSuite does with its
// suite: each commit against the right ones before it. With -long right and wrong ones gain.
func TestSeriesSuite(t *testing.T) {
	byTurns(t)
	var list []*plantedChange
	for _, x := range chosenSeries(t) {
		count := map[string]int{}
		for _, step := range x.steps {
			kind := step.kind
			if !step.right {
				kind = "wrong"
			}
			count[kind]++
		}
		t.Logf("%s: %v", x.module, count)
		if *seriesOnly == "" && (count[kindRight]+count[kindBold] < 4 || count["wrong"] < 3 || count[kindSame] == 0) {
			t.Errorf("%s has fewer commits than a series needs", x.module)
		}
		list = append(list, x.steps...)
	}
	p := newPlantedCheck(t)
	for _, step := range daily.Part(t, list, 6, *long || *seriesOnly != "") {
		switch err := p.check(step, *long && step.kind != kindSame); {
		case errors.Is(err, errNoRace):
			t.Logf("%s: %v", step, err)
		case err != nil:
			t.Errorf("%s: %v", step, err)
		}
	}
}

// TestSeries replays each series in the chain with the default battery, and prints each row. No
// wrong commit may be kept. Of a series one right commit may be refused. A right one on which the
// measuring did not decide is counted apart.
//
//	go test ./internal/lab/research -run TestSeries$ -long -v -timeout 2h
func TestSeries(t *testing.T) {
	if !*long {
		t.Skip("it takes half an hour: -long")
	}
	for _, x := range chosenSeries(t) {
		t.Run(x.file, func(t *testing.T) { replaySeries(t, x) })
	}
}

func replaySeries(t *testing.T, x *series) {
	b := newBench(t)
	x.commit(b)
	c := b.config(func(c map[string]any) {
		c["metrics"] = x.metrics()
		c["scope"] = map[string]any{"allow": []string{"**"}}
		c["statistics"] = map[string]any{"aaEvery": -1, "plant": 0}
		delete(c, "battery") // the default one
		delete(c, "proposer")
	})
	if err := c.ForReplay("main..series", ReplayOptions{Chain: true, BenchFrom: "series"}); err != nil {
		t.Fatal(err)
	}
	s := b.open(c)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Replay(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.List) != len(x.steps)+1 {
		t.Fatalf("%d rows of %d commits", len(r.List), len(x.steps)+1)
	}
	var out strings.Builder
	var seconds float64
	kept, refused, hidden := 0, 0, 0
	for i, y := range r.List {
		row, want := y.Row, "same: "+benchmarksCommit
		right, gains := true, false
		if i < len(x.steps) {
			step := x.steps[i]
			want = step.kind + ": " + step.name
			if !step.right {
				want = "wrong " + want
			}
			right, gains = step.right, step.right && step.kind != kindSame
		}
		seconds += row.Seconds
		fmt.Fprintf(&out, "%-26s %5.1fs  %s: %.400s\n", row.Verdict, row.Seconds, want, row.Reason)
		for _, k := range row.Battery {
			for _, note := range k.Notes {
				if strings.Contains(note, probeFailed) {
					t.Errorf("%s: %s", want, note)
				}
			}
		}
		switch {
		case row.Kept() && gains:
			kept++
		case row.Kept() && !right:
			t.Errorf("kept: %s", want)
		case row.Kept():
			t.Errorf("kept without an effect: %s", want)
		case gains && slices.Contains(unresolved, row.Verdict):
			hidden++
		case gains && row.Verdict != ledger.VerdictDepends:
			refused++
		case right && !gains && !slices.Contains(notFaulty, row.Verdict):
			t.Errorf("refused without a fault: %s: %s: %s", want, row.Verdict, row.Reason)
		}
	}
	t.Logf("%s\n%s%d right ones kept, %d refused, %d not decided by measuring; %.1f s a row", x.module, &out, kept, refused, hidden, seconds/float64(len(r.List)))
	if refused > 1 {
		t.Errorf("%d right ones are refused", refused)
	}
}

// Verdicts without a check that refuses. Load of the machine can hide a gain, or leave open whether
// another objective is worse. A change without an effect may also seem to be a loss.
var (
	unresolved = append(slices.Clone(harmless), ledger.VerdictGuardUncertain)
	notFaulty  = append(slices.Clone(unresolved), ledger.VerdictWorse, ledger.VerdictGuardFailed)
)
