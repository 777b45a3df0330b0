package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// instr lowers one instruction.
func (c *fn) instr(in ssa.Instruction) {
	if c.instrs++; c.instrs%1024 == 0 {
		c.proceed()
	}
	switch in := in.(type) {
	case *ssa.Alloc:
		c.alloc(in)
	case *ssa.BinOp:
		c.set(in, c.binop(in))
	case *ssa.UnOp:
		c.unop(in)
	case *ssa.Call:
		c.callInstr(in)
	case *ssa.ChangeInterface:
		c.set(in, c.changeInterface(in.X.Type(), in.Type(), c.value(in.X)))
	case *ssa.ChangeType:
		c.set(in, c.value(in.X))
	case *ssa.Convert:
		c.set(in, c.convert(in.X.Type(), in.Type(), c.value(in.X)))
	case *ssa.MultiConvert:
		c.set(in, c.convert(in.X.Type(), in.Type(), c.value(in.X)))
	case *ssa.DebugRef:
		c.keepRef(in)
	case *ssa.Defer:
		c.deferInstr(in)
	case *ssa.Extract:
		c.set(in, c.tuples[in.Tuple][in.Index])
	case *ssa.Field:
		st := in.X.Type().Underlying().(*types.Struct)
		c.set(in, c.fieldOf(in.X.Type(), st, in.Field, c.value(in.X)))
	case *ssa.FieldAddr:
		st := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		p := c.one(in.X)
		c.nilcheckOf(in.X, p)
		c.set(in, val{c.offset(p, c.l.lay.Offsets(st)[in.Field])})
	case *ssa.Go:
		c.goInstr(in)
	case *ssa.If:
		c.branch(c.one(in.Cond), c.blocks[in.Block().Succs[0].Index], c.blocks[in.Block().Succs[1].Index], 0)
	case *ssa.Index:
		c.index(in)
	case *ssa.IndexAddr:
		c.indexAddr(in)
	case *ssa.Jump:
		c.jump(c.blocks[in.Block().Succs[0].Index])
	case *ssa.Lookup:
		c.lookup(in)
	case *ssa.MakeChan:
		c.makeChan(in)
	case *ssa.MakeClosure:
		c.makeClosure(in)
	case *ssa.MakeInterface:
		c.set(in, c.makeInterface(in.X.Type(), in.Type(), in.X))
	case *ssa.MakeMap:
		c.makeMap(in)
	case *ssa.MakeSlice:
		c.makeSlice(in)
	case *ssa.MapUpdate:
		c.mapUpdate(in)
	case *ssa.Next:
		c.next(in)
	case *ssa.Panic:
		if state := c.rangeState(in); state != nil {
			c.rt("panicrangestate", state)
		} else {
			v := c.value(in.X)
			c.rt("gopanic", v[0], v[1])
		}
		c.b.Kind = ir.BlockUnreachable
	case *ssa.Range:
		c.rangeInstr(in)
	case *ssa.Return:
		c.ret(in)
	case *ssa.RunDefers:
		if pos := c.returnPos(in); pos.IsValid() {
			c.at(pos)
		}
		c.rt("deferreturn", c.frameID())
	case *ssa.Select:
		c.selectInstr(in)
	case *ssa.Send:
		et := in.Chan.Type().Underlying().(*types.Chan).Elem()
		ch := c.one(in.Chan)
		c.rt("chansend1", ch, c.addr(et, c.value(in.X)))
	case *ssa.Slice:
		c.slice(in)
	case *ssa.SliceToArrayPointer:
		c.sliceToArray(in)
	case *ssa.Store:
		c.storeInstr(in)
	case *ssa.TypeAssert:
		c.typeAssert(in)
	default:
		panic(fmt.Sprintf("lower: %T", in))
	}
}

// returnPos returns the position of a function while it runs its deferred calls at an instruction.
// As in gc, that is the return statement if the compiler knows the calls there, and the closing
// brace otherwise.
func (c *fn) returnPos(in *ssa.RunDefers) token.Pos {
	instrs := in.Block().Instrs
	if ret, ok := instrs[len(instrs)-1].(*ssa.Return); ok && ret.Pos().IsValid() {
		if !c.defersKnown {
			c.openDefers, c.defersKnown = openDefers(c.src), true
		}
		if c.openDefers {
			for _, body := range c.src.AnonFuncs {
				if loop, ok := body.Syntax().(*ast.RangeStmt); ok && loop.Pos() <= ret.Pos() && ret.Pos() < loop.End() {
					return loop.Body.Rbrace // the loop returns after a body that returned
				}
			}
			return ret.Pos()
		}
	}
	return c.endPos()
}

// openDefers reports whether gc makes the deferred calls of a function at its return statements. It
// follows gc's conditions: few calls, none in a loop.
func openDefers(fn *ssa.Function) bool {
	defers, returns := 0, 0
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Defer:
				if defers++; defers > 8 || onCycle(b) {
					return false
				}
			case *ssa.Return:
				returns++
			case *ssa.Call:
				if f, ok := in.Call.Value.(*ssa.Builtin); ok && f.Name() == "ssa:deferstack" {
					return false // the body of a range-over-func loop defers calls
				}
			}
		}
	}
	return defers*returns <= 15
}

// onCycle reports whether a block can be reached from itself.
func onCycle(b *ssa.BasicBlock) bool {
	seen := make([]bool, len(b.Parent().Blocks))
	work := slices.Clone(b.Succs)
	for len(work) > 0 {
		next := work[len(work)-1]
		work = work[:len(work)-1]
		if next == b {
			return true
		}
		if !seen[next.Index] {
			seen[next.Index] = true
			work = append(work, next.Succs...)
		}
	}
	return false
}

// endPos returns the position of the function's closing brace.
func (c *fn) endPos() token.Pos {
	switch n := c.src.Syntax().(type) {
	case *ast.FuncDecl:
		if n.Body != nil {
			return n.Body.Rbrace
		}
	case *ast.FuncLit:
		return n.Body.Rbrace
	}
	return token.NoPos
}

// nilcheckOf checks a pointer unless its definition shows that it is not nil.
func (c *fn) nilcheckOf(v ssa.Value, p *ir.Value) {
	if !neverNil(v) {
		c.nilcheck(p)
	}
}

func neverNil(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.Function:
		return true
	case *ssa.FreeVar:
		// Captured variables are captured by their address; a bound method's
		// receiver is captured by value.
		fn := v.Parent()
		return fn.Parent() != nil
	}
	return false
}

// alloc makes a zeroed variable: in the shadow stack or on the heap.
func (c *fn) alloc(in *ssa.Alloc) {
	if c.skip[in] {
		return
	}
	t := in.Type().Underlying().(*types.Pointer).Elem()
	if in.Heap || c.l.lay.Sizeof(t) > maxLocal {
		p := c.new(t)
		if s := c.slots[in]; s != nil {
			c.store(c.opAux(ir.OpLocalAddr, ir.Ptr, s.Aux), p, 0)
		}
		c.set(in, val{p})
		return
	}
	size := c.l.lay.Sizeof(t)
	if size == 0 {
		// All variables of size zero have one address.
		c.set(in, val{c.ptr(c.l.zeroBaseAddr())})
		return
	}
	p := c.temp(t, in.Comment)
	c.allocs[in] = p.Aux
	if size > 0 {
		c.opAux(ir.OpClear, ir.Void, size, p)
	}
	c.set(in, val{p})
}

// new allocates a zeroed object.
func (b *builder) new(t types.Type) *ir.Value {
	size := b.l.lay.Sizeof(t)
	if size == 0 {
		return b.ptr(b.l.zeroBaseAddr())
	}
	v := b.opAux(ir.OpNew, ir.Ptr, int64(b.l.lay.HeapLayout(t)))
	v.Aux2 = size
	return v
}

// zeroBaseAddr returns the address of all variables of size zero: the overlay's zerobase.
func (l *lowerer) zeroBaseAddr() uint32 {
	if l.zeroBase == 0 {
		l.zeroBase, _ = l.runtimeVar("zerobase")
	}
	return l.zeroBase
}

// maxLocal is the largest variable that may live in the shadow stack, as in gc.
const maxLocal = 128 << 10

// isBlankField reports whether an address belongs to a field named _. Only literals store to it,
// and the value is dropped, as in gc.
func isBlankField(v ssa.Value) bool {
	fa, ok := v.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	st := fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return st.Field(fa.Field).Name() == "_"
}

func (c *fn) storeInstr(in *ssa.Store) {
	if isBlankField(in.Addr) {
		return
	}
	p := c.one(in.Addr)
	t := in.Val.Type()
	v := c.value(in.Val)
	c.nilcheckOf(in.Addr, p)
	if c.isHeaderData(in.Addr) {
		c.storeHeaderData(p, v[0])
		return
	}
	c.storeVal(t, p, 0, v)
}

func (c *fn) unop(in *ssa.UnOp) {
	switch in.Op {
	case token.MUL:
		if c.unevaluatedRange(in) {
			return
		}
		p := c.one(in.X)
		c.nilcheckOf(in.X, p)
		t := in.Type()
		if c.isHeaderData(in.X) {
			c.set(in, val{c.loadHeaderData(p)})
			return
		}
		v := c.loadVal(t, p, 0)
		if f := c.l.flat(t); f.mem && !c.readOnlyUntilUsed(in) {
			tmp := c.temp(t, "copy")
			c.move(tmp, v[0], f.size)
			v = val{tmp}
		}
		c.set(in, v)
	case token.ARROW:
		et := in.X.Type().Underlying().(*types.Chan).Elem()
		ch := c.one(in.X)
		var p *ir.Value
		if c.l.lay.Sizeof(et) == 0 {
			p = c.zero(ir.Ptr)
		} else {
			p = c.temp(et, "recv")
			c.opAux(ir.OpClear, ir.Void, c.l.lay.Sizeof(et), p)
		}
		if in.CommaOk {
			ok := c.rt("chanrecv2", ch, p)
			c.tuples[in] = []val{c.loadTemp(et, p), ok}
			return
		}
		c.rt("chanrecv1", ch, p)
		c.set(in, c.loadTemp(et, p))
	case token.NOT:
		c.set(in, val{c.not(c.one(in.X))})
	case token.SUB:
		v := c.value(in.X)
		r := make(val, len(v))
		for i, x := range v {
			if x.Type.IsFloat() {
				r[i] = c.op(ir.OpFNeg, x.Type, x)
			} else {
				r[i] = c.op(ir.OpNeg, x.Type, x)
			}
		}
		c.set(in, r)
	case token.XOR:
		x := c.one(in.X)
		c.set(in, val{c.op(ir.OpNot, x.Type, x)})
	default:
		panic("lower: unary " + in.Op.String())
	}
}

// unevaluatedRange recognises the load of an array that go/ssa makes for a range
// clause without a value, as in "for i := range *p". The language does not
// evaluate such an operand when its length is constant.
func (c *fn) unevaluatedRange(in *ssa.UnOp) bool {
	if len(*in.Referrers()) > 0 {
		return false
	}
	if _, ok := in.Type().Underlying().(*types.Array); !ok || c.src.Syntax() == nil {
		return false
	}
	found := false
	ast.Inspect(c.src.Syntax(), func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && r.Value == nil {
			if star, ok := ast.Unparen(r.X).(*ast.StarExpr); ok && star.Pos() == in.Pos() && !mayAct(star) {
				found = true
			}
		}
		return !found
	})
	return found
}

// mayAct reports whether an expression has a call or a receive. Then it is evaluated even if only
// its type matters.
func mayAct(x ast.Expr) bool {
	acts := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			acts = true
		case *ast.UnaryExpr:
			acts = acts || n.Op == token.ARROW
		}
		return !acts
	})
	return acts
}

// loadTemp loads from a temporary that is written once: no copy is needed.
func (c *fn) loadTemp(t types.Type, p *ir.Value) val {
	if c.l.lay.Sizeof(t) == 0 {
		return c.zeroVal(t)
	}
	return c.loadVal(t, p, 0)
}

// readOnlyUntilUsed reports whether all uses of a loaded aggregate come in its block before
// anything that may write memory, and only copy from it. Then the value may be the variable's own
// address.
func (c *fn) readOnlyUntilUsed(in *ssa.UnOp) bool {
	refs := in.Referrers()
	if refs == nil {
		return true
	}
	left := 0
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Store:
			if r.Val != in {
				return false
			}
		case *ssa.Field, *ssa.Index, *ssa.MakeInterface:
		case *ssa.BinOp:
		default:
			return false
		}
		if r.Block() != in.Block() {
			return false
		}
		left++
	}
	if left == 0 {
		return true
	}
	seen := false
	for _, x := range in.Block().Instrs {
		if x == ssa.Instruction(in) {
			seen = true
			continue
		}
		if !seen {
			continue
		}
		for _, op := range x.Operands(nil) {
			if *op == ssa.Value(in) {
				left--
				break
			}
		}
		// A part that is itself an aggregate is an address, so its own uses must come before a
		// write too. Only parts made of scalars are accepted.
		switch x := x.(type) {
		case *ssa.Field:
			if x.X == ssa.Value(in) && c.l.flat(x.Type()).mem {
				return false
			}
		case *ssa.Index:
			if x.X == ssa.Value(in) && c.l.flat(x.Type()).mem {
				return false
			}
		}
		if left == 0 {
			return true
		}
		switch x.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.BinOp, *ssa.UnOp, *ssa.Convert, *ssa.ChangeType,
			*ssa.Phi, *ssa.Extract, *ssa.DebugRef:
			if u, ok := x.(*ssa.UnOp); ok && u.Op == token.ARROW {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// fieldOf selects a field of a struct value.
func (c *fn) fieldOf(t types.Type, st *types.Struct, i int, v val) val {
	ft := st.Field(i).Type()
	off := c.l.lay.Offsets(st)[i]
	f := c.l.flat(t)
	if f.mem {
		return c.loadVal(ft, v[0], off)
	}
	// Scalars are in field order.
	at := 0
	for k := range i {
		at += len(c.l.flat(st.Field(k).Type()).fields)
	}
	n := len(c.l.flat(ft).fields)
	return v[at : at+n : at+n]
}

// toInt converts an integer operand of any type to int, as an index or a size:
// unsigned values beyond the range of int become negative.
func (c *fn) toInt(v ssa.Value) *ir.Value {
	return c.extend(c.one(v), v.Type(), ir.I64)
}

// extend widens an integer by its Go type's signedness.
func (b *builder) extend(x *ir.Value, t types.Type, to ir.Type) *ir.Value {
	if x.Type == to {
		return x
	}
	if x.Op == ir.OpConst {
		c := x.Aux
		if isUnsigned(t) && x.Type != ir.I64 {
			c &= 1<<x.Type.Bits() - 1
		}
		return b.iconst(to, c)
	}
	if isUnsigned(t) {
		return b.op(ir.OpZExt, to, x)
	}
	return b.op(ir.OpSExt, to, x)
}

func isUnsigned(t types.Type) bool {
	u, ok := t.Underlying().(*types.Basic)
	return ok && u.Info()&types.IsUnsigned != 0
}

func isSignedInt(t types.Type) bool {
	u, ok := t.Underlying().(*types.Basic)
	return ok && u.Info()&types.IsInteger != 0 && u.Info()&types.IsUnsigned == 0
}

func isString(t types.Type) bool {
	u, ok := t.Underlying().(*types.Basic)
	return ok && u.Info()&types.IsString != 0
}

// indexTrap picks the trap by the signedness of the index, as gc does.
func indexTrap(t types.Type, signed, unsigned ir.Trap) ir.Trap {
	if isUnsigned(t) {
		return unsigned
	}
	return signed
}

func (c *fn) indexAddr(in *ssa.IndexAddr) {
	if c.skip[in] {
		return
	}
	i := c.toInt(in.Index)
	switch t := in.X.Type().Underlying().(type) {
	case *types.Slice:
		s := c.value(in.X)
		c.bounds(i, s[1], indexTrap(in.Index.Type(), ir.TrapIndex, ir.TrapIndexU))
		c.set(in, val{c.element(s[0], i, c.l.lay.Sizeof(t.Elem()))})
	case *types.Pointer:
		at := t.Elem().Underlying().(*types.Array)
		p := c.one(in.X)
		c.nilcheckOf(in.X, p)
		c.boundsConst(in.Index, i, at.Len())
		c.set(in, val{c.element(p, i, c.l.lay.Sizeof(at.Elem()))})
	default:
		panic("lower: index of " + t.String())
	}
}

// boundsConst checks an index into an array of known length.
func (c *fn) boundsConst(index ssa.Value, i *ir.Value, n int64) {
	if i.Op == ir.OpConst && uint64(i.Aux) < uint64(n) {
		return
	}
	c.bounds(i, c.i64(n), indexTrap(index.Type(), ir.TrapIndex, ir.TrapIndexU))
}

// element returns p + i*size.
func (b *builder) element(p, i *ir.Value, size int64) *ir.Value {
	if i.Op == ir.OpConst {
		return b.offset(p, i.Aux*size)
	}
	if size == 0 {
		return p
	}
	v := b.opAux(ir.OpPtrIdx, ir.Ptr, size, p, i)
	return v
}

func (c *fn) index(in *ssa.Index) {
	i := c.toInt(in.Index)
	if isString(in.X.Type()) {
		s := c.value(in.X)
		c.bounds(i, s[1], indexTrap(in.Index.Type(), ir.TrapIndex, ir.TrapIndexU))
		c.set(in, val{c.load(ir.I8, c.element(s[0], i, 1), 0)})
		return
	}
	at := in.X.Type().Underlying().(*types.Array)
	c.boundsConst(in.Index, i, at.Len())
	v := c.value(in.X)
	if !c.l.flat(in.X.Type()).mem && at.Len() == 1 {
		c.set(in, v)
		return
	}
	p := c.addr(in.X.Type(), v)
	c.set(in, c.loadVal(in.Type(), c.element(p, i, c.l.lay.Sizeof(at.Elem())), 0))
}

func (c *fn) ret(in *ssa.Return) {
	res := c.src.Signature.Results()
	var rets []*ir.Value
	h := 0
	for i, r := range in.Results {
		v := c.value(r)
		f := c.l.flat(res.At(i).Type())
		if f.mem {
			c.move(c.hidden[h], v[0], f.size)
			h++
			continue
		}
		rets = append(rets, v...)
	}
	c.b.Kind = ir.BlockReturn
	c.b.Pos = c.pos
	c.b.Rets = rets
}

// slice lowers x[low:high:max].
func (c *fn) slice(in *ssa.Slice) {
	if c.skip[in] {
		return
	}
	var ptr, length, capacity *ir.Value
	var elem int64
	str := false
	switch t := in.X.Type().Underlying().(type) {
	case *types.Basic:
		s := c.value(in.X)
		ptr, length, capacity, elem, str = s[0], s[1], s[1], 1, true
	case *types.Slice:
		s := c.value(in.X)
		ptr, length, capacity, elem = s[0], s[1], s[2], c.l.lay.Sizeof(t.Elem())
	case *types.Pointer:
		at := t.Elem().Underlying().(*types.Array)
		ptr = c.one(in.X)
		c.nilcheckOf(in.X, ptr)
		length = c.i64(at.Len())
		capacity, elem = length, c.l.lay.Sizeof(at.Elem())
	}
	var low, high, max *ir.Value
	lowT, highT, maxT := types.Type(types.Typ[types.Int]), types.Type(types.Typ[types.Int]),
		types.Type(types.Typ[types.Int])
	if in.Low != nil {
		low, lowT = c.toInt(in.Low), in.Low.Type()
	} else {
		low = c.i64(0)
	}
	if in.High != nil {
		high, highT = c.toInt(in.High), in.High.Type()
	} else {
		high = length
	}
	if in.Max != nil {
		max, maxT = c.toInt(in.Max), in.Max.Type()
	}
	// leu checks a <= b unsigned. It emits no check that is plainly true.
	leu := func(a, b *ir.Value, trap ir.Trap) {
		if a == b || a.IsConst(0) || a.Op == ir.OpConst && b.Op == ir.OpConst && uint64(a.Aux) <= uint64(b.Aux) {
			return
		}
		c.check(c.op(ir.OpLeU, ir.I8, a, b), trap, a, b)
	}
	acap := func(t types.Type, three bool) ir.Trap {
		isArray := false
		if _, ok := in.X.Type().Underlying().(*types.Slice); !ok {
			isArray = true
		}
		switch {
		case three && isArray:
			return indexTrap(t, ir.TrapSlice3Alen, ir.TrapSlice3AlenU)
		case three:
			return indexTrap(t, ir.TrapSlice3Acap, ir.TrapSlice3AcapU)
		case isArray:
			return indexTrap(t, ir.TrapSliceAlen, ir.TrapSliceAlenU)
		}
		return indexTrap(t, ir.TrapSliceAcap, ir.TrapSliceAcapU)
	}
	newCap := capacity
	if a, ok := in.X.(*ssa.Alloc); ok && a.Comment == "makeslice" && in.High != nil {
		// go/ssa's form of make([]T, n, constant).
		maxElems := maxLen(elem)
		if high.Op != ir.OpConst || uint64(high.Aux) > uint64(min(maxElems, capacity.Aux)) {
			c.check(c.op(ir.OpLeU, ir.I8, high, c.i64(maxElems)), ir.TrapMakeSliceLen)
			c.check(c.op(ir.OpLeU, ir.I8, high, capacity), ir.TrapMakeSliceCap)
		}
	} else if max != nil {
		leu(max, capacity, acap(maxT, true))
		leu(high, max, indexTrap(highT, ir.TrapSlice3B, ir.TrapSlice3BU))
		leu(low, high, indexTrap(lowT, ir.TrapSlice3C, ir.TrapSlice3CU))
		newCap = max
	} else {
		if in.High != nil {
			leu(high, capacity, acap(highT, false))
		}
		leu(low, high, indexTrap(lowT, ir.TrapSliceB, ir.TrapSliceBU))
	}
	if low.IsConst(0) {
		if str {
			c.set(in, val{ptr, high})
		} else {
			c.set(in, val{ptr, high, newCap})
		}
		return
	}
	at := low
	if c.own && importsUnsafe(c.src) {
		// The package may look at the pointer: it is the one that gc gives.
		end := high
		if !str {
			end = newCap
		}
		at = c.op(ir.OpSelect, ir.I64, c.op(ir.OpEq, ir.I8, end, low), c.i64(0), low)
	}
	// Otherwise the pointer of an empty one may lie just past the end of the object. It keeps nothing alive.
	r := val{c.element(ptr, at, elem), c.op(ir.OpSub, ir.I64, high, low)}
	if !str {
		r = append(r, c.op(ir.OpSub, ir.I64, newCap, low))
	}
	c.set(in, r)
}

func (c *fn) sliceToArray(in *ssa.SliceToArrayPointer) {
	s := c.value(in.X)
	n := in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
	want := c.i64(n)
	c.check(c.op(ir.OpLeU, ir.I8, want, s[1]), ir.TrapSliceConvert, want, s[1])
	c.set(in, val{s[0]})
}

func (c *fn) makeSlice(in *ssa.MakeSlice) {
	et := in.Type().Underlying().(*types.Slice).Elem()
	length := c.toInt(in.Len)
	capacity := length
	if in.Cap != in.Len {
		capacity = c.toInt(in.Cap)
	}
	size := c.l.lay.Sizeof(et)
	maxElems := maxLen(size)
	if size > 0 {
		maxElems = (1<<32 - 1) / size
	}
	if length.Op == ir.OpConst && capacity.Op == ir.OpConst && uint64(length.Aux) <= uint64(capacity.Aux) &&
		uint64(capacity.Aux) <= uint64(maxElems) {
		if size*capacity.Aux == 0 {
			c.set(in, val{c.ptr(c.l.zeroBaseAddr()), length, capacity})
			return
		}
		p := c.opAux(ir.OpNew, ir.Ptr, int64(c.l.lay.HeapLayout(et)))
		p.Aux2 = size * capacity.Aux
		c.set(in, val{p, length, capacity})
		return
	}
	// A size out of range panics before the call is charged. The range is gc's, so that the panics
	// are gc's. A size within it that exceeds our memory ends with the memory limit.
	maxElems = maxLen(size)
	c.check(c.op(ir.OpLeU, ir.I8, length, c.i64(maxElems)), ir.TrapMakeSliceLen)
	if capacity != length {
		ok := c.op(ir.OpAnd, ir.I8, c.op(ir.OpLeU, ir.I8, length, capacity), c.op(ir.OpLeU, ir.I8, capacity, c.i64(maxElems)))
		c.check(ok, ir.TrapMakeSliceCap)
	}
	p := c.rt("makeslice", c.typeAddr(et), length, capacity)
	c.set(in, val{p[0], length, capacity})
}

// maxLen returns the greatest length of a slice of elements of a size, as in gc.
func maxLen(size int64) int64 {
	if size == 0 {
		return math.MaxInt64
	}
	return 1 << 48 / size
}

// typeAddr returns the address of a type's descriptor.
func (b *builder) typeAddr(t types.Type) *ir.Value { return b.ptr(b.l.lay.Type(t)) }

func isNilConst(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value == nil
}

func constInt(v ssa.Value) (int64, bool) {
	k, ok := v.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(k.Value)
}
