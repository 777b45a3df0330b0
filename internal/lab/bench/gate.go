package bench

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

// A Regression is what a gate finds.
type Regression struct {
	record.Cell
	Unit     string // of an exact metric; empty: the time
	Old, New float64
	// For the time: how many times as slow it is.
	Ratio, Lo, Hi float64
}

func (r *Regression) String() string {
	if r.Unit == "" {
		return fmt.Sprintf("%s in %s: %.3g times as slow (%.3g-%.3g)", r.Bench, r.Engine, r.Ratio, r.Lo, r.Hi)
	}
	return fmt.Sprintf("%s in %s: %.7g %s, were %.7g", r.Bench, r.Engine, r.New, r.Unit, r.Old)
}

// rounding is the part by which equal exact figures may differ after division by different numbers
// of iterations.
const rounding = 1e-9

// ExactRegressions are the exact metrics that have grown since an older record. Metrics that only
// one of the records has do not count.
func ExactRegressions(old, now *record.Record) (list []Regression) {
	before := map[record.Cell]*record.Count{}
	for _, c := range old.Counts {
		before[c.Cell] = c
	}
	for _, c := range now.Counts {
		b := before[c.Cell]
		if b == nil {
			continue
		}
		for _, unit := range slices.Sorted(maps.Keys(c.PerOp)) {
			was, ok := b.PerOp[unit]
			if is := c.PerOp[unit]; ok && is-was > rounding*math.Max(math.Abs(is), 1) {
				list = append(list, Regression{Cell: c.Cell, Unit: unit, Old: was, New: is})
			}
		}
	}
	return list
}

// SlowerThan are the cells that take longer than in an older record. Believe them only if a second
// measurement agrees: of many cells some are unlucky.
func SlowerThan(old, now *record.Record) (list []Regression) {
	r := result.Of(result.Merge(old, now))
	r.Rows(func(row *result.Row) {
		for _, c := range row.Cells {
			if c == nil || c.ToOther == nil || c.ToOther.Verdict != result.Slower || c.ToOther.With != c.Engine+result.Old {
				continue
			}
			list = append(list, Regression{Cell: record.Cell{Bench: row.Bench.Key, Engine: c.Engine}, Ratio: c.ToOther.Ratio, Lo: c.ToOther.Lo, Hi: c.ToOther.Hi})
		}
	})
	return list
}

// Both are the regressions that two measurements have in common.
func Both(a, b []Regression) (list []Regression) {
	for _, x := range a {
		if slices.ContainsFunc(b, func(y Regression) bool { return x.Cell == y.Cell && x.Unit == y.Unit }) {
			list = append(list, x)
		}
	}
	return list
}
