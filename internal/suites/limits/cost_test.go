package limits

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/opt"
)

// costs are the guests of cost.go with their live data in MiB. Their memory limit is four times
// that, or the given one.
var costs = []struct {
	guest  string
	n      int
	memory int
}{
	{"nbody", 0, 0},
	{"trees", 0, 64},
	{"list", 60, 0},
	{"list, small garbage", 60, 0},
	{"random list", 60, 0},
	{"random pointers", 60, 0},
	{"tiny objects", 60, 0},
	{"interior pointers", 60, 0},
	{"interior pointers into large objects", 60, 0},
	{"sparse blocks", 200, 400},
	{"sparse lines", 100, 400},
	{"globals", 0, 64},
	{"deep stack", 60, 0},
	{"deep locals", 60, 0},
	{"wide stacks", 60, 0},
	{"many stacks", 60, 0},
	{"many finalizers", 60, 0},
	{"many cleanups", 60, 0},
	{"many weak pointers", 60, 0},
	{"finalizers that die", 60, 0},
	{"explicit", 60, 0},
	{"explicit, empty", 0, 64},
	{"explicit, deep stack", 60, 0},
	{"large objects, touched", 200, 400},
	{"large objects, not touched", 200, 400},
	{"large slices of pointers", 60, 0},
	{"full", 100, 100},
	{"full, large garbage", 100, 100},
	{"fragments", 100, 200},
}

// TestCost prints the host's cost for the gas of programs that collect, as a multiple of the cost
// for a program that computes. Only a gross excess fails: processor time varies with the load of
// the machine.
func TestCost(t *testing.T) {
	gas := int64(300_000_000)
	if testing.Short() || !*large && !testing.Verbose() {
		gas = 10_000_000
	}
	var jobs []job
	for _, c := range costs {
		memory := c.memory
		if memory == 0 {
			memory = max(4*c.n, 64)
		}
		jobs = append(jobs, job{Guest: c.guest, N: c.n, Memory: uint64(memory) * mib, Gas: gas, Tier: gyr.TierInterp})
	}
	unit := 0.0
	measure(t, jobs, func(j job, r report) {
		ns := float64(r.CPU) / float64(max(r.Gas, 1))
		if j.Guest == "nbody" {
			unit = ns
		}
		t.Logf("%-38s %6.2f ns/gas  %5.1f times  %5d collections  %s", j.Guest, ns, ns/unit, r.GCs, r.Error)
		if r.Error != "gas" && r.Error != "memory" {
			t.Errorf("%s: %s %s", j.Guest, r.Error, r.Text)
		}
	})
}

// TestPayment: what a guest pays for collections at the memory limit does not depend on the passes
// of phase B or the tier.
func TestPayment(t *testing.T) {
	jobs := []gyr.Config{
		{Args: []string{"full", "12"}, Memory: 16 * mib},
		{Args: []string{"full, large garbage", "12"}, Memory: 16 * mib},
		{Args: []string{"goroutines come and go", "0"}, Memory: 8 * mib},
		{Args: []string{"explicit", "4"}, Memory: 16 * mib},
	}
	type figures struct {
		end   string
		stats gyr.Stats
	}
	var want []figures
	for _, v := range []struct {
		tier   gyr.Tier
		nopass []string
	}{
		{gyr.TierInterp, nil}, {gyr.TierNative, nil}, {gyr.TierInterp, opt.Passes("phaseb")},
	} {
		p := compiled(t)
		if v.nopass != nil {
			var err error
			if p, err = gyr.Compile(context.Background(), gyr.Source{Dir: "testdata/guests"}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: v.nopass}}); err != nil {
				t.Fatal(err)
			}
		}
		if v.tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		for i, cfg := range jobs {
			cfg.Gas, cfg.Tier = 20_000_000, v.tier
			cfg.Stderr = io.Discard
			in, err := p.NewInstance(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			err = in.Run(context.Background())
			got := figures{fmt.Sprint(err), in.Stats()}
			got.stats = got.stats.Repeatable()
			in.Close()
			if len(want) < len(jobs) {
				want = append(want, got)
				t.Logf("%s: %s, %d collections", cfg.Args[0], got.end, got.stats.Collections)
			} else if got.end != want[i].end || got.stats != want[i].stats {
				t.Errorf("%s, %q without %s: %+v, want %+v", cfg.Args[0], v.tier, v.nopass, got, want[i])
			}
		}
	}
}
