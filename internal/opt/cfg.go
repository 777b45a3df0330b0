package opt

import "github.com/gyrvm/gyr/internal/ir"

// simplifyGraph removes branches that are decided, blocks that are not reached
// or do nothing, and jumps between a block and its only successor.
func simplifyGraph(s *state) {
	g := grapher{s}
	for round := 0; round < 4; round++ {
		s.step(operations(s.f.Blocks))
		g.liftCounts()
		changed := g.cutTraps()
		changed = g.decide() || changed
		changed = g.removeUnreachable() || changed
		changed = g.threadPhis() || changed
		changed = g.skipEmpty() || changed
		changed = g.booleans() || changed
		changed = g.merge() || changed
		if !changed {
			break
		}
		s.graphChanged()
	}
	if g.removeUnreachable() {
		s.graphChanged()
	}
}

type grapher struct{ *state }

// dropUnreachable removes the blocks that no entry reaches. All passes rely on it, and none leaves
// such blocks.
func (s *state) dropUnreachable() {
	if (grapher{s}).removeUnreachable() {
		s.graphChanged()
	}
}

// removeEdge takes one edge from b to t out of t's predecessors.
func removeEdge(b, t *ir.Block) {
	t.RemovePred(t.PredIndex(b))
}

// becomesJump makes b end in a jump to its successor t; edges to others go.
func becomesJump(b, t *ir.Block) {
	kept := false
	for _, x := range b.Succs {
		if x == t && !kept {
			kept = true
			continue
		}
		removeEdge(b, x)
	}
	b.Kind = ir.BlockJump
	b.Ctrl, b.Cases, b.Likely = nil, nil, 0
	b.Succs = append(b.Succs[:0], t)
}

// becomesUnreachable cuts b off after its values.
func becomesUnreachable(b *ir.Block) {
	for _, x := range b.Succs {
		removeEdge(b, x)
	}
	b.Kind = ir.BlockUnreachable
	b.Ctrl, b.Cases, b.Rets, b.Succs, b.Likely = nil, nil, nil, nil, 0
}

// cutCalls ends blocks after calls of functions that never return. That fact about a function is
// found when it has its final form; see summarise.
func cutCalls(s *state) {
	for _, b := range s.f.Blocks {
		for i, v := range b.Values {
			if v.Op == ir.OpCall && v.Fn.Flags&ir.NoReturn != 0 && (b.Kind != ir.BlockUnreachable || i+1 < len(b.Values)) {
				simplifyGraph(s)
				return
			}
		}
	}
}

// cutTraps ends blocks after an operation that never lets control pass.
func (g grapher) cutTraps() bool {
	changed := false
	for _, b := range g.f.Blocks {
		for i, v := range b.Values {
			stops := false
			switch v.Op {
			case ir.OpCheck:
				stops = v.Args[0].IsConst(0)
			case ir.OpNilCheck:
				stops = v.Args[0].IsConst(0)
			case ir.OpBounds:
				x, n := v.Args[0], v.Args[1]
				stops = x.Op == ir.OpConst && n.Op == ir.OpConst && uint64(x.Aux) >= uint64(n.Aux)
			case ir.OpUnwind:
				stops = true
			case ir.OpCall:
				stops = v.Fn.Flags&ir.NoReturn != 0
			}
			if !stops {
				continue
			}
			if i+1 == len(b.Values) && b.Kind == ir.BlockUnreachable {
				break
			}
			// The uses of the removed values are unreachable now.
			clear(b.Values[i+1:])
			b.Values = b.Values[:i+1]
			if b.Kind != ir.BlockUnreachable {
				becomesUnreachable(b)
			}
			changed = true
			break
		}
	}
	if changed {
		g.removeUnreachable()
	}
	return changed
}

// decide follows branches on constants.
func (g grapher) decide() bool {
	changed := false
	for _, b := range g.f.Blocks {
		switch b.Kind {
		case ir.BlockIf:
			if c := b.Ctrl; c.Op == ir.OpConst {
				t := b.Succs[1]
				if c.Aux == 1 {
					t = b.Succs[0]
				}
				becomesJump(b, t)
				changed = true
			}
		case ir.BlockSwitch:
			if b.Ctrl.Op == ir.OpConst {
				t := b.Succs[len(b.Cases)]
				for i, c := range b.Cases {
					if c == b.Ctrl.Aux {
						t = b.Succs[i]
						break
					}
				}
				becomesJump(b, t)
				changed = true
			} else if allSame(b.Succs) {
				becomesJump(b, b.Succs[0])
				changed = true
			}
		}
	}
	return changed
}

func allSame(bs []*ir.Block) bool {
	for _, b := range bs {
		if b != bs[0] {
			return false
		}
	}
	return true
}

// liftCounts takes the counts out of blocks that hold little else, so that later steps see those
// blocks as in a program without counts.
func (g grapher) liftCounts() {
	if m := g.f.Module; m == nil || m.Counters == 0 {
		return
	}
	only := g.f.CountOnly()
	for i := len(g.f.Blocks) - 1; i >= 0; i-- {
		b := g.f.Blocks[i]
		if n := len(b.Phis()); n == len(b.Values) || b.Kind != ir.BlockIf && (b.Kind != ir.BlockJump || n > 0) {
			continue
		} else if b.Kind == ir.BlockIf && (len(b.Preds) < 2 || b.Ctrl.Op != ir.OpPhi || b.Ctrl.Block != b) {
			continue
		}
		b.LiftCounts(only)
	}
}

// removeUnreachable drops blocks that no entry reaches.
func (g grapher) removeUnreachable() bool {
	f := g.f
	seen := make([]bool, f.NumBlocks())
	work := make([]*ir.Block, 0, 16)
	reach := func(b *ir.Block) {
		if !seen[b.ID] {
			seen[b.ID] = true
			work = append(work, b)
		}
	}
	reach(f.Entry)
	if f.Recover != nil {
		reach(f.Recover)
	}
	n := 0
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		n++
		for _, t := range b.Succs {
			reach(t)
		}
	}
	if n == len(f.Blocks) {
		return false
	}
	keep := f.Blocks[:0]
	for _, b := range f.Blocks {
		if !seen[b.ID] {
			continue
		}
		dropPreds(b, func(p *ir.Block) bool { return seen[p.ID] })
		keep = append(keep, b)
	}
	clear(f.Blocks[len(keep):])
	f.Blocks = keep
	return true
}

// dropPreds removes all predecessors that are not to be kept, with their phi operands.
func dropPreds(b *ir.Block, keep func(*ir.Block) bool) {
	all := true
	for _, p := range b.Preds {
		all = all && keep(p)
	}
	if all {
		return
	}
	for _, v := range b.Phis() {
		n := 0
		for i, p := range b.Preds {
			if keep(p) {
				v.Args[n] = v.Args[i]
				n++
			}
		}
		v.Args = v.Args[:n]
	}
	n := 0
	for _, p := range b.Preds {
		if keep(p) {
			b.Preds[n] = p
			n++
		}
	}
	b.Preds = b.Preds[:n]
}

// loopHeads marks, by block ID, the targets of retreating edges.
func loopHeads(f *ir.Func) []bool {
	post := ir.Postorder(f)
	num := make([]int32, f.NumBlocks())
	for i, b := range post {
		num[b.ID] = int32(i) + 1
	}
	heads := make([]bool, f.NumBlocks())
	for _, b := range post {
		for _, t := range b.Succs {
			if num[t.ID] >= num[b.ID] {
				heads[t.ID] = true
			}
		}
	}
	return heads
}

// threadPhis redirects a predecessor that passes a constant to the phi on which a block branches,
// straight to the successor: && and || leave such blocks. The block may hold only phis that nothing
// else needs.
func (g grapher) threadPhis() bool {
	changed := false
	var uses []int32
	var heads []bool
	for _, b := range g.f.Blocks {
		if b.Kind != ir.BlockIf || len(b.Preds) < 2 || b.Ctrl.Op != ir.OpPhi || b.Ctrl.Block != b ||
			len(b.Phis()) != len(b.Values) {
			continue
		}
		hasConst := false
		for _, a := range b.Ctrl.Args {
			hasConst = hasConst || a.Op == ir.OpConst
		}
		if !hasConst {
			continue
		}
		if uses == nil {
			uses = useCounts(g.f)
		}
		if heads == nil {
			heads = loopHeads(g.f)
		}
		// A loop keeps its only entry.
		if heads[b.ID] || !onlyForSuccessors(b, uses) {
			continue
		}
		for i := 0; i < len(b.Preds) && len(b.Preds) > 1; {
			c := b.Ctrl.Args[i]
			if c.Op != ir.OpConst {
				i++
				continue
			}
			t := b.Succs[1]
			if c.Aux == 1 {
				t = b.Succs[0]
			}
			p := b.Preds[i]
			if t == b || !canRedirect(p, t) {
				i++
				continue
			}
			// The new edge carries what the edge b→t would have carried.
			k := t.PredIndex(b)
			for _, v := range t.Phis() {
				a := v.Args[k]
				if a.Op == ir.OpPhi && a.Block == b {
					a = a.Args[i]
				}
				v.Args = append(v.Args, a)
				uses[a.ID]++
			}
			t.Preds = append(t.Preds, p)
			for j, x := range p.Succs {
				if x == b {
					p.Succs[j] = t
					break
				}
			}
			for _, v := range b.Phis() {
				uses[v.Args[i].ID]--
			}
			b.RemovePred(i)
			changed = true
		}
	}
	return changed
}

// onlyForSuccessors reports whether b's phis are used by b's end and by phis of
// its successors for the edge from b, and by nothing else.
func onlyForSuccessors(b *ir.Block, uses []int32) bool {
	known := make(map[*ir.Value]int32, len(b.Values))
	known[b.Ctrl]++
	for _, t := range b.Succs {
		k := t.PredIndex(b)
		for _, v := range t.Phis() {
			if a := v.Args[k]; a.Op == ir.OpPhi && a.Block == b {
				known[a]++
			}
		}
	}
	for _, v := range b.Values {
		if uses[v.ID] != known[v] {
			return false
		}
	}
	return true
}

// canRedirect reports whether an edge of p may be led to t: a branch must not
// get two edges to one block.
func canRedirect(p, t *ir.Block) bool {
	if p.Kind == ir.BlockJump {
		return true
	}
	for _, x := range p.Succs {
		if x == t {
			return false
		}
	}
	return true
}

// skipEmpty redirects the predecessors of a block that only jumps to its target.
func (g grapher) skipEmpty() bool {
	f := g.f
	changed := false
	var place []int32 // by ID of an empty block: its place among its target's predecessors
	for _, b := range f.Blocks {
		if b == f.Entry || b == f.Recover || emptyTarget(b) == nil || len(b.Preds) == 0 {
			continue
		}
		if place == nil {
			place = make([]int32, f.NumBlocks())
			for _, t := range f.Blocks {
				for i, p := range t.Preds {
					place[p.ID] = int32(i)
				}
			}
		}
		t := b.Succs[0]
		phis := t.Phis()
		n := 0
		for _, p := range b.Preds {
			if p == b || p.Kind == ir.BlockSwitch && len(phis) > 0 || p.Kind == ir.BlockIf && !canRedirect(p, t) {
				b.Preds[n] = p
				place[p.ID] = int32(n)
				n++
				continue
			}
			for _, v := range phis {
				v.Args = append(v.Args, v.Args[place[b.ID]])
			}
			// p may be an empty block itself and gets a new target.
			place[p.ID] = int32(len(t.Preds))
			t.Preds = append(t.Preds, p)
			for j, x := range p.Succs {
				if x == b {
					p.Succs[j] = t
					break
				}
			}
			changed = true
		}
		b.Preds = b.Preds[:n]
	}
	// A branch whose empty arms end in one block without phis decides nothing.
	for _, b := range f.Blocks {
		join, fx, _ := meeting(b)
		if join == nil || !samePhis(join, b.Succs[0], b.Succs[1], b) {
			continue
		}
		// Leave by the edge that keeps the phi operands: either of the two.
		keep := b.Succs[0]
		if fx == b {
			keep = b.Succs[1]
		}
		becomesJump(b, keep)
		changed = true
	}
	return changed
}

// booleans replaces a branch that only decides whether a phi is 1 or 0 by the condition itself.
func (g grapher) booleans() bool {
	changed := false
	for _, b := range g.f.Blocks {
		join, fx, fy := meeting(b)
		if join == nil {
			continue
		}
		phis := join.Phis()
		if len(phis) != 1 || phis[0].Type != ir.I8 {
			continue
		}
		i, k := join.PredIndex(fx), join.PredIndex(fy)
		yes, no := phis[0].Args[i], phis[0].Args[k]
		if yes.Op != ir.OpConst || no.Op != ir.OpConst || yes.Aux+no.Aux != 1 || yes.Aux != 0 && yes.Aux != 1 {
			continue
		}
		c := b.Ctrl
		if yes.Aux == 0 {
			one := g.newConst(ir.I8, 1)
			b.Append(one)
			c = b.Append(g.f.NewValue(ir.OpXor, ir.I8, c, one))
			one.Pos, c.Pos = b.Pos, b.Pos
		}
		// Both edges bring the condition; skipEmpty finds that they are one.
		phis[0].Args[i], phis[0].Args[k] = c, c
		keep := b.Succs[0]
		if fx == b {
			keep = b.Succs[1]
		}
		becomesJump(b, keep)
		changed = true
	}
	return changed
}

// meeting returns the block in which both arms of a branch meet without any work before, nil if
// there is none, and its predecessors on the two arms.
func meeting(b *ir.Block) (join, fx, fy *ir.Block) {
	if b.Kind != ir.BlockIf {
		return nil, nil, nil
	}
	x, y := b.Succs[0], b.Succs[1]
	fx, fy = x, y
	tx, ty := emptyTarget(x), emptyTarget(y)
	switch {
	case tx != nil && tx == ty && len(x.Preds) == 1 && len(y.Preds) == 1:
		join = tx
	case tx == y && tx != nil && len(x.Preds) == 1:
		join, fy = y, b
	case ty == x && ty != nil && len(y.Preds) == 1:
		join, fx = x, b
	}
	if join == b {
		return nil, nil, nil
	}
	return join, fx, fy
}

// emptyTarget returns where an empty block jumps, else nil.
func emptyTarget(b *ir.Block) *ir.Block {
	if b.Kind == ir.BlockJump && len(b.Values) == 0 && b.Succs[0] != b {
		return b.Succs[0]
	}
	return nil
}

// samePhis reports whether the two paths from b into join bring equal operands.
func samePhis(join, x, y, b *ir.Block) bool {
	from := func(w *ir.Block) *ir.Block {
		if w == join {
			return b
		}
		return w
	}
	i, j := join.PredIndex(from(x)), join.PredIndex(from(y))
	if i < 0 || j < 0 {
		return false
	}
	for _, v := range join.Phis() {
		a, c := v.Args[i], v.Args[j]
		if a != c && !(a.Op == ir.OpConst && c.Op == ir.OpConst && a.Aux == c.Aux) {
			return false
		}
	}
	return true
}

// merge joins blocks with their only successor when that has no other predecessor.
func (g grapher) merge() bool {
	f := g.f
	changed := false
	for _, b := range f.Blocks {
		if b.Kind == ir.BlockInvalid {
			continue // merged into another
		}
		for b.Kind == ir.BlockJump {
			t := b.Succs[0]
			if len(t.Preds) != 1 || t == b || t == f.Entry || t == f.Recover {
				break
			}
			for _, v := range t.Values {
				if v.Op == ir.OpPhi {
					becomes(v, v.Args[0])
				}
				v.Block = b
			}
			b.Values = append(b.Values, t.Values...)
			b.EndAs(t)
			for _, x := range b.Succs {
				for i, p := range x.Preds {
					if p == t {
						x.Preds[i] = b
					}
				}
			}
			t.Kind = ir.BlockInvalid
			t.Values, t.Preds, t.Succs, t.Ctrl, t.Rets, t.Cases = nil, nil, nil, nil, nil, nil
			changed = true
		}
	}
	if !changed {
		return false
	}
	keep := f.Blocks[:0]
	for _, b := range f.Blocks {
		if b.Kind != ir.BlockInvalid {
			keep = append(keep, b)
		}
	}
	clear(f.Blocks[len(keep):])
	f.Blocks = keep
	g.sweep()
	return true
}
