package risk

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unsafeSlice: memory of one type is read as a slice of another, and no declaration makes the
// compiler check that their sizes are equal.
func unsafeSlice(f *function) (list []hit) {
	p := f.pkg
	ast.Inspect(f.Body, func(n ast.Node) bool {
		var to, operand ast.Expr // the new element type, and the pointer
		var length ast.Expr
		switch x := n.(type) {
		case *ast.CallExpr:
			path, name := p.called(x)
			if path != "unsafe" || name != "Slice" || len(x.Args) != 2 {
				return true
			}
			to, operand = p.castPointer(x.Args[0])
			length = x.Args[1]
		case *ast.StarExpr:
			ptr, from := p.castPointer(x.X)
			slice, ok := ptr.(*ast.ArrayType)
			if !ok || slice.Len != nil {
				return true
			}
			to, operand = slice.Elt, from
		}
		if to == nil || operand == nil {
			return true
		}
		from := p.elementBehind(operand)
		toType := p.info.Types[to].Type
		if from != nil && toType != nil && types.Identical(from, toType) {
			return true
		}
		if length != nil && mentionsSize(p, length) || p.sizeGuard(p.expr(to), from) {
			return true
		}
		name := "another type"
		if from != nil {
			name = types.TypeString(from, types.RelativeTo(p.types))
		}
		list = append(list,
			p.hitAt(n, "memory of %s becomes a slice of %s, and nothing guards at compile time that they have the same size",
				name, p.expr(to)))
		return true
	})
	return list
}

// castPointer splits (*T)(unsafe.Pointer(p)). It ignores a conversion from one pointer type to
// another: the compiler checks that their targets are alike.
func (p *pkg) castPointer(e ast.Expr) (to, operand ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, nil
	}
	star, ok := ast.Unparen(call.Fun).(*ast.StarExpr)
	if !ok {
		return nil, nil
	}
	arg := ast.Unparen(call.Args[0])
	if _, ptr := underlying(p.info.Types[arg].Type).(*types.Pointer); ptr {
		return nil, nil
	}
	if inner, ok := arg.(*ast.CallExpr); ok && len(inner.Args) == 1 && p.isConversion(inner) {
		return star.X, inner.Args[0]
	}
	return star.X, arg // of type unsafe.Pointer
}

// elementBehind is the type that a pointer points to, or its element type if that is a slice; nil
// if unknown.
func (p *pkg) elementBehind(e ast.Expr) types.Type {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		// unsafe.SliceData of a slice.
		if s, ok := underlying(p.info.Types[call.Args[0]].Type).(*types.Slice); ok {
			return s.Elem()
		}
	}
	ptr, ok := underlying(p.info.Types[e].Type).(*types.Pointer)
	if !ok {
		return nil
	}
	if s, ok := ptr.Elem().Underlying().(*types.Slice); ok {
		return s.Elem()
	}
	return ptr.Elem()
}

func mentionsSize(p *pkg, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		if call, ok := m.(*ast.CallExpr); ok {
			path, name := p.called(call)
			found = found || path == "unsafe" && (name == "Sizeof" || name == "Alignof" || name == "Offsetof")
		}
		return !found
	})
	return found
}

// sizeGuard reports whether a declaration of the package outside functions contains the size of one
// of the two types: const _ = uint(unsafe.Sizeof(T{}) - 32), or the length of an array.
func (p *pkg) sizeGuard(to string, from types.Type) bool {
	names := []string{to}
	if from != nil {
		names = append(names, types.TypeString(from, types.RelativeTo(p.types)))
	}
	for _, file := range p.files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST && g.Tok != token.VAR {
				continue
			}
			found := false
			ast.Inspect(g, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				if path, name := p.called(call); path != "unsafe" || name != "Sizeof" {
					return true
				}
				text := p.expr(call.Args[0])
				if t := p.info.Types[call.Args[0]].Type; t != nil {
					text += " " + types.TypeString(t, types.RelativeTo(p.types))
				}
				for _, n := range names {
					found = found || strings.Contains(text, n)
				}
				return true
			})
			if found {
				return true
			}
		}
	}
	return false
}

// unsafeKept: an address is kept as a number, which the collector does not see. A local variable that
// is only compared does no harm.
func unsafeKept(f *function) (list []hit) {
	p := f.pkg
	ast.Inspect(f.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, rhs := range a.Rhs {
			if name, ok := a.Lhs[i%len(a.Lhs)].(*ast.Ident); ok && len(a.Lhs) == len(a.Rhs) && a.Tok == token.DEFINE && p.onlyCompared(f.Body, p.info.Defs[name]) {
				continue
			}
			call, ok := ast.Unparen(rhs).(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || p.expr(call.Fun) != "uintptr" {
				continue
			}
			if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && p.expr(inner.Fun) == "unsafe.Pointer" {
				list = append(list, p.hitAt(a, "an address is kept as a uintptr, which does not keep its object alive"))
			}
		}
		return true
	})
	return list
}

// onlyCompared reports whether each use of a variable is in an operand of a comparison.
func (p *pkg) onlyCompared(body *ast.BlockStmt, v types.Object) bool {
	uses, compared := 0, 0
	count := func(e ast.Node) (n int) {
		ast.Inspect(e, func(n2 ast.Node) bool {
			if _, call := n2.(*ast.CallExpr); call {
				return false
			}
			if id, ok := n2.(*ast.Ident); ok && v != nil && p.info.Uses[id] == v {
				n++
			}
			return true
		})
		return n
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if v != nil && p.info.Uses[n] == v {
				uses++
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				compared += count(n)
			}
		}
		return true
	})
	return uses == compared
}
