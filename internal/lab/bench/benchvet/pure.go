package benchvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A purity says whether a compiler can and will drop a call of a function whose result is unused.
type purity uint8

const (
	unknownYet purity = iota
	looking           // the function is being examined; meeting this means recursion
	pureLeaf          // it computes its result from its parameters, without loops, so that compilers inline it
	notPure
)

// maxLeaf is the largest number of syntax tree nodes of a function that counts as inlined
// everywhere.
const maxLeaf = 60

// leaves are functions of the standard library for which compilers have instructions, by package;
// "*": all.
var leaves = map[string][]string{
	"math":      {"Sqrt", "Abs", "Floor", "Ceil", "Trunc", "Copysign", "FMA", "Float64bits", "Float64frombits", "Float32bits", "Float32frombits"},
	"math/bits": {"*"},
}

// leaf reports whether compilers surely drop a call whose result is unused.
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

// findPurity examines a function. It returns pureLeaf only if it knows that no statement has an
// effect beyond the function's own variables.
func (c *checker) findPurity(d *ast.FuncDecl) purity {
	if d.Type.Results == nil || d.Body == nil {
		return notPure
	}
	if d.Doc != nil {
		for _, line := range d.Doc.List {
			if strings.HasPrefix(line.Text, "//go:") {
				return notPure // noinline, or another directive that has a meaning
			}
		}
	}
	nodes, pure := 0, true
	own := func(x ast.Expr) bool { // an assignment to it has no outside effect
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
		case *ast.BinaryExpr: // a runtime call concatenates strings, and it stays
			pure = pure && (n.Op != token.ADD || !c.ofLetters(n) || c.info.Types[n].Value != nil)
		case *ast.IndexExpr: // so does the runtime call that finds a map's entry
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

// ofLetters reports whether an expression is a string, a slice of bytes or runes, or unknown.
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

// indexes reports whether an index expression indexes an array, a slice or a string, or names a
// generic function.
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
