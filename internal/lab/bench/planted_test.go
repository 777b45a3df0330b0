package bench

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	gyr "github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	report "github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
)

var long = flag.Bool("long", false, "measure the whole planted suite, in native Go and in gyr, not a sample of it")

// workerArg is the first argument of a test binary that runs as a worker. The second is the cache's
// directory.
const workerArg = "bench-worker"

// TestMain lets the test binary be the worker of its own tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == workerArg {
		s := Setup{Source: gyr.Source{Cache: os.Args[2]}}
		if err := Serve(context.Background(), s, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if dir, _ := testCache(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// testCache is one cache for all tests of this process, so that the standard library is compiled
// once.
var testCache = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "gyr-bench-test") })

// testEngines are engines whose worker is the test binary.
func testEngines(t *testing.T, labels ...string) (list []Engine) {
	t.Helper()
	cache, err := testCache()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		switch {
		case l == "go":
			list = append(list, Engine{Label: l, Go: &GoEngine{}})
		case l == "native" && gyr.CheckNative() != nil:
			t.Skipf("no machine code here: %v", gyr.CheckNative())
		default:
			list = append(list, Engine{Label: l, Gyr: &GyrEngine{Tier: l, Worker: []string{os.Args[0], workerArg, cache}}})
		}
	}
	return list
}

// testRun measures benchmarks of a package. A plan without visits takes only exact figures. It has
// a lock of its own: no test asserts on a time, so none has to wait for the machine.
func testRun(t *testing.T, dir, path, bench string, plan record.Plan, engines ...string) (*record.Record, error) {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	log, err := record.NewLog(nil, &record.Run{Plan: plan, Engines: engines})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Packages: []Package{{Path: path, Dir: dir}}, Bench: bench, Engines: testEngines(t, engines...), Plan: plan,
		Group: "declared", Log: log, LockFile: filepath.Join(t.TempDir(), "lock"), Files: t.TempDir(), Say: func(text string) { t.Log(text) }}
	o.NoVisits = plan.Visits == 0
	return log.Record(), Run(t.Context(), o)
}

const plantedDir = "testdata/planted"

// A planted benchmark is one benchmark of the suite.
type planted struct {
	name  string   // without Benchmark
	kind  string   // of the mistake
	codes []string // codes that its comment wants; none: it is sound
	info  bool     // a note for information is enough
}

// plantedSuite reads the benchmarks and the codes in their comments, in the order of the sources.
func plantedSuite(t *testing.T) (list []planted) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(plantedDir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no planted suite", err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || !proof.IsBenchmark(d, "testing") {
				continue
			}
			p := planted{name: strings.TrimPrefix(d.Name.Name, "Benchmark")}
			said := false
			for line := range strings.Lines(d.Doc.Text()) {
				if kind, ok := strings.CutPrefix(line, "kind "); ok {
					p.kind = strings.TrimSpace(kind)
				}
				if rest, ok := strings.CutPrefix(line, "want "); ok {
					said = true
					if p.codes = strings.Fields(rest); slices.Equal(p.codes, []string{"nothing"}) {
						p.codes = nil
					} else if n := len(p.codes); n > 1 && p.codes[n-1] == "(info)" {
						p.codes, p.info = p.codes[:n-1], true
					}
				}
			}
			if !said || (p.kind != "") != (p.codes != nil) {
				t.Errorf("%s: %s does not say what it wants, or of which kind its mistake is", name, d.Name.Name)
			}
			list = append(list, p)
		}
	}
	return list
}

// ofTheMachine are diagnoses that a sound benchmark may get. They are about the machine that it ran
// on, and true of a loaded one.
var ofTheMachine = []string{"BP16", "BP23", "BP28"}

// A plantedScore counts what a report says about the suite.
type plantedScore struct {
	caught  map[string][]string // names by kind
	missed  map[string][]string
	accused []string
	codes   map[string]bool // found where they were wanted
}

// check compares a report's diagnoses with the wanted ones.
func (sc *plantedScore) check(t *testing.T, r *report.Report, suite []planted) {
	t.Helper()
	for _, p := range suite {
		found := map[string]report.Severity{}
		var said []string
		rows := 0
		r.Rows(func(row *report.Row) {
			if row.Bench.Name != p.name && !strings.HasPrefix(row.Bench.Name, p.name+"/") {
				return
			}
			rows++
			for _, n := range r.Notes {
				if n.Bench == row.Bench.Key {
					said = append(said, fmt.Sprintf("%s (%s, %v) %s %q", n.Code, n.Severity, n.Engines, n.Cause, n.Evidence))
					if old := found[n.Code]; old == "" || old == report.Info {
						found[n.Code] = n.Severity
					}
				}
			}
			for _, c := range row.Cells {
				if c != nil && c.Failed != "" {
					t.Errorf("%s in %s: %s", row.Bench.Name, c.Engine, c.Failed)
				}
			}
		})
		if rows == 0 {
			t.Errorf("%s was not measured", p.name)
		}
		missed := false
		for _, code := range p.codes {
			if s := found[code]; s == "" || s == report.Info && !p.info {
				t.Errorf("%s is not caught with %s: %q", p.name, code, said)
				missed = true
			} else {
				sc.codes[code] = true
			}
		}
		switch {
		case p.codes != nil && missed:
			sc.missed[p.kind] = append(sc.missed[p.kind], p.name)
		case p.codes != nil:
			sc.caught[p.kind] = append(sc.caught[p.kind], p.name)
		default:
			for code, severity := range found {
				if severity != report.Info && !slices.Contains(ofTheMachine, code) {
					t.Errorf("%s is sound, and accused of %s: %q", p.name, code, said)
					sc.accused = append(sc.accused, p.name)
				}
			}
		}
	}
}

// print logs what was caught of each kind.
func (sc *plantedScore) print(t *testing.T, sound int) {
	kinds := map[string]bool{}
	caught, missed := 0, 0
	for kind := range sc.caught {
		kinds[kind] = true
	}
	for kind := range sc.missed {
		kinds[kind] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		a, b := len(sc.caught[kind]), len(sc.missed[kind])
		caught, missed = caught+a, missed+b
		t.Logf("%-32s %d of %d %s", kind, a, a+b, strings.Join(sc.missed[kind], ", "))
	}
	t.Logf("%d of %d broken benchmarks in %d kinds are caught; of %d sound ones %d are accused; load %.1f",
		caught, caught+missed, len(kinds), sound, len(sc.accused), measure.Load())
}

// The suite has at least so much.
const (
	leastBroken = 70
	leastKinds  = 30
	leastSound  = 60
)

// TestPlanted measures benchmarks with mistakes and sound ones, end to end. Each mistake is found,
// and no sound benchmark is accused. Each day a sample has one benchmark for each code and some
// sound ones, in gyr alone where one engine can show it. -long measures all in both engines.
func TestPlanted(t *testing.T) {
	daily.Turn(t, 3, *long)
	suite := plantedSuite(t)
	byCode, kinds := map[string][]planted{}, map[string]bool{}
	var sound []planted
	for _, p := range suite {
		if p.codes == nil {
			sound = append(sound, p)
			continue
		}
		kinds[p.kind] = true
		for _, code := range p.codes {
			byCode[code] = append(byCode[code], p)
		}
	}
	if n := len(suite) - len(sound); n < leastBroken || len(kinds) < leastKinds || len(sound) < leastSound {
		t.Errorf("%d broken benchmarks in %d kinds and %d sound ones: there should be %d in %d and %d", n, len(kinds), len(sound), leastBroken, leastKinds, leastSound)
	}
	sc := &plantedScore{caught: map[string][]string{}, missed: map[string][]string{}, codes: map[string]bool{}}
	if *long {
		plantedRun(t, sc, suite, "go", "native")
	} else {
		chosen := map[string]bool{}
		sound = daily.Part(t, sound, soundSample, false)
		one, both := slices.Clone(sound), []planted(nil)
		for _, code := range slices.Sorted(maps.Keys(byCode)) {
			for _, p := range daily.Part(t, byCode[code], 1, false) {
				if chosen[p.name] {
					continue
				}
				chosen[p.name] = true
				if slices.Contains(p.codes, "BP20") {
					both = append(both, p)
				} else {
					one = append(one, p)
				}
			}
		}
		plantedRun(t, sc, one, "native")
		plantedRun(t, sc, both, "go", "native")
	}
	sc.print(t, len(sound))
	for code := range byCode {
		if !sc.codes[code] {
			t.Errorf("%s was not found at all", code)
		}
	}
}

// soundSample is how many sound benchmarks the sample has.
const soundSample = 8

func plantedRun(t *testing.T, sc *plantedScore, suite []planted, engines ...string) {
	t.Helper()
	var names []string
	for _, p := range suite {
		names = append(names, regexp.QuoteMeta(p.name))
	}
	plan := Plans["quick"]
	plan.BatchNS, plan.Seed, plan.Delta = 2e6, 7, DefaultDelta
	rec, err := testRun(t, plantedDir, "planted", "^Benchmark("+strings.Join(names, "|")+")$", plan, engines...)
	if err != nil {
		t.Fatal(err)
	}
	sc.check(t, report.Of(rec), suite)
}
