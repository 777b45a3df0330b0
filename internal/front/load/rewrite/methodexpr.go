package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// go/ssa v0.52.0 forgets the type parameters of a method when it substitutes the receiver of a
// method expression, and then cannot instantiate it:
//
//	func f[E any](t *T[E]) { (*T[E]).M[int](t, 1) }
//
// gc makes a function literal for each method expression of a generic method, with a number among
// the literals of its function. The code below does the same. It gives go/ssa
//
//	func(r *T[E], p0 int) R { return r.M[int](p0) }
//
// The call alone has the meaning of the source: the identifier M in it is the source's, with the
// type checker's information about it.

// MethodExpressions rewrites the method expressions of generic methods in a checked file.
// It runs before SSA is built, on files that this load does not share.
func MethodExpressions(files []*ast.File, pkg *types.Package, info *types.Info) {
	m := &methodExprs{pkg: pkg, info: info}
	found := false
	for x := range info.Selections {
		if found = m.isGeneric(x); found {
			break
		}
	}
	if !found {
		return
	}
	for _, f := range files {
		astutil.Apply(f, func(c *astutil.Cursor) bool {
			x, ok := c.Node().(ast.Expr)
			if !ok {
				return true
			}
			of := x
			switch x := x.(type) {
			case *ast.IndexExpr:
				of = x.X
			case *ast.IndexListExpr:
				of = x.X
			}
			sel, ok := of.(*ast.SelectorExpr)
			if !ok || !m.isGeneric(sel) {
				return true
			}
			c.Replace(m.literal(sel, x))
			return false
		}, nil)
	}
}

type methodExprs struct {
	pkg  *types.Package
	info *types.Info
}

// isGeneric reports whether T.M is a method expression of a generic method.
func (m *methodExprs) isGeneric(x *ast.SelectorExpr) bool {
	s := m.info.Selections[x]
	return s != nil && s.Kind() == types.MethodExpr && s.Obj().(*types.Func).Signature().TypeParams().Len() > 0
}

// literal returns the function literal for T.M, or for T.M with type arguments after it.
func (m *methodExprs) literal(of *ast.SelectorExpr, whole ast.Expr) *ast.FuncLit {
	at := whole.Pos()
	s := m.info.Selections[of]
	method := m.info.Instances[of.Sel].Type.(*types.Signature)
	isValue, isType := m.info.Types[whole], m.info.Types[of.X]
	typed := func(tv types.TypeAndValue, t types.Type) types.TypeAndValue {
		tv.Type = t
		return tv
	}
	typ := &ast.FuncType{Func: at, Params: &ast.FieldList{Opening: at, Closing: at}}
	field := func(list *ast.FieldList, t types.Type) *ast.Field {
		name := &ast.Ident{NamePos: at, Name: "_"}
		m.info.Types[name] = typed(isType, t)
		f := &ast.Field{Type: name}
		list.List = append(list.List, f)
		return f
	}
	var vars []*types.Var
	param := func(name string, t types.Type) *ast.Ident {
		v := types.NewParam(at, m.pkg, name, t)
		vars = append(vars, v)
		id, use := &ast.Ident{NamePos: at, Name: name}, &ast.Ident{NamePos: at, Name: name}
		m.info.Defs[id], m.info.Uses[use] = v, v
		m.info.Types[use] = typed(isValue, t)
		field(typ.Params, t).Names = []*ast.Ident{id}
		return use
	}
	sel := &ast.SelectorExpr{X: param("r", s.Recv()), Sel: of.Sel}
	typ.Params.List[0].Type = of.X
	m.info.Selections[sel] = types.NewMethodSet(s.Recv()).Lookup(s.Obj().Pkg(), s.Obj().Name())
	call := &ast.CallExpr{Fun: sel, Lparen: at, Rparen: at}
	switch x := whole.(type) { // type arguments stay in the syntax
	case *ast.IndexExpr:
		call.Fun = &ast.IndexExpr{X: sel, Lbrack: x.Lbrack, Index: x.Index, Rbrack: x.Rbrack}
	case *ast.IndexListExpr:
		call.Fun = &ast.IndexListExpr{X: sel, Lbrack: x.Lbrack, Indices: x.Indices, Rbrack: x.Rbrack}
	}
	for i := range method.Params().Len() {
		call.Args = append(call.Args, param(fmt.Sprint("p", i), method.Params().At(i).Type()))
	}
	if method.Variadic() {
		call.Ellipsis = at
	}
	sig := types.NewSignatureType(nil, nil, nil, method.Params(), method.Results(), method.Variadic())
	m.info.Types[sel], m.info.Types[call.Fun] = typed(isValue, sig), typed(isValue, sig)
	body := &ast.BlockStmt{Lbrace: at}
	switch r := method.Results(); r.Len() {
	case 0:
		m.info.Types[call] = typed(isValue, r)
		body.List = []ast.Stmt{&ast.ExprStmt{X: call}}
	case 1:
		m.info.Types[call] = typed(isValue, r.At(0).Type())
	default:
		m.info.Types[call] = typed(isValue, r)
	}
	if body.List == nil {
		typ.Results = &ast.FieldList{}
		for v := range method.Results().Variables() {
			field(typ.Results, v.Type())
		}
		body.List = []ast.Stmt{&ast.ReturnStmt{Return: at, Results: []ast.Expr{call}}}
	}
	sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(vars...), method.Results(), method.Variadic())
	lit := &ast.FuncLit{Type: typ, Body: body}
	m.info.Types[typ], m.info.Types[lit] = typed(isType, sig), typed(isValue, sig)
	return lit
}

// IsMethodExpr reports whether a function literal was made for a method expression. Like gc's
// literal, it is a wrapper that no traceback shows.
func IsMethodExpr(lit *ast.FuncLit) bool {
	return lit.Body.Lbrace.IsValid() && !lit.Body.Rbrace.IsValid()
}
