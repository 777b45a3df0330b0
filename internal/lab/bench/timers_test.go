package bench

import (
	"io"
	"os/exec"
	"testing"
	"time"

	gyr "github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// TestTimersNative: the hooks' own work when a timer starts and stops does not count for the
// benchmark: neither their allocations nor the thread's waiting meanwhile, which may be longer than
// all that is timed.
func TestTimersNative(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := writeModule(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": `package m

import "testing"

var x [256]int

func BenchmarkShort(b *testing.B) {
	b.StopTimer()
	for i := 0; i < b.N; i++ {
		b.StartTimer()
		for j := range x {
			x[j] += j
		}
		b.StopTimer()
	}
}
`})
	e := Engine{Label: "go", Go: &GoEngine{}}
	x, err := e.open(func(*pkg) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer x.(io.Closer).Close()
	p := &pkg{Path: "m", Dir: dir}
	if err := x.Build(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	s, err := x.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Run(t.Context(), &order{Bench: "^BenchmarkShort$", N: 2000, Count: 2})
	if err != nil || len(r.Batches) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, b := range r.Batches {
		if b.Metrics["allocs/op"] != 0 || b.Metrics["B/op"] > 10 {
			t.Errorf("its allocations: %v", b.Metrics)
		}
		if b.NS <= b.WaitNS {
			t.Errorf("of %v ns the thread waited %v", b.NS, b.WaitNS)
		}
	}
}

// TestAllocationsWithoutSetup: what native Go allocates before the loop is no part of an iteration's
// allocations, however few iterations there are.
func TestAllocationsWithoutSetup(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := writeModule(t, map[string]string{"m_test.go": `package m

import "testing"

var kept [][]byte

func BenchmarkSetup(b *testing.B) {
	list := make([][]byte, 0, 100_000)
	for range 100_000 {
		list = append(list, make([]byte, 64))
	}
	for i := 0; i < b.N; i++ {
		kept = append(kept[:0], make([]byte, 128), list[i%len(list)])
	}
}
`})
	rec, err := testRun(t, dir, "m", ".", record.Plan{Mode: "quick", Visits: 2, Batches: 3, BatchNS: 1e6, Seed: 7}, "go")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range rec.Visits {
		for _, b := range v.Batches {
			if b.Metrics["allocs/op"] != 1 || b.Metrics["B/op"] < 128 || b.Metrics["B/op"] > 140 {
				t.Errorf("%d iterations: %v; calibrated as %+v", b.N, b.Metrics, rec.Calibrate[0])
			}
		}
	}
	if len(rec.Visits) != 2 || rec.Calibrate[0].Fixed["allocs/op"] < 90_000 {
		t.Errorf("%d visits, calibrated as %+v", len(rec.Visits), rec.Calibrate[0])
	}
}

// TestStoppedTimer: where each iteration stops the timer, its time is what package testing measures, without
// the reading of the memory figures between.
func TestStoppedTimer(t *testing.T) {
	dir := writeModule(t, map[string]string{"m_test.go": `package m

import "testing"

func BenchmarkStopped(b *testing.B) {
	b.StopTimer()
	for range b.N {
		b.StartTimer()
		b.StopTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "own-ns/op")
}
`})
	for _, tier := range []string{"native", "interp"} {
		rec, err := testRun(t, dir, "m", ".", record.Plan{Mode: "quick", Visits: 1, Batches: 3, BatchNS: 1e6, Seed: 7}, tier)
		if err != nil {
			t.Fatal(err)
		}
		batches := 0
		for _, v := range rec.Visits {
			for _, b := range v.Batches {
				own := b.Metrics["own-ns/op"]
				if own <= 0 || abs(b.NS/float64(b.N)-own) > own/100 {
					t.Errorf("%s: %d iterations take %v ns; package testing says %v ns for one", tier, b.N, b.NS, own)
				}
				batches++
			}
		}
		if batches != 3 {
			t.Errorf("%s: %d batches", tier, batches)
		}
	}
}

// TestWaitOutside: a wait that is longer than the stretch was not within it.
func TestWaitOutside(t *testing.T) {
	const at = int64(time.Second)
	for _, x := range []struct{ took, waited, want time.Duration }{
		{30 * time.Microsecond, 0, 0}, {30 * time.Microsecond, 3 * time.Millisecond, 0}, {4 * time.Millisecond, 3 * time.Millisecond, 3 * time.Millisecond},
		{4 * time.Millisecond, 5 * time.Millisecond, 4 * time.Millisecond},
	} {
		from := moment{at: at, stats: gyr.Stats{}}
		p := from.to(&moment{at: at + int64(x.took), waited: x.waited})
		if p.wait != float64(x.want) {
			t.Errorf("took %v, waited %v: %v of it are subtracted", x.took, x.waited, p.wait)
		}
	}
}
