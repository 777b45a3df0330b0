package srcfuzz

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// kinds are the changes within a file.
var kinds = []kind{
	{isBinary, swapOperands},
	{isBinary, changeOperator},
	{isConstant, makeBoundary},
	{isConstant, makeBoundary},
	{isValue, replaceValue},
	{isValue, wrapValue},
	{isValue, wrapValue},
	{isValue, wrapValue},
	{inList, doubleStatement},
	{inList, dropStatement},
	{inList, wrapStatement},
	{inList, wrapStatement},
	{isCall, deferCall},
	{isBasicType, changeType},
	{isFuncType, addResult},
}

func isBinary(m *mutator, c *astutil.Cursor) bool {
	_, ok := c.Node().(*ast.BinaryExpr)
	return ok
}

func swapOperands(m *mutator, c *astutil.Cursor) {
	b := *c.Node().(*ast.BinaryExpr)
	b.X, b.Y = b.Y, b.X
	c.Replace(&b)
}

// operators are groups of operators that mostly take the same operands.
var operators = [][]token.Token{
	{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL, token.SHR},
	{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ},
	{token.LAND, token.LOR},
}

func changeOperator(m *mutator, c *astutil.Cursor) {
	b := *c.Node().(*ast.BinaryExpr)
	for _, ops := range operators {
		for _, op := range ops {
			if op == b.Op {
				b.Op = ops[m.r.IntN(len(ops))]
				c.Replace(&b)
				return
			}
		}
	}
}

func isConstant(m *mutator, c *astutil.Cursor) bool {
	e, ok := c.Node().(ast.Expr)
	if !ok || !replaceable(c) {
		return false
	}
	return m.info.Types[e].Value != nil && m.info.Types[e].IsValue()
}

var boundaries = strings.Fields(`0 1 -1 2 7 8 63 64 127 128 255 256 1<<15 1<<16 1<<31-1 1<<31 1<<32 1<<62 1<<63-1 -1<<63 1<<64-1
	0.5 1e308 -0.0 'a' "" "x" "\xff" true false nil iota`)

func makeBoundary(m *mutator, c *astutil.Cursor) {
	c.Replace(expr(boundaries[m.r.IntN(len(boundaries))]))
}

// replaceable reports whether the syntax allows any expression at a place.
func replaceable(c *astutil.Cursor) bool {
	switch p := c.Parent().(type) {
	case *ast.AssignStmt:
		return c.Name() == "Rhs"
	case *ast.SelectorExpr:
		return c.Name() == "X"
	case *ast.KeyValueExpr:
		return c.Name() == "Value"
	case *ast.RangeStmt:
		return c.Name() == "X"
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.IncDecStmt, *ast.LabeledStmt, *ast.BranchStmt, *ast.Field, *ast.TypeSpec, *ast.ImportSpec, *ast.ExprStmt, *ast.TypeSwitchStmt, *ast.FuncDecl, *ast.File:
		return false
	case *ast.CallExpr:
		return true
	case *ast.ValueSpec:
		return c.Name() == "Values"
	}
	return true
}

func isValue(m *mutator, c *astutil.Cursor) bool {
	e, ok := c.Node().(ast.Expr)
	if !ok || !replaceable(c) || m.exprs[m.typeOf(e)] == nil {
		return false
	}
	switch c.Parent().(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return false
	}
	return true
}

func replaceValue(m *mutator, c *astutil.Cursor) {
	same := m.exprs[m.typeOf(c.Node().(ast.Expr))]
	if e := expr(same[m.r.IntN(len(same))]); e != nil {
		c.Replace(&ast.ParenExpr{X: e})
	}
}

// wraps are expressions with the value E of type T.
var wraps = []string{
	"func() T { return E }()", "(T)(E)", "fuzzID[T](E)", "fuzzID(E)", "[]T{E}[0]", "[1]T{E}[0]", "*(&[]T{E}[0])",
	"map[string]T{`k`: E}[`k`]", "struct{ f T }{E}.f", "any(E).(T)", "interface{}(E).(interface{}).(T)",
	"func() (r T) { defer func() { r = E }(); return }()", "func() (r T) { for range fuzzSeq { r = E }; return }()",
	"func() T { c := make(chan T, 1); c <- E; return <-c }()", "fuzzBox[T]{E}.get()", "*(&fuzzBox[T]{E}).ptr()",
	"fuzzBox[T].get(fuzzBox[T]{E})", "(*fuzzBox[T]).get(&fuzzBox[T]{E})", "fuzzBox[fuzzBox[T]]{fuzzBox[T]{E}}.get().get()",
	"interface{ get() T }(fuzzBox[T]{E}).get()", "interface{ get() T }.get(&fuzzBox[T]{E})", "struct{ fuzzBox[T] }{fuzzBox[T]{E}}.get()",
	"func(f func() T) T { return f() }(fuzzBox[T]{E}.get)", "func(xs ...T) T { return xs[len(xs)-1] }(E, E)",
	"func() (r T) { switch x := any(E).(type) { case T: r = x }; return }()", "func() (r T) { goto l; l: r = E; return }()",
	"func() (r T) { select { default: r = E }; return }()", "(func() (T, error) { return E, nil }).x", "append([]T(nil), E)[0]",
	"func() T { x := E; return func() T { return x }() }()", "func() T { x := E; p := &x; return *p }()", "[...]T{5: E}[5]", "max(E)", "(E)",
	"func() T { var x interface{ get() T }; return x.get() }()", "func() T { f := (*fuzzBox[T])(nil).get; return f() }()",
	"func() T { type local struct{ T1 T }; return local{E}.T1 }()", "([]T{E})[:1:1][0]", "[1]T([]T{E})[0]", "(*[1]T)([]T{E})[0]",
}

func wrapValue(m *mutator, c *astutil.Cursor) {
	old := c.Node().(ast.Expr)
	w := expr(strings.ReplaceAll(wraps[m.r.IntN(len(wraps))], "T", "fuzzTYPE"))
	typ := m.typeOf(old)
	c.Replace(astutil.Apply(&ast.ParenExpr{X: w}, func(c *astutil.Cursor) bool {
		if id, ok := c.Node().(*ast.Ident); ok && id.Name == "E" {
			c.Replace(old)
			return false
		} else if ok && id.Name == "fuzzTYPE" {
			if t := expr(typ); t != nil {
				c.Replace(t)
			}
		}
		return true
	}, nil).(ast.Expr))
}

func inList(m *mutator, c *astutil.Cursor) bool {
	s, ok := c.Node().(ast.Stmt)
	if _, clause := s.(*ast.CaseClause); clause || !ok || c.Index() < 0 {
		return false
	}
	_, clause := s.(*ast.CommClause)
	return !clause
}

func doubleStatement(m *mutator, c *astutil.Cursor) { c.InsertAfter(c.Node()) }
func dropStatement(m *mutator, c *astutil.Cursor)   { c.Delete() }

var statements = []string{
	"func() { S }()", "defer func() { S }()", "go func() { S }()", "for range 1 { S }", "for range fuzzSeq { S }", "if true { S }",
	"switch { default: S }", "switch { case true: S; fallthrough; case false: S }", "select { default: S }", "{ S }", "l: for { S; break l }",
	"for i := 0; i < 1; i++ { S }", "for range []int{1} { defer func() { S }() }", "for range fuzzSeq { for range fuzzSeq { S } }",
	"func() { defer func() { recover() }(); S }()", "switch any(1).(type) { case int: S }", "for range fuzzSeq { defer func() { S }() }",
}

func wrapStatement(m *mutator, c *astutil.Cursor) {
	old := c.Node()
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+statements[m.r.IntN(len(statements))]+"\n}", parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	w := f.Decls[0].(*ast.FuncDecl).Body.List[0]
	c.Replace(astutil.Apply(w, func(c *astutil.Cursor) bool {
		if s, ok := c.Node().(*ast.ExprStmt); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == "S" {
				c.Replace(old)
				return false
			}
		}
		return true
	}, nil))
}

func isCall(m *mutator, c *astutil.Cursor) bool {
	s, ok := c.Node().(*ast.ExprStmt)
	if !ok || c.Index() < 0 {
		return false
	}
	_, ok = s.X.(*ast.CallExpr)
	return ok
}

func deferCall(m *mutator, c *astutil.Cursor) {
	call := c.Node().(*ast.ExprStmt).X.(*ast.CallExpr)
	if m.r.IntN(2) == 0 {
		c.Replace(&ast.GoStmt{Call: call})
	} else {
		c.Replace(&ast.DeferStmt{Call: call})
	}
}

func isBasicType(m *mutator, c *astutil.Cursor) bool {
	id, ok := c.Node().(*ast.Ident)
	if !ok {
		return false
	}
	tn, ok := m.info.Uses[id].(*types.TypeName)
	return ok && tn.Pkg() == nil
}

var basics = strings.Fields(`int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128
	string bool error any []int *int func() chan(int) map[string]int [0]int [3]int8 struct{} fuzzBox[int]`)

func changeType(m *mutator, c *astutil.Cursor) { c.Replace(expr(basics[m.r.IntN(len(basics))])) }

func isFuncType(m *mutator, c *astutil.Cursor) bool {
	_, ok := c.Node().(*ast.FuncLit)
	return ok
}

// addResult names the results of a function literal.
func addResult(m *mutator, c *astutil.Cursor) {
	t := c.Node().(*ast.FuncLit).Type
	if t.Results == nil {
		return
	}
	for i, f := range t.Results.List {
		if len(f.Names) == 0 {
			f.Names = []*ast.Ident{ast.NewIdent(fmt.Sprintf("fuzzResult%d", i))}
		}
	}
}

// expr parses an expression; it returns nil for an invalid one.
func expr(s string) ast.Expr {
	e, err := parser.ParseExpr(s)
	if err != nil {
		return nil
	}
	return e
}
