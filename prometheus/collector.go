package gyrprometheus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// Options say which series there are. Nil stands for the zero value.
type Options struct {
	// ConstLabels are labels of all metrics: the name of a plugin, for instance. Collectors of one
	// registry have the same keys and differ in a value.
	ConstLabels prometheus.Labels
	// NoFuncs leaves out the names of guests' functions, for hosts with programs of many strangers.
	// Those of functions of the host stay.
	NoFuncs bool
	// Buckets are the upper bounds of the buckets of times, in seconds. Nil: two for each power of
	// ten, from a microsecond to ten seconds.
	Buckets []float64
}

// A Collector has the metrics of hooks and of pools. It is safe for concurrent use.
type Collector struct {
	noFuncs bool
	hooks   *gyr.Hooks
	all     []prometheus.Collector
	pools   pools

	compileDuration, instanceDuration, callDuration, hostCallDuration *prometheus.HistogramVec
	instanceStarts, calls, gas, allocs, allocated, limits, hostCalls  *prometheus.CounterVec

	funcs, hosts telemetry.Named[*measured]
	reasons      telemetry.Named[string] // bounds them
}

// measured are the series of one function.
type measured struct {
	duration               prometheus.Observer
	gas, allocs, allocated prometheus.Counter // nil for a function of the host
	calls                  *prometheus.CounterVec
	kinds                  telemetry.Named[prometheus.Counter]
	name                   string
}

// New returns a Collector, to be registered by the host. The error says which options no metric can
// have.
func New(o *Options) (*Collector, error) {
	if o == nil {
		o = &Options{}
	}
	buckets := o.Buckets
	if buckets == nil {
		buckets = telemetry.Buckets()
	}
	if err := check(o.ConstLabels, buckets); err != nil {
		return nil, err
	}
	c := &Collector{noFuncs: o.NoFuncs}
	counter := func(m telemetry.Metric) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Prometheus(), Help: m.Help, ConstLabels: o.ConstLabels}, m.Labels)
		c.all = append(c.all, v)
		return v
	}
	histogram := func(m telemetry.Metric) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Prometheus(), Help: m.Help, ConstLabels: o.ConstLabels, Buckets: buckets}, m.Labels)
		c.all = append(c.all, v)
		return v
	}
	c.compileDuration = histogram(telemetry.CompileDuration)
	c.instanceDuration = histogram(telemetry.InstanceDuration)
	c.instanceStarts = counter(telemetry.InstanceStarts)
	c.calls = counter(telemetry.Calls)
	c.callDuration = histogram(telemetry.CallDuration)
	c.gas = counter(telemetry.CallGas)
	c.allocs = counter(telemetry.CallAllocs)
	c.allocated = counter(telemetry.CallAllocated)
	c.limits = counter(telemetry.Limits)
	c.hostCalls = counter(telemetry.HostCalls)
	c.hostCallDuration = histogram(telemetry.HostCallDuration)
	c.pools.init(o.ConstLabels)
	c.hooks = &gyr.Hooks{
		Compile: c.compile,
		Make:    func(_ context.Context, e gyr.InstanceEvent) { c.instance("make", e) },
		Reset:   func(_ context.Context, e gyr.InstanceEvent) { c.instance("reset", e) },
		Init:    func(_ context.Context, e gyr.InstanceEvent) { c.instance("init", e) },
		Call:    c.call, HostCall: c.hostCall,
		Limit: func(_ context.Context, e gyr.CallEvent) { c.limits.WithLabelValues(gyr.Kind(e.Err)).Inc() },
	}
	return c, nil
}

// check says what is wrong with options that the metrics of a Collector would have. Package prometheus
// panics where a metric cannot be made.
func check(labels prometheus.Labels, buckets []float64) error {
	for _, m := range telemetry.Metrics() {
		for _, label := range m.Labels {
			if _, ok := labels[label]; ok {
				return fmt.Errorf("gyrprometheus: the metrics have a label %q of their own", label)
			}
		}
	}
	if _, ok := labels["le"]; ok {
		return errors.New(`gyrprometheus: histograms have a label "le" of their own`)
	}
	for i, b := range buckets {
		if math.IsNaN(b) || i > 0 && b <= buckets[i-1] {
			return fmt.Errorf("gyrprometheus: buckets do not rise: %v", buckets)
		}
	}
	// A registry checks names and values of labels.
	err := prometheus.NewRegistry().Register(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gyr_total", Help: "None.", ConstLabels: labels}, nil))
	if err != nil {
		return fmt.Errorf("gyrprometheus: %w", err)
	}
	return nil
}

// Hooks returns the hooks that count and measure. [gyr.JoinHooks] joins them with others.
func (c *Collector) Hooks() *gyr.Hooks { return c.hooks }

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range c.all {
		m.Describe(to)
	}
	c.pools.describe(to)
}

// Collect implements [prometheus.Collector].
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, m := range c.all {
		m.Collect(to)
	}
	c.pools.collect(to)
}

func (c *Collector) compile(_ context.Context, e gyr.CompileEvent) {
	c.compileDuration.WithLabelValues(gyr.Kind(e.Err), e.Stats.Cached).Observe(e.Took.Seconds())
}

func (c *Collector) instance(step string, e gyr.InstanceEvent) {
	copied := strconv.FormatBool(e.Began.Copy)
	c.instanceDuration.WithLabelValues(step, gyr.Kind(e.Err), copied).Observe(e.Took.Seconds())
	if e.Err != nil || step == "init" {
		return
	}
	reason := ""
	if !e.Began.Copy {
		reason = c.reasons.Get(e.Began.Reason, func(reason string) string { return reason })
	}
	c.instanceStarts.WithLabelValues(step, copied, reason).Inc()
}

// count counts a call and its time.
func (f *measured) count(kind string, seconds float64) {
	f.kinds.Get(kind, func(kind string) prometheus.Counter { return f.calls.WithLabelValues(f.name, kind) }).Inc()
	f.duration.Observe(seconds)
}

func (c *Collector) call(_ context.Context, e gyr.CallEvent) {
	name := e.Func
	if c.noFuncs {
		name = ""
	}
	f := c.funcs.Get(name, func(name string) *measured {
		return &measured{calls: c.calls, name: name, duration: c.callDuration.WithLabelValues(name), gas: c.gas.WithLabelValues(name),
			allocs: c.allocs.WithLabelValues(name), allocated: c.allocated.WithLabelValues(name)}
	})
	f.count(gyr.Kind(e.Err), e.Took.Seconds())
	f.gas.Add(float64(max(e.Stats.Gas, 0))) // a counter panics if it falls
	f.allocs.Add(float64(e.Stats.Mallocs))
	f.allocated.Add(float64(e.Stats.AllocBytes))
}

func (c *Collector) hostCall(_ context.Context, e gyr.HostCallEvent) {
	c.hosts.Get(e.Func, func(name string) *measured {
		return &measured{calls: c.hostCalls, name: name, duration: c.hostCallDuration.WithLabelValues(name)}
	}).count(gyr.Kind(e.Err), e.Took.Seconds())
}
