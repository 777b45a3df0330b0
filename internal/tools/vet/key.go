package vet

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/front/load"
)

// The names of entries. That of a unit follows from contents: see doc.go.

// keys are the names of the entries of a unit.
type keys struct {
	facts cache.Name // with facts alone
	whole cache.Name // with findings too
}

// keyAll gives the units their keys. Units with errors have none that anybody uses.
func (r *run) keyAll() error {
	engine, err := cache.EngineID()
	if err != nil {
		return err
	}
	common := []string{"vet", engine, r.units.Release}
	makers := append([]string{"facts"}, identity(r.makers)...)
	list := append([]string{"findings"}, identity(r.list)...)
	for _, u := range r.order {
		parts := append(append([]string{}, common...), u.Path, u.ForTest, u.Module, u.Version, u.GoVersion)
		for _, s := range u.Sources {
			parts = append(parts, s.Name, string(s.Sum[:]))
		}
		parts = append(append(parts, "library"), u.Library...)
		parts = append(parts, "imports")
		for _, d := range u.Imports {
			name := r.byUnit[d].key.facts
			parts = append(parts, d.Path, string(name[:]))
		}
		u.key.facts = cache.NameOf(append(append([]string{}, makers...), parts...))
		if !u.root {
			continue
		}
		for _, names := range [][]string{u.Other, u.Ignored} {
			parts = append(parts, fmt.Sprint(len(names)))
			for _, name := range names {
				data, err := r.units.ReadFile(u.Unit, name)
				sum := sha256.Sum256(data)
				parts = append(parts, name, fmt.Sprint(err != nil), string(sum[:]))
			}
		}
		for _, d := range u.Imports { // an import may have facts that only all the analyzers look for
			name := r.byUnit[d].key.facts
			parts = append(parts, string(name[:]))
		}
		u.key.whole = cache.NameOf(append(list, parts...))
	}
	return nil
}

// name is the one of the unit's entry for this run.
func (u *unit) name() cache.Name {
	if u.root {
		return u.key.whole
	}
	return u.key.facts
}

// requestName is that of the entry for the whole request.
func (o *Options) requestName(list []load.Listed) (cache.Name, error) {
	parts, err := o.Source.Identity()
	if err != nil {
		return cache.Name{}, err
	}
	analyzers, _ := o.chosen()
	parts = append(append(parts, "vet request"), identity(analyzers)...)
	for _, x := range list {
		dir, err := filepath.Abs(x.Dir)
		if err != nil {
			return cache.Name{}, err
		}
		parts = append(append(parts, x.Path, dir, fmt.Sprint(len(x.Files))), x.Files...)
	}
	return cache.NameOf(parts), nil
}

// recall returns the results of an earlier run for the same request, if nothing has changed since.
func (o *Options) recall(dir *cache.Dir, name cache.Name) ([]Result, bool) {
	data, err := dir.Get(name)
	if data == nil || err != nil {
		return nil, false
	}
	e, err := cache.DecodeResult(data)
	if err != nil {
		return nil, false
	}
	if current, _ := e.Current(o.Source.FS); !current {
		return nil, false
	}
	var results []Result
	if json.Unmarshal(e.Data, &results) != nil {
		return nil, false
	}
	return results, true
}

// keep remembers the results of a request, if all went well.
func (r *run) keep(name cache.Name, results []Result) error {
	for _, x := range results {
		if x.Err != nil || x.failed() {
			return nil
		}
	}
	data, err := json.Marshal(results)
	if err != nil {
		return nil
	}
	return r.dir.Put(name, (&cache.Result{Inputs: r.units.Inputs().List(), Data: data}).Encode())
}
