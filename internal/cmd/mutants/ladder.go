//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A suite is a test binary.
type suite struct {
	dir  string   // the package's directory, relative to the module's root
	run  string   // selects the tests, as in go test -run
	args []string // further arguments
	// costly: its tests share a long preparation. They run together, with all mutants at once that
	// the other suites have left. If they pass, they find none of these. Otherwise they run with
	// each half.
	costly bool
}

// ladders are the suites that look for mutants, by processor, quick ones first.
var ladders = map[string][]suite{"amd64": {
	{dir: "internal/opt/facts", args: []string{"-test.short"}},
	{dir: "internal/opt", args: []string{"-test.short"}},
	{dir: "internal/back/native/regalloc", args: []string{"-test.short"}},
	{dir: "internal/back/native/amd64", args: []string{"-test.short"}},
	{dir: "internal/back/native/plan", args: []string{"-test.short"}},
	{dir: "internal/back/bytecode", args: []string{"-test.short"}},
	{dir: "internal/back/native", args: []string{"-test.short"}},
	{dir: "internal/back/interp", args: []string{"-test.short"}},
	{dir: "internal/suites/enum", run: "Test(Trees|Accesses|Loops)", args: []string{"-programs=20000"}},
	{dir: "internal/tools/filetest", run: "TestLanguage", args: []string{"-test.short"}, costly: true},
	{dir: "internal/suites/randgo", run: "TestDifferential", args: []string{"-programs=75", "-tries=0"}, costly: true},
	{dir: "internal/suites/proof", args: []string{"-test.short"}, costly: true},
}, "arm64": {
	{dir: "internal/back/native/arm64", args: []string{"-test.short"}},
	{dir: "internal/back/native", args: []string{"-test.short"}},
	{dir: "internal/suites/enum", run: "Test(Trees|Accesses|Loops)", args: []string{"-programs=1000"}},
	{dir: "internal/tools/filetest", run: "TestLanguage", args: []string{"-test.short"}, costly: true},
	{dir: "internal/suites/randgo", run: "TestDifferential", args: []string{"-programs=25", "-tries=0"}, costly: true},
}}

// environ is the environment of the go command for the processor.
func environ() []string {
	if *arch == runtime.GOARCH {
		return os.Environ()
	}
	return append(os.Environ(), "GOARCH="+*arch, "CGO_ENABLED=0")
}

// command is the command line of a test binary.
func (r *rung) command(args ...string) []string {
	args = append([]string{r.bin}, args...)
	if *arch != runtime.GOARCH {
		args = append([]string{"qemu-aarch64-static"}, args...)
	}
	return args
}

// A test is one test of a suite, or all of them, as it runs without a mutant.
type test struct {
	name    string // empty: all
	cpu     time.Duration
	reaches []byte // a byte for each mutant, by number
}

// A rung is a suite with its tests.
type rung struct {
	suite
	bin   string
	tests []*test
}

type ladder struct {
	root, dir string
	marks     string // name of the file in which reached mutants leave a mark
	mutants   int
	rungs     []*rung
	spent     map[string]*spent
	verdicts  map[*mutant]verdict
}

// spent sums up a test's runs over all mutants.
type spent struct {
	asked, found int
	time         time.Duration
}

// newLadder builds the test binaries with the mutants in them, and runs every test without a
// mutant.
func newLadder(root, dir string, sources []*source, drawn []*mutant) (*ladder, error) {
	overlay, err := writeOverlay(root, dir, sources, drawn)
	if err != nil {
		return nil, err
	}
	l := &ladder{root: root, dir: dir, marks: filepath.Join(dir, "marks"), mutants: len(drawn),
		spent: map[string]*spent{}, verdicts: map[*mutant]verdict{}}
	for _, s := range ladders[*arch] {
		r := &rung{suite: s, bin: filepath.Join(dir, strings.ReplaceAll(s.dir, "/", "_")+".test")}
		cmd := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", r.bin, "./"+s.dir)
		cmd.Dir, cmd.Env = root, environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c %s: %w\n%s", s.dir, err, out)
		}
		l.rungs = append(l.rungs, r)
	}
	for _, r := range l.rungs {
		if !r.costly {
			if err := l.alone(r); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// alone runs the tests of a suite without a mutant, one by one, or together if the suite is costly.
func (l *ladder) alone(r *rung) error {
	names := []string{""}
	if !r.costly {
		line := r.command("-test.list", "^"+cmp.Or(r.run, "Test.*")+"$")
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = filepath.Join(l.root, r.dir)
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", r.bin, err)
		}
		names = strings.Fields(string(out))
	}
	for _, name := range names {
		if err := os.WriteFile(l.marks, make([]byte, l.mutants+1), 0o666); err != nil {
			return err
		}
		t := &test{name: name}
		res := l.start(r, nil, []*test{t}, 20*time.Minute)
		if res.failed {
			return fmt.Errorf("%s of %s fails without a mutant:\n%s", name, r.dir, res.out)
		}
		t.cpu = res.cpu
		var err error
		if t.reaches, err = os.ReadFile(l.marks); err != nil {
			return err
		}
		r.tests = append(r.tests, t)
		fmt.Printf("%7.1f s  %4d reached  %s %s\n", t.cpu.Seconds(), bytes.Count(t.reaches, []byte{1}), r.dir, t.name)
	}
	slices.SortStableFunc(r.tests, func(a, b *test) int { return int(a.cpu - b.cpu) })
	return nil
}

// Kinds of verdicts.
const (
	found      = "found"
	equivalent = "equivalent" // no program can show it
	slower     = "slower"     // results are the same, an optimisation is missed or undone
	survived   = "SURVIVED"
)

// A verdict is the outcome for a mutant, with the test that found it or the reason.
type verdict struct {
	kind, by string
	took     time.Duration // until it was found
}

func (v verdict) String() string {
	if v.kind == found {
		return fmt.Sprintf("%s, after %.1f s", v.by, v.took.Seconds())
	}
	return v.by
}

// quick limits the processor time of the tests that run in one process.
const quick = 2 * time.Second

// reaching returns the tests of a suite that reach one of the mutants.
func (r *rung) reaching(list ...*mutant) (tests []*test) {
	for _, t := range r.tests {
		if slices.ContainsFunc(list, func(m *mutant) bool { return t.reaches[m.id] != 0 }) {
			tests = append(tests, t)
		}
	}
	return tests
}

// try runs the suites that are not costly on a mutant until a test fails.
func (l *ladder) try(m *mutant) (v verdict) {
	start := time.Now()
	for _, r := range l.rungs {
		tests := r.reaching(m)
		m.asked += len(tests)
		for len(tests) > 0 {
			n, sum := 1, tests[0].cpu
			for n < len(tests) && sum+tests[n].cpu < quick {
				sum += tests[n].cpu
				n++
			}
			if res, key := l.ask(r, []*mutant{m}, tests[:n], sum); res.failed {
				return verdict{found, strings.TrimSpace(key + " " + res.how), time.Since(start)}
			}
			tests = tests[n:]
		}
	}
	return l.left(m)
}

// left returns the verdict for a mutant that no test finds.
func (l *ladder) left(m *mutant) verdict {
	if m.asked == 0 {
		return verdict{kind: survived, by: "no test reaches it"}
	}
	return verdict{kind: survived, by: fmt.Sprintf("%d tests reach it", m.asked)}
}

// ask runs tests with mutants and records the time.
func (l *ladder) ask(r *rung, list []*mutant, tests []*test, cpu time.Duration) (result, string) {
	start := time.Now()
	res := l.start(r, list, tests, cpu)
	key := r.dir + " " + res.test
	if l.spent[key] == nil {
		l.spent[key] = &spent{}
	}
	s := l.spent[key]
	s.time += time.Since(start)
	s.asked++
	if res.failed && len(list) == 1 {
		s.found++
	}
	return res, key
}

// tryCostly runs the costly suites on the remaining mutants and reports those that they find.
func (l *ladder) tryCostly(list []*mutant, tell func(*mutant, verdict)) error {
	for _, r := range l.rungs {
		if !r.costly || len(list) == 0 {
			continue
		}
		if err := l.alone(r); err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(m *mutant) bool { return l.verdicts[m].kind == found })
		var reached []*mutant
		for _, m := range list {
			if len(r.reaching(m)) > 0 {
				m.asked++
				reached = append(reached, m)
			}
		}
		start := time.Now()
		l.halve(r, reached, func(m *mutant, by string) {
			l.verdicts[m] = verdict{found, by, time.Since(start)}
			tell(m, l.verdicts[m])
		})
	}
	return nil
}

// halve finds the mutants that a costly suite finds, by halving the list.
func (l *ladder) halve(r *rung, list []*mutant, tell func(*mutant, string)) {
	if len(list) == 0 {
		return
	}
	res, key := l.ask(r, list, r.tests, r.tests[0].cpu)
	switch {
	case !res.failed:
	case len(list) == 1:
		tell(list[0], strings.TrimSpace(key+" "+res.how))
	default:
		l.halve(r, list[:len(list)/2], tell)
		l.halve(r, list[len(list)/2:], tell)
	}
}

// A result is the result of a process with tests.
type result struct {
	failed bool
	test   string // the test that failed, or the last one
	how    string // why it failed, if not by an assertion
	cpu    time.Duration
	out    string
}

var testLine = regexp.MustCompile(`(?m)^(=== RUN  |--- FAIL:) +(Test\w*)`)

// start runs tests of a suite with mutants. A process fails if it uses many times the processor
// time that the tests need, or much memory.
func (l *ladder) start(r *rung, list []*mutant, tests []*test, cpu time.Duration) result {
	pattern := ""
	for _, t := range tests {
		if t.name != "" {
			pattern += "|" + t.name
		}
	}
	if pattern = strings.TrimPrefix(pattern, "|"); pattern != "" {
		pattern = "^(" + pattern + ")$"
	}
	if pattern == "" && r.run != "" {
		pattern = "^" + r.run + "$"
	}
	var ids []string
	for _, m := range list {
		ids = append(ids, strconv.Itoa(m.id))
	}
	limit := 10*time.Second + 5*cpu
	line := append(r.command("-test.v", "-test.failfast", "-test.timeout=0", "-test.run="+pattern), r.args...)
	cmd := exec.Command("sh", append([]string{"-c", "ulimit -t " + strconv.Itoa(int(limit.Seconds())) + "; exec \"$0\" \"$@\""}, line...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Dir = filepath.Join(l.root, r.dir)
	cmd.Env = append(os.Environ(), "GYR_MUTANTS="+strings.Join(ids, " "), "GYR_MUTANT_MARKS="+l.marks, "TMPDIR="+l.temp())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return result{failed: true, out: err.Error()}
	}
	ended := make(chan struct{})
	why := make(chan string, 1)
	go watch(cmd.Process.Pid, 8*limit, ended, why)
	err := cmd.Wait()
	close(ended)
	how := <-why
	var exit *exec.ExitError
	if how == "" && errors.As(err, &exit) {
		if ws := exit.Sys().(syscall.WaitStatus); ws.Signaled() {
			how = "(" + ws.Signal().String() + ")"
		} else if bytes.Contains(out.Bytes(), []byte("\ngoroutine ")) {
			how = "(panic)"
		}
	}
	res := result{failed: err != nil, how: how, out: out.String(),
		cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	for _, m := range testLine.FindAllStringSubmatch(res.out, -1) {
		if res.test = m[2]; m[1] == "--- FAIL:" {
			break
		}
	}
	return res
}

// temp makes an empty directory for files that tests leave when they are killed.
func (l *ladder) temp() string {
	dir := filepath.Join(l.dir, "tmp")
	os.RemoveAll(dir)
	os.Mkdir(dir, 0o777)
	return dir
}

// tooMuch is the memory, in pages, above which a process is killed.
var tooMuch = 4 << 30 / os.Getpagesize()

// watch kills a process that uses too much time or memory, and reports it.
func watch(pid int, limit time.Duration, ended chan struct{}, why chan string) {
	start := time.Now()
	for {
		select {
		case <-ended:
			why <- ""
			return
		case <-time.After(100 * time.Millisecond):
		}
		how := ""
		if time.Since(start) > limit {
			how = "(hangs)"
		}
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
			if f := strings.Fields(string(data)); len(f) > 1 {
				if pages, _ := strconv.Atoi(f[1]); pages > tooMuch {
					how = "(memory)"
				}
			}
		}
		if how != "" {
			syscall.Kill(-pid, syscall.SIGKILL)
			why <- how
			return
		}
	}
}

// summary prints what each test found, and the time of all runs that ended with it.
func (l *ladder) summary(w io.Writer) {
	var names []string
	for name := range l.spent {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return l.spent[b].found - l.spent[a].found })
	fmt.Fprintln(w, "\nfound  asked  seconds  test")
	for _, name := range names {
		s := l.spent[name]
		fmt.Fprintf(w, "%5d %6d %8.0f  %s\n", s.found, s.asked, s.time.Seconds(), name)
	}
}
