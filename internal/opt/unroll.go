package opt

import (
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// unroll repeats the body of an innermost loop, so that several rounds make one charge. A loop that
// counts to a limit needs no test in the copies:
//
//	top:   i = phi; if i < limit - 3 goto ask, else loop
//	ask:   if the quantum covers 4 rounds goto fast, else slow (unlikely)
//	fast:  four bodies; charge 4 rounds; goto top
//	slow:  charge a round, as lowered; body; goto top
//	loop:  the loop as lowered, for the rounds that are left
//
// In other loops each copy has the test, and fast and slow replace the loop as lowered. A loop of few
// rounds, known when it is compiled, is copied whole (whole).
//
// The limit in top also is at most what checks of every round need: those of indices that grow with
// the counter, and those of values that the loop does not change. The copies do without them, and
// where one would fail, the loop as lowered comes to it (hoist).
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
	if s.Loops().Irreducible {
		return
	}
	s.splitLatches()
	loops := s.Loops()
	var list []*unroller // analysed before the graph changes
	for _, lp := range loops.List {
		if !lp.Inner || s.cfg.Tests && s.inTests(lp.Header) {
			continue
		}
		s.step(operations(lp.Blocks))
		if u := (&unroller{state: s, lp: lp}); u.analyse() {
			list = append(list, u)
		}
	}
	if len(list) == 0 {
		return
	}
	for _, u := range list {
		u.pre = s.preheader(u.head, u.holds)
	}
	found := false
	for _, u := range list {
		found = u.whole() || u.repeat() || found
	}
	s.graphChanged()
	if found {
		s.dropUnreachable() // loops that copies replace
		s.nameOutside(list)
		for _, p := range []func(*state){simplify, gvn, forwardLoads, gvn} {
			p(s)
		}
	}
}

// splitLatches ends the rounds of loops that count in the header with a jump, where they end with another
// test.
func (s *state) splitLatches() {
	split := false
	for _, lp := range s.Loops().List {
		u := &unroller{state: s, lp: lp, head: lp.Header, latches: lp.Latches}
		if !lp.Inner || s.cfg.Tests && s.inTests(lp.Header) || len(lp.Latches) == 1 && u.tests(lp.Latches[0]) && u.counts() ||
			!u.tests(lp.Header) || !u.counts() {
			continue
		}
		for _, l := range lp.Latches {
			if l.Kind == ir.BlockIf {
				s.split(lp.Header, lp.Header.PredIndex(l))
				split = true
			}
		}
	}
	if split {
		s.graphChanged()
	}
}

// inTests reports whether a loop is written in a file of tests.
func (s *state) inTests(head *ir.Block) bool {
	for _, v := range head.Values {
		if v.Op == ir.OpGasLoop {
			file, _ := s.m.Line(v.Pos)
			return strings.HasSuffix(file, "_test.go")
		}
	}
	return false
}

// Limits of copies.
const (
	unrollRounds   = 4  // copies of a round
	unrollOps      = 96 // operations in all copies together
	maxWholeRounds = 16 // of a loop that is repeated whole

	maxUnrollBlocks = 12 // in a loop
)

// An unroller repeats one loop.
type unroller struct {
	*state
	lp      *ir.Loop
	before  *ir.Dom // dominators before any loop was repeated
	head    *ir.Block
	latches []*ir.Block
	test    *ir.Block // the block that ends with the test whether there is another round: the header or the latch
	stay    int       // the successor of test in the loop
	ops     int
	fixed   []*ir.Value // charges of every round
	most    int64       // upper bound of the charges of a round
	counted bool        // count describes the test, which the copies do not need
	count   counting
	hoisted []hoisted // checks that the copies do not need
	pre     *ir.Block // enters the loop, and does nothing else after that
	left    []departure
}

// A departure is the copy of an edge that leaves the loop: its block, and the copies of values.
type departure struct {
	block  *ir.Block
	values map[*ir.Value]*ir.Value
}

// A counting describes the test of a loop that counts, "small op large". One operand is invariant. The
// other is phi + add: phi is one of the header's, and grows by step in a round.
type counting struct {
	op           ir.Op // OpLtS, OpLeS, OpLtU, OpLeU, OpNe
	small, large *ir.Value
	up           bool // small is the sum
	phi          *ir.Value
	add          int64
	step         int64     // 0: by
	by           *ir.Value // invariant; the loop has no other rounds than those in which it is positive and small
}

// analyse reports whether the loop can be repeated.
func (u *unroller) analyse() bool {
	u.head, u.latches, u.before = u.lp.Header, u.lp.Latches, u.Dom()
	if len(u.lp.Blocks) > maxUnrollBlocks || len(u.head.Preds) != len(u.latches)+1 {
		return false
	}
	u.test = u.head
	if len(u.latches) == 1 && u.latches[0].Kind == ir.BlockIf {
		u.test = u.latches[0]
	}
	for _, b := range u.latches {
		if b != u.test && b.Kind != ir.BlockJump {
			return false
		}
	}
	if !u.tests(u.test) {
		return false
	}
	polls := 0
	for _, b := range u.lp.Blocks {
		always := true
		for _, l := range u.latches {
			always = always && u.before.Dominates(b, l)
		}
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
		if b.Kind != ir.BlockJump && b.Kind != ir.BlockIf {
			return false
		}
	}
	if u.counted = u.counts(); u.counted {
		u.hoist()
	}
	return polls == 1 && u.most <= 1<<20
}

// tests reports whether a block ends with the test whether there is another round.
func (u *unroller) tests(b *ir.Block) bool {
	if b.Kind != ir.BlockIf {
		return false
	}
	u.test, u.stay = b, 0
	if !u.holds(b.Succs[0]) {
		u.stay = 1
	}
	return u.holds(b.Succs[u.stay]) && !u.holds(b.Succs[1-u.stay])
}

// holds reports whether a block is in the loop.
func (u *unroller) holds(b *ir.Block) bool { return slices.Contains(u.lp.Blocks, b) }

// repeatable reports whether a copy of v may stand in a copy of a loop.
func repeatable(v *ir.Value) bool {
	switch v.Op {
	case ir.OpLoad, ir.OpStore, ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
		return true
	}
	return v.Op.Pure()
}

// negated are comparisons that hold, with the operands exchanged, where another does not.
var negated = [ir.NumOps]ir.Op{ir.OpLtS: ir.OpLeS, ir.OpLeS: ir.OpLtS, ir.OpLtU: ir.OpLeU, ir.OpLeU: ir.OpLtU, ir.OpEq: ir.OpNe}

// counts finds what the test compares.
func (u *unroller) counts() bool {
	v := u.test.Ctrl
	c := counting{op: v.Op}
	switch v.Op {
	case ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpEq, ir.OpNe:
	default:
		return false
	}
	c.small, c.large = v.Args[0], v.Args[1]
	if c.small.Type == ir.Ptr {
		return false
	}
	if u.stay == 1 { // the loop goes on if the comparison fails
		c.small, c.large = c.large, c.small
		if c.op = negated[v.Op]; c.op == ir.OpInvalid {
			return false
		}
	} else if v.Op == ir.OpEq {
		return false
	}
	for _, c.up = range []bool{true, false} {
		sum, limit := c.small, c.large
		if !c.up {
			sum, limit = limit, sum
		}
		if limit.Op != ir.OpConst && u.holds(limit.Block) {
			continue
		}
		c.phi, c.add = addConst(sum)
		if c.phi.Op == ir.OpPhi && c.phi.Block == u.head && u.grows(&c) {
			u.count = c
			return true
		}
	}
	return false
}

// grows finds by how much the phi grows in a round, the same in all. It reports whether that leads
// to the limit.
func (u *unroller) grows(c *counting) bool {
	known := false
	for i, next := range c.phi.Args {
		if !slices.Contains(u.latches, u.head.Preds[i]) {
			continue
		}
		step, by := int64(0), (*ir.Value)(nil)
		for next != c.phi {
			if next.Op != ir.OpAdd {
				return false
			}
			x, y := next.Args[0], next.Args[1]
			switch {
			case y.Op == ir.OpConst:
				step += y.Aux
			case by == nil && !u.holds(y.Block):
				by = y
			case by == nil && !u.holds(x.Block):
				x, by = y, x
			default:
				return false
			}
			next = x
		}
		if known && (c.step != step || c.by != by) {
			return false
		}
		known, c.step, c.by = true, step, by
	}
	most := min(1<<16, maxOf(c.phi.Type)/(2*maxWholeRounds)) // so that what the sum grows by fits the type
	switch {
	case c.by != nil:
		return c.step == 0 && c.up && c.phi.Type == ir.I64 && c.op != ir.OpNe
	case c.op == ir.OpNe:
		return c.step == 1 || c.step == -1
	case c.up:
		return c.step > 0 && c.step <= most
	}
	return c.step < 0 && c.step >= -most
}

// repeat makes the copies.
func (u *unroller) repeat() bool {
	n := int64(unrollRounds)
	for n > 1 && int64(u.ops)*n > unrollOps {
		n /= 2
	}
	if n < 2 {
		return false
	}
	f, pre, head := u.f, u.pre, u.head
	place := head.PredIndex(pre)
	top := f.NewBlock()
	top.Pos, top.Preds = head.Pos, []*ir.Block{pre}
	pre.Succs[0] = top
	phis := head.Phis()
	here := make([]*ir.Value, len(phis)) // in top
	for i, v := range phis {
		w := f.NewValue(ir.OpPhi, v.Type, v.Args[place])
		w.Pos = v.Pos
		here[i] = top.Append(w)
		v.Args[place] = w
	}
	ask := top
	if u.counted {
		ask = f.NewBlock()
		ask.Pos, ask.Preds = head.Pos, []*ir.Block{top}
		top.Kind, top.Succs = ir.BlockIf, []*ir.Block{ask, head}
		top.Ctrl = u.room(pre, top, here, n-1)
		head.Preds[place] = top
	}
	fast, fastEnd, lastFast := u.copies(phis, here, int(n), false)
	slow, slowEnd, lastSlow := u.copies(phis, here, 1, true)
	ask.Kind, ask.Succs, ask.Likely = ir.BlockIf, []*ir.Block{fast, slow}, 1
	ask.Ctrl = u.covered(ask, u.most*n, ir.GasLeftRound)
	fast.Preds, slow.Preds = []*ir.Block{ask}, []*ir.Block{ask}
	for _, v := range u.fixed {
		fastEnd.Append(u.charge(v, n))
	}
	for i, w := range here {
		w.Args = append(w.Args, lastFast.after[i], lastSlow.after[i])
	}
	for _, b := range []*ir.Block{fastEnd, slowEnd} {
		b.Kind, b.Succs, b.Pos = ir.BlockJump, []*ir.Block{top}, head.Pos
		top.Preds = append(top.Preds, b)
	}
	if !u.counted {
		head.RemovePred(place) // nothing leads to the loop as lowered
	}
	return true
}

// rounds returns how many rounds a loop has whose counter begins with init, 0 if they are too many or
// unknown.
func (u *unroller) rounds(init *ir.Value) int64 {
	c := &u.count
	limit := c.large
	if !c.up {
		limit = c.small
	}
	if init.Op != ir.OpConst || limit.Op != ir.OpConst || c.by != nil {
		return 0
	}
	t := c.phi.Type
	for n := range int64(maxWholeRounds) + 1 {
		x, y := u.newConst(t, init.Aux+n*c.step+c.add), limit
		if !c.up {
			x, y = y, x
		}
		goesOn, _ := evalConst(&ir.Value{Op: c.op, Type: ir.I8, Args: []*ir.Value{x, y}})
		if goesOn == 0 && u.test == u.head {
			return n
		} else if goesOn == 0 {
			return n + 1
		}
	}
	return 0
}

// whole makes copies of all rounds of a loop that has few, before the loop:
//
//	pre:   if the hoisted checks hold goto ask, else loop
//	ask:   if the quantum covers all rounds goto fast, else loop
//	fast:  all bodies; charge all rounds; goto the exit of loop
//	loop:  the loop as lowered
func (u *unroller) whole() bool {
	if !u.counted {
		return false
	}
	pre, head := u.pre, u.head
	place := head.PredIndex(pre)
	init := u.count.phi.Args[place]
	n := u.rounds(init)
	if n == 0 || n*int64(u.ops) > unrollOps {
		return false
	}
	phis := head.Phis()
	here := make([]*ir.Value, len(phis))
	for i, v := range phis {
		here[i] = v.Args[place]
	}
	ask := u.f.NewBlock()
	ask.Pos, ask.Preds = head.Pos, []*ir.Block{pre}
	pre.Succs[0], head.Preds[place] = ask, ask
	if all := u.holdFrom(emitter{u, pre}, init.Aux, n); all != nil {
		pre.Kind, pre.Ctrl, pre.Likely, pre.Succs = ir.BlockIf, all, 1, []*ir.Block{ask, head}
		head.Preds = append(head.Preds, pre)
		for _, v := range phis {
			v.Args = append(v.Args, v.Args[place])
		}
	}
	fast, end, last := u.copies(phis, here, int(n), false)
	fast.Preds = []*ir.Block{ask}
	ask.Kind, ask.Succs, ask.Likely = ir.BlockIf, []*ir.Block{fast, head}, 1
	ask.Ctrl = u.covered(ask, u.most*(n+1), ir.GasLeftOnce)
	if u.test == u.head { // the header is passed once more
		last = u.copier(phis, last.after, int(n), false)
		last.starts[head] = end
		last.block(head)
		end = last.ends[head]
	}
	end.Kind, end.Pos = ir.BlockJump, head.Pos
	out := last.leave(end, u.test, u.test.Succs[1-u.stay])
	end.Succs = append(end.Succs, out)
	return true
}

// covered asks in a block whether the quantum covers units of gas. kind is that of ir.OpGasLeft.
func (u *unroller) covered(b *ir.Block, units, kind int64) *ir.Value {
	left := b.Append(u.f.NewValue(ir.OpGasLeft, ir.I64))
	left.Pos, left.Aux = b.Pos, kind
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

// copies makes n copies of a round, one behind the other. phis are those of the header, and here their
// values where the first copy begins. No edge leads to first, and end, where the copier last ends, has
// no end. Plain copies are charged, and their checks fail, as lowered.
func (u *unroller) copies(phis, here []*ir.Value, n int, plain bool) (first, end *ir.Block, last *copier) {
	for j := range n {
		c := u.copier(phis, here, j, plain)
		if j == 0 {
			first = u.f.NewBlock()
			first.Pos, end = u.head.Pos, first
		}
		end, last = c.copy(end), c
		for i, v := range phis {
			c.after[i] = c.next(v, end)
		}
		here = c.after
	}
	return first, end, last
}

// copier begins the copy of a round.
func (u *unroller) copier(phis, here []*ir.Value, round int, plain bool) *copier {
	c := &copier{unroller: u, round: round, plain: plain, after: make([]*ir.Value, len(phis)),
		values: map[*ir.Value]*ir.Value{}, ends: map[*ir.Block]*ir.Block{}, starts: map[*ir.Block]*ir.Block{}}
	for i, v := range phis {
		c.values[v] = here[i]
	}
	return c
}

// A copier copies one round.
type copier struct {
	*unroller
	round  int
	plain  bool
	values map[*ir.Value]*ir.Value
	starts map[*ir.Block]*ir.Block // the copy of a block begins here
	ends   map[*ir.Block]*ir.Block // … and ends here
	after  []*ir.Value             // the header's phis after the round
}

// of is the copy of a value.
func (c *copier) of(v *ir.Value) *ir.Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

// copy copies a round without its test to the end of a block, which has no end yet. It returns the
// last block, which has none either.
func (c *copier) copy(at *ir.Block) (end *ir.Block) {
	joined := map[*ir.Block]bool{}  // with the only successor
	for _, b := range c.lp.Blocks { // in reverse postorder
		switch {
		case b == c.head:
			c.starts[b] = at
		case len(b.Preds) == 1 && (b.Preds[0].Kind == ir.BlockJump || b.Preds[0] == c.test && c.counted):
			c.starts[b] = c.ends[b.Preds[0]]
			joined[b.Preds[0]] = true
		default:
			c.starts[b] = c.f.NewBlock()
			c.starts[b].Pos = b.Pos
		}
		c.block(b)
	}
	for _, b := range c.lp.Blocks {
		e := c.ends[b]
		switch {
		case joined[b]:
			continue
		case slices.Contains(c.latches, b) && (b != c.test || c.counted):
			if len(c.latches) == 1 {
				end = e
				continue
			}
			if end == nil {
				end = c.f.NewBlock()
			}
			e.Kind, e.Pos, e.Succs = ir.BlockJump, b.Pos, []*ir.Block{end}
			end.Preds = append(end.Preds, e)
			continue
		case b == c.test && c.counted:
			e.Kind, e.Pos, e.Succs = ir.BlockJump, b.Pos, []*ir.Block{c.starts[b.Succs[c.stay]]}
			continue
		}
		e.Kind, e.Pos, e.Likely, e.Ctrl = b.Kind, b.Pos, b.Likely, nil
		if b.Ctrl != nil {
			e.Ctrl = c.of(b.Ctrl)
		}
		for _, t := range b.Succs {
			if to := c.starts[t]; to != nil && t != c.head {
				e.Succs = append(e.Succs, to)
			} else if t == c.head { // from the test, which is the only latch
				end = c.f.NewBlock()
				end.Pos, end.Preds = b.Pos, []*ir.Block{e}
				e.Succs = append(e.Succs, end)
			} else {
				e.Succs = append(e.Succs, c.leave(e, b, t))
			}
		}
	}
	for _, b := range c.lp.Blocks {
		if b == c.head || len(b.Preds) == 1 && joined[b.Preds[0]] {
			continue
		}
		for _, p := range b.Preds {
			c.starts[b].Preds = append(c.starts[b].Preds, c.ends[p])
		}
	}
	return end
}

// next is the value that a phi of the header has after the copy, which ends with block end.
func (c *copier) next(phi *ir.Value, end *ir.Block) *ir.Value {
	var args []*ir.Value
	for _, l := range c.lp.Blocks {
		if slices.Contains(c.latches, l) {
			args = append(args, c.of(phi.Args[c.head.PredIndex(l)]))
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	w := c.f.NewValue(ir.OpPhi, phi.Type, args...)
	w.Pos = phi.Pos
	return end.Append(w)
}

// leave makes the copy of an edge from b to t, which lies outside of the loop.
func (c *copier) leave(from, b, t *ir.Block) *ir.Block {
	n := c.f.NewBlock()
	n.Kind, n.Pos, n.Preds, n.Succs = ir.BlockJump, b.Pos, []*ir.Block{from}, []*ir.Block{t}
	if !c.plain {
		c.owe(n, b, nil)
	}
	at := t.PredIndex(b)
	t.Preds = append(t.Preds, n)
	for _, v := range t.Phis() {
		v.Args = append(v.Args, c.of(v.Args[at]))
	}
	c.left = append(c.left, departure{n, c.values})
	return n
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
			if !c.plain && c.isHoisted(v) {
				continue
			}
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
		cond = c.f.NewValue(ir.OpNe, ir.I8, c.of(v.Args[0]), n.Append(c.newConst(ir.Ptr, 0)))
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

// owe charges in a block what the copies have not charged up to v in block b, nil: to its end.
func (c *copier) owe(to, b *ir.Block, v *ir.Value) {
	for _, g := range c.fixed {
		n := int64(c.round)
		if g.Block != b {
			if c.before.Dominates(g.Block, b) {
				n++
			}
		} else if v == nil || slices.Index(b.Values, g) < slices.Index(b.Values, v) {
			n++
		}
		if n > 0 {
			to.Append(c.charge(g, n))
		}
	}
}

// nameOutside gives the values of loops that are used outside of them new names, behind edges by which
// copies have left.
func (s *state) nameOutside(list []*unroller) {
	of := map[*ir.Block]*unroller{} // the loops that copies leave, by their blocks as lowered
	for _, u := range list {
		if len(u.left) > 0 {
			for _, b := range u.lp.Blocks {
				of[b] = u
			}
		}
	}
	d := s.Dom()
	number := map[*ir.Value]int32{}
	var types []ir.Type
	defined := map[*ir.Block][]variable{}
	outside := func(b *ir.Block, each func(v **ir.Value)) {
		usesIn(b, func(v **ir.Value) {
			if u := of[(*v).Block]; u != nil && u != of[b] {
				each(v)
			}
		})
	}
	var name func(v *ir.Value)
	name = func(v *ir.Value) {
		if _, ok := number[v]; ok {
			return
		}
		k := int32(len(types))
		number[v], types = k, append(types, v.Type)
		defined[v.Block] = append(defined[v.Block], variable{k, v})
		for _, l := range of[v.Block].left {
			if w := l.values[v]; w != nil {
				defined[l.block] = append(defined[l.block], variable{k, w})
				if of[w.Block] != nil { // invariant, and of another loop
					name(w)
				}
			}
		}
	}
	for _, b := range d.Order {
		outside(b, func(v **ir.Value) { name(*v) })
	}
	if len(types) == 0 {
		return
	}
	// elsewhere is the number of a value that block b has from a loop.
	elsewhere := func(b *ir.Block, v *ir.Value) (int32, bool) {
		k, ok := number[v]
		return k, ok && v.Block != b
	}
	sb := newSSABuilder(s, types)
	for i, b := range d.Order {
		outside(b, func(v **ir.Value) { sb.use(int32(i), number[*v]) })
		for _, x := range defined[b] {
			if k, ok := elsewhere(b, x.value); ok {
				sb.use(int32(i), k)
			}
			sb.def(int32(i), x.number)
		}
	}
	sb.placePhis()
	sb.rename(func(b *ir.Block) {
		outside(b, func(v **ir.Value) { *v = sb.get(number[*v]) })
		for _, x := range defined[b] {
			if k, ok := elsewhere(b, x.value); ok {
				x.value = sb.get(k)
			}
			sb.set(x.number, x.value)
		}
	})
}

// A variable is one of nameOutside's, with its value behind a block.
type variable struct {
	number int32
	value  *ir.Value
}

// usesIn calls each for what a block uses: operands, and those of phis on its edges to others.
func usesIn(b *ir.Block, each func(v **ir.Value)) {
	for _, v := range b.Values {
		if v.Op == ir.OpPhi {
			continue
		}
		for i := range v.Args {
			each(&v.Args[i])
		}
	}
	if b.Ctrl != nil {
		each(&b.Ctrl)
	}
	for i := range b.Rets {
		each(&b.Rets[i])
	}
	for _, t := range b.Succs {
		for _, v := range t.Phis() {
			for i, p := range t.Preds {
				if p == b {
					each(&v.Args[i])
				}
			}
		}
	}
}
