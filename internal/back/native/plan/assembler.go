package plan

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Reg is the number of a register.
type Reg = regalloc.Reg

// NoReg stands for an absent register.
const NoReg Reg = 0xff

// An Assembler appends code to a buffer. Each method writes one or a few instructions: what the
// sequences that are the same for all processors consist of. It changes no register but those that it
// names, and those that hold no values. No flags are live between two calls, except those of Charge and of
// a routine.
type Assembler interface {
	// Code returns the buffer.
	Code() *Buffer
	// Align pads with instructions that do nothing, to a multiple of n bytes.
	Align(n int)
	// Finish patches the references to labels. It reports false if one does not reach its label.
	Finish() bool
	// Count writes counter number n, which changes neither registers nor flags.
	Count(n int32)

	// Const loads a constant, Zero 0.0. Copy copies 64 bits between any two registers.
	Const(d Reg, x int64)
	Zero(d Reg)
	Copy(d, s Reg)
	// AddConst computes d = n + x, Sub d -= s, both of 64 bits. OpConst is KImmOp.
	AddConst(d, n Reg, x int64)
	Sub(d, s Reg)
	OpConst(op Op, size Size, d, n Reg, x int64)

	// Load and Store are KLoad and KStore. StoreConst stores a constant, AddTo adds a
	// small one to memory.
	Load(op Op, size Size, d Reg, m Address)
	Store(size Size, m Address, s Reg)
	StoreConst(size Size, m Address, x int64)
	AddTo(size Size, m Address, x int64)
	// Places returns the addresses of two pointers, to which displacements are added.
	Places(p, q Reg) (m, n Address)
	// Clear clears n bytes at guest address p, at most Desc.ClearBytes. ClearMore clears more, and
	// changes p and t.
	Clear(p Reg, n int64)
	ClearMore(p, t Reg, n int64)

	// FloatBits copies the bits of a float to a register for integers. Fixed computes what a store of a
	// float cannot hold of an address. The address that it returns may be used twice.
	FloatBits(size Size, d, x Reg)
	Fixed(size Size, m Address) Address

	// Goto jumps. JumpIf jumps if x c y. JumpIfConst compares x with a constant, for which it may use
	// t, JumpIfZero with 0 (Eq or Ne), and JumpIfBits jumps if x has some of the bits.
	Goto(to Label)
	JumpIf(c Cond, size Size, x, y Reg, to Label)
	JumpIfConst(c Cond, size Size, x Reg, k int64, t Reg, to Label)
	JumpIfZero(c Cond, size Size, x Reg, to Label)
	JumpIfBits(size Size, x Reg, bits int64, to Label)
	// JumpIfOrdered jumps if neither float is a NaN, or (not yes) if one is.
	JumpIfOrdered(yes bool, size Size, x, y Reg, to Label)
	// JumpIfWord compares x with a word of the context, JumpIfWords two words, for which it may use t.
	JumpIfWord(c Cond, x Reg, word int32, to Label)
	JumpIfWords(c Cond, x, y int32, t Reg, to Label)
	// Dense jumps to the table's target for x less lo, or to other if the difference is above span. It
	// may use t and u.
	Dense(size Size, x, t, u Reg, lo, span int64, table, other Label)

	// Addr loads the address of a label, Call calls one. JumpOut goes to the stub for code that may
	// yield, CallOut to what a kind of relocation says. Publication fills in the place that they return.
	Addr(d Reg, l Label)
	CallLabel(l Label)
	JumpOut() int32
	CallOut(kind abi.RelocKind) int32
	// CallIndex calls the function whose index Desc.Index holds. It goes to bad if no such function
	// exists or, with checked, its signature is another.
	CallIndex(checked bool, sig uint32, bad Label)
	// JumpIfLarge jumps if a routine has refused its work.
	JumpIfLarge(to Label)

	// Enter makes a frame after a call, Return removes it and returns. MoveStack moves the stack
	// pointer (Add or Sub), Limit its limit, by way of t if the number is large.
	Enter(frame int32)
	Return(frame int32)
	MoveStack(op Op, n int32)
	Limit(op Op, n int64, t Reg)
	// Save makes room for registers and stores them there. Restore undoes that.
	Save(s Saving)
	Restore(s Saving)

	// Charge subtracts from the gas or adds to it, by way of t if that is given. Only with flags may
	// JumpIfGas follow. ChargeReg charges x, with flags: unsigned, and at most 2^62 by way of t if that is given.
	Charge(op Op, n int64, t Reg, flags bool)
	ChargeReg(x, t Reg)
	// JumpIfGas compares the gas with 0, or with the limit for plain charges.
	JumpIfGas(c Cond, plain bool, to Label)

	// New takes an object of a layout from the heap's window, NewArray an array, NewTyped what the
	// host's malloc gives. They jump to slow, with all operands in place, if the handler must do that.
	New(d, t Reg, layout, size int64, slow Label)
	NewArray(d, t, u, count Reg, layout, size int64, slow Label)
	NewTyped(d Reg, temps [3]Reg, size, typ, count Reg, slow Label)

	// Leave goes to Go. The handler continues at resume.
	Leave(resume Label)
	// EnterYield pushes the return address in Desc.Yield, and ReturnYield returns there by a jump.
	EnterYield()
	ReturnYield()
	// JumpTarget continues in the function at abi.Target, after Enter(0).
	JumpTarget()
	// Routine writes routine number n.
	Routine(n int)
}

// An Address is a Mem whose registers are known.
type Address struct {
	Kind        MemKind
	Base, Index Reg
	Scale       uint8
	Disp        int32
	Label       Label // MemPool
}

// word is a word of the context.
func (d *Desc) word(off int32) Address {
	return Address{Kind: MemConst, Base: d.Base, Index: NoReg, Scale: 1, Disp: off}
}

// guest is the memory at a guest address.
func (d *Desc) guest(p Reg) Address { return Address{Kind: MemBase, Base: d.Base, Index: p, Scale: 1} }

// stack is a word above the stack pointer.
func (d *Desc) stack(off int32) Address {
	return Address{Kind: MemOut, Base: d.Stack, Index: NoReg, Scale: 1, Disp: off}
}

func (e *Emitter) slot(l regalloc.Loc) Address { return e.cpu.stack(e.SlotAt(l)) }

// Address returns the address of an operand of an instruction.
func (e *Emitter) Address(r *regalloc.Inst, m *Mem) Address {
	a := Address{Kind: m.Kind, Base: e.cpu.Base, Index: NoReg, Scale: 1, Disp: m.Disp}
	switch m.Kind {
	case MemBase:
		if m.Disp < 0 || m.Disp > memory.MaxDisplacement {
			panic(fmt.Sprintf("plan: displacement %#x behind a pointer", m.Disp))
		}
		a.Index = Use(r, int(m.Use))
	case MemConst:
	case MemHost:
		a.Base = Use(r, int(m.Use))
	case MemHostX:
		a.Base, a.Index, a.Scale = Use(r, int(m.Use)), Use(r, int(m.Use)+1), m.Scale
	case MemIndex:
		a.Index, a.Scale = Use(r, int(m.Use)), m.Scale
	case MemPool:
		a.Label = e.Const8(m.Bits)
	case MemFrame:
		a.Base, a.Disp = e.cpu.Stack, e.Frame+e.cpu.Link+8*m.Disp
	case MemOut:
		a.Base, a.Disp = e.cpu.Stack, 8*m.Disp
	default:
		panic("plan: no memory operand")
	}
	return a
}

// Use, Def and Temp are the registers of an instruction.
func Use(r *regalloc.Inst, i int) Reg {
	l := r.Uses[i].Loc
	if !l.IsReg() {
		panic(fmt.Sprintf("plan: operand %d is in no register", i))
	}
	return l.Reg()
}

func Def(r *regalloc.Inst) Reg         { return r.Defs[0].Loc.Reg() }
func Temp(r *regalloc.Inst, i int) Reg { return r.Temps[i].Loc.Reg() }

// temp is a temporary of an instruction. If it has none the processor has a register for that.
func (e *Emitter) temp(r *regalloc.Inst, i int) Reg {
	if i < len(r.Temps) {
		return Temp(r, i)
	}
	return e.cpu.Spare
}
