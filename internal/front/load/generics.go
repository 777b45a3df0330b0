package load

import "go/types"

// sources reports whether other packages need the source of a package. They do if they may
// instantiate its generic functions or methods, or call methods of instances that the package
// itself need not have. They can get at exported functions, variables and types, and from these at
// the types of results, parameters, elements, methods, and exported and embedded fields. A generic
// type that only other fields have is out of reach.
func sources(p *types.Package) bool {
	w := apiWalk{pkg: p, seen: map[types.Type]bool{}}
	methods := false
	scope := p.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if t, ok := obj.Type().(*types.Named); ok && t.TypeParams().Len() > 0 && t.NumMethods() > 0 {
			methods = true // a field of a generic type, of any name, may have this type
		}
		if !obj.Exported() {
			continue
		}
		if fn, ok := obj.(*types.Func); ok && fn.Signature().TypeParams().Len() > 0 {
			return true
		}
		w.typ(obj.Type())
	}
	return w.method || w.generic && methods
}

// An apiWalk visits the types that other packages can get at.
type apiWalk struct {
	pkg     *types.Package
	seen    map[types.Type]bool
	generic bool // one of them is a generic type of the package
	method  bool // one of them is a non-generic type of the package with a generic method
}

func (w *apiWalk) typ(t types.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.generic = w.generic || t.Origin().TypeParams().Len() > 0 && t.Obj().Pkg() == w.pkg
		w.typ(t.Rhs())
		w.list(t.TypeArgs())
	case *types.Named:
		w.named(t)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				w.typ(f.Type())
			}
		}
	case *types.Signature:
		w.typ(t.Params())
		w.typ(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.typ(v.Type())
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			w.typ(t.ExplicitMethod(i).Type())
		}
		for e := range t.EmbeddedTypes() {
			w.typ(e)
		}
	case *types.Union:
		for x := range t.Terms() {
			w.typ(x.Type())
		}
	case *types.Map:
		w.typ(t.Key())
		w.typ(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.typ(t.Elem())
	}
}

func (w *apiWalk) list(args *types.TypeList) {
	for t := range args.Types() {
		w.typ(t)
	}
}

func (w *apiWalk) named(t *types.Named) {
	w.list(t.TypeArgs())
	if t.Obj().Pkg() != w.pkg {
		return
	}
	if t.Origin().TypeParams().Len() > 0 {
		w.generic = true
		return
	}
	for m := range t.Methods() {
		if m.Exported() {
			w.method = w.method || m.Signature().TypeParams().Len() > 0
			w.typ(m.Type())
		}
	}
	w.typ(t.Underlying())
}
