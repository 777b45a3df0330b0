package opt

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var allClaims = flag.Bool("claims", false, "compare prove's claims with all runs of many more functions")

// What prove claims at a place holds whenever control passes there. These tests collect the claims
// (descriptions of integers, inequalities, checks that cannot fail, decided branches) on small
// functions of 8-bit numbers. Then they run the functions on many arguments and check every value
// each time a block begins and ends.

// A claim is about values by ID: one is described, or x ≤ y + c.
type claim struct {
	x, y int32 // y < 0: x is described by about
	c    int64
	t    facts.Width
	is   facts.Value
}

func (c *claim) String() string {
	if c.y < 0 {
		return fmt.Sprintf("v%d in %+v", c.x, c.is)
	}
	return fmt.Sprintf("v%d ≤ v%d%+d", c.x, c.y, c.c)
}

func (c *claim) holds(vals []int64) bool {
	if c.y < 0 {
		return c.is.Contains(c.t, uint64(vals[c.x]))
	}
	return vals[c.x] <= vals[c.y]+c.c // of 8 bits, and of 64 that were extended from 8
}

// claims are those of a function, by block ID, where it begins and where it ends.
type claims struct {
	at   [][2][]claim
	pass map[int32]bool // checks that cannot fail, by ID
	goes map[int32]int  // the only way that a branch takes, by block ID: 1 or 0
}

// claimsOf runs prove over a copy of f.
func claimsOf(f *ir.Func) *claims {
	g := f.Copy()
	s := newState(g, &Options{})
	list := &claims{make([][2][]claim, g.NumBlocks()), map[int32]bool{}, map[int32]int{}}
	checks := map[*ir.Value]bool{}
	for _, b := range g.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpBounds || v.Op == ir.OpCheck {
				checks[v] = true
			}
		}
	}
	p := newProver(s)
	p.see = func(b *ir.Block, end bool) {
		k := b2i(end)
		d := p.Dom()
		for a := b; a != nil; a = d.Idom(a) {
			if a == b && !end {
				continue // not made yet
			}
			for _, v := range a.Values {
				if isInt(v) && p.has(v) && p.about[v.ID] != facts.Top(width(v.Type)) {
					list.at[b.ID][k] = append(list.at[b.ID][k], claim{x: v.ID, y: -1, t: width(v.Type), is: p.about[v.ID]})
				}
			}
		}
		for _, f := range p.facts {
			if !end && (f.x.Block == b || f.to.Block == b) {
				continue
			}
			list.at[b.ID][k] = append(list.at[b.ID][k], claim{x: f.x.ID, y: f.to.ID, c: f.c})
		}
		if end && b.Kind == ir.BlockIf && b.Ctrl.Op == ir.OpConst && f.Blocks[blockAt(g, b)].Ctrl.Op != ir.OpConst {
			list.goes[b.ID] = int(b.Ctrl.Aux)
		}
	}
	p.walk()
	for v := range checks {
		if v.Op != ir.OpBounds && v.Op != ir.OpCheck {
			list.pass[v.ID] = true
		}
	}
	return list
}

func blockAt(f *ir.Func, b *ir.Block) int {
	for i, x := range f.Blocks {
		if x == b {
			return i
		}
	}
	return -1
}

// count is how many claims there are.
func (l *claims) count() (n int) {
	for _, at := range l.at {
		n += len(at[0]) + len(at[1])
	}
	return n + len(l.pass) + len(l.goes)
}

// maxVisits ends runs of loops that do not end, or not soon.
const maxVisits = 540

// check runs f and checks the claims on the way.
func (l *claims) check(f *ir.Func, args []int64) error {
	mc := machine{mod: f.Module, limit: math.MaxInt64, maxSteps: 1 << 30} // needs no memory
	vals := make([]int64, f.NumValues())
	b, from := f.Entry, (*ir.Block)(nil)
	for range maxVisits {
		for i := range l.at[b.ID][0] {
			if c := &l.at[b.ID][0][i]; !c.holds(vals) {
				return fmt.Errorf("%v: where %s begins, %s, v%d is %d", args, b, c, c.x, vals[c.x])
			}
		}
		out, next := mc.block(f, b, from, vals, nil, 0, args, 0)
		if out.status == "trap" {
			// It was the first that fails: the operands of others may not have been computed.
			k := slices.IndexFunc(b.Values, func(v *ir.Value) bool { return fails(v, vals) })
			if v := b.Values[k]; l.pass[v.ID] {
				return fmt.Errorf("%v: check v%d fails in %s", args, v.ID, b)
			}
			return nil
		}
		for i := range l.at[b.ID][1] {
			if c := &l.at[b.ID][1][i]; !c.holds(vals) {
				return fmt.Errorf("%v: where %s ends, %s, v%d is %d", args, b, c, c.x, vals[c.x])
			}
		}
		if way, ok := l.goes[b.ID]; ok && vals[b.Ctrl.ID] != int64(way) {
			return fmt.Errorf("%v: %s does not branch on %d", args, b, way)
		}
		if next == nil {
			return nil
		}
		b, from = next, b
	}
	return nil
}

func fails(v *ir.Value, vals []int64) bool {
	switch v.Op {
	case ir.OpBounds:
		return uint64(vals[v.Args[0].ID]) >= uint64(vals[v.Args[1].ID])
	case ir.OpCheck:
		return vals[v.Args[0].ID] == 0
	}
	return false
}

// edges8 are numbers of 8 bits near places where something happens.
var edges8 = []int64{-128, -127, -126, -125, -65, -64, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 100, 124, 125, 126, 127}

// A tiny makes functions of two 8-bit parameters.
type tiny struct {
	f    *ir.Func
	b    *ir.Block
	x, y *ir.Value
}

func newTiny() *tiny {
	f := &ir.Func{Name: "f", Index: 1, Sig: ir.Sig{Params: []ir.Type{ir.I8, ir.I8}}}
	(&ir.Module{}).AddFunc(f)
	g := &tiny{f: f, b: f.NewBlock()}
	g.x, g.y = g.op(ir.OpArg, ir.I8), g.op(ir.OpArg, ir.I8)
	g.y.Aux = 1
	return g
}

func (g *tiny) op(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	return g.b.Append(g.f.NewValue(op, t, args...))
}

func (g *tiny) constant(t ir.Type, c int64) *ir.Value {
	v := g.op(ir.OpConst, t)
	v.Aux = ir.TruncConst(t, c)
	return v
}

func (g *tiny) branch(b *ir.Block, c *ir.Value, yes, no *ir.Block) {
	b.Kind, b.Ctrl = ir.BlockIf, c
	b.AddEdge(yes)
	b.AddEdge(no)
}

var comparisons = []ir.Op{ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU}

// TestCounters: every loop with one 8-bit counter: its start, its step, the bound it is compared
// with, the comparison, the side, before or after the step, at the top or at the bottom of the
// loop, and which branch continues.
func TestCounters(t *testing.T) {
	daily.Turn(t, 3, false)
	type number struct {
		arg byte // 'x', 'y' or 0
		c   int64
	}
	inits := []number{{'x', 0}, {0, 0}, {0, 1}, {0, -1}, {0, 127}, {0, -128}, {0, 126}, {0, -127}, {0, 3}}
	limits := []number{{'y', 0}, {0, 0}, {0, 1}, {0, -1}, {0, 127}, {0, -128}, {0, 126}, {0, -127}, {0, 10}}
	steps := []int64{1, -1, 2, -2, 3, 127, -128}
	args := edges8[:len(edges8):len(edges8)]
	switch {
	case testing.Short():
		inits, limits, steps, args = inits[:6], limits[:6], steps[:3], []int64{-128, -2, 0, 1, 126, 127}
	case *allClaims:
		args = nil
		for x := int64(-128); x < 128; x++ {
			args = append(args, x)
		}
	}
	loops, count := 0, 0
	for _, init := range daily.Part(t, inits, 3, *allClaims) {
		for _, limit := range limits {
			for _, step := range steps {
				for form := range len(comparisons) * 16 {
					op, form := comparisons[form%len(comparisons)], form/len(comparisons)
					g := newTiny()
					pre := g.b
					value := func(n number) *ir.Value {
						switch n.arg {
						case 'x':
							return g.x
						case 'y':
							return g.y
						}
						return g.constant(ir.I8, n.c)
					}
					first, last, by := value(init), value(limit), g.constant(ir.I8, step)
					head, body, exit := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
					pre.Kind = ir.BlockJump
					pre.AddEdge(head)
					g.b = head
					i := g.op(ir.OpPhi, ir.I8, first)
					var next, c *ir.Value
					compare := func() {
						a, b := i, last
						if form&1 != 0 {
							a = next
						}
						if form&2 != 0 {
							a, b = b, a
						}
						c = g.op(op, ir.I8, a, b)
					}
					if form&4 != 0 || form&1 != 0 { // at the bottom
						next = g.op(ir.OpAdd, ir.I8, i, by)
						compare()
					} else {
						compare()
						g.b = body
						next = g.op(ir.OpAdd, ir.I8, i, by)
					}
					if form&8 != 0 {
						g.branch(head, c, exit, body)
					} else {
						g.branch(head, c, body, exit)
					}
					body.Kind = ir.BlockJump
					body.AddEdge(head)
					i.Args = append(i.Args, next)
					g.b = exit
					exit.Kind = ir.BlockReturn
					if err := ir.Verify(g.f); err != nil {
						t.Fatal(err, g.f)
					}
					list := claimsOf(g.f)
					loops++
					count += list.count()
					xs, ys := args, args
					if init.arg == 0 {
						xs = xs[:1]
					}
					if limit.arg == 0 {
						ys = ys[:1]
					}
					for _, x := range xs {
						for _, y := range ys {
							if err := list.check(g.f, []int64{x, y}); err != nil {
								t.Fatalf("%v\n%s", err, g.f)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d loops, %d claims", loops, count)
}

// TestClaims: random graphs, loops with several entries among them, of functions of 8-bit
// numbers.
func TestClaims(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 300
	}
	if *allClaims {
		n = 100000
	}
	count, pass, goes := 0, 0, 0
	for seed := range int64(n) {
		rng := rand.New(rand.NewSource(seed))
		f := randomTiny(rng)
		if err := ir.Verify(f); err != nil {
			t.Fatal(err, f)
		}
		list := claimsOf(f)
		count += list.count()
		pass, goes = pass+len(list.pass), goes+len(list.goes)
		for k := range 64 {
			x, y := edges8[rng.Intn(len(edges8))], edges8[rng.Intn(len(edges8))]
			if k%2 == 0 {
				x = int64(int8(rng.Intn(256)))
			}
			if err := list.check(f, []int64{x, y}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, f)
			}
		}
	}
	t.Logf("%d functions, %d claims: %d checks pass, %d branches are decided", n, count, pass, goes)
}

// randomTiny makes a function with a random graph. Its phis take values that dominate their
// predecessors.
func randomTiny(rng *rand.Rand) *ir.Func {
	g := newTiny()
	blocks := []*ir.Block{g.b}
	for range 3 + rng.Intn(6) {
		blocks = append(blocks, g.f.NewBlock())
	}
	some := func() *ir.Block { return blocks[1+rng.Intn(len(blocks)-1)] }
	// Edges first; the ends of blocks are filled in later.
	for i, b := range blocks {
		next := some()
		if i+1 < len(blocks) && rng.Intn(3) > 0 {
			next = blocks[i+1]
		}
		switch rng.Intn(8) {
		case 0:
			b.Kind = ir.BlockReturn
		case 1, 2:
			b.Kind = ir.BlockJump
			b.AddEdge(next)
		case 3:
			b.Kind = ir.BlockSwitch
			c := rng.Perm(8)
			for range 1 + rng.Intn(3) {
				b.Cases = append(b.Cases, int64(c[len(b.Cases)])-2)
				b.AddEdge(some())
			}
			b.AddEdge(next)
		default:
			b.Kind = ir.BlockIf
			other := some()
			for other == next {
				other = some()
			}
			b.AddEdge(other)
			b.AddEdge(next)
		}
	}
	s := newState(g.f, &Options{})
	s.dropUnreachable()
	d := s.Dom()
	scope := map[*ir.Block][]*ir.Value{}
	for _, b := range d.Order {
		g.b = b
		var in []*ir.Value
		if a := d.Idom(b); a != nil {
			in = scope[a]
		} else {
			in = []*ir.Value{g.x, g.y}
		}
		list := append([]*ir.Value(nil), in...)
		if len(b.Preds) > 1 {
			for range 1 + rng.Intn(2) {
				list = append(list, g.op(ir.OpPhi, ir.I8))
			}
		}
		for range rng.Intn(5) {
			list = append(list, g.random(rng, list)...)
		}
		switch b.Kind {
		case ir.BlockIf:
			b.Ctrl = g.compare(rng, list)
		case ir.BlockSwitch:
			b.Ctrl = list[rng.Intn(len(list))]
		}
		scope[b] = list
	}
	for _, b := range d.Order {
		for _, v := range b.Phis() {
			for k, a := range b.Preds {
				from := scope[a]
				x := from[rng.Intn(len(from))]
				if d.Dominates(b, a) && rng.Intn(4) > 0 {
					g.b = a
					x = g.op(ir.OpAdd, ir.I8, v, g.constant(ir.I8, []int64{1, 1, 1, -1, -1, 2, -3, 100}[rng.Intn(8)]))
				}
				for j := range k {
					if b.Preds[j] == a {
						x = v.Args[j] // edges of one switch carry one value
					}
				}
				v.Args = append(v.Args, x)
			}
		}
	}
	return g.f
}

// value is one of the list or a constant.
func (g *tiny) value(rng *rand.Rand, list []*ir.Value) *ir.Value {
	if rng.Intn(3) == 0 {
		return g.constant(ir.I8, edges8[rng.Intn(len(edges8))])
	}
	// The newer ones more often.
	return list[max(rng.Intn(len(list)), rng.Intn(len(list)))]
}

func (g *tiny) compare(rng *rand.Rand, list []*ir.Value) *ir.Value {
	c := g.op(comparisons[rng.Intn(len(comparisons))], ir.I8, g.value(rng, list), g.value(rng, list))
	switch rng.Intn(8) {
	case 0:
		c = g.op(ir.OpXor, ir.I8, c, g.constant(ir.I8, 1))
	case 1, 2:
		d := g.op(comparisons[rng.Intn(len(comparisons))], ir.I8, g.value(rng, list), g.value(rng, list))
		c = g.op([]ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}[rng.Intn(3)], ir.I8, c, d)
	}
	return c
}

// random appends an operation or two, and returns the 8-bit numbers among them.
func (g *tiny) random(rng *rand.Rand, list []*ir.Value) []*ir.Value {
	x, y := g.value(rng, list), g.value(rng, list)
	switch rng.Intn(12) {
	case 0:
		wide := []ir.Op{ir.OpSExt, ir.OpZExt}
		i, n := g.op(wide[rng.Intn(2)], ir.I64, x), g.op(wide[rng.Intn(2)], ir.I64, y)
		if rng.Intn(2) == 0 {
			n = g.op(ir.OpAnd, ir.I64, n, g.constant(ir.I64, 127))
		}
		g.op(ir.OpBounds, ir.Void, i, n).Aux = int64(ir.TrapSliceB)
		return []*ir.Value{g.op(ir.OpTrunc, ir.I8, g.op(ir.OpAdd, ir.I64, i, g.constant(ir.I64, 1)))}
	case 1:
		g.op(ir.OpCheck, ir.Void, g.compare(rng, list)).Aux = int64(ir.TrapShift)
		return nil
	case 2:
		c := g.op(comparisons[2+rng.Intn(2)], ir.I8, x, y)
		if rng.Intn(2) == 0 {
			x, y = y, x
		}
		return []*ir.Value{g.op(ir.OpSelect, ir.I8, c, x, y)}
	case 3:
		d := g.constant(ir.I8, []int64{1, 2, 3, 7, 8, -1, -3, 127, -128}[rng.Intn(9)])
		return []*ir.Value{g.op(ir.OpsOf(ir.ClassDivision)[rng.Intn(4)], ir.I8, x, d)}
	case 4:
		n := g.constant(ir.I64, int64(rng.Intn(10)))
		if rng.Intn(3) == 0 {
			n = g.op(ir.OpSExt, ir.I64, y)
		}
		return []*ir.Value{g.op(ir.OpsOf(ir.ClassShift)[rng.Intn(4)], ir.I8, x, n)}
	case 5:
		return []*ir.Value{g.op([]ir.Op{ir.OpNeg, ir.OpNot, ir.OpPopcnt, ir.OpCtz, ir.OpClz}[rng.Intn(5)], ir.I8, x)}
	case 6, 7:
		return []*ir.Value{g.op(ir.OpAdd, ir.I8, x, g.constant(ir.I8, edges8[rng.Intn(len(edges8))]))}
	case 8:
		// Half of a sum, as in a binary search.
		return []*ir.Value{g.op(ir.OpShrU, ir.I8, g.op(ir.OpAdd, ir.I8, x, y), g.constant(ir.I64, 1))}
	}
	ops := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot}
	return []*ir.Value{g.op(ops[rng.Intn(len(ops))], ir.I8, x, y)}
}
