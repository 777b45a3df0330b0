package research

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// One metric may stand for several sub-benchmarks. Each is measured by itself, as a metric named
// after it, with the metric's guard. The metric itself is the geometric mean of their values in a
// pair, so a gain in one of them counts as much as the same part of another, however long they take.

// geomean is where a metric of several sub-benchmarks comes from. No config has it.
const geomean = "geomean"

// expand gives metrics with sub-benchmarks their parts, which follow them.
func (c *Config) expand() error {
	var list []Metric
	names := map[string]bool{}
	for i, m := range c.Metrics {
		at := fmt.Sprintf("metrics[%d].subs", i)
		list = append(list, m)
		names[m.Name] = true
		if m.Subs == nil {
			continue
		}
		if m.Bench == "" || len(m.Subs) < 2 {
			return &ConfigError{Path: at, Msg: "a benchmark has two sub-benchmarks or more"}
		}
		var parts []string
		for _, sub := range m.Subs {
			part := m
			part.Subs, part.Goal, part.part, part.Bench = nil, "", m.Goal, m.Bench+"/"+sub
			part.Name = m.Name + "/" + strings.Map(func(r rune) rune {
				if measure.MetricName("x" + string(r)) {
					return r
				}
				return '_'
			}, sub)
			if part.Guard = nil; m.Guard != nil && m.Guard.MaxRegression != nil {
				part.Guard = &Guard{MaxRegression: m.Guard.MaxRegression}
			}
			if names[part.Name] || sub == "" {
				return &ConfigError{Path: at, Msg: fmt.Sprintf("%q appears twice, or is empty", sub)}
			}
			names[part.Name] = true
			parts = append(parts, part.Name)
			list = append(list, part)
		}
		whole := &list[len(list)-1-len(parts)]
		whole.From, whole.Bench, whole.Iterations, whole.of = geomean, "", 0, parts
		if whole.Guard != nil {
			guard := *whole.Guard
			if guard.MaxRegression = nil; guard.Max == nil && guard.Min == nil {
				whole.Guard = nil
			} else {
				whole.Guard = &guard
			}
		}
	}
	c.Metrics = list
	return nil
}

// wholes are the metrics that stand for others among the names.
func (c *Config) wholes(names []string) (list []*Metric) {
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if m.of != nil && !slices.ContainsFunc(m.of, func(name string) bool { return !slices.Contains(names, name) }) {
			list = append(list, m)
		}
	}
	return list
}

// mean is the metric's value by those of its parts. Counts may be 0, so one is added to each and
// taken off the mean.
func (m *Metric) mean(values map[string]float64) float64 {
	shift := 0.0
	if !m.time() && !m.rate() {
		shift = 1
	}
	sum := 0.0
	for _, name := range m.of {
		sum += math.Log(values[name] + shift)
	}
	return math.Exp(sum/float64(len(m.of))) - shift
}

// appendMeans adds and logs the metrics of several sub-benchmarks in a pair.
func (s *Session) appendMeans(c *subject, stage string, n int, x pair) error {
	for _, m := range s.config.wholes(sortedKeys(x.candidate)) {
		a, b := m.mean(x.parent), m.mean(x.candidate)
		x.parent[m.Name], x.candidate[m.Name] = a, b
		if err := s.append(&ledger.Sample{ID: c.run, Stage: stage, Metric: m.Name, Pair: n, Parent: &a, Candidate: &b, Env: s.env.Fingerprint(), On: s.machines(c)}); err != nil {
			return err
		}
	}
	return nil
}
