package gyrprometheus_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
	"github.com/gyrvm/gyr/internal/telemetry/telemetrytest"
	gyrprometheus "github.com/gyrvm/gyr/prometheus"
)

// collector returns a collector and a registry that has it. Gathering fails if the metrics are not as
// they were described.
func collector(t *testing.T, o *gyrprometheus.Options) (*gyrprometheus.Collector, *prometheus.Registry) {
	t.Helper()
	c, err := gyrprometheus.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	return c, r
}

// values returns the value of each series by its name and labels, of a histogram the count.
func values(t *testing.T, r prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Error(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			key := f.GetName() + "{" + strings.Join(labels, " ") + "}"
			all[key] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return all
}

// TestCollector: metrics have what was done, and their names are as Prometheus wants them.
func TestCollector(t *testing.T) {
	c, r := collector(t, &gyrprometheus.Options{ConstLabels: prometheus.Labels{"plugin": "p"}})
	sum := telemetrytest.Run(t, t.Context(), c.Hooks())
	got := values(t, r)
	for name, want := range map[string]float64{"gyr_call_gas_total": float64(sum.Gas), "gyr_call_allocs_total": float64(sum.Mallocs), "gyr_call_allocated_bytes_total": float64(sum.AllocBytes)} {
		total := 0.0
		for key, value := range got {
			if strings.HasPrefix(key, name+"{func=") {
				total += value
				delete(got, key)
			}
		}
		if total != want || want == 0 {
			t.Errorf("%s: %v, want %v", name, total, want)
		}
	}
	const first = "reason=it is one of the first two instances of its program with such a Config"
	want := map[string]float64{
		"gyr_compile_duration_seconds{cache=off kind=ok plugin=p}":                 1,
		"gyr_compile_duration_seconds{cache= kind=compile plugin=p}":               1,
		"gyr_instance_duration_seconds{copy=false kind=ok plugin=p step=make}":     1,
		"gyr_instance_duration_seconds{copy=false kind=config plugin=p step=make}": 1,
		"gyr_instance_duration_seconds{copy=false kind=ok plugin=p step=reset}":    1,
		"gyr_instance_duration_seconds{copy=true kind=ok plugin=p step=reset}":     1,
		"gyr_instance_duration_seconds{copy=false kind=ok plugin=p step=init}":     2,
		"gyr_instance_starts_total{copy=false plugin=p " + first + " step=make}":   1,
		"gyr_instance_starts_total{copy=false plugin=p " + first + " step=reset}":  1,
		"gyr_instance_starts_total{copy=true plugin=p reason= step=reset}":         1,
		"gyr_calls_total{func=Read kind=ok plugin=p}":                              3,
		"gyr_calls_total{func=Miss kind=guest plugin=p}":                           1,
		"gyr_calls_total{func=Alloc kind=ok plugin=p}":                             1,
		"gyr_calls_total{func=Panic kind=panic plugin=p}":                          1,
		"gyr_calls_total{func=Spin kind=gas plugin=p}":                             1,
		"gyr_call_duration_seconds{func=Read plugin=p}":                            3,
		"gyr_call_duration_seconds{func=Miss plugin=p}":                            1,
		"gyr_call_duration_seconds{func=Alloc plugin=p}":                           1,
		"gyr_call_duration_seconds{func=Panic plugin=p}":                           1,
		"gyr_call_duration_seconds{func=Spin plugin=p}":                            1,
		"gyr_limits_total{kind=gas plugin=p}":                                      1,
		"gyr_hostcalls_total{func=kv.Get kind=ok plugin=p}":                        4,
		"gyr_hostcalls_total{func=kv.Get kind=other plugin=p}":                     1,
		"gyr_hostcall_duration_seconds{func=kv.Get plugin=p}":                      5,
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %v, want %v", key, got[key], value)
		}
	}
	for key, value := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s is %v, and should not be", key, value)
		}
	}
	problems, err := testutil.GatherAndLint(r)
	if err != nil || len(problems) != 0 {
		t.Errorf("%v %v", problems, err)
	}
}

// TestPools: pools have the figures of their Stats, by the text format too, until they are removed.
func TestPools(t *testing.T) {
	c, r := collector(t, nil)
	var pool *gyr.Pool
	telemetrytest.Concurrent(t, c.Hooks(), func(p *gyr.Pool) {
		if err := c.AddPool("mine", p); err != nil {
			t.Error(err)
		}
		pool = p
	}, func() { values(t, r) })
	const calls = telemetrytest.Goroutines * telemetrytest.CallsEach
	if got := values(t, r); got["gyr_calls_total{func=Read kind=ok}"] != calls || got["gyr_hostcalls_total{func=kv.Get kind=ok}"] != 2*calls {
		t.Errorf("%v", got)
	}
	s := pool.Stats()
	text := fmt.Sprintf(`
# HELP gyr_pool_gets_total Instances that a pool has handed out.
# TYPE gyr_pool_gets_total counter
gyr_pool_gets_total{pool="mine"} %d
# HELP gyr_pool_instances Instances of a pool, by state.
# TYPE gyr_pool_instances gauge
gyr_pool_instances{pool="mine",state="idle"} %d
gyr_pool_instances{pool="mine",state="making"} 0
gyr_pool_instances{pool="mine",state="resetting"} %d
gyr_pool_instances{pool="mine",state="used"} %d
# HELP gyr_pool_starts_total Instances that a pool has made or reset, by whether they begin as a copy.
# TYPE gyr_pool_starts_total counter
gyr_pool_starts_total{copy="false",pool="mine"} %d
gyr_pool_starts_total{copy="true",pool="mine"} %d
# HELP gyr_pool_reset_time_seconds_total Time that a pool has spent resetting instances.
# TYPE gyr_pool_reset_time_seconds_total counter
gyr_pool_reset_time_seconds_total{pool="mine"} %v
`, s.Gets, s.Idle, s.Resetting, s.InUse, s.Afresh, s.Copies, s.ResetTime.Seconds())
	if err := testutil.GatherAndCompare(r, strings.NewReader(text), "gyr_pool_gets_total", "gyr_pool_instances", "gyr_pool_starts_total", "gyr_pool_reset_time_seconds_total"); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.GatherAndLint(r); err != nil || len(problems) != 0 {
		t.Errorf("%v %v", problems, err)
	}
	// Together with the other test, all metrics.
	var names []string
	for _, m := range telemetry.Metrics() {
		if strings.HasPrefix(m.Name, "gyr.pool.") {
			names = append(names, m.Prometheus())
		}
	}
	if n, err := testutil.GatherAndCount(r, names...); err != nil || n != len(telemetry.PoolFigures()) {
		t.Errorf("%d series of pools: %v", n, err)
	}

	if c.AddPool("mine", pool) == nil || c.AddPool("\xff", pool) == nil {
		t.Error("a name that is taken, or is not UTF-8, is no error")
	}
	c.RemovePool("mine")
	c.RemovePool("mine")
	if n, err := testutil.GatherAndCount(r, names...); err != nil || n != 0 {
		t.Errorf("%d series of a pool that was removed: %v", n, err)
	}
}

// TestOptions: collectors that differ in constant labels share a registry; what no metric can have is
// an error, and no panic later.
func TestOptions(t *testing.T) {
	_, r := collector(t, &gyrprometheus.Options{ConstLabels: prometheus.Labels{"plugin": "a"}})
	other, err := gyrprometheus.New(&gyrprometheus.Options{ConstLabels: prometheus.Labels{"plugin": "b"}, NoFuncs: true, Buckets: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	r.MustRegister(other)
	telemetrytest.Run(t, t.Context(), other.Hooks())
	got := values(t, r)
	if got["gyr_call_duration_seconds{func= plugin=b}"] != 7 || got["gyr_hostcall_duration_seconds{func=kv.Get plugin=b}"] != 5 {
		t.Errorf("%v", got)
	}
	for key := range got {
		if strings.Contains(key, "Read") {
			t.Error(key)
		}
	}
	for i, o := range []gyrprometheus.Options{
		{ConstLabels: prometheus.Labels{"func": "x"}}, {ConstLabels: prometheus.Labels{"le": "x"}}, {ConstLabels: prometheus.Labels{"": "x"}},
		{ConstLabels: prometheus.Labels{"x": "\xff"}}, {ConstLabels: prometheus.Labels{"__x": "x"}},
		{Buckets: []float64{1, 1}}, {Buckets: []float64{2, 1}}, {Buckets: []float64{math.NaN()}},
	} {
		if _, err := gyrprometheus.New(&o); err == nil {
			t.Errorf("options %d are no error", i)
		} else if !strings.HasPrefix(err.Error(), "gyrprometheus: ") {
			t.Error(err)
		}
	}
}

// TestNames: an untrusted image may have any bytes as names, and any number of them.
func TestNames(t *testing.T) {
	c, r := collector(t, nil)
	for i := range telemetry.MaxNames + 10 {
		c.Hooks().Call(t.Context(), gyr.CallEvent{Func: fmt.Sprint("F", i), Stats: gyr.CallStats{Gas: -1}})
	}
	c.Hooks().Call(t.Context(), gyr.CallEvent{Func: "\xff"})
	got := values(t, r)
	if got["gyr_calls_total{func=F1 kind=ok}"] != 1 || got["gyr_calls_total{func=other kind=ok}"] != 11 {
		t.Errorf("%v", got)
	}
}

// TestDescriptions: each metric is described once.
func TestDescriptions(t *testing.T) {
	c, err := gyrprometheus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	descs := make(chan *prometheus.Desc, 1000)
	c.Describe(descs)
	close(descs)
	var all []string
	for d := range descs {
		all = append(all, d.String())
	}
	if n := len(all); n != len(telemetry.Metrics()) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != n {
		t.Errorf("%q", all)
	}
}

func Benchmark(b *testing.B) {
	c, err := gyrprometheus.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("nil", func(b *testing.B) { telemetrytest.Bench(b, nil) })
	b.Run("empty", func(b *testing.B) { telemetrytest.Bench(b, &gyr.Hooks{}) })
	b.Run("prometheus", func(b *testing.B) { telemetrytest.Bench(b, c.Hooks()) })
}
