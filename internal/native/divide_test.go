//go:build unix && amd64

package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/internal/interp/irtest"
	"github.com/gyrvm/gyr/internal/ir"
)

// TestDivideByConstant compares division by constants, which has no division in
// it, with the evaluator: edges and random operands for edge and random divisors.
func TestDivideByConstant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, -1, 2, -2, 3, -3, 5, 6, 7, 9, 10, 11, 12, 25, 60, 100, 125, 625, 641, 1000, 3600, 10000, 65535, 65536, 65537, 86400,
		1000000, 1000000007, math.MaxInt8, math.MinInt8, math.MaxUint8, math.MaxInt16, math.MinInt16, math.MaxInt32, math.MinInt32, math.MaxUint32,
		math.MaxUint32 + 1, 6700417, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, -1 << 62, 1<<62 + 1, -10, -1000}
	value := func() int64 {
		x := edges[r.IntN(len(edges))]
		switch r.IntN(3) {
		case 0:
			x = int64(r.Uint64()) >> r.IntN(64)
		case 1:
			x += int64(r.IntN(5)) - 2
		}
		return x
	}
	types := []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}
	for round := range 60 {
		mod := &ir.Module{Funcs: []*ir.Func{nil}, Layouts: []ir.Layout{{}}, Runtime: map[string]*ir.Func{}, Data: make([]byte, irtest.WindowSize), BSS: 4096}
		main := &ir.Func{Name: "main", Index: 1, Module: mod}
		mod.Funcs = append(mod.Funcs, main)
		mod.Entry = main
		b := main.NewBlock()
		add := func(f *ir.Func, b *ir.Block, op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
			v := f.NewValue(op, t, args...)
			v.Aux = aux
			return b.Append(v)
		}
		trim := func(ty ir.Type, x int64) int64 {
			sh := 64 - ty.Bits()
			return x << sh >> sh
		}
		for k := range 100 {
			ty := types[r.IntN(4)]
			d := trim(ty, value())
			if d == 0 {
				d = 7
			}
			op := []ir.Op{ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU}[r.IntN(4)]
			f := &ir.Func{Name: fmt.Sprintf("f%d", k), Index: int32(len(mod.Funcs)), Module: mod, Sig: ir.Sig{Params: []ir.Type{ty}, Results: []ir.Type{ty}}}
			mod.Funcs = append(mod.Funcs, f)
			fb := f.NewBlock()
			x := add(f, fb, ir.OpArg, ty, 0)
			fb.Rets = []*ir.Value{add(f, fb, op, ty, 0, x, add(f, fb, ir.OpConst, ty, d))}
			fb.Kind = ir.BlockReturn
			res := add(main, b, ir.OpConst, ir.Ptr, irtest.ResultAddr)
			call := add(main, b, ir.OpCall, ty, 0, add(main, b, ir.OpConst, ty, trim(ty, value())))
			call.Fn, call.Sig = f, &f.Sig
			add(main, b, ir.OpStore, ir.Void, int64(8*k), res, call)
		}
		b.Kind = ir.BlockReturn
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { compare(t, mod, 0, Options{}) }) {
			return
		}
	}
}
