//go:build unix

package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestBulk compares the routines for bulk memory with the evaluator: all sizes around the limits of
// their cases, overlapping ranges, nearly equal contents.
func TestBulk(t *testing.T) {
	const room = irtest.WindowSize + 1024
	needsCode(t)
	r := rand.New(rand.NewPCG(3, 4))
	sizes := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 23, 24, 31, 32, 33, 47, 48, 63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 255, 256, 400, 639, 640, 1024, 1025, 1100, -1}
	for round := range 80 {
		mod := irtest.NewModule(make([]byte, irtest.WindowSize), 4096)
		for i := range mod.Data {
			mod.Data[i] = byte(r.IntN(3))
		}
		f := irtest.NewFunc(mod, "main", ir.Sig{})
		mod.Entry = f.F
		add := f.Add
		konst := func(x int64) *ir.Value { return f.Const(ir.I64, x) }
		at := func(n int) *ir.Value {
			return add(ir.OpConst, ir.Ptr, ir.DataBase+int64(r.IntN(room-max(n, 0)+1)))
		}
		// An operand that selection cannot analyse.
		opaque := func(n int) *ir.Value {
			z := add(ir.OpLoad, ir.I64, 0, add(ir.OpConst, ir.Ptr, ir.DataBase+room+512))
			return add(ir.OpAdd, ir.I64, 0, z, konst(int64(n)))
		}
		for range 60 {
			n := sizes[r.IntN(len(sizes))]
			p, q := at(n), at(n)
			if r.IntN(3) == 0 && n >= 0 { // close to each other
				off := min(max(int(p.Aux)+r.IntN(41)-20, ir.DataBase), ir.DataBase+room-n)
				q = add(ir.OpConst, ir.Ptr, int64(off))
			}
			var res *ir.Value
			switch r.IntN(8) {
			case 0, 1:
				add(ir.OpMoveN, ir.Void, 0, p, q, opaque(n))
			case 2:
				if n < 300 {
					add(ir.OpClearN, ir.Void, 0, p, opaque(n))
				}
			case 3:
				if r.IntN(2) == 0 {
					add(ir.OpMoveN, ir.Void, 0, p, q, opaque(n))
				}
				res = add(ir.OpMemEq, ir.I8, 0, p, q, opaque(n))
			case 4:
				m := sizes[r.IntN(len(sizes))]
				if r.IntN(2) == 0 {
					m = n
				}
				with := at(m)
				if r.IntN(3) > 0 && m > 0 { // equal except for one byte, or none
					with = q
					n = max(n, 0)
					m = min(m, n)
					add(ir.OpMoveN, ir.Void, 0, p, q, opaque(m))
					if m > 0 && r.IntN(4) > 0 {
						other := add(ir.OpConst, ir.I8, int64(r.IntN(256)-128))
						add(ir.OpStore, ir.Void, 0, add(ir.OpConst, ir.Ptr, q.Aux+int64(r.IntN(m))), other)
					}
				}
				res = add(ir.OpMemCmp, ir.I64, 0, p, opaque(n), with, opaque(m))
			case 5:
				res = add(ir.OpMemHash, ir.I64, 0, p, konst(int64(r.Uint64())), opaque(n))
			case 6:
				res = add(ir.OpIndexByte, ir.I64, 0, p, opaque(n), konst(int64(r.IntN(5))))
			default:
				if n > 0 {
					add(ir.OpMove, ir.Void, int64(n), p, q)
				}
			}
			if res != nil {
				add(ir.OpStore, ir.Void, 0, at(8), res)
			}
		}
		f.Return()
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { started.Compare(t, mod, 0, 0) }) {
			return
		}
	}
}
