package plan

import (
	"math"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// float selects operations on floats and conversions.
func (s *selector) float(v *ir.Value) {
	t := v.Type
	size := sizeOf(t)
	switch v.Op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv:
		s.floatArithmetic(v)
	case ir.OpFSqrt, ir.OpFFloor, ir.OpFCeil, ir.OpFTrunc, ir.OpIToF, ir.OpUToF:
		s.unary(alike[v.Op], size, s.use(v.Args[0]), s.def(v))
	case ir.OpFNeg, ir.OpFAbs:
		x := s.use(v.Args[0])
		s.anyNaN(v, func(d regalloc.VReg) { s.unary(alike[v.Op], size, x, d) })
	case ir.OpFCopysign:
		x, y := s.use(v.Args[0]), s.use(v.Args[1])
		s.anyNaN(v, func(d regalloc.VReg) { s.binary(FCopysign, size, x, y, d) })
	case ir.OpFMA:
		if s.cpu.NoFMA {
			reason := abi.FMA64Exit
			if t == ir.F32 {
				reason = abi.FMA32Exit
			}
			s.exit(v, reason)
			return
		}
		addend, x, y := s.use(v.Args[2]), s.use(v.Args[0]), s.use(v.Args[1])
		s.apply(Inst{Kind: KTernary, Op: FMA, Size: size}, s.def(v), inReg(addend), inReg(x), inReg(y))
	case ir.OpFToI:
		op := FToI
		if t == ir.I32 {
			op = FToN
		}
		s.unary(op, sizeOf(v.Args[0].Type), s.use(v.Args[0]), s.def(v))
	case ir.OpFToU:
		d := s.def(v)
		s.unary(FToU, sizeOf(v.Args[0].Type), s.use(v.Args[0]), d)
	case ir.OpFCvt:
		switch {
		case v.Args[0].Type == t:
		case t == ir.F32:
			s.unary(FNarrow, size, s.use(v.Args[0]), s.def(v))
		default:
			s.unary(FWiden, size, s.use(v.Args[0]), s.def(v))
		}
	case ir.OpBitcast:
		from := v.Args[0].Type
		switch {
		case from.IsFloat() && !t.IsFloat():
			s.unary(BitsOf, sizeOf(from), s.use(v.Args[0]), s.def(v))
		case t.IsFloat() && !from.IsFloat():
			x := s.use(v.Args[0])
			s.anyNaN(v, func(d regalloc.VReg) { s.unary(FloatOf, size, x, d) })
		default:
			x := s.use(v.Args[0])
			s.apply(Inst{Kind: KUnary, Op: Copy, Size: S64, Float: t.IsFloat()}, s.def(v), inReg(x))
		}
	}
}

// anyNaN selects an operation v that may give a NaN any bits.
func (s *selector) anyNaN(v *ir.Value, op func(d regalloc.VReg)) {
	if !s.keepsNaN {
		op(s.def(v))
		return
	}
	d := s.newVReg(v.Type, false)
	op(d)
	s.canonical(d, s.def(v), sizeOf(v.Type))
}

func (s *selector) floatArithmetic(v *ir.Value) {
	t := v.Type
	op, size := alike[v.Op], sizeOf(t)
	x, y := v.Args[0], v.Args[1]
	if v.Op.Commutes() && x.Op == ir.OpConst {
		x, y = y, x
	}
	if v.Op == ir.OpFMul && y.Op == ir.OpConst && y.Aux == two(t) {
		op, y = FAdd, x // the same, and available sooner
	}
	if y.Op == ir.OpConst && y.Aux != 0 && s.cpu.Ops[op].Load {
		r := s.use(x)
		s.apply(Inst{Kind: KLoadOp, Op: op, Size: size, M: Mem{Kind: MemPool, Bits: s.poolBits(t, y.Aux)}}, s.def(v), inReg(r))
		return
	}
	if s.withLoad(v, op, size) {
		return
	}
	s.binary(op, size, s.use(x), s.use(y), s.def(v))
}

// two is the constant 2 as Aux holds it.
func two(t ir.Type) int64 {
	if t == ir.F32 {
		return int64(math.Float32bits(2))
	}
	return int64(math.Float64bits(2))
}
