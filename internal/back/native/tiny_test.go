//go:build unix

package native

import (
	"encoding/binary"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// # A processor that does not exist
//
// A tinyCPU proves that package plan and this package know no processor. Its code is a list of
// records of one size that a loop in Go executes (tinymachine_test.go), with a stack, calls, an
// exit and a table of functions like those of a real one. It differs from amd64 where processors
// differ: results never overwrite operands, nothing is computed in memory, addresses have no scales
// and short displacements, immediates are short, a call takes 16 bytes of the stack, bulk memory
// has no routines, and all allocations leave for the handler.

// A record is an instruction.
type record struct {
	do             action
	op             plan.Op
	size           plan.Size
	cond           plan.Cond
	float, checked bool
	scale          uint8
	d, x, y, z     uint8 // registers
	mx, my         uint8 // of an address
	_              [3]uint8
	disp           int32
	to             int32 // distance to a label from the record's start
	imm            int64
}

const recordSize = int(unsafe.Sizeof(record{}))

// An action is what a record does. M is the memory at its address.
type action uint8

const (
	doTrap      action = iota
	doImm              // d = imm
	doUnary            // d = op x
	doBinary           // d = x op y
	doImmOp            // d = x op imm
	doFMA              // d = y*z + x
	doLea              // d = address
	doTruncLea         // d = its low 32 bits
	doLoad             // d = M, extended by op
	doStore            // M = x
	doStoreImm         // M = imm
	doNear             // d = the constant of 64 bits at to
	doHere             // d = the address of to
	doSet              // d = x cond y
	doIf               // jumps to to if x cond y, or imm with y == none
	doIfNot            // if not
	doJump             // jumps to to, or by imm
	doJumpTo           // jumps to x
	doTable            // jumps to where entry x of the table at to says
	doClear            // clears imm bytes at x
	doCall             // calls the code at imm, or to, from here
	doCallTable        // calls the code whose address is there
	doCallIndex        // calls function x of the machine's table, of signature imm if checked; to if there is none
	doChargeReg        // gas -= x, unsigned, at most 2^62
	doLeave            // notes where it is and calls the handler
	doRet
)

// Registers: floats from 16 on.
const (
	tinyInts      = 12
	tinyFloat     = 16
	tinyClosure   = 10
	tinyIndex     = 11
	tinyInner     = 26 // of what the assembler writes
	tinyGas       = 27
	tinyStack     = 28
	tinyBase      = 29
	tinySpare     = 30
	tinyScratch   = 31
	tinyNone      = 255
	tinyLink      = 16
	tinyArgs      = 5
	tinyFloatArgs = 4
)

// A tinyCPU implements plan.CPU.
type tinyCPU struct{ desc *plan.Desc }

func newTiny() *tinyCPU {
	d := &plan.Desc{
		Name: "tiny", Ints: 1<<tinyInts - 1, Floats: (1<<10 - 1) << tinyFloat,
		Closure: tinyClosure, Index: tinyIndex, ReturnClobber: 1 << 9,
		EndTemps: [...]plan.Reg{9, 8}, Base: tinyBase, Stack: tinyStack, Gas: tinyGas, Yield: tinySpare,
		MoveScratch: tinyScratch, Carrier: tinySpare, Spare: tinySpare,
		Temps: [plan.NumKinds]uint8{
			plan.KSwitch: 1, plan.KEnterLocals: 3, plan.KNew: 1, plan.KNewArray: 2, plan.KNewTyped: 3,
		},
		Fits: func(op plan.Op, x int64) bool {
			switch op {
			case plan.Add, plan.Sub, plan.Cmp:
				return x == int64(int8(x))
			}
			return false
		},
		Scales: 1 << 1, MaxDisp: 63, MaxAddress: 1 << 20, MoveBytes: 15, ClearBytes: 24,
		Link: tinyLink, Fill: 64, RelocBytes: [...]int32{int32(recordSize), int32(recordSize), int32(recordSize), int32(recordSize)}, ArenaBytes: 256 << 20,
	}
	for r := range regalloc.Reg(tinyArgs) {
		d.IntArgs = append(d.IntArgs, r)
	}
	for r := range regalloc.Reg(tinyFloatArgs) {
		d.FloatArgs = append(d.FloatArgs, tinyFloat+r)
	}
	return &tinyCPU{d}
}

func (c *tinyCPU) Desc() *plan.Desc       { return c.desc }
func (c *tinyCPU) Features() string       { return "tiny" }
func (c *tinyCPU) Missing() string        { return "" }
func (c *tinyCPU) NewWriter() plan.Writer { return new(tinyWriter) }

func (c *tinyCPU) NewAssembler() plan.Assembler { return &tinyCode{fixes: map[int]plan.Label{}} }

// Relocate fills in the distance from a record.
func (c *tinyCPU) Relocate(code []byte, r abi.Reloc, at, to uintptr) {
	binary.NativeEndian.PutUint64(code[int(r.PC)+int(unsafe.Offsetof(record{}.imm)):], uint64(to-at)-uint64(r.PC))
}

// A tinyCode implements plan.Assembler.
type tinyCode struct {
	plan.Buffer
	fixes map[int]plan.Label
}

func (b *tinyCode) put(r record) {
	b.Buf = append(b.Buf, unsafe.Slice((*byte)(unsafe.Pointer(&r)), recordSize)...)
}

// jump appends a record with a label.
func (b *tinyCode) jump(r record, to plan.Label) {
	b.fixes[len(b.Buf)] = to
	b.put(r)
}

func (b *tinyCode) Finish() bool {
	for at, l := range b.fixes {
		binary.NativeEndian.PutUint32(b.Buf[at+int(unsafe.Offsetof(record{}.to)):], uint32(b.Offset(l)-at))
	}
	clear(b.fixes)
	return true
}

func (b *tinyCode) Align(int)   {}
func (b *tinyCode) Count(int32) { panic("tiny: no counters") }

func (b *tinyCode) Const(d plan.Reg, x int64) { b.put(record{do: doImm, d: uint8(d), imm: x}) }
func (b *tinyCode) Zero(d plan.Reg)           { b.Const(d, 0) }

func (b *tinyCode) Copy(d, s plan.Reg) {
	b.put(record{do: doUnary, op: plan.Copy, d: uint8(d), x: uint8(s)})
}

func (b *tinyCode) AddConst(d, n plan.Reg, x int64) { b.OpConst(plan.Add, plan.S64, d, n, x) }

func (b *tinyCode) Sub(d, s plan.Reg) {
	b.put(record{do: doBinary, op: plan.Sub, size: plan.S64, d: uint8(d), x: uint8(d), y: uint8(s)})
}

func (b *tinyCode) OpConst(op plan.Op, size plan.Size, d, n plan.Reg, x int64) {
	b.put(record{do: doImmOp, op: op, size: size, d: uint8(d), x: uint8(n), imm: x})
}

// inMemoryAt adds an address to a record.
func inMemoryAt(x record, m plan.Address) record {
	if m.Kind == plan.MemPool {
		panic("tiny: an operand in memory that it does not have")
	}
	x.mx, x.my, x.scale, x.disp = uint8(m.Base), uint8(m.Index), m.Scale, m.Disp
	return x
}

// context is a word of the context.
func context(off int32) plan.Address {
	return plan.Address{Base: tinyBase, Index: plan.NoReg, Disp: off}
}

func (b *tinyCode) Load(op plan.Op, size plan.Size, d plan.Reg, m plan.Address) {
	b.put(inMemoryAt(record{do: doLoad, op: op, size: size, d: uint8(d)}, m))
}

func (b *tinyCode) Store(size plan.Size, m plan.Address, s plan.Reg) {
	b.put(inMemoryAt(record{do: doStore, size: size, x: uint8(s)}, m))
}

func (b *tinyCode) StoreConst(size plan.Size, m plan.Address, x int64) {
	b.put(inMemoryAt(record{do: doStoreImm, size: size, imm: x}, m))
}

func (b *tinyCode) AddTo(size plan.Size, m plan.Address, x int64) {
	op := plan.Copy
	if size == plan.S32 {
		op = plan.Zext32
	}
	b.Load(op, size, tinyInner, m)
	b.AddConst(tinyInner, tinyInner, x)
	b.Store(size, m, tinyInner)
}

func (b *tinyCode) Places(p, q plan.Reg) (m, n plan.Address) {
	return plan.Address{Base: tinyBase, Index: p, Scale: 1}, plan.Address{Base: tinyBase, Index: q, Scale: 1}
}

func (b *tinyCode) Clear(p plan.Reg, n int64)        { b.put(record{do: doClear, x: uint8(p), imm: n}) }
func (b *tinyCode) ClearMore(p, _ plan.Reg, n int64) { b.Clear(p, n) }

func (b *tinyCode) FloatBits(size plan.Size, d, x plan.Reg) {
	b.put(record{do: doUnary, op: plan.BitsOf, size: size, d: uint8(d), x: uint8(x)})
}

func (b *tinyCode) Fixed(_ plan.Size, m plan.Address) plan.Address { return m }

func (b *tinyCode) Goto(to plan.Label) { b.jump(record{do: doJump}, to) }

func (b *tinyCode) JumpIf(c plan.Cond, size plan.Size, x, y plan.Reg, to plan.Label) {
	b.jump(record{do: doIf, size: size, cond: c, x: uint8(x), y: uint8(y)}, to)
}

func (b *tinyCode) JumpIfConst(c plan.Cond, size plan.Size, x plan.Reg, k int64, _ plan.Reg, to plan.Label) {
	b.jump(record{do: doIf, size: size, cond: c, x: uint8(x), y: tinyNone, imm: k}, to)
}

func (b *tinyCode) JumpIfZero(c plan.Cond, size plan.Size, x plan.Reg, to plan.Label) {
	b.JumpIfConst(c, size, x, 0, plan.NoReg, to)
}

func (b *tinyCode) JumpIfBits(size plan.Size, x plan.Reg, bits int64, to plan.Label) {
	b.OpConst(plan.And, size, tinyInner, x, bits)
	b.JumpIfZero(plan.Ne, size, tinyInner, to)
}

// JumpIfOrdered: a NaN is not equal to itself.
func (b *tinyCode) JumpIfOrdered(yes bool, size plan.Size, x, y plan.Reg, to plan.Label) {
	is := record{do: doIf, size: size, cond: plan.Ne, float: true}
	nan := to
	if yes {
		nan = b.NewLabel()
	}
	for _, r := range []plan.Reg{x, y} {
		is.x, is.y = uint8(r), uint8(r)
		b.jump(is, nan)
	}
	if yes {
		b.Goto(to)
		b.Bind(nan)
	}
}

func (b *tinyCode) JumpIfWord(c plan.Cond, x plan.Reg, word int32, to plan.Label) {
	b.Load(plan.Copy, plan.S64, tinyInner, context(word))
	b.JumpIf(c, plan.S64, x, tinyInner, to)
}

func (b *tinyCode) JumpIfWords(c plan.Cond, x, y int32, t plan.Reg, to plan.Label) {
	b.Load(plan.Copy, plan.S64, t, context(x))
	b.JumpIfWord(c, t, y, to)
}

func (b *tinyCode) Dense(size plan.Size, x, t, _ plan.Reg, lo, span int64, table, other plan.Label) {
	b.OpConst(plan.Sub, size, t, x, lo)
	b.JumpIfConst(plan.GtU, size, t, span, plan.NoReg, other)
	b.jump(record{do: doTable, x: uint8(t)}, table)
}

func (b *tinyCode) Addr(d plan.Reg, l plan.Label) { b.jump(record{do: doHere, d: uint8(d)}, l) }
func (b *tinyCode) CallLabel(l plan.Label)        { b.jump(record{do: doCall}, l) }

// out appends a record that publication fills in.
func (b *tinyCode) out(do action) int32 {
	at := int32(b.Pos())
	b.put(record{do: do})
	return at
}

func (b *tinyCode) JumpOut() int32 { return b.out(doJump) }

func (b *tinyCode) CallOut(kind abi.RelocKind) int32 {
	if kind == abi.RelTable {
		return b.out(doCallTable)
	}
	return b.out(doCall)
}

func (b *tinyCode) CallIndex(checked bool, sig uint32, bad plan.Label) {
	b.jump(record{do: doCallIndex, x: tinyIndex, checked: checked, imm: int64(sig)}, bad)
}

func (b *tinyCode) JumpIfLarge(plan.Label) { panic("tiny: no routines") }
func (b *tinyCode) Routine(int)            { panic("tiny: no routines") }

func (b *tinyCode) Enter(frame int32) { b.MoveStack(plan.Sub, frame) }

func (b *tinyCode) Return(frame int32) {
	b.MoveStack(plan.Add, frame)
	b.put(record{do: doRet})
}

func (b *tinyCode) MoveStack(op plan.Op, n int32) {
	b.OpConst(op, plan.S64, tinyStack, tinyStack, int64(n))
}

func (b *tinyCode) Limit(op plan.Op, n int64, _ plan.Reg) {
	if op == plan.Sub {
		n = -n
	}
	b.AddTo(plan.S64, context(abi.Limit), n)
}

func savedAt(i int) plan.Address {
	return plan.Address{Base: tinyStack, Index: plan.NoReg, Disp: int32(8 * i)}
}

func (b *tinyCode) Save(s plan.Saving) {
	b.MoveStack(plan.Sub, s.Bytes())
	for i, r := range s {
		b.Store(plan.S64, savedAt(i), r)
	}
}

func (b *tinyCode) Restore(s plan.Saving) {
	for i, r := range s {
		b.Load(plan.Copy, plan.S64, r, savedAt(i))
	}
	b.MoveStack(plan.Add, s.Bytes())
}

func (b *tinyCode) Charge(op plan.Op, n int64, _ plan.Reg, _ bool) {
	b.OpConst(op, plan.S64, tinyGas, tinyGas, n)
}

func (b *tinyCode) ChargeReg(x, _ plan.Reg) { b.put(record{do: doChargeReg, x: uint8(x)}) }

func (b *tinyCode) JumpIfGas(c plan.Cond, plain bool, to plan.Label) {
	if plain {
		b.JumpIfWord(c, tinyGas, abi.Plim, to)
	} else {
		b.JumpIfZero(c, plan.S64, tinyGas, to)
	}
}

func (b *tinyCode) New(_, _ plan.Reg, _, _ int64, slow plan.Label)            { b.Goto(slow) }
func (b *tinyCode) NewArray(_, _, _, _ plan.Reg, _, _ int64, slow plan.Label) { b.Goto(slow) }

func (b *tinyCode) NewTyped(_ plan.Reg, _ [3]plan.Reg, _, _, _ plan.Reg, slow plan.Label) {
	b.Goto(slow)
}

func (b *tinyCode) Leave(plan.Label) { b.put(record{do: doLeave}) }

func (b *tinyCode) EnterYield() {
	b.MoveStack(plan.Sub, tinyLink)
	b.Store(plan.S64, savedAt(0), tinySpare)
}

func (b *tinyCode) ReturnYield() { b.put(record{do: doRet}) }

func (b *tinyCode) JumpTarget() {
	b.Load(plan.Copy, plan.S64, tinyInner, context(abi.Target))
	b.put(record{do: doJumpTo, x: tinyInner})
}

// A tinyWriter implements plan.Writer.
type tinyWriter struct {
	*plan.Emitter
	b tinyCode
}

func (w *tinyWriter) Begin(e *plan.Emitter) plan.Assembler {
	w.Emitter, w.b.fixes = e, map[int]plan.Label{}
	w.b.Reset()
	return &w.b
}

func (w *tinyWriter) End() bool { return w.b.Finish() }

func (w *tinyWriter) Pool(d plan.Reg, _ plan.Size, bits uint64) {
	w.b.jump(record{do: doNear, d: uint8(d)}, w.Const8(bits))
}

func (w *tinyWriter) Computed(v regalloc.VReg) plan.Reg {
	if in := w.Remat(v); in.Kind == plan.KLocals {
		w.b.Load(plan.Copy, plan.S64, tinySpare, plan.Address{Base: tinyStack, Index: plan.NoReg, Disp: w.LocalsAt})
	} else {
		w.b.Const(tinySpare, in.Imm)
	}
	return tinySpare
}

func (w *tinyWriter) ComputeTo(to plan.Address, v regalloc.VReg) {
	w.b.Store(plan.S64, to, w.Computed(v))
}

func (w *tinyWriter) MoveSlot(to, from plan.Address) {
	w.b.Load(plan.Copy, plan.S64, tinySpare, from)
	w.b.Store(plan.S64, to, tinySpare)
}

func (w *tinyWriter) TrapArgs(args []plan.TrapArg) { // by way of registers that are no arguments
	for i, x := range args {
		w.LoadTrapArg(plan.Reg(tinySpare+i), x)
	}
	for i := range args {
		w.b.Copy(plan.Reg(i), plan.Reg(tinySpare+i))
	}
}

// compare adds a comparison to a record.
func (w *tinyWriter) compare(x record, r *regalloc.Inst, c *plan.Comparison) record {
	x.size, x.cond, x.float, x.x, x.y = c.Size, c.Cond, c.Float, uint8(w.Left(r, c)), tinyNone
	switch {
	case c.Test:
		x.size = plan.S8
	case c.IsImm:
		x.imm = c.Imm
	default:
		x.y = uint8(plan.Use(r, int(c.Use)+1))
	}
	return x
}

func (w *tinyWriter) Branch(r *regalloc.Inst, c *plan.Comparison, yes bool, to plan.Label) {
	do := doIf
	if !yes {
		do = doIfNot
	}
	w.b.jump(w.compare(record{do: do}, r, c), to)
}

// Inst implements plan.Writer.
func (w *tinyWriter) Inst(r *regalloc.Inst, in *plan.Inst) {
	b := &w.b
	x := record{op: in.Op, size: in.Size, float: in.Float, imm: in.Imm}
	if len(r.Defs) > 0 {
		x.d = uint8(plan.Def(r))
	}
	for i, to := range []*uint8{&x.x, &x.y, &x.z} {
		if i < len(r.Uses) && r.Uses[i].Loc.IsReg() {
			*to = uint8(plan.Use(r, i))
		}
	}
	plain := func(do action) {
		x.do = do
		b.put(x)
	}
	inMemory := func(do action) {
		x.do = do
		b.put(inMemoryAt(x, w.Address(r, &in.M)))
	}
	switch in.Kind {
	case plan.KUnary:
		plain(doUnary)
	case plan.KBinary:
		plain(doBinary)
	case plan.KTernary:
		plain(doFMA)
	case plan.KLea:
		inMemory(doLea)
	case plan.KTruncLea:
		inMemory(doTruncLea)
	case plan.KSet:
		b.put(w.compare(record{do: doSet, d: x.d}, r, in.Cmp))
	case plan.KSelect:
		over := b.NewLabel()
		w.Branch(r, in.Cmp, false, over)
		b.Copy(plan.Reg(x.d), plan.Reg(x.y))
		b.Bind(over)
	case plan.KBranch:
		w.Branch(r, in.Cmp, true, w.Label(w.Target(0)))
		w.Goto(w.Target(1))
	default:
		panic("tiny: a kind of instruction that it does not have")
	}
}
