package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sync"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Source says what to compile.
type Source struct {
	// Image is a portable image, made by [Build]. It takes the place of the source. Of the other fields only these count:
	// NoPass, Verify, State, Progress and Cache; Base, GOROOT and Tags, which say on what standard library the image may
	// continue, of which there is one for each set of tags: an image for others is refused unless it has the library in
	// it. The bytes must not change while the program is in use.
	Image []byte
	// Dir is the directory that relative patterns start from; empty: the current directory.
	Dir string
	// Patterns names one main package as the go command does: .go files, a
	// directory, an import path. Empty: the package in Dir.
	Patterns []string
	// Tags are additional build tags.
	Tags []string
	// Unsafe says which of the program's packages may import unsafe. A program of which one does runs checked.
	Unsafe api.UnsafePolicy
	// Settings are flags of the go command: -mod, -modfile, -overlay, -ldflags=-X and -trimpath.
	Settings load.Settings
	// GOROOT is the Go installation whose standard library is used; empty: the one that the go
	// command would use.
	GOROOT string
	// Test compiles the test binary of the package instead of a main package.
	Test bool
	// FS, if set, holds the files of the main module instead of the machine's file
	// system; Dir is a path in it.
	FS fs.FS
	// Modules is the directory of the module cache to read. Empty: the user's, or with FS none.
	Modules string
	// Command, if set, is a command of the Go installation, which is compiled in the place of what Patterns names.
	Command *load.Command
	// Exports compiles the package, which need not be a main package, for calls of
	// its exported functions (see [Instance.Call]) instead of its main function.
	Exports bool
	// State says that instances have states that can be kept, restored and compared ([Instance.State]): the program gets an identity.
	State bool
	// Upgrades is an earlier version of the program, compiled with State: see [Program.Upgrade].
	Upgrades *Program
	// Host are packages whose functions are the host's.
	Host []api.HostPackage
	// Warm names exported functions without parameters that every instance calls once, in this order, when it has
	// initialised its packages: see gyr.Source. The cache keeps nothing of it.
	Warm []string
	// NoPass switches passes of the optimiser off, by name, or "all", "phasea",
	// "phaseb": a debugging aid. "metering" leaves out the charges of gas, to measure
	// what they cost; instances then need Config.Realtime and have no Config.Gas.
	NoPass []string
	// Verify checks the IR after every pass: a debugging aid.
	Verify bool
	// Cache is a directory in which compiled programs are kept for the next time; empty: none. It
	// must belong to the user and be closed to all others; it is created if it does not exist. A
	// cache that cannot be used, and an entry that is damaged or out of date, affect nothing but the
	// time that Compile takes: see CompileStats.
	Cache string
	// Cover names packages, by import path. Instances count how often each block of their statements
	// is executed: see Instance.Coverage. Counting changes neither output nor gas nor any other
	// figure of Stats but Instructions and Wall. Such programs are not kept in the cache.
	Cover []string
	// Base is the precompiled standard library that the program continues, unless a package of it is under test or
	// covered. If it is nil, the program continues one that this process shares and that is kept in the cache. The
	// cache keeps only what the program adds.
	Base *Base
	// NoBase compiles the packages of the standard library that the program needs together with it: a
	// debugging aid. Output and gas are the same, addresses and memory figures are not.
	NoBase bool
	// Standalone has Build put the standard library into the image, as lowered, so that it runs where there is no
	// other. It is ignored by Compile.
	Standalone bool
	// Limits bound what compiling the program may take: the zero value is far above what real
	// programs need, UntrustedLimits is for sources of strangers. A program over a limit is
	// refused with a CompileLimitError, the same on every machine.
	Limits api.Limits
	// Progress, if set, is told how far compilation is: see Progress.
	Progress func(api.Progress)
	// Native says that instances will run machine code, so that what that takes is prepared early. It changes nothing else.
	Native bool

	// Rebuild compiles the program although the cache has it, and keeps it there.
	Rebuild bool
	// Plan, if set, is called with the program's own packages before they are compiled. If it returns ErrPlanned, so does
	// Compile, and nothing is compiled.
	Plan func([]load.Step) error

	hosts    []*hostPackage           // Host, compared with what is bound
	inputs   *load.Inputs             // records what is read, for the cache
	Moved    func(name string) string // see load.Options; such programs are not cached
	Observer Observer                 // observes the passes, for commands of this module
	BaseOnly bool                     // the cache keeps the standard library and not the program, whose IR a command shows
	now      string                   // the current stage of the compilation
	uncached bool                     // the program was made in a way that the name of its entry does not tell

	// Set when the source becomes a layer of a base: receives what programs must know of its module when
	// they are lowered.
	asBase *lower.BaseIndex
	below  *layer // the layer that this one continues, nil for the first
}

// A Program is a compiled program. It is immutable and safe for concurrent use.
type Program struct {
	unit
	native     nativeTier
	counted    nativeTier // machine code that counts what is executed (Debug.Blocks), never kept on disk
	checked    string     // why memory may hold anything: see Source.untrusted; "": it may not
	usesUnsafe string     // see load.Packages.Unsafe

	opt   *opt.Options
	stats api.CompileStats
	cover []load.CoverBlock // in the order of their counters

	crossing  *rt.Types      // of values that cross
	goroot    string         // Source.GOROOT
	hostFuncs []*rt.HostFunc // of the packages of the host that the program imports, by number
	sentinels []error        // likewise

	types []byte     // of what becomes a layer of a base: for programs that are loaded on it
	base  *layer     // the layer that the program continues, nil if it stands alone
	disk  *diskCache // nil: the program is not kept on disk

	// The snapshot that all instances start from, made for the first one.
	snapMade failure.Flight
	hosts    exec.Hosts
	snap     *rt.Snapshot

	starts starts // what instances of a library begin with instead
	warm   []int  // numbers of the exported functions that are called behind initialisation

	identity   []byte      // what states say of the program; nil: it is for none, see Source.State
	plan       *lower.Plan // of a program with an identity that comes from its source
	version    *version
	transition *transition // from the version that Source.Upgrades names; nil: there is none
	tracks     sync.Once   // makes tracked, for the first transaction
	tracked    *memory.Tracker
}

// Compile loads a program and everything that it imports, and compiles it. An error in the program is
// of type *CompileError; an *ImageError says why a portable image is refused.
func Compile(ctx context.Context, src Source) (*Program, error) {
	ctx = orBackground(ctx)
	p := &Program{opt: &opt.Options{NoPass: map[string]bool{}, Verify: src.Verify, Dump: src.Observer.Dump,
		Log: src.Observer.Log, Watch: src.Observer.Watch}, checked: src.untrusted(), goroot: src.GOROOT}
	for _, name := range src.NoPass {
		p.opt.NoPass[name] = true
	}
	if err := p.opt.Check(); err != nil {
		return nil, err
	}
	err := p.compileFor(ctx, &src)
	switch {
	case err == nil:
		if err := p.nameWarm(src.Warm); err != nil {
			return nil, err
		}
		return p, nil
	case src.Image != nil && ctx.Err() == nil:
		return nil, &api.ImageError{Err: err}
	}
	return nil, err
}

// compileFor compiles the program and gives it the host's functions.
func (p *Program) compileFor(ctx context.Context, src *Source) (err error) {
	if src.hosts, err = hostPackages(src.Host); err != nil {
		return err
	}
	if err = p.compile(ctx, src); err == nil {
		p.crossing = rt.NewTypes(p.mod)
		p.hostFuncs, p.sentinels, err = hostFuncs(p.mod, src.hosts)
	}
	return err
}

// compile goes through the stages of Compile.
func (p *Program) compile(ctx context.Context, src *Source) (err error) {
	defer src.recover(&err)
	if src.Base, err = src.base(); err != nil {
		return err
	}
	if src.Native && src.Base != nil {
		go src.Base.prefetch(p.isChecked())
	}
	disk, err := openCache(src)
	if src.State || src.Upgrades != nil {
		disk = nil // what is read from there is complete only when all functions are, and says nothing of earlier versions
	}
	p.stats.Cached, p.stats.CacheNote = api.CacheOff, cacheNote(err)
	if disk != nil {
		src.now = "reading an entry of the cache"
		if !src.Rebuild && disk.load(p, src) {
			return nil
		}
		src.inputs = &load.Inputs{}
	}
	if _, err = p.lowered(ctx, src); err == nil {
		_, err = p.optimise(ctx, src)
	}
	if err == nil && src.State {
		err = p.identify()
		if before := src.Upgrades; err == nil && before != nil {
			if before.version == nil || p.version == nil {
				return errors.New("gyr: Source.Upgrades: both programs have to be compiled from their sources, with Source.State")
			}
			p.transition = p.newTransition(before.version)
		}
	}
	if err == nil {
		p.prepare(p.base.common(), p.opt)
	}
	if err == nil && disk != nil && !src.uncached {
		src.stage("caching")
		err = disk.store(p, src.inputs)
	}
	return err
}

// recover, called by defer, turns a panic of a stage into an InternalError.
func (src *Source) recover(err *error) {
	if r := recover(); r != nil {
		*err = failure.New(src.now, r, nil)
	}
}

// untrusted reports whether machine code of the program must not trust that a word of memory has the type it should
// have: every address is then truncated to the guest's 4 GiB at the access, and every call by value checks its
// signature. That is so where the program may change memory as it likes (unsafe), where somebody may have written it who is not the program (State),
// and in everything that embedders
// compile for others, where one mistake of ours about types must not become an address of the host
// (docs/decisions/0014). It returns what is known of that before anything is read, in a word, "" if nothing is:
// Program.noteUnsafe adds to it.
func (src *Source) untrusted() string {
	for _, why := range []struct {
		word string
		is   bool
	}{
		{"image", src.Image != nil}, {"test", src.Test}, {"exports", src.Exports}, {"fs", src.FS != nil}, {"state", src.State},
	} {
		if why.is {
			return why.word
		}
	}
	return ""
}

// noteUnsafe makes the program run checked if a package of it outside the standard library imports unsafe; "" is none.
func (p *Program) noteUnsafe(pkg string) {
	if p.usesUnsafe = pkg; pkg != "" && p.checked == "" {
		p.checked = "unsafe in " + pkg
	}
}

// isChecked reports whether machine code of the program is checked.
func (p *Program) isChecked() bool { return p.checked != "" }

func (src *Source) stage(s string) {
	src.now = s
	if src.Progress != nil {
		src.Progress(api.Progress{Stage: s})
	}
	failure.At(s)
}

// load returns the loader's options for a source.
func (src *Source) load() load.Options {
	cfg := load.Options{
		Dir: src.Dir, Patterns: src.Patterns, Tags: src.Tags, Settings: src.Settings, Plan: src.Plan, Command: src.Command,
		Unsafe: src.Unsafe, GOROOT: src.GOROOT, Test: src.Test, FS: src.FS, Modules: src.Modules, Exports: src.Exports, Host: hostOptions(src.hosts),
		Inputs: src.inputs, Moved: src.Moved, Limits: src.Limits, Std: src.Base.Std(),
		NoPrune: src.asBase != nil, Internals: src.asBase != nil, NoCache: src.asBase != nil,
	}
	if src.Cache != "" {
		if dir, err := cache.Open(src.Cache); err == nil {
			cfg.TreeSums = treeSums{dir}
		}
	}
	if len(src.Cover) > 0 {
		cfg.Cover = map[string]bool{}
		for _, path := range src.Cover {
			cfg.Cover[path] = true
		}
	}
	return cfg
}

// lowered makes the module, without charges, that a source names: a portable image, a layer of the standard
// library, or a program.
func (p *Program) lowered(ctx context.Context, src *Source) (*load.Packages, error) {
	if src.Image != nil {
		return nil, p.readImage(ctx, src)
	}
	return p.frontEnd(ctx, src)
}

// frontEnd loads the source and lowers it.
func (p *Program) frontEnd(ctx context.Context, src *Source) (*load.Packages, error) {
	src.stage("loading")
	t := time.Now()
	cfg := src.load()
	var err error
	if cfg.Base, _, err = src.below.frontEnd(); err != nil {
		return nil, err
	}
	if tell := src.Progress; tell != nil {
		cfg.Checked = func(done, total int) { tell(api.Progress{Stage: "loading", Done: done, Total: total}) }
	}
	lib := &library{layer: src.below}
	if src.Base != nil {
		lib = src.Base.library(src.Progress)
		lib.layer, cfg.Library = src.below, lib
	}
	cfg.Stats = func(s load.Stats) {
		p.stats.Packages, p.stats.Checked, p.stats.CheckedStd = s.Parsed, s.Checked, s.CheckedStd
	}
	lp, err := withSources(src, cfg, func(cfg load.Options) (*load.Packages, error) { return load.Load(ctx, cfg) })
	if err != nil {
		return nil, compileError(ctx, err)
	}
	p.cover, p.stats.FrontEnd = lp.Cover, frontEnd()
	p.noteUnsafe(lp.Unsafe)
	if len(p.cover) > memory.MaxCounters {
		return nil, fmt.Errorf("gyr: %d blocks to count, at most %d: cover fewer packages", len(p.cover), memory.MaxCounters)
	}
	if src.asBase != nil {
		if p.types, err = lp.BaseTypes(); err != nil {
			return nil, err
		}
		lp.DropSyntax()
	}
	p.stats.Load = time.Since(t)
	src.stage("lowering")
	t = time.Now()
	if lp.OnBase {
		p.setBase(lib.layer)
	}
	_, base, err := p.base.frontEnd()
	if err != nil {
		return nil, err
	}
	if src.asBase != nil {
		p.mod, *src.asBase, err = lower.MakeBase(lp, base)
	} else if src.State || src.Upgrades != nil {
		p.mod, p.plan, err = lower.Successor(lp, base, src.Upgrades.layoutPlan())
	} else {
		p.mod, err = lower.Program(lp, base)
	}
	if err != nil {
		return nil, compileError(ctx, err)
	}
	p.mod.HostPackages = hostModule(src.hosts, lp.Host)
	p.stats.Functions = len(p.mod.Own())
	p.stats.Lower = time.Since(t)
	return lp, ctx.Err()
}

// compileError turns an error of the front end into the one that Compile returns.
func compileError(ctx context.Context, err error) error {
	path := (*load.HostPathError)(nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &path):
		return &api.HostPackageError{Path: path.Path, Err: errors.New("its path is that of a package of the standard library")}
	case errors.As(err, new(*api.InternalError)), errors.As(err, new(*api.CompileLimitError)), errors.As(err, new(*api.StdError)),
		errors.As(err, new(*api.NeedsGoError)), errors.Is(err, ErrPlanned):
		return err
	}
	return &api.CompileError{Err: err}
}

// optimise places the gas and runs phase A. For a module that is to become a layer of a base it also returns
// the facts that phase A found.
func (p *Program) optimise(ctx context.Context, src *Source) (facts []byte, err error) {
	src.stage("placing gas")
	if err := gas.Place(p.mod); err != nil {
		return nil, err
	}
	if src.Verify {
		if err := ir.VerifyModule(p.mod); err != nil {
			return nil, fmt.Errorf("verify: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src.stage("optimising")
	t := time.Now()
	cfg := *p.opt
	if cfg.Base, err = p.base.optFacts(); err != nil {
		return nil, err
	}
	cfg.Stop = func() bool { return ctx.Err() != nil }
	if src.asBase != nil {
		facts, err = opt.PhaseABase(p.mod, &cfg)
	} else {
		err = opt.PhaseA(p.mod, &cfg)
	}
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	// Number values like those of a module that comes from the cache, because the choice among
	// equally good registers follows the numbers.
	for _, f := range p.mod.Own() {
		f.Renumber()
	}
	p.stats.Optimise = time.Since(t)
	if src.Image != nil {
		// The optimiser is made for what lowering produces. Whatever else an image may hold must be
		// checked before it reaches the back end.
		if err := ir.VerifyModule(p.mod); err != nil {
			return nil, fmt.Errorf("optimised: %w", err)
		}
	}
	return facts, nil
}

// setBase makes the program continue a base, if b is not nil.
func (p *Program) setBase(b *layer) {
	if b != nil {
		p.base, p.stats.OnBase = b, true
	}
}

// readyOf returns what makes a function of the program ready to be compiled.
func (p *Program) readyOf(f *ir.Func) *readiness {
	if p.mod.InBase(f) {
		return &p.base.of(f).ready
	}
	return &p.ready
}

// bodyOf reads the body of a function if it is still on disk.
func (p *Program) bodyOf(f *ir.Func) error { return p.readyOf(f).body(f) }

// Passes lists the passes of the optimiser that NoPass may name, in the order in which they run, and
// the names of the groups.
func Passes() (names, groups []string) {
	return append(opt.Passes("phasea"), opt.Passes("phaseb")...), []string{"phasea", "phaseb", "all"}
}

// Stats returns figures of the compilation.
func (p *Program) Stats() api.CompileStats {
	s := p.stats
	s.Compiled, s.RunsChecked = p.register.compiled()+p.native.compiled(), p.checked
	if p.disk != nil {
		s.CacheNote = cmp.Or(s.CacheNote, p.disk.trouble.first())
	}
	if p.base != nil {
		s.CacheNote = cmp.Or(s.CacheNote, p.base.base.cacheNote())
	}
	return s
}

var dumpMu sync.Mutex // functions are prepared once; a dump prepares them eagerly

// Dump prints the functions whose names match re: their IR as compiled
// (form "ir"), or their register code ("bytecode").
func (p *Program) Dump(w io.Writer, form string, re *regexp.Regexp) error {
	dumpMu.Lock()
	defer dumpMu.Unlock()
	code, err := p.program()
	if err != nil {
		return err
	}
	for _, f := range p.mod.Funcs() {
		if f == nil || re != nil && !re.MatchString(f.Name) {
			continue
		}
		switch form {
		case "ir":
			if _, err = code.Compile(f.Index); err == nil {
				_, err = io.WriteString(w, f.String()+"\n")
			}
		case "lowered":
			_, err = io.WriteString(w, f.String()+"\n")
		case "bytecode":
			var fc *bytecode.FuncCode
			if fc, err = code.Compile(f.Index); err == nil {
				if err = fc.Print(w); err == nil {
					_, err = io.WriteString(w, "\n")
				}
			}
		default:
			err = fmt.Errorf("gyr: no form %q of code", form)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
