package main

import (
	"io"
	"runtime/metrics"
	"time"

	"github.com/gyrvm/gyr/internal/tools/process"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// printTestStats prints the figures of gyr test -stats.
func printTestStats(w io.Writer, form string, sum *testrun.Summary, wall time.Duration) {
	self := process.Self()
	printFigures(w, form, []figure{
		{"packages_tested", sum.Packages},
		{"packages_passed", sum.Passed},
		{"programs_compiled", sum.Stats.Compiled},
		{"programs_cached", sum.Stats.FromCache},
		{"programs_with_std_whole", sum.Stats.Whole},
		{"results_cached", sum.Stats.Remembered},
		{"packages_vetted", sum.Stats.Vetted},
		{"packages_loaded", sum.Stats.Packages},
		{"packages_checked", sum.Stats.Checked},
		{"std_packages_checked", sum.Stats.CheckedStd},
		{"functions_lowered", sum.Stats.Functions},
		{"compile_load_ns", sum.Stats.Load.Nanoseconds()},
		{"compile_lower_ns", sum.Stats.Lower.Nanoseconds()},
		{"compile_optimise_ns", sum.Stats.Optimise.Nanoseconds()},
		{"wall_ns", wall.Nanoseconds()},
		{"cpu_ns", self.CPU.Nanoseconds()},
		{"gc_cpu_ns", gcTime().Nanoseconds()},
		{"peak_bytes", self.Peak},
	})
}

// gcTime is the processor time that the host's garbage collector took.
func gcTime() time.Duration {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return time.Duration(s[0].Value.Float64() * float64(time.Second))
}
