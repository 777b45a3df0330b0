package vet

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// Options say how packages are analysed.
type Options struct {
	Source engine.Source // Dir, Tags, Settings, GOROOT, FS, Modules, Moved, Cache, Rebuild
	Flags  []string      // of cmd/vet: flags that select analyzers, and flags of analyzers
	Jobs   int           // units at a time; 0: as many as there are processors
}

// A Result is the outcome for a package that the user named, or for its external tests.
type Result struct {
	Path   string // import path, with _test appended for external tests
	Tested bool   // it has tests, or consists of them
	JSON   []byte // findings, as cmd/vet -json prints them
	Tree   Tree   // the same
	Err    error  // the package, or one that it imports, cannot be loaded or does not compile, or the analysis failed
	Files  []string
}

// OK reports whether the analysis succeeded without findings.
func (r *Result) OK() bool { return r.Err == nil && len(r.Tree) == 0 }

// Stats are figures of a Vetter.
type Stats struct {
	Known    int // packages whose results were in the cache
	Analysed int // packages that the suite ran on
	Note     string
}

// A Vetter analyses packages of one source. Results for one package are shared with the others. It
// is safe for concurrent use.
type Vetter struct {
	o     Options
	src   engine.Source
	facts []string // the flags that affect what importers need
	suite *suite
	dir   *cache.Dir // nil: no cache
	parts []string   // the parts that keys begin with
	slots chan struct{}

	mu      sync.Mutex
	flights map[cache.Name]*flight
	stats   Stats

	stdMu  sync.Mutex
	std    map[string]*node // of the standard library, loaded
	opened []*load.Units
}

// A NoGoError says that no Go installation was found. Its sources contain the analyzers.
type NoGoError struct{ Err error }

func (e *NoGoError) Error() string {
	return "vet needs the sources of a Go installation, which have the analyzers: " + e.Err.Error()
}
func (e *NoGoError) Unwrap() error { return e.Err }

// New returns a Vetter. It needs a Go installation, even if the source is compiled without one;
// otherwise the error is a NoGoError. The caller must call Close.
func New(o Options) (*Vetter, error) {
	v := &Vetter{o: o, src: o.Source, flights: map[cache.Name]*flight{}, std: map[string]*node{}}
	v.src.Base, v.src.Test, v.src.Cover, v.src.Progress, v.src.Patterns = nil, false, nil, nil, nil
	for _, f := range o.Flags {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); strings.Contains(name, ".") {
			v.facts = append(v.facts, f)
		}
	}
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	v.slots = make(chan struct{}, jobs)
	goroot, release, err := gomod.FindGo(v.src.GOROOT)
	if err != nil {
		return nil, &NoGoError{err}
	}
	if v.parts, err = v.common(goroot, release); err != nil {
		return nil, err
	}
	if v.src.Cache != "" {
		v.dir, err = cache.Open(v.src.Cache)
		v.note(err)
	}
	v.suite = newSuite(&o.Source)
	return v, nil
}

// Close releases what was loaded.
func (v *Vetter) Close() {
	for _, u := range v.opened {
		u.Close()
	}
}

// Stats returns figures about the work so far.
func (v *Vetter) Stats() Stats {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.stats
}

// Packages analyses packages that load.List returned. An error concerns the whole run. The results,
// in the order of the list, have the errors of packages.
func (v *Vetter) Packages(ctx context.Context, list []load.Listed) (results []Result, err error) {
	defer failure.Recover(&err, "analysing packages", nil)
	units, err := engine.Units(ctx, v.src, list)
	if err != nil {
		return nil, err
	}
	defer units.Close()
	nodes := v.nodes(units)
	results = make([]Result, len(units.Roots))
	var wg sync.WaitGroup
	for i, u := range units.Roots {
		wg.Go(func() { results[i] = v.result(ctx, nodes[u]) })
	}
	wg.Wait()
	return results, ctx.Err()
}

// result analyses one package, unless its findings are known.
func (v *Vetter) result(ctx context.Context, n *node) (r Result) {
	defer failure.Recover(&r.Err, "analysing package "+n.path, nil)
	u := n.unit
	r = Result{Path: u.Path, Tested: u.ForTest != ""}
	for _, s := range u.Sources {
		r.Files = append(r.Files, s.Name)
	}
	r.Files = append(append(r.Files, u.Other...), u.Ignored...)
	if r.Err = u.Err; r.Err == nil && u.Failed {
		r.Err = blame(u)
	}
	if r.Err != nil {
		return r
	}
	if r.JSON, r.Err = v.findings(ctx, n); r.Err != nil {
		return r
	}
	if r.Tree, r.Err = decodeTree(r.JSON); r.Err != nil {
		r.Err = errors.New("analysing package " + n.path + ": " + r.Err.Error())
	}
	return r
}

// findings returns a package's findings, from the cache or by analysing it.
func (v *Vetter) findings(ctx context.Context, n *node) ([]byte, error) {
	args := v.o.Flags
	if len(args) == 0 && n.unit.Std {
		args = []string{"-unsafeptr=false"} // as go vet does
	}
	key, err := v.findingsKey(n.units, n.unit, n.key, args)
	if err != nil {
		return nil, err
	}
	if v.dir != nil && !v.src.Rebuild {
		if data, err := v.dir.Get(key); data != nil && err == nil {
			v.count(func(s *Stats) { s.Known++ })
			return data, nil
		}
	}
	a, err := v.analyse(ctx, n, args, false)
	if err != nil {
		return nil, err
	}
	if v.dir != nil {
		v.note(v.dir.Put(key, a.tree))
	}
	return a.tree, nil
}

// blame returns the first error in a unit's imports.
func blame(u *load.Unit) error {
	for _, d := range u.Imports {
		switch {
		case d.Err != nil:
			return &ImportError{d.Path, d.Err}
		case d.Failed:
			return blame(d)
		}
	}
	return errors.New("an import does not compile")
}
