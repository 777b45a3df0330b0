package opt

import (
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/rules/smt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var validations = flag.Int("validate", 0, "how many random functions z3 compares before and behind each pass, and all shapes of the named ones")

// z3 shows that the passes do not change functions without loops, for all arguments and all
// contents of memory. The shapes that a pass looks for are listed by name: loads and stores that
// combine merges, switches that are formed, values that loads forwards, operations that gvn merges.
// Without z3, the evaluator compares them on random operands.

// A shape is a function for a pass, which must change it.
type shape struct {
	name string
	pass string
	f    *ir.Func
	less ir.Op // the pass leaves fewer of this operation
}

// A straight builds a function of one block.
type straight struct {
	*tiny
}

func newStraight(params, results []ir.Type) *straight {
	f := &ir.Func{Name: "f", Index: 1, Sig: ir.Sig{Params: params, Results: results}}
	(&ir.Module{Data: make([]byte, globalSize)}).AddFunc(f)
	return &straight{&tiny{f: f, b: f.NewBlock()}}
}

func (g *straight) arg(i int) *ir.Value {
	v := g.op(ir.OpArg, g.f.Sig.Params[i])
	v.Aux = int64(i)
	return v
}

func (g *straight) load(t ir.Type, p *ir.Value, off int64) *ir.Value {
	v := g.op(ir.OpLoad, t, p)
	v.Aux = off
	return v
}

func (g *straight) store(p, x *ir.Value, off int64) { g.op(ir.OpStore, ir.Void, p, x).Aux = off }

func (g *straight) gas(n int64) { g.op(ir.OpGas, ir.Void).Aux = n }

func (g *straight) ret(vals ...*ir.Value) *ir.Func {
	g.b.Kind, g.b.Rets = ir.BlockReturn, vals
	return g.f
}

// extended makes x as wide as t.
func (g *straight) extended(t ir.Type, x *ir.Value) *ir.Value {
	if x.Type != t {
		return g.op(ir.OpZExt, t, x)
	}
	return x
}

// compositions are the ways to split n bytes into pieces of 1, 2 and 4.
func compositions(n int64) (list [][]int64) {
	if n == 0 {
		return [][]int64{nil}
	}
	for _, first := range []int64{1, 2, 4} {
		if first <= n {
			for _, rest := range compositions(n - first) {
				list = append(list, append([]int64{first}, rest...))
			}
		}
	}
	return list
}

// accessShapes are numbers that are assembled from memory and split into it. They differ in the
// number of bytes, the pieces, their order, the operation that adds them, and the bit position in a
// wider number.
func accessShapes() (list []shape) {
	rng := rand.New(rand.NewSource(1))
	for _, size := range []int64{2, 4, 8} {
		for _, cut := range compositions(size) {
			if len(cut) < 2 {
				continue
			}
			for _, big := range []bool{false, true} {
				if big && int64(len(cut)) != size {
					continue // only for bytes
				}
				for _, t := range []ir.Type{ir.I16, ir.I32, ir.I64} {
					for bit := int64(0); bit+8*size <= int64(t.Bits()); bit += 16 {
						for _, op := range []ir.Op{ir.OpOr, ir.OpAdd, ir.OpXor} {
							name := fmt.Sprintf("load %d of %v big %v %v %v at %d", size, cut, big, op, t, bit)
							list = append(list, shape{name, "combine", loadShape(rng, size, cut, big, t, op, bit), ir.OpLoad})
						}
						name := fmt.Sprintf("store %d of %v big %v %v at %d", size, cut, big, t, bit)
						list = append(list, shape{name, "combine", storeShape(rng, size, cut, big, t, bit), ir.OpStore})
					}
				}
			}
			list = append(list, shape{fmt.Sprintf("store %d of %v of constants", size, cut), "combine", storeShape(rng, size, cut, false, ir.Void, 0), ir.OpStore})
		}
	}
	return list
}

func loadShape(rng *rand.Rand, size int64, cut []int64, big bool, t ir.Type, op ir.Op, bit int64) *ir.Func {
	g := newStraight([]ir.Type{ir.Ptr, t}, []ir.Type{t})
	p, other := g.arg(0), g.arg(1)
	var terms []*ir.Value
	off := int64(0)
	for _, n := range cut {
		shift := bit + 8*off
		if big {
			shift = bit + 8*(size-off-n)
		}
		x := g.extended(t, g.load(intOf(n), p, 3+off))
		if shift > 0 {
			x = g.op(ir.OpShl, t, x, g.constant(ir.I64, shift))
		}
		terms = append(terms, x)
		off += n
	}
	if rng.Intn(2) == 0 {
		terms = append(terms, other)
	}
	rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	for len(terms) > 1 { // a random tree
		i := rng.Intn(len(terms) - 1)
		terms[i] = g.op(op, t, terms[i], terms[i+1])
		terms = append(terms[:i+1], terms[i+2:]...)
	}
	return g.ret(terms[0])
}

func storeShape(rng *rand.Rand, size int64, cut []int64, big bool, t ir.Type, bit int64) *ir.Func {
	param := t
	if t == ir.Void {
		param = ir.I64
	}
	g := newStraight([]ir.Type{ir.Ptr, param}, nil)
	p, x := g.arg(0), g.arg(1)
	type piece struct{ off, n int64 }
	var pieces []piece
	off := int64(0)
	for _, n := range cut {
		pieces = append(pieces, piece{off, n})
		off += n
	}
	rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for i, q := range pieces {
		if t == ir.Void {
			g.store(p, g.constant(intOf(q.n), rng.Int63()-rng.Int63()), 5+q.off)
			continue
		}
		shift := bit + 8*q.off
		if big {
			shift = bit + 8*(size-q.off-q.n)
		}
		y := x
		if shift > 0 {
			y = g.op([]ir.Op{ir.OpShrU, ir.OpShrS}[rng.Intn(2)], t, y, g.constant(ir.I64, shift))
		}
		if y.Type != intOf(q.n) {
			y = g.op(ir.OpTrunc, intOf(q.n), y)
		}
		if i > 0 {
			g.gas(int64(i))
		}
		g.store(p, y, 5+q.off)
	}
	return g.ret()
}

// forwardShapes are a store and a load of some or all of its bytes, or of other bytes next to them.
func forwardShapes() (list []shape) {
	types := []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}
	for _, stored := range types {
		for _, loaded := range types {
			for off := -loaded.Size() + 1; off < stored.Size(); off++ {
				g := newStraight([]ir.Type{ir.Ptr, stored}, []ir.Type{loaded})
				p, x := g.arg(0), g.arg(1)
				g.store(p, x, 16)
				less := ir.OpInvalid
				if off == 0 && loaded == stored {
					less = ir.OpLoad
				}
				f := g.ret(g.load(loaded, p, 16+off))
				list = append(list, shape{fmt.Sprintf("store %v load %v at %d", stored, loaded, off), "loads", f, less})
			}
			g := newStraight([]ir.Type{ir.Ptr}, []ir.Type{loaded, stored})
			p := g.arg(0)
			x := g.load(stored, p, 8)
			f := g.ret(g.load(loaded, p, 8), x)
			list = append(list, shape{fmt.Sprintf("load %v load %v", stored, loaded), "loads", f, ir.OpInvalid})
		}
	}
	return list
}

// mergeShapes are two operations that gvn merges: with the same operands, or exchanged ones.
func mergeShapes() (list []shape) {
	for op := range ir.NumOps {
		info := op.Info()
		if info.Args != "tt" && info.Args != "xx" && info.Args != "uu" && info.Args != "ll" || info.Result == 'f' {
			continue
		}
		if !op.Pure() || op.Divides() {
			continue // quotients by any number: the second operand must not be zero
		}
		types := []ir.Type{ir.I8, ir.I64}
		if info.Args == "ll" || op == ir.OpMul {
			types = types[1:]
		}
		for _, t := range types {
			if info.Result == 'l' {
				t = ir.I64
			}
			r := t
			if info.Result == 'b' {
				r = ir.I8
			}
			for _, swap := range []bool{false, true} {
				g := newStraight([]ir.Type{t, t}, []ir.Type{r, r})
				x, y := g.arg(0), g.arg(1)
				a := g.op(op, r, x, y)
				less := op
				if swap {
					x, y = y, x
					if !op.Commutes() {
						less = ir.OpInvalid
					}
				}
				list = append(list, shape{fmt.Sprintf("%v %v swapped %v", op, t, swap), "gvn", g.ret(a, g.op(op, r, x, y)), less})
			}
		}
	}
	return list
}

// switchShapes are chains of comparisons with shared targets, some of them with a constant of an
// earlier comparison.
func switchShapes() (list []shape) {
	rng := rand.New(rand.NewSource(2))
	for n := range 40 {
		t := []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}[n%4]
		g := newStraight([]ir.Type{t}, []ir.Type{ir.I64, t})
		x := g.arg(0)
		links := 4 + rng.Intn(6)
		var ends []*ir.Block
		for range 2 + rng.Intn(4) {
			ends = append(ends, g.f.NewBlock())
		}
		phis := map[*ir.Block]*ir.Value{}
		b := g.b
		for i := range links {
			g.b = b
			if i > 0 || rng.Intn(2) == 0 {
				for range rng.Intn(3) {
					g.gas(int64(1 + rng.Intn(9)))
				}
			}
			op := []ir.Op{ir.OpEq, ir.OpNe}[rng.Intn(2)]
			c := g.op(op, ir.I8, x, g.constant(t, int64(rng.Intn(9)-4)))
			to, next := ends[rng.Intn(len(ends))], g.f.NewBlock()
			if i == links-1 {
				for next = to; next == to; {
					next = ends[rng.Intn(len(ends))]
				}
			}
			if op == ir.OpEq {
				g.branch(b, c, to, next)
			} else {
				g.branch(b, c, next, to)
			}
			b = next
		}
		s := newState(g.f, &Options{})
		s.dropUnreachable()
		for _, e := range ends {
			if len(e.Preds) == 0 {
				continue
			}
			phi := g.f.NewValue(ir.OpPhi, ir.I64)
			for range e.Preds {
				phi.Args = append(phi.Args, nil)
			}
			phis[e] = phi
			e.Append(phi)
			for i, p := range e.Preds {
				g.b = p
				phi.Args[i] = g.constant(ir.I64, int64(100+i))
			}
			g.b = e
			g.gas(20)
			e.Kind, e.Rets = ir.BlockReturn, []*ir.Value{phi, x}
		}
		list = append(list, shape{fmt.Sprintf("switch %d of %d comparisons of %v", n, links, t), "switch", g.f, ir.OpEq})
	}
	return list
}

// countOp returns how often an operation occurs in f; for OpEq, its inverse counts too.
func countOp(f *ir.Func, op ir.Op) (n int) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == op || op == ir.OpEq && v.Op == ir.OpNe {
				n++
			}
		}
	}
	return n
}

// runNamed runs the pass with a name over a copy of f.
func runNamed(f *ir.Func, name string) (*ir.Func, error) {
	g := f.Copy()
	for _, p := range phaseB {
		if p.name == name {
			s := newState(g, &Options{Verify: true})
			if err := s.runPass(p, ""); err != nil {
				return nil, err
			}
			return g, newState(g, &Options{Verify: true}).runPass(pass{name: "dce", run: deadCode}, "")
		}
	}
	return nil, fmt.Errorf("no pass named %s", name)
}

// TestShapes: the pass changes every named shape, and the behaviour stays the same.
func TestShapes(t *testing.T) {
	daily.Turn(t, 3, false)
	solver, err := smt.Start(time.Minute)
	if err == nil {
		defer solver.Close()
	} else if !errors.Is(err, smt.ErrNotInstalled) {
		t.Fatal(err)
	} else {
		t.Log(err)
	}
	families := []struct {
		name   string
		shapes []shape
		every  int // z3 proves one in so many each day, if no flag is set
	}{
		{"combine", accessShapes(), 120},
		{"loads", forwardShapes(), 20},
		{"gvn", mergeShapes(), 4},
		{"switch", switchShapes(), 8},
	}
	rng := rand.New(rand.NewSource(3))
	for _, fam := range families {
		found, proved, unknown := 0, 0, 0
		today := map[int]bool{}
		for _, i := range daily.Numbers(t, len(fam.shapes), (len(fam.shapes)+fam.every-1)/fam.every, *validations > 0) {
			today[i] = true
		}
		for i, s := range fam.shapes {
			if err := ir.Verify(s.f); err != nil {
				t.Fatalf("%s: %v\n%s", s.name, err, s.f)
			}
			g, err := runNamed(s.f, s.pass)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if s.less != ir.OpInvalid {
				if found++; countOp(g, s.less) >= countOp(s.f, s.less) {
					t.Errorf("%s: the pass makes nothing of it\n%s", s.name, g)
				}
			}
			if err := sameOnSamples(rng, s.f, g); err != nil {
				t.Fatalf("%s: %v\n%s%s", s.name, err, s.f, g)
			}
			if solver == nil || !today[i] {
				continue
			}
			q, err := sameBehaviour(s.f, g)
			if errors.Is(err, errNoTerm) { // samples have to do; a rule with an operation without a term is refused
				unknown++
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			switch a, err := solver.Prove(q); {
			case err != nil:
				t.Fatal(err)
			case a.Proved:
				proved++
			case a.Refuted:
				t.Fatalf("%s: %v\n%s%s", s.name, a, s.f, g)
			default:
				unknown++
			}
		}
		t.Logf("%-8s %4d shapes, %d that the pass must find; %d proved by z3 for all operands and memory, %d without an answer",
			fam.name, len(fam.shapes), found, proved, unknown)
	}
}

// sameOnSamples compares two functions by the evaluator.
func sameOnSamples(rng *rand.Rand, f, g *ir.Func) error {
	for k := range 40 {
		data := make([]byte, globalSize)
		rng.Read(data)
		var args []int64
		for _, t := range f.Sig.Params {
			x := int64(rng.Uint64()) >> rng.Intn(64)
			if k%2 == 0 {
				x = int64(rng.Intn(12) - 6)
			}
			if t == ir.Ptr {
				x = globalBase + 64 + int64(rng.Intn(64))
			}
			args = append(args, ir.TruncConst(t, x))
		}
		run := func(f *ir.Func) string {
			mod := &ir.Module{Data: data}
			mod.SetFuncs([]*ir.Func{nil, f})
			mc := newMachine(mod)
			out := mc.run(f, 0, args)
			return fmt.Sprintf("%v gas %d memory %x", out, mc.gas, mc.mem[globalBase:globalBase+256])
		}
		if x, y := run(f), run(g); x != y {
			return fmt.Errorf("of %v\n%s\n%s", args, x, y)
		}
	}
	return nil
}

// TestValidate: z3 compares random functions before and after each pass of phase B.
func TestValidate(t *testing.T) {
	solver, err := smt.Start(20 * time.Second)
	if err != nil {
		t.Skip(err)
	}
	defer solver.Close()
	names := []string{"simplify", "gvn", "loads", "prove", "graph", "combine", "switch"}
	proved, unknown := map[string]int{}, 0
	for seed := range int64(max(*validations, 4)) {
		f := randomAcyclic(rand.New(rand.NewSource(seed)))
		if err := ir.Verify(f); err != nil {
			t.Fatal(err, f)
		}
		for _, name := range names {
			g, err := runNamed(f, name)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			q, err := sameBehaviour(f, g)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			switch a, err := solver.Prove(q); {
			case err != nil:
				t.Fatal(err)
			case a.Refuted:
				t.Fatalf("seed %d, %s: %v\n%s%s", seed, name, a, f, g)
			case a.Proved:
				proved[name]++
			default:
				unknown++
			}
		}
	}
	t.Logf("proved by pass: %v; %d without an answer", proved, unknown)
}

// randomAcyclic makes a function of a few blocks with forward edges, on 8-bit numbers and memory.
func randomAcyclic(rng *rand.Rand) *ir.Func {
	m := newStraight([]ir.Type{ir.I8, ir.I8, ir.Ptr}, []ir.Type{ir.I8})
	g := m.tiny
	x, y, p := m.arg(0), m.arg(1), m.arg(2)
	g.x, g.y = x, y
	blocks := []*ir.Block{g.b}
	for range 1 + rng.Intn(4) {
		blocks = append(blocks, g.f.NewBlock())
	}
	for i, b := range blocks {
		switch left := len(blocks) - 1 - i; {
		case left == 0:
			b.Kind = ir.BlockReturn
		case left == 1 || rng.Intn(4) == 0:
			b.Kind = ir.BlockJump
			b.AddEdge(blocks[i+1])
		default:
			b.Kind = ir.BlockIf
			b.AddEdge(blocks[i+2+rng.Intn(left-1)])
			b.AddEdge(blocks[i+1])
		}
	}
	s := newState(g.f, &Options{})
	s.dropUnreachable()
	d := s.Dom()
	scope := map[*ir.Block][]*ir.Value{}
	for _, b := range d.Order {
		g.b = b
		list := []*ir.Value{x, y}
		if a := d.Idom(b); a != nil {
			list = append([]*ir.Value(nil), scope[a]...)
		}
		if len(b.Preds) > 1 {
			v := g.op(ir.OpPhi, ir.I8)
			for _, a := range b.Preds {
				v.Args = append(v.Args, scope[a][rng.Intn(len(scope[a]))])
			}
			list = append(list, v)
		}
		for range 2 + rng.Intn(4) {
			switch rng.Intn(4) {
			case 0:
				m.store(p, g.value(rng, list), int64(rng.Intn(4)))
			case 1:
				t := []ir.Type{ir.I8, ir.I8, ir.I16}[rng.Intn(3)]
				v := m.load(t, p, int64(rng.Intn(4)))
				if t != ir.I8 {
					v = g.op(ir.OpTrunc, ir.I8, v)
				}
				list = append(list, v)
			default:
				list = append(list, g.random(rng, list)...)
			}
		}
		switch b.Kind {
		case ir.BlockIf:
			b.Ctrl = g.compare(rng, list)
		case ir.BlockReturn:
			b.Rets = []*ir.Value{list[len(list)-1]}
		}
		scope[b] = list
	}
	return g.f
}
