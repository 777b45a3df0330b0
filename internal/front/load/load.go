package load

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/load/target"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

// A loader is the state of one Load.
type loader struct {
	cfg *Options
	gomod.Env
	overlay filetree.Tree
	match   *target.Matcher
	impure  *target.Matcher // without the tag purego; nil if the user sets it
	locks   *target.Matcher // for packages that lock files
	mods    *gomod.Modules
	cache   *stdCache // nil: no cache
	base    *Base     // nil: no base
	library Library   // supplies base; nil: nothing does
	pending []*pkg    // packages of the library whose base is not known yet

	workers chan struct{} // held while reading or parsing a file

	mu   sync.Mutex
	wg   sync.WaitGroup
	pkgs map[key]*pkg

	stop context.CancelCauseFunc // ends ctx, with a reason

	limits   [budget.Accounts]api.Limits   // cfg.Limits, by whose packages they count
	bytes    [budget.Accounts]atomic.Int64 // bytes of files that were read so far
	measured [budget.Accounts]api.Limits   // what was counted so far, but for SourceBytes

	exports    []ir.Export
	unsafe     string // see Packages.Unsafe
	restricted bool   // restrictEarly has passed
	forUnits   bool   // for LoadUnits: sources are analysed, not compiled

	checkedPkgs []*checked // in the order of their dependencies
	stats       Stats
}

// A pkg is a package on its way through the loader.
type pkg struct {
	place
	importPath string // as errors print it
	dirPath    string // import path of its directory, for the rule on internal packages
	name       string
	base       *basePackage       // nil if the package is not in the base
	part       *basePart          // the part of base that was read
	blanks     map[string]*blanks // of a package of the base that is read from source
	answered   map[string]bool    // names of the declarations that answers replace
	test       bool               // with its _test.go files
	generated  bool               // the main package of a test binary
	given      map[string]*pkg    // packages that replace imports in the program under test, by path
	internals  bool               // it may import internal packages of std
	named      []string           // files named on the command line
	assembly   bool               // it has assembly files, without code
	files      []*file
	xfiles     []*file     // files of the external test package
	errs       diag.Errors // errors of loading, at positions in files of this package
	noFiles    *diag.Error // the one among them that says that no file belongs to the build
	syntax     diag.Errors
	limit      error // error of a file that was too large to parse
	embeds     []*embedVar
	imports    map[string]*pkg // by path as written in the import; nil if an error was reported
	loaded     chan struct{}   // closed when files and name are set

	deps  []*pkg // distinct imports, by path
	index int    // in dependency order
	state int    // of the depth-first search
	out   *Package

	// For packages that are analysed (see Units):
	forTest        string   // path of the package whose tests it is for
	other, ignored []string // names of files in other languages, and of excluded files
}

// newLoader prepares a loader, and sets defaults for fields of cfg that are not set.
func newLoader(ctx context.Context, cfg *Options) (*loader, error) {
	l := &loader{cfg: cfg, pkgs: map[key]*pkg{}}
	var err error
	if cfg.Limits, err = budget.Filled(cfg.Limits); err != nil {
		return nil, err
	}
	for a := range budget.Accounts {
		l.limits[a] = a.Of(cfg.Limits)
	}
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	l.Env = gomod.Env{Getenv: cfg.Getenv, ModFlag: cfg.Settings.Mod, ModFile: cfg.Settings.ModFile, TreeSums: cfg.TreeSums, NoGo: cfg.Std != nil}
	if cfg.Overlay == nil {
		cfg.Overlay = guest.Source
	}
	if cfg.KeepNames == nil {
		cfg.KeepNames = DefaultKeepNames
	}
	l.User, l.Machine, l.overlay = filetree.Tree{FS: cfg.FS, Rec: cfg.Inputs, Moved: cfg.Moved}, filetree.Tree{Rec: cfg.Inputs},
		filetree.Tree{FS: cfg.Overlay}
	l.User.Replaced = filetree.NewOverlay(cfg.Settings.Replace)
	l.workers = make(chan struct{}, min(max(2, runtime.GOMAXPROCS(0)), 4))
	if err := l.setDir(); err != nil {
		return nil, err
	}
	if cfg.Modules != "" {
		if cfg.Modules, err = filepath.Abs(cfg.Modules); err != nil {
			return nil, diag.Errorf("%v", err)
		}
	}
	l.ModulesDir = cfg.Modules
	if cfg.Std != nil {
		l.GOROOT, l.GoVersion = gomod.StdRoot, cfg.Std.Release
	} else if l.GOROOT, l.GoVersion, err = gomod.FindGOROOT(ctx, cfg.GOROOT, cfg.Getenv); err != nil {
		return nil, err
	}
	if l.Release, err = release.Check(l.GoVersion); err != nil {
		return nil, diag.Errorf("%s: %v", l.GoVersion, err)
	}
	if err := target.CheckTags(l.Release, cfg.Tags); err != nil {
		return nil, err
	}
	l.match = target.New(l.Release, cfg.Tags)
	l.locks = l.match.OnLinux()
	if !slices.Contains(cfg.Tags, target.PureTag) {
		l.impure = l.match.Without(target.PureTag)
	}
	l.Ctx, l.stop = context.WithCancelCause(ctx)
	return l, nil
}

// close ends the loader's goroutines, waits for them, and releases open files.
func (l *loader) close() {
	l.stop(nil)
	l.wg.Wait()
	l.Env.Close()
}

// Load loads the program that cfg describes. Errors in the program are of type [diag.Errors].
func Load(ctx context.Context, cfg Options) (*Packages, error) {
	p, err := load(ctx, cfg)
	if e := (*baseError)(nil); errors.As(err, &e) {
		if cfg.Std != nil {
			return nil, &SourcesError{What: e.need, Program: e.program}
		}
		cfg.Base, cfg.Library = nil, nil
		p, err = load(ctx, cfg)
	}
	if e := (*tooMuch)(nil); errors.As(err, &e) {
		return nil, measure(ctx, cfg, e)
	}
	return p, err
}

func load(ctx context.Context, cfg Options) (p *Packages, err error) {
	defer failure.Recover(&err, "loading", nil)
	l, err := newLoader(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	defer l.close()
	if cfg.counting {
		defer func() {
			l.wg.Wait()
			p, err = nil, cmp.Or(l.ended(), l.overBytes())
		}()
	}
	l.WatchTrees(cap(l.workers))
	defer func() {
		if changed := l.Unmodified(); changed != nil {
			p, err = nil, changed
		}
	}()
	if cfg.Base != nil && cfg.Base.fits(l) {
		l.base = cfg.Base
	}
	if cfg.Library != nil && !l.coversStd() {
		l.library = cfg.Library
	}
	if cfg.Std != nil && l.library == nil && l.base == nil {
		return nil, errCoverStd
	}
	if !cfg.NoCache {
		l.cache = cacheFor(l)
	}

	if err := l.checkHost(); err != nil {
		return nil, err
	}
	mainPkg, err := l.mainPackage()
	if err != nil {
		l.wg.Wait()
		return nil, cmp.Or(l.overLimit(), err)
	}
	for _, path := range implicitImports {
		pl, _ := l.stdPlace(path)
		l.need(pl)
	}
	l.wg.Wait()
	if err := cmp.Or(l.ended(), l.overLimit()); err != nil {
		return nil, err
	}
	if cfg.Exports {
		if err := l.addExports(mainPkg); err != nil {
			return nil, err
		}
	}
	target := mainPkg
	if cfg.Test {
		if mainPkg, err = l.testMain(mainPkg); err != nil {
			return nil, err
		}
		l.addHashes(mainPkg)
	}
	l.addZones(mainPkg)
	if err := cmp.Or(l.ended(), l.overLimit()); err != nil || cfg.counting {
		return nil, err
	}
	if err := l.restrictEarly(mainPkg); err != nil {
		return nil, err
	}
	if err := l.settle(); err != nil {
		return nil, err
	}
	order, err := l.sort(mainPkg)
	if err != nil {
		return nil, err
	}
	if errs := syntaxErrors(order); errs != nil {
		return nil, errs
	}
	if err := l.checkMain(mainPkg); err != nil {
		return nil, err
	}
	if errs := l.restrict(order); errs != nil {
		return nil, errs
	}
	if errs := l.refuseVars(order); errs != nil {
		return nil, errs
	}
	if cfg.Plan != nil {
		if err := cfg.Plan(stepsOf(order)); err != nil {
			return nil, err
		}
	}
	if err := l.readBase(order); err != nil {
		return nil, err
	}
	pr, pruned := l.prune(order)
	p = &Packages{
		GoVersion: l.GoVersion, Release: l.Release, Exports: l.exports, Host: hostPaths(order), Cover: numberCover(order), OnBase: l.base != nil,
		Unsafe: l.unsafe,
		Limits: cfg.Limits, Measured: new(api.Limits), Ended: ctx.Err,
		base: l.base, whole: cfg.NoPrune, tags: slices.Sorted(slices.Values(cfg.Tags)),
		trim: cfg.Settings.TrimPath,
	}
	if p.GODEBUG, err = l.godebug(target); err != nil {
		return nil, err
	}
	p.BuildInfo = l.buildInfo(mainPkg, order)
	if p.Fset, err = l.fileSet(order); err != nil {
		return nil, err
	}
	if err := l.check(order, p.Fset, pr, pruned); err != nil {
		return nil, err
	}
	if cfg.Exports {
		l.describeExports(mainPkg)
	}
	if err := l.boundedProgram(order, p.Fset); err != nil {
		return nil, err
	}
	if err := l.sizes(order, p.Fset); err != nil {
		return nil, err
	}
	if err := l.build(p, order, mainPkg); err != nil {
		return nil, err
	}
	*p.Measured = l.taken()
	if cfg.Stats != nil {
		cfg.Stats(l.stats)
	}
	return p, nil
}

// try calls f on one of the loader's goroutines. A panic of f ends the load with an error.
func (l *loader) try(stage string, p *pkg, f func()) {
	err := func() (err error) {
		defer failure.Recover(&err, stage, func() api.Position {
			return api.Position{Func: "package " +
				p.importPath}
		})
		failure.At(stage)
		f()
		return nil
	}()
	if err != nil {
		l.stop(err)
	}
}

// overLimit returns the error of a file that was too large to parse, from the first package by path
// that has one.
func (l *loader) overLimit() error {
	var first *pkg
	for _, p := range l.pkgs {
		if p.limit != nil && (first == nil || p.path < first.path) {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	return first.limit
}

// ended reports why the load must end: its context ended, or one of its goroutines failed.
func (l *loader) ended() error {
	if l.Ctx.Err() == nil {
		return nil
	}
	return context.Cause(l.Ctx)
}

// implicitImports are the packages that every program contains, because lowered code calls them.
var implicitImports = []string{"runtime"}

// setDir makes the configured directory absolute.
func (l *loader) setDir() error {
	if l.User.FS != nil {
		l.Dir = l.cfg.Dir
		if l.Dir == "" {
			l.Dir = "."
		}
		return nil
	}
	dir, err := filepath.Abs(l.cfg.Dir)
	if err != nil {
		return diag.Errorf("%v", err)
	}
	if !l.User.IsDir(dir) {
		return diag.Errorf("directory %s does not exist", l.cfg.Dir)
	}
	l.Dir = dir
	return nil
}

// sort returns the packages that main needs, dependencies first, or the errors
// of loading them.
func (l *loader) sort(main *pkg) ([]*pkg, error) {
	var order, stack []*pkg
	var errs diag.Errors
	var visit func(p, importer *pkg)
	visit = func(p, importer *pkg) {
		switch p.state {
		case 1:
			errs = append(errs, l.cycle(stack[slices.Index(stack, p):]))
			return
		case 2:
			return
		}
		p.state = 1
		if p.noFiles != nil && importer != nil {
			p.noFiles.Pos = l.importOf(importer, p)
		}
		if e := l.claimed(p, importer); e != nil {
			errs = append(errs, e)
		}
		stack = append(stack, p)
		for _, q := range p.imports {
			if q != nil && !slices.Contains(p.deps, q) {
				p.deps = append(p.deps, q)
			}
		}
		slices.SortFunc(p.deps, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
		own := append(slices.Clone(p.errs), l.checkImported(p)...)
		slices.SortStableFunc(own, diag.ComparePositions)
		errs = append(errs, own...)
		for _, q := range p.deps {
			visit(q, p)
		}
		stack = stack[:len(stack)-1]
		p.state = 2
		p.index = len(order)
		order = append(order, p)
	}
	if l.usurped(&main.place, main.importPath) != nil {
		return nil, main.errs // packages that import it need no error of their own
	}
	for _, path := range implicitImports {
		visit(l.stdPkg(path), nil)
	}
	visit(main, nil)
	if i := slices.IndexFunc(errs, func(e *diag.Error) bool { return e.Fatal }); i >= 0 {
		return nil, errs[i : i+1]
	}
	if errs != nil {
		return nil, errs
	}
	return order, nil
}

// syntaxErrors returns the syntax errors of all packages. No later stage sees a file with syntax
// errors.
func syntaxErrors(order []*pkg) (errs diag.Errors) {
	for _, p := range order {
		errs = append(errs, diag.CompileErrors(p.syntax)...)
	}
	return errs
}

// checkMain checks that the program's package can run.
func (l *loader) checkMain(main *pkg) error {
	if main.name != "main" && !l.cfg.Exports && !l.cfg.Any {
		return diag.Errorf("package %s is not a main package", main.importPath)
	}
	return nil
}
