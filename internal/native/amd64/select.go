package amd64

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/regalloc"
	"github.com/gyrvm/gyr/internal/opt/facts"
)

// Env is what a function's code depends on besides the function.
type Env struct {
	Checked bool // memory may hold anything: all code is checked, not only what ir.Unsafe is set for
	Notes   bool // fill in abi.Func.Notes, for listings

	Verify bool // prove the allocation of registers

	// Stop, if not nil, is asked again and again during a compilation. When it says
	// yes, that ends soon, with cancel.ErrStopped.
	Stop func() bool

	room *room // of the last compilation, to be used again

	SigID func(*ir.Sig) uint32 // number of a signature, for checked calls
	Trap  func(ir.Trap) int32  // function that raises a trap, 0: none
	Table func(*ir.Func) []uint32
}

// Registers.
const (
	regBase = R15
	regGas  = R14

	// scratch is free in emitted sequences and during moves; no value lives in it.
	scratch = X15

	regClosure = RDX // function value of a call
	regIndex   = R11 // index of the function of an indirect call
)

// Registers of arguments and results, in order.
var (
	intArgs   = []Reg{RAX, RBX, RCX, RDI, RSI, R8, R9, R10}
	floatArgs = []Reg{X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13, X14}
)

var (
	intRegs   = setOf(RAX, RCX, RDX, RBX, RSI, RDI, R8, R9, R10, R11, R12, R13)
	floatRegs = setOf(floatArgs...)
	allRegs   = intRegs | floatRegs
)

func setOf(list ...Reg) (s regalloc.RegSet) {
	for _, r := range list {
		s = s.With(regalloc.Reg(r))
	}
	return s
}

// A place is where an argument or result is passed: a register, or a word of
// the caller's frame.
type place struct {
	reg  Reg
	word int32
}

const inMemory = NoReg

// placesOf assigns the scalars of a list. words is how many need memory.
func (m *room) placesOf(types []ir.Type) (list []place, words int32) {
	list = m.places.Make(len(types))[:0]
	ints, floats := intArgs, floatArgs
	for _, t := range types {
		switch {
		case t.IsFloat() && len(floats) > 0:
			list = append(list, place{reg: floats[0]})
			floats = floats[1:]
		case !t.IsFloat() && len(ints) > 0:
			list = append(list, place{reg: ints[0]})
			ints = ints[1:]
		default:
			list = append(list, place{reg: inMemory, word: words})
			words++
		}
	}
	return list, words
}

// An inst is what a regalloc.Inst stands for: how to write it once its operands
// have places.
type inst struct {
	kind kind
	op   Op
	size Size
	cond Cond
	neg  bool // of kMov: clear the result first; of kDiv: -1 needs care; of kShl: the sign fills
	imm  int64
	m    mem
	cmp  *comparison
	v    *ir.Value
	run  []*ir.Value // of kGas: the charges that are made together
	late bool        // of kGas: all of them
	b    *ir.Block
	pos  ir.Pos
	from source
	exit abi.Reason
	// roots are the numbers of uses that hold what lives on across a safepoint.
	roots []uint16
	nargs int // leading uses that are arguments
	float bool
}

// A mem is a memory operand before registers are known.
type mem struct {
	kind  memKind
	use   int8 // number of the first register among the uses
	scale uint8
	disp  int32
	bits  uint64 // memPool
}

type memKind uint8

const (
	memNone  memKind = iota
	memBase          // base + use + disp
	memConst         // base + disp
	memHost          // use + disp
	memHostX         // use + (use+1)*scale + disp
	memIndex         // base + use*scale + disp
	memPool          // a constant behind the code
	memFrame         // a word of the frame of this function's caller: its arguments
	memOut           // a word at the bottom of the frame
)

type kind uint8

const (
	kEntry   kind = iota // parameters arrive
	kHead                // the terminator of the block before the entry
	kRecover             // the recovery block begins
	kImm                 // def = constant
	kPool                // def = float constant
	kZero                // def = 0.0
	kMov                 // def = op use, also from memory
	kRR                  // def (place of use 0) = use 0 op use 1
	kRI                  // def (place of use 0) = use 0 op imm
	kRM                  // def (place of use 0) = use 0 op memory
	kMI                  // memory = memory op imm
	kR                   // def (place of use 0) = op use 0
	kRRI                 // def = use 0 op imm
	kRRR                 // def = use 0 op use 1, VEX
	kLea
	kTruncLea // def = low 32 bits of an address
	kLoad
	kStore
	kStoreI
	kStoreF    // canonical
	kCanonical // makes two floats canonical
	kSet       // def = comparison
	kSelect    // def (place of use 0) = use 1 if the comparison, which follows in the uses, holds
	kBranch
	kJump
	kSwitch
	kReturn
	kUnreachable
	kMul // upper half
	kDiv // quotient or remainder
	kShl // by a variable count
	kRot
	kUToF
	kFToU
	kFBits // def = bits of a float, canonical
	kFMA
	kCopysign
	kMaskF // def (place of use 0) = use 0 op constant of the pool
	kMove
	kClear
	kBulk
	kGas
	kGasN
	kNil
	kBounds
	kCheck
	kCall
	kExit
	kNew
	kNewArray
	kNewTyped
	kFrameID
	kEnterLocals
	kLocals // def = address of the shadow frame
)

// A comparison is a condition, emitted where it is used: by a branch, a select or
// on its own. Its operands are uses of that instruction.
type comparison struct {
	float bool
	size  Size
	cond  Cond // of x cond y; equality of floats needs the parity flag too
	a, b  *ir.Value
	test  bool // a != 0
	imm   int64
	isImm bool
	op    ir.Op
	use   int8 // number of the first operand in a register
	m     mem  // what is loaded, memNone if nothing is
	left  bool // it is a, not b
}

// A selector turns a function into instructions with virtual registers.
type selector struct {
	*room
	f   *ir.Func
	env *Env
	// checked: every computed address is truncated at the access, every signature of a call by value is compared.
	checked bool
	rf      *regalloc.Func
	out     *abi.Func

	loops  *ir.Loops
	order  []*ir.Block
	cold   []bool          // by block ID: see coldBlocks
	blocks []blockInfo     // by number in rf
	number []int32         // by block ID: number in rf
	uses   []int32         // by value ID
	vregs  []regalloc.VReg // by value ID, -1
	remat  []int32         // by vreg: the instruction of a value that may be computed again
	at     ir.Pos
	from   source
	cur    int32           // block in rf
	hosts  []regalloc.VReg // by value ID: register of the host address, -1
	host   []bool          // by value ID: the host address is wanted
	open   []bool          // by value ID: a sum with an index that each access computes for itself
	sload  []bool          // by value ID: a load that extends the sign
	folded []bool          // by value ID: part of its users

	keeps    []*ir.Value // by value ID, of safepoints: the keep
	keepIn   *ir.Value   // of the entry
	rest     []*ir.Value // the values behind the one that is being selected, in its block
	locals   []int64     // offsets in the shadow frame
	locSize  int64
	localsV  regalloc.VReg
	outWords int32 // at the bottom of the frame
	polls    bool  // a loop's charge ends quanta here

	products []product // of the current block
	paired   struct {  // the second of two stores, whose float is canonical in reg
		store *ir.Value
		reg   regalloc.VReg
	}
	meter cancel.Meter

	operand []bool      // by value ID: a load that is the operand of who reads it
	updates []*ir.Value // by value ID, of a store of an operation on what stands there: the operation's other operand
}

type blockInfo struct {
	b    *ir.Block // nil: in the middle of a critical edge, or the head
	from *ir.Block // of an edge
	succ int
}

type constKey struct {
	t    ir.Type
	bits int64
}

// newVReg makes a virtual register.
func (s *selector) newVReg(t ir.Type, again bool) regalloc.VReg {
	c := regalloc.Int
	if t.IsFloat() {
		c = regalloc.Float
	}
	s.rf.Class = append(s.rf.Class, c)
	s.rf.Again = append(s.rf.Again, again)
	s.remat = append(s.remat, -1)
	return regalloc.VReg(len(s.rf.Class) - 1)
}

// def returns the virtual register that v defines.
func (s *selector) def(v *ir.Value) regalloc.VReg {
	if s.vregs[v.ID] < 0 {
		s.vregs[v.ID] = s.newVReg(v.Type, false)
	}
	return s.vregs[v.ID]
}

// alias follows operations that are only names: their operand's register serves.
func alias(v *ir.Value) *ir.Value {
	for {
		switch v.Op {
		case ir.OpCopy, ir.OpTrunc, ir.OpPtrToInt:
			v = v.Args[0]
			continue
		case ir.OpFCvt:
			if v.Type == v.Args[0].Type {
				v = v.Args[0]
				continue
			}
		}
		return v
	}
}

// use returns the virtual register that holds v here; of a constant, a local copy
// that is computed before.
func (s *selector) use(v *ir.Value) regalloc.VReg {
	v = alias(v)
	switch {
	case v.Op == ir.OpConst:
		return s.constant(v.Type, v.Aux)
	case v.Op == ir.OpZExt && s.isClean(v.Args[0]):
		return s.use(v.Args[0])
	case v.Op == ir.OpSExt && s.signed(v.Args[0]):
		return s.use(v.Args[0])
	case v.Op == ir.OpIntToPtr && v.Args[0].Op == ir.OpPtrToInt:
		return s.use(v.Args[0].Args[0])
	}
	return s.def(v)
}

// constant returns a register with a constant, one a block.
func (s *selector) constant(t ir.Type, x int64) regalloc.VReg {
	if t.IsInt() {
		t = ir.I64
	}
	if t == ir.Ptr {
		t, x = ir.I64, int64(uint32(x))
	}
	k := constKey{t, x}
	if v, ok := s.consts[k]; ok {
		return v
	}
	v := s.newVReg(t, true)
	s.consts[k] = v
	switch {
	case !t.IsFloat():
		s.emit(inst{kind: kImm, imm: x}, nil, s.reg(v))
	case x == 0:
		s.emit(inst{kind: kZero, float: true}, nil, s.reg(v))
	default:
		size := S64
		if t == ir.F32 {
			size = S32
		}
		s.emit(inst{kind: kPool, size: size, imm: x, float: true}, nil, s.reg(v))
	}
	return v
}

func (s *selector) reg(v regalloc.VReg) []regalloc.Def {
	return []regalloc.Def{{V: v, Need: regalloc.Register}}
}

// tempsOf returns n temporaries for integers.
func (m *room) tempsOf(n int) []regalloc.Temp { return m.temps.Make(n) } // Int is 0

func inReg(v regalloc.VReg) regalloc.Use { return regalloc.Use{V: v, Need: regalloc.Register} }

// emit appends an instruction to the current block, with copies of its operands.
func (s *selector) emit(in inst, uses []regalloc.Use, defs []regalloc.Def) *regalloc.Inst {
	in.pos, in.from = s.at, s.from
	s.insts = append(s.insts, in)
	if len(defs) == 1 && s.rf.Again[defs[0].V] {
		s.remat[defs[0].V] = int32(len(s.insts) - 1)
	}
	s.list = append(s.list, regalloc.Inst{Uses: s.room.uses.Copy(uses), Defs: s.defs.Copy(defs), Tag: int32(len(s.insts) - 1)})
	return &s.list[len(s.list)-1]
}

func sizeOf(t ir.Type) Size {
	switch t {
	case ir.I8:
		return S8
	case ir.I16:
		return S16
	case ir.I32, ir.F32, ir.Ptr:
		return S32
	}
	return S64
}

// wide is the size of operations whose upper bits do not matter.
func wide(t ir.Type) Size {
	if t == ir.I64 || t == ir.Ptr {
		return S64
	}
	return S32
}

// isClean reports whether the register of v has zeros above v's width.
func (s *selector) isClean(v *ir.Value) bool {
	v0 := v
	v = alias(v)
	if v.Type.Bits() > v0.Type.Bits() {
		return false
	}
	switch v.Op {
	case ir.OpLoad, ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe, ir.OpMemEq:
		return !s.signed(v)
	case ir.OpZExt:
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNeg, ir.OpNot, ir.OpShl, ir.OpShrU, ir.OpPopcnt:
		return v.Type == ir.I32
	}
	return false
}

// signed reports whether a load is made sign-extending.
func (s *selector) signed(v *ir.Value) bool { return v.Op == ir.OpLoad && s.sload[v.ID] }

// countUses counts how often each value is read, and decides what is folded into
// its users.
func (s *selector) countUses() {
	f := s.f
	n := f.NumValues()
	s.uses = s.ints.Make(n)
	s.folded, s.operand = s.bools.Make(n), s.bools.Make(n)
	s.updates = s.values.Make(n)
	s.sload = s.bools.Make(n)
	s.host = s.bools.Make(n)
	s.hosts = s.room.vregs.Make(n)
	s.vregs = s.room.vregs.Make(n)
	for i := range s.vregs {
		s.vregs[i], s.hosts[i] = -1, -1
	}
	s.keeps = s.values.Make(n)
	for _, b := range s.order {
		var at *ir.Value
		for _, v := range b.Values {
			if v.Op == ir.OpKeep {
				if v.Aux == ir.KeepEntry {
					s.keepIn = v
				} else if at != nil {
					s.keeps[at.ID] = v
				}
			} else if v.HasEffect(ir.Safepoint) {
				at = v
				s.polls = s.polls || v.Op == ir.OpGasLoop
			}
			for _, a := range v.Args {
				s.uses[a.ID]++
			}
		}
		if b.Ctrl != nil {
			s.uses[b.Ctrl.ID]++
		}
		for _, r := range b.Rets {
			s.uses[r.ID]++
		}
	}
	// Sign extension of a load that nobody else reads is part of the load.
	for _, b := range s.order {
		for _, v := range b.Values {
			if v.Op == ir.OpSExt && v.Args[0].Op == ir.OpLoad && s.uses[v.Args[0].ID] == 1 && v.Args[0].Type.IsInt() {
				s.sload[v.Args[0].ID] = true
			}
		}
	}
	s.findAddresses()
	// A condition is part of the branch or the select that alone reads it, if
	// that stands in its block.
	for _, b := range s.order {
		if c := b.Ctrl; c != nil && b.Kind == ir.BlockIf && isComparison(c) && s.uses[c.ID] == 1 && c.Block == b {
			s.folded[c.ID] = true
		}
		for _, v := range b.Values {
			if v.Op == ir.OpSelect {
				if c := v.Args[0]; isComparison(c) && s.uses[c.ID] == 1 && c.Block == b && !(c.Op == ir.OpFEq || c.Op == ir.OpFNe) {
					s.folded[c.ID] = true
				}
			}
			if v.Op == ir.OpCheck {
				if c := v.Args[0]; isComparison(c) && s.uses[c.ID] == 1 && c.Block == b {
					s.folded[c.ID] = true
				}
			}
		}
	}
	s.findLoads()
	s.findAddresses()
}

func isComparison(v *ir.Value) bool { return v.Op >= ir.OpEq && v.Op <= ir.OpFLe }

// Compile compiles a function whose roots and frame are fixed.
func Compile(f *ir.Func, env *Env) (*abi.Func, error) {
	if f.Entry == nil {
		return nil, fmt.Errorf("function %s has no body", f.Name)
	}
	m := env.room
	env.room = nil // until it is in order again
	if m == nil {
		m = &room{consts: map[constKey]regalloc.VReg{}, mapAt: map[string]int32{}}
	}
	s := &selector{room: m, f: f, env: env, checked: env.Checked || f.Flags&ir.Unsafe != 0, out: &abi.Func{Fn: f, Locals: -1}, blocks: m.infos, remat: m.remat}
	s.rf = &regalloc.Func{Memory: &m.regalloc, Class: m.classes, Again: m.again, Cheap: f.Large()}
	s.rf.Regs = [regalloc.NumClasses]regalloc.RegSet{regalloc.Int: intRegs, regalloc.Float: floatRegs}
	s.meter.Stop = env.Stop
	d := ir.NewDom(f)
	s.loops = ir.NewLoops(d)
	s.order, s.cold = orderBlocks(f, s.loops)
	s.locals, s.locSize = f.LocalOffsets()
	if s.meter.Step(cancel.Every) {
		return nil, cancel.ErrStopped
	}
	s.countUses()
	if s.meter.Step(cancel.Every) {
		return nil, cancel.ErrStopped
	}
	s.makeBlocks()
	s.makeRoom()
	for i := range s.blocks {
		if s.block(int32(i)); s.meter.Step(1) {
			return nil, cancel.ErrStopped
		}
	}
	s.rf.Stop = env.Stop
	if !regalloc.Allocate(s.rf) {
		return nil, cancel.ErrStopped
	}
	if env.Verify {
		if err := regalloc.Check(s.rf); err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	e := &emitter{selector: s}
	if !e.run() {
		return nil, cancel.ErrStopped
	}
	m.infos, m.classes, m.again, m.remat = s.blocks, s.rf.Class, s.rf.Again, s.remat
	m.reset()
	env.room = m
	return s.out, nil
}

// makeBlocks numbers the blocks: the head, which leads to the entry and to the
// recovery block, and one in the middle of each critical edge.
func (s *selector) makeBlocks() {
	s.number = s.ints.Make(s.f.NumBlocks())
	s.localsV = -1
	s.blocks = append(s.blocks, blockInfo{})
	for _, b := range s.order {
		s.number[b.ID] = int32(len(s.blocks))
		s.blocks = append(s.blocks, blockInfo{b: b})
		if len(b.Succs) < 2 {
			continue
		}
		for i, t := range b.Succs {
			if len(t.Preds) > 1 || t == s.f.Entry || t == s.f.Recover {
				s.blocks = append(s.blocks, blockInfo{from: b, succ: i})
			}
		}
	}
	s.rf.Blocks = s.room.blocks.Make(len(s.blocks))
	link := func(from, to int32) {
		f, t := &s.rf.Blocks[from], &s.rf.Blocks[to]
		f.Succs, t.Preds = s.ints.Append(f.Succs, to), s.ints.Append(t.Preds, from)
	}
	link(0, s.number[s.f.Entry.ID])
	if r := s.f.Recover; r != nil {
		link(0, s.number[r.ID])
	}
	for _, b := range s.order {
		n := s.number[b.ID]
		rb := &s.rf.Blocks[n]
		rb.Depth = int32(s.loops.Depth(b))
		rb.Cold = s.cold[b.ID]
		if lp := s.loops.Of(b); lp != nil {
			rb.Header = lp.Header == b
		}
		m := n + 1 // where the edges of b stand that have a block
		for i, t := range b.Succs {
			to := s.number[t.ID]
			if int(m) < len(s.blocks) && s.blocks[m].from == b && s.blocks[m].succ == i {
				link(n, m)
				link(m, to)
				s.rf.Blocks[m].Depth = min(rb.Depth, int32(s.loops.Depth(t)))
				s.rf.Blocks[m].Cold = rb.Cold || s.cold[t.ID] || isUnlikely(s.loops, b, i)
				m++
			} else {
				link(n, to)
			}
		}
		for _, v := range b.Values {
			if v.Op != ir.OpPhi {
				break
			}
			rb.Params = s.room.vregs.Append(rb.Params, s.def(v))
		}
	}
	// The entry or the recovery block may be the target of jumps: then the edge
	// from the head would be critical. Lowering makes no such functions, images may.
	for _, t := range []*ir.Block{s.f.Entry, s.f.Recover} {
		if t != nil && len(t.Preds) > 0 {
			panic("amd64: a jump to an entry")
		}
	}
}

const manyInsts = 1 << 12

// makeRoom takes memory for as many instructions as a large function may need: lists
// that grow by and by copy them again and again.
func (s *selector) makeRoom() {
	n := 2 * len(s.blocks)
	for _, b := range s.order {
		n += len(b.Values) + len(b.Values)/4
	}
	if n > manyInsts {
		s.insts, s.list = slices.Grow(s.insts, n), slices.Grow(s.list, n)
	}
}

// block selects the code of block number i. It returns early when the compilation is to
// stop.
func (s *selector) block(i int32) {
	s.cur = i
	clear(s.consts)
	s.products = s.products[:0]
	rb := &s.rf.Blocks[i]
	rb.Args = s.vregLists.Make(len(rb.Succs))
	start := len(s.list)
	defer func() { rb.Insts = s.list[start:len(s.list):len(s.list)] }()
	b := s.blocks[i].b
	if b == nil {
		if i == 0 {
			s.entry()
			return
		}
		s.edgeArgs(s.blocks[i].from, s.blocks[i].succ, 0)
		s.emit(inst{kind: kJump}, nil, nil)
		return
	}
	if b == s.f.Recover {
		s.emit(inst{kind: kRecover}, nil, nil).Clobber = allRegs
	}
	values := b.Values
	for len(values) > 0 && values[0].Op == ir.OpPhi {
		s.hostAfter(values[0])
		values = values[1:]
	}
	for i := 0; i < len(values); i++ {
		if s.meter.Step(1) {
			return
		}
		if run, n := gasRun(values[i:]); len(run) > 1 {
			s.gasTogether(run)
			i += n - 1
			continue
		}
		s.rest = values[i+1:]
		s.value(values[i])
	}
	s.terminator(b)
}

// edgeArgs gives the arguments of edge number succ of block from, which is edge
// number k of the current block.
func (s *selector) edgeArgs(from *ir.Block, succ, k int) {
	rb := &s.rf.Blocks[s.cur]
	t := from.Succs[succ]
	n := len(s.rf.Blocks[rb.Succs[k]].Params)
	if n == 0 {
		return
	}
	nth := 0 // of several edges between the two blocks
	for _, x := range from.Succs[:succ] {
		if x == t {
			nth++
		}
	}
	at := -1
	for j, p := range t.Preds {
		if p == from {
			if nth--; nth < 0 {
				at = j
				break
			}
		}
	}
	args := s.room.vregs.Make(n)
	for i, v := range t.Values[:n] {
		args[i] = s.use(v.Args[at])
	}
	s.rf.Blocks[s.cur].Args[k] = args
}

func (s *selector) terminator(b *ir.Block) {
	s.at, s.from = b.Pos, source{b: b}
	for k, to := range s.rf.Blocks[s.cur].Succs {
		if s.blocks[to].b != nil {
			s.edgeArgs(b, k, k)
		}
	}
	switch b.Kind {
	case ir.BlockJump:
		s.emit(inst{kind: kJump, b: b}, nil, nil)
	case ir.BlockIf:
		c := s.comparison(b.Ctrl)
		uses := s.compareUses(c, nil)
		s.emit(inst{kind: kBranch, cmp: c, b: b}, uses, nil)
	case ir.BlockSwitch:
		s.switchOn(b)
	case ir.BlockReturn:
		s.ret(b)
	default:
		s.emit(inst{kind: kUnreachable, b: b}, nil, nil)
	}
}

func (m *room) newComparison(c comparison) *comparison {
	p := &m.compares.Make(1)[0]
	*p = c
	return p
}

// comparison describes a condition.
func (s *selector) comparison(c *ir.Value) *comparison {
	switch {
	case s.operand[c.ID]:
		return s.newComparison(comparison{a: c, size: S8, cond: NE, isImm: true})
	case !s.folded[c.ID]:
		return s.newComparison(comparison{test: true, a: c, size: S8, cond: NE})
	}
	return s.describe(c)
}

var intConds = map[ir.Op]Cond{ir.OpEq: E, ir.OpNe: NE, ir.OpLtS: L, ir.OpLeS: LE, ir.OpLtU: B, ir.OpLeU: BE}

// swapped is the condition with operands exchanged.
func swapped(c Cond) Cond {
	switch c {
	case L:
		return G
	case LE:
		return GE
	case B:
		return A
	case BE:
		return AE
	}
	return c
}

func (s *selector) describe(v *ir.Value) *comparison {
	x, y := v.Args[0], v.Args[1]
	c := s.newComparison(comparison{op: v.Op, a: x, b: y, size: sizeOf(x.Type)})
	switch v.Op {
	case ir.OpFEq, ir.OpFNe:
		c.float = true
		c.cond = E
		if v.Op == ir.OpFNe {
			c.cond = NE
		}
		return c
	case ir.OpFLt, ir.OpFLe:
		// y > x is false with a NaN; x < y in flags would not be.
		c.float = true
		c.a, c.b = y, x
		c.cond = A
		if v.Op == ir.OpFLe {
			c.cond = AE
		}
		return c
	}
	c.cond = intConds[v.Op]
	if alias(x).Op == ir.OpConst && alias(y).Op != ir.OpConst {
		c.a, c.b, c.cond = y, x, swapped(c.cond)
	}
	if k := alias(c.b); k.Op == ir.OpConst {
		imm := ir.TruncConst(c.b.Type, k.Aux)
		if c.b.Type == ir.Ptr {
			imm = int64(int32(k.Aux))
		}
		if imm == int64(int32(imm)) {
			c.isImm, c.imm = true, imm
		}
	}
	return c
}

// compareUses appends the operands of a comparison.
func (s *selector) compareUses(c *comparison, uses []regalloc.Use) []regalloc.Use {
	c.use = int8(len(uses))
	switch {
	case s.operand[c.a.ID]:
		c.left = true
		if !c.isImm {
			uses = append(uses, inReg(s.use(c.b)))
		}
		c.m, uses = s.loaded(c.a, uses)
	case c.test || c.isImm:
		uses = append(uses, inReg(s.use(c.a)))
	case c.float && alias(c.b).Op == ir.OpConst && alias(c.b).Aux != 0:
		uses = append(uses, inReg(s.use(c.a)))
		c.m = mem{kind: memPool, bits: uint64(alias(c.b).Aux)}
	case s.operand[c.b.ID]:
		uses = append(uses, inReg(s.use(c.a)))
		c.m, uses = s.loaded(c.b, uses)
	default:
		uses = append(uses, inReg(s.use(c.a)), inReg(s.use(c.b)))
	}
	return uses
}

func (s *selector) switchOn(b *ir.Block) {
	x := s.use(b.Ctrl)
	u := []regalloc.Use{inReg(x)}
	if t := b.Ctrl.Type; t == ir.I8 || t == ir.I16 {
		v := s.newVReg(ir.I64, false)
		op := MOVSX8
		if t == ir.I16 {
			op = MOVSX16
		}
		s.emit(inst{kind: kMov, op: op, size: S64}, u, s.reg(v))
		u = []regalloc.Use{inReg(v)}
	}
	in := s.emit(inst{kind: kSwitch, b: b, size: wide(b.Ctrl.Type)}, u, nil)
	in.Temps = s.tempsOf(2)
}

func (s *selector) ret(b *ir.Block) {
	list, _ := s.placesOf(s.f.Sig.Results)
	uses := s.useBuf[:0]
	for i, r := range b.Rets {
		if list[i].reg == inMemory {
			s.emit(inst{kind: kStore, op: MOV, size: S64, float: r.Type.IsFloat(), m: mem{kind: memFrame, disp: list[i].word}}, []regalloc.Use{inReg(s.use(r))}, nil)
		}
	}
	for i, r := range b.Rets {
		if list[i].reg != inMemory {
			uses = append(uses, regalloc.Use{V: s.use(r), Need: regalloc.Fixed, Reg: regalloc.Reg(list[i].reg)})
		}
	}
	s.useBuf = uses
	in := s.emit(inst{kind: kReturn, b: b}, uses, nil)
	if s.locSize > 0 {
		in.Clobber = setOf(R11)
	}
}

// entry selects the head: parameters arrive, locals get their memory.
func (s *selector) entry() {
	f := s.f
	list, _ := s.placesOf(f.Sig.Params)
	var defs []regalloc.Def
	var params []*ir.Value
	for _, v := range f.Entry.Values {
		switch v.Op {
		case ir.OpArg:
			if p := list[v.Aux]; p.reg != inMemory {
				defs = append(defs, regalloc.Def{V: s.def(v), Need: regalloc.Fixed, Reg: regalloc.Reg(p.reg)})
			}
			params = append(params, v)
		case ir.OpClosure:
			defs = append(defs, regalloc.Def{V: s.def(v), Need: regalloc.Fixed, Reg: regalloc.Reg(regClosure)})
			params = append(params, v)
		}
	}
	// Several names of one parameter cannot all be defined by one register: the others are copies.
	seen := map[regalloc.Reg]regalloc.VReg{}
	var copies [][2]regalloc.VReg
	kept := defs[:0:0]
	for _, d := range defs {
		if first, ok := seen[d.Reg]; ok {
			copies = append(copies, [2]regalloc.VReg{first, d.V})
			continue
		}
		seen[d.Reg] = d.V
		kept = append(kept, d)
	}
	s.emit(inst{kind: kEntry}, nil, kept)
	for _, c := range copies {
		float := s.rf.Class[c[0]] == regalloc.Float
		s.emit(inst{kind: kMov, op: MOV, size: S64, float: float}, []regalloc.Use{inReg(c[0])}, s.reg(c[1]))
	}
	for _, v := range params {
		if v.Op == ir.OpArg && list[v.Aux].reg == inMemory {
			s.emit(inst{kind: kLoad, op: MOV, size: S64, float: v.Type.IsFloat(), m: mem{kind: memFrame, disp: list[v.Aux].word}}, nil, s.reg(s.def(v)))
		}
	}
	if s.locSize > 0 {
		var uses []regalloc.Use
		roots := s.rootUses(s.keepIn, &uses)
		in := s.emit(inst{kind: kEnterLocals, exit: abi.LocalsExit, roots: roots}, uses, nil)
		in.Temps = s.tempsOf(3)
		in.WantLive = true
		s.localsV = s.newVReg(ir.Ptr, true)
		s.emit(inst{kind: kLocals}, nil, s.reg(s.localsV))
	}
	for _, v := range params {
		s.hostAfter(v)
	}
	s.emit(inst{kind: kHead}, nil, nil)
}

// rootUses appends what a keep holds, wherever it is, and returns the numbers of
// those uses.
func (s *selector) rootUses(keep *ir.Value, uses *[]regalloc.Use) []uint16 {
	if keep == nil {
		return nil
	}
	bases, _ := keep.Kept()
	roots := s.room.roots.Make(len(bases))[:0]
	for _, b := range bases {
		v := s.use(b)
		if s.rf.Again[v] {
			continue
		}
		if len(*uses) > 60000 {
			panic("amd64: too many roots")
		}
		roots = append(roots, uint16(len(*uses)))
		*uses = append(*uses, regalloc.Use{V: v, Need: regalloc.Anything})
	}
	return roots
}

// imm32 reports whether v is a constant that fits an immediate.
func imm32(v *ir.Value) (int64, bool) {
	k := alias(v)
	if k.Op != ir.OpConst || k.Type.IsFloat() {
		return 0, false
	}
	x := ir.TruncConst(v.Type, k.Aux)
	return x, x == int64(int32(x))
}

var aluOps = map[ir.Op]Op{ir.OpAdd: ADD, ir.OpSub: SUB, ir.OpAnd: AND, ir.OpOr: OR, ir.OpXor: XOR}

var floatOps = map[ir.Op][2]Op{
	ir.OpFAdd: {ADDSS, ADDSD}, ir.OpFSub: {SUBSS, SUBSD}, ir.OpFMul: {MULSS, MULSD}, ir.OpFDiv: {DIVSS, DIVSD},
}

func pick(t ir.Type, ops [2]Op) Op {
	if t == ir.F64 {
		return ops[1]
	}
	return ops[0]
}

// same is a result in the place of the first operand.
func (s *selector) same(v *ir.Value) []regalloc.Def {
	return []regalloc.Def{{V: s.def(v), Need: regalloc.Same}}
}

// value selects one operation.
func (s *selector) value(v *ir.Value) {
	if s.folded[v.ID] {
		return
	}
	s.at, s.from = v.Pos, source{v: v, b: v.Block}
	s.operation(v)
	s.hostAfter(v)
}

func (s *selector) operation(v *ir.Value) {
	if v.Op.Effects() == ir.Pure || v.Op.Effects() == ir.Commutes {
		if s.uses[v.ID] == 0 {
			return
		}
	}
	switch v.Op {
	case ir.OpConst, ir.OpPhi, ir.OpArg, ir.OpClosure, ir.OpCopy, ir.OpTrunc, ir.OpPtrToInt, ir.OpKeep:
	case ir.OpResult:
	case ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpOr, ir.OpXor:
		s.alu(v)
	case ir.OpMul:
		if x, ok := imm32(v.Args[1]); ok {
			s.emit(inst{kind: kRRI, op: IMUL, size: wide(v.Type), imm: x}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.reg(s.def(v)))
			return
		}
		if s.withLoad(v, IMUL, wide(v.Type)) {
			return
		}
		s.emit(inst{kind: kRR, op: IMUL, size: wide(v.Type)}, []regalloc.Use{inReg(s.use(v.Args[0])), inReg(s.use(v.Args[1]))}, s.same(v))
	case ir.OpAndNot: // ANDN computes ^first & second
		if x, ok := imm32(v.Args[1]); ok {
			s.emit(inst{kind: kRI, op: AND, size: wide(v.Type), imm: ^x}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.same(v))
			return
		}
		s.emit(inst{kind: kRRR, op: ANDN, size: wide(v.Type)}, []regalloc.Use{inReg(s.use(v.Args[1])), inReg(s.use(v.Args[0]))}, s.reg(s.def(v)))
	case ir.OpNeg:
		s.emit(inst{kind: kR, op: NEG, size: wide(v.Type)}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.same(v))
	case ir.OpNot:
		s.emit(inst{kind: kR, op: NOT, size: wide(v.Type)}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.same(v))
	case ir.OpMulHiU:
		s.mulHiTo(MUL1, s.use(v.Args[0]), s.use(v.Args[1]), s.def(v))
	case ir.OpMulHiS:
		s.mulHiTo(IMUL1, s.use(v.Args[0]), s.use(v.Args[1]), s.def(v))
	case ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU:
		s.divide(v)
	case ir.OpShl, ir.OpShrS, ir.OpShrU:
		s.shift(v)
	case ir.OpRotl:
		s.rotate(v)
	case ir.OpClz, ir.OpCtz, ir.OpPopcnt, ir.OpBswap:
		s.bitCount(v)
	case ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe:
		c := s.describe(v)
		in := s.emit(inst{kind: kSet, cmp: c}, s.compareUses(c, nil), s.reg(s.def(v)))
		if c.float && (c.cond == E || c.cond == NE) {
			in.Temps = s.tempsOf(1)
		}
	case ir.OpSelect:
		s.selectOp(v)
	case ir.OpSExt:
		s.signExtend(v)
	case ir.OpZExt:
		if s.isClean(v.Args[0]) {
			return
		}
		s.zeroExtend(s.use(v.Args[0]), v.Args[0].Type, s.def(v))
	case ir.OpIntToPtr:
		if v.Args[0].Op != ir.OpPtrToInt {
			s.zeroExtend(s.use(v.Args[0]), ir.I32, s.def(v))
		}
	case ir.OpPtrAdd, ir.OpPtrIdx:
		s.address(v)
	case ir.OpLocalAddr:
		s.emit(inst{kind: kTruncLea, m: mem{kind: memHost, disp: int32(s.locals[v.Aux])}}, []regalloc.Use{inReg(s.localsV)}, s.reg(s.def(v)))
	case ir.OpLoad, ir.OpStore, ir.OpMove, ir.OpClear:
		s.memory(v)
	case ir.OpNilCheck, ir.OpBounds, ir.OpCheck:
		s.check(v)
	case ir.OpGas, ir.OpGasLoop, ir.OpGasN:
		s.gas(v)
	case ir.OpCount, ir.OpCountIf:
		s.count(v)
	case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex:
		s.call(v)
	case ir.OpFrameID:
		s.emit(inst{kind: kFrameID}, nil, s.reg(s.def(v)))
	default:
		if v.Op >= ir.OpIToF && v.Op <= ir.OpBitcast || v.Op >= ir.OpFAdd && v.Op <= ir.OpFCopysign {
			s.float(v)
			return
		}
		if bulkNumber(v.Op) >= 0 {
			var args []regalloc.VReg
			for _, a := range v.Args {
				args = append(args, s.use(a))
			}
			s.bulk(v, args)
			return
		}
		if x, ok := exits[v.Op]; ok {
			s.exit(v, x)
			return
		}
		panic("amd64: no code for " + v.Op.String())
	}
}

func (s *selector) alu(v *ir.Value) {
	x, y := v.Args[0], v.Args[1]
	size := wide(v.Type)
	if _, ok := imm32(x); ok && v.HasEffect(ir.Commutes) {
		x, y = y, x
	}
	if k, ok := imm32(y); ok {
		switch {
		case v.Op == ir.OpAdd && size == S64, v.Op == ir.OpSub && size == S64 && k != math.MinInt32:
			if v.Op == ir.OpSub {
				k = -k
			}
			// LEA if the operand lives on; the allocator knows, the emitter chooses.
			s.emit(inst{kind: kLea, size: size, m: mem{kind: memHost, disp: int32(k)}}, []regalloc.Use{inReg(s.use(x))}, s.reg(s.def(v)))
			return
		}
		s.emit(inst{kind: kRI, op: aluOps[v.Op], size: size, imm: k}, []regalloc.Use{inReg(s.use(x))}, s.same(v))
		return
	}
	if s.withLoad(v, aluOps[v.Op], size) {
		return
	}
	if v.Op == ir.OpAdd {
		s.emit(inst{kind: kLea, size: size, m: mem{kind: memHostX, scale: 1}}, []regalloc.Use{inReg(s.use(x)), inReg(s.use(y))}, s.reg(s.def(v)))
		return
	}
	s.emit(inst{kind: kRR, op: aluOps[v.Op], size: size}, []regalloc.Use{inReg(s.use(x)), inReg(s.use(y))}, s.same(v))
}

func (s *selector) zeroExtend(from regalloc.VReg, t ir.Type, to regalloc.VReg) {
	op, size := MOV, S32
	switch t {
	case ir.I8:
		op = MOVZX8
	case ir.I16:
		op = MOVZX16
	}
	s.emit(inst{kind: kMov, op: op, size: size}, []regalloc.Use{inReg(from)}, s.reg(to))
}

func (s *selector) signExtend(v *ir.Value) {
	x := v.Args[0]
	if s.signed(x) {
		return
	}
	s.signExtendTo(s.use(x), x.Type, s.def(v))
}

func (s *selector) signExtendTo(from regalloc.VReg, t ir.Type, to regalloc.VReg) {
	op, size := MOVSX32, S64
	switch t {
	case ir.I8:
		op = MOVSX8
	case ir.I16:
		op = MOVSX16
	}
	s.emit(inst{kind: kMov, op: op, size: size}, []regalloc.Use{inReg(from)}, s.reg(to))
}

// extended returns a register with v extended to 32 bits at least.
func (s *selector) extended(v *ir.Value, signed bool) regalloc.VReg {
	x := s.use(v)
	if v.Type != ir.I8 && v.Type != ir.I16 {
		return x
	}
	y := s.newVReg(ir.I64, false)
	if signed {
		s.signExtendTo(x, v.Type, y)
	} else {
		s.zeroExtend(x, v.Type, y)
	}
	return y
}

func (s *selector) divide(v *ir.Value) {
	if s.divideByConst(v) {
		return
	}
	signed := v.Op == ir.OpDivS || v.Op == ir.OpRemS
	rem := v.Op == ir.OpRemS || v.Op == ir.OpRemU
	x := s.extended(v.Args[0], signed)
	y := s.extended(v.Args[1], signed)
	op := DIV
	if signed {
		op = IDIV
	}
	in := inst{kind: kDiv, op: op, size: wide(v.Type), v: v}
	// MinInt / -1 traps in the processor.
	k, isConst := imm32(v.Args[1])
	in.neg = signed && (v.Type == ir.I64 || v.Type == ir.I32) && !(isConst && k != -1)
	res, other := RAX, RDX
	if rem {
		res, other = RDX, RAX
	}
	r := s.emit(in, []regalloc.Use{{V: x, Need: regalloc.Fixed, Reg: regalloc.Reg(RAX)}, inReg(y)},
		[]regalloc.Def{{V: s.def(v), Need: regalloc.Fixed, Reg: regalloc.Reg(res)}})
	r.Clobber = setOf(other)
	r.Reserve = setOf(RDX)
}

func (s *selector) shift(v *ir.Value) {
	t := v.Type
	width := int64(t.Bits())
	size := wide(t)
	imm := map[ir.Op]Op{ir.OpShl: SHL, ir.OpShrS: SAR, ir.OpShrU: SHR}[v.Op]
	x := v.Args[0]
	src := s.use(x)
	switch v.Op {
	case ir.OpShrS:
		src = s.extended(x, true)
	case ir.OpShrU:
		src = s.extended(x, false)
	}
	n := alias(v.Args[1])
	if n.Op == ir.OpConst {
		k := n.Aux
		if uint64(k) >= uint64(width) {
			if v.Op != ir.OpShrS {
				s.emit(inst{kind: kImm}, nil, s.reg(s.def(v)))
				return
			}
			k = int64(size.bits()) - 1
		}
		s.emit(inst{kind: kRI, op: imm, size: size, imm: k}, []regalloc.Use{inReg(src)}, s.same(v))
		return
	}
	op := map[ir.Op]Op{ir.OpShl: SHLX, ir.OpShrS: SARX, ir.OpShrU: SHRX}[v.Op]
	uses := []regalloc.Use{inReg(src), inReg(s.use(n))}
	if facts.Of(n).UHi < uint64(size.bits()) { // the processor looks at no more bits of the count
		s.emit(inst{kind: kRRR, op: op, size: size}, uses, s.reg(s.def(v)))
		return
	}
	in := s.emit(inst{kind: kShl, op: op, size: size, neg: v.Op == ir.OpShrS}, uses, s.reg(s.def(v)))
	in.Temps = s.tempsOf(1)
}

func (z Size) bits() int { return 8 << z }

func (s *selector) rotate(v *ir.Value) {
	x := s.use(v.Args[0])
	size := sizeOf(v.Type)
	if n := alias(v.Args[1]); n.Op == ir.OpConst {
		s.emit(inst{kind: kRI, op: ROL, size: size, imm: n.Aux & int64(size.bits()-1)}, []regalloc.Use{inReg(x)}, s.same(v))
		return
	}
	s.emit(inst{kind: kRot, op: ROL, size: size}, []regalloc.Use{inReg(x), {V: s.use(v.Args[1]), Need: regalloc.Fixed, Reg: regalloc.Reg(RCX)}}, s.same(v))
}

func (s *selector) bitCount(v *ir.Value) {
	t := v.Type
	size := wide(t)
	switch v.Op {
	case ir.OpPopcnt:
		s.emit(inst{kind: kMov, op: POPCNT, size: size}, []regalloc.Use{inReg(s.extended(v.Args[0], false))}, s.reg(s.def(v)))
	case ir.OpBswap:
		switch t {
		case ir.I64, ir.I32:
			s.emit(inst{kind: kR, op: BSWAP, size: size}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.same(v))
		case ir.I16:
			s.emit(inst{kind: kRI, op: ROL, size: S16, imm: 8}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.same(v))
		default:
			s.emit(inst{kind: kMov, op: MOV, size: S64}, []regalloc.Use{inReg(s.use(v.Args[0]))}, s.reg(s.def(v)))
		}
	case ir.OpClz:
		x := s.extended(v.Args[0], false)
		if t == ir.I64 || t == ir.I32 {
			s.emit(inst{kind: kMov, op: LZCNT, size: size}, []regalloc.Use{inReg(x)}, s.reg(s.def(v)))
			return
		}
		y := s.newVReg(ir.I64, false)
		s.emit(inst{kind: kMov, op: LZCNT, size: size}, []regalloc.Use{inReg(x)}, s.reg(y))
		s.emit(inst{kind: kRI, op: SUB, size: size, imm: 32 - int64(t.Bits())}, []regalloc.Use{inReg(y)}, s.same(v))
	case ir.OpCtz:
		x := s.use(v.Args[0])
		if t == ir.I8 || t == ir.I16 {
			y := s.newVReg(ir.I64, false)
			s.emit(inst{kind: kRI, op: OR, size: S32, imm: 1 << t.Bits()}, []regalloc.Use{inReg(x)}, []regalloc.Def{{V: y, Need: regalloc.Same}})
			x = y
		}
		s.emit(inst{kind: kMov, op: TZCNT, size: size}, []regalloc.Use{inReg(x)}, s.reg(s.def(v)))
	}
}

func (s *selector) selectOp(v *ir.Value) {
	c := s.comparison(v.Args[0])
	yes, no := s.use(v.Args[1]), s.use(v.Args[2])
	uses := s.compareUses(c, []regalloc.Use{inReg(no), inReg(yes)})
	s.emit(inst{kind: kSelect, cmp: c, float: v.Type.IsFloat()}, uses, s.same(v))
}

// float selects operations on floats and conversions.
func (s *selector) float(v *ir.Value) {
	t := v.Type
	one := func(i int) []regalloc.Use { return []regalloc.Use{inReg(s.use(v.Args[i]))} }
	fsize := sizeOf(t)
	switch v.Op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv:
		op := pick(t, floatOps[v.Op])
		x, y := v.Args[0], v.Args[1]
		if v.HasEffect(ir.Commutes) && x.Op == ir.OpConst {
			x, y = y, x
		}
		if v.Op == ir.OpFMul && y.Op == ir.OpConst && y.Aux == two(t) {
			op, y = pick(t, floatOps[ir.OpFAdd]), x // the same, and sooner
		}
		if y.Op == ir.OpConst && y.Aux != 0 {
			s.emit(inst{kind: kRM, op: op, size: fsize, m: mem{kind: memPool, bits: uint64(y.Aux)}}, []regalloc.Use{inReg(s.use(x))}, s.same(v))
			return
		}
		if s.withLoad(v, op, fsize) {
			return
		}
		s.emit(inst{kind: kRR, op: op, size: S32}, []regalloc.Use{inReg(s.use(x)), inReg(s.use(y))}, s.same(v))
	case ir.OpFSqrt:
		s.emit(inst{kind: kMov, op: pick(t, [2]Op{SQRTSS, SQRTSD}), size: S32}, one(0), s.reg(s.def(v)))
	case ir.OpFFloor, ir.OpFCeil, ir.OpFTrunc:
		mode := map[ir.Op]int64{ir.OpFFloor: 9, ir.OpFCeil: 10, ir.OpFTrunc: 11}[v.Op]
		s.emit(inst{kind: kRRI, op: pick(t, [2]Op{ROUNDSS, ROUNDSD}), size: S32, imm: mode}, one(0), s.reg(s.def(v)))
	case ir.OpFNeg:
		s.emit(inst{kind: kMaskF, op: XORPS, size: fsize, imm: signBit(t)}, one(0), s.same(v))
	case ir.OpFAbs:
		s.emit(inst{kind: kMaskF, op: ANDPS, size: fsize, imm: ^signBit(t)}, one(0), s.same(v))
	case ir.OpFCopysign:
		s.emit(inst{kind: kCopysign, size: fsize, imm: signBit(t)}, []regalloc.Use{inReg(s.use(v.Args[0])), inReg(s.use(v.Args[1]))}, s.same(v)).Temps = []regalloc.Temp{{Class: regalloc.Float}}
	case ir.OpFMA: // place of use 0, the addend
		s.emit(inst{kind: kFMA, op: pick(t, [2]Op{VFMADD231SS, VFMADD231SD})},
			[]regalloc.Use{inReg(s.use(v.Args[2])), inReg(s.use(v.Args[0])), inReg(s.use(v.Args[1]))}, s.same(v))
	case ir.OpIToF:
		s.emit(inst{kind: kMov, op: pick(t, [2]Op{CVTSI2SS, CVTSI2SD}), size: S64, neg: true}, one(0), s.reg(s.def(v)))
	case ir.OpUToF:
		s.emit(inst{kind: kUToF, op: pick(t, [2]Op{CVTSI2SS, CVTSI2SD}), size: fsize}, one(0), s.reg(s.def(v))).Temps = s.tempsOf(2)
	case ir.OpFToI:
		s.emit(inst{kind: kMov, op: pick(v.Args[0].Type, [2]Op{CVTTSS2SI, CVTTSD2SI}), size: S64}, one(0), s.reg(s.def(v)))
	case ir.OpFToU:
		d := s.reg(s.def(v))
		d[0].Early = true
		s.emit(inst{kind: kFToU, size: sizeOf(v.Args[0].Type)}, one(0), d)
	case ir.OpFCvt:
		if v.Args[0].Type != t {
			s.emit(inst{kind: kMov, op: pick(t, [2]Op{CVTSD2SS, CVTSS2SD}), size: S32, neg: true}, one(0), s.reg(s.def(v)))
		}
	case ir.OpBitcast:
		from := v.Args[0].Type
		switch {
		case from.IsFloat() && !t.IsFloat():
			s.emit(inst{kind: kFBits, size: sizeOf(from)}, one(0), s.reg(s.def(v)))
		case t.IsFloat() && !from.IsFloat():
			s.emit(inst{kind: kMov, op: MOVD, size: sizeOf(t)}, one(0), s.reg(s.def(v)))
		default:
			s.emit(inst{kind: kMov, op: MOV, size: S64, float: t.IsFloat()}, one(0), s.reg(s.def(v)))
		}
	}
}

// two is the constant 2 as Aux holds it.
func two(t ir.Type) int64 {
	if t == ir.F32 {
		return int64(math.Float32bits(2))
	}
	return int64(math.Float64bits(2))
}

func signBit(t ir.Type) int64 {
	if t == ir.F32 {
		return 1 << 31
	}
	return math.MinInt64
}

// log2 returns the logarithm of a power of two.
func log2(x int64) (int, bool) {
	if x <= 0 || x&(x-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(uint64(x)), true
}
