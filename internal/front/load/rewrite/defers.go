package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// go/ssa v0.52.0 removes the RunDefers instructions of a function without Defer instructions of its
// own, even if the body of a range-over-func loop, which is a function for go/ssa, defers calls on
// its behalf. Those calls would never run. An empty deferred call
//
//	defer func() {}()
//
// at the start of such a function keeps the RunDefers and does nothing else. It must be added
// before type-checking, when the type that a loop ranges over is not yet known. So AddDefers adds
// it to all functions with a defer statement inside a range loop, and RemoveDefers removes the
// superfluous ones.

// AddDefers adds the statement where it may be needed and returns the bodies
// that it changed.
func AddDefers(f *ast.File) (changed []*ast.BlockStmt) {
	var function func(body *ast.BlockStmt)
	function = func(body *ast.BlockStmt) {
		found := false
		var walk func(n ast.Node, inRange bool)
		walk = func(n ast.Node, inRange bool) {
			ast.Inspect(n, func(c ast.Node) bool {
				switch c := c.(type) {
				case *ast.FuncLit:
					function(c.Body)
					return false
				case *ast.DeferStmt:
					found = found || inRange
				case *ast.RangeStmt:
					if c != n {
						walk(c, true)
						return false
					}
				}
				return true
			})
		}
		walk(body, false)
		if found {
			body.List = append([]ast.Stmt{emptyDefer(body.Lbrace)}, body.List...)
			changed = append(changed, body)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				function(d.Body)
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				ast.Inspect(d, func(n ast.Node) bool {
					if lit, ok := n.(*ast.FuncLit); ok {
						function(lit.Body)
						return false
					}
					return true
				})
			}
		}
	}
	return changed
}

func emptyDefer(pos token.Pos) ast.Stmt {
	return &ast.DeferStmt{
		Defer: pos,
		Call: &ast.CallExpr{
			Fun: &ast.FuncLit{
				Type: &ast.FuncType{Func: pos, Params: &ast.FieldList{Opening: pos, Closing: pos}},
				Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos},
			},
			Lparen: pos,
			Rparen: pos,
		},
	}
}

// RemoveDefers removes the added statement from functions that do not need it. It runs after
// type-checking and before SSA is built, on files that this load does not share.
func RemoveDefers(bodies []*ast.BlockStmt, info *types.Info) {
	for _, body := range bodies {
		if !defersInRangeFunc(body, info) {
			body.List = body.List[1:]
		}
	}
}

// defersInRangeFunc reports whether a defer statement of the function itself is inside a range over
// a function.
func defersInRangeFunc(body *ast.BlockStmt, info *types.Info) bool {
	found := false
	var walk func(n ast.Node, inFunc bool)
	walk = func(n ast.Node, inFunc bool) {
		ast.Inspect(n, func(c ast.Node) bool {
			switch c := c.(type) {
			case *ast.FuncLit:
				return false
			case *ast.DeferStmt:
				found = found || inFunc
			case *ast.RangeStmt:
				if c != n {
					walk(c, inFunc || isFunc(info.TypeOf(c.X)))
					return false
				}
			}
			return true
		})
	}
	walk(body, false)
	return found
}

// isFunc reports whether a range expression's type is an iterator function, or may be one for some
// type argument.
func isFunc(t types.Type) bool {
	if t == nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return types.IsInterface(t) && isTypeParam(t) && u != nil
	}
	return false
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}
