package result

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// compare makes all comparisons of a report, and corrects them together.
func (r *Report) compare() {
	var list []*Comparison
	var logs []sample
	var times []float64
	add := func(c, other *Cell, with string, of float64) *Comparison {
		cmp := &Comparison{With: with, Delta: r.Record.Run.Plan.Delta}
		g := sample{pairs: pairs(c, other)}
		if r.Record.Run.Unpaired && c.Bench == other.Bench {
			g = sample{a: logarithms(c.Visits), b: logarithms(other.Visits)}
		}
		cmp.N, cmp.Ratio = g.size(), 1
		cmp.U = mannWhitney(c.Visits, other.Visits)
		if cmp.N == 0 {
			cmp.Ratio = c.NS.Value / other.NS.Value
		}
		list, logs, times = append(list, cmp), append(logs, g), append(times, of)
		return cmp
	}
	r.Rows(func(row *Row) {
		for _, c := range row.Cells {
			if !measured(c) {
				continue
			}
			if base, of := r.baseline(row, c.Engine); base != nil {
				c.InGroup = add(c, base, base.Bench.Name, of)
			}
			if other := r.Other(c.Engine); other != "" {
				if o := row.Cell(r, other); measured(o) {
					c.ToOther = add(c, o, other, 1)
				}
			}
		}
	})
	decide(list, logs, times)
}

func measured(c *Cell) bool { return c != nil && c.NS.Value > 0 }

// rivals are the rows of a row's group that it is compared with, including itself: those whose
// parameters have the same values, or all if no other function has these values.
func (r *Report) rivals(row *Row) (list []*Row) {
	if row.Bench.Group == "" {
		return nil
	}
	var all []*Row
	alone := true
	r.Rows(func(o *Row) {
		if o.Bench.Group != row.Bench.Group {
			return
		}
		all = append(all, o)
		if slices.Equal(o.Bench.Params, row.Bench.Params) {
			list = append(list, o)
			alone = alone && o.Bench.Func == row.Bench.Func
		}
	})
	if alone {
		return all
	}
	return list
}

// baseline is the cell among its rivals that a row's cell is compared with; nil: none. It is the
// declared baseline, or the fastest. of is how many comparisons each comparison stands for: the
// fastest was chosen by its figures, which is like comparing all pairs.
func (r *Report) baseline(row *Row, engine string) (base *Cell, of float64) {
	var declared, fastest *Cell
	n := 0
	for _, other := range r.rivals(row) {
		c := other.Cell(r, engine)
		if !measured(c) {
			continue
		}
		n++
		if other.Bench.Baseline && declared == nil {
			declared = c
		}
		if fastest == nil || c.NS.Value < fastest.NS.Value {
			fastest = c
		}
	}
	base, of = declared, 1
	if base == nil {
		base, of = fastest, float64(n)/2
	}
	if base == nil || base.Bench == row.Bench {
		return nil, 1
	}
	return base, of
}

// pairs are the logarithms of the ratios of visits of the same round.
func pairs(c, other *Cell) (logs []float64) {
	byRound := map[int]float64{}
	for i, v := range other.Raw {
		byRound[v.Visit] = other.Visits[i]
	}
	for i, v := range c.Raw {
		a, b := c.Visits[i], byRound[v.Visit]
		if a > 0 && b > 0 {
			logs = append(logs, math.Log(a/b))
		}
	}
	return logs
}

// mannWhitney is the p-value that benchstat prints for the same values.
func mannWhitney(a, b []float64) float64 {
	clean := func(xs []float64) []float64 { return slices.DeleteFunc(slices.Clone(xs), math.IsNaN) }
	a, b = clean(a), clean(b)
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	thr := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Compare(benchmath.NewSample(a, &thr), benchmath.NewSample(b, &thr)).P
}

// decide fills in the outcomes of comparisons. Together they err with a probability of at most
// Level: p-values are adjusted by Holm's method, and each interval is at the level at which Holm's
// procedure tests its comparison. times says how many comparisons each one stands for.
func decide(list []*Comparison, logs []sample, times []float64) {
	p := make([]float64, len(list))
	for i, g := range logs {
		_, p[i] = g.shift(Level)
		p[i] = math.Min(1, times[i]*p[i])
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	adjusted := measure.Holm(p)
	for rank, i := range order {
		c, g := list[i], logs[i]
		c.P = adjusted[i]
		if c.N == 0 {
			c.Lo, c.Hi, c.Verdict = math.NaN(), math.NaN(), Few
			continue
		}
		by, _ := g.shift(Level / float64(len(list)-rank) / times[i])
		c.Ratio, c.Lo, c.Hi = math.Exp(by.By), math.Exp(by.Lo), math.Exp(by.Hi)
		c.Visible = math.Expm1((by.Hi - by.Lo) / 2)
		c.Verdict = verdict(c)
	}
}

// A sample is the input of a comparison, logarithms of times: differences of pairs, or two
// independent samples.
type sample struct{ pairs, a, b []float64 }

// size is the number of visits of each cell.
func (s sample) size() int {
	if s.a != nil || s.b != nil {
		return min(len(s.a), len(s.b))
	}
	return len(s.pairs)
}

// shift is the difference of the logarithms with its interval at 1-alpha, and the two-sided p-value
// of no difference.
func (s sample) shift(alpha float64) (measure.Shift, float64) {
	switch {
	case s.size() == 0:
		return measure.Shift{}, 1
	case s.a != nil:
		by := measure.RankSum(s.a, s.b, alpha)
		return by, by.P
	}
	lo, hi := measure.Interval(s.pairs, alpha/2)
	p := math.Min(1, 2*math.Min(measure.SignedRank(s.pairs), measure.SignedRank(negated(s.pairs))))
	return measure.Shift{By: measure.HodgesLehmann(s.pairs), Lo: lo, Hi: hi, P: p}, p
}

// logarithms are the logarithms of the times of visits that did not fail.
func logarithms(visits []float64) []float64 {
	logs := []float64{}
	for _, x := range visits {
		if x > 0 {
			logs = append(logs, math.Log(x))
		}
	}
	return logs
}

func negated(g []float64) []float64 {
	n := make([]float64, len(g))
	for i, x := range g {
		n[i] = -x
	}
	return n
}

// verdict is the verdict of a comparison with known figures.
func verdict(c *Comparison) Verdict {
	bound := 1 + c.Delta
	switch {
	case c.N < Fewest || math.IsInf(c.Hi, 1):
		return Few
	case c.Hi < 1 && c.Ratio < 1/bound && c.P < Level:
		return Faster
	case c.Lo > 1 && c.Ratio > bound && c.P < Level:
		return Slower
	case c.Lo >= 1/bound && c.Hi <= bound:
		return Same
	}
	return Unresolved
}
