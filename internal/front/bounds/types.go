package bounds

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gyrvm/gyr/internal/front/budget"
)

// A form says how large a type is as a function of the sizes of type arguments. Two sizes count:
//
//   - parts: how many types go/types visits when it looks for types that contain themselves. It
//     goes into the fields of structs, elements of arrays and embedded interfaces, by every path,
//     and on each step down it searches all the steps above (depth is the sum of these);
//   - terms: how many types are in the text of the type. A defined type is one, whatever it holds,
//     but its type arguments count. An alias counts as the type that it stands for.
type form struct {
	parts, depth int64
	terms        int64
	methods      int64   // of an interface, with those that it embeds
	params       []usage // by the number of the type parameter
}

// A usage says how often a type parameter is a part, the sum of the depths there, and how often it
// is in the text.
type usage struct{ parts, depth, terms int64 }

// A named type is declared in the package.
type named struct {
	spec  *ast.TypeSpec
	form  form
	known bool
	busy  bool
}

var simple = form{parts: 1, terms: 1}

// add adds the form of a type that is a part, one level below.
func (f *form) add(g form) {
	f.parts = budget.Add(f.parts, g.parts)
	f.depth = budget.Add(f.depth, budget.Add(g.depth, g.parts))
	for i, u := range g.params {
		f.use(i, usage{parts: u.parts, depth: budget.Add(u.depth, u.parts)})
	}
	f.mention(g)
}

// mention adds the form of a type that is in the text but not a part: the element of a pointer, for
// example.
func (f *form) mention(g form) {
	f.terms = budget.Add(f.terms, g.terms)
	for i, u := range g.params {
		f.use(i, usage{terms: u.terms})
	}
}

func (f *form) use(i int, u usage) {
	for len(f.params) <= i {
		f.params = append(f.params, usage{})
	}
	p := &f.params[i]
	*p = usage{budget.Add(p.parts, u.parts), budget.Add(p.depth, u.depth), budget.Add(p.terms, u.terms)}
}

// often returns how often the most used type parameter is in the text.
func (f *form) often() (n int64) {
	for _, u := range f.params {
		n = max(n, u.terms)
	}
	return n
}

// of returns the size of the text for type arguments of a total size.
func (f *form) of(args int64) int64 { return budget.Add(f.terms, budget.Mul(f.often(), args)) }

// instance returns the form of a generic type with type arguments.
func instance(g form, alias bool, args []form) form {
	f := form{parts: g.parts, depth: g.depth, terms: 1, methods: g.methods}
	if alias {
		f.terms = g.terms
	}
	for i, a := range args {
		u := usage{terms: 1}
		if i < len(g.params) {
			u = g.params[i]
			if !alias {
				u.terms = 1
			}
		} else if alias {
			u.terms = 0
		}
		f.parts = budget.Add(f.parts, budget.Mul(u.parts, a.parts))
		f.depth = budget.Add(f.depth, budget.Add(budget.Mul(u.parts, a.depth), budget.Mul(u.depth, a.parts)))
		f.terms = budget.Add(f.terms, budget.Mul(u.terms, a.terms))
		for k, p := range a.params {
			f.use(k, usage{budget.Mul(u.parts, p.parts),
				budget.Add(budget.Mul(u.parts, p.depth), budget.Mul(u.depth, p.parts)), budget.Mul(u.terms, p.terms)})
		}
	}
	return f
}

// constraints bounds the constraints of type parameters.
func (c *checker) constraints(list *ast.FieldList, sc *scope) {
	if list == nil {
		return
	}
	sc = params(list, sc)
	for _, f := range list.List {
		c.typ(f.Type, sc)
	}
}

// params declares type parameters, by number.
func params(list *ast.FieldList, sc *scope) *scope {
	sc = newScope(sc)
	for i, name := range paramNames(list) {
		sc.declare(name, &object{param: i + 1})
	}
	return sc
}

// named bounds a declared type.
func (c *checker) named(o *object) form {
	n := o.named
	if n.known {
		return n.form
	}
	if n.busy {
		return simple // it contains itself, directly or by a pointer
	}
	n.busy = true
	defer c.follow(n.spec.Pos())()
	c.constraints(n.spec.TypeParams, o.scope)
	rhs := c.typ(n.spec.Type, params(n.spec.TypeParams, o.scope))
	n.busy, n.known = false, true
	if n.spec.Assign.IsValid() {
		n.form = rhs
		c.expand(rhs.terms, n.spec.Pos(), n.spec.Name.Name)
		return rhs
	}
	n.form = form{parts: budget.Add(rhs.parts, 1), depth: budget.Add(rhs.depth, rhs.parts), terms: 1, methods: rhs.methods}
	for i, u := range rhs.params {
		n.form.use(i, usage{parts: u.parts, depth: budget.Add(u.depth, u.parts), terms: 1})
	}
	c.steps.required.note(n.form.methods, n.spec.Pos())
	c.expand(budget.Add(n.form.parts, n.form.depth/8), n.spec.Pos(), n.spec.Name.Name)
	switch n.spec.Type.(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.StarExpr, *ast.FuncType:
		if n.spec.TypeParams != nil && rhs.often() >= c.element.often() {
			c.element = form{terms: max(rhs.terms, c.element.terms), params: rhs.params}
		}
	}
	return n.form
}

// expand counts the parts of a type.
func (c *checker) expand(n int64, at token.Pos, name string) {
	if n < 64 {
		return // proportional to the source
	}
	c.expansion = budget.Add(c.expansion, n)
	c.atMost("TypeExpansion", c.Limits.TypeExpansion, c.expansion, at, "type %s: types of %s parts up to here", name,
		count(c.expansion))
}

// typ bounds a type expression. An expression that is no type, or an unknown one, is simple.
func (c *checker) typ(e ast.Expr, sc *scope) form {
	f := form{parts: 1, terms: 1}
	switch e := e.(type) {
	case *ast.Ident:
		return c.typeName(e, sc)
	case *ast.ParenExpr:
		return c.typ(e.X, sc)
	case *ast.SelectorExpr:
		if tn, ok := c.foreign(e, sc).(*types.TypeName); ok {
			return c.typeOf(tn.Type())
		}
	case *ast.IndexExpr:
		return c.instantiated(e.X, []ast.Expr{e.Index}, sc)
	case *ast.IndexListExpr:
		return c.instantiated(e.X, e.Indices, sc)
	case *ast.StarExpr:
		f.mention(c.typ(e.X, sc))
	case *ast.Ellipsis:
		if e.Elt != nil {
			f.mention(c.typ(e.Elt, sc))
		}
	case *ast.ArrayType:
		if e.Len == nil {
			f.mention(c.typ(e.Elt, sc))
			break
		}
		if !c.lengths[e.Len] {
			c.lengths[e.Len] = true
			c.root(e.Len, sc)
		}
		f.add(c.typ(e.Elt, sc))
	case *ast.MapType:
		f.mention(c.typ(e.Key, sc))
		f.mention(c.typ(e.Value, sc))
	case *ast.ChanType:
		f.mention(c.typ(e.Value, sc))
	case *ast.FuncType:
		f.mention(c.fieldTypes(e.Params, sc))
		f.mention(c.fieldTypes(e.Results, sc))
	case *ast.StructType:
		for _, field := range e.Fields.List {
			g := c.typ(field.Type, sc)
			for range max(1, len(field.Names)) {
				f.add(g)
			}
		}
	case *ast.InterfaceType:
		for _, m := range e.Methods.List {
			if len(m.Names) > 0 {
				f.methods++
				f.mention(c.typ(m.Type, sc))
				continue
			}
			g := c.typ(m.Type, sc)
			f.add(g)
			f.methods = budget.Add(f.methods, g.methods)
		}
		c.steps.required.note(f.methods, e.Pos())
	case *ast.BinaryExpr: // a union
		f.add(c.typ(e.X, sc))
		f.add(c.typ(e.Y, sc))
	case *ast.UnaryExpr:
		f.add(c.typ(e.X, sc))
	}
	return f
}

func (c *checker) fieldTypes(list *ast.FieldList, sc *scope) (f form) {
	if list == nil {
		return f
	}
	for _, field := range list.List {
		g := c.typ(field.Type, sc)
		for range max(1, len(field.Names)) {
			f.mention(g)
		}
	}
	return f
}

func (c *checker) typeName(e *ast.Ident, sc *scope) form {
	switch o := sc.lookup(e.Name); {
	case o == nil:
	case o.param > 0:
		f := form{parts: 1, terms: 1}
		f.use(o.param-1, usage{parts: 1, terms: 1})
		return f
	case o.named != nil:
		f := c.named(o)
		f.params = nil // without type arguments
		return f
	}
	return simple
}

func (c *checker) instantiated(generic ast.Expr, args []ast.Expr, sc *scope) form {
	g, alias := simple, false
	switch x := ast.Unparen(generic).(type) {
	case *ast.Ident:
		if o := sc.lookup(x.Name); o != nil && o.named != nil {
			g, alias = c.named(o), o.named.spec.Assign.IsValid()
		}
	case *ast.SelectorExpr:
		if tn, ok := c.foreign(x, sc).(*types.TypeName); ok {
			g = c.generic(tn.Type())
		}
	}
	list := make([]form, len(args))
	for i, a := range args {
		list[i] = c.typ(a, sc)
	}
	f := instance(g, alias, list)
	c.expand(budget.Add(f.terms, f.parts), generic.Pos(), "with type arguments")
	return f
}

// foreign returns the object of another package that a selector names, or nil if the selector names
// something else.
func (c *checker) foreign(e *ast.SelectorExpr, sc *scope) types.Object {
	if x, ok := e.X.(*ast.Ident); ok {
		if o := sc.lookup(x.Name); o != nil && o.imported != nil {
			return o.imported.Scope().Lookup(e.Sel.Name)
		}
	}
	return nil
}

// typeOf returns the form of a type of another package.
func (c *checker) typeOf(t types.Type) form {
	f := form{parts: 1, terms: 1}
	switch t := t.(type) {
	case *types.Alias:
		return c.typeOf(types.Unalias(t))
	case *types.Named:
		g := c.generic(t.Origin())
		var args []form
		for a := range t.TypeArgs().Types() {
			args = append(args, c.typeOf(a))
		}
		return instance(g, false, args)
	case *types.TypeParam:
		f.use(t.Index(), usage{parts: 1, terms: 1})
	case *types.Pointer:
		f.mention(c.typeOf(t.Elem()))
	case *types.Slice:
		f.mention(c.typeOf(t.Elem()))
	case *types.Chan:
		f.mention(c.typeOf(t.Elem()))
	case *types.Map:
		f.mention(c.typeOf(t.Key()))
		f.mention(c.typeOf(t.Elem()))
	case *types.Array:
		f.add(c.typeOf(t.Elem()))
	case *types.Struct:
		for v := range t.Fields() {
			f.add(c.typeOf(v.Type()))
		}
	case *types.Tuple:
		for v := range t.Variables() {
			f.mention(c.typeOf(v.Type()))
		}
	case *types.Signature:
		f.mention(c.typeOf(t.Params()))
		f.mention(c.typeOf(t.Results()))
	case *types.Interface:
		f.methods = int64(t.NumMethods())
		for e := range t.EmbeddedTypes() {
			f.add(c.typeOf(e))
		}
	}
	return f
}

// generic returns the form of a defined type of another package. That package was checked, so the
// recursion ends.
func (c *checker) generic(t types.Type) form {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return simple
	}
	if f, ok := c.imported[n]; ok {
		return f
	}
	c.imported[n] = simple
	rhs := c.typeOf(n.Underlying())
	f := form{parts: budget.Add(rhs.parts, 1), depth: budget.Add(rhs.depth, rhs.parts), terms: 1, methods: rhs.methods}
	for i, u := range rhs.params {
		f.use(i, usage{parts: u.parts, depth: budget.Add(u.depth, u.parts), terms: 1})
	}
	c.imported[n] = f
	return f
}
