package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

//go:embed page.css
var style string

func median(values []float64) float64 { return measure.Median(values) }

// A page under construction.
type page struct {
	markup.Writer
	*Session
}

// HTML writes the session as a self-contained page.
func HTML(w io.Writer, s *Session) error {
	p := &page{Session: s}
	p.Begin(s.name(), style, "")
	segments := s.segments()
	p.head(segments)
	for i, g := range segments {
		p.segment(g, i+1, len(segments) > 1)
	}
	if lessons := s.lessons(); len(lessons) > 0 {
		p.Add("<section><h2>Lessons</h2>\n<ul class=\"lessons\">")
		for _, l := range lessons {
			p.Add("<li>%s</li>", l)
		}
		p.Add("</ul></section>\n")
	}
	p.End("")
	_, err := io.WriteString(w, p.String())
	return err
}

// head writes the rest of the header: where the session ran, how it ended, and caveats about its
// figures.
func (p *page) head(segments []*segment) {
	var about *ledger.Config
	env, ended := "", ""
	var alarms []string
	for _, g := range segments {
		about = g.Config
		if e := g.Config.Env; e != nil {
			env = joinNonEmpty(", ", e.Go, e.OS+"/"+e.Arch, e.CPU, e.Kernel)
		}
		for _, e := range g.Events {
			switch e.Event {
			case "alarm", "planted", "gas": // a slow-down that was detected has no reason
				if e.Reason != "" {
					alarms = append(alarms, e.Reason)
				}
			case "stop":
				ended = e.Reason
			}
		}
	}
	p.Add("<p class=\"about\">")
	if about != nil {
		p.AddIf("session %s", about.Session)
		p.AddIf(" on %s", fmt.Sprintf("%.7s", about.Base))
		p.AddIf(" · %s", env)
		p.AddIf(" · %s", about.Tool)
	}
	p.Add("</p>\n")
	p.AddIf("<p class=\"about\">ended: %s</p>\n", ended)
	for _, a := range alarms {
		p.Add("<p class=\"alarm\">alarm: %s</p>\n", a)
	}
	p.Add("</header>\n")
}

func joinNonEmpty(sep string, words ...string) string {
	var list []string
	for _, w := range words {
		if w != "" && w != "/" {
			list = append(list, w)
		}
	}
	return strings.Join(list, sep)
}

// segment writes a segment, with a heading if there are several.
func (p *page) segment(g *segment, number int, several bool) {
	prefix := fmt.Sprintf("s%d-run", number) // of the runs' anchors
	p.Add("<section>\n")
	if several {
		p.Add("<h2>Segment %d", number)
		p.AddIf(": %s", g.Config.Name)
		p.Add("</h2>\n")
	}
	p.tiles(g)
	p.Add("<figure>\n%s\n", g.chart(prefix))
	p.Add(`<figcaption><span class="key keep"></span>kept <span class="key discard"></span>discarded <span class="key checks_failed"></span>failed a check <span class="key crash"></span>crashed <span class="key canary"></span>identical program`)
	if len(g.guards()) > 0 {
		p.Add(" · strips: guards")
	}
	p.Add(" · hollow: beyond the edge · ×: no value</figcaption>\n</figure>\n")
	if pareto := g.pareto(prefix); pareto != "" {
		p.Add("<figure><figcaption>Objectives against each other; the line joins the kept runs that no other beats in both</figcaption>%s</figure>\n", pareto)
	}
	replayed := g.replayed()
	p.runs(g, prefix, replayed)
	p.subs(g, prefix)
	p.agreement(replayed)
	for _, r := range g.Rows {
		p.details(g, r, prefix)
	}
	p.Add("</section>\n")
}

func (p *page) tiles(g *segment) {
	p.Add("<dl class=\"tiles\">\n")
	tile := func(name string, value any) { p.Add("<div><dt>%s</dt><dd>%v</dd></div>\n", name, value) }
	direction, best := "less is better", "–"
	if g.higher() {
		direction = "more is better"
	}
	if list := g.best(); len(list) > 0 && list[len(list)-1] == list[len(list)-1] {
		best = number(list[len(list)-1])
	}
	objective := g.heading(g.Config.MetricName)
	tile(objective+", "+direction, optional(g.baseline())+" → "+best)
	for _, t := range [][2]string{{"change", g.change()}, {"base against tip, measured anew", g.claim(g.Config.MetricName)}, {"product of the steps", g.product()}} {
		if t[1] != "" {
			tile(t[0], t[1])
		}
	}
	for _, o := range g.further() {
		tile(o.Heading, strings.TrimSuffix(o.Values+" ("+o.Change+")", " ()"))
		if o.Claim != "" {
			tile("measured anew", o.Claim)
		}
	}
	n := g.tally()
	tile("kept", n.Kept)
	tile("discarded", n.Discarded)
	tile("failed checks", n.Failed)
	tile("crashed", n.Crashed)
	if n.Canaries > 0 {
		tile("canaries", n.Canaries)
	}
	p.Add("</dl>\n")
}

// badge is a word on the colour of its class.
func badge(class, word string) markup.Markup {
	return markup.Of(`<span class="badge %s">%s</span>`, class, word)
}

// class is the class of a run, for its colour.
func class(r *ledger.Row) string {
	if r.Verdict == ledger.VerdictCanary {
		return "canary"
	}
	return r.Status
}

// runs writes the table of the runs.
func (p *page) runs(g *segment, prefix string, replayed *ledger.Replayed) {
	others := g.others()
	columns := []any{"#", "commit", markup.Figure(g.heading(g.Config.MetricName))}
	for _, name := range others {
		columns = append(columns, markup.Figure(g.heading(name)))
	}
	if replayed != nil {
		columns = append(columns, "published")
	}
	p.Table("runs", append(columns, "verdict", "description")...)
	for _, r := range g.Rows {
		cells := []any{markup.Of(`<a href="#%s%d">%d</a>`, prefix, r.Run, r.Run), markup.Of("<code>%s</code>", commit(r)), markup.Figure(optional(r.Metric))}
		for _, name := range others {
			cells = append(cells, markup.Figure(optional(g.value(r, name))))
		}
		if replayed != nil {
			cells = append(cells, published(replayed, r))
		}
		var word, description markup.Writer
		word.Add("%s", badge(class(r), verdict(r)))
		for _, d := range r.Depends {
			word.Add(` on <a href="#%s%d">%d</a>`, prefix, d, d)
		}
		description.Add("%s", r.Description)
		for i, run := range r.With {
			word.Add(`%s <a href="#%s%d">%d</a>`, []string{" with", ","}[min(i, 1)], prefix, run, run)
		}
		if r.Apart {
			description.Add(` <span class="quiet">(on its own parent)</span>`)
		}
		p.RowOf(class(r), append(cells, word.Markup(), description.Markup())...)
	}
	p.EndTable()
}

// published is a table's verdict on a run, and whether the run contradicts it.
func published(replayed *ledger.Replayed, r *ledger.Row) markup.Markup {
	x, ok := replayed.Rows[r.Run]
	switch {
	case !ok:
		return "–"
	case x.Agrees:
		return markup.Of("%s", strings.TrimSuffix(x.Status+" "+optional(x.Metric), " –"))
	}
	return markup.Of("%s %s", strings.TrimSuffix(x.Status+" "+optional(x.Metric), " –"), badge("crash", "≠"))
}

// agreement compares the verdicts found with the published ones.
func (p *page) agreement(r *ledger.Replayed) {
	if r == nil {
		return
	}
	p.Add("<h3>Published and found</h3>\n")
	p.Table("matrix", "published", markup.Figure("keep"), markup.Figure("discard"))
	for i, name := range []string{"keep", "discard", "not in the table"} {
		p.Row(name, markup.Figure(fmt.Sprint(r.Matrix[i][0])), markup.Figure(fmt.Sprint(r.Matrix[i][1])))
	}
	p.EndTable()
	if r.Shift != 0 {
		p.Add("<p class=\"about\">The table's commits are shifted against its rows by %+d: they are matched by their descriptions.</p>\n", r.Shift)
	}
	for _, x := range r.Extra {
		p.Add("<p class=\"about\">Published, but no commit of the series: %s %s</p>\n", x.Status, x.Description)
	}
}

// details writes the part of a run that the reader can unfold.
func (p *page) details(g *segment, r *ledger.Row, prefix string) {
	p.Add(`<details id="%s%d" class="run">
<summary>%s <b>%d</b> %s <span class="quiet">%s</span></summary>
<div class="body">
`, prefix, r.Run, badge(class(r), verdict(r)), r.Run, r.Description, effect(r.Stats[g.Config.MetricName]))
	p.AddIf("<p>%s</p>\n", r.Reason)
	p.about(r)
	p.findings(r)
	p.figures(g, r)
	p.battery(r)
	if len(r.Uncovered) > 0 {
		p.Add("<h4>Changed lines that no check runs</h4><p>")
		for _, u := range r.Uncovered {
			p.Add("<code>%s</code> ", u)
		}
		p.Add("</p>\n")
	}
	var asi any
	if len(r.ASI) > 0 && json.Unmarshal(r.ASI, &asi) == nil && asi != nil {
		text, _ := json.MarshalIndent(asi, "", "  ") // a value that was decoded can be encoded
		p.Add("<h4>Notes of the proposer</h4><pre>%s</pre>\n", string(text))
	}
	p.diff(r)
	p.Add("</div>\n</details>\n")
}

// about writes the line of a run's details about its origin.
func (p *page) about(r *ledger.Row) {
	p.Add(`<p class="about">`)
	if r.Timestamp > 0 {
		p.Add("%s", time.UnixMilli(r.Timestamp).UTC().Format("2006-01-02 15:04:05 MST"))
	}
	p.AddIf(" · from %s", r.Source)
	if r.Seconds != 0 {
		p.Add(" · %.1f s", r.Seconds)
	}
	if r.Added != 0 || r.Removed != 0 {
		p.Add(" · +%d −%d lines", r.Added, r.Removed)
	}
	if c := r.Cost; c != nil {
		p.Add(" · %.2f USD", c.USD)
		if c.Tokens != 0 {
			p.Add(", %d tokens", c.Tokens)
		}
	}
	p.AddIf(" · hypothesis: %s", r.Hypothesis)
	p.AddIf(" · idea: %s", r.Idea)
	p.AddIf(" · implementation: %s", r.Implementation)
	p.AddIf(" · sandbox: %s", r.Sandbox)
	p.AddIf(" · worker: %s", r.Worker)
	p.AddIf(" · effort: %s", r.Effort)
	p.AddIf(", without %s", strings.Join(r.LeftOut, ", "))
	if r.Waited >= 1 {
		p.Add(" · waited %.0f s for others that measure", r.Waited)
	}
	p.AddIf(" · accepted: %s", r.Accepted)
	for _, risk := range r.Risk {
		p.Add(" %s", badge("risk", risk))
	}
	p.Add("</p>\n")
}

func (p *page) findings(r *ledger.Row) {
	if len(r.Findings) == 0 {
		return
	}
	p.Add("<h4>Findings</h4><ul>")
	for _, f := range r.Findings {
		p.Add("<li><code>%s</code>", f.Rule)
		if f.Blocking {
			p.Add(" %s", badge("crash", "blocking"))
		}
		at := f.File
		if f.Line != 0 {
			at = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		p.AddIf(" <code>%s</code>", at)
		p.Add(" %s</li>", f.Message)
	}
	p.Add("</ul>\n")
}

// figures writes the measurements of a run: the objective first, then the other metrics.
func (p *page) figures(g *segment, r *ledger.Row) {
	names := append(append([]string{g.Config.MetricName}, g.others()...), g.parts()...)
	begun := false
	for _, name := range names {
		st, ok := r.Stats[name]
		if !ok {
			continue
		}
		if !begun {
			p.Add("<h4>Figures</h4>")
			p.Table("", "metric", "class", markup.Figure("parent"), markup.Figure("candidate"), "effect, 95 %", markup.Figure("p"), "")
			begun = true
		}
		probability := ""
		if st.P != nil {
			probability = fmt.Sprintf("%.4g", *st.P)
		}
		p.Row(name, st.Class, markup.Figure(optional(st.Parent)), markup.Figure(optional(st.Candidate)), effect(st), markup.Figure(probability), st.Word)
	}
	if begun {
		p.EndTable()
	}
	samples := ledger.Samples(p.Lines, r.Run)
	for _, name := range names {
		for _, stage := range []struct{ name, words string }{
			{ledger.StageMeasure, ""}, {ledger.StageConfirm, ", confirmation"}, {ledger.StageAblate, ", the branch without this run"},
		} {
			var parent, candidate []float64
			for _, s := range samples {
				if s.Metric != name || s.Stage != stage.name && !(s.Stage == "" && stage.name == ledger.StageMeasure) {
					continue
				}
				if s.Parent != nil {
					parent = append(parent, *s.Parent)
				}
				if s.Candidate != nil {
					candidate = append(candidate, *s.Candidate)
				}
			}
			if svg := samplesPlot(name, parent, candidate); svg != "" {
				p.Add("<figure><figcaption>%s</figcaption>%s</figure>\n", name+stage.words, svg)
			}
		}
	}
}

func (p *page) battery(r *ledger.Row) {
	if len(r.Battery) == 0 {
		return
	}
	p.Add("<h4>Battery</h4>")
	p.Table("", "check", "status", markup.Figure("seconds"), "detail")
	for _, c := range r.Battery {
		var detail markup.Writer
		detail.AddIf("<pre>%s</pre>", c.Detail)
		for _, n := range c.Notes {
			detail.Add("<div>%s</div>", n)
		}
		p.Row(c.Name, badge(c.Status, c.Status), markup.Figure(fmt.Sprintf("%.1f", c.Seconds)), detail.Markup())
	}
	p.EndTable()
}

// diff writes the change that a run proposed, with its lines marked by kind.
func (p *page) diff(r *ledger.Row) {
	if p.Diff == nil {
		return
	}
	text, err := p.Diff(r)
	if err != nil {
		p.Add("<p class=\"alarm\">no diff: %s</p>\n", err)
	}
	if text == "" {
		return
	}
	p.Add("<h4>Diff</h4><pre class=\"diff\">")
	header := true // of a file, until its first hunk
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		class := ""
		switch {
		case strings.HasPrefix(line, "diff "):
			header, class = true, "file"
		case strings.HasPrefix(line, "@@"):
			header, class = false, "hunk"
		case header:
			class = "meta"
		case strings.HasPrefix(line, "+"):
			class = "added"
		case strings.HasPrefix(line, "-"):
			class = "removed"
		}
		p.Add("<span class=\"%s\">%s\n</span>", class, line)
	}
	p.Add("</pre>\n")
}
