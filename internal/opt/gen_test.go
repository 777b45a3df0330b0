package opt

import (
	"fmt"
	"math/rand"

	"github.com/gyrvm/gyr/internal/ir"
)

// A generator makes random modules of functions that are correct by construction: checks precede
// what they protect, loops charge, phis fit.
type generator struct {
	rng   *rand.Rand
	m     *ir.Module
	funcs []*ir.Func // callable ones
	ext   []*ir.Func

	f        *ir.Func
	b        *ir.Block
	scope    []*ir.Value // values that dominate the current place
	budget   int
	loops    int
	rets     []ir.Type
	ptrs     []ptrTo // addresses known to be good, in scope
	allocs   bool
	boxes    []*ir.Value // objects of 32 bytes whose word 2 holds a box or nil
	boxLatch []*ir.Value
	boxed    map[*ir.Func][2]bool // the first parameter, the first result is a box
}

// A ptrTo is an address with the number of bytes that may be accessed there.
type ptrTo struct {
	v    *ir.Value
	size int64
}

var scalarTypes = []ir.Type{ir.I64, ir.I64, ir.I64, ir.I8, ir.I32, ir.I16, ir.F64, ir.F32, ir.Ptr}

func generate(seed int64, allocs bool) *ir.Module {
	g := &generator{rng: rand.New(rand.NewSource(seed)), allocs: allocs, boxed: map[*ir.Func][2]bool{}}
	g.m = &ir.Module{
		Layouts: []ir.Layout{{}, {Size: 8, Ptrs: []uint64{1}}, {Size: 32, Ptrs: []uint64{5}}},
		Data:    make([]byte, globalSize),
	}
	g.rng.Read(g.m.Data[:1024])
	declare := func(name string, sig ir.Sig) {
		f := &ir.Func{Name: name, Sig: sig}
		g.m.AddFunc(f)
		g.ext = append(g.ext, f)
	}
	declare("ext1", ir.Sig{Params: []ir.Type{ir.I64}, Results: []ir.Type{ir.I64}})
	declare("ext2", ir.Sig{Params: []ir.Type{ir.Ptr, ir.I64}, Results: []ir.Type{ir.I64, ir.I8}})
	declare("trap3", ir.Sig{Params: []ir.Type{ir.I8, ir.F64}})
	declare("ext4", ir.Sig{Params: []ir.Type{ir.Ptr}, Results: []ir.Type{ir.Ptr, ir.I64}})
	n := 1 + g.rng.Intn(4)
	for i := 0; i < n; i++ {
		g.function(fmt.Sprintf("f%d", i), i == n-1)
	}
	return g.m
}

func (g *generator) function(name string, last bool) {
	f := &ir.Func{Name: name}
	g.m.AddFunc(f)
	for i := g.rng.Intn(4); i >= 0; i-- {
		f.Sig.Params = append(f.Sig.Params, scalarTypes[g.rng.Intn(len(scalarTypes))])
	}
	for i := g.rng.Intn(3); i > 0; i-- {
		f.Sig.Results = append(f.Sig.Results, scalarTypes[g.rng.Intn(len(scalarTypes)-1)])
	}
	var boxed [2]bool
	if g.allocs && !last && g.rng.Intn(2) == 0 {
		boxed[0] = true
		f.Sig.Params = append([]ir.Type{ir.Ptr}, f.Sig.Params...)
	}
	if g.allocs && !last && g.rng.Intn(3) == 0 {
		boxed[1] = true
		f.Sig.Results = append([]ir.Type{ir.Ptr}, f.Sig.Results...)
	}
	g.boxed[f] = boxed
	g.f, g.rets, g.scope, g.ptrs, g.loops, g.boxes = f, f.Sig.Results, nil, nil, 0, nil
	g.budget = 5 + g.rng.Intn(120)
	for i := g.rng.Intn(4); i > 0; i-- {
		size := int64(8 * (1 + g.rng.Intn(4)))
		if g.rng.Intn(5) == 0 {
			size *= 8
		}
		f.AddLocal(ir.Local{Name: fmt.Sprint("l", i), Size: size, Align: 8})
	}
	g.b = f.NewBlock()
	for i, t := range f.Sig.Params {
		v := g.op(ir.OpArg, t)
		v.Aux = int64(i)
		if i == 0 && boxed[0] {
			g.boxes = append(g.boxes, v)
			continue
		}
		g.scope = append(g.scope, v)
	}
	if g.rng.Intn(3) > 0 {
		g.gas(ir.OpGas)
	}
	// The content of a local before its first write is undefined.
	for i, l := range f.Locals {
		v := g.op(ir.OpLocalAddr, ir.Ptr)
		v.Aux = int64(i)
		g.op(ir.OpClear, ir.Void, v).Aux = l.Size
	}
	if len(f.Locals) > 0 && g.rng.Intn(4) == 0 {
		f.Flags |= ir.HasDefer
	}
	g.stmts(3)
	g.ret()
	if f.Flags&ir.HasDefer != 0 {
		g.scope, g.ptrs, g.boxes = nil, nil, nil
		g.b = f.NewBlock()
		f.Recover = g.b
		g.budget = 10
		g.stmts(1)
		g.ret()
	}
	g.funcs = append(g.funcs, f)
}

func (g *generator) op(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	return g.b.Append(g.f.NewValue(op, t, args...))
}

func (g *generator) constant(t ir.Type, c int64) *ir.Value {
	v := g.op(ir.OpConst, t)
	v.Aux = ir.TruncConst(t, c)
	return v
}

func (g *generator) gas(op ir.Op) {
	v := g.op(op, ir.Void)
	v.Aux = int64(1 + g.rng.Intn(9))
}

// value returns some value of a type.
func (g *generator) value(t ir.Type) *ir.Value {
	for i := 0; i < 6 && len(g.scope) > 0; i++ {
		if v := g.scope[g.rng.Intn(len(g.scope))]; v.Type == t {
			return v
		}
	}
	if t == ir.Ptr {
		if g.rng.Intn(4) == 0 {
			return g.constant(t, 0)
		}
		return g.constant(t, globalBase+int64(g.rng.Intn(64))*8)
	}
	if t.IsFloat() {
		floats := []float64{0, 1, -1, 0.5, 3.25, 1e10, -7}
		x := floats[g.rng.Intn(len(floats))]
		if t == ir.F32 {
			return g.constant(t, f32bits(x))
		}
		return g.constant(t, f64bits(x))
	}
	small := []int64{0, 1, -1, 2, 3, 4, 7, 8, 10, 16, 63, 64, 100, 255, 256, -8, 1 << 31, 1<<63 - 1, -1 << 63}
	return g.constant(t, small[g.rng.Intn(len(small))])
}

func (g *generator) keep(v *ir.Value) { g.scope = append(g.scope, v) }

func (g *generator) cond() *ir.Value {
	for i := 0; i < 4 && len(g.scope) > 0; i++ {
		if v := g.scope[g.rng.Intn(len(g.scope))]; isCond(v) {
			return v
		}
	}
	t := []ir.Type{ir.I64, ir.I64, ir.I32, ir.I8, ir.Ptr, ir.F64}[g.rng.Intn(6)]
	var ops []ir.Op
	switch {
	case t.IsFloat():
		ops = []ir.Op{ir.OpFEq, ir.OpFNe, ir.OpFLt, ir.OpFLe}
	case t == ir.Ptr:
		ops = []ir.Op{ir.OpEq, ir.OpNe}
	default:
		ops = []ir.Op{ir.OpEq, ir.OpNe, ir.OpLtS, ir.OpLeS, ir.OpLtU, ir.OpLeU, ir.OpLtS}
	}
	x := g.value(t)
	y := g.value(t)
	if t != ir.Ptr {
		v := g.op(ops[g.rng.Intn(len(ops))], ir.I8, x, y)
		g.keep(v)
		if g.rng.Intn(6) == 0 {
			v = g.op(ir.OpXor, ir.I8, v, g.constant(ir.I8, 1))
			g.keep(v)
		}
		return v
	}
	v := g.op(ops[g.rng.Intn(len(ops))], ir.I8, x, g.constant(ir.Ptr, 0))
	g.keep(v)
	return v
}

func isCond(v *ir.Value) bool {
	return v.Op.IsComparison()
}

func (g *generator) stmts(depth int) {
	for n := 1 + g.rng.Intn(8); n > 0 && g.budget > 0; n-- {
		g.budget--
		switch k := g.rng.Intn(28); {
		case k < 8:
			g.arithmetic()
		case k < 12:
			g.memory()
		case k < 14:
			g.index()
		case k == 14:
			g.call()
		case k == 15:
			g.gas(ir.OpGas)
		case k == 16:
			g.check()
		case k < 20 && depth > 0:
			g.branch(depth)
		case k < 23 && depth > 0:
			g.loop(depth)
		case k == 23 && depth > 0:
			if g.rng.Intn(2) == 0 {
				g.chain(depth)
			} else {
				g.switchStmt(depth)
			}
		case k == 24:
			g.bulk()
		case k == 25:
			g.sum()
		default:
			g.local()
		}
	}
}

func (g *generator) arithmetic() {
	t := []ir.Type{ir.I64, ir.I64, ir.I32, ir.I8, ir.I16, ir.F64, ir.F32}[g.rng.Intn(7)]
	if t.IsFloat() {
		ops := []ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFNeg, ir.OpFAbs, ir.OpIToF, ir.OpFCvt, ir.OpUToF}
		switch op := ops[g.rng.Intn(len(ops))]; op {
		case ir.OpFNeg, ir.OpFAbs:
			g.keep(g.op(op, t, g.value(t)))
		case ir.OpIToF, ir.OpUToF:
			g.keep(g.op(op, t, g.value(ir.I64)))
		case ir.OpFCvt:
			g.keep(g.op(op, t, g.value(ir.F32+ir.F64-t)))
		default:
			g.keep(g.op(op, t, g.value(t), g.value(t)))
		}
		return
	}
	ops := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpShl, ir.OpShrS, ir.OpShrU, ir.OpRotl,
		ir.OpNeg, ir.OpNot, ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU, ir.OpSelect, ir.OpClz, ir.OpPopcnt, ir.OpSExt, ir.OpTrunc, ir.OpZExt, ir.OpFToI,
		ir.OpAdd, ir.OpSub, ir.OpAdd, ir.OpAdd, ir.OpMulHiU, ir.OpCtz, ir.OpMulHiS}
	switch op := ops[g.rng.Intn(len(ops))]; op {
	case ir.OpShl, ir.OpShrS, ir.OpShrU, ir.OpRotl:
		n := g.value(ir.I64)
		if g.rng.Intn(2) == 0 {
			n = g.constant(ir.I64, int64(g.rng.Intn(70)))
		}
		g.keep(g.op(op, t, g.value(t), n))
	case ir.OpNeg, ir.OpNot, ir.OpClz, ir.OpPopcnt, ir.OpCtz:
		g.keep(g.op(op, t, g.value(t)))
	case ir.OpDivS, ir.OpDivU, ir.OpRemS, ir.OpRemU:
		y := g.value(t)
		if g.rng.Intn(3) > 0 {
			y = g.constant(t, []int64{1, 2, 3, 5, 7, 8, 10, 16, 100, -1, -3, 127, -128, 12345, 1 << 40, 641}[g.rng.Intn(16)])
		}
		if y.Op != ir.OpConst || y.Aux == 0 {
			c := g.op(ir.OpNe, ir.I8, y, g.constant(t, 0))
			g.op(ir.OpCheck, ir.Void, c).Aux = int64(ir.TrapDivide)
		}
		g.keep(g.op(op, t, g.value(t), y))
	case ir.OpSelect:
		c := g.cond()
		g.keep(g.op(op, t, c, g.value(t), g.value(t)))
	case ir.OpSExt, ir.OpZExt:
		if t == ir.I8 {
			t = ir.I32
		}
		from := ir.I8 + ir.Type(g.rng.Intn(int(t-ir.I8)))
		g.keep(g.op(op, t, g.value(from)))
	case ir.OpTrunc:
		if t == ir.I64 {
			t = ir.I8
		}
		from := t + 1 + ir.Type(g.rng.Intn(int(ir.I64-t)))
		g.keep(g.op(op, t, g.value(from)))
	case ir.OpFToI:
		g.keep(g.op(op, []ir.Type{ir.I32, ir.I64}[g.rng.Intn(2)], g.value(ir.F64)))
	case ir.OpMulHiU, ir.OpMulHiS:
		g.keep(g.op(op, ir.I64, g.value(ir.I64), g.value(ir.I64)))
	default:
		g.keep(g.op(op, t, g.value(t), g.value(t)))
	}
}

// address returns a good address of at least n bytes.
func (g *generator) address(n int64) ptrTo {
	if len(g.ptrs) > 0 && g.rng.Intn(3) > 0 {
		for i := 0; i < 3; i++ {
			if p := g.ptrs[g.rng.Intn(len(g.ptrs))]; p.size >= n {
				return p
			}
		}
	}
	if len(g.f.Locals) > 0 && g.rng.Intn(3) > 0 {
		k := g.rng.Intn(len(g.f.Locals))
		if size := g.f.Locals[k].Size; size >= n {
			v := g.op(ir.OpLocalAddr, ir.Ptr)
			v.Aux = int64(k)
			p := ptrTo{v, size}
			g.ptrs = append(g.ptrs, p)
			return p
		}
	}
	if g.allocs && g.rng.Intn(3) == 0 {
		p := ptrTo{g.box(), 16}
		g.ptrs = append(g.ptrs, p)
		if n <= 16 {
			return p
		}
	}
	v := g.constant(ir.Ptr, globalBase+int64(g.rng.Intn(8))*64)
	p := ptrTo{v, 512}
	g.ptrs = append(g.ptrs, p)
	return p
}

// box returns a box, perhaps a new one.
func (g *generator) box() *ir.Value {
	if len(g.boxes) > 0 && g.rng.Intn(3) > 0 {
		return g.boxes[g.rng.Intn(len(g.boxes))]
	}
	v := g.op(ir.OpNew, ir.Ptr)
	v.Aux, v.Aux2 = 2, 32
	g.boxes = append(g.boxes, v)
	return v
}

// boxing stores boxes in boxes and takes them out.
func (g *generator) boxing() {
	switch g.rng.Intn(4) {
	case 0:
		g.op(ir.OpStore, ir.Void, g.box(), g.box()).Aux = 16
	case 1:
		p := g.op(ir.OpLoad, ir.Ptr, g.box())
		p.Aux = 16
		if g.rng.Intn(2) == 0 {
			g.op(ir.OpNilCheck, ir.Void, p)
		} else {
			// A box that is nil is replaced.
			q := g.box()
			c := g.op(ir.OpNe, ir.I8, p, g.constant(ir.Ptr, 0))
			p = g.op(ir.OpSelect, ir.Ptr, c, p, q)
		}
		g.boxes = append(g.boxes, p)
	case 2:
		g.op(ir.OpMove, ir.Void, g.box(), g.box()).Aux = 32
	case 3:
		x := g.op(ir.OpLoad, ir.I64, g.box())
		x.Aux = 8
		g.keep(x)
	}
}

func (g *generator) memory() {
	if g.allocs && g.rng.Intn(2) == 0 {
		g.boxing()
		return
	}
	t := scalarTypes[g.rng.Intn(len(scalarTypes)-1)]
	p := g.address(t.Size())
	at := p.v
	off := int64(g.rng.Intn(int(p.size/t.Size()))) * t.Size()
	if g.rng.Intn(3) == 0 && off >= 8 {
		at = g.op(ir.OpPtrAdd, ir.Ptr, at, g.constant(ir.I64, off-8))
		off = 8
	}
	if g.rng.Intn(2) == 0 {
		v := g.op(ir.OpLoad, t, at)
		v.Aux = off
		g.keep(v)
		return
	}
	x := g.value(t)
	g.op(ir.OpStore, ir.Void, at, x).Aux = off
}

// local accesses a local in the manner of struct fields.
func (g *generator) local() {
	if len(g.f.Locals) == 0 {
		g.memory()
		return
	}
	k := g.rng.Intn(len(g.f.Locals))
	v := g.op(ir.OpLocalAddr, ir.Ptr)
	v.Aux = int64(k)
	n := g.f.Locals[k].Size / 8
	off := int64(g.rng.Intn(int(n))) * 8
	switch g.rng.Intn(6) {
	case 0:
		g.op(ir.OpClear, ir.Void, v).Aux = 8 * n
	case 1:
		j := g.rng.Intn(len(g.f.Locals))
		w := g.op(ir.OpLocalAddr, ir.Ptr)
		w.Aux = int64(j)
		g.op(ir.OpMove, ir.Void, v, w).Aux = min(g.f.Locals[j].Size, 8*n)
	case 2:
		w := g.constant(ir.Ptr, globalBase+int64(g.rng.Intn(32))*8)
		m := g.op(ir.OpMove, ir.Void, v, w)
		if g.rng.Intn(2) == 0 {
			m.Args[0], m.Args[1] = w, v
		}
		m.Aux = 8 * n
	case 3:
		x := g.value(ir.I64)
		g.op(ir.OpStore, ir.Void, v, x).Aux = off
	default:
		x := g.op(ir.OpLoad, ir.I64, v)
		x.Aux = off
		g.keep(x)
	}
}

// index makes an access after a bounds check.
func (g *generator) index() {
	n := g.constant(ir.I64, []int64{4, 8, 16, 60}[g.rng.Intn(4)])
	i := g.value(ir.I64)
	if g.rng.Intn(3) == 0 {
		i = g.op(ir.OpAnd, ir.I64, i, g.constant(ir.I64, []int64{3, 7, 15, 31}[g.rng.Intn(4)]))
	}
	g.op(ir.OpBounds, ir.Void, i, n).Aux = int64(ir.TrapIndex)
	base := g.constant(ir.Ptr, globalBase+int64(g.rng.Intn(8))*64)
	p := g.op(ir.OpPtrIdx, ir.Ptr, base, i)
	p.Aux = 8
	if g.rng.Intn(2) == 0 {
		v := g.op(ir.OpLoad, ir.I64, p)
		g.keep(v)
		g.keep(i)
		return
	}
	g.op(ir.OpStore, ir.Void, p, g.value(ir.I64))
}

func (g *generator) bulk() {
	x := g.constant(ir.Ptr, globalBase+int64(g.rng.Intn(32))*8)
	y := g.constant(ir.Ptr, globalBase+int64(g.rng.Intn(32))*8)
	n := g.op(ir.OpAnd, ir.I64, g.value(ir.I64), g.constant(ir.I64, 63))
	switch g.rng.Intn(5) {
	case 0:
		g.op(ir.OpMoveN, ir.Void, x, y, n)
	case 1:
		g.op(ir.OpClearN, ir.Void, x, n)
	case 2:
		g.keep(g.op(ir.OpMemEq, ir.I8, x, y, n))
	case 3:
		g.keep(g.op(ir.OpMemCmp, ir.I64, x, n, y, n))
	case 4:
		g.op(ir.OpGasN, ir.Void, n)
	}
}

func (g *generator) check() {
	switch g.rng.Intn(3) {
	case 0:
		g.op(ir.OpCheck, ir.Void, g.cond()).Aux = int64(ir.TrapDivide)
	case 1:
		p := g.value(ir.Ptr)
		g.op(ir.OpNilCheck, ir.Void, p)
		g.keep(p)
	case 2:
		i, n := g.value(ir.I64), g.value(ir.I64)
		g.op(ir.OpBounds, ir.Void, i, n).Aux = int64(ir.TrapSliceB)
		g.keep(i)
		g.keep(n)
	}
}

func (g *generator) call() {
	f := g.ext[g.rng.Intn(len(g.ext))]
	if len(g.funcs) > 0 && g.rng.Intn(2) == 0 {
		f = g.funcs[g.rng.Intn(len(g.funcs))]
	}
	var args []*ir.Value
	for i, t := range f.Sig.Params {
		if i == 0 && g.boxed[f][0] {
			args = append(args, g.box())
			continue
		}
		if t == ir.Ptr && g.rng.Intn(4) > 0 {
			args = append(args, g.address(8).v)
			continue
		}
		args = append(args, g.value(t))
	}
	v := g.op(ir.OpCall, ir.Void, args...)
	v.Fn, v.Sig = f, &f.Sig
	if len(f.Sig.Results) > 0 {
		v.Type = f.Sig.Results[0]
		if g.boxed[f][1] {
			g.boxes = append(g.boxes, v)
		} else {
			g.keep(v)
		}
	}
	for i := 1; i < len(f.Sig.Results); i++ {
		r := g.op(ir.OpResult, f.Sig.Results[i], v)
		r.Aux = int64(i)
		g.keep(r)
	}
}

func (g *generator) jump(to *ir.Block) {
	g.b.Kind = ir.BlockJump
	g.b.AddEdge(to)
}

func (g *generator) ret() {
	var rs []*ir.Value
	for i, t := range g.rets {
		if i == 0 && g.boxed[g.f][1] {
			rs = append(rs, g.box())
			continue
		}
		rs = append(rs, g.value(t))
	}
	g.b.Rets = rs
	g.b.Kind = ir.BlockReturn
}

// arm generates a branch of the program and returns the block where it ends,
// nil if it returned, and the values known there.
func (g *generator) arm(b *ir.Block, to *ir.Block, depth int) []*ir.Value {
	ns, np, nb := len(g.scope), len(g.ptrs), len(g.boxes)
	g.b = b
	if g.rng.Intn(2) == 0 {
		g.gas(ir.OpGas)
	}
	if g.rng.Intn(5) > 0 {
		g.stmts(depth - 1)
	}
	var known []*ir.Value
	if g.rng.Intn(10) == 0 {
		g.ret()
	} else {
		known = append([]*ir.Value{}, g.scope...)
		g.jump(to)
	}
	g.scope, g.ptrs, g.boxes = g.scope[:ns], g.ptrs[:np], g.boxes[:nb]
	return known
}

// join makes phis of values that the predecessors know.
func (g *generator) join(b *ir.Block, known [][]*ir.Value) {
	g.b = b
	if len(b.Preds) == 0 {
		b.Kind = ir.BlockUnreachable
		// The rest is unreachable; give it a block of its own.
		g.b = g.f.NewBlock()
		return
	}
	for n := g.rng.Intn(3); n > 0; n-- {
		t := scalarTypes[g.rng.Intn(len(scalarTypes))]
		var args []*ir.Value
		for i := range b.Preds {
			args = append(args, g.known(known[i], t, b.Preds[i]))
		}
		v := g.f.NewValue(ir.OpPhi, t, args...)
		b.Append(v)
		g.keep(v)
	}
}

// boxPhi makes a phi of boxes for a join or, with one known way in, a loop.
func (g *generator) boxPhi(b *ir.Block, args ...*ir.Value) *ir.Value {
	v := g.f.NewValue(ir.OpPhi, ir.Ptr, args...)
	b.Append(v)
	return v
}

func (g *generator) known(list []*ir.Value, t ir.Type, b *ir.Block) *ir.Value {
	for i := 0; i < 8 && len(list) > 0; i++ {
		k := g.rng.Intn(len(list))
		if v := list[len(list)-1-k/2]; v.Type == t {
			return v
		}
	}
	v := g.f.NewValue(ir.OpConst, t)
	v.Aux = int64(g.rng.Intn(2))
	return b.Append(v)
}

func (g *generator) branch(depth int) {
	c := g.cond()
	b := g.b
	x, y, join := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	b.Kind, b.Ctrl = ir.BlockIf, c
	b.AddEdge(x)
	b.AddEdge(y)
	var known [][]*ir.Value
	for _, a := range []*ir.Block{x, y} {
		if k := g.arm(a, join, depth); k != nil {
			known = append(known, k)
		}
	}
	g.join(join, known)
}

func (g *generator) switchStmt(depth int) {
	c := g.value(ir.I64)
	b := g.b
	join := g.f.NewBlock()
	b.Kind, b.Ctrl = ir.BlockSwitch, c
	var known [][]*ir.Value
	n := 1 + g.rng.Intn(3)
	for i := 0; i < n; i++ {
		b.Cases = append(b.Cases, int64(i*i))
	}
	for i := 0; i <= n; i++ {
		a := g.f.NewBlock()
		b.AddEdge(a)
		if k := g.arm(a, join, depth-1); k != nil {
			known = append(known, k)
		}
	}
	g.join(join, known)
}

// chain compares one value with constants, as go/ssa does for a switch.
func (g *generator) chain(depth int) {
	x := g.op(ir.OpAnd, ir.I64, g.value(ir.I64), g.constant(ir.I64, 7))
	join := g.f.NewBlock()
	ns, np, nb := len(g.scope), len(g.ptrs), len(g.boxes)
	var known [][]*ir.Value
	for i := 0; i < 4+g.rng.Intn(3); i++ {
		if i > 0 && g.rng.Intn(2) == 0 {
			g.gas(ir.OpGas)
		}
		if g.rng.Intn(12) == 0 {
			g.arithmetic()
		}
		b := g.b
		b.Kind = ir.BlockIf
		b.Ctrl = g.op(ir.OpEq, ir.I8, x, g.constant(ir.I64, int64(g.rng.Intn(9))))
		arm, next := g.f.NewBlock(), g.f.NewBlock()
		if g.rng.Intn(3) == 0 {
			b.Ctrl.Op = ir.OpNe
			b.AddEdge(next)
			b.AddEdge(arm)
		} else {
			b.AddEdge(arm)
			b.AddEdge(next)
		}
		if k := g.arm(arm, join, depth-2); k != nil {
			known = append(known, k)
		}
		g.b = next
	}
	known = append(known, append([]*ir.Value{}, g.scope...))
	g.jump(join)
	g.scope, g.ptrs, g.boxes = g.scope[:ns], g.ptrs[:np], g.boxes[:nb]
	g.join(join, known)
}

func (g *generator) loop(depth int) {
	if g.loops >= 3 {
		return
	}
	g.loops++
	defer func() { g.loops-- }()
	pre := g.b
	zero := g.constant(ir.I64, int64(g.rng.Intn(3)))
	step := int64(1 + g.rng.Intn(2))
	bound := g.constant(ir.I64, int64(g.rng.Intn(12)))
	if g.rng.Intn(3) == 0 {
		bound = g.op(ir.OpAnd, ir.I64, g.value(ir.I64), g.constant(ir.I64, 15))
	}
	down := g.rng.Intn(4) == 0
	if down {
		zero, bound = bound, zero
		step = -step
	}
	head, body, exit := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
	g.jump(head)
	g.b = head
	iv := g.f.NewValue(ir.OpPhi, ir.I64, zero)
	head.Append(iv)
	var boxPhi *ir.Value
	if len(g.boxes) > 0 && g.rng.Intn(2) == 0 {
		boxPhi = g.boxPhi(head, g.boxes[g.rng.Intn(len(g.boxes))])
	}
	g.boxLatch = append(g.boxLatch, boxPhi)
	defer func() { g.boxLatch = g.boxLatch[:len(g.boxLatch)-1] }()
	type carried struct{ phi *ir.Value }
	var others []carried
	for n := g.rng.Intn(3); n > 0; n-- {
		t := scalarTypes[g.rng.Intn(len(scalarTypes))]
		g.b = pre
		init := g.known(g.scope, t, pre)
		g.b = head
		phi := g.f.NewValue(ir.OpPhi, t, init)
		head.Append(phi)
		others = append(others, carried{phi})
	}
	g.gas(ir.OpGasLoop)
	if boxPhi != nil {
		g.boxes = append(g.boxes, boxPhi)
	}
	ns, np, nb := len(g.scope), len(g.ptrs), len(g.boxes)
	g.keep(iv)
	for _, o := range others {
		g.keep(o.phi)
	}
	op := []ir.Op{ir.OpLtS, ir.OpLtS, ir.OpLtU, ir.OpNe, ir.OpLeS}[g.rng.Intn(5)]
	c := g.op(op, ir.I8, iv, bound)
	if down {
		c = g.op(ir.OpLtS, ir.I8, bound, iv)
	}
	if g.rng.Intn(4) == 0 {
		g.arithmetic()
	}
	head.Kind, head.Ctrl = ir.BlockIf, c
	head.AddEdge(body)
	head.AddEdge(exit)
	headScope := append([]*ir.Value{}, g.scope...)
	g.b = body
	// An access by the induction variable.
	if g.rng.Intn(2) == 0 {
		n := bound
		if g.rng.Intn(3) == 0 {
			n = g.constant(ir.I64, 12)
		}
		i := iv
		if g.rng.Intn(3) == 0 {
			i = g.op(ir.OpAdd, ir.I64, iv, g.constant(ir.I64, int64(g.rng.Intn(3)-1)))
		}
		g.op(ir.OpBounds, ir.Void, i, n).Aux = int64(ir.TrapIndex)
		m := g.op(ir.OpAnd, ir.I64, i, g.constant(ir.I64, 31))
		p := g.op(ir.OpPtrIdx, ir.Ptr, g.constant(ir.Ptr, globalBase), m)
		p.Aux = 8
		g.keep(g.op(ir.OpLoad, ir.I64, p))
	}
	g.stmts(depth - 1)
	if g.rng.Intn(4) == 0 {
		// break
		c := g.cond()
		next := g.f.NewBlock()
		g.b.Kind, g.b.Ctrl = ir.BlockIf, c
		g.b.AddEdge(exit)
		g.b.AddEdge(next)
		g.b = next
		if g.rng.Intn(2) == 0 {
			g.stmts(0)
		}
	}
	if g.rng.Intn(5) == 0 && g.b.Kind == ir.BlockInvalid {
		// continue
		c := g.cond()
		next := g.f.NewBlock()
		b := g.b
		b.Kind, b.Ctrl = ir.BlockIf, c
		g.latch(head, iv, step, others2(others, func(o carried) *ir.Value { return o.phi }))
		_ = b
		g.b = next
		// latch made a block of its own for the edge
		b.Succs = append([]*ir.Block{b.Succs[0]}, next)
		next.Preds = append(next.Preds, b)
	}
	g.latch(head, iv, step, others2(others, func(o carried) *ir.Value { return o.phi }))
	g.scope, g.ptrs, g.boxes = g.scope[:ns], g.ptrs[:np], g.boxes[:nb]
	g.b = exit
	g.scope = append(g.scope, headScope[ns:]...)
}

func others2[T any](xs []T, fn func(T) *ir.Value) []*ir.Value {
	var out []*ir.Value
	for _, x := range xs {
		out = append(out, fn(x))
	}
	return out
}

// latch ends the current block (or a new one after it, if it ends in a branch) with the edge back
// to the header.
func (g *generator) latch(head *ir.Block, iv *ir.Value, step int64, phis []*ir.Value) {
	ns, np, nb := len(g.scope), len(g.ptrs), len(g.boxes)
	defer func() { g.scope, g.ptrs, g.boxes = g.scope[:ns], g.ptrs[:np], g.boxes[:nb] }()
	if g.b.Kind != ir.BlockInvalid {
		l := g.f.NewBlock()
		g.b.AddEdge(l)
		g.b = l
	}
	if p := g.boxLatch[len(g.boxLatch)-1]; p != nil {
		p.Args = append(p.Args, g.box())
	}
	next := g.op(ir.OpAdd, ir.I64, iv, g.constant(ir.I64, step))
	iv.Args = append(iv.Args, next)
	for _, p := range phis {
		p.Args = append(p.Args, g.known(g.scope, p.Type, g.b))
	}
	g.jump(head)
}

// sum makes a chain of additions with constants, as index arithmetic does.
func (g *generator) sum() {
	x := g.value(ir.I64)
	for n := 1 + g.rng.Intn(3); n > 0; n-- {
		op := ir.OpAdd
		if g.rng.Intn(3) == 0 {
			op = ir.OpSub
		}
		x = g.op(op, ir.I64, x, g.constant(ir.I64, int64(g.rng.Intn(9)-4)))
		g.keep(x)
	}
}
