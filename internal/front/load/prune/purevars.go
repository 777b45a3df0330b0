package prune

import (
	"go/ast"
	"go/token"
)

// pureSpec reports whether a variable's initialisation has no effect besides the variable's value,
// so that nothing can tell whether it happened.
func pureSpec(s *ast.ValueSpec) bool {
	if len(s.Values) == 0 {
		return true
	}
	if len(s.Values) != len(s.Names) {
		return false
	}
	for i, v := range s.Values {
		// The usual assertion that a type implements an interface.
		if call, ok := v.(*ast.CallExpr); ok && s.Names[i].Name == "_" && len(call.Args) == 1 {
			if par, ok := call.Fun.(*ast.ParenExpr); ok {
				if _, ok := par.X.(*ast.StarExpr); ok && pureExpr(call.Args[0]) {
					continue
				}
			}
		}
		if !pureExpr(v) {
			return false
		}
	}
	return true
}

// pureExpr reports whether evaluating e cannot fail and has no effect.
func pureExpr(e ast.Expr) bool {
	switch e := e.(type) {
	case nil, *ast.BasicLit, *ast.Ident, *ast.FuncLit:
		return true
	case *ast.ParenExpr:
		return pureExpr(e.X)
	case *ast.KeyValueExpr:
		return pureExpr(e.Key) && pureExpr(e.Value)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if !pureExpr(x) {
				return false
			}
		}
		return true
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			_, ok := e.X.(*ast.CompositeLit)
			_, id := e.X.(*ast.Ident)
			return (ok || id) && pureExpr(e.X)
		}
		return e.Op != token.ARROW && pureExpr(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.OR, token.AND, token.XOR, token.AND_NOT:
			return pureExpr(e.X) && pureExpr(e.Y)
		}
	case *ast.CallExpr:
		// errors.New allocates an error and nothing else.
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "New" && len(e.Args) == 1 {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "errors" {
				return pureExpr(e.Args[0])
			}
		}
	}
	return false
}

// needed marks the variables as live that the rest of dead declarations mentions: in lengths of
// arrays in signatures and types, and in constants.
func (pr *Pruner) needed() {
	for _, p := range pr.order {
		if !p.Prunable {
			continue
		}
		scope := pr.scopes[p]
		dead := false
		for _, list := range scope {
			for _, n := range list {
				dead = dead || n.drop && !n.live
			}
		}
		if !dead {
			continue
		}
		keep := func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				return false
			case *ast.Ident:
				for _, m := range scope[n.Name] {
					if m.drop && !m.live {
						pr.mark(m)
					}
				}
			}
			return true
		}
		for _, f := range p.Files {
			for _, d := range f.AST.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					ast.Inspect(d.Type, keep)
				case *ast.GenDecl:
					switch d.Tok {
					case token.CONST, token.TYPE:
						ast.Inspect(d, keep)
					case token.VAR:
						for _, s := range d.Specs {
							if n := pr.nodes[s]; n.live || !n.drop {
								ast.Inspect(s, keep)
							}
						}
					}
				}
			}
		}
	}
	pr.run()
}
