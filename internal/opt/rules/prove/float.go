package prove

import (
	"fmt"
	"math"
	"math/big"

	"github.com/gyrvm/gyr/internal/ir"
)

// Floats of 8 bits (4 of exponent, 3 of fraction) and 16 (5 and 10) have the format of IEEE 754.
// They, and floats of 32 bits, are computed in float64 and rounded a second time. The second
// rounding has no effect on the result if the first keeps more than twice as many bits (Figueroa
// 1995).

// format returns how the bits of a float are divided.
func format(bits uint) (exponent, fraction uint) {
	switch bits {
	case 8:
		return 4, 3
	case 16:
		return 5, 10
	case 32:
		return 8, 23
	}
	return 11, 52
}

// float returns the number with a float's bits.
func (s Shape) float(x uint64) float64 {
	switch s.Bits {
	case 64:
		return math.Float64frombits(x)
	case 32:
		return float64(math.Float32frombits(uint32(x)))
	}
	eb, fb := format(s.Bits)
	bias := 1<<(eb-1) - 1
	sign := 1.0
	if x>>(s.Bits-1) != 0 {
		sign = -1
	}
	e, f := int(x>>fb&(1<<eb-1)), x&(1<<fb-1)
	switch {
	case e == 1<<eb-1 && f != 0:
		return math.NaN()
	case e == 1<<eb-1:
		return math.Inf(int(sign))
	case e == 0:
		return sign * math.Ldexp(float64(f), 1-bias-int(fb))
	}
	return sign * math.Ldexp(float64(f|1<<fb), e-bias-int(fb))
}

// round returns the bits of the float nearest to a number. One NaN stands for all.
func (s Shape) round(x float64) uint64 {
	eb, fb := format(s.Bits)
	if x != x {
		if s.Bits == 64 {
			return 0x7ff8000000000001
		}
		return (1<<(eb+1) - 1) << (fb - 1)
	}
	switch s.Bits {
	case 64:
		return math.Float64bits(x)
	case 32:
		return uint64(math.Float32bits(float32(x)))
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 1<<(s.Bits-1), -x
	}
	bias := 1<<(eb-1) - 1
	if x == 0 {
		return sign
	}
	infinity := uint64(1<<eb-1) << fb
	if math.IsInf(x, 0) {
		return sign | infinity
	}
	unit := max(math.Ilogb(x), 1-bias) - int(fb) // exponent of the last bit
	n := uint64(math.RoundToEven(math.Ldexp(x, -unit)))
	// The bits increase with the numbers: a carry out of the fraction goes into the exponent.
	bits := n + uint64(unit+int(fb)-(1-bias))<<fb
	return sign | min(bits, infinity)
}

func isNaN(s Shape, x uint64) bool { f := s.float(x); return f != f }

// real1 and real2 are operations that round the result of a function of real numbers.
func real1(f func(x float64) float64) Operation {
	return Operation{Eval: func(t, a Shape, x values) uint64 { return t.round(f(a.float(x[0]))) }}
}

func real2(f func(x, y float64) float64) Operation {
	return Operation{Eval: func(t, a Shape, x values) uint64 { return t.round(f(t.float(x[0]), t.float(x[1]))) }}
}

// compareFloats is a comparison. The logic has a theory of floats.
func compareFloats(f func(x, y float64) bool, term string) Operation {
	return Operation{
		Eval: func(_, a Shape, x values) uint64 { return b2u(f(a.float(x[0]), a.float(x[1]))) },
		Term: func(t, a Shape, x terms) string {
			eb, fb := format(a.Bits)
			to := fmt.Sprintf("((_ to_fp %d %d) ", eb, fb+1)
			return truth(t, fmt.Sprintf(term, to+x[0]+")", to+x[1]+")"))
		},
	}
}

func signBit(s Shape) string { return number(1<<(s.Bits-1), s.Bits) }

func init() {
	for name, o := range map[string]Operation{
		"fadd": real2(func(x, y float64) float64 { return x + y }),
		"fsub": real2(func(x, y float64) float64 { return x - y }),
		"fmul": real2(func(x, y float64) float64 { return x * y }),
		"fdiv": real2(func(x, y float64) float64 { return x / y }),

		"fneg": unary(func(t Shape, x uint64) uint64 { return x ^ 1<<(t.Bits-1) },
			func(t Shape, x string) string { return fmt.Sprintf("(bvxor %s %s)", x, signBit(t)) }),
		"fabs": unary(func(t Shape, x uint64) uint64 { return x &^ (1 << (t.Bits - 1)) },
			func(t Shape, x string) string { return fmt.Sprintf("(bvand %s (bvnot %s))", x, signBit(t)) }),
		"fcopysign": {Eval: copySign},
		"fsqrt":     real1(math.Sqrt),
		"ffloor":    real1(math.Floor),
		"fceil":     real1(math.Ceil),
		"ftrunc":    real1(math.Trunc),
		"fma":       {Eval: fusedMultiply},

		"feq": compareFloats(func(x, y float64) bool { return x == y }, "(fp.eq %s %s)"),
		"fne": compareFloats(func(x, y float64) bool { return x != y }, "(not (fp.eq %s %s))"),
		"flt": compareFloats(func(x, y float64) bool { return x < y }, "(fp.lt %s %s)"),
		"fle": compareFloats(func(x, y float64) bool { return x <= y }, "(fp.leq %s %s)"),

		"itof": {Eval: func(t, a Shape, x values) uint64 { return fromInteger(t, a.Signed(x[0]) < 0, a.magnitude(x[0])) }},
		"utof": {Eval: func(t, a Shape, x values) uint64 { return fromInteger(t, false, x[0]) }},
		"ftoi": {Eval: func(t, a Shape, x values) uint64 { return toInteger(t, a.float(x[0])) }},
		"ftou": {Eval: toUnsigned},
		"fcvt": {Eval: func(t, a Shape, x values) uint64 { return t.round(a.float(x[0])) },
			Fits: func(t, a Shape) bool { return t.Bits != a.Bits }},
		"bitcast": {Eval: bitcast, Fits: func(t, a Shape) bool {
			return t.Bits == a.Bits && t.Class != ir.Ptr &&
				a.Class != ir.Ptr
		}},
	} {
		Operations[name] = o
	}
}

// copySign treats the sign of a NaN as plus.
func copySign(t, _ Shape, x values) uint64 {
	sign := x[1] & (1 << (t.Bits - 1))
	if isNaN(t, x[1]) {
		sign = 0
	}
	return x[0]&^(1<<(t.Bits-1)) | sign
}

// fusedMultiply rounds x*y + z once. Below 64 bits it does so in float64, with a result rounded to
// odd.
func fusedMultiply(t, _ Shape, x values) uint64 {
	a, b, c := t.float(x[0]), t.float(x[1]), t.float(x[2])
	exact := math.FMA(a, b, c)
	if t.Bits == 64 || exact != exact || math.IsInf(exact, 0) || math.IsInf(c, 0) {
		return t.round(exact)
	}
	p := new(big.Float).SetPrec(2000).SetFloat64(a)
	p.Mul(p, new(big.Float).SetFloat64(b)).Add(p, new(big.Float).SetFloat64(c))
	if p.Sign() == 0 {
		return t.round(exact) // it has the right sign
	}
	// Cut to 50 bits, set the last bit if anything was lost, then round.
	f := new(big.Float).SetPrec(50).SetMode(big.ToZero).Set(p)
	r, _ := f.Float64()
	if f.Cmp(p) != 0 {
		m, e := math.Frexp(r)
		r = math.Ldexp(math.Copysign(math.Abs(m)+0x1p-52, m), e)
	}
	return t.round(r)
}

func (s Shape) magnitude(x uint64) uint64 {
	if n := s.Signed(x); n < 0 {
		return s.Mask(-x)
	}
	return x
}

// fromInteger rounds an integer once.
func fromInteger(t Shape, negative bool, n uint64) uint64 {
	f := new(big.Float).SetUint64(n)
	if negative {
		f.Neg(f)
	}
	if t.Bits == 32 {
		x, _ := f.Float32()
		return uint64(math.Float32bits(x))
	}
	x, _ := f.Float64()
	return t.round(x)
}

// toInteger follows the rule of ftoi: the least number stands for everything outside t.
func toInteger(t Shape, x float64) uint64 {
	limit := math.Ldexp(1, int(t.Bits)-1)
	if x >= -limit && x < limit {
		return uint64(int64(x))
	}
	return 1 << (t.Bits - 1)
}

func toUnsigned(t, a Shape, x values) uint64 {
	f, limit := a.float(x[0]), math.Ldexp(1, int(t.Bits)-1)
	if f < limit {
		return toInteger(t, f)
	}
	return toInteger(t, f-limit) | 1<<(t.Bits-1)
}

// bitcast keeps the bits, but a NaN becomes the canonical one in an integer.
func bitcast(t, a Shape, x values) uint64 {
	if a.Class == t.Class || !isFloat(a) || !isNaN(a, x[0]) {
		return x[0]
	}
	return a.round(math.NaN())
}

func isFloat(s Shape) bool { return s.Class == ir.F64 }

// invertible is the rules' function: x is a power of two, and so is its inverse. Both are normal
// and, if the format has room, far from the ends of the range.
func invertible(s Shape, x uint64) bool {
	f := math.Abs(s.float(x))
	if m, _ := math.Frexp(f); m != 0.5 {
		return false
	}
	e := math.Ilogb(f)
	switch s.Bits {
	case 64:
		return e >= -900 && e < 899
	case 32:
		return e >= -100 && e < 99
	}
	eb, _ := format(s.Bits)
	return max(e, -e) < 1<<(eb-1)-1
}

// Invertible returns invertible(C) and inverse(C) as the proofs assume them.
func Invertible(s Shape, x uint64) (bool, uint64) { return invertible(s, x), inverse(s, x) }

func inverse(s Shape, x uint64) uint64 { return s.round(1 / s.float(x)) }
