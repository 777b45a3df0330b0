package limits

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var bombFlag = flag.String("bomb", "", "the one source of TestBombs")

// bombVariable makes the test binary a child that compiles the source named by the variable, see
// bombChild.
const bombVariable = "GYR_LIMITS_BOMB"

const (
	bombDeadline = 10 * time.Second
	bombMemory   = 512 * mib
)

// A blast is the cost of compiling a bomb.
type blast struct {
	End        string // "answer", "error", "deadline" or the limit
	Text       string
	Wall       time.Duration
	Run        time.Duration // of its main function, including compilation at first calls
	RunEnd     string
	CPU        time.Duration
	Peak       uint64        // resident set of the process
	After      time.Duration // processor time in the second after the compilation
	Goroutines int           // additional ones at that time
	Heap       int64         // additional bytes in use at that time
}

// TestBombs compiles sources that try to take endless time, or gigabytes, or to crash the process,
// each in a process of its own. All end in an answer, an error or a limit, hold less than 512 MiB,
// and leave nothing behind. Without -large the test takes a part each day. With -large it also
// checks the deadline, which needs an idle machine.
func TestBombs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the resident set is read from /proc")
	}
	cache := t.TempDir() + "/cache"
	if _, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%-26s %8s %8s %8s %8s %8s %6s %5s  %s", "source", "wall", "run", "CPU", "peak", "CPU then", "heap", "gorou", "end")
	for _, b := range daily.Part(t, bombs, (len(bombs)+19)/20, *large || *bombFlag != "") {
		if *bombFlag != "" && *bombFlag != b.name {
			continue
		}
		r := explode(t, &b, cache)
		t.Logf("%-26s %7.2fs %7.2fs %7.2fs %5d MiB %6dms %3d MiB %5d  %s %s %.90s", b.name, r.Wall.Seconds(), r.Run.Seconds(), r.CPU.Seconds(), r.Peak/mib, r.After.Milliseconds(), r.Heap/mib, r.Goroutines, r.End, r.RunEnd, r.Text)
		if want := cmp.Or(b.end, "answer"); r.End != want {
			t.Errorf("%s: %s (%s), want %s", b.name, r.End, r.Text, want)
		}
		if r.Peak > bombMemory {
			t.Errorf("%s: %d MiB", b.name, r.Peak/mib)
		}
		if r.Goroutines > 0 || r.After > 200*time.Millisecond || r.Heap > 32*mib {
			t.Errorf("%s: a second later %d goroutines, %v of CPU, %d MiB", b.name, r.Goroutines, r.After, r.Heap/mib)
		}
		if *large && r.Wall+r.Run > bombDeadline+200*time.Millisecond {
			t.Errorf("%s: %v, the deadline was %v", b.name, r.Wall+r.Run, bombDeadline)
		}
	}
}

// explode lets a child compile a bomb.
func explode(t *testing.T, b *bomb, cache string) (r blast) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), bombVariable+"="+b.name, "GYR_LIMITS_CACHE="+cache)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		t.Errorf("%s: the process: %v\n%.2000s", b.name, err, stderr.String())
	}
	return r
}

// bombChild compiles one bomb and prints a blast.
func bombChild(name string) int {
	base, err := gyr.OpenBase(context.Background(), gyr.BaseConfig{Cache: os.Getenv("GYR_LIMITS_CACHE")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), bombDeadline)
	defer cancel()
	compile := func(src string, limits gyr.Limits) (*gyr.Program, error) {
		files := fstest.MapFS{"main.go": {Data: []byte(src)}}
		return gyr.Compile(ctx, gyr.Source{FS: files, Patterns: []string{"main.go"}, Limits: limits}, &gyr.CompileOptions{Base: base})
	}
	compile("package main\nfunc main() {}\n", gyr.Limits{}) // allocates what is made once
	var r blast
	for _, b := range bombs {
		if b.name != name {
			continue
		}
		src, limits := b.source(), gyr.UntrustedLimits()
		if b.trusted {
			limits = gyr.Limits{}
		}
		heap, goroutines := heapInUse(), runtime.NumGoroutine()
		resetPeak()
		cpu, start := cpuTime(), time.Now()
		p, err := compile(src, limits)
		r.Wall = time.Since(start)
		r.End, r.Text = endOf(err)
		if err == nil {
			start := time.Now()
			r.RunEnd, _ = endOf(run(ctx, p))
			r.Run = time.Since(start)
		}
		r.CPU, r.Peak = time.Duration(cpuTime()-cpu), peak()
		debug.FreeOSMemory()
		cpu = cpuTime()
		time.Sleep(time.Second)
		r.After = time.Duration(cpuTime() - cpu)
		r.Goroutines, r.Heap = runtime.NumGoroutine()-goroutines, int64(heapInUse())-int64(heap)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 1
	}
	return 0
}

// run runs a program with short loops.
func run(ctx context.Context, p *gyr.Program) error {
	in, err := p.NewInstance(ctx, gyr.Config{Gas: 1e9, Memory: 256 * mib})
	if err != nil {
		return err
	}
	defer in.Close()
	return in.Run(ctx)
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers held
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// endOf names how a compilation ended, and returns the first line of its error.
func endOf(err error) (end, text string) {
	if err == nil {
		return "answer", ""
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(err.Error(), "# command-line-arguments\n"), "\n")
	var limit *gyr.CompileLimitError
	switch {
	case errors.As(err, &limit):
		return limit.Limit, text
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline", ""
	case errors.As(err, new(*gyr.CompileError)):
		return "error", text
	}
	return fmt.Sprintf("%T", err), text
}
