package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// Measures of drawings, in units of the drawing, which is scaled to the page.
const (
	plotWidth  = 760.0
	plotLeft   = 92.0
	plotRight  = 18.0
	stripe     = 44.0 // height of the dots of a lane
	boxHeight  = 12.0
	laneHeight = stripe + boxHeight + 20
	axisHeight = 20.0
)

// mostApart bounds the ratio between engines that share one axis.
const mostApart = 4

// both writes a drawing twice, with its axis from 0 and around the values. The style shows one of
// the two.
func (p *page) both(draw func(zoomed bool) markup.Markup) {
	for i, class := range []string{"full", "zoomed"} {
		p.Add("<div class=\"scroll %s\">%s</div>\n", class, draw(i == 1))
	}
}

// axis is a scale of times for some values: from 0, or around the range between their percentiles.
func axis(values []float64, zoomed bool, from, to float64) markup.Scale {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return markup.NewScale(0, 1, from, to)
	}
	if !zoomed {
		hi := sorted[len(sorted)-1] * 1.04
		if hi <= 0 {
			hi = 1
		}
		return markup.NewScale(0, hi, from, to)
	}
	lo, hi := quantile(sorted, .01), quantile(sorted, .99)
	room := (hi - lo) * .08
	if room == 0 {
		room = max(math.Abs(hi)*.01, 1e-9)
	}
	return markup.NewScale(max(lo-room, 0), hi+room, from, to)
}

// quantile is a quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// dots is a path of points. Each is a line without length, which round ends turn into a dot.
type dots struct{ strings.Builder }

func (d *dots) at(x, y float64) {
	var b [32]byte
	d.Write(append(append(append(append(append(b[:0], 'M'), tenth(x)...), ' '), tenth(y)...), "h0"...))
}

// tenth prints a coordinate in tenths of a unit.
func tenth(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

// sound are the visits of a cell that have batches.
func sound(c *result.Cell) []*record.Visit {
	return slices.DeleteFunc(slices.Clone(c.Raw), func(v *record.Visit) bool { return v == nil || v.Failed != "" || len(v.Batches) == 0 })
}

// distributions draws the distribution of a benchmark's batches: all its engines over one axis or,
// around the values, each over its own.
func (p *page) distributions(row *result.Row) {
	var lanes []int
	var all []float64
	lo, hi := math.Inf(1), 0.0
	for i, c := range row.Cells {
		if c != nil && len(show.Batches(c)) > 0 {
			lanes = append(lanes, i)
			all = append(all, show.Batches(c)...)
			lo, hi = min(lo, c.NS.Value), max(hi, c.NS.Value)
		}
	}
	if len(lanes) == 0 {
		return
	}
	apart := hi > lo*mostApart
	p.Add("<figure>\n<h4>Distribution of the batches, time of an iteration</h4>\n")
	p.both(func(zoomed bool) markup.Markup {
		own := zoomed || apart
		pitch, height := laneHeight, float64(len(lanes))*laneHeight+axisHeight
		if own {
			pitch, height = laneHeight+axisHeight, float64(len(lanes))*(laneHeight+axisHeight)
		}
		s := &markup.SVG{}
		s.Add(`<svg class="plot" viewBox="0 0 %.0f %.0f" role="img" aria-label="distribution of %s">`, plotWidth, height, row.Bench.Name)
		x := axis(all, false, plotLeft, plotWidth-plotRight)
		for k, i := range lanes {
			top := float64(k) * pitch
			if own {
				x = axis(show.Batches(row.Cells[i]), zoomed, plotLeft, plotWidth-plotRight)
				timeAxis(s, x, top, top+laneHeight)
			} else if k == 0 {
				timeAxis(s, x, 0, float64(len(lanes))*laneHeight)
			}
			p.lane(s, row.Cells[i], i, x, top)
		}
		s.Add("</svg>")
		return s.Markup()
	})
	p.Add("<figcaption>A dot is a batch, a row of dots a visit. Behind them, the part of the batches that were as fast. Box: quarters, median, 5 %% and 95 %%; the thick line is the interval of the median of the visits. Hollow dots lie beyond the axis.")
	p.thinned()
	if apart {
		p.Add(" Each engine has an axis of its own: they are too far apart for one.")
	}
	if withoutSetup(row) {
		p.Add(" A dot is a pair of batches of two sizes here: its difference is without the setup.")
	}
	p.Add("</figcaption>\n</figure>\n")
}

// withoutSetup reports whether a setup is taken off a row's times.
func withoutSetup(row *result.Row) bool {
	return slices.ContainsFunc(row.Cells, func(c *result.Cell) bool { return c != nil && c.WithoutSetup })
}

// timeAxis draws the lines and the times of a horizontal axis. In narrow windows letters are large
// compared with the drawing, so every other time is left out.
func timeAxis(s *markup.SVG, x markup.Scale, top, bottom float64) {
	last, class := math.Inf(-1), "tick"
	for _, v := range x.Ticks(6) {
		at := x.At(v)
		s.Add(`<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, at, at, top+4, bottom)
		if at-last > 64 {
			s.Text(class, at, bottom+13, `text-anchor="middle"`, show.Nominal(v))
			last, class = at, map[string]string{"tick": "tick odd", "tick odd": "tick"}[class]
		}
	}
}

// lane draws an engine: dots, distribution function, box and interval.
func (p *page) lane(s *markup.SVG, c *result.Cell, engine int, x markup.Scale, top float64) {
	visits := sound(c)
	values := slices.Sorted(slices.Values(show.Batches(c)))
	s.Add(`<g class="e%d">`, engine%6)
	s.Text("lane", plotLeft-10, top+stripe/2+8, `text-anchor="end"`, short(c.Engine, 14))
	// The distribution function, thinned out if it has more steps than the drawing has columns.
	var path strings.Builder
	fmt.Fprintf(&path, "M%.1f %.1f", x.Inside(values[0]), top+4+stripe)
	step := max(1, len(values)/300)
	for i := 0; i < len(values); i += step {
		fmt.Fprintf(&path, "H%.1fV%.1f", x.Inside(values[i]), top+4+stripe*(1-float64(min(i+step, len(values)))/float64(len(values))))
	}
	fmt.Fprintf(&path, "H%.1f", x.To())
	s.Add(`<path class="ecdf" d="%s"/>`, markup.Markup(path.String()))
	for k, v := range visits {
		y := top + 4 + stripe*(float64(k)+.5)/float64(len(visits))
		var in, beyond dots
		samples := c.Samples(v)
		for i := 0; i < len(samples); i += p.every {
			ns := samples[i]
			switch {
			case math.IsNaN(ns) || math.IsInf(ns, 0):
			case ns < x.Lo || ns > x.Hi:
				beyond.at(x.Inside(ns), y)
			default:
				in.at(x.At(ns), y)
			}
		}
		title := fmt.Sprintf("visit %d of %s: %s", v.Visit+1, c.Engine, show.Duration(measure.Median(samples)))
		s.Add(`<g><title>%s</title><path class="dots" d="%s"/>`, title, markup.Markup(in.String()))
		if beyond.Len() > 0 {
			s.Add(`<path class="dots beyond" d="%s"/><path class="dots hole" d="%s"/>`, markup.Markup(beyond.String()), markup.Markup(beyond.String()))
		}
		s.Add(`</g>`)
	}
	box(s, c, values, x, top+4+stripe+5)
	s.Add(`</g>`)
}

func box(s *markup.SVG, c *result.Cell, sorted []float64, x markup.Scale, top float64) {
	at := func(q float64) float64 { return x.Inside(quantile(sorted, q)) }
	mid := top + boxHeight/2
	s.Add(`<path class="whisker" d="M%.1f %.1fH%.1fM%.1f %.1fH%.1f"/>`, at(.05), mid, at(.25), at(.75), mid, at(.95))
	s.Add(`<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, at(.25), top, max(at(.75)-at(.25), .5), boxHeight)
	s.Add(`<path class="median" d="M%.1f %.1fv%.1f"/>`, at(.5), top-2, boxHeight+4)
	if !math.IsNaN(c.NS.Lo) && !math.IsNaN(c.NS.Hi) {
		s.Add(`<path class="interval" d="M%.1f %.1fH%.1f"><title>%s to %s</title></path>`, x.Inside(c.NS.Lo), top+boxHeight+4, max(x.Inside(c.NS.Hi), x.Inside(c.NS.Lo)+1), show.Duration(c.NS.Lo), show.Duration(c.NS.Hi))
	}
}

// series draws the batches of a benchmark in order, visit by visit, including those that do not
// count.
func (p *page) series(row *result.Row) {
	if !slices.ContainsFunc(row.Cells, func(c *result.Cell) bool { return c != nil && len(sound(c)) > 0 }) {
		return
	}
	p.Add("<figure>\n<h4>Batches in their order, time of an iteration</h4>\n")
	for i, c := range row.Cells {
		if c != nil && len(sound(c)) > 0 {
			p.both(func(zoomed bool) markup.Markup { return p.drawSeries(c, i, zoomed) })
		}
	}
	p.Add("<figcaption>Visits between lines, in their order; on grey ground the batches before the count begins. <span class=\"key gc\"></span>with a collection <span class=\"key compile\"></span>code was compiled <span class=\"key med\"></span>median of the visit. Hollow dots lie beyond the axis.")
	if withoutSetup(row) {
		p.Add(" These batches are with the setup.")
	}
	p.thinned()
	p.Add("</figcaption>\n</figure>\n")
}

// thin decides how many batches are drawn.
func (p *page) thin() {
	n := 0
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			for _, c := range row.Cells {
				if c != nil {
					n += len(show.Batches(c))
				}
			}
		}
	}
	p.every = max(1, (n+mostDots-1)/mostDots)
}

// thinned says that not all batches are drawn.
func (p *page) thinned() {
	if p.every > 1 {
		p.Add(" Every %s batch is drawn; figures and boxes are of all.", ordinal(p.every))
	}
}

func (p *page) drawSeries(c *result.Cell, engine int, zoomed bool) markup.Markup {
	const height, bottom, top = 184.0, 164.0, 22.0
	visits := sound(c)
	places := 0
	for _, v := range visits {
		places += len(v.Warm) + len(v.Batches)
	}
	// Uncounted batches do not stretch the axis: they are often many times as slow.
	var counted []float64
	for _, v := range visits {
		counted = append(counted, v.PerOp()...)
	}
	y := axis(counted, zoomed, bottom, top)
	if !zoomed {
		y = markup.NewScale(0, y.Hi*1.1, bottom, top)
	}
	x := markup.NewScale(0, float64(max(places, 1)), plotLeft, plotWidth-plotRight)
	s := &markup.SVG{}
	s.Add(`<svg class="plot e%d" viewBox="0 0 %.0f %.0f" role="img" aria-label="batches of %s in %s in their order">`, engine%6, plotWidth, height, c.Bench.Name, c.Engine)
	for _, v := range y.Ticks(4) {
		s.Add(`<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x.From(), x.To(), y.At(v), y.At(v))
		s.Text("tick", plotLeft-8, y.At(v)+4, `text-anchor="end"`, show.Nominal(v))
	}
	at := 0.0
	label := math.Inf(-1)
	s.Text("lane", plotLeft, top-8, "", c.Engine)
	for _, v := range visits {
		begin := at
		if n := len(v.Warm); n > 0 {
			s.Add(`<rect class="warm" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, x.At(at), top, x.At(at+float64(n))-x.At(at), bottom-top)
		}
		var warm, plain, gc, beyond, compiled dots
		place := func(d *dots, b *record.Batch) {
			ns := b.PerOp()
			if math.IsNaN(ns) || math.IsInf(ns, 0) {
				at++
				return
			}
			if int(at)%p.every == 0 && (ns > y.Hi || ns < y.Lo) {
				beyond.at(x.At(at+.5), y.Inside(ns))
			}
			if drawn := int(at)%p.every == 0; drawn || b.Compiled > 0 {
				d.at(x.At(at+.5), y.Inside(ns))
			}
			if b.Compiled > 0 {
				compiled.at(x.At(at+.5), bottom-4)
			}
			at++
		}
		for i := range v.Warm {
			place(&warm, &v.Warm[i])
		}
		first := at
		for i := range v.Batches {
			if v.Batches[i].GCs > 0 {
				place(&gc, &v.Batches[i])
			} else {
				place(&plain, &v.Batches[i])
			}
		}
		m := measure.Median(v.PerOp())
		title := fmt.Sprintf("visit %d, the %s process: median %s", v.Visit+1, ordinal(v.Order+1), show.Duration(m))
		s.Add(`<g><title>%s</title><rect class="hit" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, title, x.At(begin), top, x.At(at)-x.At(begin), bottom-top)
		s.Add(`<path class="level" d="M%.1f %.1fH%.1f"/>`, x.At(first), y.Inside(m), x.At(at))
		for _, d := range []struct {
			class string
			*dots
		}{{"dots early", &warm}, {"dots", &plain}, {"dots gc", &gc}, {"dots hole", &beyond}, {"dots compile", &compiled}} {
			if d.Len() > 0 {
				s.Add(`<path class="%s" d="%s"/>`, d.class, markup.Markup(d.String()))
			}
		}
		s.Add(`</g>`)
		s.Add(`<line class="border" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, x.At(at), x.At(at), top, bottom)
		if mid := (x.At(begin) + x.At(at)) / 2; mid-label > 26 {
			s.Text("tick", mid, bottom+14, `text-anchor="middle"`, fmt.Sprint(v.Visit+1))
			label = mid
		}
	}
	s.Add("</svg>")
	return s.Markup()
}

// ordinal is 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}

// short cuts the middle out of a long label.
func short(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-(most-1)/2:])
}
