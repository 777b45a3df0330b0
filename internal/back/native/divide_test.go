//go:build unix

package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestDivideByConstant compares division by constants, compiled without a division, with the
// evaluator: edges and random operands for edge and random divisors.
func TestDivideByConstant(t *testing.T) {
	needsCode(t)
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
		mod := irtest.NewModule(make([]byte, irtest.WindowSize), 4096)
		main := irtest.NewFunc(mod, "main", ir.Sig{})
		mod.Entry = main.F
		for k := range 100 {
			ty := types[r.IntN(4)]
			d := ir.TruncConst(ty, value())
			if d == 0 {
				d = 7
			}
			op := []ir.Op{ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU}[r.IntN(4)]
			f := irtest.NewFunc(mod, fmt.Sprintf("f%d", k), ir.Sig{Params: []ir.Type{ty}, Results: []ir.Type{ty}})
			f.Return(f.Add(op, ty, 0, f.Args()[0], f.Const(ty, d)))
			res := main.Const(ir.Ptr, irtest.ResultAddr)
			main.Add(ir.OpStore, ir.Void, int64(8*k), res, main.Call(f.F, main.Const(ty, value())))
		}
		main.Return()
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { started.Compare(t, mod, 0, 0) }) {
			return
		}
	}
}
