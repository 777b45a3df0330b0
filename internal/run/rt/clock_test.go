package rt

import (
	"context"

	"math"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
)

func TestTheVirtualClockCountsGasAndJumps(t *testing.T) {
	vm, e := newVM(t, Config{})
	wall := func() time.Time {
		a := must(t, vm, "walltime")
		if mono := must(t, vm, "nanotime")[0]; a[2] != mono {
			t.Errorf("the monotonic clock shows %d beside the time of day, and %d alone", a[2], mono)
		}
		return time.Unix(int64(a[0]), int64(int32(a[1]))).UTC()
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if got := wall(); !got.Equal(start) {
		t.Errorf("starts at %v", got)
	}
	t0 := must(t, vm, "nanotime")[0]
	e.gas = 1500
	if got := must(t, vm, "nanotime")[0] - t0; got != 1500 {
		t.Errorf("after 1500 units of gas: %d ns", got)
	}
	must(t, vm, "idle", t0+uint64(time.Hour))
	if got := wall(); !got.Equal(start.Add(time.Hour)) {
		t.Errorf("after a jump: %v", got)
	}
	must(t, vm, "idle", t0) // the past
	e.gas = 2500
	if got := wall(); !got.Equal(start.Add(time.Hour + 1000)) {
		t.Errorf("after both: %v", got)
	}
	must(t, vm, "idle", math.MaxInt64)
	e.gas = math.MaxInt64
	if got := int64(must(t, vm, "nanotime")[0]); got != math.MaxInt64 {
		t.Errorf("at the end of time: %d", got)
	}
	if got := wall(); got.Year() != 2318 {
		t.Errorf("at the end of time: %v", got)
	}
}

func TestTheRealClock(t *testing.T) {
	vm, e := newVM(t, Config{Config: api.Config{Realtime: true}})
	e.gas = 1 << 50
	t0 := int64(must(t, vm, "nanotime")[0])
	must(t, vm, "idle", uint64(t0+int64(2*time.Millisecond)))
	if d := int64(must(t, vm, "nanotime")[0]) - t0; d < int64(2*time.Millisecond) {
		t.Errorf("slept %d ns", d)
	}
	a := must(t, vm, "walltime")
	if d := time.Since(time.Unix(int64(a[0]), int64(int32(a[1])))); d < 0 || d > time.Minute {
		t.Errorf("the clock is off by %v", d)
	}
	if after := int64(must(t, vm, "nanotime")[0]); int64(a[2]) <= t0 || int64(a[2]) > after {
		t.Errorf("the monotonic clock shows %d beside the time of day, %d before and %d after", a[2], t0, after)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	vm.SetContext(ctx)
	if _, st := call(vm, "idle", math.MaxInt64); st != Interrupted {
		t.Errorf("status %d", st)
	}
}

// The determinism version covers these numbers.
func TestRandomnessFollowsFromTheSeed(t *testing.T) {
	draw := func(c Config) (n [3]uint64) {
		vm, _ := newVM(t, c)
		n[0] = must(t, vm, "rand")[0]
		must(t, vm, "wasi_snapshot_preview1.random_get", scratchAt, 8)
		n[1] = get64(t, vm, scratchAt)
		n[2] = must(t, vm, "rand")[0]
		return n
	}
	want := [3]uint64{0x2bc9760b37b5b54c, 0x5272efce7df60273, 0x10c4225f5bb042cb}
	if got := draw(Config{}); got != want {
		t.Errorf("seed 0 gives %#x, want %#x: raise the determinism version", got, want)
	}
	if a, b := draw(Config{Config: api.Config{Seed: 1}}), draw(Config{Config: api.Config{Seed: 1}}); a != b {
		t.Errorf("one seed: %x, %x", a, b)
	}
	a := draw(Config{Config: api.Config{Seed: 1}})
	b := draw(Config{Config: api.Config{Seed: 2}})
	real1, real2 := draw(Config{Config: api.Config{Seed: 1, RealRandom: true}}), draw(Config{Config: api.Config{Seed: 1, RealRandom: true}})
	for i := range a {
		if a[i] == b[i] || a[i] == real1[i] || real1[i] == real2[i] {
			t.Errorf("number %d: %x %x %x %x", i, a[i], b[i], real1[i], real2[i])
		}
	}
	// Reading bytes does not disturb the other stream.
	vm, _ := newVM(t, Config{Config: api.Config{Seed: 1}})
	must(t, vm, "rand")
	if got := must(t, vm, "rand")[0]; got != a[2] {
		t.Errorf("second number %x, want %x", got, a[2])
	}
}
