package gyrotel

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// Attributes of spans.
const (
	attrKind      = attribute.Key("gyr.kind")
	attrErrorType = attribute.Key("error.type") // of OpenTelemetry's semantic conventions
	attrGas       = attribute.Key("gyr.gas")
	attrAllocs    = attribute.Key("gyr.allocs")
	attrAllocated = attribute.Key("gyr.allocated")
	attrHostCalls = attribute.Key("gyr.hostcalls")
	attrCopy      = attribute.Key("gyr.copy")
	attrReason    = attribute.Key("gyr.reason")
	attrCache     = attribute.Key("gyr.cache")
	attrPackages  = attribute.Key("gyr.packages")
	attrFunctions = attribute.Key("gyr.functions")
)

// maxErrorText is the longest text of an error in a span, in bytes.
const maxErrorText = 1024

// tracing makes the spans of a set of hooks. Its address is the key of a context's openCall.
type tracing struct {
	o      *Options
	tracer trace.Tracer
	calls  telemetry.Named[*spanForm]
	hosts  telemetry.Named[*spanForm]
}

// A spanForm is what all spans of one function have in common.
type spanForm struct {
	name  string
	attrs []attribute.KeyValue
	start []trace.SpanStartOption // attrs, for a span that starts now
}

// An openCall is a call of a guest's function that is under way.
type openCall struct {
	span      trace.Span
	hostCalls atomic.Int64
}

// Traces returns hooks that make spans. A host that wants only some of them sets the other fields to
// nil. BeforeCall and Call belong together.
func Traces(o *Options) *gyr.Hooks {
	t := &tracing{o: options(o)}
	t.tracer = t.o.tracer()
	h := &gyr.Hooks{
		Compile:    t.compile,
		Make:       func(ctx context.Context, e gyr.InstanceEvent) { t.instance(ctx, "gyr.instance.make", e) },
		Reset:      func(ctx context.Context, e gyr.InstanceEvent) { t.instance(ctx, "gyr.instance.reset", e) },
		Init:       func(ctx context.Context, e gyr.InstanceEvent) { t.instance(ctx, "gyr.instance.init", e) },
		BeforeCall: t.beforeCall,
		Call:       t.call,
	}
	if t.o.HostSpans > 0 {
		h.HostCall = t.hostCall
	}
	return h
}

// form returns the form of a function's spans.
func (t *tracing) form(forms *telemetry.Named[*spanForm], span, name string) *spanForm {
	return forms.Get(name, func(name string) *spanForm {
		f := &spanForm{name: span, attrs: t.o.funcAttributes(name)}
		if name != "" {
			f.name += " " + name
		}
		f.start = []trace.SpanStartOption{trace.WithAttributes(f.attrs...)}
		return f
	})
}

// span makes a span of something that is over. A sampler sees all of its attributes.
func (t *tracing) span(ctx context.Context, name string, attrs []attribute.KeyValue, start time.Time, took time.Duration, err error, more ...attribute.KeyValue) {
	all := append(make([]attribute.KeyValue, 0, len(attrs)+len(more)+2), attrs...)
	all = withKind(append(all, more...), err)
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(start), trace.WithAttributes(all...))
	t.end(span, start.Add(took), err)
}

// withKind adds the attributes that an error, or nil, has.
func withKind(attrs []attribute.KeyValue, err error) []attribute.KeyValue {
	kind := gyr.Kind(err)
	if attrs = append(attrs, attrKind.String(kind)); err != nil {
		attrs = append(attrs, attrErrorType.String(kind))
	}
	return attrs
}

// end ends a span, with the status of an error.
func (t *tracing) end(span trace.Span, at time.Time, err error) {
	if !span.IsRecording() {
		return
	}
	if err != nil {
		text := gyr.Kind(err)
		if t.o.ErrorText {
			text = err.Error()
			text = strings.ToValidUTF8(text[:min(len(text), maxErrorText)], "")
		}
		span.SetStatus(codes.Error, text)
	}
	span.End(trace.WithTimestamp(at))
}

func (t *tracing) compile(ctx context.Context, e gyr.CompileEvent) {
	var more []attribute.KeyValue
	if e.Err == nil {
		more = []attribute.KeyValue{attrCache.String(e.Stats.Cached), attrPackages.Int(e.Stats.Packages), attrFunctions.Int(e.Stats.Functions)}
	}
	t.span(ctx, "gyr.compile", t.o.Attributes, e.Start, e.Took, e.Err, more...)
}

func (t *tracing) instance(ctx context.Context, name string, e gyr.InstanceEvent) {
	var more []attribute.KeyValue
	if e.Err == nil {
		more = append(more, attrCopy.Bool(e.Began.Copy))
		if !e.Began.Copy {
			more = append(more, attrReason.String(e.Began.Reason))
		}
	}
	t.span(ctx, name, t.o.Attributes, e.Start, e.Took, e.Err, more...)
}

func (t *tracing) beforeCall(ctx context.Context, name string) context.Context {
	f := t.form(&t.calls, "gyr.call", t.o.guestFunc(name))
	outer := ctx.Value(t)
	ctx, span := t.tracer.Start(ctx, f.name, f.start...)
	switch {
	case span.IsRecording():
		return context.WithValue(ctx, t, &openCall{span: span})
	case outer != nil: // a function of the host calls another instance, and this call has no span
		return context.WithValue(ctx, t, (*openCall)(nil))
	}
	return ctx
}

func (t *tracing) call(ctx context.Context, e gyr.CallEvent) {
	c, _ := ctx.Value(t).(*openCall)
	if c == nil {
		return
	}
	attrs := make([]attribute.KeyValue, 0, 6) // with the kind and the type of an error
	attrs = append(attrs, attrGas.Int64(e.Stats.Gas), attrAllocs.Int64(int64(e.Stats.Mallocs)), attrAllocated.Int64(int64(e.Stats.AllocBytes)))
	if t.o.HostSpans > 0 { // otherwise nobody counts them
		attrs = append(attrs, attrHostCalls.Int64(c.hostCalls.Load()))
	}
	c.span.SetAttributes(withKind(attrs, e.Err)...)
	t.end(c.span, e.Start.Add(e.Took), e.Err)
}

func (t *tracing) hostCall(ctx context.Context, e gyr.HostCallEvent) {
	c, _ := ctx.Value(t).(*openCall)
	if c == nil || c.hostCalls.Add(1) > int64(t.o.HostSpans) {
		return
	}
	f := t.form(&t.hosts, "gyr.hostcall", e.Func)
	t.span(ctx, f.name, f.attrs, e.Start, e.Took, e.Err)
}
