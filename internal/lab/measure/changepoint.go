package measure

import (
	"cmp"
	"math"
	"slices"
)

// A Segment is a stretch of a series with a constant level: from index From up to, and without,
// index To.
type Segment struct {
	From, To int
	Level    float64 // median
}

// Segments divides a series where its level changes. It minimises the sum of absolute distances
// from the segments' medians plus a penalty for each segment, which grows with the noise and with
// the logarithm of the length. The method is that of Killick, Fearnhead and Eckley 2012, without
// the pruning, since series here are short. Distances and medians instead of squares and means make
// it robust against single outliers. No segment is shorter than least, unless the whole series is.
func Segments(series []float64, least int) []Segment {
	n := len(series)
	if n == 0 {
		return nil
	}
	noise := difference(series)
	penalty := 3 * math.Log(float64(n)+1) * noise
	if noise == 0 {
		penalty = math.SmallestNonzeroFloat64
	}
	best, from := make([]float64, n+1), make([]int, n+1)
	for to := 1; to <= n; to++ {
		best[to] = math.Inf(1)
		for f := 0; f < to; f++ {
			if to-f < least && !(f == 0 && to < least) || math.IsInf(best[f], 1) {
				continue
			}
			if c := best[f] + distance(series[f:to]) + penalty; c < best[to] {
				best[to], from[to] = c, f
			}
		}
	}
	if math.IsInf(best[n], 1) {
		return []Segment{{0, n, Median(series)}}
	}
	var list []Segment
	for to := n; to > 0; to = from[to] {
		list = append(list, Segment{from[to], to, Median(series[from[to]:to])})
	}
	slices.Reverse(list)
	return list
}

// distance is the sum of the distances from the median.
func distance(xs []float64) float64 {
	m, sum := Median(xs), 0.0
	for _, x := range xs {
		sum += math.Abs(x - m)
	}
	return sum
}

// difference estimates the noise of a series from the distances of neighbours, where a change of
// level counts only once.
func difference(series []float64) float64 {
	var d []float64
	for i := 1; i < len(series); i++ {
		d = append(d, math.Abs(series[i]-series[i-1]))
	}
	if len(d) == 0 {
		return 0
	}
	return Median(d) / math.Sqrt2 / normalQuantile(0.75)
}

// Trend is Kendall's rank correlation of a series with time: 1 if every value is larger than all
// before, -1 if smaller. Its second result is the two-sided p-value of no trend, by the normal
// approximation with ties (Kendall 1975), which needs about ten values. p is 1 for fewer than four.
func Trend(series []float64) (tau, p float64) {
	n := len(series)
	if n < 4 {
		return 0, 1
	}
	s := 0
	for i, a := range series {
		for _, b := range series[i+1:] {
			s += cmp.Compare(b, a)
		}
	}
	pairs := float64(n) * float64(n-1) / 2
	variance := float64(n) * float64(n-1) * float64(2*n+5)
	sorted := slices.Clone(series)
	slices.Sort(sorted)
	for i := 0; i < n; {
		j := i
		for j < n && sorted[j] == sorted[i] {
			j++
		}
		t := float64(j - i)
		variance -= t * (t - 1) * (2*t + 5)
		i = j
	}
	variance /= 18
	if variance <= 0 {
		return 0, 1
	}
	z := (math.Abs(float64(s)) - 1) / math.Sqrt(variance)
	return float64(s) / pairs, math.Min(1, math.Erfc(math.Max(z, 0)/math.Sqrt2))
}

// A Mode is a value around which a large share of a sample lies.
type Mode struct {
	At    float64 // median of the values around it
	Share float64 // of the sample
}

// Modes finds separate clusters in a sample. Neighbours in order are apart if the gap between them
// is more than eight times the usual gap and more than a part apart of their size. The values
// between two gaps form a mode if they are at least a part least of the sample. Values in smaller
// clusters belong to no mode.
func Modes(sample []float64, apart, least float64) []Mode {
	s := slices.Clone(sample)
	slices.Sort(s)
	n := len(s)
	if n < 8 {
		return nil
	}
	gaps := make([]float64, 0, n-1)
	for i := 1; i < n; i++ {
		gaps = append(gaps, s[i]-s[i-1])
	}
	usual := Median(gaps)
	var list []Mode
	begin := 0
	for i := 1; i <= n; i++ {
		if i < n && !(gaps[i-1] > 8*usual && gaps[i-1] > apart*s[i-1]) {
			continue
		}
		if share := float64(i-begin) / float64(n); share >= least {
			list = append(list, Mode{Median(s[begin:i]), share})
		}
		begin = i
	}
	return list
}
