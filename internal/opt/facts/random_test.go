package facts

import (
	"math/bits"
	"math/rand"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

// sample returns a few numbers of a width, most of them near edges.
func sample(rng *rand.Rand, w Width) []uint64 {
	list := make([]uint64, 1+rng.Intn(4))
	at := rng.Uint64()
	for i := range list {
		switch rng.Intn(5) {
		case 0:
			at = rng.Uint64()
		case 1:
			at = 1 << rng.Intn(64)
		case 2:
			at = uint64(1)<<w - 1
		case 3:
			at = uint64(1) << (w - 1)
		}
		list[i] = w.zext(at + uint64(rng.Intn(9)) - 4)
	}
	return list
}

// describe returns a description of a sample: the best one, or a single view, widened.
func describe(rng *rand.Rand, w Width, list []uint64) Value {
	v := Const(w, int64(list[0]))
	for _, x := range list[1:] {
		v = Join(v, Const(w, int64(x)))
	}
	all := Top(w)
	if rng.Intn(3) == 0 {
		v.Lo, v.Hi = all.Lo, all.Hi
	}
	if rng.Intn(3) == 0 {
		v.ULo, v.UHi = all.ULo, all.UHi
	}
	if rng.Intn(3) == 0 {
		v.Zeros, v.Ones = 0, 0
	}
	return v.Reduce(w)
}

// TestRealWidths: nothing overflows at the real widths. The test describes samples of numbers, and
// the descriptions of results must contain the results.
func TestRealWidths(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	rounds := 10000
	if testing.Short() {
		rounds = 2000
	}
	for _, w := range []Width{8, 16, 32, 64} {
		for op := range ir.NumOps {
			f := operations[op]
			if f == nil {
				continue
			}
			for range rounds {
				xs, ys := sample(rng, w), sample(rng, w)
				if op.IsShift() && rng.Intn(8) > 0 {
					ys = []uint64{uint64(rng.Intn(int(w) + 2)), uint64(rng.Intn(int(w) + 2))}[:1+rng.Intn(2)]
				}
				if op == ir.OpRotl {
					for i := range ys {
						ys[i] %= 200 // it is rotated bit by bit
					}
				}
				a, b := describe(rng, w, xs), describe(rng, w, ys)
				got := Apply(op, w, w, a, b)
				for _, x := range xs {
					for _, y := range ys {
						if r, ok := f(w, x, y); ok && !got.Contains(w, r) {
							t.Fatalf("%v of %#x and %#x at %d bits is %#x; of %+v and %+v it is %+v", op, x, y, w, r, a, b, got)
						}
					}
				}
			}
		}
	}
}

// TestRealExtensions is TestRealWidths for changes of width.
func TestRealExtensions(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, c := range []struct {
		op       ir.Op
		to, from Width
	}{
		{ir.OpSExt, 64, 8}, {ir.OpSExt, 64, 32}, {ir.OpSExt, 32, 16}, {ir.OpZExt, 64, 8}, {ir.OpZExt, 64, 32}, {ir.OpZExt, 16, 8},
		{ir.OpTrunc, 8, 64}, {ir.OpTrunc, 32, 64}, {ir.OpTrunc, 16, 32},
	} {
		for range 20000 {
			xs := sample(rng, c.from)
			got := Apply(c.op, c.to, c.from, describe(rng, c.from, xs), Value{})
			for _, x := range xs {
				r := x
				if c.op == ir.OpSExt {
					r = uint64(c.from.sext(x))
				}
				if !got.Contains(c.to, r) {
					t.Fatalf("%v of %#x from %d to %d bits is not in %+v", c.op, x, c.from, c.to, got)
				}
			}
		}
	}
}

// TestBswap: the known bits of the result are those of the operand with its bytes reversed. The
// operation moves bits, so the test checks each known bit alone, and samples.
func TestBswap(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for _, w := range []Width{16, 32, 64} {
		turn := func(x uint64) uint64 { return bits.ReverseBytes64(x) >> (64 - w) }
		for k := range w {
			got := Apply(ir.OpBswap, w, w, Known(w, 1<<k, 0), Value{})
			if want := Known(w, turn(1<<k), 0); got != want {
				t.Fatalf("bit %d of %d: %+v, want %+v", k, w, got, want)
			}
		}
		for range 20000 {
			xs := sample(rng, w)
			got := Apply(ir.OpBswap, w, w, describe(rng, w, xs), Value{})
			for _, x := range xs {
				if !got.Contains(w, turn(x)) {
					t.Fatalf("%#x at %d bits is not in %+v", turn(x), w, got)
				}
			}
		}
	}
}
