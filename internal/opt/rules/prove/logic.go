package prove

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/opt/rules"
	"github.com/gyrvm/gyr/internal/opt/rules/smt"
)

// Queries translates a rule at some widths into the logic. That is one claim. If the condition
// leaves few values for a constant, it is one claim for each value, which a solver finds easy. It
// returns none if an operation or a function has no term.
func Queries(r *rules.Rule, w Widths) (list []smt.Query) {
	c := &formula{newClaim(r, w)}
	defer func() {
		if e := recover(); e != nil {
			if _, no := e.(noTerm); !no {
				panic(e)
			}
			list = nil
		}
	}()
	q := c.query()
	name, values := c.few()
	if name == "" {
		return []smt.Query{q}
	}
	for _, x := range values {
		one := q
		one.Assume = append([]string{fmt.Sprintf("(= %s %s)", symbol(name), number(x, c.shapeOf(name).Bits))}, q.Assume...)
		list = append(list, one)
	}
	return list
}

// few returns a constant that must be a power of two or less than a width, and all such numbers.
func (c *formula) few() (name string, values []uint64) {
	for _, e := range c.Conds {
		switch e := e.(type) {
		case *ast.CallExpr:
			if name := unsignedName(e.Args[0]); name != "" && key(e.Fun) == "pow2" {
				for i := range c.shapeOf(name).Bits {
					values = append(values, 1<<i)
				}
				return name, values
			}
		case *ast.BinaryExpr:
			name := unsignedName(e.X)
			if call, ok := e.Y.(*ast.CallExpr); ok && e.Op == token.LSS && name != "" && key(call.Fun) == "width" {
				for i := range c.shapeOf(key(call.Args[0])).Bits {
					values = append(values, uint64(i))
				}
				return name, values
			}
		}
	}
	return "", nil
}

// unsignedName returns C for u(C).
func unsignedName(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok && key(call.Fun) == "u" {
		return key(call.Args[0])
	}
	return ""
}

// query returns the claim.
func (c *formula) query() (q smt.Query) {
	for _, v := range c.vars {
		q.Declare = append(q.Declare, smt.Variable{Name: symbol(v.name), Sort: smt.BitVec(v.shape.Bits)})
	}
	for i, v := range c.vars {
		if v.fact != "" && v.call != nil && v.fact != "is" && v.fact != "constant" {
			q.Assume = append(q.Assume, c.claimed(i))
		}
	}
	for _, e := range c.Conds {
		q.Assume = append(q.Assume, c.test(e))
	}
	q.Assume = append(q.Assume, c.defined(c.Pattern)...)
	q.Goal = c.goal()
	return q
}

// noTerm is the panic value for anything without a term in the logic.
type noTerm string

type formula struct{ *claim }

func symbol(name string) string { return "v." + name }

func (c *formula) goal() string {
	left := c.term(c.Pattern)
	if c.Rule.Result == nil {
		return fmt.Sprintf("(= %s #b0)", left)
	}
	if !c.w.fit(c.Rule.Result) {
		return "false"
	}
	all := append(c.defined(c.Rule.Result), fmt.Sprintf("(= %s %s)", left, c.term(c.Rule.Result)))
	return fmt.Sprintf("(and %s)", strings.Join(all, " "))
}

func (c *formula) value(name string) string {
	if _, ok := c.index[name]; ok {
		return symbol(name)
	}
	return c.term(c.values[name])
}

func (c *formula) claimed(i int) string {
	v := c.vars[i]
	s, x, is := c.shapeOf(v.of), c.value(v.of), symbol(v.name)
	switch v.fact {
	case "bits":
		return fmt.Sprintf("(= (bvand %s (bvnot %s)) %s)", x, is, number(0, s.Bits))
	case "umax":
		return fmt.Sprintf("(bvule %s %s)", x, is)
	case "smin":
		return fmt.Sprintf("(bvsge %s %s)", x, is)
	case "smax":
		return fmt.Sprintf("(bvsle %s %s)", x, is)
	case "bool":
		return fmt.Sprintf("(=> (= %s #b1) (bvule %s %s))", is, x, number(1, s.Bits))
	case "nonnil":
		return fmt.Sprintf("(=> (= %s #b1) (distinct %s %s))", is, x, number(0, s.Bits))
	case "inobject":
		k := c.value(v.call.Args[1].(*ast.Ident).Name)
		sum := fmt.Sprintf("(bvadd %s %s)", resize(x, s.Bits, 64, false), k)
		return fmt.Sprintf("(=> (= %s #b1) (bvule %s %s))", is, sum, number(s.ones(), 64))
	}
	panic("no meaning of the fact " + v.fact)
}

func (c *formula) term(n *rules.Node) string {
	shape := c.resultShape(n)
	switch n.Kind {
	case rules.Var, rules.Const:
		return c.value(n.Name)
	case rules.Lit:
		return number(shape.Mask(uint64(n.Lit)), shape.Bits)
	case rules.Expr:
		return resize(c.number(n.Expr), 64, shape.Bits, false)
	}
	o := operation(n)
	if o.Term == nil {
		panic(noTerm(n.Op))
	}
	return o.Term(shape, c.firstShape(n), c.operands(n))
}

func (c *formula) operands(n *rules.Node) (list []string) {
	for _, a := range n.Args {
		list = append(list, c.term(a))
	}
	for _, a := range n.Aux {
		list = append(list, c.number(a.Expr))
	}
	return list
}

func (c *formula) defined(n *rules.Node) (list []string) {
	n.Walk(func(n *rules.Node) {
		if n.Kind == rules.Op && operation(n).DefinedTerm != nil {
			list = append(list, operation(n).DefinedTerm(c.resultShape(n), c.firstShape(n), c.operands(n)))
		}
	})
	return list
}

func (c *formula) test(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.test(e.X)
	case *ast.UnaryExpr:
		return "(not " + c.test(e.X) + ")"
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return fmt.Sprintf("(and %s %s)", c.test(e.X), c.test(e.Y))
		case token.LOR:
			return fmt.Sprintf("(or %s %s)", c.test(e.X), c.test(e.Y))
		}
		f := map[token.Token]string{token.LSS: "lt", token.LEQ: "le", token.GTR: "gt", token.GEQ: "ge", token.EQL: "=",
			token.NEQ: "distinct"}[e.Op]
		if len(f) == 2 {
			f = "bv" + map[bool]string{true: "u", false: "s"}[c.sortOf(e) == rules.Unsigned] + f
		}
		return fmt.Sprintf("(%s %s %s)", f, c.number(e.X), c.number(e.Y))
	}
	if _, fact := rules.IsFact(e); fact {
		return fmt.Sprintf("(= %s #b1)", symbol(key(e)))
	}
	call := e.(*ast.CallExpr)
	if call.Fun.(*ast.Ident).Name != "pow2" {
		panic(noTerm(key(e)))
	}
	x := c.number(call.Args[0])
	return fmt.Sprintf("(and (distinct %s %s) (= (bvand %s (bvsub %s %s)) %s))", x, number(0, 64), x, x, number(1, 64),
		number(0, 64))
}

var logicOperators = map[token.Token][2]string{ // signed, unsigned
	token.ADD: {"bvadd", "bvadd"}, token.SUB: {"bvsub", "bvsub"}, token.MUL: {"bvmul", "bvmul"},
	token.AND: {"bvand", "bvand"}, token.OR: {"bvor", "bvor"}, token.XOR: {"bvxor", "bvxor"},
	token.SHL: {"bvshl", "bvshl"}, token.SHR: {"bvashr", "bvlshr"},
	token.QUO: {"bvsdiv", "bvudiv"}, token.REM: {"bvsrem", "bvurem"},
}

// number returns an expression as a term of 64 bits.
func (c *formula) number(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.number(e.X)
	case *ast.BasicLit:
		x, _ := strconv.ParseInt(e.Value, 0, 64)
		return number(uint64(x), 64)
	case *ast.Ident:
		if x, ok := rules.Constants[e.Name]; ok {
			return number(uint64(x), 64)
		}
		shape := c.vars[c.index[e.Name]].shape
		return resize(symbol(e.Name), shape.Bits, 64, shape.Const(shape.ones()) == -1)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return "(bvneg " + c.number(e.X) + ")"
		}
		return "(bvnot " + c.number(e.X) + ")"
	case *ast.BinaryExpr:
		x, y := c.number(e.X), c.number(e.Y)
		if e.Op == token.AND_NOT {
			return fmt.Sprintf("(bvand %s (bvnot %s))", x, y)
		}
		f := logicOperators[e.Op][0]
		if c.sortOf(e) == rules.Unsigned {
			f = logicOperators[e.Op][1]
		}
		return fmt.Sprintf("(%s %s %s)", f, x, y)
	}
	return c.call(e.(*ast.CallExpr))
}

func (c *formula) call(e *ast.CallExpr) string {
	name := e.Fun.(*ast.Ident).Name
	if _, fact := rules.IsFact(e); fact {
		shape := c.vars[c.index[key(e)]].shape
		return resize(symbol(key(e)), shape.Bits, 64, name == "smin" || name == "smax")
	}
	switch name {
	case "int64", "uint64":
		return c.number(e.Args[0])
	case "log2":
		return trailingTerm(Shape{Bits: 64}, c.number(e.Args[0]))
	case "inverse":
		panic(noTerm(name))
	}
	shape := c.shapeOf(e.Args[0].(*ast.Ident).Name)
	switch name {
	case "u":
		return resize(c.value(e.Args[0].(*ast.Ident).Name), shape.Bits, 64, false)
	case "width":
		return number(uint64(shape.Bits), 64)
	case "ones":
		return number(shape.ones(), 64)
	case "trunc":
		return resize(resize(c.number(e.Args[1]), 64, shape.Bits, false), shape.Bits, 64, shape.Const(shape.ones()) == -1)
	case "zext":
		return resize(resize(c.number(e.Args[1]), 64, shape.Bits, false), shape.Bits, 64, false)
	}
	panic("no function " + name)
}
