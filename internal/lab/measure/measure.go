package measure

import (
	"math"
	"slices"
)

// Median returns the middle of xs, or the mean of the two middle values if their number is even.
// NaN without values.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// GeoMean returns the geometric mean of positive numbers. NaN without numbers.
func GeoMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}
