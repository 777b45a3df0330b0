package benchvet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// This file has the checks of what a measured loop leaves behind: objects that nothing else sees,
// goroutines, deferred calls and containers that grow, and where it reads the clock.

// # BP05

// framed finds objects that a loop makes and only reads the fields of, where it does nothing else
// that takes time. Compilers keep such objects in the frame, or make none.
func (s *scope) framed() {
	for _, l := range s.loops {
		for _, st := range l.body.List {
			as, ok := st.(*ast.AssignStmt)
			if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 1 || len(as.Rhs) != 1 || !s.makesObject(as.Rhs[0]) {
				continue
			}
			id, ok := as.Lhs[0].(*ast.Ident)
			if !ok || s.info.Defs[id] == nil || !s.fieldsAlone(l.body, s.info.Defs[id]) {
				continue
			}
			if !slices.ContainsFunc(l.body.List, func(o ast.Stmt) bool { return o != st && s.takesTime(o) }) {
				s.report("BP05", as.Pos(), "only fields of %s are used, so it never is on the heap", id.Name)
			}
		}
	}
}

// makesObject reports whether an expression is new(T) or &T{…}, of operands that take no time.
func (s *scope) makesObject(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		_, name, _ := s.callee(x)
		return s.isBuiltin(x) && name == "new"
	case *ast.UnaryExpr:
		lit, ok := x.X.(*ast.CompositeLit)
		return ok && x.Op == token.AND && !s.takesTime(&ast.ExprStmt{X: lit})
	}
	return false
}

// fieldsAlone reports whether all uses of a variable are selections of fields whose address is not
// taken, and at least one of them reads.
func (s *scope) fieldsAlone(body ast.Node, v types.Object) bool {
	uses, fields, reads := 0, 0, 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if s.info.Uses[n] == v {
				uses++
			}
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && s.info.Uses[id] == v {
				if f, ok := s.info.Uses[n.Sel].(*types.Var); ok && f.IsField() {
					fields++
					reads++
				}
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if sel, ok := x.(*ast.SelectorExpr); ok && n.Tok == token.ASSIGN {
					if id, ok := sel.X.(*ast.Ident); ok && s.info.Uses[id] == v {
						reads--
					}
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && mentionsObject(s, n.X, v) {
				uses++ // an address, which may leave
			}
		}
		return true
	})
	return uses == fields && reads > 0
}

// mentionsObject reports whether a node names an object.
func mentionsObject(s *scope, n ast.Node, v types.Object) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		yes = yes || ok && s.info.Uses[id] == v
		return !yes
	})
	return yes
}

// # BP33

// clock notes where a measured loop reads the clock to take times itself: it does, or has something
// else to do. A loop that does nothing but read the clock measures the clock.
func (s *scope) clock(l *measuredLoop) {
	var first ast.Node
	now, since := false, false // in the loop itself
	reads := func(n ast.Node) (yes bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				pkg, name, _ := s.callee(call)
				if pkg == "time" && (name == "Now" || name == "Since") {
					now, since, yes = now || name == "Now", since || name == "Since", true
				}
			}
			return true
		})
		return yes
	}
	work := false
	for _, st := range l.body.List {
		switch {
		case inConditional(l.body, st):
		case reads(st):
			first = cmp.Or(first, ast.Node(st))
		case s.timesIn(st):
			first, work = cmp.Or(first, ast.Node(st)), true
		default:
			work = work || s.takesTime(st)
		}
	}
	if first != nil && (work || now && since) {
		s.hint("BP33", record.HintClock, first.Pos())
	}
}

// timesIn reports whether a statement calls a helper of the tests that takes the time of a function
// that it is given.
func (s *scope) timesIn(st ast.Stmt) (yes bool) {
	inLoop(st, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		_, _, d := s.callee(call)
		if d == nil || !strings.HasSuffix(s.fset.Position(d.Pos()).Filename, "_test.go") ||
			!slices.ContainsFunc(d.Type.Params.List, func(p *ast.Field) bool { _, ok := p.Type.(*ast.FuncType); return ok }) {
			return
		}
		now, since := false, false
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				pkg, name, _ := s.callee(call)
				now, since = now || pkg == "time" && name == "Now", since || pkg == "time" && name == "Since" || pkg == "" && name == "Sub"
			}
			return true
		})
		yes = yes || now && since
	})
	return yes
}

// # BP31

// unawaited finds goroutines that a measured loop starts and that the function cannot wait for: it
// uses nothing of what they use in a call, with a channel, or in a condition.
func (s *scope) unawaited() {
	for _, l := range s.loops {
		inLoop(l.body, func(n ast.Node) {
			g, ok := n.(*ast.GoStmt)
			if ok && !s.awaits(g) {
				s.report("BP31", g.Pos(), "the goroutine is started, and nothing waits for it")
			}
		})
	}
}

func (s *scope) awaits(g *ast.GoStmt) (yes bool) {
	shared := map[types.Object]bool{}
	ast.Inspect(g, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.info.Uses[id].(*types.Var); ok && !within(posNode(v.Pos()), g) {
				shared[v] = true
			}
		}
		return true
	})
	uses := func(n ast.Node) bool {
		for v := range shared {
			if mentionsObject(s, n, v) {
				return true
			}
		}
		return false
	}
	ast.Inspect(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return n != g
		case *ast.CallExpr:
			_, name, d := s.callee(n)
			// A function of the package may wait for anything; so may one whose name says so.
			yes = yes || uses(n) || d != nil && !s.isBuiltin(n) && s.purityOf(d) != pureLeaf || strings.Contains(strings.ToLower(name), "wait") || slices.ContainsFunc(n.Args, s.isB)
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.ARROW
		case *ast.SelectStmt, *ast.SendStmt:
			yes = true
		case *ast.RangeStmt:
			yes = yes || uses(n.X)
		case *ast.ForStmt:
			yes = yes || n.Cond != nil && uses(n.Cond)
		}
		return !yes
	})
	return yes
}

// A posNode is a place as a node without length.
type posNode token.Pos

func (p posNode) Pos() token.Pos { return token.Pos(p) }
func (p posNode) End() token.Pos { return token.Pos(p) }

// inLoop visits what each iteration executes itself: no function literals.
func inLoop(body ast.Node, visit func(ast.Node)) {
	ast.Inspect(body, func(n ast.Node) bool {
		if n != nil {
			visit(n)
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
}

// # BP32

// deferred finds calls that a measured loop defers to the end of the whole function.
func (s *scope) deferred() {
	for _, l := range s.loops {
		inLoop(l.body, func(n ast.Node) {
			if d, ok := n.(*ast.DeferStmt); ok {
				s.report("BP32", d.Pos(), "the deferred calls of all iterations run after the last one")
			}
		})
	}
}

// # BP13

// grows finds lists and maps that are made before a measured loop, and that each iteration adds to.
func (s *scope) grows() {
	for _, l := range s.loops {
		for _, st := range l.body.List {
			as, ok := st.(*ast.AssignStmt)
			if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 || as.Tok != token.ASSIGN {
				continue
			}
			v, what := s.grown(l, as)
			if v == nil || within(posNode(v.Pos()), l.stmt) || s.emptied(l.body, as, v) || s.sizedByN(v) {
				continue
			}
			s.report("BP13", as.Pos(), "%s gets %s in each iteration, and keeps it", v.Name(), what)
		}
	}
}

// grown is the variable to which an assignment appends, or whose entry for the loop's counter it
// sets; nil: none.
func (s *scope) grown(l *measuredLoop, as *ast.AssignStmt) (types.Object, string) {
	switch x := as.Lhs[0].(type) {
	case *ast.Ident:
		call, ok := as.Rhs[0].(*ast.CallExpr)
		if !ok || !s.isBuiltin(call) || len(call.Args) < 2 {
			return nil, ""
		}
		_, name, _ := s.callee(call)
		if id, ok := call.Args[0].(*ast.Ident); ok && name == "append" && s.object(id) == s.object(x) && s.object(x) != nil {
			return s.object(x), "an element"
		}
	case *ast.IndexExpr:
		id, ok := x.X.(*ast.Ident)
		if !ok || s.info.Types[x.X].Type == nil {
			return nil, ""
		}
		_, isMap := s.info.Types[x.X].Type.Underlying().(*types.Map)
		key, ok := ast.Unparen(x.Index).(*ast.Ident)
		if isMap && ok && s.isCounter(l, s.info.Uses[key]) {
			return s.info.Uses[id], "an entry"
		}
	}
	return nil, ""
}

// isCounter reports whether a variable counts the iterations of a loop.
func (s *scope) isCounter(l *measuredLoop, v types.Object) bool {
	if v == nil {
		return false
	}
	if r, ok := l.stmt.(*ast.RangeStmt); ok {
		id, ok := r.Key.(*ast.Ident)
		return ok && s.object(id) == v
	}
	return v == l.counter
}

// emptied reports whether a loop makes a container smaller or anew, or gives it to other code,
// besides the assignment that adds to it.
func (s *scope) emptied(body ast.Node, adds *ast.AssignStmt, v types.Object) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n == adds {
				return false
			}
			yes = yes || changes(s, n, v)
		case *ast.CallExpr:
			if _, name, _ := s.callee(n); !s.isBuiltin(n) || name == "delete" || name == "clear" {
				yes = yes || slices.ContainsFunc(n.Args, func(x ast.Expr) bool { return mentionsObject(s, x, v) })
			}
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.AND && mentionsObject(s, n.X, v)
		}
		return !yes
	})
	return yes
}

// sizedByN reports whether a variable's first value has room for all iterations.
func (s *scope) sizedByN(v types.Object) (yes bool) {
	s.walk(s.body, func(n ast.Node) bool {
		if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 && changesOrDefines(s, as, v) {
			yes = yes || mentions(s, as.Rhs[0])
		}
		return !yes
	})
	return yes
}

func changesOrDefines(s *scope, as *ast.AssignStmt, v types.Object) bool {
	return slices.ContainsFunc(as.Lhs, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && s.object(id) == v
	})
}
