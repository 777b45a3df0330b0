package research

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A pair holds the values of both sides, by metric, in one stage.
type pair struct{ parent, candidate map[string]float64 }

// pairs are the pairs of a candidate by stage, the first one first.
type pairs map[string][]pair

// values are the values of a metric on both sides of a stage. Pairs without the metric are left
// out.
func (p pairs) values(stage, metric string) (parent, candidate []float64) {
	for _, x := range p[stage] {
		a, ok := x.parent[metric]
		b, both := x.candidate[metric]
		if ok && both {
			parent, candidate = append(parent, a), append(candidate, b)
		}
	}
	return parent, candidate
}

// A decision is the outcome of the pairs so far.
type decision struct {
	want    string // stage that needs one more pair; empty: decided
	metrics []*Metric
	verdict string // of the ledger: keep, no_effect, worse, guard_failed, guard_uncertain, unconfirmed, quarantined
	reason  string
	gains   bool // the objective is better, whatever the guards say
	stats   map[string]ledger.Stat
}

// The number of pairs of an exact and of a near-exact metric before it is compared.
const (
	exactPairs     = 2
	nearExactPairs = 4
)

// A judgement compares candidates of one session. It depends only on the pairs in their order, so
// an interrupted candidate resumes where it was.
type judgement struct {
	config  *Config
	classes map[string]measure.Class
	since   int  // tests of noisy objectives since the last keep
	double  bool // twice the pairs: a canary raised an alarm
}

func (m *Metric) goal() measure.Goal {
	if m.Goal == "max" {
		return measure.Max
	}
	return measure.Min
}

// class is the class of a metric for the pairs of one candidate. An exact metric that did not
// repeat here is noisy. A metric that is sometimes 0 has no ratios to test, so its ranges are
// compared: some samples of a benchmark without allocations contain one of the runtime's own.
func (j *judgement) class(m *Metric, p pairs) measure.Class {
	c := j.classes[m.Name]
	a, b := p.values(ledger.StageMeasure, m.Name)
	if c == measure.Exact && (measure.Spread(a) > 0 || measure.Spread(b) > 0) {
		if measure.Spread(a) <= measure.NearExactSpread && measure.Spread(b) <= measure.NearExactSpread {
			return measure.NearExact
		}
		c = measure.Noisy
	}
	if c == measure.Noisy && len(a) > 0 && min(slices.Min(a), slices.Min(b)) <= 0 {
		return measure.NearExact
	}
	return c
}

// decide returns the outcome of the pairs, or says which pair comes next.
func (j *judgement) decide(p pairs) decision {
	d := decision{stats: map[string]ledger.Stat{}}
	all := make([]*Metric, 0, len(j.config.Metrics))
	for i := range j.config.Metrics {
		all = append(all, &j.config.Metrics[i])
	}
	// The engine's figures repeat in every run: one of each side is enough.
	first := 1
	for _, m := range all {
		if m.From != "engine" || j.class(m, p) != measure.Exact {
			first = max(first, exactPairs)
		}
	}
	for _, m := range all {
		if j.class(m, p) == measure.NearExact && (m.Goal != "" || m.Guard != nil) {
			first = nearExactPairs
		}
	}
	if len(p[ledger.StageMeasure]) < first {
		d.want, d.metrics = ledger.StageMeasure, all
		return d
	}

	// Metrics that need no test: exact and near-exact ones, and bounds of values.
	var objectives, better, worse int // without a test
	var noisy, guards []*Metric
	guard := "" // the guard that failed
	for _, m := range all {
		a, b := p.values(ledger.StageMeasure, m.Name)
		stat := newStat(j.class(m, p), a, b)
		if m.Guard != nil && guard == "" {
			if v := *stat.Candidate; m.Guard.Max != nil && v > *m.Guard.Max || m.Guard.Min != nil && v < *m.Guard.Min {
				guard = fmt.Sprintf("%s is %s, outside its bounds", m.Name, number(v))
			}
		}
		if j.class(m, p) == measure.Noisy {
			d.stats[m.Name] = stat
			if m.Goal != "" {
				noisy = append(noisy, m)
			} else if m.Guard != nil && m.Guard.MaxRegression != nil {
				guards = append(guards, m)
			}
			continue
		}
		c := compare(m, stat, a, b)
		stat.Word = map[int]string{1: "better", -1: "worse", 0: "same"}[c]
		d.stats[m.Name] = stat
		if m.Goal != "" {
			objectives++
			if c > 0 {
				better++
			}
			if c < 0 {
				worse++
			}
		}
		tolerance := Amount{}
		if m.Guard != nil && m.Guard.MaxRegression != nil {
			tolerance = *m.Guard.MaxRegression
		} else if m.Goal == "" {
			continue
		}
		if c < 0 && loss(m, *stat.Parent, *stat.Candidate) > tolerance.of(*stat.Parent) && guard == "" {
			guard = fmt.Sprintf("%s went from %s to %s", m.Name, number(*stat.Parent), number(*stat.Candidate))
		}
	}
	d.gains = better > 0
	switch {
	case guard != "" && (better > 0 || len(noisy) > 0 || worse == 0):
		d.verdict, d.reason = ledger.VerdictGuardFailed, guard
		return d
	case better == 0 && len(noisy) == 0:
		d.verdict, d.reason = ledger.VerdictNoEffect, "the objective did not move"
		if worse > 0 {
			d.verdict, d.reason = ledger.VerdictWorse, guard
		}
		return d
	case len(noisy)+len(guards) == 0:
		d.verdict = ledger.VerdictKeep
		return d
	}
	return j.trial(d, p, better > 0, noisy, guards, objectives)
}

// trial decides by the noisy metrics. If an exact objective is better already, the noisy ones only
// must not be worse.
func (j *judgement) trial(d decision, p pairs, better bool, noisy, guards []*Metric, objectives int) decision {
	st := j.config.Statistics
	confirm := 0.0
	if *st.Confirm {
		confirm = st.Alpha
	}
	level := 1.0
	if confirm > 0 {
		level = confirm
	}
	plan := measure.DefaultPlan(measure.DefaultSchedule(st.Alpha).Level(j.since, level))
	plan.Looks, plan.Confirm = slices.Clone(st.Pairs), confirm
	for i := range plan.Looks {
		if j.double {
			plan.Looks[i] *= 2
		}
	}
	if better {
		plan.Confirm = 0
	}
	list := append(slices.Clone(noisy), guards...)
	var metrics []measure.Metric
	for _, m := range list {
		base := *d.stats[m.Name].Parent
		x := measure.Metric{Name: m.Name, Goal: m.goal(), MinEffect: m.MinEffect.part(base), Objective: m.Goal != "" &&
			!better}
		switch {
		case m.Guard != nil && m.Guard.MaxRegression != nil:
			x.Guarded, x.Tolerance = true, m.Guard.MaxRegression.part(base)
			if m.Guard.auto {
				x.Tolerance = max(x.Tolerance, j.heldNow(m, p))
			}
		case m.Goal != "" && len(noisy)+objectives > 1:
			x.Guarded, x.Tolerance = true, max(x.MinEffect, otherObjective)
		}
		metrics = append(metrics, x)
	}
	t, err := measure.NewTrial(plan, metrics)
	if err != nil {
		d.verdict, d.reason = ledger.VerdictQuarantined, err.Error()
		return d
	}
	stage := ledger.StageMeasure
	for used := map[string]int{}; t.Want() > 0; used[stage]++ {
		if t.Confirming() {
			stage = ledger.StageConfirm
		}
		if used[stage] == len(p[stage]) {
			d.want, d.metrics = stage, list
			return d
		}
		x := p[stage][used[stage]]
		a, b := make([]float64, len(list)), make([]float64, len(list))
		for i, m := range list {
			a[i], b[i] = x.parent[m.Name], x.candidate[m.Name]
		}
		if err := t.Add(a, b); err != nil {
			d.verdict, d.reason = ledger.VerdictQuarantined, err.Error()
			return d
		}
	}
	var least []string
	for i, e := range t.Estimates() {
		m := list[i]
		a, b := p.values(stage, m.Name)
		s := newStat(measure.Noisy, a, b)
		setEstimate(&s, e, m.goal())
		if gain := 1 - e.Ratio; m.Goal != "" && s.Word == "better" {
			if m.goal() == measure.Max {
				gain = -gain
			}
			text := "%s gains less than %v"
			if gain >= m.MinEffect.part(*s.Parent) {
				text = "%s seems to gain, but not beyond the doubt that so many candidates ask for, by %v"
			}
			least = append(least, fmt.Sprintf(text, m.Name, m.MinEffect))
		}
		d.stats[m.Name] = s
	}
	v, cause := t.Verdict()
	d.gains = better || v == measure.Improved || v == measure.GuardUncertain
	switch v {
	case measure.Improved:
		d.verdict = ledger.VerdictKeep
	case measure.GuardFailed:
		d.verdict, d.reason = ledger.VerdictGuardFailed, "guard "+cause+" is outside its tolerance"
	case measure.GuardUncertain:
		d.verdict, d.reason = ledger.VerdictGuardUncertain, "guard "+cause+" may be outside its tolerance"
	case measure.Worse:
		d.verdict, d.reason = ledger.VerdictWorse, "the objective is worse"
	default:
		d.verdict, d.reason = ledger.VerdictNoEffect, "no gain is shown"
		if len(least) > 0 {
			d.reason = strings.Join(least, ", ")
		}
		if cause == "unconfirmed" {
			d.verdict, d.reason = ledger.VerdictUnconfirmed, "fresh samples do not show the gain again"
		}
	}
	return d
}

// estimate summarises a metric over all pairs of a stage; a noisy one gets an interval.
func (j *judgement) estimate(m *Metric, p pairs, stage string) ledger.Stat {
	a, b := p.values(stage, m.Name)
	s := newStat(j.class(m, p), a, b)
	if s.Class != string(measure.Noisy) {
		s.Word = map[int]string{1: "better", -1: "worse", 0: "same"}[compare(m, s, a, b)]
		return s
	}
	var gains []float64
	for i := range a {
		g, err := m.goal().Gain(a[i], b[i])
		if err != nil {
			return s
		}
		gains = append(gains, g)
	}
	setEstimate(&s, measure.NewEstimate(m.goal(), gains), m.goal())
	return s
}

// setEstimate puts an estimate into a metric's stat, with the word that its interval implies.
func setEstimate(s *ledger.Stat, e measure.Estimate, g measure.Goal) {
	s.Ratio, s.Lo, s.N, s.P = e.Ratio, e.Lo, e.N, &e.P
	if e.Hi < math.MaxFloat64 {
		s.Hi = e.Hi
	}
	s.Word = map[int]string{1: "better", -1: "worse", 0: "not told apart"}[e.Told(g)]
}

// otherObjective is the loss that a noisy objective without a guard may have if another objective
// gains: 2 %.
const otherObjective = 0.02

// newStat describes the values of both sides by their medians.
func newStat(class measure.Class, parent, candidate []float64) ledger.Stat {
	a, b := measure.Median(parent), measure.Median(candidate)
	s := ledger.Stat{Class: string(class), Parent: &a, Candidate: &b, N: len(parent)}
	if a > 0 && b > 0 {
		s.Ratio = b / a
	}
	return s
}

// compare is 1 if the candidate is better by the metric's least effect, -1 if it is worse, else 0.
// For a metric without a goal, less is better.
func compare(m *Metric, s ledger.Stat, parent, candidate []float64) int {
	effect := m.MinEffect.of(*s.Parent)
	if s.Class == string(measure.NearExact) {
		return m.goal().CompareRanges(parent, candidate, effect)
	}
	return m.goal().CompareExact(*s.Parent, *s.Candidate, effect)
}

// loss is how much worse the candidate's value is, in the metric's unit.
func loss(m *Metric, parent, candidate float64) float64 {
	if m.Goal == "max" {
		return parent - candidate
	}
	return candidate - parent
}

// number prints a value for people.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}
