package research

import (
	"context"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/tools/process"
)

// The processor time of a benchmark's process includes its start: the runtime's, the package's and
// the benchmark's own setup. A gain would look smaller than it is, and most so if little is left. So
// the benchmark runs in two sizes, and the difference counts. What both do alike falls out.

// cpuPerOp is the unit of the processor time of one iteration, without the process's start.
const cpuPerOp = "cpu-ns/op"

const (
	// smallSize are the iterations of the small run. Of one iteration go test would not repeat the
	// setup, so the two runs would differ by more than iterations.
	smallSize = 2
	// fewestTwo are the fewest iterations that are worth a second run. Fewer take so long that the
	// start does not count.
	fewestTwo = 8
	// longest is how many times more iterations a fast candidate gets at most.
	longest = 1000
)

// cpuOf is the processor time of one iteration, by a run of the source's iterations and a small one.
// If that leaves too little to tell from the start, as after a great gain, more iterations run. It
// is 0 if even those take no more time than the small run.
func (r *runner) cpuOf(ctx context.Context, s *source, d *side, o *process.Outcome) (float64, error) {
	n := s.metrics[0].Iterations
	if n < fewestTwo {
		return float64(o.CPU) / float64(n), nil
	}
	sized := func(n int) (*process.Outcome, error) {
		o, err := r.bench(ctx, s, d, fmt.Sprintf("%dx", n))
		if err == nil && o.Err() != nil {
			err = &sampleError{fmt.Sprintf("metric %s: %v: %s", s.metrics[0].Name, o.Err(), tail(o)), o.TimedOut}
		}
		return o, err
	}
	small, err := sized(smallSize)
	if err != nil {
		return 0, err
	}
	enough := func() bool { return o.CPU-small.CPU >= sampleTime/4 || o.CPU >= 2*small.CPU }
	for most := longest * n; !enough() && n < most; {
		n *= 10
		if o, err = sized(n); err != nil {
			return 0, err
		}
	}
	return float64(max(0, o.CPU-small.CPU)) / float64(n-smallSize), nil
}

// cpuMetric is the source's metric of the processor time of an iteration, nil if it has none.
func (s *source) cpuMetric() *Metric {
	i := slices.IndexFunc(s.metrics, func(m *Metric) bool { return m.Unit == cpuPerOp && m.From == "rusage" })
	if i < 0 {
		return nil
	}
	return s.metrics[i]
}
