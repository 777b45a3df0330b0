package limits

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var large = flag.Bool("large", false, "full sizes, and all cases, instead of samples")

// childVariable makes the test binary a child that measures guests, see child.
const childVariable = "GYR_LIMITS_CHILD"

func TestMain(m *testing.M) {
	flag.Parse()
	if name := os.Getenv(bombVariable); name != "" {
		os.Exit(bombChild(name))
	}
	if os.Getenv(wideVariable) != "" {
		os.Exit(wideChild())
	}
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

// program is testdata/guests, compiled once.
var program = sync.OnceValues(func() (*gyr.Program, error) {
	return gyr.Compile(context.Background(), gyr.Source{Dir: "testdata/guests"}, nil)
})

func compiled(t testing.TB) *gyr.Program {
	t.Helper()
	p, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A job is one run of a guest in a child process.
type job struct {
	Guest  string
	N      int
	Memory uint64
	Stack  uint64
	Files  bool // grant a directory as /d
	Warm   bool // run once before, so that all code is compiled
	Gas    int64
	Tier   gyr.Tier
}

// A report is the child's measurement.
type report struct {
	Error string // type of the error
	Text  string
	Base  uint64   // resident bytes before the run
	Peak  uint64   // largest resident size during the run
	Steps []uint64 // resident size at each write of the guest
	Gas   int64
	CPU   int64 // nanoseconds, user and system
	GCs   uint64
	Out   string
}

// kindOf names the type of an error.
func kindOf(err error) string {
	var (
		memory *gyr.MemoryLimitError
		stack  *gyr.StackLimitError
		gas    *gyr.OutOfGasError
		end    *gyr.DeadlineError
		exit   *gyr.ExitError
		host   *gyr.HostError
	)
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &memory):
		return "memory"
	case errors.As(err, &stack):
		return "stack"
	case errors.As(err, &gas):
		return "gas"
	case errors.As(err, &end):
		return "deadline"
	case errors.As(err, &exit):
		return "exit " + strconv.Itoa(exit.Code)
	case errors.As(err, &host):
		return "host"
	}
	return fmt.Sprintf("%T", err)
}

// child runs the jobs from standard input, one JSON object a line, and answers each with a report.
func child() int {
	p, err := program()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		var j job
		if err := json.Unmarshal(in.Bytes(), &j); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if j.Warm {
			j.run(p)
		}
		if err := out.Encode(j.run(p)); err != nil {
			return 1
		}
	}
	return 0
}

// steps notes the resident size at each write.
type steps struct {
	list []uint64
	text bytes.Buffer
}

func (s *steps) Write(p []byte) (int, error) {
	if s.text.Len() < 64<<10 {
		s.text.Write(p[:min(len(p), 100)])
	}
	if len(s.list) < cap(s.list) {
		s.list = append(s.list, resident())
	}
	return len(p), nil
}

// patience is how long a guest may run; a working guest takes far less.
const patience = 5 * time.Minute

func (j *job) run(p *gyr.Program) (r report) {
	w := &steps{list: make([]uint64, 0, 1000)}
	cfg := gyr.Config{Args: []string{j.Guest, strconv.Itoa(j.N)}, Memory: j.Memory, Stack: j.Stack, Gas: j.Gas, Tier: j.Tier, Stdout: w, Stderr: io.Discard}
	if j.Files {
		dir, err := os.MkdirTemp("", "gyr-limits")
		if err != nil {
			return report{Error: err.Error()}
		}
		defer os.RemoveAll(dir)
		for i := range 2000 {
			os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o666)
		}
		cfg.Dirs = []gyr.Dir{{Host: dir, Guest: "/d"}}
		// The garbage of host functions is limited by a share of the host's own heap. That heap is
		// large here, with a compiler's data, so the share is made small.
		defer debug.SetGCPercent(debug.SetGCPercent(5))
	}
	debug.FreeOSMemory()
	r.Base = resident()
	resetPeak()
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		return report{Error: err.Error()}
	}
	cpu := cpuTime()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = in.Run(ctx)
	r.CPU = cpuTime() - cpu
	r.Peak = peak()
	r.Gas, r.GCs = in.Stats().Gas, in.Stats().Collections
	in.Close()
	r.Error, r.Steps, r.Out = kindOf(err), w.list, w.text.String()
	if err != nil {
		r.Text = err.Error()
	}
	return r
}

// A process is a child that takes jobs. It ends at the end of its input.
type process struct {
	jobs    *json.Encoder
	reports *json.Decoder
}

// start starts the child, once for all tests: it compiles the guests first.
var start = sync.OnceValues(func() (*process, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{json.NewEncoder(in), json.NewDecoder(out)}, cmd.Start()
})

// measure lets the child run the jobs.
func measure(t *testing.T, jobs []job, each func(j job, r report)) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the resident set is read from /proc")
	}
	p, err := start()
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if err := p.jobs.Encode(j); err != nil {
			t.Fatalf("%s: %v", j.Guest, err)
		}
		var r report
		if err := p.reports.Decode(&r); err != nil {
			t.Fatalf("%s: the process has ended: %v", j.Guest, err)
		}
		each(j, r)
	}
}

// resident and peak read the process's resident set, and resetPeak resets the peak.
func resident() uint64 { return status("VmRSS:") }
func peak() uint64     { return status("VmHWM:") }
func resetPeak()       { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

func status(field string) uint64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), field)
	n, _ := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
	return n << 10
}

const mib = 1 << 20

// TestHostMemory: all memory that a guest allocates in any way counts against its limit, and the
// host's memory stays within one and a half times the limit and 8 MiB.
func TestHostMemory(t *testing.T) {
	const limit = 10 * mib
	const anyStack = 1 << 32
	var jobs []job
	for _, g := range []string{
		"small objects", "large objects", "one large object", "pointers", "append", "string", "builder", "map", "maps",
		"channels", "channel buffer", "goroutines", "goroutines with locals", "goroutines with stacks", "goroutines come and go",
		"deep goroutines end", "defers", "timers", "tickers", "sleepers", "selects", "mutex", "cond", "contexts",
		"finalizers", "finalizers that resurrect", "cleanups", "weak pointers", "unique", "types", "layouts", "long layouts",
		"makefunc", "itabs", "coroutines", "environment", "stack traces", "labels", "errors", "pool", "output", "hints",
		"mark stack", "wide array",
	} {
		jobs = append(jobs, job{Guest: g, Memory: limit, Warm: true})
	}
	for _, g := range []string{"recursion", "wide recursion", "locals recursion", "many values", "closures", "panics", "pointers to locals"} {
		jobs = append(jobs, job{Guest: g, Memory: limit, Stack: anyStack, Warm: true}, job{Guest: g, Memory: limit, Warm: true})
	}
	for _, g := range []string{"descriptors", "files"} {
		jobs = append(jobs, job{Guest: g, Memory: limit, Files: true, Warm: true})
	}
	measure(t, daily.Part(t, jobs, (len(jobs)+2)/3, *large), func(j job, r report) {
		used := float64(int64(r.Peak-r.Base)) / mib
		t.Logf("%-28s %-8s %6.1f MiB", j.Guest, r.Error, used)
		want := "memory"
		if j.Stack == 0 && strings.Contains("recursion wide recursion many values", j.Guest) {
			want = "stack"
		}
		if r.Error != want && !(j.Stack == 0 && r.Error == "stack") {
			t.Errorf("%s: %s (%s), want the %s limit", j.Guest, r.Error, r.Text, want)
		}
		if r.Peak-r.Base > limit*3/2+8*mib && r.Peak > r.Base {
			t.Errorf("%s: the host spends %.1f MiB under a limit of %d MiB", j.Guest, used, limit/mib)
		}
	})
}
