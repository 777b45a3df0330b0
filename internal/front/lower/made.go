package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Function literals that gc makes for other expressions. A method or function that gets its type
// arguments at run time needs a function around it to be a value. That function has a number among
// the literals of the enclosing function. gc makes one for
//
//   - a method value x.M, if M is generic, the type of x is a type parameter, or the type that
//     declares M depends on type parameters;
//   - a method expression T.M, called or not, if M is generic or T depends on type parameters,
//     unless T is an interface or a type parameter itself;
//   - an instance of a generic function that is not called, if its type arguments depend on type
//     parameters.
//
// The loader makes literals for method expressions of generic methods, too, so these are among
// go/ssa's literals. Other method expressions and instances of functions have no function around
// them here, and have the names of the functions that they denote. They only count for the numbers
// of others.

// madeLiterals has the literals of a declared function and of the functions inside it, in the order
// of the source. The key is the enclosing literal or body of a range over a function, or nil.
type madeLiterals map[ast.Node][]numbered

// A numbered is a literal, or an expression for which gc makes one.
type numbered struct {
	pos  token.Pos // of the literal or the name of the method or function
	made bool
}

// madeNumber returns the number, among the literals of outer, of the literal made for the
// expression with a name at pos, or 0.
func (l *lowerer) madeNumber(outer *ssa.Function, pos token.Pos) int {
	for i, x := range l.numberedIn(outer) {
		if x.made && x.pos == pos {
			return i + 1
		}
	}
	return 0
}

// madeBefore counts the literals that are made for other expressions in outer, before the literal
// at pos.
func (l *lowerer) madeBefore(outer *ssa.Function, pos token.Pos) (n int) {
	for _, x := range l.numberedIn(outer) {
		if !x.made && x.pos == pos {
			return n
		}
		if x.made {
			n++
		}
	}
	return 0 // no literal of the source
}

func (l *lowerer) numberedIn(outer *ssa.Function) []numbered {
	declared := instanceOf(outer)
	if o := declared.Origin(); o != nil {
		declared = o
	}
	m, ok := l.made[declared]
	if !ok {
		m = l.findMade(declared)
		l.made[declared] = m
	}
	if outer.Parent() == nil {
		return m[nil]
	}
	return m[outer.Syntax()]
}

// findMade walks through a declared function, or the initialisers of a package. It returns nil if
// gc makes no literals there.
func (l *lowerer) findMade(fn *ssa.Function) madeLiterals {
	p := l.prog.PackageOfTypes(pkgOf(fn))
	if p == nil || p.Info == nil || len(p.Info.Selections) == 0 && len(p.Info.Instances) == 0 {
		return nil
	}
	f := madeFinder{info: p.Info, bodiesOwn: l.prog.Release.BodiesOwn, list: madeLiterals{}, called: map[*ast.Ident]bool{}}
	f.generic = fn.TypeParams().Len() > 0
	if !f.generic && !l.usesGenericMethods(p.Info) {
		return nil
	}
	switch {
	case fn.Syntax() != nil:
		f.walk(fn.Syntax(), nil)
	case fn.Synthetic == "package initializer":
		for _, in := range p.Info.InitOrder {
			f.walk(in.Rhs, nil)
		}
	}
	if !f.found {
		return nil
	}
	return f.list
}

// usesGenericMethods reports whether a package has instances of generic methods.
func (l *lowerer) usesGenericMethods(info *types.Info) bool {
	uses, ok := l.generic[info]
	if !ok {
		for id := range info.Instances {
			if fn, isFunc := info.Uses[id].(*types.Func); isFunc && fn.Signature().Recv() != nil {
				uses = true
				break
			}
		}
		l.generic[info] = uses
	}
	return uses
}

type madeFinder struct {
	info      *types.Info
	bodiesOwn bool
	generic   bool
	list      madeLiterals
	called    map[*ast.Ident]bool // functions and methods
	found     bool
}

// walk enters the literals and expressions in root, which belongs to owner.
func (f *madeFinder) walk(root, owner ast.Node) {
	add := func(pos token.Pos, made bool) {
		f.list[owner] = append(f.list[owner], numbered{pos, made})
		f.found = f.found || made
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if n.Body.Lbrace != n.Body.Rbrace { // the loader's have both braces in one place: see load/rewrite/defers.go
				add(n.Type.Func, false)
			}
			f.walk(n.Body, n)
			return false
		case *ast.RangeStmt:
			if !rangesOverFunc(f.info.TypeOf(n.X)) {
				break
			}
			body := owner
			if f.bodiesOwn {
				body = n
			}
			f.walk(n.Body, body)
			f.callee(n.X) // gc calls it with the body as an argument, which exists already
			f.walk(n.X, owner)
			return false
		case *ast.CallExpr:
			f.callee(n.Fun)
		case *ast.SelectorExpr:
			if sel := f.info.Selections[n]; sel != nil && f.makes(n, sel) {
				add(n.Sel.Pos(), true)
			}
		case *ast.Ident:
			if fn, ok := f.info.Uses[n].(*types.Func); ok && !f.called[n] && fn.Signature().Recv() == nil {
				for t := range f.info.Instances[n].TypeArgs.Types() {
					if f.depends(t) {
						add(n.Pos(), true)
						break
					}
				}
			}
		}
		return true
	})
}

// makes reports whether gc makes a literal for a selection.
func (f *madeFinder) makes(x *ast.SelectorExpr, sel *types.Selection) bool {
	switch sel.Kind() {
	case types.MethodVal:
		if f.called[x.Sel] {
			return false
		}
		m := sel.Obj().(*types.Func).Signature()
		if _, ok := types.Unalias(sel.Recv()).(*types.TypeParam); ok || m.TypeParams().Len() > 0 {
			return true
		}
		return !types.IsInterface(m.Recv().Type()) && f.depends(m.Recv().Type())
	case types.MethodExpr: // of a non-generic method
		return !types.IsInterface(sel.Recv()) && f.depends(sel.Recv())
	}
	return false
}

// callee notes the name in f, x.f or x.f[T] that a call calls.
func (f *madeFinder) callee(fun ast.Expr) {
	x := ast.Unparen(fun)
	switch i := x.(type) {
	case *ast.IndexExpr:
		x = i.X
	case *ast.IndexListExpr:
		x = i.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		f.called[x] = true
	case *ast.SelectorExpr:
		f.called[x.Sel] = true
	}
}

func rangesOverFunc(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// depends reports whether a type that is named in a function depends on the function's type
// parameters. If the function has any, the types that it declares depend on them.
func (f *madeFinder) depends(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if f.depends(arg) {
				return true
			}
		}
		obj := t.Obj()
		return f.generic && obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope()
	case *types.Signature:
		return f.depends(t.Params()) || f.depends(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if f.depends(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if f.depends(v.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if f.depends(m.Type()) {
				return true
			}
		}
	case *types.Map:
		return f.depends(t.Key()) || f.depends(t.Elem())
	case interface{ Elem() types.Type }: // arrays, slices, pointers, channels
		return f.depends(t.Elem())
	}
	return false
}
