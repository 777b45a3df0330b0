package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/tools/vet"
)

var vetCmd = &command{
	name:  "vet",
	usage: "[flags] [packages]",
	short: "report likely mistakes in packages",
	long: `Vet looks for likely mistakes in packages and their tests with the analyzers of go vet, and
prints what go vet prints. Without packages it looks at the one in the current directory. Packages
are named as for gyr test; they are read as for GOOS=wasip1 GOARCH=wasm, and need not be ones that
gyr would run.

The analyzers are those in the sources of the Go installation. They run as a guest that sees the
sources of the packages and nothing else. All of them run, unless flags with their names choose some
(-printf), or leave some out (-printf=false); 'go tool vet help' lists them with their own flags, like
-printf.funcs, which vet takes, too. What was found out about a package is kept in the cache, until the
package or one that it imports changes. The first time takes longer, since the analyzers are compiled and
look at the standard library.

With -target no analyzer runs. Vet then only checks whether the packages, and those that they import,
compile for the system that programs are compiled for, and says of each that does not what it lacks
there and the ways out. That takes a second or two, before any of it is compiled.

The exit status is 0 if nothing was found, or with -json; 1 if something was, or a package does not
compile; 2 for wrong usage, 130 after an interrupt.`,
	run:     runVet,
	goflags: true,
}

// vetFlags are the flags of gyr vet.
type vetFlags struct {
	build   buildFlags
	json    *bool
	context *int
	stats   *bool
	target  *bool
	suite   vet.Choice // analyzers, and their flags
}

func newVetFlags(fs *flag.FlagSet) *vetFlags {
	v := &vetFlags{
		json:    fs.Bool("json", false, "print what was found as go vet -json does, on standard output"),
		context: fs.Int("c", -1, "print the lines of a finding, and `N` lines before and behind it"),
		stats:   fs.Bool("stats", false, "print on standard error how many packages were analysed, and how many were known"),
	}
	v.target = fs.Bool("target", false, "only check whether the packages compile for GOOS=wasip1, and name the ways out")
	v.build.fs = fs
	v.build.gof.register(fs, onVet)
	fs.StringVar(&v.build.tags, "tags", "", "comma-separated build `tags`")
	v.build.unsafe.register(fs)
	v.build.std.register(fs)
	v.build.registerCache(fs)
	return v
}

// addSuite adds the flags of the analyzers if the command line has an unknown flag. Asking the
// analyzers needs a cache, so the cache's flag must be found before.
func (v *vetFlags) addSuite(ctx context.Context, set *flag.FlagSet, args []string) error {
	unknown, cache := false, ""
	for i, arg := range args {
		name, value, has := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name == "" {
			continue
		}
		unknown = unknown || set.Lookup(name) == nil && name != "h" && name != "help"
		switch {
		case name == "cache" && has:
			cache = value
		case name == "cache" && i+1 < len(args):
			cache = args[i+1]
		}
	}
	if !unknown {
		return nil
	}
	var src engine.Source
	var err error
	if src.GOROOT, err = selectGo(); err != nil {
		return err
	}
	src.Cache, _ = cacheDir(cache)
	heap.take()
	defer heap.drop()
	of, err := vet.New(vet.Options{Source: src})
	if err != nil {
		return err
	}
	defer of.Close()
	list, err := of.Flags(ctx)
	if err != nil {
		return err
	}
	for _, f := range list {
		if set.Lookup(f.Name) == nil && f.Chooses() {
			set.Var(v.suite.Flag(f), f.Name, f.Usage)
		}
	}
	return nil
}

func runVet(c *command, args []string) error {
	err := vetPackages(c, args)
	if u, ok := err.(usageError); ok {
		fmt.Fprintf(stderr, "gyr: %s\n", u.msg)
		return statusError(statusTestUsage)
	}
	return err
}

func vetPackages(c *command, args []string) error {
	set := c.flags()
	v := newVetFlags(set)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if c.inspect == nil {
		if err := v.addSuite(ctx, set, args); err != nil {
			return vetFailed(ctx, err)
		}
	}
	if err := c.parse(set, args); err != nil {
		return err
	}
	if v.build.unsafe.given && !*v.target {
		return usageError{"vet: -unsafe is for -target: analyzers look at packages with unsafe, too"}
	}
	src := v.build.source(nil)
	src.Patterns = set.Args()
	v.build.useCache(&src)
	var err error
	if src.Base, err = v.build.std.base(&src); err != nil {
		return err
	}
	src, done := v.build.progress(src)
	defer done()
	if *v.target {
		return vetTarget(ctx, src)
	}
	of, err := vet.New(vet.Options{Source: src, Flags: v.suite.Flags(), Jobs: int(v.build.gof.parallel)})
	if err != nil {
		return vetFailed(ctx, err)
	}
	defer of.Close()
	results, err := vetAll(ctx, of, src)
	if err != nil {
		return vetFailed(ctx, err)
	}
	stats := of.Stats()
	v.build.warning.tell(stats.Note)
	if *v.stats {
		fmt.Fprintf(stderr, "packages known %d, analysed %d\n", stats.Known, stats.Analysed)
	}
	return v.print(&src, results)
}

// vetFailed prints why no package was checked.
func vetFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return statusError(statusSignal)
	}
	fmt.Fprintf(stderr, "gyr: %v\n", err)
	return statusError(statusTestFailed)
}

// vetTarget reports the packages that do not compile for the target.
func vetTarget(ctx context.Context, src engine.Source) error {
	list, err := vetList(ctx, src)
	if err != nil {
		return vetFailed(ctx, err)
	}
	if err := engine.Check(ctx, src); err == nil { // all at once
		return nil
	}
	var wrong diag.Errors
	refused := 0
	for i := range list {
		p := &list[i]
		if !p.HasGo && p.Err == nil {
			continue // only tests
		}
		if err = p.Err; err != nil {
			err = &api.CompileError{Err: err}
		} else {
			of := src
			if of.Patterns = []string{p.Dir}; p.Std || p.Dep {
				of.Patterns[0] = p.Path
			}
			err = engine.Check(ctx, of)
		}
		if err == nil {
			continue
		}
		if wrong, err = addErrors(wrong, p, err); err != nil {
			return vetFailed(ctx, err)
		}
		refused++
	}
	if refused == 0 {
		return nil
	}
	fmt.Fprintf(stderr, "%v\ngyr: %d of %d packages do not compile for programs\n", wrong, refused, len(list))
	return statusError(statusTestFailed)
}

// errNoPackages says that patterns match nothing.
var errNoPackages = errors.New("no packages to vet")

// vetAll checks the packages that the patterns of a source name.
func vetAll(ctx context.Context, of *vet.Vetter, src engine.Source) ([]vet.Result, error) {
	src.Base = nil
	list, err := vetList(ctx, src)
	if err != nil {
		return nil, err
	}
	return of.Packages(ctx, list)
}

// vetList finds the packages that the patterns of a source name.
func vetList(ctx context.Context, src engine.Source) ([]load.Listed, error) {
	list, unmatched, err := engine.List(ctx, src)
	if err != nil {
		return nil, err
	}
	for _, p := range unmatched {
		fmt.Fprintf(stderr, "gyr: warning: %q matched no packages\n", p)
	}
	if len(list) == 0 {
		return nil, errNoPackages
	}
	return list, nil
}

// vetTest checks the package whose test binary is to be written, as gyr test would.
func vetTest(ctx context.Context, src engine.Source, with *vet.ForTest) error {
	if with == nil {
		return nil
	}
	src.Test = false
	of, err := with.New(vet.Options{Source: src})
	if of == nil {
		return err
	}
	defer of.Close()
	src.Base = nil
	list, _, err := engine.List(ctx, src)
	if err != nil || slices.ContainsFunc(list, func(x load.Listed) bool { return x.Std }) {
		return nil // compiling reports the error
	}
	results, err := of.Packages(ctx, list)
	if err != nil {
		return err
	}
	p := &vet.Printer{W: stderr, Context: -1, Slash: true, Heads: true}
	for i := range results {
		if !results[i].OK() {
			err = statusError(statusTestFailed)
		}
		p.Print(&results[i])
	}
	return err
}

// print prints the findings.
func (v *vetFlags) print(src *engine.Source, results []vet.Result) error {
	p := &vet.Printer{W: stderr, Context: *v.context, Read: func(name string) ([]byte, error) {
		if by, ok := src.Settings.Replace[name]; ok {
			if by == "" {
				return nil, fs.ErrNotExist
			}
			name = by
		}
		return os.ReadFile(name)
	}}
	bad := false
	for i := range results {
		r := &results[i]
		switch {
		case r.Err == nil && *v.json:
			if _, err := stdout.Write(r.JSON); err != nil {
				return err
			}
		default:
			bad = bad || !r.OK()
			p.Print(r)
		}
	}
	if bad {
		return statusError(statusTestFailed)
	}
	return nil
}
