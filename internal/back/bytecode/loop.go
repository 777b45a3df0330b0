package bytecode

import "math"

// Loop branches: the Loop operations add, compare and branch at once, with the charges of both
// ways. Each of two shapes of code becomes one such operation:
//
//	a loop tested at its end:   add; compare-and-branch back
//	a loop tested at its start: add; jump back; [header] compare-and-branch
//	                       or   jump back; [header] add; compare-and-branch
//
// In the second shape a copy of the header's comparison replaces the jump. The charges of the
// header and of the block after it become one. If the sum does not fit the register, positions and
// the quantum need single steps: then a Loop operation does nothing, and execution continues with
// the jump after it, to a stub that holds the separate instructions.

// FirstLoop and LastLoop are the ends of the range of Loop operations.
const (
	FirstLoop = LoopLtS
	LastLoop  = LoopNeI
)

// A loopTest is a comparison that a Loop operation can do: dst = src + add; dst op right.
type loopTest struct {
	op       Op
	dst, src int32
	add      int64
	right    int32
	imm      int64
	hasImm   bool
}

var loopRR = map[Op][2]Op{ // with the sum on the left, on the right
	LtSBr: {LoopLtS, LoopGtS}, LeSBr: {LoopLeS, LoopGeS}, LtUBr: {LoopLtU, Invalid}, LeUBr: {Invalid, LoopGeU},
	EqBr: {LoopEq, LoopEq}, NeBr: {LoopNe, LoopNe},
}

var loopRI = map[Op]Op{LtSIBr: LoopLtSI, GeSIBr: LoopGeSI, LtUIBr: LoopLtUI, GeUIBr: LoopGeUI, EqIBr: LoopEqI,
	NeIBr: LoopNeI,
	Br:    LoopNeI, BrZ: LoopEqI}

// test finds the Loop operation for branch t on its slots, where the sum is in
// slot sum (-1: there is no sum, any operand will do).
func (c *compiler) test(t *inst, sum int32) (l loopTest, ok bool) {
	if op := loopRI[t.op]; op != Invalid {
		l = loopTest{op: op, dst: c.slotOf(t.r[0]), imm: t.imm, hasImm: true}
		l.src = l.dst
		return l, sum < 0 || sum == l.dst
	}
	ops, ok := loopRR[t.op]
	if !ok {
		return l, false
	}
	x, y := c.slotOf(t.r[0]), c.slotOf(t.r[1])
	if ops[0] != Invalid && (sum < 0 || sum == x) && x != y {
		return loopTest{op: ops[0], dst: x, src: x, right: y}, true
	}
	if ops[1] != Invalid && (sum < 0 || sum == y) && x != y {
		return loopTest{op: ops[1], dst: y, src: y, right: x}, true
	}
	return l, false
}

// lastAdd returns the AddI that is the last instruction emitted in this block.
func (c *compiler) lastAdd() (w uint64, ok bool) {
	n := len(c.code) - 1
	if n < HeaderWords || n != c.lastInst || OpOf(c.code[n]) != AddI {
		return 0, false
	}
	return c.code[n], true
}

// withTaken returns t as the branch that is taken to successor i.
func withTaken(t *inst, i int) inst {
	in := *t
	if i == 1 {
		op, swap := inverse(t.op)
		in.op = op
		if swap {
			in.r[0], in.r[1] = in.r[1], in.r[0]
		}
	}
	return in
}

// putLoop emits a Loop operation whose taken way leads to block to, and after it the jump to a
// stub.
func (c *compiler) putLoop(l *loopTest, to *blk, gt, gf int64, s stub) {
	c.line(s.branch.pos)
	cc := uint16(l.right)
	if l.hasImm {
		cc = uint16(l.imm)
	}
	c.word(word(l.op, uint16(l.dst), uint16(l.src), cc))
	off := int(to.start) - (len(c.code) + 1)
	c.word(uint64(uint16(int16(off))) | uint64(uint16(l.add))<<16 | uint64(gt)<<32 | uint64(gf)<<48)
	at := len(c.code)
	c.word(word(Jmp, 0, 0, 0))
	c.stubs = append(c.stubs, s)
	c.fixes = append(c.fixes, fixup{at: at, end: at + 1, kind: fixJump, stub: len(c.stubs)})
}

// near reports whether a Loop operation here reaches block s backwards.
func (c *compiler) near(s *blk) bool {
	return s.start != 0 && len(c.code)+2-int(s.start) < math.MaxInt16
}

// closeLoop emits the jump from b back to header s as a copy of the header's test. It reports false
// if that is impossible.
func (c *compiler) closeLoop(s, next *blk) bool {
	if c.p.Opts.NoFuse || c.far || s == next || !s.hasGas || s.start == 0 {
		return false
	}
	t := &s.insts[len(s.insts)-1]
	var add *inst
	switch {
	case len(s.insts) == 1:
	case len(s.insts) == 2 && s.insts[0].op == AddI:
		add = &s.insts[0]
	default:
		return false
	}
	if loopRI[t.op] == Invalid {
		if _, ok := loopRR[t.op]; !ok {
			return false
		}
	}
	for stay := 0; stay < 2; stay++ {
		to, out := c.succ(s, stay), c.succ(s, 1-stay)
		if !c.near(to) || to.gasLoop || len(c.moves(s, stay)) > 0 {
			continue
		}
		in := withTaken(t, stay)
		gt, gf := s.gas+to.gas, s.gas
		free := out == next && !out.gasLoop && len(c.moves(s, 1-stay)) == 0
		if free {
			gf += out.gas
		}
		if gt > math.MaxUint16 || gf > math.MaxUint16 {
			continue
		}
		st := stub{kind: stubJump, b: s, branch: inst{pos: t.pos}}
		var l loopTest
		var ok bool
		if add != nil {
			if l, ok = c.test(&in, c.slotOf(add.r[0])); !ok {
				continue
			}
			l.src, l.add = c.slotOf(add.r[1]), add.imm
		} else if w, isAdd := c.lastAdd(); isAdd {
			if l, ok = c.test(&in, int32(A(w))); ok {
				l.src, l.add = int32(B(w)), ImmC(w)
				st.first = w
				c.code = c.code[:len(c.code)-1]
			}
		}
		if !ok {
			if l, ok = c.test(&in, -1); !ok {
				continue
			}
		}
		c.putLoop(&l, to, gt, gf, st)
		if !free {
			c.edgeMoves(s, 1-stay)
			c.goTo(out, next)
		}
		return true
	}
	return false
}

// loopBack emits the branch t of b as a Loop operation if its taken way leads back and its operand
// was just increased. taken is the number of that successor.
func (c *compiler) loopBack(b *blk, t *inst, taken int, gt, gf int64) bool {
	to := c.succ(b, taken)
	if c.p.Opts.NoFuse || c.far || !c.near(to) {
		return false
	}
	w, ok := c.lastAdd()
	if !ok {
		return false
	}
	l, ok := c.test(t, int32(A(w)))
	if !ok {
		return false
	}
	l.src, l.add = int32(B(w)), ImmC(w)
	c.code = c.code[:len(c.code)-1]
	br := *t
	if to.gasLoop {
		br.op++
	}
	c.putLoop(&l, to, gt, gf, stub{kind: stubBranch, b: to, first: w, branch: br, gas: gt, other: gf,
		back: len(c.code) + 3})
	return true
}

// loopStub emits the steps of a Loop operation.
func (c *compiler) loopStub(s *stub) {
	c.line(s.branch.pos)
	if s.first != 0 {
		c.word(s.first)
	}
	if s.kind == stubJump {
		c.jump(s.b)
		return
	}
	c.fields(&s.branch)
	at := len(c.code)
	c.word(uint64(s.gas) << 32)
	c.fixes = append(c.fixes, fixup{at: at, end: at + 1, kind: fixWord, blk: s.b})
	c.word(word(Jmp, uint16(s.other), 0, 0) | uint64(uint32(int32(s.back-len(c.code)-1)))<<32)
}

// sinkAdd moves an AddI to just before the terminator if the block's branch compares its result, or
// if the start of the loop that the block ends will.
func (c *compiler) sinkAdd(b *blk) {
	last := len(b.insts) - 1
	t := &b.insts[last]
	var want [2]vreg
	switch {
	case t.op == Jmp:
		want = c.comparedNext(b)
	case loopRI[t.op] != Invalid:
		want = [2]vreg{t.r[0], none}
	default:
		if _, ok := loopRR[t.op]; !ok {
			return
		}
		want = [2]vreg{t.r[0], t.r[1]}
	}
	const look = 64
	for _, v := range want {
		if v < 0 {
			continue
		}
		for i := last - 1; i >= 0 && i > last-look; i-- {
			in := &b.insts[i]
			if in.op == AddI && in.r[0] == v {
				x := *in
				copy(b.insts[i:], b.insts[i+1:last])
				b.insts[last-1] = x
				return
			}
			used := false
			in.reads(func(r vreg) { used = used || r == v })
			in.writes(func(r vreg) { used = used || r == v })
			if used {
				break
			}
		}
	}
}

// comparedNext returns the values that b passes to phis that its successor compares.
func (c *compiler) comparedNext(b *blk) [2]vreg {
	want := [2]vreg{none, none}
	s := b.succs[0]
	if ctrl := c.blkOf[s.ID].ctrl; ctrl == nil || !ctrl.Op.IsComparison() {
		return want
	}
	for j, p := range s.Preds {
		if p != b.b {
			continue
		}
		for k, x := range s.Ctrl.Args {
			if x.Block == s && len(x.Args) == len(s.Preds) && c.isPhi(x) {
				want[k] = c.opnd(x.Args[j])
			}
		}
		break
	}
	return want
}
