package bounds

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gyrvm/gyr/internal/front/budget"
)

// The results of type inference. The type of a variable that is declared by a value may be twice as
// large as that of a variable in the value, the type of the next one twice as large again, and
// go/types spells types to compare them. The code below does not know the types themselves, only
// how large they can be. A selector finds at most the largest field or method of its name. A
// generic function returns its result type with all passed types as type arguments.

// collectMembers notes the fields and methods of the package's types.
func (c *checker) collectMembers() {
	for _, d := range c.decls {
		switch x := d.Decl.(type) {
		case *ast.GenDecl:
			for _, s := range x.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					c.members(s.Type, params(s.TypeParams, d.scope))
				}
			}
		case *ast.FuncDecl:
			if x.Recv == nil || len(x.Recv.List) == 0 {
				continue
			}
			sc := newScope(d.scope)
			for i, name := range receiverParams(x) {
				sc.declare(name, &object{param: i + 1})
			}
			note(c.methods, x.Name.Name, c.fieldTypes(x.Type.Results, sc))
		}
	}
}

// receiverParams returns the names that a method gives its type's parameters.
func receiverParams(d *ast.FuncDecl) (names []string) {
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	var list []ast.Expr
	switch x := t.(type) {
	case *ast.IndexExpr:
		list = []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		list = x.Indices
	}
	for _, e := range list {
		name := "_"
		if id, ok := e.(*ast.Ident); ok {
			name = id.Name
		}
		names = append(names, name)
	}
	return names
}

// members notes the fields and methods that a type expression spells.
func (c *checker) members(e ast.Expr, sc *scope) {
	switch e := e.(type) {
	case *ast.StructType:
		for _, field := range e.Fields.List {
			f := c.typ(field.Type, sc)
			for _, n := range field.Names {
				note(c.fields, n.Name, f)
			}
			if len(field.Names) == 0 {
				note(c.fields, embeddedName(field.Type), f)
			}
		}
	case *ast.InterfaceType:
		for _, m := range e.Methods.List {
			if fn, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
				note(c.methods, m.Names[0].Name, c.fieldTypes(fn.Results, sc))
			}
		}
	}
}

func embeddedName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return embeddedName(e.X)
	case *ast.IndexExpr:
		return embeddedName(e.X)
	case *ast.IndexListExpr:
		return embeddedName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// note keeps the larger of two forms.
func note(m map[string]form, name string, f form) {
	if g, ok := m[name]; ok {
		f = form{terms: max(f.terms, g.terms), params: []usage{{terms: max(f.often(), g.often())}}}
	}
	m[name] = f
}

// exprs bounds expressions that are not operands.
func (c *checker) exprs(list []ast.Expr, sc *scope) {
	for _, e := range list {
		c.root(e, sc)
	}
}

// expr bounds an expression.
func (c *checker) expr(e ast.Expr, sc *scope) value {
	v := value{parts: 1}
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		return c.name(e, sc)
	case *ast.ParenExpr:
		return c.expr(e.X, sc)
	case *ast.UnaryExpr:
		v = c.expr(e.X, sc)
		switch e.Op {
		case token.AND:
			v.parts = budget.Add(v.parts, 1)
		case token.ARROW:
			v.parts = c.derived(v.parts)
		}
	case *ast.StarExpr:
		v.parts = c.derived(c.expr(e.X, sc).parts)
	case *ast.BinaryExpr:
		x, y := c.expr(e.X, sc), c.expr(e.Y, sc)
		return c.operation(e, x, y)
	case *ast.SelectorExpr:
		return c.selector(e, sc)
	case *ast.IndexExpr:
		if f, ok := c.function(e.X, sc); ok {
			return value{parts: f.of(c.typ(e.Index, sc).terms)}
		}
		c.root(e.Index, sc)
		v.parts = c.derived(c.root(e.X, sc).parts)
	case *ast.IndexListExpr:
		f, _ := c.function(e.X, sc)
		args := int64(0)
		for _, a := range e.Indices {
			args = budget.Add(args, c.typ(a, sc).terms)
		}
		v.parts = f.of(args)
	case *ast.SliceExpr:
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				c.root(i, sc)
			}
		}
		v.parts = budget.Add(c.root(e.X, sc).parts, 1)
	case *ast.TypeAssertExpr:
		v.parts = c.expr(e.X, sc).parts
		if e.Type != nil {
			v.parts = c.typ(e.Type, sc).terms
		}
	case *ast.CallExpr:
		v = c.call(e, sc)
		c.grown(v.parts, e.Pos())
	case *ast.CompositeLit:
		if e.Type != nil {
			v.parts = c.typ(e.Type, sc).terms
		}
		c.exprs(e.Elts, sc)
	case *ast.KeyValueExpr:
		c.root(e.Key, sc)
		c.root(e.Value, sc)
	case *ast.FuncLit:
		v.parts = c.typ(e.Type, sc).terms
		c.body(e.Type, e.Body, sc)
	case *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.ChanType:
		v.parts = c.typ(e, sc).terms
	}
	return v
}

// grown refuses the type of an expression that has become too large.
func (c *checker) grown(parts int64, at token.Pos) {
	if parts > 1024 {
		c.expand(parts, at, "of a value")
	}
}

// derived bounds the element type of a pointer, slice or channel.
func (c *checker) derived(parts int64) int64 {
	if c.element.often() < 2 {
		return budget.Add(parts, c.element.terms)
	}
	return c.element.of(parts)
}

func (c *checker) name(e *ast.Ident, sc *scope) value {
	switch o := sc.lookup(e.Name); {
	case o == nil:
		if e.Name == "iota" {
			return value{bits: 32, parts: 1}
		}
	case o.constant != nil:
		return c.constant(o)
	case o.variable != nil:
		return value{parts: c.variable(o)}
	case o.named != nil:
		return value{parts: c.named(o).terms}
	case o.fn != nil:
		return value{parts: c.typ(o.fn, params(nil, o.scope)).terms}
	}
	return value{parts: 1}
}

// variable bounds the type of a variable, which may be declared after its use.
func (c *checker) variable(o *object) int64 {
	v := o.variable
	if v.size > 0 || v.busy {
		return max(v.size, 1)
	}
	v.busy = true
	switch {
	case v.typ != nil:
		v.size = c.typ(v.typ, o.scope).terms
	case v.value != nil:
		defer c.follow(v.value.Pos())()
		v.read = true
		v.size = c.root(v.value, o.scope).parts
	default:
		v.size = 1
	}
	v.busy = false
	return v.size
}

func (c *checker) selector(e *ast.SelectorExpr, sc *scope) value {
	switch o := c.foreign(e, sc).(type) {
	case *types.Const:
		return constantOf(o)
	case *types.Var, *types.Func, *types.TypeName:
		f := c.typeOf(o.Type())
		return value{parts: f.terms}
	}
	x := c.root(e.X, sc)
	f, field := c.fields[e.Sel.Name]
	if m, ok := c.methods[e.Sel.Name]; ok {
		note := f.often()
		f = form{terms: max(f.terms, m.terms), params: []usage{{terms: max(note, m.often())}}}
	} else if !field {
		return value{parts: budget.Add(x.parts, 1)}
	}
	return value{parts: f.of(x.parts)}
}

// function returns the form of the results of a generic function that an expression names.
func (c *checker) function(e ast.Expr, sc *scope) (form, bool) {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if o := sc.lookup(x.Name); o != nil && o.fn != nil {
			in := newScope(o.scope)
			for i, p := range o.params {
				in.declare(p, &object{param: i + 1})
			}
			return c.fieldTypes(o.fn.Results, in), true
		}
	case *ast.SelectorExpr:
		if fn, ok := c.foreign(x, sc).(*types.Func); ok {
			return c.typeOf(fn.Signature().Results()), true
		}
	case *ast.IndexExpr:
		return c.function(x.X, sc)
	case *ast.IndexListExpr:
		return c.function(x.X, sc)
	}
	return form{}, false
}

func (c *checker) call(e *ast.CallExpr, sc *scope) value {
	args, bytes, bits := int64(0), int64(0), int64(0)
	first, most := int64(1), int64(1)
	for i, a := range e.Args {
		v := c.root(a, sc)
		if i == 0 {
			first = v.parts
		}
		most = max(most, v.parts)
		args = budget.Add(args, v.parts)
		bytes, bits = max(bytes, v.bytes), max(bits, v.bits)
	}
	v := value{parts: 1}
	if f, ok := c.function(e.Fun, sc); ok {
		switch x := ast.Unparen(e.Fun).(type) {
		case *ast.IndexExpr:
			args = budget.Add(args, c.typ(x.Index, sc).terms)
		case *ast.IndexListExpr:
			for _, t := range x.Indices {
				args = budget.Add(args, c.typ(t, sc).terms)
			}
		}
		v.parts = f.of(args)
		return v
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && sc.lookup(id.Name) == nil {
		// Predeclared: a type or a function.
		switch id.Name {
		case "new", "make":
			if len(e.Args) > 0 {
				v.parts = budget.Add(c.typ(e.Args[0], sc).terms, 1)
			}
		case "append", "min", "max", "real", "imag", "complex":
			v = value{bytes, bits, most}
			if id.Name == "append" {
				v.parts = first
			}
		default: // a conversion of constants, or a small type
			v.bytes, v.bits = bytes, bits
		}
		return v
	}
	v.parts = c.root(e.Fun, sc).parts
	if len(e.Args) == 1 { // it may be a conversion
		v.bytes, v.bits = bytes, bits
	}
	return v
}
