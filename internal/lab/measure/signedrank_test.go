package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// TestSignedRankValues checks p-values that were worked out by hand.
func TestSignedRankValues(t *testing.T) {
	for _, test := range []struct {
		gains []float64
		p     float64
	}{
		{nil, 1},
		{[]float64{0, 0, 0}, 1},
		{[]float64{1}, 1. / 2},
		{[]float64{-1}, 1},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 1. / 256},             // all positive: one of 2⁸
		{[]float64{-1, 2, 3, 4, 5, 6, 7, 8}, 2. / 256},            // the sum lacks 1
		{[]float64{1, 2, -3, 4, 5, 6, 7, 8}, 5. / 256},            // lacks 3: {}, 1, 2, 3, 1+2
		{[]float64{1, 1, 1}, 1. / 8},                              // three ties
		{[]float64{-1, 1, 1}, 4. / 8},                             // ranks 2 2 2: at most one negative
		{[]float64{0, -1, 2}, 2. / 4},                             // Pratt: the ranks are 2 and 3
		{[]float64{-1, -2, -3, 4, 5, 6, 7, 8, 9, 10}, 14. / 1024}, // at most 6 lacking: 1+1+1+2+2+3+4 subsets
		{[]float64{math.Inf(1), 1}, 1. / 4},
	} {
		if p := SignedRank(test.gains); !near(p, test.p) {
			t.Errorf("%v: p = %v, not %v", test.gains, p, test.p)
		}
	}
}

// TestSignedRankTables checks levels from published tables of the statistic. The largest sum at 5 %
// is 10 for ten pairs, 5 for eight, and 100 for twenty-five.
func TestSignedRankTables(t *testing.T) {
	for _, test := range []struct {
		n, sum int
		alpha  float64
	}{
		{6, 2, 0.05}, {8, 5, 0.05}, {10, 10, 0.05}, {12, 17, 0.05}, {15, 30, 0.05}, {20, 60, 0.05}, {25, 100, 0.05}, {30, 151, 0.05},
		{7, 0, 0.01}, {8, 1, 0.01}, {10, 5, 0.01}, {20, 43, 0.01}, {25, 76, 0.01}, {30, 120, 0.01},
	} {
		if c, level := criticalCount(test.n, test.alpha); c-1 != test.sum {
			t.Errorf("%d pairs at %v: %d (level %v), not %d", test.n, test.alpha, c-1, level, test.sum)
		}
	}
	if a := AttainableLevel(6, 0.01); a != 0 {
		t.Errorf("six pairs attain %v below 0.01", a)
	}
}

// bruteSignedRank tries all combinations of signs.
func bruteSignedRank(gains []float64) float64 {
	n := len(gains)
	rank := make([]float64, n)
	for i, g := range gains {
		below, same := 0, 0
		for _, h := range gains {
			switch a, b := math.Abs(g), math.Abs(h); {
			case b < a:
				below++
			case b == a:
				same++
			}
		}
		rank[i] = float64(below) + float64(same+1)/2
	}
	sum := func(positive func(int) bool) (s float64) {
		for i, g := range gains {
			if g != 0 && positive(i) {
				s += rank[i]
			}
		}
		return s
	}
	observed := sum(func(i int) bool { return gains[i] > 0 })
	count := 0
	for mask := range 1 << n {
		if sum(func(i int) bool { return mask>>i&1 != 0 }) >= observed {
			count++
		}
	}
	return float64(count) / float64(int(1)<<n)
}

// TestSignedRankEnumerated compares with the enumeration of all signs, with ties and zeros.
func TestSignedRankEnumerated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		gains := make([]float64, 1+r.IntN(9))
		for i := range gains {
			gains[i] = float64(r.IntN(9) - 3)
		}
		if p, want := SignedRank(gains), bruteSignedRank(gains); !near(p, want) {
			t.Fatalf("%v: p = %v, by enumeration %v", gains, p, want)
		}
	}
}

// TestInterval: the interval holds the shifts that the test does not reject, and the estimate is
// the median of the means of pairs.
func TestInterval(t *testing.T) {
	if h := HodgesLehmann([]float64{1, 2, 6}); h != 2.75 { // of 1 1.5 2 3.5 4 6
		t.Errorf("estimate %v", h)
	}
	if lo, hi := Interval([]float64{1, 2, 3, 4}, 0.05); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("four pairs have the interval %v to %v", lo, hi)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		gains := make([]float64, 5+r.IntN(5))
		for i := range gains {
			gains[i] = r.NormFloat64()
		}
		alpha := []float64{0.01, 0.025, 0.05, 0.2}[r.IntN(4)]
		lo, hi := Interval(gains, alpha)
		for range 50 {
			shift := 2 * r.NormFloat64()
			shifted, mirrored := make([]float64, len(gains)), make([]float64, len(gains))
			for i, g := range gains {
				shifted[i], mirrored[i] = g-shift, shift-g
			}
			if rejected := bruteSignedRank(shifted) <= alpha; rejected != (shift < lo) {
				t.Fatalf("%v at %v: the lower end is %v, but %v is rejected: %v", gains, alpha, lo, shift, rejected)
			}
			if rejected := bruteSignedRank(mirrored) <= alpha; rejected != (shift > hi) {
				t.Fatalf("%v at %v: the upper end is %v, but %v is rejected: %v", gains, alpha, hi, shift, rejected)
			}
		}
	}
}

func TestHolm(t *testing.T) {
	for _, test := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.3}, []float64{0.3}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.6}, []float64{1, 1}},
	} {
		if got := Holm(test.p); !slices.EqualFunc(got, test.want, near) {
			t.Errorf("%v: %v, not %v", test.p, got, test.want)
		}
	}
}

func TestGain(t *testing.T) {
	for _, test := range []struct {
		goal              Goal
		parent, candidate float64
		part              float64
	}{
		{Min, 100, 95, 0.05}, {Min, 100, 105, -0.05}, {Max, 100, 105, 0.05}, {Max, 100, 95, -0.05}, {Min, 0, 0, 0}, {Max, 0, 0, 0},
	} {
		g, err := test.goal.Gain(test.parent, test.candidate)
		if err != nil || !near(g, test.goal.LogGain(test.part)) {
			t.Errorf("%+v: gain %v, not %v; %v", test, g, test.goal.LogGain(test.part), err)
		}
		if r := test.goal.Ratio(g); test.parent > 0 && !near(r, test.candidate/test.parent) {
			t.Errorf("%+v: ratio %v", test, r)
		}
	}
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}, {1, -1}, {math.NaN(), 1}, {1, math.NaN()}, {1, math.Inf(1)}, {math.Inf(1), 1}} {
		if g, err := Min.Gain(bad[0], bad[1]); err == nil {
			t.Errorf("%v have the gain %v", bad, g)
		}
	}
}

func TestEstimate(t *testing.T) {
	e := NewEstimate(Min, []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1})
	if want := math.Exp(-0.1); !near(e.Ratio, want) || !near(e.Lo, want) || !near(e.Hi, want) || e.N != 8 || e.P != 1./256 {
		t.Errorf("%+v", e)
	}
	e = NewEstimate(Max, []float64{0.1, 0.2})
	if !near(e.Ratio, math.Exp(0.15)) || e.Lo != 0 || e.Hi != math.MaxFloat64 {
		t.Errorf("%+v", e)
	}
}

// TestPairsFor: a gain of two standard deviations at 1 % and a power of 90 %.
func TestPairsFor(t *testing.T) {
	for _, test := range []struct {
		gain, sd float64
		want     int
	}{{2, 1, 7}, {1, 1, 14}, {0.5, 1, 55}, {100, 1, 7}} {
		if n := PairsFor(test.gain, test.sd, 0.01, 0.9); n != test.want { // (2.326+1.282)² is 13.02
			t.Errorf("%+v: %d", test, n)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		samples []float64
		want    Class
	}{
		{nil, Noisy}, {[]float64{5, 5}, Noisy}, {[]float64{5, 5, 5, 5}, Exact}, {[]float64{0, 0, 0, 0}, Exact}, {[]float64{0, 0, 0, 1}, Noisy},
		{[]float64{1000, 1004, 1000, 1001}, NearExact}, {[]float64{1000, 1006, 1000, 1001}, Noisy}, {[]float64{-1000, -1004, -1000, -1001}, NearExact},
		{[]float64{1, 1, 1, math.NaN()}, Noisy},
	} {
		if got := Classify(test.samples); got != test.want {
			t.Errorf("%v: %s, not %s", test.samples, got, test.want)
		}
	}
	if n := Noise([]float64{-0.02, 0.02, 0.02, -0.02, 5}); !near(n, 0.02/normalQuantile(0.75)) {
		t.Errorf("noise %v", n)
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		goal                     Goal
		parent, candidate, least float64
		want                     int
	}{
		{Min, 81, 79, 1, 1}, {Min, 81, 80.5, 1, 0}, {Min, 81, 81, 0, 0}, {Min, 81, 82, 1, -1}, {Max, 81, 82, 1, 1}, {Max, 81, 79, 1, -1}, {Min, 1, 0, 0, 1},
		{Min, 11470, 11471, 114.7, 0}, {Min, 11470, 11584, 114.7, 0}, {Min, 11470, 11585, 114.7, -1}, {Max, 11470, 11469, 114.7, 0}, {Min, 81, 82, 0, -1},
	} {
		if got := test.goal.CompareExact(test.parent, test.candidate, test.least); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
	for _, test := range []struct {
		goal              Goal
		parent, candidate []float64
		least             float64
		want              int
	}{
		{Min, []float64{10, 11}, []float64{8, 9}, 0, 1}, {Min, []float64{10, 11}, []float64{8, 9}, 2, 0}, {Min, []float64{10, 11}, []float64{8, 10}, 0, 0},
		{Min, []float64{10, 11}, []float64{12, 13}, 0, -1}, {Max, []float64{10, 11}, []float64{12, 13}, 0, 1}, {Max, []float64{10, 11}, []float64{8, 9}, 0, -1},
		{Min, []float64{10, 11}, []float64{12, 13}, 2, 0}, {Min, []float64{10, 11}, []float64{13, 14}, 2, -1},
		{Min, nil, []float64{1}, 0, 0},
	} {
		if got := test.goal.CompareRanges(test.parent, test.candidate, test.least); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}

// TestSchedule: the levels of any 25 tests of a row sum to at most the budget, those of a long row
// to little more. Repeating a test does not make a false acceptance more likely.
func TestSchedule(t *testing.T) {
	s := DefaultSchedule(1)
	first, all := 0.0, 0.0
	for i := range 100000 {
		l := s.Level(i, 1)
		if i < 25 {
			first += l
		}
		if all += l; i > 0 && l >= s.Level(i-1, 1) {
			t.Fatalf("level %d does not fall", i)
		}
	}
	if !near(first, 0.05) || all > 1.2*0.05 {
		t.Errorf("sum of 25 %v, of all %v", first, all)
	}
	s = DefaultSchedule(0.01)
	for i := range 200 {
		if l := s.Level(i, 0.01); l > 0.01 || l*0.01 > s.Budget*s.weight(i)*(1+1e-12) {
			t.Errorf("level %d is %v", i, l)
		}
	}
}
