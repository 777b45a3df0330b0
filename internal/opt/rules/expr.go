package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// A Sort is the sort of an expression's value.
type Sort uint8

const (
	Number   Sort = iota // a number that takes the sort of the other operand
	Signed               // int64
	Unsigned             // uint64
	Bool
)

// A function may be called in conditions. Its arguments are values of the pattern (v), constants of
// it (c), numbers of a sort (s, u) or operations (o, any number of them).
type function struct {
	args   string
	result Sort
	fact   bool // proofs assume its claim
}

var functions = map[string]function{
	"u":        {"c", Unsigned, false},
	"trunc":    {"vs", Signed, false},
	"zext":     {"vs", Unsigned, false},
	"width":    {"v", Unsigned, false},
	"ones":     {"v", Unsigned, false},
	"pow2":     {"u", Bool, false},
	"log2":     {"u", Signed, false},
	"int64":    {"u", Signed, false},
	"uint64":   {"s", Unsigned, false},
	"is":       {"vo", Bool, false},
	"constant": {"v", Bool, false},
	"bits":     {"v", Unsigned, true},
	"umax":     {"v", Unsigned, true},
	"smin":     {"v", Signed, true},
	"smax":     {"v", Signed, true},
	"bool":     {"v", Bool, true},
	"nonnil":   {"v", Bool, true},
	"inobject": {"vc", Bool, true},

	// For floats: whether 1/C is exact, and the bits of that number.
	"invertible": {"c", Bool, false},
	"inverse":    {"c", Signed, false},
}

// Constants are the names that expressions may use in addition to those of the pattern.
var Constants = map[string]int64{
	"maxObject":       ir31,
	"maxFoldedOffset": 1 << 20,
}

const ir31 = 1 << 31 // ir.MaxObject

// IsFact reports whether an expression is a call of a fact or the word early, and returns its name.
func IsFact(e ast.Expr) (name string, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name, e.Name == "early"
	case *ast.CallExpr:
		name = e.Fun.(*ast.Ident).Name
		return name, functions[name].fact || name == "is" || name == "constant"
	}
	return "", false
}

// Bound returns the values and the constants named in a pattern.
func (r *Rule) Bound() (values, constants map[string]*Node) {
	values, constants = map[string]*Node{}, map[string]*Node{}
	first := func(m map[string]*Node, name string, n *Node) {
		if name != "" && m[name] == nil {
			m[name] = n
		}
	}
	r.Pattern.Walk(func(n *Node) {
		switch n.Kind {
		case Var:
			first(values, n.Name, n)
		case Const:
			first(constants, n.Name, n)
		}
		first(values, n.As, n)
	})
	return values, constants
}

// AuxNames returns the names of the constants in Aux and Aux2, with their operation and place.
func (r *Rule) AuxNames() map[string]AuxPlace {
	m := map[string]AuxPlace{}
	r.Pattern.Walk(func(n *Node) {
		for i, a := range n.Aux {
			if a.Name != "" {
				m[a.Name] = AuxPlace{n, i}
			}
		}
	})
	return m
}

// An AuxPlace is one of the two constants Aux and Aux2 of an operation.
type AuxPlace struct {
	Node *Node
	N    int
}

// checker finds errors in the expressions of a rule.
type checker struct {
	values, constants map[string]*Node
	aux               map[string]AuxPlace
}

func (r *Rule) check() error {
	c := &checker{aux: r.AuxNames()}
	c.values, c.constants = r.Bound()
	for _, e := range r.Conds {
		if s, err := c.sort(e); err != nil || s != Bool {
			return fmt.Errorf("condition: %v, %w", s, orNil(err))
		}
	}
	var err error
	r.Result.Walk(func(n *Node) {
		list := []ast.Expr{}
		if n.Kind == Expr {
			list = append(list, n.Expr)
		}
		for _, a := range n.Aux {
			list = append(list, a.Expr)
		}
		for _, e := range list {
			if s, err2 := c.sort(e); err2 != nil || s == Bool || s == Unsigned {
				err = fmt.Errorf("a constant is an int64: %w", orNil(err2))
			}
		}
		if n.Kind == Var && c.values[n.Name] == nil {
			err = fmt.Errorf("%s is not in the pattern", n.Name)
		}
	})
	return err
}

func orNil(err error) error {
	if err == nil {
		return fmt.Errorf("wrong sort")
	}
	return err
}

// SortOf returns the sort of an expression of the rule.
func (r *Rule) SortOf(e ast.Expr) Sort {
	c := &checker{aux: r.AuxNames()}
	c.values, c.constants = r.Bound()
	s, err := c.sort(e)
	if err != nil {
		panic(err) // it has been checked
	}
	return s
}

func (c *checker) sort(e ast.Expr) (Sort, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.sort(e.X)
	case *ast.BasicLit:
		_, err := strconv.ParseInt(e.Value, 0, 64)
		return Number, err
	case *ast.Ident:
		if _, ok := Constants[e.Name]; ok {
			return Number, nil
		}
		if _, ok := c.aux[e.Name]; ok || c.constants[e.Name] != nil {
			return Signed, nil
		}
		if e.Name == "early" {
			return Bool, nil
		}
		return 0, fmt.Errorf("no constant %s", e.Name)
	case *ast.UnaryExpr:
		return c.sort(e.X)
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.CallExpr:
		return c.call(e)
	}
	return 0, fmt.Errorf("no expression of this kind: %T", e)
}

func (c *checker) binary(e *ast.BinaryExpr) (Sort, error) {
	x, err := c.sort(e.X)
	if err != nil {
		return 0, err
	}
	y, err := c.sort(e.Y)
	if err != nil {
		return 0, err
	}
	if e.Op == token.SHL || e.Op == token.SHR {
		if y == Signed || y == Bool {
			return 0, fmt.Errorf("the count of %s is signed", e.Op)
		}
		return x, nil
	}
	if x == Number {
		x = y
	}
	if y == Number {
		y = x
	}
	if x != y {
		return 0, fmt.Errorf("operands of %s are of two sorts", e.Op)
	}
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return Bool, nil
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT,
		token.LAND, token.LOR:
		return x, nil
	}
	return 0, fmt.Errorf("no operator %s", e.Op)
}

func (c *checker) call(e *ast.CallExpr) (Sort, error) {
	id, ok := e.Fun.(*ast.Ident)
	if !ok {
		return 0, fmt.Errorf("no function")
	}
	f, ok := functions[id.Name]
	if !ok || len(e.Args) < len(f.args) {
		return 0, fmt.Errorf("no function %s with %d arguments", id.Name, len(e.Args))
	}
	for i, a := range e.Args {
		arg, isName := a.(*ast.Ident)
		switch f.args[min(i, len(f.args)-1)] {
		case 'v':
			if !isName || c.values[arg.Name] == nil && c.constants[arg.Name] == nil {
				return 0, fmt.Errorf("%s: no value of the pattern", id.Name)
			}
		case 'c':
			if !isName || c.constants[arg.Name] == nil {
				return 0, fmt.Errorf("%s: no constant of the pattern", id.Name)
			}
		case 'o':
			if _, known := OpOf(arg.Name); !isName || !known {
				return 0, fmt.Errorf("%s: no operation", id.Name)
			}
		default:
			if _, err := c.sort(a); err != nil {
				return 0, err
			}
		}
	}
	return f.result, nil
}
