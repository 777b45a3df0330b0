package bounds

import (
	"go/ast"
	"go/token"
)

// decl bounds a top-level declaration.
func (c *checker) decl(d fileDecl) {
	for _, o := range d.objects {
		c.object(o)
	}
	if fn, ok := d.Decl.(*ast.FuncDecl); ok {
		sc := d.scope
		if fn.Recv != nil && len(fn.Recv.List) > 0 {
			sc = newScope(sc)
			for _, name := range receiverParams(fn) {
				sc.declare(name, &object{}) // opaque
			}
			size := c.typ(fn.Recv.List[0].Type, sc).terms
			for _, n := range fn.Recv.List[0].Names {
				sc.declare(n.Name, sized(size))
			}
		}
		c.body(fn.Type, fn.Body, sc)
	}
}

// object bounds the declaration of an object.
func (c *checker) object(o *object) {
	switch {
	case o.constant != nil:
		c.constant(o)
	case o.named != nil:
		c.named(o)
	case o.variable != nil:
		c.variable(o)
		if v := o.variable; v.value != nil && !v.read {
			v.read = true
			c.root(v.value, o.scope)
		}
	}
}

// body bounds a function.
func (c *checker) body(t *ast.FuncType, b *ast.BlockStmt, sc *scope) {
	c.constraints(t.TypeParams, sc)
	in := newScope(sc)
	for _, name := range paramNames(t.TypeParams) {
		in.declare(name, &object{}) // opaque
	}
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			size := c.typ(f.Type, in).terms
			for _, n := range f.Names {
				in.declare(n.Name, sized(size))
			}
		}
	}
	if b != nil {
		c.block(b.List, in)
	}
}

// sized returns a variable whose type has n parts.
func sized(n int64) *object { return &object{variable: &variable{size: max(1, n)}} }

func (c *checker) block(list []ast.Stmt, sc *scope) {
	sc = newScope(sc)
	for _, s := range list {
		c.stmt(s, sc)
	}
}

// define declares the variables of an assignment or a range clause.
func (c *checker) define(lhs []ast.Expr, size int64, sc *scope) {
	for _, l := range lhs {
		if id, ok := l.(*ast.Ident); ok {
			sc.declare(id.Name, sized(size))
		}
	}
}

func (c *checker) stmt(s ast.Stmt, sc *scope) {
	switch s := s.(type) {
	case *ast.DeclStmt:
		c.localDecl(s.Decl.(*ast.GenDecl), sc)
	case *ast.LabeledStmt:
		c.stmt(s.Stmt, sc)
	case *ast.ExprStmt:
		c.root(s.X, sc)
	case *ast.SendStmt:
		c.exprs([]ast.Expr{s.Chan, s.Value}, sc)
	case *ast.IncDecStmt:
		c.root(s.X, sc)
	case *ast.AssignStmt:
		c.assign(s, sc)
	case *ast.GoStmt:
		c.root(s.Call, sc)
	case *ast.DeferStmt:
		c.root(s.Call, sc)
	case *ast.ReturnStmt:
		c.exprs(s.Results, sc)
	case *ast.BlockStmt:
		c.block(s.List, sc)
	case *ast.IfStmt:
		sc = c.header(s.Init, s.Cond, sc)
		c.block(s.Body.List, sc)
		if s.Else != nil {
			c.stmt(s.Else, sc)
		}
	case *ast.CaseClause:
		c.exprs(s.List, sc)
		c.block(s.Body, sc)
	case *ast.CommClause:
		sc = newScope(sc)
		if s.Comm != nil {
			c.stmt(s.Comm, sc)
		}
		c.block(s.Body, sc)
	case *ast.SwitchStmt:
		sc = c.header(s.Init, s.Tag, sc)
		c.block(s.Body.List, sc)
	case *ast.TypeSwitchStmt:
		c.typeSwitch(s, newScope(sc))
	case *ast.SelectStmt:
		c.block(s.Body.List, sc)
	case *ast.ForStmt:
		sc = c.header(s.Init, s.Cond, sc)
		if s.Post != nil {
			c.stmt(s.Post, sc)
		}
		c.block(s.Body.List, sc)
	case *ast.RangeStmt:
		sc = newScope(sc)
		size := c.derived(c.root(s.X, sc).parts)
		if s.Tok == token.DEFINE {
			c.define([]ast.Expr{s.Key, s.Value}, size, sc)
		}
		c.block(s.Body.List, sc)
	}
}

// header bounds the parts before the block of a statement, and returns the statement's scope.
func (c *checker) header(init ast.Stmt, cond ast.Expr, sc *scope) *scope {
	sc = newScope(sc)
	if init != nil {
		c.stmt(init, sc)
	}
	if cond != nil {
		c.root(cond, sc)
	}
	return sc
}

// localDecl bounds a declaration in a function. A constant or variable can be named after its
// specification, a type also within it.
func (c *checker) localDecl(d *ast.GenDecl, sc *scope) {
	list := c.objects(d, sc)
	for len(list) > 0 {
		n := 1
		if v := list[0].variable; v != nil {
			for n < len(list) && list[n].variable == v {
				n++
			}
		}
		for _, o := range list[:n] {
			if o.named != nil {
				sc.declare(o.name, o)
			}
			c.object(o)
		}
		for _, o := range list[:n] {
			sc.declare(o.name, o)
		}
		list = list[n:]
	}
}

func (c *checker) assign(s *ast.AssignStmt, sc *scope) {
	sizes := make([]int64, len(s.Rhs))
	for i, e := range s.Rhs {
		sizes[i] = c.root(e, sc).parts
	}
	if s.Tok != token.DEFINE {
		c.exprs(s.Lhs, sc)
		return
	}
	for i, l := range s.Lhs {
		size := sizes[0]
		if len(sizes) == len(s.Lhs) {
			size = sizes[i]
		}
		c.define([]ast.Expr{l}, size, sc)
	}
}

func (c *checker) typeSwitch(s *ast.TypeSwitchStmt, sc *scope) {
	if s.Init != nil {
		c.stmt(s.Init, sc)
	}
	var x ast.Expr
	name := "_"
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
		if id, ok := a.Lhs[0].(*ast.Ident); ok {
			name = id.Name
		}
	}
	own := c.expr(x, sc).parts
	for _, b := range s.Body.List {
		b, ok := b.(*ast.CaseClause)
		if !ok {
			continue
		}
		size := own
		for _, t := range b.List {
			size = max(size, c.typ(t, sc).terms)
		}
		in := newScope(sc)
		in.declare(name, sized(size))
		c.block(b.Body, in)
	}
}
