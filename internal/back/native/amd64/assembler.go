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
	return Mem{Base: Reg(m.Base), Index: Reg(m.Index), Scale: m.Scale, Disp: m.Disp}
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

func (a *Asm) Const(d plan.Reg, x int64) { a.MovImm(Reg(d), x) }

func (a *Asm) Zero(d plan.Reg) { a.RR(XORPS, S32, Reg(d), Reg(d)) }

func (a *Asm) Copy(d, s plan.Reg) {
	switch to, from := Reg(d), Reg(s); {
	case to == from:
	case to.IsXMM() && from.IsXMM():
		a.RR(MOVAPS, S32, to, from)
	case to.IsXMM():
		a.RR(MOVD, S64, to, from)
	case from.IsXMM():
		a.RR(MOVDT, S64, to, from)
	default:
		a.RR(MOV, S64, to, from)
	}
}

func (a *Asm) AddConst(d, n plan.Reg, x int64) {
	if fits32(x) {
		a.RM(LEA, S64, Reg(d), At(Reg(n), int32(x)))
		return
	}
	a.MovImm(Reg(d), x)
	a.RR(ADD, S64, Reg(d), Reg(n))
}

// OpConst works in place but for products.
func (a *Asm) OpConst(op plan.Op, size Size, d, n plan.Reg, x int64) {
	switch {
	case op != plan.Mul:
		a.RI(arithmetic[op][0], size, Reg(d), x)
	case x == 3 || x == 5 || x == 9:
		a.RM(LEA, size, Reg(d), At(Reg(n), 0).Plus(Reg(n), uint8(x-1)))
	default:
		a.RRI(IMUL, size, Reg(d), Reg(n), x)
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
	case !r.IsXMM():
		return MOV
	case size == S32:
		return MOVSS
	}
	return MOVSD
}

func (a *Asm) Load(op plan.Op, size Size, d plan.Reg, m plan.Address) {
	l := extendingLoads[op]
	if Reg(d).IsXMM() {
		l.op, l.size = moveOf(Reg(d), size), size
	}
	a.RM(l.op, l.size, Reg(d), operand(m))
}

func (a *Asm) Store(size Size, m plan.Address, s plan.Reg) {
	a.MR(moveOf(Reg(s), size), size, operand(m), Reg(s))
}

func (a *Asm) StoreConst(size Size, m plan.Address, x int64) { a.MI(MOV, size, operand(m), x) }

func (a *Asm) AddTo(size Size, m plan.Address, x int64) {
	if x < 0 {
		a.MI(SUB, size, operand(m), -x)
	} else {
		a.MI(ADD, size, operand(m), x)
	}
}

func (a *Asm) FloatBits(size Size, d, x plan.Reg) { a.RR(MOVDT, size, Reg(d), Reg(x)) }

func (a *Asm) Fixed(_ Size, m plan.Address) plan.Address { return m }

// conds are the flag conditions of comparisons. Comparisons of floats set those of unsigned
// numbers.
var conds = [plan.NumConds]Cond{
	plan.Eq: E, plan.Ne: NE, plan.LtS: L, plan.GeS: GE, plan.LeS: LE, plan.GtS: G,
	plan.LtU: B, plan.GeU: AE, plan.LeU: BE, plan.GtU: A,
}

func (a *Asm) Goto(to Label) { a.Jmp(to) }

func (a *Asm) JumpIf(c plan.Cond, size Size, x, y plan.Reg, to Label) {
	a.RR(CMP, size, Reg(x), Reg(y))
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfConst(c plan.Cond, size Size, x plan.Reg, k int64, t plan.Reg, to Label) {
	if fits32(k) {
		a.RI(CMP, size, Reg(x), k)
	} else {
		a.MovImm(Reg(t), k)
		a.RR(CMP, size, Reg(x), Reg(t))
	}
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfZero(c plan.Cond, size Size, x plan.Reg, to Label) {
	a.RR(TEST, size, Reg(x), Reg(x))
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfBits(size Size, x plan.Reg, bits int64, to Label) {
	a.RI(TEST, size, Reg(x), bits)
	a.Jcc(NE, to)
}

func (a *Asm) JumpIfOrdered(yes bool, size Size, x, y plan.Reg, to Label) {
	a.RR(forSize([2]Op{UCOMISS, UCOMISD}, size), S32, Reg(x), Reg(y))
	if yes {
		a.Jcc(NP, to)
	} else {
		a.Jcc(P, to)
	}
}

func (a *Asm) JumpIfWord(c plan.Cond, x plan.Reg, word int32, to Label) {
	a.RM(CMP, S64, Reg(x), ctx(word))
	a.Jcc(conds[c], to)
}

func (a *Asm) JumpIfWords(c plan.Cond, x, y int32, t plan.Reg, to Label) {
	a.RM(MOV, S64, Reg(t), ctx(x))
	a.JumpIfWord(c, t, y, to)
}

func (a *Asm) Dense(size Size, x, t, u plan.Reg, lo, span int64, table, other Label) {
	n, at := Reg(t), Reg(u)
	switch {
	case lo == 0:
		a.RR(MOV, size, n, Reg(x))
	case fits32(-lo):
		a.RM(LEA, size, n, At(Reg(x), int32(-lo)))
	default:
		a.RR(MOV, size, n, Reg(x))
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

func (a *Asm) Addr(d plan.Reg, l Label) { a.RM(LEA, S64, Reg(d), AtLabel(l)) }

func (a *Asm) CallLabel(l Label) { a.Call(l) }

// field appends a distance that publication fills in.
func (a *Asm) field() int32 {
	at := int32(a.Pos())
	a.i32(0)
	return at
}

func (a *Asm) JumpOut(abi.RelocKind) int32 {
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
	a.JumpIfWord(plan.GeU, plan.Reg(regIndex), abi.NumFuncs, bad)
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

func (a *Asm) Limit(op plan.Op, n int64, t plan.Reg) {
	if fits32(n) {
		a.MI(arithmetic[op][0], S64, ctx(abi.Limit), n)
		return
	}
	a.MovImm(Reg(t), n)
	a.MR(arithmetic[op][0], S64, ctx(abi.Limit), Reg(t))
}

func (a *Asm) Save(s plan.Saving) {
	a.RM(LEA, S64, RSP, At(RSP, -s.Bytes()))
	for i, r := range s {
		a.MR(moveOf(Reg(r), S64), S64, At(RSP, int32(8*i)), Reg(r))
	}
}

func (a *Asm) Restore(s plan.Saving) {
	for i, r := range s {
		a.RM(moveOf(Reg(r), S64), S64, Reg(r), At(RSP, int32(8*i)))
	}
	a.RM(LEA, S64, RSP, At(RSP, s.Bytes()))
}

func (a *Asm) Charge(op plan.Op, n int64, t plan.Reg, _ bool) {
	if t == plan.NoReg {
		a.RI(arithmetic[op][0], S64, regGas, n)
		return
	}
	a.MovImm(Reg(t), n)
	a.RR(arithmetic[op][0], S64, regGas, Reg(t))
}

func (a *Asm) ChargeReg(x, t plan.Reg) {
	a.MovImm(Reg(t), 1<<62)
	a.RR(CMP, S64, Reg(x), Reg(t))
	a.Cmov(B, S64, Reg(t), Reg(x))
	a.RR(SUB, S64, regGas, Reg(t))
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
