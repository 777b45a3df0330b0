package stream

import "github.com/prometheus/client_golang/prometheus"

// Fenced and Held are figures for tests.
func Fenced(m *Metrics) prometheus.Counter { return m.fenced }
func Held(m *Metrics) prometheus.Gauge     { return m.held }
