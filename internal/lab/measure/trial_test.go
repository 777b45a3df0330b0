package measure

import (
	"math"
	"slices"
	"testing"
)

// feed gives a trial pairs until it is decided. The parent's value is 100, and f yields the
// candidate's values.
func feed(t *testing.T, trial *Trial, f func(i int) []float64) int {
	t.Helper()
	n := 0
	for trial.Want() > 0 {
		c := f(n)
		p := make([]float64, len(c))
		for i := range p {
			p[i] = 100
		}
		if err := trial.Add(p, c); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestLevels(t *testing.T) {
	for _, alpha := range []float64{0.05, 0.01, 0.002, 1e-4, 1e-7} {
		list, sum := levels([]int{8, 16, 32}, alpha), 0.0
		for _, l := range list {
			sum += l
		}
		if sum > alpha || sum < 0.7*alpha {
			t.Errorf("levels of %v: %v", alpha, list)
		}
	}
	if l := levels([]int{8, 16, 32}, 0.01); l[0] != 1./256 {
		t.Errorf("the first look of 0.01 has %v", l[0])
	}
}

func TestTrial(t *testing.T) {
	wobble := func(i int) float64 { return 0.3 * float64(i%5-2) }
	objective := Metric{Name: "ns", Objective: true, MinEffect: 0.01}
	guard := Metric{Name: "bytes", Guarded: true, Tolerance: 0.02}
	for _, test := range []struct {
		name    string
		metrics []Metric
		f       func(i int) []float64
		verdict Verdict
		cause   string
		pairs   int
	}{
		{"a gain is seen at the first look and confirmed at the next", []Metric{objective},
			func(i int) []float64 { return []float64{95 + wobble(i)} }, Improved, "", 16},
		{"nothing", []Metric{objective}, func(i int) []float64 { return []float64{100 + 3*wobble(i)} }, NoEffect, "", 16},
		{"worse", []Metric{objective}, func(i int) []float64 { return []float64{104 + wobble(i)} }, Worse, "", 8},
		{"a gain below the least of interest", []Metric{objective}, func(i int) []float64 { return []float64{99.6 + wobble(i)/10} }, NoEffect, "", 8},
		{"luck", []Metric{objective}, func(i int) []float64 {
			if i < 8 {
				return []float64{95 + wobble(i)}
			}
			return []float64{100 + wobble(i)}
		}, NoEffect, "unconfirmed", 16},
		{"guard passes", []Metric{objective, guard}, func(i int) []float64 { return []float64{95 + wobble(i), 101 + wobble(i)/2} }, Improved, "", 16},
		{"guards alone pass", []Metric{guard}, func(i int) []float64 { return []float64{101 + wobble(i)/2} }, Improved, "", 16},
		{"guards alone fail", []Metric{guard}, func(i int) []float64 { return []float64{103 + wobble(i)/2} }, GuardFailed, "bytes", 8},
		{"guard fails", []Metric{objective, guard}, func(i int) []float64 { return []float64{95 + wobble(i), 103 + wobble(i)/2} }, GuardFailed, "bytes", 8},
		{"guard at its tolerance", []Metric{objective, guard}, func(i int) []float64 { return []float64{95 + wobble(i), 102 + wobble(i)/2} }, GuardUncertain, "bytes", 32},
		{"one of two objectives", []Metric{objective, {Name: "b", Objective: true, MinEffect: 0.01}},
			func(i int) []float64 { return []float64{100 + 3*wobble(i), 95 + wobble(i)} }, Improved, "", 32},
		{"more is better", []Metric{{Name: "MB/s", Goal: Max, Objective: true, MinEffect: 0.01}},
			func(i int) []float64 { return []float64{105 + wobble(i)} }, Improved, "", 16},
		{"guards alone pass", []Metric{guard}, func(i int) []float64 { return []float64{100 + wobble(i)} }, Improved, "", 16},
		{"guards alone fail", []Metric{guard}, func(i int) []float64 { return []float64{104 + wobble(i)} }, GuardFailed, "bytes", 8},
		{"guards alone are uncertain", []Metric{guard}, func(i int) []float64 { return []float64{102 + wobble(i)} }, GuardUncertain, "bytes", 32},
	} {
		trial, err := NewTrial(DefaultPlan(0.01), test.metrics)
		if err != nil {
			t.Fatal(err)
		}
		n := feed(t, trial, test.f)
		if v, cause := trial.Verdict(); v != test.verdict || cause != test.cause || n != test.pairs {
			t.Errorf("%s: %q %q after %d pairs, not %q %q after %d", test.name, v, cause, n, test.verdict, test.cause, test.pairs)
		}
		if err := trial.Add(make([]float64, len(test.metrics)), make([]float64, len(test.metrics))); err == nil {
			t.Errorf("%s: takes pairs after the decision", test.name)
		}
	}
}

// TestTrialReportsConfirmation: the estimate does not use the pairs of the first stage.
func TestTrialReportsConfirmation(t *testing.T) {
	trial, _ := NewTrial(DefaultPlan(0.01), []Metric{{Name: "ns", Objective: true}})
	feed(t, trial, func(i int) []float64 {
		if trial.Confirming() != (i >= 8) {
			t.Errorf("pair %d: confirming is %v", i, trial.Confirming())
		}
		if i < 8 {
			return []float64{80}
		}
		return []float64{95}
	})
	if e := trial.Estimates()[0]; !near(e.Ratio, 0.95) || e.N != 8 || len(trial.gains[0]) != 8 {
		t.Errorf("%+v", e)
	}
}

func TestTrialErrors(t *testing.T) {
	ns := []Metric{{Name: "ns", Objective: true}}
	for _, test := range []struct {
		plan    Plan
		metrics []Metric
	}{{Plan{}, ns}, {Plan{Looks: []int{0}}, ns}, {Plan{Looks: []int{8, 8}}, ns}, {DefaultPlan(0.01), nil}, {DefaultPlan(0.01), []Metric{{Name: "b"}}}} {
		if _, err := NewTrial(test.plan, test.metrics); err == nil {
			t.Errorf("%+v has no error", test)
		}
	}
	trial, _ := NewTrial(DefaultPlan(0.01), ns)
	for _, pair := range [][2][]float64{{{1}, {0}}, {{1}, {math.NaN()}}, {{1, 2}, {1, 2}}, {nil, nil}} {
		if err := trial.Add(pair[0], pair[1]); err == nil || len(trial.gains[0]) != 0 {
			t.Errorf("%v is taken", pair)
		}
	}
	if e := trial.Estimates(); len(e) != 1 || !slices.Contains([]int{0}, e[0].N) {
		t.Errorf("estimates of nothing: %+v", e)
	}
}
