//go:build unix

package hostile

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

var fireLength = flag.Duration("hostile.fire", 300*time.Millisecond, "how long TestUnderFire lasts")

// TestUnderFire runs guests while the host disturbs its goroutines in every way that Go's runtime
// can: endless collections, signals, a CPU profile, stack dumps, growing stacks. Output and usage
// of guests stay the same.
func TestUnderFire(t *testing.T) {
	type job struct {
		p          *gyr.Program
		size, want string
	}
	var jobs []job
	for _, c := range concurrent {
		if c.name == "regexredux" || c.name == "knucleotide" {
			continue // large to compile under the race detector
		}
		p, err := gyr.Compile(context.Background(), gyr.Source{Dir: filepath.Join("../../../programs", c.name)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job{p, c.size, outcome(p, c.size, tiers()[0])})
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	sigs := make(chan os.Signal, 16)
	signal.Notify(sigs, syscall.SIGUSR1, syscall.SIGURG)
	defer signal.Stop(sigs)
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	var stop atomic.Bool
	var runs atomic.Int64
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := i; !stop.Load(); k++ {
				j := jobs[k%len(jobs)]
				tier := tiers()[len(tiers())-1]
				if got := outcome(j.p, j.size, tier); got != j.want {
					t.Errorf("under fire\n%s\nin peace\n%s", got, j.want)
					return
				}
				runs.Add(1)
			}
		})
	}
	wg.Go(func() {
		var keep [][]byte
		for !stop.Load() {
			if keep = append(keep, make([]byte, 1<<12)); len(keep) > 1000 {
				keep = nil
			}
		}
	})
	wg.Go(func() {
		buf := make([]byte, 1<<16)
		var m runtime.MemStats
		for !stop.Load() {
			runtime.GC()
			runtime.Stack(buf, true)
			runtime.ReadMemStats(&m)
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			syscall.Kill(os.Getpid(), syscall.SIGURG)
			time.Sleep(time.Millisecond)
		}
	})
	for end := time.Now().Add(*fireLength); time.Now().Before(end) || runs.Load() == 0 && !t.Failed(); {
		time.Sleep(10 * time.Millisecond)
	}
	stop.Store(true)
	wg.Wait()
	t.Logf("%d runs", runs.Load())
}

// BenchmarkStopTheWorld measures how long the host's runtime waits for a guest, in microseconds:
// the median and the 90th percentile of runtime.ReadMemStats.
func BenchmarkStopTheWorld(b *testing.B) {
	for _, g := range []struct{ name, body string }{
		{"idle", ""},
		{"spin", "for i := 0; ; i++ { x += i ^ x }"},
		{"list", "type node struct { next *node; pad [7]int }\nnodes := make([]node, 1<<18)\nfor i := range nodes { nodes[i].next = &nodes[(i*40503+1)&(1<<18-1)] }\nfor p := &nodes[0]; ; p = p.next { x += p.pad[0] }"},
		{"copy", "b := make([]byte, 1<<30)\nfor { x += copy(b[4096:], b) }"},
		{"collect", "type tree struct { l, r *tree }\nvar grow func(d int) *tree\ngrow = func(d int) *tree { if d == 0 { return nil }; return &tree{grow(d - 1), grow(d - 1)} }\nkeep := grow(20)\nfor { runtime.GC(); if keep.l == nil { x++ } }"},
	} {
		b.Run(g.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var wg sync.WaitGroup
			if g.body != "" {
				src := "package main\n\nimport \"runtime\"\n\nvar x int\n\nfunc main() {\nruntime.Gosched()\nprintln()\n" + g.body + "\n}\n"
				p, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}, Patterns: []string{"main.go"}}, nil)
				if err != nil {
					b.Fatal(err)
				}
				started := make(chan bool, 1)
				in, err := p.NewInstance(ctx, gyr.Config{Memory: 3 << 30, Stderr: starts(started)})
				if err != nil {
					b.Fatal(err)
				}
				defer in.Close()
				wg.Go(func() { in.Run(ctx) })
				<-started
				time.Sleep(100 * time.Millisecond)
			}
			var took []time.Duration
			var m runtime.MemStats
			for b.Loop() {
				start := time.Now()
				runtime.ReadMemStats(&m)
				took = append(took, time.Since(start))
				time.Sleep(50 * time.Microsecond)
			}
			cancel()
			wg.Wait()
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
			b.ReportMetric(float64(took[len(took)*9/10].Nanoseconds())/1000, "p90-µs")
		})
	}
}

// starts is an output that signals the first write.
type starts chan bool

func (s starts) Write(p []byte) (int, error) {
	select {
	case s <- true:
	default:
	}
	return len(p), nil
}
