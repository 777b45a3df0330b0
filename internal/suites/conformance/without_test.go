package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// compareWithout runs a program with all passes of the optimiser and without a group of them.
// Without phase B everything is the same. Without any pass, output and gas are the same, unless the
// program observes allocations, addresses or limits: phase A decides those.
func compareWithout(ctx context.Context, prog *gyr.Program, src gyr.Source, opts *gyr.CompileOptions, p program, cfg gyr.Config, group string) (string, error) {
	want, used, err := runIn(ctx, prog, p, cfg)
	if err != nil {
		return want, err
	}
	opts.Debug = gyr.CompileDebug{NoPass: []string{group}, NoBase: group == everyPass}
	if prog, err = gyr.Compile(ctx, src, opts); err != nil {
		return "", fmt.Errorf("compile without %s: %w", group, err)
	}
	out, less, err := runIn(ctx, prog, p, cfg)
	if group == everyPass {
		used, less = figures{gas: used.gas}, figures{gas: less.gas}
	}
	switch {
	case err != nil:
		return out, fmt.Errorf("without %s: %w", group, err)
	case out != want:
		return out, fmt.Errorf("without %s the output differs: %s", group, firstDiff(out, want))
	case less != used:
		return out, fmt.Errorf("without %s %v, with all passes %v", group, less, used)
	}
	return out, nil
}

// everyPass is the group of all passes, of both phases. No precompiled std exists without them. So
// the program with all passes is compiled whole for this comparison, too: the heap of a base is
// part of a collection's cost.
const everyPass = "all"

var withoutFlag = flag.String("without", "", "what TestWithout compares: runs without phaseb, or without all passes; empty: both, of a smaller sample")

// TestWithout compares the programs of GOROOT/test, and the tests of std and of modules, with runs
// in which a group of passes is switched off. The flags -goroot, -std and -modules choose what
// runs.
//
//   - Without phase B everything is the same: output, gas, allocations, bytes, peak.
//   - Without any pass output and gas are the same, test by test, except for tests that observe
//     what phase A decides. Where it puts objects, it decides addresses: a test whose output or gas
//     is another one as soon as all addresses are, with all passes, observes these. Any other is
//     listed in testdata/observers.txt with the reason. A listed test that no longer observes
//     anything is an error.
func TestWithout(t *testing.T) {
	groups := []string{"phaseb", everyPass}
	if *withoutFlag != "" {
		groups = []string{*withoutFlag}
	}
	for _, group := range groups {
		t.Run(group, func(t *testing.T) {
			observers := exclusions{}
			if group == everyPass {
				observers = readExclusions(t, "testdata/observers.txt")
			}
			w := &withoutRun{group: group, observers: observers}
			t.Run("goroot", w.programs)
			t.Run("packages", w.packages)
		})
	}
}

// A withoutRun compares runs with and without a group of passes.
type withoutRun struct {
	group     string
	observers exclusions // "goroot PROGRAM" or "PACKAGE TEST"
}

// verdict reports a difference of an unlisted test, and the lack of a difference of a listed one.
// It returns whether a listed test differs.
func (w *withoutRun) verdict(t *testing.T, name, difference string) (listed bool) {
	why, listed := w.observers[name]
	switch {
	case difference == "" && listed && !strings.Contains(why, "address"): // addresses may be equal by chance
		t.Errorf("%s is the same although it is said to observe: %s", name, why)
	case difference != "" && !listed:
		t.Errorf("%s: %s", name, difference)
	}
	return difference != "" && listed
}

// programs compares programs of GOROOT/test that pass with all passes.
func (w *withoutRun) programs(t *testing.T) {
	list, err := programs(filepath.Join(goroot(t), "test"))
	if err != nil || len(list) == 0 {
		t.Skipf("no GOROOT/test on this machine: %v", err)
	}
	out := excluded(t)
	list = slices.DeleteFunc(list, func(p program) bool { return out[p.name] != "" })
	switch {
	case *only != "":
		re := regexp.MustCompile(*only)
		list = slices.DeleteFunc(list, func(p program) bool { return !re.MatchString(p.name) })
	case !*allGoroot:
		var some []program
		for i := 0; i < len(list); i += 250 {
			some = append(some, list[i])
		}
		list = some
	}
	observers := 0
	runAll(list, gyr.Config{Tier: gyr.Tier(*tierFlag)}, w.group, func(p program, o outcome) {
		difference := ""
		if !o.ok {
			difference = o.reason
		}
		if w.verdict(t, "goroot "+p.name, difference) {
			observers++
		}
	})
	t.Logf("%d programs, %d of them observe what passes decide", len(list), observers)
}

// packages compares the tests of packages of std and of modules.
func (w *withoutRun) packages(t *testing.T) {
	root := goroot(t)
	var list []testPackage
	if *stdFlag != "" || *modulesFlag == "" {
		for _, name := range stdNames(*stdFlag, passesSample) {
			list = append(list, stdPackage(root, name))
		}
	}
	if *modulesFlag != "" {
		list = append(list, modulePackages(t, *modulesFlag)...)
	}
	passed, err := readPassSet("testdata/modules-passed.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tests, observers, addresses atomic.Int64
	for _, pkg := range list {
		t.Run(pkg.path, func(t *testing.T) {
			t.Parallel()
			want, err := w.run(root, pkg, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.run(root, pkg, 0, w.group)
			if err != nil {
				t.Fatal(err)
			}
			if names, ok := passed.tests[pkg.path]; len(want) == 0 && (!ok || len(names) > 0) { // a package may have benchmarks only
				t.Error("no tests ran")
			}
			tests.Add(int64(len(want)))
			differ := map[string]string{}
			for name, x := range want {
				differ[name] = w.difference(x, got[name])
			}
			for _, name := range w.observeAddresses(t, root, pkg, want, differ) {
				addresses.Add(1)
				t.Logf("%s %s observes addresses: %s", pkg.path, name, differ[name])
				delete(differ, name)
			}
			for name, d := range differ {
				if w.verdict(t, pkg.path+" "+name, d) {
					observers.Add(1)
				}
			}
			for name := range got {
				if want[name] == nil {
					t.Errorf("%s %s: runs only without %s", pkg.path, name, w.group)
				}
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d packages, %d tests, %d of them observe addresses, %d something else that passes decide", len(list), tests.Load(), addresses.Load(), observers.Load())
	})
}

// observeAddresses returns the tests, of those that differ and are not listed, that differ too when
// all addresses are others, with all passes.
func (w *withoutRun) observeAddresses(t *testing.T, root string, pkg testPackage, want map[string]*witness, differ map[string]string) (names []string) {
	left := map[string]bool{}
	for name, d := range differ {
		if _, listed := w.observers[pkg.path+" "+name]; d != "" && !listed && w.group == everyPass {
			left[name] = true
		}
	}
	for _, shift := range shifts {
		if len(left) == 0 {
			break
		}
		moved, err := w.run(root, pkg, shift)
		if err != nil {
			t.Fatal(err)
		}
		for name := range left {
			if d := w.difference(want[name], moved[name]); d != "" && (w.isFigure(differ[name]) || !w.isFigure(d)) {
				names = append(names, name)
				delete(left, name)
			}
		}
	}
	return names
}

// isFigure reports whether a difference is one of gas or memory only.
func (w *withoutRun) isFigure(d string) bool { return strings.HasPrefix(d, "without "+w.group+" {") }

// shifts are the numbers of bytes by which addresses are moved, one after the other: a gas can be equal
// by chance.
var shifts = []int{16, 80, 208, 1040, 4144, 12400, 65616, 1 << 20}

// A witness records the result of a test.
type witness struct {
	end    string // pass, fail, skip
	output bytes.Buffer
	used   testrun.Usage
}

func (w *withoutRun) difference(want, got *witness) string {
	switch {
	case got == nil:
		return fmt.Sprintf("does not run without %s", w.group)
	case got.end != want.end:
		return fmt.Sprintf("without %s: %s, with all passes: %s\n%s", w.group, got.end, want.end, clip(got.output.String()))
	case got.output.String() != want.output.String():
		return fmt.Sprintf("without %s the output differs: %s", w.group, firstDiff(got.output.String(), want.output.String()))
	}
	g, u := got.used, want.used
	if w.group == everyPass {
		g, u = testrun.Usage{Gas: g.Gas}, testrun.Usage{Gas: u.Gas}
	}
	if g != u {
		return fmt.Sprintf("without %s %+v, with all passes %+v", w.group, g, u)
	}
	return ""
}

// Phase A decides these: addresses in names and texts of tests, and how long a test took, which
// depends on gas. A difference in them does not mean that the test observes anything.
var (
	address  = regexp.MustCompile(`0x[0-9a-f]+`)
	testTime = regexp.MustCompile(`(--- (?:PASS|FAIL|SKIP): \S+) \(\d+\.\d+s\)`)
)

// run runs the tests of a package, without groups of passes.
func (w *withoutRun) run(root string, pkg testPackage, shift int, without ...string) (map[string]*witness, error) {
	var out bytes.Buffer
	o := testrun.Options{
		Source: engine.Source{GOROOT: root, Dir: pkg.src, Tags: pkg.tags, NoPass: without, Shift: shift, Unsafe: api.UnsafeAll},
		Dir:    pkg.src, Patterns: []string{pkg.path}, Flags: []string{"-test.short", "-test.v=test2json"},
		Verbose: true, JSON: true, Timeout: time.Hour,
		Config: engine.Config{Config: api.Config{Tier: api.Tier(*tierFlag), Memory: 2 << 30}}, Jobs: 1, Stdout: &out, Stderr: &out,
		Alone: w.group == everyPass,
	}
	for _, d := range pkg.dirs {
		if d != pkg.dir {
			o.Config.Dirs = append(o.Config.Dirs, api.Dir{Host: d, ReadOnly: true})
		}
	}
	sum, err := testrun.Run(context.Background(), o)
	if err != nil {
		return nil, err
	}
	tests := map[string]*witness{}
	at := func(name string) *witness {
		if tests[name] == nil {
			tests[name] = &witness{}
		}
		return tests[name]
	}
	plain := func(text string) string { return text }
	if w.group == everyPass {
		plain = func(text string) string { return testTime.ReplaceAllString(address.ReplaceAllString(text, ""), "$1") }
	}
	for line := range bytes.Lines(out.Bytes()) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		switch e.Action {
		case "output":
			at(plain(e.Test)).output.WriteString(plain(e.Output))
		case "pass", "fail", "skip":
			at(plain(e.Test)).end = e.Action
		}
	}
	for _, p := range sum.Report.Packages {
		for _, x := range p.Tests {
			at(plain(x.Test)).used = x.Usage
		}
	}
	return tests, nil
}
