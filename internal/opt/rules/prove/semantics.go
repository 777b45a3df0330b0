// Package prove shows that the rules of the optimiser are right.
//
// It defines the meaning of operations a second time, as functions of the widths of their types.
// [Operations] has for each operation a function that computes it and a term in the logic of bit
// vectors. Tests show that both agree with the evaluator of package irtest at the existing widths.
// For a rule of package rules the table yields two proofs that its two sides are equal wherever the
// condition holds. One tries all operands at small widths ([Exhaust]), where a type of 4 bits is an
// integer like others. The other asks a solver at the real widths ([Queries]). Where a pattern is
// defined, the replacement is defined too.
package prove

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Shape is a type of any width: its class of types, and its number of bits.
type Shape struct {
	Class ir.Type // I64 for all integers, Ptr, F64 for floats, Void
	Bits  uint
}

// ShapeOf returns the shape of an existing type. A pointer has the 32 bits that matter.
func ShapeOf(t ir.Type) Shape {
	switch {
	case t == ir.Ptr:
		return Shape{ir.Ptr, 32}
	case t.IsFloat():
		return Shape{ir.F64, t.Bits()}
	case t == ir.Void:
		return Shape{ir.Void, 1}
	}
	return Shape{ir.I64, t.Bits()}
}

func (s Shape) String() string {
	letter := map[ir.Type]string{ir.I64: "i", ir.Ptr: "p", ir.F64: "f", ir.Void: "v"}[s.Class]
	return fmt.Sprint(letter, s.Bits)
}

// Mask cuts a number to the shape. Values are kept in this form.
func (s Shape) Mask(x uint64) uint64 { return x & s.ones() }

func (s Shape) ones() uint64 { return math.MaxUint64 >> (64 - s.Bits) }

// Signed returns a value as a signed number.
func (s Shape) Signed(x uint64) int64 { return int64(x<<(64-s.Bits)) >> (64 - s.Bits) }

// Const returns a value in the form of ir.OpConst's Aux: sign-extended if it is an integer.
func (s Shape) Const(x uint64) int64 {
	if s.Class == ir.I64 {
		return s.Signed(x)
	}
	return int64(x)
}

// An Operation is the meaning of an operation. Operands are values of their shapes; t is the shape
// of the result, a that of the first operand. The caller cuts the result to its shape. Aux and
// Aux2, if they matter, are additional operands at the end. The result of a check is 1 if it traps.
type Operation struct {
	Eval func(t, a Shape, x []uint64) uint64
	Term func(t, a Shape, x []string) string // nil: the logic has no term for it

	// Where the operation is defined; nil: everywhere.
	Defined     func(t, a Shape, x []uint64) bool
	DefinedTerm func(t, a Shape, x []string) string

	Fits func(t, a Shape) bool // which shapes are compatible; nil: all that the table of operations allows
}

type (
	values = []uint64
	terms  = []string
)

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// number is a literal.
func number(x uint64, bits uint) string { return fmt.Sprintf("(_ bv%d %d)", x, bits) }

// truth returns a formula as a number of a shape.
func truth(t Shape, formula string) string {
	return fmt.Sprintf("(ite %s %s %s)", formula, number(1, t.Bits), number(0, t.Bits))
}

// resize cuts or extends a term.
func resize(x string, from, to uint, signed bool) string {
	switch {
	case from > to:
		return fmt.Sprintf("((_ extract %d 0) %s)", to-1, x)
	case from == to:
		return x
	case signed:
		return fmt.Sprintf("((_ sign_extend %d) %s)", to-from, x)
	}
	return fmt.Sprintf("((_ zero_extend %d) %s)", to-from, x)
}

// binary is an operation with two operands of one shape and its function in the logic.
func binary(eval func(t Shape, x, y uint64) uint64, f string) Operation {
	return Operation{
		Eval: func(t, _ Shape, x values) uint64 { return eval(t, x[0], x[1]) },
		Term: func(_, _ Shape, x terms) string { return fmt.Sprintf("(%s %s %s)", f, x[0], x[1]) },
	}
}

// divide is a binary operation with a nonzero second operand.
func divide(eval func(t Shape, x, y uint64) uint64, f string) Operation {
	o := binary(eval, f)
	o.Defined = func(_, _ Shape, x values) bool { return x[1] != 0 }
	o.DefinedTerm = func(t, _ Shape, x terms) string {
		return fmt.Sprintf("(distinct %s %s)", x[1], number(0, t.Bits))
	}
	return o
}

// minusOne adds the result of dividing by -1: the logic can derive it, but slowly.
func (o Operation) minusOne(result string) Operation {
	term := o.Term
	o.Term = func(t, a Shape, x terms) string {
		return fmt.Sprintf("(ite (= %s %s) %s %s)", x[1], number(t.ones(), t.Bits), fmt.Sprintf(result, x[0]), term(t, a, x))
	}
	return o
}

// compare is a comparison of two operands of shape a.
func compare(eval func(a Shape, x, y uint64) bool, f string) Operation {
	return Operation{
		Eval: func(_, a Shape, x values) uint64 { return b2u(eval(a, x[0], x[1])) },
		Term: func(t, _ Shape, x terms) string { return truth(t, fmt.Sprintf("(%s %s %s)", f, x[0], x[1])) },
	}
}

// shift is a shift by an unsigned count of 64 bits, or of the width that stands for 64.
func shift(eval func(t Shape, x, k uint64) uint64, f string) Operation {
	return Operation{
		Eval: func(t, _ Shape, x values) uint64 { return eval(t, x[0], x[1]) },
		Term: func(t, _ Shape, x terms) string {
			// The logic takes counts of the operand's width. At 64 bits these are all counts;
			// below, the largest one stands for all larger ones.
			k := x[1]
			if t.Bits < 64 {
				k = resize(fmt.Sprintf("(ite (bvult %s %s) %s %s)", k, number(uint64(t.Bits), 64), k, number(uint64(t.Bits), 64)),
					64, t.Bits, false)
			}
			return fmt.Sprintf("(%s %s %s)", f, x[0], k)
		},
	}
}

// unary is an operation with one operand of the shape of its result.
func unary(eval func(t Shape, x uint64) uint64, term func(t Shape, x string) string) Operation {
	o := Operation{Eval: func(t, _ Shape, x values) uint64 { return eval(t, x[0]) }}
	if term != nil {
		o.Term = func(t, _ Shape, x terms) string { return term(t, x[0]) }
	}
	return o
}

// convert is a change of width.
func convert(eval func(a Shape, x uint64) uint64, signed bool, fits func(t, a Shape) bool) Operation {
	return Operation{
		Eval: func(_, a Shape, x values) uint64 { return eval(a, x[0]) },
		Term: func(t, a Shape, x terms) string { return resize(x[0], a.Bits, t.Bits, signed) },
		Fits: fits,
	}
}

func wider(t, a Shape) bool    { return t.Bits > a.Bits }
func narrower(t, a Shape) bool { return t.Bits < a.Bits }

// same returns its operand.
func same(_ Shape, x uint64) uint64 { return x }

// isCondition reports whether the first operand is 0 or 1.
func isCondition(_, _ Shape, x values) bool { return x[0] <= 1 }
func isConditionTerm(_, a Shape, x terms) string {
	return fmt.Sprintf("(bvule %s %s)", x[0], number(1, a.Bits))
}

// Operations is the table, by the names of operations. It has no entries for operations that access
// memory.
var Operations = map[string]Operation{
	"copy": unary(func(_ Shape, x uint64) uint64 { return x }, func(_ Shape, x string) string { return x }),

	"add":    binary(func(_ Shape, x, y uint64) uint64 { return x + y }, "bvadd"),
	"sub":    binary(func(_ Shape, x, y uint64) uint64 { return x - y }, "bvsub"),
	"mul":    binary(func(_ Shape, x, y uint64) uint64 { return x * y }, "bvmul"),
	"divu":   divide(func(_ Shape, x, y uint64) uint64 { return x / y }, "bvudiv"),
	"remu":   divide(func(_ Shape, x, y uint64) uint64 { return x % y }, "bvurem"),
	"divs":   divide(quotient, "bvsdiv").minusOne("(bvneg %s)"),
	"rems":   divide(remainder, "bvsrem").minusOne("(bvxor %[1]s %[1]s)"),
	"and":    binary(func(_ Shape, x, y uint64) uint64 { return x & y }, "bvand"),
	"or":     binary(func(_ Shape, x, y uint64) uint64 { return x | y }, "bvor"),
	"xor":    binary(func(_ Shape, x, y uint64) uint64 { return x ^ y }, "bvxor"),
	"andnot": andNot,
	"shl":    shift(func(t Shape, x, k uint64) uint64 { return x << min(k, 64) }, "bvshl"),
	"shru":   shift(func(t Shape, x, k uint64) uint64 { return x >> min(k, 64) }, "bvlshr"),
	"shrs":   shift(func(t Shape, x, k uint64) uint64 { return uint64(t.Signed(x) >> min(k, 63)) }, "bvashr"),
	"rotl":   {Eval: rotate, Term: rotateTerm},
	"neg": unary(func(_ Shape, x uint64) uint64 { return -x },
		func(_ Shape, x string) string { return "(bvneg " + x + ")" }),
	"not": unary(func(_ Shape, x uint64) uint64 { return ^x },
		func(_ Shape, x string) string { return "(bvnot " + x + ")" }),
	"mulhiu": {Eval: highUnsigned, Term: highTerm(false)},
	"mulhis": {Eval: highSigned, Term: highTerm(true)},
	"clz": unary(func(t Shape, x uint64) uint64 { return uint64(bits.LeadingZeros64(x)) - uint64(64-t.Bits) },
		leadingTerm),
	"ctz": unary(func(t Shape, x uint64) uint64 { return min(uint64(bits.TrailingZeros64(x)), uint64(t.Bits)) },
		trailingTerm),
	"popcnt": unary(func(t Shape, x uint64) uint64 { return uint64(bits.OnesCount64(x)) }, onesTerm),
	"bswap":  unary(func(t Shape, x uint64) uint64 { return bits.ReverseBytes64(x) >> (64 - t.Bits) }, swapTerm),

	"eq":  compare(func(_ Shape, x, y uint64) bool { return x == y }, "="),
	"ne":  compare(func(_ Shape, x, y uint64) bool { return x != y }, "distinct"),
	"lts": compare(func(a Shape, x, y uint64) bool { return a.Signed(x) < a.Signed(y) }, "bvslt"),
	"les": compare(func(a Shape, x, y uint64) bool { return a.Signed(x) <= a.Signed(y) }, "bvsle"),
	"ltu": compare(func(_ Shape, x, y uint64) bool { return x < y }, "bvult"),
	"leu": compare(func(_ Shape, x, y uint64) bool { return x <= y }, "bvule"),

	"select": {
		Eval: func(_, _ Shape, x values) uint64 {
			if x[0] == 1 {
				return x[1]
			}
			return x[2]
		},
		Term: func(_, a Shape, x terms) string {
			return fmt.Sprintf("(ite (= %s %s) %s %s)", x[0], number(1, a.Bits), x[1], x[2])
		},
		Defined: isCondition, DefinedTerm: isConditionTerm,
	},
	"inverted": {
		Eval:    func(_, _ Shape, x values) uint64 { return x[0] ^ 1 },
		Term:    func(t, _ Shape, x terms) string { return fmt.Sprintf("(bvxor %s %s)", x[0], number(1, t.Bits)) },
		Defined: isCondition, DefinedTerm: isConditionTerm,
	},

	"sext":     convert(func(a Shape, x uint64) uint64 { return uint64(a.Signed(x)) }, true, wider),
	"zext":     convert(same, false, wider),
	"trunc":    convert(same, false, narrower),
	"ptrtoint": convert(same, false, nil),
	"inttoptr": convert(same, false, nil),

	// An address stays in its object. A rule that needs this says so by inobject.
	"ptradd": {
		Eval: func(t, _ Shape, x values) uint64 { return x[0] + x[1] },
		Term: func(t, _ Shape, x terms) string { return fmt.Sprintf("(bvadd %s %s)", x[0], cut(t, x[1])) },
	},
	"ptridx": {
		Eval: func(t, _ Shape, x values) uint64 { return x[0] + x[1]*x[2] + x[3] },
		Term: func(t, _ Shape, x terms) string {
			return fmt.Sprintf("(bvadd %s (bvadd (bvmul %s %s) %s))", x[0], cut(t, x[1]), cut(t, x[2]), cut(t, x[3]))
		},
	},

	"nilcheck": {
		Eval: func(_, _ Shape, x values) uint64 { return b2u(x[0] == 0) },
		Term: func(t, a Shape, x terms) string { return truth(t, fmt.Sprintf("(= %s %s)", x[0], number(0, a.Bits))) },
	},
	"bounds": {
		Eval: func(_, _ Shape, x values) uint64 { return b2u(x[0] >= x[1]) },
		Term: func(t, _ Shape, x terms) string { return truth(t, fmt.Sprintf("(bvuge %s %s)", x[0], x[1])) },
	},
	"check": {
		Eval:    func(_, _ Shape, x values) uint64 { return b2u(x[0] == 0) },
		Term:    func(t, a Shape, x terms) string { return truth(t, fmt.Sprintf("(= %s %s)", x[0], number(0, a.Bits))) },
		Defined: isCondition, DefinedTerm: isConditionTerm,
	},
}

var andNot = Operation{
	Eval: func(_, _ Shape, x values) uint64 { return x[0] &^ x[1] },
	Term: func(_, _ Shape, x terms) string { return fmt.Sprintf("(bvand %s (bvnot %s))", x[0], x[1]) },
}

// cut reduces a 64-bit term to the bits of an address.
func cut(t Shape, x string) string { return resize(x, 64, t.Bits, false) }

func quotient(t Shape, x, y uint64) uint64 {
	if t.Signed(y) == -1 {
		return -x // the negative number of largest magnitude has no opposite
	}
	return uint64(t.Signed(x) / t.Signed(y))
}

func remainder(t Shape, x, y uint64) uint64 {
	if t.Signed(y) == -1 {
		return 0
	}
	return uint64(t.Signed(x) % t.Signed(y))
}

func rotate(t, _ Shape, x values) uint64 {
	k := x[1] % uint64(t.Bits)
	return x[0]<<k | x[0]>>(uint64(t.Bits)-k)
}

func rotateTerm(t, _ Shape, x terms) string {
	k := resize(fmt.Sprintf("(bvurem %s %s)", x[1], number(uint64(t.Bits), 64)), 64, t.Bits, false)
	return fmt.Sprintf("(bvor (bvshl %s %s) (bvlshr %s (bvsub %s %s)))", x[0], k, x[0], number(uint64(t.Bits), t.Bits), k)
}

func highUnsigned(t, _ Shape, x values) uint64 {
	if t.Bits == 64 {
		hi, _ := bits.Mul64(x[0], x[1])
		return hi
	}
	return x[0] * x[1] >> t.Bits
}

func highSigned(t, _ Shape, x values) uint64 {
	if t.Bits < 64 {
		return uint64(t.Signed(x[0]) * t.Signed(x[1]) >> t.Bits)
	}
	hi, _ := bits.Mul64(x[0], x[1])
	// As an unsigned number, a negative one is larger by 2^64.
	if int64(x[0]) < 0 {
		hi -= x[1]
	}
	if int64(x[1]) < 0 {
		hi -= x[0]
	}
	return hi
}

func highTerm(signed bool) func(t, _ Shape, x terms) string {
	return func(t, _ Shape, x terms) string {
		w := 2 * t.Bits
		return fmt.Sprintf("((_ extract %d %d) (bvmul %s %s))", w-1, t.Bits, resize(x[0], t.Bits, w, signed),
			resize(x[1], t.Bits, w, signed))
	}
}

// firstOne is the term for the number of zeros before the first one, with the bits in the order of
// bit.
func firstOne(t Shape, x string, bit func(i uint) uint) string {
	term := number(uint64(t.Bits), t.Bits)
	for i := int(t.Bits) - 1; i >= 0; i-- {
		b := bit(uint(i))
		term = fmt.Sprintf("(ite (= ((_ extract %d %d) %s) #b1) %s %s)", b, b, x, number(uint64(i), t.Bits), term)
	}
	return term
}

func trailingTerm(t Shape, x string) string {
	return firstOne(t, x, func(i uint) uint { return i })
}

func leadingTerm(t Shape, x string) string {
	return firstOne(t, x, func(i uint) uint { return t.Bits - 1 - i })
}

func onesTerm(t Shape, x string) string {
	sum := number(0, t.Bits)
	for i := range t.Bits {
		sum = fmt.Sprintf("(bvadd %s %s)", sum, resize(fmt.Sprintf("((_ extract %d %d) %s)", i, i, x), 1, t.Bits, false))
	}
	return sum
}

func swapTerm(t Shape, x string) string {
	if t.Bits == 8 {
		return x
	}
	term := "(concat"
	for i := uint(0); i < t.Bits; i += 8 {
		term += fmt.Sprintf(" ((_ extract %d %d) %s)", i+7, i, x)
	}
	return term + ")"
}
