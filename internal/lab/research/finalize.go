package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// compare takes fresh pairs of parent and candidate until the judgement wants no more. It logs them
// under the stage. Unlike a candidate's pairs they are not reused after an interruption.
func (s *Session) compare(ctx context.Context, stage string, c *subject) (*decision, error) {
	j := &judgement{config: s.config, classes: s.classes(), double: s.state.alarms > 0}
	if err := s.bothSides(ctx, c); err != nil {
		return nil, err
	}
	taken, n := pairs{}, 0
	for {
		d := j.decide(taken)
		if d.want == "" {
			return &d, nil
		}
		n++
		x, err := s.takePair(ctx, c, stage, n, s.config.sources())
		if err != nil {
			return nil, err
		}
		taken[d.want] = append(taken[d.want], x)
	}
}

// measureFully takes as many fresh pairs as the last look of a decision has, whatever the first
// ones show. A claim about a whole branch must not end early: the estimate would be too good.
func (s *Session) measureFully(ctx context.Context, stage string, c *subject) (map[string]ledger.Stat, error) {
	j := &judgement{config: s.config, classes: s.classes()}
	if err := s.bothSides(ctx, c); err != nil {
		return nil, err
	}
	looks := s.config.Statistics.Pairs
	n := nearExactPairs
	for i := range s.config.Metrics {
		if m := &s.config.Metrics[i]; (m.Goal != "" || m.Guard != nil) && j.classes[m.Name] == measure.Noisy {
			n = looks[len(looks)-1]
		}
	}
	taken := pairs{}
	for i := range n {
		x, err := s.takePair(ctx, c, stage, i+1, s.config.sources())
		if err != nil {
			return nil, err
		}
		taken[ledger.StageMeasure] = append(taken[ledger.StageMeasure], x)
	}
	stats := map[string]ledger.Stat{}
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		stats[m.Name] = j.estimate(m, taken, ledger.StageMeasure)
	}
	return stats, nil
}

// Results of an ablation.
const (
	Pays       = "pays"       // the branch is worse without it
	PaysNot    = "pays_not"   // nothing is worse without it
	Harms      = "harms"      // the branch is better without it
	Entangled  = "entangled"  // later changes build on it, so it cannot be removed alone
	Unbuilding = "unbuilding" // the branch fails its battery without it
)

// An Ablation compares the branch with the branch without one keep. It is the data of an event
// "ablated".
type Ablation struct {
	Run         int                    `json:"run"`
	Tip         string                 `json:"tip"`
	Result      string                 `json:"result"`
	Description string                 `json:"description"`
	Risk        []string               `json:"risk,omitempty"`
	Stats       map[string]ledger.Stat `json:"stats,omitempty"` // parent: the tip; candidate: without the keep
}

// Ablate removes each keep from the branch's tip, alone, and measures the loss.
func (s *Session) Ablate(ctx context.Context) ([]Ablation, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	var list []Ablation
	for _, r := range s.state.keeps() {
		a := Ablation{Run: r.Run, Tip: s.state.tip, Description: r.Description, Risk: r.Risk}
		if err := s.ablate(ctx, r, &a); err != nil {
			return list, err
		}
		if err := s.event("ablated", fmt.Sprintf("run %d: %s", a.Run, a.Result), a); err != nil {
			return list, err
		}
		list = append(list, a)
	}
	return list, nil
}

// ready prepares a session so that its tip can be measured and no candidate is pending.
func (s *Session) ready(ctx context.Context) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := s.judgeAll(ctx); err != nil {
		return err
	}
	return s.setParent(ctx)
}

func (s *Session) ablate(ctx context.Context, r *ledger.Row, a *Ablation) error {
	if err := s.desk.Reset(ctx, s.state.tip, s.state.tip); err != nil {
		return err
	}
	set, entangled := s.settingsWithout(r.Run)
	back, err := s.repo.Diff(ctx, r.Object, r.Parent)
	if err != nil {
		return err
	}
	switch err := s.desk.Apply(ctx, back); {
	case errors.Is(err, gitx.ErrConflict), err == nil && entangled:
		a.Result = Entangled
		return nil
	case err != nil:
		return err
	}
	tree, err := s.desk.Snapshot(ctx, s.state.tip)
	if err != nil {
		return err
	}
	c, err := s.subjectOf(ctx, r.Run, s.state.tip, s.parentTree, s.state.tip, tree)
	if err != nil {
		return err
	}
	c.settings, c.parentSet = set, s.state.settings
	if _, failed, err := s.battery(ctx, c, func(when string) bool { return when == "always" }); err != nil {
		return err
	} else if failed != "" {
		a.Result = Unbuilding
		return nil
	}
	d, err := s.compare(ctx, ledger.StageAblate, c)
	if bad := (*sampleError)(nil); errors.As(err, &bad) {
		a.Result = Unbuilding
		return nil
	}
	if err != nil {
		return err
	}
	a.Stats = d.stats
	switch {
	case d.gains:
		a.Result = Harms
	case d.verdict == ledger.VerdictNoEffect || d.verdict == ledger.VerdictUnconfirmed:
		a.Result = PaysNot
	default:
		a.Result = Pays
	}
	return nil
}

// subjectOf makes a subject of two trees. The candidate's commit is only the checkout's HEAD.
func (s *Session) subjectOf(ctx context.Context, run int, parentCommit, parentTree, commit, tree string) (*subject,
	error) {
	judged, err := s.judgedTree(ctx, tree, s.testsOf(parentCommit))
	if err != nil {
		return nil, err
	}
	changes, err := s.repo.Changes(ctx, parentCommit, tree)
	return &subject{run: run, side: s.candidate, commit: commit, tree: tree, judged: judged, parentCommit: parentCommit,
		parentTree: parentTree, changes: changes}, err
}

// A Claim is the gain of the whole branch: measured directly against the base, and as the product
// of the steps' gains. It is the data of an event "claim".
type Claim struct {
	Tip     string                 `json:"tip"`
	Stats   map[string]ledger.Stat `json:"stats"`
	Product map[string]float64     `json:"product"` // ratio
}

// claim compares the branch's tip with the base, by fresh pairs.
func (s *Session) claim(ctx context.Context, tip string, keeps []*ledger.Row) (*Claim, error) {
	base, err := s.judgedTree(ctx, s.segment.Base, s.segment.Base)
	if err != nil {
		return nil, err
	}
	c, err := s.subjectOf(ctx, 0, s.segment.Base, base, tip, tip)
	if err != nil {
		return nil, err
	}
	c.settings = s.settingsOf(among(keeps))
	stats, err := s.measureFully(ctx, ledger.StageClaim, c)
	if err != nil {
		return nil, err
	}
	out := &Claim{Tip: tip, Stats: stats, Product: map[string]float64{}}
	for _, r := range keeps {
		for name, st := range r.Stats {
			if out.Product[name] == 0 {
				out.Product[name] = 1
			}
			out.Product[name] *= st.Ratio
		}
	}
	s.parent.tree = "" // the base is checked out there now
	return out, s.event(ledger.EventClaim, fmt.Sprintf("%.7s against the base", tip), out)
}

// among tells runs of some rows from others.
func among(rows []*ledger.Row) func(run int) bool {
	return func(run int) bool {
		return slices.ContainsFunc(rows, func(r *ledger.Row) bool { return r.Run == run })
	}
}

// Text prints a claim in lines.
func (c *Claim) Text(config *Config) string {
	var b strings.Builder
	for i := range config.Metrics {
		m := &config.Metrics[i]
		st, ok := c.Stats[m.Name]
		if !ok || st.Parent == nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s -> %s (%s)", m.Name, number(*st.Parent), number(*st.Candidate), effect(st))
		if p := c.Product[m.Name]; p > 0 {
			fmt.Fprintf(&b, "; the steps claim %+.1f%% together", 100*(p-1))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A Final is the result of Finalize.
type Final struct {
	Branches []FinalBranch
	Dropped  []Ablation
	Held     []Ablation // keeps that would be dropped, but others build on them
	Claim    *Claim     // of the single branch; nil for groups
	Findings []ledger.Finding
}

// A FinalBranch is a branch for review.
type FinalBranch struct {
	Name   string
	Commit string
	Rows   []*ledger.Row
}

// Finalize makes branches for review from the keeps that pay. A keep is left out if ablation showed
// that it does not pay. The keeps go onto the base, as one linear branch research/<session>-final,
// or, in groups of keeps that share no file, as research/<session>-final-1 and so on. The single
// branch passes the whole battery again.
func (s *Session) Finalize(ctx context.Context, groups bool) (*Final, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	keeps := s.state.keeps()
	if len(keeps) == 0 {
		return nil, errors.New("nothing was kept")
	}
	f := &Final{}
	drop := map[int]Ablation{}
	for _, a := range s.ablations() {
		if a.Result == PaysNot || a.Result == Harms {
			drop[a.Run] = a
		}
	}
	rows := slices.DeleteFunc(slices.Clone(keeps), func(r *ledger.Row) bool { _, ok := drop[r.Run]; return ok })
	// Keeps that others build on come back, the latest first.
	var commits []string
	var err error
	for {
		if commits, err = s.rebuild(ctx, rows); err == nil || !errors.Is(err, gitx.ErrConflict) || len(drop) == 0 {
			break
		}
		last := slices.Max(sortedInts(drop))
		f.Held = append(f.Held, drop[last])
		delete(drop, last)
		rows = slices.DeleteFunc(slices.Clone(keeps), func(r *ledger.Row) bool { _, ok := drop[r.Run]; return ok })
	}
	if err != nil {
		return nil, err
	}
	for _, r := range sortedInts(drop) {
		f.Dropped = append(f.Dropped, drop[r])
	}
	for _, r := range rows {
		f.Findings = append(f.Findings, r.Findings...)
	}
	if len(rows) == 0 {
		return f, nil
	}
	name := s.branch() + "-final"
	if groups {
		for i, g := range groupRows(rows) {
			list, err := s.rebuild(ctx, g)
			if err != nil {
				return nil, err
			}
			f.Branches = append(f.Branches, FinalBranch{fmt.Sprintf("%s-%d", name, i+1), list[len(list)-1], g})
		}
	} else {
		tip := commits[len(commits)-1]
		c, err := s.subjectOf(ctx, 0, s.segment.Base, s.segment.Base, tip, tip)
		if err != nil {
			return nil, err
		}
		c.settings = s.settingsOf(among(rows))
		if done, failed, err := s.battery(ctx, c,
			func(when string) bool { return when == "always" || when == "keep" }); err != nil {
			return nil, err
		} else if failed != "" {
			return nil, fmt.Errorf("the final branch fails %s: %s", failed, done[len(done)-1].Detail)
		}
		if f.Claim, err = s.claim(ctx, tip, rows); err != nil {
			return nil, err
		}
		f.Branches = []FinalBranch{{name, tip, rows}}
	}
	for _, b := range f.Branches {
		old, err := s.repo.Ref(ctx, b.Name)
		if err != nil {
			return nil, err
		}
		if err := s.repo.SetRef(ctx, b.Name, b.Commit, old); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// ablations are the last ablation of each keep at the present tip.
func (s *Session) ablations() []Ablation {
	last := map[int]Ablation{}
	for _, l := range s.log.Lines() {
		if l.Event == nil || l.Event.Event != "ablated" {
			continue
		}
		var a Ablation
		if json.Unmarshal(l.Event.Data, &a) == nil && a.Tip == s.state.tip {
			last[a.Run] = a
		}
	}
	var list []Ablation
	for _, run := range sortedInts(last) {
		list = append(list, last[run])
	}
	return list
}

func sortedInts[V any](m map[int]V) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// rebuild applies the changes of rows to the base, one commit each.
func (s *Session) rebuild(ctx context.Context, rows []*ledger.Row) (commits []string, err error) {
	parent := s.segment.Base
	for _, r := range rows {
		if err := s.desk.Reset(ctx, parent, parent); err != nil {
			return nil, err
		}
		diff, err := s.repo.Diff(ctx, r.Parent, r.Object)
		if err != nil {
			return nil, err
		}
		if err := s.desk.Apply(ctx, diff); err != nil {
			return nil, fmt.Errorf("run %d: %w", r.Run, err)
		}
		tree, err := s.desk.Snapshot(ctx, parent)
		if err != nil {
			return nil, err
		}
		message, err := s.repo.Message(ctx, r.Object)
		if err != nil {
			return nil, err
		}
		author, err := s.repo.Author(ctx, r.Object)
		if err != nil {
			return nil, err
		}
		committer := gitx.Ident{Name: "gyr research", Email: "research@gyr.invalid", Date: author.Date}
		if parent, err = s.repo.NewCommit(ctx, tree, parent, message, author, committer); err != nil {
			return nil, err
		}
		commits = append(commits, parent)
	}
	return commits, nil
}

// groupRows divides rows into groups that share no file, in the order of their first rows.
func groupRows(rows []*ledger.Row) [][]*ledger.Row {
	var groups [][]*ledger.Row
	share := func(a, b *ledger.Row) bool {
		return slices.ContainsFunc(a.Files, func(f string) bool { return slices.Contains(b.Files, f) })
	}
	for _, r := range rows {
		var mine []*ledger.Row
		var rest [][]*ledger.Row
		at := -1
		for _, g := range groups {
			if slices.ContainsFunc(g, func(x *ledger.Row) bool { return share(x, r) }) {
				if at < 0 {
					at = len(rest)
					rest = append(rest, nil)
				}
				mine = append(mine, g...)
				continue
			}
			rest = append(rest, g)
		}
		mine = append(mine, r)
		slices.SortFunc(mine, func(a, b *ledger.Row) int { return a.Run - b.Run })
		if at < 0 {
			rest = append(rest, mine)
		} else {
			rest[at] = mine
		}
		groups = rest
	}
	return groups
}
