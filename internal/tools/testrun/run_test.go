package testrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/engine"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// module writes the module of testdata/module.txtar and returns its directory.
func module(t *testing.T) string {
	t.Helper()
	return moduleOf(t, "testdata/module.txtar")
}

// moduleOf writes the module of an archive and returns its directory.
func moduleOf(t *testing.T, archive string) string {
	t.Helper()
	ar, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// cacheDir is the cache directory for all tests of this process.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gyr-testrun")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} { // of a hook that runs the tests
		os.Unsetenv(name)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func options(t *testing.T, dir string, patterns ...string) (Options, *bytes.Buffer, *bytes.Buffer) {
	var out, err bytes.Buffer
	return Options{
		Source: engine.Source{Cache: cacheDir}, Dir: dir, Patterns: patterns, Timeout: 10 * time.Minute,
		Stdout: &out, Stderr: &err,
	}, &out, &err
}

var (
	times   = regexp.MustCompile(`\d+\.\d+s|\(cached\)`)
	traces  = regexp.MustCompile(`(?s)\n\ngoroutine \d+ \[.*?\nFAIL\t`)
	pcs     = regexp.MustCompile(`pc=0x[0-9a-f]+`)
	address = regexp.MustCompile(`0x[0-9a-f]{6,}`)
)

// plain removes from an output what differs between runs, and goroutine traces.
func plain(s string) string {
	s = traces.ReplaceAllString(s, "\n\ngoroutines\nFAIL\t")
	return times.ReplaceAllString(address.ReplaceAllString(pcs.ReplaceAllString(s, "pc=X"), "0xX"), "Xs")
}

// goTest runs go test; it builds and runs the packages one after the other.
func goTest(t *testing.T, dir string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-p=1", "-vet=off"}, args...)...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Skipf("no go command: %v", err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestLikeGo compares the output with that of go test.
func TestLikeGo(t *testing.T) {
	dir := module(t)
	all := []string{"./good", "./bad", "./broken", "./none", "./exits", "./quiet"}
	for _, test := range []struct {
		name     string
		flags    []string
		set      func(o *Options)
		patterns []string
	}{
		{"all", nil, nil, all},
		{"verbose", []string{"-v"}, func(o *Options) { o.Verbose = true }, all},
		{"run", []string{"-run=Sub"}, nil, all},
		{"list", []string{"-list=."}, func(o *Options) { o.List = true }, all},
		{"count", []string{"-v", "-count=2", "-run=Example|Fuzz"}, func(o *Options) { o.Verbose = true }, all},
		{"missing", nil, nil, []string{"m/nothing", "./good"}},
		{"not built: on a broken package", nil, nil, []string{"./onbroken"}},
		{"not built: external", nil, nil, []string{"./external"}},
		{"not built: not loaded", nil, nil, []string{"./unloadable"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantOut, wantErr, status := goTest(t, dir, append(test.flags, test.patterns...)...)
			o, out, errs := options(t, dir, test.patterns...)
			for _, f := range test.flags {
				if f != "-v" {
					o.Flags = append(o.Flags, "-test."+f[1:])
				}
			}
			if test.set != nil {
				test.set(&o)
			}
			var got string
			for _, jobs := range []int{1, 2, 8} {
				out.Reset()
				errs.Reset()
				o.Jobs = jobs
				sum, err := Run(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				if !sum.OK() {
					out.WriteString("FAIL\n")
				}
				if (status == 0) != sum.OK() {
					t.Errorf("status %d, %+v", status, sum)
				}
				if jobs == 1 {
					got = plain(out.String())
				} else if s := plain(out.String()); s != got {
					t.Errorf("-jobs %d:\n%s\nwith one:\n%s", jobs, s, got)
				}
				if test.name != "missing" && errs.String() != wantErr {
					t.Errorf("-jobs %d: standard error:\n%s\nwant:\n%s", jobs, errs, wantErr)
				}
			}
			if want := plain(wantOut); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestBehind: the tests after one that takes the binary down still run.
func TestBehind(t *testing.T) {
	dir := module(t)
	o, out, _ := options(t, dir, "./panics")
	o.Verbose = true
	sum, err := Run(context.Background(), o)
	if err != nil || sum.Failed != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	want := "=== RUN   TestSub\n    panics_test.go:5: before\n--- PASS: TestSub (Xs)\n=== RUN   TestPanic\n--- FAIL: TestPanic (Xs)\npanic: assignment to entry in nil map [recovered, repanicked]\n"
	if s := plain(out.String()); !strings.HasPrefix(s, want) {
		t.Errorf("got:\n%s\nwant first:\n%s", s, want)
	}
	want = "\n=== RUN   TestAfter\n--- PASS: TestAfter (Xs)\n=== RUN   ExampleAfter\n--- PASS: ExampleAfter (Xs)\nFAIL\tm/panics\tXs\n"
	if s := times.ReplaceAllString(out.String(), "Xs"); !strings.HasSuffix(s, want) {
		t.Errorf("got:\n%s\nwant last:\n%s", s, want)
	}
	// The traceback has no frame of the runner.
	if s := out.String(); strings.Contains(s, "testdeps") || !strings.Contains(s, "m/panics.TestPanic(...)\n") {
		t.Errorf("traceback:\n%s", s)
	}

	o, out, _ = options(t, dir, "./ends")
	o.Config.Gas, o.Config.Memory, o.Timeout, o.JSON = 50_000_000, 32<<20, 0, true
	if sum, err = Run(context.Background(), o); err != nil || sum.Failed != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	for _, name := range []string{"Spin", "Memory"} {
		if want := `"Action":"fail","Package":"m/ends","Test":"Test` + name + `"`; !strings.Contains(out.String(), want) {
			t.Errorf("no %s in:\n%s", want, out)
		}
	}
	if !strings.Contains(out.String(), "deadlock") || !strings.Contains(out.String(), `"Action":"pass","Package":"m/ends","Test":"TestLast"`) {
		t.Errorf("got:\n%s", out)
	}
}

// TestJSON compares events with those of go test -json, without times.
func TestJSON(t *testing.T) {
	dir := module(t)
	for _, pkg := range []string{"./good", "./bad", "./broken", "./none", "./exits", "./quiet", "./onbroken", "./external", "./unloadable"} {
		want, _, _ := goTest(t, dir, "-json", pkg)
		o, out, _ := options(t, dir, pkg)
		o.JSON = true
		if _, err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if g, w := events(t, out.String()), events(t, want); g != w {
			t.Errorf("%s: got:\n%s\nwant:\n%s", pkg, g, w)
		}
	}
}

func events(t *testing.T, s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		var e struct {
			event
			ImportPath                       string // of a buildjson.Event
			File, Text                       string
			Line, Column, EndLine, EndColumn int
		}
		d := json.NewDecoder(strings.NewReader(l))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		if e.ImportPath == "" && e.Time == nil {
			t.Errorf("an event without time: %s", l)
		}
		text := ""
		if e.Output != nil {
			text = plain(*e.Output)
		}
		fmt.Fprintf(&b, "%s %s %s %s %q %v %s\n", e.ImportPath, e.Action, e.Package, e.Test, text, e.Elapsed != nil, e.FailedBuild)
	}
	return b.String()
}

// TestFailFast: the output is the same with any number of jobs, and ends after the first package
// that fails.
func TestFailFast(t *testing.T) {
	dir := module(t)
	var first string
	for _, jobs := range []int{1, 2, 8} {
		o, out, _ := options(t, dir, "./quiet", "./good", "./bad", "./slow", "./panics", "./broken")
		o.FailFast, o.Jobs, o.Flags = true, jobs, []string{"-test.failfast"}
		sum, err := Run(context.Background(), o)
		if err != nil || sum.Failed != 1 || sum.Passed != 2 || sum.Broken != 0 {
			t.Errorf("-jobs %d: %+v, %v", jobs, sum, err)
		}
		s := plain(out.String())
		if jobs == 1 {
			first = s
		}
		if s != first || !strings.HasSuffix(s, "FAIL\tm/bad\tXs\n") {
			t.Errorf("-jobs %d:\n%s\nwith one:\n%s", jobs, s, first)
		}
	}
}

// TestEnds: a test binary that does not end by itself is ended.
func TestEnds(t *testing.T) {
	dir := module(t)
	for _, test := range []struct {
		name, run string
		set       func(o *Options)
		want      string
	}{
		{"time", "Spin", func(o *Options) { o.Timeout = time.Second }, "panic: test timed out after 1s\n\trunning tests:\n\t\tTestSpin (1s)\n"},
		{"gas", "Spin", func(o *Options) { o.Config.Gas = 10_000_000 }, "\n\ngoroutine [running]:\nm/ends.TestSpin(...)\n\t"},
		{"memory", "Memory", func(o *Options) { o.Config.Memory = 32 << 20 }, "memory limit of 32 MiB reached in m/ends.TestMemory ("},
		{"deadlock", "Deadlock", func(o *Options) { o.Timeout = 0 }, "fatal error: all goroutines are asleep - deadlock!\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, out, errs := options(t, dir, "./ends", "./quiet")
			o.Flags = []string{"-test.run=" + test.run}
			test.set(&o)
			sum, err := Run(context.Background(), o)
			if err != nil || sum.Failed != 1 || sum.Passed != 1 {
				t.Errorf("%+v, %v, %s", sum, err, errs)
			}
			if !strings.Contains(out.String(), test.want) || !strings.Contains(out.String(), "\nFAIL\tm/ends\t") || !strings.Contains(out.String(), "\nok  \tm/quiet\t") {
				t.Errorf("got:\n%s\nwant in it: %s", out, test.want)
			}
		})
	}
	t.Run("interrupt", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		o, out, _ := options(t, dir, "./ends", "./quiet")
		o.Flags, o.Jobs, o.Timeout = []string{"-test.run=Spin", "-test.v"}, 1, 0
		o.Verbose = true
		o.Source.Cache = "" // the cache would know which package takes longer, and start with it
		o.Stdout = writerFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte("=== RUN   TestSpin")) {
				cancel()
			}
			return out.Write(p)
		})
		sum, err := Run(ctx, o)
		if err != nil || sum.Failed != 1 || sum.Passed != 0 || !strings.Contains(out.String(), "*** Test interrupted.\nFAIL\tm/ends\t") {
			t.Errorf("%+v, %v:\n%s", sum, err, out)
		}
	})
}

// TestSpool: order and contents, in memory and in a file, before and after the turn.
func TestSpool(t *testing.T) {
	var s spool
	var want bytes.Buffer
	write := func(n int) {
		p := bytes.Repeat([]byte{byte(want.Len())}, n)
		want.Write(p)
		if m, err := s.Write(p); m != n || err != nil {
			t.Fatal(m, err)
		}
	}
	for range 30 {
		write(100_000)
	}
	if s.file == nil || s.buf.Len() > spoolMemory {
		t.Errorf("%d bytes in memory", s.buf.Len())
	}
	var got bytes.Buffer
	if err := s.open(&got); err != nil {
		t.Fatal(err)
	}
	write(5)
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes, want %d", got.Len(), want.Len())
	}
	s.close()
}
