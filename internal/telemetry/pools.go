package telemetry

import "github.com/gyrvm/gyr"

// A PoolFigure is one figure of a pool. Figures of one metric follow each other, and differ in the
// value of the label that the metric has beside "pool".
type PoolFigure struct {
	Metric
	Label string // the value of Labels[1], or ""
	Value func(gyr.PoolStats) float64
}

// PoolFigures returns the figures of a pool.
func PoolFigures() []PoolFigure {
	pool, state, copied := []string{"pool"}, []string{"pool", "state"}, []string{"pool", "copy"}
	instances := Metric{"gyr.pool.instances", Number, "{instance}", "Instances of a pool, by state.", state}
	starts := Metric{"gyr.pool.starts", Counter, "{instance}", "Instances that a pool has made or reset, by whether they begin as a copy.", copied}
	return []PoolFigure{
		{instances, "used", func(s gyr.PoolStats) float64 { return float64(s.InUse) }},
		{instances, "idle", func(s gyr.PoolStats) float64 { return float64(s.Idle) }},
		{instances, "resetting", func(s gyr.PoolStats) float64 { return float64(s.Resetting) }},
		{instances, "making", func(s gyr.PoolStats) float64 { return float64(max(s.Live-s.InUse-s.Idle-s.Resetting, 0)) }},
		{Metric{"gyr.pool.gets", Counter, "{instance}", "Instances that a pool has handed out.", pool}, "", func(s gyr.PoolStats) float64 { return float64(s.Gets) }},
		{Metric{"gyr.pool.waits", Counter, "{wait}", "Gets that waited for an instance.", pool}, "", func(s gyr.PoolStats) float64 { return float64(s.Waits) }},
		{Metric{"gyr.pool.wait.time", Counter, "s", "Time that Gets waited for an instance.", pool}, "", func(s gyr.PoolStats) float64 { return s.Waited.Seconds() }},
		{starts, "true", func(s gyr.PoolStats) float64 { return float64(s.Copies) }},
		{starts, "false", func(s gyr.PoolStats) float64 { return float64(s.Afresh) }},
		{Metric{"gyr.pool.made", Counter, "{instance}", "Instances that a pool has made.", pool}, "", func(s gyr.PoolStats) float64 { return float64(s.Made) }},
		{Metric{"gyr.pool.make.time", Counter, "s", "Time that a pool has spent making instances.", pool}, "", func(s gyr.PoolStats) float64 { return s.MakeTime.Seconds() }},
		{Metric{"gyr.pool.resets", Counter, "{reset}", "Resets of a pool's instances that succeeded.", pool}, "", func(s gyr.PoolStats) float64 { return float64(s.Resets) }},
		{Metric{"gyr.pool.reset.time", Counter, "s", "Time that a pool has spent resetting instances.", pool}, "", func(s gyr.PoolStats) float64 { return s.ResetTime.Seconds() }},
		{Metric{"gyr.pool.discarded", Counter, "{instance}", "Instances closed because too many were idle, or because their reset failed.", pool}, "", func(s gyr.PoolStats) float64 { return float64(s.Discarded) }},
	}
}
