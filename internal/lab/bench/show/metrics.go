package show

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

// A metric is a unit that the outputs know. Other units, from testing.B.ReportMetric, follow by
// name.
type metric struct {
	unit   string
	always bool // shown without -v
	better string
}

// metrics are in the order in which they are shown.
var metrics = []metric{
	{"MB/s", true, "higher"},
	{"gas/op", true, "lower"},
	{"ns/gas", true, "lower"},
	{"instructions/op", true, "lower"},
	{"B/op", true, "lower"},
	{"allocs/op", true, "lower"},
	{"ops/op", false, "lower"},
	{"exits/op", false, "lower"},
	{"cycles/op", false, "lower"},
	{"hw-instructions/op", false, "lower"},
	{"branch-misses/op", false, "lower"},
	{"cache-misses/op", false, "lower"},
}

// known finds a unit's metric. A benchmark's own metrics are always shown.
func known(unit string) metric {
	if i := slices.IndexFunc(metrics, func(m metric) bool { return m.unit == unit }); i >= 0 {
		return metrics[i]
	}
	return metric{unit: unit, always: true}
}

// Units are the units of the metrics of some cells, in the order in which they are shown.
func Units(cells []*result.Cell, verbose bool) []string {
	var list []string
	add := func(perOp map[string]float64) {
		for unit := range perOp {
			if unit != "ns/op" && (verbose || known(unit).always) && !slices.Contains(list, unit) {
				list = append(list, unit)
			}
		}
	}
	for _, c := range cells {
		if c == nil {
			continue
		}
		add(c.PerOp)
		if c.Counters != nil {
			add(c.Counters.PerOp)
		}
	}
	place := func(unit string) int {
		i := slices.IndexFunc(metrics, func(m metric) bool { return m.unit == unit })
		return map[bool]int{true: len(metrics), false: i}[i < 0]
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(place(a)-place(b), strings.Compare(a, b)) })
	return list
}

// Value is a cell's figure in a unit.
func Value(c *result.Cell, unit string) (float64, bool) {
	if c == nil {
		return 0, false
	}
	v, ok := c.PerOp[unit]
	if !ok && c.Counters != nil {
		v, ok = c.Counters.PerOp[unit]
	}
	return v, ok && !math.IsNaN(v)
}

// exact reports whether a cell's figure in a unit was counted, and so is the same in every run.
func exact(c *record.Count, unit string) bool {
	if c == nil || c.Failed != "" {
		return false
	}
	_, ok := c.PerOp[unit]
	return ok
}

// metricItems prints the figures of a row: 41 gas/op once if all engines agree, else each value
// with its engines.
func metricItems(engines []string, cells []*result.Cell, verbose bool) []string {
	var items []string
	for _, unit := range Units(cells, verbose) {
		var values []string
		of := map[string][]string{}
		for i, c := range cells {
			v, ok := Value(c, unit)
			if !ok {
				continue
			}
			text := Number(v)
			if of[text] == nil {
				values = append(values, text)
			}
			of[text] = append(of[text], engines[i])
		}
		switch {
		case len(values) == 0:
		case len(values) == 1:
			items = append(items, values[0]+" "+unit)
		default:
			var parts []string
			for i, v := range values {
				if i == 0 {
					v += " " + unit
				}
				parts = append(parts, v+" "+strings.Join(of[values[i]], "+"))
			}
			items = append(items, strings.Join(parts, ", "))
		}
	}
	return items
}

// details prints the remaining figures of a cell.
func details(c *result.Cell) []string {
	var items []string
	add := func(label string, v float64, text string) {
		if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
			items = append(items, label+" "+text)
		}
	}
	add("p50", c.P50, Duration(c.P50))
	add("p95", c.P95, Duration(c.P95))
	add("max", c.Max, Duration(c.Max))
	add("collections", c.GCShare, Percent(c.GCShare)+" of the time, in "+Percent(c.GCBatches)+" of the batches")
	add("compiled in", c.CompileNS, Duration(c.CompileNS))
	add("code", float64(c.CodeBytes), Bytes(c.CodeBytes))
	add("first iteration", c.FirstNS, Duration(c.FirstNS))
	if c.Warmup != "" {
		items = append(items, "warm-up: "+string(c.Warmup))
	}
	switch p := c.Proof; {
	case p == nil:
	case p.Unknown != "":
		items = append(items, "what is left in the loop is unknown: "+p.Unknown)
	case p.Lowered == 0:
		items = append(items, "in the loop "+Number(float64(p.Left))+" instructions more than in an empty one")
	default:
		items = append(items, "in the loop "+Number(float64(p.Left))+" of "+Number(float64(p.Lowered))+" operations")
	}
	return items
}

// Batches are the times of an iteration in all counted batches of a cell, or pairs of them.
func Batches(c *result.Cell) []float64 {
	var list []float64
	for _, v := range c.Raw {
		if v == nil {
			continue
		}
		for _, ns := range c.Samples(v) {
			if !math.IsNaN(ns) && !math.IsInf(ns, 0) {
				list = append(list, ns)
			}
		}
	}
	return list
}

// histogram draws the distribution of values between the least one and the 99th percentile. The
// last block has the values beyond.
func histogram(values []float64, blocks int) string {
	if len(values) < 4 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(values))
	lo, hi := sorted[0], sorted[(len(sorted)-1)*99/100]
	if !(hi > lo) {
		return ""
	}
	count := make([]int, blocks)
	for _, v := range sorted {
		count[min(int((v-lo)/(hi-lo)*float64(blocks)), blocks-1)]++
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	most := slices.Max(count)
	out := make([]rune, blocks)
	for i, n := range count {
		out[i] = levels[(n*(len(levels)-1)+most-1)/most]
	}
	return string(out)
}
