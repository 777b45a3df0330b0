package vet

import (
	"context"
	"encoding/json"
	"go/types"
	"runtime"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A Result is what became of a unit that somebody named.
type Result struct {
	Path    string   // import path, of external tests with _test behind it
	Tested  bool     // it has tests, or consists of them
	Reports []Report `json:",omitempty"` // in the order of the analyzers; of those that found something
	Err     error    `json:"-"`          // the unit, or one that it imports, cannot be loaded or does not compile
	ByDep   bool     `json:"-"`          // Err is of one that it imports
}

// failed reports whether an analyzer failed.
func (r *Result) failed() bool {
	for _, x := range r.Reports {
		if x.Err != nil {
			return true
		}
	}
	return false
}

// OK reports whether nothing is to be said.
func (r *Result) OK() bool { return r.Err == nil && len(r.Reports) == 0 }

// Stats are figures of one run.
type Stats struct {
	Recalled bool // the whole request was known
	Known    int  // units that the cache knew
	Analysed int  // units that analyzers ran on
	Note     string
}

// A run is one run over packages.
type run struct {
	ctx          context.Context
	o            *Options
	dir          *cache.Dir // nil: no cache
	list, makers []*analysis.Analyzer
	units        *load.Units
	order        []*unit
	byUnit       map[*load.Unit]*unit
	reading      sync.Mutex

	stdMu    sync.Mutex
	stdFacts map[*types.Package]*factSet
}

// Packages analyses packages, which load.List returned. The error is one of everything; what is wrong with a package is
// in its results, which have the order of the list.
func Packages(ctx context.Context, o Options, list []load.Listed) (results []Result, stats Stats, err error) {
	defer failure.Recover(&err, "analysing packages", nil)
	r := newRun(ctx, &o)
	var name cache.Name
	if o.Source.Cache != "" {
		if r.dir, err = cache.Open(o.Source.Cache); err != nil {
			stats.Note = err.Error()
		} else if name, err = o.requestName(list); err != nil {
			r.dir = nil
		} else if results, ok := o.recall(r.dir, name); ok {
			stats.Recalled = true
			return results, stats, nil
		}
	}
	r.list, r.makers = o.chosen()
	if r.units, err = engine.Units(ctx, o.Source, list); err != nil {
		return nil, stats, err
	}
	defer r.units.Close()
	if err := r.all(&stats); err != nil {
		return nil, stats, err
	}
	if err := ctx.Err(); err != nil {
		return nil, stats, err
	}
	for _, u := range r.units.Roots {
		results = append(results, r.result(r.byUnit[u]))
	}
	if r.dir != nil {
		if err := r.keep(name, results); err != nil {
			stats.Note = err.Error()
		}
	}
	return results, stats, nil
}

func newRun(ctx context.Context, o *Options) *run {
	return &run{ctx: ctx, o: o, byUnit: map[*load.Unit]*unit{}, stdFacts: map[*types.Package]*factSet{}}
}

// all finds out about the units, from the cache or by analysing them.
func (r *run) all(stats *Stats) error {
	for _, t := range r.units.All {
		u := &unit{Unit: t, done: make(chan struct{})}
		r.byUnit[t] = u
		r.order = append(r.order, u)
	}
	for _, t := range r.units.Roots {
		r.byUnit[t].root = true
	}
	if r.dir != nil {
		if err := r.keyAll(); err != nil {
			r.dir = nil
		}
	}
	whole := map[*load.Unit]bool{}
	for _, u := range r.order {
		if r.dir != nil && u.Err == nil && !u.Failed {
			u.known = r.lookUp(u.name())
		}
		switch {
		case u.known != nil:
			stats.Known++
			u.findings = u.known.Findings
		case u.Err == nil && (u.root || len(r.makers) > 0):
			stats.Analysed++
			whole[u.Unit] = true
		}
	}
	r.dropUnused(whole)
	if len(whole) == 0 {
		return nil
	}
	if err := r.units.Check(whole); err != nil {
		return err
	}
	jobs := r.o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	r.analyseAll(jobs)
	if r.dir == nil {
		return nil
	}
	for _, u := range r.order {
		if u.known != nil || u.Types == nil || u.Err != nil || u.Failed || !whole[u.Unit] {
			continue
		}
		if data := u.encode(r.makers); data != nil {
			if err := r.dir.Put(u.name(), data); err != nil {
				stats.Note = err.Error()
			}
		}
	}
	return nil
}

// dropUnused takes the units out of those to analyse that no root needs: the roots above them are known.
func (r *run) dropUnused(whole map[*load.Unit]bool) {
	needed := map[*load.Unit]bool{}
	var visit func(u *load.Unit)
	visit = func(u *load.Unit) {
		if needed[u] {
			return
		}
		needed[u] = true
		for _, d := range u.Imports {
			visit(d)
		}
	}
	for _, u := range r.units.Roots {
		if whole[u] {
			visit(u)
		}
	}
	for u := range whole {
		if !needed[u] {
			delete(whole, u)
		}
	}
}

func (r *run) lookUp(name cache.Name) *entry {
	data, err := r.dir.Get(name)
	if data == nil || err != nil {
		return nil
	}
	e := &entry{}
	if json.Unmarshal(data, e) != nil {
		return nil
	}
	return e
}

// result sums up what is known of a unit.
func (r *run) result(u *unit) Result {
	x := Result{Path: u.Path, Tested: u.ForTest != "", Reports: u.findings, Err: u.Err}
	if u.Err == nil && u.Failed {
		x.Err, x.ByDep = r.blame(u.Unit), true
	}
	return x
}

// blame returns the error of an import of a unit.
func (r *run) blame(u *load.Unit) error {
	for _, d := range u.Imports {
		if d.Err != nil {
			return d.Err
		}
		if d.Failed {
			return r.blame(d)
		}
	}
	return errImport
}

type constError string

func (e constError) Error() string { return string(e) }

const errImport = constError("an import does not compile")
