package limits

import (
	"strings"
	"testing"
)

// TestGoroutines: 100,000 goroutines that are blocked on channels take at most 400 MiB. Starting
// and ending them ten times takes no more memory than once.
func TestGoroutines(t *testing.T) {
	n := 10_000
	if *large {
		n = 100_000
	}
	most := uint64(n) * 4000
	measure(t, []job{{Guest: "goroutine rounds", N: n, Memory: most + 64*mib, Warm: true}}, func(j job, r report) {
		if r.Error != "none" || len(r.Steps) != 10 {
			t.Fatalf("%s %s, %d rounds", r.Error, r.Text, len(r.Steps))
		}
		first, last := r.Steps[0], r.Steps[9]
		t.Logf("%d goroutines: process %d MiB, %d MiB more than without; %d after ten rounds, peak %d",
			n, first/mib, (first-r.Base)/mib, (last-r.Base)/mib, (r.Peak-r.Base)/mib)
		if first-r.Base > most || *large && first > 400*mib {
			t.Errorf("%d goroutines take %d MiB of %d", n, (first-r.Base)/mib, first/mib)
		}
		if last > first+(first-r.Base)/20+4*mib {
			t.Errorf("the tenth round takes %d MiB, the first %d", (last-r.Base)/mib, (first-r.Base)/mib)
		}
	})
}

// TestDepth: recursion goes as deep as memory allows, and unbounded recursion ends at the same
// depth every time.
func TestDepth(t *testing.T) {
	n, memory := 500_000, uint64(64*mib)
	if *large {
		n, memory = 5_000_000, 512*mib
	}
	measure(t, []job{
		{Guest: "depth", N: n, Memory: memory},
		{Guest: "depths", Memory: memory},
		{Guest: "depths", Memory: memory, Warm: true},
		{Guest: "depths", Memory: memory, Stack: memory / 3},
	}, func(j job, r report) {
		t.Logf("%s %d: %s, %d MiB, %s", j.Guest, j.N, r.Error, (r.Peak-r.Base)/mib, r.Text)
		switch {
		case j.Guest == "depth":
			if r.Error != "none" {
				t.Errorf("recursion %d deep: %s", n, r.Text)
			}
		case r.Error != "stack":
			t.Errorf("unbounded recursion: %s %s", r.Error, r.Text)
		}
	})

	var gas []int64
	var out []string
	measure(t, []job{{Guest: "depths", Memory: memory}, {Guest: "depths", Memory: memory}, {Guest: "depths", Memory: 2 * memory, Stack: memory / 2}}, func(j job, r report) {
		gas = append(gas, r.Gas)
		lines := strings.Fields(r.Out)
		out = append(out, lines[len(lines)-1])
	})
	if gas[0] != gas[1] || gas[0] != gas[2] || out[0] != out[1] || out[0] != out[2] {
		t.Errorf("unbounded recursion: gas %d, depths %s", gas, out)
	}
}

// TestStackAccount: how far a goroutine's stack may still grow does not depend on how frames were
// left before.
func TestStackAccount(t *testing.T) {
	var first string
	var jobs []job
	for _, n := range []int{0, 1, 1000} {
		jobs = append(jobs, job{Guest: "account", N: n, Memory: 64 * mib, Stack: 1 * mib})
	}
	measure(t, jobs, func(j job, r report) {
		lines := strings.Fields(r.Out)
		if r.Error != "stack" || len(lines) < 5 {
			t.Fatalf("%s: %s, %q", r.Error, r.Text, r.Out)
		}
		last := lines[len(lines)-1]
		if first == "" {
			first = last
		}
		if last != first {
			t.Errorf("after %d rounds recursion ends at %s, at first at %s", j.N, last, first)
		}
	})
}

// TestLiveData: live data that does not fit ends the run at the memory limit.
func TestLiveData(t *testing.T) {
	memory := uint64(256 * mib)
	if *large {
		memory = 4096 * mib
	}
	measure(t, []job{{Guest: "live data", Memory: memory}}, func(j job, r report) {
		t.Logf("%d MiB: %s, %d MiB", memory/mib, r.Error, (r.Peak-r.Base)/mib)
		if r.Error != "memory" {
			t.Errorf("%s %s", r.Error, r.Text)
		}
		if r.Peak-r.Base > memory*3/2+8*mib {
			t.Errorf("the host spends %d MiB", (r.Peak-r.Base)/mib)
		}
	})
}
