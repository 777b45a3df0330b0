package enum

import (
	"math"
	"math/rand/v2"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// A kind is a nonterminal of the grammar of trees: the values of a type, or those that are allowed
// in a certain place.
type kind uint8

// The kinds that consist of all values of a type come first and have the type's number.
const (
	boolean   kind = kind(ir.Ptr) + 1 + iota // an I8 that is 0 or 1: a condition
	divisor8                                 // not zero; one for each integer type, in their order
	divisor16                                //
	divisor32                                //
	divisor64                                //
	object                                   // an address in the object
	little                                   // an I64 below 16
	root                                     // a whole tree at its place
	numKinds
)

// maxOps is the largest number of operations in a tree.
const maxOps = 3

// A production is a leaf, an operation or a place, with the kinds of its operands.
type production struct {
	result kind
	args   []kind
	cost   int // operations
	name   string
	typ    ir.Type

	op    irtest.Variant // unless the production is one of the following
	leaf  *variable      // neither this nor any operand: a constant
	konst int64
	place place
	narrow
	extend bool // the sum of an operand and 1, which is not zero

	counts [maxOps + 1]uint64 // trees that begin here, by number of operations
}

// narrow describes a value that is stored as one type and loaded as another of at most that size,
// some bytes further on.
type narrow struct {
	from, to ir.Type
	offset   int64
}

// A grammar has the productions of each kind and the number of their trees.
type grammar struct {
	of     [numKinds][]*production
	counts [numKinds][maxOps + 1]uint64
}

var intTypes = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}
var allTypes = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F32, ir.F64, ir.Ptr}

func divisor(t ir.Type) kind { return divisor8 + kind(t-ir.I8) }

// Constants of integers: those of all types, then those of each type; floats.
var (
	commonInts = []int64{0, 1, 2, 3, -1, -2, 10}
	ints       = map[ir.Type][]int64{
		ir.I8:  {7, 8, 4, 15, 64, 127, -128, -127},
		ir.I16: {7, 15, 16, 127, 128, 255, -256, 32767, -32768},
		ir.I32: {7, 31, 32, 128, 255, 65535, -32768, 65536, math.MaxInt32, math.MinInt32},
		ir.I64: {7, 8, 31, 32, 63, 64, 255, 65535, 1 << 31, -1 << 31, math.MaxUint32, 1 << 32, math.MaxInt64, math.MinInt64,
			-64},
	}
	floats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, 3, 1 << 31, 1 << 63, -1 << 63, 1 << 64, math.MaxFloat32,
		1e-310, math.Inf(1), math.NaN()}
)

// constants returns the bits of a type's constants as leaves.
func constants(t ir.Type) (list []int64) {
	switch t {
	case ir.F32:
		for _, x := range floats {
			list = append(list, int64(math.Float32bits(float32(x))))
		}
	case ir.F64:
		for _, x := range floats {
			list = append(list, int64(math.Float64bits(x)))
		}
	case ir.Ptr:
		return []int64{0, objectAddr, 1 << 31, math.MaxUint32}
	default:
		for _, x := range append(commonInts[:len(commonInts):len(commonInts)], ints[t]...) {
			list = append(list, ir.TruncConst(t, x))
		}
	}
	return list
}

// newGrammar makes the grammar of trees from the table of operations.
func newGrammar() *grammar {
	g := &grammar{}
	g.leaves()
	for op := ir.Op(1); op < ir.NumOps; op++ {
		if op != ir.OpCopy {
			for _, v := range irtest.Variants(op) {
				g.operation(v)
			}
		}
	}
	for _, from := range allTypes[:6] {
		for _, to := range allTypes[:6] {
			for off := int64(0); off+to.Size() <= from.Size(); off++ {
				if from != to || off > 0 {
					g.add(&production{result: kind(to), args: []kind{kind(from)}, cost: 1, typ: to, name: "through memory",
						narrow: narrow{from, to, off}})
				}
			}
		}
	}
	g.divisors()
	for _, p := range places {
		p := p
		g.add(&p)
	}
	g.count()
	return g
}

func (g *grammar) add(p *production) { g.of[p.result] = append(g.of[p.result], p) }

func (g *grammar) leaves() {
	for i := range variables {
		v := &variables[i]
		for _, k := range v.kinds {
			g.add(&production{result: k, typ: v.typ, leaf: v, name: v.name})
		}
	}
	constant := func(k kind, t ir.Type, c int64) {
		g.add(&production{result: k, typ: t, konst: c, name: "const"})
	}
	for _, t := range allTypes {
		for _, c := range constants(t) {
			constant(kind(t), t, c)
			if t.IsInt() && c != 0 {
				constant(divisor(t), t, c)
			}
		}
	}
	for _, c := range []int64{0, 1} {
		constant(boolean, ir.I8, c)
	}
	for _, c := range []int64{0, 1, 7, 8} {
		constant(little, ir.I64, c)
	}
}

// operation adds the productions of an operation with its types.
func (g *grammar) operation(v irtest.Variant) {
	p := production{result: kind(v.Type), cost: 1, op: v, typ: v.Type, name: v.Op.String()}
	for _, t := range v.Args {
		p.args = append(p.args, kind(t))
	}
	also := p.result
	switch {
	case v.Op.Divides():
		p.args[1] = divisor(v.Args[1])
	case v.Op == ir.OpSelect:
		p.args[0] = boolean
	case v.Op == ir.OpPtrAdd || v.Op == ir.OpPtrIdx:
		if v.Aux > 2 { // beyond the object
			return
		}
		p.args[0], p.args[1], also = object, little, object
	case v.Op.IsComparison():
		also = boolean
	}
	g.add(&p)
	if also != p.result {
		q := p
		q.result = also
		g.add(&q)
	}
	of := func(k kind) { // the same operation on values of one kind
		q := p
		q.result, q.args = k, append([]kind(nil), p.args...)
		for i := range q.args {
			if ir.Type(p.args[i]) == v.Type {
				q.args[i] = k
			}
		}
		g.add(&q)
	}
	switch v.Op {
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		if v.Type == ir.I8 {
			of(boolean)
		}
	case ir.OpSelect:
		if v.Type == ir.I8 {
			of(boolean)
		}
		if v.Type.IsInt() {
			of(divisor(v.Type))
		}
	case ir.OpNeg, ir.OpBswap:
		of(divisor(v.Type))
	case ir.OpZExt, ir.OpSExt:
		q := p
		q.result, q.args = divisor(v.Type), []kind{divisor(v.Args[0])}
		g.add(&q)
	}
}

// divisors adds operations that make any number nonzero.
func (g *grammar) divisors() {
	for _, t := range intTypes {
		g.add(&production{result: divisor(t), args: []kind{kind(t)}, cost: 1, typ: t, name: "or 1", extend: true})
	}
}

// count fills in the numbers of trees, by their numbers of operations.
func (g *grammar) count() {
	for n := 0; n <= maxOps; n++ {
		for k := range numKinds { // places come last; their operands have as many operations
			for _, p := range g.of[k] {
				if p.cost <= n {
					p.counts[n] = g.ways(p.args, n-p.cost)
				}
				g.counts[k][n] += p.counts[n]
			}
		}
	}
}

// ways returns the number of lists of operands with n operations in total.
func (g *grammar) ways(args []kind, n int) uint64 {
	if len(args) == 0 {
		if n == 0 {
			return 1
		}
		return 0
	}
	sum := uint64(0)
	for m := 0; m <= n; m++ {
		if rest := g.ways(args[1:], n-m); rest > 0 {
			sum += g.counts[args[0]][m] * rest
		}
	}
	return sum
}

// A node is a tree.
type node struct {
	*production
	args []*node
	ops  int
}

// tree returns tree number i among those of a kind with n operations.
func (g *grammar) tree(k kind, n int, i uint64) *node {
	for _, p := range g.of[k] {
		if i < p.counts[n] {
			return &node{p, g.operands(p.args, n-p.cost, i), n}
		}
		i -= p.counts[n]
	}
	panic("enum: no such tree")
}

func (g *grammar) operands(args []kind, n int, i uint64) []*node {
	if len(args) == 0 {
		return nil
	}
	for m := 0; ; m++ {
		rest := g.ways(args[1:], n-m)
		here := g.counts[args[0]][m] * rest
		if i < here {
			return append([]*node{g.tree(args[0], m, i/rest)}, g.operands(args[1:], n-m, i%rest)...)
		}
		i -= here
	}
}

// number is the inverse of tree.
func (g *grammar) number(k kind, t *node) (i uint64) {
	for _, p := range g.of[k] {
		if p == t.production {
			return i + g.rank(p.args, t.ops-p.cost, t.args)
		}
		i += p.counts[t.ops]
	}
	panic("enum: no such tree")
}

func (g *grammar) rank(args []kind, n int, trees []*node) (i uint64) {
	if len(args) == 0 {
		return 0
	}
	for m := 0; m < trees[0].ops; m++ {
		i += g.counts[args[0]][m] * g.ways(args[1:], n-m)
	}
	m := trees[0].ops
	return i + g.number(args[0], trees[0])*g.ways(args[1:], n-m) + g.rank(args[1:], n-m, trees[1:])
}

// random returns the number of a tree among those of a kind with n operations, with equal
// probability for all productions.
func (g *grammar) random(r *rand.Rand, k kind, n int) (i uint64) {
	var some []int
	for at, p := range g.of[k] {
		if p.counts[n] > 0 {
			some = append(some, at)
		}
	}
	at := some[r.IntN(len(some))]
	for _, p := range g.of[k][:at] {
		i += p.counts[n]
	}
	return i + r.Uint64N(g.of[k][at].counts[n])
}
