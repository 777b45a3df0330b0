package amd64

import (
	"math/big"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// Division by a constant is multiplication by its reciprocal, scaled to an
// integer: T. Granlund, P. Montgomery, Division by Invariant Integers using
// Multiplication (1994). Operands are extended to 64 bits first where that is enough.

// ri, rr, mulHi and shiftRight compute intermediate values.
func (s *selector) ri(op Op, x regalloc.VReg, imm int64) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kRI, op: op, size: S64, imm: imm}, []regalloc.Use{inReg(x)}, []regalloc.Def{{V: d, Need: regalloc.Same}})
	return d
}

func (s *selector) rr(op Op, x, y regalloc.VReg) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kRR, op: op, size: S64}, []regalloc.Use{inReg(x), inReg(y)}, []regalloc.Def{{V: d, Need: regalloc.Same}})
	return d
}

func (s *selector) add(x, y regalloc.VReg) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.emit(inst{kind: kLea, size: S64, m: mem{kind: memHostX, scale: 1}}, []regalloc.Use{inReg(x), inReg(y)}, s.reg(d))
	return d
}

func (s *selector) mulHi(op Op, x, y regalloc.VReg) regalloc.VReg {
	d := s.newVReg(ir.I64, false)
	s.mulHiTo(op, x, y, d)
	return d
}

// mulHiTo selects the upper half of a product: op is MUL1 or IMUL1.
func (s *selector) mulHiTo(op Op, x, y, d regalloc.VReg) {
	in := s.emit(inst{kind: kMul, op: op}, []regalloc.Use{{V: x, Need: regalloc.Fixed, Reg: regalloc.Reg(RAX)}, inReg(y)},
		[]regalloc.Def{{V: d, Need: regalloc.Fixed, Reg: regalloc.Reg(RDX)}})
	in.Clobber = setOf(RAX)
}

// widened returns a register with all 64 bits of v.
func (s *selector) widened(v *ir.Value, signed bool) regalloc.VReg {
	x := s.use(v)
	switch {
	case v.Type == ir.I64 || !signed && s.isClean(v):
		return x
	case signed && s.signed(alias(v)) && alias(v).Type == v.Type:
		return x
	}
	d := s.newVReg(ir.I64, false)
	if signed {
		s.signExtendTo(x, v.Type, d)
	} else {
		s.zeroExtend(x, v.Type, d)
	}
	return d
}

// divideByConst selects a division by a constant other than 0, 1 and -1. It
// reports false where a division is needed.
func (s *selector) divideByConst(v *ir.Value) bool {
	k := alias(v.Args[1])
	if k.Op != ir.OpConst {
		return false
	}
	width := v.Type.Bits()
	signed := v.Op == ir.OpDivS || v.Op == ir.OpRemS
	c := ir.TruncConst(v.Type, k.Aux)
	var d uint64 // the divisor's magnitude
	switch {
	case signed:
		d = uint64(c)
		if c < 0 {
			d = -d
		}
	default:
		d = uint64(c) & (1<<width - 1) // all of it for width 64
		if width == 64 {
			d = uint64(c)
		}
	}
	if d < 2 {
		return false
	}
	x := s.widened(v.Args[0], signed)
	var q regalloc.VReg
	if signed {
		q = s.quotientS(x, d)
		if c < 0 {
			n := s.newVReg(ir.I64, false)
			s.emit(inst{kind: kR, op: NEG, size: S64}, []regalloc.Use{inReg(q)}, []regalloc.Def{{V: n, Need: regalloc.Same}})
			q = n
		}
	} else {
		q = s.quotientU(x, d, int(width))
	}
	res := q
	if v.Op == ir.OpRemS || v.Op == ir.OpRemU {
		p := q
		switch {
		case signed && d&(d-1) == 0 && c > 0:
			p = s.ri(SHL, q, int64(bits.TrailingZeros64(d)))
		case c == int64(int32(c)):
			p = s.newVReg(ir.I64, false)
			s.emit(inst{kind: kRRI, op: IMUL, size: S64, imm: c}, []regalloc.Use{inReg(q)}, s.reg(p))
		default:
			p = s.rr(IMUL, q, s.constant(ir.I64, c))
		}
		res = s.rr(SUB, x, p)
	}
	s.vregs[v.ID] = res
	return true
}

// quotientS is the quotient of 64-bit x by d, 2 to 1<<63.
func (s *selector) quotientS(x regalloc.VReg, d uint64) regalloc.VReg {
	if d&(d-1) == 0 {
		n := int64(bits.TrailingZeros64(d))
		t := x
		if n > 1 {
			t = s.ri(SAR, x, 63)
		}
		t = s.ri(SHR, t, 64-n) // 2^n - 1 if x is negative
		return s.ri(SAR, s.add(x, t), n)
	}
	// M = floor(2^(63+n) / d) + 1 with 2^(n-1) < d < 2^n: below 2^64.
	n := bits.Len64(d)
	m := new(big.Int).Lsh(big.NewInt(1), uint(63+n))
	m.Quo(m, new(big.Int).SetUint64(d))
	m.Add(m, big.NewInt(1))
	k := int64(m.Uint64())
	q := s.mulHi(IMUL1, x, s.constant(ir.I64, k))
	if k < 0 { // taken as k - 2^64
		q = s.add(q, x)
	}
	if n > 1 {
		q = s.ri(SAR, q, int64(n-1))
	}
	return s.add(q, s.ri(SHR, x, 63))
}

// quotientU is the quotient of x, which has at most width bits, by d.
func (s *selector) quotientU(x regalloc.VReg, d uint64, width int) regalloc.VReg {
	if d&(d-1) == 0 {
		return s.ri(SHR, x, int64(bits.TrailingZeros64(d)))
	}
	// M = ceil(2^(64+n) / d) with 2^(n-1) < d < 2^n has 65 bits; where x is shorter, or M
	// is even, fewer will do.
	n := bits.Len64(d)
	div := new(big.Int).SetUint64(d)
	ceil := func(shift int) *big.Int {
		m := new(big.Int).Lsh(big.NewInt(1), uint(shift))
		m.Add(m, div)
		m.Sub(m, big.NewInt(1))
		return m.Quo(m, div)
	}
	if width < 64 {
		// Exact for x < 2^width: 2^(width+n) is precise enough.
		if m := ceil(width + n); m.BitLen() <= 64 {
			// The product may have 97 bits: take the upper half.
			shift := width + n - 64
			if shift >= 0 {
				q := s.mulHi(MUL1, x, s.constant(ir.I64, int64(m.Uint64())))
				if shift > 0 {
					q = s.ri(SHR, q, int64(shift))
				}
				return q
			}
			m.Lsh(m, uint(-shift))
			return s.mulHi(MUL1, x, s.constant(ir.I64, int64(m.Uint64())))
		}
	}
	if even := bits.TrailingZeros64(d); even > 0 {
		// Shift first: then x has fewer bits.
		e := d >> even
		ne := bits.Len64(e)
		m := new(big.Int).Lsh(big.NewInt(1), uint(64-even+ne))
		ed := new(big.Int).SetUint64(e)
		m.Add(m, ed)
		m.Sub(m, big.NewInt(1))
		m.Quo(m, ed)
		if m.BitLen() <= 64 {
			q := s.mulHi(MUL1, s.ri(SHR, x, int64(even)), s.constant(ir.I64, int64(m.Uint64())))
			if sh := ne - even; sh > 0 {
				return s.ri(SHR, q, int64(sh))
			} else if sh == 0 {
				return q
			}
		}
	}
	m := ceil(64 + n)
	low := new(big.Int).Sub(m, new(big.Int).Lsh(big.NewInt(1), 64))
	q := s.mulHi(MUL1, x, s.constant(ir.I64, int64(low.Uint64())))
	// (x*M) >> (64+n) = (q + x) >> n with a carry: ((x - q) >> 1 + q) >> (n-1)
	t := s.add(s.ri(SHR, s.rr(SUB, x, q), 1), q)
	return s.ri(SHR, t, int64(n-1))
}
