package result

import (
	"fmt"
	"math"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// This file has the notes of what an iteration is: the loop itself (BP06), too short (BP09), not what
// b.N counts (BP10), dearer the more there are (BP13), or cheap since the first did the work (BP27).

// Shares of the loop itself in the loop's instructions from which on there is a note, and a
// warning. With a warning the figure is as much the loop's as the benchmark's.
const (
	overheadShare = 0.2
	overheadHalf  = 0.45
)

func loopOverhead(r *Report, row *Row, c *Cell) *found {
	p := c.Proof
	// If iterations are not what b.N counts, or the time is not theirs, the share means something
	// else.
	if p == nil || p.Unknown != "" || p.Left == 0 || p.Calls > 0 || p.Allocs > 0 || r.has(row, "BP01", "BP02", "BP03", "BP04", "BP10", "BP12") {
		return nil
	}
	// An operation is about an instruction; only all instructions are counted exactly.
	all := c.PerOp["instructions/op"]
	share := float64(p.Overhead) / all
	if !(all > 0) || share < overheadShare || share > 1 || row.Bench.Declared {
		return nil
	}
	f := &found{cause: fmt.Sprintf("Of the %.3g instructions of an iteration, about %d are the loop's own: its counter, its poll and its gas.",
		all, p.Overhead)}
	if share < overheadHalf {
		f.severity = Info
	}
	return f
}

// shortBatch is the least length of a batch: a thousand steps of a clock of 100 ns.
const shortBatch = 100e3

// shortIteration is less time than any iteration takes: a loop's branch takes one cycle.
const shortIteration = 0.15

// shortGas is less gas than 100 microseconds of computing take, and more than the readings around a
// batch.
const shortGas = 100e3

// tooShort is for information alone on a loaded machine, unless gas shows that the batches are short:
// there a calibration may end too early.
func tooShort(r *Report, row *Row, c *Cell) *found {
	// Other load on the machine may have interrupted the longest batches.
	var batches, gas []float64
	for _, v := range c.Raw {
		for i := range v.Batches {
			batches, gas = append(batches, v.Batches[i].NS), append(gas, v.Batches[i].Gas)
		}
	}
	severity := r.byTime()
	if work := measure.Median(gas); work > 0 && work < shortGas {
		severity = ""
	}
	switch half := measure.Median(batches); {
	case half < shortBatch:
		return &found{cause: fmt.Sprintf("Half of its batches last %s or less, which the clock cannot measure.", duration(half)), severity: severity}
	case ignoresN(r, row, c) != nil: // then the time is not that of one iteration
		return nil
	case c.NS.Value < shortIteration:
		return &found{cause: fmt.Sprintf("An iteration takes %s, less than a processor's cycle: nothing is left in it.", duration(c.NS.Value)), severity: severity}
	}
	return nil
}

// manyIterations is a number of iterations that cannot take as little time as a few.
const manyIterations = 1e9

func ignoresN(r *Report, row *Row, c *Cell) *found {
	n := 0
	for _, x := range r.Record.Calibrate {
		if x.Bench == row.Bench.Key && x.Engine == c.Engine {
			n = x.N
		}
	}
	longest := 0.0
	for _, v := range c.Raw {
		for i := range v.Batches {
			longest = math.Max(longest, v.Batches[i].NS)
		}
	}
	if n >= manyIterations && longest < math.Max(float64(r.Record.Run.Plan.BatchNS), shortIteration*manyIterations) {
		return &found{cause: fmt.Sprintf("It takes %s however many iterations are asked for, so the number of iterations means nothing.", duration(longest))}
	}
	// No iteration takes less than a unit of gas. A setup within the time also makes one iteration as
	// dear as many.
	if gas, mean := c.gas(), c.meanGas(); c.Count != nil && c.Count.N >= 10 && c.Count.Failed == "" && mean > 0 && gas < 1 && gas*10 < mean &&
		c.Count.First["gas/op"] > 0.9*mean*float64(c.Count.N) {
		return &found{cause: fmt.Sprintf("%d iterations take as much gas as one.", 2*c.Count.N)}
	}
	return nil
}

// gas is the gas of an iteration; 0: unknown.
func (c *Cell) gas() float64 {
	if c.Count == nil || c.Count.PerOp == nil {
		return 0
	}
	return c.Count.PerOp["gas/op"]
}

// meanGas is the mean gas of the first iterations. Count.N were executed.
func (c *Cell) meanGas() float64 {
	if c.Count == nil || c.Count.Mean == nil {
		return 0
	}
	return c.Count.Mean["gas/op"]
}

// growth is how many times as much gas iterations N+1 to 2N take as 1 to N: 1 if they are alike; 0:
// unknown.
func (c *Cell) growth() float64 {
	if c.Count == nil || c.Count.N < 8 || c.meanGas() <= 0 {
		return 0
	}
	return c.gas() / c.meanGas()
}

// If the work is quadratic in N, the second half takes three times as much as the first; if the
// work grows by a part of itself, a little more. The former is an error: each N has another figure.
const (
	growthOfSize  = 2.2
	growthOfState = 1.05
)

// stateGrows leaves the case to BP11, which reads sources, if b.N is the size.
func stateGrows(r *Report, row *Row, c *Cell) *found {
	g := c.growth()
	if g <= growthOfState || r.has(row, "BP10", "BP11") {
		return nil
	}
	f := &found{cause: fmt.Sprintf("The second %d iterations take %s more gas than the first: something is kept that grows.", c.Count.N, percent(g-1))}
	if g > growthOfSize {
		f.severity = Error
		f.cause = fmt.Sprintf("Iterations get dearer the more there are: %d of them take %.3g times the gas of %d, so the figure is that of one b.N alone.", 2*c.Count.N, 1+g, c.Count.N)
	}
	return f
}

// The first iteration differs from the rest if it takes this many times as much, and this much
// more. Less memory than a buffer belongs to variables that the benchmark makes before its loop.
const (
	remembered = 5
	muchWork   = 5000 // gas
	buffer     = 4096 // bytes
)

func stateRemembered(r *Report, row *Row, c *Cell) *found {
	if c.Count == nil || c.Count.Failed != "" || c.Count.N < 2 || c.meanGas() <= 0 || r.has(row, "BP01", "BP10", "BP12") {
		return nil
	}
	dear := func(first, rest float64) bool { return first > remembered*rest && first-rest > muchWork }
	first, again, rest := c.Count.First["gas/op"], c.Count.Again["gas/op"], c.gas()
	allocs, later := c.Count.Again["allocs/op"], c.Count.PerOp["allocs/op"]
	var f *found
	switch {
	case dear(again, rest):
		f = &found{cause: fmt.Sprintf("Whenever it is run, the first iteration takes %.3g units of gas and each of the others %.3g: they find its work done.", again, rest)}
	case dear(first, rest):
		// Tables that a program makes only once are made like that.
		f = &found{cause: fmt.Sprintf("The very first iteration of a process takes %.3g units of gas, each of the others %.3g: something is kept from it.", first, rest),
			severity: Info}
	case c.Count.Again["B/op"] >= buffer && later == 0:
		return &found{cause: fmt.Sprintf("The first iteration allocates %.3g bytes, the others none: the memory is used again, and what it costs is not in B/op.",
			c.Count.Again["B/op"]), severity: Info}
	default:
		return nil
	}
	if allocs > later {
		f.evidence = append(f.evidence, fmt.Sprintf("allocations: %.3g, then %.3g", allocs, later))
	}
	return f
}
