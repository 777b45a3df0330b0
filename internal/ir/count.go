package ir

import "slices"

// # Counts
//
// OpCount and OpCountIf count for coverage. The counters lie where the guest cannot see them. A
// program with counts must not differ from one without in anything else, down to the addresses of
// its objects. So counts cost no gas and no measure includes them (NumOps, FixFrame, the inliner).
// A block that would be empty without its counts is not kept for them: LiftCounts moves them to the
// ends of its predecessors, where they depend on the condition of the branch.

// IsCount reports whether v counts for coverage.
func (v *Value) IsCount() bool { return v.HasEffect(Counts) }

// CountOnly finds the values that only counts need, as a set by ID; nil if there are none.
func (f *Func) CountOnly() []bool {
	var conditions []*Value
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.IsCount() {
				conditions = append(conditions, v.Args...)
			}
		}
	}
	if conditions == nil {
		return nil
	}
	var work []*Value
	reach := func(set []bool, v *Value) {
		if v != nil && !set[v.ID] {
			set[v.ID] = true
			work = append(work, v)
		}
	}
	walk := func(set []bool) {
		for len(work) > 0 {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			for _, a := range v.Args {
				reach(set, a)
			}
		}
	}
	needed, only := make([]bool, f.NumValues()), make([]bool, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(WriteMem|MayTrap|Allocates|IsCall|Charges|Safepoint) || v.Op == OpFrameID || v.Op == OpKeep || v.Op == OpConsume ||
				v.Op == OpArg || v.Op == OpClosure {
				reach(needed, v)
			}
		}
		reach(needed, b.Ctrl)
		for _, r := range b.Rets {
			reach(needed, r)
		}
	}
	walk(needed)
	for _, v := range conditions {
		reach(only, v)
	}
	walk(only)
	for i, n := range needed {
		only[i] = only[i] && !n
	}
	return only
}

// countUses reports whether a measurement ignores the operands of v as uses.
func countUses(v *Value, only []bool) bool {
	return v.Op == OpCountIf || only != nil && only[v.ID]
}

// maxConditions and maxLifted bound LiftCounts.
const (
	maxConditions = 16
	maxLifted     = 256
)

// LiftCounts moves the counts of a block to the ends of its predecessors, if the block has only
// phis besides, and pure operations in the set only, which serve counts alone. It reports whether
// it did, which depends on how the predecessors end.
func (b *Block) LiftCounts(only []bool) bool {
	f := b.Func
	phis := b.Phis()
	var counts, pure []*Value
	for _, v := range b.Values[len(phis):] {
		switch {
		case v.IsCount():
			counts = append(counts, v)
		case int(v.ID) < len(only) && only[v.ID] && len(b.Preds) == 1 && v.Op.Pure() && !v.Op.Divides():
			pure = append(pure, v)
		default:
			return false
		}
	}
	if len(counts) == 0 || b == f.Entry || b == f.Recover || len(b.Preds) == 0 || len(counts)*len(b.Preds) > maxLifted {
		return false
	}
	for _, v := range counts {
		if len(v.Args) == maxConditions {
			return false
		}
	}
	for _, p := range b.Preds {
		if p == b || p.Kind != BlockJump && (p.Kind != BlockIf || p.Succs[0] == p.Succs[1]) {
			return false
		}
	}
	for _, v := range pure {
		for i, a := range v.Args {
			if a.Op == OpPhi && a.Block == b {
				v.Args[i] = a.Args[0]
			}
		}
		b.Preds[0].Append(v)
	}
	for i, p := range b.Preds {
		for _, v := range counts {
			w := f.NewValue(OpCountIf, Void)
			w.Aux, w.Pos = v.Aux, v.Pos
			ever := true
			and := func(c *Value, inverted bool) {
				if c.Op == OpConst {
					ever = ever && (c.Aux == 1) != inverted
					return
				}
				for k, a := range w.Args {
					if a == c {
						ever = ever && (w.Aux2>>k&1 == 1) == inverted
						return
					}
				}
				if inverted {
					w.Aux2 |= 1 << len(w.Args)
				}
				w.Args = append(w.Args, c)
			}
			if p.Kind == BlockIf {
				and(p.Ctrl, p.Succs[1] == b)
			}
			for k, a := range v.Args {
				if a.Op == OpPhi && a.Block == b {
					a = a.Args[i]
				}
				and(a, v.Aux2>>k&1 == 1)
			}
			if len(w.Args) == 0 {
				w.Op = OpCount
			}
			if ever {
				p.Append(w)
			}
		}
	}
	clear(b.Values[len(phis):])
	b.Values = b.Values[:len(phis)]
	return true
}

// ExpandCounts brings counts into the form for back ends: a count on the condition of a branch
// becomes a plain one after the branch; any other has at most one condition.
func (f *Func) ExpandCounts() {
	if f.Module == nil || f.Module.Counters == 0 {
		return
	}
	for _, b := range f.Blocks[:len(f.Blocks):len(f.Blocks)] {
		if b.Kind != BlockIf || b.Succs[0] == b.Succs[1] {
			continue
		}
		var behind [2][]*Value
		b.Values = slices.DeleteFunc(b.Values, func(v *Value) bool {
			k := slices.Index(v.Args, b.Ctrl)
			if v.Op != OpCountIf || k < 0 {
				return false
			}
			s := v.Aux2 >> k & 1
			v.Args = slices.Delete(v.Args, k, k+1)
			v.Aux2 = v.Aux2&(1<<k-1) | v.Aux2>>(k+1)<<k
			if len(v.Args) == 0 {
				v.Op = OpCount
			}
			behind[s] = append(behind[s], v)
			return true
		})
		for i, counts := range behind {
			if len(counts) > 0 {
				t := f.onEdge(b, b.Succs[i])
				t.Values = slices.Insert(t.Values, len(t.Phis()), counts...)
				for _, v := range counts {
					v.Block = t
				}
			}
		}
	}
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			if v.Op != OpCountIf || len(v.Args) < 2 {
				continue
			}
			var add []*Value
			op := func(o Op, args ...*Value) *Value {
				w := f.NewValue(o, I8, args...)
				w.Pos, w.Block = v.Pos, b
				add = append(add, w)
				return w
			}
			var all *Value
			for k, a := range v.Args {
				if v.Aux2>>k&1 == 1 {
					one := op(OpConst)
					one.Aux = 1
					a = op(OpXor, a, one)
				}
				if all != nil {
					a = op(OpAnd, all, a)
				}
				all = a
			}
			v.Args, v.Aux2 = []*Value{all}, 0
			b.Values = slices.Insert(b.Values, i, add...)
			i += len(add)
		}
	}
}

// onEdge returns a block that only the edge from b to t enters: t, or a new one.
func (f *Func) onEdge(b, t *Block) *Block {
	if len(t.Preds) == 1 && t != f.Recover {
		return t
	}
	n := f.NewBlock()
	n.Kind, n.Pos, n.Succs, n.Preds = BlockJump, b.Pos, []*Block{t}, []*Block{b}
	b.Succs[slices.Index(b.Succs, t)] = n
	t.Preds[t.PredIndex(b)] = n
	return n
}
