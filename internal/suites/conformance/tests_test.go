package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

// The tests of packages that were not written for gyr run in a test binary, as under go test: a
// main package that calls testing.MainStart.

// A testResult is the outcome of one test, example or fuzz target of a package.
type testResult struct {
	name   string
	status string // PASS, FAIL, SKIP
	output string // its output, if it failed
}

// A testOutcome is the outcome of a package's tests.
type testOutcome struct {
	pkg     string
	err     error // the test binary could not be built, or ended with no test running
	results []testResult
	wall    time.Duration
	compile time.Duration
}

func (o *testOutcome) count(status string) (n int) {
	for _, r := range o.results {
		if r.status == status {
			n++
		}
	}
	return n
}

// A testRun has the settings with which tests run.
type testRun struct {
	run     string // -test.run
	long    bool   // without -test.short
	timeout time.Duration
	tier    string
	goroot  string
	noPass  []string
}

// A testPackage is a package whose tests run.
type testPackage struct {
	path string   // import path
	src  string   // where patterns are resolved; empty: anywhere
	tags []string // build tags
	dir  string   // the tests' current directory
	dirs []string // directories of the host that they read, dir included
}

// testFiles are files of the machine that tests expect.
var testFiles = map[string]string{"/etc/hosts": "127.0.0.1 localhost\n"}

// maxCrashes bounds how often a package's test binary is restarted after a test that crashed it.
const maxCrashes = 40

// test builds the test binary of a package and runs it. A test fails if it crashes the binary or
// exceeds its time. The later tests then run in a new instance.
func (r *testRun) test(pkg testPackage) (o testOutcome) {
	start := time.Now()
	o.pkg = pkg.path
	defer func() {
		if p := recover(); p != nil {
			buf := make([]byte, 8<<10)
			o.err = fmt.Errorf("HOST PANIC: %v\n%s", p, buf[:runtime.Stack(buf, false)])
		}
		o.wall = time.Since(start)
	}()
	prog, err := gyr.Compile(context.Background(), gyr.Source{Dir: pkg.src, Patterns: []string{pkg.path}, Test: true, Unsafe: gyr.UnsafeAll},
		&gyr.CompileOptions{Tags: pkg.tags, GOROOT: r.goroot, Debug: gyr.CompileDebug{NoPass: r.noPass}})
	o.compile = time.Since(start)
	if err != nil {
		o.err = fmt.Errorf("compile: %w", err)
		return o
	}
	tmp, err := os.MkdirTemp("", "gyr-test")
	if err != nil {
		o.err = err
		return o
	}
	defer os.RemoveAll(tmp)
	cfg := gyr.Config{
		Name:   "/tmp/test",
		Tier:   gyr.Tier(r.tier),
		Memory: 2 << 30,
		Env:    []string{"PWD=" + pkg.dir, "TMPDIR=/tmp", "GOROOT=" + r.goroot, "HOME=/tmp", "PATH=/bin"},
	}
	for name, text := range testFiles {
		host := filepath.Join(tmp, name)
		if o.err = errors.Join(os.MkdirAll(filepath.Dir(host), 0o777), os.WriteFile(host, []byte(text), 0o666)); o.err != nil {
			return o
		}
		cfg.Dirs = append(cfg.Dirs, gyr.Dir{Host: filepath.Dir(host), Guest: filepath.Dir(name), ReadOnly: true})
	}
	for _, d := range pkg.dirs {
		cfg.Dirs = append(cfg.Dirs, gyr.Dir{Host: d, ReadOnly: true})
	}
	var done []string
	for range maxCrashes {
		w := &testLog{limit: r.timeout}
		cfg.Args = []string{"-test.v=test2json", "-test.timeout=0", "-test.paniconexit0"}
		if !r.long {
			cfg.Args = append(cfg.Args, "-test.short")
		}
		if r.run != "" {
			cfg.Args = append(cfg.Args, "-test.run="+r.run)
		}
		if done != nil {
			cfg.Args = append(cfg.Args, "-test.skip=^("+strings.Join(done, "|")+")$")
		}
		err := w.exec(prog, cfg)
		o.results = append(o.results, w.results...)
		for _, t := range w.results {
			done = append(done, regexp.QuoteMeta(t.name))
		}
		var exit *gyr.ExitError
		if w.complete || len(w.results) > 0 && w.running == "" && errors.As(err, &exit) && exit.Code == 1 {
			return o // a test may have closed or redirected standard output
		}
		tail := fmt.Sprintf("%s\nended: %v\n", w.text.String(), err)
		switch n := len(o.results); {
		case w.running != "":
			o.results = append(o.results, testResult{w.running, "FAIL", tail})
			done = append(done, regexp.QuoteMeta(w.running))
		case len(w.results) > 0 && o.results[n-1].status == "FAIL":
			o.results[n-1].output += tail // a panic: its test has been reported already
		default:
			o.err = errors.New(clip(tail))
			return o
		}
	}
	o.err = fmt.Errorf("%d tests took the test binary down; the others were not run", maxCrashes)
	return o
}

// A testLog reads the output of a test binary in the form that test2json reads: a line of the
// testing package begins with the byte 0x16.
type testLog struct {
	limit time.Duration // of one test, wall clock

	mu      sync.Mutex
	line    []byte
	running string // the started test that has not ended
	since   time.Time
	text    bytes.Buffer // output since it was started
	results []testResult

	complete bool // the testing package printed its verdict
}

// exec runs the test binary until it ends or a test exceeds its time.
func (w *testLog) exec(p *gyr.Program, cfg gyr.Config) error {
	cfg.Stdout, cfg.Stderr = w, w
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		return err
	}
	defer in.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w.since = time.Now()
	go func() {
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				w.mu.Lock()
				late := time.Since(w.since) > w.limit
				w.mu.Unlock()
				if late {
					cancel(fmt.Errorf("the test lasted longer than %v", w.limit))
				}
			}
		}
	}()
	err = in.Run(ctx)
	if e := context.Cause(ctx); e != nil {
		err = errors.Join(e, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endLine()
	return err
}

func (w *testLog) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range p {
		if c == 0x16 {
			w.endLine()
		}
		w.line = append(w.line, c)
		if c == '\n' {
			w.endLine()
		}
	}
	return len(p), nil
}

var resultLine = regexp.MustCompile(`^\x16--- (PASS|FAIL|SKIP): ([^\s/]+) \(`)

func (w *testLog) endLine() {
	line := w.line
	w.line = w.line[:0]
	if name, ok := bytes.CutPrefix(line, []byte("\x16=== RUN   ")); ok {
		if n := strings.TrimSpace(string(name)); !strings.Contains(n, "/") {
			w.running, w.since = n, time.Now()
			w.text.Reset()
			return
		}
	}
	if m := resultLine.FindSubmatch(line); m != nil {
		r := testResult{name: string(m[2]), status: string(m[1])}
		if r.status == "FAIL" {
			r.output = w.text.String()
		}
		w.results = append(w.results, r)
		if w.running == r.name {
			w.running = ""
		}
		w.since = time.Now()
		w.text.Reset()
		return
	}
	if v := strings.TrimPrefix(string(line), "\x16"); v == "PASS\n" || v == "FAIL\n" {
		w.complete = true
	}
	if n := len(w.results); w.running == "" && n > 0 && w.results[n-1].status == "FAIL" && len(w.results[n-1].output) < 64<<10 {
		// The expected output of an example follows its result.
		w.results[n-1].output += strings.TrimPrefix(string(line), "\x16")
		return
	}
	if w.text.Len() < 64<<10 {
		w.text.Write(bytes.TrimPrefix(line, []byte{0x16}))
	}
}

var (
	testsRun     = flag.String("testsrun", "", "of the tests of std and of modules, run those that match")
	testsLong    = flag.Bool("testslong", false, "run them without -test.short")
	testsTimeout = flag.Duration("teststimeout", 20*time.Minute, "how long one of them may last, wall clock")
	testsNoPass  = flag.String("testsnopass", "", "switch passes of the optimiser off, `a:b`")
)

// newTestRun takes the settings from the flags.
func newTestRun(t *testing.T) *testRun {
	r := &testRun{goroot: goroot(t), run: *testsRun, long: *testsLong, timeout: *testsTimeout, tier: *tierFlag}
	if *testsNoPass != "" {
		r.noPass = strings.Split(*testsNoPass, ":")
	}
	return r
}

// A suite is a family of packages with its lists: tests that cannot pass, and tests that have
// passed.
type suite struct {
	run      *testRun
	excluded []exclusions
	passed   *passSet

	total, pass, skip, out int
}

func newSuite(t *testing.T, passed string, excluded ...string) *suite {
	s := &suite{run: newTestRun(t)}
	for _, file := range excluded {
		s.excluded = append(s.excluded, readExclusions(t, file))
	}
	var err error
	if s.passed, err = readPassSet(passed); err != nil {
		t.Fatal(err)
	}
	return s
}

// exclusions maps each test that cannot pass, as "package test", to the reason.
type exclusions map[string]string

// ofRelease begins a reason that holds with one release of Go only.
var ofRelease = regexp.MustCompile(`^(go1\.\d+): `)

// readExclusions reads lines of package, test, reason. It leaves out those of other releases of Go.
func readExclusions(t *testing.T, file string) exclusions {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := exclusions{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		w := strings.Fields(line)
		if len(w) < 3 {
			t.Errorf("%s: want package, test and reason: %q", file, line)
			continue
		}
		why := strings.Join(w[2:], " ")
		if r := ofRelease.FindStringSubmatch(why); r != nil && r[1] != installedRelease(t).Name() {
			continue
		}
		m[w[0]+" "+w[1]] = why
	}
	return m
}

// why returns the reason why a test cannot pass.
func (s *suite) why(test string) (string, bool) {
	for _, list := range s.excluded {
		if why, ok := list[test]; ok {
			return why, true
		}
	}
	return "", false
}

// packages runs the tests of packages, each as a subtest.
func (s *suite) packages(t *testing.T, list []testPackage) {
	for _, pkg := range list {
		t.Run(pkg.path, func(t *testing.T) { s.check(t, s.run.test(pkg)) })
	}
	t.Logf("%d packages, %d tests: %d pass, %d skip, %d excluded", len(list), s.total, s.pass, s.skip, s.out)
}

// check compares the outcome of a package's tests with the lists.
func (s *suite) check(t *testing.T, o testOutcome) {
	partial := s.run.run != ""
	if o.err != nil {
		t.Errorf("%s: %v", o.pkg, o.err)
	}
	seen := map[string]bool{}
	for _, x := range o.results {
		s.total++
		name := o.pkg + " " + x.name
		seen[name] = true
		why, listed := s.why(name)
		switch {
		case x.status == "SKIP":
			s.skip++
		case x.status == "PASS" && listed:
			t.Errorf("%s passes although it is excluded: %s", name, why)
		case x.status == "PASS":
			s.pass++
		case listed:
			s.out++
			if partial {
				t.Logf("excluded: %s\n%s", name, clip(x.output))
			}
		default:
			t.Errorf("FAIL %s\n%s", name, clip(x.output))
		}
	}
	for _, list := range s.excluded {
		for _, name := range sortedKeys(list) {
			if p, _, _ := strings.Cut(name, " "); p == o.pkg && !seen[name] && !partial {
				t.Errorf("%s is excluded, but there is no such test", name)
			}
		}
	}
	lost, gained := s.passed.compare(o.pkg, o.results, partial)
	switch {
	case *updateFlag && !partial && o.err == nil:
		if len(lost) > 0 {
			t.Logf("%s: no longer in %s: %s", o.pkg, s.passed.file, strings.Join(lost, ", "))
		}
		if err := s.passed.record(o.pkg, o.results); err != nil {
			t.Error(err)
		}
	case len(lost) > 0:
		t.Errorf("%s: these tests have passed once: %s", o.pkg, strings.Join(lost, ", "))
	case len(gained) > 0:
		t.Errorf("%s: these tests pass and are not in %s, -update enters them: %s", o.pkg, s.passed.file, strings.Join(gained, ", "))
	}
	t.Logf("%-20s %4d pass, %d fail, %d skip; compiled in %.1fs, %.1fs in all", o.pkg, o.count("PASS"), o.count("FAIL"), o.count("SKIP"), o.compile.Seconds(), o.wall.Seconds())
}

func TestPassSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passed.txt")
	p, err := readPassSet(file)
	if err != nil {
		t.Fatal(err)
	}
	results := []testResult{{name: "TestB", status: "PASS"}, {name: "TestA", status: "PASS"}, {name: "TestC", status: "SKIP"}, {name: "TestD", status: "FAIL"}}
	if err := errors.Join(p.record("b/c", results), p.record("a", nil)); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(file)
	if _, lines, _ := strings.Cut(string(data), "\n\n"); lines != "a\nb/c TestA TestB\n" {
		t.Errorf("written: %q", data)
	}
	if p, err = readPassSet(file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		results      []testResult
		partial      bool
		lost, gained string
	}{
		{results, false, "", ""},
		{results[1:], false, "TestB (no result)", ""},
		{results[1:], true, "", ""},
		{append([]testResult{{name: "TestA", status: "SKIP"}, {name: "TestE", status: "PASS"}}, results[0]), false, "TestA (SKIP)", "TestE"},
		{[]testResult{{name: "TestB", status: "FAIL"}}, true, "TestB (FAIL)", ""},
	} {
		lost, gained := p.compare("b/c", c.results, c.partial)
		if got := strings.Join(lost, ","); got != c.lost {
			t.Errorf("%v: lost %q, want %q", c.results, got, c.lost)
		}
		if got := strings.Join(gained, ","); got != c.gained {
			t.Errorf("%v: gained %q, want %q", c.results, got, c.gained)
		}
	}
	if lost, _ := p.compare("unknown", results, false); lost != nil {
		t.Errorf("lost of a package without a line: %v", lost)
	}
}

// TestTestLog: the output of a test binary comes in pieces, tests may print anything, and the
// expected output of an example follows its result.
func TestTestLog(t *testing.T) {
	const out = "\x16=== RUN   TestA\nhello\x16--- PASS: TestA (0.00s)\n" +
		"\x16=== RUN   TestB\n\x16=== RUN   TestB/sub\n    b_test.go:1: bad\n    \x16--- FAIL: TestB/sub (0.00s)\n\x16--- FAIL: TestB (1.00s)\n" +
		"\x16=== RUN   ExampleC\n\x16--- FAIL: ExampleC (0.00s)\ngot:\nx\nwant:\ny\n" +
		"\x16=== RUN   TestD\n\x16--- SKIP: TestD (0.00s)\n\x16=== RUN   TestE\npanic: oh\n"
	for _, step := range []int{1, 7, len(out)} {
		w := &testLog{}
		for i := 0; i < len(out); i += step {
			w.Write([]byte(out[i:min(i+step, len(out))]))
		}
		var got []string
		for _, r := range w.results {
			got = append(got, r.name+" "+r.status)
		}
		if g := strings.Join(got, ","); g != "TestA PASS,TestB FAIL,ExampleC FAIL,TestD SKIP" || w.running != "TestE" || w.complete {
			t.Errorf("step %d: %s, then %q, complete: %v", step, g, w.running, w.complete)
		}
		if b, c, e := w.results[1].output, w.results[2].output, w.text.String(); !strings.Contains(b, "bad") || !strings.Contains(c, "want:\ny") || e != "panic: oh\n" {
			t.Errorf("step %d: output %q, %q, %q", step, b, c, e)
		}
	}
}
