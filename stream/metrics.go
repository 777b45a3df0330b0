package stream

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the figures of a worker, for Prometheus. What the function's calls cost, by function and
// kind of end, is in package github.com/gyrvm/gyr/prometheus, whose hooks go into [Config].Hooks.
type Metrics struct {
	all []prometheus.Collector

	messages, published, gas, stateBytes, fenced, retries, taken, failed, snapshots, ticksFailed, swapsFailed prometheus.Counter
	dead                                                                                                      *prometheus.CounterVec
	commits, function, batch                                                                                  prometheus.Histogram
	held                                                                                                      prometheus.Gauge
	lag                                                                                                       *prometheus.GaugeVec
}

// NewMetrics makes the metrics of one worker.
func NewMetrics() *Metrics {
	m := &Metrics{}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "gyr_stream_" + name + "_total", Help: help})
		m.all = append(m.all, c)
		return c
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "gyr_stream_" + name, Help: help, Buckets: buckets})
		m.all = append(m.all, h)
		return h
	}
	times := []float64{1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}
	m.messages = counter("messages", "Messages of the input that were handled and committed.")
	m.published = counter("published", "Messages that were published with commits, dead letters included.")
	m.gas = counter("gas", "Units of gas of calls, those that were undone included.")
	m.stateBytes = counter("state_bytes", "Bytes of states that were written, as differences and as snapshots.")
	m.fenced = counter("fenced", "Commits that were refused because the partition had another owner.")
	m.retries = counter("commit_retries", "Commits that were tried again because their outcome was unknown.")
	m.taken = counter("partitions_taken", "Partitions that were taken over.")
	m.failed = counter("partitions_failed", "Partitions that ended with an error, and were given back.")
	m.snapshots = counter("snapshots", "States that were written as a whole.")
	m.ticksFailed = counter("ticks_failed", "Calls of Tick that failed, and were undone.")
	m.swapsFailed = counter("swaps_failed", "Partitions whose state another version of the function did not take.")
	m.dead = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gyr_stream_dead_letters_total", Help: "Messages that became dead letters, by the kind of the error."}, []string{"kind"})
	m.lag = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "gyr_stream_lag_messages", Help: "Messages of a partition that come after the last one handled."}, []string{"partition"})
	m.held = prometheus.NewGauge(prometheus.GaugeOpts{Name: "gyr_stream_partitions", Help: "Partitions that the worker has."})
	m.all = append(m.all, m.dead, m.lag, m.held)
	m.commits = histogram("commit_duration_seconds", "Time from the end of a batch to its commit: state, snapshot, atomic publishing.", times)
	m.function = histogram("batch_duration_seconds", "Time of the function's calls for a batch.", times)
	m.batch = histogram("batch_messages", "Messages of a batch.", []float64{1, 3, 10, 30, 100, 300, 1000, 3000, 10000})
	return m
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all {
		c.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all {
		c.Collect(to)
	}
}

func (m *Metrics) setLag(partition int, lag uint64) {
	m.lag.WithLabelValues(strconv.Itoa(partition)).Set(float64(lag))
}

func (m *Metrics) dropLag(partition int) { m.lag.DeleteLabelValues(strconv.Itoa(partition)) }
