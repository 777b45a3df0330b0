package opt

import "github.com/gyrvm/gyr/internal/ir"

// reuseCompares replaces a comparison of two ranges of bytes by an earlier one of the same ranges, in
// either order, if nothing has written to memory in between. cmp.Compare of strings makes both.
//
// It looks back through blocks that have one predecessor, for a bounded number of operations.
func reuseCompares(s *state) {
	found := false
	for _, b := range s.f.Blocks {
		for i, v := range b.Values {
			if v.Op != ir.OpMemCmp {
				continue
			}
			w, swapped := earlierCompare(b, i)
			switch {
			case w == nil:
				continue
			case swapped:
				v.Op, v.Args = ir.OpNeg, []*ir.Value{w} // from -1 to 1
			default:
				copyOf(v, w)
			}
			found = true
		}
	}
	if found {
		s.changed = true
		s.sweep()
	}
}

const maxBetweenCompares = 64

// earlierCompare returns the comparison of the same ranges before operation i of a block, and whether
// its operands are swapped.
func earlierCompare(b *ir.Block, i int) (w *ir.Value, swapped bool) {
	v := b.Values[i]
	for range maxBetweenCompares {
		if i == 0 {
			if len(b.Preds) != 1 {
				return nil, false
			}
			b = b.Preds[0]
			i = len(b.Values)
			continue
		}
		i--
		w := b.Values[i]
		if w.HasEffect(ir.WriteMem | ir.IsCall | ir.Safepoint) {
			return nil, false
		}
		if w.Op != ir.OpMemCmp {
			continue
		}
		p, n, q, m := w.Args[0], w.Args[1], w.Args[2], w.Args[3]
		switch a := v.Args; {
		case a[0] == p && a[1] == n && a[2] == q && a[3] == m:
			return w, false
		case a[0] == q && a[1] == m && a[2] == p && a[3] == n:
			return w, true
		}
	}
	return nil, false
}
