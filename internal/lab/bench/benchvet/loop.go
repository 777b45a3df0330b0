package benchvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// This file has the checks of what a measured loop leaves behind: objects that nothing else sees,
// goroutines, deferred calls, readers at their end, and containers that grow. At its end is the
// check of what compared loops begin with.

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
	now, since := false, false
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
			if first == nil {
				first = st
			}
		default:
			work = work || s.takesTime(st)
		}
	}
	if first != nil && (work || now && since) {
		s.hint("BP33", record.HintClock, first.Pos())
	}
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

// # BP27

// sources are functions whose result can be read once, and drains functions that read their
// argument to its end.
var (
	sources = map[string][]string{"bytes": {"NewReader", "NewBuffer", "NewBufferString"}, "strings": {"NewReader"}, "bufio": {"NewReader", "NewReaderSize", "NewScanner"},
		"os": {"Open"}, "io": {"LimitReader", "NewSectionReader", "MultiReader", "TeeReader"}}
	drains = map[string][]string{"io": {"Copy", "CopyBuffer", "ReadAll", "CopyN", "ReadFull"}, "io/ioutil": {"ReadAll"}}
)

// drained finds readers that are made before a measured loop and that each iteration reads to their
// end, without a way back to their beginning.
func (s *scope) drained() {
	for _, v := range s.madeBefore(sources) {
		for _, l := range s.loops {
			if l.stmt.Pos() < v.Pos() || s.begun(l.body, v) {
				continue
			}
			inLoop(l.body, func(n ast.Node) {
				call, ok := n.(*ast.CallExpr)
				if !ok || inConditional(l.body, n) {
					return
				}
				pkg, name, _ := s.callee(call)
				is := func(x ast.Expr) bool {
					id, ok := ast.Unparen(x).(*ast.Ident)
					return ok && s.info.Uses[id] == v
				}
				if slices.Contains(drains[pkg], name) && slices.ContainsFunc(call.Args, is) {
					s.report("BP27", call.Pos(), "%s.%s reads %s to its end in the first iteration, and nothing begins it anew", pkg, name, v.Name())
				}
			})
		}
	}
}

// madeBefore are the local variables that are defined with a call of one of these functions.
func (s *scope) madeBefore(by map[string][]string) (list []types.Object) {
	s.walk(s.body, func(n ast.Node) bool {
		as, ok := n.(*ast.AssignStmt)
		if !ok || as.Tok != token.DEFINE || len(as.Rhs) != 1 || slices.ContainsFunc(s.loops, func(l *measuredLoop) bool { return within(as, l.body) }) {
			return true
		}
		if call, ok := as.Rhs[0].(*ast.CallExpr); ok {
			if pkg, name, _ := s.callee(call); slices.Contains(by[pkg], name) {
				if id, ok := as.Lhs[0].(*ast.Ident); ok && s.info.Defs[id] != nil {
					list = append(list, s.info.Defs[id])
				}
			}
		}
		return true
	})
	return list
}

// begun reports whether a loop assigns a variable, takes its address, or calls a method of it,
// which may begin it anew or fill it.
func (s *scope) begun(body ast.Node, v types.Object) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			yes = yes || changes(s, n, v)
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.AND && mentionsObject(s, n.X, v)
		case *ast.SelectorExpr:
			yes = yes || mentionsObject(s, n.X, v)
		}
		return !yes
	})
	return yes
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

// # BP34

// inputs finds sub-benchmarks that compare different code and make their inputs with the same
// function, but of different sizes. Names that hold a number, or the size of an input, say that the
// inputs are meant to differ.
func (s *scope) inputs() {
	type setup struct {
		name  string
		call  *ast.CallExpr
		made  string // the function, and its arguments but for numbers
		sizes string // numbers among its arguments
		does  string // what the loop calls
	}
	var all []setup
	for _, st := range s.body.List {
		x, ok := st.(*ast.ExprStmt)
		if !ok || s.method(x.X) != "Run" {
			continue
		}
		run := x.X.(*ast.CallExpr)
		if len(run.Args) != 2 {
			continue
		}
		name, isLit := run.Args[0].(*ast.BasicLit)
		lit, isFunc := run.Args[1].(*ast.FuncLit)
		if !isLit || !isFunc || strings.ContainsAny(name.Value, "0123456789=") {
			continue
		}
		this := setup{name: name.Value}
		calls := 0
		for _, st := range lit.Body.List {
			switch st := st.(type) {
			case *ast.AssignStmt:
				call, ok := st.Rhs[0].(*ast.CallExpr)
				if made, sizes, sized := "", "", false; ok && len(st.Rhs) == 1 && st.Tok == token.DEFINE {
					if made, sizes, sized = s.madeOf(call); sized {
						this.call, this.made, this.sizes, calls = call, made, sizes, calls+1
					}
				}
			case *ast.ForStmt:
				this.does += s.calls(st.Body)
			case *ast.RangeStmt:
				this.does += s.calls(st.Body)
			}
		}
		if calls == 1 && this.does != "" {
			all = append(all, this)
		}
	}
	for i, x := range all {
		for _, y := range all[:i] {
			if x.made == y.made && x.sizes != y.sizes && x.does != y.does {
				s.report("BP34", x.call.Pos(), "%s works on %s, %s on %s", x.name, types.ExprString(x.call), y.name, types.ExprString(y.call))
				break
			}
		}
	}
}

// madeOf takes apart a call that makes an input: what it calls and with what, without the constant
// numbers among its arguments, and these numbers.
func (s *scope) madeOf(call *ast.CallExpr) (made, sizes string, ok bool) {
	if s.isType(call) {
		return "", "", false
	}
	made = types.ExprString(call.Fun)
	for _, a := range call.Args {
		if n := s.number(a); n != 0 {
			sizes += s.info.Types[a].Value.String() + " "
		} else {
			made += " " + types.ExprString(a)
		}
	}
	return made, sizes, sizes != ""
}

// calls names what a loop's body calls, in its order.
func (s *scope) calls(body ast.Node) (names string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !s.isType(call) {
			names += types.ExprString(call.Fun) + " "
		}
		return true
	})
	return names
}
