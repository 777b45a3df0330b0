package result

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// Level is the two-sided level of all comparisons of a report together, and of the intervals.
const Level = 0.05

// Of makes the report on a record.
func Of(rec *record.Record) *Report {
	r := &Report{Record: rec, Engines: slices.Clone(rec.Run.Engines)}
	for _, b := range rec.Benches {
		row := &Row{Bench: b, Cells: make([]*Cell, len(r.Engines))}
		for i, e := range r.Engines {
			row.Cells[i] = newCell(rec, b, e)
		}
		i := slices.IndexFunc(r.Tables, func(t *Table) bool { return t.Package == b.Package })
		if i < 0 {
			i = len(r.Tables)
			r.Tables = append(r.Tables, &Table{Package: b.Package})
		}
		r.Tables[i].Rows = append(r.Tables[i].Rows, row)
	}
	r.takeOffSetups()
	r.compare()
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			row.BreakEven = breakEven(row)
		}
	}
	r.markFastest()
	r.means()
	r.diagnose()
	return r
}

// Rows calls f for each row.
func (r *Report) Rows(f func(*Row)) {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			f(row)
		}
	}
}

// Cell returns the row's cell in the engine with a label; nil: none.
func (row *Row) Cell(r *Report, engine string) *Cell {
	if i := slices.Index(r.Engines, engine); i >= 0 {
		return row.Cells[i]
	}
	return nil
}

// newCell gathers a record's lines about a cell; nil: it has none.
func newCell(rec *record.Record, b *record.Bench, engine string) *Cell {
	at := record.Cell{Bench: b.Key, Engine: engine}
	c := &Cell{Bench: b, Engine: engine}
	for _, v := range rec.Visits {
		if v.Cell == at {
			c.Raw = append(c.Raw, v)
		}
	}
	c.Count = lineOf(rec.Counts, func(x *record.Count) record.Cell { return x.Cell }, at)
	c.Proof = lineOf(rec.Proofs, func(x *record.Proof) record.Cell { return x.Cell }, at)
	c.Profile = lineOf(rec.Profiles, func(x *record.Profile) record.Cell { return x.Cell }, at)
	c.Counters = lineOf(rec.Counters, func(x *record.Counters) record.Cell { return x.Cell }, at)
	if len(c.Raw) == 0 && c.Count == nil && c.Proof == nil && c.Profile == nil {
		return nil
	}
	slices.SortStableFunc(c.Raw, func(a, b *record.Visit) int { return a.Visit - b.Visit })
	c.figures(rec.Run.Plan.Seed)
	return c
}

// figures computes the figures of a cell from its lines.
func (c *Cell) figures(seed uint64) {
	c.PerOp, c.Visits = map[string]float64{}, nil
	c.times(seed)
	c.exact()
}

// Samples are the times of an iteration in the batches of a visit, or without a setup in pairs of
// batches of two sizes.
func (c *Cell) Samples(v *record.Visit) []float64 {
	if c.WithoutSetup {
		return v.Slopes()
	}
	return v.PerOp()
}

func lineOf[T any](list []*T, key func(*T) record.Cell, at record.Cell) *T {
	if i := slices.IndexFunc(list, func(x *T) bool { return key(x) == at }); i >= 0 {
		return list[i]
	}
	return nil
}

// times computes the figures from the clock.
func (c *Cell) times(seed uint64) {
	var groups [][]float64
	var all []float64
	batches, collected := 0, 0
	total, collecting := 0.0, 0.0
	metrics := map[string][]float64{}
	for _, v := range c.Raw {
		if len(v.Batches) == 0 {
			c.Visits = append(c.Visits, math.NaN())
			c.Failed = v.Failed
			continue
		}
		group := c.Samples(v)
		for i := range v.Batches {
			b := &v.Batches[i]
			batches++
			if b.GCs > 0 {
				collected++
			}
			total, collecting = total+b.NS, collecting+b.GCNS
			for unit, x := range b.Metrics {
				metrics[unit] = append(metrics[unit], x)
			}
		}
		groups = append(groups, group)
		all = append(all, group...)
		c.Visits = append(c.Visits, measure.Median(group))
	}
	if len(groups) == 0 {
		c.NS = Interval{math.NaN(), math.NaN(), math.NaN()}
		if c.Failed == "" && c.Count != nil {
			c.Failed = c.Count.Failed
		}
		return
	}
	c.Failed = ""
	lo, mid, hi := measure.Bootstrap(groups, Level, seed)
	c.NS = Interval{mid, lo, hi}
	if len(groups) < Fewest {
		c.NS.Lo, c.NS.Hi = math.NaN(), math.NaN()
	}
	slices.Sort(all)
	c.P50, c.P95, c.Max = measure.Quantile(all, 0.5), measure.Quantile(all, 0.95), all[len(all)-1]
	if total > 0 {
		c.GCShare = collecting / total
	}
	c.GCBatches = float64(collected) / float64(batches)
	for unit, list := range metrics {
		c.PerOp[unit] = measure.Median(list)
	}
	c.Warmup = warmupOf(c.Raw)
}

// Fewest is the least number of visits with an interval at 95 %.
const Fewest = 6

// exact sets the figures that are the same in every run. They replace those that package testing
// prints rounded.
func (c *Cell) exact() {
	if c.Count != nil {
		for unit, x := range c.Count.PerOp {
			c.PerOp[unit] = x
		}
		c.FirstNS, c.CompileNS, c.CodeBytes = c.Count.FirstNS, c.Count.CompileNS, c.Count.CodeBytes
	}
	if c.Counters != nil {
		for unit, x := range c.Counters.PerOp {
			c.PerOp[unit] = x
		}
	}
	if gas := c.PerOp["gas/op"]; gas > 0 && !math.IsNaN(c.NS.Value) {
		c.PerOp["ns/gas"] = c.NS.Value / gas
	}
	if bytes := c.Bytes(); c.NS.Value > 0 && bytes > 0 && (c.Bench.Bytes > 0 || c.WithoutSetup) {
		c.PerOp["MB/s"] = bytes / c.NS.Value * 1e3
	}
}

// warmupLevel is the least part by which two levels of a visit differ.
const warmupLevel = 0.05

// warmupOf says how the time went on in most visits.
func warmupOf(visits []*record.Visit) Warmup {
	count := map[Warmup]int{}
	n := 0
	for _, v := range visits {
		if len(v.Batches) == 0 {
			continue
		}
		n++
		var series []float64
		for _, list := range [][]record.Batch{v.Warm, v.Batches} {
			for i := range list {
				series = append(series, math.Log(list[i].PerOp()))
			}
		}
		var levels []measure.Segment
		for _, s := range measure.Segments(series, 3) {
			if k := len(levels); k > 0 && math.Abs(levels[k-1].Level-s.Level) < warmupLevel {
				levels[k-1].To = s.To
				continue
			}
			levels = append(levels, s)
		}
		switch {
		case len(levels) <= 1:
			count[Flat]++
		case len(levels) > 3:
			count[Unsteady]++
		case levels[0].Level > levels[len(levels)-1].Level:
			count[Warming]++
		default:
			count[Slowing]++
		}
	}
	for _, w := range []Warmup{Flat, Warming, Slowing, Unsteady} {
		if 4*count[w] >= 3*n && n > 0 {
			return w
		}
	}
	if count[Flat]+count[Warming] == n {
		return Flat // it became faster during the warm-up
	}
	return Inconsistent
}

// Other is the label of the engine that an engine's cells are compared with: the same engine in the
// other revision, or the first engine. It is empty for the first engine itself.
func (r *Report) Other(engine string) string {
	if strings.Contains(engine, "@") {
		return ""
	}
	for _, e := range r.Engines {
		if name, _, ok := strings.Cut(e, "@"); ok && name == engine {
			return e
		}
	}
	if r.Record.Run.Against != "" || engine == r.Engines[0] {
		return ""
	}
	return r.Engines[0]
}

// breakEven is the number of iterations from which on machine code is ahead of the interpreter.
func breakEven(row *Row) float64 {
	var native, interp *Cell
	for _, c := range row.Cells {
		if c != nil && c.Engine == "native" {
			native = c
		}
		if c != nil && c.Engine == "interp" {
			interp = c
		}
	}
	if native == nil || interp == nil {
		return 0
	}
	gain := interp.NS.Value - native.NS.Value
	cost := native.CompileNS - interp.CompileNS
	if !(gain > 0) || math.IsNaN(cost) {
		return 0
	}
	return math.Max(1, math.Ceil(cost/gain))
}

// markFastest marks the fastest of the rows that are compared with each other, in the yardstick's
// column.
func (r *Report) markFastest() {
	time := func(row *Row) float64 {
		if len(row.Cells) == 0 || !measured(row.Cells[0]) {
			return math.Inf(1)
		}
		return row.Cells[0].NS.Value
	}
	r.Rows(func(row *Row) {
		rivals := slices.DeleteFunc(slices.Clone(r.rivals(row)), func(o *Row) bool { return math.IsInf(time(o), 1) })
		row.Fastest = len(rivals) > 1 && slices.MinFunc(rivals, func(a, b *Row) int { return cmp.Compare(time(a), time(b)) }) == row
	})
}

// means computes the geometric means of ratios, over the rows that have both cells.
func (r *Report) means() {
	for _, e := range r.Engines {
		if r.Other(e) == "" {
			continue
		}
		of := map[string][]float64{}
		var order []string
		r.Rows(func(row *Row) {
			c := row.Cell(r, e)
			if c == nil || c.ToOther == nil || !(c.ToOther.Ratio > 0) {
				return
			}
			for _, name := range []string{"", row.Bench.Package} {
				if of[name] == nil {
					order = append(order, name)
				}
				of[name] = append(of[name], c.ToOther.Ratio)
			}
		})
		for _, name := range order {
			if name != "" && len(r.Tables) < 2 {
				continue
			}
			r.Means = append(r.Means, Mean{Engine: e, Of: name, Rows: len(of[name]), Ratio: measure.GeoMean(of[name])})
		}
	}
}
