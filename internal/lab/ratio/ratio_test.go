package ratio

import (
	"bytes"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
	"github.com/gyrvm/gyr/internal/tools/process"
)

// TestPrograms: every program of programs/ has a row, every row has a program, and no family has
// more than its share.
func TestPrograms(t *testing.T) {
	dirs, err := filepath.Glob("../../../programs/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	families := map[string]int{}
	for _, p := range Programs {
		have = append(have, p.Name)
		families[p.Family]++
		size, err1 := strconv.Atoi(p.Size)
		small, err2 := strconv.Atoi(p.Small)
		tiny, err3 := strconv.Atoi(p.Tiny)
		if err1 != nil || err2 != nil || err3 != nil || tiny >= small || small >= size {
			t.Errorf("%s: sizes %s, %s, %s", p.Name, p.Size, p.Small, p.Tiny)
		}
		if p.bound != nil {
			if b := p.bound(&measure.Machine{Add: 1, FloatDivRate: 1, SqrtRate: 1, StoreRate: 1, Load: 1, Call: 1}, float64(size)); b < 1e8 || b > 1e10 {
				t.Errorf("%s: the bound is %g ns where an operation takes 1", p.Name, b)
			}
		}
	}
	for _, d := range dirs {
		want = append(want, filepath.Base(filepath.Dir(d)))
	}
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("rows %v, programs %v", have, want)
	}
	if len(Programs) < 28 {
		t.Errorf("%d programs", len(Programs))
	}
	for f, n := range families {
		if float64(n) > maxShare*float64(len(Programs)) {
			t.Errorf("%d of %d programs are of the family %s", n, len(Programs), f)
		}
	}
}

var realAll = flag.Bool("real", false, "run all programs that others wrote, not two of them")

// TestReal: programs that others wrote run in gyr as natively, files that they write included.
func TestReal(t *testing.T) {
	for _, p := range RealPrograms {
		size, err1 := strconv.Atoi(p.Size)
		small, err2 := strconv.Atoi(p.Small)
		tiny, err3 := strconv.Atoi(p.Tiny)
		if err1 != nil || err2 != nil || err3 != nil || tiny >= small || small >= size {
			t.Errorf("%s: sizes %s, %s, %s", p.Name, p.Size, p.Small, p.Tiny)
		}
	}
	env := Env{Root: must(filepath.Abs("../../.."))(t), Dir: t.TempDir()}
	list := daily.Part(t, RealPrograms, 5, *realAll)
	interp := gyrEngine("interp", gyr.TierInterp)
	if _, err := setup(env, []Engine{yardstick, interp}, list); err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		_, want, _, err := yardstick.run(env, p, p.Small)
		if err != nil {
			t.Fatal(err)
		}
		_, got, _, err := interp.run(env, p, p.Small)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s: %.300q, native Go %.300q", p.Name, got, want)
		}
	}
}

// TestDownloaded: the root package of a module that others wrote is found, in a copy that can be written to.
func TestDownloaded(t *testing.T) {
	p, err := downloaded(Env{Dir: t.TempDir()}, realModules[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "new.go"), []byte("package cuckoo\n"), 0o666); err != nil || !strings.HasPrefix(realModules[0], p.Path+"@") {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := downloaded(Env{Dir: t.TempDir()}, "example.com/no/module@v1.0.0"); err == nil || !strings.Contains(err.Error(), "example.com/no/module") {
		t.Errorf("a module that is not there: %v", err)
	}
}

// TestLayers: layers only add passes, and the last layer of a tier has all.
func TestLayers(t *testing.T) {
	engines, err := layerEngines()
	if err != nil {
		t.Fatal(err)
	}
	if len(engines) != len(tiers)*len(layers) {
		t.Fatalf("%d engines", len(engines))
	}
	before := 0
	for i, e := range engines {
		off := 0
		for _, a := range e.Command(Env{}, Programs[0], "1") {
			if names, ok := strings.CutPrefix(a, "-d=nopass="); ok {
				off = len(strings.Split(names, ":"))
			}
		}
		k := i % len(layers)
		if k > 0 && off >= before || (k == len(layers)-1) != (off == 0) {
			t.Errorf("%s: %d passes off, %d before", e.Name, off, before)
		}
		before = off
	}
}

// TestRows measures a program in the smallest way. Engines that do not do what they say fail.
func TestRows(t *testing.T) {
	env := Env{Root: "../../..", Dir: t.TempDir()}
	p := Program{Name: "fib", Family: "integer", Size: "34", Small: "33", Tiny: "1"}
	interp := gyrEngine("interp", gyr.TierInterp)
	other := interp
	other.Name, other.Tier = "other", "no such tier"
	liar := Engine{Name: "liar", Peer: true, Command: func(Env, Program, string) []string { return []string{"echo", "1"} }}
	broken := Engine{Name: "broken", Peer: true, Slow: true, Command: func(Env, Program, string) []string { return []string{"false"} }}
	absent := Engine{Name: "absent", Peer: true, Setup: func(e Env, _ []Program) error { return e.Run("go", "no-such-command") }}
	engines, err := setup(env, []Engine{yardstick, interp, other, liar, broken, absent}, []Program{p})
	if err != nil {
		t.Fatal(err)
	}
	if len(engines) != 5 {
		t.Fatalf("%d engines are ready", len(engines))
	}
	var names []string
	for _, e := range engines {
		names = append(names, e.Name)
	}
	var lines strings.Builder
	log, err := record.NewLog(&lines, &record.Run{Engines: names, Env: &measure.Environment{}, Plan: record.Plan{Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if words, err := measureProgram(env, log, p, engines, 1, false); err != nil || !strings.Contains(words, " other failed liar failed") || !strings.HasPrefix(words, " interp ") {
		t.Errorf("%q, %v", words, err)
	}
	rep := result.Of(log.Record())
	rows := rep.Tables[0].Rows
	if len(rows) != 2 || rows[0].Bench.Params[0].Value != p.Size || rows[1].Bench.Params[0].Value != p.Small {
		t.Fatalf("rows %+v", rows)
	}
	for i, want := range []string{"", "", "the run was in tier", "prints", "exit status 1"} {
		c := rows[i/4].Cells[i] // the slow engine has a row of its own, at the small size
		if got := c.Failed; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: failure %q, want %q", names[i], got, want)
		}
	}
	if c := rows[0].Cells[1]; c.PerOp["gas/op"] == 0 || c.ToOther == nil || c.ToOther.With != "go" || math.Abs(c.ToOther.Ratio/(c.NS.Value/rows[0].Cells[0].NS.Value)-1) > 1e-9 {
		t.Errorf("%+v", c)
	}
	o := &options{json: true}
	if err := o.print(rep, []string{"liar", "broken"}, nil); err == nil || err.Error() != `fib in other: the run was in tier "interp"` {
		t.Errorf("failures: %v", err)
	}
	if again, err := record.Read(strings.NewReader(lines.String())); err != nil || len(again.Visits) != len(log.Record().Visits) {
		t.Errorf("the record that is printed: %v", err)
	}
	table := rowTable(rep, "program", programColumns(&measure.Machine{Call: 1}))
	if want := "program|size|go wall|cpu|peak|bound|interp wall|cpu|peak"; strings.Join(table.head, "|") != want {
		t.Errorf("%q, want %q", table.head, want)
	}
	if row := table.rows[1]; row[1] != "33" || row[6] != "-" {
		t.Errorf("the row of the small size: %q", row)
	}
	means := meanTable(rep, wallRatio, cpuRatio)
	if want := "geometric mean|interp wall|cpu|worst|of|other wall|cpu|worst|of|liar wall|cpu|worst|of|broken wall|cpu|worst|of"; strings.Join(means.head, "|") != want {
		t.Errorf("%q", means.head)
	}
	if row := means.rows[0]; row[0] != "all" || row[4] != "1" || row[2] != times(rows[0].Cells[1].ToOther.Ratio) || row[5] != "-" || row[8] != "0" {
		t.Errorf("means %q", row)
	}
}

// TestNoTime: a size that takes no longer than the tiny one has no figure.
func TestNoTime(t *testing.T) {
	u := []process.Usage{{Wall: time.Second, CPU: time.Second}}
	pl := &place{engine: &yardstick, size: "7", samples: u, tiny: u}
	if v := pl.visits(record.Cell{}); len(v) != 1 || v[0].Failed != "the size 7 takes no longer than the tiny one" {
		t.Errorf("%+v", v[0])
	}
}

func TestFigures(t *testing.T) {
	f, err := figures([]byte("a warning\n{\"tier\":\"interp\",\"gas\":7}\n"))
	if err != nil || f.Tier != "interp" || f.Gas != 7 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := figures([]byte("panic: no\n")); err == nil {
		t.Error("no figures are no error")
	}
}

// TestMain lets this test binary be a worker of bench.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workerFlag {
		os.Exit(serve(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// TestBenchmarks: the tests of the benchmark packages pass in every tier of gyr, and a benchmark
// runs in all tiers.
func TestBenchmarks(t *testing.T) {
	daily.Turn(t, 3, false)
	t.Setenv("TMPDIR", t.TempDir()) // so that the test does not wait for the machine's lock
	env := Env{Root: must(filepath.Abs("../../.."))(t), Dir: t.TempDir()}
	for _, c := range []struct{ path, bench, row string }{
		{kernelsPackage, "BenchmarkFannkuch", "Fannkuch"},
		{throughputPackage, "BenchmarkCount", "Count/256"},
	} {
		prog, err := gyr.Compile(t.Context(), gyr.Source{Dir: env.Root, Patterns: []string{c.path}, Test: true, Unsafe: gyr.UnsafeAll}, nil)
		if err != nil {
			t.Fatal(err)
		}
		engines := []string{yardstick.Name}
		for _, tier := range tiers {
			if err := prog.NativeError(); tier == gyr.TierNative && err != nil {
				t.Log(err)
				continue
			}
			engines = append(engines, string(tier))
			dir := filepath.Join(env.Root, c.path)
			var out strings.Builder
			in, err := prog.NewInstance(t.Context(), gyr.Config{
				Name: "x.test", Env: []string{"PWD=" + dir}, Dirs: []gyr.Dir{{Host: dir, ReadOnly: true}}, Stdout: &out, Stderr: &out, Tier: tier, Realtime: true, Memory: 4 << 30})
			if err == nil {
				err = in.Run(t.Context())
				in.Close()
			}
			if err != nil || !strings.HasSuffix(out.String(), "PASS\n") || in.Tier() != string(tier) {
				t.Errorf("%s in %s: %v\n%s", c.path, tier, err, &out)
			}
		}
		o := &options{rounds: 2, benchTime: time.Millisecond, only: regexp.MustCompile("^" + c.bench + "$"), bench: []string{c.path}}
		rep, err := o.measure(env, engines)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		rep.Rows(func(r *result.Row) {
			if r.Bench.Name == c.row {
				found = true
				for _, cell := range r.Cells {
					if !sound(cell) || len(cell.Visits) != 2 {
						t.Errorf("%s: %+v", c.row, cell)
					}
				}
			}
		})
		if !found {
			t.Errorf("%s: no row %s", c.path, c.row)
		}
		want := "benchmark|go ns/op|allocs/op|native ns/op|allocs/op|ratio|interp ns/op|allocs/op|ratio"
		if c.path == throughputPackage {
			want = strings.ReplaceAll(want, "allocs/op|", "allocs/op|MB/s|")
		}
		if head := strings.Join(rowTable(rep, "benchmark", benchColumns(nil)).head, "|"); len(engines) == 3 && head != want {
			t.Errorf("%s, want %s", head, want)
		}
	}
}

// TestKernelBounds: every bound belongs to a kernel, and every kernel has one.
func TestKernelBounds(t *testing.T) {
	cmd := exec.Command("go", "test", "-list", "^Benchmark", kernelsPackage)
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.DeleteFunc(strings.Fields(string(out)), func(s string) bool { return !strings.HasPrefix(s, "Benchmark") })
	for _, n := range names {
		if kernelBounds[strings.TrimPrefix(n, "Benchmark")] == nil {
			t.Errorf("no bound of %s", n)
		}
	}
	if len(names) != len(kernelBounds) {
		t.Errorf("%d kernels, %d bounds", len(names), len(kernelBounds))
	}
}

// TestFlags: contradictory flags are refused.
func TestFlags(t *testing.T) {
	for _, args := range []string{"-layers -kernels", "-n 0", "program", "-only (", "-skip ("} {
		if status := Main(strings.Fields(args)); status != 2 {
			t.Errorf("%s: status %d", args, status)
		}
	}
	if o, ok := parseFlags([]string{"-bench", "sort,fmt", "-skip", "1e6"}); !ok || len(o.bench) != 2 || o.wanted("Sort1e6") || !o.wanted("Sort1e4") {
		t.Error("-bench")
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
