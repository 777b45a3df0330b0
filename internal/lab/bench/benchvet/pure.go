package benchvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A purity says whether a call of a function can be left out when nobody uses its result, and will be.
type purity uint8

const (
	unknownYet purity = iota
	looking           // the function is part of a recursion, if this is met
	pureLeaf          // it computes its result of its parameters, without loops, so that compilers inline it
	notPure
)

// maxLeaf is the number of nodes of the syntax tree up to which a function counts as one that is inlined everywhere.
const maxLeaf = 60

// leaves are functions of the standard library that compilers have instructions for, by package; "*": all.
var leaves = map[string][]string{
	"math":      {"Sqrt", "Abs", "Floor", "Ceil", "Trunc", "Copysign", "FMA", "Float64bits", "Float64frombits", "Float32bits", "Float32frombits"},
	"math/bits": {"*"},
}

// leaf reports whether a call is surely left out by compilers that see nobody use its result.
func (c *checker) leaf(call *ast.CallExpr) bool {
	pkg, name, d := c.callee(call)
	if d != nil {
		return c.purityOf(d) == pureLeaf
	}
	for _, x := range leaves[pkg] {
		if x == name || x == "*" {
			return true
		}
	}
	return false
}

func (c *checker) purityOf(d *ast.FuncDecl) purity {
	switch p := c.pure[d]; p {
	case unknownYet:
	case looking:
		return notPure
	default:
		return p
	}
	c.pure[d] = looking
	c.pure[d] = c.findPurity(d)
	return c.pure[d]
}

// findPurity goes through a function. It says pureLeaf only of functions all of whose statements it knows to have no
// effect beyond the function's own variables.
func (c *checker) findPurity(d *ast.FuncDecl) purity {
	if d.Type.Results == nil || d.Body == nil {
		return notPure
	}
	if d.Doc != nil {
		for _, line := range d.Doc.List {
			if strings.HasPrefix(line.Text, "//go:") {
				return notPure // noinline, or something else that is meant
			}
		}
	}
	nodes, pure := 0, true
	own := func(x ast.Expr) bool { // an assignment to it is nobody else's business
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok {
			return false
		}
		if id.Name == "_" {
			return true
		}
		v, ok := c.object(id).(*types.Var)
		return ok && v.Pos() >= d.Pos() && v.Pos() < d.End()
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if n == nil || !pure {
			return false
		}
		nodes++
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				pure = pure && own(x)
			}
		case *ast.IncDecStmt:
			pure = pure && own(n.X)
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.CallExpr:
			if c.isType(n) {
				pure = pure && !c.ofLetters(n)
				return true
			}
			if c.isBuiltin(n) {
				switch _, name, _ := c.callee(n); name {
				case "len", "cap", "min", "max", "real", "imag", "complex", "new":
				default:
					pure = false
				}
				return true
			}
			pure = pure && c.leaf(n)
		case *ast.BinaryExpr: // strings are put together by a call of the runtime, which stays
			pure = pure && (n.Op != token.ADD || !c.ofLetters(n) || c.info.Types[n].Value != nil)
		case *ast.IndexExpr: // so does what finds the entry of a map
			pure = pure && c.indexes(n)
		case *ast.CompositeLit:
			_, isMap := n.Type.(*ast.MapType)
			pure = pure && !isMap
		case *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt, *ast.FuncLit, *ast.LabeledStmt:
			pure = false
		}
		return pure
	})
	if pure && nodes <= maxLeaf {
		return pureLeaf
	}
	return notPure
}

// ofLetters reports whether an expression is a string, or a slice of bytes or runes, or something unknown.
func (c *checker) ofLetters(x ast.Expr) bool {
	t := c.info.Types[x].Type
	if t == nil {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0 || t.Kind() == types.Invalid
	case *types.Slice:
		return true
	}
	return false
}

// indexes reports whether an index expression is one of an array, a slice or a string, or names a generic function.
func (c *checker) indexes(n *ast.IndexExpr) bool {
	t := c.info.Types[n.X].Type
	if t == nil {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Signature:
		return true
	case *types.Pointer:
		_, isArray := t.Elem().Underlying().(*types.Array)
		return isArray
	case *types.Basic:
		return t.Info()&types.IsString != 0
	}
	return false
}
