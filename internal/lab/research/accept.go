package research

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// acceptable are the verdicts that a human may overrule: a gain that is too good to accept unseen,
// and a gain for which a check could not run.
var acceptable = []string{ledger.VerdictQuarantined, ledger.VerdictUnchecked}

// Accept judges the candidate of a row once more, on the branch's tip, and keeps it although it is
// quarantined or unchecked. Checks and measurements can still refuse it. The new row contains why.
func (s *Session) Accept(ctx context.Context, run int, why string) (*ledger.Row, error) {
	i := slices.IndexFunc(s.state.current, func(r *ledger.Row) bool { return r.Run == run })
	switch {
	case i < 0:
		return nil, fmt.Errorf("there is no row %d in this segment", run)
	case !slices.Contains(acceptable, s.state.current[i].Verdict):
		return nil, fmt.Errorf("row %d is %s: only %s rows can be accepted", run, s.state.current[i].Verdict,
			strings.Join(acceptable, " and "))
	case strings.TrimSpace(why) == "":
		return nil, fmt.Errorf("row %d is accepted for a reason or not at all", run)
	}
	row := s.state.current[i]
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if err := s.judgeAll(ctx); err != nil {
		return nil, err
	}
	err := s.place(ctx, kindAccept, func(ctx context.Context, d *desk, p *proposal) error {
		p.Accepts, p.Why = run, firstLine(why)
		err := s.applyCommit(ctx, d, row.Object, p)
		p.Description, p.ASI = row.Description, row.ASI
		if len(row.Settings) > 0 {
			p.Settings = row.Settings
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.last(ctx)
}
