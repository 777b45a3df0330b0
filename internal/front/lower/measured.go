package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// measuredLoop gives f the body of a measured loop (see package load). It calls a function as often
// as its first parameter says, always with the same operands, and consumes all results. No pass may
// know anything about the operands. The loop is one block that counts down to zero. An operand is
// made opaque in each iteration and goes around the loop, so that an iteration needs no copy of it.
func (l *lowerer) measuredLoop(src *ssa.Function, callee *ssa.Function, f *ir.Func) {
	of := l.funcOf(callee)
	c := &fn{builder: builder{l: l, f: f}, src: src, vals: map[ssa.Value]val{}, tuples: map[ssa.Value][]val{}}
	c.pos = f.Pos
	c.b = f.NewBlock()
	var args []*ir.Value
	for i, t := range f.Sig.Params {
		args = append(args, c.opAux(ir.OpArg, t, int64(i)))
	}
	head, end := f.NewBlock(), f.NewBlock()
	c.branch(c.op(ir.OpLtS, ir.I8, c.i64(0), args[0]), head, end, 1)

	c.b = head
	phis := make([]*ir.Value, len(args))
	for i, a := range args {
		phis[i] = c.phi(a.Type, a)
	}
	operands := make(val, len(args)-1)
	for i, p := range phis[1:] {
		operands[i] = c.op(ir.OpOpaque, p.Type, p)
		p.Args = append(p.Args, operands[i])
	}
	results := c.emitCall(callee.Signature, []val{operands}, func(all []*ir.Value, _ *ir.Sig) *ir.Value {
		v := c.op(ir.OpCall, ir.Void, all...)
		v.Fn = of
		return v
	}, &of.Sig)
	for _, r := range results {
		c.consume(r)
	}
	// Opaque, too: a comparison with the value before the subtraction would need both in registers.
	left := c.op(ir.OpOpaque, ir.I64, c.op(ir.OpSub, ir.I64, phis[0], c.i64(1)))
	phis[0].Args = append(phis[0].Args, left)
	c.branch(c.op(ir.OpNe, ir.I8, left, c.i64(0)), head, end, 1)

	c.b = end
	c.b.Kind = ir.BlockReturn
}
