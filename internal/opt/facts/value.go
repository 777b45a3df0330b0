package facts

import "math/bits"

// A Width is a number of bits, 1 to 64.
type Width uint8

// mask has the bits of a width.
func (w Width) mask() uint64 { return ^uint64(0) >> (64 - w) }

// least and most are the ends of the signed numbers of a width.
func (w Width) least() int64 { return -1 << (w - 1) }
func (w Width) most() int64  { return 1<<(w-1) - 1 }

// sign is the bit of the sign.
func (w Width) sign() uint64 { return 1 << (w - 1) }

// zext and sext extend the low bits of x.
func (w Width) zext(x uint64) uint64 { return x & w.mask() }
func (w Width) sext(x uint64) int64  { return int64(x<<(64-w)) >> (64 - w) }

// A Value describes the possible numbers of a value: those that lie in both ranges and agree with
// the known bits. Bits above the width are in neither mask.
type Value struct {
	Lo, Hi      int64  // as a signed number
	ULo, UHi    uint64 // as an unsigned number
	Zeros, Ones uint64 // bits that are 0, bits that are 1
}

// Top describes all numbers.
func Top(w Width) Value { return Value{Lo: w.least(), Hi: w.most(), UHi: w.mask()} }

// Const describes one number, given by its low bits.
func Const(w Width, x int64) Value {
	s, u := w.sext(uint64(x)), w.zext(uint64(x))
	return Value{s, s, u, u, u ^ w.mask(), u}
}

// Signed describes the numbers from lo to hi.
func Signed(w Width, lo, hi int64) Value {
	v := Top(w)
	v.Lo, v.Hi = max(lo, v.Lo), min(hi, v.Hi)
	return v.Reduce(w)
}

// Unsigned describes the unsigned numbers from lo to hi.
func Unsigned(w Width, lo, hi uint64) Value {
	v := Top(w)
	v.ULo, v.UHi = lo, min(hi, v.UHi)
	return v.Reduce(w)
}

// Known describes the numbers with the given bits.
func Known(w Width, zeros, ones uint64) Value {
	v := Top(w)
	v.Zeros, v.Ones = zeros&w.mask(), ones&w.mask()
	return v.Reduce(w)
}

// Empty reports whether the views show that v has no members. (Some empty descriptions do not show
// it.)
func (v Value) Empty() bool { return v.Lo > v.Hi || v.ULo > v.UHi || v.Zeros&v.Ones != 0 }

// Contains reports whether the number with the bits x is a member.
func (v Value) Contains(w Width, x uint64) bool {
	s, u := w.sext(x), w.zext(x)
	return v.Lo <= s && s <= v.Hi && v.ULo <= u && u <= v.UHi && u&v.Zeros == 0 && u&v.Ones == v.Ones
}

// IsConst reports whether v has at most one member, and returns it.
func (v Value) IsConst() (int64, bool) { return v.Lo, v.Lo == v.Hi }

// PossibleOnes returns the mask of the bits that are set in some member.
func (v Value) PossibleOnes(w Width) uint64 { return w.mask() &^ v.Zeros }

// TrailingZeros returns how many of the low bits are 0 in every member: 2 to this power divides it.
func (v Value) TrailingZeros() uint { return uint(bits.TrailingZeros64(^v.Zeros)) }

// lowKnown returns how many of the low bits are known.
func (v Value) lowKnown() uint { return uint(bits.TrailingZeros64(^(v.Zeros | v.Ones))) }

// Join describes the members of either description.
func Join(a, b Value) Value {
	return Value{
		min(a.Lo, b.Lo), max(a.Hi, b.Hi),
		min(a.ULo, b.ULo), max(a.UHi, b.UHi),
		a.Zeros & b.Zeros, a.Ones & b.Ones,
	}
}

// Meet describes the common members of two descriptions.
func Meet(w Width, a, b Value) Value {
	return Value{
		max(a.Lo, b.Lo), min(a.Hi, b.Hi),
		max(a.ULo, b.ULo), min(a.UHi, b.UHi),
		a.Zeros | b.Zeros, a.Ones | b.Ones,
	}.Reduce(w)
}

// Reduce lets the views of v tighten each other. The members stay the same.
func (v Value) Reduce(w Width) Value {
	if v.Zeros|v.Ones != 0 {
		v = v.rangesFromBits(w)
	}
	v = v.acrossSigns(w)
	if v.Empty() {
		return v
	}
	// Above the first bit where the ends of the unsigned range differ, every number between them
	// has the same bits.
	same := w.mask() &^ (1<<bits.Len64(v.ULo^v.UHi) - 1)
	known := v.Zeros | v.Ones
	v.Zeros |= ^v.ULo & same
	v.Ones |= v.ULo & same
	if v.Zeros|v.Ones != known {
		return v.rangesFromBits(w).acrossSigns(w)
	}
	return v
}

// rangesFromBits tightens the ranges. The least member has only the required ones, the largest all
// possible ones, except for the sign.
func (v Value) rangesFromBits(w Width) Value {
	may := w.mask() &^ v.Zeros
	v.ULo, v.UHi = max(v.ULo, v.Ones), min(v.UHi, may)
	sign := w.sign()
	v.Lo = max(v.Lo, w.sext(v.Ones|may&sign))
	v.Hi = min(v.Hi, w.sext(may&^sign|v.Ones&sign))
	return v
}

// acrossSigns tightens each range by the other. Nonnegative numbers are the same in both. Negative
// ones lie above them in the unsigned order. If both signs are possible, neither range restricts
// the ends of the other.
func (v Value) acrossSigns(w Width) Value {
	noPlus := v.Hi < 0 || v.ULo > uint64(v.Hi)
	noMinus := v.Lo >= 0 || v.UHi < w.zext(uint64(v.Lo))
	switch {
	case noPlus && noMinus:
		v.Lo, v.Hi = 1, 0
	case noPlus:
		v.ULo, v.UHi = max(v.ULo, w.zext(uint64(v.Lo))), min(v.UHi, w.zext(uint64(min(v.Hi, -1))))
		v.Lo, v.Hi = w.sext(v.ULo), w.sext(v.UHi)
	case noMinus:
		v.ULo, v.UHi = max(v.ULo, uint64(max(v.Lo, 0))), min(v.UHi, uint64(v.Hi))
		v.Lo, v.Hi = int64(v.ULo), int64(v.UHi)
	}
	return v
}

// Without describes the members of v other than x, if x is at an end of one of its ranges.
func Without(w Width, v Value, x int64) Value {
	c := Const(w, x)
	if v.Lo == c.Lo && v.Lo < v.Hi {
		v.Lo++
	}
	if v.Hi == c.Lo && v.Lo < v.Hi {
		v.Hi--
	}
	if v.ULo == c.ULo && v.ULo < v.UHi {
		v.ULo++
	}
	if v.UHi == c.ULo && v.ULo < v.UHi {
		v.UHi--
	}
	return v.Reduce(w)
}
