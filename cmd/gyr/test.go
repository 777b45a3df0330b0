package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/tools/testrun"

	"github.com/gyrvm/gyr/internal/tools/vet"
)

var testCmd = &command{
	name:  "test",
	usage: "[flags] [packages] [flags] [-args ...]",
	short: "test packages",
	long: `Test builds the test binaries of packages, runs them in the sandbox, several at a
time, and prints what go test prints. Without packages it tests the one in the current
directory and shows all output; otherwise the output of a package is shown if it
fails, or with -v. Before the tests run, vet looks at the package and its tests with a few
of its analyzers; what it finds counts as a build that failed (-vet=off switches it off). Packages are directories, import paths, either with /... behind
them, std, or .go files.

A test sees the directory of its package, read-only, which is its working directory, and
a temporary directory of its own; -dir and -env grant more. Its clock is virtual
unless -realtime is given: times are units of gas, a nanosecond each, and sleeping
takes none of the machine's time.

What stands behind -args is passed to the test binaries.

The exit status is 0 if everything passed, 1 if a test or a build failed, 2 for wrong
usage, 130 after an interrupt.`,
	run:     test,
	goflags: true,
}

// These exit statuses of gyr test are go test's.
const (
	statusTestFailed = 1
	statusTestUsage  = 2
)

// A statusError ends the command with a status. The command has already printed its messages.
type statusError int

func (e statusError) Error() string { return "exit status " + strconv.Itoa(int(e)) }

// A binaryFlag is a flag for the test binary, with or without a value.
type binaryFlag struct {
	name   string
	isBool bool
	usage  string
}

var binaryFlags = []binaryFlag{
	{"run", false, "run the tests, examples and fuzz targets whose names match the regular expression `RE`"},
	{"skip", false, "skip those that match `RE`"},
	{"list", false, "list the tests, benchmarks, fuzz targets and examples that match `RE`, run none"},
	{"short", true, "tell long tests to be short"},
	{"count", false, "run each test and benchmark `N` times"},
	{"parallel", false, "how many tests of a package that call t.Parallel go on at a time, `N`"},
	{"shuffle", false, "off, on or a `seed`: run tests in another order"},
	{"bench", false, "run the benchmarks that match `RE`"},
	{"benchtime", false, "run each benchmark for a duration, or N times: `Nx`"},
	{"benchmem", true, "print the allocations of benchmarks"},
	{"fuzz", false, "look for inputs that make the fuzz target that matches `RE` fail"},
	{"fuzztime", false, "look for a duration, or for N executions, `Nx`; default: until interrupted"},
	{"fuzzminimizetime", false, "make an input that fails smaller for a duration or `Nx` executions; default 60s"},
	{"fullpath", true, "print full file names in the messages of tests"},
}

func test(c *command, args []string) error {
	err := runTests(c, args)
	if u, ok := err.(usageError); ok {
		fmt.Fprintf(stderr, "gyr: %s\n", u.msg)
		return statusError(statusTestUsage)
	}
	return err
}

// testFlags are the flags of gyr test.
type testFlags struct {
	fs    *flag.FlagSet
	given map[string]bool // the flags on the command line

	build                                   buildFlags
	sandbox                                 sandboxFlags
	v                                       verboseFlag
	cover                                   coverFlags
	prof                                    profileFlags
	report                                  reportFlag
	stats                                   statsFlag
	files                                   listFlag
	vet, out, outdir, against, grant        *string
	shard, shardTimes, junit                *string
	jobs, p                                 *int
	failfast, jsonOut, compile, update, dry *bool
	merge                                   *bool
	timeout                                 *time.Duration
}

func newTestFlags(fs *flag.FlagSet) *testFlags {
	t := &testFlags{
		fs:   fs,
		vet:  fs.String("vet", "", "run these analyzers of gyr vet before the tests, a comma-separated `list`, off or all; default: "+usualAnalyzers()),
		jobs: fs.Int("jobs", 0, "packages at a time, `N`; 0: as many as there are processors"),
		p:    fs.Int("p", 0, "the same as -jobs"),
		failfast: fs.Bool("failfast", false,
			"stop behind the first test that fails, and print nothing behind the first package that does"),
		timeout: fs.Duration("timeout", defaultTimeout, "end a test binary after a `duration` of its own clock; 0: never;\ndefault: ten minutes of the machine's, or forty of its own,\nwhich counts gas"),
		jsonOut: fs.Bool("json", false, "print events in JSON, as go doc test2json describes them"),
		compile: fs.Bool("c", false, "write the test binary as a portable image, NAME.test.gyr, and do not run it"),
		out:     fs.String("o", "", "with -c: write it to `FILE`"),
		outdir:  fs.String("outputdir", "", "write profiles to the directory `DIR`; default: the current one"),
		against: fs.String("against", "",
			"with -gasreport: say only what changed since `FILE|REF`, a report in JSON or a revision of git"),
		grant: fs.String("grant", "",
			"test a package again with what its failed tests were refused: ask, on the terminal, or\nsuggested, which grants no more than files of its module, for reading or as a copy"),
		shard: fs.String("shard", "",
			"test only part `I/N` of the packages, from 1/N to N/N; each package belongs to one part"),
		shardTimes: fs.String("shard-times", "",
			"with -shard: divide by the times in `FILE`, the output of an earlier gyr test -json or -merge -json; equal on all\nmachines. Without it, and for packages that it lacks, the path decides"),
		junit: fs.String("junit", "", "write the outcome to `FILE` as JUnit XML"),
		merge: fs.Bool("merge", false,
			"run nothing: join the outputs of -json of all parts, or JUnit XML, which are named instead of packages, and\nprint the whole, or with -json the events; with -junit also as JUnit XML"),
		update: fs.Bool("update", false, "rewrite the goldens of filetests that differ"),
		dry:    fs.Bool("n", false, "with -update: print the changes as a diff, write nothing"),
	}
	t.build.register(fs, onTest)
	t.build.registerCache(fs)
	t.cover.register(fs)
	t.prof.register(fs, "test")
	fs.Var(&t.v, "v", "show the output of all tests, as they run")
	t.sandbox.register(fs, "test", "a test binary", "a test, and what stands around the tests,", "2G")
	fs.Var(&t.report, "gasreport",
		"print gas, allocations, bytes and peak memory of each test behind everything else;\n-gasreport=json prints one object, and what go test prints on standard error")
	fs.Var(&t.stats, "stats",
		"print figures of the run on standard error: what was built and what came from the cache, time, processor\ntime and that of the garbage collector, peak memory; -stats=json as one object")
	fs.Var(&t.files, "filetest", "run the filetest in `FILE`, a .go file or a .txtar archive; may be repeated")
	for _, f := range binaryFlags {
		if f.isBool {
			fs.Bool(f.name, false, f.usage)
		} else {
			fs.String(f.name, "", f.usage)
		}
	}
	return t
}

// The default time-outs of a test binary. By the machine's clock it is go test's. The binary's own
// clock advances by more than two nanoseconds for each nanosecond that native code works, so its
// time-out is longer: a test that passes in time with go test does so with gyr. Waiting takes no
// time of the machine, so a binary that only waits is ended at once.
const (
	defaultTimeout    = 10 * time.Minute
	defaultOwnTimeout = 4 * defaultTimeout
)

// check refuses flags that cannot be combined.
func (t *testFlags) check() error {
	switch {
	case t.given["p"] && t.given["jobs"] && *t.p != *t.jobs:
		return usageError{"test: -p and -jobs are the same flag; give one"}
	case *t.jobs < 0 || *t.p < 0:
		return usageError{fmt.Sprintf("test: -jobs %d: want a number of packages, or 0 for one a processor",
			min(*t.jobs, *t.p))}
	case *t.timeout < 0:
		return usageError{"test: -timeout must not be negative"}
	case *t.against != "" && t.report == "":
		return usageError{"test: -against needs -gasreport"}
	case *t.grant != "" && *t.grant != "ask" && *t.grant != "suggested":
		return usageError{fmt.Sprintf("test: -grant=%s: want ask or suggested", *t.grant)}
	case *t.grant != "" && (*t.jsonOut || *t.compile || t.given["bench"] || t.given["fuzz"] || *t.update):
		return usageError{"test: -grant tests packages again: not with -json, -c, -bench, -fuzz or -update"}
	case *t.grant == "ask" && !(isTerminal(os.Stdin) && isTerminal(os.Stderr)):
		return usageError{"test: -grant=ask asks on a terminal, and there is none; -grant=suggested does not ask"}
	case *t.dry && !*t.update:
		return usageError{"test: -n needs -update"}
	case *t.update && t.given["count"] && t.fs.Lookup("count").Value.String() != "1":
		return usageError{"test: -update runs each filetest once: not with -count"}
	case *t.compile && len(t.files) > 0:
		return usageError{"test: -c is for test binaries, not for a -filetest; see gyr build"}
	case t.fs.Lookup("fuzz").Value.String() != "" &&
		(*t.compile || t.cover.on || t.given["covermode"] || t.given["coverprofile"] || t.given["coverpkg"]):
		return usageError{"test: -fuzz looks for inputs in a run of its own: not with -c or -cover"}
	case *t.compile && (t.cover.on || t.given["covermode"] || t.given["coverprofile"] || t.given["coverpkg"]):
		return usageError{"test: -c: an image has no coverage; run the tests with -cover"}
	case *t.out != "" && !*t.compile:
		return usageError{"test: -o needs -c"}
	}
	return t.checkParts()
}

// checkParts refuses flags that cannot be combined with those for parts of a suite.
func (t *testFlags) checkParts() error {
	switch {
	case *t.merge && (*t.shard != "" || *t.compile || *t.update || len(t.files) > 0):
		return usageError{"test: -merge runs nothing: not with -shard, -c, -update or -filetest"}
	case *t.shardTimes != "" && *t.shard == "":
		return usageError{"test: -shard-times needs -shard"}
	case *t.shard != "" && (*t.compile || t.given["fuzz"] || len(t.files) > 0):
		return usageError{"test: -shard divides packages: not with -c, -fuzz or -filetest"}
	case *t.junit != "" && (*t.compile || *t.grant != "" || t.given["fuzz"] || t.given["list"]):
		return usageError{"test: -junit: not with -c, -grant, -fuzz or -list"}
	}
	return nil
}

// options returns the options of the test run.
func (t *testFlags) options(patterns, args []string) (o testrun.Options, err error) {
	config, err := t.sandbox.config(&t.build.debug)
	if err != nil {
		return o, err
	}
	if config.Programs, err = t.sandbox.startable(context.Background(), &t.build); err != nil {
		return o, err
	}
	o = testrun.Options{
		Source: t.build.source(nil), Patterns: patterns, Filetests: t.files, Update: *t.update, DryRun: *t.dry, Args: args,
		Verbose: bool(t.v), Bench: t.given["bench"], Fuzz: t.fs.Lookup("fuzz").Value.String() != "", List: t.given["list"],
		JSON: *t.jsonOut, FailFast: *t.failfast, Timeout: *t.timeout, Jobs: max(*t.jobs, *t.p),
		Config: config, Stdout: stdout, Stderr: stderr,
	}
	if !t.given["timeout"] && !o.Config.Realtime {
		o.Timeout, o.Wall = defaultOwnTimeout, defaultTimeout
	}
	if o.Config.Profiles, err = t.prof.kinds(); err != nil {
		return o, err
	}
	if o.Config.Profiles != 0 {
		if o.Config.Tier == api.TierNative {
			return o, usageError{"test: profiles are the interpreter's: not with -tier=native"}
		}
		t.prof.dir = *t.outdir
	}
	t.build.useCache(&o.Source)
	if o.Source.Base, err = t.build.std.base(&o.Source); err != nil {
		return o, err
	}
	o.Alone = t.build.debug.NoBase
	if o.Vet, err = t.vetOptions(o.Source); err != nil {
		return o, err
	}
	for _, f := range binaryFlags {
		if t.given[f.name] {
			o.Flags = append(o.Flags, "-test."+f.name+"="+t.fs.Lookup(f.name).Value.String())
		}
	}
	if *t.failfast {
		o.Flags = append(o.Flags, "-test.failfast=true")
	}
	return o, nil
}

// vetOptions returns the analyzers that check packages before their tests; nil: none. Unless the
// user asks for it, packages are checked only where that takes little time: in machine code, and
// with a cache (vet.ForTest).
func (t *testFlags) vetOptions(src engine.Source) (*vet.ForTest, error) {
	switch {
	case *t.vet == "off" || *t.vet == "" && (src.Cache == "" || gyr.DefaultTier != gyr.TierNative || gyr.CheckNative() != nil):
		return nil, nil
	case *t.vet == "":
		return vet.UsualForTest(src.GOROOT), nil
	}
	heap.take()
	defer heap.drop()
	ctx := context.Background()
	v, err := vet.New(vet.Options{Source: src})
	if err != nil {
		return nil, vetFailed(ctx, err)
	}
	defer v.Close()
	f, err := v.ChooseForTest(ctx, *t.vet)
	switch unknown := (*vet.UnknownError)(nil); {
	case errors.As(err, &unknown):
		return nil, usageError{"test: " + err.Error()}
	case err != nil:
		return nil, vetFailed(ctx, err)
	}
	return f, nil
}

// usualAnalyzers names the analyzers that go test runs, and those that it runs only since a
// release.
func usualAnalyzers() string {
	text := strings.Join(vet.Usual(release.Oldest()), ", ")
	for _, r := range release.Served() {
		if len(r.TestAnalyzers) > 0 {
			text += fmt.Sprintf("; with %s %s, too", r.Name(), strings.Join(r.TestAnalyzers, ", "))
		}
	}
	return text
}

func runTests(c *command, args []string) error {
	t := newTestFlags(c.flags())
	patterns, rest, err := parseTestArgs(c, t.fs, args)
	if err != nil {
		return err
	}
	t.given = map[string]bool{}
	t.fs.Visit(func(f *flag.Flag) { t.given[f.Name] = true })
	if err := t.check(); err != nil {
		return err
	}
	if *t.merge {
		return t.mergeFiles(patterns)
	}
	o, err := t.options(patterns, rest)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *t.compile {
		return compileTest(ctx, &t.build, patterns, *t.out, o.Vet)
	}
	var line *progressLine
	if isTerminal(os.Stderr) {
		line = newProgressLine(stderr, progressDelay)
		o.Progress = func(p testrun.Progress) { line.stage(describe(p)) }
		o.Stdout, o.Stderr = line.around(stdout), line.around(stderr)
		defer line.stop()
	}
	o.Grant = granting(*t.grant, os.Stdin, o.Stderr)
	reportTo := o.Stdout
	if t.report == "json" {
		o.Stdout = o.Stderr
	}
	var old *testrun.Report
	if *t.against != "" {
		if old, err = older(ctx, *t.against, o); err != nil {
			fmt.Fprintf(stderr, "gyr: -against: %v\n", err)
			return statusError(statusTestFailed)
		}
	}
	if o.Cover, err = t.cover.options(t.given, *t.outdir); err != nil {
		fmt.Fprintf(stderr, "gyr: %v\n", err)
		return statusError(statusTestFailed)
	}
	if err := t.prof.create(); err != nil {
		fmt.Fprintf(stderr, "gyr: %v\n", err)
		return statusError(statusTestFailed)
	}
	defer t.prof.close()
	if o.Config.Profiles != 0 {
		o.Profile = t.prof.write
	}
	textTo := o.Stdout
	suite, err := t.suite(&o)
	if err != nil {
		return err
	}
	defer heap.drop()
	o.Source.Progress = func(p api.Progress) {
		heap.take()
		if line != nil && strings.HasSuffix(p.Stage, "the standard library") {
			line.stage(p.String())
		}
	}
	start := time.Now()
	sum, err := testrun.Run(ctx, o)
	t.build.warning.tell(sum.CacheNote)
	if errors.Is(err, testrun.ErrProfiles) || errors.Is(err, testrun.ErrFuzz) {
		return usageError{"test: " + err.Error()}
	}
	if err == nil && t.stats != "" {
		wall := time.Since(start)
		defer func() { printTestStats(stderr, string(t.stats), &sum, wall) }()
	}
	if cerr := cmp.Or(t.cover.close(), suite.close(), sum.Err); err == nil {
		err = cerr
	}
	if err == nil && t.report != "" && ctx.Err() == nil {
		defer func() {
			if err := t.report.print(reportTo, sum.Report, old); err != nil {
				fmt.Fprintf(stderr, "gyr: -gasreport: %v\n", err)
			}
		}()
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "gyr: %v\n", err)
		return statusError(statusTestFailed)
	case ctx.Err() != nil:
		return statusError(statusSignal)
	case !sum.OK():
		if len(patterns) > 0 && !*t.jsonOut {
			fmt.Fprintln(textTo, "FAIL")
		}
		return statusError(statusTestFailed)
	}
	return nil
}

// describe returns the text of a progress line.
func describe(p testrun.Progress) string {
	s := fmt.Sprintf("%d of %d packages", p.Done, p.Total)
	if p.Failed > 0 {
		s += fmt.Sprintf(", %d failed", p.Failed)
	}
	if len(p.Running) > 0 {
		s += ", " + p.Running[0]
		if n := len(p.Running) - 1; n > 0 {
			s += fmt.Sprintf(" and %d more", n)
		}
	}
	return s + fmt.Sprintf(", %v", p.Elapsed.Round(time.Second))
}

// parseTestArgs parses flags before, between and after the packages. It returns the arguments after
// -args separately.
func parseTestArgs(c *command, fs *flag.FlagSet, args []string) (patterns, rest []string, err error) {
	for i, a := range args {
		if a == "-args" || a == "--args" {
			args, rest = args[:i], args[i+1:]
			break
		}
	}
	args = append([]string(nil), args...)
	for i, a := range args {
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if !strings.HasPrefix(a, "-") {
			continue
		}
		if t, ok := strings.CutPrefix(name, "test."); ok { // go test accepts these too
			args[i] = "-" + t
			if has {
				args[i] += "=" + value
			}
		}
	}
	if len(args) == 0 {
		args = []string{"--"} // the environment has flags too
	}
	for len(args) > 0 {
		if err := c.parse(fs, args); err != nil {
			return nil, nil, err
		}
		args = fs.Args()
		for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			patterns = append(patterns, args[0])
			args = args[1:]
		}
	}
	return patterns, rest, nil
}

// compileTest writes the test binary of one package as an image.
func compileTest(ctx context.Context, b *buildFlags, patterns []string, out string, with *vet.ForTest) error {
	src := b.source(patterns)
	src.Test = true
	b.useCache(&src)
	var err error
	if src.Base, err = b.std.base(&src); err != nil {
		return err
	}
	if err := vetTest(ctx, src, with); err != nil {
		return err
	}
	data, err := engine.Build(ctx, src)
	b.warning.base(src)
	if err != nil {
		return err
	}
	first := "."
	if len(patterns) > 0 {
		first = patterns[0]
	}
	return writeImage(out, imageName(out, first, ".test"), data)
}

// A verboseFlag is a bool that takes test2json for true, as go test does.
type verboseFlag bool

func (v *verboseFlag) String() string   { return "" }
func (v *verboseFlag) IsBoolFlag() bool { return true }
func (v *verboseFlag) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if s == "test2json" {
		b, err = true, nil
	}
	*v = verboseFlag(b)
	return err
}
