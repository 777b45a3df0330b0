package bounds

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// go/types refuses types that contain themselves, but it fails on two shapes. It panics on
//
//	type A[P A[int]] = P
//
// where a type refers back to itself through the constraints of its type parameters, and an alias
// is on the way or refers back to itself as well; or where a type is an instance of an alias that
// refers back to it. And it panics or does not end on
//
//	type A[P any] B
//	type B = A[A[string]]
//
// where a type is another one, which is an instance of the first. gc fails on both, too.

// A reference is the mention of a declared type in a declaration.
type reference struct {
	to         *ast.TypeSpec
	at         token.Pos
	constraint bool // in the type parameters
	whole      bool // it is the type itself, or its generic type if the type is an instance
	instance   bool // the type is an instance of it
}

// recursive finds a top-level type of a package that has one of the two shapes. It returns an error
// in the words of go/types, or nil.
func recursive(fset *token.FileSet, files []*ast.File) []types.Error {
	var specs []*ast.TypeSpec
	named, generic := map[string]*ast.TypeSpec{}, false
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					s := s.(*ast.TypeSpec)
					specs, named[s.Name.Name] = append(specs, s), s
					generic = generic || s.TypeParams != nil
				}
			}
		}
	}
	if !generic {
		return nil
	}
	refs := map[*ast.TypeSpec][]reference{}
	for _, s := range specs {
		refs[s] = references(s, named)
	}
	for _, s := range specs {
		for _, r := range refs[s] {
			if !r.constraint && !r.instance {
				continue
			}
			follows := func(r reference) bool { return true }
			if !r.constraint && !r.to.Assign.IsValid() {
				follows = func(r reference) bool { return r.whole }
			}
			back := path(refs, r.to, s, follows)
			if back == nil && r.to != s || r.constraint && !aliasComesBack(refs, s) {
				continue
			}
			return cycle(fset, s, append([]reference{r}, back...))
		}
	}
	return nil
}

// references returns the types of a package that a declaration mentions.
func references(s *ast.TypeSpec, named map[string]*ast.TypeSpec) (list []reference) {
	params := paramNames(s.TypeParams)
	var whole ast.Expr = ast.Unparen(s.Type)
	instance := false
	switch x := whole.(type) {
	case *ast.IndexExpr:
		whole, instance = ast.Unparen(x.X), true
	case *ast.IndexListExpr:
		whole, instance = ast.Unparen(x.X), true
	}
	walk := func(e ast.Expr, constraint bool) {
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				ast.Inspect(n.Type, visit) // its names are no references
				return false
			case *ast.SelectorExpr:
				return false
			case *ast.Ident:
				if to := named[n.Name]; to != nil && !slices.Contains(params, n.Name) {
					list = append(list, reference{to, n.Pos(), constraint, n == whole, n == whole && instance})
				}
			}
			return true
		}
		ast.Inspect(e, visit)
	}
	if s.TypeParams != nil {
		for _, f := range s.TypeParams.List {
			walk(f.Type, true)
		}
	}
	walk(s.Type, false)
	return list
}

// path returns the shortest path from one declaration to another by references that count. It
// returns nil if no path exists, or if both are the same declaration.
func path(refs map[*ast.TypeSpec][]reference, from, to *ast.TypeSpec, counts func(reference) bool) []reference {
	type step struct {
		reference
		before int // in steps
	}
	steps := []step{{reference{to: from}, -1}}
	seen := map[*ast.TypeSpec]bool{from: true}
	for i := 0; i < len(steps); i++ {
		if steps[i].to == to {
			var list []reference
			for ; steps[i].before >= 0; i = steps[i].before {
				list = append(list, steps[i].reference)
			}
			slices.Reverse(list)
			return list
		}
		for _, r := range refs[steps[i].to] {
			if counts(r) && !seen[r.to] {
				seen[r.to] = true
				steps = append(steps, step{r, i})
			}
		}
	}
	return nil
}

// aliasComesBack reports whether a declaration is an alias, or is on a cycle with one.
func aliasComesBack(refs map[*ast.TypeSpec][]reference, s *ast.TypeSpec) bool {
	all := func(reference) bool { return true }
	for to := range refs {
		if to.Assign.IsValid() && (to == s || path(refs, s, to, all) != nil && path(refs, to, s, all) != nil) {
			return true
		}
	}
	return false
}

// cycle returns the error about a declaration that refers back to itself. All messages after the
// first are its details.
func cycle(fset *token.FileSet, s *ast.TypeSpec, by []reference) []types.Error {
	one := func(pos token.Pos, format string, args ...any) types.Error {
		return types.Error{Fset: fset, Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
	if len(by) == 1 {
		return []types.Error{one(s.Name.Pos(), "invalid recursive type: %s refers to itself", s.Name.Name)}
	}
	list := []types.Error{one(s.Name.Pos(), "invalid recursive type %s", s.Name.Name)}
	for _, r := range by {
		list = append(list, one(s.Name.Pos(), "\t%s refers to %s", s.Name.Name, r.to.Name.Name))
		s = r.to
	}
	return list
}
