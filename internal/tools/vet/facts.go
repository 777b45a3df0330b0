package vet

import (
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// A factSet holds what is known of objects of one package.
type factSet struct {
	mu sync.Mutex
	m  map[factKey]analysis.Fact
}

type factKey struct {
	obj types.Object
	typ reflect.Type
}

func (s *factSet) set(obj types.Object, f analysis.Fact) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[factKey]analysis.Fact{}
	}
	s.m[factKey{obj, reflect.TypeOf(f)}] = f
}

// get copies a fact to f, if there is one of that type.
func (s *factSet) get(obj types.Object, f analysis.Fact) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.m[factKey{obj, reflect.TypeOf(f)}]
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}

// A storedFact is one that is kept, for objects that other packages can reach.
type storedFact struct {
	Path  objectpath.Path
	Type  string
	Value json.RawMessage
}

// encode returns what other packages can learn, in a fixed order.
func (s *factSet) encode(makers []*analysis.Analyzer) (list []storedFact) {
	var paths objectpath.Encoder
	for k, f := range s.m {
		if len(kinds(makers, k.typ.String())) == 0 {
			continue
		}
		path, err := paths.For(k.obj)
		if err != nil {
			continue
		}
		value, err := json.Marshal(f)
		if err != nil {
			panic(fmt.Sprintf("a fact that cannot be kept: %v", err))
		}
		list = append(list, storedFact{path, k.typ.String(), value})
	}
	slices.SortFunc(list, func(a, b storedFact) int {
		if c := strings.Compare(string(a.Path), string(b.Path)); c != 0 {
			return c
		}
		return strings.Compare(a.Type, b.Type)
	})
	return list
}

// decode adds facts that were kept to the set for a package.
func (s *factSet) decode(pkg *types.Package, list []storedFact, makers []*analysis.Analyzer) {
	for _, x := range list {
		obj, err := objectpath.Object(pkg, x.Path)
		if err != nil {
			continue
		}
		for _, t := range kinds(makers, x.Type) {
			f := reflect.New(t.Elem()).Interface().(analysis.Fact)
			if json.Unmarshal(x.Value, f) == nil {
				s.set(obj, f)
			}
		}
	}
}

// kinds returns the types of facts with a name that analyzers make: one or none.
func kinds(makers []*analysis.Analyzer, name string) (list []reflect.Type) {
	for _, a := range makers {
		for _, f := range a.FactTypes {
			if t := reflect.TypeOf(f); t.String() == name {
				list = append(list, t)
			}
		}
	}
	return list
}

// importFact is the Pass.ImportObjectFact of all passes.
func (r *run) importFact(obj types.Object, f analysis.Fact) bool {
	pkg := obj.Pkg()
	if pkg == nil {
		return false
	}
	if u := r.byUnit[r.units.Of(pkg)]; u != nil {
		return u.facts.get(obj, f)
	}
	return r.std(pkg).get(obj, f)
}

// std returns what the table knows of a package of the standard library.
func (r *run) std(pkg *types.Package) *factSet {
	r.stdMu.Lock()
	defer r.stdMu.Unlock()
	s := r.stdFacts[pkg]
	if s == nil {
		s = &factSet{}
		s.decode(pkg, stdTable()[pkg.Path()], r.makers)
		r.stdFacts[pkg] = s
	}
	return s
}
