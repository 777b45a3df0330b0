package amd64

import "github.com/gyrvm/gyr/internal/back/native/plan"

// # UTF-8

// utf8Least is the least number of bytes that the routine validates: those of a block, and the three that
// every block but the first is looked at with.
const utf8Least = 19

// writeValidUTF8 tells if RCX bytes at RDI are valid UTF-8, 16 at a time by the tables of package plan. A
// block is looked at with the bytes before it, so the last one may overlap the one before it.
func writeValidUTF8(a *Asm) {
	large, next, slow, ascii, one, tail, end, bad := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(),
		a.NewLabel(), a.NewLabel(), a.NewLabel()
	tooLarge(a, RCX, plan.SearchMost, large)
	a.RI(CMP, S64, RCX, utf8Least)
	a.Jcc(B, large)
	host(a, RDI)
	tables, halves, thirds, fourths, tops := []Reg{X0, X1, X2}, X3, X4, X5, X6
	in, p1, p2, p3, upper, second, mistakes, t := X7, X8, X9, X10, X11, X12, bulkX, bulkY
	for i, words := range plan.UTF8Tables() {
		a.RM(MOVUPS, S32, tables[i], AtLabel(a.WordTable(words[0], words[1])))
	}
	for _, c := range []struct {
		r Reg
		b uint64
	}{{halves, 0x0f}, {thirds, 0xe0 - 0x80}, {fourths, 0xf0 - 0x80}, {tops, 0x80}} {
		words := c.b * 0x0101010101010101
		a.RM(MOVUPS, S32, c.r, AtLabel(a.WordTable(words, words)))
	}
	a.RR(PXOR, S32, mistakes, mistakes)
	lastBlock := RDX
	a.RM(LEA, S64, R9, At(RDI, 0).Plus(RCX, 1))
	a.RM(LEA, S64, lastBlock, At(R9, -16))
	// check looks at the block in, with the same bytes moved by 1, 2 and 3 in p1, p2 and p3. RAX gets a bit
	// for each byte that is not ASCII.
	check := func() {
		half := func(d, s Reg) {
			a.RR(MOVAPS, S32, d, s)
			a.RI(PSRLW, S32, d, 4)
			a.RR(PAND, S32, d, halves)
		}
		a.RR(PMOVMSKB, S32, RAX, in)
		half(upper, p1)
		a.RR(PAND, S32, p1, halves)
		half(second, in)
		look := func(table, half Reg) {
			a.RR(MOVAPS, S32, in, table)
			a.RR(PSHUFB, S32, in, half)
		}
		look(tables[0], upper)
		a.RR(MOVAPS, S32, t, in)
		look(tables[1], p1)
		a.RR(PAND, S32, t, in)
		look(tables[2], second)
		a.RR(PAND, S32, t, in)
		// Where a third or a fourth byte belongs, both bytes of the pair are to be continuations.
		a.RR(PSUBUSB, S32, p2, thirds)
		a.RR(PSUBUSB, S32, p3, fourths)
		a.RR(ORPS, S32, p2, p3)
		a.RR(PAND, S32, p2, tops)
		a.RR(PXOR, S32, p2, t)
		a.RR(ORPS, S32, mistakes, p2)
	}
	moved := []Reg{p1, p2, p3}
	block := func() { // of which three bytes before it are there
		a.RM(MOVUPS, S32, in, At(RDI, 0))
		for i, r := range moved {
			a.RM(MOVUPS, S32, r, At(RDI, int32(-1-i)))
		}
		check()
	}
	a.RM(MOVUPS, S32, in, At(RDI, 0))
	for i, r := range moved {
		a.RR(MOVAPS, S32, r, in)
		a.RI(PSLLDQ, S32, r, int64(1+i))
	}
	check()
	a.RI(ADD, S64, RDI, 16)
	a.Bind(next)
	a.RR(CMP, S64, RDI, lastBlock)
	a.Jcc(A, tail)
	a.RR(TEST, S32, RAX, RAX)
	a.Jcc(E, ascii)
	a.Bind(slow)
	block()
	a.RI(ADD, S64, RDI, 16)
	a.Jmp(next)
	// The block before this place is ASCII: so no rune goes on here. More ASCII is passed over, 64 bytes at
	// a time or 16.
	a.Bind(ascii)
	writeSkipASCII(a, one)
	a.Bind(one)
	a.RR(CMP, S64, RDI, lastBlock)
	a.Jcc(A, tail)
	a.RM(MOVUPS, S32, in, At(RDI, 0))
	a.RR(PMOVMSKB, S32, RAX, in)
	a.RR(TEST, S32, RAX, RAX)
	a.Jcc(NE, slow)
	a.RI(ADD, S64, RDI, 16)
	a.Jmp(one)
	a.Bind(tail)
	a.RR(CMP, S64, RDI, R9)
	a.Jcc(AE, end)
	a.RR(MOV, S64, RDI, lastBlock)
	block()
	a.Bind(end)
	// A rune may begin in the last three bytes and not end there.
	for i, least := range []int64{0xc0, 0xe0, 0xf0} {
		a.RM(MOVZX8, S32, RAX, At(R9, int32(-1-i)))
		a.RI(CMP, S32, RAX, least)
		a.Jcc(AE, bad)
	}
	a.RR(PXOR, S32, t, t)
	a.RR(PCMPEQB, S32, mistakes, t)
	a.RR(PMOVMSKB, S32, RAX, mistakes)
	a.RI(CMP, S32, RAX, 0xffff)
	a.Jcc(NE, bad)
	a.MovImm(RAX, 1)
	a.RR(TEST, S32, RAX, RAX)
	a.None(RET)
	a.Bind(bad)
	a.RR(XOR, S32, RAX, RAX)
	finish(a, large)
}

// writeSkipASCII advances RDI over ASCII by many bytes at a time, up to R9, and goes to rest where there is
// something else or too little.
func writeSkipASCII(a *Asm, rest Label) {
	loop := a.NewLabel()
	move, width := wide()
	regs := moveRegs[:4]
	a.Bind(loop)
	a.RM(LEA, S64, RCX, At(RDI, 4*width))
	a.RR(CMP, S64, RCX, R9)
	if move != VMOVUPSY {
		a.Jcc(A, rest)
		for i, r := range regs {
			a.RM(move, S32, r, At(RDI, width*int32(i)))
		}
		a.RR(ORPS, S32, regs[0], regs[1])
		a.RR(ORPS, S32, regs[2], regs[3])
		a.RR(ORPS, S32, regs[0], regs[2])
		a.RR(PMOVMSKB, S32, RAX, regs[0])
		a.RR(TEST, S32, RAX, RAX)
		a.Jcc(NE, rest)
		a.RR(MOV, S64, RDI, RCX)
		a.Jmp(loop)
		return
	}
	end := a.NewLabel()
	a.Jcc(A, end)
	a.RM(move, S32, regs[0], At(RDI, 0))
	a.RM(move, S32, regs[1], At(RDI, 2*width))
	a.RRM(VPORY, S32, regs[0], regs[0], At(RDI, width))
	a.RRM(VPORY, S32, regs[1], regs[1], At(RDI, 3*width))
	combine(a, VPORY, regs[:2])
	a.RR(VPMOVMSKBY, S32, RAX, regs[0])
	a.RR(TEST, S32, RAX, RAX)
	a.Jcc(NE, end)
	a.RR(MOV, S64, RDI, RCX)
	a.Jmp(loop)
	a.Bind(end)
	a.None(VZEROUPPER)
}
