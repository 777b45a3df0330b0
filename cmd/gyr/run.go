package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/tools/buildjson"
)

var runCmd = &command{
	name:  "run",
	usage: "[flags] package|files.go|image.gyr [arguments]",
	short: "compile and run a program",
	long: `Run compiles the main package named by an import path, a directory, a list of
.go files or an image of gyr build, and runs it in a sandbox: it sees no environment, no files, and a
virtual clock unless flags grant more. Flags stand before the package, the
program's arguments after it.

` + statusHelp + `

` + statsHelp() + `

All but the times are the same on every run; instructions may differ by a few, and by more
with a profile. The profiles of -gasprofile, -memprofile and -cpuprofile are read by
go tool pprof; recording one changes nothing else. They are written however the run ends.`,
	run:     run,
	goflags: true,
}

// buildFlags are the flags of every command that compiles.
type buildFlags struct {
	fs            *flag.FlagSet
	tags          string
	unsafe        unsafeFlag
	exports, test bool // for commands that show or store code
	debug         engine.Debug
	cache         *string // for commands that use the cache
	warning       cacheWarning
	json          bool // for commands that print compile errors as data
	std           stdFlags
	gof           goFlags // flags of the go command

	observer engine.Observer // of the passes
	baseOnly bool            // see engine.Source
	native   bool            // see engine.Source
}

// register adds the flags of a command.
func (b *buildFlags) register(fs *flag.FlagSet, on commandSet) {
	b.fs = fs
	b.gof.register(fs, on)
	fs.StringVar(&b.tags, "tags", "", "comma-separated build `tags`")
	b.unsafe.register(fs)
	b.std.register(fs)
	fs.Var(&b.debug, "d", "debug settings `name[=value],...`:\n"+engine.DebugHelp())
}

// sourceFlags decide what a source compiles to. They cannot change an existing image.
var sourceFlags = strings.Fields("ldflags mod modfile overlay tags trimpath unsafe")

// forSource returns the first of sourceFlags that the command line has, or "".
func (b *buildFlags) forSource() (name string) {
	b.fs.Visit(func(f *flag.Flag) {
		if name == "" && slices.Contains(sourceFlags, f.Name) && f.Value.String() != "false" && !inGOFLAGS(f.Name) {
			name = f.Name
		}
	})
	return name
}

// registerKind adds the flags for code that is not a program of its own.
func (b *buildFlags) registerKind(fs *flag.FlagSet) {
	fs.BoolVar(&b.exports, "exports", false, "compile a package for calls of its exported functions by a host")
	fs.BoolVar(&b.test, "test", false, "compile the test binary of a package")
}

// registerCache adds the flag of commands that use the cache.
func (b *buildFlags) registerCache(fs *flag.FlagSet) { b.cache = fs.String("cache", "", cacheUsage) }

// registerJSON adds the flag of commands that print compile errors as data.
func (b *buildFlags) registerJSON(fs *flag.FlagSet) {
	fs.BoolVar(&b.json, "json", false, "print why the program does not compile on standard output as go build -json does\n"+
		"(go help buildjson); the lines with Output have also File, Line, Column, EndLine, EndColumn and Text")
}

// failed prints why a program does not compile, if -json asks for it, and returns the error that is
// left to report.
func (b *buildFlags) failed(err error, patterns []string) error {
	var refused *api.CompileError
	if !b.json || !errors.As(err, &refused) {
		return err
	}
	whole := patterns[0]
	if load.NamesFiles(patterns, os.Stat) {
		whole = "command-line-arguments"
	}
	events := buildjson.Of(refused, func(path string) string { return cmp.Or(path, whole) })
	if err := buildjson.Write(stdout, events); err != nil {
		return err
	}
	return statusError(statusCompile)
}

// source makes the source to compile from flags and patterns.
func (b *buildFlags) source(patterns []string) engine.Source {
	s := engine.Source{Patterns: patterns, Unsafe: b.unsafe.policy, Exports: b.exports, Test: b.test}
	s.Tags = tagsOf(b.tags)
	s.NoPass, s.Verify, s.NoBase = slices.Clone(b.debug.NoPass), b.debug.Verify, b.debug.NoBase
	s.Native = b.native
	b.gof.apply(&s)
	if b.debug.NoGas {
		s.NoPass = append(s.NoPass, opt.Metering)
	}
	return s
}

// useCache gives a source the cache in force, and reports why there is none.
func (b *buildFlags) useCache(s *engine.Source) {
	if b.cache == nil {
		return
	}
	dir, err := cacheDir(*b.cache)
	if s.Cache = dir; err != nil {
		b.warning.tell(err.Error())
	}
}

// progress adds a progress line on a terminal, and the roomy heap of a compilation; done ends both.
func (b *buildFlags) progress(s engine.Source) (_ engine.Source, done func()) {
	roomy := func(p api.Progress) {
		if !strings.HasPrefix(p.Stage, "reading") {
			heap.take()
		}
	}
	if !isTerminal(os.Stderr) || b.gof.trace.on() {
		s.Progress = roomy
		return s, heap.drop
	}
	line := newProgressLine(stderr, progressDelay)
	s.Progress = func(p api.Progress) {
		roomy(p)
		line.stage(p.String())
	}
	return s, func() {
		heap.drop()
		line.stop()
	}
}

// compile compiles packages, or the contents of a portable image.
func (b *buildFlags) compile(ctx context.Context, patterns []string) (*engine.Program, error) {
	s := b.source(patterns)
	image, ok, err := imageFile(patterns[0])
	if ok {
		switch {
		case err != nil:
			return nil, err
		case len(patterns) > 1:
			return nil, usageError{fmt.Sprintf("%s is an image, which stands alone", patterns[0])}
		case b.forSource() != "":
			return nil, usageError{fmt.Sprintf("%s is an image: -%s is for gyr build", patterns[0], b.forSource())}
		}
		var version string
		s.Tags, version = engine.ImageInfo(image) // settings of GOFLAGS for sources have no effect
		s.Image, s.GOROOT = image, goOfImage(version)
		if image == nil {
			s.Image = []byte{}
		}
	}
	b.useCache(&s)
	s.Observer, s.BaseOnly = b.observer, s.BaseOnly || b.baseOnly
	if s.Base, err = b.std.base(&s); err != nil {
		return nil, err
	}
	s, done := b.progress(s)
	defer done()
	p, err := engine.Compile(ctx, s)
	if err == nil {
		b.warning.tell(p.Stats().CacheNote)
	} else {
		b.warning.base(s) // the standard library was compiled nevertheless
	}
	if refused := (*api.ImageError)(nil); errors.As(err, &refused) {
		err = &api.ImageError{Err: fmt.Errorf("%s: %w", patterns[0], refused.Err)}
	}
	return p, err
}

func run(c *command, args []string) error {
	fs := c.flags()
	var (
		build   buildFlags
		sandbox sandboxFlags
		stats   statsFlag
		prof    profileFlags
		timeout = fs.Duration("timeout", 0, "stop the program after a wall-clock `duration`, compilation not counted")
	)
	build.register(fs, onRun)
	build.registerCache(fs)
	build.registerJSON(fs)
	prof.register(fs, "run")
	sandbox.register(fs, "run", "the program", "the program", "256M")
	fs.Var(&stats, "stats",
		"print figures of the run on standard error; -stats=json as one object,\n-stats=brief as one object without instructions, whose counting takes time")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usageError{"run: no package or file named\nusage: gyr run " + c.usage}
	}
	if *timeout < 0 {
		return usageError{"run: -timeout must not be negative"}
	}
	cfg, err := sandbox.config(&build.debug)
	if err != nil {
		return err
	}
	if cfg.Profiles, err = prof.kinds(); err != nil {
		return err
	}
	if cfg.Tier == api.TierNative && (build.debug.OpStats || cfg.Profiles != 0) {
		return usageError{"run: profiles and -d=opstats are the interpreter's: not with -tier=native"}
	}
	if stats != "" && stats != "brief" {
		cfg.Debug.Count = true
	}
	patterns, rest := splitPatterns(fs.Args())
	cfg.Args, cfg.Name = rest, patterns[0]
	cfg.Stdin, cfg.Stdout, cfg.Stderr = os.Stdin, os.Stdout, os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	build.native = cfg.Tier != api.TierInterp && cfg.Profiles == 0 && !build.debug.OpStats
	p, err := build.compile(ctx, patterns)
	if err == nil || errors.Is(err, engine.ErrPlanned) {
		build.gof.trace.step(append([]string{"run", cfg.Name}, rest...)...)
	}
	if errors.Is(err, engine.ErrPlanned) || err == nil && build.gof.trace.dry {
		return nil
	}
	if err != nil {
		return build.failed(err, patterns)
	}
	if cfg.Programs, err = sandbox.startable(ctx, &build); err != nil {
		return err
	}
	var notNative error
	if build.native {
		dir, _ := cacheDir(*build.cache)
		notNative = usualTier(ctx, p, &cfg, dir)
	}
	if *timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *timeout)
		defer cancel()
	}
	if err := prof.create(); err != nil {
		return err
	}
	defer prof.close()
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		in.Close()
		build.warning.tell(p.Stats().CacheNote) // about code that is compiled in the run and written at its end
	}()
	if notNative != nil {
		fmt.Fprintf(stderr, "%v; the interpreter runs the program\n", notNative)
	}
	err = in.Run(ctx)
	printHints(in, err)
	if build.debug.OpStats {
		in.WriteOpStats(stderr)
	}
	if stats != "" {
		printStats(stderr, string(stats), in, p)
	}
	if perr := prof.write(in); perr != nil {
		if err == nil {
			return perr
		}
		fmt.Fprintf(stderr, "gyr: %v\n", perr)
	}
	return err
}

// printHints prints what a program was refused before it failed. A program that ended by itself
// gave its answer, and hardly for the lack of a variable: many look for variables that few set.
func printHints(in *engine.Instance, err error) {
	if err == nil {
		return
	}
	ended := errors.As(err, new(*api.ExitError)) && !errors.As(err, new(*api.PanicError))
	for _, h := range in.Hints() {
		if !ended || h.Need != engine.NeedEnv {
			fmt.Fprintf(stderr, "gyr: %s\n", printable.Line(h.ForCommand()))
		}
	}
}

// usualTier makes a configuration without a tier name one. It returns why that is not machine code, where
// machine code is to be expected.
func usualTier(ctx context.Context, p *engine.Program, cfg *engine.Config, cache string) error {
	if cfg.Tier != api.TierAuto || gyr.CheckNative() != nil && gyr.DefaultTier != gyr.TierNative {
		return nil
	}
	err := p.NativeError()
	if err == nil {
		err = noNative(ctx, cache)
	}
	if cfg.Tier = api.TierInterp; err == nil {
		cfg.Tier = api.TierNative
	}
	return err
}

// splitPatterns separates the package or files from the program's arguments as go run does: leading
// .go files, or one package.
func splitPatterns(args []string) (patterns, rest []string) {
	n := 0
	for n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	n = max(n, 1)
	return args[:n], args[n:]
}
