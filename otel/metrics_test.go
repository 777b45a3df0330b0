package gyrotel_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
	"github.com/gyrvm/gyr/internal/telemetry/telemetrytest"
	gyrotel "github.com/gyrvm/gyr/otel"
)

// reader returns a provider and what reads its metrics: the values by "name attributes", of a
// histogram the count. Units, help texts and types are those that package telemetry has.
func reader(t *testing.T) (*sdkmetric.MeterProvider, func() map[string]float64) {
	r := sdkmetric.NewManualReader()
	described := map[string]telemetry.Metric{}
	for _, m := range telemetry.Metrics() {
		described[m.Name] = m
	}
	return sdkmetric.NewMeterProvider(sdkmetric.WithReader(r)), func() map[string]float64 {
		t.Helper()
		var data metricdata.ResourceMetrics
		if err := r.Collect(context.Background(), &data); err != nil {
			t.Error(err)
		}
		values := map[string]float64{}
		for _, s := range data.ScopeMetrics {
			if s.Scope.Name != "github.com/gyrvm/gyr/otel" || s.Scope.Version != gyr.Version {
				t.Errorf("%+v", s.Scope)
			}
			for _, m := range s.Metrics {
				d := described[m.Name]
				if d.Unit != m.Unit || d.Help != m.Description {
					t.Errorf("%+v, want %+v", m, d)
				}
				add := func(attrs attribute.Set, value float64) {
					key := m.Name
					for _, a := range attrs.ToSlice() {
						key += " " + strings.TrimPrefix(string(a.Key), "gyr.") + "=" + a.Value.Emit()
						if label, own := strings.CutPrefix(string(a.Key), "gyr."); own && !slices.Contains(d.Labels, label) {
							t.Errorf("%s has the attribute %s", m.Name, a.Key)
						}
					}
					values[key] = value
				}
				switch x := m.Data.(type) {
				case metricdata.Sum[int64]:
					if x.IsMonotonic != (d.Type == telemetry.Counter) {
						t.Errorf("%s: not its type", m.Name)
					}
					for _, p := range x.DataPoints {
						add(p.Attributes, float64(p.Value))
					}
				case metricdata.Sum[float64]:
					for _, p := range x.DataPoints {
						add(p.Attributes, p.Value)
					}
				case metricdata.Histogram[float64]:
					for _, p := range x.DataPoints {
						if d.Type != telemetry.Histogram || !slices.Equal(p.Bounds, telemetry.Buckets()) || p.Sum < 0 {
							t.Errorf("%s: %v", m.Name, p.Bounds)
						}
						add(p.Attributes, float64(p.Count))
					}
				default:
					t.Errorf("%s: %T", m.Name, m.Data)
				}
			}
		}
		return values
	}
}

// compare compares values by their keys.
func compare(t *testing.T, got, want map[string]float64) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s is %v, want %v", key, got[key], want[key])
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s is %v, and should not be", key, got[key])
		}
	}
}

// TestMetrics: metrics have what was done.
func TestMetrics(t *testing.T) {
	provider, read := reader(t)
	hooks, err := gyrotel.Metrics(&gyrotel.Options{MeterProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	sum := telemetrytest.Run(t, t.Context(), hooks)
	got := read()
	for name, want := range map[string]float64{"gyr.call.gas": float64(sum.Gas), "gyr.call.allocs": float64(sum.Mallocs), "gyr.call.allocated": float64(sum.AllocBytes)} {
		total := 0.0
		for key, value := range got {
			if strings.HasPrefix(key, name+" func=") {
				total += value
				delete(got, key)
			}
		}
		if total != want || want == 0 {
			t.Errorf("%s: %v, want %v", name, total, want)
		}
	}
	const first = " reason=it is one of the first two instances of its program with such a Config"
	compare(t, got, map[string]float64{
		"gyr.compile.duration cache=off kind=ok":                 1,
		"gyr.compile.duration kind=compile":                      1,
		"gyr.instance.duration copy=false kind=ok step=make":     1,
		"gyr.instance.duration copy=false kind=config step=make": 1,
		"gyr.instance.duration copy=false kind=ok step=reset":    1,
		"gyr.instance.duration copy=true kind=ok step=reset":     1,
		"gyr.instance.duration copy=false kind=ok step=init":     2,
		"gyr.instance.starts copy=false" + first + " step=make":  1,
		"gyr.instance.starts copy=false" + first + " step=reset": 1,
		"gyr.instance.starts copy=true step=reset":               1,
		"gyr.calls func=Read kind=ok":                            3,
		"gyr.calls func=Miss kind=guest":                         1,
		"gyr.calls func=Alloc kind=ok":                           1,
		"gyr.calls func=Panic kind=panic":                        1,
		"gyr.calls func=Spin kind=gas":                           1,
		"gyr.call.duration func=Read":                            3,
		"gyr.call.duration func=Miss":                            1,
		"gyr.call.duration func=Alloc":                           1,
		"gyr.call.duration func=Panic":                           1,
		"gyr.call.duration func=Spin":                            1,
		"gyr.limits kind=gas":                                    1,
		"gyr.hostcalls func=kv.Get kind=ok":                      4,
		"gyr.hostcalls func=kv.Get kind=other":                   1,
		"gyr.hostcall.duration func=kv.Get":                      5,
	})
}

// TestMetricsConcurrent: nothing is lost when many goroutines call and metrics are collected, with
// spans too, and the figures of pools are those of the pool.
func TestMetricsConcurrent(t *testing.T) {
	provider, read := reader(t)
	hooks, err := gyrotel.New(&gyrotel.Options{MeterProvider: provider, TracerProvider: sdktrace.NewTracerProvider(), NoFuncs: true,
		Attributes: []attribute.KeyValue{attribute.String("plugin", "p")}})
	if err != nil {
		t.Fatal(err)
	}
	var pool *gyr.Pool
	var unregister func() error
	telemetrytest.Concurrent(t, hooks, func(p *gyr.Pool) {
		r, err := gyrotel.ObservePool("mine", p, &gyrotel.Options{MeterProvider: provider})
		if err != nil {
			t.Fatal(err)
		}
		pool, unregister = p, r.Unregister
	}, func() { read() })
	const calls = telemetrytest.Goroutines * telemetrytest.CallsEach
	got := read()
	if n := got["gyr.calls kind=ok plugin=p"]; n != calls {
		t.Errorf("%v calls, want %d", n, calls)
	}
	if n := got["gyr.hostcalls func=kv.Get kind=ok plugin=p"]; n != 2*calls {
		t.Errorf("%v calls of the host, want %d", n, 2*calls)
	}
	maps.DeleteFunc(got, func(key string, _ float64) bool { return !strings.HasPrefix(key, "gyr.pool.") })
	s := pool.Stats()
	compare(t, got, map[string]float64{
		"gyr.pool.instances pool=mine state=used":      float64(s.InUse),
		"gyr.pool.instances pool=mine state=idle":      float64(s.Idle),
		"gyr.pool.instances pool=mine state=resetting": float64(s.Resetting),
		"gyr.pool.instances pool=mine state=making":    0,
		"gyr.pool.gets pool=mine":                      float64(s.Gets),
		"gyr.pool.waits pool=mine":                     float64(s.Waits),
		"gyr.pool.wait.time pool=mine":                 s.Waited.Seconds(),
		"gyr.pool.starts copy=true pool=mine":          float64(s.Copies),
		"gyr.pool.starts copy=false pool=mine":         float64(s.Afresh),
		"gyr.pool.made pool=mine":                      float64(s.Made),
		"gyr.pool.make.time pool=mine":                 s.MakeTime.Seconds(),
		"gyr.pool.resets pool=mine":                    float64(s.Resets),
		"gyr.pool.reset.time pool=mine":                s.ResetTime.Seconds(),
		"gyr.pool.discarded pool=mine":                 float64(s.Discarded),
	})
	if err := unregister(); err != nil {
		t.Fatal(err)
	}
	for key := range read() {
		if strings.HasPrefix(key, "gyr.pool.") {
			t.Errorf("%s is still observed", key)
		}
	}
}

// TestNames: names beyond a number of them are one.
func TestNames(t *testing.T) {
	provider, read := reader(t)
	hooks, err := gyrotel.Metrics(&gyrotel.Options{MeterProvider: provider})
	if err != nil {
		t.Fatal(err)
	}
	const n = telemetry.MaxNames + 10
	for i := range n {
		hooks.Call(t.Context(), gyr.CallEvent{Func: fmt.Sprint("F", i)})
	}
	hooks.Call(t.Context(), gyr.CallEvent{Func: "\xff"})
	got := read()
	if got["gyr.calls func=F1 kind=ok"] != 1 || got["gyr.calls func=other kind=ok"] != 11 {
		t.Errorf("%v, %v", got["gyr.calls func=F1 kind=ok"], got["gyr.calls func=other kind=ok"])
	}
}

// TestGlobal: without options the hooks use the global providers, and do nothing where there are
// none.
func TestGlobal(t *testing.T) {
	hooks, err := gyrotel.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	telemetrytest.Run(t, t.Context(), hooks)
}

func Benchmark(b *testing.B) {
	ctx := context.Background()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	batched := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))
	defer batched.Shutdown(ctx)
	dropped := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	must := func(h *gyr.Hooks, err error) *gyr.Hooks {
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	for _, c := range []struct {
		name  string
		hooks *gyr.Hooks
	}{
		{"nil", nil}, {"empty", &gyr.Hooks{}},
		{"global", must(gyrotel.New(nil))}, // without providers
		{"metrics", must(gyrotel.Metrics(&gyrotel.Options{MeterProvider: meters}))},
		{"dropped", gyrotel.Traces(&gyrotel.Options{TracerProvider: dropped})},
		{"traces", gyrotel.Traces(&gyrotel.Options{TracerProvider: batched})},
		{"both", must(gyrotel.New(&gyrotel.Options{TracerProvider: batched, MeterProvider: meters}))},
	} {
		b.Run(c.name, func(b *testing.B) { telemetrytest.Bench(b, c.hooks) })
	}
}

// discard is an exporter that discards spans.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }
