package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Bulk memory
//
// Routines (plan/routine.go) take their operands in X0 and up.

// A bulkOp is one of the routines.
type bulkOp struct {
	op     ir.Op
	kernel string // with ir.OpHost
	args   []Reg
	also   []Reg // that it destroys besides bulkClobber
	write  func(a *Asm)
}

// bulkClobber are the registers that routines use, besides scratch and far.
var bulkClobber = regalloc.SetOf(rangeOf(X0, 10)...) | regalloc.SetOf(rangeOf(V16, 10)...)

var bulkOps = []bulkOp{
	{op: ir.OpMoveN, args: rangeOf(X0, 3), write: writeMove},
	{op: ir.OpClearN, args: rangeOf(X0, 2), write: writeClear},
	{op: ir.OpMemEq, args: rangeOf(X0, 3), write: writeEqual},
	{op: ir.OpMemHash, args: rangeOf(X0, 3), write: writeHash},
	{op: ir.OpIndexByte, args: rangeOf(X0, 3), write: writeIndexByte},
	{op: ir.OpMemCmp, args: rangeOf(X0, 4), write: writeCompare},
	{op: ir.OpHost, kernel: "countbyte", args: rangeOf(X0, 3), write: writeCount},
	{op: ir.OpHost, kernel: "crc32", args: rangeOf(X0, 4), write: writeCRC32},
	{op: ir.OpHost, kernel: "sha256block", args: rangeOf(X0, 3), write: writeSHA256},
	{op: ir.OpHost, kernel: "validutf8", args: rangeOf(X0, 2), also: rangeOf(V16+10, 4), write: writeValidUTF8},
	{op: ir.OpHost, kernel: "bigadd", args: rangeOf(X0, 4), also: fours[1], write: func(a *Asm) { writeBigAdd(a, ADCS) }},
	{op: ir.OpHost, kernel: "bigsub", args: rangeOf(X0, 4), also: fours[1], write: func(a *Asm) { writeBigAdd(a, SBCS) }},
	{op: ir.OpHost, kernel: "bigmul", args: rangeOf(X0, 6), also: fours[1], write: writeBigMul},
	{op: ir.OpHost, kernel: "bigmuladd", args: rangeOf(X0, 6), also: fours[1], write: writeBigMulAdd},
	{op: ir.OpHost, kernel: "bigshl", args: rangeOf(X0, 5), write: writeBigShl},
	{op: ir.OpHost, kernel: "bigshr", args: rangeOf(X0, 5), write: writeBigShr},
}

// routines returns bulkOps in the form of package plan.
func routines() []plan.Routine {
	list := make([]plan.Routine, len(bulkOps))
	for i, op := range bulkOps {
		list[i] = plan.Routine{Op: op.op, Kernel: op.kernel, Args: op.args, Clobber: bulkClobber | regalloc.SetOf(op.also...)}
	}
	return list
}

// host turns a guest address into a host address.
func host(a *Asm, d, p Reg) { a.RRR(ADD, S64, d, regBase, p) }

// tooLarge leaves if n is more than most, unsigned. That includes negative lengths, which mean 0.
func tooLarge(a *Asm, n Reg, most int64, large Label) {
	a.CmpImm(S64, n, most)
	a.Bcond(HI, large)
}

// done returns with the carry clear.
func done(a *Asm) {
	a.RRR(ADDS, S64, ZR, ZR, ZR)
	a.Ret()
}

// finish is the end of routines: it returns with the carry clear, or set.
func finish(a *Asm, large Label) {
	done(a)
	a.Bind(large)
	refuse(a)
}

// refuse leaves all the work to the handler.
func refuse(a *Asm) {
	a.Cmp(S64, ZR, ZR)
	a.Ret()
}

// smallLoads and smallStores access 8, 4, 2 and 1 bytes.
var (
	smallLoads  = [4]MemOp{LDRX, LDRW, LDRH, LDRB}
	smallStores = [4]MemOp{STRX, STRW, STRH, STRB}
)

// bySize writes code for fewer than 16 bytes by two accesses of one size, one at the start and one at the
// end, which may overlap. f gets the numbers of the size and its bytes.
func bySize(a *Asm, n Reg, end Label, f func(i int, bytes int32)) {
	for i := range 4 {
		next := a.NewLabel()
		a.Tbz(n, 3-i, next)
		f(i, 8>>i)
		a.B(end)
		a.Bind(next)
	}
}

// writeMove copies X2 bytes from X1 to X0.
func writeMove(a *Asm) {
	large, end := a.NewLabel(), a.NewLabel()
	dst, src, n, dstEnd, srcEnd, t, u := X3, X4, X2, X5, X6, X7, X8
	tooLarge(a, n, plan.MoveMost, large)
	host(a, dst, X0)
	host(a, src, X1)
	a.RRR(ADD, S64, dstEnd, dst, n)
	a.RRR(ADD, S64, srcEnd, src, n)
	over16, over32, over64, over128, down := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.CmpImm(S64, n, 16)
	a.Bcond(HS, over16)
	bySize(a, n, end, func(i int, bytes int32) {
		a.Mem(smallLoads[i], t, At(src, 0))
		a.Mem(smallLoads[i], u, At(srcEnd, -bytes))
		a.Mem(smallStores[i], t, At(dst, 0))
		a.Mem(smallStores[i], u, At(dstEnd, -bytes))
	})
	a.B(end)
	a.Bind(over16)
	a.CmpImm(S64, n, 32)
	a.Bcond(HI, over32)
	a.Mem(LDRQ, V16, At(src, 0))
	a.Mem(LDRQ, V16+1, At(srcEnd, -16))
	a.Mem(STRQ, V16, At(dst, 0))
	a.Mem(STRQ, V16+1, At(dstEnd, -16))
	a.B(end)
	// All loads come before all stores: source and target may overlap.
	four := func(op PairOp, at Reg, off int32, first Reg) {
		a.Pair(op, first, first+1, at, off)
		a.Pair(op, first+2, first+3, at, off+32)
	}
	a.Bind(over32)
	a.CmpImm(S64, n, 64)
	a.Bcond(HI, over64)
	a.Pair(LDPQ, V16, V16+1, src, 0)
	a.Pair(LDPQ, V16+2, V16+3, srcEnd, -32)
	a.Pair(STPQ, V16, V16+1, dst, 0)
	a.Pair(STPQ, V16+2, V16+3, dstEnd, -32)
	a.B(end)
	a.Bind(over64)
	a.CmpImm(S64, n, 128)
	a.Bcond(HI, over128)
	four(LDPQ, src, 0, V16)
	four(LDPQ, srcEnd, -64, V16+4)
	four(STPQ, dst, 0, V16)
	four(STPQ, dstEnd, -64, V16+4)
	a.B(end)
	// Upwards unless the target begins within the source. What is left after the loop was loaded before
	// it.
	a.Bind(over128)
	a.RRR(SUB, S64, t, dst, src)
	a.Cmp(S64, t, n)
	a.Bcond(LO, down)
	up := a.NewLabel()
	four(LDPQ, srcEnd, -64, V16+4)
	a.RRI(SUB, S64, dstEnd, dstEnd, 64)
	a.Bind(up)
	four(LDPQ, src, 0, V16)
	a.RRI(ADD, S64, src, src, 64)
	four(STPQ, dst, 0, V16)
	a.RRI(ADD, S64, dst, dst, 64)
	a.Cmp(S64, dst, dstEnd)
	a.Bcond(LO, up)
	four(STPQ, dstEnd, 0, V16+4)
	a.B(end)
	a.Bind(down)
	loop := a.NewLabel()
	four(LDPQ, src, 0, V16+4)
	a.RRI(ADD, S64, t, dst, 64)
	a.Bind(loop)
	four(LDPQ, srcEnd, -64, V16)
	a.RRI(SUB, S64, srcEnd, srcEnd, 64)
	four(STPQ, dstEnd, -64, V16)
	a.RRI(SUB, S64, dstEnd, dstEnd, 64)
	a.Cmp(S64, dstEnd, t)
	a.Bcond(HI, loop)
	four(STPQ, dst, 0, V16+4)
	a.Bind(end)
	finish(a, large)
}

// writeClear clears X1 bytes at X0.
func writeClear(a *Asm) {
	large, end, over16, over64, loop := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	p, n, last := X2, X1, X3
	tooLarge(a, n, plan.MoveMost, large)
	host(a, p, X0)
	a.RRR(ADD, S64, last, p, n)
	a.CmpImm(S64, n, 16)
	a.Bcond(HS, over16)
	bySize(a, n, end, func(i int, bytes int32) {
		a.Mem(smallStores[i], ZR, At(p, 0))
		a.Mem(smallStores[i], ZR, At(last, -bytes))
	})
	a.B(end)
	a.Bind(over16)
	a.RR(MOVI0, S32, V16, V0)
	a.CmpImm(S64, n, 64)
	a.Bcond(HI, over64)
	a.Mem(STRQ, V16, At(p, 0))
	a.Mem(STRQ, V16, At(last, -16))
	a.CmpImm(S64, n, 32)
	a.Bcond(LS, end)
	a.Mem(STRQ, V16, At(p, 16))
	a.Mem(STRQ, V16, At(last, -32))
	a.B(end)
	a.Bind(over64)
	four := func(at Reg) {
		a.Pair(STPQ, V16, V16, at, 0)
		a.Pair(STPQ, V16, V16, at, 32)
	}
	a.RRI(SUB, S64, last, last, 64)
	a.Bind(loop)
	four(p)
	a.RRI(ADD, S64, p, p, 64)
	a.Cmp(S64, p, last)
	a.Bcond(LO, loop)
	four(last)
	a.Bind(end)
	finish(a, large)
}

// writeEqual compares X2 bytes at X0 and X1.
func writeEqual(a *Asm) {
	large, yes, no, over16, loop, end := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	p, q, n, pEnd, qEnd := X3, X4, X2, X5, X6
	t, u, v, w := X7, X8, X9, scratch
	tooLarge(a, n, plan.CompareMost, large)
	host(a, p, X0)
	host(a, q, X1)
	a.RRR(ADD, S64, pEnd, p, n)
	a.RRR(ADD, S64, qEnd, q, n)
	a.CmpImm(S64, n, 16)
	a.Bcond(HS, over16)
	same := func() { // t is u and v is w
		a.Cmp(S64, t, u)
		a.Ccmp(S64, v, w, 0, EQ)
		a.Bcond(NE, no)
	}
	bySize(a, n, yes, func(i int, bytes int32) {
		a.Mem(smallLoads[i], t, At(p, 0))
		a.Mem(smallLoads[i], u, At(q, 0))
		a.Mem(smallLoads[i], v, At(pEnd, -bytes))
		a.Mem(smallLoads[i], w, At(qEnd, -bytes))
		same()
	})
	a.B(yes)
	a.Bind(over16)
	sixteen := func(p, q Reg) {
		a.Pair(LDPX, t, v, p, 0)
		a.Pair(LDPX, u, w, q, 0)
		same()
	}
	a.RRI(SUB, S64, pEnd, pEnd, 16)
	a.RRI(SUB, S64, qEnd, qEnd, 16)
	a.Bind(loop)
	a.Cmp(S64, p, pEnd)
	a.Bcond(HS, end)
	sixteen(p, q)
	a.RRI(ADD, S64, p, p, 16)
	a.RRI(ADD, S64, q, q, 16)
	a.B(loop)
	a.Bind(end)
	sixteen(pEnd, qEnd)
	a.Bind(yes)
	a.MovImm(X0, 1)
	done(a)
	a.Bind(no)
	a.MovImm(X0, 0)
	finish(a, large)
}

// writeCompare compares X1 bytes at X0 with X3 bytes at X2: -1, 0 or 1.
func writeCompare(a *Asm) {
	large, loop, bytes, one, differ, lengths, result := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(),
		a.NewLabel(), a.NewLabel()
	p, q, n, m, left, t, u := X4, X5, X1, X3, X6, X7, X8
	tooLarge(a, n, plan.CompareMost, large)
	tooLarge(a, m, plan.CompareMost, large)
	host(a, p, X0)
	host(a, q, X2)
	a.Cmp(S64, n, m)
	a.Csel(S64, left, n, m, LO)
	a.CmpImm(S64, left, 8)
	a.Bcond(LO, bytes)
	a.Bind(loop)
	a.MemPost(LDRX, t, p, 8)
	a.MemPost(LDRX, u, q, 8)
	a.Cmp(S64, t, u)
	a.Bcond(NE, differ)
	a.RRI(SUB, S64, left, left, 8)
	a.CmpImm(S64, left, 8)
	a.Bcond(HS, loop)
	// The last eight: those before them are equal.
	a.Cbz(S64, left, lengths)
	a.RRR(ADD, S64, p, p, left)
	a.RRR(ADD, S64, q, q, left)
	a.Mem(LDRX, t, At(p, -8))
	a.Mem(LDRX, u, At(q, -8))
	a.Cmp(S64, t, u)
	a.Bcond(EQ, lengths)
	a.Bind(differ)
	a.RR(REVX, S64, t, t)
	a.RR(REVX, S64, u, u)
	a.Cmp(S64, t, u)
	a.Bind(result) // of the comparison in the flags
	a.Cset(X0, HI)
	a.Csinv(S64, X0, X0, ZR, HS)
	done(a)
	a.Bind(one)
	a.MemPost(LDRB, t, p, 1)
	a.MemPost(LDRB, u, q, 1)
	a.Cmp(S64, t, u)
	a.Bcond(NE, result)
	a.RRI(SUB, S64, left, left, 1)
	a.Bind(bytes)
	a.Cbnz(S64, left, one)
	a.Bind(lengths)
	a.Cmp(S64, n, m)
	a.B(result)
	a.Bind(large)
	refuse(a)
}

// writeIndexByte finds the byte X2 among X1 bytes at X0.
func writeIndexByte(a *Asm) {
	large, none, loop, end, found, one, next := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(),
		a.NewLabel()
	p, n, last, start, t := X3, X1, X4, X5, X6
	sought, v := V16, V16+1
	tooLarge(a, n, plan.SearchMost, large)
	host(a, p, X0)
	a.Mov(S64, start, p)
	a.RRR(ADD, S64, last, p, n)
	a.CmpImm(S64, n, 16)
	a.Bcond(LO, next)
	a.RR(DUP16B, S32, sought, X2)
	a.RRI(SUB, S64, last, last, 16)
	match := func() { // four bits of t for each byte
		a.Mem(LDRQ, v, At(p, 0))
		a.RRR(CMEQ16B, S32, v, v, sought)
		a.RR(SHRN4, S32, v, v)
		a.RR(FMOVFromFloat, S64, t, v)
		a.Cbnz(S64, t, found)
	}
	a.Bind(loop)
	match()
	a.RRI(ADD, S64, p, p, 16)
	a.Cmp(S64, p, last)
	a.Bcond(LO, loop)
	a.Mov(S64, p, last)
	match()
	a.Bind(none)
	a.MovImm(X0, -1)
	done(a)
	a.Bind(found)
	a.RR(RBIT, S64, t, t)
	a.RR(CLZ, S64, t, t)
	a.RRR(SUB, S64, p, p, start)
	a.RRS(ADD, S64, X0, p, t, LSR, 2)
	done(a)
	// Fewer than 16, one by one.
	a.Bind(one)
	a.MemPost(LDRB, t, p, 1)
	a.RRX(SUBS, S32, ZR, t, X2, UXTB, 0)
	a.Bcond(EQ, end)
	a.Bind(next)
	a.Cmp(S64, p, last)
	a.Bcond(LO, one)
	a.B(none)
	a.Bind(end)
	a.RRR(SUB, S64, X0, p, start)
	a.RRI(SUB, S64, X0, X0, 1)
	finish(a, large)
}

// writeHash hashes X2 bytes at X0 with the seed X1, as memory.Hash does.
func writeHash(a *Asm) {
	const k0, k1, k2 = -0x5f89e29b87429bd1, -0x18fc812e5f4bd725, -0x7143950f6377391d // as signed
	large, loop, tail, under8, under4, end := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	p, seed, n, h, by1, by2, t, u := X3, X1, X2, X4, X5, X6, X7, X8
	tooLarge(a, n, plan.HashMost, large)
	host(a, p, X0)
	// mix multiplies h by another register and folds the halves.
	mix := func(by Reg) {
		a.RRR(UMULH, S64, u, h, by)
		a.RRR(MUL, S64, h, h, by)
		a.RRR(EOR, S64, h, h, u)
	}
	a.MovImm(h, k0)
	a.RRR(EOR, S64, h, h, seed)
	a.MovImm(by1, k1)
	a.RRR(EOR, S64, t, n, by1)
	mix(t)
	a.MovImm(by2, k2)
	a.CmpImm(S64, n, 8)
	a.Bcond(LS, tail)
	a.Bind(loop)
	a.MemPost(LDRX, t, p, 8)
	a.RRR(EOR, S64, h, h, t)
	mix(by2)
	a.RRI(SUB, S64, n, n, 8)
	a.CmpImm(S64, n, 8)
	a.Bcond(HI, loop)
	a.Bind(tail)
	// The last 0 to 8 bytes, the first lowest, by overlapping accesses. Bytes that appear twice are
	// equal.
	a.Bcond(LO, under8) // from the comparison with 8
	a.Mem(LDRX, t, At(p, 0))
	a.B(end)
	shift := func(count Reg) { // t |= u << 8 * count
		a.Lsl(S64, count, count, 3)
		a.RRR(LSLV, S64, u, u, count)
		a.RRR(ORR, S64, t, t, u)
	}
	a.Bind(under8)
	a.Tbz(n, 2, under4)
	a.Mem(LDRW, t, At(p, 0))
	a.RRI(SUB, S64, n, n, 4)
	a.Mem(LDRW, u, Mem{Base: p, Index: n})
	shift(n)
	a.B(end)
	a.Bind(under4)
	a.MovImm(t, 0)
	a.Cbz(S64, n, end)
	a.Mem(LDRB, t, At(p, 0)) // bytes 0, n/2 and n-1
	a.Lsr(S64, far, n, 1)
	a.Mem(LDRB, u, Mem{Base: p, Index: far})
	shift(far)
	a.RRI(SUB, S64, n, n, 1)
	a.Mem(LDRB, u, Mem{Base: p, Index: n})
	shift(n)
	a.Bind(end)
	a.RRR(EOR, S64, h, h, t)
	mix(by1)
	a.RRS(EOR, S64, h, h, h, LSR, 32)
	a.Mov(S32, X0, h) // the lower half
	finish(a, large)
}
