package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/lab/bench"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// benchEngines are all engines.
var benchEngines = []string{"go", "native", "interp"}

// benchFlags are the flags of gyr bench run.
type benchFlags struct {
	build   buildFlags
	sandbox sandboxFlags // some of them
	out     benchOutFlags

	bench, engines, against, group, record, resume, gate string
	benchTime                                            string
	quick, thorough, jsonOut, noCount, profile           bool
	count                                                int
	seed                                                 uint64
	delta, precision                                     float64
	live                                                 sizeFlag
	revision                                             *testrun.Revision // -against
	old                                                  *record.Record    // -against or -gate
	flags, patterns                                      []string          // of the command line
	benchMem                                             bool
}

func newBenchFlags(fs *flag.FlagSet) *benchFlags {
	b := &benchFlags{}
	b.build.register(fs, onBench)
	b.build.registerCache(fs)
	b.out.register(fs)
	fs.StringVar(&b.bench, "bench", ".", "measure the benchmarks that match `RE`, as for go test -bench; default: all")
	fs.StringVar(&b.engines, "engine", "", "measure in the engines of a comma-separated `list`: go, native, interp; the others are\ncompared with the first. Default: go,native where there is a go command")
	fs.StringVar(&b.against, "against", "", "compare with the sources of a revision of git, or with a record: `REF|FILE`")
	fs.StringVar(&b.gate, "gate", "", "compare with the record in `FILE`, and fail (exit status 3) if an exact metric got worse at all, or\nif a time did, and does so again when it is measured once more")
	fs.StringVar(&b.group, "group", "declared", "compare benchmarks with each other: `which` is declared (by //gyr:bench), parent (those below\none benchmark) or package")
	fs.BoolVar(&b.quick, "quick", false, "measure little: ranges, no verdicts")
	fs.BoolVar(&b.thorough, "thorough", false, "measure much, for small differences")
	fs.StringVar(&b.benchTime, "benchtime", "", "how long a batch lasts, a `duration`, or how many iterations it has, Nx")
	fs.BoolVar(&b.benchMem, "benchmem", true, "allocations are always printed; the flag is taken since go test has it")
	fs.IntVar(&b.count, "count", 0, "visit each benchmark in `N` processes; default 8, 3 with -quick, 24 with -thorough")
	fs.Float64Var(&b.delta, "delta", 100*bench.DefaultDelta, "differences below `P` percent are none; default 1")
	fs.Float64Var(&b.precision, "precision", 0, "stop visiting a benchmark when its interval is narrower than `P` percent; 0: never")
	fs.Uint64Var(&b.seed, "seed", 0, "seed of the order of visits; 0: another one each time")
	fs.Var(&b.live, "live", "keep `size` bytes of live objects beside the benchmark, which collections have to look at")
	fs.BoolVar(&b.profile, "profile", false, "run each benchmark once more to see what its time is spent on, and print the hot code")
	fs.BoolVar(&b.noCount, "notcounted", false, "take no exact figures: gas, instructions, allocations")
	fs.StringVar(&b.record, "o", "", "write the record to `FILE`; default: below the cache's directory, where report finds it")
	fs.StringVar(&b.resume, "resume", "", "go on with the record in `FILE`, whose run was interrupted")
	fs.BoolVar(&b.jsonOut, "json", false, "print the record on standard output, as it is written")
	s := &b.sandbox
	s.cmd = "bench"
	fs.Var(&s.mem, "mem", "memory limit of a guest, a `size` such as 64M; default 2G")
	fs.Var(&s.stack, "stack", "limit of a goroutine's stack in a guest, a `size`")
	fs.Var(&s.env, "env", "set `NAME=value` in the environment of guests (NAME alone: as it is here); may be repeated")
	fs.Var(&s.dirs, "dir", "grant guests a directory, `host[:guest][:ro|:copy]`; may be repeated")
	return b
}

// plan returns how much to measure, as the flags say.
func (b *benchFlags) plan() (record.Plan, error) {
	mode := "default"
	switch {
	case b.quick && b.thorough:
		return record.Plan{}, usageError{"bench: -quick and -thorough: give one"}
	case b.quick:
		mode = "quick"
	case b.thorough:
		mode = "thorough"
	}
	p := bench.Plans[mode]
	p.Delta, p.Seed = b.delta/100, b.seed
	p.LiveBytes = int64(b.live)
	if b.precision > 0 {
		p.Precision = b.precision / 100
	}
	if b.count < 0 || b.delta < 0 || b.precision < 0 {
		return p, usageError{"bench: -count, -delta and -precision must not be negative"}
	}
	if b.count > 0 {
		p.Visits = b.count
	}
	if times, ok := strings.CutSuffix(b.benchTime, "x"); ok {
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 {
			return p, usageError{fmt.Sprintf("bench: -benchtime %s: want a duration, or iterations such as 1000x", b.benchTime)}
		}
		p.Iterations = n
	} else if b.benchTime != "" {
		d, err := time.ParseDuration(b.benchTime)
		if err != nil || d < time.Millisecond {
			return p, usageError{fmt.Sprintf("bench: -benchtime %s: want how long a batch lasts, at least 1ms", b.benchTime)}
		}
		p.BatchNS = int64(d)
	}
	if p.Seed == 0 {
		p.Seed = rand.Uint64()>>1 | 1
	}
	return p, nil
}

// labels returns the engines in their order.
func (b *benchFlags) labels() ([]string, error) {
	text := b.engines
	if text == "" {
		text = "go,native"
		if _, err := exec.LookPath("go"); err != nil {
			text = "native"
		}
		if gyr.DefaultTier != gyr.TierNative || gyr.CheckNative() != nil {
			text = strings.Replace(text, "native", "interp", 1)
		}
	}
	var list []string
	for _, e := range strings.Split(text, ",") {
		if !slices.Contains(benchEngines, e) {
			return nil, usageError{fmt.Sprintf("bench: -engine: no engine %q; there are %s", e, strings.Join(benchEngines, ", "))}
		}
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list, nil
}

// setup returns the settings with which workers compile.
func (b *benchFlags) setup() (s bench.Setup, err error) {
	if len(b.sandbox.programs) > 0 {
		return s, usageError{"bench: -exec: benchmarks start no other programs"}
	}
	b.sandbox.realtime = true
	if s.Config, err = b.sandbox.config(&b.build.debug); err != nil {
		return s, err
	}
	s.Source = b.build.source(nil)
	b.build.useCache(&s.Source)
	s.Source.Base, err = b.build.std.base(&s.Source)
	return s, err
}

// benchWorkerCmd is the command of the processes that measure guests: see bench.Serve. It takes the
// flags of gyr bench run.
var benchWorkerCmd = &command{name: "bench-worker", run: benchWorker, goflags: true}

func benchWorker(c *command, args []string) error {
	fs := c.flags()
	b := newBenchFlags(fs)
	if err := c.parse(fs, args); err != nil {
		return err
	}
	s, err := b.setup()
	if err != nil {
		return err
	}
	return bench.Serve(context.Background(), s, os.Stdin, os.Stdout)
}

// goFlags returns the flags of go test -c that mean the same as the given flags of gyr.
func (b *benchFlags) goFlags(fs *flag.FlagSet) (list []string) {
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "tags", "mod", "modfile", "trimpath", "ldflags":
			list = append(list, "-"+f.Name+"="+f.Value.String())
		}
	})
	return list
}

func benchMeasure(c *command, args []string) error {
	fs := c.flags()
	b := newBenchFlags(fs)
	if err := b.parse(c, fs, args); err != nil {
		return err
	}
	ctx, stop := benchContext()
	defer stop()
	if b.resume != "" {
		return b.goOn(ctx)
	}
	return b.measure(ctx, fs)
}

// parse parses a command line with flags before, between and after the packages.
func (b *benchFlags) parse(c *command, fs *flag.FlagSet, args []string) error {
	for {
		if err := c.parse(fs, args); err != nil {
			return err
		}
		b.flags = append(b.flags, args[:len(args)-fs.NArg()]...)
		args = fs.Args()
		for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			b.patterns = append(b.patterns, args[0])
			args = args[1:]
		}
		if len(args) == 0 {
			break
		}
	}
	// The command has entered the directory of -C, and workers begin there.
	switch {
	case len(b.flags) > 1 && (b.flags[0] == "-C" || b.flags[0] == "--C"):
		b.flags = b.flags[2:]
	case len(b.flags) > 0 && (strings.HasPrefix(b.flags[0], "-C=") || strings.HasPrefix(b.flags[0], "--C=")):
		b.flags = b.flags[1:]
	}
	b.flags = slices.DeleteFunc(b.flags, func(s string) bool { return s == "--" })
	return nil
}

// goOn resumes a run with the arguments in its record.
func (b *benchFlags) goOn(ctx context.Context) error {
	f, err := os.OpenFile(b.resume, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	log, err := record.Resume(f)
	if err != nil {
		return fmt.Errorf("%s: %w", b.resume, err)
	}
	run := log.Record().Run
	if log.Record().End != nil {
		fmt.Fprintf(stderr, "gyr: %s: the run has ended; nothing is left to measure\n", b.resume)
		return b.finish(log.Record(), b.resume)
	}
	fs := flag.NewFlagSet("gyr bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	again := newBenchFlags(fs)
	if err := again.parse(&command{name: "bench"}, fs, run.Args); err != nil {
		return fmt.Errorf("%s: its arguments: %w", b.resume, err)
	}
	if now := measure.CurrentEnvironment(""); now.Fingerprint() != run.Env.Fingerprint() {
		return fmt.Errorf("%s was measured elsewhere: on %s, %s, and this is %s, %s; figures of two machines are not mixed", b.resume, run.Env.CPU, run.Env.Go, now.CPU, now.Go)
	}
	again.out = b.out
	defer again.close()
	o, err := again.options(ctx, fs)
	if err != nil {
		return err
	}
	o.Plan = run.Plan
	err = again.execute(ctx, o, log)
	return cmp.Or(again.end(ctx, err, log.Record(), b.resume), err)
}

// options returns the options of a run, without its log.
func (b *benchFlags) options(ctx context.Context, fs *flag.FlagSet) (o bench.Options, err error) {
	if o.Plan, err = b.plan(); err != nil {
		return o, err
	}
	if !slices.Contains([]string{"declared", "parent", "package"}, b.group) {
		return o, usageError{fmt.Sprintf("bench: -group %s: want declared, parent or package", b.group)}
	}
	labels, err := b.labels()
	if err != nil {
		return o, err
	}
	s, err := b.setup()
	if err != nil {
		return o, err
	}
	list, unmatched, err := testrun.List(ctx, s.Source.Dir, b.patterns, s.Source)
	if err != nil {
		return o, err
	}
	for _, p := range unmatched {
		fmt.Fprintf(stderr, "gyr: warning: %q matched no packages\n", p)
	}
	for _, p := range list {
		if err := benchPackage(&p); err != nil {
			return o, err
		}
		if p.HasGo || p.HasTests {
			o.Packages = append(o.Packages, bench.Package{Path: p.Path, Dir: p.Dir})
		}
	}
	if len(o.Packages) == 0 {
		return o, errors.New("no packages to measure")
	}
	exe, err := os.Executable()
	if err != nil {
		return o, err
	}
	worker := append([]string{exe, benchWorkerCmd.name}, b.flags...)
	for _, l := range labels {
		e := bench.Engine{Label: l}
		if l == "go" {
			e.Go = &bench.GoEngine{Flags: b.goFlags(fs), Replace: s.Source.Settings.Replace}
		} else {
			e.Gyr = &bench.GyrEngine{Tier: l, Worker: worker}
		}
		o.Engines = append(o.Engines, e)
	}
	if o.Engines, err = b.withRevision(ctx, &o); err != nil {
		return o, err
	}
	o.Profile, o.Fixed = b.profile, b.count > 0
	o.Bench, o.Group, o.NoCount, o.Tags = b.bench, b.group, b.noCount, s.Source.Tags
	if dir, err := recordDir(*b.build.cache); err == nil && dir != "" {
		o.Files = filepath.Join(dir, "files")
		if os.MkdirAll(o.Files, 0o700) != nil {
			o.Files = ""
		}
	}
	return o, nil
}

// withRevision adds the engines of the revision of -against, if it is given, after those of the
// working tree.
func (b *benchFlags) withRevision(ctx context.Context, o *bench.Options) (list []bench.Engine, err error) {
	list = o.Engines
	if b.against == "" || isRecord(b.against) {
		return list, nil
	}
	if b.revision, err = testrun.OpenRevision(ctx, ".", b.against); err != nil {
		return nil, err
	}
	for _, e := range o.Engines {
		e.Label += "@" + b.against
		e.Moved = b.revision.Moved
		list = append(list, e)
	}
	return list, nil
}

// isRecord reports whether a value of -against is a file.
func isRecord(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

// close removes temporary files of a run.
func (b *benchFlags) close() {
	if b.revision != nil {
		b.revision.Close()
	}
}

// benchPackage returns an error for a package that cannot be loaded, and for a list of files.
func benchPackage(p *load.Listed) error {
	if p.Err != nil {
		return p.Err
	}
	if p.Files != nil {
		return usageError{"bench: name packages, not files: the test binary of a package is measured"}
	}
	return nil
}

// measure does a run from its beginning.
func (b *benchFlags) measure(ctx context.Context, fs *flag.FlagSet) error {
	if err := b.readOld(); err != nil {
		return err
	}
	defer b.close()
	o, err := b.options(ctx, fs)
	if err != nil {
		return err
	}
	file, name, err := b.open()
	if err != nil {
		return err
	}
	if file != nil {
		defer file.Close()
	}
	run := &record.Run{Gyr: thisVersion().Version, Time: time.Now().UTC(), Args: append(slices.Clone(b.flags), b.patterns...), Env: measure.CurrentEnvironment(""), Plan: o.Plan, Revision: revision()}
	for _, e := range o.Engines {
		run.Engines = append(run.Engines, e.Label)
	}
	if b.revision != nil {
		run.Against = b.against
	}
	var w io.Writer
	if file != nil {
		w = file
	}
	if b.jsonOut {
		w = alsoTo(w, stdout)
	}
	log, err := record.NewLog(w, run)
	if err != nil {
		return err
	}
	err = b.execute(ctx, o, log)
	if err := cmp.Or(b.end(ctx, err, log.Record(), name), err); err != nil || b.gate == "" {
		return err
	}
	return b.judge(ctx, o, log.Record())
}

// readOld reads the record to compare this run with.
func (b *benchFlags) readOld() (err error) {
	name := b.gate
	switch {
	case b.against != "" && isRecord(b.against):
		if name != "" {
			return usageError{"bench: -gate and -against with a record: give one"}
		}
		name = b.against
	case name == "":
		return nil
	}
	b.old, err = readRecord(name)
	return err
}

// alsoTo writes to both a and b; a may be nil.
func alsoTo(a, b io.Writer) io.Writer {
	if a == nil {
		return b
	}
	return io.MultiWriter(a, b)
}

// execute measures, with a progress line on a terminal.
func (b *benchFlags) execute(ctx context.Context, o bench.Options, log *record.Log) error {
	o.Log = log
	o.Say = func(text string) { fmt.Fprintf(stderr, "gyr: %s\n", text) }
	if isTerminal(os.Stderr) {
		line := newProgressLine(stderr, progressDelay)
		defer line.stop()
		out := line.around(stderr)
		o.Progress = func(p bench.Progress) { line.stage(p.String()) }
		o.Say = func(text string) { fmt.Fprintf(out, "gyr: %s\n", text) }
	}
	return bench.Run(ctx, o)
}

// end prints the measurements, however the run ended.
func (b *benchFlags) end(ctx context.Context, err error, rec *record.Record, name string) error {
	if len(rec.Benches) == 0 {
		return err
	}
	if perr := b.finish(rec, name); perr != nil {
		return perr
	}
	if ctx.Err() != nil && name != "" {
		fmt.Fprintf(stderr, "gyr: interrupted; 'gyr bench -resume %s' goes on\n", name)
	}
	if err == nil && rec.End != nil && rec.End.Failed > 0 {
		return statusError(benchFailed)
	}
	return err
}

// finish prints the report of a record.
func (b *benchFlags) finish(rec *record.Record, name string) error {
	if b.old != nil {
		rec = result.Merge(result.Only(b.old, rec), rec)
	}
	if b.jsonOut {
		return b.out.files(result.Of(rec))
	}
	return b.out.print(result.Of(rec), name)
}

// open makes the file of the record, or returns nil if none is wanted.
func (b *benchFlags) open() (*os.File, string, error) {
	if b.record != "" {
		f, err := os.OpenFile(b.record, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("-o %s: the file exists; name another, or go on with it by -resume", b.record)
		}
		return f, b.record, err
	}
	dir, err := recordDir(*b.build.cache)
	if err != nil || dir == "" {
		return nil, "", nil
	}
	name := filepath.Join(dir, time.Now().UTC().Format("20060102-150405.000")+".jsonl")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, "", nil
	}
	forgetRecords(dir)
	return f, name, nil
}

// keptRecords is how many records without a name from the user are kept.
const keptRecords = 50

// recordDir returns the directory of records without a name from the user; empty: none are kept.
func recordDir(flag string) (string, error) {
	dir, err := cacheDir(flag)
	if err != nil || dir == "" {
		return "", err
	}
	dir = filepath.Join(filepath.Dir(dir), filepath.Base(dir)+"-bench")
	return dir, os.MkdirAll(dir, 0o700)
}

// forgetRecords removes the oldest records.
func forgetRecords(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")) // sorted by time, which their names begin with
	for _, name := range names[:max(0, len(names)-keptRecords)] {
		os.Remove(name)
	}
}

// revision names the commit of the sources, and says whether files differ from it; empty: no
// repository.
func revision() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+dirty").Output()
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(out))
}

func benchList(c *command, args []string) error {
	fs := c.flags()
	b := newBenchFlags(fs)
	if err := b.parse(c, fs, args); err != nil {
		return err
	}
	ctx, stop := benchContext()
	defer stop()
	defer b.close()
	o, err := b.options(ctx, fs)
	if err != nil {
		return err
	}
	for i := range o.Engines {
		if o.Engines[i].Gyr != nil || len(o.Engines) == 1 {
			o.Engines = o.Engines[i : i+1]
			break
		}
	}
	o.Say = func(text string) { fmt.Fprintf(stderr, "gyr: %s\n", text) }
	list, err := bench.List(ctx, o)
	if err != nil {
		return err
	}
	for _, x := range list {
		place := ""
		if x.File != "" {
			place = "\t" + x.File + ":" + strconv.Itoa(x.Line)
		}
		fmt.Fprintf(stdout, "%s%s\n", x.Key, place)
	}
	return nil
}
