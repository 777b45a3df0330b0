package main

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/bench"
	"github.com/gyrvm/gyr/internal/tools/bench/sample"
	"github.com/gyrvm/gyr/internal/tools/measure"
)

// benchDoctor prints what a measurement on this machine can and cannot do.
func benchDoctor(c *command, args []string) error {
	fs := c.flags()
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{"bench doctor takes no arguments"}
	}
	e := measure.CurrentEnvironment("")
	line := func(name, format string, args ...any) {
		fmt.Fprintf(stdout, "%-20s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("processor", "%s, %d of them", e.CPU, e.CPUs)
	line("system", "%s/%s, kernel %s, %s", e.OS, e.Arch, orNone(e.Kernel), e.Go)
	line("clock's governor", "%s", orNone(e.Governor))
	if e.Governor != "" && e.Governor != "performance" {
		line("", "the clock changes with the load: set the governor to performance for steadier figures")
	}
	for name, value := range e.Settings {
		line("environment", "%s=%s", name, value)
	}
	switch {
	case e.Load < 0:
		line("load", "unknown")
	case e.Load > 1:
		line("load", "%.1f: others use the machine; close them, or believe comparisons alone", e.Load)
	default:
		line("load", "%.1f", e.Load)
	}
	line("time of others", "%s", map[bool]string{true: "known (schedstat): it does not count", false: "unknown: it counts"}[measure.TellsWaiting()])
	if err := engine.CheckNative(); err != nil {
		line("machine code", "%v", err)
	} else {
		line("machine code", "yes")
	}
	by, err := sample.Probe()
	if err != nil {
		line("sampling", "%v; profiles are made of block counters", err)
	} else {
		line("sampling", "by %s", by)
	}
	if units := sample.Units(); len(units) > 0 {
		line("counters", "%s", strings.Join(units, ", "))
	} else {
		line("counters", "none")
	}
	line("clock's step", "%v", measure.ClockStep())
	floor := bench.NoiseFloor()
	line("noise", "the same work, twice in turns, differs by up to %.2g %%", 100*floor)
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
