// Package telemetry says what gyr's exporters count: the modules gyr/otel and gyr/prometheus, and
// package gyrexpvar. An exporter turns the events of api.Hooks, and the figures of pools, into
// metrics of its library. What all of them share is here.
//
//   - metrics.go has the metrics of hooks: names, units, help texts, labels.
//   - pools.go has those of pools, with the figure that each one shows.
//   - named.go bounds what guests can make an exporter keep. A guest chooses the names of its
//     functions, and a metric has a series for each name.
//
// docs/embedding.md has a table of all metrics, which a test compares with these.
package telemetry

import "strings"

// A Metric is a counter, a histogram or a number that rises and falls.
type Metric struct {
	Name   string // as OpenTelemetry writes it: gyr.call.duration
	Type   Type
	Unit   string // by UCUM: s, By, {call}
	Help   string
	Labels []string // keys: func
}

// A Type is a type of metrics.
type Type uint8

const (
	Counter   Type = iota // a sum that only grows
	Histogram             // of durations, by Buckets
	Number                // rises and falls
)

// Metrics of hooks.
var (
	CompileDuration  = Metric{"gyr.compile.duration", Histogram, "s", "Time of compilations.", []string{"kind", "cache"}}
	InstanceDuration = Metric{"gyr.instance.duration", Histogram, "s", "Time of making, resetting and initialising instances.", []string{"step", "kind", "copy"}}
	InstanceStarts   = Metric{"gyr.instance.starts", Counter, "{instance}", "Instances made or reset, by how they begin.", []string{"step", "copy", "reason"}}
	Calls            = Metric{"gyr.calls", Counter, "{call}", "Calls of functions of guests.", []string{"func", "kind"}}
	CallDuration     = Metric{"gyr.call.duration", Histogram, "s", "Time of calls of functions of guests.", []string{"func"}}
	CallGas          = Metric{"gyr.call.gas", Counter, "{gas}", "Units of gas charged to calls.", []string{"func"}}
	CallAllocs       = Metric{"gyr.call.allocs", Counter, "{object}", "Objects that calls have allocated.", []string{"func"}}
	CallAllocated    = Metric{"gyr.call.allocated", Counter, "By", "Bytes that calls have allocated.", []string{"func"}}
	Limits           = Metric{"gyr.limits", Counter, "{call}", "Calls that a limit or the context ended.", []string{"kind"}}
	HostCalls        = Metric{"gyr.hostcalls", Counter, "{call}", "Calls of functions of the host by guests.", []string{"func", "kind"}}
	HostCallDuration = Metric{"gyr.hostcall.duration", Histogram, "s", "Time of calls of functions of the host by guests.", []string{"func"}}
)

// Metrics returns the metrics of hooks and of pools, each once.
func Metrics() []Metric {
	list := []Metric{CompileDuration, InstanceDuration, InstanceStarts, Calls, CallDuration, CallGas, CallAllocs, CallAllocated, Limits, HostCalls, HostCallDuration}
	for _, f := range PoolFigures() {
		if list[len(list)-1].Name != f.Name {
			list = append(list, f.Metric)
		}
	}
	return list
}

// Prometheus returns the name for Prometheus, with the unit and the suffix of a counter:
// gyr_call_duration_seconds.
func (m Metric) Prometheus() string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	switch m.Unit {
	case "s":
		name += "_seconds"
	case "By":
		name += "_bytes"
	}
	if m.Type == Counter {
		name += "_total"
	}
	return name
}

// Buckets returns the upper bounds of a histogram's buckets, in seconds: two for each power of ten
// between a call of a small function and a compilation.
func Buckets() []float64 {
	return []float64{1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}
}
