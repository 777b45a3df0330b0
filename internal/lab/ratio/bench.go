package ratio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/lab/bench"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/programs/kernels"
)

// A BenchRow is the measurement of one benchmark.
type BenchRow struct {
	Package string       `json:"package"`
	Name    string       `json:"name"` // without Benchmark
	BoundNS float64      `json:"bound_ns,omitempty"`
	Cells   []*BenchCell `json:"cells"` // native Go, then a tier each
}

// A BenchCell is a benchmark in native Go or in a tier of gyr.
type BenchCell struct {
	Engine  string    `json:"engine"`
	NS      float64   `json:"ns_op"`                // median of the rounds
	MBs     float64   `json:"mb_s,omitempty"`       // likewise
	Bytes   float64   `json:"bytes_op"`             // allocated, in gyr by the guest
	Allocs  float64   `json:"allocs_op"`            //
	Host    *float64  `json:"host_allocs_op"`       // what the host's Go allocated; null: not measured
	Ratio   float64   `json:"ratio"`                // of NS to native Go's
	Samples []float64 `json:"samples_ns,omitempty"` // one a round
}

// A BenchMean is the geometric mean of the ratios of a tier.
type BenchMean struct {
	Engine  string  `json:"engine"`
	Package string  `json:"package"` // empty: all
	Count   int     `json:"benchmarks"`
	Ratio   float64 `json:"ratio"`
}

// workerFlag makes a process of this command one in which bench measures guests.
const workerFlag = "-bench-worker"

// workerSetup is what guests are compiled with and given.
func workerSetup(cache string) bench.Setup {
	s := bench.Setup{}
	s.Source.Unsafe, s.Source.Cache = api.UnsafeAll, cache
	s.Config.Memory = 4 << 30
	return s
}

// serve is the main function of such a process.
func serve(args []string) int {
	if len(args) != 1 {
		return 2
	}
	if err := bench.Serve(context.Background(), workerSetup(args[0]), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		return 1
	}
	return 0
}

// batches of a visit that count; three more do not.
const batches = 5

// benchmarks measures packages of benchmarks: native Go and the tiers of gyr, as gyr bench does.
func (o *options) benchmarks(env Env, rep *Report) error {
	rep.Engines = []string{yardstick.Name}
	for _, t := range tiers {
		if o.engines.MatchString(string(t)) {
			rep.Engines = append(rep.Engines, string(t))
		}
	}
	if len(rep.Engines) == 1 {
		return errors.New("no tier beside native Go")
	}
	rec, err := o.record(env, rep)
	if err != nil {
		return err
	}
	failed := o.rows(rec, rep)
	if o.kernels {
		for _, r := range rep.Benchmarks {
			if f := kernelBounds[r.Name]; f != nil {
				r.BoundNS = f(rep.Machine)
			}
		}
		if err := hostAllocs(env, rep); err != nil {
			return err
		}
	}
	rep.BenchMeans = benchMeans(rep)
	tables := []*table{rep.benchTable(), rep.benchMeanTable()}
	if rep.Machine != nil {
		tables = append(tables, machineTable(rep.Machine))
	}
	if err := o.print(rep, tables...); err != nil {
		return err
	}
	return failed
}

// record measures.
func (o *options) record(env Env, rep *Report) (*record.Record, error) {
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
	bo := bench.Options{Bench: ".", Plan: plan, Group: "declared", NoProof: true, Fixed: true, Want: o.wanted,
		Say: func(text string) { fmt.Fprintln(os.Stderr, text) }}
	for _, name := range rep.Engines {
		e := bench.Engine{Label: name}
		if name == yardstick.Name {
			e.Go = &bench.GoEngine{}
		} else {
			e.Gyr = &bench.GyrEngine{Tier: name, Worker: []string{exe, workerFlag, cache}}
		}
		bo.Engines = append(bo.Engines, e)
	}
	for _, path := range o.bench {
		p, err := packageOf(env, path)
		if err != nil {
			return nil, err
		}
		bo.Packages = append(bo.Packages, p)
	}
	run := &record.Run{Env: measure.CurrentEnvironment(env.Root), Plan: plan, Engines: rep.Engines}
	if bo.Log, err = record.NewLog(nil, run); err != nil {
		return nil, err
	}
	if err := bench.Run(context.Background(), bo); err != nil {
		return nil, err
	}
	return bo.Log.Record(), nil
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

// rows makes the rows of the report.
func (o *options) rows(rec *record.Record, rep *Report) (failed error) {
	result.Of(rec).Rows(func(row *result.Row) {
		r := &BenchRow{Package: row.Bench.Package, Name: row.Bench.Name}
		for i, c := range row.Cells {
			if c == nil || c.Failed != "" || !(c.NS.Value > 0) {
				text := "it was not measured"
				if c != nil && c.Failed != "" {
					text = c.Failed
				}
				failed = errors.Join(failed, fmt.Errorf("%s %s in %s: %s", r.Package, r.Name, rep.Engines[i], text))
				return
			}
			cell := &BenchCell{Engine: c.Engine, NS: c.NS.Value, MBs: c.PerOp["MB/s"], Bytes: c.PerOp["B/op"], Allocs: c.PerOp["allocs/op"], Samples: c.Visits}
			r.Cells = append(r.Cells, cell)
			cell.Ratio = cell.NS / r.Cells[0].NS
		}
		rep.Benchmarks = append(rep.Benchmarks, r)
	})
	return failed
}

// A hostCounter runs benchmarks of a package in this process, to see what its Go allocates for them.
type hostCounter struct {
	dir  string // the current directory of the tests
	name string
	prog *gyr.Program
}

// benchTimeout ends a run of one benchmark that does not end.
const benchTimeout = 10 * time.Minute

func newHostCounter(env Env, path string) (*hostCounter, error) {
	p, err := packageOf(env, path)
	if err != nil {
		return nil, err
	}
	prog, err := gyr.Compile(context.Background(),
		gyr.Source{Dir: env.Root, Patterns: []string{path}, Test: true, Unsafe: gyr.UnsafeAll})
	if err != nil {
		return nil, fmt.Errorf("gyr: %s: %w", path, err)
	}
	return &hostCounter{p.Dir, filepath.Base(p.Path) + ".test", prog}, nil
}

// run runs the test binary in an instance with the machine's clock.
func (p *hostCounter) run(t gyr.Tier, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), benchTimeout)
	defer cancel()
	var out bytes.Buffer
	cfg := gyr.Config{
		Args: args, Name: p.name, Env: []string{"PWD=" + p.dir}, Dirs: []gyr.Dir{{Host: p.dir, ReadOnly: true}},
		Stdout: &out, Stderr: &out, Tier: t, Realtime: true, Memory: 4 << 30,
	}
	in, err := p.prog.NewInstance(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if err := in.Run(ctx); err != nil {
		return "", fmt.Errorf("%w: %s", err, excerpt(out.Bytes()))
	}
	if ran := in.Tier(); ran != string(t) {
		return "", fmt.Errorf("the run was in tier %q", ran)
	}
	return out.String(), nil
}

// hostAllocs is what this process allocates while the guest executes each benchmark of the kernels once: the difference between some
// number of iterations and twice as many.
func hostAllocs(env Env, rep *Report) error {
	p, err := newHostCounter(env, kernelsPackage)
	if err != nil {
		return err
	}
	for _, r := range rep.Benchmarks {
		for _, c := range r.Cells[1:] {
			if c.Host, err = p.allocs(c.Engine, "Benchmark"+r.Name, c.NS); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *hostCounter) allocs(engine, name string, ns float64) (*float64, error) {
	n := max(200, min(20_000, int(50e6/ns)))
	count := func(n int) (float64, error) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := p.run(gyr.Tier(engine), "-test.run=^$", "-test.bench=^"+regexp.QuoteMeta(name)+"$", fmt.Sprintf("-test.benchtime=%dx", n),
			"-test.benchmem", "-test.cpu=1", "-test.timeout=0")
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs), err
	}
	least := make([]float64, 2)
	for i := range least {
		for k := range 3 { // what else allocates here comes and goes
			v, err := count(n * (i + 1))
			if err != nil {
				return nil, err
			}
			if k == 0 || v < least[i] {
				least[i] = v
			}
		}
	}
	v := max(0, least[1]-least[0]) / float64(n)
	return &v, nil
}

// kernelBounds are lower bounds of the kernels.
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

// pairBound is to write a thousand pairs.
func pairBound(m *measure.Machine) float64 { return 1000 * 2 * m.StoreRate }

func benchMeans(rep *Report) (list []BenchMean) {
	packages := []string{""}
	for _, r := range rep.Benchmarks {
		if !slices.Contains(packages, r.Package) {
			packages = append(packages, r.Package)
		}
	}
	for i, e := range rep.Engines[1:] {
		for _, pkg := range packages {
			var ratios []float64
			for _, r := range rep.Benchmarks {
				if pkg == "" || r.Package == pkg {
					ratios = append(ratios, r.Cells[i+1].Ratio)
				}
			}
			if ratios != nil {
				list = append(list, BenchMean{e, pkg, len(ratios), measure.GeoMean(ratios)})
			}
		}
	}
	return list
}

// benchTable has a row a benchmark. Throughput, bounds and the host's allocations
// stand in it where they were measured.
func (rep *Report) benchTable() *table {
	has := func(f func(r *BenchRow) bool) bool { return slices.ContainsFunc(rep.Benchmarks, f) }
	throughput := has(func(r *BenchRow) bool { return r.Cells[0].MBs > 0 })
	bounds := has(func(r *BenchRow) bool { return r.BoundNS > 0 })
	host := has(func(r *BenchRow) bool { return r.Cells[1].Host != nil })
	t := &table{head: []string{"benchmark", "go ns/op", "allocs/op"}}
	if throughput {
		t.head = append(t.head, "MB/s")
	}
	if bounds {
		t.head = append(t.head, "bound")
	}
	for _, e := range rep.Engines[1:] {
		t.head = append(t.head, e+" ns/op", "allocs/op")
		if throughput {
			t.head = append(t.head, "MB/s")
		}
		if host {
			t.head = append(t.head, "host allocs/op")
		}
		t.head = append(t.head, "ratio")
	}
	number := func(v float64) string {
		if v < 100 {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	pkg := ""
	for _, r := range rep.Benchmarks {
		if r.Package != pkg && len(benchPackages(rep)) > 1 {
			pkg = r.Package
			t.add(append([]string{pkg}, make([]string, len(t.head)-1)...)...)
		}
		line := []string{r.Name}
		for i, c := range r.Cells {
			line = append(line, number(c.NS), number(c.Allocs))
			if throughput {
				line = append(line, number(c.MBs))
			}
			switch {
			case i == 0 && bounds:
				line = append(line, number(r.BoundNS))
			case i > 0 && host:
				line = append(line, fmt.Sprintf("%.3f", *c.Host))
			}
			if i > 0 {
				line = append(line, times(c.Ratio))
			}
		}
		t.add(line...)
	}
	return t
}

func benchPackages(rep *Report) (list []string) {
	for _, m := range rep.BenchMeans {
		if m.Package != "" && m.Engine == rep.Engines[1] {
			list = append(list, m.Package)
		}
	}
	return list
}

func (rep *Report) benchMeanTable() *table {
	t := &table{head: []string{"geometric mean", "tier", "benchmarks", "ratio"}}
	for _, m := range rep.BenchMeans {
		name := m.Package
		if name == "" {
			name = "all"
		}
		t.add(name, m.Engine, fmt.Sprint(m.Count), times(m.Ratio))
	}
	return t
}
