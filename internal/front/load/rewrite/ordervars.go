package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// changeable says how code outside a function could change a variable of the function.
type changeable struct {
	function                 ast.Node // the function of the variable
	captured, set, addressed bool
}

// changes reports whether a call may change a variable: a package-level variable, one whose address
// is taken, or one that a function literal shares and that is assigned to after its declaration.
// (gc captures others by value.)
func (o *orderer) changes(v *types.Var) bool {
	if !o.exact || v.Parent() == v.Pkg().Scope() {
		return true
	}
	if o.vars == nil {
		o.vars = map[*types.Var]changeable{}
		o.find()
	}
	c := o.vars[v]
	return c.addressed || c.captured && c.set
}

// find fills vars.
func (o *orderer) find() {
	var function ast.Node
	mark := func(v *types.Var, f func(*changeable)) {
		c := o.vars[v]
		f(&c)
		o.vars[v] = c
	}
	set := func(x ast.Expr) {
		if v := o.root(x); v != nil {
			mark(v, func(c *changeable) { c.set = true })
		}
	}
	addressed := func(x ast.Expr) {
		if v := o.root(x); v != nil {
			mark(v, func(c *changeable) { c.addressed = true })
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if n != function {
				outer := function
				function = n
				ast.Inspect(n, visit)
				function = outer
				return false
			}
		case *ast.CaseClause:
			if v, ok := o.info.Implicits[n].(*types.Var); ok {
				mark(v, func(c *changeable) { c.function = function })
			}
		case *ast.Ident:
			if v, ok := o.info.Defs[n].(*types.Var); ok && !v.IsField() {
				mark(v, func(c *changeable) { c.function = function })
			}
			if v, ok := o.info.Uses[n].(*types.Var); ok && !v.IsField() && o.vars[v].function != function {
				mark(v, func(c *changeable) { c.captured = true })
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				set(l)
			}
		case *ast.IncDecStmt:
			set(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if x != nil {
						set(x)
					}
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				addressed(n.X)
			}
		case *ast.SliceExpr:
			if o.isArray(n.X) {
				addressed(n.X)
			}
		case *ast.SelectorExpr:
			if s := o.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
				_, ptr := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
				_, isPtr := under(o.info.TypeOf(n.X)).(*types.Pointer)
				if ptr && !isPtr {
					addressed(n.X)
				}
			}
		}
		return true
	}
	ast.Inspect(o.file, visit)
}

// root returns the variable that an expression is a part of, if it is a use of one.
func (o *orderer) root(x ast.Expr) *types.Var {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return o.root(x.X)
	case *ast.Ident:
		v, _ := o.info.Uses[x].(*types.Var)
		return v
	case *ast.SelectorExpr:
		if s := o.info.Selections[x]; s != nil && s.Kind() == types.FieldVal && !s.Indirect() {
			return o.root(x.X)
		}
	case *ast.IndexExpr:
		if o.isArray(x.X) {
			return o.root(x.X)
		}
	}
	return nil
}

// addressable reports whether gc sees an address in an expression. gc copies variables that no call
// can change, but programs cannot tell.
func (o *orderer) addressable(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return o.addressable(x.X)
	case *ast.Ident:
		_, v := o.info.Uses[x].(*types.Var)
		return v
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := o.info.Selections[x]
		switch {
		case s == nil:
			_, v := o.info.Uses[x.Sel].(*types.Var)
			return v
		case s.Kind() != types.FieldVal:
			return false
		}
		return s.Indirect() || o.addressable(x.X)
	case *ast.IndexExpr:
		switch under(o.info.TypeOf(x.X)).(type) {
		case *types.Array:
			return o.addressable(x.X)
		case *types.Slice, *types.Pointer:
			return true
		}
	}
	return false
}

// byAddress reports whether gc's runtime takes the address of a value of a type to make an
// interface from it.
func (o *orderer) byAddress(t types.Type) bool {
	if t = o.types.ground(t); t == nil {
		return false // it depends on the type argument
	}
	m := o.types.measure(t)
	size, align := m.size, m.align
	switch {
	case size == 2 && align == 2:
		return false
	case (size == 4 && align == 4 || size == 8 && align == 8) && !m.pointers:
		return false
	}
	switch t := sole(t).(type) {
	case *types.Basic:
		return t.Info()&types.IsString == 0
	case *types.Slice:
		return false
	}
	return true
}

// sole returns the underlying type of the only component of a type.
func sole(t types.Type) types.Type {
	switch u := under(t).(type) {
	case *types.Struct:
		if u.NumFields() == 1 {
			return sole(u.Field(0).Type())
		}
	case *types.Array:
		if u.Len() == 1 {
			return sole(u.Elem())
		}
	}
	return under(t)
}

// direct reports whether an interface holds a value of a type itself, not a pointer to it. gc
// asserts such a type late.
func (o *orderer) direct(t types.Type) bool {
	switch u := under(t).(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		return u.NumFields() == 1 && o.direct(u.Field(0).Type())
	case *types.Array:
		return u.Len() == 1 && o.direct(u.Elem())
	}
	return false
}

// keyKind says how gc passes a key to the functions of a map.
type keyKind int

const (
	keyByValue       keyKind = iota // in a register
	keyByAddress                    // by its address, or that of a copy
	keyThroughMemory                // in a register, by way of a copy in memory
)

// maxMapElem is the largest size of map elements for which gc has special functions for some keys.
const maxMapElem = 128

func (o *orderer) keyKind(m *types.Map) keyKind {
	key, elem := o.types.ground(m.Key()), o.types.ground(m.Elem())
	if key == nil || elem == nil {
		return keyByValue // it depends on the type argument
	}
	if o.types.measure(elem).size > maxMapElem {
		return keyByAddress
	}
	switch u := under(key).(type) {
	case *types.Basic:
		size := gcSizes.Sizeof(u)
		if u.Info()&types.IsString != 0 || (u.Info()&types.IsInteger != 0 || u.Kind() == types.UnsafePointer) && size >= 4 {
			return keyByValue
		}
	case *types.Pointer, *types.Chan:
		return keyByValue
	case *types.Struct, *types.Array:
		if s, ok := sole(u).(*types.Basic); ok && s.Info()&types.IsString != 0 {
			return keyThroughMemory
		}
		m := o.types.measure(u)
		_, ptr := sole(u).(*types.Pointer)
		if (m.size == 4 || m.size == 8) && m.plain && (!m.pointers || ptr) {
			return keyThroughMemory
		}
	}
	return keyByAddress
}

// convertedKey reports whether gc converts a key for the functions of a map.
func (o *orderer) convertedKey(m *types.Map) bool {
	if o.keyKind(m) != keyByValue {
		return false
	}
	b, ok := types.Unalias(m.Key()).(*types.Basic)
	return !ok || b.Kind() != types.String && b.Kind() != types.Uint32 && b.Kind() != types.Uint64 && b.Kind() != types.UnsafePointer
}

// derived reports whether gc derives a type from the type arguments of the function around it: a
// type that depends on type parameters, or one that is declared in a generic function.
func (o *orderer) derived(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() == o.pkg && n.Obj().Parent() != o.pkg.Scope() {
		for _, f := range o.functions {
			if f.TypeParams().Len() > 0 || f.RecvTypeParams().Len() > 0 {
				return true
			}
		}
	}
	return o.types.generic(t)
}

// elem returns the element type of a type, or nil if it has none.
func elem(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	switch u := under(t).(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Pointer:
		return elem(u.Elem())
	case *types.Chan:
		return u.Elem()
	}
	return nil
}

// isInterface reports whether a type is an interface and not a type parameter.
func isInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return !param && types.IsInterface(t)
}

func isInteger(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return !ok || b.Info()&types.IsInteger != 0
}

func isUnsigned(t types.Type) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}
