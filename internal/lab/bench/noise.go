package bench

import (
	"math"
	"runtime"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// noisePairs is how many pairs NoiseFloor takes. noiseBatch is the length of each of a pair's
// batches in canaries.
const (
	noisePairs = 16
	noiseBatch = 20
)

// NoiseFloor does the same work twice, repeatedly and in turns, and returns the part by which the
// two seem to differ: the wider end of the interval of their ratio. A comparison on this machine in
// its present state cannot show less. It takes half a second.
func NoiseFloor() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	wait := process.NewThreadWait()
	defer wait.Close()
	batch := func() float64 {
		waited, start := wait.Total(), time.Now()
		for range noiseBatch {
			canary()
		}
		return float64(time.Since(start) - (wait.Total() - waited))
	}
	var logs []float64
	for i := range noisePairs {
		a, b := batch(), batch()
		if i%2 == 1 {
			a, b = b, a
		}
		logs = append(logs, math.Log(a/b))
	}
	lo, hi := measure.Interval(logs, result.Level/2)
	return math.Expm1(math.Max(math.Abs(lo), math.Abs(hi)))
}
