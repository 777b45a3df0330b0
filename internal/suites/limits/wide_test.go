package limits

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var wideFlag = flag.String("wide", "", "the shapes of TestWide, as in \"strings/17/map key\"; a part that is empty stands for all")

// wideVariable makes the test binary a child that compiles and runs programs from its input, see
// wideChild.
const wideVariable = "GYR_LIMITS_WIDE"

const (
	wideFactor   = 10          // limit of the processor time for compiling, as a multiple of that of go's compiler,
	wideMore     = time.Second // plus this
	wideDeadline = time.Second
	wideLate     = 50 * time.Millisecond
	widePrice    = time.Microsecond // limit of the time for a unit of gas
	wideMemory   = 512 * mib
	goPatience   = 5 * time.Second // go's compiler does not finish with some shapes
)

// A wideJob is a program.
type wideJob struct{ Name, Source string }

// A wideReport is the cost of a program.
type wideReport struct {
	End, Text string
	CPU       time.Duration // of compiling
	Peak      uint64
	Runs      []wideRun
}

// A wideRun is one run.
type wideRun struct {
	Tier  api.Tier
	End   string
	CPU   time.Duration
	First time.Duration // of compiling at first calls
	Late  time.Duration // processor time after the deadline
	Gap   time.Duration // most processor time between two looks at the context
	Where string
	Gas   int64
	Peak  uint64
}

// TestWide compiles and runs programs that do everything possible with values of large types that
// need few words. Compiling, first calls included, takes no more than ten times the time of go's
// compiler plus a second. A run in either tier ends at its deadline. Without -large the test takes
// a sample.
func TestWide(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the resident set is read from /proc")
	}
	cache, dir := t.TempDir()+"/cache", t.TempDir()
	if _, err := engine.OpenBase(t.Context(), engine.BaseConfig{BaseConfig: api.BaseConfig{Cache: cache}}); err != nil {
		t.Fatal(err)
	}
	p := startWide(t, cache)
	defer func() { p.end() }()
	jobs := wideJobs(*wideFlag)
	for _, j := range daily.Part(t, jobs, (len(jobs)+2)/3, *large || *wideFlag != "") {
		native := goCompiler(t, dir, j.Source)
		r, err := p.report(j)
		if err != nil {
			t.Errorf("%s: %v", j.Name, err)
			p = startWide(t, cache)
			continue
		}
		cpu := r.CPU
		var line strings.Builder
		fmt.Fprintf(&line, "%-36s go %6.0f ms gyr %6.0f ms %4d MiB %s %s", j.Name, ms(native), ms(r.CPU), r.Peak/mib, r.End, r.Text)
		for i, run := range r.Runs {
			if i == 0 {
				cpu += run.First
			}
			fmt.Fprintf(&line, " | %s %s run %5.0f ms first %5.0f gap %4.0f late %4.0f %d gas %d MiB", run.Tier, run.End, ms(run.CPU), ms(run.First), ms(run.Gap), ms(run.Late), run.Gas, run.Peak/mib)
			if run.Late > wideLate {
				t.Errorf("%s: %v late %s", j.Name, run.Late, run.Where)
			}
			if cpu := run.CPU - run.First; cpu > widePrice*time.Duration(run.Gas)+2*wideLate {
				t.Errorf("%s: %v for %d gas", j.Name, cpu, run.Gas)
			}
		}
		t.Log(line.String())
		if cpu > wideFactor*native+wideMore {
			t.Errorf("%s: %v, go's compiler %v", j.Name, cpu, native)
		}
		if r.Peak > wideMemory {
			t.Errorf("%s: %d MiB", j.Name, r.Peak/mib)
		}
	}
}

// wideJobs returns the programs that a flag selects, by default a sample, or all with -large.
func wideJobs(selected string) (list []wideJob) {
	want := append(strings.Split(selected, "/"), "", "", "")
	sample := selected == "" && !*large
	for i := range wideTypes {
		typ := &wideTypes[i]
		for _, k := range []int{10, 14, 17} {
			if typ.most > 0 && k > typ.most || want[0] != "" && want[0] != typ.name || want[1] != "" && want[1] != strconv.Itoa(k) {
				continue
			}
			for n, u := range wideUses {
				if sample && (k == 10 || i%4 != 0 || n != i && u.name != "equal") {
					continue
				}
				if want[2] == "" || want[2] == u.name {
					list = append(list, wideJob{fmt.Sprintf("%s/%d/%s", typ.name, k, u.name), wideProgram(typ, k, []wideUse{u})})
				}
			}
		}
	}
	if name := "many locals"; selected == "" || selected == name {
		// So many that their liveness is not tracked: calls clear them all, which is charged.
		list = append(list, wideJob{name, "package main\ntype T [300]*int\nvar p, q T\n//go:noinline\nfunc f(n int) {\nif n >= 0 { return }\n" +
			line(2500, "x%d := p; if n == %d { x%d = q }; q = x%d\n") + "}\nfunc main() { for i := 0; ; i++ { f(i) } }\n"})
	}
	return list
}

// wideChild compiles and runs the programs from standard input, and answers each with a report.
func wideChild() int {
	runtime.LockOSThread()
	base, err := engine.OpenBase(context.Background(), engine.BaseConfig{BaseConfig: api.BaseConfig{Cache: os.Getenv("GYR_LIMITS_CACHE")}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	(&wideJob{Source: "package main\nfunc main() {}\n"}).report(base) // allocates what is made once
	for {
		var j wideJob
		if err := in.Decode(&j); err == io.EOF {
			return 0
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if err := out.Encode(j.report(base)); err != nil {
			return 1
		}
	}
}

func (j *wideJob) report(base *engine.Base) (r wideReport) {
	debug.FreeOSMemory()
	resetPeak()
	cpu := cpuTime()
	p, err := j.compile(base)
	r.CPU, r.Peak = time.Duration(cpuTime()-cpu), peak()
	if r.End, r.Text = endOf(err); err != nil {
		return r
	}
	for _, tier := range []api.Tier{api.TierNative, api.TierInterp} {
		if tier == api.TierNative && p.NativeError() != nil {
			continue
		}
		run, at := j.run(p, tier, wideDeadline)
		if run.Gap > wideLate { // does it end at its deadline?
			if p, err = j.compile(base); err != nil {
				panic(err)
			}
			again, _ := j.run(p, tier, at+run.Gap/3)
			run.Late = max(run.Late, again.Late)
		}
		r.Runs = append(r.Runs, run)
	}
	return r
}

func (j *wideJob) compile(base *engine.Base) (*engine.Program, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	src := engine.Source{FS: fstest.MapFS{"main.go": {Data: []byte(j.Source)}}, Patterns: []string{"main.go"}, Base: base, Exports: j.exports()}
	return engine.Compile(ctx, src)
}

// exports reports whether the program is a package that the host calls.
func (j *wideJob) exports() bool { return !strings.HasPrefix(j.Source, "package main\n") }

// run runs the program until a deadline. It returns when the longest time without a check of the
// context began.
func (j *wideJob) run(p *engine.Program, tier api.Tier, deadline time.Duration) (r wideRun, at time.Duration) {
	r.Tier = tier
	debug.FreeOSMemory()
	resetPeak()
	in, err := p.NewInstance(context.Background(), engine.Config{Config: api.Config{Gas: 1e9, Memory: 256 * mib, Tier: tier, Stderr: io.Discard}})
	if err != nil {
		r.End, _ = endOf(err)
		return r, 0
	}
	defer in.Close()
	before, _ := p.Work()
	var passed int64 // processor time at the deadline
	cpu, start := cpuTime(), time.Now()
	ctx, cancel := context.WithCancelCause(context.Background())
	timer := time.AfterFunc(deadline, func() { passed = cpuTime(); cancel(context.DeadlineExceeded) })
	_, last := threadTime()
	began := time.Duration(0)
	look := func() {
		if _, now := threadTime(); now-last > r.Gap {
			r.Gap, at = now-last, began
			if r.Gap > wideLate {
				r.Where = caller()
			}
		}
		began = time.Since(start)
		_, last = threadTime()
	}
	if j.exports() {
		_, err = in.Call(rt.WithPolls(ctx, look), "Run")
	} else {
		err = in.Run(rt.WithPolls(ctx, look))
	}
	look()
	if now := cpuTime(); !timer.Stop() {
		r.Late = time.Duration(now - passed)
	}
	r.End, r.CPU, r.Peak, r.Gas = kindOf(err), time.Duration(cpuTime()-cpu), peak(), in.Stats().Gas
	after, _ := p.Work()
	r.First = after.Time - before.Time
	cancel(nil)
	return r, at
}

// A wideProcess is a child that takes programs.
type wideProcess struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	jobs    *json.Encoder
	reports *json.Decoder
	stderr  strings.Builder
}

func startWide(t *testing.T, cache string) *wideProcess {
	p := &wideProcess{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	p.cmd.Env = append(os.Environ(), wideVariable+"=1", "GYR_LIMITS_CACHE="+cache)
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in, p.jobs, p.reports = in, json.NewEncoder(in), json.NewDecoder(out)
	return p
}

func (p *wideProcess) end() { p.in.Close(); p.cmd.Wait() }

func (p *wideProcess) report(j wideJob) (r wideReport, err error) {
	if err = p.jobs.Encode(j); err == nil {
		err = p.reports.Decode(&r)
	}
	if err != nil {
		p.end()
		err = fmt.Errorf("the process: %w\n%.3000s", err, p.stderr.String())
	}
	return r, err
}

// goCompiler is the processor time of go's compiler for a source, at most goPatience.
func goCompiler(t *testing.T, dir, src string) time.Duration {
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), goPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, goTool(), "-o", filepath.Join(dir, "main.o"), "-p", "main", file)
	if out, err := cmd.CombinedOutput(); ctx.Err() != nil {
		return goPatience
	} else if err != nil && !strings.Contains(string(out), "too large") { // a channel's elements, a frame
		t.Fatalf("go tool compile: %v\n%.500s\n%.2000s", err, out, src)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// goTool is the path of go's compiler.
var goTool = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "tool", "-n", "compile").Output()
	return strings.TrimSpace(string(out))
})
