package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Loads as operands
//
// A load that one operation of the same block reads can be that operation's memory operand, if
// nothing between the two writes memory or lets others write it. A load, an operation and a store
// to the same address become one instruction with the memory as its target.
//
// Loads cannot trap, so a load may move down. But it may not where memory may hold anything
// (selector.Checked), since there its address may be bad.

// foldReach bounds how many operations a load moves down: its address keeps its registers for that
// long.
const foldReach = 24

// findLoads decides which loads become memory operands of the instructions that use them.
func (s *selector) findLoads() {
	if s.Checked {
		return
	}
	at := s.ints.Make(s.F.NumValues()) // place in the block
	writes := s.words[:0]              // by place: the last one at or before it where memory may change
	for _, b := range s.order {
		writes = writes[:0]
		last := int32(-1)
		for i, v := range b.Values {
			at[v.ID] = int32(i)
			if v.HasEffect(ir.WriteMem | ir.IsCall | ir.Safepoint | ir.Allocates) {
				last = int32(i)
			}
			writes = append(writes, last)
		}
		// quiet reports whether load v may move down to place i.
		quiet := func(v *ir.Value, i int32) bool {
			return v.Op == ir.OpLoad && v.Block == b && s.uses[v.ID] == 1 && !s.folded[v.ID] && !s.sload[v.ID] &&
				i-at[v.ID] <= foldReach && writes[i-1] <= at[v.ID]
		}
		fold := func(op Op, i int32, v *ir.Value) bool {
			if i == 0 || !s.cpu.Ops[op].Load || !quiet(v, i) {
				return false
			}
			s.folded[v.ID], s.operand[v.ID] = true, true
			return true
		}
		// Updates first: their operations fold into nothing else.
		for i, v := range b.Values {
			if v.Op == ir.OpStore && s.cpu.Updates {
				s.foldUpdate(int32(i), v, quiet)
			}
		}
		if c := b.Ctrl; c != nil && b.Kind == ir.BlockIf {
			n := int32(len(b.Values))
			if s.folded[c.ID] {
				s.foldCompare(n, c, fold)
			} else if c.Op == ir.OpLoad {
				fold(Cmp, n, c)
			}
		}
		for k, v := range b.Values {
			i := int32(k)
			switch v.Op {
			case ir.OpSelect, ir.OpCheck:
				if c := v.Args[0]; s.folded[c.ID] && c.Op.IsComparison() {
					s.foldCompare(i, c, fold)
				} else if c.Op == ir.OpLoad {
					fold(Cmp, i, c)
				}
			case ir.OpBounds:
				s.foldCompare(i, v, fold)
			default:
				switch {
				case s.folded[v.ID] || s.uses[v.ID] == 0:
				case v.Op.IsComparison():
					s.foldCompare(i, v, fold)
				case isALU(v.Op) || v.Op == ir.OpMul:
					if v.Type == ir.I32 || v.Type == ir.I64 {
						s.foldEither(i, v, fold)
					}
				case v.Op.Class() == ir.ClassFloatArithmetic:
					s.foldEither(i, v, fold)
				}
			}
		}
	}
}

// foldEither folds an operand of the arithmetic operation v at place i.
func (s *selector) foldEither(i int32, v *ir.Value, fold func(Op, int32, *ir.Value) bool) {
	x, y := v.Args[0], v.Args[1]
	if x == y || alias(x).Op == ir.OpConst || alias(y).Op == ir.OpConst {
		return
	}
	if op := alike[v.Op]; !fold(op, i, y) && v.Op.Commutes() {
		fold(op, i, x)
	}
}

// foldCompare folds an operand of the comparison or bounds check v at place i.
func (s *selector) foldCompare(i int32, v *ir.Value, fold func(Op, int32, *ir.Value) bool) {
	x, y := v.Args[0], v.Args[1]
	if x == y || s.folded[v.ID] && s.uses[v.ID] > 1 { // of several branches
		return
	}
	switch v.Op {
	case ir.OpFEq, ir.OpFNe:
		fold(FCmp, i, y)
	case ir.OpFLt, ir.OpFLe: // the operands are exchanged
		fold(FCmp, i, x)
	default:
		if !fold(Cmp, i, y) {
			fold(Cmp, i, x)
		}
	}
}

// foldUpdate makes one instruction of the store v at place i, an operation and a load from the same
// address.
func (s *selector) foldUpdate(i int32, v *ir.Value, quiet func(*ir.Value, int32) bool) {
	x := v.Args[1]
	if !isALU(x.Op) || x.Block != v.Block || s.uses[x.ID] != 1 || s.folded[x.ID] {
		return
	}
	for k, l := range x.Args {
		if k == 1 && !x.Op.Commutes() || l == x.Args[1-k] || l.Type != x.Type {
			continue
		}
		if !quiet(l, i) || l.Args[0] != v.Args[0] || l.Aux != v.Aux {
			continue
		}
		s.folded[l.ID], s.folded[x.ID] = true, true
		s.updates[v.ID] = x.Args[1-k]
		s.uses[v.Args[0].ID]--
		return
	}
}

// update selects a store that forms one instruction with its operation and load.
func (s *selector) update(v, y *ir.Value) {
	x := v.Args[1]
	op, size := alike[x.Op], sizeOf(x.Type)
	if k, ok := s.imm(op, y); ok {
		m, uses := s.access(v.Args[0], v.Aux, nil)
		s.emit(Inst{Kind: KUpdateImm, Op: op, Size: size, Imm: k, M: m}, uses, nil)
		return
	}
	m, uses := s.access(v.Args[0], v.Aux, []regalloc.Use{inReg(s.use(y))})
	s.emit(Inst{Kind: KUpdate, Op: op, Size: size, M: m}, uses, nil)
}

// loaded returns the memory operand for load v.
func (s *selector) loaded(v *ir.Value, uses []regalloc.Use) (Mem, []regalloc.Use) {
	return s.access(v.Args[0], v.Aux, uses)
}

// withLoad selects an arithmetic operation that has a load as an operand, if it has one.
func (s *selector) withLoad(v *ir.Value, op Op, size Size) bool {
	x, y := v.Args[0], v.Args[1]
	if s.operand[x.ID] {
		x, y = y, x
	}
	if !s.operand[y.ID] {
		return false
	}
	m, uses := s.loaded(y, []regalloc.Use{inReg(s.use(x))})
	s.apply(Inst{Kind: KLoadOp, Op: op, Size: size, M: m}, s.def(v), uses...)
	return true
}
