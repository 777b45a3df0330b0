package arm64

import (
	"hash/crc32"

	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// writeCount counts the byte X2 among X1 bytes at X0.
func writeCount(a *Asm) {
	large, loop, few, one, end := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	p, n, sum, t := X3, X1, X4, X5
	sought, zero, all, v := V16, V16+1, V16+2, V16+3
	tooLarge(a, n, plan.CountMost, large)
	host(a, p, X0)
	a.MovImm(sum, 0)
	a.CmpImm(S64, n, 16)
	a.Bcond(LO, few)
	a.RR(DUP16B, S32, sought, X2)
	a.RR(MOVI0, S32, zero, V0)
	a.RR(MOVI0, S32, all, V0)
	a.Bind(loop)
	a.Mem(LDRQ, v, At(p, 0))
	a.RRI(ADD, S64, p, p, 16)
	a.RRR(CMEQ16B, S32, v, v, sought)
	a.RRR(SUB16B, S32, v, zero, v)
	a.RR(UADDLP16B, S32, v, v)
	a.RR(UADALP8H, S32, all, v)
	a.RRI(SUB, S64, n, n, 16)
	a.CmpImm(S64, n, 16)
	a.Bcond(HS, loop)
	a.RR(ADDV4S, S32, all, all)
	a.RR(FMOVFromFloat, S32, sum, all)
	a.B(few)
	a.Bind(one)
	a.MemPost(LDRB, t, p, 1)
	a.RRX(SUBS, S32, ZR, t, X2, UXTB, 0)
	a.Csinc(S64, sum, sum, sum, NE)
	a.RRI(SUB, S64, n, n, 1)
	a.Bind(few)
	a.Cbnz(S64, n, one)
	a.Bind(end)
	a.Mov(S64, X0, sum)
	finish(a, large)
}

// writeCRC32 adds X3 bytes at X2 to the sum X0, by the polynomial X1.
func writeCRC32(a *Asm) {
	if !hasCRC32 {
		refuse(a)
		return
	}
	large, castagnoli := a.NewLabel(), a.NewLabel()
	sum, p, n, t := X4, X5, X3, X6
	tooLarge(a, n, plan.CountMost, large)
	sumBy := func(ops [4]Op) {
		loop, tail, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
		host(a, p, X2)
		a.RRR(ORN, S32, sum, ZR, X0)
		a.B(tail)
		a.Bind(loop)
		a.MemPost(LDRX, t, p, 8)
		a.RRR(ops[0], S32, sum, sum, t)
		a.Bind(tail)
		a.RRI(SUBS, S64, n, n, 8)
		a.Bcond(GE, loop)
		for i, bytes := range []int32{4, 2, 1} { // what is left, in the low bits of n
			next := a.NewLabel()
			a.Tbz(n, 2-i, next)
			a.MemPost(smallLoads[1+i], t, p, bytes)
			a.RRR(ops[1+i], S32, sum, sum, t)
			a.Bind(next)
		}
		a.Bind(end)
		a.RRR(ORN, S32, X0, ZR, sum)
		done(a)
	}
	poly := func(x uint32, other Label) {
		a.MovImm(t, int64(x))
		a.Cmp(S32, X1, t)
		a.Bcond(NE, other)
	}
	poly(crc32.IEEE, castagnoli)
	sumBy([4]Op{CRC32X, CRC32W, CRC32H, CRC32B})
	a.Bind(castagnoli)
	poly(crc32.Castagnoli, large)
	sumBy([4]Op{CRC32CX, CRC32CW, CRC32CH, CRC32CB})
	a.Bind(large)
	refuse(a)
}

// writeSHA256 adds the whole blocks among X2 bytes at X1 to the eight words at X0.
func writeSHA256(a *Asm) {
	if !hasSHA2 {
		refuse(a)
		return
	}
	large, end, block := a.NewLabel(), a.NewLabel(), a.NewLabel()
	state, data, n, table := X3, X4, X2, X5
	abcd, efgh, was, wasToo, t, w := V16, V16+1, V16+2, V16+3, V16+4, V16+5
	m := rangeOf(V16+6, 4)
	tooLarge(a, n, plan.CountMost, large)
	host(a, state, X0)
	host(a, data, X1)
	a.Lsr(S64, n, n, 6)
	a.Cbz(S64, n, end)
	a.Adr(table, a.WordTable(plan.SHA256Words()...))
	a.Pair(LDPQ, abcd, efgh, state, 0)
	a.Bind(block)
	a.RRR(ORR16B, S32, was, abcd, abcd)
	a.RRR(ORR16B, S32, wasToo, efgh, efgh)
	for i, r := range m {
		a.MemPost(LDRQ, r, data, 16)
		a.RR(REV32B, S32, m[i], r)
	}
	for i := range 16 { // four rounds each
		now := m[i%4]
		a.Mem(LDRQ, w, At(table, int32(16*i)))
		a.RRR(ADD4S, S32, w, w, now)
		if i < 12 { // the words of four rounds, sixteen later
			a.RR(SHA256SU0, S32, now, m[(i+1)%4])
			a.RRR(SHA256SU1, S32, now, m[(i+2)%4], m[(i+3)%4])
		}
		a.RRR(ORR16B, S32, t, abcd, abcd)
		a.RRR(SHA256H, S32, abcd, efgh, w)
		a.RRR(SHA256H2, S32, efgh, t, w)
	}
	a.RRR(ADD4S, S32, abcd, abcd, was)
	a.RRR(ADD4S, S32, efgh, efgh, wasToo)
	a.RRI(SUB, S64, n, n, 1)
	a.Cbnz(S64, n, block)
	a.Pair(STPQ, abcd, efgh, state, 0)
	a.Bind(end)
	finish(a, large)
}

// # Vectors of words
//
// X0 has the vector z, X1 x and X2 y, X3 their number of words.

// vectors begins a routine over words: it leaves if there are none or too many, and turns X0 and up into
// host addresses.
func vectors(a *Asm, large Label, pointers int) {
	a.RRI(SUB, S64, scratch, X3, 1)
	a.CmpImm(S64, scratch, plan.WordsMost-1&^(1<<12-1))
	a.Bcond(HI, large)
	for _, r := range rangeOf(X0, pointers) {
		host(a, r, r)
	}
}

// fours are the registers of four words each, in a round.
var fours = [2][]Reg{rangeOf(X6, 4), rangeOf(X10, 4)}

// each writes a loop over X3 words, first one by one, then four in a round. first comes before it. The loop
// keeps the carry. If z begins within four words after x or y, a word of these may be one that was stored
// just before: then all go one by one.
func each(a *Asm, pointers int, first, word, four func()) {
	overlap, begin, singles, rounds, loop, end := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	count := far // of rounds
	a.Lsr(S64, count, X3, 2)
	a.RRI(AND, S64, X3, X3, 3)
	for _, from := range rangeOf(X1, pointers-1) {
		a.RRR(SUB, S64, X9, X0, from)
		a.RRI(SUB, S64, X9, X9, 1)
		a.CmpImm(S64, X9, 8*4-2)
		a.Bcond(LS, overlap)
	}
	a.B(begin)
	a.Bind(overlap)
	a.RRS(ADD, S64, X3, X3, count, LSL, 2)
	a.MovImm(count, 0)
	a.Bind(begin)
	first()
	a.Cbz(S64, X3, rounds)
	a.Bind(singles)
	word()
	a.RRI(SUB, S64, X3, X3, 1)
	a.Cbnz(S64, X3, singles)
	a.Bind(rounds)
	a.Cbz(S64, count, end)
	a.Bind(loop)
	four()
	a.RRI(SUB, S64, count, count, 1)
	a.Cbnz(S64, count, loop)
	a.Bind(end)
}

// nextFour loads the next four words of a vector, or stores them.
func nextFour(a *Asm, op PairOp, words []Reg, p Reg) {
	a.Pair(op, words[0], words[1], p, 0)
	a.Pair(op, words[2], words[3], p, 16)
	a.RRI(ADD, S64, p, p, 32)
}

// writeBigAdd writes z = x + y or x - y with the carry.
func writeBigAdd(a *Asm, op Op) {
	large := a.NewLabel()
	vectors(a, large, 3)
	each(a, 3, func() {
		if op == ADCS {
			a.RRR(ADDS, S64, ZR, ZR, ZR)
		} else {
			a.Cmp(S64, ZR, ZR) // the carry of a difference is that of no borrow
		}
	}, func() {
		a.MemPost(LDRX, X4, X1, 8)
		a.MemPost(LDRX, X5, X2, 8)
		a.RRR(op, S64, X4, X4, X5)
		a.MemPost(STRX, X4, X0, 8)
	}, func() {
		x, y := fours[0], fours[1]
		nextFour(a, LDPX, x, X1)
		nextFour(a, LDPX, y, X2)
		for i := range x {
			a.RRR(op, S64, x[i], x[i], y[i])
		}
		nextFour(a, STPX, x, X0)
	})
	if op == ADCS {
		a.Cset(X0, HS)
	} else {
		a.Cset(X0, LO)
	}
	finish(a, large)
}

// products multiplies four words by m in X4, and adds the word c in X5 and the upper halves: low gets the four
// words, X5 the last upper half. It changes high.
func products(a *Asm, low, high []Reg) {
	for i := range low {
		a.RRR(UMULH, S64, high[i], low[i], X4)
		a.RRR(MUL, S64, low[i], low[i], X4)
	}
	a.RRR(ADDS, S64, low[0], low[0], X5)
	for i := range 3 {
		a.RRR(ADCS, S64, low[i+1], low[i+1], high[i])
	}
	a.RRR(ADC, S64, X5, high[3], ZR)
}

// writeBigMul writes z = x*m + c with the upper word; m is in X4, c in X5.
func writeBigMul(a *Asm) {
	large := a.NewLabel()
	vectors(a, large, 2)
	each(a, 2, func() {}, func() {
		a.MemPost(LDRX, X6, X1, 8)
		a.RRR(UMULH, S64, X7, X6, X4)
		a.RRR(MUL, S64, X6, X6, X4)
		a.RRR(ADDS, S64, X6, X6, X5)
		a.RRR(ADC, S64, X5, X7, ZR)
		a.MemPost(STRX, X6, X0, 8)
	}, func() {
		low, high := fours[0], fours[1]
		nextFour(a, LDPX, low, X1)
		products(a, low, high)
		nextFour(a, STPX, low, X0)
	})
	a.Mov(S64, X0, X5)
	finish(a, large)
}

// writeBigMulAdd writes z = x + y*m + c with the upper word; m is in X4, c in X5.
func writeBigMulAdd(a *Asm) {
	large := a.NewLabel()
	vectors(a, large, 3)
	each(a, 3, func() {}, func() {
		a.MemPost(LDRX, X6, X2, 8)
		a.RRR(UMULH, S64, X7, X6, X4)
		a.RRR(MUL, S64, X6, X6, X4)
		a.MemPost(LDRX, X8, X1, 8)
		a.RRR(ADDS, S64, X6, X6, X5)
		a.RRR(ADC, S64, X7, X7, ZR)
		a.RRR(ADDS, S64, X6, X6, X8)
		a.RRR(ADC, S64, X5, X7, ZR)
		a.MemPost(STRX, X6, X0, 8)
	}, func() {
		low, high := fours[0], fours[1]
		nextFour(a, LDPX, low, X2)
		products(a, low, high)
		nextFour(a, LDPX, high, X1)
		a.RRR(ADDS, S64, low[0], low[0], high[0])
		for i := range 3 {
			a.RRR(ADCS, S64, low[i+1], low[i+1], high[i+1])
		}
		a.RRR(ADC, S64, X5, X5, ZR)
		nextFour(a, STPX, low, X0)
	})
	a.Mov(S64, X0, X5)
	finish(a, large)
}

// writeBigShl writes z = x << s, 0 < s < 64, with the bits shifted out; s is in X4. It goes from the
// last word to the first.
func writeBigShl(a *Asm) { writeBigShift(a, LSLV, LSRV, -8) }

// writeBigShr writes z = x >> s like writeBigShl, from the first word to the last.
func writeBigShr(a *Asm) { writeBigShift(a, LSRV, LSLV, 8) }

func writeBigShift(a *Asm, shift, other Op, step int32) {
	large, loop, end := a.NewLabel(), a.NewLabel(), a.NewLabel()
	z, x, n, s, count, word, out, next, t := X0, X1, X3, X4, X5, X6, X7, X8, X9
	a.RRI(SUB, S64, scratch, s, 1)
	a.CmpImm(S64, scratch, 62)
	a.Bcond(HI, large)
	a.RRI(SUB, S64, scratch, n, 1)
	a.CmpImm(S64, scratch, plan.WordsMost-1&^(1<<12-1))
	a.Bcond(HI, large)
	host(a, z, z)
	host(a, x, x)
	if step < 0 {
		a.RRS(ADD, S64, z, z, scratch, LSL, 3)
		a.RRS(ADD, S64, x, x, scratch, LSL, 3)
	}
	a.RRR(SUB, S64, count, ZR, s) // modulo 64
	a.MemPost(LDRX, word, x, step)
	a.RRR(other, S64, out, word, count)
	a.RRI(SUB, S64, n, n, 1)
	a.Cbz(S64, n, end)
	a.Bind(loop)
	a.RRR(shift, S64, word, word, s)
	a.MemPost(LDRX, next, x, step)
	a.RRR(other, S64, t, next, count)
	a.RRR(ORR, S64, word, word, t)
	a.MemPost(STRX, word, z, step)
	a.Mov(S64, word, next)
	a.RRI(SUB, S64, n, n, 1)
	a.Cbnz(S64, n, loop)
	a.Bind(end)
	a.RRR(shift, S64, word, word, s)
	a.Mem(STRX, word, At(z, 0))
	a.Mov(S64, X0, out)
	finish(a, large)
}
