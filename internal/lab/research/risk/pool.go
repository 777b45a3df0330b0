package risk

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A poolUse is a variable of a function that holds an object of a pool.
type poolUse struct {
	v        types.Object
	get      ast.Node
	puts     []*ast.CallExpr // not deferred
	deferred []*ast.CallExpr
}

// poolCall reports whether a call is Get or Put of a pool: of sync.Pool, or of a type or variable
// that has the word in its name.
func (p *pkg) poolCall(call *ast.CallExpr, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	t := p.info.Types[sel.X].Type
	if t != nil && t != types.Typ[types.Invalid] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			return strings.Contains(strings.ToLower(n.Obj().Name()), "pool")
		}
	}
	return strings.Contains(strings.ToLower(p.expr(sel.X)), "pool")
}

// gets reports whether a call yields an object of a pool: Get itself, or a function of the package
// that returns what it got and keeps no record of it.
func (p *pkg) gets(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.TypeAssertExpr:
		return p.gets(x.X)
	case *ast.StarExpr:
		return p.gets(x.X)
	case *ast.CallExpr:
		if p.poolCall(x, "Get") {
			return true
		}
		f := p.declared(p.local(x))
		return f != nil && f.Type.Results != nil && f.hasPool("Get") && !f.hasPool("Put")
	}
	return false
}

// putsWhat is the argument that a call gives back to a pool: that of Put itself, or of a function
// of the package that does nothing but Put its only operand. Nil if it gives none.
func (p *pkg) putsWhat(call *ast.CallExpr) ast.Expr {
	if p.poolCall(call, "Put") && len(call.Args) == 1 {
		return call.Args[0]
	}
	fn := p.local(call)
	f := p.declared(fn)
	if f == nil || !f.hasPool("Put") || f.hasPool("Get") {
		return nil
	}
	params := f.operandObjects()
	for i, arg := range p.operands(call) {
		if i >= len(params) || params[i] == nil || arg == nil {
			continue
		}
		found := false
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && p.poolCall(c, "Put") && len(c.Args) == 1 && f.is(c.Args[0], params[i]) {
				found = true
			}
			return true
		})
		if found {
			return arg
		}
	}
	return nil
}

// declared is the function's declaration with a body in this package, nil if it has none.
func (p *pkg) declared(fn *types.Func) *function {
	if fn == nil {
		return nil
	}
	for _, f := range p.funcs {
		if o := p.info.Defs[f.Name]; o != nil && o.Pos() == fn.Pos() { // a file for another machine has objects of its own
			return f
		}
	}
	return nil
}

func (f *function) hasPool(name string) bool {
	found := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && f.pkg.poolCall(c, name) {
			found = true
		}
		return !found
	})
	return found
}

// is reports whether an expression is the object of a variable, perhaps through another variable:
// after b := *v, b and &b are v's.
func (f *function) is(e ast.Expr, v types.Object) bool {
	o := f.pkg.same(e)
	for range 8 {
		if o == nil || o == v {
			return o != nil
		}
		var from types.Object
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
				for i, lhs := range a.Lhs {
					if id, ok := lhs.(*ast.Ident); ok && f.pkg.object(id) == o {
						if s := f.pkg.same(a.Rhs[i]); s != nil && s != o {
							from = s
						}
					}
				}
			}
			return true
		})
		o = from
	}
	return false
}

// poolUses are the variables of a function that objects of pools are assigned to.
func (f *function) poolUses() []*poolUse {
	p := f.pkg
	var list []*poolUse
	ast.Inspect(f.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Rhs) == 0 || !p.gets(a.Rhs[0]) {
			return true
		}
		if id, ok := a.Lhs[0].(*ast.Ident); ok {
			if o := p.object(id); o != nil && !slices.ContainsFunc(list, func(u *poolUse) bool { return u.v == o }) {
				list = append(list, &poolUse{v: o, get: a})
			}
		}
		return true
	})
	var visit func(n ast.Node, deferred bool)
	visit = func(n ast.Node, deferred bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.DeferStmt:
				if !deferred {
					visit(m.Call, true)
					return false
				}
			case *ast.CallExpr:
				what := p.putsWhat(m)
				if what == nil {
					return true
				}
				for _, u := range list {
					if !f.is(what, u.v) {
						continue
					}
					if deferred {
						u.deferred = append(u.deferred, m)
					} else {
						u.puts = append(u.puts, m)
					}
				}
			}
			return true
		})
	}
	visit(f.Body, false)
	return list
}

// poolNotDeferred: something is called between Get and a plain Put, and its panic would lose the
// object.
func poolNotDeferred(f *function) []hit {
	p := f.pkg
	var list []hit
	for _, u := range f.poolUses() {
		if len(u.deferred) > 0 {
			continue
		}
		for _, put := range u.puts {
			risky := ""
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || call.Pos() <= u.get.End() || call.End() >= put.Pos() || risky != "" {
					return risky == ""
				}
				if p.isConversion(call) || p.isBuiltin(call, "len", "cap", "append", "copy", "min", "max", "clear", "delete",
					"new", "make") ||
					p.poolCall(call, "Get") || p.putsWhat(call) != nil {
					return true
				}
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Reset" {
					return true
				}
				risky = p.expr(call.Fun)
				return false
			})
			if risky != "" {
				list = append(list, p.hitAt(put, "%s goes back to the pool without defer: a panic in %s loses it", u.v.Name(),
					risky))
			}
		}
	}
	return list
}

// poolPaths follows the paths of a function. It finds uses of an object after it went back, and
// path ends where it did not go back.
type poolPaths struct {
	f       *function
	u       *poolUse
	alias   *refs
	put     []ast.Node // uses after Put
	missing []ast.Node // returns without Put
}

// poolState is the state of the object on a path: a set, since paths join.
type poolState uint8

const (
	poolOutside poolState = 1 << iota // before Get, or given to the caller
	poolHeld
	poolBack
)

// block follows statements, and returns the state after them; 0 if no path reaches there.
func (w *poolPaths) block(list []ast.Stmt, s poolState) poolState {
	for _, stmt := range list {
		if s == 0 {
			return 0
		}
		s = w.stmt(stmt, s)
	}
	return s
}

func (w *poolPaths) stmt(stmt ast.Stmt, s poolState) poolState {
	switch x := stmt.(type) {
	case nil:
		return s
	case *ast.BlockStmt:
		return w.block(x.List, s)
	case *ast.LabeledStmt:
		return w.stmt(x.Stmt, s)
	case *ast.IfStmt:
		s = w.stmt(x.Init, s)
		w.mention(x.Cond, s)
		// if x == nil for the pooled object: it did not exist.
		then := w.block(x.Body.List, s)
		if x.Else == nil {
			return then | s
		}
		return then | w.stmt(x.Else, s)
	case *ast.ForStmt:
		s = w.stmt(x.Init, s)
		if x.Cond != nil {
			w.mention(x.Cond, s)
		}
		after := w.block(x.Body.List, s)
		after = w.stmt(x.Post, after)
		if x.Cond == nil && !breaks(x.Body) {
			return 0
		}
		return s | after
	case *ast.RangeStmt:
		w.mention(x.X, s)
		return s | w.block(x.Body.List, s)
	case *ast.SwitchStmt:
		s = w.stmt(x.Init, s)
		return w.clauses(x.Body, s)
	case *ast.TypeSwitchStmt:
		s = w.stmt(x.Init, s)
		return w.clauses(x.Body, s)
	case *ast.SelectStmt:
		return w.clauses(x.Body, s)
	case *ast.DeferStmt, *ast.GoStmt:
		return s
	case *ast.ReturnStmt:
		w.mention(x, s)
		if s&poolHeld != 0 && !w.returns(x) {
			w.missing = append(w.missing, x)
		}
		return 0
	case *ast.BranchStmt:
		return s // break and continue: treating the next statement as the successor is enough here
	}
	if stmt == w.u.get {
		return poolHeld
	}
	if w.putsHere(stmt) {
		w.mention(stmt, s&poolBack)
		return poolBack
	}
	if call, ok := stmt.(*ast.ExprStmt); ok {
		if c, ok := call.X.(*ast.CallExpr); ok && w.f.pkg.isBuiltin(c, "panic") {
			return 0
		}
	}
	if w.gives(stmt) {
		return poolOutside
	}
	if a, ok := stmt.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 {
		if id, ok := a.Lhs[0].(*ast.Ident); ok && w.f.pkg.object(id) == w.u.v {
			w.mention(a.Rhs[0], s)
			if w.f.pkg.gets(a.Rhs[0]) {
				return poolHeld
			}
			return s
		}
	}
	w.mention(stmt, s)
	return s
}

func (w *poolPaths) clauses(body *ast.BlockStmt, s poolState) poolState {
	after, always := poolState(0), false
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			always = always || c.List == nil
			after |= w.block(c.Body, s)
		case *ast.CommClause:
			always = true
			after |= w.block(c.Body, w.stmt(c.Comm, s))
		}
	}
	if !always {
		after |= s
	}
	return after
}

func breaks(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && (b.Tok == token.BREAK || b.Tok == token.GOTO) {
			found = true
		}
		return !found
	})
	return found
}

// putsHere reports whether a statement gives the object back.
func (w *poolPaths) putsHere(stmt ast.Stmt) bool {
	e, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	return ok && slices.Contains(w.u.puts, call)
}

// gives reports whether a statement passes the object itself on: into a field, an element, a
// channel, or a call that is not one of its methods.
func (w *poolPaths) gives(stmt ast.Stmt) bool {
	switch x := stmt.(type) {
	case *ast.SendStmt:
		return w.f.is(x.Value, w.u.v)
	case *ast.AssignStmt:
		for i, rhs := range x.Rhs {
			if i < len(x.Lhs) && w.f.is(rhs, w.u.v) {
				if _, local := x.Lhs[i].(*ast.Ident); !local && !w.f.is(x.Lhs[i], w.u.v) {
					return true
				}
			}
		}
	}
	return false
}

// returns reports whether the object itself is returned, so that the caller owns it.
func (w *poolPaths) returns(ret *ast.ReturnStmt) bool {
	for _, e := range ret.Results {
		if w.f.is(e, w.u.v) || w.alias.has(e) {
			return true
		}
	}
	return false
}

// mention notes a use of an object that is back in the pool.
func (w *poolPaths) mention(n ast.Node, s poolState) {
	if s&poolBack == 0 || n == nil {
		return
	}
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok && w.alias.vars[w.f.pkg.object(id)] {
			w.put = append(w.put, id)
			return false
		}
		return true
	})
}

// walkPool follows the paths of each pooled object that the function itself gives back.
func walkPool(f *function, report func(w *poolPaths)) {
	for _, u := range f.poolUses() {
		if len(u.puts)+len(u.deferred) == 0 {
			continue
		}
		w := &poolPaths{f: f, u: u, alias: f.pkg.follow(f.Body, u.v)}
		end := w.block(f.Body.List, poolOutside)
		if end&poolHeld != 0 {
			w.missing = append(w.missing, closing{f.Body})
		}
		report(w)
	}
}

// closing is the end of a body, as a node.
type closing struct{ body *ast.BlockStmt }

// Pos implements ast.Node.
func (c closing) Pos() token.Pos { return c.body.Rbrace }

// End implements ast.Node.
func (c closing) End() token.Pos { return c.body.End() }

// poolPathMissing: one of two paths gives the object back.
func poolPathMissing(f *function) (list []hit) {
	walkPool(f, func(w *poolPaths) {
		if len(w.u.deferred) > 0 {
			return
		}
		for _, n := range w.missing {
			list = append(list, f.pkg.hitAt(n, "a path ends here without giving %s back, which another path does", w.u.v.Name()))
		}
	})
	return list
}

// poolAliased: the caller, or something that outlives the call, keeps memory of an object that is
// back in the pool.
func poolAliased(f *function) (list []hit) {
	p := f.pkg
	outer := map[types.Object]bool{}
	for _, o := range f.operandObjects() {
		if o != nil {
			outer[o] = true
		}
	}
	walkPool(f, func(w *poolPaths) {
		for _, n := range w.put {
			list = append(list, p.hitAt(n, "%s is used after %s went back to the pool", n.(*ast.Ident).Name, w.u.v.Name()))
		}
		if len(w.u.deferred) > 0 {
			for _, n := range f.returns(w.alias) {
				list = append(list, p.hitAt(n, "the result refers to memory of %s, which goes back to the pool", w.u.v.Name()))
			}
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if send, ok := n.(*ast.SendStmt); ok && w.alias.has(send.Value) &&
				(len(w.u.deferred) > 0 || !f.is(send.Value, w.u.v)) {
				list = append(list, p.hitAt(send, "%s gets memory of %s, which goes back to the pool", p.expr(send.Chan),
					w.u.v.Name()))
			}
			a, ok := n.(*ast.AssignStmt)
			if !ok || len(a.Lhs) != len(a.Rhs) {
				return true
			}
			for i, lhs := range a.Lhs {
				o := p.root(lhs)
				_, whole := ast.Unparen(lhs).(*ast.Ident)
				outlives := o != nil && (outer[o] && !whole || p.global(o))
				if outlives && !w.alias.vars[o] || outlives && !f.is(lhs, w.u.v) {
					if w.alias.has(a.Rhs[i]) && !f.cleared(lhs, a) {
						list = append(list, p.hitAt(a, "%s keeps memory of %s, which goes back to the pool", p.expr(lhs), w.u.v.Name()))
					}
				}
			}
			return true
		})
	})
	return list
}

// cleared reports whether a place is set to nil later in the function.
func (f *function) cleared(place ast.Expr, after ast.Node) bool {
	text, found := f.pkg.expr(place), false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Pos() > after.End() && len(a.Lhs) == len(a.Rhs) {
			for i, lhs := range a.Lhs {
				if id, ok := a.Rhs[i].(*ast.Ident); ok && id.Name == "nil" && f.pkg.expr(lhs) == text {
					found = true
				}
			}
		}
		return true
	})
	return found
}

// steps are the simple statements of a body in execution order, as if all branches were taken.
// Deferred ones come last, in reverse order.
func steps(body *ast.BlockStmt) []ast.Node {
	var list []ast.Node
	var deferred [][]ast.Node
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.DeferStmt:
				if lit, ok := m.Call.Fun.(*ast.FuncLit); ok {
					deferred = append(deferred, steps(lit.Body))
				} else {
					deferred = append(deferred, []ast.Node{&ast.ExprStmt{X: m.Call}})
				}
				return false
			case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeclStmt, *ast.GoStmt:
				list = append(list, m)
				return false
			}
			return true
		})
	}
	visit(body)
	for _, d := range slices.Backward(deferred) {
		list = append(list, d...)
	}
	return list
}

// poolParentFirst: an object goes back while another one, which is still used later, refers to it.
func poolParentFirst(f *function) (list []hit) {
	p := f.pkg
	all := steps(f.Body)
	for i, step := range all {
		e, ok := step.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		what := p.putsWhat(call)
		if what == nil {
			continue
		}
		for _, h := range f.holders(all[:i], what) {
			for _, later := range all[i+1:] {
				if p.drops(later, h) {
					break
				}
				if mentions(p, later, h.parent) {
					list = append(list, p.hitAt(call, "%s goes back to the pool while %s still refers to it", p.expr(what), h.field))
					break
				}
			}
		}
	}
	return list
}

// A holder is a variable, with the text of its field that refers to an object.
type holder struct {
	parent types.Object
	field  string
}

// drops reports whether a step makes a holder forget the object without going through it: by
// assigning the field or the whole holder, or by a Reset that does so.
func (p *pkg) drops(step ast.Node, h holder) bool {
	switch x := step.(type) {
	case *ast.AssignStmt:
		for _, lhs := range x.Lhs {
			if p.root(lhs) == h.parent && (p.expr(lhs) == h.field || p.same(lhs) != nil && x.Tok == token.ASSIGN) {
				return true
			}
		}
	case *ast.ExprStmt:
		call, ok := x.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(sel.Sel.Name, "Reset") || p.same(sel.X) != h.parent {
			return false
		}
		fields := strings.Split(h.field, ".")
		f := p.declared(p.local(call))
		// Of a Reset in another package only the name is known.
		return f == nil || len(fields) < 2 || f.forgets(fields[1])
	}
	return false
}

// forgets reports whether a method resets a field of its receiver, or the whole receiver, without
// reaching through what the field referred to.
func (f *function) forgets(field string) bool {
	recv := f.operandObjects()[0]
	if recv == nil {
		return false
	}
	is := func(e ast.Expr) bool {
		sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != field {
			return false
		}
		id, ok := ast.Unparen(sel.X).(*ast.Ident)
		return ok && f.pkg.object(id) == recv
	}
	sets, through := false, false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range x.Lhs {
				star, whole := ast.Unparen(lhs).(*ast.StarExpr)
				sets = sets || is(lhs) || whole && f.pkg.same(star.X) == recv
			}
		case *ast.SelectorExpr:
			through = through || is(x.X)
		case *ast.StarExpr:
			through = through || is(x.X)
		case *ast.IndexExpr:
			through = through || is(x.X)
		case *ast.CallExpr:
			through = through || slices.ContainsFunc(x.Args, is)
		}
		return true
	})
	return sets && !through
}

// holders are the variables that refer to an object after some steps, in a field that nothing has
// reset.
func (f *function) holders(before []ast.Node, what ast.Expr) []holder {
	p := f.pkg
	var list []holder
	whole := p.same(what)
	var own holder // the holder whose field is what
	if sel, ok := ast.Unparen(what).(*ast.SelectorExpr); ok {
		if o := p.root(sel.X); o != nil {
			own = holder{o, p.expr(sel)}
			list = append(list, own)
		}
	}
	reset := func(match func(h holder) bool) {
		list = slices.DeleteFunc(list, match)
	}
	for _, step := range before {
		switch x := step.(type) {
		case *ast.AssignStmt:
			for i, lhs := range x.Lhs {
				text, o := p.expr(lhs), p.root(lhs)
				direct := p.same(lhs) != nil // y = …, *y = …
				reset(func(h holder) bool {
					return h.field == text && o == h.parent || direct && o == h.parent && x.Tok == token.ASSIGN
				})
				if i >= len(x.Rhs) || len(x.Lhs) != len(x.Rhs) || o == nil {
					continue
				}
				if own.field == text && own.parent == o && p.expr(x.Rhs[i]) != "nil" {
					list = append(list, own)
				}
				if whole == nil || o == whole {
					continue
				}
				if _, isSel := ast.Unparen(lhs).(*ast.SelectorExpr); isSel && f.is(x.Rhs[i], whole) {
					list = append(list, holder{o, text})
				}
				for _, field := range litFields(x.Rhs[i]) {
					if f.is(field.Value, whole) {
						list = append(list, holder{o, p.expr(lhs) + "." + p.expr(field.Key)})
					}
				}
			}
		case *ast.ExprStmt:
			call, ok := x.X.(*ast.CallExpr)
			if !ok {
				continue
			}
			if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Reset") {
				o := p.same(sel.X)
				reset(func(h holder) bool { return o != nil && h.parent == o })
			}
			if p.isBuiltin(call, "clear") && len(call.Args) == 1 {
				o := p.root(call.Args[0])
				reset(func(h holder) bool { return o != nil && h.parent == o })
			}
		}
	}
	return list
}

// litFields are the named fields of a composite literal, or of one whose address is taken.
func litFields(e ast.Expr) []*ast.KeyValueExpr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var list []*ast.KeyValueExpr
	for _, el := range lit.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			list = append(list, kv)
		}
	}
	return list
}

func mentions(p *pkg, n ast.Node, o types.Object) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok && p.object(id) == o {
			found = true
		}
		return !found
	})
	return found
}

// onePathPooled: a type gets a pool, and some function of the package still allocates its own
// objects.
func onePathPooled(c *change) (list []hit) {
	pooled := c.new.pooledTypes()
	if len(pooled) == 0 {
		return nil
	}
	before := c.old.pooledTypes()
	for _, key := range slices.Sorted(maps.Keys(c.new.funcs)) {
		f := c.new.funcs[key]
		if old := c.old.funcs[key]; old == nil {
			continue // a new function has not become different from a pooled one
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			t := f.pkg.allocated(n)
			if t != nil && pooled[t.Obj().Name()] && !before[t.Obj().Name()] {
				list = append(list, f.pkg.hitAt(n, "%s are pooled now, but %s makes its own", t.Obj().Name(), f.key))
			}
			return true
		})
	}
	return list
}

// allocated is the type of this package that &T{…} or new(T) allocates, or nil.
func (p *pkg) allocated(n ast.Node) *types.Named {
	e, ok := n.(ast.Expr)
	if !ok {
		return nil
	}
	switch x := n.(type) {
	case *ast.UnaryExpr:
		if _, lit := x.X.(*ast.CompositeLit); !lit || x.Op != token.AND {
			return nil
		}
	case *ast.CallExpr:
		if !p.isBuiltin(x, "new") {
			return nil
		}
	default:
		return nil
	}
	ptr, ok := p.info.Types[e].Type.(*types.Pointer)
	if !ok {
		return nil
	}
	named, _ := types.Unalias(ptr.Elem()).(*types.Named)
	return named
}

// pooledTypes are the names of the types whose objects the New functions of the package's pools
// allocate.
func (p *pkg) pooledTypes() map[string]bool {
	names := map[string]bool{}
	for _, file := range p.files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok && p.expr(kv.Key) == "New" {
					ast.Inspect(kv.Value, func(m ast.Node) bool {
						if m != nil {
							if t := p.allocated(m); t != nil {
								names[t.Obj().Name()] = true
							}
						}
						return true
					})
				}
				return true
			})
		}
	}
	return names
}
