package arm64

import "github.com/gyrvm/gyr/internal/back/native/plan"

// # UTF-8

// utf8Least is the least number of bytes that the routine validates: those of a block, and the three that
// every block but the first is looked at with.
const utf8Least = 19

// writeValidUTF8 tells if X1 bytes at X0 are valid UTF-8, 16 at a time by the tables of package plan. A block
// is looked at with the bytes before it, so the last one may overlap the one before it.
func writeValidUTF8(a *Asm) {
	large, next, slow, ascii, one, tail, end, bad := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(),
		a.NewLabel(), a.NewLabel(), a.NewLabel()
	p, n, stop, last, t, u := X2, X1, X3, X4, X5, X6
	tooLarge(a, n, plan.SearchMost, large)
	a.CmpImm(S64, n, utf8Least)
	a.Bcond(LO, large)
	host(a, p, X0)
	a.RRR(ADD, S64, stop, p, n)
	a.RRI(SUB, S64, last, stop, 16)
	tables, halves, thirds, fourths, tops := rangeOf(V16, 3), V16+3, V16+4, V16+5, V16+6
	mistakes, in, p1, p2, p3, upper, second, v := V16+7, V16+8, V16+9, V16+10, V16+11, V16+12, V16+13, scratchV
	for i, words := range plan.UTF8Tables() {
		a.Near(tables[i], S8, a.WordTable(words[0], words[1]))
	}
	for _, c := range []struct {
		r Reg
		b int64
	}{{halves, 0x0f}, {thirds, 0xe0 - 0x80}, {fourths, 0xf0 - 0x80}, {tops, 0x80}} {
		a.MovImm(t, c.b)
		a.RR(DUP16B, S32, c.r, t)
	}
	a.RR(MOVI0, S32, mistakes, V0)
	// check looks at the block in, with the same bytes moved by 1, 2 and 3 in p1, p2 and p3.
	check := func() {
		a.RR(USHR4, S32, upper, p1)
		a.RRR(AND16B, S32, p1, p1, halves)
		a.RR(USHR4, S32, second, in)
		a.RRR(TBL16B, S32, upper, tables[0], upper)
		a.RRR(TBL16B, S32, p1, tables[1], p1)
		a.RRR(AND16B, S32, p1, p1, upper)
		a.RRR(TBL16B, S32, second, tables[2], second)
		a.RRR(AND16B, S32, p1, p1, second)
		// Where a third or a fourth byte belongs, both bytes of the pair are to be continuations.
		a.RRR(UQSUB16B, S32, p2, p2, thirds)
		a.RRR(UQSUB16B, S32, p3, p3, fourths)
		a.RRR(ORR16B, S32, p2, p2, p3)
		a.RRR(AND16B, S32, p2, p2, tops)
		a.RRR(EOR16B, S32, p2, p2, p1)
		a.RRR(ORR16B, S32, mistakes, mistakes, p2)
	}
	moved := []Reg{p1, p2, p3}
	block := func() { // of which three bytes before it are there
		a.Mem(LDRQ, in, At(p, 0))
		for i, r := range moved {
			a.Mem(LDRQ, r, At(p, int32(-1-i)))
		}
		check()
	}
	// greatest puts the greatest of the bytes to t.
	greatest := func(r Reg) {
		a.RR(UMAXV16B, S32, v, r)
		a.RR(FMOVFromFloat, S32, t, v)
	}
	a.Mem(LDRQ, in, At(p, 0))
	a.RR(MOVI0, S32, v, V0)
	for i, op := range []Op{EXT15, EXT14, EXT13} {
		a.RRR(op, S32, moved[i], v, in)
	}
	check()
	greatest(in)
	a.RRI(ADD, S64, p, p, 16)
	a.Bind(next) // t: the greatest byte of the block before
	a.Cmp(S64, p, last)
	a.Bcond(HI, tail)
	a.Tbz(t, 7, ascii)
	a.Bind(slow)
	block()
	greatest(in)
	a.RRI(ADD, S64, p, p, 16)
	a.B(next)
	// The block before this place is ASCII: so no rune goes on here. More ASCII is passed over, 64 bytes at a
	// time or 16.
	a.Bind(ascii)
	a.RRI(ADD, S64, u, p, 64)
	a.Cmp(S64, u, stop)
	a.Bcond(HI, one)
	a.Pair(LDPQ, in, p1, p, 0)
	a.Pair(LDPQ, p2, p3, p, 32)
	a.RRR(ORR16B, S32, in, in, p1)
	a.RRR(ORR16B, S32, p2, p2, p3)
	a.RRR(ORR16B, S32, in, in, p2)
	greatest(in)
	a.Tbnz(t, 7, one)
	a.Mov(S64, p, u)
	a.B(ascii)
	a.Bind(one)
	a.Cmp(S64, p, last)
	a.Bcond(HI, tail)
	a.Mem(LDRQ, in, At(p, 0))
	greatest(in)
	a.Tbnz(t, 7, slow)
	a.RRI(ADD, S64, p, p, 16)
	a.B(one)
	a.Bind(tail)
	a.Cmp(S64, p, stop)
	a.Bcond(HS, end)
	a.Mov(S64, p, last)
	block()
	a.Bind(end)
	// A rune may begin in the last three bytes and not end there.
	for i, least := range []int64{0xc0, 0xe0, 0xf0} {
		a.Mem(LDRB, t, At(stop, int32(-1-i)))
		a.CmpImm(S32, t, least)
		a.Bcond(HS, bad)
	}
	greatest(mistakes)
	a.Cbnz(S32, t, bad)
	a.MovImm(X0, 1)
	done(a)
	a.Bind(bad)
	a.MovImm(X0, 0)
	finish(a, large)
}
