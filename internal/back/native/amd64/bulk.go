package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Bulk memory
//
// Routines (plan/routine.go) take guest addresses in RDI and RSI and lengths in RCX and RDX.

// sumMost bounds the bytes that are added to a CRC-32: the host's code may use wider registers.
var sumMost = func() int64 {
	if hasVPCLMULQDQ {
		return 8 << 10
	}
	return 1 << 10
}()

// wide returns the widest move of a vector register, and how many bytes it moves.
func wide() (move Op, bytes int32) {
	if hasAVX2 {
		return VMOVUPSY, 32
	}
	return MOVUPS, 16
}

// A bulkOp is one of the routines.
type bulkOp struct {
	op     ir.Op
	kernel string // with ir.OpHost
	args   []Reg
	also   []Reg // that it destroys besides bulkClobber
	write  func(a *Asm)
}

// Registers that routines use besides their operands, and destroy.
const (
	bulkA, bulkB = RAX, R8
	bulkX, bulkY = X13, X14
)

// moveRegs hold the data of one round of a copy.
var moveRegs = []Reg{X7, X8, X9, X10, X11, X12, bulkX, bulkY}

var bulkClobber = regalloc.SetOf(RDI, RSI, RCX, RDX, bulkA, bulkB, R9) | regalloc.SetOf(moveRegs...)

var bulkOps = []bulkOp{
	{op: ir.OpMoveN, args: []Reg{RDI, RSI, RCX}, write: writeMove},
	{op: ir.OpClearN, args: []Reg{RDI, RCX}, write: writeClear},
	{op: ir.OpMemEq, args: []Reg{RDI, RSI, RCX}, write: writeEqual},
	{op: ir.OpMemHash, args: []Reg{RDI, RSI, RCX}, write: writeHash},
	{op: ir.OpIndexByte, args: []Reg{RDI, RCX, RSI}, write: writeIndexByte},
	{op: ir.OpMemCmp, args: []Reg{RDI, RCX, RSI, RDX}, write: writeCompare},
	{op: ir.OpHost, kernel: "countbyte", args: []Reg{RDI, RCX, RSI}, write: writeCount},
	{op: ir.OpHost, kernel: "crc32", args: []Reg{RDX, RSI, RDI, RCX}, write: writeCRC32},
	{op: ir.OpHost, kernel: "sha256block", args: []Reg{RDI, RSI, RCX}, also: []Reg{X0, X1, X2, X3, X4}, write: writeSHA256},
	{op: ir.OpHost, kernel: "validutf8", args: []Reg{RDI, RCX}, also: []Reg{X0, X1, X2, X3, X4, X5, X6}, write: writeValidUTF8},
	{op: ir.OpHost, kernel: "bigadd", args: []Reg{RDI, RSI, R8, RCX}, write: func(a *Asm) { writeBigAdd(a, ADC) }},
	{op: ir.OpHost, kernel: "bigsub", args: []Reg{RDI, RSI, R8, RCX}, write: func(a *Asm) { writeBigAdd(a, SBB) }},
	{op: ir.OpHost, kernel: "bigmul", args: []Reg{RDI, RSI, R8, RCX, RDX, R9}, also: []Reg{R11}, write: writeBigMul},
	{op: ir.OpHost, kernel: "bigmuladd", args: []Reg{RDI, RSI, R8, RCX, RDX, R9}, also: []Reg{R10, R11, R12, R13}, write: writeBigMulAdd},
	{op: ir.OpHost, kernel: "bigshl", args: []Reg{RDI, RSI, R8, RCX, RDX}, also: []Reg{R11, R12}, write: writeBigShl},
	{op: ir.OpHost, kernel: "bigshr", args: []Reg{RDI, RSI, R8, RCX, RDX}, also: []Reg{R11, R12}, write: writeBigShr},
}

// routines returns bulkOps in the form of package plan.
func routines() []plan.Routine {
	list := make([]plan.Routine, len(bulkOps))
	for i, op := range bulkOps {
		list[i] = plan.Routine{Op: op.op, Kernel: op.kernel, Args: op.args, Clobber: bulkClobber | regalloc.SetOf(op.also...)}
	}
	return list
}

// host turns guest addresses into host addresses.
func host(a *Asm, regs ...Reg) {
	for _, r := range regs {
		a.RR(ADD, S64, r, regBase)
	}
}

// tooLarge returns with the carry set if n is more than most, unsigned. That includes negative
// lengths, which mean 0.
func tooLarge(a *Asm, n Reg, most int64, done Label) {
	a.RI(CMP, S64, n, most)
	a.Jcc(A, done)
}

// finish is the end of routines: the carry clear, or set.
func finish(a *Asm, large Label) {
	a.RR(TEST, S32, RAX, RAX)
	a.None(RET)
	a.Bind(large)
	refuse(a)
}

// refuse leaves all the work to the handler.
func refuse(a *Asm) {
	a.RI(CMP, S32, RSP, -1) // RSP's low half is below all ones: carry
	a.None(RET)
}

// bySize writes code for up to 16 bytes by one or two accesses of each size. at makes the operands
// of an access at the start and at the end.
func bySize(a *Asm, n Reg, done Label, f func(size Size)) {
	sizes := []struct {
		least int64
		size  Size
	}{{8, S64}, {4, S32}, {2, S16}, {1, S8}}
	for _, z := range sizes {
		next := a.NewLabel()
		a.RI(CMP, S64, n, z.least)
		a.Jcc(B, next)
		f(z.size)
		a.Jmp(done)
		a.Bind(next)
	}
}

// last is the access of size bytes that ends n bytes after p.
func last(p, n Reg, size int32) Mem { return At(p, -size).Plus(n, 1) }

func loadSized(a *Asm, size Size, d Reg, m Mem) {
	switch size {
	case S8:
		a.RM(MOVZX8, S32, d, m)
	case S16:
		a.RM(MOVZX16, S32, d, m)
	default:
		a.RM(MOV, size, d, m)
	}
}

func writeMove(a *Asm) {
	large, done, mid, back := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	tooLarge(a, RCX, plan.MoveMost, large)
	host(a, RDI, RSI)
	a.RI(CMP, S64, RCX, 16)
	a.Jcc(A, mid)
	bySize(a, RCX, done, func(size Size) {
		n := int32(size.Bits() / 8)
		loadSized(a, size, bulkA, At(RSI, 0))
		loadSized(a, size, bulkB, last(RSI, RCX, n))
		a.MR(MOV, size, At(RDI, 0), bulkA)
		a.MR(MOV, size, last(RDI, RCX, n), bulkB)
	})
	a.Jmp(done)
	a.Bind(mid)
	more := a.NewLabel()
	a.RI(CMP, S64, RCX, 32)
	a.Jcc(A, more)
	a.RM(MOVUPS, S32, bulkX, At(RSI, 0))
	a.RM(MOVUPS, S32, bulkY, last(RSI, RCX, 16))
	a.MR(MOVUPS, S32, At(RDI, 0), bulkX)
	a.MR(MOVUPS, S32, last(RDI, RCX, 16), bulkY)
	a.Jmp(done)
	a.Bind(more)
	// All loads come before all stores, also in a round of the loops: if the two places are a
	// multiple of a page apart, a load would wait for the store before it.
	ends := func(half []Reg) { // the first and the last len(half)/2 registers full
		n := len(half) / 2
		for i, r := range half[:n] {
			a.RM(MOVUPS, S32, r, At(RSI, int32(16*i)))
			a.RM(MOVUPS, S32, half[n+i], last(RSI, RCX, int32(16*(n-i))))
		}
		for i, r := range half[:n] {
			a.MR(MOVUPS, S32, At(RDI, int32(16*i)), r)
			a.MR(MOVUPS, S32, last(RDI, RCX, int32(16*(n-i))), half[n+i])
		}
	}
	move, width := wide()
	four := 4 * width
	load := func(regs []Reg, m Mem) {
		for i, r := range regs {
			m := m
			m.Disp += width * int32(i)
			a.RM(move, S32, r, m)
		}
	}
	store := func(m Mem, regs []Reg) {
		for i, r := range regs {
			m := m
			m.Disp += width * int32(i)
			a.MR(move, S32, m, r)
		}
	}
	over64, over128 := a.NewLabel(), a.NewLabel()
	a.RI(CMP, S64, RCX, 64)
	a.Jcc(A, over64)
	ends(moveRegs[:4])
	a.Jmp(done)
	a.Bind(over64)
	a.RI(CMP, S64, RCX, 128)
	a.Jcc(A, over128)
	ends(moveRegs)
	a.Jmp(done)
	a.Bind(over128)
	// Upwards unless the target begins within the source. The remainder after the loop was
	// loaded before it.
	round, rest := moveRegs[:4], moveRegs[4:]
	a.RR(MOV, S64, bulkA, RDI)
	a.RR(SUB, S64, bulkA, RSI)
	a.RR(CMP, S64, bulkA, RCX)
	a.Jcc(B, back)
	load(rest, last(RSI, RCX, four))
	a.RM(LEA, S64, bulkB, last(RDI, RCX, four)) // of the last round
	up, all := a.NewLabel(), a.NewLabel()
	a.RI(CMP, S64, RCX, alignLeast)
	a.Jcc(B, up)
	// The first round begins at an aligned address of the target. What is before that is loaded before
	// the round is stored.
	a.RM(move, S32, scratch, At(RSI, 0))
	toAligned(a, width)
	a.RR(ADD, S64, RSI, RAX)
	load(round, At(RSI, 0))
	a.MR(move, S32, At(RDI, 0), scratch)
	a.RR(ADD, S64, RDI, RAX)
	store(At(RDI, 0), round)
	a.RI(ADD, S64, RSI, int64(four))
	a.RI(ADD, S64, RDI, int64(four))
	a.Bind(up)
	load(round, At(RSI, 0))
	store(At(RDI, 0), round)
	a.RI(ADD, S64, RSI, int64(four))
	a.RI(ADD, S64, RDI, int64(four))
	a.RR(CMP, S64, RDI, bulkB)
	a.Jcc(B, up)
	store(At(bulkB, 0), rest)
	a.Jmp(all)
	a.Bind(back)
	load(rest, At(RSI, 0))
	down := a.NewLabel()
	a.Bind(down)
	load(round, last(RSI, RCX, four))
	store(last(RDI, RCX, four), round)
	a.RI(SUB, S64, RCX, int64(four))
	a.RI(CMP, S64, RCX, int64(four))
	a.Jcc(A, down)
	store(At(RDI, 0), rest)
	a.Bind(all)
	endWide(a)
	a.Bind(done)
	finish(a, large)
}

// alignLeast is the number of bytes from which on it pays to begin at an aligned address.
const alignLeast = 512

// toAligned computes in RAX how far RDI is from the next multiple of width: 1 to width.
func toAligned(a *Asm, width int32) {
	a.RR(MOV, S32, RAX, RDI)
	a.R(NOT, S32, RAX)
	a.RI(AND, S32, RAX, int64(width-1))
	a.RI(ADD, S32, RAX, 1)
}

// endWide ends code with wide moves. Without it, code that uses only the lower halves of the registers is
// slow afterwards.
func endWide(a *Asm) {
	if move, _ := wide(); move == VMOVUPSY {
		a.None(VZEROUPPER)
	}
}

func writeClear(a *Asm) {
	large, done, mid := a.NewLabel(), a.NewLabel(), a.NewLabel()
	tooLarge(a, RCX, plan.MoveMost, large)
	host(a, RDI)
	a.RI(CMP, S64, RCX, 16)
	a.Jcc(AE, mid)
	a.RR(XOR, S32, bulkA, bulkA)
	bySize(a, RCX, done, func(size Size) {
		a.MR(MOV, size, At(RDI, 0), bulkA)
		a.MR(MOV, size, last(RDI, RCX, int32(size.Bits()/8)), bulkA)
	})
	a.Jmp(done)
	a.Bind(mid)
	a.RR(XORPS, S32, bulkX, bulkX)
	loop, over64 := a.NewLabel(), a.NewLabel()
	a.RI(CMP, S64, RCX, 64)
	a.Jcc(A, over64)
	// The first and the last 16 or 32, which may overlap.
	for _, at := range []Mem{At(RDI, 0), last(RDI, RCX, 16)} {
		a.MR(MOVUPS, S32, at, bulkX)
	}
	a.RI(CMP, S64, RCX, 32)
	a.Jcc(BE, done)
	a.MR(MOVUPS, S32, At(RDI, 16), bulkX)
	a.MR(MOVUPS, S32, last(RDI, RCX, 32), bulkX)
	a.Jmp(done)
	a.Bind(over64)
	over128 := a.NewLabel()
	a.RI(CMP, S64, RCX, 128)
	a.Jcc(A, over128)
	for i := range int32(4) {
		a.MR(MOVUPS, S32, At(RDI, 16*i), bulkX)
		a.MR(MOVUPS, S32, last(RDI, RCX, 16*(i+1)), bulkX)
	}
	a.Jmp(done)
	a.Bind(over128)
	move, width := wide()
	four := func(m Mem) {
		for i := range int32(4) {
			m := m
			m.Disp += width * i
			a.MR(move, S32, m, bulkX)
		}
	}
	if move == VMOVUPSY {
		a.RRR(VXORPSY, S32, bulkX, bulkX, bulkX)
	}
	a.RM(LEA, S64, bulkB, last(RDI, RCX, 4*width))
	a.RI(CMP, S64, RCX, alignLeast)
	a.Jcc(B, loop)
	a.MR(move, S32, At(RDI, 0), bulkX)
	toAligned(a, width)
	a.RR(ADD, S64, RDI, RAX)
	a.Bind(loop)
	four(At(RDI, 0))
	a.RI(ADD, S64, RDI, int64(4*width))
	a.RR(CMP, S64, RDI, bulkB)
	a.Jcc(B, loop)
	four(At(bulkB, 0))
	endWide(a)
	a.Bind(done)
	finish(a, large)
}

func writeEqual(a *Asm) {
	large, yes, no, mid := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	tooLarge(a, RCX, plan.CompareMost, large)
	host(a, RDI, RSI)
	a.RI(CMP, S64, RCX, 16)
	a.Jcc(AE, mid)
	bySize(a, RCX, yes, func(size Size) {
		n := int32(size.Bits() / 8)
		loadSized(a, size, bulkA, At(RDI, 0))
		a.RM(CMP, size, bulkA, At(RSI, 0))
		a.Jcc(NE, no)
		loadSized(a, size, bulkA, last(RDI, RCX, n))
		a.RM(CMP, size, bulkA, last(RSI, RCX, n))
		a.Jcc(NE, no)
	})
	a.Jmp(yes)
	a.Bind(mid)
	same := func(m, o Mem) {
		a.RM(MOVUPS, S32, bulkX, m)
		a.RM(MOVUPS, S32, bulkY, o)
		a.RR(PCMPEQB, S32, bulkX, bulkY)
		a.RR(PMOVMSKB, S32, bulkA, bulkX)
		a.RI(CMP, S32, bulkA, 0xffff)
		a.Jcc(NE, no)
	}
	a.RM(LEA, S64, bulkB, last(RDI, RCX, 16))
	a.RM(LEA, S64, R9, last(RSI, RCX, 16))
	loop, end := a.NewLabel(), a.NewLabel()
	skipEqual(a, RCX, loop, no)
	a.Bind(loop)
	a.RR(CMP, S64, RDI, bulkB)
	a.Jcc(AE, end)
	same(At(RDI, 0), At(RSI, 0))
	a.RI(ADD, S64, RDI, 16)
	a.RI(ADD, S64, RSI, 16)
	a.Jmp(loop)
	a.Bind(end)
	same(At(bulkB, 0), At(R9, 0))
	a.Bind(yes)
	a.MovImm(RAX, 1)
	a.RR(TEST, S32, RAX, RAX)
	a.None(RET)
	a.Bind(no)
	a.RR(XOR, S32, RAX, RAX)
	finish(a, large)
}

// skipEqual advances RDI and RSI, and lowers n, by 64 bytes at a time while they are equal. It jumps to few
// when fewer are left, and to differ if they are not equal. It uses RAX.
func skipEqual(a *Asm, n Reg, few, differ Label) {
	next := a.NewLabel()
	if hasAVX2 {
		skipEqualWide(a, n, next, differ)
	}
	a.Bind(next)
	a.RI(CMP, S64, n, 64)
	a.Jcc(B, few)
	for i, r := range moveRegs[:4] {
		a.RM(MOVUPS, S32, r, At(RDI, int32(16*i)))
		a.RM(MOVUPS, S32, moveRegs[4+i], At(RSI, int32(16*i)))
		a.RR(PCMPEQB, S32, r, moveRegs[4+i])
	}
	a.RR(PAND, S32, moveRegs[0], moveRegs[1])
	a.RR(PAND, S32, moveRegs[2], moveRegs[3])
	a.RR(PAND, S32, moveRegs[0], moveRegs[2])
	a.RR(PMOVMSKB, S32, RAX, moveRegs[0])
	a.RI(CMP, S32, RAX, 0xffff)
	a.Jcc(NE, differ)
	a.RI(ADD, S64, RDI, 64)
	a.RI(ADD, S64, RSI, 64)
	a.RI(SUB, S64, n, 64)
	a.Jmp(next)
}

// skipEqualWide does the same for 128 bytes at a time.
func skipEqualWide(a *Asm, n Reg, few, differ Label) {
	loop, unequal := a.NewLabel(), a.NewLabel()
	a.RI(CMP, S64, n, 128)
	a.Jcc(B, few)
	a.RI(CMP, S64, n, alignLeast)
	a.Jcc(B, loop)
	same := func(count int) {
		regs := moveRegs[:count]
		for i, r := range regs {
			a.RM(VMOVUPSY, S32, r, At(RDI, int32(32*i)))
			a.RRM(VPCMPEQBY, S32, r, r, At(RSI, int32(32*i)))
		}
		combine(a, VPANDY, regs)
		a.RR(VPMOVMSKBY, S32, RAX, regs[0])
		a.RI(CMP, S32, RAX, -1)
		a.Jcc(NE, unequal)
	}
	same(1)
	toAligned(a, 32)
	a.RR(ADD, S64, RDI, RAX)
	a.RR(ADD, S64, RSI, RAX)
	a.RR(SUB, S64, n, RAX)
	a.Bind(loop)
	same(4)
	a.RI(SUB, S64, RDI, -128)
	a.RI(SUB, S64, RSI, -128)
	a.RI(SUB, S64, n, 128)
	a.RI(CMP, S64, n, 128)
	a.Jcc(AE, loop)
	a.None(VZEROUPPER)
	a.Jmp(few)
	a.Bind(unequal)
	a.None(VZEROUPPER)
	a.Jmp(differ)
}

// combine brings registers, a power of two of them, together in the first.
func combine(a *Asm, op Op, regs []Reg) {
	for n := len(regs) / 2; n > 0; n /= 2 {
		for i := range n {
			a.RRR(op, S32, regs[i], regs[i], regs[i+n])
		}
	}
}

// writeIndexByte: the byte is in RSI.
func writeIndexByte(a *Asm) {
	large, none, loop, last, found, short, fast := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(),
		a.NewLabel()
	start, sought := bulkB, bulkY
	tooLarge(a, RCX, plan.SearchMost, large)
	host(a, RDI)
	a.RR(MOVD, S32, sought, RSI)
	a.RR(PXOR, S32, bulkX, bulkX)
	a.RR(PSHUFB, S32, sought, bulkX) // the byte, 16 times
	a.RM(LEA, S64, R9, At(RDI, 0).Plus(RCX, 1))
	match := func(at Mem) { // a bit of RAX for each byte, and the flags
		a.RM(MOVUPS, S32, bulkX, at)
		a.RR(PCMPEQB, S32, bulkX, sought)
		a.RR(PMOVMSKB, S32, RAX, bulkX)
		a.RR(TEST, S32, RAX, RAX)
	}
	a.RR(MOV, S64, start, RDI)
	a.RI(CMP, S64, RCX, 16)
	a.Jcc(B, short)
	match(At(RDI, 0))
	a.Jcc(NE, found)
	a.RI(CMP, S64, RCX, 32)
	a.Jcc(BE, last)
	// 128 at a time, then 64, until one of them matches.
	if hasAVX2 {
		wide, end := a.NewLabel(), a.NewLabel()
		a.RI(CMP, S64, RCX, 128)
		a.Jcc(B, fast)
		a.RR(VPBROADCASTDY, S32, sought, sought)
		match := func(count int) {
			regs := moveRegs[:count]
			for i, r := range regs {
				a.RRM(VPCMPEQBY, S32, r, sought, At(RDI, int32(32*i)))
			}
			combine(a, VPORY, regs)
			a.RR(VPMOVMSKBY, S32, RAX, regs[0])
			a.RR(TEST, S32, RAX, RAX)
			a.Jcc(NE, end)
		}
		a.RI(CMP, S64, RCX, alignLeast)
		a.Jcc(B, wide)
		match(1)
		toAligned(a, 32)
		a.RR(ADD, S64, RDI, RAX)
		a.Bind(wide)
		a.RM(LEA, S64, RDX, At(RDI, 128))
		a.RR(CMP, S64, RDX, R9)
		a.Jcc(A, end)
		match(4)
		a.RR(MOV, S64, RDI, RDX)
		a.Jmp(wide)
		a.Bind(end)
		a.None(VZEROUPPER)
	}
	a.Bind(fast)
	a.RM(LEA, S64, RDX, At(RDI, 64))
	a.RR(CMP, S64, RDX, R9)
	a.Jcc(A, loop)
	for i, r := range moveRegs[:4] {
		a.RM(MOVUPS, S32, r, At(RDI, int32(16*i)))
		a.RR(PCMPEQB, S32, r, sought)
	}
	a.RR(ORPS, S32, moveRegs[0], moveRegs[1])
	a.RR(ORPS, S32, moveRegs[2], moveRegs[3])
	a.RR(ORPS, S32, moveRegs[0], moveRegs[2])
	a.RR(PMOVMSKB, S32, RAX, moveRegs[0])
	a.RR(TEST, S32, RAX, RAX)
	a.Jcc(NE, loop)
	a.RR(MOV, S64, RDI, RDX)
	a.Jmp(fast)
	a.Bind(loop)
	a.RM(LEA, S64, RDX, At(RDI, 16))
	a.RR(CMP, S64, RDX, R9)
	a.Jcc(AE, last)
	match(At(RDI, 0))
	a.Jcc(NE, found)
	a.RR(MOV, S64, RDI, RDX)
	a.Jmp(loop)
	// The last 16 hold no other match than one among those that are left.
	a.Bind(last)
	a.RM(LEA, S64, RDI, At(R9, -16))
	match(At(RDI, 0))
	a.Jcc(E, none)
	a.Bind(found)
	a.RR(TZCNT, S32, RAX, RAX)
	a.RR(SUB, S64, RDI, start)
	a.RR(ADD, S64, RAX, RDI)
	a.RR(TEST, S32, RAX, RAX)
	a.None(RET)
	// Fewer than 16: load as many from where they begin, or up to where they end if that would reach into
	// the next page.
	crosses := a.NewLabel()
	a.Bind(short)
	a.RR(TEST, S32, RCX, RCX)
	a.Jcc(E, none)
	a.RR(MOV, S32, RAX, RDI)
	a.RI(AND, S32, RAX, pageLeast-1)
	a.RI(CMP, S32, RAX, pageLeast-16)
	a.Jcc(A, crosses)
	match(At(RDI, 0))
	a.Jcc(E, none)
	a.RR(TZCNT, S32, RAX, RAX)
	a.RR(CMP, S32, RAX, RCX)
	a.Jcc(AE, none)
	a.RR(TEST, S32, RAX, RAX)
	a.None(RET)
	a.Bind(crosses)
	match(At(R9, -16))
	a.RR(MOV, S32, RDX, RCX)
	a.MovImm(RCX, 16)
	a.RR(SUB, S32, RCX, RDX)
	a.R(SHR, S32, RAX)
	a.RR(TEST, S32, RAX, RAX)
	a.Jcc(E, none)
	a.RR(TZCNT, S32, RAX, RAX)
	a.RR(TEST, S32, RAX, RAX)
	a.None(RET)
	a.Bind(none)
	a.MovImm(RAX, -1)
	finish(a, large)
}

// pageLeast is the size of the smallest pages: an access within one of them is allowed if one of its bytes
// is.
const pageLeast = 4 << 10

// writeCompare: lengths in RCX and RDX, both with the same limit.
func writeCompare(a *Asm) {
	large, loop, rest, differ, lengths, short := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	tooLarge(a, RCX, plan.CompareMost, large)
	tooLarge(a, RDX, plan.CompareMost, large)
	host(a, RDI, RSI)
	a.RR(MOV, S64, R9, RCX)
	a.RR(CMP, S64, RDX, R9)
	a.Cmov(B, S64, R9, RDX) // the shorter length
	a.RI(CMP, S64, R9, 8)
	a.Jcc(B, short)
	// 64 at a time while they are equal, then words, which find the place.
	skipEqual(a, R9, loop, loop)
	a.Bind(loop)
	a.RI(CMP, S64, R9, 8)
	a.Jcc(B, rest)
	a.RM(MOV, S64, bulkA, At(RDI, 0))
	a.RM(MOV, S64, bulkB, At(RSI, 0))
	a.RR(CMP, S64, bulkA, bulkB)
	a.Jcc(NE, differ)
	a.RI(ADD, S64, RDI, 8)
	a.RI(ADD, S64, RSI, 8)
	a.RI(SUB, S64, R9, 8)
	a.Jmp(loop)
	// The last eight: those before them are equal.
	a.Bind(rest)
	a.RR(TEST, S64, R9, R9)
	a.Jcc(E, lengths)
	a.RM(MOV, S64, bulkA, last(RDI, R9, 8))
	a.RM(MOV, S64, bulkB, last(RSI, R9, 8))
	a.RR(CMP, S64, bulkA, bulkB)
	a.Jcc(E, lengths)
	a.Bind(differ)
	a.Bswap(S64, bulkA)
	a.Bswap(S64, bulkB)
	a.RR(CMP, S64, bulkA, bulkB)
	sign := func(d, t Reg) { // of the comparison in the flags
		a.Setcc(A, d)
		a.Setcc(B, t)
		a.RR(MOVZX8, S32, d, d)
		a.RR(MOVZX8, S32, t, t)
		a.RR(SUB, S64, d, t)
	}
	result := func() {
		sign(RAX, RCX)
		a.RR(TEST, S64, RAX, RAX)
		a.None(RET)
	}
	result()
	a.Bind(lengths)
	a.RR(CMP, S64, RCX, RDX)
	result()
	// Fewer than eight are one number, from the highest byte on. No branch depends on them.
	a.Bind(short)
	a.RR(TEST, S64, R9, R9)
	a.Jcc(E, lengths)
	a.RR(CMP, S64, RCX, RDX)
	sign(RAX, RCX)
	a.MovImm(RCX, 8)
	a.RR(SUB, S64, RCX, R9)
	a.RI(SHL, S32, RCX, 3)
	pointers := []Reg{RDI, RSI}
	var atEnd, loaded [2]Label // where a page ends, eight bytes end with the range
	for i, p := range pointers {
		atEnd[i], loaded[i] = a.NewLabel(), a.NewLabel()
		a.RR(MOV, S32, bulkB, p)
		a.RI(AND, S32, bulkB, pageLeast-1)
		a.RI(CMP, S32, bulkB, pageLeast-8)
		a.Jcc(A, atEnd[i])
		a.RM(MOV, S64, p, At(p, 0))
		a.Bind(loaded[i])
		a.Bswap(S64, p)
		a.R(SHR, S64, p)
	}
	a.RR(CMP, S64, RDI, RSI)
	sign(RDX, RCX)
	a.Cmov(NE, S64, RAX, RDX) // from the subtraction
	a.RR(TEST, S64, RAX, RAX)
	a.None(RET)
	for i, p := range pointers {
		a.Bind(atEnd[i])
		a.RM(MOV, S64, p, last(p, R9, 8))
		a.R(SHR, S64, p)
		a.Jmp(loaded[i])
	}
	a.Bind(large)
	refuse(a)
}

// writeHash writes the hash of exec.MemHash: seed in RSI, state in RAX.
func writeHash(a *Asm) {
	const k0, k1, k2 = -0x5f89e29b87429bd1, -0x18fc812e5f4bd725, -0x7143950f6377391d // as signed
	large, loop, tail, end := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	tooLarge(a, RCX, plan.HashMost, large)
	host(a, RDI)
	// mix multiplies RAX by another register and folds the halves.
	mix := func(by Reg) {
		a.R(MUL1, S64, by)
		a.RR(XOR, S64, RAX, RDX)
	}
	a.MovImm(RAX, k0)
	a.RR(XOR, S64, RAX, RSI)
	a.MovImm(bulkB, k1)
	a.RR(MOV, S64, R9, RCX)
	a.RR(XOR, S64, R9, bulkB)
	mix(R9)
	a.MovImm(R9, k2)
	a.Bind(loop)
	a.RI(CMP, S64, RCX, 8)
	a.Jcc(BE, tail)
	a.RM(XOR, S64, RAX, At(RDI, 0))
	mix(R9)
	a.RI(ADD, S64, RDI, 8)
	a.RI(SUB, S64, RCX, 8)
	a.Jmp(loop)
	a.Bind(tail)
	// The last 0 to 8 bytes, the first lowest, by overlapping accesses. Bytes that appear twice
	// are equal.
	under8, under4 := a.NewLabel(), a.NewLabel()
	a.Jcc(B, under8) // from the comparison with 8
	a.RM(MOV, S64, RSI, At(RDI, 0))
	a.Jmp(end)
	shift := func(d Reg, bytes func()) { // d <<= 8 * what bytes leaves in RCX
		bytes()
		a.RI(SHL, S32, RCX, 3)
		a.R(SHL, S64, d)
		a.RR(OR, S64, RSI, d)
	}
	a.Bind(under8)
	a.RI(CMP, S64, RCX, 4)
	a.Jcc(B, under4)
	a.RM(MOV, S32, RSI, At(RDI, 0))
	a.RM(MOV, S32, RDX, last(RDI, RCX, 4))
	shift(RDX, func() { a.RI(SUB, S64, RCX, 4) })
	a.Jmp(end)
	a.Bind(under4)
	a.RR(XOR, S32, RSI, RSI)
	a.RR(TEST, S64, RCX, RCX)
	a.Jcc(E, end)
	a.RM(MOVZX8, S32, RSI, At(RDI, 0))
	a.RM(MOVZX8, S32, RDX, last(RDI, RCX, 1)) // bytes 0, n/2 and n-1
	a.RR(MOV, S64, R9, RCX)
	a.RI(SHR, S64, R9, 1)
	a.RM(MOVZX8, S32, RDI, At(RDI, 0).Plus(R9, 1))
	shift(RDX, func() { a.RI(SUB, S64, RCX, 1) })
	shift(RDI, func() { a.RR(MOV, S64, RCX, R9) })
	a.Bind(end)
	a.RR(XOR, S64, RAX, RSI)
	mix(bulkB)
	a.RR(MOV, S64, RDX, RAX)
	a.RI(SHR, S64, RDX, 32)
	a.RR(XOR, S32, RAX, RDX) // the lower half
	finish(a, large)
}
