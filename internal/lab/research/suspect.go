package research

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A figure can be too good. Any metric counts here, also one without a goal: a trick that the
// objective does not show may show in another one. A gain beyond the suspect factor, a time that the
// processor time contradicts, and a time in which no machine does the work (floor.go) go to a human.

// suspicious says why a human should look at the figures of a row; empty if nobody needs to.
func (s *Session) suspicious(stats map[string]ledger.Stat) string {
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		st := stats[m.Name]
		if st.Parent == nil || st.Candidate == nil {
			continue
		}
		if reason := s.suspiciousMetric(m, *st.Parent, *st.Candidate); reason != "" {
			return reason
		}
	}
	return ""
}

func (s *Session) suspiciousMetric(m *Metric, parent, candidate float64) string {
	if (m.time() || m.rate()) && candidate <= 0 {
		return fmt.Sprintf("%s is %s: no work takes no time", m.Name, number(candidate))
	}
	factor := s.config.Statistics.Suspect
	if m.Suspect != 0 {
		factor = m.Suspect
	}
	a, b := parent, candidate
	if m.goal() == measure.Max || m.Goal == "" && m.rate() {
		a, b = b, a
	}
	if a > 0 && (b > 0 && a/b > factor || b <= 0 && a > factor) && !s.follows(m) {
		return fmt.Sprintf("%s went from %s to %s, more than %s times: too good to be taken unseen", m.Name,
			number(parent), number(candidate), number(factor))
	}
	if m.From == "gobench" && m.Unit == "ns/op" && a > 0 {
		pa, pb := s.state.pairs.values(ledger.StageMeasure, cpuMetric)
		cpu := measure.Median(pb) / measure.Median(pa)
		const loop = 20e6 // ns: in less time the process's start outweighs its loop
		if a*float64(m.Iterations) > loop && b/a < 0.8 && cpu > 0.95 {
			return fmt.Sprintf("%s says %.0f%%, but the processor time of its process %.0f%%: the time is not believed",
				m.Name, 100*b/a, 100*cpu)
		}
	}
	return ""
}

// time reports whether a metric is a time of one operation.
func (m *Metric) time() bool { return m.Unit == "ns/op" || m.Unit == cpuPerOp }

// rate reports whether more of a metric is better by its unit: MB/s, or a benchmark's own rate.
func (m *Metric) rate() bool { return strings.HasSuffix(m.Unit, "/s") }

// follows reports whether a metric without a goal falls with another one: the bytes of a benchmark
// with its allocations. Whoever removes the last allocation removes the last byte.
func (s *Session) follows(m *Metric) bool {
	return m.Goal == "" && m.Suspect == 0 && m.Unit == "B/op" && slices.ContainsFunc(s.config.Metrics, func(o Metric) bool {
		return o.Unit == "allocs/op" && o.benchKey() == m.benchKey()
	})
}
