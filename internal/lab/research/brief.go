package research

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A brief tells a proposer where the session is: what is measured, where the time goes, what was
// tried, and what is left to spend. Commands read it as JSON. Proposers that write get it as a
// prompt.

// A brief is the information for a proposer.
type brief struct {
	Name     string             `json:"name"`
	Run      int                `json:"run"`
	Base     string             `json:"base"`
	Parent   string             `json:"parent"`
	Metrics  []ledger.Metric    `json:"metrics"`
	Current  map[string]float64 `json:"current"` // values of the branch's tip
	Noise    map[string]float64 `json:"noise,omitempty"`
	Settings settings           `json:"settings,omitempty"` // of the branch's tip, set by a sweep
	Allow    []string           `json:"allow"`
	Deny     []string           `json:"deny"`
	Rows     []briefRow         `json:"rows"`             // the last rows, the newest last
	Failed   []briefRow         `json:"failed,omitempty"` // earlier ideas that were not kept, of all segments
	Lessons  []string           `json:"lessons,omitempty"`
	Ideas    string             `json:"ideas,omitempty"`
	Hot      []hotFunction      `json:"hot,omitempty"`      // functions of the repository, by time
	Profile  []string           `json:"profiles,omitempty"` // text files: where time and memory go
	Left     allowance          `json:"left"`               // of the budgets, for this proposal
	// file with this proposal's patch, which no longer applies after a keep
	Stale string `json:"stale,omitempty"`
}

// A briefRow is a row without the details of checks, so that hidden ones stay hidden.
type briefRow struct {
	Run         int                `json:"run"`
	Description string             `json:"description"`
	Verdict     string             `json:"verdict"`
	Reason      string             `json:"reason,omitempty"`
	Metric      *float64           `json:"metric,omitempty"`
	Metrics     map[string]float64 `json:"metrics,omitempty"`
	ASI         json.RawMessage    `json:"asi,omitempty"`
}

// The most rows and failed ideas of a brief.
const (
	briefRows   = 20
	briefFailed = 100
)

// An allowance is what a proposal may spend. Proposals of one round share what is left. A zero is
// no limit, except for the time, which always has one.
type allowance struct {
	Tokens  int64   `json:"tokens,omitempty"`
	USD     float64 `json:"usd,omitempty"`
	Seconds float64 `json:"seconds"`
	wall    bool    // the time is all that is left of stop.wall
}

// time is how long the proposal may take.
func (a allowance) time() time.Duration { return time.Duration(a.Seconds * float64(time.Second)) }

// timeWord is that time in words.
func (a allowance) timeWord() string {
	text := a.time().Round(time.Millisecond).String()
	if a.wall {
		text += ", all that was left of stop.wall"
	}
	return text
}

// environ are the limits as variables of a command.
func (a allowance) environ() map[string]string {
	env := map[string]string{"RESEARCH_SECONDS": fmt.Sprintf("%.0f", a.Seconds)}
	if a.Tokens > 0 {
		env["RESEARCH_TOKENS"] = fmt.Sprint(a.Tokens)
	}
	if a.USD > 0 {
		env["RESEARCH_USD"] = fmt.Sprintf("%.2f", a.USD)
	}
	return env
}

// allowance is what one of the proposals that are made now may spend.
func (s *Session) allowance() allowance {
	share := float64(max(1, len(s.state.missing)))
	a := allowance{Seconds: s.config.Proposer.Timeout.or(proposerTimeout).Seconds()}
	if left := (time.Duration(s.config.Stop.Wall) - s.spent()).Seconds(); left < a.Seconds {
		a.Seconds, a.wall = max(left, 0.001), true
	}
	if most := s.config.Stop.Tokens; most > 0 {
		a.Tokens = max(1, int64(float64(most-s.state.tokens)/share))
	}
	if most := float64(s.config.Stop.Cost); most > 0 {
		a.USD = max(0, most-s.state.cost) / share
	}
	return a
}

// writeBrief writes the brief of a desk into its directory and returns the file's name.
func (s *Session) writeBrief(ctx context.Context, d *desk) (string, error) {
	dir := d.out
	b := brief{Name: s.config.Name, Run: d.run, Base: s.segment.Base, Parent: s.state.tip, Metrics: s.segment.Metrics,
		Current: s.state.values(), Settings: s.state.settings, Allow: s.config.Scope.Allow, Deny: s.config.Scope.Deny,
		Lessons: s.state.lessons, Left: s.allowance()}
	if s.state.calibration != nil {
		b.Noise = s.state.calibration.Noise
	}
	rows := s.state.current
	rows = rows[max(0, len(rows)-briefRows):]
	for _, r := range rows {
		b.Rows = append(b.Rows, newBriefRow(r))
	}
	b.Failed = failedIdeas(s.state.rows, rows)
	if name := s.config.Proposer.Ideas; name != "" {
		text, err := os.ReadFile(s.config.path(name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		b.Ideas = string(text)
	}
	if on := s.config.Proposer.Profile; on == nil || *on {
		p, err := s.profile(ctx)
		if err != nil {
			return "", err
		}
		for _, name := range sortedKeys(p.texts) {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, p.texts[name], 0o666); err != nil {
				return "", err
			}
			b.Profile = append(b.Profile, file)
		}
		b.Hot = p.hot
	}
	if d.stale != nil {
		b.Stale = filepath.Join(dir, "stale.patch")
		if err := os.WriteFile(b.Stale, d.stale, 0o666); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return "", err
	}
	d.told = &b
	file := filepath.Join(dir, "brief.json")
	return file, os.WriteFile(file, append(text, '\n'), 0o666)
}

func newBriefRow(r *ledger.Row) briefRow {
	return briefRow{r.Run, r.Description, r.Verdict, r.Reason, r.Metric, r.Metrics, r.ASI}
}

// failedIdeas are the candidates that were not kept, without those in recent, the newest last. Of
// several with one description the newest counts. A proposal that gave no candidate is no idea.
func failedIdeas(all, recent []*ledger.Row) (list []briefRow) {
	seen := map[string]bool{}
	for _, r := range slices.Backward(all) {
		none := slices.Contains([]string{ledger.VerdictBaseline, ledger.VerdictCanary, ledger.VerdictEmpty, ledger.VerdictConflict, ledger.VerdictDuplicate}, r.Verdict) ||
			r.Tree == "" || seen[r.Description]
		if none || r.Kept() || slices.Contains(recent, r) || len(list) == briefFailed {
			continue
		}
		seen[r.Description] = true
		b := newBriefRow(r)
		b.Metrics, b.ASI = nil, nil
		list = append(list, b)
	}
	slices.Reverse(list)
	return list
}

// prompt is the text for a proposer that writes. Its rows have no more than the brief has, so
// hidden checks stay hidden.
func (b *brief) prompt(files map[string]string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Task: %s\n\nImprove this Go repository by one small change that stands for itself. A program checks it with the tests, measures it beside its parent, "+
		"and keeps it if it gains. Results, errors and the exported API have to stay as they are, for all inputs, not those of the benchmark alone.\n\n## Metrics\n\n", b.Name)
	for _, m := range b.Metrics {
		fmt.Fprintf(&w, "- %s", m.Name)
		if v, ok := b.Current[m.Name]; ok {
			fmt.Fprintf(&w, " is %s %s", number(v), m.Unit)
		}
		switch {
		case m.Goal == "max":
			w.WriteString("; more is better")
		case m.Goal != "":
			w.WriteString("; less is better")
		}
		if m.Guard != "" {
			fmt.Fprintf(&w, "; it has to be %s", m.Guard)
		}
		w.WriteString("\n")
	}
	fmt.Fprintf(&w, "\n## What may change\n\nFiles that match %s, but none that match %s.\n", strings.Join(b.Allow, ", "), strings.Join(b.Deny, ", "))
	if len(b.Hot) > 0 {
		w.WriteString("\n## Where the time goes\n\n")
		for _, h := range b.Hot {
			fmt.Fprintf(&w, "- %s in %s: %.1f%% itself, %.1f%% with what it calls\n", h.Name, h.File, h.Flat, h.Cum)
		}
	}
	if len(b.Lessons) > 0 {
		w.WriteString("\n## Lessons\n\n")
		for _, l := range b.Lessons {
			fmt.Fprintf(&w, "- %s\n", firstLine(l))
		}
	}
	for _, part := range []struct {
		title string
		rows  []briefRow
	}{{"Failed before: do not propose these again", b.Failed}, {"The last verdicts", b.Rows}} {
		if len(part.rows) > 0 {
			fmt.Fprintf(&w, "\n## %s\n\n", part.title)
		}
		for _, r := range part.rows {
			fmt.Fprintf(&w, "- %d: %s: %s", r.Run, r.Verdict, firstLine(r.Description))
			if r.Reason != "" {
				fmt.Fprintf(&w, " (%.300s)", firstLine(r.Reason))
			}
			w.WriteString("\n")
		}
	}
	if b.Ideas != "" {
		fmt.Fprintf(&w, "\n## Ideas\n\n%s\n", b.Ideas)
	}
	for _, name := range append(slices.Clone(b.Profile), b.Stale) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		title := "Profile " + filepath.Base(name)
		if name == b.Stale {
			title = "Your last patch, which does not apply any more"
		}
		fmt.Fprintf(&w, "\n## %s\n\n```\n%s```\n", title, text)
	}
	for _, name := range b.hottestFirst(files) {
		fmt.Fprintf(&w, "\n## File %s\n\n```\n%s\n```\n", name, files[name])
	}
	w.WriteString("\n## Answer\n\nEdit the files in the working directory if you can. Else answer with one patch in unified form, made against these files, " +
		"in a block that begins with ```diff and ends with ```. Before it write one line DESCRIPTION: what the change does, one line HYPOTHESIS: why it should gain, " +
		"and, if the verdicts above have taught you something, one line LESSON: what.\n")
	return w.String()
}

// hottestFirst are the files' names, those of hot functions first.
func (b *brief) hottestFirst(files map[string]string) []string {
	rank := map[string]int{}
	for i, h := range slices.Backward(b.Hot) {
		rank[h.File] = len(b.Hot) - i
	}
	names := sortedKeys(files)
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(rank[y], rank[x]) })
	return names
}
