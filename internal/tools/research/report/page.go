package report

import (
	_ "embed"
	"fmt"
	"html"
	"strings"
)

// Package html/template would escape as well, but with it, or text/template, the linker keeps every method of every type,
// and `gyr run` starts with all that html/template makes first.

//go:embed page.css
var pageStyle string

// A markup is a part of a page. Strings that are none are text.
type markup string

// A writer writes a page.
type writer struct{ strings.Builder }

// add adds markup, in which text is escaped, as the contents of an element or as a quoted attribute.
func (w *writer) add(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case int, int64, float64, markup:
		default:
			args[i] = html.EscapeString(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, format, args...)
}

// addIf adds markup about text that there may be.
func (w *writer) addIf(format, text string) {
	if text != "" {
		w.add(format, text)
	}
}

func (w *writer) page(p *page) {
	w.add(`<!DOCTYPE html>
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
<p class="about">`, p.Name, markup(pageStyle), p.Name)
	w.addIf("session %s", p.Session)
	w.addIf(" on %s", fmt.Sprintf("%.7s", p.Base))
	w.addIf(" · %s", p.Env)
	w.addIf(" · %s", p.Tool)
	w.add("</p>\n")
	w.addIf("<p class=\"about\">ended: %s</p>\n", p.Ended)
	for _, a := range p.Alarms {
		w.add("<p class=\"alarm\">alarm: %s</p>\n", a)
	}
	w.add("</header>\n")
	for _, g := range p.Segments {
		w.segment(g, len(p.Segments) > 1)
	}
	w.add("</body>\n</html>\n")
}

// segment writes a segment, with a heading if it is one of several.
func (w *writer) segment(g *segmentPage, several bool) {
	w.add("<section>\n")
	if several {
		w.add("<h2>Segment %d", g.Number)
		w.addIf(": %s", g.Name)
		w.add("</h2>\n")
	}
	w.tiles(g)
	w.add("<figure>\n%s\n", g.Chart)
	w.add(`<figcaption><span class="key keep"></span>kept <span class="key discard"></span>discarded <span class="key checks_failed"></span>failed a check <span class="key crash"></span>crashed <span class="key canary"></span>identical program`)
	if len(g.Guards) > 0 {
		w.add(" · strips: guards")
	}
	w.add(" · hollow: beyond the edge · ×: no value</figcaption>\n</figure>\n")
	if g.Pareto != "" {
		w.add("<figure><figcaption>Objectives against each other; the line joins the kept runs that no other beats in both</figcaption>%s</figure>\n",
			g.Pareto)
	}
	w.runs(g)
	for _, r := range g.Runs {
		w.details(r)
	}
	w.add("</section>\n")
}

func (w *writer) tiles(g *segmentPage) {
	w.add("<dl class=\"tiles\">\n<div><dt>%s, %s</dt><dd>%s → %s</dd></div>\n", g.Objective, g.Direction, g.Baseline, g.Best)
	const tile = "<div><dt>%s</dt><dd>%v</dd></div>\n"
	for _, t := range [][2]string{{"change", g.Change}, {"base against tip, measured anew", g.Claim}, {"product of the steps", g.Product}} {
		if t[1] != "" {
			w.add(tile, t[0], t[1])
		}
	}
	w.add(tile, "kept", g.Tally.Kept)
	w.add(tile, "discarded", g.Tally.Discarded)
	w.add(tile, "failed checks", g.Tally.Failed)
	w.add(tile, "crashed", g.Tally.Crashed)
	if n := g.Tally.Canaries; n > 0 {
		w.add(tile, "canaries", n)
	}
	w.add("</dl>\n")
}

// runs writes the table of the runs.
func (w *writer) runs(g *segmentPage) {
	w.add("<div class=\"scroll\">\n<table class=\"runs\">\n<thead><tr><th>#</th><th>commit</th><th class=\"n\">%s</th>", g.Objective)
	for _, c := range g.Columns {
		w.add(`<th class="n">%s</th>`, c)
	}
	w.add("<th>verdict</th><th>description</th></tr></thead>\n<tbody>\n")
	for _, r := range g.Runs {
		w.add(`<tr class="%s"><td><a href="#%s">%d</a></td><td><code>%s</code></td><td class="n">%s</td>`, r.Class, r.Anchor, r.Run,
			r.Hash, r.Value)
		for _, v := range r.Others {
			w.add(`<td class="n">%s</td>`, v)
		}
		w.add("<td><span class=\"badge %s\">%s</span></td><td>%s</td></tr>\n", r.Class, r.Word, r.Description)
	}
	w.add("</tbody>\n</table>\n</div>\n")
}

// details writes what is shown of a run on request.
func (w *writer) details(r *runPage) {
	w.add(`<details id="%s" class="run">
<summary><span class="badge %s">%s</span> <b>%d</b> %s <span class="quiet">%s</span></summary>
<div class="body">
`, r.Anchor, r.Class, r.Word, r.Run, r.Description, r.Effect)
	w.addIf("<p>%s</p>\n", r.Reason)
	w.about(r)
	w.findings(r)
	w.figures(r)
	w.battery(r)
	if len(r.Uncovered) > 0 {
		w.add("<h4>Changed lines that no check runs</h4><p>")
		for _, u := range r.Uncovered {
			w.add("<code>%s</code> ", u)
		}
		w.add("</p>\n")
	}
	w.addIf("<h4>Notes of the proposer</h4><pre>%s</pre>\n", r.ASI)
	w.addIf("<p class=\"alarm\">no diff: %s</p>\n", r.DiffError)
	if len(r.Diff) > 0 {
		w.add("<h4>Diff</h4><pre class=\"diff\">")
		for _, l := range r.Diff {
			w.add("<span class=\"%s\">%s\n</span>", l.Class, l.Text)
		}
		w.add("</pre>\n")
	}
	w.add("</div>\n</details>\n")
}

// about writes the line of a run's details that says where it comes from.
func (w *writer) about(r *runPage) {
	w.add(`<p class="about">%s`, r.When)
	w.addIf(" · from %s", r.Source)
	if r.Seconds != 0 {
		w.add(" · %.1f s", r.Seconds)
	}
	if r.Added != 0 || r.Removed != 0 {
		w.add(" · +%d −%d lines", r.Added, r.Removed)
	}
	if c := r.Cost; c != nil {
		w.add(" · %.2f USD", c.USD)
		if c.Tokens != 0 {
			w.add(", %d tokens", c.Tokens)
		}
	}
	w.addIf(" · idea: %s", r.Idea)
	w.addIf(" · implementation: %s", r.Implementation)
	for _, risk := range r.Risk {
		w.add(` <span class="badge risk">%s</span>`, risk)
	}
	w.add("</p>\n")
}

func (w *writer) findings(r *runPage) {
	if len(r.Findings) == 0 {
		return
	}
	w.add("<h4>Findings</h4><ul>")
	for _, f := range r.Findings {
		w.add("<li><code>%s</code>", f.Rule)
		if f.Blocking {
			w.add(` <span class="badge crash">blocking</span>`)
		}
		at := f.File
		if f.Line != 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		w.addIf(" <code>%s</code>", at)
		w.add(" %s</li>", f.Message)
	}
	w.add("</ul>\n")
}

// figures writes what was measured of a run.
func (w *writer) figures(r *runPage) {
	if len(r.Stats) > 0 {
		w.add("<h4>Figures</h4><div class=\"scroll\"><table><thead><tr><th>metric</th><th>class</th><th class=\"n\">parent</th><th class=\"n\">candidate</th><th>effect, 95 %%</th><th class=\"n\">p</th><th></th></tr></thead><tbody>\n")
		for _, s := range r.Stats {
			w.add("<tr><td>%s</td><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
				s.Name, s.Class, s.Parent, s.Candidate, s.Effect, s.P, s.Word)
		}
		w.add("</tbody></table></div>\n")
	}
	for _, p := range r.Plots {
		w.add("<figure><figcaption>%s</figcaption>%s</figure>\n", p.Name, p.SVG)
	}
}

func (w *writer) battery(r *runPage) {
	if len(r.Battery) == 0 {
		return
	}
	w.add("<h4>Battery</h4><div class=\"scroll\"><table><thead><tr><th>check</th><th>status</th><th class=\"n\">seconds</th><th>detail</th></tr></thead><tbody>\n")
	for _, c := range r.Battery {
		w.add(`<tr><td>%s</td><td><span class="badge %s">%s</span></td><td class="n">%.1f</td><td>`, c.Name, c.Status, c.Status, c.Seconds)
		w.addIf("<pre>%s</pre>", c.Detail)
		for _, n := range c.Notes {
			w.add("<div>%s</div>", n)
		}
		w.add("</td></tr>\n")
	}
	w.add("</tbody></table></div>\n")
}
