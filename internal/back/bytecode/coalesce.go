package bytecode

import (
	"slices"
	"sort"

	"github.com/gyrvm/gyr/internal/ir"
)

// A class is a set of registers that share one slot: phis and those of their operands whose live
// ranges are disjoint from theirs.

// find returns the representative of v's class.
func (c *compiler) find(v vreg) vreg {
	for c.class[v] != v {
		c.class[v] = c.class[c.class[v]]
		v = c.class[v]
	}
	return v
}

// coalesce merges phis with their operands, in the innermost loops first.
func (c *compiler) coalesce() {
	n := c.regs
	c.class = zeroed(c.class, n)
	c.fixed = zeroed(c.fixed, n)
	for i := range c.class {
		c.class[i] = vreg(i)
	}
	for _, v := range c.f.Entry.Values {
		if c.skip[v.ID] {
			continue
		}
		switch v.Op {
		case ir.OpArg:
			c.fixed[v.ID] = int32(v.Aux) + 2
		case ir.OpClosure:
			c.fixed[v.ID] = 1
		}
	}
	if c.p.Opts.NoCoalesce {
		return
	}
	var withPhis []*blk
	for _, b := range c.blocks {
		if len(b.phis) > 0 {
			withPhis = append(withPhis, b)
		}
	}
	sort.SliceStable(withPhis, func(i, j int) bool { return withPhis[i].depth > withPhis[j].depth })
	for _, b := range withPhis {
		for pass := 0; pass < 2; pass++ {
			for j, p := range b.b.Preds {
				pb := c.blkOf[p.ID]
				if pb == nil || (pb.depth >= b.depth) != (pass == 0) {
					continue
				}
				c.step(len(b.phis))
				for _, phi := range b.phis {
					if r := c.opnd(phi.Args[j]); r >= 0 {
						c.union(vreg(phi.ID), r)
					}
				}
			}
		}
	}
}

// union merges the classes of a and b if their ranges are disjoint.
func (c *compiler) union(a, b vreg) {
	a, b = c.find(a), c.find(b)
	if a == b || c.fixed[a] != 0 && c.fixed[b] != 0 {
		return
	}
	if len(c.ranges[a]) < len(c.ranges[b]) {
		a, b = b, a
	}
	big, small := c.ranges[a], c.ranges[b]
	for _, s := range small {
		// The first range of big that ends after s begins.
		i := sort.Search(len(big), func(i int) bool { return big[i].to > s.from })
		if i < len(big) && big[i].from < s.to {
			return
		}
	}
	for _, s := range small {
		i := sort.Search(len(big), func(i int) bool { return big[i].from > s.from })
		switch left, right := i > 0 && big[i-1].to == s.from, i < len(big) && big[i].from == s.to; {
		case left && right:
			big[i-1].to = big[i].to
			big = slices.Delete(big, i, i+1)
		case left:
			big[i-1].to = s.to
		case right:
			big[i].from = s.from
		default:
			big = slices.Insert(big, i, s)
		}
	}
	c.ranges[a], c.ranges[b] = big, nil
	c.class[b] = a
	if c.fixed[a] == 0 {
		c.fixed[a] = c.fixed[b]
	}
}
