package gyrotel_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry/telemetrytest"
	gyrotel "github.com/gyrvm/gyr/otel"
)

// recorded returns hooks whose spans are recorded.
func recorded(o gyrotel.Options, opts ...sdktrace.TracerProviderOption) (*gyr.Hooks, *tracetest.SpanRecorder) {
	r := tracetest.NewSpanRecorder()
	o.TracerProvider = sdktrace.NewTracerProvider(append(opts, sdktrace.WithSpanProcessor(r))...)
	return gyrotel.Traces(&o), r
}

// attributes returns the attributes of a span: some that depend on figures only by their presence.
func attributes(s sdktrace.ReadOnlySpan) map[string]string {
	m := map[string]string{}
	for _, a := range s.Attributes() {
		v := a.Value.Emit()
		switch a.Key {
		case "gyr.gas", "gyr.allocs", "gyr.allocated", "gyr.packages", "gyr.functions":
			v = "n"
		}
		m[string(a.Key)] = v
	}
	return m
}

// TestSpans: each thing that is done has its span, with its attributes and status.
func TestSpans(t *testing.T) {
	hooks, r := recorded(gyrotel.Options{Attributes: []attribute.KeyValue{attribute.String("plugin", "p")}})
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r))
	ctx, request := provider.Tracer("service").Start(t.Context(), "request")
	sum := telemetrytest.Run(t, ctx, hooks)
	request.End()

	parents := map[trace.SpanID]string{request.SpanContext().SpanID(): "request"}
	for _, s := range r.Ended() {
		parents[s.SpanContext().SpanID()] = s.Name()
	}
	var got []string
	var gas int64
	for _, s := range r.Ended() {
		if s.Name() == "request" {
			continue
		}
		if s.InstrumentationScope().Name != "github.com/gyrvm/gyr/otel" || s.InstrumentationScope().Version != gyr.Version || s.SpanKind() != trace.SpanKindInternal {
			t.Errorf("%s: %+v %v", s.Name(), s.InstrumentationScope(), s.SpanKind())
		}
		if s.EndTime().Before(s.StartTime()) || s.StartTime().IsZero() {
			t.Errorf("%s: from %v to %v", s.Name(), s.StartTime(), s.EndTime())
		}
		m := attributes(s)
		if m["plugin"] != "p" {
			t.Errorf("%s: %v", s.Name(), m)
		}
		delete(m, "plugin")
		for _, a := range s.Attributes() {
			if a.Key == "gyr.gas" {
				gas += a.Value.AsInt64()
			}
		}
		failed := m["gyr.kind"] != "ok"
		if failed != (s.Status().Code == codes.Error) || failed && (s.Status().Description != m["gyr.kind"] || m["error.type"] != m["gyr.kind"]) {
			t.Errorf("%s: %v %v", s.Name(), s.Status(), m)
		}
		delete(m, "error.type")
		line := s.Name() + " in " + parents[s.Parent().SpanID()] + ":"
		for _, k := range slices.Sorted(maps.Keys(m)) {
			line += " " + strings.TrimPrefix(k, "gyr.") + "=" + m[k]
		}
		got = append(got, line)
	}
	const first, figures = "copy=false kind=ok reason=it is one of the first two instances of its program with such a Config", "allocated=n allocs=n func=%s gas=n hostcalls=%d kind=%s"
	call := func(name string, hosts int, kind string) string {
		return fmt.Sprintf("gyr.call %s in request: "+figures, name, name, hosts, kind)
	}
	host := func(name, kind string) string {
		return "gyr.hostcall kv.Get in gyr.call " + name + ": func=kv.Get kind=" + kind
	}
	want := []string{
		"gyr.compile in : cache=off functions=n kind=ok packages=n",
		"gyr.compile in request: kind=compile",
		"gyr.instance.make in request: kind=config",
		"gyr.instance.make in request: " + first,
		"gyr.instance.init in request: " + first,
		host("Read", "ok"), host("Read", "ok"), host("Read", "ok"), call("Read", 3, "ok"),
		host("Miss", "other"), call("Miss", 1, "guest"), call("Alloc", 0, "ok"), call("Panic", 0, "panic"),
		"gyr.instance.reset in : " + first,
		"gyr.instance.init in request: " + first,
		call("Read", 0, "ok"), call("Spin", 0, "gas"),
		"gyr.instance.reset in : copy=true kind=ok",
		host("Read", "ok"), call("Read", 1, "ok"),
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("span %d of\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if gas != sum.Gas {
		t.Errorf("%d units of gas, want %d", gas, sum.Gas)
	}
}

// TestSpanOfFunctions: functions of the host run in the span of the call, and so do calls of other
// instances that they make; a call without a span ends no other.
func TestSpanOfFunctions(t *testing.T) {
	hooks, r := recorded(gyrotel.Options{}, sdktrace.WithSampler(sampler(func(p sdktrace.SamplingParameters) bool {
		return p.Name != "gyr.call Add"
	})))
	var inner *gyr.Instance
	p := telemetrytest.Compile(t, nil, func(ctx context.Context) {
		if s, ok := trace.SpanFromContext(ctx).(sdktrace.ReadOnlySpan); !ok || s.Name() != "gyr.call Read" {
			t.Errorf("%v", trace.SpanFromContext(ctx))
		}
		if _, err := inner.Call(ctx, "Add", 1, 2); err != nil {
			t.Error(err)
		}
		if _, err := inner.Call(ctx, "Alloc", 1); err != nil {
			t.Error(err)
		}
		if !trace.SpanFromContext(ctx).IsRecording() {
			t.Error("the call's span has ended")
		}
	})
	inner = instance(t, p, hooks)
	in := instance(t, p, hooks)
	if _, err := in.Call(t.Context(), "Read", 1); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range r.Ended() {
		if strings.HasPrefix(s.Name(), "gyr.call ") || strings.HasPrefix(s.Name(), "gyr.host") {
			names = append(names, s.Name())
		}
	}
	if got := strings.Join(names, ", "); got != "gyr.call Alloc, gyr.hostcall kv.Get, gyr.call Read" {
		t.Error(got)
	}
}

type sampler func(sdktrace.SamplingParameters) bool

func (f sampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if f(p) {
		return sdktrace.SamplingResult{Decision: sdktrace.RecordAndSample}
	}
	return sdktrace.SamplingResult{Decision: sdktrace.Drop}
}
func (f sampler) Description() string { return "test" }

func instance(t *testing.T, p *gyr.Program, hooks *gyr.Hooks) *gyr.Instance {
	t.Helper()
	in, err := p.NewInstance(t.Context(), gyr.Config{Hooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// TestHostSpans: a guest cannot make as many spans as it likes.
func TestHostSpans(t *testing.T) {
	for limit, want := range map[int]int{0: 100, 3: 3, -1: 0} {
		hooks, r := recorded(gyrotel.Options{HostSpans: limit})
		in := instance(t, telemetrytest.Compile(t, nil, nil), hooks)
		for range 2 {
			if _, err := in.Call(t.Context(), "Read", 150); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, s := range r.Ended() {
			if m := attributes(s); m["gyr.func"] == "kv.Get" {
				n++
			} else if n, ok := m["gyr.hostcalls"]; m["gyr.func"] == "Read" && (ok != (limit >= 0) || ok && n != "150") {
				t.Errorf("%v", m)
			}
		}
		if n != 2*want {
			t.Errorf("HostSpans %d: %d spans of calls of the host, want %d for each call", limit, n, want)
		}
	}
}

// TestSecrets: texts of errors are recorded only if the host asks for them, and names of functions
// unless it does not want them.
func TestSecrets(t *testing.T) {
	text := func(o gyrotel.Options) string {
		hooks, r := recorded(o)
		telemetrytest.Run(t, t.Context(), hooks)
		var b strings.Builder
		for _, s := range r.Ended() {
			fmt.Fprintln(&b, s.Name(), s.Status(), s.Attributes(), s.Events())
		}
		return b.String()
	}
	if s := text(gyrotel.Options{}); strings.Contains(s, "secret") || !strings.Contains(s, "gyr.call Miss") {
		t.Error(s)
	}
	if s := text(gyrotel.Options{ErrorText: true, NoFuncs: true}); strings.Count(s, "a secret") < 3 || strings.Contains(s, "Miss") || !strings.Contains(s, "kv.Get") {
		t.Error(s)
	}
	hooks, r := recorded(gyrotel.Options{ErrorText: true})
	long := "\xff" + strings.Repeat("é", 5000)
	ctx := hooks.BeforeCall(t.Context(), long)
	hooks.Call(ctx, gyr.CallEvent{Func: long, Start: time.Now(), Err: errors.New(long)})
	s := r.Ended()[0]
	if s.Name() != "gyr.call other" || len(s.Status().Description) > 1024 || !strings.HasPrefix(s.Status().Description, "é") || strings.Trim(s.Status().Description, "é") != "" {
		t.Errorf("%s: %q", s.Name(), s.Status().Description)
	}
}

// TestBlockedExporter: a collector that takes nothing holds up no call, however many spans wait.
func TestBlockedExporter(t *testing.T) {
	e := blocked{make(chan struct{})}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(e))
	in := instance(t, telemetrytest.Compile(t, nil, nil), gyrotel.Traces(&gyrotel.Options{TracerProvider: provider}))
	for range 2 * sdktrace.DefaultMaxQueueSize / 100 {
		if _, err := in.Call(t.Context(), "Read", 100); err != nil {
			t.Fatal(err)
		}
	}
	close(e.done)
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// blocked is an exporter whose exports end when done is closed.
type blocked struct{ done chan struct{} }

func (e blocked) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { <-e.done; return nil }
func (e blocked) Shutdown(context.Context) error                             { return nil }

// TestTwoHooks: spans of joined hooks belong to each other, and each ends once.
func TestTwoHooks(t *testing.T) {
	a, ra := recorded(gyrotel.Options{})
	b, rb := recorded(gyrotel.Options{})
	in := instance(t, telemetrytest.Compile(t, nil, nil), gyr.JoinHooks(a, b))
	if _, err := in.Call(t.Context(), "Read", 1); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*tracetest.SpanRecorder{ra, rb} {
		if len(r.Ended()) != 4 || len(r.Started()) != 4 { // make, init, the call of the host, the call
			t.Errorf("%d spans began, %d ended", len(r.Started()), len(r.Ended()))
		}
	}
}
