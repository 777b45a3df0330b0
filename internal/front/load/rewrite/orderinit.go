package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// HiddenPrefix begins the names of generated declarations. No Go source can spell it.
const HiddenPrefix = "gyr·"

// InitialisationOrder rewrites the initial values of the variables of a checked package. No
// function around them could hold statements. So a part that must be computed earlier becomes the
// initial value of a new variable, which package initialisation sets first. If definitions do not
// suffice, the value becomes the result of a function literal.
func InitialisationOrder(files []*ast.File, pkg *types.Package, info *types.Info) {
	var orderers []*orderer
	for _, f := range files {
		orderers = append(orderers, &orderer{file: f, pkg: pkg, info: info, types: newTypeFacts()})
	}
	var out []*types.Initializer
	for _, in := range info.InitOrder {
		at := slices.IndexFunc(files, func(f *ast.File) bool { return f.FileStart <= in.Rhs.Pos() && in.Rhs.Pos() <= f.FileEnd })
		if at < 0 { // written by the loader
			out = append(out, in)
			continue
		}
		o := orderers[at]
		first := o.ordered(func() {
			if len(in.Lhs) > 1 {
				o.operands(in.Rhs)
			} else if !o.elements(in.Rhs) {
				in.Rhs = o.converted(in.Rhs, in.Lhs[0].Type())
			}
		})
		if first != nil {
			out = append(out, o.initializers(first, in, len(out))...)
		}
		out = append(out, in)
	}
	info.InitOrder = out
}

// initializers returns the initialisers that come before that of a variable. number is unique to
// the variable.
func (o *orderer) initializers(first []ast.Stmt, in *types.Initializer, number int) (out []*types.Initializer) {
	decl := &ast.GenDecl{TokPos: in.Rhs.Pos(), Tok: token.VAR}
	for i, s := range first {
		def, ok := s.(*ast.AssignStmt)
		if !ok || def.Tok != token.DEFINE || i+1 < len(first) && !isDefinition(first[i+1]) {
			in.Rhs = o.literalCall(first[i:], in.Rhs, in.Lhs) // the rest needs a function
			break
		}
		set := &types.Initializer{Rhs: def.Rhs[0]}
		spec := &ast.ValueSpec{Values: def.Rhs}
		for j, l := range def.Lhs {
			id := l.(*ast.Ident)
			old := o.info.Defs[id].(*types.Var)
			v := types.NewVar(id.NamePos, o.pkg, fmt.Sprintf("%svalue%d_%d_%d", HiddenPrefix, number, i, j), old.Type())
			o.pkg.Scope().Insert(v)
			name := &ast.Ident{NamePos: id.NamePos, Name: v.Name()}
			o.info.Defs[name] = v
			delete(o.info.Defs, id)
			for _, use := range o.uses[old] {
				o.info.Uses[use] = v
			}
			spec.Names, set.Lhs = append(spec.Names, name), append(set.Lhs, v)
		}
		decl.Specs, out = append(decl.Specs, spec), append(out, set)
	}
	// go/ssa learns from the declarations which variables exist, and for which release of Go a
	// value is written.
	blank := &ast.Ident{NamePos: in.Rhs.Pos(), Name: "_"}
	o.info.Defs[blank] = types.NewVar(blank.NamePos, o.pkg, "_", in.Lhs[0].Type())
	decl.Specs = append(decl.Specs, &ast.ValueSpec{Names: []*ast.Ident{blank}, Values: []ast.Expr{in.Rhs}})
	o.file.Decls = append(o.file.Decls, decl)
	return out
}

// elements reports whether x, an initial value, is a composite literal or the address of one, and
// visits the elements. gc initialises them one after the other, as if each were a variable.
func (o *orderer) elements(x ast.Expr) bool {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return false
	}
	if t := o.literalType(lit); isMap(t) {
		return false
	}
	o.eachElement(lit, func(x ast.Expr, t types.Type) ast.Expr {
		if o.elements(x) {
			return x
		}
		return o.inPlace(o.converted(x, t), false, false)
	})
	return true
}

// isDefinition reports whether a statement defines variables.
func isDefinition(s ast.Stmt) bool {
	def, ok := s.(*ast.AssignStmt)
	return ok && def.Tok == token.DEFINE
}

// literalCall returns a call of a function literal that executes statements and returns a value.
func (o *orderer) literalCall(first []ast.Stmt, x ast.Expr, to []*types.Var) ast.Expr {
	pos := x.Pos()
	typ := &ast.FuncType{Func: pos, Params: &ast.FieldList{Opening: pos, Closing: pos}, Results: &ast.FieldList{}}
	var vars []*types.Var
	for _, v := range to {
		result := &ast.Ident{NamePos: pos, Name: "_"}
		o.info.Types[result] = types.TypeAndValue{Type: v.Type()}
		typ.Results.List = append(typ.Results.List, &ast.Field{Type: result})
		vars = append(vars, types.NewParam(pos, o.pkg, "", v.Type()))
	}
	results := types.NewTuple(vars...)
	sig := types.NewSignatureType(nil, nil, nil, nil, results, false)
	ret := &ast.ReturnStmt{Return: pos, Results: []ast.Expr{x}}
	lit := &ast.FuncLit{Type: typ, Body: &ast.BlockStmt{Lbrace: pos, List: append(first, ret), Rbrace: pos}}
	call := &ast.CallExpr{Fun: lit, Lparen: pos, Rparen: pos}
	o.info.Types[typ], o.info.Types[lit] = types.TypeAndValue{Type: sig}, types.TypeAndValue{Type: sig}
	o.info.Types[call] = types.TypeAndValue{Type: results}
	if len(to) == 1 {
		o.info.Types[call] = types.TypeAndValue{Type: to[0].Type()}
	}
	return call
}
