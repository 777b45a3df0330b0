package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
)

// rewritten returns the source of a program without features that yaegi does not know. Loops over
// integers become loops with three clauses: no program in programs/ assigns to the variable of such
// a loop. min and max become functions.
func rewritten(name string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("main", fset, []*ast.File{file}, info)
	if err != nil {
		return nil, err
	}
	loops, helpers := 0, map[[2]string]bool{}
	// one returns the loop for a range statement, or nil if the range is not over an integer.
	one := func(s *ast.RangeStmt) *ast.ForStmt {
		t := info.TypeOf(s.X)
		b, ok := t.Underlying().(*types.Basic)
		if !ok || b.Info()&types.IsInteger == 0 {
			return nil
		}
		typ := types.TypeString(types.Default(t), types.RelativeTo(pkg))
		loops++
		i, end := ast.NewIdent(fmt.Sprintf("loop%d", loops)), ast.NewIdent(fmt.Sprintf("end%d", loops))
		if id, ok := s.Key.(*ast.Ident); ok && id.Name != "_" {
			i = id
		}
		convert := func(x ast.Expr) ast.Expr {
			return &ast.CallExpr{Fun: ast.NewIdent(typ), Args: []ast.Expr{x}}
		}
		return &ast.ForStmt{
			Init: &ast.AssignStmt{
				Lhs: []ast.Expr{i, end}, Tok: token.DEFINE,
				Rhs: []ast.Expr{convert(&ast.BasicLit{Kind: token.INT, Value: "0"}), convert(s.X)},
			},
			Cond: &ast.BinaryExpr{X: i, Op: token.LSS, Y: end},
			Post: &ast.IncDecStmt{X: i, Tok: token.INC},
			Body: s.Body,
		}
	}
	replace := func(list []ast.Stmt) {
		for k, s := range list {
			if l, ok := s.(*ast.LabeledStmt); ok {
				if r, ok := l.Stmt.(*ast.RangeStmt); ok {
					if f := one(r); f != nil {
						l.Stmt = f
					}
				}
			} else if r, ok := s.(*ast.RangeStmt); ok {
				if f := one(r); f != nil {
					list[k] = f
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			replace(n.List)
		case *ast.CaseClause:
			replace(n.Body)
		case *ast.CommClause:
			replace(n.Body)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && info.Types[n.Fun].IsBuiltin() && (id.Name == "min" || id.Name == "max") {
				typ := types.TypeString(types.Default(info.TypeOf(n)), types.RelativeTo(pkg))
				helpers[[2]string{id.Name, typ}] = true
				id.Name = helper(id.Name, typ)
			}
		}
		return true
	})
	file.Comments = nil // their positions no longer exist
	var out bytes.Buffer
	if err := format.Node(&out, fset, file); err != nil {
		return nil, err
	}
	for h := range helpers {
		op := map[string]string{"min": "<", "max": ">"}[h[0]]
		fmt.Fprintf(&out,
			"\nfunc %s(x %s, more ...%s) %s {\n\tfor _, y := range more {\n\t\tif y %s x {\n\t\t\tx = y\n\t\t}\n\t}\n\treturn x\n}\n", helper(h[0], h[1]), h[1], h[1], h[1], op)
	}
	return out.Bytes(), nil
}

// helper names the function for min or max of a type. It treats zeros and NaNs of floating-point
// numbers differently, but they do not occur in programs/.
func helper(builtin, typ string) string { return builtin + "Of" + typ }
