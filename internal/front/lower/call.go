package lower

import (
	"go/types"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/ir"
	"golang.org/x/tools/go/ssa"
)

// callInstr lowers a call whose results are used here.
func (c *fn) callInstr(in *ssa.Call) {
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		c.builtin(in, b)
		return
	}
	if c.isInitCall(in) {
		// In gc the runtime calls it, not the function that initialises variables.
		defer func(pos ir.Pos) { c.pos = pos }(c.pos)
		c.pos = c.l.hiddenPos(c.pos)
	}
	call := c.commonOf(&in.Call)
	res := call.Signature().Results()
	parts := c.callCommon(call)
	for _, p := range c.l.keptPointers(call) {
		c.keepAlive(c.one(p))
	}
	c.keepCall(in, call, parts)
	switch res.Len() {
	case 0:
	case 1:
		c.set(in, parts[0])
	default:
		c.tuples[in] = parts
	}
	if callee := in.Call.StaticCallee(); callee != nil && c.l.noReturn(callee) {
		c.b.Kind = ir.BlockUnreachable
		c.b = c.f.NewBlock() // what follows is unreachable
	}
}

// isInitCall reports whether a call calls a function init of the source.
func (c *fn) isInitCall(in *ssa.Call) bool {
	callee := in.Call.StaticCallee()
	return c.src.Synthetic == "package initializer" && callee != nil && strings.HasPrefix(callee.Name(), "init#")
}

// keptPointers returns the pointers that a call must keep alive: the arguments converted to uintptr
// of a function with the directive go:uintptrescapes, also in its variadic part.
func (l *lowerer) keptPointers(call *ssa.CallCommon) (ps []ssa.Value) {
	callee := call.StaticCallee()
	if callee == nil || l.prog.Pragma(callee)&(directive.UintptrEscapes|directive.UintptrKeepAlive) == 0 {
		return nil
	}
	add := func(v ssa.Value) {
		if k, ok := v.(*ssa.Convert); ok {
			if b, ok := k.X.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
				ps = append(ps, k.X)
			}
		}
	}
	for _, a := range call.Args {
		add(a)
		sl, ok := a.(*ssa.Slice)
		if !ok {
			continue
		}
		array, ok := sl.X.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, r := range *array.Referrers() {
			if at, ok := r.(*ssa.IndexAddr); ok {
				for _, u := range *at.Referrers() {
					if st, ok := u.(*ssa.Store); ok && st.Addr == ssa.Value(at) {
						add(st.Val)
					}
				}
			}
		}
	}
	return ps
}

func (b *builder) keepAlive(p *ir.Value) { b.host("keepalive", p) }

// noReturn recognises the functions of the overlay that never return.
func (l *lowerer) noReturn(fn *ssa.Function) bool {
	return fn.Pkg != nil && l.stdPath(fn) == "runtime" && fn.Name() == "ir_unwind"
}

// callCommon lowers a call and returns its Go results.
func (c *fn) callCommon(call *ssa.CallCommon) []val {
	args := make([]val, 0, len(call.Args))
	for _, a := range call.Args {
		args = append(args, c.value(a))
	}
	sig := call.Signature()
	switch {
	case call.IsInvoke():
		iface := c.value(call.Value)
		return c.invoke(call, iface, args)
	case call.StaticCallee() != nil && !isClosureValue(call.Value):
		callee := call.StaticCallee()
		if r, ok := c.intrinsic(callee, call, args); ok {
			return r
		}
		f := c.l.funcOf(callee)
		return c.emitCall(sig, args, func(all []*ir.Value, s *ir.Sig) *ir.Value {
			v := c.op(ir.OpCall, ir.Void, all...)
			v.Fn = f
			return v
		}, &f.Sig)
	}
	if h := c.keyHash(call, args); h != nil {
		return one(h)
	}
	fv := c.one(call.Value)
	if _, ok := call.Value.(*ssa.MakeClosure); !ok {
		c.nilcheck(fv)
	}
	return c.callClosure(sig, fv, args)
}

func isClosureValue(v ssa.Value) bool {
	_, ok := v.(*ssa.MakeClosure)
	return ok
}

// callClosure calls a function value that is not nil.
func (c *builder) callClosure(sig *types.Signature, fv *ir.Value, args []val) []val {
	s := c.l.sigOf(sig)
	shape := c.l.shapeOf(sig, false) + 1
	return c.emitCall(sig, args, func(all []*ir.Value, s *ir.Sig) *ir.Value {
		v := c.op(ir.OpCallClosure, ir.Void, append([]*ir.Value{fv}, all...)...)
		v.Shape = shape
		return v
	}, &s)
}

// emitCall flattens arguments, adds addresses for memory results, and groups the returned scalars
// into Go results. The signature s is the callee's.
func (c *builder) emitCall(sig *types.Signature, args []val, mk func([]*ir.Value, *ir.Sig) *ir.Value, s *ir.Sig) []val {
	var all []*ir.Value
	res := sig.Results()
	parts := make([]val, res.Len())
	for i := range res.Len() {
		t := res.At(i).Type()
		if c.l.flat(t).mem {
			p := c.temp(t, "result")
			parts[i] = val{p}
			all = append(all, p)
		}
	}
	for _, a := range args {
		all = append(all, a...)
	}
	r := c.results(mk(all, s), s)
	for i := range parts {
		if parts[i] == nil {
			n := len(c.l.flat(res.At(i).Type()).fields)
			parts[i] = r[:n:n]
			r = r[n:]
		}
	}
	return parts
}

// invoke calls a method through an interface.
func (c *fn) invoke(call *ssa.CallCommon, iface val, args []val) []val {
	c.nilcheck(iface[0])
	return c.invokeMethod(call.Value.Type(), call.Method, iface, args)
}

func (c *builder) invokeMethod(it types.Type, m *types.Func, iface val, args []val) []val {
	c.l.invoke(m)
	k := c.l.methodIndex(it, m)
	idx := c.load(ir.I64, iface[0], itabFun+8*int64(k))
	sig := m.Type().(*types.Signature)
	s := c.l.sigOf(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
	// The receiver word takes the place of a pointer-shaped receiver.
	n := c.l.hiddenResults(sig)
	ps := append([]ir.Type{}, s.Params[:n]...)
	ps = append(ps, ir.Ptr)
	s.Params = append(ps, s.Params[n:]...)
	return c.emitCall(sig, append([]val{{iface[1]}}, args...), func(all []*ir.Value, s *ir.Sig) *ir.Value {
		return c.op(ir.OpCallIndex, ir.Void, append([]*ir.Value{idx}, all...)...)
	}, &s)
}

// itabFun is the offset of an itab's method table.
const itabFun = 24

// builtinStmt lowers a call of a predeclared function without results.
func (c *fn) builtinStmt(name string, args []ssa.Value) {
	switch name {
	case "clear":
		c.clearCall(args[0])
	case "close":
		c.rt("closechan", c.one(args[0]))
	case "delete":
		c.mapDelete(args[0], args[1])
	case "panic":
		v := c.value(args[0])
		c.rt("gopanic", v[0], v[1])
		c.b.Kind = ir.BlockUnreachable
	case "print", "println":
		c.print(args, name == "println")
	}
}

// builtin lowers a call of a predeclared function.
func (c *fn) builtin(in *ssa.Call, b *ssa.Builtin) {
	args := in.Call.Args
	switch b.Name() {
	case "append":
		c.appendCall(in)
	case "cap":
		c.set(in, val{c.lenCap(args[0], true)})
	case "len":
		c.set(in, val{c.lenCap(args[0], false)})
	case "clear", "close", "delete", "panic", "print", "println":
		c.builtinStmt(b.Name(), args)
	case "complex":
		c.set(in, val{c.one(args[0]), c.one(args[1])})
	case "real":
		c.set(in, c.value(args[0])[:1:1])
	case "imag":
		c.set(in, c.value(args[0])[1:2:2])
	case "copy":
		c.set(in, val{c.copyCall(args[0], args[1])})
	case "max", "min":
		c.set(in, c.minMax(b.Name() == "min", in.Type(), args))
	case "recover":
		c.f.Flags |= ir.HasRecover
		c.set(in, c.rt("gorecover", c.frameID()))
	case "ssa:wrapnilchk":
		p := c.one(args[0])
		nonNil := c.op(ir.OpNe, ir.I8, p, c.zero(ir.Ptr))
		bad, good := c.f.NewBlock(), c.f.NewBlock()
		c.branch(nonNil, good, bad, 1)
		c.b = bad
		c.rt("panicwrap", append(c.value(args[1]), c.value(args[2])...)...)
		c.b.Kind = ir.BlockUnreachable
		c.b = good
		c.set(in, val{p})
	case "ssa:deferstack":
		// The function's activation names its defer stack. The type is that of a pointer.
		c.set(in, val{c.op(ir.OpIntToPtr, ir.Ptr, c.frameID())})
	case "Add":
		c.set(in, val{c.op(ir.OpPtrAdd, ir.Ptr, c.one(args[0]), c.toInt(args[1]))})
	case "Slice":
		c.set(in, c.unsafeSlice(args[0], args[1]))
	case "SliceData":
		c.set(in, c.value(args[0])[:1:1])
	case "String":
		c.set(in, c.unsafeString(args[0], args[1]))
	case "StringData":
		c.set(in, c.value(args[0])[:1:1])
	case "Sizeof":
		c.set(in, val{c.i64(c.l.lay.Sizeof(args[0].Type()))})
	case "Alignof":
		c.set(in, val{c.i64(c.l.lay.Alignof(args[0].Type()))})
	case "Offsetof":
		c.set(in, val{c.i64(c.fieldOffset(args[0]))})
	default:
		panic("lower: builtin " + b.Name())
	}
}

// fieldOffset returns the offset of a selected field in its struct.
func (c *fn) fieldOffset(v ssa.Value) int64 {
	switch v := v.(type) {
	case *ssa.Field:
		return c.l.lay.Offsets(v.X.Type().Underlying().(*types.Struct))[v.Field]
	case *ssa.UnOp:
		return c.fieldOffset(v.X)
	case *ssa.FieldAddr:
		st := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		off := c.l.lay.Offsets(st)[v.Field]
		// The offset of a promoted field counts from the outer struct.
		if x, ok := v.X.(*ssa.FieldAddr); ok {
			if o := x.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct); o.Field(x.Field).Embedded() {
				off += c.fieldOffset(x)
			}
		}
		return off
	}
	panic("lower: Offsetof of " + v.String())
}

func (c *fn) lenCap(x ssa.Value, isCap bool) *ir.Value {
	t := x.Type().Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Array:
		return c.i64(t.Len())
	case *types.Slice:
		if isCap {
			return c.value(x)[2]
		}
		return c.value(x)[1]
	case *types.Basic:
		return c.value(x)[1]
	case *types.Chan:
		if isCap {
			return c.rt("chancap", c.one(x))[0]
		}
		return c.rt("chanlen", c.one(x))[0]
	case *types.Map:
		m := c.one(x)
		return c.cond(c.op(ir.OpEq, ir.I8, m, c.zero(ir.Ptr)), -1,
			func() val { return val{c.i64(0)} },
			func() val { return val{c.load(ir.I64, m, 0)} })[0] // Map.used
	}
	panic("lower: len of " + t.String())
}

func (c *fn) clearCall(x ssa.Value) {
	switch t := x.Type().Underlying().(type) {
	case *types.Map:
		m := c.one(x)
		c.rt("mapclear", c.typeAddr(x.Type()), m, c.lenCap(x, false))
	case *types.Slice:
		s := c.value(x)
		n := c.op(ir.OpMul, ir.I64, s[1], c.i64(c.l.lay.Sizeof(t.Elem())))
		c.op(ir.OpClearN, ir.Void, s[0], n)
	}
}

// minOf returns the smaller of two ints.
func (b *builder) minOf(x, y *ir.Value) *ir.Value {
	return b.op(ir.OpSelect, ir.I64, b.op(ir.OpLtS, ir.I8, x, y), x, y)
}

func (c *fn) copyCall(dst, src ssa.Value) *ir.Value {
	d, s := c.value(dst), c.value(src)
	size := c.l.lay.Sizeof(dst.Type().Underlying().(*types.Slice).Elem())
	n := c.minOf(d[1], s[1])
	bytes := n
	if size != 1 {
		bytes = c.op(ir.OpMul, ir.I64, n, c.i64(size))
	}
	c.moveElements(dst.Type().Underlying().(*types.Slice).Elem(), d[0], s[0], bytes)
	return n
}

// moveElements copies n bytes of elements.
func (c *fn) moveElements(elem types.Type, dst, src, n *ir.Value) {
	v := c.op(ir.OpMoveN, ir.Void, dst, src, n)
	if !c.l.lay.HasPointers(elem) {
		v.Aux2 = 1
	}
}

func (c *fn) minMax(isMin bool, t types.Type, args []ssa.Value) val {
	u := t.Underlying().(*types.Basic)
	r := c.value(args[0])
	for _, a := range args[1:] {
		x := c.value(a)
		switch info := u.Info(); {
		case info&types.IsString != 0:
			cmp := c.op(ir.OpMemCmp, ir.I64, x[0], x[1], r[0], r[1])
			less := c.op(ir.OpLtS, ir.I8, cmp, c.i64(0))
			if !isMin {
				less = c.op(ir.OpLtS, ir.I8, c.i64(0), cmp)
			}
			r = val{c.op(ir.OpSelect, ir.Ptr, less, x[0], r[0]), c.op(ir.OpSelect, ir.I64, less, x[1], r[1])}
		case info&types.IsFloat != 0:
			name := map[bool]string{true: "fmin64", false: "fmax64"}[isMin]
			mt := r[0].Type
			v := c.rt(name, c.floatTo(ir.F64, r[0]), c.floatTo(ir.F64, x[0]))
			r = val{c.floatTo(mt, v[0])}
		default:
			op := ir.OpLtS
			if info&types.IsUnsigned != 0 {
				op = ir.OpLtU
			}
			less := c.op(op, ir.I8, x[0], r[0])
			if !isMin {
				less = c.op(op, ir.I8, r[0], x[0])
			}
			r = val{c.op(ir.OpSelect, r[0].Type, less, x[0], r[0])}
		}
	}
	return r
}

func (c *fn) print(args []ssa.Value, ln bool) {
	c.rt("printlock")
	for i, a := range args {
		if ln && i > 0 {
			c.rt("printsp")
		}
		v := c.value(a)
		switch t := a.Type().Underlying().(type) {
		case *types.Basic:
			switch info := t.Info(); {
			case info&types.IsBoolean != 0:
				c.rt("printbool", v[0])
			case info&types.IsString != 0:
				c.rt("printstring", v...)
			case t.Kind() == types.UnsafePointer || t.Kind() == types.UntypedNil:
				c.rt("printpointer", v[0])
			case t.Kind() == types.Complex64:
				c.rt("printcomplex64", v...)
			case info&types.IsComplex != 0:
				c.rt("printcomplex", v...)
			case t.Kind() == types.Float32:
				c.rt("printfloat32", v[0])
			case info&types.IsFloat != 0:
				c.rt("printfloat", v[0])
			case info&types.IsUnsigned != 0:
				c.rt("printuint", c.extend(v[0], t, ir.I64))
			default:
				c.rt("printint", c.extend(v[0], t, ir.I64))
			}
		case *types.Slice:
			c.rt("printslice", v...)
		case *types.Interface:
			if t.NumMethods() == 0 {
				c.rt("printeface", v...)
			} else {
				c.rt("printiface", v...)
			}
		default:
			c.rt("printpointer", v[0])
		}
	}
	if ln {
		c.rt("printnl")
	}
	c.rt("printunlock")
}

func (c *fn) unsafeSlice(p, n ssa.Value) val {
	ptr, length := c.one(p), c.toInt(n)
	elem := p.Type().Underlying().(*types.Pointer).Elem()
	c.unsafeCheck(ptr, length, c.l.lay.Sizeof(elem), ir.TrapUnsafeSliceLen, ir.TrapUnsafeSliceNil)
	return val{ptr, length, length}
}

func (c *fn) unsafeString(p, n ssa.Value) val {
	ptr, length := c.one(p), c.toInt(n)
	c.unsafeCheck(ptr, length, 1, ir.TrapUnsafeStringLen, ir.TrapUnsafeStringNil)
	return val{ptr, length}
}

// unsafeCheck requires a length in range, and a pointer unless the length is 0.
func (c *fn) unsafeCheck(ptr, n *ir.Value, size int64, lenTrap, nilTrap ir.Trap) {
	maxLen := int64(1<<32 - 1)
	if size > 1 {
		maxLen /= size
	}
	c.check(c.op(ir.OpLeU, ir.I8, n, c.i64(maxLen)), lenTrap)
	ok := c.op(ir.OpOr, ir.I8, c.op(ir.OpNe, ir.I8, ptr, c.zero(ir.Ptr)), c.op(ir.OpEq, ir.I8, n, c.i64(0)))
	c.check(ok, nilTrap)
	// The elements must end within the address space.
	bytes := n
	if size > 1 {
		bytes = c.op(ir.OpMul, ir.I64, n, c.i64(size))
	}
	room := c.op(ir.OpSub, ir.I64, c.i64(1<<32), c.op(ir.OpPtrToInt, ir.I64, ptr))
	c.check(c.op(ir.OpLeU, ir.I8, bytes, room), lenTrap)
}
