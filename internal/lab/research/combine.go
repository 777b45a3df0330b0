package research

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/mutate"
)

// nearMisses are the rows that gained too little alone, with their gains: the sum of the
// objectives' logarithms. The best one is first.
func (s *Session) nearMisses() (rows []*ledger.Row, gains []float64) {
	gain := map[*ledger.Row]float64{}
	for _, r := range s.state.current {
		if r.Object == "" || r.Verdict != ledger.VerdictNoEffect && r.Verdict != ledger.VerdictUnconfirmed &&
			r.Verdict != ledger.VerdictGuardUncertain || strings.HasPrefix(r.Source, combined) {
			continue
		}
		sum := 0.0
		for _, m := range s.config.Metrics {
			if st := r.Stats[m.Name]; m.Goal != "" && st.Ratio > 0 {
				if m.Goal == "min" {
					sum -= math.Log(st.Ratio)
				} else {
					sum += math.Log(st.Ratio)
				}
			}
		}
		if sum > 1e-9 {
			rows, gain[r] = append(rows, r), sum
		}
	}
	slices.SortStableFunc(rows, func(a, b *ledger.Row) int {
		switch {
		case gain[a] > gain[b]:
			return -1
		case gain[a] < gain[b]:
			return 1
		}
		return 0
	})
	for _, r := range rows {
		gains = append(gains, gain[r])
	}
	return rows, gains
}

// combined is the prefix of the source of a proposal made of two rows.
const combined = "combine "

// tried reports whether the segment has a row with this source, or a waiting candidate.
func (s *Session) tried(source string) bool {
	return slices.ContainsFunc(s.state.current, func(r *ledger.Row) bool { return r.Source == source }) ||
		slices.ContainsFunc(s.state.queue, func(q queued) bool { return q.proposal.Source == source })
}

// proposeCombined combines two near-misses that were not combined yet, those with the greatest
// gains first. It skips pairs that do not apply together.
func (s *Session) proposeCombined(ctx context.Context, d *desk, p *proposal) error {
	rows, gains := s.nearMisses()
	type duo struct {
		a, b *ledger.Row
		gain float64
	}
	var list []duo
	for i := range rows {
		for k := i + 1; k < len(rows); k++ {
			list = append(list, duo{rows[i], rows[k], gains[i] + gains[k]})
		}
	}
	slices.SortStableFunc(list, func(x, y duo) int {
		switch {
		case x.gain > y.gain:
			return -1
		case x.gain < y.gain:
			return 1
		}
		return 0
	})
	for _, x := range list {
		source := fmt.Sprintf("%s%d+%d", combined, min(x.a.Run, x.b.Run), max(x.a.Run, x.b.Run))
		if s.tried(source) {
			continue
		}
		if err := d.Reset(ctx, p.Parent, p.Parent); err != nil {
			return err
		}
		applies := true
		for _, r := range []*ledger.Row{x.a, x.b} {
			patch, err := s.repo.Diff(ctx, r.Parent, r.Object)
			if err != nil {
				return err
			}
			if err := d.Apply(ctx, patch); errors.Is(err, gitx.ErrConflict) {
				applies = false
				break
			} else if err != nil {
				return err
			}
		}
		if !applies {
			continue
		}
		p.Source, p.Description = source, fmt.Sprintf("%s; %s", x.a.Description, x.b.Description)
		p.Hypothesis = fmt.Sprintf("runs %d and %d gained too little alone", x.a.Run, x.b.Run)
		return nil
	}
	return errors.Join(d.Reset(ctx, p.Parent, p.Parent), errExhausted)
}

// proposeMutation makes the first mechanical rewrite of the tip that was not tried yet.
func (s *Session) proposeMutation(ctx context.Context, d *desk, p *proposal) error {
	files, err := s.repo.Files(ctx, p.Parent)
	if err != nil {
		return err
	}
	sc := &s.config.Scope
	for _, name := range sortedKeys(files) {
		if filepath.Ext(name) != ".go" || s.evaluator.judges(name) || matchAny(sc.Deny, name) || !matchAny(sc.Allow, name) {
			continue
		}
		file := filepath.Join(d.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range mutate.File(name, text, s.config.Proposer.Mutations) {
			source := "mutate " + m.Key
			if s.tried(source) {
				continue
			}
			p.Source, p.Description, p.Hypothesis = source, m.Description, m.Why
			return os.WriteFile(file, m.Text, 0o666)
		}
	}
	return errExhausted
}
