package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Goal says which of two values is better.
type Goal int

const (
	Min Goal = iota // smaller is better
	Max             // larger is better
)

// String is "min" or "max".
func (g Goal) String() string {
	if g == Max {
		return "max"
	}
	return "min"
}

// Gain is the logarithm of the ratio of two values, positive if the candidate's value is better.
// Two zeros are equal. A ratio with one zero, a negative number, an infinity or a NaN has no
// logarithm and is an error.
func (g Goal) Gain(parent, candidate float64) (float64, error) {
	if parent == 0 && candidate == 0 {
		return 0, nil
	}
	if !(parent > 0 && candidate > 0) || math.IsInf(parent, 1) || math.IsInf(candidate, 1) {
		return 0, fmt.Errorf("the ratio of %v to %v has no logarithm", candidate, parent)
	}
	if g == Max {
		return math.Log(candidate) - math.Log(parent), nil
	}
	return math.Log(parent) - math.Log(candidate), nil
}

// LogGain is the gain of a value that got better by a part of itself: 0.05 is 5 % less for Min, 5 %
// more for Max. A negative part is a loss.
func (g Goal) LogGain(part float64) float64 {
	if g == Max {
		return math.Log1p(part)
	}
	return -math.Log1p(-part)
}

// Ratio is the ratio of the candidate to the parent that a gain stands for.
func (g Goal) Ratio(gain float64) float64 {
	if g == Max {
		return math.Exp(gain)
	}
	return math.Exp(-gain)
}

// An Estimate is an estimate from pairs of the ratio of a candidate to its parent.
type Estimate struct {
	Ratio float64 `json:"ratio"` // estimate of Hodges and Lehmann
	Lo    float64 `json:"lo"`    // ends of its interval at 95 %; 0 and MaxFloat64 with too few pairs
	Hi    float64 `json:"hi"`
	N     int     `json:"n"` // pairs
	P     float64 `json:"p"` // one-sided, for no gain
}

// unboundedRatio stands for an unbounded end of an interval. JSON cannot write infinities.
const unboundedRatio = math.MaxFloat64

// NewEstimate estimates from gains of a metric with goal g. Without gains the ratio is 1 and the
// interval is unbounded.
func NewEstimate(g Goal, gains []float64) Estimate {
	if len(gains) == 0 {
		return Estimate{Ratio: 1, Hi: unboundedRatio, P: 1}
	}
	lo, hi := Interval(gains, 0.025)
	a, b := g.Ratio(lo), g.Ratio(hi)
	return Estimate{
		Ratio: g.Ratio(HodgesLehmann(gains)),
		Lo:    min(a, b), Hi: min(max(a, b), unboundedRatio),
		N: len(gains), P: SignedRank(gains),
	}
}

// Told is what the interval of an estimate shows for a metric with goal g: 1 if the candidate is
// better, -1 if it is worse, 0 if it shows neither.
func (e Estimate) Told(g Goal) int {
	switch lo, hi := e.Lo > 1, e.Hi < 1; {
	case lo == hi:
		return 0
	case hi == (g == Min):
		return 1
	}
	return -1
}

// SignedRank is the p-value of Wilcoxon's signed-rank test against the alternative that gains are
// positive. It is the probability of a sum of positive ranks at least as large, if each gain could
// as well have had the other sign. It is exact, also with ties and zeros. Ties share the mean of
// their ranks. Zeros take part in the ranking and are then left out (Pratt 1959). It is 1 without
// gains. Gains may be infinite, but not NaN.
func SignedRank(gains []float64) float64 {
	ranks, sum := signedRanks(gains)
	dist := signDistribution(ranks)
	p := 0.0
	for _, q := range dist[sum:] {
		p += q
	}
	return min(p, 1)
}

// signedRanks are the ranks by size of all gains except zeros, doubled so that the mean of ranks is
// an integer, and the sum of the ranks of positive gains.
func signedRanks(gains []float64) (ranks []int, positive int) {
	s := slices.Clone(gains)
	slices.SortFunc(s, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for i := 0; i < len(s); {
		j := i + 1
		for j < len(s) && math.Abs(s[j]) == math.Abs(s[i]) {
			j++
		}
		rank := i + j + 1 // twice the mean of i+1 … j
		for _, g := range s[i:j] {
			if g == 0 {
				continue
			}
			ranks = append(ranks, rank)
			if g > 0 {
				positive += rank
			}
		}
		i = j
	}
	return ranks, positive
}

// signDistribution is the distribution of the sum of randomly chosen ranks, each chosen by a fair
// coin: the probability of each sum. For up to 53 ranks the sums are exact in a float64, as all are
// multiples of 2⁻⁵³.
func signDistribution(ranks []int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	dist := make([]float64, total+1)
	dist[0] = 1
	top := 0
	for _, r := range ranks {
		top += r
		for s := top; s >= 0; s-- {
			q := dist[s]
			if s >= r {
				q += dist[s-r]
			}
			dist[s] = q / 2
		}
	}
	return dist
}

// plainRanks are the ranks 1 … n of n different gains.
func plainRanks(n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	return ranks
}

// AttainableLevel is the largest level, up to alpha, that the test of n gains without ties attains.
// It is 0 if n is too small, as the least p-value is 2⁻ⁿ.
func AttainableLevel(n int, alpha float64) float64 {
	_, level := criticalCount(n, alpha)
	return level
}

// criticalCount is the largest number c such that the sums 0 … c-1 together have a probability of
// at most alpha, and that probability.
func criticalCount(n int, alpha float64) (c int, level float64) {
	for _, q := range signDistribution(plainRanks(n)) {
		if level+q > alpha {
			break
		}
		level += q
		c++
	}
	return c, level
}

// HodgesLehmann is the median of the means of all pairs of gains, where each gain also pairs with
// itself. It is the shift for which the signed-rank test has the largest p-value. NaN without
// gains.
func HodgesLehmann(gains []float64) float64 {
	return Median(walsh(gains))
}

// Interval is the interval of the shift with an error of at most alpha at each end: the shifts that
// neither one-sided signed-rank test rejects at level alpha. With too few gains an end is infinite.
// With ties the error is smaller than alpha.
func Interval(gains []float64, alpha float64) (lo, hi float64) {
	c, _ := criticalCount(len(gains), alpha)
	if c == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	w := walsh(gains)
	return w[c-1], w[len(w)-c]
}

// walsh are the means of all pairs of gains, in order. Each gain also pairs with itself.
func walsh(gains []float64) []float64 {
	w := make([]float64, 0, len(gains)*(len(gains)+1)/2)
	for i, a := range gains {
		for _, b := range gains[i:] {
			w = append(w, a/2+b/2)
		}
	}
	slices.Sort(w)
	return w
}

// Holm adjusts the p-values of several tests. Comparing each result with a level keeps the
// probability of any false rejection below that level (Holm 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	most := 0.0
	for i, k := range order {
		most = max(most, min(1, p[k]*float64(len(p)-i)))
		adjusted[k] = most
	}
	return adjusted
}

// normalQuantile is the point below which a standard normal variable lies with probability p.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// PairsFor is the number of pairs that the signed-rank test at a one-sided level of alpha needs to
// find a gain with probability power, if gains are normal with standard deviation sd. It is the
// number that the t-test needs, over 3/π, the efficiency of the ranks.
func PairsFor(gain, sd, alpha, power float64) int {
	if gain <= 0 {
		return math.MaxInt
	}
	least := math.Ceil(-math.Log2(alpha)) // 2⁻ⁿ ≤ alpha
	z := (normalQuantile(1-alpha) + normalQuantile(power)) * sd / gain
	return int(math.Max(least, math.Ceil(z*z*math.Pi/3)))
}

// GainFor is the gain for which PairsFor is the given number of pairs.
func GainFor(pairs int, sd, alpha, power float64) float64 {
	return (normalQuantile(1-alpha) + normalQuantile(power)) * sd * math.Sqrt(math.Pi/3/float64(pairs))
}
