package bytecode

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

type emitState struct {
	code  []uint64
	out   *FuncCode
	fixes []fixup
	stubs []stub
	mapAt map[string]uint32

	lines    []byte // FuncCode.Lines so far, and where they end
	linesOff int
	linesPos ir.Pos

	lastInst int // offset of the last instruction of the current block, -1 if there is none

	// Scratch of parallel assignments, by slot.
	readers []int32
	writer  []int32
	seq     [][2]int32
	ready   []int32

	moveMem []move
	keyMem  []byte
}

// A fixup is a branch to a block whose place is not known yet.
type fixup struct {
	at   int // word
	end  int // offset that the branch counts from
	kind byte
	blk  *blk
	stub int // index+1 of a stub instead of a block
}

// Kinds of branch words.
const (
	fixJump  = 'I' // offset in the upper half of an instruction
	fixWord  = 'J' // offset in the low half of an extension word
	fixShort = 'K' // offset in the low 16 bits of an extension word
)

// A stub is code that follows the function's blocks.
type stub struct {
	kind stubKind
	b    *blk
	succ int
	at   int

	// For Loop operations, see loop.go.
	first      uint64 // instruction
	branch     inst
	gas, other int64
	back       int

	charge int         // for stubSteps: index in the table of charges
	run    []*ir.Value // for stubSteps; the way back is to b or, if that is nil, to offset back
}

type stubKind uint8

const (
	stubEdge   stubKind = iota // the moves of edge succ of b, then its target
	stubJump                   // first, then a jump to b
	stubBranch                 // first, then branch to b, else back
	stubSteps                  // the charges of run one by one, then back
)

// A move is part of a parallel assignment: slot dst = src, a slot or a constant.
type move struct {
	dst   int32
	src   int32
	bits  uint64
	konst bool
}

func (s *emitState) again() emitState {
	if s.mapAt != nil {
		clear(s.mapAt)
	}
	return emitState{code: s.code[:0], lines: s.lines[:0], fixes: s.fixes[:0], stubs: s.stubs[:0], mapAt: s.mapAt,
		readers: s.readers, writer: s.writer,
		seq: s.seq, moveMem: s.moveMem, keyMem: s.keyMem}
}

func (c *compiler) emit() *FuncCode {
	f := c.f
	size := FrameSize(f)
	c.out = &FuncCode{Fn: f, FrameSize: size}
	if c.mapAt == nil {
		c.mapAt = map[string]uint32{}
	}
	scratch := c.top
	frame := scratch + 1
	if c.far {
		frame += 2 // room for what a far return needs
	}
	c.readers = zeroed(c.readers, int(frame))
	c.writer = zeroed(c.writer, int(frame))
	c.code = append(c.code,
		uint64(c.p.entrySig(f))|uint64(c.entryGas)<<32,
		uint64(frame+16)*8|uint64(size)<<32)
	if len(c.entryCharges) > 0 {
		c.chargesAt(c.entryCharges, nil)
	}
	c.site(f.Pos, c.roots(nil), 0)
	for i, b := range c.blocks {
		var next *blk
		if i+1 < len(c.blocks) {
			next = c.blocks[i+1]
		}
		c.block(b, next)
	}
	for i := 0; i < len(c.stubs); i++ {
		s := &c.stubs[i]
		s.at = len(c.code)
		switch s.kind {
		case stubJump, stubBranch:
			c.loopStub(s)
			continue
		case stubSteps:
			c.steps(s)
			continue
		}
		c.line(s.b.b.Pos)
		c.edgeMoves(s.b, s.succ)
		c.jump(c.succ(s.b, s.succ))
	}
	for _, x := range c.fixes {
		to := 0
		if x.stub != 0 {
			to = c.stubs[x.stub-1].at
		} else {
			to = int(x.blk.start)
		}
		d := to - x.end
		switch x.kind {
		case fixJump:
			c.code[x.at] = c.code[x.at]&(1<<32-1) | uint64(uint32(int32(d)))<<32
		case fixWord:
			c.code[x.at] = c.code[x.at]&^(1<<32-1) | uint64(uint32(int32(d)))
		case fixShort:
			c.code[x.at] = c.code[x.at]&^(1<<16-1) | uint64(uint16(int16(d)))
		}
	}
	// A word after the end, so that a return address never lies outside.
	c.code = append(c.code, word(Unreachable, 0, 0, 0))
	o := c.out
	o.Code = c.code
	o.Lines = slices.Clone(c.lines)
	o.Slots = int(frame)
	if f.Recover != nil {
		if b := c.blkOf[f.Recover.ID]; b != nil {
			o.Recover = int(b.start)
		}
	}
	if len(c.locals) > 0 {
		o.LocalsSlot, o.LocalsSize = int(c.localsSlot), c.localsSize
		o.Locals = c.localTable.Table()
	}
	sort.SliceStable(o.Charges, func(i, j int) bool { return o.Charges[i].PC < o.Charges[j].PC })
	return o
}

// steps emits charges one by one, for when their sum does not fit.
func (c *compiler) steps(s *stub) {
	ch := &c.out.Charges[s.charge]
	ch.Steps, ch.Units = uint32(len(c.code)), uint32(total(s.run))
	for _, v := range s.run {
		c.line(v.Pos)
		op := Gas
		if v.Op == ir.OpGasLoop {
			op = GasL
		}
		c.word(word(op, 0, 0, 0) | uint64(v.Aux)<<32)
		c.chargeAt(v.Pos, v.IsLate())
		if op == GasL {
			c.site(v.Pos, c.roots(v), 0)
			c.liveAt(v)
		}
	}
	at := len(c.code)
	if s.b == nil {
		c.word(word(JmpBack, 0, 0, 0) | uint64(uint32(int32(s.back-at-1)))<<32)
		return
	}
	c.word(word(JmpBack, 0, 0, 0))
	c.fixes = append(c.fixes, fixup{at: at, end: at + 1, kind: fixJump, blk: s.b})
}

// makeFuncStub returns the code of a function made by reflect. It has no frame: another function
// takes its place.
func (c *compiler) makeFuncStub() *FuncCode {
	return &FuncCode{Fn: c.f, Slots: 4,
		Code: []uint64{AnySig, 20 * 8, word(MakeFunc, 0, 0, 0), word(Unreachable, 0, 0, 0)}}
}

func (c *compiler) succ(b *blk, i int) *blk { return c.blkOf[b.succs[i].ID] }

// moves returns the parallel assignment of an edge.
func (c *compiler) moves(b *blk, i int) []move {
	s := c.succ(b, i)
	if len(s.phis) == 0 {
		return nil
	}
	c.step(len(s.phis))
	var ms []move
	for _, phi := range s.phis {
		ms = c.addMove(ms, c.slotOf(vreg(phi.ID)), c.opnd(phi.Args[b.edges[i]]))
	}
	return ms
}

func (c *compiler) addMove(ms []move, dst int32, src vreg) []move {
	if src.isConst() {
		return append(ms, move{dst: dst, bits: c.constBits(src), konst: true})
	}
	if s := c.slotOf(src); s != dst {
		return append(ms, move{dst: dst, src: s})
	}
	return ms
}

func (c *compiler) edgeMoves(b *blk, i int) { c.assign(c.moves(b, i)) }

// assign emits a parallel assignment. Cycles go through the scratch slot;
// constants come last, when everything has been read.
func (c *compiler) assign(ms []move) {
	if len(ms) == 0 {
		return
	}
	seq := c.seq[:0] // dst, src in order
	pending := 0
	for i, m := range ms {
		if !m.konst {
			c.readers[m.src]++
			c.writer[m.dst] = int32(i) + 1
			pending++
		}
	}
	ready := c.ready[:0]
	for i, m := range ms {
		if !m.konst && c.readers[m.dst] == 0 {
			ready = append(ready, int32(i))
		}
	}
	scratch := c.top
	next := 0
	for pending > 0 {
		for len(ready) > 0 {
			i := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			m := ms[i]
			c.writer[m.dst] = 0
			seq = append(seq, [2]int32{m.dst, m.src})
			pending--
			if c.readers[m.src]--; c.readers[m.src] == 0 && c.writer[m.src] != 0 {
				ready = append(ready, c.writer[m.src]-1)
			}
		}
		if pending == 0 {
			break
		}
		// Only cycles are left. Each slot in them has one reader.
		for ms[next].konst || c.writer[ms[next].dst] != int32(next)+1 {
			next++
		}
		first := ms[next].dst
		seq = append(seq, [2]int32{scratch, first})
		d := first
		for {
			m := ms[c.writer[d]-1]
			c.writer[d] = 0
			c.readers[m.src]--
			pending--
			if m.src == first {
				seq = append(seq, [2]int32{d, scratch})
				break
			}
			seq = append(seq, [2]int32{d, m.src})
			d = m.src
		}
	}
	c.seq = seq
	for i := 0; i < len(seq); i++ {
		if c.far {
			c.copySlot(seq[i][0], seq[i][1])
			continue
		}
		if i+2 < len(seq) && !c.p.Opts.NoFuse {
			c.word(word(Mov3, uint16(seq[i][0]), uint16(seq[i][1]), uint16(seq[i+1][0])))
			c.word(uint64(uint16(seq[i+1][1])) | uint64(uint16(seq[i+2][0]))<<16 | uint64(uint16(seq[i+2][1]))<<32)
			i += 2
			continue
		}
		if i+1 < len(seq) && !c.p.Opts.NoFuse {
			c.word(word(Mov2, uint16(seq[i][0]), uint16(seq[i][1]), uint16(seq[i+1][0])))
			c.word(uint64(uint16(seq[i+1][1])))
			i++
			continue
		}
		c.word(word(Mov, uint16(seq[i][0]), uint16(seq[i][1]), 0))
	}
	for _, m := range ms {
		if m.konst {
			c.konst(m.dst, m.bits)
		}
	}
}

func (c *compiler) konst(dst int32, bits uint64) {
	if dst >= farStart+farScratch {
		c.konst(farMove, bits)
		c.copySlot(dst, farMove)
		return
	}
	if int64(bits) == int64(int32(bits)) {
		c.word(word(Const, uint16(dst), 0, 0) | uint64(uint32(bits))<<32)
		return
	}
	c.word(word(Const64, uint16(dst), 0, 0))
	c.word(bits)
}

// line records the position of what is emitted next, if it has one.
func (c *compiler) line(pos ir.Pos) {
	if pos == c.linesPos || pos == 0 {
		return
	}
	off := max(len(c.code), c.linesOff) // the end moves back where a Loop operation absorbs an instruction
	c.lines = binary.AppendUvarint(c.lines, uint64(off-c.linesOff))
	c.lines = binary.AppendVarint(c.lines, int64(pos-c.linesPos))
	c.linesOff, c.linesPos = off, pos
}

func (c *compiler) word(w uint64) { c.code = append(c.code, w) }

// site records the position and the stack map of the return address that is
// the current end of the code.
func (c *compiler) site(pos ir.Pos, m []uint32, shape int32) {
	s := Site{PC: uint32(len(c.code)), Pos: pos, Shape: shape}
	if len(m) > 0 {
		key := c.keyMem[:0]
		for _, x := range m {
			key = append(key, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
		}
		c.keyMem = key
		at, ok := c.mapAt[string(key)]
		if !ok {
			at = uint32(len(c.out.Maps))
			c.out.Maps = append(c.out.Maps, m...)
			c.mapAt[string(key)] = at
		}
		s.Map, s.N = at, uint32(len(m))
	}
	c.out.Sites = append(c.out.Sites, s)
	c.liveAt(nil)
}

// chargesAt records that execution continues at the current end of the code after the charges of
// run. The end is the head of block b if b is not nil.
func (c *compiler) chargesAt(run []*ir.Value, b *blk) {
	c.chargeAt(run[0].Pos, ir.AllLate(run))
	if len(run) > 1 {
		c.stubs = append(c.stubs, stub{kind: stubSteps, b: b, run: run, back: len(c.code), charge: len(c.out.Charges) - 1})
	}
}

func (c *compiler) chargeAt(pos ir.Pos, late bool) {
	ch := Charge{PC: uint32(len(c.code)), Pos: pos}
	if late {
		ch.Late = 1
	}
	c.out.Charges = append(c.out.Charges, ch)
}

func (c *compiler) block(b, next *blk) {
	if b.hasGas && b.gasLoop {
		// The head's return address must not also be that of an instruction.
		if n := len(c.out.Sites); n > 0 && c.out.Sites[n-1].PC == uint32(len(c.code)) {
			c.word(word(Unreachable, 0, 0, 0))
		}
	}
	// Nor may the head be the place where execution continues after another charge: a jump that
	// charges nothing, or something else, would be mistaken for it.
	if n := len(c.out.Charges); n > 0 && c.out.Charges[n-1].PC == uint32(len(c.code)) && len(b.b.Preds) > 0 {
		c.word(word(JmpBack, 0, 0, 0))
	}
	b.start = int32(len(c.code))
	c.lastInst = -1
	if b.hasGas {
		c.chargesAt(b.charges, b)
		if len(b.charges) == 1 && b.gasLoop {
			c.site(b.charges[0].Pos, c.roots(b.charges[0]), 0)
			c.liveAt(b.charges[0])
		}
	}
	last := len(b.insts) - 1
	for i := range b.insts[:last] {
		c.inst(b, i)
	}
	c.control(b, &b.insts[last], next)
}

// goTo continues at s from the end of the code: it falls into the next block, or jumps.
func (c *compiler) goTo(s, next *blk) {
	if s != next {
		c.jump(s)
		return
	}
	if s.hasGas {
		op := Gas
		if s.gasLoop {
			op = GasL
		}
		c.word(word(op, 0, 0, 0) | uint64(s.gas)<<32)
	}
}

func (c *compiler) jump(s *blk) {
	op := Jmp
	if s.gasLoop {
		op = JmpL
	}
	at := len(c.code)
	c.word(word(op, uint16(s.gas), 0, 0))
	c.fixes = append(c.fixes, fixup{at: at, end: at + 1, kind: fixJump, blk: s})
}

// control emits a terminator.
func (c *compiler) control(b *blk, t *inst, next *blk) {
	c.line(t.pos)
	if c.far && t.op != Ret {
		in := c.nearOperands(*t)
		t = &in
	}
	switch t.op {
	case Jmp:
		c.edgeMoves(b, 0)
		if !c.closeLoop(c.succ(b, 0), next) {
			c.goTo(c.succ(b, 0), next)
		}
	case Ret:
		args := t.call.args
		if len(args) == 1 && args[0] >= 0 && c.slotOf(args[0]) != 2 {
			s := c.nearSlot(c.slotOf(args[0]), 0)
			c.word(word(Ret1, s, 0, 0) | uint64(uint32(t.imm))<<32)
			return
		}
		var ms []move
		for i, a := range args {
			ms = c.addMove(ms, int32(2+i), a)
		}
		c.assign(ms)
		c.word(word(Ret, 0, 0, 0) | uint64(uint32(t.imm))<<32)
	case Unreachable:
		c.word(word(Unreachable, 0, 0, 0))
	case Switch, SwitchB:
		c.switchCode(b, t)
	default:
		c.branch(b, t, next)
	}
}

// branch emits a conditional branch and both of its edges.
func (c *compiler) branch(b *blk, t *inst, next *blk) {
	taken, other := 0, 1
	s0, s1 := c.succ(b, 0), c.succ(b, 1)
	invert := false
	switch {
	case s1 == next && s0 != next:
	case s0 == next && s1 != next:
		invert = true
	case s1.gasLoop && !s0.gasLoop:
		invert = true
	}
	if invert {
		taken, other = 1, 0
	}
	in := withTaken(t, taken)
	st, so := c.succ(b, taken), c.succ(b, other)
	mt := c.moves(b, taken)
	mo := c.moves(b, other)
	var gt, gf int64
	direct := len(mt) == 0
	if direct {
		gt = st.gas
	}
	if len(mo) == 0 && so == next && !so.gasLoop {
		gf = so.gas
	}
	if direct && c.loopBack(b, &in, taken, gt, gf) {
		c.endBranch(so, next, mo, gf)
		return
	}
	if direct && st.gasLoop {
		in.op = loopTwins[in.op]
	}
	c.fields(&in)
	at := len(c.code)
	c.word(uint64(gt)<<32 | uint64(gf)<<48)
	x := fixup{at: at, end: at + 1, kind: fixWord, blk: st}
	if !direct {
		c.stubs = append(c.stubs, stub{b: b, succ: taken})
		x.stub = len(c.stubs)
	}
	c.fixes = append(c.fixes, x)
	c.endBranch(so, next, mo, gf)
}

// endBranch continues at so when a branch was not taken, with the moves mo. The gas has been
// charged.
func (c *compiler) endBranch(so, next *blk, mo []move, gas int64) {
	c.assign(mo)
	if so == next && gas == so.gas && !so.gasLoop && len(mo) == 0 {
		return // fell into it, charged
	}
	c.goTo(so, next)
}

func (c *compiler) switchCode(b *blk, t *inst) {
	n := len(b.succs)
	target := func(i int) { // emits the word offset | gas of an edge
		s := c.succ(b, i)
		at := len(c.code)
		x := fixup{at: at, end: at + 1, kind: fixWord, blk: s}
		gas := s.gas
		if s.gasLoop || len(c.moves(b, i)) > 0 {
			c.stubs = append(c.stubs, stub{b: b, succ: i})
			x.stub = len(c.stubs)
			gas = 0
		}
		c.word(uint64(gas) << 32)
		c.fixes = append(c.fixes, x)
	}
	c.fields(t)
	if t.op == Switch {
		c.word(uint64(t.imm2))
		byValue := map[int64]int{}
		for i, v := range b.b.Cases {
			if _, ok := byValue[v]; !ok {
				byValue[v] = i
			}
		}
		for k := int64(0); k < t.imm; k++ {
			i, ok := byValue[t.imm2+k]
			if !ok {
				i = n - 1
			}
			target(i)
		}
		target(n - 1)
		return
	}
	idx := make([]int, len(b.b.Cases))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(x, y int) int {
		switch a, b := b.b.Cases[x], b.b.Cases[y]; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	for _, i := range idx {
		c.word(uint64(b.b.Cases[i]))
		target(i)
	}
	target(n - 1)
}

// A cursor counts the operands and immediates of an instruction that have been encoded.
type cursor struct{ r, imm int }

func (in *inst) immediate(k int) int64 { return [...]int64{in.imm, in.imm2, in.imm3}[k] }

// pack encodes the fields of one word: form character i goes to field first+i.
func (c *compiler) pack(in *inst, form string, first uint, w uint64, k *cursor) uint64 {
	for i, ch := range []byte(form) {
		sh := 16 * (first + uint(i))
		switch ch {
		case '=', 'r':
			w |= uint64(uint16(c.slotOf(in.r[k.r]))) << sh
			k.r++
		case 'i', 'u':
			w |= uint64(uint16(in.immediate(k.imm))) << sh
			k.imm++
		case 'I':
			w |= uint64(uint32(in.immediate(k.imm))) << 32
			k.imm++
		}
	}
	return w
}

// fields emits the first word of an instruction.
func (c *compiler) fields(in *inst) cursor {
	var k cursor
	form, _, _ := strings.Cut(Ops[in.op].Form, "/")
	c.word(c.pack(in, form, 1, uint64(in.op), &k))
	return k
}

// extension emits the extension word of an instruction without branches.
func (c *compiler) extension(in *inst, k cursor) {
	_, form, ok := strings.Cut(Ops[in.op].Form, "/")
	if !ok {
		return
	}
	switch form[0] {
	case 'L':
		c.word(uint64(in.immediate(k.imm)))
	case 'H':
		c.word(uint64(uint32(in.immediate(k.imm))) | uint64(uint32(in.immediate(k.imm+1)))<<32)
	default:
		c.word(c.pack(in, form, 0, 0, &k))
	}
}

// inst emits instruction number i of b.
func (c *compiler) inst(b *blk, i int) {
	c.step(1)
	in := &b.insts[i]
	info := &Ops[in.op]
	c.line(cmp.Or(in.at, in.pos))
	if ci := in.call; ci != nil {
		c.callInst(in, ci)
		return
	}
	if in.op == Mov && c.slotOf(in.r[0]) == c.slotOf(in.r[1]) {
		return
	}
	if c.far {
		orig := in
		near := c.nearOperands(*in)
		in = &near
		defer c.storeFar(orig)
	}
	c.lastInst = len(c.code)
	k := c.fields(in)
	if info.Flow&Traps != 0 {
		c.site(in.pos, nil, 0)
	}
	c.extension(in, k)
	switch {
	case in.run != 0:
		c.chargesAt(c.runs[in.run-1], nil)
	case in.op == Gas || in.op == GasN:
		c.chargeAt(in.pos, in.late)
	}
}

// callInst emits a call or another safepoint with its operands and results.
func (c *compiler) callInst(in *inst, ci *callInst) {
	m := c.roots(ci.val)
	switch in.op {
	case Call, CallC, CallX, Host:
		var ms []move
		x := *in
		base := ci.base
		for j, a := range ci.args {
			ms = c.addMove(ms, base+2+int32(j), a)
		}
		if in.op == CallC || in.op == CallX {
			// The callee's operand is read after the arguments have been moved: if an
			// argument takes its place, move it along.
			fn := c.slotOf(in.r[0])
			if fn >= base+2 && fn < base+2+int32(len(ci.args)) {
				ms = append(ms, move{dst: base + 1, src: fn})
				fn = base + 1
			}
			if base >= farStart && fn != base+1 {
				ms = append(ms, move{dst: base + 1, src: fn})
			}
			c.assign(ms)
			if base >= farStart {
				c.callFar(in, base)
			} else {
				c.word(word(in.op, uint16(base), c.nearSlot(fn, 0), 0))
				c.word(uint64(in.imm))
			}
		} else if c.assign(ms); base >= farStart {
			c.callFar(in, base)
		} else {
			c.word(word(x.op, uint16(base), 0, 0) | uint64(uint32(in.imm))<<32)
		}
		c.site(in.pos, m, ci.shape)
		c.liveAt(ci.val)
		ms = ms[:0]
		for j, r := range ci.res {
			if r >= 0 {
				if d := c.slotOf(r); d != base+2+int32(j) {
					ms = append(ms, move{dst: d, src: base + 2 + int32(j)})
				}
			}
		}
		c.assign(ms)
	case GasL:
		c.fields(in)
		c.site(in.pos, m, 0)
		c.liveAt(ci.val)
		c.chargeAt(in.pos, false)
	default:
		if c.far {
			orig := in
			near := c.nearOperands(*in)
			in = &near
			defer c.storeFar(orig)
		}
		c.extension(in, c.fields(in))
		c.site(in.pos, m, 0)
		c.liveAt(ci.val)
	}
}
