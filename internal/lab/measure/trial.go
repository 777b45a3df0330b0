package measure

import (
	"fmt"
	"slices"
)

// A Metric is a noisy figure that takes part in a trial. It may be an objective, which a candidate
// must improve to be accepted. It may have a tolerance, which makes it a guard.
type Metric struct {
	Name      string
	Goal      Goal
	Objective bool
	// MinEffect is the least gain that an objective must reach, as a part of the parent's value:
	// 0.01 is 1 %.
	MinEffect float64
	// Tolerance is the largest accepted loss, as a part of the parent's value. A guard passes when
	// the interval of its ratio shows that the loss is not larger. So a tolerance of 0 of a noisy
	// metric requires a gain. Unguarded metrics have none.
	Tolerance float64
	Guarded   bool
}

// A Plan says how many pairs a trial takes, and at which levels it tests.
type Plan struct {
	Looks   []int   // rising numbers of pairs after which the trial looks
	Alpha   float64 // one-sided level of all looks and objectives together
	Confirm float64 // level of the confirmation with fresh pairs; 0: no confirmation
	Guard   float64 // probability that a guard passes although the loss is beyond its tolerance
	Futile  float64 // probability of giving up a candidate with a gain of exactly MinEffect, at one look
}

// DefaultPlan looks after 8, 16 and 32 pairs and confirms at the level of the first test.
func DefaultPlan(alpha float64) Plan {
	return Plan{Looks: []int{8, 16, 32}, Alpha: alpha, Confirm: alpha, Guard: 0.05, Futile: 0.05}
}

// levels divides a level among the looks of a plan. The first look gets two fifths, which it needs
// to decide anything at all; the others get equal parts of the rest. P-values of few pairs are
// coarse, so a look may not be able to use all of its share. The next look gets the remainder. Each
// look's level is one that the test attains, so their sum is at most alpha.
func levels(looks []int, alpha float64) []float64 {
	const first = 0.4
	list := make([]float64, len(looks))
	left := 0.0
	for i, n := range looks {
		switch {
		case len(looks) == 1:
			left = alpha
		case i == 0:
			left = first * alpha
		default:
			left += (1 - first) * alpha / float64(len(looks)-1)
		}
		list[i] = AttainableLevel(n, left)
		left -= list[i]
	}
	return list
}

// A Verdict is how a trial ended.
type Verdict string

const (
	Undecided Verdict = "" // more pairs are wanted
	// an objective is better, confirmed if the plan says so, and all guards passed; without an
	// objective: they passed
	Improved       Verdict = "improved"
	NoEffect       Verdict = "no_effect"       // no objective is shown to be better
	Worse          Verdict = "worse"           // all objectives are worse
	GuardFailed    Verdict = "guard_failed"    // a guard's loss is beyond its tolerance
	GuardUncertain Verdict = "guard_uncertain" // an objective is better, but a guard did not pass after the last look
)

// A Trial decides about a candidate from pairs of samples. It depends only on the samples and their
// order. So an interrupted trial resumes when it is given the earlier samples again. A trial is
// used by one goroutine.
type Trial struct {
	plan    Plan
	metrics []Metric
	levels  []float64

	gains      [][]float64 // of the stage, by metric
	look       int         // the next look
	improved   []bool      // objectives whose gain a look of the stage has shown
	confirming bool
	verdict    Verdict
	cause      string
}

// NewTrial begins a trial. The plan has at least one look. If no metric is an objective, the
// metrics are guards of a candidate that is known to be better: the trial is Improved when all of
// them have passed.
func NewTrial(plan Plan, metrics []Metric) (*Trial, error) {
	if len(plan.Looks) == 0 || plan.Looks[0] < 1 {
		return nil, fmt.Errorf("a trial needs looks after at least one pair")
	}
	for i, n := range plan.Looks[1:] {
		if n <= plan.Looks[i] {
			return nil, fmt.Errorf("looks after %v pairs do not rise", plan.Looks)
		}
	}
	if !slices.ContainsFunc(metrics, func(m Metric) bool { return m.Objective || m.Guarded }) {
		return nil, fmt.Errorf("a trial needs an objective or a guard")
	}
	t := &Trial{plan: plan, metrics: slices.Clone(metrics)}
	t.begin(plan.Alpha)
	return t, nil
}

// begin starts a stage.
func (t *Trial) begin(alpha float64) {
	t.levels = levels(t.plan.Looks, alpha)
	t.gains = make([][]float64, len(t.metrics))
	t.improved = make([]bool, len(t.metrics))
	t.look = 0
}

// Want is the number of pairs until the next look; 0 when the trial is decided.
func (t *Trial) Want() int {
	if t.verdict != Undecided {
		return 0
	}
	return t.plan.Looks[t.look] - len(t.gains[0])
}

// Confirming reports whether the next pairs belong to the confirmation.
func (t *Trial) Confirming() bool { return t.confirming }

// Verdict is Undecided as long as pairs are wanted. The cause is the name of the guard that did not
// pass, "unconfirmed" if the second stage did not show the gain of the first, or empty.
func (t *Trial) Verdict() (v Verdict, cause string) { return t.verdict, t.cause }

// Estimates are the estimates of the metrics in their order, from the pairs of the last stage
// alone.
func (t *Trial) Estimates() []Estimate {
	list := make([]Estimate, len(t.metrics))
	for i, m := range t.metrics {
		list[i] = NewEstimate(m.Goal, t.gains[i])
	}
	return list
}

// Add takes one pair: the values of the metrics in their order, of the parent and of the candidate.
// If a ratio has no logarithm, or if the trial is decided, it fails and takes nothing.
func (t *Trial) Add(parent, candidate []float64) error {
	if t.verdict != Undecided {
		return fmt.Errorf("the trial is decided")
	}
	if len(parent) != len(t.metrics) || len(candidate) != len(t.metrics) {
		return fmt.Errorf("a pair has %d and %d values, not %d", len(parent), len(candidate), len(t.metrics))
	}
	pair := make([]float64, len(t.metrics))
	for i, m := range t.metrics {
		g, err := m.Goal.Gain(parent[i], candidate[i])
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		pair[i] = g
	}
	for i, g := range pair {
		t.gains[i] = append(t.gains[i], g)
	}
	if len(t.gains[0]) == t.plan.Looks[t.look] {
		t.decide()
	}
	return nil
}

// decide looks at the pairs of the stage.
func (t *Trial) decide() {
	n := len(t.gains[0])
	last := t.look == len(t.plan.Looks)-1
	t.findImproved()
	uncertain := ""
	for i, m := range t.metrics {
		if !m.Guarded {
			continue
		}
		lo, hi := Interval(t.gains[i], levels(t.plan.Looks, t.plan.Guard)[t.look])
		switch bound := m.Goal.LogGain(-m.Tolerance); {
		case hi < bound:
			t.end(GuardFailed, m.Name)
			return
		case lo < bound && uncertain == "":
			uncertain = m.Name
		}
	}
	switch {
	case slices.Contains(t.improved, true) || t.onlyGuards():
		switch {
		case uncertain == "" && !t.confirming && t.plan.Confirm > 0:
			t.confirming = true
			t.begin(t.plan.Confirm)
			return
		case uncertain == "":
			t.end(Improved, "")
		case last:
			t.end(GuardUncertain, uncertain)
		}
	case last || t.futile(n):
		v, cause := NoEffect, ""
		if t.worse() {
			v = Worse
		} else if t.confirming {
			cause = "unconfirmed"
		}
		t.end(v, cause)
	}
	t.look++
}

// onlyGuards reports whether the trial has guards but no objective.
func (t *Trial) onlyGuards() bool {
	return !slices.ContainsFunc(t.metrics, func(m Metric) bool { return m.Objective })
}

func (t *Trial) end(v Verdict, cause string) { t.verdict, t.cause = v, cause }

// findImproved notes the objectives whose gain this look shows. Objectives that an earlier look of
// the stage has noted stay.
func (t *Trial) findImproved() {
	var p []float64
	var which []int
	for i, m := range t.metrics {
		if m.Objective {
			p = append(p, SignedRank(t.gains[i]))
			which = append(which, i)
		}
	}
	for k, adjusted := range Holm(p) {
		i := which[k]
		m := t.metrics[i]
		if adjusted <= t.levels[t.look] && HodgesLehmann(t.gains[i]) >= m.Goal.LogGain(m.MinEffect) {
			t.improved[i] = true
		}
	}
}

// futile reports whether all objectives are unlikely to reach their least gain.
func (t *Trial) futile(n int) bool {
	if AttainableLevel(n, t.plan.Futile) == 0 {
		return false
	}
	return t.all(func(m Metric, gains []float64) bool {
		_, hi := Interval(gains, t.plan.Futile)
		return hi < m.Goal.LogGain(m.MinEffect)
	})
}

// worse reports whether all objectives are shown to be worse: the intervals of their estimates do
// not contain 1.
func (t *Trial) worse() bool {
	return t.all(func(m Metric, gains []float64) bool { return NewEstimate(m.Goal, gains).Told(m.Goal) < 0 })
}

func (t *Trial) all(f func(Metric, []float64) bool) bool {
	for i, m := range t.metrics {
		if m.Objective && !f(m, t.gains[i]) {
			return false
		}
	}
	return true
}
