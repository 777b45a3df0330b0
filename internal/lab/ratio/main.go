package ratio

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// options are the flags.
type options struct {
	args      []string // the command's arguments
	rounds    int
	only      *regexp.Regexp
	skip      *regexp.Regexp // nil: nothing
	engines   *regexp.Regexp
	json, md  bool
	small     bool
	layers    bool
	noGas     bool
	machine   bool
	real      bool
	modules   bool
	bench     []string
	kernels   bool
	benchTime time.Duration
}

// stdBenchmarks are the packages of -goroot. Most benchmarks of strconv lie in internal/strconv,
// next to its code.
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
		o          = options{args: args}
		only       = fs.String("only", "", "measure the programs or benchmarks whose names match `RE`")
		skip       = fs.String("skip", "", "leave out those whose names match `RE`")
		engines    = fs.String("engines", "", "measure in the engines whose names match `RE`, and natively")
		throughput = fs.Bool("throughput", false, "measure the benchmarks of programs/throughput")
		goroot     = fs.Bool("goroot", false, "measure the benchmarks of "+strings.Join(stdBenchmarks, ", "))
		bench      = fs.String("bench", "", "measure the benchmarks of the `packages`, separated by commas; MODULE@VERSION is a module's root package")
	)
	fs.IntVar(&o.rounds, "n", 3, "`rounds`")
	fs.BoolVar(&o.json, "json", false, "print the record, with every sample, as lines of JSON that gyr bench report reads")
	fs.BoolVar(&o.md, "md", false, "print Markdown")
	fs.BoolVar(&o.small, "small", false, "take the small sizes: a trial, not a measurement")
	fs.BoolVar(&o.layers, "layers", false, "add the optimiser's passes a family at a time")
	fs.BoolVar(&o.noGas, "nogas", false, "add columns in which gas is not charged")
	fs.BoolVar(&o.real, "real", false, "measure programs that others wrote, programs/real")
	fs.BoolVar(&o.modules, "modules", false, "measure the benchmarks of modules that others wrote")
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
	}{{o.layers, nil}, {o.real, nil}, {o.machine, nil}, {o.modules, realModules}, {o.kernels, []string{kernelsPackage}},
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

// wanted tells whether the flags select a program or benchmark.
func (o *options) wanted(name string) bool {
	return o.only.MatchString(name) && (o.skip == nil || !o.skip.MatchString(name))
}

// timings of each constant of the machine: beside other measurements, and alone
const fewTimings, manyTimings = 200, 2000

func (o *options) run(peers []Engine) error {
	if o.machine {
		m := measure.NewMachine(manyTimings)
		if o.json {
			return json.NewEncoder(os.Stdout).Encode(m)
		}
		machineTable(m).print(os.Stdout, o.md)
		return nil
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
	var m *measure.Machine // for bounds
	if o.bench == nil && !o.real || o.kernels {
		m = measure.NewMachine(fewTimings)
	}
	if o.bench != nil {
		return o.benchmarks(env, m)
	}
	return o.programs(env, m, peers)
}

// log begins a record. With -json the record is printed while it is written.
func (o *options) log(env Env, plan record.Plan, engines []string) (*record.Log, error) {
	var w io.Writer
	if o.json {
		w = os.Stdout
	}
	return record.NewLog(w, &record.Run{Time: time.Now().UTC(), Args: o.args, Env: measure.CurrentEnvironment(env.Root), Plan: plan, Engines: engines})
}

// print prints a report as tables, and below them why cells have no figures. A cell without figures
// is an error unless it is a peer's.
func (o *options) print(rep *result.Report, peers []string, m *measure.Machine, tables ...*table) error {
	var failed error
	var failures strings.Builder
	rep.Rows(func(row *result.Row) {
		for _, c := range row.Cells {
			if c != nil && c.Failed != "" {
				fmt.Fprintf(&failures, "%s in %s: %s\n", row.Bench.Name, c.Engine, c.Failed)
				if !slices.Contains(peers, c.Engine) {
					failed = errors.Join(failed, fmt.Errorf("%s in %s: %s", row.Bench.Name, c.Engine, c.Failed))
				}
			}
		}
	})
	if o.json {
		return failed
	}
	note := "medians of %d rounds"
	if o.small {
		note = "small sizes, " + note
	}
	e := rep.Record.Run.Env
	fmt.Printf("%s, %s %s/%s, %s, %d CPUs, load %.2f, %s\n\n", rep.Record.Run.Time.Format(time.DateOnly), e.Go, e.OS, e.Arch, e.CPU, e.CPUs, e.Load,
		fmt.Sprintf(note, o.rounds))
	if m != nil {
		tables = append(tables, machineTable(m))
	}
	for _, t := range tables {
		t.print(os.Stdout, o.md)
	}
	fmt.Print(failures.String())
	return failed
}

// moduleRoot is the directory of the module gyr. It also finds it from a module that requires gyr.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gyrvm/gyr").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m github.com/gyrvm/gyr: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}
