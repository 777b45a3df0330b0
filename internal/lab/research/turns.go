package research

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// Only one pair of samples is taken on the machine at a time: sessions take turns under the
// machine's lock. Nothing is built under it. Figures that other work cannot disturb need no turn.

// needsTurn reports whether other work on the machine could disturb a source's figures. Figures of
// the engine and sizes of files cannot be disturbed. For others their classes say so, as far as
// these are known.
func (s *Session) needsTurn(src *source) bool {
	if src.from == "engine" || src.from == "file" {
		return false
	}
	return slices.ContainsFunc(src.metrics, func(m *Metric) bool {
		class := measure.Class(m.Class)
		if c := s.state.calibration; class == "auto" && c != nil {
			class = c.Classes[m.Name]
		}
		return class != measure.Exact
	})
}

// measureLock waits for the machine's lock, which is nil where there are no locks or a source needs
// none. It says once for each candidate for whom it waits, and adds up how long.
func (s *Session) measureLock(ctx context.Context, src *source) (*measure.Lock, error) {
	if !s.needsTurn(src) {
		return nil, nil
	}
	file := cmp.Or(s.lockFile, measure.LockFile())
	l, err := measure.TryLock(file)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	if l != nil || err != nil {
		return l, err
	}
	if s.waited != s.state.next {
		s.waited = s.state.next
		s.printf("waiting: %s measures on this machine (%s)", measure.Holder(file), file)
	}
	start := time.Now()
	defer func() { s.waiting += time.Since(start) }()
	return measure.AcquireLock(ctx, file)
}
