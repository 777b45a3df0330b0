package interp

import (
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// farModule has a function with n values alive at once, around a loop with a call and a division,
// and a function that it calls with a far frame.
func farModule(n int, divisor int64) *ir.Module {
	mod := irtest.NewModule(make([]byte, irtest.WindowSize), 4096)
	var f *ir.Func
	var b *ir.Block
	begin := func(name string, sig ir.Sig) {
		f = &ir.Func{Name: name, Sig: sig}
		mod.AddFunc(f)
		b = f.NewBlock()
	}
	v := func(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
		x := f.NewValue(op, t, args...)
		x.Aux = aux
		return b.Append(x)
	}
	begin("callee", ir.Sig{Params: []ir.Type{ir.I64, ir.I64, ir.F64}, Results: []ir.Type{ir.I64, ir.F64}})
	callee := f
	x, y, z := v(ir.OpArg, ir.I64, 0), v(ir.OpArg, ir.I64, 1), v(ir.OpArg, ir.F64, 2)
	v(ir.OpGas, ir.Void, 3)
	b.Kind, b.Rets = ir.BlockReturn, []*ir.Value{v(ir.OpSub, ir.I64, 0, x, y), v(ir.OpFAdd, ir.F64, 0, z, z)}

	begin("main", ir.Sig{})
	mod.Entry = f
	p := v(ir.OpConst, ir.Ptr, ir.DataBase)
	x = v(ir.OpLoad, ir.I64, 0, p)
	var all []*ir.Value
	for i := 0; i < n; i++ {
		x = v(ir.OpMul, ir.I64, 0, x, v(ir.OpConst, ir.I64, int64(2*i+3)))
		all = append(all, x)
	}
	zero := v(ir.OpConst, ir.I64, 0)
	start := v(ir.OpConst, ir.F64, 0x3ff8000000000000)
	loop, exit := f.NewBlock(), f.NewBlock()
	b.Kind = ir.BlockJump
	b.AddEdge(loop)
	b = loop
	i, s, t := v(ir.OpPhi, ir.I64, 0, zero), v(ir.OpPhi, ir.I64, 0, x), v(ir.OpPhi, ir.F64, 0, start)
	v(ir.OpGasLoop, ir.Void, 5)
	c := v(ir.OpCall, ir.I64, 0, s, all[n/2], t)
	c.Fn, c.Sig = callee, &callee.Sig
	c2 := v(ir.OpResult, ir.F64, 1, c)
	d := v(ir.OpSub, ir.I64, 0, i, v(ir.OpConst, ir.I64, divisor))
	v(ir.OpCheck, ir.Void, int64(ir.TrapDivide), v(ir.OpNe, ir.I8, 0, d, zero))
	q := v(ir.OpRemS, ir.I64, 0, c, d)
	next := v(ir.OpAdd, ir.I64, 0, i, v(ir.OpConst, ir.I64, 1))
	i.Args, s.Args, t.Args = append(i.Args, next), append(s.Args, v(ir.OpXor, ir.I64, 0, c, q)), append(t.Args, c2)
	b.Kind, b.Ctrl = ir.BlockIf, v(ir.OpLtS, ir.I8, 0, next, v(ir.OpConst, ir.I64, 10))
	b.AddEdge(loop)
	b.AddEdge(exit)
	b = exit
	for _, y := range all {
		x = v(ir.OpXor, ir.I64, 0, v(ir.OpAdd, ir.I64, 0, x, x), y)
	}
	out := v(ir.OpConst, ir.Ptr, irtest.ResultAddr)
	v(ir.OpStore, ir.Void, 0, out, x)
	v(ir.OpStore, ir.Void, 8, out, s)
	v(ir.OpStore, ir.Void, 16, out, t)
	b.Kind = ir.BlockReturn
	return mod
}

// TestFarSlots runs functions whose frames have more slots than a field of an
// instruction can name.
func TestFarSlots(t *testing.T) {
	for _, n := range []int{100, 59_990, 66_000} {
		for _, d := range []int64{100, 7} {
			started.Compare(t, farModule(n, d), 0, 0)
			started.Compare(t, farModule(n, d), 0, 55)
		}
	}
}
