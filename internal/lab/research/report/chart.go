package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// The chart's measures, in units of its own: the page scales it.
const (
	chartWidth  = 1000.0
	chartHeight = 380.0
	chartLeft   = 70.0
	chartRight  = 20.0
	chartTop    = 78.0 // room for the names of kept runs
	chartBottom = 34.0
	stripHeight = 16.0
)

// far bounds, in multiples of the range of the kept values, how far outside of that range a value
// may lie and still be within the chart.
const far = 4

// valueRange is the range of the values, with a margin on both sides.
func (g *segment) valueRange() (lo, hi float64) {
	var kept, all []float64
	for _, r := range g.Rows {
		if r.Metric != nil {
			all = append(all, *r.Metric)
			if st, ok := interval(r, g.Config.MetricName); ok {
				all = append(all, *st.Parent*st.Lo, *st.Parent*st.Hi)
			}
			if r.Status == ledger.Keep {
				kept = append(kept, *r.Metric)
			}
		}
	}
	if len(kept) == 0 {
		kept = all
	}
	if len(kept) == 0 {
		return 0, 1
	}
	lo, hi = slices.Min(kept), slices.Max(kept)
	span := hi - lo
	if span == 0 {
		span = max(math.Abs(hi)*0.1, 1e-9)
	}
	// The chart includes candidates. Values so far off that the rest would look flat are drawn at
	// the edge.
	from, to := lo-far*span, hi+far*span
	for _, v := range all {
		if from <= v && v <= to {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	room := (hi - lo) * 0.12
	if room == 0 {
		room = span / 2
	}
	if lo >= 0 {
		return max(0, lo-room), hi + room
	}
	return lo - room, hi + room
}

// interval is a run's stat for a metric, if that has a parent and a confidence interval.
func interval(r *ledger.Row, name string) (ledger.Stat, bool) {
	st, ok := r.Stats[name]
	return st, ok && st.N > 1 && st.Parent != nil && st.Hi > 0 && st.Hi < 1e6
}

// guards are the metrics with a tolerance.
func (g *segment) guards() []ledger.Metric {
	return g.metrics(func(m ledger.Metric) bool { return m.Guard != "" })
}

// objectives are the metrics that the session should improve.
func (g *segment) objectives() []ledger.Metric {
	return g.metrics(func(m ledger.Metric) bool { return m.Goal != "" })
}

// metrics are the metrics of a kind.
func (g *segment) metrics(kind func(ledger.Metric) bool) []ledger.Metric {
	return slices.DeleteFunc(slices.Clone(g.Config.Metrics), func(m ledger.Metric) bool { return !kind(m) })
}

// chart draws the segment.
func (g *segment) chart(prefix string) markup.Markup {
	guards := g.guards()
	height := chartHeight + float64(len(guards))*stripHeight
	lo, hi := g.valueRange()
	x := markup.NewScale(0.5, float64(max(len(g.Rows), 2))+0.5, chartLeft, chartWidth-chartRight)
	y := markup.NewScale(lo, hi, chartHeight-chartBottom, chartTop)
	inside := y.Inside
	s := &markup.SVG{}
	s.Add(`<svg class="chart" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s by run">`, chartWidth, height,
		g.heading(g.Config.MetricName))
	for _, v := range y.Ticks(6) {
		s.Add(`<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, chartLeft, chartWidth-chartRight, y.At(v),
			y.At(v))
		s.Text("tick", chartLeft-8, y.At(v)+4, `text-anchor="end"`, number(v))
	}
	step := max(1, (len(g.Rows)+19)/20)
	for i, r := range g.Rows {
		if i%step == 0 {
			s.Text("tick", x.At(float64(i+1)), chartHeight-chartBottom+16, `text-anchor="middle"`, fmt.Sprint(r.Run))
		}
	}
	g.band(s, inside)
	g.steps(s, x, inside)
	for i, r := range g.Rows {
		g.point(s, prefix, r, x.At(float64(i+1)), y, inside)
	}
	g.labels(s, x, inside)
	for k, m := range guards {
		top := chartHeight + float64(k)*stripHeight - 8
		s.Text("tick", chartLeft-8, top+10, `text-anchor="end"`, oneLine(m.Name, 11))
		for i, r := range g.Rows {
			class, words := guardState(r, m.Name)
			if class == "" {
				continue
			}
			w := min(18, (x.To()-x.From())/(x.Hi-x.Lo)*0.8)
			s.Add(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2"><title>%s</title></rect>`,
				class, x.At(float64(i+1))-w/2, top, w, stripHeight-5,
				fmt.Sprintf("run %d: %s %s", r.Run, m.Name, words))
		}
	}
	s.Add(`</svg>`)
	return s.Markup()
}

// band draws the range within which identical programs differ, around the best value: the widest
// interval of a canary.
func (g *segment) band(s *markup.SVG, inside func(float64) float64) {
	best := g.best()
	lo, hi := 1.0, 1.0
	for _, r := range g.Rows {
		if st, ok := r.Stats[g.Config.MetricName]; ok && r.Verdict == ledger.VerdictCanary && st.Hi > 0 && st.Hi < 1e6 {
			lo, hi = min(lo, st.Lo), max(hi, st.Hi)
		}
	}
	if lo == hi || len(best) == 0 || math.IsNaN(best[len(best)-1]) {
		return
	}
	v := best[len(best)-1]
	top, bottom := inside(v*hi), inside(v*lo)
	if top > bottom {
		top, bottom = bottom, top
	}
	s.Add(`<rect class="band" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>identical programs differ by %s to %s</title></rect>`,
		chartLeft, top, chartWidth-chartRight-chartLeft, max(bottom-top, 1), percent(lo-1), percent(hi-1))
}

// steps draws the best value so far.
func (g *segment) steps(s *markup.SVG, x markup.Scale, inside func(float64) float64) {
	var path strings.Builder
	last := math.NaN()
	for i, v := range g.best() {
		if math.IsNaN(v) {
			continue
		}
		at := x.At(float64(i + 1))
		switch {
		case math.IsNaN(last):
			fmt.Fprintf(&path, "M%.1f %.1f", at, inside(v))
		default:
			fmt.Fprintf(&path, "H%.1fV%.1f", at, inside(v))
		}
		last = v
	}
	if path.Len() > 0 {
		fmt.Fprintf(&path, "H%.1f", x.To())
		s.Add(`<path class="steps" d="%s"/>`, path.String())
	}
}

// point draws a run: a dot, with its interval if the objective is noisy, or a cross at the bottom
// if it has no value.
func (g *segment) point(s *markup.SVG, prefix string, r *ledger.Row, at float64, y markup.Scale, inside func(float64) float64) {
	class := r.Status
	if r.Verdict == ledger.VerdictCanary {
		class = "canary"
	}
	s.Add(`<a href="#%s%d" class="run %s">`, prefix, r.Run, class)
	title := fmt.Sprintf("run %d: %s, %s. %s", r.Run, optional(r.Metric), verdict(r), oneLine(r.Description, 120))
	s.Add(`<title>%s</title>`, title)
	if r.Metric == nil {
		foot := y.From() - 6
		s.Add(`<path class="cross" d="M%.1f %.1fl8 8m0 -8l-8 8"/>`, at-4, foot-4)
	} else {
		if st, ok := interval(r, g.Config.MetricName); ok {
			s.Add(`<path class="bar" d="M%.1f %.1fV%.1f"/>`, at, inside(*st.Parent*st.Lo), inside(*st.Parent*st.Hi))
		}
		place, radius := inside(*r.Metric), 4.0
		if r.Status == ledger.Keep {
			radius = 5.5
		}
		if *r.Metric > y.Hi || *r.Metric < y.Lo {
			class += " beyond"
		}
		s.Add(`<circle class="dot %s" cx="%.1f" cy="%.1f" r="%.1f"/>`, class, at, place, radius)
	}
	s.Add(`</a>`)
}

// labels names the kept runs, slanted upwards from their dots. Where they are close together it
// draws only those that fit.
func (g *segment) labels(s *markup.SVG, x markup.Scale, inside func(float64) float64) {
	last := math.Inf(-1)
	for i, r := range g.Rows {
		at := x.At(float64(i + 1))
		if r.Status != ledger.Keep || r.Metric == nil || at-last < 14 {
			continue
		}
		last = at
		place := inside(*r.Metric)
		// Near the right edge there is no room for a slope. The space on the better side of the
		// dot, to the left, is free.
		if at > chartWidth-200 {
			below := place + 17
			if g.higher() {
				below = place - 10
			}
			s.Text("name", at+4, below, `text-anchor="end"`, oneLine(r.Description, 30))
			continue
		}
		s.Text("name", at+7, place-8, markup.Markup(fmt.Sprintf(`transform="rotate(-24 %.1f %.1f)"`, at+7, place-8)),
			oneLine(r.Description, 30))
	}
}

// guardState is the state of a guard in a run: a class and words; empty if it was not measured.
func guardState(r *ledger.Row, name string) (class, words string) {
	st, measured := r.Stats[name]
	if !measured {
		return "", ""
	}
	words = strings.TrimSpace(st.Word + " " + effect(st))
	named := strings.Contains(r.Reason, name) || strings.HasSuffix(r.Verdict, ":"+name)
	switch {
	case strings.HasPrefix(r.Verdict, ledger.VerdictGuardFailed) && named:
		return "guard-failed", words
	case strings.HasPrefix(r.Verdict, ledger.VerdictGuardUncertain) && named:
		return "guard-uncertain", words
	}
	if st.Class == string(measure.Noisy) && st.P == nil && r.Status != ledger.Keep {
		return "guard-untested", words + "; not tested, as the objective had decided"
	}
	return "guard-passed", words
}

// front are the indices of the kept rows that no other kept row beats in both of two metrics,
// ordered by the value of the first one.
func (g *segment) front(a, b ledger.Metric) []int {
	// Both are turned so that less is better.
	values := func(r *ledger.Row) (x, y float64, ok bool) {
		v, w := g.value(r, a.Name), g.value(r, b.Name)
		if r.Status != ledger.Keep || v == nil || w == nil {
			return 0, 0, false
		}
		x, y = *v, *w
		if a.Goal == "max" {
			x = -x
		}
		if b.Goal == "max" {
			y = -y
		}
		return x, y, true
	}
	var list []int
	for i, r := range g.Rows {
		x, y, ok := values(r)
		beaten := slices.ContainsFunc(g.Rows, func(q *ledger.Row) bool {
			u, v, ok := values(q)
			return ok && u <= x && v <= y && (u < x || v < y)
		})
		if ok && !beaten {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(i, j int) int {
		return cmp.Compare(*g.value(g.Rows[i], a.Name),
			*g.value(g.Rows[j], a.Name))
	})
	return list
}

// pareto draws the first two objectives against each other, with the front of the rows that no
// other beats. It draws nothing if there is only one objective.
func (g *segment) pareto(prefix string) markup.Markup {
	objectives := g.objectives()
	if len(objectives) < 2 {
		return ""
	}
	a, b := objectives[0], objectives[1]
	var xs, ys []float64
	for _, r := range g.Rows {
		if v, w := g.value(r, a.Name), g.value(r, b.Name); v != nil && w != nil {
			xs, ys = append(xs, *v), append(ys, *w)
		}
	}
	if len(xs) == 0 {
		return ""
	}
	axis := func(values []float64, from, to float64) markup.Scale {
		lo, hi := slices.Min(values), slices.Max(values)
		room := max((hi-lo)*0.08, math.Abs(hi)*0.01, 1e-9)
		return markup.NewScale(lo-room, hi+room, from, to)
	}
	x, y := axis(xs, chartLeft, 600), axis(ys, 300, 14)
	s := &markup.SVG{}
	s.Add(`<svg class="pareto" viewBox="0 0 620 350" role="img" aria-label="%s against %s">`, a.Name,
		b.Name)
	for _, v := range y.Ticks(5) {
		s.Add(`<line class="grid" x1="%.1f" x2="600" y1="%.1f" y2="%.1f"/>`, chartLeft, y.At(v), y.At(v))
		s.Text("tick", chartLeft-8, y.At(v)+4, `text-anchor="end"`, number(v))
	}
	for _, v := range x.Ticks(6) {
		s.Text("tick", x.At(v), 318, `text-anchor="middle"`, number(v))
	}
	s.Text("tick", 600, 340, `text-anchor="end"`, g.heading(a.Name)+" →")
	s.Text("tick", chartLeft, 340, "", "↑ "+g.heading(b.Name))
	var path strings.Builder
	for k, i := range g.front(a, b) {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(k, 1)], x.At(*g.value(g.Rows[i], a.Name)),
			y.At(*g.value(g.Rows[i], b.Name)))
	}
	s.Add(`<path class="steps" d="%s"/>`, path.String())
	for _, r := range g.Rows {
		v, w := g.value(r, a.Name), g.value(r, b.Name)
		if v == nil || w == nil {
			continue
		}
		s.Add(`<a href="#%s%d" class="run %s"><title>run %d: %s, %s. %s</title><circle class="dot" cx="%.1f" cy="%.1f" r="4.5"/></a>`,
			prefix, r.Run, r.Status, r.Run, number(*v), number(*w), oneLine(r.Description, 80), x.At(*v),
			y.At(*w))
	}
	s.Add(`</svg>`)
	return s.Markup()
}

// samplesPlot draws the samples of one metric of a run: the parent's above, the candidate's below,
// with their medians.
func samplesPlot(metric string, parent, candidate []float64) markup.Markup {
	all := slices.Concat(parent, candidate)
	if len(all) == 0 {
		return ""
	}
	x := markup.NewScale(slices.Min(all), slices.Max(all), 90, 680)
	if x.Lo == x.Hi {
		x.Lo, x.Hi = x.Lo-1, x.Hi+1
	}
	s := &markup.SVG{}
	s.Add(`<svg class="samples" viewBox="0 0 700 64" role="img" aria-label="samples of %s">`, metric)
	for k, side := range []struct {
		name   string
		values []float64
	}{{"parent", parent}, {"candidate", candidate}} {
		y := 16 + float64(k)*20
		s.Text("tick", 82, y+4, `text-anchor="end"`, side.name)
		s.Add(`<line class="grid" x1="90" x2="680" y1="%.1f" y2="%.1f"/>`, y, y)
		for _, v := range side.values {
			s.Add(`<circle class="sample %s" cx="%.1f" cy="%.1f" r="3.5"><title>%s</title></circle>`, side.name, x.At(v), y,
				number(v))
		}
		if len(side.values) > 0 {
			m := median(side.values)
			s.Add(`<path class="median" d="M%.1f %.1fv14"><title>median %s</title></path>`, x.At(m), y-7, number(m))
		}
	}
	for _, v := range x.Ticks(6) {
		s.Text("tick", x.At(v), 60, `text-anchor="middle"`, number(v))
	}
	s.Add(`</svg>`)
	return s.Markup()
}
