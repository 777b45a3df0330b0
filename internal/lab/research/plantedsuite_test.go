package research

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/suites/daily"
)

// The planted suite is in testdata/planted. A file has one fixture: a small module, an oracle, and
// changes of the module. The oracle is a program that calls everything exported and prints what it
// gets. No session ever sees it. The name of a change's section says what the change is:
//
//	wrong KIND: NAME
//	right: NAME
//	bold: NAME       right, and a large rewrite, or one of a dangerous kind that is done well
//
// A change is a diff without line numbers. The lines of a hunk that are not added must stand in the
// file exactly once, next to each other. A hunk that only adds goes to the end of the file. Lines
// with # say more:
//
//	# file NAME      the file that the hunks after it change; at first the fixture's first one
//	# bench NAME     the benchmark that the change makes better; at first the fixture's first one
//	# allocs/op      it gains in allocations, or in B/op; else in processor time
//	# race           the oracle is built with the race detector, which can be what it prints
//
// Imports are added and removed as needed.
type plantedFixture struct {
	name    string
	repo    map[string]string
	oracle  map[string]string
	main    string // first file
	bench   string // first benchmark
	changes []*plantedChange
	quoted  map[string]string // files whose lines changes name by their numbers; nil: none
}

// A plantedChange is one row of the suite.
type plantedChange struct {
	fixture    *plantedFixture
	kind, name string
	right      bool
	bold       bool
	drawn      bool // an operator made it from a right change
	bench      string
	unit       string
	race       bool
	after      map[string]string // the changed files
}

func (x *plantedChange) String() string {
	return fmt.Sprintf("%s: %s: %s", x.fixture.name, x.kind, x.name)
}

const (
	kindRight = "right"
	kindBold  = "bold"
	kindSame  = "same" // of a series: it changes nothing that a program could see
)

// plantedFixtures reads the whole suite.
func plantedFixtures(t *testing.T) []*plantedFixture {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "planted", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	var list []*plantedFixture
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := &plantedFixture{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), oracle: map[string]string{},
			repo: map[string]string{"go.mod": "module example.com/lib\n\ngo 1.24\n"}}
		for _, s := range a.Files {
			kind, name, change := strings.Cut(s.Name, ": ")
			switch {
			case change:
				f.changes = append(f.changes, f.change(t, kind, name, s.Data))
			case strings.HasPrefix(s.Name, "oracle/"):
				f.oracle[s.Name] = string(s.Data)
			default:
				f.repo[s.Name] = string(s.Data)
				if f.main == "" {
					f.main = s.Name
				}
				if found := regexp.MustCompile(`func (Benchmark\w+)`).FindSubmatch(s.Data); found != nil && f.bench == "" {
					f.bench = string(found[1])
				}
			}
		}
		list = append(list, f)
	}
	if t.Failed() {
		t.FailNow()
	}
	return list
}

// change reads a change of a fixture.
func (f *plantedFixture) change(t *testing.T, kind, name string, text []byte) *plantedChange {
	t.Helper()
	x := &plantedChange{fixture: f, name: name, kind: strings.TrimPrefix(kind, "wrong "), bench: f.bench, unit: cpuPerOp, after: map[string]string{},
		right: kind == kindRight || kind == kindBold || kind == kindSame, bold: kind == kindBold}
	if err := x.read(string(text)); err != nil {
		t.Errorf("%s: %v", x, err)
	}
	return x
}

// read reads a change.
func (x *plantedChange) read(text string) error {
	file := x.fixture.main
	var hunk []string
	flush := func() error {
		if len(hunk) == 0 {
			return nil
		}
		now, ok := x.after[file]
		if !ok {
			now = x.fixture.repo[file]
		}
		var old, with strings.Builder
		for _, line := range hunk {
			if line[0] != '+' {
				old.WriteString(line[1:] + "\n")
			}
			if line[0] != '-' {
				with.WriteString(line[1:] + "\n")
			}
		}
		hunk = nil
		switch o := old.String(); {
		case o == "":
			now += with.String()
		case strings.Count("\n"+now, "\n"+o) != 1:
			return fmt.Errorf("%s has %d times:\n%s", file, strings.Count("\n"+now, "\n"+o), o)
		default:
			now = strings.Replace("\n"+now, "\n"+o, "\n"+with.String(), 1)[1:]
		}
		x.after[file] = now
		return nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			hunk = append(hunk, " ")
		case line == "@@":
			if err := flush(); err != nil {
				return err
			}
		case line[0] == ' ' || line[0] == '-' || line[0] == '+':
			hunk = append(hunk, line)
		case line[0] == '<':
			lines, err := quoted(x.fixture.quoted[file], line[1:])
			if err != nil {
				return fmt.Errorf("%s: %q: %v", file, line, err)
			}
			hunk = append(hunk, lines...)
		case strings.HasPrefix(line, "# "):
			if err := flush(); err != nil {
				return err
			}
			switch what, value, _ := strings.Cut(line[2:], " "); what {
			case "file":
				file = value
			case "bench":
				x.bench = value
			case "allocs/op", "B/op":
				x.unit = what
			case "race":
				x.race = true
			default:
				return fmt.Errorf("what is %q?", line)
			}
		default:
			return fmt.Errorf("a line of a hunk begins with a sign: %q", line)
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for file, text := range x.after {
		if strings.HasSuffix(file, ".go") {
			var err error
			if x.after[file], err = fixImports(text); err != nil {
				return fmt.Errorf("%s: %v", file, err)
			}
		}
		if x.after[file] == x.fixture.repo[file] {
			return fmt.Errorf("%s is not changed", file)
		}
	}
	return nil
}

// quoted are lines of a hunk that stand in a file already: <-12,15 removes its lines 12 to 15, <=12 is
// its line 12 between others, and <+12,15 adds the lines once more. So a change need not repeat what is
// not this project's.
func quoted(text, at string) (lines []string, err error) {
	sign, first, last := at[:1], 0, 0
	if n, _ := fmt.Sscanf(at[1:], "%d,%d", &first, &last); n == 1 {
		last = first
	}
	all := strings.Split(text, "\n")
	if first < 1 || last < first || last > len(all) || !strings.Contains("-=+", sign) {
		return nil, errors.New("there are no such lines")
	}
	for _, line := range all[first-1 : last] {
		lines = append(lines, strings.Replace(sign, "=", " ", 1)+line)
	}
	return lines, nil
}

// importPaths are packages that changes use.
var importPaths = []string{"bytes", "cmp", "context", "encoding/binary", "encoding/json", "errors", "fmt", "hash/fnv", "hash/maphash", "io", "iter",
	"maps", "math", "math/big", "math/bits", "os", "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "sync", "sync/atomic",
	"testing", "time", "unicode", "unicode/utf8", "unsafe", "weak", "math/rand"}

// fixImports adds and removes imports, and formats.
func fixImports(text string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	for _, path := range importPaths {
		if astutil.UsesImport(f, path) {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		unresolved := slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool { return id.Name == name })
		another := slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return importName(i) == name && i.Path.Value != strconv.Quote(path) })
		if unresolved && !another {
			astutil.AddImport(fset, f, path)
		} else {
			astutil.DeleteImport(fset, f, path)
		}
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, f); err != nil {
		return "", err
	}
	return out.String(), nil
}

// A plantedCheck tells what a change is, without a session.
type plantedCheck struct {
	t    *testing.T
	race bool // the race detector works
	dirs map[*plantedFixture]string
	want map[string]string  // what the oracle says of fixtures
	base map[string]string  // directories with the test binaries of fixtures
	best map[string]float64 // the least figures of fixtures' benchmarks
}

func newPlantedCheck(t *testing.T) *plantedCheck {
	_, err := exec.LookPath("gcc")
	return &plantedCheck{t: t, race: err == nil && goEnv(t, "CGO_ENABLED") == "1", dirs: map[*plantedFixture]string{},
		want: map[string]string{}, base: map[string]string{}, best: map[string]float64{}}
}

// overlay lays a fixture out, and returns the directory and a flag for the go command.
func (p *plantedCheck) overlay(f *plantedFixture, after map[string]string) (dir string, flags []string) {
	dir, ok := p.dirs[f]
	if !ok {
		dir = p.t.TempDir()
		p.dirs[f] = dir
		b := &bench{t: p.t}
		b.write(dir, f.repo)
		b.write(dir, f.oracle)
	}
	if len(after) == 0 {
		return dir, nil
	}
	side, replace := p.t.TempDir(), map[string]string{}
	for name, text := range after {
		to := filepath.Join(side, strconv.Itoa(len(replace))+filepath.Ext(name))
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			p.t.Fatal(err)
		}
		replace[filepath.Join(dir, name)] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(side, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		p.t.Fatal(err)
	}
	return dir, []string{"-overlay=" + file}
}

// build runs a build of the go command in a fixture.
func (p *plantedCheck) build(f *plantedFixture, after map[string]string, args ...string) error {
	dir, flags := p.overlay(f, after)
	args = append(append(args[:1:1], append(flags, "-ldflags=-w -s")...), args[1:]...)
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", errCompiles, out)
	}
	return nil
}

// run runs a program that was built, and returns its output. A failure is an output, too. A program
// that does not end, or takes all memory, does no harm.
func (p *plantedCheck) run(dir, bin string, race bool, args ...string) (string, error) {
	limit := "ulimit -v 8000000; " // in KiB
	if race {
		limit = "" // the race detector reserves more
	}
	cmd := exec.Command("sh", append([]string{"-c", limit + `exec "$0" "$@"`, bin}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GORACE=halt_on_error=1")
	out := &shortOutput{}
	cmd.Stdout = out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	timer := time.AfterFunc(plantedTime, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	if err != nil {
		fmt.Fprintln(out, err)
	}
	return out.String(), err
}

// plantedTime ends programs of the suite that do not end. The others take a second.
const plantedTime = 20 * time.Second

// A shortOutput is an output that has an end.
type shortOutput struct{ strings.Builder }

func (o *shortOutput) Write(p []byte) (int, error) {
	if o.Len() > 1<<26 {
		return 0, errors.New("a long output")
	}
	return o.Builder.Write(p)
}

// oracle builds the oracle and returns what it prints, so many times.
func (p *plantedCheck) oracle(f *plantedFixture, after map[string]string, race bool, times int, enough func(string) bool) (string, error) {
	bin := filepath.Join(p.t.TempDir(), "oracle")
	args := []string{"build", "-o", bin, "./oracle"}
	if race {
		args = append(args[:1:1], append([]string{"-race"}, args[1:]...)...)
	}
	if err := p.build(f, after, args...); err != nil {
		return "", err
	}
	for i := 1; ; i++ {
		out, _ := p.run("", bin, race)
		if i == times || enough(out) {
			return out, nil
		}
	}
}

// errPlanted are the reasons why a change does not belong to the suite.
var (
	errCompiles = errors.New("it does not compile")
	errTests    = errors.New("the fixture's tests refuse it")
	errOracle   = errors.New("the oracle does not agree")
	errGain     = errors.New("no gain")
	errNoRace   = errors.New("no race detector")
)

// check returns why a change does not belong to the suite. Gains in time are only looked at on
// request: another program can hide them.
func (p *plantedCheck) check(x *plantedChange, gain bool) error {
	if x.race && !p.race {
		return errNoRace
	}
	bins, err := p.tests(x.fixture, x.after)
	if err != nil {
		return err
	}
	key := fmt.Sprint(x.fixture.name, x.race)
	if p.want[key] == "" {
		first := ""
		again, err := p.oracle(x.fixture, nil, x.race, 2, func(out string) bool { first = out; return false })
		if err != nil || first != again || !strings.HasSuffix(again, "end\n") {
			p.t.Fatalf("the oracle of %s does not tell the same twice up to its end: %v\n%s", x.fixture.name, err, again[max(0, len(again)-500):])
		}
		p.want[key] = again
	}
	times := 1
	if x.race && !x.right {
		times = 5 // an order of goroutines may hide a race
	}
	got, err := p.oracle(x.fixture, x.after, x.race, times, func(out string) bool { return out != p.want[key] })
	if err != nil {
		return err
	}
	if (got == p.want[key]) != x.right {
		return fmt.Errorf("%w: %s", errOracle, whereTheyPart(p.want[key], got))
	}
	if !gain && x.unit == cpuPerOp {
		return nil
	}
	if p.base[x.fixture.name] == "" {
		if p.base[x.fixture.name], err = p.tests(x.fixture, nil); err != nil {
			p.t.Fatal(err)
		}
	}
	bench, now := fmt.Sprint(x.fixture.name, x.bench, x.unit), math.Inf(1)
	gains := func(before float64) bool {
		if x.unit == cpuPerOp {
			return now <= 0.95*before
		}
		return now <= before-1
	}
	for range 6 { // another program can disturb a few of them
		before, ok := p.best[bench]
		if !ok || !gains(before) {
			least, err := p.measure(x, p.base[x.fixture.name])
			if err != nil {
				p.t.Fatal(err)
			}
			if before = least; ok {
				before = min(least, p.best[bench])
			}
			p.best[bench] = before
		}
		least, err := p.measure(x, bins)
		if err != nil {
			return err
		}
		if now = min(now, least); gains(before) {
			return nil
		}
	}
	return fmt.Errorf("%w: %v %s, and %v before", errGain, now, x.unit, p.best[bench])
}

// tests builds the test binaries of a fixture, and runs the tests.
func (p *plantedCheck) tests(f *plantedFixture, after map[string]string) (bins string, err error) {
	bins = p.t.TempDir()
	tests := map[string]string{} // of each package
	for name := range f.repo {
		if strings.HasSuffix(name, "_test.go") {
			tests["./"+path.Dir(name)] = name
		}
	}
	args := append([]string{"test", "-vet=off", "-c", "-o", bins + "/"}, slices.Sorted(maps.Keys(tests))...)
	if err := p.build(f, after, args...); err != nil {
		return "", err
	}
	for _, name := range tests {
		bin, dir := p.testBinary(f, bins, name)
		if out, err := p.run(dir, bin, false); err != nil {
			return "", fmt.Errorf("%w: %s", errTests, out)
		}
	}
	return bins, nil
}

// testBinary is the binary with a test file, and the directory to run it in.
func (p *plantedCheck) testBinary(f *plantedFixture, bins, file string) (bin, dir string) {
	dir = filepath.Join(p.dirs[f], filepath.Dir(file))
	name := filepath.Base(filepath.Dir(file))
	if name == "." {
		name = path.Base(modfile.ModulePath([]byte(f.repo["go.mod"])))
	}
	return filepath.Join(bins, name+".test"), dir
}

// measure runs a change's benchmark a few times and returns the least figure.
func (p *plantedCheck) measure(x *plantedChange, bins string) (float64, error) {
	bin, dir := p.testBinary(x.fixture, bins, x.pkg()+"/x_test.go")
	out, err := p.run(dir, bin, false, "-test.run=^$", "-test.bench=^"+x.bench+"$", "-test.benchmem", "-test.benchtime=10ms", "-test.count=6")
	if err != nil {
		return 0, fmt.Errorf("%w: %s", errTests, out)
	}
	unit := x.unit
	if unit == cpuPerOp {
		unit = "ns/op"
	}
	least := math.Inf(1)
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if i := slices.Index(fields, unit); i > 0 {
			if v, err := strconv.ParseFloat(fields[i-1], 64); err == nil {
				least = min(least, v)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0, fmt.Errorf("%s gives no %s: %s", x.bench, unit, out)
	}
	return least, nil
}

// whereTheyPart shows where two outputs part.
func whereTheyPart(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d of %d: %.200q, not %.200q", i, len(w), strings.Join(g[min(i, len(g)):min(i+1, len(g))], ""), w[i])
		}
	}
	return "no difference"
}

// pkg is the package of a change's benchmark.
func (x *plantedChange) pkg() string {
	for _, name := range slices.Sorted(maps.Keys(x.fixture.repo)) {
		if strings.Contains(x.fixture.repo[name], "func "+x.bench+"(") {
			return "./" + filepath.ToSlash(filepath.Dir(name))
		}
	}
	return "./" + x.bench + "-is-nowhere"
}

// plantedSuite is the whole suite: what was written, then what was drawn.
func plantedSuite(t *testing.T) (list []*plantedChange) {
	t.Helper()
	fixtures := plantedFixtures(t)
	for _, f := range fixtures {
		list = append(list, f.changes...)
	}
	list = append(list, drawnChanges(t, fixtures)...)
	if *plantedOnly != "" {
		list = slices.DeleteFunc(list, func(x *plantedChange) bool { return !regexp.MustCompile(*plantedOnly).MatchString(x.String()) })
	}
	return list
}

// TestPlantedSuite checks the suite itself, without sessions. Each change compiles, and the
// fixture's tests accept it. The oracle finds each wrong one and no right one. With -long each one
// gains where it says so.
func TestPlantedSuite(t *testing.T) {
	notShort(t)
	list := plantedSuite(t)
	count, kinds := map[string]int{}, map[string]bool{}
	for _, x := range list {
		switch {
		case x.right:
			count["right"]++
			if x.bold {
				count["bold"]++
			}
		default:
			count["wrong"]++
			kinds[x.kind] = true
			if x.drawn {
				count["drawn"]++
			}
		}
	}
	t.Logf("%d wrong, %d drawn, in %d kinds; %d right, %d bold", count["wrong"], count["drawn"], len(kinds), count["right"], count["bold"])
	if *plantedOnly == "" && (count["wrong"] < 150 || count["drawn"] < 60 || len(kinds) < 25 || count["right"] < 80 || count["bold"] < 20) {
		t.Error("the suite has fewer changes than it says")
	}
	p := newPlantedCheck(t)
	for _, x := range daily.Part(t, list, 12, *long || *plantedOnly != "") {
		switch err := p.check(x, *long); {
		case errors.Is(err, errNoRace):
			t.Logf("%s: %v", x, err)
		case err != nil:
			t.Errorf("%s: %v", x, err)
		case *plantedOnly != "":
			t.Logf("%s: fine", x)
		}
	}
}
