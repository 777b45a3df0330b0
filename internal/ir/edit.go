package ir

// Renumber gives the values and blocks that f still has dense numbers in their order, so that side
// tables stay small after many removals.
func (f *Func) Renumber() {
	n := int32(0)
	for i, b := range f.Blocks {
		b.ID = int32(i)
		for _, v := range b.Values {
			v.ID = n
			n++
		}
	}
	f.nextValue = n
	f.nextBlock = int32(len(f.Blocks))
}

// RemovePred removes the predecessor in place i of b, with the phi operands that belong to it. The
// caller updates the other side of the edge.
func (b *Block) RemovePred(i int) {
	b.Preds = append(b.Preds[:i], b.Preds[i+1:]...)
	for _, v := range b.Values {
		if v.Op != OpPhi {
			break
		}
		v.Args = append(v.Args[:i], v.Args[i+1:]...)
	}
}

// PredIndex returns the place of p among the predecessors of b, -1 if it is not one.
func (b *Block) PredIndex(p *Block) int {
	for i, x := range b.Preds {
		if x == p {
			return i
		}
	}
	return -1
}

// Phis returns the phis of b, which come first in it.
func (b *Block) Phis() []*Value {
	for i, v := range b.Values {
		if v.Op != OpPhi {
			return b.Values[:i]
		}
	}
	return b.Values
}

// Insert puts v into b so that it becomes the value in place i.
func (b *Block) Insert(i int, v *Value) *Value {
	v.Block = b
	b.Values = append(b.Values, nil)
	copy(b.Values[i+1:], b.Values[i:])
	b.Values[i] = v
	return v
}

// NumOps returns the number of operations of f, phis, counts and terminators aside.
func (f *Func) NumOps() int {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values[len(b.Phis()):] {
			if !v.IsCount() {
				n++
			}
		}
	}
	return n
}

// Restore gives f the body of g, an earlier copy of f.
func (f *Func) Restore(g *Func) {
	f.Entry, f.Recover, f.Blocks, f.Locals = g.Entry, g.Recover, g.Blocks, g.Locals
	f.nextValue, f.nextBlock = g.nextValue, g.nextBlock
	for _, b := range f.Blocks {
		b.Func = f
	}
}

// Forget drops the body of f and the results of analyses, so that it can be read anew.
func (f *Func) Forget() {
	f.Restore(&Func{})
	f.LocalLive, f.RootsFixed, f.Size, f.Moved, f.Frame, f.keptLocals = nil, false, 0, 0, 0, nil
}

// CopyOf makes a value of f that equals v except for its operands, which are empty, and its block.
func (f *Func) CopyOf(v *Value) *Value {
	w := new(Value)
	*w = *v
	w.ID, w.Args, w.Block = f.nextValue, nil, nil
	f.nextValue++
	return w
}

// EndAs makes b end as t does: with its kind, operands and successors. The successors keep their
// predecessors. b does not get t's values and predecessors.
func (b *Block) EndAs(t *Block) {
	c := *t
	c.ID, c.Func, c.Values, c.Preds = b.ID, b.Func, b.Values, b.Preds
	*b = c
}

// Copy returns a copy of f with copies of its blocks and values under the same
// numbers: a function to change while the original is kept.
func (f *Func) Copy() *Func {
	g := *f
	g.Locals = append([]Local(nil), f.Locals...)
	g.Blocks = make([]*Block, len(f.Blocks))
	blocks := make([]*Block, f.nextBlock)
	values := make([]*Value, f.nextValue)
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Values)
	}
	slab := make([]Value, n)
	for i, b := range f.Blocks {
		c := *b
		c.Func = &g
		g.Blocks[i] = &c
		blocks[b.ID] = &c
		c.Values = make([]*Value, len(b.Values))
		for k, v := range b.Values {
			w := &slab[0]
			slab = slab[1:]
			*w = *v
			w.Block = &c
			values[v.ID] = w
			c.Values[k] = w
		}
	}
	mapped := func(vs []*Value) []*Value {
		if len(vs) == 0 {
			return nil
		}
		out := make([]*Value, len(vs))
		for i, v := range vs {
			out[i] = values[v.ID]
		}
		return out
	}
	edges := func(bs []*Block) []*Block {
		if len(bs) == 0 {
			return nil
		}
		out := make([]*Block, len(bs))
		for i, b := range bs {
			out[i] = blocks[b.ID]
		}
		return out
	}
	for _, b := range g.Blocks {
		for _, v := range b.Values {
			v.Args = mapped(v.Args)
		}
		b.Rets = mapped(b.Rets)
		b.Cases = append([]int64(nil), b.Cases...)
		if b.Ctrl != nil {
			b.Ctrl = values[b.Ctrl.ID]
		}
		b.Succs, b.Preds = edges(b.Succs), edges(b.Preds)
	}
	g.Entry = blocks[f.Entry.ID]
	if f.Recover != nil {
		g.Recover = blocks[f.Recover.ID]
	}
	return &g
}
