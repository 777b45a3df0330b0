package measure

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func repeat(parts ...[]float64) []float64 { return slices.Concat(parts...) }

// alike are n values around a level, which go up and down by noise in turns.
func alike(n int, level, noise float64) (xs []float64) {
	for i := range n {
		xs = append(xs, level+noise*float64(1-2*(i&1)))
	}
	return xs
}

func TestSegments(t *testing.T) {
	for _, c := range []struct {
		name   string
		series []float64
		least  int
		want   []Segment
	}{
		{"nothing", nil, 3, nil},
		{"one value", []float64{4}, 3, []Segment{{0, 1, 4}}},
		{"less than the least", []float64{1, 9}, 3, []Segment{{0, 2, 5}}},
		{"one level", alike(10, 1, 0.01), 3, []Segment{{0, 10, 1}}},
		{"no noise at all", repeat(alike(4, 1, 0), alike(4, 2, 0)), 3, []Segment{{0, 4, 1}, {4, 8, 2}}},
		{"two levels", repeat(alike(6, 1, 0.01), alike(6, 2, 0.01)), 3, []Segment{{0, 6, 1}, {6, 12, 2}}},
		{"three levels", repeat(alike(6, 1, 0.01), alike(6, 2, 0.01), alike(4, 1.5, 0.01)), 3,
			[]Segment{{0, 6, 1}, {6, 12, 2}, {12, 16, 1.5}}},
		{"an outlier", repeat(alike(6, 1, 0.01), []float64{5}, alike(6, 1, 0.01)), 3, []Segment{{0, 13, 0.99}}},
		{"within the noise", repeat(alike(6, 1, 0.1), alike(6, 1.05, 0.1)), 3, []Segment{{0, 12, 1.025}}},
	} {
		got := Segments(c.series, c.least)
		if !slices.EqualFunc(got, c.want, func(a, b Segment) bool {
			return a.From == b.From && a.To == b.To && math.Abs(a.Level-b.Level) < 0.03
		}) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestSegmentsCover: the segments of any series have no gaps, none is shorter than allowed, and
// noise alone rarely yields a change.
func TestSegmentsCover(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	split := 0
	const series = 200
	for range series {
		xs := make([]float64, 7+r.IntN(20))
		for i := range xs {
			xs[i] = r.NormFloat64()
		}
		list := Segments(xs, 3)
		at := 0
		for _, s := range list {
			if s.From != at || s.To-s.From < 3 {
				t.Fatalf("segments %v of %d values", list, len(xs))
			}
			at = s.To
		}
		if at != len(xs) {
			t.Fatalf("segments %v of %d values", list, len(xs))
		}
		if len(list) > 1 {
			split++
		}
	}
	if split > series/10 {
		t.Errorf("%d of %d series of noise are divided", split, series)
	}
}

// TestTrend compares the normal approximation with the p-value over all orders of the values, and
// the rank correlation with its definition.
func TestTrend(t *testing.T) {
	if tau, p := Trend([]float64{1, 2, 3}); tau != 0 || p != 1 {
		t.Errorf("three values: %v, %v", tau, p)
	}
	if tau, p := Trend([]float64{2, 2, 2, 2, 2}); tau != 0 || p != 1 {
		t.Errorf("equal values: %v, %v", tau, p)
	}
	series := []float64{1, 2, 4, 3, 5, 7, 6}
	orders, extreme := 0, 0
	of := func(xs []float64) (s int) {
		for i := range xs {
			for j := i + 1; j < len(xs); j++ {
				s += cmp.Compare(xs[j], xs[i])
			}
		}
		return s
	}
	seen := of(series)
	var permute func(xs []float64, k int)
	permute = func(xs []float64, k int) {
		if k == len(xs) {
			orders++
			if s := of(xs); max(s, -s) >= seen {
				extreme++
			}
			return
		}
		for i := k; i < len(xs); i++ {
			xs[k], xs[i] = xs[i], xs[k]
			permute(xs, k+1)
			xs[k], xs[i] = xs[i], xs[k]
		}
	}
	permute(slices.Clone(series), 0)
	exact := float64(extreme) / float64(orders)
	tau, p := Trend(series)
	if !near(tau, float64(seen)/21) || math.Abs(p-exact) > 0.01 { // seven are few for an approximation
		t.Errorf("Trend(%v) = %v, %v; exact: %v, %v", series, tau, p, float64(seen)/21, exact)
	}
	slices.Reverse(series)
	if down, q := Trend(series); !near(down, -tau) || !near(q, p) {
		t.Errorf("the other way round: %v, %v", down, q)
	}
}

func TestModes(t *testing.T) {
	around := func(n int, level float64) (xs []float64) {
		for i := range n {
			xs = append(xs, level*(1+0.002*float64(i)))
		}
		return xs
	}
	for _, c := range []struct {
		name   string
		sample []float64
		want   []Mode
	}{
		{"too few", around(7, 1), nil},
		{"one", around(9, 10), []Mode{{10.08, 1}}},
		{"two", repeat(around(8, 10), around(4, 20)), []Mode{{10.07, 8. / 12}, {20.06, 4. / 12}}},
		{"not apart by enough", repeat(around(8, 10), around(4, 11.5)), []Mode{{10.1, 1}}},
		{"a small cluster is nobody's", repeat(around(10, 10), around(1, 20)), []Mode{{10.09, 10. / 11}}},
	} {
		got := Modes(c.sample, 0.15, 0.2)
		if !slices.EqualFunc(got, c.want, func(a, b Mode) bool { return math.Abs(a.At-b.At) < 0.05 && near(a.Share, b.Share) }) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
