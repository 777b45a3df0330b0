package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/vet"
)

var vetCmd = &command{
	name:  "vet",
	usage: "[flags] [packages]",
	short: "report likely mistakes in packages",
	long: `Vet looks for likely mistakes in packages and their tests with the analyzers of go vet, as
the Go release has them, and prints what go vet prints. Without packages it looks at the one in
the current directory. Packages are named as for gyr test; they are read as for GOOS=wasip1
GOARCH=wasm, and need not be ones that gyr would run.

All analyzers run, unless flags with their names choose some (-printf), or leave some out
(-printf=false). What was found out about a package is kept in the cache, until the package or one
that it imports changes.

The exit status is 0 if nothing was found, or with -json; 1 if something was, or a package does not
compile; 2 for wrong usage, 130 after an interrupt.`,
	run: runVet,
}

// A chosenFlag says of an analyzer whether it is to run, if somebody gave it.
type chosenFlag struct{ given, on bool }

func (f *chosenFlag) String() string   { return "" }
func (f *chosenFlag) IsBoolFlag() bool { return true }

func (f *chosenFlag) Set(s string) (err error) {
	f.given = true
	f.on, err = strconv.ParseBool(s)
	return err
}

// vetFlags are the flags of gyr vet.
type vetFlags struct {
	build     buildFlags
	json      *bool
	context   *int
	jobs      *int
	stats     *bool
	analyzers map[string]*chosenFlag
}

func newVetFlags(fs *flag.FlagSet) *vetFlags {
	v := &vetFlags{
		json:      fs.Bool("json", false, "print what was found as go vet -json does, on standard output"),
		context:   fs.Int("c", -1, "print the lines of a finding, and `N` lines before and behind it"),
		jobs:      fs.Int("p", 0, "packages at a time, `N`; 0: as many as there are processors"),
		stats:     fs.Bool("stats", false, "print on standard error how many packages were analysed, and how many were known"),
		analyzers: map[string]*chosenFlag{},
	}
	fs.StringVar(&v.build.tags, "tags", "", "comma-separated build `tags`")
	v.build.std.register(fs)
	v.build.registerCache(fs)
	for _, name := range vet.Names() {
		v.analyzers[name] = &chosenFlag{}
		fs.Var(v.analyzers[name], name, "run analyzer "+name+": "+vet.Doc(name))
	}
	vet.RegisterFlags(fs)
	return v
}

// chosen returns the analyzers to run; nil means all.
func (v *vetFlags) chosen() []string {
	var on, off []string
	for name, f := range v.analyzers {
		switch {
		case f.given && f.on:
			on = append(on, name)
		case f.given:
			off = append(off, name)
		}
	}
	if on != nil || off == nil {
		return on
	}
	return slices.DeleteFunc(vet.Names(), func(name string) bool { return slices.Contains(off, name) })
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
	fs := c.flags()
	v := newVetFlags(fs)
	if err := c.parse(fs, args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	src := v.build.source(nil)
	v.build.useCache(&src)
	var err error
	if src.Base, err = v.build.std.base(&src); err != nil {
		return err
	}
	list, unmatched, err := vet.List(ctx, &src, fs.Args())
	if err != nil {
		fmt.Fprintf(stderr, "gyr: %v\n", err)
		return statusError(statusTestFailed)
	}
	for _, p := range unmatched {
		fmt.Fprintf(stderr, "gyr: warning: %q matched no packages\n", p)
	}
	if len(list) == 0 {
		fmt.Fprintln(stderr, "gyr: no packages to vet")
		return statusError(statusTestFailed)
	}
	if src.Base == nil {
		if src.Base, err = engine.BaseOf(src); err != nil {
			return err
		}
	}
	heap.take()
	defer heap.drop()
	o := vet.Options{Source: src, Analyzers: v.chosen(), Jobs: *v.jobs}
	results, stats, err := vet.Packages(ctx, o, list)
	if ctx.Err() != nil {
		return statusError(statusSignal)
	}
	if err != nil {
		return err
	}
	v.build.warning.tell(stats.Note)
	if *v.stats {
		fmt.Fprintf(stderr, "request known %t, packages known %d, analysed %d\n", stats.Recalled, stats.Known, stats.Analysed)
	}
	return v.print(results)
}

// print prints what was found.
func (v *vetFlags) print(results []vet.Result) error {
	p := &vet.Printer{W: stderr, Context: *v.context}
	bad := false
	for i := range results {
		r := &results[i]
		switch {
		case r.Err == nil && *v.json:
			if err := vet.PrintJSON(stdout, r); err != nil {
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
