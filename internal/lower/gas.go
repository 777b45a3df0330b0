package lower

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
)

// placeGas charges every block as lowered: one charge at its head, the sum of
// the prices of its operations to the nearest unit. A charge at the head of a
// loop (the target of a retreating edge) is at least one unit, and where the
// goroutine's quantum may end.
//
// Functions of the runtime carry none: their price is charged where they are called.
func (l *lowerer) placeGas(f *ir.Func, src *ssa.Function) {
	if f.Flags&ir.Runtime != 0 {
		return
	}
	heads := loopHeads(f)
	for _, b := range f.Blocks {
		cost := int64(0)
		for _, v := range b.Values {
			cost += gas.Op(v)
		}
		if b.Kind == ir.BlockIf || b.Kind == ir.BlockSwitch {
			cost += gas.Branch
		}
		units := (cost + 5) / 10
		op := ir.OpGas
		if heads[b.ID] {
			op = ir.OpGasLoop
			units = max(units, 1)
		}
		if units == 0 {
			continue
		}
		v := f.NewValue(op, ir.Void)
		v.Aux = units
		v.Block = b
		at := 0
		for at < len(b.Values) && (b.Values[at].Op == ir.OpPhi || b.Values[at].Op == ir.OpArg || b.Values[at].Op == ir.OpClosure) {
			at++
		}
		v.Pos = b.Pos
		if at < len(b.Values) {
			v.Pos = b.Values[at].Pos
		}
		if v.Pos == 0 {
			v.Pos = f.Pos
		}
		b.Values = append(b.Values, nil)
		copy(b.Values[at+1:], b.Values[at:])
		b.Values[at] = v
	}
}

// loopHeads finds the targets of retreating edges of a depth-first walk.
func loopHeads(f *ir.Func) []bool {
	const (
		white = iota
		grey
		black
	)
	heads := make([]bool, f.NumBlocks())
	color := make([]uint8, f.NumBlocks())
	type item struct {
		b *ir.Block
		i int
	}
	walk := func(root *ir.Block) {
		if root == nil || color[root.ID] != white {
			return
		}
		stack := []item{{root, 0}}
		color[root.ID] = grey
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if t.i == len(t.b.Succs) {
				color[t.b.ID] = black
				stack = stack[:len(stack)-1]
				continue
			}
			s := t.b.Succs[t.i]
			t.i++
			switch color[s.ID] {
			case white:
				color[s.ID] = grey
				stack = append(stack, item{s, 0})
			case grey:
				heads[s.ID] = true
			}
		}
	}
	walk(f.Entry)
	walk(f.Recover)
	return heads
}

// gasN charges for n elements of bulk work, size bytes each times the weight of
// the work (gas.MoveWeight is 1).
func (b *builder) gasN(n *ir.Value, size int64) {
	if b.f.Flags&ir.Runtime != 0 || size == 0 {
		return
	}
	// n*size >> BulkShift, in an order that does not overflow for large n.
	shift := int64(gas.BulkShift)
	for shift > 0 && size > 1 && size&1 == 0 {
		size >>= 1
		shift--
	}
	if n.Op == ir.OpConst {
		if u := n.Aux >> shift * size; u > 0 {
			b.opAux(ir.OpGas, ir.Void, u)
		}
		return
	}
	u := n
	if shift > 0 {
		u = b.op(ir.OpShrS, ir.I64, u, b.i64(shift))
	}
	if size > 1 {
		u = b.op(ir.OpMul, ir.I64, u, b.i64(size))
	}
	b.op(ir.OpGasN, ir.Void, u)
}

// chargeCall charges the price of a runtime function.
func (b *builder) chargeCall(name string) {
	if b.f.Flags&ir.Runtime == 0 {
		b.opAux(ir.OpGas, ir.Void, gas.Call(name))
	}
}

// callGas charges a direct call of a function of the runtime. An explicit
// collection costs by the heap that it has to look at.
func (c *fn) callGas(callee *ssa.Function) {
	c.chargeCall(callee.Name())
	if callee.Name() == "GC" && pkgPath(callee) == "runtime" {
		c.gasN(c.host("heapbytes", ir.Sig{Results: []ir.Type{ir.I64}})[0], 32)
	}
}
