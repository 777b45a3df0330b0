package research

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Stopped says why a session's loop ended.
type Stopped struct {
	Reason string // exhausted, experiments, wall, plateau, failures, cost, tokens, disk, target, paused, proposer
	Detail string
	Keeps  int    // of the segment
	Claim  *Claim // of all keeps together; nil without any
}

// Budget reports whether the loop ended because a budget was spent.
func (s *Stopped) Budget() bool {
	return slices.Contains([]string{"experiments", "wall", "cost", "tokens", "disk"}, s.Reason)
}

// stopRules are checked before each candidate, in this order. A rule returns the detail of its
// reason, or nothing.
var stopRules = []struct {
	reason string
	rule   func(s *Session) string
}{
	{"paused", func(s *Session) string {
		if _, err := os.Stat(s.stopFile()); err == nil {
			return "there is a file " + s.stopFile()
		}
		return ""
	}},
	{"target", func(s *Session) string {
		values := s.state.values()
		for i := range s.config.Metrics {
			m := &s.config.Metrics[i]
			target, ok := s.config.Stop.Target[m.Name]
			v, known := values[m.Name]
			if !ok {
				continue
			}
			if !known || loss(m, target, v) > 0 {
				return ""
			}
		}
		if len(s.config.Stop.Target) == 0 {
			return ""
		}
		return "all targets are reached"
	}},
	{"experiments", func(s *Session) string {
		return over(s.state.candidates() >= s.config.Stop.Experiments, "%d experiments", s.state.candidates())
	}},
	{"wall", func(s *Session) string {
		spent := s.spent()
		return over(spent >= time.Duration(s.config.Stop.Wall), "%v", spent.Round(time.Second))
	}},
	{"cost", func(s *Session) string {
		return over(s.config.Stop.Cost > 0 && s.state.cost >= float64(s.config.Stop.Cost), "%.2f USD", s.state.cost)
	}},
	{"tokens", func(s *Session) string {
		return over(s.config.Stop.Tokens > 0 && s.state.tokens >= s.config.Stop.Tokens, "%d tokens", s.state.tokens)
	}},
	{"disk", func(s *Session) string {
		free, ok := freeDisk(s.dir)
		return over(ok && free < s.config.Stop.Disk, "%d bytes are free", free)
	}},
	{"plateau", func(s *Session) string {
		return over(s.state.sinceKeep >= s.config.Stop.Plateau, "%d candidates without a keep", s.state.sinceKeep)
	}},
	{"failures", func(s *Session) string {
		return over(s.state.unmeasured >= s.config.Stop.Failures, "%d candidates in a row were not measured",
			s.state.unmeasured)
	}},
}

func over(is bool, format string, args ...any) string {
	if !is {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// spent is the time of the driver in the segment.
func (s *Session) spent() time.Duration {
	return s.state.active + time.Since(time.UnixMilli(s.state.lastStart))
}

// stopFile is the file that pauses the session while it exists.
func (s *Session) stopFile() string { return filepath.Join(s.dir, "STOP") }

// Run proposes, judges and decides until a rule stops it. If ctx ends, it pauses: the next Run
// finishes the pending work.
func (s *Session) Run(ctx context.Context) (*Stopped, error) {
	stopped, err := s.run(ctx)
	if err == nil && stopped.Reason != "paused" && len(s.state.keeps()) > 0 {
		stopped.Claim, err = s.claim(ctx, s.state.tip, s.state.keeps())
	}
	if err != nil && ctx.Err() != nil {
		stopped, err = &Stopped{Reason: "paused", Detail: "interrupted"}, nil
	}
	if err != nil {
		return nil, err
	}
	stopped.Keeps = len(s.state.keeps())
	if s.config.Proposer.OnBase {
		for _, r := range s.Proposals() {
			if r.Apart && r.Status == ledger.Keep {
				stopped.Keeps++
			}
		}
	}
	return stopped, s.event("stop", stopped.Reason+": "+stopped.Detail, nil)
}

func (s *Session) run(ctx context.Context) (*Stopped, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	for {
		// A round is completed on the tip where it began.
		if len(s.state.missing) > 0 {
			var stop *stopError
			if err := s.fillRound(ctx); errors.As(err, &stop) {
				return &Stopped{Reason: stop.reason, Detail: stop.detail}, nil
			} else if err != nil && !errors.Is(err, errExhausted) {
				return nil, err
			}
			continue
		}
		if s.state.pending != nil {
			if err := s.judge(ctx); err != nil {
				return nil, err
			}
			continue
		}
		for _, r := range stopRules {
			if detail := r.rule(s); detail != "" {
				return &Stopped{Reason: r.reason, Detail: detail}, nil
			}
		}
		every := s.config.Statistics.AAEvery
		if every > 0 && s.state.sinceCanary >= every {
			if err := s.proposeCanary(ctx); err != nil {
				return nil, err
			}
			continue
		}
		var stop *stopError
		switch err := s.propose(ctx); {
		case errors.As(err, &stop):
			return &Stopped{Reason: stop.reason, Detail: stop.detail}, nil
		case errors.Is(err, errExhausted):
			detail := "the proposer has no more ideas"
			if s.config.Proposer.Kind == "manual" {
				detail = "nobody proposes: try judges a patch or a revision, and \"proposer\" of research.json names a queue of patches, a command and others"
			}
			return &Stopped{Reason: "exhausted", Detail: detail}, nil
		case err != nil:
			return nil, err
		}
	}
}

// Once takes one proposal and judges it. The proposal comes from a command, or from the config's
// proposer if command is empty.
func (s *Session) Once(ctx context.Context, command []string) (*ledger.Row, error) {
	s.config.Parallel.Propose = 1
	if len(command) > 0 {
		s.config.Proposer.Kind, s.config.Proposer.Run = "command", command
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if s.state.pending == nil {
		if err := s.propose(ctx); err != nil {
			return nil, err
		}
	}
	return s.last(ctx)
}

// Try judges one candidate given by hand: a file with a patch, - for the text in patch, or a
// revision, whose change against its parent counts.
func (s *Session) Try(ctx context.Context, name string, patch []byte) (*ledger.Row, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if err := s.judgeAll(ctx); err != nil {
		return nil, err
	}
	err := s.place(ctx, kindTry, func(ctx context.Context, d *desk, p *proposal) error {
		if err := s.placeOnBase(ctx, d, p); err != nil {
			return err
		}
		p.Index = s.state.proposals - 1 // a try is none of the proposer's
		if patch != nil {
			p.Source = name
			p.Description, p.Author = patchHeader(patch, filepath.Base(name))
			return d.applyPatch(ctx, patch, p)
		}
		commit, err := s.repo.Resolve(ctx, name)
		if err != nil {
			return err
		}
		return s.applyCommit(ctx, d, commit, p)
	})
	if err != nil {
		return nil, err
	}
	return s.last(ctx)
}

// judgeAll judges all proposals.
func (s *Session) judgeAll(ctx context.Context) error {
	for s.state.pending != nil {
		if err := s.judge(ctx); err != nil {
			return err
		}
	}
	return nil
}

// last judges the pending candidate and returns its row.
func (s *Session) last(ctx context.Context) (*ledger.Row, error) {
	if err := s.judge(ctx); err != nil {
		return nil, err
	}
	return s.state.rows[len(s.state.rows)-1], nil
}

// propose asks the proposer for a candidate, or for several at once.
func (s *Session) propose(ctx context.Context) error {
	if n := s.roundSize(); n > 1 {
		r := round{s.state.next, s.state.proposals, n}
		if err := s.event("round", "", r); err != nil {
			return err
		}
		return s.fillRound(ctx)
	}
	return s.place(ctx, kindCandidate, func(ctx context.Context, d *desk, p *proposal) error {
		d.index, p.Index = s.state.proposals, s.state.proposals
		return s.ask(ctx, d, p)
	})
}

// ask lets the proposer make one proposal.
func (s *Session) ask(ctx context.Context, d *desk, p *proposal) error {
	if err := s.prepareDesk(ctx, d); err != nil {
		return err
	}
	return s.proposeOrCombine(ctx, d, p)
}

// proposeOrCombine asks the proposer. If it has no more ideas and the config allows it, near-misses
// are combined.
func (s *Session) proposeOrCombine(ctx context.Context, d *desk, p *proposal) error {
	err := proposers[s.config.Proposer.Kind](s, ctx, d, p)
	if errors.Is(err, errExhausted) && s.config.Proposer.Combine {
		return s.proposeCombined(ctx, d, p)
	}
	return err
}

// proposeCanary proposes the tip itself.
func (s *Session) proposeCanary(ctx context.Context) error {
	return s.place(ctx, kindCanary, func(_ context.Context, _ *desk, p *proposal) error {
		p.Description = "canary: an identical tree"
		return nil
	})
}

// place lets fill edit the desk, and takes the result as the next run's proposal.
func (s *Session) place(ctx context.Context, kind string, fill func(context.Context, *desk, *proposal) error) error {
	if err := s.setUp(ctx); err != nil {
		return err
	}
	return s.placeAs(ctx, s.state.next, &proposal{Kind: kind}, fill)
}

// placeAs does the same for a given run.
func (s *Session) placeAs(ctx context.Context, run int, p *proposal,
	fill func(context.Context, *desk, *proposal) error) error {
	d := &desk{Worktree: s.desk, run: run}
	if err := d.Reset(ctx, s.state.tip, s.state.tip); err != nil {
		return err
	}
	before, err := s.refs(ctx)
	if err != nil {
		return err
	}
	p.Parent, p.Settings = s.state.tip, s.state.settings
	ferr := fill(ctx, d, p)
	touched, err := s.touched(ctx, before)
	if err := errors.Join(ferr, err); err != nil {
		return err
	}
	return s.take(ctx, d, p, touched)
}

// touched undoes changes to the session itself that happened while a proposer ran, and names them.
func (s *Session) touched(ctx context.Context, before map[string]string) (string, error) {
	what, err := s.restore(ctx, before)
	if errors.Is(err, ErrEvaluator) {
		err = errors.Join(err, s.event("stop", "after the proposer ran: "+err.Error(), nil))
	}
	return what, err
}

// take stores the content of a desk under its run's number and writes the phase line. A proposal
// that touched the session is refused.
func (s *Session) take(ctx context.Context, d *desk, p *proposal, touched string) error {
	if touched != "" {
		p.Failure, p.Reason = ledger.VerdictScope, "the proposer changed "+touched
	}
	tree, err := d.Snapshot(ctx, p.Parent)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		if p.Failure == "" {
			p.Failure, p.Reason = ledger.VerdictCrash, err.Error()
		}
		if err := d.Restore(ctx, p.Parent); err != nil {
			return err
		}
		tree = ""
	}
	if p.Failure == ledger.VerdictConflict {
		tree = "" // it contains merge conflict marks
	}
	if p.Tree = tree; tree != "" {
		if p.Object, err = s.commit(ctx, d.run, p, tree, p.Description+"\n"); err != nil {
			return err
		}
	}
	return s.phase(d.run, ledger.Proposed, p)
}

// refs are the session's refs.
func (s *Session) refs(ctx context.Context) (map[string]string, error) {
	return s.repo.Refs(ctx, runPrefix+s.config.Session+"/", s.branch())
}

// restore puts the session's refs and log back to their former state and names the changes. The
// hidden checks and research.json cannot be put back: a change there is ErrEvaluator.
func (s *Session) restore(ctx context.Context, before map[string]string) (touched string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if changed, err := s.log.Restore(); err != nil {
		return "", err
	} else if changed {
		touched = "the session's log"
	}
	now, err := s.refs(ctx)
	if err != nil {
		return "", err
	}
	for _, name := range sortedKeys(now) {
		if was := before[name]; was == "" {
			touched = name
			if err := s.repo.DeleteRef(ctx, name); err != nil {
				return "", err
			}
		}
	}
	for _, name := range sortedKeys(before) {
		if was := before[name]; now[name] != was {
			touched = name
			if err := s.repo.SetRef(ctx, name, was, now[name]); err != nil {
				return "", err
			}
		}
	}
	if err := s.checkEvaluator(ctx); err != nil {
		return "", err
	}
	return touched, nil
}

// commit makes a commit of a candidate's tree. Its dates derive from the base's, so equal
// candidates give equal commits.
func (s *Session) commit(ctx context.Context, run int, p *proposal, tree, message string) (string, error) {
	t, err := s.repo.Time(ctx, s.segment.Base)
	if err != nil {
		return "", err
	}
	committer := gitx.Ident{Name: "gyr research", Email: "research@gyr.invalid",
		Date: fmt.Sprintf("%d +0000", t+int64(run))}
	author := committer
	if f := strings.SplitN(p.Author, "\x00", 3); len(f) == 3 && f[0] != "" {
		author.Name, author.Email = f[0], f[1]
		if f[2] != "" {
			author.Date = f[2]
		}
	}
	return s.repo.NewCommit(ctx, tree, p.Parent, message, author, committer)
}
