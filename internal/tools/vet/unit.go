package vet

import (
	"encoding/json"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A unit is one that is analysed, or whose facts are known.
type unit struct {
	*load.Unit
	key      keys
	root     bool    // somebody named it: findings are wanted
	known    *entry  // from the cache
	facts    factSet // of its objects
	findings []Report
	done     chan struct{}
}

// A Report is what one analyzer says of a unit.
type Report struct {
	Analyzer string
	Findings []Finding `json:",omitempty"`
	Err      error     `json:"-"` // the analyzer failed
}

// An action is one analyzer that runs, or has run, on a unit.
type action struct {
	*analysis.Analyzer
	result   any
	err      error
	findings []Finding
}

// analyse runs analyzers, and those that they require, on a unit whose imports have been analysed.
func (r *run) analyse(u *unit, list []*analysis.Analyzer) {
	actions := map[*analysis.Analyzer]*action{}
	var visit func(a *analysis.Analyzer) *action
	visit = func(a *analysis.Analyzer) *action {
		if act := actions[a]; act != nil {
			return act
		}
		act := &action{Analyzer: a}
		actions[a] = act
		inputs := map[*analysis.Analyzer]any{}
		var failed []string
		for _, b := range a.Requires {
			req := visit(b)
			inputs[b] = req.result
			if req.err != nil {
				failed = append(failed, b.Name)
				act.err = req.err
			}
		}
		switch {
		case len(failed) > 0 && len(a.FactTypes) == 0 && act.err == nil:
			act.err = fmt.Errorf("failed prerequisites: %s", strings.Join(failed, ", "))
		case act.err == nil:
			act.err = r.runOne(u, act, inputs)
		}
		return act
	}
	for _, a := range list {
		act := visit(a)
		if !u.root || act.err == nil && len(act.findings) == 0 {
			continue
		}
		u.findings = append(u.findings, Report{a.Name, act.findings, act.err})
	}
}

// runOne runs one analyzer on a unit. A panic is an error that names it.
func (r *run) runOne(u *unit, act *action, inputs map[*analysis.Analyzer]any) (err error) {
	defer failure.Recover(&err, "running analyzer "+act.Name+" on "+u.Path, nil)
	pass := &analysis.Pass{
		Analyzer: act.Analyzer, Fset: r.units.Fset, Files: u.Files, OtherFiles: u.Other, IgnoredFiles: u.Ignored,
		Pkg: u.Types, TypesInfo: u.Info, TypesSizes: r.units.Target(), ResultOf: inputs,
		Report: func(d analysis.Diagnostic) { act.findings = append(act.findings, finding(r.units.Fset, &d)) },
		ReadFile: func(name string) ([]byte, error) {
			r.reading.Lock()
			defer r.reading.Unlock()
			return r.units.ReadFile(u.Unit, name)
		},
		ImportObjectFact: r.importFact,
		ExportObjectFact: func(obj types.Object, f analysis.Fact) {
			if obj.Pkg() != u.Types {
				panic(fmt.Sprintf("a fact about %s, which is of another package", obj))
			}
			u.facts.set(obj, f)
		},
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportPackageFact: func(f analysis.Fact) { panic(fmt.Sprintf("a fact about a package: %T", f)) },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
		AllObjectFacts:    func() []analysis.ObjectFact { panic("all facts") },
	}
	if u.Module != "" {
		pass.Module = &analysis.Module{Path: u.Module, Version: u.Version, GoVersion: u.GoVersion}
	}
	failure.At("analyzer " + act.Name)
	act.result, err = act.Run(pass)
	return err
}

// decode reads what the cache knows of a unit, whose types are known now.
func (u *unit) decode(makers []*analysis.Analyzer) {
	if u.Types != nil {
		u.facts.decode(u.Types, u.known.Facts, makers)
	}
}

// An entry is what is kept of a unit.
type entry struct {
	Facts    []storedFact `json:",omitempty"`
	Findings []Report     `json:",omitempty"`
}

// encode returns the entry of a unit that was analysed, or nil if there should be none.
func (u *unit) encode(makers []*analysis.Analyzer) []byte {
	if slices.ContainsFunc(u.findings, func(r Report) bool { return r.Err != nil }) {
		return nil
	}
	data, err := json.Marshal(entry{u.facts.encode(makers), u.findings})
	if err != nil {
		return nil
	}
	return data
}

// analyseAll runs the analyzers on units, each after those that it imports, several at a time.
func (r *run) analyseAll(jobs int) {
	slots := make(chan struct{}, jobs)
	var wg sync.WaitGroup
	for _, u := range r.order {
		wg.Go(func() {
			defer close(u.done)
			for _, d := range u.Imports {
				<-r.byUnit[d].done
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			switch {
			case u.known != nil:
				u.decode(r.makers)
			case u.Err != nil || u.Failed || u.Types == nil || r.ctx.Err() != nil:
			case u.root:
				r.analyse(u, r.list)
			default:
				r.analyse(u, r.makers)
			}
		})
	}
	wg.Wait()
}
