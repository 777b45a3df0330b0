package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/markup"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

func median(values []float64) float64 { return measure.Median(values) }

// A page is what is shown.
type page struct {
	Name     string
	Session  string
	Tool     string
	Base     string
	Env      string
	Segments []*segmentPage
	Alarms   []string
	Lessons  []string
	Ended    string
}

type segmentPage struct {
	Number    int
	Prefix    string // of the runs' anchors
	Name      string
	Objective string
	Direction string
	Baseline  string
	Best      string
	Change    string
	Tally     tally
	Chart     markup.Markup
	Pareto    markup.Markup
	Claim     string
	Product   string
	Columns   []string
	Runs      []*runPage
	Guards    []ledger.Metric
	Further   []objective
	Replayed  *ledger.Replayed // nil: nothing was published of it
}

type runPage struct {
	*ledger.Row
	Anchor    string
	Class     string
	Hash      string
	Value     string
	Others    []string
	Published string
	Differs   bool // from what was published
	Word      string
	Effect    string
	When      string
	Stats     []statLine
	Plots     []plot
	Diff      []diffLine
	DiffError string
	ASI       string
}

type statLine struct{ Name, Class, Parent, Candidate, Effect, P, Word string }

type plot struct {
	Name string
	SVG  markup.Markup
}

type diffLine struct{ Class, Text string }

// HTML writes the session as a page that needs nothing else.
func HTML(w io.Writer, s *Session) error {
	p := &page{Name: s.name(), Lessons: s.lessons()}
	segments := s.segments()
	for i, g := range segments {
		p.Segments = append(p.Segments, s.segmentPage(i, g))
		c := g.Config
		p.Session, p.Tool, p.Base = c.Session, c.Tool, c.Base
		if c.Env != nil {
			p.Env = joinNonEmpty(", ", c.Env.Go, c.Env.OS+"/"+c.Env.Arch, c.Env.CPU, c.Env.Kernel)
		}
		for _, e := range g.Events {
			switch e.Event {
			case "alarm", "planted": // a slow-down that was seen has no reason
				if e.Reason != "" {
					p.Alarms = append(p.Alarms, e.Reason)
				}
			case "stop":
				p.Ended = e.Reason
			}
		}
	}
	var text writer
	text.page(p)
	_, err := io.WriteString(w, text.String())
	return err
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

func (s *Session) segmentPage(i int, g *segment) *segmentPage {
	prefix := fmt.Sprintf("s%d-run", i+1)
	v := &segmentPage{
		Number: i + 1, Prefix: prefix, Name: g.Config.Name, Objective: g.heading(g.Config.MetricName), Direction: "less is better",
		Baseline: optional(g.baseline()),
		Best:     "–", Change: g.change(), Tally: g.tally(), Chart: g.chart(prefix), Pareto: g.pareto(prefix),
		Guards: g.guards(), Replayed: g.replayed(), Claim: g.claim(g.Config.MetricName), Further: g.further(), Product: g.product(),
	}
	if g.higher() {
		v.Direction = "more is better"
	}
	if best := g.best(); len(best) > 0 && best[len(best)-1] == best[len(best)-1] {
		v.Best = number(best[len(best)-1])
	}
	others := g.others()
	for _, name := range others {
		v.Columns = append(v.Columns, g.heading(name))
	}
	for _, r := range g.Rows {
		run := s.runPage(g, r, prefix, others)
		if v.Replayed != nil {
			run.Published = "–"
			if p, ok := v.Replayed.Rows[r.Run]; ok {
				run.Published, run.Differs = strings.TrimSuffix(p.Status+" "+optional(p.Metric), " –"), !p.Agrees
			}
		}
		v.Runs = append(v.Runs, run)
	}
	return v
}

func (s *Session) runPage(g *segment, r *ledger.Row, prefix string, others []string) *runPage {
	v := &runPage{
		Row: r, Anchor: fmt.Sprintf("%s%d", prefix, r.Run), Class: r.Status, Hash: commit(r), Value: optional(r.Metric),
		Word:   verdict(r),
		Effect: effect(r.Stats[g.Config.MetricName]),
	}
	if r.Verdict == ledger.VerdictCanary {
		v.Class = "canary"
	}
	if r.Timestamp > 0 {
		v.When = time.UnixMilli(r.Timestamp).UTC().Format("2006-01-02 15:04:05 MST")
	}
	for _, name := range others {
		v.Others = append(v.Others, optional(g.value(r, name)))
	}
	for _, name := range append([]string{g.Config.MetricName}, others...) {
		if st, ok := r.Stats[name]; ok {
			line := statLine{name, st.Class, optional(st.Parent), optional(st.Candidate), effect(st), "", st.Word}
			if st.P != nil {
				line.P = fmt.Sprintf("%.4g", *st.P)
			}
			v.Stats = append(v.Stats, line)
		}
		for _, stage := range []string{ledger.StageMeasure, ledger.StageConfirm, ledger.StageAblate} {
			var parent, candidate []float64
			for _, sample := range ledger.Samples(s.Lines, r.Run) {
				if sample.Metric != name || sample.Stage != stage && !(sample.Stage == "" && stage == ledger.StageMeasure) {
					continue
				}
				if sample.Parent != nil {
					parent = append(parent, *sample.Parent)
				}
				if sample.Candidate != nil {
					candidate = append(candidate, *sample.Candidate)
				}
			}
			if svg := samplesPlot(name, parent, candidate); svg != "" {
				title := name
				switch stage {
				case ledger.StageConfirm:
					title += ", confirmation"
				case ledger.StageAblate:
					title += ", the branch without this run"
				}
				v.Plots = append(v.Plots, plot{title, svg})
			}
		}
	}
	if len(r.ASI) > 0 && string(r.ASI) != "null" {
		var any any
		if json.Unmarshal(r.ASI, &any) == nil {
			text, _ := json.MarshalIndent(any, "", "  ") // what was unmarshalled can be marshalled
			v.ASI = string(text)
		}
	}
	if s.Diff != nil {
		diff, err := s.Diff(r)
		if err != nil {
			v.DiffError = err.Error()
		}
		v.Diff = diffLines(diff)
	}
	return v
}

// diffLines classifies the lines of a unified diff.
func diffLines(diff string) []diffLine {
	var list []diffLine
	header := true // of a file, until its first hunk
	for line := range strings.Lines(diff) {
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
		list = append(list, diffLine{class, line})
	}
	return list
}
