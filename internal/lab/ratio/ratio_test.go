package ratio

import (
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
	"github.com/gyrvm/gyr/internal/lab/measure"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// TestPrograms: every program of programs/ has a row, every row a program; no family
// has more than its share.
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

// TestLayers: layers only add passes, and the last of a tier has all.
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

// TestRows measures a program in the smallest way, and sees engines fail that do
// not do what they say.
func TestRows(t *testing.T) {
	env := Env{Root: "../../..", Dir: t.TempDir()}
	p := Program{Name: "fib", Family: "integer", Size: "27", Small: "25", Tiny: "1"}
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
	row, err := measureRow(env, p, engines, 1, false)
	if err == nil || strings.Count(err.Error(), "\n") > 0 || !strings.Contains(err.Error(), `fib in other: the run was in tier "interp"`) {
		t.Errorf("failures: %v", err)
	}
	for i, want := range []string{"", "", "the run was in tier", "prints", "exit status 1"} {
		if got := row.Cells[i].Failed; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: failure %q, want %q", row.Cells[i].Engine, got, want)
		}
	}
	if c := row.Cells[1]; c.Figures == nil || c.Gas == 0 || c.Tier != "interp" {
		t.Errorf("figures %+v", c.Figures)
	}
	if c := row.Cells[4]; c.Size != p.Small {
		t.Errorf("a slow engine has size %s", c.Size)
	}
	list := means([]*Row{row}, engines)
	if m := list[0]; m.Engine != "interp" || m.Programs != 1 || math.Abs(m.CPU/row.Cells[1].RatioCPU-1) > 1e-9 {
		t.Errorf("mean %+v", m)
	}
	row.Cells[0].CPU = 0
	if err := row.check(); err == nil || row.Cells[0].Failed == "" {
		t.Error("no time is no failure")
	}
	if m := list[len(list)-1]; m.Engine != "broken" || m.Family != "integer" || m.Programs != 0 {
		t.Errorf("mean %+v", m)
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

// everything is a regular expression that matches all names.
var everything = regexp.MustCompile("")

// TestBenchmarks: the tests of the packages of benchmarks pass in every tier of
// gyr, and a benchmark runs in all.
func TestBenchmarks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // whoever measures on this machine is not waited for
	env := Env{Root: must(filepath.Abs("../../.."))(t), Dir: t.TempDir()}
	for _, c := range []struct{ path, bench, row string }{
		{kernelsPackage, "BenchmarkFannkuch", "Fannkuch"},
		{throughputPackage, "BenchmarkCount", "Count/256"},
	} {
		p, err := newHostCounter(env, c.path)
		if err != nil {
			t.Fatal(err)
		}
		rep := &Report{Engines: []string{yardstick.Name}}
		for _, tier := range tiers {
			if err := p.prog.NativeError(); tier == gyr.TierNative && err != nil {
				t.Log(err)
				continue
			}
			rep.Engines = append(rep.Engines, string(tier))
			out, err := p.run(tier)
			if err != nil || !strings.HasSuffix(out, "PASS\n") {
				t.Errorf("%s in %s: %v\n%s", c.path, tier, err, out)
			}
		}
		o := &options{rounds: 2, benchTime: time.Millisecond, only: regexp.MustCompile("^" + c.bench + "$"), engines: everything, bench: []string{c.path}}
		rec, err := o.record(env, rep)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.rows(rec, rep); err != nil {
			t.Error(err)
		}
		i := slices.IndexFunc(rep.Benchmarks, func(r *BenchRow) bool { return r.Name == c.row })
		if i < 0 || len(rep.Benchmarks[i].Cells) != len(rep.Engines) || len(rep.Benchmarks[i].Cells[1].Samples) != 2 {
			t.Errorf("%s: rows %+v", c.path, rep.Benchmarks)
		}
	}
}

// TestKernelBounds: every bound is of a kernel, every kernel has one.
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
