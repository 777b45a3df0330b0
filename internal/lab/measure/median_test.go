package measure

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMedianInterval: the ends of the interval of n values are the k-th value from each side. k is
// the largest number for which fewer than k heads, or tails, in n throws are improbable enough. The
// test counts all throws.
func TestMedianInterval(t *testing.T) {
	for n := 1; n <= 16; n++ {
		xs := make([]float64, n)
		for i, at := range rand.New(rand.NewPCG(1, uint64(n))).Perm(n) {
			xs[i] = float64(at + 1)
		}
		for _, alpha := range []float64{0.05, 0.01, 0.2} {
			heads := make([]int, n+1) // throws by the number of heads
			for throw := range 1 << n {
				k := 0
				for i := range n {
					k += throw >> i & 1
				}
				heads[k]++
			}
			k, below := 0, 0
			for k < n/2 && 2*float64(below+heads[k]) <= alpha*float64(int(1)<<n) {
				below += heads[k]
				k++
			}
			lo, mid, hi := MedianInterval(xs, alpha)
			if want := float64(n+1) / 2; mid != want {
				t.Errorf("median of 1 to %d: %v", n, mid)
			}
			if k == 0 {
				if !math.IsNaN(lo) || !math.IsNaN(hi) {
					t.Errorf("%d values at %v have the interval %v to %v", n, alpha, lo, hi)
				}
				continue
			}
			if lo != float64(k) || hi != float64(n-k+1) {
				t.Errorf("%d values at %v: %v to %v, want %d to %d", n, alpha, lo, hi, k, n-k+1)
			}
		}
	}
	if lo, _, hi := MedianInterval([]float64{1, 2, 3, 4, 5, 6}, 0.05); lo != 1 || hi != 6 {
		t.Errorf("six values: %v to %v, want 1 to 6", lo, hi)
	}
	if lo, _, _ := MedianInterval([]float64{1, 2, 3, 4, 5}, 0.05); !math.IsNaN(lo) {
		t.Error("five values have an interval at 95 %")
	}
}

func TestBootstrap(t *testing.T) {
	isNaN := func(lo, mid, hi float64) bool { return math.IsNaN(lo) && math.IsNaN(mid) && math.IsNaN(hi) }
	if !isNaN(Bootstrap(nil, 0.05, 1)) {
		t.Error("no groups have a median")
	}
	if lo, mid, hi := Bootstrap([][]float64{{3, 1, 2}, nil}, 0.05, 1); mid != 2 || !math.IsNaN(lo) || !math.IsNaN(hi) {
		t.Errorf("one group: %v, %v, %v", lo, mid, hi)
	}
	if lo, mid, hi := Bootstrap([][]float64{{4}, {4, 4}, {4}}, 0.05, 1); lo != 4 || mid != 4 || hi != 4 {
		t.Errorf("equal values: %v, %v, %v", lo, mid, hi)
	}
	// Two groups of one value: a draw's median is each of them in a quarter of the draws, and their
	// mean in half of them.
	if lo, mid, hi := Bootstrap([][]float64{{1}, {3}}, 0.4, 1); lo != 1 || mid != 2 || hi != 3 {
		t.Errorf("two values at 60 %%: %v, %v, %v", lo, mid, hi)
	}
	if lo, mid, hi := Bootstrap([][]float64{{1}, {3}}, 0.9, 1); lo != 2 || mid != 2 || hi != 2 {
		t.Errorf("two values at 10 %%: %v, %v, %v", lo, mid, hi)
	}
	// The median is taken over groups: the many values of one group count once.
	if _, mid, _ := Bootstrap([][]float64{{1}, {2}, {9, 9, 9, 9, 9, 9}}, 0.05, 1); mid != 2 {
		t.Errorf("the median of the groups' medians 1, 2, 9 is %v", mid)
	}
	groups := [][]float64{{1, 2}, {3, 5}, {4, 4}, {7, 1}}
	a, _, b := Bootstrap(groups, 0.05, 7)
	if c, _, d := Bootstrap(groups, 0.05, 7); a != c || b != d {
		t.Error("the same seed gives another interval")
	}
	if groups[0][0] != 1 || groups[3][0] != 7 {
		t.Error("the groups were changed")
	}
}

// TestExpanded compares with Student's quantiles from the tables. The tail is that of a normal
// distribution at the quantile times √(n/(n-1)).
func TestExpanded(t *testing.T) {
	for _, c := range []struct {
		n       int
		student float64 // at 97.5 %
	}{{6, 2.571}, {8, 2.365}, {12, 2.201}, {24, 2.069}, {121, 1.980}} {
		n := float64(c.n)
		want := math.Erfc(c.student*math.Sqrt(n/(n-1))/math.Sqrt2) / 2
		if got := expanded(0.025, c.n); math.Abs(got-want) > 3e-4 {
			t.Errorf("%d values: %v, want %v", c.n, got, want)
		}
	}
	if got := expanded(0.025, 1e6); math.Abs(got-0.025) > 1e-5 {
		t.Errorf("a million values: %v", got)
	}
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		sorted  []float64
		p, want float64
	}{
		{[]float64{5}, 0.3, 5}, {[]float64{1, 2}, 0, 1}, {[]float64{1, 2}, 1, 2}, {[]float64{1, 2}, 0.25, 1.25},
		{[]float64{10, 20, 30, 40, 50}, 0.5, 30}, {[]float64{10, 20, 30, 40, 50}, 0.95, 48},
	} {
		if got := Quantile(c.sorted, c.p); !near(got, c.want) {
			t.Errorf("Quantile(%v, %v) = %v, want %v", c.sorted, c.p, got, c.want)
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("no values have a quantile")
	}
}

// bruteRankSum computes the two-sided p-value of a rank-sum test from all divisions of the values
// into samples of the same sizes.
func bruteRankSum(a, b []float64) float64 {
	all := slices.Concat(a, b)
	u := func(first func(i int) bool) (u float64) {
		for i, x := range all {
			for j, y := range all {
				if first(i) && !first(j) {
					u += float64(cmp.Compare(x, y)+1) / 2
				}
			}
		}
		return u
	}
	seen := u(func(i int) bool { return i < len(a) })
	below, above, n := 0, 0, 0
	for set := range 1 << len(all) {
		k := 0
		for i := range all {
			k += set >> i & 1
		}
		if k != len(a) {
			continue
		}
		n++
		x := u(func(i int) bool { return set>>i&1 == 1 })
		if x <= seen {
			below++
		}
		if x >= seen {
			above++
		}
	}
	return math.Min(1, 2*float64(min(below, above))/float64(n))
}

// TestRankSumEnumerated compares p-values with those of an enumeration, and the interval with the
// test: the interval contains a shift if and only if the test does not reject it.
func TestRankSumEnumerated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n, m := 1+r.IntN(5), 1+r.IntN(5)
		a, b := make([]float64, n), make([]float64, m)
		for i := range a {
			a[i] = r.Float64() + 0.3
		}
		for i := range b {
			b[i] = r.Float64()
		}
		s := RankSum(a, b, 0.1)
		if want := bruteRankSum(a, b); math.Abs(s.P-want) > 1e-9 {
			t.Fatalf("RankSum(%v, %v): p = %v, want %v", a, b, s.P, want)
		}
		for _, by := range []float64{-0.5, -0.1, 0, 0.1, 0.3, 0.5, 0.9} {
			moved := make([]float64, n)
			for i := range a {
				moved[i] = a[i] - by
			}
			if in, kept := s.Lo <= by && by <= s.Hi, bruteRankSum(moved, b) > 0.1; in != kept {
				t.Fatalf("RankSum(%v, %v): interval %v to %v, but a shift of %v has p = %v", a, b, s.Lo, s.Hi, by, bruteRankSum(moved, b))
			}
		}
	}
}

func TestRankSumValues(t *testing.T) {
	// All values of the first sample lie above all of the second: one of the 20 ways to choose 3 of
	// 6, at each end.
	s := RankSum([]float64{4, 5, 6}, []float64{1, 2, 3}, 0.1)
	if !near(s.P, 0.1) || s.By != 3 || s.Lo != 1 || s.Hi != 5 {
		t.Errorf("apart: %+v", s)
	}
	if s := RankSum([]float64{4, 5, 6}, []float64{1, 2, 3}, 0.05); !math.IsInf(s.Lo, -1) || !math.IsInf(s.Hi, 1) {
		t.Errorf("three and three have an interval at 95 %%: %+v", s)
	}
	if s := RankSum(nil, []float64{1}, 0.05); s.P != 1 || !math.IsNaN(s.By) {
		t.Errorf("nothing compared with something: %+v", s)
	}
	if s := RankSum([]float64{2, 2}, []float64{2, 2, 2}, 0.05); s.P != 1 || s.By != 0 {
		t.Errorf("equal values: %+v", s)
	}
	for _, c := range []struct{ n, m int }{{1, 1}, {2, 3}, {5, 4}, {8, 8}} {
		sum, d := 0.0, rankSumDistribution(c.n, c.m)
		for i, q := range d {
			sum += q
			if !near(q, d[len(d)-1-i]) {
				t.Errorf("the distribution for %d and %d is not symmetric", c.n, c.m)
			}
		}
		if !near(sum, 1) || len(d) != c.n*c.m+1 {
			t.Errorf("the distribution for %d and %d has %d values that add up to %v", c.n, c.m, len(d), sum)
		}
	}
}
