package result

import (
	"fmt"
	"math"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// This file has the notes of what is timed besides the iterations: a setup before the loop (BP12),
// and timers and clocks in each iteration (BP12, BP33). The source says where they are.

// setupShare is the share of a batch that does not grow with its iterations from which on there is
// a note. Calibration knows it from single readings, so by times alone it must be larger.
const (
	setupShare       = 0.05
	setupShareByTime = 0.25
)

// setupTimed finds a part of the time that does not grow with the iterations, where the source times
// something before the loop. Else such a part belongs to the first iteration, which BP27 looks at.
func setupTimed(r *Report, row *Row) *found {
	if hinted(row, record.HintSetup) == "" || r.has(row, "BP10", "BP11", "BP12") {
		return nil
	}
	var worst *found
	most, counted := 0.0, false
	for _, c := range row.Cells {
		n, gas := iterations(c), 0.0
		if n > 0 {
			gas = c.gas()
		}
		if gas <= 0 || c.meanGas() <= 0 {
			continue
		}
		counted = true
		fixed := (c.meanGas() - gas) * float64(c.Count.N)
		if share := fixed / (fixed + n*gas); share > math.Max(most, setupShare) {
			most = share
			worst = &found{cause: fmt.Sprintf("What stands before the loop is timed, and is %s of a batch of %.0f iterations: it takes %.3g units of gas, an iteration %.4g.",
				percent(share), n, fixed, gas)}
		}
	}
	for _, x := range r.Record.Calibrate {
		if x.Bench != row.Bench.Key || worst != nil || counted { // gas is exact, and of the same source
			continue
		}
		c := row.Cell(r, x.Engine)
		n := iterations(c)
		if n == 0 {
			continue
		}
		if share := x.FixedNS / (n * c.NS.Value); share > setupShareByTime {
			worst = &found{cause: fmt.Sprintf("What stands before the loop is timed, and takes about %s of the %s of a batch of %.0f iterations.",
				duration(x.FixedNS), duration(n*c.NS.Value), n), severity: r.byTime()}
		}
	}
	if worst != nil {
		worst.place = hinted(row, record.HintSetup)
	}
	return worst
}

// iterations is how many a batch of a cell has; 0: it was not measured.
func iterations(c *Cell) float64 {
	if !measured(c) || len(c.Raw) == 0 || len(c.Raw[0].Batches) == 0 {
		return 0
	}
	return float64(c.Raw[0].Batches[0].N)
}

// hinted are the places of a row's hints of one kind; empty: it has none.
func hinted(row *Row, kind string) string {
	var list []string
	for _, h := range row.Bench.Hints {
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
	if at := hinted(row, record.HintStop); at != "" && c.NS.Value < littleToTime && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("Each iteration stops the timer, and is timed for %s, of which starting and stopping it is a large part.", duration(c.NS.Value)), place: at}
	}
	return nil
}

func readsClock(r *Report, row *Row, c *Cell) *found {
	if at := hinted(row, record.HintClock); at != "" && c.NS.Value < littleToTime && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("Each iteration reads the clock, which is a large part of the %s that it takes.", duration(c.NS.Value)), place: at}
	}
	return nil
}
