package risk

import (
	"go/ast"
	"go/types"
	"slices"
)

// A shared input is a parameter whose memory a function shares with others, which the function's
// old version did not.

// inputs are the parameters of a function that refer to the caller's memory, slices and maps, each
// with everything that may refer to the same memory. With shallow, variables that only refer to its
// elements are left out.
func (f *function) inputs(shallow bool) map[string]*refs {
	m := map[string]*refs{}
	for i, o := range f.operandObjects() {
		if o == nil || i == 0 {
			continue
		}
		switch underlying(o.Type()).(type) {
		case *types.Slice, *types.Map:
			m[o.Name()] = f.pkg.followDepth(shallow, f.Body, []types.Object{o})
		}
	}
	return m
}

// inputMutated: the function, or a function of the package that it calls, writes to its input,
// which the old version did not.
func inputMutated(old, f *function) (list []hit) {
	before := old.inputs(true)
	for name, r := range f.inputs(true) {
		if b := before[name]; b == nil || len(old.mutations(b)) > 0 {
			continue
		}
		for _, n := range f.mutations(r) {
			list = append(list, f.pkg.hitAt(n, "the caller's %s is written to, which was not so before", name))
		}
	}
	return list
}

// inputKept: a result, or something that outlives the call, refers to the input, which the old
// version did not. The caller may change the input later. In a new function only references made by
// unsafe count.
func inputKept(old, f *function) (list []hit) {
	before := old.inputs(false)
	for name, r := range f.inputs(false) {
		if b := before[name]; b == nil || len(old.kept(b)) > 0 {
			continue
		}
		for _, n := range f.kept(r) {
			list = append(list, f.pkg.hitAt(n, "memory of the caller's %s is kept after the return, which was copied before",
				name))
		}
	}
	return list
}

// kept are the places where references leave the function: in results, in memory that parameters
// and globals refer to, and in a pool.
func (f *function) kept(r *refs) []ast.Node {
	p := f.pkg
	list := f.returns(r)
	outer := map[types.Object]bool{}
	for _, o := range f.operandObjects() {
		if o != nil {
			outer[o] = true
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, lhs := range a.Lhs {
			if _, whole := ast.Unparen(lhs).(*ast.Ident); whole {
				if o := p.root(lhs); o == nil || !p.global(o) {
					continue
				}
			}
			o := p.root(lhs)
			if o == nil || !outer[o] && !p.global(o) {
				continue
			}
			// A part of the input that is stored in the input itself does not leave it.
			if r.has(a.Rhs[i]) && !r.seed(o) {
				list = append(list, a)
			}
		}
		return true
	})
	return list
}

// seed reports whether a variable is the input itself, and not the receiver that it was stored in.
func (r *refs) seed(o types.Object) bool {
	switch underlying(o.Type()).(type) {
	case *types.Slice, *types.Map:
		return r.vars[o]
	}
	return false
}

// castEscapes: memory of an operand, converted by unsafe instead of copied, leaves the function. It
// is part of the result, or is passed to a function outside of this package, which may write to it
// or keep it.
func castEscapes(f *function) (list []hit) {
	p := f.pkg
	for _, o := range f.operandObjects() {
		if o == nil || !refers(o.Type()) {
			continue
		}
		r := p.follow(f.Body, o)
		casts := f.castsOf(r)
		cast := func(e ast.Expr) bool { return casts.has(e) || usesUnsafe(e) && r.has(e) }
		inspectOwn(f.Body, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.ReturnStmt:
				if slices.ContainsFunc(n.Results, cast) {
					list = append(list, p.hitAt(n, "the result has memory of %s by way of unsafe, not a copy", o.Name()))
				}
			case *ast.CallExpr:
				if p.isConversion(n) || p.isBuiltin(n, "len", "cap", "append", "copy") {
					return
				}
				if path, _ := p.called(n); path == "unsafe" {
					return
				}
				if fn := p.local(n); fn != nil && p.summary(fn) != nil {
					return
				}
				if slices.ContainsFunc(n.Args, cast) {
					list = append(list, p.hitAt(n, "%s gets memory of %s by way of unsafe: it may write to it or keep it",
						p.expr(n.Fun), o.Name()))
				}
			}
		})
	}
	return list
}

// castsOf are the variables that unsafe conversions of the memory are assigned to.
func (f *function) castsOf(r *refs) *refs {
	p := f.pkg
	var seeds []types.Object
	ast.Inspect(f.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, rhs := range a.Rhs {
			if usesUnsafe(rhs) && r.has(rhs) {
				if o := p.root(a.Lhs[i]); o != nil {
					seeds = append(seeds, o)
				}
			}
		}
		return true
	})
	return p.follow(f.Body, seeds...)
}

// usesUnsafe reports whether a node uses anything of package unsafe except sizes.
func usesUnsafe(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		if sel, ok := m.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "unsafe" {
				switch sel.Sel.Name {
				case "Sizeof", "Alignof", "Offsetof":
				default:
					found = true
				}
			}
		}
		return !found
	})
	return found
}
