package research

import (
	"go/ast"
	"go/token"
)

// A nil slice equals an empty one, since lists with room for elements take the place of nil ones in many
// right changes. But a function whose text says which one it returns, as return nil or []T{}, promises it:
// JSON, comparisons with nil and reflect.DeepEqual tell them apart.

// nils has a set of bits for each function: the results for which its text decides between nil and empty.
func (p *sourcePackage) nils() map[string]uint64 {
	bits := map[string]uint64{}
	for name, f := range p.functions {
		if b := decided(f.decl); b != 0 {
			bits[name] = b
		}
	}
	return bits
}

// decided returns the results for which a function decides, as bits. A return statement gives such a result
// as nil, without an error, or as an empty list, perhaps by a variable. No return statement gives it by
// another variable, which may be either.
func decided(f *ast.FuncDecl) uint64 {
	var says, open uint64
	results := f.Type.Results
	if results.NumFields() == 0 {
		return 0
	}
	last, _ := results.List[len(results.List)-1].Type.(*ast.Ident)
	fails := last != nil && last.Name == "error"
	empty := map[string]bool{} // variables that begin as empty lists
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok && len(n.Rhs) == len(n.Lhs) && isEmptyList(n.Rhs[i]) {
					empty[id.Name] = true
				}
			}
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				open = ^uint64(0)
			}
			if fails && len(n.Results) > 0 && !isNil(n.Results[len(n.Results)-1]) {
				return true
			}
			for i, x := range n.Results {
				id, _ := x.(*ast.Ident)
				switch {
				case isNil(x), isEmptyList(x), id != nil && empty[id.Name]:
					says |= 1 << i
				case id != nil:
					open |= 1 << i
				}
			}
		}
		return true
	})
	return says &^ open
}

func isNil(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "nil"
}

// isEmptyList reports whether an expression is []T{} or make([]T, 0).
func isEmptyList(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CompositeLit:
		list, ok := x.Type.(*ast.ArrayType)
		return ok && list.Len == nil && len(x.Elts) == 0
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.Ident); !ok || f.Name != "make" || len(x.Args) != 2 {
			return false
		}
		_, list := x.Args[0].(*ast.ArrayType)
		n, ok := x.Args[1].(*ast.BasicLit)
		return list && ok && n.Kind == token.INT && n.Value == "0"
	}
	return false
}
