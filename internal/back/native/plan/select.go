package plan

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// A selector turns a function into instructions with virtual registers.
type selector struct {
	*arenas
	F   *ir.Func
	Env *Env
	Out *abi.Func
	// Checked: every computed address is truncated at the access, and every call by value
	// compares the signature.
	Checked bool
	// keepsNaN: no value is a NaN with other bits than a NaN in memory has (ir.MemoryNaN64), so stores
	// need no check. What may bring other bits has one instead.
	keepsNaN bool
	rf       *regalloc.Func

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
	keepIn   *ir.Value   // of the function's entry
	rest     []*ir.Value // the values after the one that is being selected, in its block
	locals   []int64     // offsets in the shadow frame
	LocSize  int64       // bytes of the shadow frame
	localsV  regalloc.VReg
	outWords int32 // at the bottom of the frame
	Polls    bool  // a loop charge ends quanta here

	products  []product  // of the current block
	quotients []quotient // likewise
	paired    struct {   // the second of two stores, whose float is canonical in reg
		store *ir.Value
		reg   regalloc.VReg
	}
	meter cancel.Meter
	runs  frequencies

	operand []bool      // by value ID: a load that is folded into its user
	updates []*ir.Value // by value ID of a store that updates memory in place: the other operand
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

// Compile compiles a function whose roots and frame are fixed.
func Compile(cpu CPU, f *ir.Func, env *Env) (*abi.Func, error) {
	if f.Entry == nil {
		return nil, fmt.Errorf("function %s has no body", f.Name)
	}
	desc := cpu.Desc()
	if err := desc.lacking(f); err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, err)
	}
	m := env.arenas
	env.arenas = nil // until they are consistent again
	if m == nil || m.cpu != desc {
		m = &arenas{cpu: desc, writer: cpu.NewWriter(), consts: map[constKey]regalloc.VReg{}, mapAt: map[string]int32{}}
	}
	s := &selector{
		arenas: m, F: f, Env: env, Checked: env.Checked || f.Flags&ir.Unsafe != 0,
		keepsNaN: desc.MemoryNaN && !env.Checked,
		Out:      &abi.Func{Fn: f, Locals: -1}, blocks: m.infos, remat: m.remat,
	}
	s.rf = &regalloc.Func{Memory: &m.regalloc, Class: m.classes, Again: m.again, Cheap: f.Large()}
	s.rf.Regs = [regalloc.NumClasses]regalloc.RegSet{regalloc.Int: desc.Ints, regalloc.Float: desc.Floats}
	s.meter.Stop = env.Stop
	d := ir.NewDom(f)
	s.loops = ir.NewLoops(d)
	s.order, s.cold = orderBlocks(f, s.loops)
	s.locals, s.LocSize = f.LocalOffsets()
	if s.meter.Step(cancel.Every) {
		return nil, cancel.ErrStopped
	}
	s.countUses()
	if s.meter.Step(cancel.Every) {
		return nil, cancel.ErrStopped
	}
	s.makeBlocks()
	s.growLists()
	for i := range s.blocks {
		if s.block(int32(i)); s.meter.Step(1) {
			return nil, cancel.ErrStopped
		}
	}
	s.estimate()
	s.delay()
	s.rf.Stop = env.Stop
	if !regalloc.Allocate(s.rf) {
		return nil, cancel.ErrStopped
	}
	if env.Verify {
		if err := regalloc.Check(s.rf); err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	e := &Emitter{selector: s}
	if !e.run() {
		return nil, cancel.ErrStopped
	}
	if err := env.Tally.err(); err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, err)
	}
	m.infos, m.classes, m.again, m.remat = s.blocks, s.rf.Class, s.rf.Again, s.remat
	m.reset()
	env.arenas = m
	return s.Out, nil
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

// alias skips operations that only rename: their operand's register serves.
func alias(v *ir.Value) *ir.Value {
	for {
		switch v.Op {
		case ir.OpCopy, ir.OpTrunc, ir.OpPtrToInt, ir.OpOpaque:
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

// use returns the virtual register that holds v here; for a constant, a local copy that is computed
// before.
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

// constant returns a register with a constant, one per block.
func (s *selector) constant(t ir.Type, x int64) regalloc.VReg {
	if t.IsInt() {
		t = ir.I64
	}
	if t == ir.Ptr {
		t, x = ir.I64, int64(uint32(x))
	}
	if t.IsFloat() {
		x = int64(s.poolBits(t, x))
	}
	k := constKey{t, x}
	if v, ok := s.consts[k]; ok {
		return v
	}
	v := s.newVReg(t, true)
	s.consts[k] = v
	switch {
	case !t.IsFloat():
		s.emit(Inst{Kind: KImm, Imm: x}, nil, s.reg(v))
	case x == 0:
		s.emit(Inst{Kind: KZero, Float: true}, nil, s.reg(v))
	default:
		s.emit(Inst{Kind: KPool, Size: sizeOf(t), Imm: x, Float: true}, nil, s.reg(v))
	}
	return v
}

// poolBits are the bits in registers of a constant float.
func (s *selector) poolBits(t ir.Type, bits int64) uint64 {
	if s.keepsNaN {
		return ir.MemoryNaN(t, uint64(bits))
	}
	return uint64(bits)
}

func (s *selector) reg(v regalloc.VReg) []regalloc.Def {
	return []regalloc.Def{{V: v, Need: regalloc.Register}}
}

// tempsOf returns n temporaries for integers.
func (m *arenas) tempsOf(n uint8) []regalloc.Temp { return m.temps.Make(int(n)) } // Int is 0

// tempsFor returns the temporaries of an instruction without an operation.
func (m *arenas) tempsFor(k Kind) []regalloc.Temp { return m.tempsOf(m.cpu.Temps[k]) }

func inReg(v regalloc.VReg) regalloc.Use { return regalloc.Use{V: v, Need: regalloc.Register} }

func inFixed(v regalloc.VReg, r regalloc.Reg) regalloc.Use {
	return regalloc.Use{V: v, Need: regalloc.Fixed, Reg: r}
}

// emit appends an instruction to the current block, with copies of its operands.
func (s *selector) emit(in Inst, uses []regalloc.Use, defs []regalloc.Def) *regalloc.Inst {
	in.pos, in.from = s.at, s.from
	s.insts = append(s.insts, in)
	tag := int32(len(s.insts) - 1)
	if len(defs) == 1 && s.rf.Again[defs[0].V] {
		s.remat[defs[0].V] = tag
	}
	s.list = append(s.list, regalloc.Inst{Uses: s.arenas.uses.Copy(uses), Defs: s.defs.Copy(defs), Tag: tag})
	return &s.list[len(s.list)-1]
}

// apply appends an instruction with an operation. Operands and result are where the processor wants
// them.
func (s *selector) apply(in Inst, d regalloc.VReg, uses ...regalloc.Use) {
	c := &s.cpu.Ops[in.Op]
	if in.Kind == KImmOp {
		c = &s.cpu.ImmOps[in.Op]
	}
	for i, w := range c.Use {
		if w != 0 && i < len(uses) {
			uses[i].Need, uses[i].Reg = regalloc.Fixed, w.reg()
		}
	}
	def := regalloc.Def{V: d, Early: c.Early}
	switch {
	case c.Same:
		def.Need = regalloc.Same
	case c.Result != 0:
		def.Need, def.Reg = regalloc.Fixed, c.Result.reg()
	}
	r := s.emit(in, uses, []regalloc.Def{def})
	r.Clobber, r.Reserve = c.Clobber, c.Reserve
	r.Commutes = in.Kind == KBinary && c.Same && commutes[in.Op]
	if c.Temps+c.FloatTemps == 0 {
		return
	}
	r.Temps = s.tempsOf(c.Temps + c.FloatTemps)
	for i := range r.Temps[c.Temps:] {
		r.Temps[int(c.Temps)+i].Class = regalloc.Float
	}
}

// commutes are the operations on integers whose operands may be exchanged. With floats that would change
// which NaN results.
var commutes = [NumOps]bool{Add: true, Mul: true, And: true, Or: true, Xor: true}

// unary, binary and withImm append operations on registers.

func (s *selector) unary(op Op, size Size, x, d regalloc.VReg) {
	s.apply(Inst{Kind: KUnary, Op: op, Size: size}, d, inReg(x))
}

func (s *selector) binary(op Op, size Size, x, y, d regalloc.VReg) {
	s.apply(Inst{Kind: KBinary, Op: op, Size: size}, d, inReg(x), inReg(y))
}

func (s *selector) withImm(op Op, size Size, x regalloc.VReg, imm int64, d regalloc.VReg) {
	s.apply(Inst{Kind: KImmOp, Op: op, Size: size, Imm: imm}, d, inReg(x))
}

// sum appends an addition.
func (s *selector) sum(size Size, x, y, d regalloc.VReg) {
	if !s.cpu.Sums {
		s.binary(Add, size, x, y, d)
		return
	}
	s.emit(Inst{Kind: KLea, Size: size, M: Mem{Kind: MemHostX, Scale: 1}}, []regalloc.Use{inReg(x), inReg(y)}, s.reg(d))
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

// wide returns the size for operations whose upper bits do not matter.
func wide(t ir.Type) Size {
	if t == ir.I64 || t == ir.Ptr {
		return S64
	}
	return S32
}

// immOf returns the value of a constant that is not a float, cut to its width with the sign
// extended.
func immOf(v *ir.Value) (int64, bool) {
	k := alias(v)
	if k.Op != ir.OpConst || k.Type.IsFloat() {
		return 0, false
	}
	return ir.TruncConst(v.Type, k.Aux), true
}

// imm reports whether v is a constant that fits an instruction of op.
func (s *selector) imm(op Op, v *ir.Value) (int64, bool) {
	x, ok := immOf(v)
	if !ok {
		return 0, false
	}
	return x, s.cpu.Fits(op, x)
}

// rootUses appends the values of a keep, wherever they are, and returns the numbers of those uses.
func (s *selector) rootUses(keep *ir.Value, uses *[]regalloc.Use) []uint16 {
	if keep == nil {
		return nil
	}
	bases, _ := keep.Kept()
	roots := s.arenas.roots.Make(len(bases))[:0]
	for _, b := range bases {
		v := s.use(b)
		if s.rf.Again[v] {
			continue
		}
		if len(*uses) > 60000 {
			panic("plan: too many roots")
		}
		roots = append(roots, uint16(len(*uses)))
		*uses = append(*uses, regalloc.Use{V: v, Need: regalloc.Anything})
	}
	return roots
}

const manyInsts = 1 << 12

// growLists reserves memory for as many instructions as a large function may need: lists that grow
// step by step are copied again and again.
func (s *selector) growLists() {
	n := 2 * len(s.blocks)
	for _, b := range s.order {
		n += len(b.Values) + len(b.Values)/4
	}
	if n > manyInsts {
		s.insts, s.list = slices.Grow(s.insts, n), slices.Grow(s.list, n)
	}
}

// Log2 returns the logarithm of a power of two.
func Log2(x int64) (int, bool) {
	if x <= 0 || x&(x-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(uint64(x)), true
}
