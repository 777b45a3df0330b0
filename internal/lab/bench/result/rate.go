package result

import (
	"fmt"
	"math"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// This file has the notes of rates: bytes a second (BP21), and time for gas (BP26).

// fastMemory is more than one core of any processor moves: 1 TB/s.
const fastMemory = 1e6

func implausibleRate(r *Report, row *Row, c *Cell) *found {
	if rate := c.PerOp["MB/s"]; rate > fastMemory {
		return &found{cause: fmt.Sprintf("It would process %.3g GB/s, more than a core can load.", rate/1e3)}
	}
	return sizeDoesNothing(r, row, c)
}

// At eight times the size anything takes at least fewTimes as much. Gas and a processor's
// instructions do not tell how long bulk operations take. So where they are counted, the time must
// also have grown by less than hardlyTimes. Fewer than fewBytes are moved in a few instructions,
// next to which everything else is large.
const (
	fewTimes    = 1.25
	hardlyTimes = 2
	fewBytes    = 1024
)

// sizeDoesNothing compares the largest with the smallest of benchmarks that differ in one number of
// their names.
func sizeDoesNothing(r *Report, row *Row, c *Cell) *found {
	var smallest *Cell
	most, name, largest := 0.0, "", true
	r.Rows(func(other *Row) {
		o := other.Cell(r, c.Engine)
		if other == row || other.Bench.Package != row.Bench.Package || other.Bench.Func != row.Bench.Func || !measured(o) {
			return
		}
		if more, _ := sizeFactor(row.Bench, other.Bench); more > 1 {
			largest = false
		}
		if factor, by := sizeFactor(other.Bench, row.Bench); factor > most && o.PerOp["MB/s"] > 0 {
			smallest, most, name = o, factor, by
		}
	})
	if !largest || most < 8 || c.Bytes() < fewBytes {
		return nil
	}
	times := c.NS.Value / smallest.NS.Value
	if a, b := smallest.gas(), c.gas(); a > 0 && b > 0 {
		ratio := math.Max(b/a, math.Max(grew(smallest, c, "instructions/op"), grew(smallest, c, "ops/op")))
		if ratio < fewTimes && times < hardlyTimes {
			return &found{cause: fmt.Sprintf("With %s times the %s it takes %.2f times the gas.", trim(most), name, b/a)}
		}
		return nil
	}
	if times < fewTimes {
		return &found{cause: fmt.Sprintf("With %s times the %s it takes %.2f times as long.", trim(most), name, times), severity: r.byTime()}
	}
	return nil
}

// Bytes are the bytes of an iteration, as the benchmark says; 0: it does not say. They come from
// the batch in which other programs took the least time.
func (c *Cell) Bytes() (n float64) {
	if c.Bench.Bytes > 0 {
		return float64(c.Bench.Bytes)
	}
	for _, v := range c.Raw {
		for i := range v.Batches {
			b := &v.Batches[i]
			n = math.Max(n, b.Metrics["MB/s"]*b.NS/float64(b.N)/1e3)
		}
	}
	return n
}

// grew is how many times as much of a unit the second cell takes; 0: unknown.
func grew(a, b *Cell, unit string) float64 {
	if x := a.PerOp[unit]; x > 0 {
		return b.PerOp[unit] / x
	}
	return 0
}

func trim(x float64) string { return fmt.Sprintf("%.3g", x) }

// sizeFactor is the ratio of the one parameter in which two benchmarks differ; 0: they differ
// otherwise.
func sizeFactor(small, large *record.Bench) (factor float64, name string) {
	if len(small.Params) != len(large.Params) {
		return 0, ""
	}
	for i, p := range small.Params {
		q := large.Params[i]
		if p.Name != q.Name {
			return 0, ""
		}
		if p.Value == q.Value {
			continue
		}
		var a, b float64
		if _, err := fmt.Sscan(p.Value, &a); err != nil || factor != 0 {
			return 0, ""
		}
		if _, err := fmt.Sscan(q.Value, &b); err != nil || a <= 0 {
			return 0, ""
		}
		factor, name = b/a, p.Name
	}
	return factor, name
}

// mispricedBy is the ratio of a benchmark's time per gas to the report's median from which on there
// is a note.
const mispricedBy = 3

func mispriced(r *Report, row *Row, c *Cell) *found {
	x := c.PerOp["ns/gas"]
	var all []float64
	r.Rows(func(o *Row) {
		if oc := o.Cell(r, c.Engine); measured(oc) && oc.PerOp["ns/gas"] > 0 {
			all = append(all, oc.PerOp["ns/gas"])
		}
	})
	if m := measure.Median(all); len(all) < 5 || !(x > mispricedBy*m) {
		return nil
	}
	return &found{cause: fmt.Sprintf("A unit of its gas takes %.2g ns, %.2g times the usual here.", x, x/measure.Median(all))}
}
