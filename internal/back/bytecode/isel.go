package bytecode

import (
	"fmt"
	"math"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// A vreg is a virtual register: the number of an IR value, a temporary (numbers from Func.NumValues
// on), none, or a constant. Constants are below none and appear only where a parallel assignment
// reads them.
type vreg int32

const none vreg = -1

func (v vreg) isConst() bool { return v < none }

// An inst is an instruction over virtual registers. The operands are in r, in the order of the =
// and r characters of the form.
type inst struct {
	op   Op
	r    [5]vreg
	imm  int64
	imm2 int64
	imm3 int64
	pos  ir.Pos
	at   ir.Pos // position of its memory access; 0: at pos, like the rest of it
	run  int32  // for a Gas that makes several charges: index in compiler.runs plus 1
	late bool   // for a Gas or GasN: see ir.Value.IsLate
	call *callInst
}

// A callInst is what calls, host calls and returns have beside their operands: a parallel
// assignment of args to the slots base+2, base+3, … before, and one of those slots to res after.
type callInst struct {
	args  []vreg
	res   []vreg
	base  int32
	shape int32
	val   *ir.Value
}

// A blk is a block during compilation.
type blk struct {
	b     *ir.Block
	kind  ir.BlockKind // of b, and its control value and successors, without a decision about copies (lowered)
	ctrl  *ir.Value
	succs []*ir.Block
	phis  []*ir.Value
	insts []inst // the last one is the terminator
	late  []inst // constants for loops that this block leads to; before the terminator

	idom      *blk
	rpo       int32 // place in the reverse postorder
	loop      *blk  // header of the innermost loop around the block, nil if none
	depth     int32
	isHeader  bool
	outerLoop *blk // of a loop header: the header of the loop around it
	recover   bool

	charges []*ir.Value // at the head, part of the edges
	gas     int64       // their sum
	hasGas  bool
	gasLoop bool // one of them is a loop charge

	edges []int32 // by successor: the edge's place among the successor's predecessors

	from, to int32 // positions, see live.go
	start    int32 // word offset of the code
}

// A compiler compiles one function.
type compiler struct {
	p      *Module
	f      *ir.Func
	blocks []*blk // in the order of the code
	blkOf  []*blk // by block ID; nil if unreachable
	blkMem []blk  // by block ID
	dom    *ir.Dom

	uses     []int32 // by value ID: number of uses
	alias    []vreg  // by value ID: register that holds the value; none: not yet
	skip     []bool  // by value ID: no code of its own
	regs     int     // registers in all; the first are the values
	consts   []uint64
	constIdx map[uint64]vreg
	hoisted  map[hoistKey]vreg
	hoists   map[*blk]int

	locals     []int64
	localsSize int64
	localsReg  vreg
	localsPrev vreg
	localTable ir.LocalTabler
	rootState

	cur      *blk
	curIndex int // of the value being selected in its block
	curPos   ir.Pos

	entryCharges []*ir.Value   // made by the caller, see Header
	entryGas     int64         // their sum
	runs         [][]*ir.Value // charges that one Gas instruction makes

	meter cancel.Meter // see step

	fuseState
	liveState
	allocState
	emitState
}

type hoistKey struct {
	bits uint64
	loop *blk
}

// maxHoist bounds the constants that one loop nest keeps in slots.
const maxHoist = 64

// zeroed returns a slice of n zero elements, in the memory of s if that is large enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// maxScratch bounds the functions (in values) whose memory is kept for the next.
const maxScratch = 1 << 16

// compile compiles f. The caller has p.code.Busy.
func compile(p *Module, f *ir.Func, stop func() bool) *FuncCode {
	c := &p.scratch
	c.reset(p, f)
	c.meter.Stop = stop
	if f.Flags&ir.MakeFuncStub != 0 {
		return c.makeFuncStub()
	}
	c.order()
	c.findKeeps()
	c.countUses()
	c.fuse()
	c.selectAll()
	c.liveness()
	c.coalesce()
	c.allocate()
	fc := c.emit()
	if f.NumValues() > maxScratch {
		p.scratch = compiler{}
	}
	return fc
}

// step notes that n instructions are about to be looked at. When the compilation is
// to stop, it ends here, see compileFunc.
func (c *compiler) step(n int) {
	if c.meter.Step(n) {
		panic(cancel.ErrStopped)
	}
}

// reset begins a function and reuses the memory of the last one.
func (c *compiler) reset(p *Module, f *ir.Func) {
	n := f.NumValues()
	old := *c
	*c = compiler{
		p: p, f: f,
		blkOf:      zeroed(old.blkOf, f.NumBlocks()),
		blkMem:     zeroed(old.blkMem, f.NumBlocks()),
		blocks:     old.blocks[:0],
		uses:       zeroed(old.uses, n),
		alias:      zeroed(old.alias, n),
		skip:       zeroed(old.skip, n),
		regs:       n,
		consts:     old.consts[:0],
		constIdx:   old.constIdx,
		hoisted:    old.hoisted,
		hoists:     old.hoists,
		fuseState:  old.fuseState.again(),
		liveState:  old.liveState.again(),
		rootState:  old.rootState.again(n),
		allocState: old.allocState.again(),
		emitState:  old.emitState.again(),
	}
	if c.constIdx == nil {
		c.constIdx, c.hoisted, c.hoists = map[uint64]vreg{}, map[hoistKey]vreg{}, map[*blk]int{}
	}
	clear(c.constIdx)
	clear(c.hoisted)
	clear(c.hoists)
	for i := range c.alias {
		c.alias[i] = none
	}
}

// temp returns a fresh register that belongs to no value.
func (c *compiler) temp() vreg {
	c.regs++
	return vreg(c.regs - 1)
}

// constant returns the pseudo-register of a constant.
func (c *compiler) constant(bits uint64) vreg {
	if v, ok := c.constIdx[bits]; ok {
		return v
	}
	c.consts = append(c.consts, bits)
	v := none - vreg(len(c.consts))
	c.constIdx[bits] = v
	return v
}

func (c *compiler) constBits(v vreg) uint64 { return c.consts[none-v-1] }

// constOf returns the slot content for an OpConst.
func constOf(v *ir.Value) uint64 {
	switch v.Type {
	case ir.I8:
		return uint64(int64(int8(v.Aux)))
	case ir.I16:
		return uint64(int64(int16(v.Aux)))
	case ir.I32:
		return uint64(int64(int32(v.Aux)))
	case ir.F32, ir.Ptr:
		return uint64(uint32(v.Aux))
	}
	return uint64(v.Aux)
}

// opnd returns the register of v, which may be a constant's.
func (c *compiler) opnd(v *ir.Value) vreg {
	if r := c.alias[v.ID]; r != none {
		// A fusion may since have given r's value the register of a load.
		for r >= 0 && int(r) < len(c.alias) && c.alias[r] != none && c.alias[r] != r {
			r = c.alias[r]
		}
		c.alias[v.ID] = r
		return r
	}
	r := vreg(v.ID)
	switch v.Op {
	case ir.OpConst:
		r = c.constant(constOf(v))
	case ir.OpCopy, ir.OpSExt, ir.OpOpaque:
		r = c.opnd(v.Args[0])
	case ir.OpResult:
		if v.Aux == 0 {
			r = c.opnd(v.Args[0])
		}
	case ir.OpBitcast:
		if v.Type == ir.F64 || v.Type == v.Args[0].Type {
			r = c.opnd(v.Args[0])
		}
	}
	c.alias[v.ID] = r
	return r
}

// aliased reports whether v shares another value's register.
func (c *compiler) aliased(v *ir.Value) bool { return c.opnd(v) != vreg(v.ID) }

// reg returns a register that holds v, loading a constant if need be.
func (c *compiler) reg(v *ir.Value) vreg { return c.inReg(c.opnd(v)) }

func (c *compiler) inReg(r vreg) vreg {
	if !r.isConst() {
		return r
	}
	bits := c.constBits(r)
	if l := c.cur.loop; l != nil {
		for l.outerLoop != nil {
			l = l.outerLoop
		}
		if home := l.idom; home != nil && home.loop == nil {
			k := hoistKey{bits, l}
			if t, ok := c.hoisted[k]; ok {
				return t
			}
			if c.hoists[l] < maxHoist {
				c.hoists[l]++
				t := c.temp()
				c.hoisted[k] = t
				home.late = append(home.late, c.constInst(t, bits))
				return t
			}
		}
	}
	t := c.temp()
	c.put(c.constInst(t, bits))
	return t
}

func (c *compiler) constInst(t vreg, bits uint64) inst {
	i := inst{op: Const64, r: [5]vreg{t}, imm: int64(bits)}
	if int64(bits) == int64(int32(bits)) {
		i.op = Const
	}
	return i
}

func (c *compiler) isPhi(v *ir.Value) bool { return v.Op == ir.OpPhi }

// put appends an instruction. One without a position gets that of the operation that is being
// selected.
func (c *compiler) put(i inst) {
	if i.pos == 0 {
		i.pos = c.curPos
	}
	c.cur.insts = append(c.cur.insts, i)
}

func (c *compiler) emit3(op Op, pos ir.Pos, a, b, d vreg) {
	c.put(inst{op: op, r: [5]vreg{a, b, d}, pos: pos})
}

func (c *compiler) emitI(op Op, pos ir.Pos, a, b vreg, imm int64) {
	c.put(inst{op: op, r: [5]vreg{a, b}, imm: imm, pos: pos})
}

// countUses counts uses and marks unneeded values.
func (c *compiler) countUses() {
	var work []*ir.Value
	use := func(v *ir.Value) { c.uses[v.ID]++ }
	for _, b := range c.blocks {
		for _, v := range b.b.Values {
			if v.Op == ir.OpPhi {
				for i, a := range v.Args {
					if c.blkOf[b.b.Preds[i].ID] != nil {
						use(a)
					}
				}
			} else {
				for _, a := range v.Args {
					use(a)
				}
			}
		}
		if b.ctrl != nil {
			use(b.ctrl)
		}
		for _, r := range b.b.Rets {
			use(r)
		}
	}
	deletable := func(v *ir.Value) bool {
		return v.Type != ir.Void && (v.Op.Reads() || v.Op == ir.OpPhi || v.Op == ir.OpArg || v.Op == ir.OpClosure ||
			v.Op == ir.OpFrameID || v.Op == ir.OpGasLeft)
	}
	for _, b := range c.blocks {
		for _, v := range b.b.Values {
			if c.uses[v.ID] == 0 && deletable(v) {
				work = append(work, v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if c.skip[v.ID] {
			continue
		}
		c.skip[v.ID] = true
		for i, a := range v.Args {
			if v.Op == ir.OpPhi && c.blkOf[v.Block.Preds[i].ID] == nil {
				continue
			}
			if c.uses[a.ID]--; c.uses[a.ID] == 0 && deletable(a) {
				work = append(work, a)
			}
		}
	}
}

func (c *compiler) selectAll() {
	if len(c.f.Locals) > 0 {
		c.locals, c.localsSize = c.f.LocalOffsets()
		c.localsReg, c.localsPrev = c.temp(), c.temp()
		c.localTable = ir.NewLocalTabler(c.f, c.locals)
	}
	for _, b := range c.blocks {
		for _, v := range b.b.Values {
			if v.Op == ir.OpPhi && !c.skip[v.ID] {
				b.phis = append(b.phis, v)
			}
		}
		c.foldGas(b)
	}
	for _, b := range c.blocks {
		c.cur = b
		if len(b.insts) == 0 {
			b.insts = make([]inst, 0, len(b.b.Values)+1)
		}
		if b.b == c.f.Entry && len(c.locals) > 0 {
			c.put(inst{op: EnterLocals, r: [5]vreg{c.localsReg}, imm: c.localsSize, pos: c.f.Pos, call: &callInst{}})
			if n := c.localTable.Zeroed(); n > 0 {
				c.put(inst{op: ZeroLocals, r: [5]vreg{c.localsReg}, imm: n})
			}
		}
		for i, v := range b.b.Values {
			c.step(1)
			if !c.skip[v.ID] {
				c.curIndex, c.curPos = i, v.Pos
				c.selectValue(v)
			}
		}
		c.curPos = b.b.Pos
		c.terminator(b)
		c.sinkAdd(b)
	}
	for _, b := range c.blocks {
		if len(b.late) > 0 {
			t := b.insts[len(b.insts)-1]
			b.insts = append(append(b.insts[:len(b.insts)-1], b.late...), t)
		}
	}
}

// foldGas makes the charges at the head of a block part of the edges that lead to it. Those of a
// function with locals stay after the push of its shadow frame: passes decide which charges are at
// the head, and a shadow frame may reach the memory limit.
func (c *compiler) foldGas(b *blk) {
	for _, v := range b.b.Values {
		switch v.Op {
		case ir.OpPhi, ir.OpConst, ir.OpArg, ir.OpClosure, ir.OpKeep:
			continue
		case ir.OpGas, ir.OpGasLoop:
			if v.Aux < 0 || b.gas+v.Aux > math.MaxUint16 || len(b.charges) > 0 && c.p.Opts.NoFuse {
				return
			}
			if b.b == c.f.Entry || b.recover {
				if v.Op != ir.OpGas || len(c.locals) > 0 || len(b.b.Preds) > 0 || b.recover ||
					c.entryGas+v.Aux > math.MaxUint16 || len(c.entryCharges) > 0 && c.p.Opts.NoFuse {
					return
				}
				c.entryCharges = append(c.entryCharges, v)
				c.entryGas += v.Aux
				c.skip[v.ID] = true
				continue
			}
			b.charges = append(b.charges, v)
			b.gas += v.Aux
			b.hasGas = true
			b.gasLoop = b.gasLoop || v.Op == ir.OpGasLoop
			c.skip[v.ID] = true
			continue
		}
		return
	}
}

func (c *compiler) terminator(b *blk) {
	x := b.b
	t := inst{pos: x.Pos}
	switch b.kind {
	case ir.BlockJump:
		t.op = Jmp
	case ir.BlockIf:
		if x.Ctrl.Op == ir.OpConst {
			t.op = Br
			t.r[0] = c.reg(x.Ctrl)
		} else if c.skip[x.Ctrl.ID] {
			t = c.compare(x.Ctrl, true)
			t.pos = x.Pos
		} else {
			t.op = Br
			t.r[0] = c.reg(x.Ctrl)
		}
	case ir.BlockSwitch:
		c.switchTerm(x, &t)
	case ir.BlockReturn:
		if len(c.locals) > 0 {
			c.put(inst{op: LeaveLocals, r: [5]vreg{c.localsReg, c.localsPrev}})
		}
		t.op = Ret
		t.imm = FrameSize(c.f)
		ci := &callInst{}
		for _, r := range x.Rets {
			ci.args = append(ci.args, c.opnd(r))
		}
		t.call = ci
	case ir.BlockUnreachable:
		t.op = Unreachable
	default:
		panic(fmt.Sprintf("%s: block b%d has no terminator", c.f.Name, x.ID))
	}
	c.put(t)
}

// switchTerm chooses between a table and a binary search.
func (c *compiler) switchTerm(x *ir.Block, t *inst) {
	t.r[0] = c.reg(x.Ctrl)
	if len(x.Cases) == 0 {
		t.op = SwitchB
		return
	}
	lo, hi := x.Cases[0], x.Cases[0]
	for _, v := range x.Cases {
		lo, hi = min(lo, v), max(hi, v)
	}
	if d := uint64(hi) - uint64(lo); d < uint64(4*len(x.Cases)+8) {
		t.op, t.imm, t.imm2 = Switch, int64(d)+1, lo
		return
	}
	t.op, t.imm = SwitchB, int64(len(x.Cases))
}

// sinkable reports whether v, used once, may be computed as part of the instruction that uses it at
// the end of its block. No safepoint may lie in between if that would extend the life of a pointer.
func (c *compiler) sinkable(v *ir.Value) bool {
	b := v.Block
	ptr := false
	for _, a := range v.Args {
		ptr = ptr || a.Type == ir.Ptr
	}
	if !ptr {
		return true
	}
	for i := len(b.Values) - 1; i >= 0; i-- {
		if b.Values[i] == v {
			return true
		}
		if b.Values[i].HasEffect(ir.Safepoint) {
			return false
		}
	}
	return false
}

func fits16(x int64) bool { return x == int64(int16(x)) }

// constArg returns the constant that v is, if it is one.
func (c *compiler) constArg(v *ir.Value) (int64, bool) {
	r := c.opnd(v)
	if r.isConst() {
		return int64(c.constBits(r)), true
	}
	return 0, false
}

// compare selects a comparison: as a branch, or as a value. The caller then sets the result's
// register in r[0].
func (c *compiler) compare(v *ir.Value, branch bool) inst {
	x, y := v.Args[0], v.Args[1]
	set := func(op Op, a, b vreg) inst {
		if branch {
			return inst{op: brOf[op], r: [5]vreg{a, b}}
		}
		return inst{op: op, r: [5]vreg{none, a, b}}
	}
	seti := func(op Op, a vreg, imm int64) inst {
		if branch {
			return inst{op: brOf[op], r: [5]vreg{a}, imm: imm}
		}
		return inst{op: op, r: [5]vreg{none, a}, imm: imm}
	}
	cx, okx := c.constArg(x)
	cy, oky := c.constArg(y)
	switch v.Op {
	case ir.OpEq, ir.OpNe:
		op, opi := Eq, EqI
		if v.Op == ir.OpNe {
			op, opi = Ne, NeI
		}
		if okx && !oky {
			x, y, cy, oky = y, x, cx, true
		}
		if oky && fits16(cy) {
			return seti(opi, c.reg(x), cy)
		}
		return set(op, c.reg(x), c.reg(y))
	case ir.OpLtS:
		if oky && fits16(cy) {
			return seti(LtSI, c.reg(x), cy)
		}
		if okx && cx != math.MaxInt64 && fits16(cx+1) {
			return seti(GeSI, c.reg(y), cx+1)
		}
		return set(LtS, c.reg(x), c.reg(y))
	case ir.OpLeS:
		if oky && cy != math.MaxInt64 && fits16(cy+1) {
			return seti(LtSI, c.reg(x), cy+1)
		}
		if okx && fits16(cx) {
			return seti(GeSI, c.reg(y), cx)
		}
		return set(LeS, c.reg(x), c.reg(y))
	case ir.OpLtU:
		if oky && fits16(cy) {
			return seti(LtUI, c.reg(x), cy)
		}
		if okx && cx != -1 && fits16(cx+1) {
			return seti(GeUI, c.reg(y), cx+1)
		}
		return set(LtU, c.reg(x), c.reg(y))
	case ir.OpLeU:
		if oky && cy != -1 && fits16(cy+1) {
			return seti(LtUI, c.reg(x), cy+1)
		}
		if okx && fits16(cx) {
			return seti(GeUI, c.reg(y), cx)
		}
		return set(LeU, c.reg(x), c.reg(y))
	}
	is32 := x.Type == ir.F32
	var op Op
	switch v.Op {
	case ir.OpFEq:
		op = pick(is32, FEq32, FEq64)
	case ir.OpFNe:
		op = pick(is32, FNe32, FNe64)
	case ir.OpFLt:
		op = pick(is32, FLt32, FLt64)
	case ir.OpFLe:
		op = pick(is32, FLe32, FLe64)
	}
	return set(op, c.reg(x), c.reg(y))
}

func pick(cond bool, a, b Op) Op {
	if cond {
		return a
	}
	return b
}

// brOf maps a comparison to the branch on it.
var brOf = map[Op]Op{Eq: EqBr, Ne: NeBr, LtS: LtSBr, LeS: LeSBr, LtU: LtUBr, LeU: LeUBr,
	EqI: EqIBr, NeI: NeIBr, LtSI: LtSIBr, GeSI: GeSIBr, LtUI: LtUIBr, GeUI: GeUIBr,
	FEq64: FEq64Br, FNe64: FNe64Br, FLt64: FLt64Br, FLe64: FLe64Br,
	FEq32: FEq32Br, FNe32: FNe32Br, FLt32: FLt32Br, FLe32: FLe32Br}

// inverse returns the branch that is taken exactly when op is not, and whether its operands swap
// places.
func inverse(op Op) (inv Op, swap bool) {
	switch op {
	case Br:
		return BrZ, false
	case BrZ:
		return Br, false
	case EqBr:
		return NeBr, false
	case NeBr:
		return EqBr, false
	case LtSBr:
		return LeSBr, true
	case LeSBr:
		return LtSBr, true
	case LtUBr:
		return LeUBr, true
	case LeUBr:
		return LtUBr, true
	case EqIBr:
		return NeIBr, false
	case NeIBr:
		return EqIBr, false
	case LtSIBr:
		return GeSIBr, false
	case GeSIBr:
		return LtSIBr, false
	case LtUIBr:
		return GeUIBr, false
	case GeUIBr:
		return LtUIBr, false
	case FEq64Br:
		return FNe64Br, false
	case FNe64Br:
		return FEq64Br, false
	case FLt64Br:
		return FNlt64Br, false
	case FNlt64Br:
		return FLt64Br, false
	case FLe64Br:
		return FNle64Br, false
	case FNle64Br:
		return FLe64Br, false
	case FEq32Br:
		return FNe32Br, false
	case FNe32Br:
		return FEq32Br, false
	case FLt32Br:
		return FNlt32Br, false
	case FNlt32Br:
		return FLt32Br, false
	case FLe32Br:
		return FNle32Br, false
	case FNle32Br:
		return FLe32Br, false
	}
	panic("bytecode: no inverse of " + op.String())
}
