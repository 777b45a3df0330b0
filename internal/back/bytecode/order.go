package bytecode

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// order finds the reachable blocks, their dominators and loops, and the order
// in which the code is laid out: a reverse postorder in which loops are
// contiguous and blocks that only panic come last.
func (c *compiler) order() {
	c.postorder(nil)
	c.dominators()
	c.loops()
	c.postorder(func(b, s *blk) int {
		rank := 0
		if b.loop != nil && !inLoop(s, b.loop) {
			rank += 4 // leaves the loop: later
		}
		if s.b.Kind == ir.BlockUnreachable {
			rank += 8
		}
		return rank
	})
	var cold []*blk
	hot := make([]*blk, 0, len(c.blocks))
	for _, b := range c.blocks {
		if b.b.Kind == ir.BlockUnreachable && b.b != c.f.Entry {
			cold = append(cold, b)
		} else {
			hot = append(hot, b)
		}
	}
	c.blocks = append(hot, cold...)
	c.matchEdges()
}

// matchEdges finds the place of every edge among its target's predecessors. Equal edges keep their
// order.
func (c *compiler) matchEdges() {
	// The edges into each block, grouped by target and in the order of their sources.
	first := make([]int32, c.f.NumBlocks()+1)
	total := 0
	for _, b := range c.blocks {
		for _, s := range b.succs {
			first[s.ID+1]++
		}
		total += len(b.succs)
	}
	for i := 0; i+1 < len(first); i++ {
		first[i+1] += first[i]
	}
	type edge struct {
		b *blk
		i int32
	}
	list := make([]edge, total)
	fill := make([]int32, c.f.NumBlocks())
	places := make([]int32, total) // of all blocks' edges
	for _, b := range c.blocks {
		n := len(b.succs)
		b.edges, places = places[:n:n], places[n:]
		for i, s := range b.succs {
			list[first[s.ID]+fill[s.ID]] = edge{b, int32(i)}
			fill[s.ID]++
		}
	}
	next := fill // by predecessor: its next edge in the list, +1
	for _, s := range c.blocks {
		in := list[first[s.b.ID]:first[s.b.ID+1]]
		for k := len(in) - 1; k >= 0; k-- {
			next[in[k].b.b.ID] = int32(k) + 1
		}
		for j, p := range s.b.Preds {
			if c.blkOf[p.ID] != nil {
				e := in[next[p.ID]-1]
				e.b.edges[e.i] = int32(j)
				next[p.ID]++
			}
		}
	}
}

// lowered returns the successor of a block from which a loop runs as lowered, in a list, if the block
// decides between that and copies of several rounds (pass unroll); nil if it decides something else.
// Copies save machine code tests and charges, but here a loop's test, step and charge are one
// instruction. The results are the same, and so is gas.
func lowered(b *ir.Block) []*ir.Block {
	if b.Kind != ir.BlockIf || len(b.Preds) < 2 { // not the head of a loop
		return nil
	}
	fast := -1 // the successor with the copies
	if asksGas(b) {
		if fast = 0; b.Likely < 0 {
			fast = 1
		}
	} else {
		fast = slices.IndexFunc(b.Succs, asksGas)
	}
	if fast < 0 || len(b.Succs[fast].Preds) != 1 {
		return nil
	}
	return b.Succs[1-fast : 2-fast]
}

// asksGas reports whether a block chooses between a round of a loop and several.
func asksGas(b *ir.Block) bool {
	return b.Kind == ir.BlockIf && slices.ContainsFunc(b.Values, func(v *ir.Value) bool { return v.Op == ir.OpGasLeft && v.Aux == ir.GasLeftRound })
}

// inLoop reports whether b belongs to the loop of the given header.
func inLoop(b, header *blk) bool {
	for l := b.loop; l != nil; l = l.outerLoop {
		if l == header {
			return true
		}
		if l.depth <= header.depth {
			return false
		}
	}
	return false
}

// postorder fills c.blocks with a reverse postorder. rank orders the successors
// of a block: those with higher rank come later in the result.
func (c *compiler) postorder(rank func(b, s *blk) int) {
	type frame struct {
		b     *blk
		succs []*blk
	}
	seen := make([]bool, c.f.NumBlocks())
	get := func(b *ir.Block) *blk {
		if c.blkOf[b.ID] == nil {
			x := &c.blkMem[b.ID]
			x.b, x.recover = b, b == c.f.Recover
			x.kind, x.ctrl, x.succs = b.Kind, b.Ctrl, b.Succs
			if s := lowered(b); s != nil && c.p.Opts.Lowered {
				x.kind, x.ctrl, x.succs = ir.BlockJump, nil, s
			}
			c.blkOf[b.ID] = x
		}
		return c.blkOf[b.ID]
	}
	var arena []*blk // memory of the lists of successors
	// Successors in visiting order: the one that should come first in the code is visited last.
	succs := func(b *blk) []*blk {
		n := len(b.succs)
		if len(arena)+n > cap(arena) {
			arena = make([]*blk, 0, 4*n+256)
		}
		out := arena[len(arena) : len(arena) : len(arena)+n]
		arena = arena[:len(arena)+n]
		for i := n - 1; i >= 0; i-- {
			out = append(out, get(b.succs[i]))
		}
		if n == 2 && b.b.Likely < 0 {
			out[0], out[1] = out[1], out[0]
		}
		if rank != nil && n > 1 && ranked(b, out, rank) {
			// Stable partition by descending rank: at most four ranks occur.
			sorted := make([]*blk, 0, n)
			for r := 12; r >= 0; r -= 4 {
				for _, s := range out {
					if rank(b, s) == r {
						sorted = append(sorted, s)
					}
				}
			}
			out = sorted
		}
		return out
	}
	post := make([]*blk, 0, c.f.NumBlocks())
	var stack []frame
	visit := func(b *blk) {
		seen[b.b.ID] = true
		stack = append(stack, frame{b, succs(b)})
	}
	run := func(root *ir.Block) {
		if seen[root.ID] {
			return
		}
		visit(get(root))
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if len(t.succs) == 0 {
				post = append(post, t.b)
				stack = stack[:len(stack)-1]
				continue
			}
			s := t.succs[0]
			t.succs = t.succs[1:]
			if !seen[s.b.ID] {
				visit(s)
			}
		}
	}
	if c.f.Recover != nil {
		run(c.f.Recover)
	}
	// Entry last: it comes first in the reverse postorder.
	run(c.f.Entry)
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	for i, b := range post {
		b.rpo = int32(i)
	}
	c.blocks = post
}

// ranked reports whether the successors of b differ in rank.
func ranked(b *blk, succs []*blk, rank func(b, s *blk) int) bool {
	r := rank(b, succs[0])
	for _, s := range succs[1:] {
		if rank(b, s) != r {
			return true
		}
	}
	return false
}

// dominators finds immediate dominators. The recovery block counts as a
// successor of the entry.
func (c *compiler) dominators() {
	c.dom = ir.NewDom(c.f)
	entry := c.blocks[0]
	for _, b := range c.blocks[1:] {
		b.idom = entry
		if d := c.dom.Idom(b.b); d != nil {
			b.idom = c.blkOf[d.ID]
		}
	}
}

// loops finds natural loops: every block gets the header of its innermost one, every header that of
// the loop around it. The search enters each block once per nesting level.
func (c *compiler) loops() {
	var work []*blk
	for i := len(c.blocks) - 1; i >= 0; i-- {
		h := c.blocks[i]
		work = work[:0]
		for _, p := range h.b.Preds {
			if pb := c.blkOf[p.ID]; pb != nil && pb.rpo >= h.rpo && c.dom.Dominates(h.b, pb.b) {
				work = append(work, pb)
			}
		}
		if len(work) == 0 {
			continue
		}
		h.isHeader = true
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			// The outermost loop around b found so far.
			top := b
			if b.isHeader && b != h {
				for top.outerLoop != nil {
					top = top.outerLoop
				}
			} else if b.loop != nil {
				top = b.loop
				for top.outerLoop != nil {
					top = top.outerLoop
				}
			}
			if top == h {
				continue
			}
			if top.isHeader {
				top.outerLoop = h
			} else {
				top.loop = h
			}
			for _, p := range top.b.Preds {
				if pb := c.blkOf[p.ID]; pb != nil && pb != h {
					work = append(work, pb)
				}
			}
		}
		h.loop = h
	}
	for _, b := range c.blocks { // headers of outer loops come first
		switch {
		case b.isHeader && b.outerLoop != nil:
			b.depth = b.outerLoop.depth + 1
		case b.isHeader:
			b.depth = 1
		case b.loop != nil:
			b.depth = b.loop.depth
		}
	}
}
