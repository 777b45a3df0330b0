package report

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

//go:embed page.css
var pageStyle string

// A writer writes a page.
type writer struct{ markup.Writer }

func (w *writer) page(p *page) {
	w.Add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
<p class="about">`, p.Name, markup.Markup(markup.Style+pageStyle), p.Name)
	w.AddIf("session %s", p.Session)
	w.AddIf(" on %s", fmt.Sprintf("%.7s", p.Base))
	w.AddIf(" · %s", p.Env)
	w.AddIf(" · %s", p.Tool)
	w.Add("</p>\n")
	w.AddIf("<p class=\"about\">ended: %s</p>\n", p.Ended)
	for _, a := range p.Alarms {
		w.Add("<p class=\"alarm\">alarm: %s</p>\n", a)
	}
	w.Add("</header>\n")
	for _, g := range p.Segments {
		w.segment(g, len(p.Segments) > 1)
	}
	if len(p.Lessons) > 0 {
		w.Add("<section><h2>Lessons</h2>\n<ul class=\"lessons\">")
		for _, l := range p.Lessons {
			w.Add("<li>%s</li>", l)
		}
		w.Add("</ul></section>\n")
	}
	w.Add("</body>\n</html>\n")
}

// segment writes a segment, with a heading if it is one of several.
func (w *writer) segment(g *segmentPage, several bool) {
	w.Add("<section>\n")
	if several {
		w.Add("<h2>Segment %d", g.Number)
		w.AddIf(": %s", g.Name)
		w.Add("</h2>\n")
	}
	w.tiles(g)
	w.Add("<figure>\n%s\n", g.Chart)
	w.Add(`<figcaption><span class="key keep"></span>kept <span class="key discard"></span>discarded <span class="key checks_failed"></span>failed a check <span class="key crash"></span>crashed <span class="key canary"></span>identical program`)
	if len(g.Guards) > 0 {
		w.Add(" · strips: guards")
	}
	w.Add(" · hollow: beyond the edge · ×: no value</figcaption>\n</figure>\n")
	if g.Pareto != "" {
		w.Add("<figure><figcaption>Objectives against each other; the line joins the kept runs that no other beats in both</figcaption>%s</figure>\n",
			g.Pareto)
	}
	w.runs(g)
	w.agreement(g.Replayed)
	for _, r := range g.Runs {
		w.details(r)
	}
	w.Add("</section>\n")
}

func (w *writer) tiles(g *segmentPage) {
	w.Add("<dl class=\"tiles\">\n<div><dt>%s, %s</dt><dd>%s → %s</dd></div>\n", g.Objective, g.Direction, g.Baseline, g.Best)
	const tile = "<div><dt>%s</dt><dd>%v</dd></div>\n"
	for _, t := range [][2]string{{"change", g.Change}, {"base against tip, measured anew", g.Claim}, {"product of the steps", g.Product}} {
		if t[1] != "" {
			w.Add(tile, t[0], t[1])
		}
	}
	for _, o := range g.Further {
		w.Add(tile, o.Heading, strings.TrimSuffix(o.Values+" ("+o.Change+")", " ()"))
		if o.Claim != "" {
			w.Add(tile, "measured anew", o.Claim)
		}
	}
	w.Add(tile, "kept", g.Tally.Kept)
	w.Add(tile, "discarded", g.Tally.Discarded)
	w.Add(tile, "failed checks", g.Tally.Failed)
	w.Add(tile, "crashed", g.Tally.Crashed)
	if n := g.Tally.Canaries; n > 0 {
		w.Add(tile, "canaries", n)
	}
	w.Add("</dl>\n")
}

// runs writes the table of the runs.
func (w *writer) runs(g *segmentPage) {
	w.Add("<div class=\"scroll\">\n<table class=\"runs\">\n<thead><tr><th>#</th><th>commit</th><th class=\"n\">%s</th>", g.Objective)
	for _, c := range g.Columns {
		w.Add(`<th class="n">%s</th>`, c)
	}
	if g.Replayed != nil {
		w.Add("<th>published</th>")
	}
	w.Add("<th>verdict</th><th>description</th></tr></thead>\n<tbody>\n")
	for _, r := range g.Runs {
		w.Add(`<tr class="%s"><td><a href="#%s">%d</a></td><td><code>%s</code></td><td class="n">%s</td>`, r.Class, r.Anchor, r.Run,
			r.Hash, r.Value)
		for _, v := range r.Others {
			w.Add(`<td class="n">%s</td>`, v)
		}
		if g.Replayed != nil {
			w.Add("<td>%s", r.Published)
			if r.Differs {
				w.Add(` <span class="badge crash">≠</span>`)
			}
			w.Add("</td>")
		}
		w.Add("<td><span class=\"badge %s\">%s</span>", r.Class, r.Word)
		for _, d := range r.Depends {
			w.Add(` on <a href="#%s%d">%d</a>`, g.Prefix, d, d)
		}
		w.Add("</td><td>%s", r.Description)
		if r.Apart {
			w.Add(` <span class="quiet">(on its own parent)</span>`)
		}
		w.Add("</td></tr>\n")
	}
	w.Add("</tbody>\n</table>\n</div>\n")
}

// agreement writes how what was found stands to what was published.
func (w *writer) agreement(r *ledger.Replayed) {
	if r == nil {
		return
	}
	w.Add("<h3>Published and found</h3>\n<table class=\"matrix\"><thead><tr><th>published</th><th class=\"n\">keep</th><th class=\"n\">discard</th></tr></thead><tbody>\n")
	for i, name := range []string{"keep", "discard", "not in the table"} {
		w.Add("<tr><td>%s</td><td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n", name, r.Matrix[i][0], r.Matrix[i][1])
	}
	w.Add("</tbody></table>\n")
	if r.Shift != 0 {
		w.Add("<p class=\"about\">The table's commits are shifted against its rows by %+d: they are matched by their descriptions.</p>\n", r.Shift)
	}
	for _, x := range r.Extra {
		w.Add("<p class=\"about\">Published, but no commit of the series: %s %s</p>\n", x.Status, x.Description)
	}
}

// details writes what is shown of a run on request.
func (w *writer) details(r *runPage) {
	w.Add(`<details id="%s" class="run">
<summary><span class="badge %s">%s</span> <b>%d</b> %s <span class="quiet">%s</span></summary>
<div class="body">
`, r.Anchor, r.Class, r.Word, r.Run, r.Description, r.Effect)
	w.AddIf("<p>%s</p>\n", r.Reason)
	w.about(r)
	w.findings(r)
	w.figures(r)
	w.battery(r)
	if len(r.Uncovered) > 0 {
		w.Add("<h4>Changed lines that no check runs</h4><p>")
		for _, u := range r.Uncovered {
			w.Add("<code>%s</code> ", u)
		}
		w.Add("</p>\n")
	}
	w.AddIf("<h4>Notes of the proposer</h4><pre>%s</pre>\n", r.ASI)
	w.AddIf("<p class=\"alarm\">no diff: %s</p>\n", r.DiffError)
	if len(r.Diff) > 0 {
		w.Add("<h4>Diff</h4><pre class=\"diff\">")
		for _, l := range r.Diff {
			w.Add("<span class=\"%s\">%s\n</span>", l.Class, l.Text)
		}
		w.Add("</pre>\n")
	}
	w.Add("</div>\n</details>\n")
}

// about writes the line of a run's details that says where it comes from.
func (w *writer) about(r *runPage) {
	w.Add(`<p class="about">%s`, r.When)
	w.AddIf(" · from %s", r.Source)
	if r.Seconds != 0 {
		w.Add(" · %.1f s", r.Seconds)
	}
	if r.Added != 0 || r.Removed != 0 {
		w.Add(" · +%d −%d lines", r.Added, r.Removed)
	}
	if c := r.Cost; c != nil {
		w.Add(" · %.2f USD", c.USD)
		if c.Tokens != 0 {
			w.Add(", %d tokens", c.Tokens)
		}
	}
	w.AddIf(" · hypothesis: %s", r.Hypothesis)
	w.AddIf(" · idea: %s", r.Idea)
	w.AddIf(" · implementation: %s", r.Implementation)
	w.AddIf(" · sandbox: %s", r.Sandbox)
	w.AddIf(" · accepted: %s", r.Accepted)
	for _, risk := range r.Risk {
		w.Add(` <span class="badge risk">%s</span>`, risk)
	}
	w.Add("</p>\n")
}

func (w *writer) findings(r *runPage) {
	if len(r.Findings) == 0 {
		return
	}
	w.Add("<h4>Findings</h4><ul>")
	for _, f := range r.Findings {
		w.Add("<li><code>%s</code>", f.Rule)
		if f.Blocking {
			w.Add(` <span class="badge crash">blocking</span>`)
		}
		at := f.File
		if f.Line != 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		w.AddIf(" <code>%s</code>", at)
		w.Add(" %s</li>", f.Message)
	}
	w.Add("</ul>\n")
}

// figures writes what was measured of a run.
func (w *writer) figures(r *runPage) {
	if len(r.Stats) > 0 {
		w.Add("<h4>Figures</h4><div class=\"scroll\"><table><thead><tr><th>metric</th><th>class</th><th class=\"n\">parent</th><th class=\"n\">candidate</th><th>effect, 95 %%</th><th class=\"n\">p</th><th></th></tr></thead><tbody>\n")
		for _, s := range r.Stats {
			w.Add("<tr><td>%s</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
				s.Name, s.Class, s.Parent, s.Candidate, s.Effect, s.P, s.Word)
		}
		w.Add("</tbody></table></div>\n")
	}
	for _, p := range r.Plots {
		w.Add("<figure><figcaption>%s</figcaption>%s</figure>\n", p.Name, p.SVG)
	}
}

func (w *writer) battery(r *runPage) {
	if len(r.Battery) == 0 {
		return
	}
	w.Add("<h4>Battery</h4><div class=\"scroll\"><table><thead><tr><th>check</th><th>status</th><th class=\"n\">seconds</th><th>detail</th></tr></thead><tbody>\n")
	for _, c := range r.Battery {
		w.Add(`<tr><td>%s</td><td><span class="badge %s">%s</span></td><td class="n">%.1f</td><td>`, c.Name, c.Status, c.Status, c.Seconds)
		w.AddIf("<pre>%s</pre>", c.Detail)
		for _, n := range c.Notes {
			w.Add("<div>%s</div>", n)
		}
		w.Add("</td></tr>\n")
	}
	w.Add("</tbody></table></div>\n")
}
