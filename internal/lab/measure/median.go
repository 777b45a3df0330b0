package measure

import (
	"math"
	"math/rand/v2"
	"slices"
)

// MedianInterval returns the median of xs with its interval from order statistics. The interval's
// error is at most alpha for any distribution. With too few values the ends are NaN: 5 % needs six.
func MedianInterval(xs []float64, alpha float64) (lo, median, hi float64) {
	s := slices.Clone(xs)
	slices.Sort(s)
	median = Median(s)
	n := len(s)
	// The interval from the k-th smallest to the k-th largest misses the median if fewer than k
	// values lie on one side.
	p, k := math.Pow(0.5, float64(n)), 0
	for sum := p; k < n/2 && 2*sum <= alpha; k++ {
		p *= float64(n-k) / float64(k+1)
		sum += p
	}
	if k == 0 {
		return math.NaN(), median, math.NaN()
	}
	return s[k-1], median, s[n-k]
}

// resamples is the number of samples that a bootstrap draws. Fifteen lie beyond each end of an
// interval at 95 %, which makes the ends stable to about a tenth of its width.
const resamples = 600

// Bootstrap returns the median of the medians of groups, with an interval at 1-alpha. It resamples
// groups first and then the values of each. Values of a group, such as the batches of one process,
// are not independent of each other and must not be pooled. It is the percentile interval (Davison
// and Hinkley 1997, section 5.3), expanded for few groups. The same groups and seed give the same
// interval. Without groups all results are NaN.
func Bootstrap(groups [][]float64, alpha float64, seed uint64) (lo, median, hi float64) {
	var medians []float64
	for _, g := range groups {
		if len(g) > 0 {
			medians = append(medians, Median(g))
		}
	}
	median = Median(medians)
	if len(medians) < 2 {
		return math.NaN(), median, math.NaN()
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(groups))))
	full := slices.DeleteFunc(slices.Clone(groups), func(g []float64) bool { return len(g) == 0 })
	var draw, inner []float64
	list := make([]float64, resamples)
	for i := range list {
		draw = draw[:0]
		for range full {
			g := full[r.IntN(len(full))]
			inner = inner[:0]
			for range g {
				inner = append(inner, g[r.IntN(len(g))])
			}
			draw = append(draw, Median(inner))
		}
		list[i] = Median(draw)
	}
	slices.Sort(list)
	tail := expanded(alpha/2, len(medians))
	return Quantile(list, tail), median, Quantile(list, 1-tail)
}

// expanded is the share of the resamples of n values to leave out at each end, so that the interval
// errs there with a probability of tail. Resamples vary less than samples do, the more so the fewer
// values there are: the percentile interval of eight values is that of a normal distribution where
// Student's is right (Hesterberg 2015, section 5.3). Student's quantile is computed by its
// expansion in the degrees of freedom (Abramowitz and Stegun, 26.7.5), which is accurate to a
// hundredth from six values on.
func expanded(tail float64, n int) float64 {
	z, free := normalQuantile(1-tail), float64(n-1)
	z3 := z * z * z
	t := z + (z3+z)/(4*free) + (5*z3*z*z+16*z3+3*z)/(96*free*free)
	return math.Erfc(t*math.Sqrt(float64(n)/free)/math.Sqrt2) / 2
}

// Quantile returns the value below which a part p of sorted values lies, interpolated between two
// of them. NaN without values.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
