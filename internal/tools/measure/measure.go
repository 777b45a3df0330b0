package measure

import (
	"math"
	"os/exec"
	"slices"
	"time"
)

// A Usage is what one run of a process took.
type Usage struct {
	Wall time.Duration `json:"wall_ns"`
	CPU  time.Duration `json:"cpu_ns"` // user and system, of all threads
	Peak int64         `json:"peak_bytes"`
}

// Command runs cmd to its end. An exit status other than 0 is an error.
func Command(cmd *exec.Cmd) (Usage, error) {
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Usage{}, err
	}
	watch := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	u := Usage{Wall: time.Since(start), Peak: watch(cmd.ProcessState)}
	if s := cmd.ProcessState; s != nil {
		u.CPU = s.UserTime() + s.SystemTime()
	}
	return u, err
}

// Median returns the middle of xs, the mean of the two middle ones if their
// number is even; NaN of none.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// GeoMean returns the geometric mean of positive numbers; NaN of none.
func GeoMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}
