package gyrotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// measuring makes the metrics of a set of hooks.
type measuring struct {
	o     *Options
	funcs telemetry.Named[*measured] // functions of guests
	hosts telemetry.Named[*measured] // functions of the host

	reasons telemetry.Named[string] // bounds them
	limits  telemetry.Named[[]metric.AddOption]

	compileDuration, instanceDuration, callDuration, hostCallDuration    metric.Float64Histogram
	instanceStarts, calls, gas, allocs, allocated, limited, hostCallsSum metric.Int64Counter
}

// measured has the attributes of a function's metrics, made once.
type measured struct {
	attrs  []attribute.KeyValue
	add    []metric.AddOption
	record []metric.RecordOption
	kinds  telemetry.Named[[]metric.AddOption] // with the kind
}

// Metrics returns hooks that count and measure. A second set of hooks of the same provider adds to
// the same metrics.
func Metrics(o *Options) (*gyr.Hooks, error) {
	m := &measuring{o: options(o)}
	meter := m.o.meter()
	var errs []error
	histogram := func(d telemetry.Metric) metric.Float64Histogram {
		h, err := meter.Float64Histogram(d.Name, metric.WithUnit(d.Unit), metric.WithDescription(d.Help),
			metric.WithExplicitBucketBoundaries(telemetry.Buckets()...))
		errs = append(errs, err)
		return h
	}
	counter := func(d telemetry.Metric) metric.Int64Counter {
		c, err := meter.Int64Counter(d.Name, metric.WithUnit(d.Unit), metric.WithDescription(d.Help))
		errs = append(errs, err)
		return c
	}
	m.compileDuration = histogram(telemetry.CompileDuration)
	m.instanceDuration = histogram(telemetry.InstanceDuration)
	m.instanceStarts = counter(telemetry.InstanceStarts)
	m.calls = counter(telemetry.Calls)
	m.callDuration = histogram(telemetry.CallDuration)
	m.gas = counter(telemetry.CallGas)
	m.allocs = counter(telemetry.CallAllocs)
	m.allocated = counter(telemetry.CallAllocated)
	m.limited = counter(telemetry.Limits)
	m.hostCallsSum = counter(telemetry.HostCalls)
	m.hostCallDuration = histogram(telemetry.HostCallDuration)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &gyr.Hooks{
		Compile: m.compile,
		Make:    func(ctx context.Context, e gyr.InstanceEvent) { m.instance(ctx, "make", e) },
		Reset:   func(ctx context.Context, e gyr.InstanceEvent) { m.instance(ctx, "reset", e) },
		Init:    func(ctx context.Context, e gyr.InstanceEvent) { m.instance(ctx, "init", e) },
		Call:    m.call, Limit: m.limit, HostCall: m.hostCall,
	}, nil
}

// with returns the attributes of all metrics and more.
func (m *measuring) with(more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(m.o.Attributes, more...)...))
}

// function returns the attributes of a function's metrics.
func (m *measuring) function(list *telemetry.Named[*measured], name string) *measured {
	return list.Get(name, func(name string) *measured {
		f := &measured{attrs: m.o.funcAttributes(name)}
		set := metric.WithAttributeSet(attribute.NewSet(f.attrs...))
		f.add, f.record = []metric.AddOption{set}, []metric.RecordOption{set}
		return f
	})
}

// kind returns the attributes with the kind of an error.
func (f *measured) kind(err error) []metric.AddOption {
	return f.kinds.Get(gyr.Kind(err), func(kind string) []metric.AddOption {
		attrs := append(f.attrs[:len(f.attrs):len(f.attrs)], attrKind.String(kind))
		return []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(attrs...))}
	})
}

func (m *measuring) compile(ctx context.Context, e gyr.CompileEvent) {
	attrs := []attribute.KeyValue{attrKind.String(gyr.Kind(e.Err))}
	if e.Err == nil {
		attrs = append(attrs, attrCache.String(e.Stats.Cached))
	}
	m.compileDuration.Record(ctx, e.Took.Seconds(), m.with(attrs...))
}

func (m *measuring) instance(ctx context.Context, step string, e gyr.InstanceEvent) {
	attrs := []attribute.KeyValue{key("step").String(step), attrCopy.Bool(e.Began.Copy)}
	m.instanceDuration.Record(ctx, e.Took.Seconds(), m.with(append(attrs, attrKind.String(gyr.Kind(e.Err)))...))
	if e.Err != nil || step == "init" {
		return
	}
	if !e.Began.Copy {
		attrs = append(attrs, attrReason.String(m.reasons.Get(e.Began.Reason, func(reason string) string { return reason })))
	}
	m.instanceStarts.Add(ctx, 1, m.with(attrs...))
}

func (m *measuring) call(ctx context.Context, e gyr.CallEvent) {
	f := m.function(&m.funcs, m.o.guestFunc(e.Func))
	m.calls.Add(ctx, 1, f.kind(e.Err)...)
	m.callDuration.Record(ctx, e.Took.Seconds(), f.record...)
	m.gas.Add(ctx, e.Stats.Gas, f.add...)
	m.allocs.Add(ctx, int64(e.Stats.Mallocs), f.add...)
	m.allocated.Add(ctx, int64(e.Stats.AllocBytes), f.add...)
}

func (m *measuring) limit(ctx context.Context, e gyr.CallEvent) {
	m.limited.Add(ctx, 1, m.limits.Get(gyr.Kind(e.Err), func(kind string) []metric.AddOption {
		return []metric.AddOption{m.with(attrKind.String(kind))}
	})...)
}

func (m *measuring) hostCall(ctx context.Context, e gyr.HostCallEvent) {
	f := m.function(&m.hosts, e.Func)
	m.hostCallsSum.Add(ctx, 1, f.kind(e.Err)...)
	m.hostCallDuration.Record(ctx, e.Took.Seconds(), f.record...)
}
