package gyrprometheus

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// pools are the pools of a Collector.
type pools struct {
	figures []telemetry.PoolFigure
	descs   []*prometheus.Desc // by figure; those of one metric are the same

	mu    sync.Mutex
	named map[string]*gyr.Pool
}

func (l *pools) init(labels prometheus.Labels) {
	l.figures, l.named = telemetry.PoolFigures(), map[string]*gyr.Pool{}
	for i, f := range l.figures {
		if i > 0 && l.figures[i-1].Name == f.Name {
			l.descs = append(l.descs, l.descs[i-1])
			continue
		}
		l.descs = append(l.descs, prometheus.NewDesc(f.Prometheus(), f.Help, f.Labels, labels))
	}
}

// AddPool adds a pool, whose name is the value of the label pool. Its figures are read when metrics
// are collected, until RemovePool; a pool that is closed is read too. The error says that the name is
// not UTF-8, or that another pool has it.
func (c *Collector) AddPool(name string, pool *gyr.Pool) error {
	if !utf8.ValidString(name) {
		return fmt.Errorf("gyrprometheus: the name of a pool is not UTF-8: %q", name)
	}
	l := &c.pools
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.named[name] != nil {
		return fmt.Errorf("gyrprometheus: there is a pool %q already", name)
	}
	l.named[name] = pool
	return nil
}

// RemovePool removes a pool and its series. Without such a pool it does nothing.
func (c *Collector) RemovePool(name string) {
	l := &c.pools
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.named, name)
}

func (l *pools) describe(to chan<- *prometheus.Desc) {
	for _, d := range slices.Compact(slices.Clone(l.descs)) {
		to <- d
	}
}

func (l *pools) collect(to chan<- prometheus.Metric) {
	l.mu.Lock()
	named := maps.Clone(l.named)
	l.mu.Unlock()
	for name, pool := range named {
		stats := pool.Stats()
		for i, f := range l.figures {
			typ, labels := prometheus.CounterValue, []string{name}
			if f.Type == telemetry.Number {
				typ = prometheus.GaugeValue
			}
			if f.Label != "" {
				labels = append(labels, f.Label)
			}
			to <- prometheus.MustNewConstMetric(l.descs[i], typ, f.Value(stats), labels...)
		}
	}
}
