package load

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"
)

// The specification leaves open whether `s[i] = f()` reads s and i, and checks the index, before or
// after the call. go/ssa does it before, gc after, and programs have come to rely on gc, as with a
// stack that the call itself may replace:
//
//	vm.stack[vm.sp-1] = vm.stack[vm.sp-1].ToNumber()
//
// So an assignment whose right side calls something, and whose left side reads something and calls
// nothing, is given to go/ssa as
//
//	{ t := f(); s[i] = t }
//
// The operands of tuple and parallel assignments, and of `s[i] += f()`, are treated in the same way. So are results, for
// the sake of
//
//	var v T
//	return v, json.Unmarshal(b, &v)
//
// which is given to go/ssa as
//
//	{ t := json.Unmarshal(b, &v); return v, t }
// docs/determinism.md lists what else is open, and how it is decided.

// lateTargets rewrites the assignments of a checked file.
// It runs before SSA is built, on files that this load does not share.
func lateTargets(f *ast.File, pkg *types.Package, info *types.Info) {
	o := &targets{pkg: pkg, info: info}
	astutil.Apply(f, nil, func(c *astutil.Cursor) bool {
		if r, ok := c.Node().(*ast.ReturnStmt); ok && o.lateResults(r) {
			c.Replace(o.rewriteReturn(r))
			return true
		}
		s, ok := c.Node().(*ast.AssignStmt)
		if !ok || s.Tok == token.DEFINE {
			return true
		}
		if _, ok := c.Parent().(*ast.CommClause); ok && c.Name() == "Comm" {
			return true // go/ssa receives first
		}
		if o.late(s) {
			c.Replace(o.rewrite(s))
		}
		return true
	})
}

type targets struct {
	pkg  *types.Package
	info *types.Info
}

// late reports whether the targets of an assignment must be evaluated after its right side.
func (o *targets) late(s *ast.AssignStmt) bool {
	reads := false
	for _, l := range s.Lhs {
		if o.calls(l) {
			return false
		}
		_, name := ast.Unparen(l).(*ast.Ident)
		reads = reads || !name
	}
	if !reads {
		return false
	}
	for _, r := range s.Rhs {
		if o.calls(r) {
			return true
		}
	}
	return false
}

// lateResults reports whether a result that calls nothing, and reads something, is before one that calls.
func (o *targets) lateResults(s *ast.ReturnStmt) bool {
	reads := false
	for _, x := range s.Results {
		if o.calls(x) {
			if reads {
				return true
			}
		} else {
			reads = reads || o.reads(x)
		}
	}
	return false
}

// reads reports whether the value of an expression that calls nothing depends on a variable.
func (o *targets) reads(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			_, v := o.info.Uses[n].(*types.Var)
			found = found || v
		}
		return !found
	})
	return found
}

// calls reports whether an expression contains a call, a receive, or a map lookup below x itself, which gc evaluates
// in order.
func (o *targets) calls(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !o.inPlace(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.IndexExpr:
			if n != ast.Unparen(x) {
				t := o.info.TypeOf(n.X)
				_, m := types.Unalias(t).Underlying().(*types.Map)
				found = found || m
			}
		}
		return !found
	})
	return found
}

// inPlace reports whether a call is a conversion, or a call of a builtin function that changes
// nothing.
func (o *targets) inPlace(call *ast.CallExpr) bool {
	tv := o.info.Types[call.Fun]
	if tv.IsType() || o.info.Types[call].Value != nil {
		return true
	}
	if !tv.IsBuiltin() {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return !ok || id.Name != "copy" // unsafe.F is a selector; other builtins that change something have no value
}

// rewrite returns the statement split in two.
func (o *targets) rewrite(s *ast.AssignStmt) ast.Stmt {
	def := &ast.AssignStmt{TokPos: s.TokPos, Tok: token.DEFINE, Rhs: s.Rhs}
	set := &ast.AssignStmt{Lhs: s.Lhs, TokPos: s.TokPos, Tok: s.Tok}
	tuple, _ := o.info.TypeOf(s.Rhs[0]).(*types.Tuple)
	for i, l := range s.Lhs {
		var t types.Type
		switch blank, ok := ast.Unparen(l).(*ast.Ident); {
		case len(s.Lhs) > len(s.Rhs) && tuple != nil:
			t = types.Default(tuple.At(i).Type())
		case ok && blank.Name == "_", s.Tok != token.ASSIGN:
			t = o.info.TypeOf(s.Rhs[i])
		default:
			t = o.info.TypeOf(l)
		}
		to, from := o.value(l.Pos(), t)
		def.Lhs = append(def.Lhs, to)
		set.Rhs = append(set.Rhs, from)
	}
	return &ast.BlockStmt{Lbrace: s.Pos(), List: []ast.Stmt{def, set}, Rbrace: s.End()}
}

// rewriteReturn returns the statement behind a definition of the results that call something.
func (o *targets) rewriteReturn(s *ast.ReturnStmt) ast.Stmt {
	def := &ast.AssignStmt{TokPos: s.Return, Tok: token.DEFINE}
	ret := &ast.ReturnStmt{Return: s.Return}
	for _, x := range s.Results {
		if o.calls(x) {
			to, from := o.value(x.Pos(), types.Default(o.info.TypeOf(x)))
			def.Lhs, def.Rhs = append(def.Lhs, to), append(def.Rhs, x)
			x = from
		}
		ret.Results = append(ret.Results, x)
	}
	return &ast.BlockStmt{Lbrace: s.Pos(), List: []ast.Stmt{def, ret}, Rbrace: s.End()}
}

// value makes a variable, and returns the names that define and use it.
func (o *targets) value(pos token.Pos, t types.Type) (to, from *ast.Ident) {
	v := types.NewVar(pos, o.pkg, "value", t)
	to, from = &ast.Ident{NamePos: pos, Name: "value"}, &ast.Ident{NamePos: pos, Name: "value"}
	o.info.Defs[to] = v
	o.info.Uses[from] = v
	o.info.Types[from] = types.TypeAndValue{Type: t}
	return to, from
}
