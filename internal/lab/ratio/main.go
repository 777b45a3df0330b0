package ratio

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// options are the flags.
type options struct {
	rounds    int
	only      *regexp.Regexp
	skip      *regexp.Regexp // nil: nothing
	engines   *regexp.Regexp
	json, md  bool
	small     bool
	layers    bool
	noGas     bool
	machine   bool
	bench     []string
	kernels   bool
	benchTime time.Duration
}

// stdBenchmarks are the packages of -goroot. Most benchmarks of strconv lie where its
// code does.
var stdBenchmarks = []string{"fmt", "encoding/json", "regexp", "strconv", "internal/strconv", "sort"}

// Packages of this module whose benchmarks have flags of their own.
const (
	kernelsPackage    = "./programs/kernels"
	throughputPackage = "./programs/throughput"
)

// Main is the command. It returns the exit status.
func Main(args []string, peers ...Engine) int {
	if len(args) > 0 && args[0] == workerFlag {
		return serve(args[1:])
	}
	o, ok := parseFlags(args)
	if !ok {
		return 2
	}
	if err := o.run(peers); err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		return 1
	}
	return 0
}

func parseFlags(args []string) (*options, bool) {
	fs := flag.NewFlagSet("ratio", flag.ContinueOnError)
	var (
		o          options
		only       = fs.String("only", "", "measure the programs or benchmarks whose names match `RE`")
		skip       = fs.String("skip", "", "leave out those whose names match `RE`")
		engines    = fs.String("engines", "", "measure in the engines whose names match `RE`, and natively")
		throughput = fs.Bool("throughput", false, "measure the benchmarks of programs/throughput")
		goroot     = fs.Bool("goroot", false, "measure the benchmarks of "+strings.Join(stdBenchmarks, ", "))
		bench      = fs.String("bench", "", "measure the benchmarks of the `packages`, separated by commas")
	)
	fs.IntVar(&o.rounds, "n", 3, "`rounds`")
	fs.BoolVar(&o.json, "json", false, "print one JSON object, with every sample")
	fs.BoolVar(&o.md, "md", false, "print Markdown")
	fs.BoolVar(&o.small, "small", false, "take the small sizes: a trial, not a measurement")
	fs.BoolVar(&o.layers, "layers", false, "add the optimiser's passes a family at a time")
	fs.BoolVar(&o.noGas, "nogas", false, "add columns in which gas is not charged")
	fs.BoolVar(&o.machine, "machine", false, "measure only what single operations take")
	fs.BoolVar(&o.kernels, "kernels", false, "measure the benchmarks of programs/kernels")
	fs.DurationVar(&o.benchTime, "benchtime", 20*time.Millisecond, "how long a batch of a benchmark lasts, a `duration`")
	if err := fs.Parse(args); err != nil {
		return nil, false
	}
	if *bench != "" {
		o.bench = strings.Split(*bench, ",")
	}
	modes := 0
	for _, m := range []struct {
		on   bool
		pkgs []string
	}{{o.layers, nil}, {o.machine, nil}, {o.kernels, []string{kernelsPackage}},
		{*throughput, []string{throughputPackage}}, {*goroot, stdBenchmarks}, {*bench != "", o.bench}} {
		if m.on {
			o.bench = m.pkgs
			modes++
		}
	}
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		o.engines, err = regexp.Compile(*engines)
	}
	if err == nil && *skip != "" {
		o.skip, err = regexp.Compile(*skip)
	}
	switch {
	case err != nil:
		fmt.Fprintln(fs.Output(), err)
	case fs.NArg() > 0 || o.rounds < 1 || modes > 1:
		fs.Usage()
	default:
		return &o, true
	}
	return nil, false
}

// wanted tells whether a program or benchmark is to be measured.
func (o *options) wanted(name string) bool {
	return o.only.MatchString(name) && (o.skip == nil || !o.skip.MatchString(name))
}

// A Report is what -json prints.
type Report struct {
	Date    string           `json:"date"`
	Go      string           `json:"go"`
	OS      string           `json:"os"`
	Arch    string           `json:"arch"`
	CPU     string           `json:"cpu"`
	CPUs    int              `json:"cpus"`
	Load    string           `json:"load,omitempty"` // of the machine at the start, as it tells it
	Rounds  int              `json:"rounds"`
	Machine *measure.Machine `json:"machine,omitempty"`

	Engines []string `json:"engines,omitempty"`
	Rows    []*Row   `json:"rows,omitempty"`
	Means   []Mean   `json:"means,omitempty"` // geometric

	Benchmarks []*BenchRow `json:"benchmarks,omitempty"`
	BenchMeans []BenchMean `json:"bench_means,omitempty"`
}

// timings of each constant of the machine, beside other measurements and alone.
const fewTimings, manyTimings = 200, 2000

func (o *options) run(peers []Engine) error {
	rep := &Report{
		Date: time.Now().UTC().Format(time.DateOnly), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: measure.CPUModel(), CPUs: runtime.NumCPU(), Load: load(), Rounds: o.rounds,
	}
	if o.machine {
		rep.Machine = measure.NewMachine(manyTimings)
		return o.print(rep, machineTable(rep.Machine))
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gyr-ratio")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env := Env{Root: root, Dir: dir}
	if o.bench == nil || o.kernels {
		rep.Machine = measure.NewMachine(fewTimings)
	}
	if o.bench != nil {
		return o.benchmarks(env, rep)
	}
	return o.programs(env, rep, peers)
}

// programs measures programs/.
func (o *options) programs(env Env, rep *Report, peers []Engine) error {
	var list []Program
	for _, p := range Programs {
		if o.wanted(p.Name) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no program to measure")
	}
	engines := []Engine{yardstick}
	var add []Engine
	if o.layers {
		var err error
		if add, err = layerEngines(); err != nil {
			return err
		}
	} else {
		for _, t := range tiers {
			add = append(add, gyrEngine(string(t), t))
			if o.noGas {
				add = append(add, gyrEngine(string(t)+" nogas", t, "-realtime", "-d=nogas"))
			}
		}
		add = append(add, peers...)
	}
	for _, e := range add {
		if o.engines.MatchString(e.Name) {
			engines = append(engines, e)
		}
	}
	engines, err := setup(env, engines, list)
	if err != nil {
		return err
	}
	if len(engines) == 1 {
		return fmt.Errorf("no engine beside native Go")
	}
	for _, e := range engines {
		rep.Engines = append(rep.Engines, e.Name)
	}
	var failures []string
	for i, p := range list {
		row, err := measureRow(env, p, engines, o.rounds, o.small)
		if err := errors.Join(err, row.check()); err != nil {
			failures = append(failures, err.Error())
		}
		row.bound(p, rep.Machine)
		rep.Rows = append(rep.Rows, row)
		progress := fmt.Sprintf("%d/%d %s:", i+1, len(list), p.Name)
		for _, c := range row.Cells {
			progress += " " + c.Engine + " "
			if c.Failed != "" {
				progress += "failed"
			} else {
				progress += times(c.RatioCPU)
			}
		}
		fmt.Fprintln(os.Stderr, progress)
	}
	rep.Means = means(rep.Rows, engines)
	tables := []*table{rep.programTable(), rep.meanTable()}
	if o.layers {
		tables = []*table{rep.layerTable()}
	}
	if err := o.print(rep, append(tables, machineTable(rep.Machine))...); err != nil {
		return err
	}
	if failures != nil {
		return fmt.Errorf("%d programs failed:\n%s", len(failures), strings.Join(failures, "\n"))
	}
	return nil
}

// print prints the report.
func (o *options) print(rep *Report, tables ...*table) error {
	if o.json {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "\t")
		return e.Encode(rep)
	}
	note := "medians of %d rounds"
	if o.small {
		note = "small sizes, medians of %d rounds"
	}
	if o.machine {
		note = "the least of many timings"
	} else {
		note = fmt.Sprintf(note, rep.Rounds)
	}
	fmt.Printf("%s, %s %s/%s, %s, %d CPUs, load %s, %s\n\n", rep.Date, rep.Go, rep.OS, rep.Arch, rep.CPU, rep.CPUs,
		rep.Load, note)
	for _, t := range tables {
		t.print(os.Stdout, o.md)
	}
	rep.failures(os.Stdout)
	return nil
}

// load is the machine's load of the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	s, _, _ := strings.Cut(string(b), " ")
	return s
}

// moduleRoot is the directory of the module gyr, also from a module that
// requires it.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gyrvm/gyr").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m github.com/gyrvm/gyr: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}
