package vet

import (
	"context"
	"sync"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A node is a package that may be analysed: a unit, or a package of the standard library, known by
// its path.
type node struct {
	path string
	key  cache.Name

	units   *load.Units
	unit    *load.Unit // nil: a package of the standard library, not loaded
	imports []*node
}

// A flight makes the types and facts of one package, for all that need them.
type flight struct {
	once sync.Once
	made *made
	err  error

	interrupted bool // the context of its maker ended
}

// nodes returns the nodes of units.
func (v *Vetter) nodes(of *load.Units) map[*load.Unit]*node {
	nodes := map[*load.Unit]*node{}
	for _, u := range of.All {
		n := &node{path: u.Path, units: of, unit: u}
		for _, d := range u.Imports {
			n.imports = append(n.imports, nodes[d])
		}
		for _, path := range u.Library {
			n.imports = append(n.imports, &node{path: path, key: v.libraryKey(path)})
		}
		var keys []cache.Name
		for _, d := range n.imports {
			keys = append(keys, d.key)
		}
		n.key = v.key(u, keys)
		nodes[u] = n
	}
	return nodes
}

// need returns what importers of a package need, and makes it if it does not exist. If the maker is
// interrupted, another caller that needs the package starts again.
func (v *Vetter) need(ctx context.Context, n *node) (*made, error) {
	for {
		v.mu.Lock()
		f := v.flights[n.key]
		if f == nil {
			f = &flight{}
			v.flights[n.key] = f
		}
		v.mu.Unlock()
		f.once.Do(func() {
			f.made, f.err = v.make(ctx, n)
			f.interrupted = f.err != nil && ctx.Err() != nil
		})
		if !f.interrupted {
			return f.made, f.err
		}
		v.mu.Lock()
		if v.flights[n.key] == f {
			delete(v.flights, n.key)
		}
		v.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// make does the work of need, for the first caller.
func (v *Vetter) make(ctx context.Context, n *node) (*made, error) {
	if m := v.recall(n.key); m != nil {
		return m, nil
	}
	if n.unit == nil {
		var err error
		if n, err = v.library(ctx, n.path); err != nil {
			return nil, err
		}
	}
	if n.unit.Err != nil {
		return nil, n.unit.Err
	}
	a, err := v.analyse(ctx, n, v.facts, true)
	if err != nil {
		return nil, err
	}
	v.keep(n.key, &a.made)
	return &a.made, nil
}

// analyse runs the suite on a package, after the packages that it imports.
func (v *Vetter) analyse(ctx context.Context, n *node, args []string, only bool) (*analysis, error) {
	imports, err := v.needAll(ctx, n.imports)
	if err != nil {
		return nil, err
	}
	select {
	case v.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-v.slots }()
	v.count(func(s *Stats) { s.Analysed++ })
	return v.suite.analyse(ctx, n.units, n.unit, imports, args, only)
}

// needAll is need for several packages at a time. Its result is by path.
func (v *Vetter) needAll(ctx context.Context, list []*node) (map[string]*made, error) {
	all, errs := make([]*made, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	for i, n := range list {
		wg.Go(func() { all[i], errs[i] = v.need(ctx, n) })
	}
	wg.Wait()
	imports := map[string]*made{}
	for i, n := range list {
		if errs[i] != nil {
			return nil, &ImportError{n.path, errs[i]}
		}
		imports[n.path] = all[i]
	}
	return imports, nil
}

// An ImportError says that a package cannot be analysed because of a package that it imports.
type ImportError struct {
	Path string
	Err  error
}

func (e *ImportError) Error() string { return e.Err.Error() }
func (e *ImportError) Unwrap() error { return e.Err }

// library returns the node of a package of the standard library. It loads the package if it is not
// loaded yet, and keeps the nodes of all units that this loads.
func (v *Vetter) library(ctx context.Context, path string) (*node, error) {
	v.stdMu.Lock()
	defer v.stdMu.Unlock()
	if n := v.std[path]; n != nil {
		return n, nil
	}
	src := v.src
	src.Patterns = []string{path}
	found, _, err := engine.List(ctx, src)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i].HasTests = false
	}
	units, err := engine.Units(ctx, src, found)
	if err != nil {
		return nil, err
	}
	v.opened = append(v.opened, units)
	for u, n := range v.nodes(units) {
		if v.std[u.Path] == nil {
			v.std[u.Path] = n
		}
	}
	return v.std[path], nil
}

// recall reads an entry with types and facts.
func (v *Vetter) recall(key cache.Name) *made {
	if v.dir == nil {
		return nil
	}
	e, err := v.dir.Open(key)
	if e == nil || err != nil {
		return nil
	}
	defer e.Close()
	types, err1 := e.Section(0)
	facts, err2 := e.Section(1)
	if err1 != nil || err2 != nil {
		return nil
	}
	v.count(func(s *Stats) { s.Known++ })
	return &made{types, facts}
}

func (v *Vetter) keep(key cache.Name, m *made) {
	if v.dir != nil {
		v.note(v.dir.Put(key, m.types, m.facts))
	}
}

// note keeps the first error of writing to the cache.
func (v *Vetter) note(err error) {
	if err != nil {
		v.count(func(s *Stats) {
			if s.Note == "" {
				s.Note = err.Error()
			}
		})
	}
}

func (v *Vetter) count(f func(*Stats)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f(&v.stats)
}
