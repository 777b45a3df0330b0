package bytecode

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// Positions: an instruction at position p, an even number, reads its operands at p and writes its
// results at p+1. The phis of a block have a position of their own before its first instruction.
// The block begins there, and they are written there; their operands are read at the end of the
// predecessor.

// pos is the position of instruction number i of a block.
func (b *blk) pos(i int) int32 { return b.from + 2 + 2*int32(i) }

// A span is a half-open range of positions.
type span struct{ from, to int32 }

type liveState struct {
	ranges [][]span // by register, sorted, disjoint, not touching

	// Memory of liveness.
	defBlk  []*blk
	defPos  []int32
	counts  []int32
	uselist []useAt
	byReg   []useAt
	outMark []int32
	spanMem []span
}

func (s *liveState) again() liveState {
	return liveState{ranges: s.ranges, defBlk: s.defBlk, defPos: s.defPos, counts: s.counts, uselist: s.uselist,
		byReg: s.byReg, outMark: s.outMark}
}

// spans keeps a copy of rs.
func (s *liveState) spans(rs []span) []span {
	if len(s.spanMem)+len(rs) > cap(s.spanMem) {
		s.spanMem = make([]span, 0, max(512, len(rs)))
	}
	at := len(s.spanMem)
	s.spanMem = append(s.spanMem, rs...)
	return s.spanMem[at:len(s.spanMem):len(s.spanMem)]
}

type useAt struct {
	v   vreg
	blk *blk
	pos int32 // blk.to for a use on an edge out of the block
}

// reads calls f for every register that an instruction reads.
func (i *inst) reads(f func(vreg)) {
	k := 0
	for _, ch := range []byte(Ops[i.op].Form) {
		switch ch {
		case '=':
			k++
		case 'r':
			if r := i.r[k]; r >= 0 {
				f(r)
			}
			k++
		}
	}
	if i.call != nil {
		for _, a := range i.call.args {
			if a >= 0 {
				f(a)
			}
		}
	}
}

// writes calls f for every register that an instruction writes.
func (i *inst) writes(f func(vreg)) {
	k := 0
	for _, ch := range []byte(Ops[i.op].Form) {
		switch ch {
		case '=':
			if r := i.r[k]; r >= 0 {
				f(r)
			}
			k++
		case 'r':
			k++
		}
	}
	if i.call != nil {
		for _, r := range i.call.res {
			if r >= 0 {
				f(r)
			}
		}
	}
}

// liveness computes the exact live ranges of all registers.
func (c *compiler) liveness() {
	n := c.regs
	c.defBlk, c.defPos, c.counts = zeroed(c.defBlk, n), zeroed(c.defPos, n), zeroed(c.counts, n+2)
	defBlk, defPos, counts := c.defBlk, c.defPos, c.counts
	uses := c.uselist[:0]

	k := int32(0)
	for _, b := range c.blocks {
		b.from = k
		k = b.pos(len(b.insts))
		b.to = k
	}
	use := func(v vreg, b *blk, pos int32) {
		uses = append(uses, useAt{v, b, pos})
		counts[v+2]++
	}
	for _, b := range c.blocks {
		for _, p := range b.phis {
			defBlk[p.ID], defPos[p.ID] = b, b.from
			for j, a := range p.Args {
				if pb := c.blkOf[b.b.Preds[j].ID]; pb != nil {
					if r := c.opnd(a); r >= 0 {
						use(r, pb, pb.to)
					}
				}
			}
		}
		hold := func(v *ir.Value, at int32) { // across the safepoint before at
			for _, r := range c.keep(v).bases {
				use(r, b, at)
			}
		}
		for _, v := range b.charges {
			hold(v, b.pos(0))
		}
		if b.b == c.f.Entry {
			hold(nil, b.pos(0))
			for _, v := range b.b.Values {
				if (v.Op == ir.OpArg || v.Op == ir.OpClosure) && !c.skip[v.ID] {
					defBlk[v.ID], defPos[v.ID] = b, 0
				}
			}
		}
		for i := range b.insts {
			c.step(1)
			in := &b.insts[i]
			pos := b.pos(i)
			in.reads(func(v vreg) { use(v, b, pos) })
			if in.call != nil && in.op != Ret {
				hold(in.call.val, pos+2)
			}
			in.writes(func(v vreg) { defBlk[v], defPos[v] = b, pos+1 })
		}
	}
	c.uselist = uses
	// Group the uses by register: those of v end up at counts[v] to counts[v+1].
	for i := 0; i < n; i++ {
		counts[i+2] += counts[i+1]
	}
	c.byReg = zeroed(c.byReg, len(uses))
	byReg := c.byReg
	for _, u := range uses {
		byReg[counts[u.v+1]] = u
		counts[u.v+1]++
	}

	c.ranges = zeroed(c.ranges, n)
	c.outMark = zeroed(c.outMark, c.f.NumBlocks())
	outMark := c.outMark
	var work []*blk
	var rs []span
	for v := 0; v < n; v++ {
		db := defBlk[v]
		if db == nil {
			continue
		}
		dp := defPos[v]
		c.step(1)
		rs = append(rs[:0], span{dp, dp + 1})
		stamp := int32(v) + 1
		up := func(b *blk) { // v is live at the start of b
			for _, p := range b.b.Preds {
				if pb := c.blkOf[p.ID]; pb != nil && outMark[p.ID] != stamp {
					outMark[p.ID] = stamp
					work = append(work, pb)
				}
			}
		}
		for _, u := range byReg[counts[v]:counts[v+1]] {
			if u.blk == db && u.pos >= dp {
				rs = append(rs, span{dp, u.pos})
				continue
			}
			if outMark[u.blk.b.ID] == stamp {
				continue // already live through the whole block
			}
			rs = append(rs, span{u.blk.from, u.pos})
			up(u.blk)
			for len(work) > 0 {
				b := work[len(work)-1]
				work = work[:len(work)-1]
				c.step(1)
				if b == db {
					rs = append(rs, span{dp, b.to})
					continue
				}
				rs = append(rs, span{b.from, b.to})
				up(b)
			}
		}
		c.ranges[v] = c.spans(normalise(rs))
	}
}

// normalise sorts spans and joins those that overlap or touch.
func normalise(rs []span) []span {
	if len(rs) == 1 {
		return rs
	}
	slices.SortFunc(rs, func(a, b span) int { return int(a.from) - int(b.from) })
	out := rs[:1]
	for _, r := range rs[1:] {
		l := &out[len(out)-1]
		if r.from <= l.to {
			l.to = max(l.to, r.to)
		} else {
			out = append(out, r)
		}
	}
	return out
}
