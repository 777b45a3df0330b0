package regalloc

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A generator makes random functions in SSA: structured control flow, values
// used where they dominate.
type generator struct {
	r      *rand.Rand
	f      *Func
	values []VReg // in scope
	cur    int32
	budget int
}

func (g *generator) value(c Class) VReg {
	g.f.Class = append(g.f.Class, c)
	g.f.Again = append(g.f.Again, false)
	return VReg(len(g.f.Class) - 1)
}

func (g *generator) block(depth int32) int32 {
	g.f.Blocks = append(g.f.Blocks, Block{Depth: depth})
	return int32(len(g.f.Blocks) - 1)
}

func (g *generator) edge(from, to int32, args ...VReg) {
	f, t := &g.f.Blocks[from], &g.f.Blocks[to]
	f.Succs = append(f.Succs, to)
	f.Args = append(f.Args, args)
	t.Preds = append(t.Preds, from)
}

func (g *generator) pick(c Class) (VReg, bool) {
	for range 8 {
		if len(g.values) == 0 {
			break
		}
		// Mostly recent ones.
		i := len(g.values) - 1 - min(g.r.IntN(len(g.values)), g.r.IntN(len(g.values)+1))
		if v := g.values[max(0, i)]; g.f.Class[v] == c {
			return v, true
		}
	}
	return 0, false
}

func (g *generator) reg(c Class) Reg {
	s := g.f.Regs[c]
	for range g.r.IntN(s.Len()) {
		s &= s - 1
	}
	return s.First()
}

func (g *generator) emit(in Inst) {
	b := &g.f.Blocks[g.cur]
	b.Insts = append(b.Insts, in)
}

func (g *generator) inst() {
	var in Inst
	g.budget--
	var fixed RegSet
	room := 3
	for range g.r.IntN(4) {
		c := Class(g.r.IntN(2))
		v, ok := g.pick(c)
		if !ok {
			continue
		}
		u := Use{V: v, Loc: Nowhere}
		switch g.r.IntN(8) {
		case 0:
			u.Need = Anything
		case 1:
			u.Need, u.Reg = Fixed, g.reg(c)
			if fixed.Has(u.Reg) {
				continue
			}
			fixed = fixed.With(u.Reg)
		}
		if u.Need != Anything {
			if room--; room < 0 {
				continue
			}
		}
		in.Uses = append(in.Uses, u)
	}
	all := g.f.Regs[Int] | g.f.Regs[Float]
	switch g.r.IntN(10) {
	case 0:
		in.Call, in.Clobber = true, all
		for range g.r.IntN(4) {
			if v, ok := g.pick(Int); ok {
				in.Uses = append(in.Uses, Use{V: v, Need: Slot, Loc: Nowhere})
			}
		}
	case 1:
		in.Clobber = RegSet(0).With(g.reg(Int))
	case 2:
		in.Temps = append(in.Temps, Temp{Class: Class(g.r.IntN(2))})
	}
	var defFixed RegSet
	for range g.r.IntN(3) {
		c := Class(g.r.IntN(2))
		d := Def{Loc: Nowhere}
		switch g.r.IntN(5) {
		case 0:
			d.Need, d.Reg = Fixed, g.reg(c)
			if defFixed.Has(d.Reg) || in.Temps != nil {
				continue
			}
			defFixed = defFixed.With(d.Reg)
		case 1:
			d.Need = Same
			if len(in.Uses) == 0 || in.Uses[0].Need != Register || in.Call || len(in.Defs) > 0 && in.Defs[0].Need == Same || in.Clobber != 0 || defFixed != 0 {
				continue
			}
			c = g.f.Class[in.Uses[0].V]
		case 2:
			need := 0
			for _, u := range in.Uses {
				if u.Need != Anything {
					need++
				}
			}
			d.Early = in.Clobber == 0 && need < 3
		}
		d.V = g.value(c)
		in.Defs = append(in.Defs, d)
		if d.Need == Same {
			break
		}
	}
	if len(in.Uses) == 0 && len(in.Defs) == 1 && in.Defs[0].Need == Register && g.r.IntN(2) == 0 {
		g.f.Again[in.Defs[0].V] = true
	}
	if len(in.Defs) == 1 && in.Defs[0].Need == Same && len(in.Uses) == 2 && in.Uses[1].Need == Register {
		in.Commutes = g.f.Class[in.Uses[0].V] == g.f.Class[in.Uses[1].V] && g.r.IntN(2) == 0
	}
	g.emit(in)
	for _, d := range in.Defs {
		g.values = append(g.values, d.V)
	}
}

// body makes statements in the current block and its successors.
func (g *generator) body(depth int32, level int) {
	for range 1 + g.r.IntN(6) {
		if g.budget <= 0 {
			return
		}
		switch k := g.r.IntN(12); {
		case level > 0 && k == 0:
			g.branch(depth, level-1)
		case level > 0 && k == 1:
			g.loop(depth, level-1)
		default:
			g.inst()
		}
	}
}

func (g *generator) jump() { g.emit(Inst{Tag: -1}) }

func (g *generator) test() {
	in := Inst{Tag: -2}
	if v, ok := g.pick(Int); ok {
		in.Uses = []Use{{V: v, Loc: Nowhere}}
	}
	g.emit(in)
}

func (g *generator) branch(depth int32, level int) {
	g.test()
	from := g.cur
	scope := len(g.values)
	then := g.block(depth)
	g.f.Blocks[then].Cold = g.r.IntN(3) == 0
	g.edge(from, then)
	g.cur = then
	g.body(depth, level)
	thenEnd, thenValues := g.cur, append([]VReg(nil), g.values...)
	g.jump()
	g.values = g.values[:scope]
	other := g.block(depth)
	g.edge(from, other)
	g.cur = other
	g.body(depth, level)
	otherEnd, otherValues := g.cur, append([]VReg(nil), g.values...)
	g.jump()
	g.values = append([]VReg(nil), g.values[:scope]...)
	join := g.block(depth)
	var a, b []VReg
	for range g.r.IntN(4) {
		if len(thenValues) == 0 || len(otherValues) == 0 {
			break
		}
		x, y := thenValues[g.r.IntN(len(thenValues))], otherValues[g.r.IntN(len(otherValues))]
		if g.f.Class[x] != g.f.Class[y] {
			continue
		}
		a, b = append(a, x), append(b, y)
		p := g.value(g.f.Class[x])
		g.f.Blocks[join].Params = append(g.f.Blocks[join].Params, p)
		g.values = append(g.values, p)
	}
	g.edge(thenEnd, join, a...)
	g.edge(otherEnd, join, b...)
	g.cur = join
}

func (g *generator) loop(depth int32, level int) {
	g.jump()
	from := g.cur
	head := g.block(depth + 1)
	g.f.Blocks[head].Header = true
	var args []VReg
	n := g.r.IntN(5)
	for range n {
		if len(g.values) == 0 {
			break
		}
		x := g.values[g.r.IntN(len(g.values))]
		args = append(args, x)
	}
	outer := len(g.values)
	for _, x := range args {
		p := g.value(g.f.Class[x])
		g.f.Blocks[head].Params = append(g.f.Blocks[head].Params, p)
		g.values = append(g.values, p)
	}
	g.edge(from, head, args...)
	g.cur = head
	g.body(depth+1, level)
	g.test()
	latch := g.cur
	back := g.block(depth + 1)
	exit := g.block(depth)
	g.edge(latch, back)
	g.edge(latch, exit)
	g.cur = back
	var next []VReg
	for i, x := range args {
		// Often another parameter: swaps.
		y := g.f.Blocks[head].Params[g.r.IntN(len(args))]
		if v, ok := g.pick(g.f.Class[x]); ok && g.r.IntN(2) == 0 {
			y = v
		}
		if g.f.Class[y] != g.f.Class[x] {
			y = g.f.Blocks[head].Params[i]
		}
		next = append(next, y)
	}
	g.jump()
	g.edge(back, head, next...)
	g.values = append([]VReg(nil), g.values[:outer+len(args)]...)
	g.cur = exit
}

func random(seed uint64) *Func {
	r := rand.New(rand.NewPCG(seed, 1))
	g := &generator{r: r, f: &Func{}, budget: 10 + r.IntN(300)}
	g.f.Regs[Int] = 1<<(5+r.IntN(8)) - 1
	g.f.Regs[Float] = (1<<(5+r.IntN(10)) - 1) << 16
	g.cur = g.block(0)
	args := Inst{}
	for i := range r.IntN(4) {
		v := g.value(Int)
		args.Defs = append(args.Defs, Def{V: v, Need: Fixed, Reg: Reg(i), Loc: Nowhere})
		g.values = append(g.values, v)
	}
	g.emit(args)
	g.body(0, 4)
	ret := Inst{Tag: -3}
	for i := range 2 {
		if v, ok := g.pick(Int); ok {
			ret.Uses = append(ret.Uses, Use{V: v, Need: Fixed, Reg: Reg(i), Loc: Nowhere})
		}
	}
	g.emit(ret)
	if r.IntN(2) == 0 {
		coldLast(g.f)
	}
	return g.f
}

// coldLast marks blocks cold that only cold blocks reach, and moves them after all others, as the
// back end does.
func coldLast(f *Func) {
	var order, last []int32
	for i := range f.Blocks {
		b := &f.Blocks[i]
		hot := false // an earlier block that leads to it is not cold
		for _, p := range b.Preds {
			hot = hot || p < int32(i) && !f.Blocks[p].Cold
		}
		if b.Cold = i > 0 && (b.Cold || !hot); b.Cold {
			last = append(last, int32(i))
		} else {
			order = append(order, int32(i))
		}
	}
	order = append(order, last...)
	number := make([]int32, len(order))
	blocks := make([]Block, len(order))
	for n, i := range order {
		number[i], blocks[n] = int32(n), f.Blocks[i]
	}
	for i := range blocks {
		for _, list := range [][]int32{blocks[i].Preds, blocks[i].Succs} {
			for k := range list {
				list[k] = number[list[k]]
			}
		}
	}
	f.Blocks = blocks
}

func (f *Func) String() string {
	var s strings.Builder
	for i := range f.Blocks {
		b := &f.Blocks[i]
		fmt.Fprintf(&s, "b%d%v params %v at %v depth %d header %v\n", i, b.Preds, b.Params, b.ParamLocs, b.Depth, b.Header)
		for k, st := range b.Steps {
			if st.Inst == nil {
				fmt.Fprintf(&s, "  %d: v%d %d <- %d\n", k, st.V, st.To, st.From)
			} else {
				fmt.Fprintf(&s, "  %d: %+v\n", k, *st.Inst)
			}
		}
		fmt.Fprintf(&s, "  -> %v %v\n", b.Succs, b.Args)
	}
	return s.String()
}

// used is the memory of all allocations of the test, as if they were one program's functions.
var used Memory

func allocate(t *testing.T, seed uint64) {
	t.Helper()
	for _, cheap := range []bool{false, true} {
		f := random(seed)
		f.Cheap, f.Memory = cheap, &used
		check(t, seed, f)
	}
}

func check(t *testing.T, seed uint64, f *Func) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("seed %d: %v\n%s", seed, r, f)
		}
	}()
	Allocate(f)
	if err := Check(f); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, f)
	}
}

func TestRandom(t *testing.T) {
	n := uint64(3000)
	if testing.Short() {
		n = 300
	}
	for seed := range n {
		allocate(t, seed)
	}
}

// A call in a cold block costs nothing outside of it, even in a loop with several.
func TestColdCall(t *testing.T) {
	const all = RegSet(0xff)
	f := &Func{Regs: [NumClasses]RegSet{Int: all}}
	g := &generator{f: f}
	define := func() VReg {
		v := g.value(Int)
		g.emit(Inst{Defs: []Def{{V: v, Loc: Nowhere}}})
		return v
	}
	// The loop from b1 to b5 has a call in b6, beside b2, and one in b7, beside b4.
	for i := range 8 {
		g.block(min(int32(i), 1))
		f.Blocks[i].Cold = i > 5
	}
	f.Blocks[1].Header = true
	outer := define()
	g.jump()
	g.edge(0, 1)
	var list []VReg
	for k, from := range []int32{1, 3} {
		hot, cold, join := from+1, int32(6+k), from+2
		g.cur = from
		list = append(list, define())
		g.test()
		g.edge(from, hot)
		g.edge(from, cold)
		g.cur = hot
		g.jump()
		g.edge(hot, join)
		g.cur = cold
		g.emit(Inst{Call: true, Clobber: all, Uses: []Use{{V: list[0], Need: Slot, Loc: Nowhere}}})
		g.jump()
		g.edge(cold, join)
	}
	g.cur = 5
	for _, v := range append(list, outer) {
		g.emit(Inst{Uses: []Use{{V: v, Loc: Nowhere}}})
	}
	g.jump()
	g.edge(5, 1)
	check(t, 0, f)
	for i := 1; i < 6; i++ {
		for _, s := range f.Blocks[i].Steps {
			if s.Inst == nil {
				t.Errorf("block %d has a move\n%s", i, f)
			}
		}
	}
}

// TestMoves: allocations that need no move.
func TestMoves(t *testing.T) {
	use := func(v VReg) Use { return Use{V: v, Loc: Nowhere} }
	define := func(g *generator, in Inst) VReg {
		v := g.value(Int)
		d := Def{V: v, Loc: Nowhere}
		if in.Commutes {
			d.Need = Same
		}
		in.Defs = append(in.Defs, d)
		g.emit(in)
		return v
	}
	for _, c := range []struct {
		name string
		make func(g *generator)
		want int
	}{
		{"the operand that is needed later comes first", func(g *generator) {
			x, y := define(g, Inst{}), define(g, Inst{})
			z := define(g, Inst{Uses: []Use{use(x), use(y)}, Commutes: true})
			g.emit(Inst{Uses: []Use{use(x), use(z)}})
			g.jump()
		}, 0},
		{"the result is wanted where the second operand is", func(g *generator) {
			y := define(g, Inst{})
			first := use(y)
			first.Need, first.Reg = Fixed, 1
			g.emit(Inst{Uses: []Use{first}})
			x := define(g, Inst{})
			z := define(g, Inst{Uses: []Use{use(x), use(y)}, Commutes: true})
			last := use(z)
			last.Need, last.Reg = Fixed, 1
			g.emit(Inst{Uses: []Use{last}})
			g.jump()
		}, 0},
		{"a loop of one block", func(g *generator) {
			x := define(g, Inst{})
			g.jump()
			g.block(1)
			g.block(0)
			p := g.value(Int)
			b := &g.f.Blocks[1]
			b.Header, b.Params = true, []VReg{p}
			g.edge(0, 1, x)
			g.cur = 1
			other := define(g, Inst{})
			v := define(g, Inst{Uses: []Use{use(other), use(p)}})
			g.test()
			g.edge(1, 1, v)
			g.edge(1, 2)
			g.cur = 2
			g.jump()
		}, 0},
		{"a value that is loaded where it will be wanted", func(g *generator) {
			x := define(g, Inst{})
			g.emit(Inst{Call: true, Clobber: 0xff})
			g.emit(Inst{Uses: []Use{use(x)}})
			last := use(x)
			last.Need, last.Reg = Fixed, 3
			g.emit(Inst{Uses: []Use{last}})
			g.jump()
		}, 2}, // to the slot and back
		{"a loop keeps a value that is used after it", func(g *generator) { passing(g, 5, false) }, 0},
		{"a loop without a register left does not", func(g *generator) { passing(g, 7, false) }, 2},
		{"a loop that calls does not", func(g *generator) { passing(g, 0, true) }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &generator{f: &Func{Regs: [NumClasses]RegSet{Int: 0xff}}}
			g.block(0)
			c.make(g)
			check(t, 0, g.f)
			moves := 0
			for _, b := range g.f.Blocks {
				for _, s := range b.Steps {
					if s.Inst == nil {
						moves++
					}
				}
			}
			if moves != c.want {
				t.Errorf("%d moves, want %d\n%s", moves, c.want, g.f)
			}
		})
	}
}

// passing makes a loop that needs a number of registers, between the definition of a value and its use.
func passing(g *generator, needs int, calls bool) {
	use := func(v VReg) Use { return Use{V: v, Loc: Nowhere} }
	define := func(uses ...Use) VReg {
		v := g.value(Int)
		g.emit(Inst{Uses: uses, Defs: []Def{{V: v, Loc: Nowhere}}})
		return v
	}
	kept := define()
	g.jump()
	g.block(1)
	g.block(0)
	g.f.Blocks[1].Header = true
	g.edge(0, 1)
	g.cur = 1
	var list []Use
	for range needs {
		list = append(list, use(define()))
	}
	for _, u := range list {
		define(u)
	}
	if calls {
		g.emit(Inst{Call: true, Clobber: 0xff})
	}
	g.test()
	g.edge(1, 1)
	g.edge(1, 2)
	g.cur = 2
	g.emit(Inst{Uses: []Use{use(kept)}})
	g.jump()
}

//fuzz:runs 20000
func FuzzAllocate(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(allocate)
}
