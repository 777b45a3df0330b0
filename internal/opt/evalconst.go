package opt

import (
	"math"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// evalConst computes a pure operation on constants. It declines if the op table leaves the result
// open (a zero divisor) and if the result is a NaN, whose bits only the machine decides.
func evalConst(v *ir.Value) (int64, bool) {
	var x, y int64
	var xt ir.Type
	switch len(v.Args) {
	case 2:
		y = v.Args[1].Aux
		fallthrough
	case 1:
		x = v.Args[0].Aux
		xt = v.Args[0].Type
	default:
		return 0, false
	}
	t := v.Type
	w := t.Bits()
	ux, uy := unsigned(xt, x), uint64(0)
	if len(v.Args) == 2 {
		uy = unsigned(v.Args[1].Type, y)
	}
	if xt.IsFloat() || t.IsFloat() {
		return evalFloat(v, x, y)
	}
	switch v.Op {
	case ir.OpAdd:
		return x + y, true
	case ir.OpSub:
		return x - y, true
	case ir.OpMul:
		return x * y, true
	case ir.OpDivS:
		if y == 0 {
			return 0, false
		}
		if y == -1 {
			return -x, true
		}
		return x / y, true
	case ir.OpRemS:
		if y == 0 {
			return 0, false
		}
		if y == -1 {
			return 0, true
		}
		return x % y, true
	case ir.OpDivU:
		if uy == 0 {
			return 0, false
		}
		return int64(ux / uy), true
	case ir.OpRemU:
		if uy == 0 {
			return 0, false
		}
		return int64(ux % uy), true
	case ir.OpAnd:
		return x & y, true
	case ir.OpOr:
		return x | y, true
	case ir.OpXor:
		return x ^ y, true
	case ir.OpAndNot:
		return x &^ y, true
	case ir.OpShl:
		if uint64(y) >= uint64(w) {
			return 0, true
		}
		return x << uint(y), true
	case ir.OpShrS:
		return x >> min(uint64(y), 63), true
	case ir.OpShrU:
		if uint64(y) >= uint64(w) {
			return 0, true
		}
		return int64(ux >> uint(y)), true
	case ir.OpRotl:
		k := uint(y) & (w - 1)
		return int64(ux<<k | ux>>(w-k)), true
	case ir.OpNeg:
		return -x, true
	case ir.OpNot:
		return ^x, true
	case ir.OpMulHiU:
		hi, _ := bits.Mul64(uint64(x), uint64(y))
		return int64(hi), true
	case ir.OpMulHiS:
		return mulHiS(x, y), true
	case ir.OpClz:
		return int64(bits.LeadingZeros64(ux)) - int64(64-w), true
	case ir.OpCtz:
		return int64(min(uint(bits.TrailingZeros64(ux)), w)), true
	case ir.OpPopcnt:
		return int64(bits.OnesCount64(ux)), true
	case ir.OpBswap:
		return int64(bits.ReverseBytes64(ux) >> (64 - w)), true
	case ir.OpEq:
		return b2i(x == y), true
	case ir.OpNe:
		return b2i(x != y), true
	case ir.OpLtS:
		return b2i(x < y), true
	case ir.OpLeS:
		return b2i(x <= y), true
	case ir.OpLtU:
		return b2i(ux < uy), true
	case ir.OpLeU:
		return b2i(ux <= uy), true
	case ir.OpSExt, ir.OpTrunc, ir.OpPtrToInt:
		return x, true
	case ir.OpZExt:
		return int64(ux), true
	case ir.OpIntToPtr:
		return x, true
	case ir.OpPtrAdd:
		if p := x + y; p == int64(uint32(p)) {
			return p, true
		}
	case ir.OpPtrIdx:
		if p := x + y*v.Aux + v.Aux2; p == int64(uint32(p)) {
			return p, true
		}
	}
	return 0, false
}

func mulHiS(x, y int64) int64 {
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return int64(hi)
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func evalFloat(v *ir.Value, x, y int64) (int64, bool) {
	xt := v.Args[0].Type
	switch v.Op {
	case ir.OpFToI:
		return floatToInt(v.Type, floatOf(xt, x)), true
	case ir.OpFToU:
		return floatToUint(floatOf(xt, x)), true
	case ir.OpIToF:
		return floatBits(v.Type, float64(x), float32(x))
	case ir.OpUToF:
		return floatBits(v.Type, float64(uint64(x)), float32(uint64(x)))
	case ir.OpBitcast:
		if xt == ir.F64 && isNaN64(x) || xt == ir.F32 && isNaN32(x) {
			return 0, false
		}
		return x, true
	}
	if xt == ir.F32 {
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		if v.Op == ir.OpFCvt {
			return int64(math.Float64bits(float64(a))), a == a
		}
		return evalFloats(v.Op, a, b, float32Result)
	}
	a, b := math.Float64frombits(uint64(x)), math.Float64frombits(uint64(y))
	switch v.Op {
	case ir.OpFFloor:
		return float64Result(math.Floor(a))
	case ir.OpFCeil:
		return float64Result(math.Ceil(a))
	case ir.OpFTrunc:
		return float64Result(math.Trunc(a))
	case ir.OpFCopysign:
		if b != b {
			b = 1
		}
		return float64Result(math.Copysign(a, b))
	case ir.OpFCvt:
		return int64(math.Float32bits(float32(a))), a == a
	}
	return evalFloats(v.Op, a, b, float64Result)
}

// evalFloats evaluates the operations that both float types have.
func evalFloats[T float32 | float64](op ir.Op, a, b T, result func(T) (int64, bool)) (int64, bool) {
	switch op {
	case ir.OpFAdd:
		return result(a + b)
	case ir.OpFSub:
		return result(a - b)
	case ir.OpFMul:
		return result(a * b)
	case ir.OpFDiv:
		return result(a / b)
	case ir.OpFNeg:
		return result(-a)
	case ir.OpFSqrt:
		return result(T(math.Sqrt(float64(a))))
	case ir.OpFAbs:
		return result(T(math.Abs(float64(a))))
	case ir.OpFEq:
		return b2i(a == b), true
	case ir.OpFNe:
		return b2i(a != b), true
	case ir.OpFLt:
		return b2i(a < b), true
	case ir.OpFLe:
		return b2i(a <= b), true
	}
	return 0, false
}

// floatToInt is the rule of OpFToI.
func floatToInt(t ir.Type, a float64) int64 {
	if t == ir.I32 {
		if a > math.MinInt32-1 && a < math.MaxInt32+1 {
			return int64(a)
		}
		return math.MinInt32
	}
	if a >= -0x1p63 && a < 0x1p63 {
		return int64(a)
	}
	return math.MinInt64
}

// floatToUint is the rule of OpFToU.
func floatToUint(a float64) int64 {
	if a < 0x1p63 {
		return floatToInt(ir.I64, a)
	}
	return floatToInt(ir.I64, a-0x1p63) | math.MinInt64
}

func floatBits(t ir.Type, d float64, s float32) (int64, bool) {
	if t == ir.F32 {
		return int64(math.Float32bits(s)), true
	}
	return int64(math.Float64bits(d)), true
}

func float64Result(a float64) (int64, bool) { return int64(math.Float64bits(a)), a == a }
func float32Result(a float32) (int64, bool) { return int64(math.Float32bits(a)), a == a }

func isNaN64(bits int64) bool { f := math.Float64frombits(uint64(bits)); return f != f }
func isNaN32(bits int64) bool { f := math.Float32frombits(uint32(bits)); return f != f }
