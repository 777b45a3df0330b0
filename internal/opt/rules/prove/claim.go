package prove

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/rules"
)

// Widths gives each class of types of a rule a shape, and nil the shape of numbers that are not
// operands.
type Widths map[*rules.Type]Shape

func (w Widths) of(n *rules.Node) Shape { return w[n.Type.Find()] }

// Describe names the shapes in the order of the rule's types.
func (w Widths) Describe(r *rules.Rule) string {
	var list []string
	for _, t := range r.Types {
		list = append(list, w[t].String())
	}
	return strings.Join(list, ",")
}

// Real returns all ways to assign shapes of existing types to the types of a rule.
func Real(r *rules.Rule) []Widths {
	return widths(r, 64, func(s rules.TypeSet) (list []Shape) {
		seen := map[Shape]bool{}
		for _, t := range s.List() {
			if sh := ShapeOf(t); !seen[sh] {
				seen[sh] = true
				list = append(list, sh)
			}
		}
		return list
	})
}

// Small returns all ways to assign small shapes to them: integers of 4 and 8 bits, and of 2 if
// widths differ; pointers of 3 and 4 bits, so that the 5 and 8 bits that stand for 64 exceed them.
func Small(r *rules.Rule) (all []Widths) {
	integers := []uint{4, 8}
	for _, n := range []*rules.Node{r.Pattern, r.Result} {
		n.Walk(func(n *rules.Node) {
			if n.Op == "sext" || n.Op == "zext" || n.Op == "trunc" {
				integers = []uint{2, 4, 8}
			}
		})
	}
	for _, fixed := range []struct{ long, ptr uint }{{5, 3}, {8, 4}} {
		all = append(all, widths(r, 5, func(s rules.TypeSet) (list []Shape) {
			if only, ok := s.Only(); ok && only == ir.I8 {
				return []Shape{{ir.I64, 8}}
			} else if ok && only == ir.I64 {
				return []Shape{{ir.I64, fixed.long}}
			}
			for _, t := range s.List() {
				switch {
				case t == ir.I64:
					for _, b := range integers {
						list = append(list, Shape{ir.I64, b})
					}
				case t == ir.Ptr:
					list = append(list, Shape{ir.Ptr, fixed.ptr})
				case t == ir.F64 || s == 1<<ir.F32:
					list = append(list, Shape{ir.F64, 8}, Shape{ir.F64, 16})
				}
			}
			return list
		})...)
		if !r.Fixed() {
			break
		}
	}
	return all
}

// widths tries all shapes of all types and returns the combinations that the pattern allows.
func widths(r *rules.Rule, long uint, shapes func(rules.TypeSet) []Shape) (all []Widths) {
	all = []Widths{{nil: {ir.I64, long}}}
	for _, t := range r.Types {
		var next []Widths
		for _, w := range all {
			for _, s := range shapes(t.Set) {
				v := Widths{t: s}
				for k, x := range w {
					v[k] = x
				}
				next = append(next, v)
			}
		}
		all = next
	}
	kept := all[:0]
	for _, w := range all {
		if w.fit(r.Pattern) {
			kept = append(kept, w)
		}
	}
	return kept
}

// fit reports whether the shapes of a term's operations are compatible.
func (w Widths) fit(n *rules.Node) (ok bool) {
	ok = true
	n.Walk(func(n *rules.Node) {
		if o := Operations[n.Op]; o.Fits != nil {
			ok = ok && o.Fits(w.of(n), w.of(n.Args[0]))
		}
	})
	return ok
}

// A claim holds for all values of its variables. A variable is a name of the pattern, a constant,
// or the result of a fact.
type variable struct {
	name  string
	shape Shape
	fact  string // the function, "" for other variables
	of    string // argument of a fact
	call  *ast.CallExpr
}

// A claim is a rule at some widths.
type claim struct {
	*rules.Rule
	w        Widths
	vars     []variable
	index    map[string]int
	values   map[string]*rules.Node
	consts   map[string]*rules.Node
	auxNames map[string]rules.AuxPlace
}

func newClaim(r *rules.Rule, w Widths) *claim {
	c := &claim{Rule: r, w: w, index: map[string]int{}, auxNames: r.AuxNames()}
	c.values, c.consts = r.Bound()
	r.Pattern.Walk(func(n *rules.Node) {
		switch n.Kind {
		case rules.Var, rules.Const:
			c.add(variable{name: n.Name, shape: w.of(n)})
		}
	})
	for _, name := range sorted(c.auxNames) {
		c.add(variable{name: name, shape: w[nil]})
	}
	for _, e := range r.Conds {
		ast.Inspect(e, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if name, fact := rules.IsFact(e); fact {
					c.fact(name, e)
				}
			}
			return true
		})
	}
	return c
}

// key identifies a fact with its arguments.
func key(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return e.(*ast.Ident).Name
	}
	var args []string
	for _, a := range call.Args {
		args = append(args, a.(*ast.Ident).Name)
	}
	return call.Fun.(*ast.Ident).Name + "." + strings.Join(args, ".")
}

func (c *claim) fact(name string, e ast.Expr) {
	v := variable{name: key(e), fact: name, shape: Shape{ir.Void, 1}}
	if call, ok := e.(*ast.CallExpr); ok {
		v.call = call
		v.of = call.Args[0].(*ast.Ident).Name
		switch name {
		case "bits", "umax", "smin", "smax":
			v.shape = c.shapeOf(v.of)
		}
	}
	c.add(v)
}

func (c *claim) add(v variable) {
	if _, ok := c.index[v.name]; ok {
		return
	}
	c.index[v.name] = len(c.vars)
	c.vars = append(c.vars, v)
}

// shapeOf returns the shape of a name of the pattern.
func (c *claim) shapeOf(name string) Shape {
	if n := c.values[name]; n != nil {
		return c.w.of(n)
	}
	if n := c.consts[name]; n != nil {
		return c.w.of(n)
	}
	panic(fmt.Sprintf("%s: no value %s", c.Name, name))
}

// operation returns the table's entry for a term's operation.
func operation(n *rules.Node) Operation {
	o, ok := Operations[n.Op]
	if !ok {
		panic("no meaning of " + n.Op)
	}
	return o
}

// firstShape returns the shape of a term's first operand.
func (c *claim) firstShape(n *rules.Node) Shape {
	if len(n.Args) == 0 {
		return Shape{}
	}
	return c.w.of(n.Args[0])
}

// resultShape returns the shape of a term; for a check, one bit.
func (c *claim) resultShape(n *rules.Node) Shape {
	if n.Info != nil && n.Info.Result == 'v' {
		return ShapeOf(ir.Void)
	}
	return c.w.of(n)
}

// Algebra reports whether a rule is an equation between numbers (or about a check). The two proofs
// are for these. Other rules are about memory, or have code in Go.
func Algebra(r *rules.Rule) bool {
	return r.Pattern != nil && !r.Touches(ir.ReadMem|ir.WriteMem|ir.Charges)
}
