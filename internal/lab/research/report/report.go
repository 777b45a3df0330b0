// Package report shows a research session: as an HTML page, as a table for a pull request, and in a
// terminal (text.go). subs.go has the tables of sub-benchmarks. All of these are made from the lines
// of the ledger alone, so they show what was recorded. Only the page's diffs come from a function, as
// the ledger holds just the names of commits.
//
// The page (page.go, chart.go) needs neither network nor script: charts are SVG, and HTML itself
// folds the runs. The chart is the one that karpathy/autoresearch made familiar: the runs from left
// to right, kept ones with their names, discarded ones in grey, and the best value so far as a line
// of steps. It adds confidence intervals of noisy objectives, a strip with the state of each guard,
// and the band within which two identical programs differ. frontier.go finds the rows that no other
// row beats in all objectives.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Session is the input of a report.
type Session struct {
	Lines []ledger.Line
	// Diff is the change that a run proposed, in unified form; nil: no diffs. An error is shown in
	// place of the diff.
	Diff func(*ledger.Row) (string, error)
}

// A segment is a set of rows that may be compared with each other: the rows after a config.
type segment struct {
	Config *ledger.Config
	Rows   []*ledger.Row
	Events []*ledger.Event
	Lines  []ledger.Line
}

// segments divides the lines. A log without a config gets an empty one.
func (s *Session) segments() []*segment {
	var list []*segment
	last := func() *segment {
		if len(list) == 0 {
			list = append(list, &segment{Config: &ledger.Config{BestDirection: "lower"}})
		}
		return list[len(list)-1]
	}
	for _, l := range s.Lines {
		switch {
		case l.Config != nil:
			if n := len(list); n > 0 && len(list[n-1].Rows) == 0 {
				list[n-1].Config = l.Config
				continue
			}
			list = append(list, &segment{Config: l.Config})
			last().Lines = append(last().Lines, l)
			continue
		case l.Row != nil:
			g := last()
			g.Rows = append(g.Rows, l.Row)
		case l.Event != nil:
			g := last()
			g.Events = append(g.Events, l.Event)
		}
		if len(list) > 0 {
			last().Lines = append(last().Lines, l)
		}
	}
	return list
}

// replayed is the comparison of the segment's series with a published table, nil if there is none.
func (g *segment) replayed() *ledger.Replayed {
	for _, e := range slices.Backward(g.Events) {
		r := &ledger.Replayed{}
		if e.Event == ledger.EventReplayed && json.Unmarshal(e.Data, r) == nil {
			return r
		}
	}
	return nil
}

// apart reports whether the row was judged on its own parent beside a chain. It is no step of the
// chain.
func (g *segment) apart(r *ledger.Row) bool {
	return r.Apart && slices.ContainsFunc(g.Rows, func(r *ledger.Row) bool { return !r.Apart && r.Verdict != ledger.VerdictBaseline })
}

// name of the session.
func (s *Session) name() string {
	for _, g := range slices.Backward(s.segments()) {
		if g.Config.Name != "" {
			return g.Config.Name
		}
	}
	return "research"
}

// higher reports whether more is better.
func (g *segment) higher() bool { return g.Config.BestDirection == "higher" }

// better reports whether a is better than b.
func (g *segment) better(a, b float64) bool {
	if g.higher() {
		return a > b
	}
	return a < b
}

// baseline is the value of the first row that has one, nil if none does.
func (g *segment) baseline() *float64 {
	for _, r := range g.Rows {
		if r.Metric != nil {
			return r.Metric
		}
	}
	return nil
}

// best are the best kept values up to and including each row, NaN before the first.
func (g *segment) best() []float64 {
	list := make([]float64, len(g.Rows))
	best := math.NaN()
	for i, r := range g.Rows {
		// A kept value is the branch's value now, even if noise makes it look worse than an earlier
		// one: the line shows the best.
		if r.Status == ledger.Keep && r.Metric != nil && !g.apart(r) && (math.IsNaN(best) || g.better(*r.Metric, best)) {
			best = *r.Metric
		}
		list[i] = best
	}
	return list
}

// others are the names of the metrics besides the objective: those of the config in their order,
// then others that rows have. Sub-benchmarks have a table of their own (subs.go).
func (g *segment) others() []string {
	var names []string
	parts := g.parts()
	add := func(n string) {
		if n != g.Config.MetricName && !slices.Contains(names, n) && !slices.Contains(parts, n) {
			names = append(names, n)
		}
	}
	for _, m := range g.Config.Metrics {
		add(m.Name)
	}
	for _, n := range ledger.MetricNames(g.Rows) {
		add(n)
	}
	return names
}

// heading is a metric's name, or its unit if that says as much: a column of ns/op is the time,
// unless several metrics have that unit.
func (g *segment) heading(name string) string {
	unit := ""
	for _, m := range g.Config.Metrics {
		if m.Name == name {
			unit = m.Unit
		}
	}
	if name == g.Config.MetricName {
		unit = cmp.Or(unit, g.Config.MetricUnit)
	}
	parts := g.parts()
	several := slices.ContainsFunc(g.Config.Metrics, func(m ledger.Metric) bool {
		return m.Name != name && m.Unit == unit && !slices.Contains(parts, m.Name)
	})
	if strings.Contains(unit, "/op") && !several {
		return unit
	}
	if unit != "" {
		return name + " (" + unit + ")"
	}
	return name
}

// value is a row's value of a metric, nil if it has none.
func (g *segment) value(r *ledger.Row, name string) *float64 {
	if name == g.Config.MetricName {
		return r.Metric
	}
	if v, ok := r.Metrics[name]; ok {
		return &v
	}
	return nil
}

// A tally counts rows by outcome.
type tally struct{ Kept, Discarded, Failed, Crashed, Canaries int }

func (g *segment) tally() tally {
	var t tally
	for _, r := range g.Rows {
		switch {
		case r.Verdict == ledger.VerdictCanary:
			t.Canaries++
		case r.Kept():
			t.Kept++
		case r.Status == ledger.Discard:
			t.Discarded++
		case r.Status == ledger.ChecksFailed:
			t.Failed++
		case r.Status == ledger.Crash:
			t.Crashed++
		}
	}
	return t
}

// number prints a value with enough digits to tell it from its neighbours, and commas between
// thousands.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return markup.Thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	digits := 4 - int(math.Floor(math.Log10(math.Abs(v))))
	return markup.Thousands(strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', max(0, min(digits, 9)), 64), "0"),
		"."))
}

// optional prints a value, a dash for none.
func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return number(*v)
}

// commit is a row's commit, shortened; a dash if it has none, or is some other word.
func commit(r *ledger.Row) string {
	if len(r.Commit) >= 7 && strings.Trim(r.Commit, "0123456789abcdef") == "" {
		return r.Commit[:7]
	}
	return "–"
}

// change is the difference between the best value and the first one, in percent of the latter;
// empty if they are equal.
func (g *segment) change() string {
	base, best := g.baseline(), g.best()
	if base == nil || len(best) == 0 || math.IsNaN(best[len(best)-1]) || *base == 0 {
		return ""
	}
	return percent(best[len(best)-1]/(*base) - 1)
}

func percent(part float64) string {
	if part == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.*f %%", decimals(part), 100*part)
}

func decimals(part float64) int {
	if math.Abs(part) < 0.1 {
		return 2
	}
	return 1
}

// effect is the change of a metric in percent, with its interval if it was tested, or its class;
// empty if unknown.
func effect(s ledger.Stat) string {
	if s.Ratio == 0 {
		return ""
	}
	text := percent(s.Ratio - 1)
	switch {
	case s.Class == string(measure.Exact) || s.Class == string(measure.NearExact):
		return text + " " + s.Class
	case s.N > 1 && s.Lo > 0 && s.Hi > 0 && s.Hi < 1e6:
		text += fmt.Sprintf(" [%+.1f, %+.1f] n=%d", 100*(s.Lo-1), 100*(s.Hi-1), s.N)
	case s.N > 0 && s.P != nil:
		text += fmt.Sprintf(" n=%d, too few for an interval", s.N)
	}
	return text
}

// claim is the segment's total gain in a metric: its base against the branch's tip, measured anew.
// Empty if it was not measured.
func (g *segment) claim(name string) string {
	for _, e := range slices.Backward(g.Events) {
		var c struct {
			Stats map[string]ledger.Stat `json:"stats"`
		}
		if e.Event == ledger.EventClaim && json.Unmarshal(e.Data, &c) == nil {
			if st, ok := c.Stats[name]; ok {
				return effect(st)
			}
		}
	}
	goal := measure.Min
	if g.goal(name) == "max" {
		goal = measure.Max
	}
	var gains, values []float64
	for _, sample := range ledger.Samples(g.Lines, 0) {
		if sample.Stage != ledger.StageClaim || sample.Metric != name || sample.Parent == nil || sample.Candidate == nil {
			continue
		}
		if gain, err := goal.Gain(*sample.Parent, *sample.Candidate); err == nil {
			gains, values = append(gains, gain), append(values, *sample.Candidate / *sample.Parent)
		}
	}
	if len(gains) == 0 {
		return ""
	}
	e := measure.NewEstimate(goal, gains)
	st := ledger.Stat{Ratio: e.Ratio, Lo: e.Lo, Hi: e.Hi, N: e.N, P: &e.P}
	if measure.Spread(values) == 0 {
		st.Class = string(measure.Exact)
	}
	return effect(st)
}

// goal of a metric: min or max.
func (g *segment) goal(name string) string {
	for _, m := range g.Config.Metrics {
		if m.Name == name && m.Goal != "" {
			return m.Goal
		}
	}
	if name == g.Config.MetricName && g.higher() {
		return "max"
	}
	return "min"
}

// An objective is the page's heading for an objective after the first.
type objective struct{ Heading, Values, Change, Claim string }

// further are the objectives after the first one, with the values of base and tip.
func (g *segment) further() []objective {
	var list []objective
	for _, m := range g.objectives() {
		if m.Name == g.Config.MetricName {
			continue
		}
		var first, last *float64
		for _, r := range g.Rows {
			if v := g.value(r, m.Name); v != nil && r.Status == ledger.Keep && !g.apart(r) {
				if first == nil {
					first = v
				}
				last = v
			}
		}
		o := objective{Heading: g.heading(m.Name) + map[string]string{"max": ", more is better"}[m.Goal],
			Values: optional(first) + " → " + optional(last), Claim: g.claim(m.Name)}
		if o.Heading == g.heading(m.Name) {
			o.Heading += ", less is better"
		}
		if first != nil && *first != 0 {
			o.Change = percent(*last / *first - 1)
		}
		list = append(list, o)
	}
	return list
}

// product is the product of the steps' changes, as each was measured when it was kept; empty if no
// step has one.
func (g *segment) product() string {
	ratio, steps := 1.0, 0
	for _, r := range g.Rows {
		if st := r.Stats[g.Config.MetricName]; r.Kept() && st.Ratio > 0 {
			ratio, steps = ratio*st.Ratio, steps+1
		}
	}
	if steps == 0 {
		return ""
	}
	return percent(ratio - 1)
}

// verdict is a row's verdict, or its status if it has none.
func verdict(r *ledger.Row) string { return cmp.Or(r.Verdict, r.Status) }

var spaces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+`) })

// oneLine puts a text on one line of at most most letters; 0: of any length.
func oneLine(s string, most int) string {
	s = strings.TrimSpace(spaces().ReplaceAllString(s, " "))
	if r := []rune(s); most > 0 && len(r) > most {
		return strings.TrimRight(string(r[:most-1]), " ") + "…"
	}
	return s
}
