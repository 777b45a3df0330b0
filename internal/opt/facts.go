package opt

import (
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// What an operation alone says about its result, in two forms that must not be
// taken for one another. An unsigned bound is a number that no result exceeds:
// x % 3 is at most 2, and may be 1 all the same. A mask of possible ones has
// every bit that is set in any result: for x % 3 it is 3. A mask is a bound, a
// bound is no mask.

// maxUnsigned is an upper bound of v as an unsigned number of its width.
func maxUnsigned(v *ir.Value) uint64 {
	if v.Op == ir.OpRemU {
		if c := v.Args[1]; c.Op == ir.OpConst && c.Aux != 0 {
			return unsigned(v.Type, c.Aux) - 1
		}
	}
	if n, ok := bitCountBound(v); ok {
		return n
	}
	return possibleOnes(v)
}

// possibleOnes is a mask of the bits of v, zero-extended, that may be one.
func possibleOnes(v *ir.Value) uint64 {
	full := unsigned(v.Type, -1)
	switch v.Op {
	case ir.OpConst:
		if v.Type.IsInt() {
			return unsigned(v.Type, v.Aux)
		}
	case ir.OpZExt:
		return unsigned(v.Args[0].Type, -1)
	case ir.OpAnd:
		if c := v.Args[1]; c.Op == ir.OpConst {
			return unsigned(v.Type, c.Aux)
		}
	case ir.OpShrU:
		if c := v.Args[1]; c.Op == ir.OpConst && uint64(c.Aux) < uint64(v.Type.Bits()) {
			return full >> uint(c.Aux)
		}
	case ir.OpRemU:
		if c := v.Args[1]; c.Op == ir.OpConst && c.Aux != 0 {
			return onesUpTo(unsigned(v.Type, c.Aux) - 1)
		}
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe, ir.OpMemEq:
		return 1
	}
	if n, ok := bitCountBound(v); ok {
		return onesUpTo(n)
	}
	return full
}

// bitCountBound is the largest result of an operation that counts bits.
func bitCountBound(v *ir.Value) (n uint64, ok bool) {
	switch v.Op {
	case ir.OpClz, ir.OpCtz, ir.OpPopcnt:
		return uint64(v.Type.Bits()), true
	}
	return 0, false
}

// onesUpTo is the mask of the bits that are set in any number up to n.
func onesUpTo(n uint64) uint64 { return 1<<bits.Len64(n) - 1 }
