package facts

import (
	"math/rand"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// TestOperand: the description contains every operand that gives a described result.
func TestOperand(t *testing.T) {
	const w = 4
	list := views(w)
	for op := range ir.NumOps {
		f := operations[op]
		if operands[op] == nil || f == nil {
			continue
		}
		n := 0
		for _, b := range list {
			for _, r := range list {
				got := members(w, Operand(op, w, w, r, b))
				n++
				for x := range uint64(1) << w {
					for y := range uint64(1) << w {
						if !b.Contains(w, y) || got>>x&1 != 0 {
							continue
						}
						if z, ok := f(w, x, y); ok && r.Contains(w, z) {
							t.Fatalf("%v of %d and %d is %d: result %+v, operand %+v", op, x, y, z, r, b)
						}
					}
				}
			}
		}
		t.Logf("%-6v %d pairs", op, n)
	}
	for _, r := range views(6) {
		z, s := members(4, Operand(ir.OpZExt, 6, 4, r, Value{})), members(4, Operand(ir.OpSExt, 6, 4, r, Value{}))
		for x := range uint64(1) << 4 {
			if r.Contains(6, x) && z>>x&1 == 0 || r.Contains(6, uint64(Width(4).sext(x))) && s>>x&1 == 0 {
				t.Fatalf("extension of %d: result %+v", x, r)
			}
		}
	}
	for _, r := range list {
		got := Operand(ir.OpTrunc, 4, 6, r, Value{})
		for x := range uint64(1) << 6 {
			if r.Contains(4, x) && !got.Contains(6, x) {
				t.Fatalf("truncation of %d: result %+v", x, r)
			}
		}
	}
}

// TestRealOperands is TestOperand for samples at the real widths.
func TestRealOperands(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for _, w := range []Width{8, 16, 32, 64} {
		for op := range ir.NumOps {
			f := operations[op]
			if operands[op] == nil || f == nil {
				continue
			}
			for range 5000 {
				xs, ys := sample(rng, w), sample(rng, w)[:1]
				if op == ir.OpShrU {
					ys[0] %= uint64(w) + 2
				}
				var results []uint64
				for _, x := range xs {
					r, _ := f(w, x, ys[0])
					results = append(results, r)
				}
				r, b := describe(rng, w, results), describe(rng, w, ys)
				got := Operand(op, w, w, r, b)
				for _, x := range xs {
					if !got.Contains(w, x) {
						t.Fatalf("%v of %#x and %#x at %d bits: result %+v, operand %+v: %+v", op, x, ys[0], w, r, b, got)
					}
				}
			}
		}
	}
}
