package plan

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// value selects one operation.
func (s *selector) value(v *ir.Value) {
	if s.folded[v.ID] {
		return
	}
	s.at, s.from = v.Pos, source{v: v, b: v.Block}
	s.operation(v)
	s.hostAfter(v)
}

// alike are the operations of the IR that map to one operation on registers.
var alike = [ir.NumOps]Op{
	ir.OpAdd: Add, ir.OpSub: Sub, ir.OpMul: Mul, ir.OpAnd: And, ir.OpOr: Or, ir.OpXor: Xor, ir.OpNeg: Neg, ir.OpNot: Not,
	ir.OpMulHiU: MulHighU, ir.OpMulHiS: MulHighS, ir.OpDivU: DivU, ir.OpDivS: DivS, ir.OpRemU: RemU, ir.OpRemS: RemS,
	ir.OpShl: Shl, ir.OpShrU: ShrU, ir.OpShrS: ShrS,
	ir.OpFAdd: FAdd, ir.OpFSub: FSub, ir.OpFMul: FMul, ir.OpFDiv: FDiv,
	ir.OpFSqrt: FSqrt, ir.OpFNeg: FNeg, ir.OpFAbs: FAbs,
	ir.OpFFloor: FFloor, ir.OpFCeil: FCeil, ir.OpFTrunc: FTrunc,
	ir.OpIToF: IToF, ir.OpUToF: UToF, ir.OpFToI: FToI, ir.OpFToU: FToU,
}

// isALU reports whether an operation may store its result where an operand was in memory
// (Desc.Updates).
func isALU(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor:
		return true
	}
	return false
}

func (s *selector) operation(v *ir.Value) {
	if v.Op.Pure() && s.uses[v.ID] == 0 {
		return
	}
	switch v.Op {
	case ir.OpConst, ir.OpPhi, ir.OpArg, ir.OpClosure, ir.OpCopy, ir.OpTrunc, ir.OpPtrToInt, ir.OpKeep, ir.OpOpaque:
	case ir.OpConsume:
		s.consume(v)
	case ir.OpResult:
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor:
		s.alu(v)
	case ir.OpMul:
		s.mul(v)
	case ir.OpAndNot:
		s.andNot(v)
	case ir.OpNeg, ir.OpNot:
		s.unary(alike[v.Op], wide(v.Type), s.use(v.Args[0]), s.def(v))
	case ir.OpMulHiU, ir.OpMulHiS:
		s.binary(alike[v.Op], S64, s.use(v.Args[0]), s.use(v.Args[1]), s.def(v))
	case ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU:
		s.divide(v)
	case ir.OpShl, ir.OpShrS, ir.OpShrU:
		s.shift(v)
	case ir.OpRotl:
		s.rotate(v)
	case ir.OpClz, ir.OpCtz, ir.OpPopcnt, ir.OpBswap:
		s.bitCount(v)
	case ir.OpSelect:
		s.selectOp(v)
	case ir.OpSExt:
		if x := v.Args[0]; !s.signed(x) {
			s.signExtendTo(s.use(x), x.Type, s.def(v))
		}
	case ir.OpZExt:
		if x := v.Args[0]; !s.isClean(x) {
			s.zeroExtend(s.use(x), x.Type, s.def(v))
		}
	case ir.OpIntToPtr:
		if x := v.Args[0]; x.Op != ir.OpPtrToInt {
			s.zeroExtend(s.use(x), ir.I32, s.def(v))
		}
	case ir.OpPtrAdd, ir.OpPtrIdx:
		s.address(v)
	case ir.OpLocalAddr:
		m := Mem{Kind: MemHost, Disp: int32(s.locals[v.Aux])}
		s.emit(Inst{Kind: KTruncLea, M: m}, []regalloc.Use{inReg(s.localsV)}, s.reg(s.def(v)))
	case ir.OpLoad, ir.OpStore, ir.OpMove, ir.OpClear:
		s.memory(v)
	case ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
		s.check(v)
	case ir.OpGas, ir.OpGasLoop, ir.OpGasN:
		s.gas(v)
	case ir.OpCount, ir.OpCountIf:
		s.count(v)
	case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex:
		s.call(v)
	case ir.OpFrameID:
		s.emit(Inst{Kind: KFrameID}, nil, s.reg(s.def(v)))
	case ir.OpGasLeft:
		s.emit(Inst{Kind: KGasLeft}, nil, s.reg(s.def(v)))
	default:
		if v.Op.IsComparison() {
			c := s.describe(v)
			in := s.emit(Inst{Kind: KSet, Cmp: c}, s.compareUses(c, nil), s.reg(s.def(v)))
			if s.cpu.TwoFlags && c.Equality() {
				in.Temps = s.tempsOf(1)
			}
			return
		}
		if v.Op.IsFloatMath() {
			s.float(v)
			return
		}
		if bulkExits[v.Op] != 0 {
			var args []regalloc.VReg
			for _, a := range v.Args {
				args = append(args, s.use(a))
			}
			s.bulk(v, v.Op, args)
			return
		}
		if reason := exits[v.Op]; reason != 0 {
			s.exit(v, reason)
			return
		}
		panic("plan: no code for " + v.Op.String())
	}
}

func (s *selector) alu(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	op, size := alike[v.Op], wide(v.Type)
	if op, x := lowBit(v); op != NoOp && s.folded[v.Args[0].ID] != s.folded[v.Args[1].ID] {
		s.unary(op, size, s.use(x), s.def(v))
		return
	}
	if _, ok := s.imm(op, x); ok && v.Op.Commutes() {
		x, y = y, x
	}
	if k, ok := s.imm(op, y); ok {
		if s.cpu.Sums && (v.Op == ir.OpAdd || v.Op == ir.OpSub && k != math.MinInt32) {
			if v.Op == ir.OpSub {
				k = -k
			}
			// Not in the operand's register if that stays live: the allocator knows,
			// the writer chooses.
			m := Mem{Kind: MemHost, Disp: int32(k)}
			s.emit(Inst{Kind: KLea, Size: size, M: m}, []regalloc.Use{inReg(s.use(x))}, s.reg(s.def(v)))
			return
		}
		s.withImm(op, size, s.use(x), k, s.def(v))
		return
	}
	if s.withLoad(v, op, size) {
		return
	}
	if v.Op == ir.OpAdd {
		s.sum(size, s.use(x), s.use(y), s.def(v))
		return
	}
	s.binary(op, size, s.use(x), s.use(y), s.def(v))
}

// findLowBit decides whether v and its operand are one operation on the lowest bit that is set.
func (s *selector) findLowBit(v *ir.Value) {
	op, x := lowBit(v)
	if op == NoOp {
		return
	}
	y := v.Args[0]
	if y == x {
		y = v.Args[1]
	}
	if s.uses[y.ID] == 1 {
		s.folded[y.ID] = true
	}
}

// lowBit recognises x & (x-1) and x & -x.
func lowBit(v *ir.Value) (Op, *ir.Value) {
	if v.Op != ir.OpAnd || v.Type != ir.I32 && v.Type != ir.I64 {
		return NoOp, nil
	}
	for k, x := range v.Args {
		y := v.Args[1-k]
		if y.Type != v.Type || len(y.Args) == 0 || y.Args[0] != x {
			continue
		}
		switch y.Op {
		case ir.OpNeg:
			return KeepLow, x
		case ir.OpAdd:
			if k, ok := immOf(y.Args[1]); ok && k == -1 {
				return DropLow, x
			}
		}
	}
	return NoOp, nil
}

func (s *selector) mul(v *ir.Value) {
	x, y, size := v.Args[0], v.Args[1], wide(v.Type)
	if k, ok := s.imm(Mul, y); ok {
		s.withImm(Mul, size, s.use(x), k, s.def(v))
		return
	}
	if !s.withLoad(v, Mul, size) {
		s.binary(Mul, size, s.use(x), s.use(y), s.def(v))
	}
}

func (s *selector) andNot(v *ir.Value) {
	x, y, size := v.Args[0], v.Args[1], wide(v.Type)
	if k, ok := immOf(y); ok && s.cpu.Fits(And, ^k) {
		s.withImm(And, size, s.use(x), ^k, s.def(v))
		return
	}
	if s.cpu.Ops[AndNot].Swap {
		x, y = y, x
	}
	s.binary(AndNot, size, s.use(x), s.use(y), s.def(v))
}

// Extensions, by type of the operand.
var (
	zexts = [...]Op{ir.I8: Zext8, ir.I16: Zext16, ir.I32: Zext32, ir.I64: Zext32, ir.Ptr: Zext32}
	sexts = [...]Op{ir.I8: Sext8, ir.I16: Sext16, ir.I32: Sext32, ir.I64: Sext32, ir.Ptr: Sext32}
)

func (s *selector) zeroExtend(from regalloc.VReg, t ir.Type, to regalloc.VReg) {
	s.unary(zexts[t], S64, from, to)
}

func (s *selector) signExtendTo(from regalloc.VReg, t ir.Type, to regalloc.VReg) {
	s.unary(sexts[t], S64, from, to)
}

// extended returns a register with v extended to at least 32 bits.
func (s *selector) extended(v *ir.Value, signed bool) regalloc.VReg {
	x := s.use(v)
	if v.Type != ir.I8 && v.Type != ir.I16 || !signed && s.isClean(v) {
		return x
	}
	return s.extend(x, v.Type, signed)
}

func (s *selector) divide(v *ir.Value) {
	if s.divideByConst(v) {
		return
	}
	signed := v.Op == ir.OpDivS || v.Op == ir.OpRemS
	x := s.extended(v.Args[0], signed)
	y := s.extended(v.Args[1], signed)
	k, isConst := immOf(v.Args[1])
	in := Inst{Kind: KBinary, Op: alike[v.Op], Size: wide(v.Type), V: v}
	// MinInt / -1 traps on some processors.
	in.Neg = signed && (v.Type == ir.I64 || v.Type == ir.I32) && !(isConst && k != -1)
	s.apply(in, s.def(v), inReg(x), inReg(y))
}

// anyCount are the shifts by any count.
var anyCount = [NumOps]Op{Shl: ShlAny, ShrU: ShrUAny, ShrS: ShrSAny}

func (s *selector) shift(v *ir.Value) {
	t := v.Type
	width := int64(t.Bits())
	op, size := alike[v.Op], wide(t)
	x := v.Args[0]
	src := s.use(x)
	switch v.Op {
	case ir.OpShrS:
		src = s.extended(x, true)
	case ir.OpShrU:
		src = s.extended(x, false)
	}
	n := alias(v.Args[1])
	if n.Op == ir.OpConst {
		k := n.Aux
		if uint64(k) >= uint64(width) {
			if v.Op != ir.OpShrS {
				s.emit(Inst{Kind: KImm}, nil, s.reg(s.def(v)))
				return
			}
			k = int64(size.Bits()) - 1
		}
		s.withImm(op, size, src, k, s.def(v))
		return
	}
	count := s.use(n)
	if facts.Of(n).UHi >= uint64(size.Bits()) {
		op = anyCount[op]
	}
	s.binary(op, size, src, count, s.def(v))
}

func (s *selector) rotate(v *ir.Value) {
	x := s.use(v.Args[0])
	size := sizeOf(v.Type)
	if n := alias(v.Args[1]); n.Op == ir.OpConst {
		s.withImm(Rotl, size, x, n.Aux&int64(size.Bits()-1), s.def(v))
		return
	}
	s.binary(Rotl, size, x, s.use(v.Args[1]), s.def(v))
}

func (s *selector) bitCount(v *ir.Value) {
	t := v.Type
	size := wide(t)
	switch v.Op {
	case ir.OpPopcnt:
		s.unary(Popcnt, size, s.extended(v.Args[0], false), s.def(v))
	case ir.OpBswap:
		switch t {
		case ir.I64, ir.I32:
			s.unary(Bswap, size, s.use(v.Args[0]), s.def(v))
		case ir.I16:
			s.withImm(Rotl, S16, s.use(v.Args[0]), 8, s.def(v))
		default:
			s.unary(Copy, S64, s.use(v.Args[0]), s.def(v))
		}
	case ir.OpClz:
		x := s.extended(v.Args[0], false)
		if t == ir.I64 || t == ir.I32 {
			s.unary(Clz, size, x, s.def(v))
			return
		}
		y := s.newVReg(ir.I64, false)
		s.unary(Clz, size, x, y)
		s.withImm(Sub, size, y, 32-int64(t.Bits()), s.def(v))
	case ir.OpCtz:
		x := s.use(v.Args[0])
		if t == ir.I8 || t == ir.I16 {
			y := s.newVReg(ir.I64, false)
			s.orBit(x, t.Bits(), y)
			x = y
		}
		s.unary(Ctz, size, x, s.def(v))
	}
}

// orBit sets bit n.
func (s *selector) orBit(x regalloc.VReg, n uint, d regalloc.VReg) {
	if bit := int64(1) << n; s.cpu.Fits(Or, bit) {
		s.withImm(Or, S32, x, bit, d)
	} else {
		s.binary(Or, S32, x, s.constant(ir.I64, bit), d)
	}
}

func (s *selector) selectOp(v *ir.Value) {
	c := s.comparison(v.Args[0])
	yes, no := s.use(v.Args[1]), s.use(v.Args[2])
	uses := s.compareUses(c, []regalloc.Use{inReg(no), inReg(yes)})
	s.emit(Inst{Kind: KSelect, Cmp: c, Float: v.Type.IsFloat()}, uses, []regalloc.Def{{V: s.def(v), Need: regalloc.Same}})
}
