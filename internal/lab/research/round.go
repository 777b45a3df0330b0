package research

import (
	"context"
	"errors"
	"fmt"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// With parallel.propose above 1 the proposer's commands work in rounds: several at once, each in a
// worktree of its own, all on the branch's tip. When the last one has ended, the candidates are
// judged one after the other while nothing else runs, so that nothing disturbs the measurements.
//
// A keep moves the tip, and the others of the round were made for the old one. Such a candidate is
// applied to the new tip by a three-way merge before it is judged. So the judged tree is always the
// tip with this one change. If the merge fails, the proposer is asked again for the same number, on
// the new tip, and gets its own patch to work from.
//
// The event "round" reserves the runs, so that a session that was killed asks for exactly the
// missing ones.

// maxPropose is how many commands may work at once.
const maxPropose = 16

// roundSize is how many proposals are made at once. Commands profit from more than one, and so do
// workers, which can try as many at once.
func (s *Session) roundSize() int {
	p := &s.config.Proposer
	if !p.briefed() && (s.queue == nil || !p.numbered() || p.Combine) {
		return 1
	}
	return min(s.config.Parallel.Propose, s.config.Stop.Experiments-s.state.candidates())
}

// fillRound makes the missing proposals of the round. It returns errExhausted if the proposer has
// none.
func (s *Session) fillRound(ctx context.Context) error {
	if err := s.setUp(ctx); err != nil {
		return err
	}
	var desks []*desk
	for i, run := range s.state.missing {
		d, err := s.deskAt(ctx, i)
		if err != nil {
			return err
		}
		d.run, d.index = run, s.state.round.Index+run-s.state.round.First
		if err := s.prepareDesk(ctx, d); err != nil {
			return err
		}
		desks = append(desks, d)
	}
	before, err := s.refs(ctx)
	if err != nil {
		return err
	}
	type made struct {
		desk     *desk
		proposal *proposal
		err      error
	}
	results := make(chan made)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, d := range desks {
		p := &proposal{Kind: kindCandidate, Parent: s.state.tip, Settings: s.state.settings, Index: d.index}
		go func() { results <- made{d, p, proposers[s.config.Proposer.Kind](s, ctx, d, p)} }()
	}
	touched, none := "", true
	var failed error
	for range desks {
		m := <-results
		if failed != nil {
			continue
		}
		switch failed = m.err; {
		case errors.Is(m.err, errExhausted):
			failed = s.event("exhausted", "", exhausted{m.desk.run})
		case m.err == nil:
			none = false
			failed = s.takeOf(ctx, m.desk, m.proposal, before, &touched)
		}
		if failed != nil {
			cancel()
		}
	}
	if failed == nil && none {
		return errExhausted
	}
	return failed
}

// takeOf takes one proposal of a round. If something of the session changed, nobody knows which
// proposal did it, so all that are not taken yet are refused.
func (s *Session) takeOf(ctx context.Context, d *desk, p *proposal, before map[string]string, touched *string) error {
	what, err := s.touched(ctx, before)
	if err != nil {
		return err
	}
	if what != "" {
		*touched = what + ", or another one of its round did"
	}
	return s.take(ctx, d, p, *touched)
}

// deskAt is the worktree of the round's i-th proposal, at the tip.
func (s *Session) deskAt(ctx context.Context, i int) (*desk, error) {
	if i == len(s.desks) {
		d, err := newSide(ctx, s.repo, s.work, fmt.Sprintf("pr%d", i), s.state.tip)
		if err != nil {
			return nil, err
		}
		s.desks = append(s.desks, d.wt)
	}
	return &desk{Worktree: s.desks[i]}, s.desks[i].Reset(ctx, s.state.tip, s.state.tip)
}

// rebase applies a candidate to the branch's tip, if the tip has moved since it was proposed.
func (s *Session) rebase(ctx context.Context, run int, p *proposal) error {
	if p.Parent == s.state.tip || p.Kind == kindApart || p.Failure != "" || p.Tree == "" || s.duplicate(p) != nil {
		return nil
	}
	if err := s.setUp(ctx); err != nil {
		return err
	}
	patch, err := s.repo.Diff(ctx, p.Parent, p.Tree)
	if err != nil {
		return err
	}
	q := *p
	q.Before = p.Object
	return s.placeAs(ctx, run, &q, func(ctx context.Context, d *desk, q *proposal) error {
		if err := d.applyPatch(ctx, patch, q); err != nil || q.Failure == "" {
			return err
		}
		if err := d.Reset(ctx, q.Parent, q.Parent); err != nil {
			return err
		}
		conflict := *q
		*q = proposal{Kind: p.Kind, Index: p.Index, Parent: q.Parent, Settings: q.Settings, Before: q.Before}
		d.index, d.stale = p.Index, patch
		err := s.ask(ctx, d, q)
		if errors.Is(err, errExhausted) {
			*q = conflict
			return nil
		}
		q.Cost = sumCost(p.Cost, q.Cost)
		return err
	})
}

// sumCost adds the costs of two proposals.
func sumCost(a, b *ledger.Cost) *ledger.Cost {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return &ledger.Cost{USD: a.USD + b.USD, Tokens: a.Tokens + b.Tokens}
}
