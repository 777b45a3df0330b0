package rewrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
)

// # Order of evaluation
//
// The specification orders calls, method calls, receives and logical operators. It does not say
// when other operands in the same expression are read or panic. go/ssa reads operands from left to
// right, each in its turn. gc reads many of them late, after the calls of the expression, and
// programs have come to rely on it:
//
//	vm.stack[vm.sp-1] = vm.stack[vm.sp-1].ToNumber() // the call may replace vm.stack
//	return v, json.Unmarshal(b, &v)
//
// So go/ssa gets statements in which gc's order is the order from left to right:
//
//	{ t := vm.stack[vm.sp-1].ToNumber(); vm.stack[vm.sp-1] = t }
//	{ t := json.Unmarshal(b, &v); return v, t }
//
// gc's rule depends on the kind of operand (decision 26; docs/determinism.md has the table). An
// operand *in place* is computed at its own place, and its value is kept: calls, receives, slice
// expressions, && and ||, most builtin functions. All other operands are *late*: they are computed
// with the expression that contains them, when the next operand in place, or the statement, needs
// it. This file visits statements, orderexpr.go expressions. ordervars.go says which variables a
// call cannot change.
//
// A statement stays unchanged unless a late operand that a call may change, or that may panic,
// comes before a call. Most statements have no such operand. The others get variables that go/ssa
// turns into values, so programs do not become slower. Scopes do not matter, because go/ssa looks
// at the objects of identifiers: a block may hold a definition that is used after it.

// EvaluationOrder rewrites the statements of a checked file.
// It runs before SSA is built, on files that this load does not share.
func EvaluationOrder(f *ast.File, pkg *types.Package, info *types.Info) {
	o := &orderer{file: f, pkg: pkg, info: info, types: newTypeFacts()}
	astutil.Apply(f, func(c *astutil.Cursor) bool {
		if sig := o.function(c.Node()); sig != nil {
			o.functions = append(o.functions, sig)
		}
		return true
	}, func(c *astutil.Cursor) bool {
		if o.function(c.Node()) != nil {
			o.functions = o.functions[:len(o.functions)-1]
		}
		s, ok := c.Node().(ast.Stmt)
		if !ok || !o.alone(c) {
			return true
		}
		if n := o.stmt(s, c.Parent()); n != s {
			c.Replace(n)
		}
		return true
	})
}

type orderer struct {
	file      *ast.File
	pkg       *types.Package
	info      *types.Info
	types     *typeFacts
	functions []*types.Signature            // of the functions around the statement
	before    map[ast.Stmt][]ast.Stmt       // statements that come before a statement with a label
	vars      map[*types.Var]changeable     // of the file, made at the first use
	gotos     map[types.Object][]*ast.Ident // of the file by label, made at the first use

	// Of the current statement:
	dry     bool                        // nothing is rewritten
	exact   bool                        // variables that no call can change are distinguished from others
	pending bool                        // a late operand waits that a call may change or that may panic
	need    bool                        // an effect was found while an operand waited
	effects int                         // how many effects were found, and if not dry how many are still to come
	out     []ast.Stmt                  // computed before the statement
	uses    map[*types.Var][]*ast.Ident // of the variables that hold parts of out
}

// function returns the signature of a node that is a function.
func (o *orderer) function(n ast.Node) *types.Signature {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if f, ok := o.info.Defs[n.Name].(*types.Func); ok {
			return f.Signature()
		}
		return new(types.Signature)
	case *ast.FuncLit:
		return o.info.TypeOf(n).Underlying().(*types.Signature)
	}
	return nil
}

// alone reports whether a statement is not part of another one that must be visited as a whole.
func (o *orderer) alone(c *astutil.Cursor) bool {
	switch p := c.Parent().(type) {
	case *ast.CommClause:
		return c.Name() != "Comm"
	case *ast.TypeSwitchStmt:
		return c.Name() != "Assign"
	case *ast.ForStmt:
		s, ok := c.Node().(*ast.AssignStmt)
		return c.Name() != "Init" || p.Init != c.Node() || !ok || s.Tok != token.DEFINE // go/ssa must see the variables of the loop
	}
	return true
}

// ordered calls visit, which rewrites expressions, and returns the statements that must come before
// the rewritten ones. It returns nil if nothing changed.
func (o *orderer) ordered(visit func()) []ast.Stmt {
	o.dry, o.exact = true, false
	o.start(0)
	visit()
	if !o.need {
		return nil
	}
	o.exact, o.uses = true, map[*types.Var][]*ast.Ident{}
	o.start(0)
	visit()
	if !o.need {
		return nil
	}
	o.dry = false
	o.start(o.effects)
	visit()
	out := o.out
	o.dry, o.out = true, nil
	return out
}

func (o *orderer) start(effects int) {
	o.pending, o.need, o.effects, o.out = false, false, effects, nil
}

// stmt returns the rewritten form of a statement. The statements inside it are rewritten already.
func (o *orderer) stmt(s ast.Stmt, parent ast.Node) ast.Stmt {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return o.behind(o.ordered(func() { o.operands(s.X) }), s)
	case *ast.SendStmt:
		return o.behind(o.ordered(func() {
			s.Chan = o.expr(s.Chan)
			s.Value = o.converted(s.Value, elem(o.info.TypeOf(s.Chan)))
		}), s)
	case *ast.IncDecStmt:
		return o.behind(o.ordered(func() { o.target(s.X) }), s)
	case *ast.GoStmt:
		return o.behind(o.ordered(func() { o.operands(s.Call) }), s)
	case *ast.DeferStmt:
		return o.behind(o.ordered(func() { o.operands(s.Call) }), s)
	case *ast.ReturnStmt:
		return o.behind(o.ordered(func() { o.results(s) }), s)
	case *ast.AssignStmt:
		return o.assign(s)
	case *ast.DeclStmt:
		return o.decl(s)
	case *ast.IfStmt:
		s.Init = o.initial(s.Init, o.ordered(func() { s.Cond = o.expr(s.Cond) }))
	case *ast.TypeSwitchStmt:
		s.Init = o.initial(s.Init, o.ordered(func() {
			x := s.Assign
			if a, ok := x.(*ast.AssignStmt); ok {
				x = &ast.ExprStmt{X: a.Rhs[0]}
			}
			assert := ast.Unparen(x.(*ast.ExprStmt).X).(*ast.TypeAssertExpr)
			assert.X = o.expr(assert.X)
		}))
	case *ast.SwitchStmt:
		o.switchStmt(s)
	case *ast.RangeStmt:
		return o.labelled(o.ordered(func() { s.X = o.expr(s.X) }), s, parent)
	case *ast.ForStmt:
		return o.forStmt(s, parent)
	case *ast.SelectStmt:
		return o.labelled(o.ordered(func() { o.communications(s) }), s, parent)
	case *ast.LabeledStmt:
		return o.label(s)
	}
	return s
}

// behind returns a statement preceded by others.
func (o *orderer) behind(first []ast.Stmt, s ast.Stmt) ast.Stmt {
	if len(first) == 0 {
		return s
	}
	return &ast.BlockStmt{Lbrace: s.Pos(), List: append(first, s), Rbrace: s.End()}
}

// initial returns the initialisation of a statement, followed by other statements.
func (o *orderer) initial(init ast.Stmt, then []ast.Stmt) ast.Stmt {
	if len(then) == 0 {
		return init
	}
	if init != nil {
		then = append([]ast.Stmt{init}, then...)
	}
	return &ast.BlockStmt{Lbrace: then[0].Pos(), List: then, Rbrace: then[0].Pos()}
}

// results visits the results of a return statement.
func (o *orderer) results(s *ast.ReturnStmt) {
	want := o.functions[len(o.functions)-1].Results()
	if len(s.Results) == 1 && want.Len() != 1 {
		o.operands(s.Results[0])
		return
	}
	for i, x := range s.Results {
		s.Results[i] = o.converted(x, want.At(i).Type())
	}
}

// assign returns the rewritten form of an assignment or definition. gc computes the operands of
// targets late.
func (o *orderer) assign(s *ast.AssignStmt) ast.Stmt {
	split := false // the right side must be computed before the targets
	first := o.ordered(func() {
		if o.mapAppend(s) {
			return
		}
		if s.Tok != token.DEFINE {
			for _, l := range s.Lhs {
				o.target(l)
			}
		}
		if len(s.Lhs) == len(s.Rhs) {
			for i, r := range s.Rhs {
				s.Rhs[i] = o.value(r, o.info.TypeOf(s.Lhs[i]))
			}
			return
		}
		late := o.pending
		o.operands(s.Rhs[0])
		if o.effect(s.Rhs[0]) {
			o.need = o.need || late
			split = late
		}
	})
	if !split {
		return o.behind(first, s)
	}
	tuple := o.info.TypeOf(s.Rhs[0]).(*types.Tuple)
	def := &ast.AssignStmt{TokPos: s.TokPos, Tok: token.DEFINE, Rhs: s.Rhs}
	set := &ast.AssignStmt{Lhs: s.Lhs, TokPos: s.TokPos, Tok: s.Tok}
	for i, l := range s.Lhs {
		to, from := o.variable(l.Pos(), types.Default(tuple.At(i).Type()))
		def.Lhs, set.Rhs = append(def.Lhs, to), append(set.Rhs, from)
	}
	return o.behind(append(first, def), set)
}

// value visits the right side of an assignment to a target of type t, which is nil for the blank
// identifier.
func (o *orderer) value(x ast.Expr, t types.Type) ast.Expr {
	if t == nil {
		return o.expr(x)
	}
	return o.converted(x, t)
}

// effect reports whether the right side of a tuple assignment is a call or a receive.
func (o *orderer) effect(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.ARROW
	}
	return false
}

// mapAppend visits an assignment m[k] = append(m[k], …), and reports whether s is one. gc computes
// m and k once, before the appended operands.
func (o *orderer) mapAppend(s *ast.AssignStmt) bool {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return false
	}
	l, ok := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok || o.builtin(call) != "append" || !o.same(l, call.Args[0]) {
		return false
	}
	m, ok := under(o.info.TypeOf(l.X)).(*types.Map)
	if !ok {
		return false
	}
	l.X = o.cheap(l.X)
	before := o.pending
	l.Index = o.key(l.Index, m)
	if _, name := ast.Unparen(l.Index).(*ast.Ident); !name || o.convertedKey(m) {
		l.Index = o.inPlace(l.Index, before, false)
	}
	r := ast.Unparen(call.Args[0]).(*ast.IndexExpr)
	if !o.dry {
		r.X, r.Index = l.X, l.Index
	}
	o.pending = true // m[k] is read after the following operands
	o.arguments(call, call.Args[1:])
	o.found(false)
	return true
}

// same reports whether two expressions without calls are the same.
func (o *orderer) same(x, y ast.Expr) bool {
	x, y = ast.Unparen(x), ast.Unparen(y)
	if v, w := o.info.Types[x].Value, o.info.Types[y].Value; v != nil || w != nil {
		return v != nil && w != nil && v.Kind() == w.Kind() && constant.Compare(v, token.EQL, w)
	}
	switch x := x.(type) {
	case *ast.Ident:
		y, ok := y.(*ast.Ident)
		_, v := o.info.Uses[x].(*types.Var)
		return ok && v && o.info.Uses[x] == o.info.Uses[y]
	case *ast.SelectorExpr:
		y, ok := y.(*ast.SelectorExpr)
		if !ok || o.info.Uses[x.Sel] != o.info.Uses[y.Sel] {
			return false
		}
		sel := o.info.Selections[x]
		return sel == nil || sel.Kind() == types.FieldVal && o.same(x.X, y.X)
	case *ast.StarExpr:
		y, ok := y.(*ast.StarExpr)
		return ok && o.same(x.X, y.X)
	case *ast.IndexExpr:
		y, ok := y.(*ast.IndexExpr)
		return ok && o.same(x.X, y.X) && o.same(x.Index, y.Index)
	case *ast.UnaryExpr:
		y, ok := y.(*ast.UnaryExpr)
		return ok && x.Op == y.Op && x.Op != token.ARROW && x.Op != token.AND && o.same(x.X, y.X)
	}
	return false
}

// decl returns the rewritten form of a declaration of variables.
func (o *orderer) decl(s *ast.DeclStmt) ast.Stmt {
	d := s.Decl.(*ast.GenDecl)
	if d.Tok != token.VAR {
		return s
	}
	var out []ast.Stmt
	found := false
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		first := o.ordered(func() {
			if len(spec.Values) == 1 && len(spec.Names) > 1 {
				o.operands(spec.Values[0])
				return
			}
			for i, x := range spec.Values {
				var t types.Type
				if v := o.info.Defs[spec.Names[i]]; v != nil {
					t = v.Type()
				}
				spec.Values[i] = o.value(x, t)
			}
		})
		found = found || first != nil
		out = append(out, first...)
		out = append(out, &ast.DeclStmt{Decl: &ast.GenDecl{TokPos: d.TokPos, Tok: d.Tok, Specs: []ast.Spec{spec}}})
	}
	if !found {
		return s
	}
	return &ast.BlockStmt{Lbrace: s.Pos(), List: out, Rbrace: s.End()}
}

// switchStmt visits the tag of a switch and its cases. If a case needs statements before it, go/ssa
// gets a switch over the number of the case.
func (o *orderer) switchStmt(s *ast.SwitchStmt) {
	if s.Tag != nil {
		s.Init = o.initial(s.Init, o.ordered(func() { s.Tag = o.expr(s.Tag) }))
	}
	type item struct {
		number int
		x      ast.Expr
		first  []ast.Stmt
	}
	var items []item
	found := false
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		for j := range c.List {
			first := o.ordered(func() { c.List[j] = o.expr(c.List[j]) })
			found = found || first != nil
			items = append(items, item{i, c.List[j], first})
		}
	}
	if !found {
		return
	}
	var first []ast.Stmt
	var tag ast.Expr
	if s.Tag != nil {
		to, from := o.variable(s.Tag.Pos(), types.Default(o.info.TypeOf(s.Tag)))
		first = append(first, &ast.AssignStmt{Lhs: []ast.Expr{to}, TokPos: to.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{s.Tag}})
		tag = from
	}
	to, number := o.variable(s.Switch, types.Typ[types.Int])
	first = append(first, &ast.AssignStmt{Lhs: []ast.Expr{to}, TokPos: s.Switch, Tok: token.DEFINE, Rhs: []ast.Expr{o.number(s.Switch, -1)}})
	list := &first
	for _, it := range items {
		pos := it.x.Pos()
		cond := it.x
		switch t := tag; {
		case t == nil && isInterface(o.info.TypeOf(cond)):
			t = &ast.Ident{NamePos: pos, Name: "true"}
			o.info.Types[t] = types.TypeAndValue{Type: types.Typ[types.Bool], Value: constant.MakeBool(true)}
			fallthrough
		case t != nil:
			cond = &ast.BinaryExpr{X: t, OpPos: pos, Op: token.EQL, Y: cond}
			o.info.Types[cond] = types.TypeAndValue{Type: types.Typ[types.Bool]}
		}
		set := &ast.AssignStmt{Lhs: []ast.Expr{number}, TokPos: pos, Tok: token.ASSIGN, Rhs: []ast.Expr{o.number(pos, it.number)}}
		rest := &ast.BlockStmt{Lbrace: pos, Rbrace: pos}
		*list = append(*list, it.first...)
		*list = append(*list, &ast.IfStmt{If: pos, Cond: cond, Body: &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{set}, Rbrace: pos}, Else: rest})
		list = &rest.List
	}
	s.Init, s.Tag = o.initial(s.Init, first), number
	for i, c := range s.Body.List {
		if c := c.(*ast.CaseClause); c.List != nil {
			c.List = []ast.Expr{o.number(c.Case, i)}
		}
	}
}

// number returns a constant.
func (o *orderer) number(pos token.Pos, n int) ast.Expr {
	x := &ast.BasicLit{ValuePos: pos, Kind: token.INT, Value: strconv.Itoa(n)}
	o.info.Types[x] = types.TypeAndValue{Type: types.Typ[types.Int], Value: constant.MakeInt64(int64(n))}
	return x
}

// forStmt returns the rewritten form of a loop. If its condition needs statements before it, they
// move with it into the body, which breaks if the condition is false.
func (o *orderer) forStmt(s *ast.ForStmt, parent ast.Node) ast.Stmt {
	if s.Cond != nil {
		if first := o.ordered(func() { s.Cond = o.expr(s.Cond) }); first != nil {
			pos := s.Cond.Pos()
			leave := &ast.BlockStmt{Lbrace: pos, List: []ast.Stmt{&ast.BranchStmt{TokPos: pos, Tok: token.BREAK}}, Rbrace: pos}
			test := &ast.IfStmt{If: pos, Cond: s.Cond, Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos}, Else: leave}
			s.Cond = nil
			s.Body.List = append(append(first, test), s.Body.List...)
		}
	}
	if init, ok := s.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
		if b, ok := o.assign(init).(*ast.BlockStmt); ok {
			return o.labelled(b.List[:len(b.List)-1], s, parent)
		}
	}
	return s
}

// communications visits the operands of a select statement. gc keeps all of them, in order.
func (o *orderer) communications(s *ast.SelectStmt) {
	keep := func(x ast.Expr) ast.Expr {
		if tv := o.info.Types[x]; !o.dry && tv.Value == nil && !tv.IsNil() {
			x = o.keep(x)
		}
		o.pending = false
		return x
	}
	for _, c := range s.Body.List {
		switch c := c.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			c.Chan = keep(o.expr(c.Chan))
			c.Value = keep(o.expr(c.Value))
		case *ast.ExprStmt:
			recv := ast.Unparen(c.X).(*ast.UnaryExpr)
			recv.X = keep(o.expr(recv.X))
		case *ast.AssignStmt:
			recv := ast.Unparen(c.Rhs[0]).(*ast.UnaryExpr)
			recv.X = keep(o.expr(recv.X))
		}
	}
}

// labelled returns a statement preceded by others. If it has a label, the label stays with it, and
// label adds the others.
func (o *orderer) labelled(first []ast.Stmt, s ast.Stmt, parent ast.Node) ast.Stmt {
	if _, ok := parent.(*ast.LabeledStmt); !ok || first == nil {
		return o.behind(first, s)
	}
	if o.before == nil {
		o.before = map[ast.Stmt][]ast.Stmt{}
	}
	o.before[s] = first
	return s
}

// label returns a labelled statement preceded by others. break and continue find it by its label.
// For goto, another label comes before all.
func (o *orderer) label(s *ast.LabeledStmt) ast.Stmt {
	first := o.before[s.Stmt]
	if first == nil {
		return s
	}
	delete(o.before, s.Stmt)
	out := o.behind(first, s)
	old := o.info.Defs[s.Label]
	label := types.NewLabel(s.Pos(), o.pkg, s.Label.Name)
	if o.gotos == nil {
		o.gotos = map[types.Object][]*ast.Ident{}
		ast.Inspect(o.file, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
				l := o.info.Uses[b.Label]
				o.gotos[l] = append(o.gotos[l], b.Label)
			}
			return true
		})
	}
	for _, use := range o.gotos[old] {
		o.info.Uses[use] = label
	}
	if o.gotos[old] != nil {
		name := &ast.Ident{NamePos: s.Pos(), Name: s.Label.Name}
		o.info.Defs[name] = label
		out = &ast.LabeledStmt{Label: name, Colon: s.Colon, Stmt: out}
	}
	return out
}

// variable makes a variable, and returns the identifiers that define and use it.
func (o *orderer) variable(pos token.Pos, t types.Type) (to, from *ast.Ident) {
	v := types.NewVar(pos, o.pkg, "value", t)
	to = &ast.Ident{NamePos: pos, Name: "value"}
	o.info.Defs[to] = v
	return to, o.use(pos, v)
}

// use returns an identifier that uses a variable.
func (o *orderer) use(pos token.Pos, v *types.Var) *ast.Ident {
	x := &ast.Ident{NamePos: pos, Name: v.Name()}
	o.info.Uses[x] = v
	o.uses[v] = append(o.uses[v], x)
	o.info.Types[x] = types.TypeAndValue{Type: v.Type()}
	return x
}
