package bytecode

import (
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
)

// builder makes functions in tests.
type builder struct {
	f *ir.Func
	b *ir.Block
}

func (g *builder) v(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
	v := g.f.NewValue(op, t, args...)
	v.Aux = aux
	return g.b.Append(v)
}

func newModule(name string, sig ir.Sig) (*ir.Module, *builder) {
	mod := &ir.Module{Layouts: []ir.Layout{{}}}
	f := &ir.Func{Name: name, Sig: sig}
	mod.AddFunc(f)
	g := &builder{f: f}
	g.b = f.NewBlock()
	return mod, g
}

// bigShapes are functions that grow in different directions.
var bigShapes = map[string]func(g *builder, n int){
	"straight": func(g *builder, n int) {
		x := g.v(ir.OpArg, ir.I64, 0)
		for i := 0; i < n; i++ {
			x = g.v(ir.OpAdd, ir.I64, 0, x, g.v(ir.OpConst, ir.I64, int64(i)*1e6))
		}
		g.b.Kind, g.b.Rets = ir.BlockReturn, []*ir.Value{x}
	},
	"alive": func(g *builder, n int) { // everything lives until the end
		x := g.v(ir.OpArg, ir.I64, 0)
		var all []*ir.Value
		for i := 0; i < n; i++ {
			x = g.v(ir.OpMul, ir.I64, 0, x, x)
			all = append(all, x)
		}
		for _, y := range all {
			x = g.v(ir.OpXor, ir.I64, 0, x, y)
		}
		g.b.Kind, g.b.Rets = ir.BlockReturn, []*ir.Value{x}
	},
	"ifs": func(g *builder, n int) { // x and y change in every branch
		x := g.v(ir.OpArg, ir.I64, 0)
		y := x
		for i := 0; i < n; i++ {
			c := g.v(ir.OpLtS, ir.I8, 0, x, y)
			head := g.b
			head.Kind, head.Ctrl = ir.BlockIf, c
			then, join := g.f.NewBlock(), g.f.NewBlock()
			head.AddEdge(then)
			head.AddEdge(join)
			g.b = then
			x2 := g.v(ir.OpAdd, ir.I64, 0, x, y)
			g.b.Kind = ir.BlockJump
			then.AddEdge(join)
			g.b = join
			x, y = g.v(ir.OpPhi, ir.I64, 0, x, x2), g.v(ir.OpPhi, ir.I64, 0, y, x)
		}
		g.b.Kind, g.b.Rets = ir.BlockReturn, []*ir.Value{x}
	},
	"calls": func(g *builder, n int) {
		x := g.v(ir.OpArg, ir.I64, 0)
		var keep []*ir.Value
		for i := 0; i < n; i++ {
			v := g.v(ir.OpCall, ir.I64, 0, x)
			v.Fn, v.Sig = g.f, &g.f.Sig
			if i%50 == 0 {
				keep = append(keep, v)
			}
			x = v
		}
		for _, y := range keep {
			x = g.v(ir.OpXor, ir.I64, 0, x, y)
		}
		g.b.Kind, g.b.Rets = ir.BlockReturn, []*ir.Value{x}
	},
	"switch": func(g *builder, n int) { // a state machine: a loop around n cases with phis of all of them
		s0 := g.v(ir.OpArg, ir.I64, 0)
		zero := g.v(ir.OpConst, ir.I64, 0)
		head, exit := g.f.NewBlock(), g.f.NewBlock()
		g.b.Kind = ir.BlockJump
		g.b.AddEdge(head)
		g.b = head
		s := g.v(ir.OpPhi, ir.I64, 0, s0)
		a := g.v(ir.OpPhi, ir.I64, 0, zero)
		b := g.v(ir.OpPhi, ir.I64, 0, zero)
		g.v(ir.OpGasLoop, ir.Void, 1)
		head.Kind, head.Ctrl = ir.BlockSwitch, s
		for i := 0; i < n; i++ {
			c := g.f.NewBlock()
			head.Cases = append(head.Cases, int64(i))
			head.AddEdge(c)
		}
		head.AddEdge(exit)
		for i := 0; i < n; i++ {
			c := head.Succs[i]
			g.b = c
			s.Args = append(s.Args, g.v(ir.OpAdd, ir.I64, 0, s, a))
			a.Args = append(a.Args, g.v(ir.OpMul, ir.I64, 0, b, s))
			b.Args = append(b.Args, a)
			c.Kind = ir.BlockJump
			c.AddEdge(head)
		}
		g.b = exit
		exit.Kind, exit.Rets = ir.BlockReturn, []*ir.Value{a}
	},
}

// TestBigFunctions compiles functions of some 100,000 operations. It has no bound of its own: a
// quadratic step makes the package's tests hang.
func TestBigFunctions(t *testing.T) {
	for name, shape := range bigShapes {
		t.Run(name, func(t *testing.T) {
			n := 30_000
			mod, g := newModule(name, ir.Sig{Params: []ir.Type{ir.I64}, Results: []ir.Type{ir.I64}})
			shape(g, n)
			if err := ir.Verify(g.f); err != nil {
				t.Fatal(err)
			}
			p, err := NewModule(nil, mod)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := p.Compile(1); err != nil {
				t.Fatal(err)
			}
			t.Log(time.Since(start))
		})
	}
}
