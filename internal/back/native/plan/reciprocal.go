package plan

import (
	"math/bits"
)

// # Division by constants
//
// Division by a constant is multiplication by its reciprocal, scaled to an integer:
// T. Granlund, P. Montgomery, Division by Invariant Integers using Multiplication (1994).
// This file decides on the steps, as data; divide.go selects their instructions, and the tests
// run the same steps with numbers. The width of a register is a parameter: the tests try
// all dividends and divisors with registers of 8 bits.

// A stepOp is an operation on registers.
type stepOp uint8

const (
	stepShl   stepOp = iota // x << k
	stepShr                 // x >> k, unsigned
	stepSar                 // x >> k, signed
	stepMul                 // x * k
	stepHighU               // the upper half of x * k, unsigned
	stepHighS               // the upper half of x * k, signed
	stepAdd                 // x + y
	stepSub                 // x - y
	stepNeg                 // -x
)

// A step computes a number from earlier ones: 0 is the dividend, extended to a register,
// n the result of step n-1.
type step struct {
	op   stepOp
	x, y int8
	k    uint64 // the constant, cut to the width of a register
}

// maxSteps are the most steps of a recipe.
const maxSteps = 8

// A recipe is the way to divide by one constant.
type recipe struct {
	shape    string // which of the shapes below it has
	quotient int8   // the result that is the quotient
	steps    []step
	n        int // how many there are; the last is the result
	all      [maxSteps]step
}

// Shapes of quotients. Each has the reason why it is right; N is the width of a register, w that of
// the dividend, 2^(n-1) < d < 2^n.
const (
	// A power of two.
	shapeShift = "shift"
	// x + (2^k - 1 if x < 0) rounds toward zero.
	shapeShiftSigned = "signed shift"
	// w < N: M = ceil(2^(w+n)/d) has w+1 bits, and M*d - 2^(w+n) < d < 2^n: Granlund and Montgomery, theorem 4.2.
	shapeShort = "short"
	// M = ceil(2^(N+n-1)/d) has N bits, and M*d - 2^(N+n-1) <= 2^(n-1): theorem 4.2.
	shapeExact = "exact"
	// d = e*2^k: x >> k has N-k bits, and M = ceil(2^(N-k+ne)/e), with 2^(ne-1) < e < 2^ne, has N-k+1.
	shapeEven = "even"
	// M = ceil(2^(N+n)/d) has N+1 bits; the highest is added by hand.
	shapeLong = "long"
	// M = ceil(2^(N-1+l)/d), and 0 < M*d - 2^(N-1+l) <= 2^l: theorem 5.1. This holds for l = n, and for
	// most d for l = n-1, with which M is positive.
	shapeSigned = "signed"
)

// add appends a step and returns the number of its result.
func (r *recipe) add(op stepOp, x, y int8, k uint64) int8 {
	r.all[r.n] = step{op, x, y, k}
	r.n++
	r.steps = r.all[:r.n]
	return int8(r.n)
}

// unsigned makes the quotient of a number of w bits by d, 2 or more, in registers of N bits.
func (r *recipe) unsigned(N, w uint, d uint64) int8 {
	if d&(d-1) == 0 {
		r.shape = shapeShift
		return r.add(stepShr, 0, 0, uint64(bits.TrailingZeros64(d)))
	}
	n := uint(bits.Len64(d))
	if w < N {
		r.shape = shapeShort
		switch m, _ := reciprocal(w+n, d); {
		case w+n < N:
			return r.add(stepHighU, 0, 0, m<<(N-w-n))
		case w+n == N:
			return r.add(stepHighU, 0, 0, m)
		default:
			return r.add(stepShr, r.add(stepHighU, 0, 0, m), 0, uint64(w+n-N))
		}
	}
	if m, over := reciprocal(N+n-1, d); over <= 1<<(n-1) {
		r.shape = shapeExact
		return r.add(stepShr, r.add(stepHighU, 0, 0, m), 0, uint64(n-1))
	}
	if k := uint(bits.TrailingZeros64(d)); k > 0 {
		e := d >> k
		if ne := uint(bits.Len64(e)); ne >= k {
			r.shape = shapeEven
			m, _ := reciprocal(N-k+ne, e)
			q := r.add(stepHighU, r.add(stepShr, 0, 0, uint64(k)), 0, m)
			if ne > k {
				q = r.add(stepShr, q, 0, uint64(ne-k))
			}
			return q
		}
	}
	r.shape = shapeLong
	// (x*M) >> (N+n) = (q + x) >> n with a carry, q the upper half without M's highest
	// bit: ((x - q) >> 1 + q) >> (n-1).
	m, _ := reciprocal(N+n, d)
	q := r.add(stepHighU, 0, 0, cut(m, N))
	half := r.add(stepShr, r.add(stepSub, 0, q, 0), 0, 1)
	return r.add(stepShr, r.add(stepAdd, half, q, 0), 0, uint64(n-1))
}

// signed makes the quotient of a number by d, 2 or more, the magnitude of a signed one.
func (r *recipe) signed(N uint, d uint64) int8 {
	if d&(d-1) == 0 {
		r.shape = shapeShiftSigned
		k := uint(bits.TrailingZeros64(d))
		t := int8(0)
		if k > 1 {
			t = r.add(stepSar, 0, 0, uint64(N-1))
		}
		t = r.add(stepShr, t, 0, uint64(N-k)) // 2^k - 1 if x is negative
		return r.add(stepSar, r.add(stepAdd, 0, t, 0), 0, uint64(k))
	}
	r.shape = shapeSigned
	l := uint(bits.Len64(d)) - 1 // 1 or more
	m, over := reciprocal(N-1+l, d)
	if over > 1<<l {
		l++
		m, _ = reciprocal(N-1+l, d)
	}
	m = cut(m, N)
	q := r.add(stepHighS, 0, 0, m)
	if m>>(N-1) != 0 { // taken as m - 2^N
		q = r.add(stepAdd, q, 0, 0)
	}
	if l > 1 {
		q = r.add(stepSar, q, 0, uint64(l-1))
	}
	return r.add(stepAdd, q, r.add(stepShr, 0, 0, uint64(N-1)), 0)
}

// reciprocal is m = ceil(2^shift / d) without its bits from 64 on, for a shift up to 128 and a d that is
// not a power of two. over is m*d - 2^shift.
func reciprocal(shift uint, d uint64) (m, over uint64) {
	high, low := ^uint64(0), ^uint64(0) // 2^shift - 1
	if shift <= 64 {
		high, low = 0, low>>(64-shift)
	} else {
		high >>= 128 - shift
	}
	q, rem := bits.Div64(high%d, low, d)
	return q + 1, d - 1 - rem
}

// cut is the low N bits.
func cut(x uint64, N uint) uint64 { return x & (^uint64(0) >> (64 - N)) }

// A division is a division or remainder by a constant.
type division struct {
	signed, rem bool
	c           int64 // the divisor, sign-extended
	w           uint  // the width of the dividend
}

// magnitude is that of the divisor.
func (v division) magnitude() uint64 {
	d := uint64(v.c)
	if !v.signed {
		return cut(d, v.w)
	}
	if v.c < 0 {
		d = -d
	}
	return d
}

// recipeOf returns the steps of a division in registers of N bits. ok is false if the divisor is 0,
// 1 or -1.
func recipeOf(N uint, v division) (r *recipe, ok bool) {
	d := v.magnitude()
	if d < 2 {
		return nil, false
	}
	r = new(recipe)
	var q int8
	if v.signed {
		q = r.signed(N, d)
		if v.c < 0 {
			q = r.add(stepNeg, q, 0, 0)
		}
	} else {
		q = r.unsigned(N, v.w, d)
	}
	r.quotient = q
	if v.rem {
		if v.signed && v.c > 0 && d&(d-1) == 0 {
			q = r.add(stepShl, q, 0, uint64(bits.TrailingZeros64(d)))
		} else {
			q = r.add(stepMul, q, 0, cut(uint64(v.c), N))
		}
		r.add(stepSub, 0, q, 0)
	}
	return r, true
}
