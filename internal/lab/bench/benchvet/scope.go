package benchvet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
)

// A scope is a function that has a *testing.B of its own: a benchmark, a literal that is passed to
// Run, or a helper.
type scope struct {
	*checker
	decl  *ast.FuncDecl // the declaration that it is, or is in
	body  *ast.BlockStmt
	at    token.Pos
	b     types.Object // the *testing.B
	name  string       // of b
	bench bool         // a benchmark of the package, not a literal and not a helper
	outer *scope

	counts map[types.Object]bool // variables that hold b.N
	loops  []*measuredLoop       // outermost first
	before []*measuredLoop       // such loops before the timer is started again
	inner  []*ast.FuncLit        // functions with a *testing.B of their own
}

// A measuredLoop is a loop over b.N or b.Loop.
type measuredLoop struct {
	stmt    ast.Stmt
	body    *ast.BlockStmt
	byLoop  bool         // over b.Loop
	counter types.Object // of a loop over b.N: the variable that counts to it; nil: none
}

// function checks a function and all its literals.
func (c *checker) function(d *ast.FuncDecl, typ *ast.FuncType, body *ast.BlockStmt, at token.Pos, outer *scope) {
	var b *ast.Ident
	has := false
	if typ.Params != nil {
		for _, p := range typ.Params.List {
			if proof.Harness(p.Type, c.testing) == "B" {
				has = true
				for _, id := range p.Names {
					b = id
				}
			}
		}
	}
	s := &scope{checker: c, decl: d, body: body, at: at, outer: outer, counts: map[types.Object]bool{},
		bench: outer == nil && proof.IsBenchmark(d, c.testing)}
	if b != nil {
		s.b, s.name = c.info.Defs[b], b.Name
	}
	s.collect()
	switch {
	case has && c.trial != nil:
		s.try()
	case has:
		for _, r := range Rules {
			if r.check != nil {
				r.check(s)
			}
		}
	}
	for _, lit := range s.inner {
		of := s
		if !has {
			of = outer
		}
		c.function(d, lit.Type, lit.Body, lit.Pos(), of)
	}
}

// collect finds the measured loops, and the literals that are scopes of their own.
func (s *scope) collect() {
	s.walk(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			// Loops before this call are not timed: they make inputs.
			if m := s.method(n.X); (m == "ResetTimer" || m == "StartTimer") && slices.Contains(s.body.List, ast.Stmt(n)) {
				s.before, s.loops = append(s.before, s.loops...), nil
			}
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && s.isCount(n.Rhs[i]) {
					if obj := s.object(id); obj != nil {
						s.counts[obj] = true
					}
				}
			}
		case *ast.ForStmt:
			l := &measuredLoop{stmt: n, body: n.Body}
			switch {
			case s.asks(n.Cond):
				l.byLoop = true
			case mentions(s, n.Cond) || mentions(s, n.Init):
				l.counter = s.counter(n)
			default:
				return true
			}
			s.loops = append(s.loops, l)
		case *ast.RangeStmt:
			if s.isCount(n.X) {
				s.loops = append(s.loops, &measuredLoop{stmt: n, body: n.Body})
			}
		}
		return true
	})
	ast.Inspect(s.body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && n != nil && s.ownHarness(lit) {
			s.inner = append(s.inner, lit)
			return false
		}
		return true
	})
}

// walk visits the code that the function executes, including literals without a *testing.B of their
// own.
func (s *scope) walk(n ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		if lit, ok := n.(*ast.FuncLit); ok && s.ownHarness(lit) {
			return false
		}
		return visit(n)
	})
}

// ownHarness reports whether a literal has a *testing.B as a parameter.
func (c *checker) ownHarness(lit *ast.FuncLit) bool {
	return lit.Type.Params != nil && slices.ContainsFunc(lit.Type.Params.List,
		func(p *ast.Field) bool { return proof.Harness(p.Type, c.testing) == "B" })
}

// object is the object that a name denotes.
func (c *checker) object(id *ast.Ident) types.Object {
	if obj := c.info.Defs[id]; obj != nil {
		return obj
	}
	return c.info.Uses[id]
}

// isB reports whether an expression is the scope's *testing.B.
func (s *scope) isB(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && s.b != nil && s.info.Uses[id] == s.b
}

// method returns the name of the method that a call calls on the scope's *testing.B, empty if it
// calls none.
func (s *scope) method(n ast.Node) string {
	if call, ok := n.(*ast.CallExpr); ok {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && s.isB(sel.X) {
			return sel.Sel.Name
		}
	}
	return ""
}

// isN reports whether an expression is b.N.
func (s *scope) isN(x ast.Expr) bool {
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "N" && s.isB(sel.X)
}

// isCount reports whether an expression is b.N, a conversion of it, or a variable that holds it.
func (s *scope) isCount(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		return s.isN(x)
	case *ast.Ident:
		obj := s.info.Uses[x]
		return obj != nil && s.counts[obj]
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && len(x.Args) == 1 {
			_, isType := s.info.Uses[id].(*types.TypeName)
			return isType && s.isCount(x.Args[0])
		}
	}
	return false
}

// mentions reports whether an expression or statement contains b.N.
func mentions[N ast.Node](s *scope, n N) (yes bool) {
	if ast.Node(n) == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		yes = yes || ok && s.isCount(x)
		return !yes
	})
	return yes
}

// asks reports whether a condition calls b.Loop.
func (s *scope) asks(x ast.Expr) (yes bool) {
	if x == nil {
		return false
	}
	ast.Inspect(x, func(n ast.Node) bool {
		yes = yes || n != nil && s.method(n) == "Loop"
		return !yes
	})
	return yes
}

// counter is the variable that a loop's condition compares with b.N, or that starts with b.N.
func (s *scope) counter(n *ast.ForStmt) types.Object {
	if cmp, ok := n.Cond.(*ast.BinaryExpr); ok {
		for _, x := range []ast.Expr{cmp.X, cmp.Y} {
			if id, ok := ast.Unparen(x).(*ast.Ident); ok {
				if obj := s.info.Uses[id]; obj != nil && (!s.counts[obj] || n.Init != nil) {
					if _, isVar := obj.(*types.Var); isVar {
						return obj
					}
				}
			}
		}
	}
	return nil
}

// number is the value of a constant expression; 0 if unknown.
func (c *checker) number(x ast.Expr) int64 {
	if v := c.info.Types[x].Value; v != nil && v.Kind() == constant.Int {
		n, _ := constant.Int64Val(v)
		return n
	}
	return 0
}

// callee returns the function that a call calls: its package's import path and its name. The path
// is "" for the package itself and for builtins. Only the package's own functions have a
// declaration.
func (c *checker) callee(call *ast.CallExpr) (pkg, name string, d *ast.FuncDecl) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return "", f.Name, c.funcs[c.info.Uses[f]]
	case *ast.IndexExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			return "", id.Name, c.funcs[c.info.Uses[id]]
		}
	case *ast.SelectorExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			if p, ok := c.info.Uses[id].(*types.PkgName); ok {
				return p.Imported().Path(), f.Sel.Name, nil
			}
		}
		return "", f.Sel.Name, c.funcs[c.info.Uses[f.Sel]]
	}
	return "", "", nil
}

// isType reports whether a call is a conversion.
func (c *checker) isType(call *ast.CallExpr) bool { return c.info.Types[call.Fun].IsType() }

func (c *checker) isBuiltin(call *ast.CallExpr) bool { return c.info.Types[call.Fun].IsBuiltin() }
