package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// Asm implements plan.Assembler, with what follows, alloc.go and memory.go.

func ctx(off int32) Mem { return At(regBase, off) }

// operand makes a memory operand.
func operand(m plan.Address) Mem {
	if m.Kind == plan.MemPool {
		return AtLabel(m.Label)
	}
	return Mem{Base: m.Base, Index: m.Index, Scale: m.Scale, Disp: m.Disp}
}

// fits32 reports whether a constant may be part of an instruction.
func fits32(x int64) bool { return x == int64(int32(x)) }

// Count adds with an address computation, in a register that a word of the context saves: there may be
// no memory below the stack pointer.
func (a *Asm) Count(n int32) {
	at := ctx(abi.CounterAt(n))
	a.MR(MOV, S64, ctx(abi.Kept), RAX)
	a.RM(MOV, S64, RAX, at)
	a.RM(LEA, S64, RAX, At(RAX, 1))
	a.MR(MOV, S64, at, RAX)
	a.RM(MOV, S64, RAX, ctx(abi.Kept))
}

func (a *Asm) Const(d Reg, x int64) { a.MovImm(d, x) }

func (a *Asm) Zero(d Reg) { a.RR(XORPS, S32, d, d) }

func (a *Asm) Copy(to, from Reg) {
	switch {
	case to == from:
	case isXMM(to) && isXMM(from):
		a.RR(MOVAPS, S32, to, from)
	case isXMM(to):
		a.RR(MOVD, S64, to, from)
	case isXMM(from):
		a.RR(MOVDT, S64, to, from)
	default:
		a.RR(MOV, S64, to, from)
	}
}

func (a *Asm) AddConst(d, n Reg, x int64) {
	if fits32(x) {
		a.RM(LEA, S64, d, At(n, int32(x)))
		return
	}
	a.MovImm(d, x)
	a.RR(ADD, S64, d, n)
}

func (a *Asm) Sub(d, s Reg) { a.RR(SUB, S64, d, s) }

// OpConst works in place but for products and rotations.
func (a *Asm) OpConst(op plan.Op, size Size, d, n Reg, x int64) {
	switch {
	case op == plan.Rotl && d != n && (size == S32 || size == S64):
		width := int64(size.Bits())
		a.RRI(RORX, size, d, n, (width-x)&(width-1))
	case op == plan.Rotl:
		a.Copy(d, n)
		a.RI(ROL, size, d, x)
	case op != plan.Mul:
		a.RI(arithmetic[op][0], size, d, x)
	case x == 3 || x == 5 || x == 9:
		a.RM(LEA, size, d, At(n, 0).Plus(n, uint8(x-1)))
	default:
		a.RRI(IMUL, size, d, n, x)
	}
}

// extendingLoads are the loads of integers, by how they extend.
var extendingLoads = [plan.NumOps]struct {
	op   Op
	size Size
}{
	plan.Zext8: {MOVZX8, S32}, plan.Zext16: {MOVZX16, S32}, plan.Zext32: {MOV, S32}, plan.Copy: {MOV, S64},
	plan.Sext8: {MOVSX8, S64}, plan.Sext16: {MOVSX16, S64}, plan.Sext32: {MOVSX32, S64},
}

// moveOf returns the move from and to a register.
func moveOf(r Reg, size Size) Op {
	switch {
	case !isXMM(r):
		return MOV
	case size == S32:
		return MOVSS
	case size == plan.S128:
		return MOVUPS
	}
	return MOVSD
}

func (a *Asm) Load(op plan.Op, size Size, d Reg, m plan.Address) {
	l := extendingLoads[op]
	if isXMM(d) {
		l.op, l.size = moveOf(d, size), size
	}
	a.RM(l.op, l.size, d, operand(m))
}

func (a *Asm) Store(size Size, m plan.Address, s Reg) {
	a.MR(moveOf(s, size), size, operand(m), s)
}

func (a *Asm) StoreConst(size Size, m plan.Address, x int64) { a.MI(MOV, size, operand(m), x) }

func (a *Asm) AddTo(size Size, m plan.Address, x int64) {
	if x < 0 {
		a.MI(SUB, size, operand(m), -x)
	} else {
		a.MI(ADD, size, operand(m), x)
	}
}

func (a *Asm) FloatBits(size Size, d, x Reg) { a.RR(MOVDT, size, d, x) }

func (a *Asm) Fixed(_ Size, m plan.Address) plan.Address { return m }

// conds are the flag conditions of comparisons. Comparisons of floats set those of unsigned
// numbers.
var conds = [plan.NumConds]Cond{
	plan.Eq: E, plan.Ne: NE, plan.LtS: L, plan.GeS: GE, plan.LeS: LE, plan.GtS: G,
	plan.LtU: B, plan.GeU: AE, plan.LeU: BE, plan.GtU: A,
}

func (a *Asm) Goto(to Label) { a.Jmp(to) }

func (a *Asm) JumpIf(c plan.Cond, size Size, x, y Reg, to Label) {
	a.RR(CMP, size, x, y)
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfConst(c plan.Cond, size Size, x Reg, k int64, t Reg, to Label) {
	if fits32(k) {
		a.RI(CMP, size, x, k)
	} else {
		a.MovImm(t, k)
		a.RR(CMP, size, x, t)
	}
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfZero(c plan.Cond, size Size, x Reg, to Label) {
	a.RR(TEST, size, x, x)
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfBits(size Size, x Reg, bits int64, to Label) {
	a.RI(TEST, size, x, bits)
	a.Jcc(NE, to)
}

func (a *Asm) JumpIfOrdered(yes bool, size Size, x, y Reg, to Label) {
	a.RR(forSize([2]Op{UCOMISS, UCOMISD}, size), S32, x, y)
	if yes {
		a.Jcc(NP, to)
	} else {
		a.Jcc(P, to)
	}
}

func (a *Asm) JumpIfWord(c plan.Cond, x Reg, word int32, to Label) {
	a.RM(CMP, S64, x, ctx(word))
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfWords(c plan.Cond, x, y int32, t Reg, to Label) {
	a.RM(MOV, S64, t, ctx(x))
	a.JumpIfWord(c, t, y, to)
}

func (a *Asm) Dense(size Size, x, n, at Reg, lo, span int64, table, other Label) {
	switch {
	case lo == 0:
		a.RR(MOV, size, n, x)
	case fits32(-lo):
		a.RM(LEA, size, n, At(x, int32(-lo)))
	default:
		a.RR(MOV, size, n, x)
		a.MovImm(at, lo)
		a.RR(SUB, size, n, at)
	}
	a.RI(CMP, size, n, span)
	a.Jcc(A, other)
	a.RM(LEA, S64, at, AtLabel(table))
	a.RM(MOVSX32, S64, n, At(at, 0).Plus(n, 4))
	a.RR(ADD, S64, n, at)
	a.R(JMPR, S64, n)
}

func (a *Asm) Addr(d Reg, l Label) { a.RM(LEA, S64, d, AtLabel(l)) }

func (a *Asm) CallLabel(l Label) { a.Call(l) }

// field appends a distance that publication fills in.
func (a *Asm) field() int32 {
	at := int32(a.Pos())
	a.i32(0)
	return at
}

func (a *Asm) JumpOut() int32 {
	a.transfer(0xe9)
	return a.field()
}

func (a *Asm) CallOut(kind abi.RelocKind) int32 {
	if kind == abi.RelTable {
		a.transfer(0xff, 0x15)
	} else {
		a.transfer(0xe8)
	}
	return a.field()
}

func (a *Asm) CallIndex(checked bool, sig uint32, bad Label) {
	a.JumpIfWord(plan.GeU, regIndex, abi.NumFuncs, bad)
	if checked {
		ok := a.NewLabel()
		a.RM(MOV, S64, R13, ctx(abi.Sigs))
		a.RM(MOV, S32, R13, At(R13, 0).Plus(regIndex, 4))
		a.RI(CMP, S32, R13, int64(int32(sig)))
		a.Jcc(E, ok)
		a.RI(CMP, S32, R13, -1)
		a.Jcc(NE, bad)
		a.Bind(ok)
	}
	a.RM(MOV, S64, R12, ctx(abi.Table))
	a.M(CALLR, S64, At(R12, 0).Plus(regIndex, 8))
}

func (a *Asm) JumpIfLarge(to Label) { a.Jcc(B, to) }

func (a *Asm) Enter(frame int32) {
	if frame != 0 {
		a.MoveStack(plan.Sub, frame)
	}
}

func (a *Asm) Return(frame int32) {
	if frame != 0 {
		a.MoveStack(plan.Add, frame)
	}
	a.None(RET)
}

func (a *Asm) MoveStack(op plan.Op, n int32) { a.RI(arithmetic[op][0], S64, RSP, int64(n)) }

func (a *Asm) Limit(op plan.Op, n int64, t Reg) {
	if fits32(n) {
		a.MI(arithmetic[op][0], S64, ctx(abi.Limit), n)
		return
	}
	a.MovImm(t, n)
	a.MR(arithmetic[op][0], S64, ctx(abi.Limit), t)
}

func (a *Asm) Save(s plan.Saving) {
	a.RM(LEA, S64, RSP, At(RSP, -s.Bytes()))
	for i, r := range s {
		a.MR(moveOf(r, S64), S64, At(RSP, int32(8*i)), r)
	}
}

func (a *Asm) Restore(s plan.Saving) {
	for i, r := range s {
		a.RM(moveOf(r, S64), S64, r, At(RSP, int32(8*i)))
	}
	a.RM(LEA, S64, RSP, At(RSP, s.Bytes()))
}

func (a *Asm) Charge(op plan.Op, n int64, t Reg, _ bool) {
	if t == NoReg {
		a.RI(arithmetic[op][0], S64, regGas, n)
		return
	}
	a.MovImm(t, n)
	a.RR(arithmetic[op][0], S64, regGas, t)
}

func (a *Asm) ChargeReg(x, t Reg) {
	if t == NoReg {
		a.RR(SUB, S64, regGas, x)
		return
	}
	a.MovImm(t, 1<<62)
	a.RR(CMP, S64, x, t)
	a.Cmov(B, S64, t, x)
	a.RR(SUB, S64, regGas, t)
}

func (a *Asm) JumpIfGas(c plan.Cond, plain bool, to Label) {
	if plain {
		a.RM(CMP, S64, regGas, ctx(abi.Plim))
	}
	a.Jcc(conds[c], to)
}

func (a *Asm) Leave(resume Label) {
	a.MR(MOV, S64, ctx(abi.Gas), regGas)
	a.MR(MOV, S64, ctx(abi.SP), RSP)
	a.MR(MOV, S64, ctx(abi.BP), RBP)
	a.RM(LEA, S64, RAX, AtLabel(resume))
	a.MR(MOV, S64, ctx(abi.PC), RAX)
	a.RM(MOV, S64, RSP, ctx(abi.GoSP))
	a.RM(MOV, S64, RBP, ctx(abi.GoBP))
	a.M(JMPR, S64, ctx(abi.Exit))
}

func (a *Asm) EnterYield() {
	a.RM(LEA, S64, RSP, At(RSP, -linkBytes))
	a.MR(MOV, S64, At(RSP, 0), RAX)
}

func (a *Asm) ReturnYield() {
	a.RM(MOV, S64, RAX, At(RSP, 0))
	a.RM(LEA, S64, RSP, At(RSP, linkBytes))
	a.R(JMPR, S64, RAX)
}

func (a *Asm) JumpTarget() { a.M(JMPR, S64, ctx(abi.Target)) }

func (a *Asm) Routine(n int) { bulkOps[n].write(a) }
