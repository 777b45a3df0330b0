package page

import (
	"math"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
	"github.com/gyrvm/gyr/internal/lab/markup"
)

// A compared is a line of the forest plot. Without a comparison it is a heading.
type compared struct {
	name       string
	engine     int
	comparison *result.Comparison
	bench      int // number of the benchmark's details
}

// comparisons are the lines of the plot: each engine against the first one or another revision,
// then groups within each engine.
func (p *page) comparisons() []compared {
	var list []compared
	section := func(heading string, of func(c *result.Cell) *result.Comparison, engine int) {
		first, index := true, 0
		for _, t := range p.Tables {
			for _, row := range t.Rows {
				c := row.Cells[engine]
				if c != nil && of(c) != nil {
					if first {
						list = append(list, compared{name: heading})
						first = false
					}
					list = append(list, compared{row.Bench.Name, engine, of(c), index})
				}
				index++
			}
		}
	}
	for i, e := range p.Engines {
		if other := p.other(e); other != "" {
			section(e+" against "+other, func(c *result.Cell) *result.Comparison { return c.ToOther }, i)
		}
	}
	for i, e := range p.Engines {
		section("groups in "+e, func(c *result.Cell) *result.Comparison { return c.InGroup }, i)
	}
	return list
}

// other is the engine that an engine is compared with; empty: none.
func (p *page) other(engine string) string {
	if p.Record.Run == nil {
		return ""
	}
	return p.Other(engine)
}

// forest draws all ratios with their intervals, on a logarithmic axis.
func (p *page) forest() {
	list := p.comparisons()
	if len(list) == 0 {
		return
	}
	p.Add("<section>\n<h2>Ratios</h2>\n<figure>\n")
	cut := max(len(list)-mostCompared, 0)
	list = list[:len(list)-cut]
	p.both(func(zoomed bool) markup.Markup { return drawForest(list, zoomed) })
	p.Add("<figcaption>Ratio of times with its interval at 95 %%, corrected for all comparisons. To the right of 1 it is slower. Differences within the band count as none. Triangles point to what lies beyond the axis.")
	if cut > 0 {
		p.Add(" %d more lines are left out.", cut)
	}
	p.Add("</figcaption>\n</figure>\n</section>\n")
}

// ratioTicks are the ratios that an axis may label.
var ratioTicks = []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, .8, .9, .95, .98, 1, 1.02, 1.05, 1.1, 1.25, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

func drawForest(list []compared, zoomed bool) markup.Markup {
	const line, left, right = 20.0, 230.0, 210.0
	lo, hi := 1/1.25, 1.25
	if zoomed {
		lo, hi = 1/1.12, 1.12
	} else {
		for _, c := range list {
			if c.comparison != nil {
				for _, v := range []float64{c.comparison.Ratio, c.comparison.Lo, c.comparison.Hi} {
					if v > 0 && !math.IsInf(v, 0) {
						lo, hi = min(lo, v/1.1), max(hi, v*1.1)
					}
				}
			}
		}
	}
	bottom := float64(len(list))*line + 4
	x := markup.NewScale(math.Log(lo), math.Log(hi), left, plotWidth-right)
	s := &markup.SVG{}
	s.Add(`<svg class="plot forest" viewBox="0 0 %.0f %.0f" role="img" aria-label="ratios of times">`, plotWidth, bottom+axisHeight)
	last := math.Inf(-1)
	for _, v := range ratioTicks {
		if v < lo || v > hi {
			continue
		}
		at := x.At(math.Log(v))
		// 1 must have its label.
		if one := x.At(0); v != 1 && (at-last < 30 || math.Abs(at-one) < 30) {
			continue
		}
		class := markup.Markup("grid")
		if v == 1 {
			class = "one"
		}
		s.Add(`<line class="%s" x1="%.1f" x2="%.1f" y1="2" y2="%.1f"/>`, class, at, at, bottom)
		s.Text("tick", at, bottom+14, `text-anchor="middle"`, strconv.FormatFloat(v, 'g', -1, 64))
		last = at
	}
	for i, c := range list {
		y := (float64(i) + .5) * line
		if c.comparison == nil {
			s.Text("heading", 0, y+4, "", c.name)
			continue
		}
		r := c.comparison
		if d := r.Delta; d > 0 {
			from, to := x.Inside(math.Log(1-min(d, .99))), x.Inside(math.Log(1+d))
			s.Add(`<rect class="band" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, from, y-line/2, max(to-from, 1), line)
		}
		s.Add(`<a href="#b%d" class="%s">`, c.bench, classes[r.Verdict])
		s.Text("name", left-10, y+4, `text-anchor="end"`, short(c.name, 30))
		if !math.IsNaN(r.Lo) && !math.IsNaN(r.Hi) && r.Lo > 0 && !math.IsInf(r.Hi, 0) {
			s.Add(`<path class="interval" d="M%.1f %.1fH%.1f"/>`, x.Inside(math.Log(r.Lo)), y, max(x.Inside(math.Log(r.Hi)), x.Inside(math.Log(r.Lo))+1))
		}
		if r.Ratio > 0 && !math.IsInf(r.Ratio, 0) {
			switch at := math.Log(r.Ratio); {
			case at > x.Hi:
				s.Add(`<path class="far" d="M%.1f %.1fl8 5l-8 5z"/>`, x.To()-6, y-5)
			case at < x.Lo:
				s.Add(`<path class="far" d="M%.1f %.1fl-8 5l8 5z"/>`, x.From()+6, y-5)
			default:
				s.Add(`<circle class="ratio" cx="%.1f" cy="%.1f" r="4.5"/>`, x.At(at), y)
			}
		}
		words := show.Verdict(r)
		s.Text("verdict", plotWidth-right+12, y+4, "", strings.TrimSpace(words))
		s.Add(`</a>`)
	}
	s.Add("</svg>")
	return s.Markup()
}
