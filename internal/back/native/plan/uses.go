package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// countUses counts how often each value is read, and decides which are folded into their users.
func (s *selector) countUses() {
	f := s.F
	n := f.NumValues()
	s.uses = s.ints.Make(n)
	s.folded, s.operand = s.bools.Make(n), s.bools.Make(n)
	s.updates = s.values.Make(n)
	s.sload = s.bools.Make(n)
	s.host = s.bools.Make(n)
	s.hosts = s.arenas.vregs.Make(n)
	s.vregs = s.arenas.vregs.Make(n)
	for i := range s.vregs {
		s.vregs[i], s.hosts[i] = -1, -1
	}
	s.keeps = s.values.Make(n)
	for _, b := range s.order {
		var at *ir.Value
		for _, v := range b.Values {
			if v.Op == ir.OpKeep {
				if v.Aux == ir.KeepEntry {
					s.keepIn = v
				} else if at != nil {
					s.keeps[at.ID] = v
				}
			} else if v.HasEffect(ir.Safepoint) {
				at = v
				s.Polls = s.Polls || v.Op == ir.OpGasLoop
			}
			for _, a := range v.Args {
				s.uses[a.ID]++
			}
		}
		if b.Ctrl != nil {
			s.uses[b.Ctrl.ID]++
		}
		for _, r := range b.Rets {
			s.uses[r.ID]++
		}
	}
	// The sign extension of a load is part of the load if it is the only reader.
	for _, b := range s.order {
		for _, v := range b.Values {
			if v.Op == ir.OpSExt && v.Args[0].Op == ir.OpLoad && s.uses[v.Args[0].ID] == 1 && v.Args[0].Type.IsInt() {
				s.sload[v.Args[0].ID] = true
			}
			if v.Op == ir.OpAnd && s.cpu.LowBits {
				s.findLowBit(v)
			}
		}
	}
	s.findSums()
	s.findAddresses()
	s.findConditions()
	s.findLoads()
	s.findAddresses()
}

// findConditions finds the comparisons that are part of the branches, selects and checks that read them: of
// the one that alone does, in the same block, or of up to manyConditions, one of which is the branch of that
// block.
func (s *selector) findConditions() {
	const manyConditions = 3
	reads := s.ints.Make(s.F.NumValues()) // by value ID: uses that the comparison could be part of
	read := func(c *ir.Value) {
		if c.Op.IsComparison() {
			reads[c.ID]++
		}
	}
	for _, b := range s.order {
		if b.Ctrl != nil && b.Kind == ir.BlockIf {
			read(b.Ctrl)
		}
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpSelect:
				if c := v.Args[0]; !s.cpu.TwoFlags || c.Op != ir.OpFEq && c.Op != ir.OpFNe {
					read(c)
				}
			case ir.OpCheck:
				read(v.Args[0])
			}
		}
	}
	for _, b := range s.order {
		c := b.Ctrl
		if c != nil && b.Kind == ir.BlockIf && c.Block == b && reads[c.ID] == s.uses[c.ID] && reads[c.ID] <= manyConditions {
			s.folded[c.ID] = true
			s.findGasLeft(b)
		}
		for _, v := range b.Values {
			if v.Op != ir.OpSelect && v.Op != ir.OpCheck {
				continue
			}
			if c := v.Args[0]; reads[c.ID] == 1 && s.uses[c.ID] == 1 && c.Block == b {
				s.folded[c.ID] = true
			}
		}
	}
}

// findGasLeft makes the gas that is left a part of the comparison that ends a block: it compares the register
// of the gas with a constant, to which what late charges owe is added (owe.go).
func (s *selector) findGasLeft(b *ir.Block) {
	c := b.Ctrl
	if c.Op != ir.OpLeS || s.uses[c.ID] != 1 {
		return
	}
	k, ok := immOf(c.Args[0])
	if !ok || k <= 0 || k > mostOwed || !s.cpu.Fits(Cmp, k) || !s.cpu.Fits(Cmp, k+mostOwed) {
		return
	}
	left := c.Args[1]
	if left.Op != ir.OpGasLeft || left.Block != b || s.uses[left.ID] != 1 {
		return
	}
	for _, v := range b.Values[slices.Index(b.Values, left)+1:] {
		if v != c && v.Op != ir.OpConst { // nothing charges in between
			return
		}
	}
	s.folded[left.ID] = true
}

// mostSum bounds what an index adds to a displacement.
const mostSum = 1 << 15

// findSums finds the sums with a constant that are only indexes of addresses: the constant becomes a part of
// their displacements. That changes no address, modulo 2^64 for those that start at a host address, and modulo
// 2^32 for all others.
func (s *selector) findSums() {
	if s.Checked || s.sums() {
		return
	}
	reads := s.ints.Make(s.F.NumValues()) // by value ID: addresses with this index
	for _, b := range s.order {
		for _, v := range b.Values {
			scale := v.Aux
			switch v.Op {
			case ir.OpPtrAdd:
				scale = 1
			case ir.OpPtrIdx:
			default:
				continue
			}
			if _, k := sumOf(v.Args[1]); k*scale >= -mostSum && k*scale <= mostSum {
				reads[v.Args[1].ID]++
			}
		}
	}
	for _, b := range s.order {
		for _, v := range b.Values {
			if n := reads[v.ID]; n > 0 && n == s.uses[v.ID] {
				if _, k := sumOf(v); k != 0 {
					s.folded[v.ID] = true
				}
			}
		}
	}
}

// sumOf splits a sum of 64 bits with a constant.
func sumOf(v *ir.Value) (x *ir.Value, k int64) {
	if v.Op == ir.OpAdd && v.Type == ir.I64 && alias(v.Args[0]).Op != ir.OpConst {
		if k, ok := immOf(v.Args[1]); ok {
			return v.Args[0], k
		}
	}
	return v, 0
}

// indexOf returns an index and what to add to it.
func (s *selector) indexOf(v *ir.Value) (*ir.Value, int64) {
	if s.folded[v.ID] {
		return sumOf(v)
	}
	return v, 0
}

// isClean reports whether the register of v has zeros above v's width.
func (s *selector) isClean(v *ir.Value) bool {
	v0 := v
	v = alias(v)
	if v.Type.Bits() > v0.Type.Bits() {
		return false
	}
	if v.Op == ir.OpLoad || v.Op.IsCondition() {
		return !s.signed(v)
	}
	switch v.Op {
	case ir.OpZExt:
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNeg, ir.OpNot, ir.OpShl, ir.OpShrU,
		ir.OpPopcnt:
		return v.Type == ir.I32
	}
	return false
}

// signed reports whether a load extends the sign.
func (s *selector) signed(v *ir.Value) bool { return v.Op == ir.OpLoad && s.sload[v.ID] }
