package stream

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// Fenced and Held are figures for tests.
func Fenced(m *Metrics) prometheus.Counter { return m.fenced }
func Held(m *Metrics) prometheus.Gauge     { return m.held }

// Take makes a worker the owner of a partition, without a lease.
func Take(ctx context.Context, p *Pipeline, number int) error {
	w := &Worker{Pipeline: p, versions: map[int]*version{}}
	v, _, err := p.lastVersion(ctx)
	if err != nil {
		return err
	}
	f, err := w.version(ctx, v.Version)
	if err != nil {
		return err
	}
	w.function.Store(f)
	part := &partition{Pipeline: p, w: w, number: number}
	if err := part.take(ctx); err != nil {
		return err
	}
	part.guest.close()
	return nil
}
