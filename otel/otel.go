package gyrotel

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// scope is the name of the instrumentation.
const scope = "github.com/gyrvm/gyr/otel"

// Options say where spans and metrics go, and what is in them. Nil stands for the zero value.
type Options struct {
	TracerProvider trace.TracerProvider // nil: the global one
	MeterProvider  metric.MeterProvider // nil: the global one

	// Attributes are added to all spans and metrics: the name of a plugin, for instance.
	Attributes []attribute.KeyValue
	// NoFuncs leaves out the names of guests' functions, for hosts with programs of many strangers.
	// Those of functions of the host stay.
	NoFuncs bool
	// HostSpans is the largest number of calls of functions of the host that have a span, for each
	// call of a guest's function; gyr.hostcalls and metrics count all of them. 0: 100. Negative: none
	// has a span, and spans of calls have no gyr.hostcalls.
	HostSpans int
	// ErrorText makes the text of an error the description of the span's status, at most 1,024 bytes
	// of it. It may contain any text of the guest.
	ErrorText bool
}

// defaultHostSpans is Options.HostSpans for 0.
const defaultHostSpans = 100

// New returns hooks for spans and metrics: those of [Traces] and [Metrics], joined.
func New(o *Options) (*gyr.Hooks, error) {
	metrics, err := Metrics(o)
	if err != nil {
		return nil, err
	}
	return gyr.JoinHooks(Traces(o), metrics), nil
}

// options returns a copy of the options, with the defaults.
func options(o *Options) *Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.TracerProvider == nil {
		opts.TracerProvider = otel.GetTracerProvider()
	}
	if opts.MeterProvider == nil {
		opts.MeterProvider = otel.GetMeterProvider()
	}
	if opts.HostSpans == 0 {
		opts.HostSpans = defaultHostSpans
	}
	opts.Attributes = opts.Attributes[:len(opts.Attributes):len(opts.Attributes)] // appending copies them
	return &opts
}

// tracer returns the tracer.
func (o *Options) tracer() trace.Tracer {
	return o.TracerProvider.Tracer(scope, trace.WithInstrumentationVersion(gyr.Version))
}

// meter returns the meter.
func (o *Options) meter() metric.Meter {
	return o.MeterProvider.Meter(scope, metric.WithInstrumentationVersion(gyr.Version))
}

// funcAttributes returns the attributes of all spans and metrics of a function, whose name may be
// left out.
func (o *Options) funcAttributes(name string) []attribute.KeyValue {
	if name == "" {
		return o.Attributes
	}
	return append(o.Attributes, key("func").String(name))
}

// guestFunc returns the name that a guest's function has in spans and metrics.
func (o *Options) guestFunc(name string) string {
	if o.NoFuncs {
		return ""
	}
	return telemetry.Known(name)
}

// key returns the key of an attribute.
func key(label string) attribute.Key { return attribute.Key("gyr." + label) }
