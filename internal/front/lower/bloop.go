package lower

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// This file consumes the values that loops over testing.B keep (front/load/bloop.go). The DebugRefs
// of go/ssa say which value an expression has. Those of other expressions are dropped before a
// function is lowered, since lowering looks for values with a single user.

// dropRefs drops the DebugRefs of a function that lowering does not need.
func (l *lowerer) dropRefs(src *ssa.Function) {
	drop := func(in ssa.Instruction) bool {
		ref, ok := in.(*ssa.DebugRef)
		return ok && !l.prog.KeepsValue(ref.Expr)
	}
	for _, b := range src.Blocks {
		if !slices.ContainsFunc(b.Instrs, drop) {
			continue
		}
		for _, in := range b.Instrs {
			if !drop(in) {
				continue
			}
			if refs := in.(*ssa.DebugRef).X.Referrers(); refs != nil {
				*refs = slices.DeleteFunc(*refs, drop)
			}
		}
		b.Instrs = slices.DeleteFunc(b.Instrs, drop)
	}
}

// keepRef consumes the value of an expression, or the parts that represent it.
func (c *fn) keepRef(in *ssa.DebugRef) {
	if parts, ok := c.tuples[in.X]; ok {
		for _, p := range parts {
			c.consume(p)
		}
		return
	}
	if _, ok := in.X.(*ssa.Const); ok {
		return
	}
	c.consume(c.value(in.X))
	// If the value was stored in a variable in memory, the variable is kept as a whole.
	b := in.Block()
	if i := slices.Index(b.Instrs, ssa.Instruction(in)); i > 0 {
		if st, ok := b.Instrs[i-1].(*ssa.Store); ok && st.Val == in.X {
			c.consumeRoot(st.Addr)
		}
	}
}

// consumeRoot consumes the variable or object that an address lies in.
func (c *fn) consumeRoot(addr ssa.Value) {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		case *ssa.Global:
			return
		default:
			c.consume(c.value(addr))
			return
		}
	}
}

// keepCall consumes the results of a call, or its arguments if it has none.
func (c *fn) keepCall(in *ssa.Call, call *ssa.CallCommon, parts []val) {
	if !c.l.prog.KeepsCall(in.Pos()) {
		return
	}
	if len(parts) == 0 {
		for _, a := range call.Args {
			if _, ok := a.(*ssa.Const); !ok {
				parts = append(parts, c.value(a))
			}
		}
	}
	for _, p := range parts {
		c.consume(p)
	}
}

// consume keeps the operations that compute a value: none for a constant.
func (b *builder) consume(v val) {
	for _, x := range v {
		if x.Op != ir.OpConst {
			b.op(ir.OpConsume, ir.Void, x)
		}
	}
}
