package lower

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/ir"
)

// Counts of coverage. Without its counts, a program with counts must be lowered to the same code as
// the plain program: see ir/count.go. If a block holds only a count besides its jump, go/ssa would
// have left it out of the plain program. So dissolve removes it here, before gas is placed.

// count lowers a call that the loader put at the head of a block (load/cover.go). It reports
// whether in is such a call.
func (c *fn) count(in ssa.Instruction) bool {
	call, ok := in.(*ssa.Call)
	if !ok || len(call.Call.Args) != 1 {
		return false
	}
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Name() != load.CoverFunc {
		return false
	}
	n := call.Call.Args[0].(*ssa.Const).Int64()
	v := c.f.NewValue(ir.OpCount, ir.Void)
	v.Aux, v.Pos = n, c.pos
	if n < 0 {
		v.Aux, v.Aux2 = ^n, 1
		c.counted = true
	}
	c.b.Append(v)
	return true
}

// dissolve removes the blocks whose counts have Aux2 set, which says that go/ssa would leave them
// out. Then it clears Aux2. The entry block stays.
func (c *fn) dissolve() {
	f, changed := c.f, false
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			if c.hollow[b] && b != c.blocks[0] && sameWays(b) && bypass(f, b) {
				again, changed = true, true
				break // f.Blocks changed
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpCount {
				v.Aux2 = 0
			}
		}
	}
	if changed {
		c.orderPreds()
	}
}

// orderPreds brings predecessors into the order of lowering, which is that of the go/ssa blocks
// that end in them.
func (c *fn) orderPreds() {
	order := map[*ir.Block]int{}
	for i, b := range c.src.DomPreorder() {
		if end := c.ends[b.Index]; end != nil {
			order[end] = i + 1
		}
	}
	for _, b := range c.f.Blocks {
		if len(b.Preds) < 2 || slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return order[p] == 0 }) {
			continue
		}
		places := make([]int, len(b.Preds))
		for i := range places {
			places[i] = i
		}
		preds := slices.Clone(b.Preds)
		slices.SortStableFunc(places, func(i, j int) int { return order[preds[i]] - order[preds[j]] })
		for to, from := range places {
			b.Preds[to] = preds[from]
		}
		for _, phi := range b.Phis() {
			args := slices.Clone(phi.Args)
			for to, from := range places {
				phi.Args[to] = args[from]
			}
		}
	}
}

// findHollow notes the blocks that hold only phis and counts whose Aux2 says that go/ssa would
// leave the block out. It must run before fixPhis adds operations for the operands of phis there.
func (c *fn) findHollow() {
	c.hollow = map[*ir.Block]bool{}
	for _, b := range c.f.Blocks {
		if b.Kind != ir.BlockJump || b.Succs[0] == b {
			continue
		}
		counts := b.Values[len(b.Phis()):]
		c.hollow[b] = len(counts) > 0 && !slices.ContainsFunc(counts,
			func(v *ir.Value) bool { return v.Op != ir.OpCount || v.Aux2 == 0 })
	}
}

// sameWays reports whether a block can be removed although a predecessor also branches to its
// target: both edges of every such branch must bring the target's phis the same operands.
func sameWays(b *ir.Block) bool {
	t := b.Succs[0]
	k := t.PredIndex(b)
	for i, p := range b.Preds {
		j := t.PredIndex(p)
		if j < 0 {
			continue
		}
		for _, phi := range t.Phis() {
			if x, y := through(phi.Args[k], b, i), phi.Args[j]; x != y &&
				!(x.Op == ir.OpConst && y.Op == ir.OpConst && x.Aux == y.Aux) {
				return false
			}
		}
	}
	return true
}

// through returns the value that v has if control enters block b from its predecessor i.
func through(v *ir.Value, b *ir.Block, i int) *ir.Value {
	if v.Op == ir.OpPhi && v.Block == b {
		return v.Args[i]
	}
	return v
}

// bypass redirects the predecessors of a block to its target. They take over the block's operations
// for the target's phis. It reports whether that is possible.
func bypass(f *ir.Func, b *ir.Block) bool {
	all := b.Values
	var edge []*ir.Value
	b.Values = slices.DeleteFunc(slices.Clone(all), func(v *ir.Value) bool {
		if v.Op == ir.OpPhi || v.IsCount() {
			return false
		}
		edge = append(edge, v)
		return true
	})
	if !b.LiftCounts(nil) {
		b.Values = all
		return false
	}
	t := b.Succs[0]
	k := t.PredIndex(b)
	movePhis(f, b, t, k)
	var single []*ir.Block // predecessors that branched before
	for i, p := range b.Preds {
		if t.PredIndex(p) >= 0 {
			p.Kind, p.Ctrl, p.Likely, p.Succs = ir.BlockJump, nil, 0, []*ir.Block{t}
			single = append(single, p)
			continue
		}
		for j, s := range p.Succs {
			if s == b {
				p.Succs[j] = t
			}
		}
		copies := map[*ir.Value]*ir.Value{}
		here := func(v *ir.Value) *ir.Value {
			if w := copies[v]; w != nil {
				return w
			}
			return through(v, b, i)
		}
		for _, v := range edge {
			w := f.CopyOf(v)
			for _, a := range v.Args {
				w.Args = append(w.Args, here(a))
			}
			copies[v] = p.Append(w)
		}
		for _, phi := range t.Phis() {
			phi.Args = append(phi.Args, here(phi.Args[k]))
		}
		t.Preds = append(t.Preds, p)
	}
	t.RemovePred(k)
	f.Blocks = slices.DeleteFunc(f.Blocks, func(x *ir.Block) bool { return x == b })
	if len(single) == 1 && len(t.Preds) == 1 && t != f.Entry && t != f.Recover {
		fuse(f, single[0], t)
	}
	return true
}

// movePhis replaces the phis of b that have users other than t's phis by phis of t, whose
// predecessor k is b. Such a user comes after t, so b is on every path to t.
func movePhis(f *ir.Func, b, t *ir.Block, k int) {
	at := 0 // in t
	for _, phi := range b.Phis() {
		elsewhere := false
		for _, x := range f.Blocks {
			for _, v := range x.Values {
				for i, a := range v.Args {
					elsewhere = elsewhere || a == phi && !(v.Op == ir.OpPhi && x == t && i == k)
				}
			}
			elsewhere = elsewhere || x.Ctrl == phi || slices.Contains(x.Rets, phi)
		}
		if i := slices.IndexFunc(t.Phis(), func(v *ir.Value) bool { return v.Args[k] == phi }); i >= 0 {
			at = i + 1
		}
		if !elsewhere {
			continue
		}
		moved := f.NewValue(ir.OpPhi, phi.Type)
		moved.Pos = phi.Pos
		for range t.Preds {
			moved.Args = append(moved.Args, moved)
		}
		replace(f, map[*ir.Value]*ir.Value{phi: moved})
		moved.Args[k] = phi
		for _, v := range t.Phis() {
			if v.Args[k] == moved {
				v.Args[k] = phi
			}
		}
		t.Insert(at, moved)
		at++
	}
}

// replace replaces values wherever they are used.
func replace(f *ir.Func, by map[*ir.Value]*ir.Value) {
	final := func(v *ir.Value) *ir.Value {
		for by[v] != nil {
			v = by[v]
		}
		return v
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				v.Args[i] = final(a)
			}
		}
		if b.Ctrl != nil {
			b.Ctrl = final(b.Ctrl)
		}
		for i, r := range b.Rets {
			b.Rets[i] = final(r)
		}
	}
}

// fuse joins p and its only successor t, which has no other predecessor.
func fuse(f *ir.Func, p, t *ir.Block) {
	same := map[*ir.Value]*ir.Value{}
	for _, phi := range t.Phis() {
		same[phi] = phi.Args[0]
	}
	for _, v := range t.Values[len(same):] {
		p.Append(v)
	}
	p.EndAs(t)
	for _, s := range p.Succs {
		for i, x := range s.Preds {
			if x == t {
				s.Preds[i] = p
			}
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(x *ir.Block) bool { return x == t })
	if len(same) > 0 {
		replace(f, same)
	}
}
