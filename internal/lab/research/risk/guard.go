package risk

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// nilGuard: an expression is no longer compared with nil, and is still used.
func nilGuard(old, f *function) (list []hit) {
	now := f.nilCompared()
	for text := range old.nilCompared() {
		if now[text] || text == "err" || strings.HasSuffix(text, ".err") {
			continue
		}
		if at := f.dereferenced(text); at != nil {
			list = append(list, f.pkg.hitAt(at, "%s is no longer compared with nil", text))
		}
	}
	slices.SortFunc(list, func(a, b hit) int { return int(a.pos - b.pos) })
	return list
}

// nilCompared are the expressions that are compared with nil, or whose length is compared with 0.
func (f *function) nilCompared() map[string]bool {
	m := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		switch b.Op {
		case token.EQL, token.NEQ, token.GTR, token.LSS, token.GEQ, token.LEQ:
			for _, pair := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				if id, ok := pair[1].(*ast.Ident); ok && id.Name == "nil" {
					m[f.pkg.expr(pair[0])] = true
				}
				if call, ok := pair[0].(*ast.CallExpr); ok && f.pkg.isBuiltin(call, "len") && len(call.Args) == 1 {
					m[f.pkg.expr(call.Args[0])] = true
				}
			}
		}
		return true
	})
	return m
}

// dereferenced is a place where the function dereferences an expression with this text, nil if it
// does not.
func (f *function) dereferenced(text string) (at ast.Node) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if at != nil {
			return false
		}
		var x ast.Expr
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x = n.X
		case *ast.IndexExpr:
			x = n.X
		case *ast.StarExpr:
			x = n.X
		case *ast.CallExpr:
			if _, named := n.Fun.(*ast.Ident); named && f.pkg.expr(n.Fun) == text {
				at = n // a function value
			}
			return true
		default:
			return true
		}
		if f.pkg.expr(x) == text {
			at = n
		}
		return true
	})
	return at
}

// harmless are calls whose error need not be checked: it is always nil, or about the terminal.
var harmless = []string{
	"fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln",
	"bytes.Write", "bytes.WriteByte", "bytes.WriteRune", "bytes.WriteString", // for a Buffer
	"strings.Write", "strings.WriteByte", "strings.WriteRune", "strings.WriteString", // for a Builder
	"hash.Write", "io.Write", // for a hash, which embeds io.Writer
	"math/rand.Read", "crypto/rand.Read", "os.Remove", "os.RemoveAll",
}

// ignoredError: the error of a call is assigned to _ or not assigned at all.
func ignoredError(f *function) (list []hit) {
	p := f.pkg
	report := func(call *ast.CallExpr) {
		list = append(list, p.hitAt(call, "the error of %s is ignored", p.expr(call.Fun)))
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			return n.Call.Fun != nil && isFuncLit(n.Call.Fun)
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && p.yieldsError(call) {
				report(call)
			}
		case *ast.AssignStmt:
			if len(n.Rhs) != 1 {
				return true
			}
			call, ok := n.Rhs[0].(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && id.Name == "_" && p.yieldsError(call) {
				report(call)
			}
		}
		return true
	})
	return list
}

func isFuncLit(e ast.Expr) bool {
	_, ok := e.(*ast.FuncLit)
	return ok
}

// yieldsError reports whether a call's last result is an error. If the function's type is unknown,
// its name decides.
func (p *pkg) yieldsError(call *ast.CallExpr) bool {
	path, name := p.called(call)
	if slices.Contains(harmless, path+"."+name) || name == "Close" || p.isConversion(call) {
		return false
	}
	t := p.info.Types[call].Type
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return false
		}
		t = tuple.At(tuple.Len() - 1).Type()
	}
	if t != nil && t != types.Typ[types.Invalid] {
		return types.Identical(t, types.Universe.Lookup("error").Type())
	}
	return marshals(name)
}

// marshals reports whether a function of this name encodes or decodes.
func marshals(name string) bool {
	l := strings.ToLower(name)
	for _, word := range []string{"marshal", "encode", "decode"} {
		if strings.Contains(l, word) {
			return true
		}
	}
	return false
}
