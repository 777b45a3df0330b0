package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// Asm implements plan.Assembler, with what follows, alloc.go, memory.go and [Asm.Align].

func ctx(off int32) Mem { return At(regBase, off) }

// operand makes a memory operand. The parts of an address that no operand has are in far.
func (a *Asm) operand(m plan.Address) Mem {
	base, index := m.Base, m.Index
	switch {
	case index == NoReg:
		return At(base, m.Disp)
	case m.Kind == plan.MemBase && m.Disp != 0:
		a.RRR(ADD, S64, far, base, index)
		return At(far, m.Disp)
	}
	n, ok := plan.Log2(int64(m.Scale))
	if !ok {
		panic("arm64: bad scale")
	}
	return Mem{Base: base, Index: index, Shift: uint8(n), Disp: m.Disp}
}

// Count saves the two registers that it uses in words of the context: there may be no memory below the
// stack pointer.
func (a *Asm) Count(n int32) {
	a.Mem(STRX, X0, At(regBase, abi.Kept))
	a.Mem(STRX, X1, At(regBase, abi.KeptToo))
	a.MovImm(X1, int64(abi.CounterAt(n)))
	m := Mem{Base: regBase, Index: X1}
	a.Mem(LDRX, X0, m)
	a.RRI(ADD, S64, X0, X0, 1)
	a.Mem(STRX, X0, m)
	a.Mem(LDRX, X1, At(regBase, abi.KeptToo))
	a.Mem(LDRX, X0, At(regBase, abi.Kept))
}

func (a *Asm) Const(d Reg, x int64) { a.MovImm(d, x) }

func (a *Asm) Zero(d Reg) { a.RR(FMOVToFloat, S64, d, ZR) }

func (a *Asm) Copy(to, from Reg) {
	switch {
	case to == from:
	case isVector(to) && isVector(from):
		a.RR(FMOV, S64, to, from)
	case isVector(to):
		a.RR(FMOVToFloat, S64, to, from)
	case isVector(from):
		a.RR(FMOVFromFloat, S64, to, from)
	default:
		a.Mov(S64, to, from)
	}
}

func (a *Asm) AddConst(d, n Reg, x int64) { a.addConst(d, n, x) }

func (a *Asm) Sub(d, s Reg) { a.RRR(SUB, S64, d, d, s) }

func (a *Asm) OpConst(op plan.Op, size Size, d, x Reg, imm int64) {
	switch n := int(imm); op {
	case plan.Add, plan.Sub:
		if op == plan.Sub {
			imm = -imm
		}
		sum, y := addOf(imm)
		a.RRI(sum, size, d, x, y)
	case plan.Mul:
		by, _ := plan.Log2(imm - 1)
		a.RRS(ADD, size, d, x, x, LSL, by)
	case plan.Shl:
		a.Lsl(size, d, x, n)
	case plan.ShrU:
		a.Lsr(size, d, x, n)
	case plan.ShrS:
		a.Asr(size, d, x, n)
	case plan.Rotl:
		if size == S16 && n == 8 {
			a.RR(REV16, S32, d, x)
			return
		}
		x, size := a.repeated(x, size)
		a.Ror(size, d, x, -n&(size.Bits()-1))
	default:
		a.RRI(arithmetic[op], size, d, x, imm)
	}
}

// Loads of integers, by how they extend, and other loads and stores by size.
var (
	extendingLoads = [plan.NumOps]MemOp{
		plan.Zext8: LDRB, plan.Zext16: LDRH, plan.Zext32: LDRW, plan.Copy: LDRX,
		plan.Sext8: LDRSB, plan.Sext16: LDRSH, plan.Sext32: LDRSW,
	}
	stores      = [...]MemOp{S8: STRB, S16: STRH, S32: STRW, S64: STRX}
	floatLoads  = [...]MemOp{S32: LDRS, S64: LDRD, plan.S128: LDRQ}
	floatStores = [...]MemOp{S32: STRS, S64: STRD, plan.S128: STRQ}
)

func (a *Asm) Load(op plan.Op, size Size, d Reg, m plan.Address) {
	if isVector(d) {
		a.access(floatLoads[size], d, a.operand(m))
	} else {
		a.access(extendingLoads[op], d, a.operand(m))
	}
}

func (a *Asm) Store(size Size, m plan.Address, s Reg) {
	if isVector(s) {
		a.access(floatStores[size], s, a.operand(m))
	} else {
		a.access(stores[size], s, a.operand(m))
	}
}

func (a *Asm) StoreConst(size Size, m plan.Address, x int64) {
	r := ZR
	if x != 0 {
		r = scratch
		a.MovImm(r, x)
	}
	a.access(stores[size], r, a.operand(m))
}

func (a *Asm) AddTo(size Size, m plan.Address, x int64) {
	load := LDRX
	if size == S32 {
		load = LDRW
	}
	a.access(load, scratch, a.operand(m))
	op, y := addOf(x)
	a.RRI(op, S64, scratch, scratch, y)
	a.access(stores[size], scratch, a.operand(m))
}

func (a *Asm) FloatBits(size Size, d, x Reg) { a.RR(FMOVFromFloat, size, d, x) }

func (a *Asm) Fixed(size Size, m plan.Address) plan.Address {
	n := a.near(floatStores[size], a.operand(m))
	return plan.Address{Base: n.Base, Index: n.Index, Scale: 1 << n.Shift, Disp: n.Disp}
}

// conds are the flag conditions of comparisons of integers, floatConds of floats: with a NaN all but NE
// and the opposites are false.
var (
	conds = [plan.NumConds]Cond{
		plan.Eq: EQ, plan.Ne: NE, plan.LtS: LT, plan.GeS: GE, plan.LeS: LE, plan.GtS: GT,
		plan.LtU: LO, plan.GeU: HS, plan.LeU: LS, plan.GtU: HI,
	}
	floatConds = [plan.NumConds]Cond{plan.Eq: EQ, plan.Ne: NE, plan.GtU: GT, plan.GeU: GE}
)

func (a *Asm) Goto(to Label) { a.B(to) }

func (a *Asm) JumpIf(c plan.Cond, size Size, x, y Reg, to Label) {
	a.Cmp(size, x, y)
	a.Bcond(conds[c], to)
}

func (a *Asm) JumpIfConst(c plan.Cond, size Size, x Reg, k int64, _ Reg, to Label) {
	a.cmpConst(size, x, k)
	a.Bcond(conds[c], to)
}

// cmpConst compares with any constant. It may change scratch.
func (a *Asm) cmpConst(size Size, x Reg, k int64) {
	if fitsCmp(k) {
		a.CmpImm(size, x, k)
		return
	}
	a.MovImm(scratch, k)
	a.Cmp(size, x, scratch)
}

func (a *Asm) JumpIfZero(c plan.Cond, size Size, x Reg, to Label) {
	if c == plan.Eq {
		a.Cbz(size, x, to)
	} else {
		a.Cbnz(size, x, to)
	}
}

func (a *Asm) JumpIfBits(size Size, x Reg, bits int64, to Label) {
	a.RRI(ANDS, size, ZR, x, bits)
	a.Bcond(NE, to)
}

func (a *Asm) JumpIfOrdered(yes bool, size Size, x, y Reg, to Label) {
	a.Fcmp(size, x, y)
	if yes {
		a.Bcond(VC, to)
	} else {
		a.Bcond(VS, to)
	}
}

func (a *Asm) JumpIfWord(c plan.Cond, x Reg, word int32, to Label) {
	a.JumpIf(c, S64, x, a.contextWord(word), to)
}

func (a *Asm) JumpIfWords(c plan.Cond, x, y int32, _ Reg, to Label) {
	a.JumpIfWord(c, a.contextWord(x), y, to)
}

// contextWord returns the register that has a word of the context: scratch, if no other has it.
func (a *Asm) contextWord(off int32) Reg {
	switch off {
	case abi.Limit:
		return regLimit
	case abi.Plim:
		return regPlain
	}
	a.access(LDRX, scratch, ctx(off))
	return scratch
}

func (a *Asm) Dense(size Size, x, n, _ Reg, lo, span int64, table, other Label) {
	switch op, y := addOf(-lo); {
	case lo == 0:
		a.Mov(size, n, x)
	case fitsImm(op, size, y):
		a.RRI(op, size, n, x, y)
	default:
		a.MovImm(scratch, lo)
		a.RRR(SUB, size, n, x, scratch)
	}
	a.cmpConst(size, n, span)
	a.Bcond(HI, other)
	a.Adr(far, table)
	a.Mem(LDRSW, scratch, Mem{Base: far, Index: n, Shift: 2})
	a.RRR(ADD, S64, scratch, scratch, far)
	a.Br(scratch)
}

func (a *Asm) Addr(d Reg, l Label) { a.Adr(d, l) }

func (a *Asm) CallLabel(l Label) { a.Bl(l) }

func (a *Asm) JumpOut() int32 { return a.out(0x14000000) }

// CallOut of the table: Relocate writes where the entry is.
func (a *Asm) CallOut(kind abi.RelocKind) int32 {
	if kind != abi.RelTable {
		return a.out(0x94000000)
	}
	a.Instruction()
	at := int32(a.Pos())
	a.raw(0x90000000 | number(scratch)) // adrp
	a.Mem(LDRX, scratch, At(scratch, 0))
	a.Blr(scratch)
	return at
}

// out appends a jump whose distance publication fills in.
func (a *Asm) out(code uint32) int32 {
	a.Instruction()
	at := int32(a.Pos())
	a.raw(code)
	a.Leads = true
	return at
}

func (a *Asm) CallIndex(checked bool, sig uint32, bad Label) {
	a.JumpIfWord(plan.GeU, regIndex, abi.NumFuncs, bad)
	if checked {
		ok := a.NewLabel()
		a.access(LDRX, scratch, ctx(abi.Sigs))
		a.Mem(LDRW, scratch, Mem{Base: scratch, Index: regIndex, Shift: 2})
		a.MovImm(far, int64(sig))
		a.Cmp(S32, scratch, far)
		a.Bcond(EQ, ok)
		a.CmpImm(S32, scratch, -1)
		a.Bcond(NE, bad)
		a.Bind(ok)
	}
	a.access(LDRX, scratch, ctx(abi.Table))
	a.Mem(LDRX, scratch, Mem{Base: scratch, Index: regIndex, Shift: 3})
	a.Blr(scratch)
}

func (a *Asm) JumpIfLarge(to Label) { a.Bcond(HS, to) }

func (a *Asm) Enter(frame int32) {
	if frame == 0 {
		a.MemPre(STRX, regLink, regStack, -linkBytes)
		return
	}
	a.addConst(regStack, regStack, int64(-frame-linkBytes))
	a.access(STRX, regLink, At(regStack, frame))
}

func (a *Asm) Return(frame int32) {
	if frame == 0 {
		a.MemPost(LDRX, regLink, regStack, linkBytes)
	} else {
		a.access(LDRX, regLink, At(regStack, frame))
		a.addConst(regStack, regStack, int64(frame)+linkBytes)
	}
	a.Ret()
}

func (a *Asm) MoveStack(op plan.Op, n int32) {
	if n != 0 {
		a.move(op, regStack, int64(n))
	}
}

func (a *Asm) Limit(op plan.Op, n int64, _ Reg) { a.move(op, regLimit, n) }

// move adds a constant to a register, or subtracts it.
func (a *Asm) move(op plan.Op, r Reg, n int64) {
	if op == plan.Sub {
		n = -n
	}
	a.addConst(r, r, n)
}

func (a *Asm) Save(s plan.Saving) {
	a.addConst(regStack, regStack, int64(-s.Bytes()))
	a.eachSaved(s, STPX, STPD, func(m plan.Address, r Reg) { a.Store(S64, m, r) })
}

func (a *Asm) Restore(s plan.Saving) {
	a.eachSaved(s, LDPX, LDPD, func(m plan.Address, r Reg) { a.Load(plan.Copy, S64, r, m) })
	a.addConst(regStack, regStack, int64(s.Bytes()))
}

// eachSaved moves the registers of a saving, two of a class by one instruction.
func (a *Asm) eachSaved(s plan.Saving, ints, floats PairOp, one func(plan.Address, Reg)) {
	for i := 0; i < len(s); i++ {
		r, off := s[i], int32(8*i)
		if i+1 == len(s) || isVector(s[i+1]) != isVector(r) {
			one(plan.Address{Base: regStack, Index: NoReg, Disp: off}, r)
			continue
		}
		op := ints
		if isVector(r) {
			op = floats
		}
		a.Pair(op, r, s[i+1], regStack, off)
		i++
	}
}

func (a *Asm) Charge(op plan.Op, n int64, _ Reg, flags bool) {
	sum := ADD
	switch {
	case op == plan.Sub && flags:
		sum = SUBS
	case op == plan.Sub:
		sum = SUB
	}
	if fitsImm(sum, S64, n) {
		a.RRI(sum, S64, regGas, regGas, n)
		return
	}
	a.MovImm(scratch, n)
	a.RRR(sum, S64, regGas, regGas, scratch)
}

func (a *Asm) ChargeReg(x, t Reg) {
	if t == NoReg {
		a.RRR(SUBS, S64, regGas, regGas, x)
		return
	}
	a.MovImm(scratch, 1<<62)
	a.Cmp(S64, x, scratch)
	a.Csel(S64, scratch, x, scratch, LO)
	a.RRR(SUBS, S64, regGas, regGas, scratch)
}

func (a *Asm) JumpIfGas(c plan.Cond, plain bool, to Label) {
	if plain {
		a.Cmp(S64, regGas, regPlain)
	}
	a.Bcond(conds[c], to)
}

// Leave keeps Go's stack pointer and frame pointer, which are in their registers all the time. So it
// takes only Go's return address, which entering has put into the context.
func (a *Asm) Leave(resume Label) {
	a.access(STRX, regGas, ctx(abi.Gas))
	a.access(STRX, regStack, ctx(abi.SP))
	a.access(STRX, regLimit, ctx(abi.Limit))
	a.Adr(scratch, resume)
	a.access(STRX, scratch, ctx(abi.PC))
	a.access(LDRX, regLink, ctx(abi.GoBP))
	a.access(LDRX, scratch, ctx(abi.Exit))
	a.Br(scratch)
}

func (a *Asm) EnterYield() { a.MemPre(STRX, scratch, regStack, -linkBytes) }

func (a *Asm) ReturnYield() {
	a.MemPost(LDRX, scratch, regStack, linkBytes)
	a.Br(scratch)
}

func (a *Asm) JumpTarget() {
	a.MemPost(LDRX, regLink, regStack, linkBytes)
	a.access(LDRX, scratch, ctx(abi.Target))
	a.Br(scratch)
}

func (a *Asm) Routine(n int) { bulkOps[n].write(a) }
