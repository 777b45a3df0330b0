package risk

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A write is a place that writes to a variable that outlives the call.
type write struct {
	at  ast.Node
	to  *types.Var
	key ast.Expr // of the element, nil for others
}

// storing are methods that store something in their receiver.
var storing = []string{"Store", "LoadOrStore", "Swap", "CompareAndSwap", "Add", "Set", "Put", "Do", "Insert", "Push",
	"PushBack", "PushFront", "Write", "WriteString", "WriteByte", "WriteRune", "Reset"}

// writes are the places where a function writes to variables of its package: by name, by a local
// variable that refers to one, by a built-in function, a channel, a method or another function.
func (f *function) writes() []write {
	p := f.pkg
	if list, ok := p.written[f]; ok {
		return list
	}
	p.written[f] = nil // for a recursive function
	list := p.writesIn(f.Body, func(o types.Object) *types.Var {
		v, ok := o.(*types.Var)
		if !ok || !p.global(v) {
			return nil
		}
		return v
	})
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fn := p.local(call); fn != nil {
			if g := p.declared(fn); g != nil && g != f {
				for _, w := range g.writes() {
					list = append(list, write{call, w.to, nil})
				}
			}
		}
		return true
	})
	p.written[f] = list
	return list
}

// captured are the places where a function literal writes to variables that are declared around it,
// in outer.
func (p *pkg) captured(lit *ast.FuncLit, outer ast.Node) []write {
	inside := func(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }
	return p.writesIn(lit.Body, func(o types.Object) *types.Var {
		v, ok := o.(*types.Var)
		if !ok || v.IsField() || p.global(v) || inside(lit, v.Pos()) || !inside(outer, v.Pos()) {
			return nil
		}
		return v
	})
}

// own reports whether something is declared in the package.
func (p *pkg) own(o types.Object) bool {
	return o.Pkg() != nil && p.types != nil && o.Pkg().Path() == p.types.Path()
}

// global reports whether something is declared in the package, outside of functions.
func (p *pkg) global(o types.Object) bool { return p.own(o) && o.Parent() == o.Pkg().Scope() }

// writesIn are the places in a body that write to variables that kept knows.
func (p *pkg) writesIn(body ast.Node, kept func(types.Object) *types.Var) (list []write) {
	names := p.namesFor(body, kept)
	// whose is the variable to whose memory an expression leads. For one that is assigned to, the
	// way from a local variable must lead through a reference.
	whose := func(e ast.Expr, assigned bool) *types.Var {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && p.isBuiltin(call, "append") && len(call.Args) > 0 {
			e = call.Args[0]
		}
		o := p.root(e)
		if v := kept(o); v != nil {
			return v
		}
		if assigned && !p.throughReference(e) {
			return nil
		}
		return names[o]
	}
	add := func(at ast.Node, v *types.Var, key ast.Expr) {
		if v != nil {
			list = append(list, write{at, v, key})
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if n.Tok != token.DEFINE {
					add(n, whose(lhs, true), indexOf(lhs))
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil && n.Tok == token.ASSIGN {
					add(n, whose(e, true), nil)
				}
			}
		case *ast.IncDecStmt:
			add(n, whose(n.X, true), indexOf(n.X))
		case *ast.SendStmt:
			add(n, whose(n.Chan, false), nil)
		case *ast.CallExpr:
			p.writesByCall(n, func(e ast.Expr, key ast.Expr) { add(n, whose(e, false), key) })
		}
		return true
	})
	return list
}

// writesByCall calls to with the operands that a call writes to.
func (p *pkg) writesByCall(call *ast.CallExpr, to func(e, key ast.Expr)) {
	first := func() {
		if len(call.Args) > 0 {
			to(call.Args[0], nil)
		}
	}
	path, name := p.called(call)
	switch {
	case p.isBuiltin(call, "copy", "clear", "delete"):
		first()
		return
	case p.isBuiltin(call, "append"):
		if len(call.Args) > 0 {
			if s, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr); ok && s.High != nil && s.Max == nil {
				first() // into the spare capacity
			}
		}
		return
	case slices.Contains(mutating[path], name), path == "sync/atomic" && hasAny(name, storing):
		if p.calledFunction(call) != "" {
			first()
		}
	}
	if fn := p.local(call); fn != nil {
		if s := p.summary(fn); s != nil {
			for i, arg := range p.operands(call) {
				if arg != nil && i < len(s.mutated) && s.mutated[i] {
					to(arg, nil)
				}
			}
		} else if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.anyWrites(fn.Name()) {
			to(sel.X, nil) // a method of an interface
		}
		return
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.info.Selections[sel] != nil && slices.Contains(storing, sel.Sel.Name) && !p.poolCall(call, "Put") {
		var key ast.Expr
		if len(call.Args) > 1 {
			key = call.Args[0]
		}
		to(sel.X, key)
	}
}

// anyWrites reports whether a method of the package with a name writes to its receiver.
func (p *pkg) anyWrites(name string) bool {
	for _, f := range p.funcs {
		if fn, ok := p.info.Defs[f.Name].(*types.Func); ok && f.Recv != nil && f.Name.Name == name {
			if s := p.summary(fn); s != nil && s.mutated[0] {
				return true
			}
		}
	}
	return false
}

// hasAny reports whether a name begins with one of the words.
func hasAny(name string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return len(name) > len(w) && name[:len(w)] == w })
}

// namesFor are the local variables that refer to memory of variables that kept knows.
func (p *pkg) namesFor(body ast.Node, kept func(types.Object) *types.Var) map[types.Object]*types.Var {
	names := map[types.Object]*types.Var{}
	of := func(e ast.Expr) *types.Var {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			if (p.isBuiltin(call, "append") || p.isConversion(call)) && len(call.Args) > 0 {
				e = call.Args[0]
			} else if fn := p.local(call); fn != nil {
				return p.hands(fn, kept)
			}
		}
		o := p.root(e)
		if v := kept(o); v != nil {
			return v
		}
		return names[o]
	}
	name := func(lhs ast.Expr, v *types.Var) {
		id, ok := ast.Unparen(lhs).(*ast.Ident)
		if !ok || v == nil {
			return
		}
		if o := p.object(id); o != nil && kept(o) == nil && isReference(o.Type()) {
			names[o] = v
		}
	}
	for n := -1; n != len(names); {
		n = len(names)
		ast.Inspect(body, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.AssignStmt:
				for i, lhs := range m.Lhs {
					if len(m.Rhs) > 0 && (len(m.Rhs) == len(m.Lhs) || i == 0) {
						name(lhs, of(m.Rhs[i]))
					}
				}
			case *ast.ValueSpec:
				for i, id := range m.Names {
					if i < len(m.Values) {
						name(id, of(m.Values[i]))
					}
				}
			case *ast.RangeStmt:
				if m.Value != nil {
					name(m.Value, of(m.X))
				}
			}
			return true
		})
	}
	return names
}

// hands is a variable whose memory a function of the package returns, nil if there is none.
func (p *pkg) hands(fn *types.Func, kept func(types.Object) *types.Var) (found *types.Var) {
	f := p.declared(fn)
	if f == nil {
		return nil
	}
	inspectOwn(f.Body, func(n ast.Node) {
		if ret, ok := n.(*ast.ReturnStmt); ok {
			for _, e := range ret.Results {
				if o := p.root(e); o != nil && found == nil && isReference(p.info.TypeOf(e)) {
					found = kept(o)
				}
			}
		}
	})
	return found
}

// isReference reports whether a value of a type leads to memory that others see.
func isReference(t types.Type) bool {
	switch underlying(t).(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface:
		return true
	}
	return false
}

// throughReference reports whether the way from the variable at the bottom of an expression to what
// it denotes leads through a pointer, a slice or a map.
func (p *pkg) throughReference(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return true
	case *ast.IndexExpr:
		_, array := underlying(p.info.TypeOf(x.X)).(*types.Array)
		return !array || p.throughReference(x.X)
	case *ast.SelectorExpr:
		return isReference(p.info.TypeOf(x.X)) || p.throughReference(x.X)
	}
	return false
}
