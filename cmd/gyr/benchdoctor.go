package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/bench"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// benchDoctor prints what measurements on this machine can and cannot show.
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
	line("time of others", "%s", map[bool]string{true: "known (schedstat): it does not count", false: "unknown: it counts"}[process.TellsWaiting()])
	if err := gyr.CheckNative(); err != nil {
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
	if err := benchLoops(line); err != nil {
		line("loops", "%v", err)
	}
	floor := bench.NoiseFloor()
	line("noise", "the same work, twice in turns, differs by up to %.2g %%", 100*floor)
	return nil
}

// loopSource is a package with an empty function, whose measured loop the compiler makes, and with
// an empty loop in source code.
const loopSource = `package loops

import "testing"

//gyr:bench
func measured() {}

func BenchmarkNatural(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
`

// benchLoops prints the time of one iteration of each loop. An iteration of the loop in the source
// consists of its poll and its gas.
func benchLoops(line func(name, format string, args ...any)) error {
	dir, err := os.MkdirTemp("", "gyr-loops")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mod := filepath.Join(dir, "loops")
	err = errors.Join(os.Mkdir(mod, 0o700), os.WriteFile(filepath.Join(mod, "go.mod"), []byte("module loops\n\ngo 1.26\n"), 0o600),
		os.WriteFile(filepath.Join(mod, "loops_test.go"), []byte(loopSource), 0o600))
	if err != nil {
		return err
	}
	fs := flag.NewFlagSet("gyr bench", flag.ContinueOnError)
	b := newBenchFlags(fs)
	if err := b.parse(&command{name: "bench"}, fs, []string{"-quick", mod}); err != nil {
		return err
	}
	ctx, stop := benchContext()
	defer stop()
	b.flags = b.flags[:1]
	for _, tier := range []string{"native", "interp"} {
		if tier == "native" && (gyr.DefaultTier != gyr.TierNative || gyr.CheckNative() != nil) {
			continue
		}
		b.engines = tier
		o, err := b.options(ctx, fs)
		if err != nil {
			return err
		}
		o.NoProof = true
		if o.Log, err = record.NewLog(nil, &record.Run{Plan: o.Plan, Engines: []string{tier}}); err != nil {
			return err
		}
		if err := bench.Run(ctx, o); err != nil {
			return err
		}
		ns, instructions := map[string]float64{}, map[string]float64{}
		result.Of(o.Log.Record()).Rows(func(row *result.Row) {
			if c := row.Cells[0]; c != nil {
				ns[row.Bench.Name] = c.NS.Value
				instructions[row.Bench.Name] = c.PerOp["instructions/op"] + c.PerOp["ops/op"]
			}
		})
		line("empty loop, "+tier, "%.3g ns in %.3g instructions as it is measured, %.3g ns in %.3g as a program has it: poll and gas are %.2g ns",
			ns["Measured"], instructions["Measured"], ns["Natural"], instructions["Natural"], ns["Natural"]-ns["Measured"])
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
