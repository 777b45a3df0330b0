package bounds

import (
	"go/ast"
	gc "go/constant"
	"go/token"
	"go/types"
	"math/big"
	"strings"

	"github.com/gyrvm/gyr/internal/front/budget"
)

// A constant is declared by a value: its own or, implicitly repeated, that of another constant.
type constant struct {
	name  *ast.Ident
	value ast.Expr
	bound value
	known bool
	busy  bool
}

// A value has bounds for an expression: of its value if it is constant, else 0, and of the number
// of parts of its type.
type value struct {
	bytes int64 // of a constant string
	bits  int64 // of a constant number
	parts int64
}

// maxBits is the length up to which go/constant keeps a number exactly. Longer numbers become
// floats or errors.
const maxBits = 8192

// constants lists the constants of a declaration, and counts the work of repeating their values.
func (c *checker) constants(d *ast.GenDecl) (list []*constant) {
	var last []ast.Expr
	size := int64(0)
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		if len(s.Values) > 0 {
			last, size = s.Values, 0
		} else {
			if size == 0 {
				for _, v := range last {
					ast.Inspect(v, func(n ast.Node) bool { size++; return true })
				}
			}
			c.addWork(budget.Mul(size, 64), s.Pos())
		}
		for i, name := range s.Names {
			k := &constant{name: name}
			if i < len(last) {
				k.value = last[i]
			}
			list = append(list, k)
		}
	}
	return list
}

func (c *checker) addWork(n int64, at token.Pos) {
	c.constWork = budget.Add(c.constWork, n)
	c.atMost("ConstantWork", c.Limits.ConstantWork, c.constWork, at,
		"constants that take %s steps to compute up to here", count(c.constWork))
}

// constant bounds the value of a declared constant.
func (c *checker) constant(o *object) value {
	k := o.constant
	if k.known || k.busy || k.value == nil { // a constant that depends on itself is an error
		return k.bound
	}
	k.busy = true
	defer c.follow(k.name.Pos())()
	k.bound = c.root(k.value, o.scope)
	k.busy, k.known = false, true
	return k.bound
}

// root bounds an expression that is not an operand of another one. The type checker builds a
// constant string only for such an expression.
func (c *checker) root(e ast.Expr, sc *scope) value {
	v := c.expr(e, sc)
	if b, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && v.bytes > 0 {
		c.constBytes = budget.Add(c.constBytes, v.bytes)
		c.atMost("ConstantBytes", c.Limits.ConstantBytes, c.constBytes, b.Pos(), "constant strings of %s bytes up to here",
			count(c.constBytes))
	}
	return v
}

// literal bounds a basic literal.
func literal(l *ast.BasicLit) value {
	switch l.Kind {
	case token.STRING:
		return value{bytes: int64(len(l.Value)), parts: 1}
	case token.CHAR:
		return value{bits: 32, parts: 1}
	}
	bits := int64(4 * len(l.Value))
	hex := strings.HasPrefix(l.Value, "0x") || strings.HasPrefix(l.Value, "0X")
	if !hex && strings.ContainsAny(l.Value, "eE") || strings.ContainsAny(l.Value, "pP") {
		bits = maxBits // the exponent
	}
	return value{bits: min(bits, 1<<20), parts: 1}
}

// operation bounds the result of an operator. If the operation is done at compile time, it counts
// the work.
func (c *checker) operation(e *ast.BinaryExpr, x, y value) value {
	v := value{parts: max(x.parts, y.parts)}
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		v.parts = 1
	case token.LAND, token.LOR:
	case token.SHL, token.SHR:
		v.parts = x.parts
		if x.bits > 0 && y.bits > 0 {
			v.bits = min(x.bits+1100, maxBits) // go/types allows no more
		}
	case token.ADD:
		if x.bytes > 0 && y.bytes > 0 {
			v.bytes = budget.Add(x.bytes, y.bytes)
		}
		fallthrough
	case token.SUB:
		if x.bits > 0 && y.bits > 0 {
			v.bits = min(max(x.bits, y.bits)+1, maxBits)
		}
	default:
		if x.bits > 0 && y.bits > 0 {
			v.bits = min(x.bits+y.bits, maxBits)
		}
	}
	if x.bits > 0 && y.bits > 0 {
		// Sums of fractions are products too.
		a, b := min(x.bits, maxBits), min(y.bits, maxBits)
		c.addWork(a+b+a*b>>8, e.OpPos)
	}
	return v
}

// constantOf bounds a constant of another package.
func constantOf(k *types.Const) value {
	v := value{parts: 1}
	switch k.Val().Kind() {
	case gc.String:
		v.bytes = int64(len(gc.StringVal(k.Val())))
	case gc.Int:
		v.bits = int64(gc.BitLen(k.Val())) + 1
	case gc.Float, gc.Complex:
		v.bits = maxBits
		if r, ok := gc.Val(k.Val()).(*big.Rat); ok {
			v.bits = int64(r.Num().BitLen() + r.Denom().BitLen())
		}
	}
	return v
}
