package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/ir"
)

// A fn is the lowering of one go/ssa function.
type fn struct {
	builder
	src    *ssa.Function
	vals   map[ssa.Value]val
	tuples map[ssa.Value][]val
	elems  map[*ssa.MapUpdate]*ir.Value // addresses that the lookups before have found
	blocks []*ir.Block                  // first IR block of each go/ssa block
	ends   []*ir.Block                  // IR block that ends each go/ssa block
	phis   []phiFix

	own        bool // not in the standard library: its operations count
	account    budget.Account
	operations int64 // counted so far
	instrs     int   // lowered instructions of go/ssa

	hidden      []*ir.Value              // addresses for memory results
	frame       *ir.Value                // OpFrameID, made at the first use
	slots       map[*ssa.Alloc]*ir.Value // for heap cells that the recovery block needs: the local that holds the address
	allocs      map[*ssa.Alloc]int64     // locals
	inRec       bool                     // lowering the recovery block
	iters       map[ssa.Value]*ir.Value  // of range iterators: the address of their state
	skip        map[ssa.Instruction]bool // folded into another instruction
	varargs     map[*ssa.Slice][]ssa.Value
	nilChecks   map[*ssa.TypeAssert]bool        // see findBounds
	paramCalls  map[*ssa.CallCommon]paramMethod // see typeparam.go
	paramValues map[*ssa.MakeClosure]paramMethod
	hollow      map[*ir.Block]bool   // see findHollow
	counted     bool                 // has counts for dissolve
	hiddenSlots []int64              // locals that hold the addresses of memory results, for the recovery block
	static      map[ssa.Value]static // values known at compile time, in init functions

	openDefers, defersKnown bool // see returnPos
}

// A phiFix is a phi whose operands are filled in when all blocks exist.
type phiFix struct {
	src *ssa.Phi
	v   val
	in  *ir.Value // memory aggregates: the temporary that predecessors write
}

func (l *lowerer) lowerFunc(src *ssa.Function, f *ir.Func, from string) {
	if len(src.Blocks) == 0 && l.making {
		if l.missing == nil {
			l.missing = map[*ir.Func]bool{}
		}
		l.missing[f] = true
		l.endingBody(f, "call of a function without a body: ")
		return
	}
	if bitsInMemory[l.symbolOf(src)] {
		l.intrinsicBody(src, f)
		return
	}
	if len(src.Blocks) == 0 {
		l.refuse(l.prog.Refusal(src))
		panic(&LinkError{Func: l.prog.Symbol(src), From: from, Pos: l.prog.Fset.Position(src.Pos())})
	}
	l.dropRefs(src)
	outer := l.from
	l.from = f.Name
	defer func() { l.from = outer }()
	c := &fn{
		builder:   builder{l: l, f: f},
		src:       src,
		vals:      map[ssa.Value]val{},
		tuples:    map[ssa.Value][]val{},
		elems:     map[*ssa.MapUpdate]*ir.Value{},
		blocks:    make([]*ir.Block, len(src.Blocks)),
		ends:      make([]*ir.Block, len(src.Blocks)),
		slots:     map[*ssa.Alloc]*ir.Value{},
		allocs:    map[*ssa.Alloc]int64{},
		iters:     map[ssa.Value]*ir.Value{},
		skip:      map[ssa.Instruction]bool{},
		varargs:   map[*ssa.Slice][]ssa.Value{},
		nilChecks: map[*ssa.TypeAssert]bool{},
	}
	before := l.at
	l.at = c
	failure.At("lowering a function")
	c.begin(src)
	c.lower()
	c.proceed()
	l.at = before
	l.checkLayout(src.Pos())
}

func (c *fn) lower() {
	src, f := c.src, c.f
	c.pos = f.Pos
	entry := f.NewBlock()
	c.b = entry
	c.params()
	c.findRecoverCells()
	c.findVarargs()
	c.findBounds()
	c.findParamMethods()
	if src.Synthetic == "package initializer" {
		c.staticInit()
	}
	for i, b := range src.Blocks {
		if b == src.Recover {
			continue
		}
		c.blocks[i] = f.NewBlock()
	}
	c.jump(c.blocks[0])
	// Dominators come before the blocks that they dominate, so operands are lowered first.
	for _, b := range src.DomPreorder() {
		if b == src.Recover {
			continue
		}
		c.block(b)
	}
	if src.Recover != nil {
		f.Flags |= ir.HasDefer
		c.recoverBlock(src.Recover)
	}
	if c.counted {
		c.findHollow()
	}
	c.fixPhis()
	removeUnreachable(f)
	if c.counted {
		c.dissolve()
	}
}

func (c *fn) block(b *ssa.BasicBlock) {
	c.proceed()
	c.b = c.blocks[b.Index]
	if p := rangePos(b); p.IsValid() {
		c.at(p)
	}
	phis := len(c.phis)
	// Scalars first: phis come before other operations.
	for _, mem := range []bool{false, true} {
		for _, in := range b.Instrs {
			if phi, ok := in.(*ssa.Phi); ok && c.l.flat(phi.Type()).mem == mem {
				c.phiHead(phi)
			}
		}
	}
	for _, p := range c.phis[phis:] {
		if p.in != nil {
			c.move(p.v[0], p.in, c.l.flat(p.src.Type()).size)
		}
	}
	c.endRange(b)
	for _, in := range b.Instrs {
		if _, ok := in.(*ssa.Phi); ok || c.skip[in] || c.count(in) {
			continue
		}
		if p := in.Pos(); p.IsValid() {
			c.at(p)
		} else if p := valuePos(in); p.IsValid() {
			c.at(p)
		}
		c.instr(in)
	}
	c.ends[b.Index] = c.b
}

// at sets the position of the operations that follow.
func (c *fn) at(p token.Pos) {
	if !isGenerated(c.src) {
		c.pos = c.l.pos(c.f, p)
	}
}

// rangePos finds a position for the head of a range loop over a slice or an integer, where go/ssa
// gives none: that of the first operation in its body. If the loop uses the elements of a slice,
// this operation is the load of an element, in the line of the statement itself.
func rangePos(b *ssa.BasicBlock) token.Pos {
	if b.Comment != "rangeindex.loop" && b.Comment != "rangeint.loop" || len(b.Succs) == 0 {
		return token.NoPos
	}
	for _, in := range b.Succs[0].Instrs {
		if p := in.Pos(); p.IsValid() {
			return p
		}
	}
	return token.NoPos
}

// valuePos finds a position for instructions to which go/ssa gives none.
func valuePos(in ssa.Instruction) token.Pos {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.X.Pos()
	case *ssa.IndexAddr:
		return in.X.Pos()
	case *ssa.MakeClosure:
		return rangeFuncPos(in.Fn)
	case *ssa.Call:
		if args := in.Call.Args; len(args) == 1 {
			if body, ok := args[0].(*ssa.MakeClosure); ok {
				return rangeFuncPos(body.Fn)
			}
			return rangeFuncPos(args[0])
		}
	}
	return token.NoPos
}

// rangeFuncPos returns the position of the range over a function whose body is v.
func rangeFuncPos(v ssa.Value) token.Pos {
	if fn, ok := v.(*ssa.Function); ok && isRangeBody(fn) {
		return fn.Syntax().Pos()
	}
	return token.NoPos
}

func (c *fn) params() {
	n := int64(0)
	arg := func(t ir.Type) *ir.Value {
		v := c.opAux(ir.OpArg, t, n)
		n++
		return v
	}
	res := c.src.Signature.Results()
	for i := range res.Len() {
		if c.l.flat(res.At(i).Type()).mem {
			c.hidden = append(c.hidden, arg(ir.Ptr))
		}
	}
	for _, p := range c.src.Params {
		fl := c.l.flat(p.Type())
		v := make(val, fl.n())
		for i := range v {
			v[i] = arg(fl.irType(i))
		}
		c.vals[p] = v
	}
	if len(c.src.FreeVars) > 0 {
		clo := c.op(ir.OpClosure, ir.Ptr)
		offs := c.l.captureOffsets(c.src)
		for i, fv := range c.src.FreeVars {
			c.vals[fv] = c.loadVal(fv.Type(), clo, offs[i])
		}
	}
}

// findRecoverCells finds the heap cells that the recovery block loads: their
// addresses are kept in locals, since no SSA name reaches that block.
func (c *fn) findRecoverCells() {
	if c.src.Recover == nil {
		return
	}
	for _, in := range c.src.Recover.Instrs {
		for _, op := range in.Operands(nil) {
			if a, ok := (*op).(*ssa.Alloc); ok && a.Heap && c.slots[a] == nil {
				c.slots[a] = c.temp(a.Type(), "cell")
			}
		}
	}
	// Results in memory return by a hidden address, which the recovery block needs too.
	for _, h := range c.hidden {
		p := c.temp(types.Typ[types.UnsafePointer], "result")
		c.store(p, h, 0)
		c.hiddenSlots = append(c.hiddenSlots, p.Aux)
	}
}

func (c *fn) recoverBlock(b *ssa.BasicBlock) {
	c.inRec = true
	blk := c.f.NewBlock()
	c.f.Recover = blk
	c.b = blk
	for i, slot := range c.hiddenSlots {
		p := c.opAux(ir.OpLocalAddr, ir.Ptr, slot)
		c.hidden[i] = c.load(ir.Ptr, p, 0)
	}
	// The panic ran some of the deferred calls; the rest run before the return, at the end of the
	// function.
	if p := c.endPos(); p.IsValid() {
		c.at(p)
	}
	c.rt("deferreturn", c.frameID())
	for _, in := range b.Instrs {
		if p := in.Pos(); p.IsValid() {
			c.at(p)
		}
		c.instr(in)
	}
	c.ends[b.Index] = c.b
}

// value returns the IR values of a go/ssa value.
func (c *fn) value(v ssa.Value) val {
	switch v := v.(type) {
	case *ssa.Const:
		return c.constant(v)
	case *ssa.Global:
		return val{c.ptr(c.l.globalAddr(v))}
	case *ssa.Function:
		return val{c.ptr(c.l.funcClosure(v))}
	case *ssa.Alloc:
		if c.inRec {
			if s := c.slots[v]; s != nil {
				p := c.opAux(ir.OpLocalAddr, ir.Ptr, s.Aux)
				return val{c.load(ir.Ptr, p, 0)}
			}
			if n, ok := c.allocs[v]; ok {
				return val{c.opAux(ir.OpLocalAddr, ir.Ptr, n)}
			}
		}
	case *ssa.Builtin:
		panic("lower: builtin " + v.Name() + " as a value")
	}
	if x, ok := c.static[v]; ok {
		return c.staticValue(v.Type(), x)
	}
	x, ok := c.vals[v]
	if !ok {
		panic("lower: " + c.f.Name + ": no value for " + v.Name() + " = " + v.String())
	}
	return x
}

// one returns the only scalar of a value.
func (c *fn) one(v ssa.Value) *ir.Value {
	x := c.value(v)
	return x[0]
}

func (c *fn) set(v ssa.Value, x val) { c.vals[v] = x }

func (c *fn) phiHead(p *ssa.Phi) {
	f := c.l.flat(p.Type())
	fix := phiFix{src: p}
	if f.mem {
		// The values of all phis are read before any is written: predecessors write the incoming
		// temporary, and the head of the block copies it to the phi's own.
		fix.in = c.localTemp(p.Type(), "phi.in")
		fix.v = val{c.localTemp(p.Type(), p.Comment)}
	} else {
		fix.v = make(val, len(f.fields))
		for i, x := range f.fields {
			fix.v[i] = c.op(ir.OpPhi, x.typ)
		}
	}
	c.phis = append(c.phis, fix)
	c.set(p, fix.v)
}

// fixPhis fills in the operands of phis.
func (c *fn) fixPhis() {
	for _, p := range c.phis {
		blk := p.src.Block()
		for i, pred := range blk.Preds {
			end := c.ends[pred.Index]
			if end == nil {
				continue // an unreachable predecessor
			}
			c.b = end
			c.pos = end.Pos
			if p.in != nil {
				src := c.value(p.src.Edges[i])
				in := c.opAux(ir.OpLocalAddr, ir.Ptr, p.in.Aux)
				c.move(in, src[0], c.l.flat(p.src.Type()).size)
			}
		}
	}
	for _, p := range c.phis {
		if p.in != nil {
			continue
		}
		blk := p.src.Block()
		for k := range p.v {
			p.v[k].Args = make([]*ir.Value, 0, len(blk.Preds))
		}
		first := c.blocks[blk.Index]
		// Operands go in the order of the IR block's predecessors.
		used := make([]bool, len(blk.Preds))
		for _, ip := range first.Preds {
			for i, pred := range blk.Preds {
				if !used[i] && c.ends[pred.Index] == ip {
					used[i] = true
					c.b = ip
					c.pos = ip.Pos
					x := c.value(p.src.Edges[i])
					for k := range p.v {
						p.v[k].Args = append(p.v[k].Args, x[k])
					}
					break
				}
			}
		}
	}
}

// frameID returns the identity of this activation.
func (c *fn) frameID() *ir.Value {
	if c.inRec {
		return c.op(ir.OpFrameID, ir.I64)
	}
	if c.frame == nil {
		v := c.f.NewValue(ir.OpFrameID, ir.I64)
		v.Block = c.f.Entry
		// After the parameters, before anything that may run.
		vs := c.f.Entry.Values
		i := 0
		for i < len(vs) && (vs[i].Op == ir.OpArg || vs[i].Op == ir.OpClosure) {
			i++
		}
		vs = append(vs, nil)
		copy(vs[i+1:], vs[i:])
		vs[i] = v
		c.f.Entry.Values = vs
		c.frame = v
	}
	return c.frame
}

// removeUnreachable drops blocks that neither the entry nor the recovery block reaches.
func removeUnreachable(f *ir.Func) {
	seen := make([]bool, f.NumBlocks())
	work := []*ir.Block{f.Entry}
	if f.Recover != nil {
		work = append(work, f.Recover)
	}
	for _, b := range work {
		seen[b.ID] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !seen[s.ID] {
				seen[s.ID] = true
				work = append(work, s)
			}
		}
	}
	keep := f.Blocks[:0]
	for _, b := range f.Blocks {
		if !seen[b.ID] {
			continue
		}
		// Forget removed predecessors, with their phi operands.
		n := 0
		for i, p := range b.Preds {
			if !seen[p.ID] {
				continue
			}
			b.Preds[n] = p
			for _, v := range b.Values {
				if v.Op == ir.OpPhi {
					v.Args[n] = v.Args[i]
				}
			}
			n++
		}
		if n < len(b.Preds) {
			b.Preds = b.Preds[:n]
			for _, v := range b.Values {
				if v.Op == ir.OpPhi {
					v.Args = v.Args[:n]
				}
			}
		}
		keep = append(keep, b)
	}
	f.Blocks = keep
}
