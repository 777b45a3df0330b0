package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file visits expressions in gc's order, by kind of operand (see order.go). expr and place
// return the rewritten form of an expression. A late operand leaves pending set. An operand in
// place ends with inPlace, which keeps its value in a variable if necessary.

// expr visits an expression whose value is used.
func (o *orderer) expr(x ast.Expr) ast.Expr {
	if tv := o.info.Types[x]; tv.Value != nil || tv.IsType() || tv.IsNil() {
		return x
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		x.X = o.expr(x.X)
	case *ast.Ident:
		if v, ok := o.info.Uses[x].(*types.Var); ok && o.changes(v) {
			o.pending = true
		}
	case *ast.CompositeLit:
		return o.composite(x)
	case *ast.SelectorExpr:
		before := o.pending
		o.selector(x)
		if s := o.info.Selections[x]; s != nil && s.Kind() == types.MethodVal && o.derived(s.Recv()) && !isInterface(s.Recv()) {
			return o.inPlace(x, before, false) // gc calls a function of its own
		}
	case *ast.IndexExpr:
		o.index(x)
	case *ast.StarExpr:
		x.X = o.expr(x.X)
		o.pending = true
	case *ast.UnaryExpr:
		switch x.Op {
		case token.AND:
			x.X = o.place(x.X)
		case token.ARROW:
			before := o.pending
			x.X = o.expr(x.X)
			return o.inPlace(x, before, true)
		default:
			x.X = o.expr(x.X)
		}
	case *ast.BinaryExpr:
		return o.binary(x)
	case *ast.SliceExpr:
		before := o.pending
		if _, ok := under(o.info.TypeOf(x.X)).(*types.Array); ok {
			x.X = o.place(x.X)
		} else {
			x.X = o.expr(x.X)
		}
		for _, i := range []*ast.Expr{&x.Low, &x.High, &x.Max} {
			if *i != nil {
				*i = o.cheap(*i)
			}
		}
		o.pending = true // it may be out of range
		return o.inPlace(x, before, false)
	case *ast.TypeAssertExpr:
		before := o.pending
		x.X = o.expr(x.X)
		o.pending = true // it may panic
		if t := o.info.TypeOf(x.Type); !o.direct(t) && !o.derived(t) {
			return o.inPlace(x, before, false)
		}
	case *ast.CallExpr:
		return o.call(x)
	}
	return x
}

// index visits an index expression. It leaves an instantiation unchanged.
func (o *orderer) index(x *ast.IndexExpr) {
	if o.info.Types[x.Index].IsType() {
		return
	}
	switch t := under(o.info.TypeOf(x.X)).(type) {
	case *types.Map:
		x.X = o.expr(x.X)
		x.Index = o.key(x.Index, t)
		o.pending = true
	case *types.Array:
		x.X = o.expr(x.X)
		x.Index = o.expr(x.Index)
		o.pending = o.pending || o.info.Types[x.Index].Value == nil
	case *types.Signature:
	default:
		x.X = o.expr(x.X)
		x.Index = o.expr(x.Index)
		o.pending = true
	}
}

// key visits the key of a map. gc passes many keys to the map's functions by address. It copies
// keys without an address in place.
func (o *orderer) key(x ast.Expr, m *types.Map) ast.Expr {
	before := o.pending
	x = o.converted(x, m.Key())
	copied := false
	switch kind := o.keyKind(m); kind {
	case keyByAddress:
		copied = !o.addressable(x) || isInterface(m.Key()) && !isInterface(o.info.TypeOf(x))
	case keyThroughMemory:
		copied = true
	}
	if copied && o.info.Types[x].Value == nil {
		return o.inPlace(x, before, false)
	}
	return x
}

// selector visits a field, a method value or a qualified identifier.
func (o *orderer) selector(x *ast.SelectorExpr) {
	sel := o.info.Selections[x]
	switch {
	case sel == nil:
		_, v := o.info.Uses[x.Sel].(*types.Var)
		o.pending = o.pending || v
	case sel.Kind() == types.FieldVal:
		x.X = o.expr(x.X)
		o.pending = o.pending || sel.Indirect()
	case sel.Kind() == types.MethodVal:
		o.receiver(x, sel)
		o.pending = o.pending || isInterface(sel.Recv())
	}
}

// receiver visits the receiver of a method call or a method value.
func (o *orderer) receiver(x *ast.SelectorExpr, sel *types.Selection) {
	_, ptr := sel.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	_, isPtr := under(o.info.TypeOf(x.X)).(*types.Pointer)
	switch {
	case ptr && !isPtr:
		x.X = o.place(x.X)
		o.pending = o.pending || sel.Indirect()
	case ptr, isInterface(sel.Recv()):
		x.X = o.expr(x.X)
		o.pending = o.pending || len(sel.Index()) > 1 // embedded pointers on the way
	default:
		x.X = o.expr(x.X)
		o.pending = o.pending || isPtr || sel.Indirect() || len(sel.Index()) > 1
	}
}

// cheap visits an expression that gc keeps unless it is a name.
func (o *orderer) cheap(x ast.Expr) ast.Expr {
	before := o.pending
	x = o.expr(x)
	if _, ok := ast.Unparen(x).(*ast.Ident); ok {
		return x
	}
	return o.inPlace(x, before, false)
}

// place visits an addressable expression whose value is not read.
func (o *orderer) place(x ast.Expr) ast.Expr {
	switch y := x.(type) {
	case *ast.ParenExpr:
		y.X = o.place(y.X)
	case *ast.Ident:
	case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
		o.target(y)
		switch y := y.(type) {
		case *ast.IndexExpr:
			o.pending = o.pending || o.info.Types[y.Index].Value == nil || !o.isArray(y.X)
		case *ast.SelectorExpr:
			sel := o.info.Selections[y]
			o.pending = o.pending || sel != nil && sel.Indirect()
		case *ast.StarExpr:
			o.pending = true
		}
	default:
		return o.expr(x)
	}
	return x
}

func (o *orderer) isArray(x ast.Expr) bool {
	_, ok := under(o.info.TypeOf(x)).(*types.Array)
	return ok
}

// target visits the target of an assignment. Its checks happen at the store.
func (o *orderer) target(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		o.target(x.X)
	case *ast.StarExpr:
		x.X = o.expr(x.X)
	case *ast.SelectorExpr:
		sel := o.info.Selections[x]
		switch {
		case sel == nil:
		case sel.Indirect():
			x.X = o.expr(x.X)
			o.pending = o.pending || len(sel.Index()) > 1
		default:
			x.X = o.place(x.X)
		}
	case *ast.IndexExpr:
		switch t := under(o.info.TypeOf(x.X)).(type) {
		case *types.Map:
			x.X = o.expr(x.X)
			x.Index = o.key(x.Index, t)
		case *types.Array:
			x.X = o.place(x.X)
			x.Index = o.expr(x.Index)
		default:
			x.X = o.expr(x.X)
			x.Index = o.expr(x.Index)
		}
	}
}

// binary visits an operation of two operands.
func (o *orderer) binary(x *ast.BinaryExpr) ast.Expr {
	switch x.Op {
	case token.LAND, token.LOR:
		return o.logical(x)
	case token.EQL, token.NEQ:
		s, t := o.info.TypeOf(x.X), o.info.TypeOf(x.Y)
		switch {
		case isInterface(s) != isInterface(t):
			if isInterface(s) {
				t = s
			}
			x.X, x.Y = o.converted(x.X, t), o.converted(x.Y, t)
			o.pending = true
			return x
		case isInterface(s):
			o.pending = true // it may panic
		}
		x.X, x.Y = o.expr(x.X), o.expr(x.Y)
		switch under(s).(type) {
		case *types.Struct, *types.Array:
			for _, y := range []*ast.Expr{&x.X, &x.Y} {
				if !o.addressable(*y) {
					*y = o.inPlace(*y, o.pending, false)
				}
			}
		}
		return x
	}
	x.X, x.Y = o.expr(x.X), o.expr(x.Y)
	switch x.Op {
	case token.QUO, token.REM:
		o.pending = o.pending || isInteger(o.info.TypeOf(x)) && o.info.Types[x.Y].Value == nil
	case token.SHL, token.SHR:
		o.pending = o.pending || !isUnsigned(o.info.TypeOf(x.Y)) && o.info.Types[x.Y].Value == nil
	}
	return x
}

// logical visits && and ||. gc keeps the value of the left operand, computes the right one if
// necessary, and keeps that. If the right operand needs statements before it, the expression
// becomes
//
//	t := x; if t { …; t = y }
func (o *orderer) logical(x *ast.BinaryExpr) ast.Expr {
	before := o.pending
	x.X = o.expr(x.X)
	reads := o.pending
	o.pending = before
	out := o.out
	o.out = nil
	x.Y = o.expr(x.Y)
	right := o.out
	o.out = out
	if o.dry || len(right) == 0 {
		o.pending = o.pending || reads
		return o.inPlace(x, before, false)
	}
	o.pending = before
	to, from := o.variable(x.Pos(), types.Default(o.info.TypeOf(x)))
	v := o.info.Defs[to].(*types.Var)
	set := &ast.AssignStmt{Lhs: []ast.Expr{o.use(x.Y.Pos(), v)}, TokPos: x.Y.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{x.Y}}
	more := &ast.BlockStmt{Lbrace: x.OpPos, List: append(right, set), Rbrace: x.OpPos}
	branch := &ast.IfStmt{If: x.OpPos, Cond: o.use(x.OpPos, v), Body: more}
	if x.Op == token.LOR {
		branch.Body, branch.Else = &ast.BlockStmt{Lbrace: x.OpPos, Rbrace: x.OpPos}, more
	}
	o.out = append(o.out, &ast.AssignStmt{Lhs: []ast.Expr{to}, TokPos: x.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{x.X}}, branch)
	return from
}

// composite visits a composite literal. gc makes maps in place, one entry after the other.
func (o *orderer) composite(x *ast.CompositeLit) ast.Expr {
	if m, ok := o.literalType(x).(*types.Map); ok {
		return o.mapLiteral(x, m)
	}
	o.eachElement(x, o.converted)
	return x
}

// literalType returns the underlying type of a literal. For an elided &T{} it returns that of T.
func (o *orderer) literalType(x *ast.CompositeLit) types.Type {
	t := under(o.info.TypeOf(x))
	if p, ok := t.(*types.Pointer); ok {
		t = under(p.Elem())
	}
	return t
}

func isMap(t types.Type) bool {
	_, ok := t.(*types.Map)
	return ok
}

// eachElement replaces the elements of a literal of a struct, array or slice, each with its type.
func (o *orderer) eachElement(x *ast.CompositeLit, replace func(ast.Expr, types.Type) ast.Expr) {
	t := o.literalType(x)
	for i, e := range x.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		want := elem(t)
		if s, ok := t.(*types.Struct); ok {
			if keyed {
				want = o.info.TypeOf(kv.Key.(*ast.Ident))
			} else {
				want = s.Field(i).Type()
			}
		}
		if keyed {
			kv.Value = replace(kv.Value, want)
		} else {
			x.Elts[i] = replace(e, want)
		}
	}
}

// mapLiteral visits a map literal. If an entry needs statements before it, the entries become
// assignments.
func (o *orderer) mapLiteral(x *ast.CompositeLit, m *types.Map) ast.Expr {
	before, reads := o.pending, false
	out := o.out
	var firsts [][]ast.Stmt
	found := false
	for _, e := range x.Elts {
		kv := e.(*ast.KeyValueExpr)
		o.out = nil
		kv.Key = o.key(kv.Key, m)
		kv.Value = o.converted(kv.Value, m.Elem())
		reads = reads || o.pending
		o.pending = before
		firsts = append(firsts, o.out)
		found = found || len(o.out) > 0
	}
	o.out = out
	if !found {
		o.pending = reads
		return o.inPlace(x, before, false)
	}
	t := o.info.TypeOf(x)
	pos := x.Lbrace
	of := &ast.Ident{NamePos: pos, Name: "map"}
	o.info.Types[of] = types.TypeAndValue{Type: t}
	fun := &ast.Ident{NamePos: pos, Name: "make"}
	o.info.Uses[fun] = types.Universe.Lookup("make")
	o.info.Types[fun] = types.TypeAndValue{Type: types.Typ[types.Invalid]}
	call := &ast.CallExpr{Fun: fun, Lparen: pos, Args: []ast.Expr{of, o.number(pos, len(x.Elts))}, Rparen: pos}
	o.info.Types[call] = types.TypeAndValue{Type: t}
	to, from := o.variable(pos, t)
	v := o.info.Defs[to].(*types.Var)
	o.out = append(o.out, &ast.AssignStmt{Lhs: []ast.Expr{to}, TokPos: pos, Tok: token.DEFINE, Rhs: []ast.Expr{call}})
	static := func(e ast.Expr) bool {
		kv := e.(*ast.KeyValueExpr)
		return o.info.Types[kv.Key].Value != nil && o.info.Types[kv.Value].Value != nil
	}
	for _, first := range []bool{true, false} { // gc makes the map with its constant entries
		for i, e := range x.Elts {
			if static(e) != first {
				continue
			}
			kv := e.(*ast.KeyValueExpr)
			entry := &ast.IndexExpr{X: o.use(kv.Colon, v), Lbrack: kv.Colon, Index: kv.Key, Rbrack: kv.Colon}
			o.info.Types[entry] = types.TypeAndValue{Type: m.Elem()}
			o.out = append(o.out, firsts[i]...)
			o.out = append(o.out, &ast.AssignStmt{Lhs: []ast.Expr{entry}, TokPos: kv.Colon, Tok: token.ASSIGN, Rhs: []ast.Expr{kv.Value}})
		}
	}
	return from
}

// call visits a conversion, a call of a builtin function, or another call.
func (o *orderer) call(x *ast.CallExpr) ast.Expr {
	before := o.pending
	if tv := o.info.Types[x.Fun]; tv.IsType() {
		return o.conversion(x, tv.Type)
	}
	o.arguments(x, x.Args)
	switch o.builtin(x) {
	case "":
		return o.inPlace(x, before, true)
	case "append", "copy", "recover":
		return o.inPlace(x, before, true) // they write to memory
	case "cap", "complex", "imag", "len", "make", "max", "min", "new", "real":
		return o.inPlace(x, before, false)
	}
	o.pending = true // a function of package unsafe: it may panic
	return x
}

// conversion visits x, a conversion to t.
func (o *orderer) conversion(x *ast.CallExpr, t types.Type) ast.Expr {
	before := o.pending
	from := o.info.TypeOf(x.Args[0])
	x.Args[0] = o.converted(x.Args[0], t)
	_, slice := under(t).(*types.Slice)
	switch s := under(from).(type) {
	case *types.Basic:
		if slice && s.Info()&types.IsString != 0 {
			return o.inPlace(x, before, false)
		}
	case *types.Slice:
		o.pending = o.pending || !slice // it reads the slice's elements, or may panic
	}
	return x
}

// converted visits an expression that is converted to t, perhaps only by an assignment to a
// variable of that type. gc passes many values to interfaces by address. It copies values without
// an address in place.
func (o *orderer) converted(x ast.Expr, t types.Type) ast.Expr {
	before := o.pending
	from := o.info.TypeOf(x)
	y := o.expr(x)
	if t == nil || !isInterface(t) || isInterface(from) || o.info.Types[y].Value != nil || o.info.Types[y].IsNil() {
		return y
	}
	if o.byAddress(from) && !o.addressable(y) {
		return o.inPlace(y, before, false)
	}
	return y
}

// operands visits the operands of an expression that a statement computes itself: a call without a
// value or with several, or an expression with two values. So the expression's own value need not
// be kept.
func (o *orderer) operands(x ast.Expr) {
	switch x := ast.Unparen(x).(type) {
	case *ast.CallExpr:
		if tv := o.info.Types[x.Fun]; tv.IsType() {
			o.conversion(x, tv.Type)
			return
		}
		o.arguments(x, x.Args)
		o.found(false)
	case *ast.UnaryExpr:
		x.X = o.expr(x.X)
		if x.Op == token.ARROW {
			o.found(false)
		}
	case *ast.IndexExpr:
		o.index(x)
	case *ast.TypeAssertExpr:
		x.X = o.expr(x.X)
	}
}

// arguments visits the function that x calls, and the arguments args.
func (o *orderer) arguments(x *ast.CallExpr, args []ast.Expr) {
	if name := o.builtin(x); name != "" {
		if sig, ok := o.info.TypeOf(x.Fun).(*types.Signature); ok && name != "append" && name != "delete" {
			o.list(args, sig, x.Ellipsis.IsValid())
			return
		}
		for i, a := range args {
			want := types.Type(nil)
			switch {
			case name == "append" && i >= len(args)-len(x.Args)+1 && !x.Ellipsis.IsValid():
				want = elem(o.info.TypeOf(x.Args[0]))
			case name == "delete" && i == 1:
				if m, ok := under(o.info.TypeOf(args[0])).(*types.Map); ok {
					args[i] = o.key(a, m)
					continue
				}
			}
			args[i] = o.converted(a, want)
		}
		return
	}
	fun := ast.Unparen(x.Fun)
	method := fun
	switch f := fun.(type) {
	case *ast.IndexExpr:
		method = f.X
	case *ast.IndexListExpr:
		method = f.X
	}
	if s, ok := ast.Unparen(method).(*ast.SelectorExpr); ok && o.info.Selections[s] != nil && o.info.Selections[s].Kind() == types.MethodVal {
		o.receiver(s, o.info.Selections[s])
	} else {
		x.Fun = o.expr(x.Fun)
	}
	sig, _ := under(o.info.TypeOf(x.Fun)).(*types.Signature)
	if len(args) == 1 {
		if tuple, ok := o.info.TypeOf(args[0]).(*types.Tuple); ok {
			before := o.pending
			o.operands(args[0])
			if before {
				o.need = true
			}
			if !o.dry {
				o.spread(x, tuple)
			}
			return
		}
	}
	o.list(args, sig, x.Ellipsis.IsValid())
}

// list visits arguments for the parameters of a function. sig is nil if the function's type depends
// on type parameters.
func (o *orderer) list(args []ast.Expr, sig *types.Signature, ellipsis bool) {
	for i, a := range args {
		want := types.Type(nil)
		if sig != nil {
			switch n := sig.Params().Len(); {
			case sig.Variadic() && i >= n-1 && !ellipsis:
				want = elem(sig.Params().At(n - 1).Type())
			case i < n:
				want = sig.Params().At(i).Type()
			}
		}
		args[i] = o.converted(a, want)
	}
}

// spread keeps the values of the only argument of a call.
func (o *orderer) spread(x *ast.CallExpr, tuple *types.Tuple) {
	def := &ast.AssignStmt{TokPos: x.Args[0].Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{x.Args[0]}}
	var args []ast.Expr
	for i := range tuple.Len() {
		to, from := o.variable(x.Args[0].Pos(), tuple.At(i).Type())
		def.Lhs, args = append(def.Lhs, to), append(args, from)
	}
	x.Args = args
	o.out = append(o.out, def)
}

// builtin returns the name of the builtin function that x calls, or "".
func (o *orderer) builtin(x *ast.CallExpr) string {
	switch f := ast.Unparen(x.Fun).(type) {
	case *ast.Ident:
		if b, ok := o.info.Uses[f].(*types.Builtin); ok {
			return b.Name()
		}
	case *ast.SelectorExpr:
		if b, ok := o.info.Uses[f.Sel].(*types.Builtin); ok {
			return "unsafe." + b.Name()
		}
	}
	return ""
}

// found counts an effect. If an operand was waiting before it, that operand must be computed after
// the effect, and the statement must change.
func (o *orderer) found(before bool) {
	o.need = o.need || before
	if o.dry {
		o.effects++
	} else {
		o.effects--
	}
}

// inPlace returns x, whose operands have been visited, or the variable that keeps its value. before
// says whether an operand was waiting before x, effect whether computing x may change variables.
func (o *orderer) inPlace(x ast.Expr, before, effect bool) ast.Expr {
	if effect {
		o.found(before)
	}
	reads := o.pending
	o.pending = before
	if o.dry || !(effect && before) && (o.effects == 0 || !effect && !reads) {
		return x
	}
	return o.keep(x)
}

// keep returns a variable that has the value of x.
func (o *orderer) keep(x ast.Expr) ast.Expr {
	to, from := o.variable(x.Pos(), types.Default(o.info.TypeOf(x)))
	o.out = append(o.out, &ast.AssignStmt{Lhs: []ast.Expr{to}, TokPos: x.Pos(), Tok: token.DEFINE, Rhs: []ast.Expr{x}})
	return from
}
