package main

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// This file holds the flags of the go command that are not specific to tests. It says what each
// does here, or why it is refused.

// A commandSet is a set of commands.
type commandSet uint8

const (
	onRun commandSet = 1 << iota
	onBuild
	onTest
	onDisasm
	onVet
	onBench

	onGo    = onRun | onBuild | onTest // commands that go also has
	onLoads = onGo | onDisasm | onBench
	onReads = onLoads | onVet // commands that read sources
)

// A goFlag is one flag of the go command.
type goFlag struct {
	name string
	on   commandSet

	// usage is the help of a flag that works. why is the reason for which a flag is refused, and
	// what to do instead.
	usage, why string
	// value returns the variable of the flag: a *bool, a *string or a flag.Value. Nil: the flag is
	// refused.
	value func(g *goFlags) any
	// A refused flag may have values that ask for what gyr does anyway: they have no effect.
	// harmless lists them; a flag without a list has the empty value. A flag without values is
	// refused if it is true.
	harmless []string
	isBool   bool
}

// goFlagTable lists the flags in the order of go help build.
var goFlagTable = []goFlag{
	{name: "C", on: onReads, usage: "change to the directory `DIR` first; must be the first flag",
		value: func(*goFlags) any { return notFirst{} }},
	{name: "a", on: onGo | onVet, usage: "compile or analyse although the cache has the result; the precompiled standard library stays",
		value: func(g *goFlags) any { return &g.rebuild }},
	{name: "n", on: onRun | onBuild, usage: "print what would be done, as -x does, and do not do it",
		value: func(g *goFlags) any { return &g.trace.dry }},
	{name: "p", on: onRun | onBuild | onVet, usage: "work on at most `N` processors at a time",
		value: func(g *goFlags) any { return &g.parallel }},
	{name: "race", on: onGo, isBool: true,
		why: "goroutines of a guest never run at the same time, so the detector would find nothing; use go test -race"},
	{name: "msan", on: onGo, isBool: true, why: "there is no C in a guest"},
	{name: "asan", on: onGo, isBool: true, why: "there is no C in a guest"},
	{name: "cover", on: onRun | onBuild, isBool: true, why: "coverage is that of tests; use gyr test -cover"},
	{name: "covermode", on: onRun | onBuild, why: "coverage is that of tests; use gyr test -covermode"},
	{name: "coverpkg", on: onRun | onBuild, why: "coverage is that of tests; use gyr test -coverpkg"},
	{name: "v", on: onRun | onBuild, usage: "print the names of packages on standard error as they are compiled",
		value: func(g *goFlags) any { return &g.trace.names }},
	{name: "work", on: onGo, isBool: true,
		why: "there are no files in between that could be kept; gyr disasm prints each stage of a program"},
	{name: "x", on: onGo, usage: "print on standard error what is done: the packages with their files, and what is written or run",
		value: func(g *goFlags) any { return &g.trace.steps }},
	{name: "asmflags", on: onGo, why: "guests have no assembly"},
	{name: "buildmode", on: onGo, harmless: []string{"default", "exe"},
		why: "a program is always compiled whole; gyr build -exports makes a library for a host"},
	{name: "buildvcs", on: onGo, isBool: true, harmless: []string{"auto"},
		why: "an image has no stamp of version control: equal sources give equal bytes"},
	{name: "compiler", on: onGo, harmless: []string{"gc"}, why: "the compiler is gyr's"},
	{name: "gccgoflags", on: onGo, why: "the compiler is gyr's"},
	{name: "gcflags", on: onGo,
		why: "the compiler is gyr's; gyr disasm -why prints what -m would, gyr disasm -asm what -S would, and -d nopass=all does what -N does"},
	{name: "installsuffix", on: onGo, why: "nothing is installed; see -cache for where compiled programs are"},
	{name: "ldflags", on: onLoads, usage: "`FLAGS` for the linker, of which -X importpath.name=value sets a variable, and -s and -w do nothing",
		value: func(g *goFlags) any { return &g.ldflags }},
	{name: "linkshared", on: onGo, isBool: true, why: "there are no shared libraries"},
	{name: "mod", on: onReads, usage: "where imported modules come from, `MODE`: readonly, vendor or mod; gyr never changes go.mod",
		value: func(g *goFlags) any { return (*modFlag)(&g.settings.Mod) }},
	{name: "modcacherw", on: onGo | onVet, usage: "do nothing, since nothing is ever downloaded",
		value: func(g *goFlags) any { return &g.modcacherw }},
	{name: "modfile", on: onReads, usage: "read `FILE` in the place of go.mod",
		value: func(g *goFlags) any { return (*modfileFlag)(&g.settings.ModFile) }},
	{name: "overlay", on: onReads, usage: "replace files as the JSON object in `FILE` says (go help build)",
		value: func(g *goFlags) any { return (*overlayFlag)(&g.settings.Replace) }},
	{name: "pgo", on: onGo, harmless: []string{"off", "auto"},
		why: "the code of a program does not depend on profiles; gyr run -gasprofile records one"},
	{name: "pkgdir", on: onGo, why: "there are no compiled packages; see -cache for where compiled programs are"},
	{name: "trimpath", on: onLoads, usage: "name files in tracebacks by import paths, not by directories",
		value: func(g *goFlags) any { return &g.settings.TrimPath }},
	{name: "toolexec", on: onGo, why: "no tools are executed: everything happens in this process"},
	{name: "fix", on: onVet, isBool: true, why: "sources are not changed; use go vet -fix"},
	{name: "diff", on: onVet, isBool: true, why: "sources are not changed; use go vet -fix -diff"},
	{name: "vettool", on: onVet, why: "the analyzers are those of the Go installation; use go vet -vettool"},
	{name: "o", on: onRun, why: "run keeps no file; use gyr build -o"},

	{name: "cpu", on: onTest, why: "a guest has one processor"},
	{name: "memprofilerate", on: onTest, why: "profiles are exact"},
	{name: "blockprofile", on: onTest, why: "a guest has no profile of blocking"},
	{name: "blockprofilerate", on: onTest, why: "a guest has no profile of blocking"},
	{name: "mutexprofile", on: onTest, why: "a guest has no profile of mutexes"},
	{name: "mutexprofilefraction", on: onTest, why: "a guest has no profile of mutexes"},
	{name: "trace", on: onTest, why: "a guest has no execution traces"},
}

// goFlags are the values of the flags that work.
type goFlags struct {
	rebuild    bool
	modcacherw bool // ignored
	parallel   parallelFlag
	settings   load.Settings
	ldflags    ldFlags
	trace      buildTrace
}

// register adds the flags of a command.
func (g *goFlags) register(fs *flag.FlagSet, on commandSet) {
	for i := range goFlagTable {
		f := &goFlagTable[i]
		switch {
		case f.on&on == 0:
		case f.value == nil:
			fs.Var(&refusal{goFlag: f}, f.name, f.why)
		default:
			g.add(fs, f)
		}
	}
}

// add adds a flag that works.
func (g *goFlags) add(fs *flag.FlagSet, f *goFlag) {
	switch v := f.value(g).(type) {
	case *bool:
		fs.BoolVar(v, f.name, *v, f.usage)
	case flag.Value:
		fs.Var(v, f.name, f.usage)
	}
}

// apply sets the fields of a source from the flags.
func (g *goFlags) apply(s *engine.Source) {
	if g.parallel > 0 {
		runtime.GOMAXPROCS(min(int(g.parallel), runtime.GOMAXPROCS(0)))
	}
	s.Settings, s.Rebuild = g.settings, g.rebuild
	s.Settings.Vars = g.ldflags.vars
	s.Settings.UnsafeFlag = "-unsafe=on"
	g.trace.attach(s)
}

// A refusal is a flag that was refused, unless its value asks for what gyr does anyway. The parser
// continues after it, so that a later error does not hide the reason.
type refusal struct {
	*goFlag
	given string // the flag as the user wrote it, if it is refused
}

func (r *refusal) String() string   { return "" }
func (r *refusal) IsBoolFlag() bool { return r.goFlag != nil && r.isBool }

func (r *refusal) Set(text string) error {
	r.given = ""
	if slices.Contains(r.harmless, text) || text == "" && !r.isBool && len(r.harmless) == 0 {
		return nil
	}
	if !r.isBool {
		r.given = r.name
		if len(r.harmless) > 0 {
			r.given += "=" + text
		}
		return nil
	}
	on, err := strconv.ParseBool(text)
	if on {
		r.given = r.name
	}
	return err
}

// help returns the reason, and the values that are accepted.
func (r *refusal) help() string {
	if len(r.harmless) == 0 {
		return r.why
	}
	return r.why + "; the value " + strings.Join(r.harmless, " or ") + " does nothing"
}

// refused returns why flags on the command line are refused, or "".
func refused(fs *flag.FlagSet) (text string) {
	fs.Visit(func(f *flag.Flag) {
		if r, ok := f.Value.(*refusal); ok && r.given != "" && text == "" {
			text = fmt.Sprintf("-%s: %s", r.given, r.why)
		}
	})
	return text
}

// notFirst is the flag -C after another flag. changeDir removes a -C that is first.
type notFirst struct{}

func (notFirst) String() string   { return "" }
func (notFirst) Set(string) error { return fmt.Errorf("it must be the first flag of the command") }

// A parallelFlag is the number of -p.
type parallelFlag int

func (p *parallelFlag) String() string { return strconv.Itoa(int(*p)) }

func (p *parallelFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("want a number of processors, at least 1")
	}
	*p = parallelFlag(n)
	return nil
}
