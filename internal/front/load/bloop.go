package load

import (
	"go/ast"
	"go/token"
	"go/types"
)

// # What a loop over testing.B.Loop keeps
//
// A benchmark computes values that nothing uses. In the body of a loop whose condition is a call of
// (*testing.B).Loop, gc keeps some of them since Go 1.26: the values that statements assign and the
// results of calls, or the arguments of calls without results. The code below finds the same
// expressions, and lowering consumes their values (front/lower/bloop.go), so that a benchmark
// measures the same work here. The statements that count stand in the body itself, or in a block,
// branch or loop in it. They do not stand in a function literal and do not initialise an if, switch
// or for statement. They keep
//
//   - what is assigned to a variable, to an element or field of a variable or of its pointee, or
//     to the blank identifier, by =, :=, an assignment with an operation, ++ and --, or a
//     declaration with values; but not what is assigned to *p;
//   - the results of a call if nothing takes them;
//   - the arguments of a call that has no results, with the receiver of a method that is called by
//     name.
//
// A name is kept in the state after its statement. The rule is what cmd/compile/internal/bloop
// does. Its source means to keep *p, too, but Go 1.26 does not. proof.TestLoopOverB compares gc's
// machine code with ours.

// kept has the expressions and calls of a package whose values must be computed.
type kept struct {
	exprs map[ast.Expr]bool  // as go/ssa's DebugRefs name them
	calls map[token.Pos]bool // by the position of go/ssa's Calls
}

// loopsOverB finds what the loops of a package keep, or nil if it has no such loops.
func loopsOverB(files []*ast.File, info *types.Info) *kept {
	k := &keepFinder{info: info}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if loop, ok := n.(*ast.ForStmt); ok && k.overB(loop) {
				k.stmt(loop)
			}
			return true
		})
	}
	if k.exprs == nil && k.calls == nil {
		return nil
	}
	return &k.kept
}

type keepFinder struct {
	kept
	info *types.Info
}

// overB reports whether a loop's condition is a call of (*testing.B).Loop.
func (k *keepFinder) overB(loop *ast.ForStmt) bool {
	call, ok := ast.Unparen(loop.Cond).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Loop" {
		return false
	}
	fn, ok := k.info.Uses[sel.Sel].(*types.Func)
	return ok && fn.FullName() == "(*testing.B).Loop"
}

func (k *keepFinder) list(list []ast.Stmt) {
	for _, s := range list {
		k.statement(s)
		k.stmt(s)
	}
}

// stmt goes into the blocks of a statement.
func (k *keepFinder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		k.stmt(s.Stmt)
	case *ast.BlockStmt:
		k.list(s.List)
	case *ast.ForStmt:
		k.list(s.Body.List)
	case *ast.RangeStmt:
		k.list(s.Body.List)
	case *ast.IfStmt:
		k.list(s.Body.List)
		if s.Else != nil {
			k.stmt(s.Else)
		}
	case *ast.SwitchStmt:
		k.stmt(s.Body)
	case *ast.TypeSwitchStmt:
		k.stmt(s.Body)
	case *ast.SelectStmt:
		k.stmt(s.Body)
	case *ast.CaseClause:
		k.list(s.Body)
	case *ast.CommClause:
		k.list(s.Body)
	}
}

// statement notes what a statement keeps.
func (k *keepFinder) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		k.statement(s.Stmt)
	case *ast.AssignStmt:
		k.assigned(s.Lhs, s.Rhs)
	case *ast.IncDecStmt:
		k.assigned([]ast.Expr{s.X}, nil)
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			return
		}
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) > 0 {
				lhs := make([]ast.Expr, len(v.Names))
				for i, n := range v.Names {
					lhs[i] = n
				}
				k.assigned(lhs, v.Values)
			}
		}
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if tv := (types.TypeAndValue{}); ok {
			if tv = k.info.Types[ast.Unparen(call.Fun)]; !tv.IsType() && !tv.IsBuiltin() {
				if k.calls == nil {
					k.calls = map[token.Pos]bool{}
				}
				k.calls[call.Lparen] = true
			}
		}
	}
}

// assigned notes the values of an assignment.
func (k *keepFinder) assigned(lhs, rhs []ast.Expr) {
	for i, l := range lhs {
		l = ast.Unparen(l)
		id, isName := l.(*ast.Ident)
		var r ast.Expr
		switch {
		case len(rhs) == len(lhs):
			r = ast.Unparen(rhs[i])
		case len(rhs) == 1:
			r = ast.Unparen(rhs[0])
		}
		switch {
		case isName && id.Name == "_":
			k.expr(r)
			continue
		case !k.names(l):
			continue
		}
		if sel, ok := l.(*ast.SelectorExpr); ok {
			k.expr(sel.Sel) // go/ssa takes Sel for the field
		} else {
			k.expr(l)
		}
		if _, ok := r.(*ast.CompositeLit); ok {
			k.expr(r) // it is built in the variable itself
		}
	}
}

func (k *keepFinder) expr(e ast.Expr) {
	if e == nil {
		return
	}
	if k.exprs == nil {
		k.exprs = map[ast.Expr]bool{}
	}
	k.exprs[e] = true
}

// names reports whether the target of an assignment is a variable, or a part of one or of its
// pointee.
func (k *keepFinder) names(e ast.Expr) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			_, ok := k.info.ObjectOf(x).(*types.Var)
			return ok
		case *ast.SelectorExpr:
			if k.info.Selections[x] == nil {
				_, ok := k.info.Uses[x.Sel].(*types.Var)
				return ok // a variable of another package
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.CallExpr:
			if !k.info.Types[ast.Unparen(x.Fun)].IsType() || len(x.Args) != 1 {
				return false
			}
			e = x.Args[0]
		default:
			return false
		}
	}
}

// KeepsValue reports whether a loop over testing.B keeps what an expression is, as go/ssa's
// DebugRef names it.
func (p *Packages) KeepsValue(e ast.Expr) bool { return p.keptExprs[e] }

// KeepsCall reports whether a loop over testing.B keeps the results of a call at a position, or its
// arguments.
func (p *Packages) KeepsCall(pos token.Pos) bool { return p.keptCalls[pos] }

// keep collects what the loops of all packages keep, and makes go/ssa note where the values are.
func (p *Packages) keep(order []*pkg) {
	for _, q := range order {
		k := q.out.kept
		if k == nil || q.out.SSA == nil {
			continue
		}
		q.out.SSA.SetDebugMode(true)
		if p.keptExprs == nil {
			p.keptExprs, p.keptCalls = map[ast.Expr]bool{}, map[token.Pos]bool{}
		}
		for e := range k.exprs {
			p.keptExprs[e] = true
		}
		for c := range k.calls {
			p.keptCalls[c] = true
		}
	}
}
