package limits

import "testing"

// costs are the guests of cost.go with their live data in MiB. Their memory
// limit is four times that, or what is given.
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

// TestCost prints what the gas of programs that collect costs the host, as a
// multiple of what it costs that computes. Only a gross excess fails: processor
// time varies with what else the machine does.
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
		jobs = append(jobs, job{Guest: c.guest, N: c.n, Memory: uint64(memory) * mib, Gas: gas})
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
