package result

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// This file has the notes of how batches and visits differ: collections (BP14, BP30), modes (BP15),
// noise (BP16), and changes within a process (BP17) and between processes (BP29).

// collectorShare is the share of the time from which on the benchmark measures the collector. A
// benchmark that only allocates spends about a third of its time on collections, and rightly so.
const collectorShare = 0.4

func collectorDominates(r *Report, row *Row, c *Cell) *found {
	if c.GCShare < collectorShare {
		return nil
	}
	return &found{cause: fmt.Sprintf("Collections take %s of its time, and depend on what else lives in the program.", percent(c.GCShare))}
}

func rareCollections(r *Report, row *Row, c *Cell) *found {
	if c.GCBatches == 0 || c.GCBatches >= 1 {
		return nil
	}
	return &found{cause: fmt.Sprintf("There is a collection in %s of the batches, and none in the others.", percent(c.GCBatches))}
}

// Modes are apart by more than this part, and each has at least this share of the batches.
const (
	modesApart = 0.15
	modesShare = 0.2
)

func severalModes(r *Report, row *Row, c *Cell) *found {
	modesOf := func(all []float64, name func(float64) string) string {
		modes := measure.Modes(all, modesApart, modesShare)
		if len(modes) < 2 {
			return ""
		}
		var parts []string
		for _, m := range modes {
			parts = append(parts, fmt.Sprintf("%s at %s", percent(m.Share), name(m.At)))
		}
		return strings.Join(parts, ", ")
	}
	var times []float64
	for _, v := range c.Raw {
		for i := range v.Batches {
			times = append(times, v.Batches[i].PerOp())
		}
	}
	if work := slices.Concat(c.work()...); levels(work) {
		if parts := modesOf(work, gasOf); parts != "" {
			return &found{cause: "The batches do different work: " + parts + "."}
		}
	} else if _, _, yes := scattered(work); yes {
		return nil // BP16 covers this, whatever the times are
	}
	if parts := modesOf(times, duration); parts != "" {
		f := &found{cause: "The times of the batches have several modes: " + parts + ".", severity: r.byTime()}
		if len(c.Raw) < Fewest {
			f.severity = Info // a few batches always have gaps between them
		}
		return f
	}
	return nil
}

// levels reports whether the work of nearly all batches belongs to a mode. Work is exact, so its
// modes are a few values.
func levels(work []float64) bool {
	near := 0
	modes := measure.Modes(work, modesApart, modesShare)
	for _, x := range work {
		if slices.ContainsFunc(modes, func(m measure.Mode) bool { return math.Abs(x-m.At) < 0.02*m.At }) {
			near++
		}
	}
	return 10*near >= 9*len(work) && near > 0
}

// gasOf prints the gas of an iteration, for sentences.
func gasOf(x float64) string { return fmt.Sprintf("%.4g units of gas", x) }

// work is the gas of an iteration in the counted batches of each visit. It separates what a program
// does from the load of the machine: the same work takes the same gas on a loaded machine. nil: the
// engine does not count gas.
func (c *Cell) work() (visits [][]float64) {
	for _, v := range c.Raw {
		var list []float64
		for i := range v.Batches {
			if b := &v.Batches[i]; b.Gas > 0 {
				list = append(list, b.Gas/float64(b.N))
			}
		}
		if len(list) > 0 {
			visits = append(visits, list)
		}
	}
	return visits
}

// noisy is the half width of an interval, as a part of the value, from which on the interval is too
// wide.
const noisy = 0.05

// differing is the part by which the quartiles of the batches' work must differ so that no number
// of visits makes their times alike.
const differing = 0.1

// scattered reports whether the work of batches differs by that much, in more than a few levels.
func scattered(work []float64) (lo, hi float64, yes bool) {
	work = slices.Sorted(slices.Values(work))
	lo, hi = measure.Quantile(work, 0.25), measure.Quantile(work, 0.75)
	return lo, hi, len(work) >= 8 && hi-lo > differing*measure.Median(work) && !levels(work)
}

func tooNoisy(r *Report, row *Row, c *Cell) *found {
	if lo, hi, yes := scattered(slices.Concat(c.work()...)); yes && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("The batches do different work: half of them between %s and %s.", gasOf(lo), gasOf(hi))}
	}
	half := (c.NS.Hi - c.NS.Lo) / 2 / c.NS.Value
	if !(half > noisy) {
		return nil
	}
	f := &found{cause: fmt.Sprintf("Its interval is ±%s wide.", percent(half))}
	if r.settled(row, c) {
		f.severity = Info
	}
	return f
}

// settled reports whether all comparisons of a cell are by pairs, which share disturbances, and
// have a verdict.
func (r *Report) settled(row *Row, c *Cell) bool {
	n, open := 0, 0
	see := func(cmp *Comparison) {
		if cmp == nil {
			return
		}
		n++
		if cmp.Verdict == Unresolved || cmp.Verdict == Few {
			open++
		}
	}
	see(c.ToOther)
	see(c.InGroup)
	for _, o := range row.Cells {
		if o != nil && o != c && o.ToOther != nil && o.ToOther.With == c.Engine {
			see(o.ToOther)
		}
	}
	r.Rows(func(o *Row) {
		if x := o.Cell(r, c.Engine); x != nil && x != c && x.InGroup != nil && o.Bench.Group == row.Bench.Group && x.InGroup.With == row.Bench.Name {
			see(x.InGroup)
		}
	})
	return n > 0 && open == 0
}

// A run whose work grows with earlier runs grows in nearly all pairs of batches, and by at least a
// part at the end.
const (
	growing   = 0.9
	growsMore = 0.05
)

func notSteady(r *Report, row *Row, c *Cell) *found {
	slower, visits := 0, c.work()
	for _, list := range visits {
		if tau, _ := measure.Trend(list); tau > growing && list[len(list)-1] > (1+growsMore)*list[0] {
			slower++
		}
	}
	if n := len(visits); n > 0 && slower == n {
		first, last := visits[0][0], visits[0][len(visits[0])-1]
		return &found{cause: fmt.Sprintf("Each batch does more than the one before it in the same process: %s at first, %s at last.", gasOf(first), gasOf(last))}
	}
	switch c.Warmup {
	case Slowing:
		return &found{cause: "It gets slower within a process, batch by batch.", severity: r.byTime()}
	case Unsteady:
		return &found{cause: "Its level changes again and again within a process.", severity: r.byTime()}
	case Inconsistent:
		return &found{cause: "Some processes keep their level, others change it.", severity: Info}
	}
	return nil
}

func drifting(r *Report, row *Row, c *Cell) *found {
	var medians []float64
	for _, x := range c.Visits {
		if x > 0 {
			medians = append(medians, x)
		}
	}
	tau, p := measure.Trend(medians)
	if len(medians) < 8 || p > 0.001 || math.Abs(math.Log(medians[len(medians)-1]/medians[0])) < drift {
		return nil
	}
	way := "longer"
	if tau < 0 {
		way = "less"
	}
	f := &found{cause: fmt.Sprintf("Each process takes %s than those before: %s at first, %s at last.", way, duration(medians[0]), duration(medians[len(medians)-1]))}
	var work []float64
	for _, list := range c.work() {
		work = append(work, measure.Median(list))
	}
	if more, _ := measure.Trend(work); more*tau < growing*math.Abs(tau) { // each batch does more, or less
		f.severity = r.byTime()
	}
	return f
}
