package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// This file has what is timed besides the iterations: a setup before the loop (BP12), and timers and
// clocks in each iteration (BP12, BP33). The source says where they are. Where batches of two sizes
// resolve an iteration, its time is taken without the setup.

// setupShare is the share of a batch that does not grow with its iterations from which on there is
// a note. Times alone must show that much, and an estimate of setupShareByTime.
const (
	setupShare       = 0.05
	setupShareByTime = 0.25
)

// A timedSetup is a part of a row's batches that does not grow with their iterations.
type timedSetup struct {
	cause    string
	severity Severity // empty: the rule's
	off      bool     // the times of the row are without it
	kept     string   // why they are not
}

// setupOf finds the setup of a row, where the source times something before the loop; nil: none.
// Else such a part belongs to the first iteration, which BP27 looks at.
func setupOf(r *Report, row *Row) *timedSetup {
	if hinted(row.Bench, record.HintSetup) == "" {
		return nil
	}
	var worst *timedSetup
	most, counted := 0.0, false
	for _, c := range row.Cells {
		n := iterations(c)
		if n == 0 {
			continue
		}
		fixed, share, ok := setupByGas(c.Count, n)
		counted = counted || ok
		if share > math.Max(most, setupShare) {
			most = share
			worst = &timedSetup{cause: fmt.Sprintf("What stands before the loop is timed, and is %s of a batch of %.0f iterations: it takes %.3g units of gas, an iteration %.4g.",
				percent(share), n, fixed, c.gas())}
		}
	}
	if counted { // gas is exact, and of the same source
		return worst
	}
	most = setupShareByTime
	for _, c := range row.Cells {
		n := iterations(c)
		if n == 0 {
			continue
		}
		if share := setupByTime(r.Record, c); share > most {
			most = share
			batch := n * c.NS.Value
			worst = &timedSetup{cause: fmt.Sprintf("What stands before the loop is timed, and takes about %s of the %s of a batch of %.0f iterations.",
				duration(share*batch), duration(batch), n), severity: r.byTime()}
		}
	}
	return worst
}

// setupByGas is the gas of a setup, and its share of a batch of n iterations. It is known if ok.
func setupByGas(c *record.Count, n float64) (fixed, share float64, ok bool) {
	if c == nil {
		return 0, 0, false
	}
	gas, mean := c.PerOp["gas/op"], c.Mean["gas/op"]
	if gas <= 0 || mean <= 0 {
		return 0, 0, false
	}
	fixed = (mean - gas) * float64(c.N)
	return fixed, fixed / (fixed + n*gas), true
}

// interval is the median of visits and where it lies at Level. With few visits this is where the median
// of all their values lies, and all the visits' own.
func interval(visits [][]float64, seed uint64) (lo, mid, hi float64) {
	lo, mid, hi = measure.Bootstrap(visits, Level, seed)
	if n := len(visits); n > 1 && n < Fewest {
		lo, _, hi = measure.MedianInterval(slices.Concat(visits...), Level)
		for _, v := range visits {
			lo, hi = math.Min(lo, measure.Median(v)), math.Max(hi, measure.Median(v))
		}
	}
	return lo, mid, hi
}

// setupByTime is the share of a setup in a cell's batches: what two sizes of batches have in common,
// or where they leave it open, what calibration read.
func setupByTime(rec *record.Record, c *Cell) float64 {
	var shares [][]float64
	for _, v := range c.Raw {
		var list []float64
		for i, slope := range v.Slopes() {
			list = append(list, 1-slope/v.Batches[i].PerOp())
		}
		if list != nil {
			shares = append(shares, list)
		}
	}
	switch lo, mid, hi := interval(shares, rec.Run.Plan.Seed); {
	case lo > setupShare:
		return mid
	case hi < setupShareByTime:
		return 0
	}
	x := lineOf(rec.Calibrate, func(x *record.Calibration) record.Cell { return x.Cell }, record.Cell{Bench: c.Bench.Key, Engine: c.Engine})
	if x == nil {
		return 0
	}
	return x.FixedNS / (iterations(c) * c.NS.Value)
}

// A larger batch has so many more iterations that they take as long as the setup, but at most
// mostLarger batches. Noise of a setup of more than mostSetup batches hides them all the same.
const (
	mostLarger = 8
	mostSetup  = 50
)

// LargerBatches is how many times as many iterations a benchmark's larger batches need, judging by a
// record without visits, to take a setup off its time; 0: it has no setup. n has the iterations of a
// batch by engine.
func LargerBatches(rec *record.Record, b *record.Bench, n map[string]int) int {
	if hinted(b, record.HintSetup) == "" {
		return 0
	}
	most, counted := 0.0, false // setup in batches without it
	for _, c := range rec.Counts {
		if c.Bench == b.Key && n[c.Engine] > 0 {
			fixed, _, ok := setupByGas(c, 0)
			if ok {
				counted = true
				most = math.Max(most, fixed/(float64(n[c.Engine])*c.PerOp["gas/op"]))
			}
		}
	}
	for _, c := range rec.Calibrate {
		if c.Bench == b.Key && n[c.Engine] > 0 && !counted && rec.Run.Plan.BatchNS > 0 {
			most = math.Max(most, c.FixedNS/float64(rec.Run.Plan.BatchNS)) // which its iterations fill
		}
	}
	if most/(1+most) <= setupShare || most > mostSetup {
		return 0
	}
	return 1 + int(math.Min(mostLarger, math.Ceil(most)))
}

// takeOffSetups takes setups off the times of the rows that have one. What is compared has either all
// its setups taken off or none, so rows of a group and the engines of a row go together.
func (r *Report) takeOffSetups() {
	together := map[string][]*Row{}
	r.Rows(func(row *Row) {
		if r.told(row, "BP10", "BP11") {
			return
		}
		if row.setup = setupOf(r, row); row.setup != nil {
			key := cmp.Or(row.Bench.Group, row.Bench.Key)
			together[key] = append(together[key], row)
		}
	})
	seed := r.Record.Run.Plan.Seed
	for _, rows := range together {
		off := true
		for _, row := range rows {
			for _, c := range row.Cells {
				if why := c.unresolved(seed); why != "" {
					row.setup.kept, off = why, false
				}
			}
		}
		for _, row := range rows {
			s := row.setup
			if !off {
				s.kept = cmp.Or(s.kept, "what it is compared with includes its own")
				continue
			}
			s.off, s.severity = true, "" // the figures depend on it, so it is told on any machine
			for _, c := range row.Cells {
				if measured(c) {
					c.WithoutSetup = true
					c.figures(seed)
				}
			}
		}
	}
}

// resolvedWithin is how wide each half of the interval of a slope may be, as a part of the slope.
const resolvedWithin = 0.5

// unresolved is why batches of two sizes do not tell the time of an iteration; empty: they do, or the
// cell has no times. It must be positive in each visit, and its interval narrow enough.
func (c *Cell) unresolved(seed uint64) string {
	if !measured(c) {
		return ""
	}
	const noise = "batches of two sizes do not resolve an iteration"
	var groups [][]float64
	for _, v := range c.Raw {
		if len(v.Batches) == 0 {
			continue
		}
		slopes := v.Slopes()
		switch {
		case len(slopes) == 0:
			return "not all its visits have batches of two sizes"
		case measure.Median(slopes) <= 0:
			return noise
		}
		groups = append(groups, slopes)
	}
	if lo, mid, hi := interval(groups, seed); lo >= (1-resolvedWithin)*mid && hi <= (1+resolvedWithin)*mid {
		return ""
	}
	return noise
}

// setupTimed says where the setup stands, and whether times are without it. Where the source alone
// has shown a setup, it adds that.
func setupTimed(r *Report, row *Row) *found {
	place := hinted(row.Bench, record.HintSetup)
	if place == "" || r.has(row, "BP10", "BP11") {
		return nil
	}
	s := row.setup
	i := slices.IndexFunc(r.Notes, func(n *Note) bool { return n.Bench == row.Bench.Key && n.Code == "BP12" })
	if s == nil && (i < 0 || !slices.ContainsFunc(row.Cells, measured)) {
		return nil
	}
	if s == nil {
		s = &timedSetup{kept: "it is too small a part of a batch to show"}
	}
	phrase := "ns/op is without it."
	if !s.off {
		phrase = "ns/op includes it: " + s.kept + "."
	}
	if i >= 0 {
		r.Notes[i].Cause += " Of the setup before the loop: " + phrase
		return nil
	}
	return &found{cause: s.cause + " " + phrase, place: place, severity: s.severity}
}

// iterations is how many a batch of a cell has; 0: it was not measured.
func iterations(c *Cell) float64 {
	if !measured(c) || len(c.Raw) == 0 || len(c.Raw[0].Batches) == 0 {
		return 0
	}
	return float64(c.Raw[0].Batches[0].N)
}

// hinted are the places of a benchmark's hints of one kind; empty: it has none.
func hinted(b *record.Bench, kind string) string {
	var list []string
	for _, h := range b.Hints {
		if h.Kind == kind {
			list = append(list, h.Place)
		}
	}
	return strings.Join(list, ", ")
}

// littleToTime is how long an iteration must be so that two readings of the clock are about a
// hundredth of it, and what they make caches forget is little.
const littleToTime = 10e3

func stopsOften(r *Report, row *Row, c *Cell) *found {
	if at := hinted(row.Bench, record.HintStop); at != "" && c.NS.Value < littleToTime && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("Each iteration stops the timer, and is timed for %s, of which starting and stopping it is a large part.", duration(c.NS.Value)), place: at}
	}
	return nil
}

func readsClock(r *Report, row *Row, c *Cell) *found {
	if at := hinted(row.Bench, record.HintClock); at != "" && c.NS.Value < littleToTime && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("Each iteration reads the clock, which is a large part of the %s that it takes.", duration(c.NS.Value)), place: at}
	}
	return nil
}
