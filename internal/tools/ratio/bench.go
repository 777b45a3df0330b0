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
	"github.com/gyrvm/gyr/internal/tools/measure"
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
	mbs     []float64
}

// A BenchMean is the geometric mean of the ratios of a tier.
type BenchMean struct {
	Engine  string  `json:"engine"`
	Package string  `json:"package"` // empty: all
	Count   int     `json:"benchmarks"`
	Ratio   float64 `json:"ratio"`
}

// A benchPackage is a package whose benchmarks run: natively from a test binary,
// in gyr from a compiled program.
type benchPackage struct {
	path string
	dir  string // the current directory of its tests
	bin  string
	prog *gyr.Program
}

// benchTimeout ends a run of one benchmark that does not end.
const benchTimeout = 10 * time.Minute

func newBenchPackage(env Env, path string) (*benchPackage, error) {
	cmd := exec.Command("go", "list", "-f", "{{.Dir}}", path)
	cmd.Dir, cmd.Stderr = env.Root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	p := &benchPackage{path: path, dir: strings.TrimSpace(string(out))}
	p.bin = filepath.Join(env.Dir, strings.NewReplacer("/", "_", ".", "_").Replace(path)+".test")
	if err := env.Run("go", "test", "-c", "-o", p.bin, path); err != nil {
		return nil, err
	}
	p.prog, err = gyr.Compile(context.Background(),
		gyr.Source{Dir: env.Root, Patterns: []string{path}, Test: true, Unsafe: gyr.UnsafeAll})
	if err != nil {
		return nil, fmt.Errorf("gyr: %s: %w", path, err)
	}
	return p, nil
}

// names are the benchmarks that native Go has.
func (p *benchPackage) names() ([]string, error) {
	out, err := p.native("-test.list=^Benchmark")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(out), func(s string) bool { return !strings.HasPrefix(s, "Benchmark") }), nil
}

func (p *benchPackage) native(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), benchTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.bin, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, excerpt(out.Bytes()))
	}
	return out.String(), nil
}

// gyr runs the test binary in an instance with the machine's clock.
func (p *benchPackage) gyr(t gyr.Tier, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), benchTimeout)
	defer cancel()
	var out bytes.Buffer
	cfg := gyr.Config{
		Args: args, Name: filepath.Base(p.bin), Env: []string{"PWD=" + p.dir}, Dirs: []gyr.Dir{{Host: p.dir, ReadOnly: true}},
		Stdout: &out, Stderr: &out, Tier: t, Realtime: true, Memory: 4 << 30,
	}
	in, err := p.prog.NewInstance(cfg)
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

// flags of the test binary for one benchmark. One processor, natively too: a
// guest has no more.
func benchFlags(name, benchTime string) []string {
	return []string{
		"-test.run=^$", "-test.bench=^" + regexp.QuoteMeta(name) + "$", "-test.benchtime=" + benchTime, "-test.benchmem",
		"-test.cpu=1", "-test.timeout=0",
	}
}

// benchmarks measures packages of benchmarks.
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
	var failed error
	for _, path := range o.bench {
		p, err := newBenchPackage(env, path)
		if err != nil {
			return err
		}
		names, err := p.names()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, name := range names {
			if !o.wanted(name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s %s\n", path, name)
			rows, err := o.benchmark(p, name, rep.Engines[1:])
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s %s: %w", path, name, err))
			}
			rep.Benchmarks = append(rep.Benchmarks, rows...)
		}
	}
	if o.kernels {
		for _, r := range rep.Benchmarks {
			if f := kernelBounds[r.Name]; f != nil {
				r.BoundNS = f(rep.Machine)
			}
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

// benchmark measures one benchmark with all that it runs below itself.
func (o *options) benchmark(p *benchPackage, name string, engines []string) (rows []*BenchRow, err error) {
	byName := map[string]*BenchRow{}
	flags := benchFlags(name, o.benchTime)
	take := func(i int, text string) error {
		out, err := measure.ReadBench(strings.NewReader(text))
		if err != nil {
			return err
		}
		for _, l := range out.Results {
			r := byName[l.Name]
			if r == nil {
				if i > 0 {
					continue // a name that native Go does not have
				}
				r = &BenchRow{Package: p.path, Name: l.Name}
				for _, e := range append([]string{yardstick.Name}, engines...) {
					r.Cells = append(r.Cells, &BenchCell{Engine: e})
				}
				byName[l.Name] = r
				rows = append(rows, r)
			}
			c := r.Cells[i]
			ns, ok := l.Value("ns/op")
			if !ok {
				return fmt.Errorf("%s: no time in the line of %s", c.Engine, l.Name)
			}
			c.Samples = append(c.Samples, ns)
			c.Bytes, _ = l.Value("B/op")
			c.Allocs, _ = l.Value("allocs/op")
			if v, ok := l.Value("MB/s"); ok {
				c.mbs = append(c.mbs, v)
			}
		}
		return nil
	}
	// What a benchmark calls is compiled at its first call, which may last longer than
	// the time that the testing package gives it: then one cold run would be its figure.
	for _, e := range engines {
		if _, err := p.gyr(gyr.Tier(e), benchFlags(name, "1x")...); err != nil {
			return nil, fmt.Errorf("%s: %w", e, err)
		}
	}
	for range o.rounds {
		out, err := p.native(flags...)
		if err != nil {
			return nil, fmt.Errorf("go: %w", err)
		}
		if err := take(0, out); err != nil {
			return nil, err
		}
		for i, e := range engines {
			if out, err = p.gyr(gyr.Tier(e), flags...); err != nil {
				return nil, fmt.Errorf("%s: %w", e, err)
			}
			if err := take(i+1, out); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range rows {
		for _, c := range r.Cells {
			if len(c.Samples) != o.rounds {
				return nil, fmt.Errorf("%s: %s ran %d times of %d", c.Engine, r.Name, len(c.Samples), o.rounds)
			}
			c.NS = measure.Median(c.Samples)
			if len(c.mbs) > 0 {
				c.MBs = measure.Median(c.mbs)
			}
			c.Ratio = c.NS / r.Cells[0].NS
		}
		if o.kernels {
			for _, c := range r.Cells[1:] {
				if c.Host, err = p.hostAllocs(c.Engine, "Benchmark"+r.Name, c.NS); err != nil {
					return nil, err
				}
			}
		}
	}
	return rows, nil
}

// hostAllocs is what this process allocates while the guest executes a benchmark
// once: the difference between some number of iterations and twice as many.
func (p *benchPackage) hostAllocs(engine, name string, ns float64) (*float64, error) {
	n := max(200, min(20_000, int(50e6/ns)))
	count := func(n int) (float64, error) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := p.gyr(gyr.Tier(engine), benchFlags(name, fmt.Sprintf("%dx", n))...)
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
