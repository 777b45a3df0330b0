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
// builds on a refused commit has the verdict depends, which names that commit's run.

// ReplayOptions say how a series is judged.
type ReplayOptions struct {
	Each  bool     // each commit on its own parent
	Chain bool     // each commit on the kept ones before it
	Strip []string // patterns of files to leave out of the commits
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

// findCause finds out whether a commit failed in the chain because it builds on a refused one, and
// notes it in the row. That is so if it passed on its own parent, or if it passes with refused
// commits put back.
func (s *Session) findCause(ctx context.Context, p *proposal, row *ledger.Row) error {
	check, failed := strings.CutPrefix(row.Verdict, ledger.VerdictChecksFailed+":")
	if s.config.replay == nil || row.Apart || !failed && row.Verdict != ledger.VerdictConflict {
		return nil
	}
	if !failed {
		check = ""
	}
	var refused []*ledger.Row // of the chain, the latest first
	for _, r := range slices.Backward(s.Proposals()) {
		switch {
		case r.Apart && r.Source == row.Source && (r.Verdict == row.Verdict || r.Verdict == ledger.VerdictConflict):
			return nil // the fault is its own
		case !r.Apart && !r.Kept():
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
			return err
		}
		if !ok {
			continue
		}
		var words []string
		for _, r := range list {
			row.Depends = append(row.Depends, r.Run)
			words = append(words, fmt.Sprintf("row %d, refused (%s)", r.Run, r.Verdict))
		}
		was := row.Verdict
		row.Implementation = ledger.ImplUnchecked
		return refuse(row, ledger.VerdictDepends, "depends on %s; without that: %s", strings.Join(words, " and "), was)
	}
	return nil
}

// passesWith reports whether a commit applies to the tip after the changes of refused rows, and
// passes a check if one is named.
func (s *Session) passesWith(ctx context.Context, p *proposal, check string, refused []*ledger.Row) (bool, error) {
	if err := s.desk.Reset(ctx, s.state.tip, s.state.tip); err != nil {
		return false, err
	}
	var sources []string
	for _, r := range refused {
		sources = append(sources, r.Source)
	}
	for _, source := range append(sources, p.Source) {
		patch, err := s.changeOf(ctx, source)
		if err != nil {
			return false, err
		}
		if err := s.desk.Apply(ctx, patch); errors.Is(err, gitx.ErrConflict) {
			return false, nil
		} else if err != nil {
			return false, err
		}
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
	out, err := s.check(ctx, &s.config.Battery[i], c)
	return out.Status == pass, err
}
