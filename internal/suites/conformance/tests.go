package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr"
)

// The tests of packages that were not written for gyr run in a test binary, as
// under go test: a main package that calls testing.MainStart.

// A testResult is what became of one test, example or fuzz target of a package.
type testResult struct {
	name   string
	status string // PASS, FAIL, SKIP
	output string // what it printed, when it failed
}

// A testOutcome is what became of a package's tests.
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

// A testRun says how tests are run.
type testRun struct {
	run     string // -test.run
	long    bool   // without -test.short
	timeout time.Duration
	tier    string
	goroot  string
	noPass  []string
}

// A testPackage is a package whose tests are run.
type testPackage struct {
	path string   // import path
	src  string   // where patterns are resolved; empty: it does not matter
	tags []string // build tags
	dir  string   // the tests' current directory
	dirs []string // directories of the host that they read, dir included
}

// testFiles are files of the machine that tests take for granted.
var testFiles = map[string]string{"/dev/null": "", "/etc/hosts": "127.0.0.1 localhost\n"}

// maxCrashes bounds how often a package's test binary is started again behind
// a test that took it down.
const maxCrashes = 40

// test builds the test binary of a package and runs it. A test that takes the
// binary down, or that lasts longer than the time allowed, fails; the tests
// behind it run in a new instance.
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
	prog, err := gyr.Compile(context.Background(), gyr.Source{
		Dir: pkg.src, Patterns: []string{pkg.path}, Tags: pkg.tags, GOROOT: r.goroot, NoPass: r.noPass, Test: true, Unsafe: true,
	})
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
	if o.err = os.Mkdir(filepath.Join(tmp, "tmp"), 0o777); o.err != nil {
		return o
	}
	cfg := gyr.Config{
		Name:   "/tmp/test",
		Tier:   gyr.Tier(r.tier),
		Memory: 2 << 30,
		Env:    []string{"PWD=" + pkg.dir, "TMPDIR=/tmp", "GOROOT=" + r.goroot, "HOME=/tmp", "PATH=/bin"},
		Dirs:   []gyr.Dir{{Host: filepath.Join(tmp, "tmp"), Guest: "/tmp"}},
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
			return o // a test may have lost standard output before the verdict
		}
		tail := fmt.Sprintf("%s\nended: %v\n", w.text.String(), err)
		switch n := len(o.results); {
		case w.running != "":
			o.results = append(o.results, testResult{w.running, "FAIL", tail})
			done = append(done, regexp.QuoteMeta(w.running))
		case len(w.results) > 0 && o.results[n-1].status == "FAIL":
			o.results[n-1].output += tail // a panic: its test was reported first
		default:
			o.err = errors.New(clip(tail))
			return o
		}
	}
	o.err = fmt.Errorf("%d tests took the test binary down; the others were not run", maxCrashes)
	return o
}

// A testLog reads the output of a test binary in the form that test2json reads:
// a line of the testing package begins with the byte 0x16.
type testLog struct {
	limit time.Duration // of one test, wall clock

	mu      sync.Mutex
	line    []byte
	running string // the test that was started and did not end
	since   time.Time
	text    bytes.Buffer // output since it was started
	results []testResult

	complete bool // the testing package printed its verdict
}

// exec runs the test binary until it ends or a test exceeds its time.
func (w *testLog) exec(p *gyr.Program, cfg gyr.Config) error {
	cfg.Stdout, cfg.Stderr = w, w
	in, err := p.NewInstance(cfg)
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
		// What an example should have printed follows its result.
		w.results[n-1].output += strings.TrimPrefix(string(line), "\x16")
		return
	}
	if w.text.Len() < 64<<10 {
		w.text.Write(bytes.TrimPrefix(line, []byte{0x16}))
	}
}
