package lists

import (
	"testing"
	"time"
)

// Stage 1 believes that a benchmark reads the clock before the operation and after it. Since the
// clock is slow, it is read around ten operations. Since there are several operations to compare,
// they are methods of an interface. The benchmark measures the clock, divided by ten, and a call.

type operation interface{ run() }

type (
	makeFixed    struct{}
	makeGrowable struct{}
)

func (makeFixed) run()    { _ = NewFixed() }
func (makeGrowable) run() { _ = NewGrowable() }

const exercise = 10 // operations between two readings of the clock

func BenchmarkClockFixed(b *testing.B) {
	readClock(b, makeFixed{})
}

func BenchmarkClockGrowable(b *testing.B) {
	readClock(b, makeGrowable{})
}

func readClock(b *testing.B, op operation) {
	var sum time.Duration
	for i := 0; i < b.N; i++ {
		start := time.Now()
		for range exercise {
			op.run()
		}
		sum += time.Since(start)
	}
	b.ReportMetric(float64(sum)/float64(b.N)/exercise, "ns/list")
}
