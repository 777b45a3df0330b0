package benchvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A Rule is a kind of mistake with its cause and cure, one sentence each. Several checks may report
// one code.
type Rule struct {
	Code  string
	Error bool // the figure does not mean what it says; else the conclusion may be different
	Title string
	Cause string
	Cure  string
	check func(*scope)
}

// Rules are the checks of the sources.
var Rules = []Rule{
	{"BP04", false, "result unused",
		"Nobody uses the result of a function that only computes, so a compiler may leave the call out.",
		"Keep the result: use b.Loop, store it in a package variable, or return it from a //gyr:bench function.", (*scope).dropped},
	{"BP05", false, "allocation removed",
		"An object whose fields alone are used lives in the frame, or nowhere, so its allocation is not measured.",
		"Let the object leave the loop: store it in a package variable, or return it from a //gyr:bench function with inline=never.", (*scope).framed},
	{"BP10", true, "b not followed",
		"The measured part does not run as often as its b says, or tells another b, so the figures are not those of an iteration.",
		"Run the measured code in one loop over b.Loop or b.N, of the b that the function was given.", (*scope).iterations},
	{"BP11", true, "b.N as a size",
		"b.N is the size of an input, so the work of an iteration depends on how many iterations there are.",
		"Choose sizes yourself, one sub-benchmark each, and let b.N count iterations alone.", (*scope).sizes},
	{"BP12", false, "setup within the time",
		"What is not measured stands within the time that is.",
		"Use b.Loop, which leaves out what comes before it, or call b.ResetTimer once behind the setup; make inputs of all iterations beforehand.", (*scope).timers},
	{"BP13", false, "state grows",
		"Each iteration adds to something that lives as long as the run, so its cost depends on how many there were.",
		"Begin every iteration from the same state, of a size that does not depend on b.N.", (*scope).grows},
	{"BP27", true, "state remembered",
		"The first iteration leaves nothing to do for the others.",
		"Make the reader anew in every iteration, or begin it anew with Reset or Seek.", (*scope).drained},
	{"BP31", true, "work not awaited",
		"The loop starts work and does not wait for it, so the time is that of starting it.",
		"Wait for the work before an iteration ends, or for all of it before the timer stops.", (*scope).unawaited},
	{"BP32", false, "deferred calls pile up",
		"The calls that an iteration defers run when the benchmark returns, and all of them wait in memory until then.",
		"Move the body of the loop into a function, so that each iteration runs what it defers.", (*scope).deferred},
	{"BP34", false, "inputs differ",
		"Benchmarks that are compared work on inputs of different sizes, which their names do not tell.",
		"Give all of them the same input, or put its size into their names.", (*scope).inputs},
}

// TrialRules are the mistakes that a trial shows.
var TrialRules = []Rule{
	{"BP12", false, "input made each time",
		"Each iteration makes its input anew, which always is the same, and the time is in good part that of making it.",
		"Make the input before the loop; if iterations change it, let each begin with a copy.", nil},
	{"BP35", false, "error ignored",
		"A call fails in every iteration and its error is ignored, so the time is that of failing.",
		"Look at the error and call b.Fatal, or say in the benchmark's name that it measures a failure.", nil},
}

// # BP04

// dropped finds pure calls in loops over b.N whose results are unused. Loops over b.Loop keep
// results.
func (s *scope) dropped() {
	for _, l := range s.loops {
		if l.byLoop {
			continue
		}
		s.walk(l.body, func(n ast.Node) bool {
			var call *ast.CallExpr
			switch n := n.(type) {
			case *ast.ExprStmt:
				call, _ = n.X.(*ast.CallExpr)
			case *ast.AssignStmt:
				if len(n.Rhs) == 1 && n.Tok == token.ASSIGN && !slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return !isBlank(x) }) {
					call, _ = n.Rhs[0].(*ast.CallExpr)
				}
			}
			if call != nil && !s.isType(call) && !s.isBuiltin(call) && s.leaf(call) && !s.worksFor(call) && !inConditional(l.body, call) {
				s.report("BP04", call.Pos(), "the result of %s is dropped", types.ExprString(call.Fun))
			}
			return true
		})
	}
}

// worksFor reports whether calls that stay compute operands of a call, its receiver included.
func (s *scope) worksFor(call *ast.CallExpr) (yes bool) {
	ast.Inspect(call, func(n ast.Node) bool {
		x, ok := n.(*ast.CallExpr)
		yes = yes || ok && x != call && !s.isType(x) && !s.leaf(x)
		return !yes
	})
	return yes
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// # BP10

func (s *scope) iterations() {
	s.parents()
	s.mixed()
	for _, l := range s.loops {
		s.counterOf(l)
	}
	if s.bench && len(s.loops) == 0 && !s.delegates() {
		s.report("BP10", s.at, "there is no loop over b.N or b.Loop")
	}
}

// delegates reports whether a benchmark without a loop leaves the loop to others, or is skipped: it
// passes b on, or b.N (which is BP11's business).
func (s *scope) delegates() (yes bool) {
	if s.b == nil {
		return false
	}
	selected := map[*ast.Ident]bool{}
	ast.Inspect(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && s.isB(id) {
				selected[id] = true
				switch n.Sel.Name {
				case "N", "Loop", "Run", "RunParallel", "Skip", "SkipNow", "Skipf", "Fatal", "Fatalf", "FailNow":
					yes = true
				}
			}
		case *ast.Ident:
			yes = yes || !selected[n] && s.isB(n)
		}
		return true
	})
	return yes
}

// parents finds uses of an outer function's b in a function that has its own.
func (s *scope) parents() {
	for o := s.outer; o != nil; o = o.outer {
		if o.b == nil || o.b == s.b {
			continue
		}
		s.walk(s.body, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !o.isB(sel.X) {
				return true
			}
			switch sel.Sel.Name {
			case "N", "Loop", "RunParallel", "SetBytes", "ReportMetric":
				s.report("BP10", sel.Pos(), "%s.%s is of the function around, not of this sub-benchmark", o.name, sel.Sel.Name)
			case "ResetTimer", "StartTimer", "StopTimer":
				s.report("BP12", sel.Pos(), "%s.%s is of the function around, whose timer is not that of this sub-benchmark", o.name, sel.Sel.Name)
			}
			return true
		})
	}
}

// mixed finds loops over b.N beside, around or inside one over b.Loop. Uses of b.N after the loop
// are right: there it is the number of iterations.
func (s *scope) mixed() {
	i := slices.IndexFunc(s.loops, func(l *measuredLoop) bool { return l.byLoop })
	if i < 0 {
		return
	}
	loop := s.loops[i]
	for _, l := range s.loops {
		if !l.byLoop {
			s.report("BP10", l.stmt.Pos(), "a loop over b.N besides one over b.Loop, within which b.N is 0")
		}
	}
	s.walk(loop.body, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && s.isN(x) && !slices.ContainsFunc(s.loops, func(l *measuredLoop) bool { return !l.byLoop && within(x, l.stmt) }) {
			s.report("BP10", x.Pos(), "b.N is 0 within a loop over b.Loop")
		}
		return true
	})
}

func within(n, outer ast.Node) bool { return n.Pos() >= outer.Pos() && n.End() <= outer.End() }

// counterOf finds loops whose counter does not count iterations: the post statement and the body
// both change it, or neither does. A loop without post statement may count as it likes, and a loop
// with an inner loop may count the inner one's rounds.
func (s *scope) counterOf(l *measuredLoop) {
	f, ok := l.stmt.(*ast.ForStmt)
	if !ok || l.counter == nil || f.Post == nil {
		return
	}
	inPost, inBody := changes(s, f.Post, l.counter), token.NoPos
	anywhere, nested := false, false
	for _, st := range l.body.List {
		switch st.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt:
			if changes(s, st, l.counter) {
				inBody = st.Pos()
			}
		}
	}
	ast.Inspect(l.body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			nested = true
		}
		if st, ok := n.(ast.Stmt); ok {
			anywhere = anywhere || changes(s, st, l.counter)
		}
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			if id, ok := u.X.(*ast.Ident); ok && s.info.Uses[id] == l.counter {
				anywhere = true
			}
		}
		return true
	})
	switch {
	case inPost && inBody.IsValid() && !nested:
		s.report("BP10", inBody, "%s counts the iterations, and is changed in the body as well", l.counter.Name())
	case !inPost && !anywhere && !mentions(s, f.Post):
		s.report("BP10", f.Pos(), "the loop does not change %s, which it compares with b.N", l.counter.Name())
	}
}

// changes reports whether a statement assigns a variable.
func changes(s *scope, st ast.Stmt, v types.Object) bool {
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && s.info.Uses[id] == v
	}
	switch st := st.(type) {
	case *ast.IncDecStmt:
		return is(st.X)
	case *ast.AssignStmt:
		return slices.ContainsFunc(st.Lhs, is)
	}
	return false
}

// # BP11

// sized are functions whose argument is the size of their result.
var sized = map[string][]string{"strings": {"Repeat"}, "bytes": {"Repeat"}, "slices": {"Repeat", "Grow"}, "math/rand": {"Perm"}, "math/rand/v2": {"Perm"}}

// sizes finds b.N used as a size within a measured loop, or in a benchmark without one. A benchmark
// may make one input for each iteration before the loop that goes through them.
func (s *scope) sizes() {
	if s.b == nil {
		return
	}
	var in []ast.Node
	for _, l := range s.loops {
		in = append(in, l.body)
	}
	if len(in) == 0 {
		in = []ast.Node{s.body}
	}
	for _, body := range in {
		s.walk(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || s.isType(call) {
				return true
			}
			pkg, name, d := s.callee(call)
			for i, a := range call.Args {
				if !s.isCount(a) {
					continue
				}
				switch {
				case s.isBuiltin(call):
					// A buffered channel with room for all iterations is no part of the work.
					_, isChan := call.Args[0].(*ast.ChanType)
					if name == "make" && i > 0 && !isChan && s.isWork() {
						s.report("BP11", a.Pos(), "b.N is the length of what make makes")
					}
				case slices.Contains(sized[pkg], name) && s.isWork():
					s.report("BP11", a.Pos(), "b.N is the size of what %s.%s makes", pkg, name)
				case d != nil && s.isWork() && !s.loopsOver(d, i):
					s.report("BP11", a.Pos(), "b.N is an argument of %s, which does not do its work so many times", name)
				}
			}
			return true
		})
	}
}

// isWork reports whether the object of size b.N is what the benchmark works on. That is so in a
// measured loop, and in a benchmark without any loop. A benchmark with another loop, a goroutine or
// a literal, or one that passes b on, may go through the object there.
func (s *scope) isWork() bool {
	starts := false
	ast.Inspect(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.FuncLit:
			starts = starts || len(s.loops) == 0
		case *ast.ForStmt, *ast.RangeStmt:
			starts = starts || len(s.loops) == 0
		case *ast.Ident:
			starts = starts || s.isB(n) && !s.selects(n)
		}
		return true
	})
	return !starts
}

// selects reports whether a name is the operand of a selector somewhere in the body.
func (s *scope) selects(id *ast.Ident) (yes bool) {
	ast.Inspect(s.body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		yes = yes || ok && sel.X == id
		return !yes
	})
	return yes
}

// loopsOver reports whether a function has a loop that counts up or down to a parameter, and makes
// nothing whose size is the parameter.
func (c *checker) loopsOver(d *ast.FuncDecl, param int) (yes bool) {
	p := c.parameter(d, param)
	if p == nil {
		return true // unknown
	}
	uses := func(n ast.Node) (yes bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			yes = yes || ok && c.info.Uses[id] == p
			return !yes
		})
		return yes
	}
	grows := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			yes = yes || n.Cond != nil && uses(n.Cond)
		case *ast.RangeStmt:
			yes = yes || uses(n.X)
		case *ast.FuncLit:
			yes = yes || uses(n) // a goroutine's literal, or one that is called elsewhere
		case *ast.CallExpr:
			if _, name, g := c.callee(n); g == nil && c.isBuiltin(n) && name == "append" {
				grows = true
			} else if g != nil && g != d {
				for i, a := range n.Args {
					if id, ok := a.(*ast.Ident); ok && c.info.Uses[id] == p {
						yes = yes || c.loopsOver(g, i)
					}
				}
			} else if g == nil && !c.isType(n) && !c.isBuiltin(n) && uses(n) {
				yes = true // whatever the callee does with it
			}
		}
		return true
	})
	return yes && !grows
}

// parameter is the n-th parameter of a function; nil: it has no name.
func (c *checker) parameter(d *ast.FuncDecl, n int) types.Object {
	for _, f := range d.Type.Params.List {
		for _, id := range f.Names {
			if n == 0 {
				return c.info.Defs[id]
			}
			n--
		}
	}
	return nil
}

// # BP12

// reads are functions of the standard library that take long with any arguments.
var reads = map[string][]string{
	"os":        {"ReadFile", "WriteFile", "Open", "Create", "ReadDir"},
	"io/ioutil": {"ReadFile", "WriteFile", "ReadDir", "ReadAll"},
	"io":        {"ReadAll"},
	"net/http":  {"Get", "Post"},
	"os/exec":   {"Command"},
	"time":      {"Sleep"},
}

// dear is how many statements a setup may execute without a note: about 50 microseconds of a
// second.
const dear = 1 << 14

func (s *scope) timers() {
	for _, l := range s.loops {
		s.timersIn(l)
		s.clock(l)
	}
	s.setup()
}

// timersIn finds timers that are reset in a measured loop, and timers that are stopped around
// nearly everything.
func (s *scope) timersIn(l *measuredLoop) {
	stops, starts := -1, -1
	for i, st := range l.body.List {
		if x, ok := st.(*ast.ExprStmt); ok {
			switch s.method(x.X) {
			case "StopTimer":
				stops = i
			case "StartTimer":
				starts = i
			}
		}
	}
	s.walk(l.body, func(n ast.Node) bool {
		if s.method(n) == "ResetTimer" && !inConditional(l.body, n) {
			s.report("BP12", n.Pos(), "b.ResetTimer in the loop: the time is that of the last iteration")
		}
		return true
	})
	if stops < 0 && starts < 0 {
		s.stopsInHelper(l)
	}
	if stops < 0 || starts < 0 {
		return
	}
	s.hint("BP12", record.HintStop, l.body.List[stops].Pos())
	var timed []ast.Stmt
	if stops < starts {
		timed = slices.Concat(l.body.List[:stops], l.body.List[starts+1:])
	} else {
		timed = l.body.List[starts+1 : stops]
	}
	if !slices.ContainsFunc(timed, s.takesTime) {
		s.report("BP12", l.body.List[stops].Pos(), "the timer is stopped and started around a few operations, which takes longer than they do")
	}
}

// stopsInHelper notes where a measured loop calls a helper that stops the timer and starts it.
func (s *scope) stopsInHelper(l *measuredLoop) {
	for _, st := range l.body.List {
		inLoop(st, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || inConditional(l.body, n) || !slices.ContainsFunc(call.Args, s.isB) {
				return
			}
			_, _, d := s.callee(call)
			if d == nil {
				return
			}
			called := map[string]bool{}
			ast.Inspect(d.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					_, name, _ := s.callee(call)
					called[name] = true
				}
				return true
			})
			if called["StopTimer"] && called["StartTimer"] {
				s.hint("BP12", record.HintStop, call.Pos())
			}
		})
	}
}

// inConditional reports whether a node is in a branch of an if or switch within a body, and so is not
// executed each time.
func inConditional(body *ast.BlockStmt, at ast.Node) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			yes = yes || within(at, n.Body) || n.Else != nil && within(at, n.Else)
		case *ast.SwitchStmt:
			yes = yes || within(at, n.Body)
		case *ast.TypeSwitchStmt:
			yes = yes || within(at, n.Body)
		case *ast.FuncLit:
			yes = yes || within(at, n)
		}
		return true
	})
	return yes
}

// takesTime reports whether a statement may take longer than a few nanoseconds.
func (s *scope) takesTime(st ast.Stmt) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt:
			yes = true
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.ARROW
		case *ast.CallExpr:
			if s.isType(n) {
				return true
			}
			if s.isBuiltin(n) {
				_, name, _ := s.callee(n)
				yes = yes || name == "make" || name == "append" || name == "copy" || name == "clear"
				return true
			}
			yes = yes || s.method(n) == "" && !s.leaf(n)
		}
		return !yes
	})
	return yes
}

// setup checks the code before the first loop over b.N. b.Loop resets the timer itself, and so does
// Run. It notes the first statement that may take time, for the diagnosis that figures make.
func (s *scope) setup() {
	if len(s.loops) == 0 || s.loops[0].byLoop {
		return
	}
	var found []ast.Stmt
	calls := token.NoPos
	for _, st := range s.body.List {
		if within(s.loops[0].stmt, st) {
			break
		}
		if x, ok := st.(*ast.ExprStmt); ok && slices.Contains([]string{"ResetTimer", "StopTimer"}, s.method(x.X)) {
			return
		}
		if s.slow(st) {
			found = append(found, st)
		}
		if !calls.IsValid() && s.takesTime(st) {
			calls = st.Pos()
		}
	}
	// A reset elsewhere before the loop, in a helper that gets b for example, is possible but
	// unknown.
	if s.resets(s.loops[0].stmt.Pos()) {
		return
	}
	if calls.IsValid() {
		s.hint("BP12", record.HintSetup, calls)
	}
	if len(found) == 0 {
		return
	}
	s.report("BP12", found[0].Pos(), "setup before the loop over b.N counts as its time")
}

// resets reports whether the timer is reset or stopped before a place, or b is passed to code that
// may do it.
func (s *scope) resets(before token.Pos) (yes bool) {
	ast.Inspect(s.body, func(n ast.Node) bool {
		if n == nil || n.Pos() >= before {
			return false
		}
		if m := s.method(n); m == "ResetTimer" || m == "StopTimer" {
			yes = true
		}
		if call, ok := n.(*ast.CallExpr); ok {
			yes = yes || slices.ContainsFunc(call.Args, s.isB)
		}
		return true
	})
	return yes
}

// slow reports whether a statement of a setup is known to take long.
func (s *scope) slow(st ast.Stmt) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt:
			return false // not executed here, as far as is known
		case *ast.CallExpr:
			if pkg, name, _ := s.callee(n); slices.Contains(reads[pkg], name) {
				yes = true
			}
		case *ast.ForStmt, *ast.RangeStmt:
			yes = yes || s.rounds(n) >= dear
			return false
		}
		return !yes
	})
	return yes
}

// rounds is how often nested loops with constant bounds execute their innermost statements; 0:
// unknown.
func (s *scope) rounds(n ast.Node) int64 {
	var times int64
	var body *ast.BlockStmt
	switch n := n.(type) {
	case *ast.RangeStmt:
		times = s.number(n.X)
		body = n.Body
	case *ast.ForStmt:
		body = n.Body
		if cond, ok := n.Cond.(*ast.BinaryExpr); ok && (cond.Op == token.LSS || cond.Op == token.LEQ) {
			if post, ok := n.Post.(*ast.IncDecStmt); ok && post.Tok == token.INC {
				times = s.number(cond.Y)
			}
		}
	}
	times = min(max(times, 0), dear)
	most := int64(1)
	for _, st := range body.List {
		switch st.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			most = max(most, s.rounds(st))
		}
	}
	return times * most
}

// RuleOf returns the rule with a code, nil if this package has none.
func RuleOf(code string) *Rule {
	for _, r := range Rules {
		if strings.EqualFold(r.Code, code) {
			return &r
		}
	}
	return nil
}
