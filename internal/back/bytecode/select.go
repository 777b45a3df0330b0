package bytecode

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// loadOps and storeOps are the plain accesses, by type.
var loadOps = [...]Op{ir.I8: Load8S, ir.I16: Load16S, ir.I32: Load32S, ir.I64: Load64, ir.F32: Load32U,
	ir.F64: Load64, ir.Ptr: Load32U}
var storeOps = [...]Op{ir.I8: Store8, ir.I16: Store16, ir.I32: Store32, ir.I64: Store64, ir.F32: StoreF32,
	ir.F64: StoreF64, ir.Ptr: StoreP}

// storeImmOps are the stores of a constant, by width.
var storeImmOps = widths{Store8I, Store16I, Store32I, Store64I}

// moveOps are moves of a few sizes, scaledOps addresses with a few scales.
var (
	moveOps   = map[int64]Op{8: Move8, 16: Move16, 24: Move24, 32: Move32}
	scaledOps = map[int64]Op{1: PtrAdd, 2: PtrIdx2, 4: PtrIdx4, 8: PtrIdx8, 16: PtrIdx16}
)

// searchOps read ranges of memory.
var searchOps = map[ir.Op]Op{ir.OpMemEq: MemEq, ir.OpMemCmp: MemCmp, ir.OpMemHash: MemHash, ir.OpIndexByte: IndexByte}

// plain is an instruction with the result d and the operands of v, in registers.
func (c *compiler) plain(op Op, v *ir.Value, d vreg) inst {
	i := inst{op: op, r: [5]vreg{d}}
	for k, a := range v.Args {
		i.r[k+1] = c.reg(a)
	}
	return i
}

// selectValue emits the code of one operation.
func (c *compiler) selectValue(v *ir.Value) {
	d, pos := vreg(v.ID), v.Pos
	if f := c.fused[v.ID]; f != nil {
		c.selectFused(v, f)
		return
	}
	if v.Op.IsComparison() {
		if c.uses[v.ID] == 1 && v.Block.Kind == ir.BlockIf && v.Block.Ctrl == v && !c.p.Opts.NoFuse && c.sinkable(v) {
			c.skip[v.ID] = true // part of the branch
			return
		}
		i := c.compare(v, false)
		i.r[0] = d
		c.put(i)
		return
	}
	switch v.Op {
	case ir.OpConst, ir.OpPhi, ir.OpArg, ir.OpClosure, ir.OpCopy, ir.OpSExt, ir.OpResult, ir.OpOpaque:
		return

	case ir.OpSelect:
		c.put(c.plain(Select, v, d))
	case ir.OpZExt, ir.OpTrunc, ir.OpPtrToInt, ir.OpIntToPtr, ir.OpBitcast, ir.OpFCvt:
		c.selectConversion(v, d)

	case ir.OpPtrAdd:
		c.ptrAdd(v, d)
	case ir.OpPtrIdx:
		c.ptrIdx(v, d)
	case ir.OpLocalAddr:
		c.addOffset(d, c.localsReg, c.locals[v.Aux])

	case ir.OpLoad, ir.OpStore, ir.OpMove, ir.OpClear, ir.OpMoveN, ir.OpClearN, ir.OpMemEq, ir.OpMemCmp, ir.OpMemHash,
		ir.OpIndexByte:
		c.selectMemory(v, d)

	case ir.OpNew:
		c.put(inst{op: New, r: [5]vreg{d}, imm: newHeader(v.Aux, v.Aux2), pos: pos, call: &callInst{val: v}})
	case ir.OpNewArray:
		c.put(inst{op: NewArray, r: [5]vreg{d, c.reg(v.Args[0])}, imm: v.Aux, imm2: v.Aux2, pos: pos,
			call: &callInst{val: v}})

	case ir.OpNilCheck:
		c.put(inst{op: NilCheck, r: [5]vreg{c.reg(v.Args[0])}, pos: pos})
	case ir.OpBounds:
		i, oki := c.constArg(v.Args[0])
		n, okn := c.constArg(v.Args[1])
		switch {
		case okn && n >= 0 && fits16(n):
			c.put(inst{op: BoundsI, r: [5]vreg{c.reg(v.Args[0])}, imm: n, imm2: v.Aux, pos: pos})
		case oki && i >= 0 && fits16(i):
			c.put(inst{op: BoundsC, r: [5]vreg{c.reg(v.Args[1])}, imm: i, imm2: v.Aux, pos: pos})
		default:
			c.put(inst{op: Bounds, r: [5]vreg{c.reg(v.Args[0]), c.reg(v.Args[1])}, imm: v.Aux, pos: pos})
		}
	case ir.OpCheck:
		if k, ok := c.constArg(v.Args[0]); ok && k != 0 {
			return
		}
		c.check(v, c.reg(v.Args[0]))

	case ir.OpGas, ir.OpGasLoop:
		c.charge(v)
	case ir.OpGasN:
		c.put(inst{op: GasN, r: [5]vreg{c.reg(v.Args[0])}, pos: pos})

	case ir.OpCount:
		c.put(inst{op: Count, imm: v.Aux})
	case ir.OpCountIf:
		op := CountIf
		if v.Aux2 != 0 {
			op = CountUnless
		}
		c.put(inst{op: op, r: [5]vreg{c.reg(v.Args[0])}, imm: v.Aux})

	case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex, ir.OpHost:
		c.call(v)
	case ir.OpKeep, ir.OpConsume: // they have no code; being a use is all they do
	case ir.OpFrameID:
		c.put(inst{op: FrameID, r: [5]vreg{d}})
	case ir.OpGasLeft:
		c.put(inst{op: GasLeft, r: [5]vreg{d}})
	case ir.OpUnwind:
		c.put(inst{op: Unwind, r: [5]vreg{c.reg(v.Args[0])}, pos: pos, call: &callInst{val: v}})

	default:
		if w, ok := binOps[v.Op]; ok {
			c.binary(v, w)
		} else if w, ok := unOps[v.Op]; ok {
			c.put(inst{op: w[widthIndex(v.Type)], r: [5]vreg{d, c.reg(v.Args[0])}})
		} else if w, ok := floatOps[v.Op]; ok {
			t := v.Type
			if !t.IsFloat() {
				t = v.Args[0].Type
			}
			op := w[int(t-ir.F32)]
			if v.Op == ir.OpFToI && v.Type == ir.I32 {
				op = [...]Op{FToN32, FToN64}[int(t-ir.F32)]
			}
			c.put(c.plain(op, v, d))
		} else {
			panic(fmt.Sprintf("bytecode: no code for %v in %s", v.Op, c.f.Name))
		}
	}
}

// selectConversion emits a conversion that has code of its own.
func (c *compiler) selectConversion(v *ir.Value, d vreg) {
	switch v.Op {
	case ir.OpZExt:
		c.put(inst{op: [...]Op{ZExt8, ZExt16, ZExt32}[widthIndex(v.Args[0].Type)], r: [5]vreg{d, c.reg(v.Args[0])}})
	case ir.OpTrunc:
		c.put(inst{op: [...]Op{SExt8, SExt16, SExt32}[widthIndex(v.Type)], r: [5]vreg{d, c.reg(v.Args[0])}})
	case ir.OpPtrToInt:
		c.put(inst{op: Mov, r: [5]vreg{d, c.reg(v.Args[0])}})
	case ir.OpIntToPtr:
		c.put(inst{op: ZExt32, r: [5]vreg{d, c.reg(v.Args[0])}})
	case ir.OpBitcast:
		from := v.Args[0].Type
		switch {
		case c.aliased(v):
		case v.Type == ir.F32:
			c.put(inst{op: ZExt32, r: [5]vreg{d, c.reg(v.Args[0])}})
		case from == ir.F32:
			c.put(inst{op: FBits32, r: [5]vreg{d, c.reg(v.Args[0])}})
		case from == ir.F64:
			c.put(inst{op: FBits64, r: [5]vreg{d, c.reg(v.Args[0])}})
		default:
			panic(fmt.Sprintf("bytecode: bitcast from %v to %v", from, v.Type))
		}
	case ir.OpFCvt:
		op := Mov
		if v.Type != v.Args[0].Type {
			op = pick(v.Type == ir.F64, F32to64, F64to32)
		}
		c.put(inst{op: op, r: [5]vreg{d, c.reg(v.Args[0])}})
	}
}

// selectMemory emits an access, or an operation on a range of memory.
func (c *compiler) selectMemory(v *ir.Value, d vreg) {
	pos := v.Pos
	switch v.Op {
	case ir.OpLoad:
		p, off := c.address(v.Args[0], v.Aux)
		c.put(inst{op: c.loadOp(v), r: [5]vreg{d, p}, imm: off, pos: pos})
	case ir.OpStore:
		p, off := c.address(v.Args[0], v.Aux)
		if t := v.Args[1].Type; !t.IsFloat() {
			if k, ok := c.constArg(v.Args[1]); ok && fits16(k) {
				op := Store64I
				if t != ir.Ptr {
					op = storeImmOps[widthIndex(t)]
				}
				if t != ir.Ptr || k >= 0 {
					c.put(inst{op: op, r: [5]vreg{p}, imm: k, imm2: off, pos: pos})
					return
				}
			}
		}
		c.put(inst{op: storeOps[v.Args[1].Type], r: [5]vreg{p, c.reg(v.Args[1])}, imm: off, pos: pos})
	case ir.OpMove:
		a, b := c.reg(v.Args[0]), c.reg(v.Args[1])
		if op, ok := moveOps[v.Aux]; ok {
			c.emit3(op, pos, a, b, none)
		} else if v.Aux != 0 {
			c.emitI(Move, pos, a, b, v.Aux)
		}
	case ir.OpClear:
		switch {
		case v.Aux == 0:
		case v.Aux%8 == 0 && v.Aux <= 128:
			c.put(inst{op: ClearW, r: [5]vreg{c.reg(v.Args[0])}, imm: v.Aux / 8, pos: pos})
		default:
			c.put(inst{op: Clear, r: [5]vreg{c.reg(v.Args[0])}, imm: v.Aux, pos: pos})
		}
	case ir.OpMoveN:
		c.emit3(MoveN, pos, c.reg(v.Args[0]), c.reg(v.Args[1]), c.reg(v.Args[2]))
	case ir.OpClearN:
		c.emit3(ClearN, pos, c.reg(v.Args[0]), c.reg(v.Args[1]), none)
	case ir.OpMemEq, ir.OpMemCmp, ir.OpMemHash, ir.OpIndexByte:
		i := c.plain(searchOps[v.Op], v, d)
		i.pos = pos
		c.put(i)
	}
}

// check emits the check v of a condition in a register.
func (c *compiler) check(v *ir.Value, cond vreg) {
	if len(v.Args) == 1 {
		c.put(inst{op: Check0, r: [5]vreg{cond}, imm: v.Aux, pos: v.Pos})
		return
	}
	x := c.reg(v.Args[1])
	y := x
	if len(v.Args) > 2 {
		y = c.reg(v.Args[2])
	}
	c.put(inst{op: Check2, r: [5]vreg{cond, x, y}, imm: v.Aux, pos: v.Pos})
}

func (c *compiler) charge(v *ir.Value) {
	if v.Aux == int64(int32(v.Aux)) && v.Aux >= 0 {
		if v.Op == ir.OpGasLoop {
			c.put(inst{op: GasL, imm: v.Aux, pos: v.Pos, call: &callInst{val: v}})
			return
		}
		i := inst{op: Gas, imm: v.Aux, pos: v.Pos, late: v.IsLate()}
		if run := c.chargeRun(v); len(run) > 1 {
			c.runs = append(c.runs, run)
			i.run = int32(len(c.runs))
			i.imm = total(run)
		}
		c.put(i)
		return
	}
	t := c.inReg(c.constant(uint64(v.Aux)))
	c.put(inst{op: GasN, r: [5]vreg{t}, pos: v.Pos, late: v.IsLate()})
	if v.Op == ir.OpGasLoop {
		c.put(inst{op: GasL, pos: v.Pos, call: &callInst{val: v}})
	}
}

// chargeRun returns the charges that one instruction can make: v, which is being selected, and its
// successors in a row.
func (c *compiler) chargeRun(v *ir.Value) []*ir.Value {
	run := []*ir.Value{v}
	if c.p.Opts.NoFuse {
		return run
	}
	sum := v.Aux
	for _, w := range v.Block.Values[c.curIndex+1:] {
		if w.Op == ir.OpConst {
			continue
		}
		if w.Op != ir.OpGas || w.Aux < 0 || sum+w.Aux > math.MaxInt32 {
			break
		}
		sum += w.Aux
		run = append(run, w)
		c.skip[w.ID] = true
	}
	return run
}

// total returns the sum of charges.
func total(charges []*ir.Value) int64 {
	n := int64(0)
	for _, v := range charges {
		n += v.Aux
	}
	return n
}

// binary emits an integer operation, with an immediate if possible.
func (c *compiler) binary(v *ir.Value, w widths) {
	d := vreg(v.ID)
	x, y := v.Args[0], v.Args[1]
	wi := widthIndex(v.Type)
	cx, okx := c.constArg(x)
	cy, oky := c.constArg(y)
	if v.Op.Commutes() && okx && !oky {
		x, y, cy, oky, okx = y, x, cx, true, false
	}
	imm := func(w widths, r *ir.Value, k int64) { c.emitI(w[wi], v.Pos, d, c.reg(r), k) }
	switch v.Op {
	case ir.OpAdd:
		if oky && fits16(cy) {
			imm(widths{Add8I, Add16I, Add32I, AddI}, x, cy)
			return
		}
	case ir.OpSub:
		if oky && cy != math.MinInt64 && fits16(-cy) {
			imm(widths{Add8I, Add16I, Add32I, AddI}, x, -cy)
			return
		}
		if okx && fits16(cx) {
			imm(widths{RSub8I, RSub16I, RSub32I, RSubI}, y, cx)
			return
		}
	case ir.OpMul:
		if oky && fits16(cy) {
			imm(widths{Mul8I, Mul16I, Mul32I, MulI}, x, cy)
			return
		}
	case ir.OpAnd:
		if oky && fits16(cy) {
			imm(same(AndI), x, cy)
			return
		}
	case ir.OpAndNot:
		if oky && fits16(^cy) {
			imm(same(AndI), x, ^cy)
			return
		}
	case ir.OpOr:
		if oky && fits16(cy) {
			imm(same(OrI), x, cy)
			return
		}
	case ir.OpXor:
		if oky && fits16(cy) {
			imm(same(XorI), x, cy)
			return
		}
	case ir.OpShl, ir.OpShrU:
		if oky {
			switch {
			case uint64(cy) >= uint64(v.Type.Bits()):
				c.put(c.constInst(d, 0))
			case v.Op == ir.OpShl:
				imm(widths{Shl8I, Shl16I, Shl32I, ShlI}, x, cy)
			default:
				imm(widths{ShrU8I, ShrU16I, ShrU32I, ShrUI}, x, cy)
			}
			return
		}
	case ir.OpDivS:
		if oky && cy > 1 && cy&(cy-1) == 0 && v.Type == ir.I64 {
			c.emitI(DivSP2, v.Pos, d, c.reg(x), int64(bits.TrailingZeros64(uint64(cy))))
			return
		}
	case ir.OpShrS:
		if oky {
			imm(same(ShrSI), x, int64(min(uint64(cy), 63)))
			return
		}
	}
	c.emit3(w[wi], v.Pos, d, c.reg(x), c.reg(y))
}

// addOffset emits d = p + off.
func (c *compiler) addOffset(d, p vreg, off int64) {
	if fits16(off) {
		c.emitI(PtrAddI, 0, d, p, off)
	} else {
		c.emitI(PtrAddX, 0, d, p, int64(uint32(off)))
	}
}

func (c *compiler) ptrAdd(v *ir.Value, d vreg) {
	p := c.reg(v.Args[0])
	if k, ok := c.constArg(v.Args[1]); ok {
		c.addOffset(d, p, k)
		return
	}
	c.emit3(PtrAdd, v.Pos, d, p, c.reg(v.Args[1]))
}

func (c *compiler) ptrIdx(v *ir.Value, d vreg) {
	p := c.reg(v.Args[0])
	if k, ok := c.constArg(v.Args[1]); ok {
		c.addOffset(d, p, int64(int32(k*v.Aux+v.Aux2)))
		return
	}
	i := c.reg(v.Args[1])
	if op, ok := scaledOps[v.Aux]; ok && v.Aux2 == 0 {
		c.emit3(op, v.Pos, d, p, i)
		return
	}
	c.put(inst{op: PtrIdx, r: [5]vreg{d, p, i}, imm: int64(uint32(v.Aux)), imm2: int64(uint32(v.Aux2))})
}

// address returns a register and an offset that fits the instruction for p + off.
func (c *compiler) address(p *ir.Value, off int64) (vreg, int64) {
	r := c.reg(p)
	if off >= 0 && off <= math.MaxUint16 {
		return r, off
	}
	t := c.temp()
	c.addOffset(t, r, off)
	return t, 0
}

// newHeader is the header word of an object: size in words, layout number.
func newHeader(layout, size int64) int64 {
	return (size+7)/8 | layout<<32
}

func (c *compiler) call(v *ir.Value) {
	ci := &callInst{shape: v.Shape, val: v}
	i := inst{pos: v.Pos, call: ci}
	args := v.Args
	var results []ir.Type
	switch v.Op {
	case ir.OpCall:
		i.op, i.imm = Call, int64(v.Fn.Index)
		results = v.Fn.Sig.Results
	case ir.OpCallClosure:
		i.op, i.r[0], i.imm = CallC, c.reg(args[0]), int64(c.p.sigID(v.Sig))
		args, results = args[1:], v.Sig.Results
	case ir.OpCallIndex:
		i.op, i.r[0], i.imm = CallX, c.reg(args[0]), int64(c.p.sigID(v.Sig))
		args, results = args[1:], v.Sig.Results
	case ir.OpHost:
		i.op, i.imm = Host, v.Aux
		results = c.p.Mod.Primitives[v.Aux].Sig.Results
	}
	for _, a := range args {
		ci.args = append(ci.args, c.opnd(a))
	}
	ci.res = make([]vreg, len(results))
	for k := range ci.res {
		ci.res[k] = none
	}
	if len(results) > 0 && c.uses[v.ID] > 0 {
		ci.res[0] = vreg(v.ID)
	}
	b := v.Block
	for k := c.curIndex + 1; k < len(b.Values) && b.Values[k].Op == ir.OpResult; k++ {
		if r := b.Values[k]; r.Aux > 0 && c.uses[r.ID] > 0 && r.Args[0] == v {
			ci.res[r.Aux] = vreg(r.ID)
		}
	}
	c.put(i)
}
