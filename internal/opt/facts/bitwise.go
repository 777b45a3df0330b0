package facts

import "math/bits"

// Operations on bits, shifts, counts, and changes of width.

func not(w Width, a Value) Value {
	m := w.mask()
	return Value{^a.Hi, ^a.Lo, m - a.UHi, m - a.ULo, a.Ones, a.Zeros}
}

func and(w Width, a, b Value) Value {
	v := Top(w)
	v.UHi = min(a.UHi, b.UHi)
	v.Zeros, v.Ones = a.Zeros|b.Zeros, a.Ones&b.Ones
	return v.Reduce(w)
}

func or(w Width, a, b Value) Value {
	v := Top(w)
	v.ULo = max(a.ULo, b.ULo)
	v.Zeros, v.Ones = a.Zeros&b.Zeros, a.Ones|b.Ones
	return v.Reduce(w)
}

func xor(w Width, a, b Value) Value {
	v := Top(w)
	v.Zeros, v.Ones = a.Zeros&b.Zeros|a.Ones&b.Ones, a.Zeros&b.Ones|a.Ones&b.Zeros
	return v.Reduce(w)
}

// shl describes a << n: 0 for counts from the width on.
func shl(w Width, a, n Value) Value {
	if n.ULo >= uint64(w) {
		return Const(w, 0)
	}
	v := Top(w)
	// No bit is lost by the largest count: then it is a product.
	if k, j := n.UHi, n.ULo; k < uint64(w) {
		if a.UHi <= w.mask()>>k {
			v.ULo, v.UHi = a.ULo<<j, a.UHi<<k
		}
		if a.Lo >= w.least()>>k && a.Hi <= w.most()>>k {
			v.Lo = min(a.Lo<<j, a.Lo<<k)
			v.Hi = max(a.Hi<<j, a.Hi<<k)
		}
	}
	k := uint(n.ULo)
	if n.ULo == n.UHi {
		v.Ones = a.Ones << k & w.mask()
		v.Zeros = (a.Zeros<<k | lowBits(k)) & w.mask()
	} else {
		v.Zeros = lowBits(a.TrailingZeros()+k) & w.mask()
	}
	return v.Reduce(w)
}

// shrU describes the logical shift of a to the right by n.
func shrU(w Width, a, n Value) Value {
	v := Top(w)
	v.ULo, v.UHi = a.ULo>>n.UHi, a.UHi>>n.ULo
	if k := n.ULo; k == n.UHi && k < uint64(w) {
		v.Ones = a.Ones >> k
		v.Zeros = a.Zeros>>k | w.mask()&^(w.mask()>>k)
	}
	return v.Reduce(w)
}

// shrS describes the arithmetic shift of a to the right by n.
func shrS(w Width, a, n Value) Value {
	v := Top(w)
	v.Lo = min(a.Lo>>n.ULo, a.Lo>>n.UHi)
	v.Hi = max(a.Hi>>n.ULo, a.Hi>>n.UHi)
	if k := n.ULo; k == n.UHi {
		v.Ones = w.zext(uint64(w.sext(a.Ones) >> k))
		v.Zeros = w.zext(uint64(w.sext(a.Zeros) >> k))
	}
	return v.Reduce(w)
}

// rotl describes a rotated to the left by n modulo the width.
func rotl(w Width, a, n Value) Value {
	v := Top(w)
	if n.ULo == n.UHi {
		k := n.ULo % uint64(w)
		turn := func(x uint64) uint64 { return w.zext(x<<k | x>>(uint64(w)-k)) }
		v.Zeros, v.Ones = turn(a.Zeros), turn(a.Ones)
	}
	return v.Reduce(w)
}

func clz(w Width, a Value) Value {
	return Unsigned(w, uint64(w)-uint64(bits.Len64(a.UHi)), uint64(w)-uint64(bits.Len64(a.ULo)))
}

func ctz(w Width, a Value) Value {
	lo, hi := min(uint64(a.TrailingZeros()), uint64(w)), uint64(w)
	if a.ULo > 0 {
		hi = uint64(bits.Len64(a.UHi)) - 1
	}
	if a.Ones != 0 {
		hi = min(hi, uint64(bits.TrailingZeros64(a.Ones)))
	}
	return Unsigned(w, lo, hi)
}

func popcnt(w Width, a Value) Value {
	lo, hi := uint64(bits.OnesCount64(a.Ones)), uint64(w)-uint64(bits.OnesCount64(a.Zeros))
	if a.ULo > 0 {
		lo = max(lo, 1)
	}
	return Unsigned(w, lo, hi)
}

func bswap(w Width, a Value) Value {
	turn := func(x uint64) uint64 { return bits.ReverseBytes64(x) >> (64 - w) }
	return Known(w, turn(a.Zeros), turn(a.Ones))
}

func sext(to, from Width, a Value) Value {
	v := Top(to)
	v.Lo, v.Hi = a.Lo, a.Hi
	v.Zeros, v.Ones = to.zext(uint64(from.sext(a.Zeros))), to.zext(uint64(from.sext(a.Ones)))
	return v.Reduce(to)
}

func zext(to, from Width, a Value) Value {
	v := Top(to)
	v.ULo, v.UHi = a.ULo, a.UHi
	v.Zeros, v.Ones = a.Zeros|to.mask()&^from.mask(), a.Ones
	return v.Reduce(to)
}

func trunc(to, _ Width, a Value) Value {
	v := Top(to)
	v.signedRun(to, uint64(a.Lo), uint64(a.Hi)-uint64(a.Lo), 0)
	v.unsignedRun(to, a.ULo, a.UHi-a.ULo, 0)
	v.Zeros, v.Ones = to.zext(a.Zeros), to.zext(a.Ones)
	return v.Reduce(to)
}
