package measure

import (
	"math"
	"slices"
)

// A Shift is the difference of the levels of two independent samples, by the rank-sum test of
// Wilcoxon, Mann and Whitney.
type Shift struct {
	By     float64 // Hodges and Lehmann's estimate: a's level less b's
	Lo, Hi float64 // infinite with too few values
	P      float64 // two-sided, exact without ties
}

// RankSum compares samples that are not pairs. The interval errs with a probability of at most
// alpha.
func RankSum(a, b []float64, alpha float64) Shift {
	s := Shift{By: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), P: 1}
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return s
	}
	d := make([]float64, 0, n*m)
	u := 0.0
	for _, x := range a {
		for _, y := range b {
			d = append(d, x-y)
			switch {
			case x > y:
				u++
			case x == y:
				u += 0.5
			}
		}
	}
	slices.Sort(d)
	s.By = Median(d)
	dist := rankSumDistribution(n, m)
	below := func(k int) (p float64) { // probability of at most k
		for _, q := range dist[:min(k+1, len(dist))] {
			p += q
		}
		return p
	}
	tail := math.Min(below(int(math.Floor(u))), below(int(math.Floor(float64(n*m)-u))))
	s.P = math.Min(1, 2*tail)
	c := 0 // values outside at each end
	for c < n*m/2 && 2*below(c) <= alpha {
		c++
	}
	if c > 0 {
		s.Lo, s.Hi = d[c-1], d[n*m-c]
	}
	return s
}

// rankSumDistribution is the distribution of the rank-sum statistic of two samples with n and m
// values: the number of pairs, one value of each, that are in a given order. All orders of all
// values are equally likely.
func rankSumDistribution(n, m int) []float64 {
	// counts[j] is the distribution for i and j values. The largest value of all belongs to the
	// first sample with probability i/(i+j).
	counts := make([][]float64, m+1)
	for j := range counts {
		counts[j] = []float64{1}
	}
	for i := 1; i <= n; i++ {
		next := make([][]float64, m+1)
		next[0] = []float64{1}
		for j := 1; j <= m; j++ {
			dist := make([]float64, i*j+1)
			first, second := float64(i)/float64(i+j), float64(j)/float64(i+j)
			for k, q := range counts[j] { // it is above the j of the second sample
				dist[k+j] += first * q
			}
			for k, q := range next[j-1] {
				dist[k] += second * q
			}
			next[j] = dist
		}
		counts = next
	}
	return counts[m]
}
