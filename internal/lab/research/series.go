package research

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A replay judges each commit of a series twice: on its own parent, as its author had it, and in
// the chain, on the commits of the series kept so far. As long as all were kept the two are the
// same, and the commit is judged once, in the chain. A commit that fails in the chain because it
// builds on a refused commit has the verdict depends, which names that commit's run. If that commit
// is harmless, the two are judged together instead.

// ReplayOptions say how a series is judged.
type ReplayOptions struct {
	Each      bool     // each commit on its own parent
	Chain     bool     // each commit on the kept ones before it
	Strip     []string // patterns of files to leave out of the commits
	BenchFrom string   // commit whose benchmarks measure trees that lack them; empty: none
}

// DefaultStrip are files of a series that do not belong to its changes: logs of the tools that made
// it, and files that only the project's host reads.
var DefaultStrip = []string{".auto/**", "autoresearch.*", "**/autoresearch.jsonl", ".autoresearch/**", ".research/**",
	"results.tsv", "**/.git*", ".github/**"}

// ForReplay makes the config the config of a replay of a range: its proposals are all commits of
// the range, in a session of its own. The scope restrains proposers, so init's scope and the
// default scope do not bind a series. Commits may contain tests, which do not count.
func (c *Config) ForReplay(rng string, o ReplayOptions) error {
	base, _, ok := strings.Cut(rng, "..")
	if !ok || base == "" || strings.HasPrefix(rng, base+"...") {
		return fmt.Errorf("%s is no range A..B", rng)
	}
	if !o.Each && !o.Chain {
		return errors.New("neither each commit on its own parent nor the chain is to be judged")
	}
	c.Base, c.replay = base, &o
	c.Session = "replay-" + c.Session
	c.Proposer = Proposer{Kind: "range", Range: rng}
	c.Statistics.AAEvery = -1
	c.Stop.Experiments, c.Stop.Plateau, c.Stop.Failures, c.Stop.Target = 1<<30, 1<<30, 1<<30, nil
	if slices.Equal(c.Scope.Deny, defaultDeny) {
		c.Scope.Deny = nil
	}
	if slices.Equal(c.Scope.Allow, initAllow) {
		c.Scope.Allow, c.Scope.MaxDiffLines = []string{"**"}, 0
	}
	// The range and the options are part of the evaluator.
	c.Text = append(bytes.Clone(c.Text), fmt.Sprintf("\nreplay %s %+v\n", rng, o)...)
	return nil
}

// changeOf is the patch of a commit against its parent, without the files that a replay leaves out.
func (s *Session) changeOf(ctx context.Context, commit string) ([]byte, error) {
	tree := commit
	if r := s.config.replay; r != nil && len(r.Strip) > 0 {
		var err error
		tree, err = s.repo.Overlay(ctx, commit, commit+"^", func(path string) bool { return matchAny(r.Strip, path) })
		if err != nil {
			return nil, err
		}
	}
	return s.repo.Diff(ctx, commit+"^", tree)
}

// proposeReplayed proposes a commit of the series: for even numbers on its own parent, for odd ones
// in the chain.
func (s *Session) proposeReplayed(ctx context.Context, d *desk, p *proposal, series []string) error {
	r := s.config.replay
	for ; d.index < 2*len(series); d.index++ {
		commit, apart := series[d.index/2], d.index%2 == 0
		if apart && !r.Each || !apart && !r.Chain {
			continue
		}
		parent, err := s.repo.Resolve(ctx, commit+"^")
		if err != nil {
			return err
		}
		if apart && r.Chain {
			same, err := s.sameButStripped(ctx, parent, s.state.tip)
			if err != nil {
				return err
			}
			if same {
				continue
			}
		}
		p.Index = d.index
		if apart {
			p.Kind, p.Parent = kindApart, parent
			if err := d.Reset(ctx, parent, parent); err != nil {
				return err
			}
		}
		return s.applyCommit(ctx, d, commit, p)
	}
	return errExhausted
}

// sameButStripped reports whether two trees differ only in files that are left out.
func (s *Session) sameButStripped(ctx context.Context, a, b string) (bool, error) {
	changes, err := s.repo.Changes(ctx, a, b)
	return !slices.ContainsFunc(changes, func(c gitx.Change) bool {
		return !matchAny(s.config.replay.Strip, c.Path)
	}), err
}

// harmless are the verdicts of commits that are not worth a keep and do no harm, such as a rename.
var harmless = []string{ledger.VerdictNoEffect, ledger.VerdictUnconfirmed}

// findCause finds out whether a commit failed in the chain because it builds on a refused one. That
// is so if it passed on its own parent, or if it passes with refused commits put back. The row notes
// it. But if those commits are harmless, they are judged once more, together with this one: again
// says so. A series does not end at a rename that gains nothing.
func (s *Session) findCause(ctx context.Context, p *proposal, row *ledger.Row) (again bool, err error) {
	check, failed := strings.CutPrefix(row.Verdict, ledger.VerdictChecksFailed+":")
	if s.config.replay == nil || row.Apart || len(p.With) > 0 || !failed && row.Verdict != ledger.VerdictConflict {
		return false, nil
	}
	if !failed {
		check = ""
	}
	var back []int // put back by a kept row
	for _, r := range s.Proposals() {
		if r.Kept() {
			back = append(back, r.With...)
		}
	}
	var refused []*ledger.Row // of the chain, the latest first
	for _, r := range slices.Backward(s.Proposals()) {
		switch {
		case r.Apart && r.Source == row.Source && (r.Verdict == row.Verdict || r.Verdict == ledger.VerdictConflict):
			return false, nil // the fault is its own
		case !r.Apart && !r.Kept() && r.Verdict != ledger.VerdictEmpty && !slices.Contains(back, r.Run):
			refused = append(refused, r)
		}
	}
	// First each refused commit alone, then more and more of them, in the series' order. Each
	// attempt runs the check, so their number is limited.
	const most = 4
	var tries [][]*ledger.Row
	for _, r := range refused[:min(len(refused), most)] {
		tries = append(tries, []*ledger.Row{r})
	}
	for i := range refused {
		if i > 0 && (i < most || i == len(refused)-1) {
			list := slices.Clone(refused[:i+1])
			slices.Reverse(list)
			tries = append(tries, list)
		}
	}
	for _, list := range tries {
		ok, err := s.passesWith(ctx, p, check, list)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if !slices.ContainsFunc(list, func(r *ledger.Row) bool { return !slices.Contains(harmless, r.Verdict) }) {
			return true, s.together(ctx, p, list)
		}
		var words []string
		for _, r := range list {
			row.Depends = append(row.Depends, r.Run)
			words = append(words, fmt.Sprintf("row %d, refused (%s)", r.Run, r.Verdict))
		}
		was := row.Verdict
		row.Implementation = ledger.ImplUnchecked
		return false, refuse(row, ledger.VerdictDepends, "depends on %s; without that: %s", strings.Join(words, " and "), was)
	}
	return false, nil
}

// together proposes a commit of the chain again, together with the changes of earlier rows.
func (s *Session) together(ctx context.Context, p *proposal, rows []*ledger.Row) error {
	q := *p
	q.Before, q.Failure, q.Reason = p.Object, "", ""
	for _, r := range rows {
		q.With = append(q.With, r.Run)
	}
	return s.placeAs(ctx, s.state.pendingID, &q, func(ctx context.Context, d *desk, _ *proposal) error {
		_, err := s.applyAll(ctx, d.Worktree, rows, p.Source)
		return err
	})
}

// togetherWith names the rows that are judged together with a proposal; empty if there are none.
func togetherWith(p *proposal) string {
	var words []string
	for _, run := range p.With {
		words = append(words, fmt.Sprint(run))
	}
	if len(words) == 0 {
		return ""
	}
	return "; judged together with row " + strings.Join(words, " and ") + ", on which it builds"
}

// applyAll applies the changes of rows and then that of a commit. ok reports whether they apply.
func (s *Session) applyAll(ctx context.Context, wt *gitx.Worktree, rows []*ledger.Row, commit string) (ok bool, err error) {
	var sources []string
	for _, r := range rows {
		sources = append(sources, r.Source)
	}
	for _, source := range append(sources, commit) {
		patch, err := s.changeOf(ctx, source)
		if err != nil {
			return false, err
		}
		if err := wt.Apply(ctx, patch); errors.Is(err, gitx.ErrConflict) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

// passesWith reports whether a commit applies to the tip after the changes of refused rows, and
// passes a check if one is named.
func (s *Session) passesWith(ctx context.Context, p *proposal, check string, refused []*ledger.Row) (bool, error) {
	if err := s.desk.Reset(ctx, s.state.tip, s.state.tip); err != nil {
		return false, err
	}
	if ok, err := s.applyAll(ctx, s.desk, refused, p.Source); err != nil || !ok {
		return false, err
	}
	i := slices.IndexFunc(s.config.Battery, func(k Check) bool { return k.Name == check })
	if i < 0 {
		return check == "", nil
	}
	tree, err := s.desk.Snapshot(ctx, s.state.tip)
	if err != nil {
		return false, err
	}
	c, err := s.subjectOf(ctx, 0, s.state.tip, s.parentTree, s.state.tip, tree)
	if err != nil {
		return false, err
	}
	c.settings, c.parentSet = s.state.settings, s.state.settings
	out, err := s.checkTree(ctx, &s.config.Battery[i], c, c.tree)
	return out.Status == pass, err
}
