package amd64

import (
	"hash/crc32"
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// writeCount counts the byte in RSI among RCX bytes.
func writeCount(a *Asm) {
	large, loop, narrow, tail, last, short, one, done := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(),
		a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	m := moveRegs[:4]
	zero, sum, sep := X12, bulkX, bulkY
	tooLarge(a, RCX, plan.CountMost, large)
	host(a, RDI)
	a.RM(LEA, S64, R9, At(RDI, 0).Plus(RCX, 1)) // end
	a.RR(MOVZX8, S32, RSI, RSI)
	a.RRI(IMUL, S32, RDX, RSI, 0x01010101)
	a.RR(MOVD, S32, sep, RDX)
	a.RRI(PSHUFD, S32, sep, sep, 0)
	a.RR(XOR, S32, RAX, RAX)
	if hasAVX2 {
		countWide(a, m, sep, tail)
	}
	a.RR(XORPS, S32, sum, sum)
	a.RR(XORPS, S32, zero, zero)
	a.Bind(loop)
	a.RM(LEA, S64, RDX, At(RDI, 64))
	a.RR(CMP, S64, RDX, R9)
	a.Jcc(A, narrow)
	for i, r := range m {
		a.RM(MOVUPS, S32, r, At(RDI, int32(16*i)))
		a.RR(PCMPEQB, S32, r, sep)
	}
	a.RR(PADDB, S32, m[0], m[1])
	a.RR(PADDB, S32, m[2], m[3])
	a.RR(PADDB, S32, m[0], m[2])
	a.RR(MOVAPS, S32, m[1], zero)
	a.RR(PSUBB, S32, m[1], m[0])
	a.RR(PSADBW, S32, m[1], zero)
	a.RR(PADDQ, S32, sum, m[1])
	a.RR(MOV, S64, RDI, RDX)
	a.Jmp(loop)
	// The sum of both halves, then 16 at a time.
	a.Bind(narrow)
	a.RR(MOVDT, S64, RAX, sum)
	a.RR(MOVAPS, S32, m[0], sum)
	a.RI(PSRLDQ, S32, m[0], 8)
	a.RR(MOVDT, S64, RDX, m[0])
	a.RR(ADD, S64, RAX, RDX)
	a.Bind(tail)
	a.RM(LEA, S64, RDX, At(RDI, 16))
	a.RR(CMP, S64, RDX, R9)
	a.Jcc(A, last)
	a.RM(MOVUPS, S32, m[0], At(RDI, 0))
	a.RR(PCMPEQB, S32, m[0], sep)
	a.RR(PMOVMSKB, S32, bulkB, m[0])
	a.RR(POPCNT, S32, bulkB, bulkB)
	a.RR(ADD, S64, RAX, bulkB)
	a.RR(MOV, S64, RDI, RDX)
	a.Jmp(tail)
	// Fewer than 16 are left: the upper bits of the mask of the last 16, if there are so many.
	a.Bind(last)
	a.RI(CMP, S64, RCX, 16)
	a.Jcc(B, short)
	a.RM(MOVUPS, S32, m[0], At(R9, -16))
	a.RR(PCMPEQB, S32, m[0], sep)
	a.RR(PMOVMSKB, S32, bulkB, m[0])
	a.RR(SUB, S64, RDX, R9) // what those have that is counted already
	a.RR(MOV, S32, RCX, RDX)
	a.R(SHR, S32, bulkB)
	a.RR(POPCNT, S32, bulkB, bulkB)
	a.RR(ADD, S64, RAX, bulkB)
	a.Jmp(done)
	a.Bind(short)
	a.RI(TEST, S32, RCX, 8)
	a.Jcc(E, one)
	a.RM(MOVSD, S64, m[0], At(RDI, 0))
	a.RR(PCMPEQB, S32, m[0], sep)
	a.RR(PMOVMSKB, S32, bulkB, m[0])
	a.RR(MOVZX8, S32, bulkB, bulkB)
	a.RR(POPCNT, S32, RAX, bulkB)
	a.RI(ADD, S64, RDI, 8)
	a.Bind(one)
	a.RR(CMP, S64, RDI, R9)
	a.Jcc(AE, done)
	a.RR(XOR, S32, RDX, RDX)
	a.RM(CMP, S8, RSI, At(RDI, 0))
	a.Setcc(E, RDX)
	a.RR(ADD, S64, RAX, RDX)
	a.RI(ADD, S64, RDI, 1)
	a.Jmp(one)
	a.Bind(done)
	finish(a, large)
}

// countWide counts 128 bytes at a time if there are so many, and leaves fewer than 128 to the code at rest.
func countWide(a *Asm, m []Reg, sep Reg, rest Label) {
	narrow, loop := a.NewLabel(), a.NewLabel()
	a.RI(CMP, S64, RCX, 128)
	a.Jcc(B, narrow)
	a.RR(VPBROADCASTDY, S32, sep, sep)
	a.RM(LEA, S64, RSI, At(R9, -128)) // of the last round
	a.Bind(loop)
	for i, r := range m {
		a.RRM(VPCMPEQBY, S32, r, sep, At(RDI, int32(32*i)))
	}
	for i, r := range m {
		counted := []Reg{RDX, bulkB}[i%2]
		a.RR(VPMOVMSKBY, S32, counted, r)
		a.RR(POPCNT, S32, counted, counted)
		a.RR(ADD, S64, RAX, counted)
	}
	a.RI(ADD, S64, RDI, 128)
	a.RR(CMP, S64, RDI, RSI)
	a.Jcc(BE, loop)
	endWide(a)
	a.Jmp(rest)
	a.Bind(narrow)
}

// # Check sums
//
// The bytes of a message are the coefficients of a polynomial, the first byte's lowest bit that of the
// highest power; so in a word bit i belongs to the power 63-i. The sum is the remainder of the message,
// times x^32, by a polynomial of degree 32.
//
// Two words that are multiplied without carries give 127 bits, which belong to powers from 126 down. Put
// into 128 bits from the lowest, they are one power short, so factors are one power less.
//
// See Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ", Intel 2009.

// A poly holds what the routine needs for one polynomial, as words of memory.
type poly struct {
	by64, by16 [2]uint64 // factors that move a block by so many bytes: of its first word, of the second
	inverse    uint64    // of the polynomial with 33 bits, in the lowest 64 powers: cancels a word
	whole      uint64    // the polynomial with 33 bits

	by128, by32 [4]uint64 // factors for two blocks in one register
}

// newPoly computes them for a polynomial of which bit i belongs to x^(31-i).
func newPoly(p uint32) poly {
	power := func(n int) uint64 { // x^n, in the upper half of a word
		r := uint32(1) << 31
		for range n {
			odd := r & 1
			r = r>>1 ^ p&-odd
		}
		return uint64(r) << 32
	}
	whole := uint64(p)<<1 | 1
	inverse, rest := uint64(0), uint64(1) // rest: what whole * inverse still differs by from 1
	for i := range 64 {
		if rest>>i&1 != 0 {
			inverse |= 1 << i
			rest ^= whole << i
		}
	}
	by := func(bytes int) [2]uint64 { return [2]uint64{power(bytes*8 + 63), power(bytes*8 - 1)} }
	twice := func(f [2]uint64) [4]uint64 { return [4]uint64{f[0], f[1], f[0], f[1]} }
	return poly{by64: by(64), by16: by(16), inverse: inverse, whole: whole, by128: twice(by(128)), by32: twice(by(32))}
}

// crcPolys are the polynomials that the kernel knows.
var crcPolys = []uint32{crc32.IEEE, crc32.Castagnoli}

// writeCRC32 adds RCX bytes at RDI to the sum in RDX, by the polynomial in RSI.
func writeCRC32(a *Asm) {
	large := a.NewLabel()
	if !hasPCLMULQDQ {
		refuse(a)
		return
	}
	tooLarge(a, RCX, sumMost, large)
	known := a.NewLabel()
	for _, p := range crcPolys {
		words := newPoly(p)
		table := slices.Concat(words.by64[:], words.by16[:], []uint64{words.inverse, words.whole}, words.by128[:], words.by32[:])
		a.RM(LEA, S64, R9, AtLabel(a.WordTable(table...)))
		a.RI(CMP, S32, RSI, int64(p))
		a.Jcc(E, known)
	}
	a.Jmp(large)
	a.Bind(known)
	host(a, RDI)
	factors, both, t, high := X11, X12, bulkX, bulkY
	m := moveRegs[:4]
	fold16 := func(r Reg) { // r moves by what factors says
		a.RR(MOVAPS, S32, t, r)
		a.RRI(PCLMULQDQ, S32, t, factors, 0x00)
		a.RRI(PCLMULQDQ, S32, r, factors, 0x11)
		a.RR(PXOR, S32, r, t)
	}
	a.RM(MOVUPS, S32, both, At(R9, 32))
	a.RR(MOV, S32, RDX, RDX)
	a.RI(XOR, S32, RDX, -1)
	eights, fours, merge, sixteen, reduce := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	last := m[3]
	if hasVPCLMULQDQ { // two blocks in each of four registers
		short, loop, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
		fold := func(r Reg) {
			a.RRRI(VPCLMULQDQY, S32, t, r, factors, 0x00)
			a.RRRI(VPCLMULQDQY, S32, r, r, factors, 0x11)
			a.RRR(VXORPSY, S32, r, r, t)
		}
		a.RI(CMP, S64, RCX, 256)
		a.Jcc(B, short)
		a.None(VZEROUPPER) // the sum is part of a register whose other parts are 0
		a.RR(MOVD, S32, t, RDX)
		for i, r := range m {
			a.RM(VMOVUPSY, S32, r, At(RDI, int32(32*i)))
		}
		a.RRR(VXORPSY, S32, m[0], m[0], t)
		a.RR(XOR, S32, RDX, RDX)
		a.RM(VMOVUPSY, S32, factors, At(R9, 48))
		a.Bind(loop)
		a.RI(ADD, S64, RDI, 128)
		a.RI(SUB, S64, RCX, 128)
		a.RI(CMP, S64, RCX, 128)
		a.Jcc(B, end)
		for i, r := range m {
			fold(r)
			a.RRM(VXORPSY, S32, r, r, At(RDI, int32(32*i)))
		}
		a.Jmp(loop)
		a.Bind(end)
		a.RM(VMOVUPSY, S32, factors, At(R9, 80))
		for i, r := range m[1:] {
			fold(m[i])
			a.RRR(VXORPSY, S32, r, r, m[i])
		}
		a.RRI(VPERMQY, S32, high, last, 0x4e)
		a.None(VZEROUPPER)
		a.RM(MOVUPS, S32, factors, At(R9, 16))
		fold16(last)
		a.RR(PXOR, S32, last, high)
		a.Jmp(sixteen)
		a.Bind(short)
	}
	a.RI(CMP, S64, RCX, 64)
	a.Jcc(B, eights)
	for i, r := range m {
		a.RM(MOVUPS, S32, r, At(RDI, int32(16*i)))
	}
	a.RR(MOVD, S32, t, RDX)
	a.RR(PXOR, S32, m[0], t)
	a.RR(XOR, S32, RDX, RDX)
	a.RM(MOVUPS, S32, factors, At(R9, 0))
	a.Bind(fours)
	a.RI(ADD, S64, RDI, 64)
	a.RI(SUB, S64, RCX, 64)
	a.RI(CMP, S64, RCX, 64)
	a.Jcc(B, merge)
	for i, r := range m {
		fold16(r)
		a.RM(MOVUPS, S32, t, At(RDI, int32(16*i)))
		a.RR(PXOR, S32, r, t)
	}
	a.Jmp(fours)
	a.Bind(merge)
	a.RM(MOVUPS, S32, factors, At(R9, 16))
	for i, r := range m[1:] {
		fold16(m[i])
		a.RR(PXOR, S32, r, m[i])
	}
	a.Bind(sixteen)
	a.RI(CMP, S64, RCX, 16)
	a.Jcc(B, reduce)
	fold16(last)
	a.RM(MOVUPS, S32, t, At(RDI, 0))
	a.RR(PXOR, S32, last, t)
	a.RI(ADD, S64, RDI, 16)
	a.RI(SUB, S64, RCX, 16)
	a.Jmp(sixteen)
	// step makes the sum, in RDX, of the word in RAX: the multiple of the polynomial that cancels it
	// leaves 32 bits above.
	step := func() {
		a.RR(MOVD, S64, t, RAX)
		a.RRI(PCLMULQDQ, S32, t, both, 0x00)
		a.RRI(PCLMULQDQ, S32, t, both, 0x10)
		a.RI(PSRLDQ, S32, t, 8)
		a.RR(MOVDT, S32, RDX, t)
	}
	a.Bind(reduce)
	a.RR(MOVDT, S64, RAX, last)
	a.RI(PSRLDQ, S32, last, 8)
	step()
	a.RR(MOVDT, S64, RAX, last)
	a.RR(XOR, S64, RAX, RDX)
	step()
	tail, end := a.NewLabel(), a.NewLabel()
	a.Bind(eights)
	a.RI(CMP, S64, RCX, 8)
	a.Jcc(B, tail)
	a.RM(MOV, S64, RAX, At(RDI, 0))
	a.RR(XOR, S64, RAX, RDX)
	step()
	a.RI(ADD, S64, RDI, 8)
	a.RI(SUB, S64, RCX, 8)
	a.Jmp(eights)
	a.Bind(tail)
	single := a.NewLabel()
	a.RR(TEST, S64, RCX, RCX)
	a.Jcc(E, end)
	// Fewer than eight: four at once, then one by one. A word has them as its last bytes; what they do
	// not reach of the sum stays.
	part := func(n int) {
		if n == 4 {
			a.RM(MOV, S32, RAX, At(RDI, 0))
		} else {
			a.RM(MOVZX8, S32, RAX, At(RDI, 0))
		}
		a.RR(XOR, S64, RAX, RDX)
		a.RI(SHL, S64, RAX, int64(64-8*n))
		a.RR(MOV, S32, RSI, RDX)
		step()
		if n < 4 {
			a.RI(SHR, S32, RSI, int64(8*n))
			a.RR(XOR, S32, RDX, RSI)
		}
		a.RI(ADD, S64, RDI, int64(n))
		a.RI(SUB, S64, RCX, int64(n))
	}
	a.RI(CMP, S64, RCX, 4)
	a.Jcc(B, single)
	part(4)
	a.Jcc(E, end)
	a.Bind(single)
	part(1)
	a.Jcc(NE, single)
	a.Bind(end)
	a.RI(XOR, S32, RDX, -1)
	a.RR(MOV, S32, RAX, RDX)
	finish(a, large)
}

// # SHA-256

// writeSHA256 adds the whole blocks among RCX bytes at RSI to the eight words at RDI. The two
// registers of the state hold a, b, e, f and c, d, g, h, the highest first, as the instructions want
// them.
func writeSHA256(a *Asm) {
	large := a.NewLabel()
	if !hasSHA {
		refuse(a)
		return
	}
	end, block := a.NewLabel(), a.NewLabel()
	w, abef, cdgh, was, wasToo, m, t, order := X0, X1, X2, X3, X4, []Reg{X7, X8, X9, X10}, X11, X12
	tooLarge(a, RCX, plan.CountMost, large)
	host(a, RDI, RSI)
	a.RI(SHR, S64, RCX, 6)
	a.Jcc(E, end)
	a.RM(MOVUPS, S32, order, AtLabel(a.WordTable(0x0405060700010203, 0x0c0d0e0f08090a0b)))
	a.RM(LEA, S64, RAX, AtLabel(a.WordTable(plan.SHA256Words()...)))
	a.RM(MOVUPS, S32, t, At(RDI, 0))
	a.RM(MOVUPS, S32, cdgh, At(RDI, 16))
	a.RRI(PSHUFD, S32, t, t, 0xb1)
	a.RRI(PSHUFD, S32, cdgh, cdgh, 0x1b)
	a.RR(MOVAPS, S32, abef, t)
	a.RRI(PALIGNR, S32, abef, cdgh, 8)
	a.RRI(PBLENDW, S32, cdgh, t, 0xf0)
	a.Bind(block)
	a.RR(MOVAPS, S32, was, abef)
	a.RR(MOVAPS, S32, wasToo, cdgh)
	for i := range 16 { // four rounds each
		now, next, before := m[i%4], m[(i+1)%4], m[(i+3)%4]
		if i < 4 {
			a.RM(MOVUPS, S32, now, At(RSI, int32(16*i)))
			a.RR(PSHUFB, S32, now, order)
		}
		a.RM(MOVUPS, S32, w, At(RAX, int32(16*i)))
		a.RR(PADDD, S32, w, now)
		a.RR(SHA256RNDS2, S32, cdgh, abef)
		if i >= 3 && i < 15 {
			a.RR(MOVAPS, S32, t, now)
			a.RRI(PALIGNR, S32, t, before, 4)
			a.RR(PADDD, S32, next, t)
			a.RR(SHA256MSG2, S32, next, now)
		}
		a.RRI(PSHUFD, S32, w, w, 0x0e)
		a.RR(SHA256RNDS2, S32, abef, cdgh)
		if i >= 1 && i < 13 {
			a.RR(SHA256MSG1, S32, before, now)
		}
	}
	a.RR(PADDD, S32, abef, was)
	a.RR(PADDD, S32, cdgh, wasToo)
	a.RI(ADD, S64, RSI, 64)
	a.RI(SUB, S64, RCX, 1)
	a.Jcc(NE, block)
	a.RRI(PSHUFD, S32, t, abef, 0x1b)
	a.RRI(PSHUFD, S32, cdgh, cdgh, 0xb1)
	a.RR(MOVAPS, S32, abef, t)
	a.RRI(PBLENDW, S32, abef, cdgh, 0xf0)
	a.RRI(PALIGNR, S32, cdgh, t, 8)
	a.MR(MOVUPS, S32, At(RDI, 0), abef)
	a.MR(MOVUPS, S32, At(RDI, 16), cdgh)
	a.Bind(end)
	finish(a, large)
}

// # Vectors of words
//
// RDI has the vector z, RSI x and R8 y, RCX their number of words.

// vectors begins a routine over words. It returns with the carry set if there are none or too many.
func vectors(a *Asm, large Label, regs ...Reg) {
	a.RM(LEA, S64, RAX, At(RCX, -1))
	tooLarge(a, RAX, plan.WordsMost-1, large)
	host(a, regs...)
}

// byFours writes a loop over RCX words: four at a time, then the rest one by one. word writes the
// operations on word i. They may hand on the carry, which the loop keeps. count is free.
func byFours(a *Asm, count Reg, pointers []Reg, word func(i int)) {
	four, rest, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
	advance := func(by int32) {
		for _, p := range pointers {
			a.RM(LEA, S64, p, At(p, by))
		}
	}
	a.RR(MOV, S64, count, RCX)
	a.RI(SHR, S64, count, 2)
	a.RI(AND, S32, RCX, 3) // clears the carry
	a.R(INC, S64, count)
	a.R(DEC, S64, count)
	a.Jcc(E, rest)
	a.Bind(four)
	for i := range 4 {
		word(i)
	}
	advance(32)
	a.R(DEC, S64, count)
	a.Jcc(NE, four)
	a.Bind(rest)
	a.R(INC, S32, RCX)
	a.R(DEC, S32, RCX)
	a.Jcc(E, end)
	single := a.NewLabel()
	a.Bind(single)
	word(0)
	advance(8)
	a.R(DEC, S32, RCX)
	a.Jcc(NE, single)
	a.Bind(end)
}

// writeBigAdd writes z = x + y or x - y with the carry.
func writeBigAdd(a *Asm, op Op) {
	large := a.NewLabel()
	vectors(a, large, RDI, RSI, R8)
	byFours(a, R9, []Reg{RDI, RSI, R8}, func(i int) {
		a.RM(MOV, S64, RAX, At(RSI, int32(8*i)))
		a.RM(op, S64, RAX, At(R8, int32(8*i)))
		a.MR(MOV, S64, At(RDI, int32(8*i)), RAX)
	})
	a.Setcc(B, RAX)
	a.RR(MOVZX8, S32, RAX, RAX)
	finish(a, large)
}

// writeBigMul writes z = x*m + c with the upper word; m is in RDX, c in R9.
func writeBigMul(a *Asm) {
	large := a.NewLabel()
	if !hasBMI2 {
		refuse(a)
		return
	}
	vectors(a, large, RDI, RSI)
	byFours(a, R8, []Reg{RDI, RSI}, func(i int) {
		a.RM(MOV, S64, RAX, At(RSI, int32(8*i)))
		a.RRR(MULX, S64, R11, RAX, RAX)
		a.RR(ADC, S64, RAX, R9)
		a.MR(MOV, S64, At(RDI, int32(8*i)), RAX)
		a.RR(MOV, S64, R9, R11)
	})
	a.RI(ADC, S64, R9, 0)
	a.RR(MOV, S64, RAX, R9)
	finish(a, large)
}

// writeBigMulAdd writes z = x + y*m + c with the upper word; m is in RDX, c in R9. Four words of x and
// y are read before z is written. So z may not begin within the four words after them.
func writeBigMulAdd(a *Asm) {
	large, four, rest, end := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	if !hasBMI2 {
		refuse(a)
		return
	}
	for _, r := range []Reg{RSI, R8} {
		a.RR(MOV, S64, RAX, RDI)
		a.RR(SUB, S64, RAX, r)
		a.RI(SUB, S64, RAX, 1)
		a.RI(CMP, S64, RAX, 31)
		a.Jcc(B, large)
	}
	vectors(a, large, RDI, RSI, R8)
	lo := []Reg{RAX, R10, R11, R12}
	words := func(n int) {
		for i, r := range lo[:n] { // y*m + c; the upper word of each goes to the next
			a.RM(MOV, S64, r, At(R8, int32(8*i)))
			a.RRR(MULX, S64, R13, r, r)
			if i == 0 {
				a.RR(ADD, S64, r, R9)
			} else {
				a.RR(ADC, S64, r, R9)
			}
			a.RR(MOV, S64, R9, R13)
		}
		a.RI(ADC, S64, R9, 0)
		for i, r := range lo[:n] {
			op := ADC
			if i == 0 {
				op = ADD
			}
			a.RM(op, S64, r, At(RSI, int32(8*i)))
			a.MR(MOV, S64, At(RDI, int32(8*i)), r)
		}
		a.RI(ADC, S64, R9, 0)
		for _, p := range []Reg{RDI, RSI, R8} {
			a.RI(ADD, S64, p, int64(8*n))
		}
	}
	a.Bind(four)
	a.RI(SUB, S64, RCX, 4)
	a.Jcc(L, rest)
	words(4)
	a.Jmp(four)
	a.Bind(rest)
	a.RI(ADD, S64, RCX, 4)
	a.Jcc(E, end)
	single := a.NewLabel()
	a.Bind(single)
	words(1)
	a.RI(SUB, S64, RCX, 1)
	a.Jcc(NE, single)
	a.Bind(end)
	a.RR(MOV, S64, RAX, R9)
	finish(a, large)
}

// writeBigShl writes z = x << s, 0 < s < 64, with the bits shifted out; s is in RDX. It goes from the
// last word to the first.
func writeBigShl(a *Asm) { writeBigShift(a, SHLX, SHRX, -8) }

// writeBigShr writes z = x >> s like writeBigShl, from the first word to the last.
func writeBigShr(a *Asm) { writeBigShift(a, SHRX, SHLX, 8) }

func writeBigShift(a *Asm, shift, other Op, step int32) {
	large, loop, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
	if !hasBMI2 {
		refuse(a)
		return
	}
	a.RM(LEA, S64, RAX, At(RDX, -1))
	tooLarge(a, RAX, 62, large)
	vectors(a, large, RDI, RSI)
	if step < 0 {
		a.RM(LEA, S64, RDI, At(RDI, -8).Plus(RCX, 8))
		a.RM(LEA, S64, RSI, At(RSI, -8).Plus(RCX, 8))
	}
	count, word, out, next := R8, R9, RAX, R11
	a.MovImm(count, 64)
	a.RR(SUB, S64, count, RDX)
	a.RM(MOV, S64, word, At(RSI, 0))
	a.RRR(other, S64, out, word, count)
	a.Bind(loop)
	a.RRR(shift, S64, word, word, RDX)
	a.RI(SUB, S64, RCX, 1)
	a.Jcc(E, end)
	a.RM(MOV, S64, next, At(RSI, step))
	a.RRR(other, S64, R12, next, count)
	a.RR(OR, S64, word, R12)
	a.MR(MOV, S64, At(RDI, 0), word)
	a.RR(MOV, S64, word, next)
	a.RI(ADD, S64, RSI, int64(step))
	a.RI(ADD, S64, RDI, int64(step))
	a.Jmp(loop)
	a.Bind(end)
	a.MR(MOV, S64, At(RDI, 0), word)
	finish(a, large)
}
