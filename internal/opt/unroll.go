package opt

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// unroll repeats the body of an innermost loop that counts to a limit, so that several rounds make
// one charge and no test.
//
//	top:   i = phi; if i < limit - 3 goto ask, else loop
//	ask:   if the quantum covers 4 rounds goto fast, else slow (unlikely)
//	fast:  four bodies; charge 4 rounds; goto top
//	slow:  charge a round, as lowered; body; goto top
//	loop:  the loop as lowered, for the rounds that are left
//
// A loop as lowered ends the goroutine's quantum at its header, in any round. The copies have no
// such place: before them the code asks whether the quantum covers all that they may charge
// (OpGasLeft). If it does, no place between would have ended it. Otherwise it ends where it always
// did, in the slow round. Gas is the same everywhere that it can be seen:
//
//   - Charges of every round (those of blocks that the back edge depends on) become late charges
//     after the last copy.
//   - A check in a copy becomes a branch to a block that first charges what has been passed, and then
//     fails.
//   - Other charges stay where they are.
func unroll(s *state) {
	loops := s.Loops()
	if loops.Irreducible {
		return
	}
	var list []*unroller // analysed before the graph changes
	for _, lp := range loops.List {
		if !lp.Inner {
			continue
		}
		s.step(operations(lp.Blocks))
		if u := (&unroller{state: s, lp: lp}); u.analyse() {
			list = append(list, u)
		}
	}
	found := false
	for _, u := range list {
		found = u.repeat() || found
	}
	if found {
		s.graphChanged()
		for _, p := range []func(*state){simplify, simplifyGraph, gvn, forwardLoads, gvn, prove, simplify, simplifyGraph} {
			p(s)
		}
	}
}

// Limits of copies.
const (
	unrollRounds = 4  // copies of a counted loop
	unrollOps    = 96 // operations in all copies together
	wholeRounds  = 16 // rounds of a loop that is repeated whole
)

// An unroller repeats one loop.
type unroller struct {
	*state
	lp    *ir.Loop
	head  *ir.Block
	latch *ir.Block
	test  *ir.Block // the header or the latch: it ends with the test whether there is another round
	back  int       // place of the latch among the header's predecessors
	ops   int
	fixed []*ir.Value // charges of every round
	most  int64       // upper bound of the charges of a round

	// The comparison of the test: with the operand phi + c, which grows by step in a round.
	sum, limit *ir.Value
	phi        *ir.Value
	step_      int64
}

// analyse reports whether the loop can be repeated.
func (u *unroller) analyse() bool {
	u.head = u.lp.Header
	if len(u.lp.Latches) != 1 || len(u.lp.Blocks) > 8 || len(u.head.Preds) != 2 {
		return false
	}
	u.latch = u.lp.Latches[0]
	u.back = u.head.PredIndex(u.latch)
	u.test = u.head
	if u.latch.Kind == ir.BlockIf {
		u.test = u.latch
	} else if u.latch.Kind != ir.BlockJump {
		return false
	}
	loops := u.Loops()
	if u.test.Kind != ir.BlockIf || !loops.Contains(u.lp, u.test.Succs[0]) || loops.Contains(u.lp, u.test.Succs[1]) {
		return false
	}
	polls := 0
	for _, b := range u.lp.Blocks {
		always := u.Dom().Dominates(b, u.latch)
		for _, v := range b.Values {
			switch {
			case v.Op == ir.OpGasLoop && b == u.head:
				polls++
				fallthrough
			case v.Op == ir.OpGas && (v.IsLate() || b == u.head):
				u.most += v.Aux
				if always {
					u.fixed = append(u.fixed, v)
				}
			case v.Op == ir.OpKeep && b == u.head, v.Op == ir.OpPhi, v.IsCount():
			case !repeatable(v):
				return false
			default:
				u.ops++
			}
		}
		u.ops++
		switch b.Kind {
		case ir.BlockJump, ir.BlockIf:
		default:
			return false
		}
		for _, t := range b.Succs {
			if b != u.test && !loops.Contains(u.lp, t) {
				return false
			}
		}
	}
	if polls != 1 || u.most > 1<<20 {
		return false
	}
	return u.counts()
}

// repeatable reports whether a copy of v may stand in a copy of a loop.
func repeatable(v *ir.Value) bool {
	switch v.Op {
	case ir.OpLoad, ir.OpStore, ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
		return true
	}
	return v.Op.Pure()
}

// counts finds what the test compares: a sum that grows by the same step in each round, with a
// limit.
func (u *unroller) counts() bool {
	c := u.test.Ctrl
	switch c.Op {
	case ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU:
	default:
		return false
	}
	u.sum, u.limit = c.Args[0], c.Args[1]
	if u.sum.Type == ir.Ptr || u.limit.Op != ir.OpConst && u.Loops().Contains(u.lp, u.limit.Block) {
		return false
	}
	phi, _ := addConst(u.sum)
	if phi.Op != ir.OpPhi || phi.Block != u.head {
		return false
	}
	next := phi.Args[u.back]
	from := int64(0)
	x, step := addConst(next)
	if x != phi {
		// next = (phi + from) + step
		if x, from = addConst(x); x != phi {
			return false
		}
		step += from
	}
	if step <= 0 || step > 1<<16 {
		return false
	}
	u.phi, u.step_ = phi, step
	return true
}

// repeat makes the form of a counted loop.
func (u *unroller) repeat() bool {
	n := int64(unrollRounds)
	for n > 1 && int64(u.ops)*n > unrollOps {
		n /= 2
	}
	if n < 2 {
		return false
	}
	pre := u.preheader()
	f := u.f
	head := u.head

	top, ask := f.NewBlock(), f.NewBlock()
	top.Pos, ask.Pos = head.Pos, head.Pos
	phis := head.Phis()
	here := make([]*ir.Value, len(phis)) // in top
	for i, v := range phis {
		w := f.NewValue(ir.OpPhi, v.Type, v.Args[1-u.back])
		w.Pos = v.Pos
		here[i] = top.Append(w)
	}
	top.Preds, ask.Preds = []*ir.Block{pre}, []*ir.Block{top}
	pre.Succs[0] = top
	top.Kind, top.Succs = ir.BlockIf, []*ir.Block{ask, head}
	top.Ctrl = u.room(pre, top, here, (n-1)*u.step_)
	head.Preds[1-u.back] = top
	for i, v := range phis {
		v.Args[1-u.back] = here[i]
	}

	fast, fastEnd, afterFast := u.copies(phis, here, int(n), false)
	slow, slowEnd, afterSlow := u.copies(phis, here, 1, true)
	ask.Kind, ask.Succs, ask.Likely = ir.BlockIf, []*ir.Block{fast, slow}, 1
	ask.Ctrl = u.covered(ask, u.most*n)
	fast.Preds, slow.Preds = []*ir.Block{ask}, []*ir.Block{ask}
	for _, v := range u.fixed {
		fastEnd.Append(u.charge(v, n))
	}
	for i, w := range here {
		w.Args = append(w.Args, afterFast[i], afterSlow[i])
	}
	for _, b := range []*ir.Block{fastEnd, slowEnd} {
		b.Kind, b.Succs, b.Pos = ir.BlockJump, []*ir.Block{top}, head.Pos
		top.Preds = append(top.Preds, b)
	}
	u.changed = true
	return true
}

// preheader is the block that enters the loop and does nothing else after that.
func (u *unroller) preheader() *ir.Block {
	p := u.head.Preds[1-u.back]
	if p.Kind == ir.BlockJump {
		return p
	}
	b := u.f.NewBlock()
	b.Kind, b.Pos = ir.BlockJump, u.head.Pos
	b.Succs, b.Preds = []*ir.Block{u.head}, []*ir.Block{p}
	u.head.Preds[1-u.back] = b
	p.Succs[slices.Index(p.Succs, u.head)] = b
	return b
}

// room computes in block top whether the sum may grow by more before the last test. The limit less
// that may lie below the least number: then the answer is no.
func (u *unroller) room(pre, top *ir.Block, here []*ir.Value, more int64) *ir.Value {
	c := u.test.Ctrl
	t := u.limit.Type
	at := func(b *ir.Block, op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
		v := u.f.NewValue(op, t, args...)
		v.Pos = c.Pos
		return b.Append(v)
	}
	konst := func(b *ir.Block, c int64) *ir.Value { return b.Append(u.newConst(t, c)) }
	less, least := ir.OpLtS, minOf(t)
	if c.Op == ir.OpLtU || c.Op == ir.OpLeU {
		less, least = ir.OpLtU, 0
	}
	var bound *ir.Value
	if y := u.limit; y.Op == ir.OpConst {
		k := least
		if less == ir.OpLtS && y.Aux >= least+more {
			k = y.Aux - more
		} else if less == ir.OpLtU && unsigned(t, y.Aux) >= uint64(more) {
			k = y.Aux - more
		}
		bound = konst(top, k)
	} else {
		d := at(pre, ir.OpSub, t, y, konst(pre, more))
		bound = at(pre, ir.OpSelect, t, at(pre, less, ir.I8, d, y), d, konst(pre, least))
	}
	sum := here[slices.Index(u.head.Values, u.phi)]
	if u.sum != u.phi {
		_, k := addConst(u.sum)
		sum = at(top, ir.OpAdd, t, sum, konst(top, k))
	}
	return at(top, c.Op, ir.I8, sum, bound)
}

// covered asks in a block whether the quantum covers units of gas.
func (u *unroller) covered(b *ir.Block, units int64) *ir.Value {
	left := b.Append(u.f.NewValue(ir.OpGasLeft, ir.I64))
	left.Pos = b.Pos
	c := u.f.NewValue(ir.OpLeS, ir.I8, b.Append(u.newConst(ir.I64, units)), left)
	c.Pos = b.Pos
	return b.Append(c)
}

// charge is a late charge of n times what v charges.
func (u *unroller) charge(v *ir.Value, n int64) *ir.Value {
	g := u.f.NewValue(ir.OpGas, ir.Void)
	g.Aux, g.Aux2, g.Pos = v.Aux*n, 1, v.Pos
	return g
}

// copies makes n copies of a round, one behind the other. phis are those of the header, here their
// values where the first copy begins, and after those behind the last one. No edge leads to first,
// and last has no end. Plain copies are charged, and their checks fail, as lowered.
func (u *unroller) copies(phis, here []*ir.Value, n int, plain bool) (first, last *ir.Block, after []*ir.Value) {
	for j := range n {
		c := &copier{unroller: u, round: j, plain: plain, values: map[*ir.Value]*ir.Value{}, ends: map[*ir.Block]*ir.Block{}, starts: map[*ir.Block]*ir.Block{}}
		for i, v := range phis {
			c.values[v] = here[i]
		}
		start, end := c.copy()
		if first == nil {
			first = start
		} else {
			last.Kind, last.Succs, last.Pos = ir.BlockJump, []*ir.Block{start}, u.head.Pos
			start.Preds = []*ir.Block{last}
		}
		last = end
		here = make([]*ir.Value, len(phis))
		for i, v := range phis {
			here[i] = c.of(v.Args[u.back])
		}
	}
	return first, last, here
}

// A copier copies one round.
type copier struct {
	*unroller
	round  int
	plain  bool
	values map[*ir.Value]*ir.Value
	starts map[*ir.Block]*ir.Block // the copy of a block begins here
	ends   map[*ir.Block]*ir.Block // … and ends here
}

// of is the copy of a value.
func (c *copier) of(v *ir.Value) *ir.Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

// copy copies a round without its test. It returns the first block and the last, which has no end
// yet.
func (c *copier) copy() (start, end *ir.Block) {
	for _, b := range c.lp.Blocks {
		n := c.f.NewBlock()
		n.Pos = b.Pos
		c.starts[b] = n
	}
	for _, b := range c.lp.Blocks { // in reverse postorder
		c.block(b)
	}
	for _, b := range c.lp.Blocks {
		e := c.ends[b]
		switch {
		case b == c.latch:
			continue
		case b == c.test:
			e.Kind, e.Pos, e.Succs = ir.BlockJump, b.Pos, []*ir.Block{c.starts[b.Succs[0]]}
			continue
		}
		e.Kind, e.Pos, e.Likely, e.Ctrl = b.Kind, b.Pos, b.Likely, nil
		if b.Ctrl != nil {
			e.Ctrl = c.of(b.Ctrl)
		}
		for _, t := range b.Succs {
			e.Succs = append(e.Succs, c.starts[t])
		}
	}
	for _, b := range c.lp.Blocks {
		if b == c.head {
			continue
		}
		for _, p := range b.Preds {
			c.starts[b].Preds = append(c.starts[b].Preds, c.ends[p])
		}
	}
	return c.starts[c.head], c.ends[c.latch]
}

// block copies the operations of a block.
func (c *copier) block(b *ir.Block) {
	n := c.starts[b]
	for _, v := range b.Values {
		switch v.Op {
		case ir.OpPhi:
			if b == c.head {
				continue
			}
		case ir.OpGas, ir.OpGasLoop:
			if !c.plain && slices.Contains(c.fixed, v) {
				continue
			}
		case ir.OpKeep:
			if !c.plain {
				continue
			}
		case ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
			if !c.plain {
				n = c.check(n, b, v)
				continue
			}
		}
		w := c.f.CopyOf(v)
		for _, a := range v.Args {
			w.Args = append(w.Args, c.of(a))
		}
		c.values[v] = n.Append(w)
	}
	c.ends[b] = n
}

// check copies a check as a branch at the end of n. It returns the block that goes on.
func (c *copier) check(n, b *ir.Block, v *ir.Value) *ir.Block {
	var cond *ir.Value
	switch v.Op {
	case ir.OpNilCheck:
		nil_ := n.Append(c.newConst(ir.Ptr, 0))
		cond = c.f.NewValue(ir.OpNe, ir.I8, c.of(v.Args[0]), nil_)
	case ir.OpBounds:
		cond = c.f.NewValue(ir.OpLtU, ir.I8, c.of(v.Args[0]), c.of(v.Args[1]))
	}
	if cond == nil {
		cond = c.of(v.Args[0])
	} else {
		cond.Pos = v.Pos
		n.Append(cond)
	}
	bad, good := c.f.NewBlock(), c.f.NewBlock()
	bad.Pos, good.Pos = v.Pos, b.Pos
	n.Kind, n.Ctrl, n.Likely, n.Pos = ir.BlockIf, cond, 1, v.Pos
	n.Succs = []*ir.Block{good, bad}
	good.Preds, bad.Preds = []*ir.Block{n}, []*ir.Block{n}
	c.owe(bad, b, v)
	w := c.f.CopyOf(v)
	for _, a := range v.Args {
		w.Args = append(w.Args, c.of(a))
	}
	bad.Append(w)
	bad.Kind = ir.BlockUnreachable
	return good
}

// owe charges in a block what the copies have not charged up to v in block b.
func (c *copier) owe(to, b *ir.Block, v *ir.Value) {
	for _, g := range c.fixed {
		n := int64(c.round)
		if g.Block != b {
			if c.Dom().Dominates(g.Block, b) {
				n++
			}
		} else if slices.Index(b.Values, g) < slices.Index(b.Values, v) {
			n++
		}
		if n > 0 {
			to.Append(c.charge(g, n))
		}
	}
}
