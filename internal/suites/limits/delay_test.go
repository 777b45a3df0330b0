package limits

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// delays are the guests of delay.go.
var delays = []string{
	"empty", "make", "make again", "copy", "clear", "equal", "compare", "hash", "hash array", "index", "values", "interfaces",
	"reflection", "append", "string", "runes", "repeat", "replace", "random", "write", "read", "read a file", "read a directory", "print",
	"sort strings", "sort", "regexp", "big", "collection", "collection of pointers", "collection of garbage", "collection of a deep list",
	"collection of a stack", "collection of locals", "collection of goroutines", "collection of specials", "end of goroutines", "callers",
	"stack", "all stacks", "panic", "recover", "goexit", "map", "map of a size", "map of strings", "channel", "types",
}

// endless is an input without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestDelay prints how long a deadline may have to wait: the processor time of the run's thread
// between two checks of the context. A second run of each guest is canceled halfway and must end at
// once.
var (
	only = flag.String("delay", "", "the one guest of TestDelay")
	size = flag.Int("delaysize", 4, "MiB that the guests of TestDelay deal with")
)

func TestDelay(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	n := *size
	dir := t.TempDir()
	for i := range 2000 {
		if err := os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := compiled(t)
	for _, g := range daily.Part(t, delays, (len(delays)+2)/3, *large || *only != "") {
		if *only != "" && *only != g {
			continue
		}
		cfg := gyr.Config{Args: []string{"delay " + g, strconv.Itoa(n)}, Memory: uint64(n) * 3 * mib, Stack: 1 << 32, Gas: 30_000_000_000,
			Stdout: io.Discard, Stderr: io.Discard}
		cfg.Memory = max(cfg.Memory, 128*mib)
		switch g {
		case "read":
			cfg.Stdin = endless{}
		case "read a file", "read a directory":
			cfg.Dirs = []gyr.Dir{{Host: dir, Guest: "/d"}}
		}
		var gaps []time.Duration
		var where, before string
		run := func(ctx context.Context, done func()) (error, time.Duration) {
			in, err := p.NewInstance(context.WithoutCancel(ctx), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			start := time.Now()
			err = in.Run(ctx)
			if done != nil {
				done()
			}
			return err, time.Since(start)
		}
		thread, last := threadTime()
		look := func() {
			on, now := threadTime()
			d := now - last
			if on != thread { // a run with streams has a goroutine of its own
				thread, d = on, 0
			}
			if len(gaps) == 0 || d > gaps[0] {
				gaps = append(gaps[:0], d)
				if d > 5*time.Millisecond {
					where = caller() + "\n\tbefore:" + before
				}
			}
			if *only != "" {
				before = caller()
			}
			_, last = threadTime()
		}
		run(context.Background(), nil) // compiles the code
		thread, last = threadTime()
		err, took := run(rt.WithPolls(context.Background(), look), look)

		ctx, cancel := context.WithCancel(context.Background())
		var canceled time.Time
		timer := time.AfterFunc(took/2, func() { canceled = time.Now(); cancel() })
		end, _ := run(ctx, nil)
		delay := time.Since(canceled)
		if timer.Stop() || kindOf(end) != "deadline" {
			delay = 0 // it had already ended
		}
		cancel()
		t.Logf("%-32s %8.1f ms between looks, canceled ends after %8.1f ms (of %.1f, %v)", g, ms(gaps[0]), ms(delay), ms(took), err)
		if where != "" {
			t.Log(where)
		}
		if gaps[0] > time.Second || delay > time.Second {
			t.Errorf("%s: far too long", g)
		}
	}
}

// caller names the functions that led to a check.
func caller() string {
	var pcs [12]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	var s strings.Builder
	for f, more := frames.Next(); more; f, more = frames.Next() {
		fmt.Fprintf(&s, " %s:%d", f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.Line)
	}
	return s.String()
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
