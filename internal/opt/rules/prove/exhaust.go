package prove

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"

	"github.com/gyrvm/gyr/internal/opt/rules"
)

func sorted[T any](m map[string]T) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}

// env holds the values of a claim's variables, by number.
type env []uint64

type (
	evaluator func(env) uint64
	test      func(env) bool
)

// A conjunct is a part of the assumptions, with the number of the last variable that it reads.
type conjunct struct {
	holds test
	last  int
}

// Result is the result of trying all operands.
type Result struct {
	Tried   uint64 // assignments under which the rule applies
	Counter string // an assignment for which it is wrong, or ""
	TooMany bool   // there are more assignments than the limit
}

// Exhaust tries all operands and constants of the given widths, unless they exceed the limit.
func Exhaust(r *rules.Rule, w Widths, limit uint64) Result {
	c := newClaim(r, w)
	c.order()
	if size := c.size(); r.Sampled == "" && size > limit { // the conditions of sampled rules leave few of them
		return Result{TooMany: true}
	}
	s := &search{limit: limit, c: c, env: make(env, len(c.vars)), goal: c.goal()}
	s.tests = make([][]test, len(c.vars)+1)
	for _, j := range c.assumptions() {
		s.tests[j.last+1] = append(s.tests[j.last+1], j.holds)
	}
	s.run(0)
	return s.Result
}

// size returns the number of assignments.
func (c *claim) size() uint64 {
	n := uint(0)
	for _, v := range c.vars {
		n += v.shape.Bits
	}
	if n > 63 {
		return math.MaxUint64
	}
	return 1 << n
}

// order puts constants first, since conditions leave few of them, and facts after their arguments.
func (c *claim) order() {
	rank := func(v variable) int {
		switch {
		case v.fact != "":
			return 2
		case c.values[v.name] != nil:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(c.vars, func(a, b variable) int { return rank(a) - rank(b) })
	for i, v := range c.vars {
		c.index[v.name] = i
	}
}

type search struct {
	Result
	limit uint64
	steps uint64
	c     *claim
	env   env
	tests [][]test // by the number of variables with values
	goal  test
}

func (s *search) run(n int) {
	for _, t := range s.tests[n] {
		if !t(s.env) {
			return
		}
	}
	if n == len(s.env) {
		s.Tried++
		if !s.goal(s.env) {
			s.Counter = s.describe()
		}
		return
	}
	for x := uint64(0); x <= s.c.vars[n].shape.ones() && s.Counter == "" && !s.TooMany; x++ {
		if s.steps++; s.steps > 4*s.limit {
			s.TooMany = true
		}
		s.env[n] = x
		s.run(n + 1)
	}
}

func (s *search) describe() string {
	text := s.c.w.Describe(s.c.Rule) + ":"
	for i, v := range s.c.vars {
		text += fmt.Sprintf(" %s=%#x", v.name, s.env[i])
	}
	return text
}

// assumptions returns the condition, the claims of facts, and that the pattern is defined.
func (c *claim) assumptions() (list []conjunct) {
	for _, e := range c.Conds {
		holds := c.test(e)
		list = append(list, conjunct{holds, c.last(e)})
	}
	for i, v := range c.vars {
		if v.fact != "" && v.call != nil {
			if t := c.claimed(i); t != nil {
				list = append(list, conjunct{t, c.last(v.call)})
			}
		}
	}
	for _, d := range c.defined(c.Pattern) {
		list = append(list, conjunct{d, len(c.vars) - 1})
	}
	return list
}

// last returns the number of the last variable that an expression reads.
func (c *claim) last(e ast.Expr) int {
	last := -1
	ast.Inspect(e, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if _, fact := rules.IsFact(e); fact {
			last = max(last, c.index[key(e)])
		}
		if id, ok := e.(*ast.Ident); ok {
			if i, ok := c.index[id.Name]; ok {
				last = max(last, i)
			} else if id.Name == "v" {
				last = len(c.vars) - 1
			}
		}
		return true
	})
	return last
}

// claimed returns the claim of fact number i.
func (c *claim) claimed(i int) test {
	v := c.vars[i]
	if v.fact == "is" || v.fact == "constant" {
		return nil
	}
	s := c.shapeOf(v.of)
	x := c.value(v.of)
	switch v.fact {
	case "bits":
		return func(e env) bool { return x(e)&^e[i] == 0 }
	case "umax":
		return func(e env) bool { return x(e) <= e[i] }
	case "smin":
		return func(e env) bool { return s.Signed(x(e)) >= s.Signed(e[i]) }
	case "smax":
		return func(e env) bool { return s.Signed(x(e)) <= s.Signed(e[i]) }
	case "bool":
		return func(e env) bool { return e[i] == 0 || x(e) <= 1 }
	case "nonnil":
		return func(e env) bool { return e[i] == 0 || x(e) != 0 }
	case "inobject":
		k := c.value(v.call.Args[1].(*ast.Ident).Name)
		ks := c.shapeOf(v.call.Args[1].(*ast.Ident).Name)
		return func(e env) bool {
			sum := int64(x(e)) + ks.Signed(k(e))
			return e[i] == 0 || sum >= 0 && uint64(sum) <= s.ones()
		}
	}
	panic("no meaning of the fact " + v.fact)
}

// value evaluates a name.
func (c *claim) value(name string) evaluator {
	if i, ok := c.index[name]; ok {
		return func(e env) uint64 { return e[i] }
	}
	return c.term(c.values[name])
}

// goal is the proposition: the replacement is defined, and equals the pattern.
func (c *claim) goal() test {
	left := c.term(c.Pattern)
	if c.Rule.Result == nil { // a check that does not trap
		return func(e env) bool { return left(e) == 0 }
	}
	if !c.w.fit(c.Rule.Result) {
		return func(env) bool { return false }
	}
	right := c.term(c.Rule.Result)
	defined := c.defined(c.Rule.Result)
	return func(e env) bool {
		for _, d := range defined {
			if !d(e) {
				return false
			}
		}
		return left(e) == right(e)
	}
}

// term evaluates a term.
func (c *claim) term(n *rules.Node) evaluator {
	shape := c.resultShape(n)
	switch n.Kind {
	case rules.Var, rules.Const:
		return c.value(n.Name)
	case rules.Lit:
		x := shape.Mask(uint64(n.Lit))
		return func(env) uint64 { return x }
	case rules.Expr:
		x := c.number(n.Expr)
		return func(e env) uint64 { return shape.Mask(x(e)) }
	}
	first, eval := c.firstShape(n), operation(n).Eval
	operands := c.operands(n)
	x := make([]uint64, len(operands))
	return func(e env) uint64 {
		for i, o := range operands {
			x[i] = o(e)
		}
		return shape.Mask(eval(shape, first, x))
	}
}

// operands evaluates the operands of a term, and its aux.
func (c *claim) operands(n *rules.Node) (list []evaluator) {
	for _, a := range n.Args {
		list = append(list, c.term(a))
	}
	for _, a := range n.Aux {
		list = append(list, c.number(a.Expr))
	}
	return list
}

// defined returns the conditions under which a term is defined.
func (c *claim) defined(n *rules.Node) (list []test) {
	n.Walk(func(n *rules.Node) {
		if n.Kind != rules.Op || operation(n).Defined == nil {
			return
		}
		shape, first, defined := c.resultShape(n), c.firstShape(n), operation(n).Defined
		operands := c.operands(n)
		x := make([]uint64, len(operands))
		list = append(list, func(e env) bool {
			for i, o := range operands {
				x[i] = o(e)
			}
			return defined(shape, first, x)
		})
	})
	return list
}

// # Expressions

// test evaluates a condition.
func (c *claim) test(e ast.Expr) test {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.test(e.X)
	case *ast.UnaryExpr:
		x := c.test(e.X)
		return func(e env) bool { return !x(e) }
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			x, y := c.test(e.X), c.test(e.Y)
			if e.Op == token.LAND {
				return func(e env) bool { return x(e) && y(e) }
			}
			return func(e env) bool { return x(e) || y(e) }
		}
		return c.comparison(e)
	}
	if name, fact := rules.IsFact(e); fact {
		i := c.index[key(e)]
		_ = name
		return func(e env) bool { return e[i] != 0 }
	}
	call := e.(*ast.CallExpr)
	switch name := call.Fun.(*ast.Ident).Name; name {
	case "pow2":
		x := c.number(call.Args[0])
		return func(e env) bool { return bits.OnesCount64(x(e)) == 1 }
	case "invertible":
		x, s := c.number(call.Args[0]), c.shapeOf(call.Args[0].(*ast.Ident).Name)
		return func(e env) bool { return invertible(s, x(e)) }
	default:
		panic("no condition " + name)
	}
}

func (c *claim) comparison(b *ast.BinaryExpr) test {
	x, y := c.number(b.X), c.number(b.Y)
	if c.sortOf(b) == rules.Unsigned {
		switch b.Op {
		case token.LSS:
			return func(e env) bool { return x(e) < y(e) }
		case token.LEQ:
			return func(e env) bool { return x(e) <= y(e) }
		case token.GTR:
			return func(e env) bool { return x(e) > y(e) }
		case token.GEQ:
			return func(e env) bool { return x(e) >= y(e) }
		}
	}
	switch b.Op {
	case token.LSS:
		return func(e env) bool { return int64(x(e)) < int64(y(e)) }
	case token.LEQ:
		return func(e env) bool { return int64(x(e)) <= int64(y(e)) }
	case token.GTR:
		return func(e env) bool { return int64(x(e)) > int64(y(e)) }
	case token.GEQ:
		return func(e env) bool { return int64(x(e)) >= int64(y(e)) }
	case token.EQL:
		return func(e env) bool { return x(e) == y(e) }
	}
	return func(e env) bool { return x(e) != y(e) }
}

// sortOf returns the sort of the operands of a comparison or another operator.
func (c *claim) sortOf(e *ast.BinaryExpr) rules.Sort {
	if s := c.SortOf(e.X); s != rules.Number {
		return s
	}
	return c.SortOf(e.Y)
}

// number evaluates an expression to the bits of an int64 or uint64.
func (c *claim) number(e ast.Expr) evaluator {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.number(e.X)
	case *ast.BasicLit:
		x, _ := strconv.ParseInt(e.Value, 0, 64)
		return func(env) uint64 { return uint64(x) }
	case *ast.Ident:
		if x, ok := rules.Constants[e.Name]; ok {
			return func(env) uint64 { return uint64(x) }
		}
		i := c.index[e.Name]
		shape := c.vars[i].shape
		return func(e env) uint64 { return uint64(shape.Const(e[i])) }
	case *ast.UnaryExpr:
		x := c.number(e.X)
		if e.Op == token.SUB {
			return func(e env) uint64 { return -x(e) }
		}
		return func(e env) uint64 { return ^x(e) }
	case *ast.BinaryExpr:
		return arithmetic(e.Op, c.sortOf(e), c.number(e.X), c.number(e.Y))
	}
	return c.call(e.(*ast.CallExpr))
}

func arithmetic(op token.Token, s rules.Sort, x, y evaluator) evaluator {
	switch op {
	case token.ADD:
		return func(e env) uint64 { return x(e) + y(e) }
	case token.SUB:
		return func(e env) uint64 { return x(e) - y(e) }
	case token.MUL:
		return func(e env) uint64 { return x(e) * y(e) }
	case token.AND:
		return func(e env) uint64 { return x(e) & y(e) }
	case token.OR:
		return func(e env) uint64 { return x(e) | y(e) }
	case token.XOR:
		return func(e env) uint64 { return x(e) ^ y(e) }
	case token.AND_NOT:
		return func(e env) uint64 { return x(e) &^ y(e) }
	case token.SHL:
		return func(e env) uint64 { return x(e) << y(e) }
	case token.SHR:
		if s == rules.Unsigned {
			return func(e env) uint64 { return x(e) >> y(e) }
		}
		return func(e env) uint64 { return uint64(int64(x(e)) >> y(e)) }
	case token.QUO:
		if s == rules.Unsigned {
			return func(e env) uint64 { return x(e) / y(e) }
		}
		return func(e env) uint64 { return uint64(int64(x(e)) / int64(y(e))) }
	case token.REM:
		if s == rules.Unsigned {
			return func(e env) uint64 { return x(e) % y(e) }
		}
		return func(e env) uint64 { return uint64(int64(x(e)) % int64(y(e))) }
	}
	panic("no operator " + op.String())
}

func (c *claim) call(e *ast.CallExpr) evaluator {
	name := e.Fun.(*ast.Ident).Name
	if _, fact := rules.IsFact(e); fact {
		i := c.index[key(e)]
		shape := c.vars[i].shape
		if name == "smin" || name == "smax" {
			return func(e env) uint64 { return uint64(shape.Signed(e[i])) }
		}
		return func(e env) uint64 { return e[i] }
	}
	switch name {
	case "int64", "uint64":
		return c.number(e.Args[0])
	case "log2":
		x := c.number(e.Args[0])
		return func(e env) uint64 { return uint64(bits.TrailingZeros64(x(e))) }
	}
	shape := c.shapeOf(e.Args[0].(*ast.Ident).Name)
	switch name {
	case "u":
		return c.value(e.Args[0].(*ast.Ident).Name)
	case "width":
		return func(env) uint64 { return uint64(shape.Bits) }
	case "ones":
		return func(env) uint64 { return shape.ones() }
	case "trunc":
		x := c.number(e.Args[1])
		return func(e env) uint64 { return uint64(shape.Const(shape.Mask(x(e)))) }
	case "zext":
		x := c.number(e.Args[1])
		return func(e env) uint64 { return shape.Mask(x(e)) }
	case "inverse":
		x := c.number(e.Args[0])
		return func(e env) uint64 { return inverse(shape, x(e)) }
	}
	panic("no function " + name)
}
