package facts

import "math/bits"

// Sums, products, quotients and remainders.

// add describes a + b, wrapping.
func add(w Width, a, b Value) Value {
	v := Top(w)
	v.signedRun(w, uint64(a.Lo)+uint64(b.Lo), uint64(a.Hi)-uint64(a.Lo), uint64(b.Hi)-uint64(b.Lo))
	v.unsignedRun(w, a.ULo+b.ULo, a.UHi-a.ULo, b.UHi-b.ULo)
	v.sumBits(w, a.Zeros, a.Ones, b.Zeros, b.Ones, 0)
	return v.Reduce(w)
}

// sub describes a - b, wrapping.
func sub(w Width, a, b Value) Value {
	v := Top(w)
	v.signedRun(w, uint64(a.Lo)-uint64(b.Hi), uint64(a.Hi)-uint64(a.Lo), uint64(b.Hi)-uint64(b.Lo))
	v.unsignedRun(w, a.ULo-b.UHi, a.UHi-a.ULo, b.UHi-b.ULo)
	v.sumBits(w, a.Zeros, a.Ones, b.Ones, b.Zeros, 1) // a + ^b + 1
	return v.Reduce(w)
}

// run returns the last of the numbers from first to first+more+andMore, modulo 2^w. It is false if a
// number occurs twice among them.
func run(w Width, first, more, andMore uint64) (last uint64, ok bool) {
	n, carry := bits.Add64(more, andMore, 0)
	return first + n, carry == 0 && n <= w.mask()
}

// signedRun sets the signed range to a run of numbers, unless the run wraps in the signed order.
func (v *Value) signedRun(w Width, first, more, andMore uint64) {
	if last, ok := run(w, first, more, andMore); ok && w.sext(first) <= w.sext(last) {
		v.Lo, v.Hi = w.sext(first), w.sext(last)
	}
}

func (v *Value) unsignedRun(w Width, first, more, andMore uint64) {
	if last, ok := run(w, first, more, andMore); ok && w.zext(first) <= w.zext(last) {
		v.ULo, v.UHi = w.zext(first), w.zext(last)
	}
}

// sumBits sets the known bits of a sum of two numbers and a carry. All possible sums have the same
// carry into a place exactly if the largest and the least possible sum have. If so, and both
// operands are known at that place, the sum is known too.
func (v *Value) sumBits(w Width, az, ao, bz, bo, carry uint64) {
	if (az|ao)&(bz|bo) == 0 {
		return
	}
	most := ^az + ^bz + carry
	least := ao + bo + carry
	carryMost, carryLeast := most^^az^^bz, least^ao^bo // into each place
	known := (az | ao) & (bz | bo) &^ (carryMost ^ carryLeast) & w.mask()
	v.Zeros, v.Ones = known&^least, known&least
}

// mul describes a * b, wrapping.
func mul(w Width, a, b Value) Value {
	v := Top(w)
	if high, hi := bits.Mul64(a.UHi, b.UHi); high == 0 && hi <= w.mask() {
		v.ULo, v.UHi = a.ULo*b.ULo, hi
	}
	// A product is monotone in each operand, so its extremes are among the corners.
	lo, hi, ok := corners(a, b, func(x, y int64) (int64, bool) {
		p, ok := mulS(x, y)
		return p, ok && w.sext(uint64(p)) == p
	})
	if ok {
		v.Lo, v.Hi = lo, hi
	}
	// The low bits of the product depend on the low bits alone. Factors of 2 move known bits up.
	ta, tb := a.TrailingZeros(), b.TrailingZeros()
	if ta >= uint(w) || tb >= uint(w) {
		return Const(w, 0)
	}
	if n := min(a.lowKnown()-ta, b.lowKnown()-tb) + ta + tb; n > 0 {
		low := lowBits(n) & w.mask()
		p := a.Ones * b.Ones & low
		v.Zeros, v.Ones = low&^p, p
	}
	return v.Reduce(w)
}

// lowBits returns the mask of the n lowest bits.
func lowBits(n uint) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// corners returns the least and the largest of f at the ends of two signed ranges.
func corners(a, b Value, f func(x, y int64) (int64, bool)) (lo, hi int64, ok bool) {
	for i, x := range [2]int64{a.Lo, a.Hi} {
		for k, y := range [2]int64{b.Lo, b.Hi} {
			r, ok := f(x, y)
			if !ok {
				return 0, 0, false
			}
			if i+k == 0 {
				lo, hi = r, r
			}
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	return lo, hi, true
}

// mulS multiplies, and reports whether the product did not overflow.
func mulS(x, y int64) (int64, bool) {
	high, low := mulS128(x, y)
	return int64(low), high == int64(low)>>63
}

// mulS128 returns the full product of two signed numbers.
func mulS128(x, y int64) (high int64, low uint64) {
	h, low := bits.Mul64(uint64(x), uint64(y))
	return int64(h) - x>>63&y - y>>63&x, low
}

// mulHiU describes the upper half of the unsigned product.
func mulHiU(w Width, a, b Value) Value {
	up := func(x, y uint64) uint64 {
		h, l := bits.Mul64(x, y)
		return h<<(64-w) | l>>w
	}
	return Unsigned(w, up(a.ULo, b.ULo), up(a.UHi, b.UHi))
}

// mulHiS describes the upper half of the signed product. Rounding down keeps the order.
func mulHiS(w Width, a, b Value) Value {
	lo, hi, _ := corners(a, b, func(x, y int64) (int64, bool) {
		h, l := mulS128(x, y)
		return h<<(64-w) | int64(l>>w), true
	})
	return Signed(w, lo, hi)
}

// divU describes the unsigned quotient of a by b, which is not zero.
func divU(w Width, a, b Value) Value {
	if b.UHi == 0 {
		return Top(w)
	}
	return Unsigned(w, a.ULo/b.UHi, a.UHi/max(b.ULo, 1))
}

// divS describes the signed quotient toward zero of a by b, which is not zero.
func divS(w Width, a, b Value) Value {
	// For divisors of one sign the quotient is monotone in both operands.
	lo, hi, any := int64(0), int64(0), false
	for _, d := range [2]Value{{Lo: b.Lo, Hi: min(b.Hi, -1)}, {Lo: max(b.Lo, 1), Hi: b.Hi}} {
		if d.Lo > d.Hi {
			continue
		}
		if a.Lo == w.least() && d.Lo <= -1 && -1 <= d.Hi {
			return Top(w) // the one quotient that wraps
		}
		l, h, _ := corners(a, d, func(x, y int64) (int64, bool) { return x / y, true })
		if !any {
			lo, hi, any = l, h, true
		}
		lo, hi = min(lo, l), max(hi, h)
	}
	if !any {
		return Top(w)
	}
	return Signed(w, lo, hi)
}

// remU describes the unsigned remainder of a by b, which is not zero.
func remU(w Width, a, b Value) Value {
	if b.UHi == 0 {
		return Top(w)
	}
	if a.UHi < b.ULo {
		return a
	}
	v := Top(w)
	v.UHi = min(a.UHi, b.UHi-1)
	v.lowBitsOf(a, b)
	return v.Reduce(w)
}

// remS describes the signed remainder of a by b, which is not zero. It is smaller than b and has
// a's sign.
func remS(w Width, a, b Value) Value {
	v := Top(w)
	if m := max(magnitude(b.Lo), magnitude(b.Hi)); m > 0 {
		below := int64(m - 1)
		v.Lo = max(min(a.Lo, 0), -below)
		v.Hi = min(max(a.Hi, 0), below)
	}
	if least := leastMagnitude(b); max(magnitude(a.Lo), magnitude(a.Hi)) < least {
		return a
	}
	v.lowBitsOf(a, b)
	return v.Reduce(w)
}

// lowBitsOf: a - q*b has the low bits of a where b has only zeros.
func (v *Value) lowBitsOf(a, b Value) {
	low := lowBits(b.TrailingZeros())
	v.Zeros, v.Ones = a.Zeros&low, a.Ones&low
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// leastMagnitude is the smallest magnitude of a member other than zero.
func leastMagnitude(b Value) uint64 {
	switch {
	case b.Lo > 0:
		return uint64(b.Lo)
	case b.Hi < 0:
		return magnitude(b.Hi)
	}
	return 1
}
