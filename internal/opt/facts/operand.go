package facts

import "github.com/gyrvm/gyr/internal/ir"

// operands has, by operation, a description of the first operand, if r describes the result and b
// the second operand. A branch on x + 1 or x >> 8 uses it to describe x.
var operands = [ir.NumOps]Transfer{
	ir.OpCopy: func(_, _ Width, r, _ Value) Value { return r },

	// These have inverses.
	ir.OpAdd: func(_, w Width, r, b Value) Value { return sub(w, r, b) },
	ir.OpSub: func(_, w Width, r, b Value) Value { return add(w, r, b) },
	ir.OpXor: func(_, w Width, r, b Value) Value { return xor(w, r, b) },
	ir.OpNeg: func(_, w Width, r, _ Value) Value { return sub(w, Const(w, 0), r) },
	ir.OpNot: func(_, w Width, r, _ Value) Value { return not(w, r) },

	// These lose bits, or add bits that carry no information.
	ir.OpSExt:  func(to, from Width, r, _ Value) Value { return trunc(from, to, r) },
	ir.OpZExt:  func(to, from Width, r, _ Value) Value { return trunc(from, to, r) },
	ir.OpTrunc: func(_, from Width, r, _ Value) Value { return Known(from, r.Zeros, r.Ones) },
	ir.OpAnd: func(_, w Width, r, b Value) Value {
		return Meet(w, Known(w, r.Zeros&b.Ones, r.Ones), Unsigned(w, r.ULo, w.mask()))
	},
	ir.OpOr: func(_, w Width, r, b Value) Value {
		return Meet(w, Known(w, r.Zeros, r.Ones&b.Zeros), Unsigned(w, 0, r.UHi))
	},
	ir.OpShrU: func(_, w Width, r, b Value) Value {
		k := b.ULo
		if k != b.UHi || k >= uint64(w) {
			return Top(w)
		}
		last := min(r.UHi, w.mask()>>k)
		v := Unsigned(w, min(r.ULo, last)<<k, last<<k|lowBits(uint(k)))
		return Meet(w, v, Known(w, r.Zeros<<k, r.Ones<<k))
	},
}

// Operand describes the first operand, of width from, of an operation. r describes its result, of
// width to, and b its second operand.
func Operand(op ir.Op, to, from Width, r, b Value) Value {
	if f := operands[op]; f != nil {
		return f(to, from, r, b)
	}
	return Top(from)
}
