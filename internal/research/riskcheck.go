package research

import (
	"context"

	"github.com/gyrvm/gyr/internal/research/ledger"
)

// riskCheck is the name under which a rule of the risk lint refuses a candidate.
const riskCheck = "risk"

// lint labels the risks of a change.
func (s *Session) lint(ctx context.Context, c *subject, v *verification) error { return nil }

// riskChecks runs the checks that the risks of a change ask for.
func (s *Session) riskChecks(ctx context.Context, c *subject, v *verification) (done []ledger.Check, failed string, err error) {
	return nil, "", nil
}
