package measure

import (
	"math"
	"slices"
)

// A Class says how well a metric repeats, and so how two programs are compared by it.
type Class string

const (
	Exact     Class = "exact"      // all samples are equal: one is enough
	NearExact Class = "near-exact" // they stay within NearExactSpread: ranges are compared
	Noisy     Class = "noisy"      // everything else: a Trial decides
)

// NearExactSpread is the spread below which a metric is near-exact: half a percent. The bytes that
// a benchmark allocates spread about as much.
const NearExactSpread = 0.005

// Classify tells the class of a metric from samples of one program. Fewer than four samples show
// nothing, so the metric is noisy.
func Classify(samples []float64) Class {
	s := Spread(samples)
	switch {
	case len(samples) < 4 || math.IsNaN(s):
		return Noisy
	case s == 0:
		return Exact
	case s < NearExactSpread:
		return NearExact
	}
	return Noisy
}

// Spread is the distance between the largest and the smallest sample as a part of the median. It is
// 0 if all are equal, infinite if they differ around 0, and NaN without samples.
func Spread(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	d := slices.Max(samples) - slices.Min(samples)
	if d == 0 {
		return 0
	}
	return d / math.Abs(Median(samples))
}

// Noise estimates the standard deviation of gains from pairs of the same program. It is the median
// distance from 0, which outliers do not move, scaled to that of the normal distribution. NaN
// without gains.
func Noise(gains []float64) float64 {
	abs := make([]float64, len(gains))
	for i, g := range gains {
		abs[i] = math.Abs(g)
	}
	return Median(abs) / normalQuantile(0.75)
}

// CompareExact is 1 if the candidate's value is better by at least minEffect, -1 if it is worse by
// as much, and 0 otherwise. minEffect is in the unit of the values; at 0 any difference counts.
func (g Goal) CompareExact(parent, candidate, minEffect float64) int {
	better := parent - candidate
	if g == Max {
		better = -better
	}
	switch {
	case better < 0 && -better >= minEffect:
		return -1
	case better > 0 && better >= minEffect:
		return 1
	}
	return 0
}

// CompareRanges compares near-exact metrics. It is 1 if every sample of the candidate is better by
// at least minEffect than every sample of the parent, -1 if every one is worse by as much, and 0 if
// the ranges meet. minEffect is in the unit of the values. It is 0 if either has no samples.
func (g Goal) CompareRanges(parent, candidate []float64, minEffect float64) int {
	if len(parent) == 0 || len(candidate) == 0 {
		return 0
	}
	best, worst := slices.Min[[]float64], slices.Max[[]float64]
	if g == Max {
		best, worst = worst, best
	}
	if g.CompareExact(best(parent), worst(candidate), minEffect) == 1 {
		return 1
	}
	if g.CompareExact(worst(parent), best(candidate), minEffect) == -1 {
		return -1
	}
	return 0
}
