package enum

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// A place is where the value of a tree goes.
type place uint8

const (
	nowhere place = iota
	stored
	storedNarrow
	branch
	branchNot
	switched
	index
	guarded      // on both sides of a branch
	guardedIndex // on the side where a condition holds
)

// places are the productions of whole trees, each with a place and a kind of value.
var places = func() (list []production) {
	add := func(p place, k kind, t ir.Type, name string) {
		list = append(list, production{result: root, args: []kind{k}, place: p, typ: t, name: name})
	}
	for _, t := range allTypes {
		add(stored, kind(t), t, "stored "+t.String())
	}
	add(branch, boolean, ir.I8, "if")
	add(branchNot, boolean, ir.I8, "if not")
	for i, t := range intTypes {
		add(switched, kind(t), t, "switch "+t.String())
		for _, to := range intTypes[:i] {
			list = append(list, production{result: root, args: []kind{kind(t)}, place: storedNarrow, typ: to,
				name: "stored as " + to.String()})
		}
	}
	add(index, kind(ir.I64), ir.I64, "index")
	for _, t := range intTypes {
		list = append(list, production{result: root, args: []kind{boolean, kind(t)}, place: guarded, typ: t,
			name: "if, and in both branches " + t.String()})
	}
	list = append(list, production{result: root, args: []kind{boolean, kind(ir.I64)}, place: guardedIndex, typ: ir.I64,
		name: "if, then an index"})
	return list
}()

// Trees is the space of expressions.
type Trees struct{ g *grammar }

// NewTrees makes the space of expressions.
func NewTrees() *Trees { return &Trees{newGrammar()} }

func (s *Trees) Name() string { return "tree" }

// Size is the number of trees. Upto is the number of those with up to n operations, which come
// first.
func (s *Trees) Size() uint64 { return s.Upto(maxOps) }

func (s *Trees) Upto(n int) (size uint64) {
	for m := 0; m <= n; m++ {
		size += s.g.counts[root][m]
	}
	return size
}

// Program returns the tree with a number, or nil if a tree with another number equals it.
func (s *Trees) Program(n uint64) Program {
	if t := s.at(n); canonical(t) {
		return &tree{s, t}
	}
	return nil
}

func (s *Trees) at(n uint64) *node {
	for m := 0; ; m++ {
		if c := s.g.counts[root][m]; n >= c {
			n -= c
		} else {
			return s.g.tree(root, m, n)
		}
	}
}

// Random returns the number of a tree. All types and first operations are about equally likely, and
// more operations likelier than fewer. Two in three trees are stored; few are indices, since these
// take long.
func (s *Trees) Random(r *rand.Rand) uint64 {
	n := []int{1, 2, 2, 2, 3, 3, 3, 3}[r.IntN(8)]
	list := s.g.of[root]
	p := list[r.IntN(len(list))]
	switch p.place {
	case stored, guarded:
	case guardedIndex:
		n = max(n, 2)
	default:
		if r.IntN(2) == 0 || p.place == index && r.IntN(2) == 0 {
			p = list[r.IntN(len(allTypes))] // of the first places
		}
	}
	t := &node{p, nil, n}
	for i, k := range p.args {
		m := n
		if i+1 < len(p.args) {
			m = 1 + r.IntN(max(n-1, 1)) // of a condition
		}
		t.args = append(t.args, s.g.tree(k, m, s.g.random(r, k, m)))
		n -= m
	}
	return s.number(t)
}

func (s *Trees) number(t *node) (n uint64) {
	for m := 0; m < t.ops; m++ {
		n += s.g.counts[root][m]
	}
	return n + s.g.number(root, t)
}

// canonical reports whether a tree represents all trees that differ from it only in the names of
// variables and the order of commuting operands.
func canonical(t *node) bool {
	var seen [len(variables)]bool
	return namesInOrder(t, &seen) && operandsInOrder(t)
}

// namesInOrder reports whether each variable first occurs before its successor does.
func namesInOrder(t *node, seen *[len(variables)]bool) bool {
	if v := t.leaf; v != nil {
		seen[v.number] = true
		return v.after == 0 || seen[v.number-v.after]
	}
	for _, a := range t.args {
		if !namesInOrder(a, seen) {
			return false
		}
	}
	return true
}

func operandsInOrder(t *node) bool {
	if len(t.args) == 2 && t.op.Op.Commutes() && order(t.args[0], t.args[1]) > 0 {
		return false
	}
	for _, a := range t.args {
		if !operandsInOrder(a) {
			return false
		}
	}
	return true
}

// order compares trees without the names of their variables. It does not order leaves, so constants
// occur on both sides of commuting operations.
func order(a, b *node) int {
	if a.ops != b.ops {
		return a.ops - b.ops
	}
	if a.ops == 0 {
		return 0
	}
	if a.production != b.production {
		return strings.Compare(a.name+a.typ.String(), b.name+b.typ.String())
	}
	for i := range a.args {
		if c := order(a.args[i], b.args[i]); c != 0 {
			return c
		}
	}
	return 0
}

// A tree is a [Program].
type tree struct {
	space *Trees
	*node
}

func (t *tree) Number() uint64 { return t.space.number(t.node) }
func (t *tree) Traps() bool    { return t.place == index || t.place == guardedIndex }
func (t *tree) Bytes() int64   { return 8 }

// Result is the type of the tree's value if the tree only stores it, else Void.
func (t *tree) Result() ir.Type {
	if t.place == stored {
		return t.typ
	}
	return ir.Void
}

func (t *tree) String() string { return t.node.String() }

func (t *node) String() string {
	switch {
	case t.leaf != nil:
		return t.name
	case len(t.args) == 0:
		return constText(t.typ, t.konst)
	case t.place != nowhere:
		var list []string
		for _, a := range t.args {
			list = append(list, a.String())
		}
		return t.name + ": " + strings.Join(list, ", ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "(%s", t.name)
	switch {
	case t.from != 0:
		fmt.Fprintf(&b, " %v +%d", t.from, t.offset)
	case t.op.Aux != 0:
		fmt.Fprintf(&b, " [%d, %d]", t.op.Aux, t.op.Aux2)
	}
	if t.op.Type == ir.I8 && len(t.op.Args) > 0 { // comparisons
		fmt.Fprintf(&b, " %v", t.op.Args[0])
	} else {
		fmt.Fprintf(&b, " %v", t.typ)
	}
	for _, a := range t.args {
		b.WriteString(" " + a.String())
	}
	return b.String() + ")"
}

func constText(t ir.Type, c int64) string {
	switch {
	case t == ir.F64:
		return fmt.Sprint(math.Float64frombits(uint64(c)))
	case t == ir.F32:
		return fmt.Sprint(math.Float32frombits(uint32(c)))
	case t == ir.Ptr || c > 1<<20 || c < -1<<20:
		return fmt.Sprintf("%#x", c)
	}
	return fmt.Sprint(c)
}

// Build makes the operations of the tree.
func (t *tree) Build(b *Site) {
	x := t.args[0].value(b)
	switch t.place {
	case stored, storedNarrow:
		if x.Type != t.typ {
			x = b.Add(ir.OpTrunc, t.typ, 0, x)
		}
		b.Result(0, x)
	case branch, branchNot:
		yes, no := b.If(x)
		if t.place == branchNot {
			b.B.Succs[0], b.B.Succs[1] = no.B, yes.B
			yes, no = no, yes
		}
		b.Join(yes, no)
	case switched:
		b.Switch(x, []int64{0, 1, 2, -1, 64, 127})
	case index:
		b.Result(0, b.Element(x, b.Const(ir.I64, tableLen)))
	case guarded, guardedIndex:
		// Values loaded in one branch are unknown in the other.
		known := b.vars
		yes, no := b.If(x)
		for i, side := range []*irtest.Builder{yes, no} {
			b.Builder, b.vars = *side, known
			switch {
			case t.place == guarded:
				b.Result(0, t.args[1].value(b))
			case i == 0:
				b.Result(0, b.Element(t.args[1].value(b), b.Const(ir.I64, tableLen)))
			default:
				b.Result(0, b.Const(ir.I64, 22))
			}
			*side = b.Builder
		}
		b.vars = known
		end := b.F.NewBlock()
		yes.Jump(end)
		no.Jump(end)
		b.B = end
	}
}

// value makes the operations of a part of a tree.
func (t *node) value(b *Site) *ir.Value {
	switch {
	case t.leaf != nil:
		return b.Variable(t.leaf)
	case len(t.args) == 0:
		return b.Const(t.typ, t.konst)
	}
	var args [3]*ir.Value
	for i, a := range t.args {
		args[i] = a.value(b)
	}
	switch {
	case t.from != 0:
		p := b.Scratch()
		b.Add(ir.OpStore, ir.Void, 0, p, args[0])
		return b.loadAny(t.to, t.offset, p)
	case t.extend:
		return b.Add(ir.OpOr, t.typ, 0, args[0], b.Const(t.typ, 1))
	}
	v := b.Add(t.op.Op, t.typ, t.op.Aux, args[:len(t.args)]...)
	v.Aux2 = t.op.Aux2
	return v
}

// Smaller returns the trees in which one of the operands replaces an operation, or a leaf replaces
// an operand.
func (t *tree) Smaller() (list []Program) {
	add := func(p *production, args ...*node) {
		n := &node{p, args, 0}
		for _, a := range args {
			n.ops += a.ops
		}
		if n.ops < t.ops || p.place == stored && t.place != stored {
			list = append(list, &tree{t.space, n})
		}
	}
	// The tree or one of its operands, stored; or the tree in its place, with smaller parts.
	for _, p := range t.space.g.of[root] {
		for _, a := range t.args {
			for _, b := range append([]*node{a}, a.args...) {
				if p.place == stored && b.result == p.args[0] {
					add(p, b)
				}
			}
		}
	}
	for i, a := range t.args {
		for _, part := range a.parts(t.production.args[i], t.space.g) {
			args := slices.Clone(t.args)
			args[i] = part
			add(t.production, args...)
		}
	}
	return list
}

// parts returns smaller trees of a kind that can replace t.
func (t *node) parts(k kind, g *grammar) (list []*node) {
	for _, a := range t.args {
		if a.result == k {
			list = append(list, a)
		}
	}
	if t.ops > 0 {
		for _, p := range g.of[k] {
			if p.leaf != nil {
				list = append(list, &node{p, nil, 0})
			}
		}
	}
	for i, a := range t.args {
		for _, part := range a.parts(t.production.args[i], g) {
			args := slices.Clone(t.args)
			args[i] = part
			list = append(list, &node{t.production, args, t.ops - a.ops + part.ops})
		}
	}
	return list
}
