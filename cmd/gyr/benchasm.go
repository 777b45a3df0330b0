package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench"
	"github.com/gyrvm/gyr/internal/lab/bench/hot"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

// benchAsm prints the hot code of one benchmark, or the differences from another's.
func benchAsm(c *command, args []string) error {
	fs := c.flags()
	b := newBenchFlags(fs)
	diff := fs.String("diff", "", "print how the code differs from that of `OTHER`: a benchmark, an engine, or both as benchmark@engine")
	if err := b.parse(c, fs, args); err != nil {
		return err
	}
	if len(b.patterns) == 0 {
		return usageError{"bench asm: name a benchmark, as 'gyr bench list' does, without the package"}
	}
	name := strings.TrimPrefix(b.patterns[0], "Benchmark")
	b.patterns, b.flags = b.patterns[1:], withoutFlag(b.flags, "diff")
	other, otherEngine, _ := strings.Cut(*diff, "@")
	if slices.Contains(benchEngines, other) && otherEngine == "" {
		other, otherEngine = "", other
	}
	other = cmp.Or(strings.TrimPrefix(other, "Benchmark"), name)
	first, _, _ := strings.Cut(cmp.Or(b.engines, "native"), ",")
	otherEngine = cmp.Or(otherEngine, first)
	b.engines = first
	if otherEngine != first {
		b.engines += "," + otherEngine
	}
	b.bench = benchPattern(name, other)
	ctx, stop := benchContext()
	defer stop()
	defer b.close()
	o, err := b.options(ctx, fs)
	if err != nil {
		return err
	}
	o.Profile, o.NoVisits = true, true
	log, err := record.NewLog(nil, &record.Run{Plan: o.Plan})
	if err != nil {
		return err
	}
	if err := b.execute(ctx, o, log); err != nil {
		return err
	}
	p, err := profileOf(log.Record(), name, first)
	if err != nil {
		return err
	}
	so := hot.Options{All: b.out.verbose}
	so.Color, so.Width = b.out.terminal()
	if *diff == "" {
		return hot.Render(stdout, p, so)
	}
	q, err := profileOf(log.Record(), other, otherEngine)
	if err != nil {
		return err
	}
	x, y := hot.Pair(q, p)
	if x == nil || y == nil {
		return errors.New("one of the two has no code that was sampled")
	}
	return hot.RenderDiff(stdout, x, y, so)
}

// benchPattern returns a value of -bench that matches two benchmarks. It may match more.
func benchPattern(a, b string) string {
	a, _, _ = strings.Cut(a, "/")
	b, _, _ = strings.Cut(b, "/")
	return "^Benchmark(" + regexp.QuoteMeta(a) + "|" + regexp.QuoteMeta(b) + ")$"
}

// withoutFlag removes a flag and its value from a command line.
func withoutFlag(args []string, name string) (list []string) {
	for i := 0; i < len(args); i++ {
		flag := strings.TrimLeft(args[i], "-")
		if flag == name {
			i++
			continue
		}
		if !strings.HasPrefix(flag, name+"=") {
			list = append(list, args[i])
		}
	}
	return list
}

// profileOf finds the profile of a benchmark in an engine.
func profileOf(rec *record.Record, name, engine string) (*record.Profile, error) {
	for _, p := range rec.Profiles {
		if p.Engine == engine && strings.HasSuffix(p.Bench, "."+name) {
			if p.Failed != "" && len(p.Listings) == 0 {
				return nil, fmt.Errorf("%s in %s: %s", name, engine, p.Failed)
			}
			return p, nil
		}
	}
	for _, v := range rec.Visits {
		if v.Failed != "" {
			return nil, fmt.Errorf("%s in %s: %s", v.Bench, v.Engine, v.Failed)
		}
	}
	var below []string
	for _, b := range rec.Benches {
		if strings.HasPrefix(b.Name, name+"/") {
			below = append(below, b.Name)
		}
	}
	if len(below) > 0 {
		return nil, fmt.Errorf("%s is several benchmarks; name one: %s", name, strings.Join(below, ", "))
	}
	return nil, fmt.Errorf("no benchmark %s in %s; 'gyr bench list' names them", name, engine)
}

// benchVet reports mistakes in benchmarks: in their sources, and in what the compiler leaves of
// them.
func benchVet(c *command, args []string) error {
	fs := c.flags()
	b := newBenchFlags(fs)
	if err := b.parse(c, fs, args); err != nil {
		return err
	}
	ctx, stop := benchContext()
	defer stop()
	defer b.close()
	b.engines = cmp.Or(b.engines, "native")
	o, err := b.options(ctx, fs)
	if err != nil {
		return err
	}
	log, err := record.NewLog(nil, &record.Run{Plan: o.Plan, Engines: strings.Split(b.engines, ",")})
	if err != nil {
		return err
	}
	o.Log = log
	o.Say = func(text string) { fmt.Fprintf(stderr, "gyr: %s\n", text) }
	if err := bench.Vet(ctx, o); err != nil {
		return err
	}
	bad := false
	for _, n := range result.Of(log.Record()).Notes {
		if n.Severity == result.Info && !b.out.verbose {
			continue
		}
		bad = true
		fmt.Fprintf(stdout, "%s: %s %s: %s\n\t%s\n", cmp.Or(n.Place, "?"), n.Code, n.Bench, n.Cause, n.Cure)
	}
	if bad {
		return statusError(benchFailed)
	}
	return nil
}
