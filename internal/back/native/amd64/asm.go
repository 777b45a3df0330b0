// Package amd64 writes machine code for x86-64.
//
// An [Asm] appends instructions to a buffer. Instructions are rows of one table (ops.go) that says
// which forms an operation has and how they are encoded. [Asm.RR], [Asm.RM], [Asm.MR], [Asm.RI] and
// the like name the kinds of operands in the order of Intel's manual: destination first, R a
// register, M memory, I an immediate. A form that the table does not have is a defect of the
// compiler and panics; so is an immediate that does not fit.
//
// Jumps go to labels, which may be bound later; [Asm.Finish] patches them. It shortens nothing: a
// jump is short only if its distance was known when it was written (backward jumps), so offsets
// never change afterwards.
//
// Encodings follow the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2:
// prefixes 66, F2 and F3, then REX or VEX, opcode, ModRM, SIB, displacement, immediate. The tests
// decode every form with every register and class of displacement with golang.org/x/arch.
package amd64

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/gyrvm/gyr/internal/back/native/arena"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// A Reg is a register. Its low four bits are its number in encodings.
type Reg = regalloc.Reg

const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	X0
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15

	NumRegs = 32

	// NoReg stands for an absent base or index; RIP as a base for an address
	// relative to the instruction's end.
	NoReg Reg = 0xff
	RIP   Reg = 0xfe
)

// isXMM reports whether r is a vector register.
func isXMM(r Reg) bool { return r >= X0 && r <= X15 }

func low(r Reg) byte  { return byte(r) & 7 }
func high(r Reg) byte { return byte(r) >> 3 & 1 }

// Mem is a memory operand: Base + Index*Scale + Disp. The zero value of Index is
// RAX: use [At] and [Mem.Plus].
type Mem struct {
	Base, Index Reg   // Base may be RIP, with Label; Index is not RSP
	Scale       uint8 // 1, 2, 4 or 8
	Disp        int32
	Label       Label // with RIP: the address, to which Disp is added
}

// At is the operand base + disp.
func At(base Reg, disp int32) Mem { return Mem{Base: base, Index: NoReg, Scale: 1, Disp: disp} }

// AtLabel is the operand that a label names.
func AtLabel(l Label) Mem { return Mem{Base: RIP, Index: NoReg, Scale: 1, Label: l} }

// Plus adds index*scale to the operand.
func (m Mem) Plus(index Reg, scale uint8) Mem {
	m.Index, m.Scale = index, scale
	return m
}

// Label is a place in the code, bound once.
type Label = plan.Label

// An Asm appends machine code to Buf. The zero value is ready to use; Reset restores it and keeps
// the memory.
type Asm struct {
	plan.Buffer

	fixes []fix
}

type fix struct {
	at    int32 // of the displacement
	label Label
}

// Reset empties the assembler.
func (a *Asm) Reset() {
	a.Buffer.Reset()
	a.fixes = arena.Kept(a.fixes)
}

// Finish patches the references to labels. It panics if one is not bound. All references reach.
func (a *Asm) Finish() bool {
	for _, f := range a.fixes {
		if !a.Bound(f.label) {
			panic("amd64: jump to a label that is not bound")
		}
		to := int32(a.Offset(f.label))
		// The displacement counts from the end of the instruction. The four bytes already
		// account for what follows them.
		d := binary.LittleEndian.Uint32(a.Buf[f.at:])
		binary.LittleEndian.PutUint32(a.Buf[f.at:], d+uint32(to-f.at-4))
	}
	a.fixes = a.fixes[:0]
	return true
}

func (a *Asm) u8(b ...byte) { a.Buf = append(a.Buf, b...) }
func (a *Asm) i32(x int32)  { a.Buf = binary.LittleEndian.AppendUint32(a.Buf, uint32(x)) }
func (a *Asm) bad(op Op, form string) {
	panic(fmt.Sprintf("amd64: %s has no form %s", op, form))
}

// opcode appends prefixes and the opcode of an instruction with a ModRM byte: r is the register
// field (or digit), x the index and b the base or second register. byteRegs selects SPL to DIL
// instead of AH to BH.
func (a *Asm) opcode(e *enc, size Size, r, x, b Reg, byteRegs bool) {
	a.Instruction()
	w := e.w || size == S64 && !e.now
	if e.vex {
		a.vex(e, w, r, x, b)
		return
	}
	if size == S16 {
		a.u8(0x66)
	}
	if e.prefix != 0 {
		a.u8(e.prefix)
	}
	rex := byte(0)
	if w {
		rex |= 8
	}
	rex |= high(r)<<2 | high(x)<<1 | high(b)
	if rex != 0 || byteRegs {
		a.u8(0x40 | rex)
	}
	switch e.space {
	case space0F:
		a.u8(0x0f)
	case space0F38:
		a.u8(0x0f, 0x38)
	case space0F3A:
		a.u8(0x0f, 0x3a)
	}
	op := e.op
	if size == S8 && e.sized {
		op--
	}
	a.u8(op)
}

// vex appends a VEX prefix; the second source is in a.vvvv.
func (a *Asm) vex(e *enc, w bool, r, x, b Reg) {
	pp := byte(0)
	switch e.prefix {
	case 0x66:
		pp = 1
	case 0xf3:
		pp = 2
	case 0xf2:
		pp = 3
	}
	b3 := (byte(e.vvvv)&15^15)<<3 | pp
	if e.wide {
		b3 |= 4
	}
	if e.space == space0F && !w && high(x)|high(b) == 0 { // the short form
		a.u8(0xc5, (high(r)^1)<<7|b3, e.op)
		return
	}
	b2 := (high(r)^1)<<7 | (high(x)^1)<<6 | (high(b)^1)<<5 | byte(e.space)
	if w {
		b3 |= 0x80
	}
	a.u8(0xc4, b2, b3, e.op)
}

func (a *Asm) modRR(r, b Reg) { a.u8(0xc0 | low(r)<<3 | low(b)) }

// modRM appends ModRM, SIB and displacement; after is the number of bytes of the following
// immediate.
func (a *Asm) modRM(r Reg, m Mem, after int) {
	reg := low(r) << 3
	if m.Base == RIP {
		a.u8(reg | 5)
		a.fixes = append(a.fixes, fix{at: int32(len(a.Buf)), label: m.Label})
		a.i32(m.Disp - int32(after))
		return
	}
	if m.Base == NoReg {
		panic("amd64: no base")
	}
	mode, n := byte(0x80), 4
	switch {
	case m.Disp == 0 && low(m.Base) != 5: // RBP and R13 need a displacement
		mode, n = 0, 0
	case m.Disp == int32(int8(m.Disp)):
		mode, n = 0x40, 1
	}
	switch {
	case m.Index != NoReg:
		if m.Index == RSP {
			panic("amd64: RSP as index")
		}
		if bits.OnesCount8(m.Scale) != 1 || m.Scale > 8 {
			panic("amd64: bad scale")
		}
		s := byte(bits.TrailingZeros8(m.Scale))
		a.u8(mode|reg|4, s<<6|low(m.Index)<<3|low(m.Base))
	case low(m.Base) == 4: // RSP and R12 need an SIB
		a.u8(mode|reg|4, 0x24)
	default:
		a.u8(mode | reg | low(m.Base))
	}
	switch n {
	case 1:
		a.u8(byte(m.Disp))
	case 4:
		a.i32(m.Disp)
	}
}

func (m Mem) index() Reg {
	if m.Index == NoReg {
		return 0
	}
	return m.Index
}

func (m Mem) base() Reg {
	if m.Base == RIP {
		return 0
	}
	return m.Base
}

// byteReg reports whether the low byte of r needs a REX prefix to be named.
func byteReg(r Reg) bool { return r >= RSP && r <= RDI }

// RR appends op dst, src.
func (a *Asm) RR(op Op, size Size, dst, src Reg) {
	f := &forms[op]
	switch {
	case f.rm.ok:
		e := f.rm
		a.opcode(&e, size, dst, 0, src, f.bytes(size, dst, src))
		a.modRR(dst, src)
	case f.mr.ok:
		e := f.mr
		a.opcode(&e, size, src, 0, dst, f.bytes(size, dst, src))
		a.modRR(src, dst)
	case f.vm.ok:
		e := f.vm
		e.vvvv = dst
		a.opcode(&e, size, Reg(e.digit), 0, src, false)
		a.modRR(Reg(e.digit), src)
	default:
		a.bad(op, "RR")
	}
}

// bytes reports whether naming one of two byte registers needs a REX prefix.
func (f *form) bytes(size Size, dst, src Reg) bool {
	switch {
	case f.byteSrc:
		return byteReg(src)
	case size == S8:
		return byteReg(dst) && !isXMM(dst) || byteReg(src) && !isXMM(src)
	}
	return false
}

// RM appends op dst, [src].
func (a *Asm) RM(op Op, size Size, dst Reg, src Mem) {
	f := &forms[op]
	if !f.rm.ok {
		a.bad(op, "RM")
	}
	e := f.rm
	a.opcode(&e, size, dst, src.index(), src.base(), !f.byteSrc && size == S8 && byteReg(dst))
	a.modRM(dst, src, 0)
}

// MR appends op [dst], src.
func (a *Asm) MR(op Op, size Size, dst Mem, src Reg) {
	f := &forms[op]
	if !f.mr.ok {
		a.bad(op, "MR")
	}
	e := f.mr
	a.opcode(&e, size, src, dst.index(), dst.base(), size == S8 && byteReg(src))
	a.modRM(src, dst, 0)
}

// fits8 reports whether an immediate can be a sign-extended byte.
func fits8(x int64) bool { return x == int64(int8(x)) }

// immSize returns the number of bytes of an immediate for an operand of a size.
func immSize(op Op, size Size, imm int64) int {
	lo, hi := int64(math.MinInt32), int64(math.MaxInt32)
	n := 4
	switch size {
	case S8:
		lo, hi, n = math.MinInt8, math.MaxUint8, 1
	case S16:
		lo, hi, n = math.MinInt16, math.MaxUint16, 2
	case S32:
		hi = math.MaxUint32
	}
	if imm < lo || imm > hi {
		panic(fmt.Sprintf("amd64: immediate %#x of %s does not fit", imm, op))
	}
	return n
}

func (a *Asm) imm(n int, x int64) {
	for range n {
		a.u8(byte(x))
		x >>= 8
	}
}

// narrow sign-extends an immediate as the operand's size sees it.
func narrow(size Size, imm int64) int64 {
	switch size {
	case S8:
		return int64(int8(imm))
	case S16:
		return int64(int16(imm))
	case S32:
		return int64(int32(imm))
	}
	return imm
}

// immediate chooses the encoding of an immediate: the opcode and its bytes.
func (f *form) immediate(op Op, size Size, imm int64) (e enc, n int) {
	n = immSize(op, size, imm)
	switch {
	case f.shift:
		return f.ri8, 1
	case f.ri8.ok && size != S8 && fits8(narrow(size, imm)):
		return f.ri8, 1
	case f.ri.ok:
		return f.ri, n
	}
	panic(fmt.Sprintf("amd64: %s has no form with an immediate", op))
}

// RI appends op dst, imm.
func (a *Asm) RI(op Op, size Size, dst Reg, imm int64) {
	f := &forms[op]
	e, n := f.immediate(op, size, imm)
	a.opcode(&e, size, Reg(e.digit), 0, dst, size == S8 && byteReg(dst))
	a.modRR(Reg(e.digit), dst)
	a.imm(n, imm)
}

// MI appends op [dst], imm.
func (a *Asm) MI(op Op, size Size, dst Mem, imm int64) {
	f := &forms[op]
	e, n := f.immediate(op, size, imm)
	a.opcode(&e, size, Reg(e.digit), dst.index(), dst.base(), false)
	a.modRM(Reg(e.digit), dst, n)
	a.imm(n, imm)
}

// RRI appends op dst, src, imm: IMUL, RORX, ROUNDSD, PSHUFD and the like.
func (a *Asm) RRI(op Op, size Size, dst, src Reg, imm int64) {
	f := &forms[op]
	e, n := f.three(op, size, imm)
	a.opcode(&e, size, dst, 0, src, false)
	a.modRR(dst, src)
	a.imm(n, imm)
}

func (f *form) three(op Op, size Size, imm int64) (enc, int) {
	switch {
	case f.rmi8.ok && (fits8(imm) || !f.rmi.ok):
		if imm < math.MinInt8 || imm > math.MaxUint8 {
			panic(fmt.Sprintf("amd64: immediate %#x of %s does not fit", imm, op))
		}
		return f.rmi8, 1
	case f.rmi.ok:
		return f.rmi, immSize(op, size, imm)
	}
	panic(fmt.Sprintf("amd64: %s has no form with three operands", op))
}

// RRR appends op dst, src1, src2 with a VEX prefix. For shifts by a register
// src2 is the count.
func (a *Asm) RRR(op Op, size Size, dst, src1, src2 Reg) {
	f := &forms[op]
	if !f.rvm.ok {
		a.bad(op, "RRR")
	}
	e := f.rvm
	if f.countV {
		src1, src2 = src2, src1
	}
	e.vvvv = src1
	a.opcode(&e, size, dst, 0, src2, false)
	a.modRR(dst, src2)
}

// RRRI is RRR with an immediate byte.
func (a *Asm) RRRI(op Op, size Size, dst, src1, src2 Reg, imm int64) {
	a.RRR(op, size, dst, src1, src2)
	a.imm(1, imm)
}

// RRM is RRR with the last operand in memory.
func (a *Asm) RRM(op Op, size Size, dst, src1 Reg, src2 Mem) {
	f := &forms[op]
	if !f.rvm.ok || f.countV {
		a.bad(op, "RRM")
	}
	e := f.rvm
	e.vvvv = src1
	a.opcode(&e, size, dst, src2.index(), src2.base(), false)
	a.modRM(dst, src2, 0)
}

// R appends op r, with one operand: NEG, DIV, SETcc, shifts by CL, indirect jumps.
func (a *Asm) R(op Op, size Size, r Reg) {
	f := &forms[op]
	if !f.m.ok {
		a.bad(op, "R")
	}
	e := f.m
	a.opcode(&e, size, Reg(e.digit), 0, r, size == S8 && byteReg(r))
	a.modRR(Reg(e.digit), r)
	a.Leads = a.Leads || f.leads
}

// M appends op [m].
func (a *Asm) M(op Op, size Size, m Mem) {
	f := &forms[op]
	if !f.m.ok {
		a.bad(op, "M")
	}
	e := f.m
	a.opcode(&e, size, Reg(e.digit), m.index(), m.base(), false)
	a.modRM(Reg(e.digit), m, 0)
	a.Leads = a.Leads || f.leads
}

// None appends an instruction without explicit operands.
func (a *Asm) None(op Op) {
	f := &forms[op]
	if len(f.bare) == 0 {
		a.bad(op, "without operands")
	}
	a.Instruction()
	a.u8(f.bare...)
	a.Leads = a.Leads || f.leads
}

// MovImm loads a constant in the shortest way that keeps the flags.
func (a *Asm) MovImm(dst Reg, x int64) {
	switch {
	case x == int64(uint32(x)):
		a.Instruction()
		a.rexB(false, dst)
		a.u8(0xb8 | low(dst))
		a.i32(int32(x))
	case x == int64(int32(x)):
		a.RI(MOV, S64, dst, x)
	default:
		a.Instruction()
		a.rexB(true, dst)
		a.u8(0xb8 | low(dst))
		a.Buf = binary.LittleEndian.AppendUint64(a.Buf, uint64(x))
	}
}

func (a *Asm) rexB(w bool, r Reg) {
	rex := high(r)
	if w {
		rex |= 8
	}
	if rex != 0 {
		a.u8(0x40 | rex)
	}
}

// Push and Pop move a 64-bit register to and from the stack.
func (a *Asm) Push(r Reg) {
	a.Instruction()
	a.rexB(false, r)
	a.u8(0x50 | low(r))
}

func (a *Asm) Pop(r Reg) {
	a.Instruction()
	a.rexB(false, r)
	a.u8(0x58 | low(r))
}

// transfer appends the opcode of a jump or call. The caller appends its distance, 4 bytes.
func (a *Asm) transfer(opcode ...byte) {
	a.Instruction()
	a.Leads = true
	a.u8(opcode...)
}

// Jmp, Jcc and Call go to a label.
func (a *Asm) Jmp(l Label) {
	a.Instruction()
	a.Leads = true
	if d, ok := a.backward(l, 2); ok {
		a.u8(0xeb, byte(d))
		return
	}
	a.u8(0xe9)
	a.ref(l)
}

func (a *Asm) Jcc(c Cond, l Label) {
	a.Instruction()
	a.Leads = true
	if d, ok := a.backward(l, 2); ok {
		a.u8(0x70|byte(c), byte(d))
		return
	}
	a.u8(0x0f, 0x80|byte(c))
	a.ref(l)
}

func (a *Asm) Call(l Label) {
	a.Instruction()
	a.Leads = true
	a.u8(0xe8)
	a.ref(l)
}

func (a *Asm) ref(l Label) {
	a.fixes = append(a.fixes, fix{at: int32(len(a.Buf)), label: l})
	a.i32(0)
}

// backward returns the displacement to a bound label within reach of one byte, for an instruction
// of n bytes.
func (a *Asm) backward(l Label, n int) (int8, bool) {
	if !a.Bound(l) {
		return 0, false
	}
	d := a.Offset(l) - len(a.Buf) - n
	return int8(d), d == int(int8(d))
}

// Setcc sets the low byte of r to the condition.
func (a *Asm) Setcc(c Cond, r Reg) {
	a.Instruction()
	if r >= RSP {
		a.u8(0x40 | high(r))
	}
	a.u8(0x0f, 0x90|byte(c))
	a.modRR(0, r)
}

// Cmov moves src to dst if the condition holds. With 32 bits, dst is zero-extended in any case.
func (a *Asm) Cmov(c Cond, size Size, dst, src Reg) {
	e := enc{space: space0F, op: 0x40 | byte(c)}
	a.opcode(&e, size, dst, 0, src, false)
	a.modRR(dst, src)
}

// Nop appends n bytes that do nothing.
func (a *Asm) Nop(n int) {
	for n > 0 {
		k := min(n, len(nops)-1)
		a.Instruction()
		a.u8(nops[k]...)
		n -= k
	}
}

// Align pads with nops to a multiple of n, a power of two.
func (a *Asm) Align(n int) { a.Nop(-len(a.Buf) & (n - 1)) }

// The recommended sequences of 1 to 9 bytes.
var nops = [...][]byte{
	{},
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
}
