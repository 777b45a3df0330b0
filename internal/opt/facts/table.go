package facts

import "github.com/gyrvm/gyr/internal/ir"

// A Transfer computes the description of an operation's result from descriptions of its operands.
// Both operands have width from. Only the width of a shift count may differ and does not matter.
type Transfer func(to, from Width, a, b Value) Value

// table has the transfer functions by operation. Operations with one operand use only the first
// description. The result of an operation that is not in the table may be anything.
var table = [ir.NumOps]Transfer{
	ir.OpCopy: func(_, _ Width, a, _ Value) Value { return a },

	ir.OpAdd:    func(w, _ Width, a, b Value) Value { return add(w, a, b) },
	ir.OpSub:    func(w, _ Width, a, b Value) Value { return sub(w, a, b) },
	ir.OpNeg:    func(w, _ Width, a, _ Value) Value { return sub(w, Const(w, 0), a) },
	ir.OpMul:    func(w, _ Width, a, b Value) Value { return mul(w, a, b) },
	ir.OpDivU:   func(w, _ Width, a, b Value) Value { return divU(w, a, b) },
	ir.OpDivS:   func(w, _ Width, a, b Value) Value { return divS(w, a, b) },
	ir.OpRemU:   func(w, _ Width, a, b Value) Value { return remU(w, a, b) },
	ir.OpRemS:   func(w, _ Width, a, b Value) Value { return remS(w, a, b) },
	ir.OpMulHiU: func(w, _ Width, a, b Value) Value { return mulHiU(w, a, b) },
	ir.OpMulHiS: func(w, _ Width, a, b Value) Value { return mulHiS(w, a, b) },

	ir.OpAnd:    func(w, _ Width, a, b Value) Value { return and(w, a, b) },
	ir.OpOr:     func(w, _ Width, a, b Value) Value { return or(w, a, b) },
	ir.OpXor:    func(w, _ Width, a, b Value) Value { return xor(w, a, b) },
	ir.OpAndNot: func(w, _ Width, a, b Value) Value { return and(w, a, not(w, b)) },
	ir.OpNot:    func(w, _ Width, a, _ Value) Value { return not(w, a) },
	ir.OpShl:    func(w, _ Width, a, b Value) Value { return shl(w, a, b) },
	ir.OpShrU:   func(w, _ Width, a, b Value) Value { return shrU(w, a, b) },
	ir.OpShrS:   func(w, _ Width, a, b Value) Value { return shrS(w, a, b) },
	ir.OpRotl:   func(w, _ Width, a, b Value) Value { return rotl(w, a, b) },
	ir.OpClz:    func(w, _ Width, a, _ Value) Value { return clz(w, a) },
	ir.OpCtz:    func(w, _ Width, a, _ Value) Value { return ctz(w, a) },
	ir.OpPopcnt: func(w, _ Width, a, _ Value) Value { return popcnt(w, a) },
	ir.OpBswap:  func(w, _ Width, a, _ Value) Value { return bswap(w, a) },

	ir.OpSExt:  func(to, from Width, a, _ Value) Value { return sext(to, from, a) },
	ir.OpZExt:  func(to, from Width, a, _ Value) Value { return zext(to, from, a) },
	ir.OpTrunc: func(to, from Width, a, _ Value) Value { return trunc(to, from, a) },

	ir.OpEq:  func(to, _ Width, a, b Value) Value { return truth(to, equal(a, b)) },
	ir.OpNe:  func(to, _ Width, a, b Value) Value { return truth(to, opposite(equal(a, b))) },
	ir.OpLtS: func(to, _ Width, a, b Value) Value { return truth(to, lessS(a, b)) },
	ir.OpLeS: func(to, _ Width, a, b Value) Value { return truth(to, opposite(lessS(b, a))) },
	ir.OpLtU: func(to, _ Width, a, b Value) Value { return truth(to, lessU(a, b)) },
	ir.OpLeU: func(to, _ Width, a, b Value) Value { return truth(to, opposite(lessU(b, a))) },
	ir.OpFEq: condition, ir.OpFNe: condition, ir.OpFLt: condition, ir.OpFLe: condition, ir.OpMemEq: condition,

	// If operands are in memory or of other types, only the result is known.
	ir.OpMemCmp:   func(w, _ Width, _, _ Value) Value { return Signed(w, -1, 1) },
	ir.OpMemHash:  word32,
	ir.OpPtrToInt: word32,
}

func condition(w, _ Width, _, _ Value) Value { return Unsigned(w, 0, 1) }
func word32(w, _ Width, _, _ Value) Value    { return Unsigned(w, 0, 1<<32-1) }

// Apply describes the result, of width to, of an operation on operands of width from.
func Apply(op ir.Op, to, from Width, a, b Value) Value {
	if f := table[op]; f != nil {
		return f(to, from, a, b)
	}
	return Top(to)
}

// Has reports whether the operation is in the table.
func Has(op ir.Op) bool { return table[op] != nil }

// truth describes a condition: 1, 0, or unknown (-1).
func truth(w Width, known int) Value {
	if known >= 0 {
		return Const(w, int64(known))
	}
	return Unsigned(w, 0, 1)
}

func opposite(known int) int {
	if known >= 0 {
		known = 1 - known
	}
	return known
}

// equal decides a == b: 1, 0, or -1 if the descriptions leave it open.
func equal(a, b Value) int {
	switch {
	case a.Hi < b.Lo || b.Hi < a.Lo || a.UHi < b.ULo || b.UHi < a.ULo || a.Ones&b.Zeros != 0 || a.Zeros&b.Ones != 0:
		return 0
	case a.Lo == a.Hi && b.Lo == b.Hi:
		return 1
	}
	return -1
}

func lessS(a, b Value) int {
	switch {
	case a.Hi < b.Lo:
		return 1
	case a.Lo >= b.Hi:
		return 0
	}
	return -1
}

func lessU(a, b Value) int {
	switch {
	case a.UHi < b.ULo:
		return 1
	case a.ULo >= b.UHi:
		return 0
	}
	return -1
}

// MinS and MaxS describe the smaller and the larger of two signed numbers.
func MinS(w Width, a, b Value) Value {
	v := Join(a, b)
	v.Hi = min(a.Hi, b.Hi)
	return v.Reduce(w)
}

func MaxS(w Width, a, b Value) Value {
	v := Join(a, b)
	v.Lo = max(a.Lo, b.Lo)
	return v.Reduce(w)
}

// IndexIn describes an index into n things, or -1.
func IndexIn(w Width, n Value) Value { return Signed(w, -1, max(n.Hi, 0)-1) }
