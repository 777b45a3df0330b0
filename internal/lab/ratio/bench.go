package ratio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/lab/bench"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/tools/testrun"
	"github.com/gyrvm/gyr/programs/kernels"
)

// workerFlag makes a process of this command a worker, in which bench measures guests.
const workerFlag = "-bench-worker"

// workerSetup holds what guests are compiled with and given. They may read the modules of their
// packages, which have data elsewhere too.
func workerSetup(cache string, modules []string) bench.Setup {
	s := bench.Setup{}
	s.Source.Unsafe, s.Source.Cache = api.UnsafeAll, cache
	s.Config.Memory = 4 << 30
	for _, dir := range modules {
		s.Config.Dirs = append(s.Config.Dirs, api.Dir{Host: dir, ReadOnly: true})
	}
	return s
}

// serve is the main function of a worker process.
func serve(args []string) int {
	if len(args) == 0 {
		return 2
	}
	if err := bench.Serve(context.Background(), workerSetup(args[0], args[1:]), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		return 1
	}
	return 0
}

// batches of a visit that count; three more warm up
const batches = 5

// benchmarks measures packages of benchmarks: native Go and the tiers of gyr, as gyr bench does.
func (o *options) benchmarks(env Env, m *measure.Machine) error {
	engines := []string{yardstick.Name}
	for _, t := range tiers {
		if o.engines.MatchString(string(t)) {
			engines = append(engines, string(t))
		}
	}
	if len(engines) == 1 {
		return errors.New("no tier beside native Go")
	}
	rep, err := o.measure(env, engines)
	if err != nil {
		return err
	}
	return o.print(rep, nil, m, rowTable(rep, "benchmark", benchColumns(m)), meanTable(rep, ratio{"ratio", cpuRatio.of}))
}

// measure measures the packages in engines.
func (o *options) measure(env Env, engines []string) (*result.Report, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(env.Dir, "bench-cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	plan := bench.Plans["default"]
	plan.Visits, plan.Batches, plan.BatchNS, plan.Seed = o.rounds, batches, int64(o.benchTime), 1
	bo := bench.Options{Bench: ".", Plan: plan, Group: "declared", NoProof: true, NoCount: true, Fixed: true, Want: o.wanted,
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) }}
	worker := []string{exe, workerFlag, cache}
	for _, path := range o.bench {
		find := packageOf
		if strings.Contains(path, "@") {
			find = downloaded
		}
		p, err := find(env, path)
		if err != nil {
			return nil, err
		}
		bo.Packages = append(bo.Packages, p)
		if dir := testrun.ModuleRoot(p.Dir); dir != "" && !slices.Contains(worker, dir) {
			worker = append(worker, dir)
		}
	}
	for _, name := range engines {
		e := bench.Engine{Label: name}
		if name == yardstick.Name {
			e.Go = &bench.GoEngine{}
		} else {
			e.Gyr = &bench.GyrEngine{Tier: name, Worker: worker}
		}
		bo.Engines = append(bo.Engines, e)
	}
	if bo.Log, err = o.log(env, plan, engines); err != nil {
		return nil, err
	}
	if err := bench.Run(context.Background(), bo); err != nil {
		return nil, err
	}
	return result.Of(bo.Log.Record()), nil
}

// packageOf finds a package by its path or pattern in the module.
func packageOf(env Env, path string) (bench.Package, error) {
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}}", path)
	cmd.Dir, cmd.Stderr = env.Root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return bench.Package{}, fmt.Errorf("go list %s: %w", path, err)
	}
	name, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return bench.Package{Path: name, Dir: dir}, nil
}

// kernelBounds are the lower bounds of the kernels' times.
var kernelBounds = map[string]func(m *measure.Machine) float64{
	"SpectralNorm": func(m *measure.Machine) float64 { return 100 * 100 * m.FloatDivRate },
	"NBody":        func(m *measure.Machine) float64 { return 2 * 10 * (m.FloatDivRate + m.SqrtRate) },
	"Mandelbrot": func(m *measure.Machine) float64 {
		return float64(kernels.Mandelbrot(8, 8,
			50)) * 4 * m.Add
	},
	"Fannkuch":                 func(m *measure.Machine) float64 { return 9 * m.StoreForward },
	"BinaryTrees8":             func(m *measure.Machine) float64 { return 511 * treeNode(m) },
	"BinaryTrees12":            func(m *measure.Machine) float64 { return 8191 * treeNode(m) },
	"ReverseComplement":        func(m *measure.Machine) float64 { return 2 * 1024 * m.StoreRate },
	"ReverseComplementInPlace": func(m *measure.Machine) float64 { return 2 * 1024 * m.StoreRate },
	"PairThroughput":           pairBound,
	"PairThroughputTail":       pairBound,
	"PairSwap":                 pairBound,
	"PairSwapTail":             pairBound,
	"PairWalk":                 func(m *measure.Machine) float64 { return pairBound(m) + 1000*m.Load },
	"PairWalkTail":             func(m *measure.Machine) float64 { return pairBound(m) + 1000*m.Load },
}

// pairBound is the time to write a thousand pairs.
func pairBound(m *measure.Machine) float64 { return 1000 * 2 * m.StoreRate }
