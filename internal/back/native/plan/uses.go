package plan

import "github.com/gyrvm/gyr/internal/ir"

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
		}
	}
	s.findAddresses()
	// A condition is part of the branch or select that alone reads it, if both are in one
	// block.
	for _, b := range s.order {
		if c := b.Ctrl; c != nil && b.Kind == ir.BlockIf && c.Op.IsComparison() && s.uses[c.ID] == 1 && c.Block == b {
			s.folded[c.ID] = true
		}
		for _, v := range b.Values {
			if v.Op == ir.OpSelect {
				c := v.Args[0]
				twice := s.cpu.TwoFlags && (c.Op == ir.OpFEq || c.Op == ir.OpFNe)
				if c.Op.IsComparison() && s.uses[c.ID] == 1 && c.Block == b && !twice {
					s.folded[c.ID] = true
				}
			}
			if v.Op == ir.OpCheck {
				if c := v.Args[0]; c.Op.IsComparison() && s.uses[c.ID] == 1 && c.Block == b {
					s.folded[c.ID] = true
				}
			}
		}
	}
	s.findLoads()
	s.findAddresses()
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
