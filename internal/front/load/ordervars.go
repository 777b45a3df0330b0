package load

import (
	"go/ast"
	"go/token"
	"go/types"
)

// changeable says how a variable of a function could be changed from outside of it.
type changeable struct {
	function                 ast.Node // in which it is
	captured, set, addressed bool
}

// changes reports whether a call may change a variable: one of a package, one of which an address was taken, or one that a
// function literal shares and anything assigns to after its declaration. (gc captures others by value.)
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

// root returns the variable that an expression is a part of, if it is one and a use of it.
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

// addressable reports whether gc sees an address in an expression. Variables that no call can change it copies, which nobody
// can tell.
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

// gcSizes are the sizes of types in gc's programs for amd64, by which it chooses its runtime's functions.
var gcSizes = types.SizesFor("gc", "amd64")

// byAddress reports whether gc's runtime wants the address of a value of a type to make an interface of it.
func byAddress(t types.Type) bool {
	if t = ground(t); t == nil {
		return false // it depends on the type argument
	}
	size, align := gcSizes.Sizeof(t), gcSizes.Alignof(t)
	switch {
	case size == 2 && align == 2:
		return false
	case (size == 4 && align == 4 || size == 8 && align == 8) && !hasPointers(t):
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

// hasPointers reports whether a type has pointers for gc's collector.
func hasPointers(t types.Type) bool {
	switch u := under(t).(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return u.Len() > 0 && hasPointers(u.Elem())
	}
	return true
}

// direct reports whether an interface holds a value of a type itself, and no pointer to it. gc asserts such a type late.
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

// keyKind says how gc hands a key to the functions of a map.
type keyKind int

const (
	keyByValue       keyKind = iota // in a register
	keyByAddress                    // by its address, or that of a copy
	keyThroughMemory                // in a register, by way of a copy in memory
)

// maxMapElem is the size of the elements of maps up to which gc has special functions for some keys.
const maxMapElem = 128

func (o *orderer) keyKind(m *types.Map) keyKind {
	key, elem := ground(m.Key()), ground(m.Elem())
	if key == nil || elem == nil {
		return keyByValue // it depends on the type argument
	}
	if gcSizes.Sizeof(elem) > maxMapElem {
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
		size := gcSizes.Sizeof(u)
		_, ptr := sole(u).(*types.Pointer)
		if (size == 4 || size == 8) && plain(u) && (!hasPointers(u) || ptr) {
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

// plain reports whether values of a type are equal if their bytes are.
func plain(t types.Type) bool {
	switch u := under(t).(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex|types.IsString) == 0
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return plain(u.Elem())
	case *types.Struct:
		at := int64(0)
		for f := range u.Fields() {
			if f.Name() == "_" || !plain(f.Type()) {
				return false
			}
			at += gcSizes.Sizeof(f.Type())
		}
		return at == gcSizes.Sizeof(u) // without padding
	}
	return false
}

// under returns the type that decides about an operand: the underlying type, or for a type parameter that of all its types, if
// there is one.
func under(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if u := common(p.Underlying().(*types.Interface)); u != nil {
			return u
		}
	}
	return t.Underlying()
}

// common returns the underlying type of all types of a constraint, nil if they differ.
func common(c *types.Interface) (u types.Type) {
	for e := range c.EmbeddedTypes() {
		var next types.Type
		switch e := types.Unalias(e).(type) {
		case *types.Union:
			for t := range e.Terms() {
				if v := t.Type().Underlying(); next == nil {
					next = v
				} else if !types.Identical(next, v) {
					return nil
				}
			}
		default:
			next = e.Underlying()
			if i, ok := next.(*types.Interface); ok {
				next = common(i)
			}
		}
		if next != nil {
			u = next
		}
	}
	return u
}

// ground returns a type with the size and the components that t has for all type arguments, nil if there is none.
func ground(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if u := under(t); !types.IsInterface(u) {
			return ground(u)
		}
		return nil
	case *types.Named:
		if !open(t) {
			return t
		}
		return ground(t.Underlying())
	case *types.Array:
		if e := ground(t.Elem()); e != nil {
			return types.NewArray(e, t.Len())
		}
		return nil
	case *types.Struct:
		var fields []*types.Var
		for f := range t.Fields() {
			u := ground(f.Type())
			if u == nil {
				return nil
			}
			fields = append(fields, types.NewField(f.Pos(), f.Pkg(), f.Name(), u, f.Embedded()))
		}
		return types.NewStruct(fields, nil)
	}
	return t // the sizes of others do not depend on what they are made of
}

// open reports whether type parameters are among what a value of a type is made of.
func open(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return open(t.Underlying())
	case *types.Array:
		return open(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if open(f.Type()) {
				return true
			}
		}
	}
	return false
}

// derived reports whether gc sees a type by the type arguments of the function around it: one that depends on type parameters, or one
// that is declared in a generic function.
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
	return generic(t)
}

// generic reports whether a type depends on type parameters.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if generic(a) {
				return true
			}
		}
	case *types.Pointer:
		return generic(t.Elem())
	case *types.Slice:
		return generic(t.Elem())
	case *types.Array:
		return generic(t.Elem())
	case *types.Chan:
		return generic(t.Elem())
	case *types.Map:
		return generic(t.Key()) || generic(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if generic(f.Type()) {
				return true
			}
		}
	case *types.Signature:
		return generic(t.Params()) || generic(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if generic(v.Type()) {
				return true
			}
		}
	}
	return false
}

// elem returns the type of the elements of a type, nil if it has none.
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

// isInterface reports whether a type is an interface and no type parameter.
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
