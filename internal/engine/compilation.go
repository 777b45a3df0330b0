package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A compilation is one source on its way to a program. It has everything that changes on that way.
// Of the settings in Source only Base changes: it becomes the base that the program continues.
type compilation struct {
	Source
	hosts    []*hostPackage   // Host, compared with what is bound
	inputs   *filetree.Inputs // records what is read, for the cache
	now      string           // the current stage
	uncached bool             // the name of the entry does not cover the way in which the program was made
	first    bool             // no other has used the base

	// asBase is set when the source becomes a layer of a base. It receives what lowering of
	// programs must know of the layer's module.
	asBase *lower.BaseIndex
	below  *layer // the layer that this one continues, nil for the first
}

// Compile loads a program and everything that it imports, and compiles it. An error in the program
// is of type *CompileError; an *ImageError says why a portable image is refused.
func Compile(ctx context.Context, src Source) (*Program, error) {
	ctx = orBackground(ctx)
	p := &Program{opt: &opt.Options{NoPass: map[string]bool{}, Verify: src.Verify, Dump: src.Observer.Dump,
		Log: src.Observer.Log, Watch: src.Observer.Watch, Tests: src.Test}, checked: src.untrusted(), goroot: src.GOROOT}
	for _, name := range src.NoPass {
		p.opt.NoPass[name] = true
	}
	if err := p.opt.Check(); err != nil {
		return nil, err
	}
	c := &compilation{Source: src}
	err := p.compileFor(ctx, c)
	if err == nil && src.Resident {
		p, err = p.fromEntry(c)
	}
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
func (p *Program) compileFor(ctx context.Context, c *compilation) (err error) {
	if c.hosts, err = hostPackages(c.Host); err != nil {
		return err
	}
	if err = p.compile(ctx, c); err == nil {
		err = p.bind(c)
	}
	return err
}

// bind gives the program the host's functions.
func (p *Program) bind(c *compilation) (err error) {
	p.crossing = rt.NewTypes(p.mod)
	p.hostFuncs, p.sentinels, err = hostFuncs(p.mod, c.hosts)
	return err
}

// compile goes through the stages of Compile.
func (p *Program) compile(ctx context.Context, c *compilation) (err error) {
	defer c.recover(&err)
	if c.Base, err = c.base(); err != nil {
		return err
	}
	c.first = c.Base != nil && c.Base.compilations.Add(1) == 1
	if c.Native && c.Base != nil {
		go c.Base.prefetch(p.isChecked())
	}
	disk, err := c.openCache()
	p.stats.Cached, p.stats.CacheNote = api.CacheOff, cacheNote(err)
	if disk != nil {
		c.now = "reading an entry of the cache"
		if !c.Rebuild && disk.load(p, &c.Source) {
			return nil
		}
		c.inputs = &filetree.Inputs{}
	}
	if _, err = p.lowered(ctx, c); err == nil {
		_, err = p.optimise(ctx, c)
	}
	if err == nil && c.State {
		err = p.identify()
		if before := c.Upgrades; err == nil && before != nil {
			was, err := before.asVersion()
			if err != nil {
				return err
			}
			if was == nil || p.version == nil {
				return errors.New("gyr: CompileOptions.Upgrades: both programs have to be compiled from their sources, with CompileOptions.State")
			}
			p.transition = p.newTransition(was)
		}
	}
	if err == nil {
		p.prepare(p.base.common(), p.opt)
	}
	if err == nil && disk != nil && !c.uncached {
		c.stage("caching")
		err = disk.store(p, c.inputs)
	}
	return err
}

// recover, called by defer, turns a panic of a stage into an InternalError.
func (c *compilation) recover(err *error) {
	if r := recover(); r != nil {
		*err = failure.New(c.now, r, nil)
	}
}

// untrusted reports whether machine code of the program must not trust that a word of memory has
// its type. Then every address is truncated to the guest's 4 GiB at the access, and every call by
// value checks its signature. There are three reasons: the program may change memory freely
// (unsafe); memory may come from an untrusted state (State); or an embedder compiles the program
// for others, where a mistake of ours about types must not become an address of the host
// (docs/decisions/0014). The result is the reason in a word, as far as it is known before anything
// is read, or "": Program.noteUnsafe adds to it.
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

func (c *compilation) stage(s string) {
	c.now = s
	if c.Progress != nil {
		c.Progress(api.Progress{Stage: s})
	}
	failure.At(s)
}

// load returns the loader's options.
func (c *compilation) load() load.Options {
	cfg := load.Options{
		Dir: c.Dir, Patterns: c.Patterns, Tags: c.Tags, Settings: c.Settings, Plan: c.Plan, Command: c.Command,
		Unsafe: c.Unsafe, GOROOT: c.GOROOT, Test: c.Test, FS: c.FS, Modules: c.Modules, Exports: c.Exports, Host: hostOptions(c.hosts),
		Inputs: c.inputs, Moved: c.Moved, Limits: c.Limits, Std: c.Base.Std(),
		NoPrune: c.asBase != nil, Internals: c.asBase != nil, NoCache: c.asBase != nil,
	}
	if c.Cache != "" {
		if dir, err := cache.Open(c.Cache); err == nil {
			cfg.TreeSums = treeSums{dir}
		}
	}
	if len(c.Cover) > 0 {
		cfg.Cover = map[string]bool{}
		for _, path := range c.Cover {
			cfg.Cover[path] = true
		}
	}
	return cfg
}

// lowered makes the module that a source names, without charges: a portable image, a layer of the
// standard library, or a program.
func (p *Program) lowered(ctx context.Context, c *compilation) (*load.Packages, error) {
	if c.Image != nil {
		return nil, p.readImage(ctx, c)
	}
	return p.frontEnd(ctx, c)
}

// frontEnd loads the source and lowers it.
func (p *Program) frontEnd(ctx context.Context, c *compilation) (*load.Packages, error) {
	c.stage("loading")
	t := time.Now()
	cfg := c.load()
	var err error
	if cfg.Base, _, err = c.below.frontEnd(); err != nil {
		return nil, err
	}
	if tell := c.Progress; tell != nil {
		cfg.Checked = func(done, total int) { tell(api.Progress{Stage: "loading", Done: done, Total: total}) }
	}
	lib := &library{layer: c.below}
	if c.Base != nil {
		lib = c.Base.library(c.Progress)
		lib.layer, cfg.Library = c.below, lib
	}
	cfg.Stats = func(s load.Stats) {
		p.stats.Packages, p.stats.Checked, p.stats.CheckedStd = s.Parsed, s.Checked, s.CheckedStd
	}
	lp, err := withSources(c, cfg, func(cfg load.Options) (*load.Packages, error) { return load.Load(ctx, cfg) })
	if err != nil {
		return nil, compileError(ctx, err)
	}
	p.cover, p.stats.FrontEnd = lp.Cover, frontEnd()
	p.noteUnsafe(lp.Unsafe)
	if len(p.cover) > memory.MaxCounters {
		return nil, fmt.Errorf("gyr: %d blocks to count, at most %d: cover fewer packages", len(p.cover), memory.MaxCounters)
	}
	if c.asBase != nil {
		if p.types, err = lp.BaseTypes(); err != nil {
			return nil, err
		}
		lp.DropSyntax()
	}
	p.stats.Load = time.Since(t)
	lp.Shift = c.Shift
	c.stage("lowering")
	t = time.Now()
	if lp.OnBase {
		p.setBase(lib.layer)
	}
	_, base, err := p.base.frontEnd()
	if err != nil {
		return nil, err
	}
	if c.asBase != nil {
		p.mod, *c.asBase, err = lower.MakeBase(lp, base)
	} else if c.State || c.Upgrades != nil {
		var before *lower.Plan
		if before, err = c.Upgrades.layoutPlan(); err != nil {
			return nil, err
		}
		p.mod, p.plan, err = lower.Successor(lp, base, before)
	} else {
		p.mod, err = lower.Program(lp, base)
	}
	if err != nil {
		return nil, compileError(ctx, err)
	}
	p.mod.HostPackages = hostModule(c.hosts, lp.Host)
	p.stats.Functions, p.stats.Measured = len(p.mod.Own()), *lp.Measured
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

// optimise places the gas and runs phase A. For a module that is to become a layer of a base it
// also returns the facts that phase A found.
func (p *Program) optimise(ctx context.Context, c *compilation) (facts []byte, err error) {
	c.stage("placing gas")
	if err := gas.Place(p.mod); err != nil {
		return nil, err
	}
	if c.Verify {
		if err := ir.VerifyModule(p.mod); err != nil {
			return nil, fmt.Errorf("verify: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.stage("optimising")
	t := time.Now()
	cfg := *p.opt
	if cfg.Base, err = p.base.optFacts(); err != nil {
		return nil, err
	}
	cfg.Stop = func() bool { return ctx.Err() != nil }
	if c.asBase != nil {
		facts, err = opt.PhaseABase(p.mod, &cfg)
	} else {
		err = opt.PhaseA(p.mod, &cfg)
	}
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	// Number values as in a module from the cache, because the choice among equally good registers
	// follows the numbers.
	for _, f := range p.mod.Own() {
		f.Renumber()
	}
	p.stats.Optimise = time.Since(t)
	if c.Image != nil {
		// The optimiser is made for the output of lowering. Anything else in an image must be
		// checked before it reaches the back end.
		if err := ir.VerifyModule(p.mod); err != nil {
			return nil, fmt.Errorf("optimised: %w", err)
		}
	}
	return facts, nil
}
