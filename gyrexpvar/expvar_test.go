package gyrexpvar_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrexpvar"
	"github.com/gyrvm/gyr/internal/telemetry/telemetrytest"
)

// read returns the JSON without times, which have to be positive numbers.
func read(t *testing.T, v *gyrexpvar.Vars) map[string]any {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(v.String()), &all); err != nil {
		t.Fatalf("%v in %s", err, v)
	}
	var drop func(map[string]any)
	drop = func(m map[string]any) {
		for name, x := range m {
			if sub, ok := x.(map[string]any); ok {
				drop(sub)
			}
			if name == "seconds" {
				if s, ok := x.(float64); !ok || s < 0 {
					t.Errorf("%v", x)
				}
				delete(m, name)
			}
		}
	}
	drop(all)
	return all
}

// TestVars: the JSON has what was done.
func TestVars(t *testing.T) {
	v := gyrexpvar.New(nil)
	const none = `{"calls": {}, "compile": {"kinds": {}}, "hostcalls": {}, "init": {"kinds": {}}, "limits": {}, "pools": {},
		"make": {"kinds": {}, "copies": 0, "afresh": {}}, "reset": {"kinds": {}, "copies": 0, "afresh": {}}}`
	equal(t, read(t, v), none)

	sum := telemetrytest.Run(t, t.Context(), v.Hooks())
	all := read(t, v)
	var got gyr.CallStats
	for _, f := range all["calls"].(map[string]any) {
		f := f.(map[string]any)
		got.Gas += int64(f["gas"].(float64))
		got.Mallocs += uint64(f["allocs"].(float64))
		got.AllocBytes += uint64(f["allocated"].(float64))
		delete(f, "gas")
		delete(f, "allocs")
		delete(f, "allocated")
	}
	if got != (gyr.CallStats{Gas: sum.Gas, Mallocs: sum.Mallocs, AllocBytes: sum.AllocBytes}) || got.AllocBytes < 10_000 {
		t.Errorf("figures %+v, want %+v", got, sum)
	}
	equal(t, all, `{
		"compile": {"kinds": {"ok": 1, "compile": 1}},
		"make": {"kinds": {"ok": 1, "config": 1}, "copies": 0, "afresh": {"it is one of the first two instances of its program with such a Config": 1}},
		"reset": {"kinds": {"ok": 2}, "copies": 1, "afresh": {"it is one of the first two instances of its program with such a Config": 1}},
		"init": {"kinds": {"ok": 2}},
		"calls": {"Read": {"kinds": {"ok": 3}}, "Miss": {"kinds": {"guest": 1}}, "Alloc": {"kinds": {"ok": 1}}, "Panic": {"kinds": {"panic": 1}}, "Spin": {"kinds": {"gas": 1}}},
		"limits": {"gas": 1},
		"hostcalls": {"kv.Get": {"kinds": {"ok": 4, "other": 1}}},
		"pools": {}
	}`)
	if strings.Contains(v.String(), "secret") {
		t.Error("the JSON has text of the guest")
	}
}

func equal(t *testing.T, got map[string]any, text string) {
	t.Helper()
	var want map[string]any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		b, _ := json.MarshalIndent(got, "", "  ")
		t.Errorf("%s\nwant %s", b, text)
	}
}

// TestConcurrent: nothing is lost when many goroutines call and read, and the figures of pools are
// those of the pool.
func TestConcurrent(t *testing.T) {
	v := gyrexpvar.New(&gyrexpvar.Options{NoFuncs: true})
	var pool *gyr.Pool
	telemetrytest.Concurrent(t, v.Hooks(), func(p *gyr.Pool) { pool = p; v.AddPool("p", p) }, func() { _ = v.String() })
	all := read(t, v)
	calls := all["calls"].(map[string]any)
	if n := calls["other"].(map[string]any)["kinds"].(map[string]any)["ok"]; n != float64(telemetrytest.Goroutines*telemetrytest.CallsEach) || len(calls) != 1 {
		t.Errorf("%v", calls)
	}
	p, s := all["pools"].(map[string]any)["p"].(map[string]any), pool.Stats()
	for name, want := range map[string]float64{"gets": float64(s.Gets), "made": float64(s.Made), "resets": float64(s.Resets), "waits": float64(s.Waits),
		"wait_time": s.Waited.Seconds(), "make_time": s.MakeTime.Seconds(), "reset_time": s.ResetTime.Seconds(), "discarded": float64(s.Discarded)} {
		if p[name] != want {
			t.Errorf("%s is %v, want %v", name, p[name], want)
		}
	}
	if starts := p["starts"].(map[string]any); starts["true"] != float64(s.Copies) || starts["false"] != float64(s.Afresh) {
		t.Errorf("%v", starts)
	}
	if i := p["instances"].(map[string]any); i["used"] != float64(s.InUse) || len(i) != 4 {
		t.Errorf("%v", i)
	}
	v.RemovePool("p")
	if p := read(t, v)["pools"].(map[string]any); len(p) != 0 {
		t.Errorf("%v", p)
	}
}

// TestPublish: nothing is published that nobody has asked for.
func TestPublish(t *testing.T) {
	v := gyrexpvar.New(nil)
	name := fmt.Sprintf("gyr of TestPublish, %p", v) // no name is free again when the test runs twice
	if expvar.Get(name) != nil {
		t.Error("it is published")
	}
	v.Publish(name)
	if expvar.Get(name) != expvar.Var(v) {
		t.Error("it is not published")
	}
}

// TestNames: an untrusted image may have any bytes as names, and any number of them.
func TestNames(t *testing.T) {
	v := gyrexpvar.New(nil)
	for _, name := range []string{"\xff\"}", strings.Repeat("F", 1000), "F"} {
		v.Hooks().Call(context.Background(), gyr.CallEvent{Func: name, Took: time.Second, Err: errors.New("secret")})
	}
	calls := read(t, v)["calls"].(map[string]any)
	if len(calls) != 2 || calls["F"] == nil || calls["other"] == nil {
		t.Errorf("%v", calls)
	}
}

func Benchmark(b *testing.B) {
	b.Run("nil", func(b *testing.B) { telemetrytest.Bench(b, nil) })
	b.Run("empty", func(b *testing.B) { telemetrytest.Bench(b, &gyr.Hooks{}) })
	b.Run("expvar", func(b *testing.B) { telemetrytest.Bench(b, gyrexpvar.New(nil).Hooks()) })
}
