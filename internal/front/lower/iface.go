package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// makeInterface converts a concrete value to an interface.
func (c *fn) makeInterface(t, it types.Type, x ssa.Value) val {
	var tab *ir.Value
	if iface := it.Underlying().(*types.Interface); iface.NumMethods() == 0 {
		tab = c.typeAddr(t)
	} else {
		tab = c.ptr(c.l.lay.Itab(it, t))
	}
	if k, ok := x.(*ssa.Const); ok {
		if a, ok := c.l.staticBox(t, k); ok {
			return val{tab, c.ptr(a)}
		}
	}
	return val{tab, c.box(t, c.value(x))}
}

// staticBox returns the address of a read-only boxed constant.
func (l *lowerer) staticBox(t types.Type, k *ssa.Const) (uint32, bool) {
	u, ok := t.Underlying().(*types.Basic)
	if !ok || k.Value == nil || u.Kind() == types.UnsafePointer {
		return 0, false
	}
	if l.lay.Sizeof(t) == 1 {
		return l.staticBytesAddr() + 8*uint32(l.constBytes(k)[0]), true
	}
	// As in gc, interfaces of one constant hold one address: a panic with the recovered value shows
	// it.
	b := string(l.constBytes(k))
	a, ok := l.boxes[b]
	if !ok {
		a = l.lay.Bytes([]byte(b), 8)
		l.boxes[b] = a
	}
	return a, true
}

// box returns the data word of an interface holding a value: the value itself
// when it is a pointer, else the address of a copy.
func (c *fn) box(t types.Type, v val) *ir.Value {
	if c.l.directIface(t) {
		return v[0]
	}
	size := c.l.lay.Sizeof(t)
	if size == 0 {
		return c.ptr(c.l.zeroBaseAddr())
	}
	alloc := func() val {
		p := c.new(t)
		c.storeVal(t, p, 0, v)
		return val{p}
	}
	f := c.l.flat(t)
	if f.mem || len(f.fields) != 1 || !f.fields[0].typ.IsInt() {
		if len(f.fields) > 0 && isZeroCheckedBox(t) {
			// Empty strings and nil slices share the zero value, as in gc.
			key := v[0]
			if isString(t) {
				return c.cond(c.op(ir.OpEq, ir.I8, v[1], c.i64(0)), 0, func() val { return val{c.ptr(c.l.zeroMem(f.size))} },
					alloc)[0]
			}
			return c.cond(c.op(ir.OpEq, ir.I8, key, c.zero(ir.Ptr)), 0, func() val { return val{c.ptr(c.l.zeroMem(f.size))} },
				alloc)[0]
		}
		return alloc()[0]
	}
	// Small integers come from a static table, as in gc.
	x := v[0]
	if x.Type != ir.I64 {
		x = c.op(ir.OpZExt, ir.I64, x)
	}
	if size == 1 {
		return c.element(c.ptr(c.l.staticBytesAddr()), x, 8)
	}
	return c.cond(c.op(ir.OpLtU, ir.I8, x, c.i64(256)), 0, func() val {
		return val{c.element(c.ptr(c.l.staticBytesAddr()), x, 8)}
	}, alloc)[0]
}

// isZeroCheckedBox reports types whose zero value gc boxes without allocating.
func isZeroCheckedBox(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		return true
	}
	return false
}

// staticBytesAddr returns the address of a table of the words 0 to 255.
func (l *lowerer) staticBytesAddr() uint32 {
	if l.staticBytes == 0 {
		buf := make([]byte, 256*8)
		for i := range 256 {
			buf[i*8] = byte(i)
		}
		l.staticBytes = l.lay.Bytes(buf, 8)
	}
	return l.staticBytes
}

// unbox is the inverse of box.
func (c *fn) unbox(t types.Type, data *ir.Value) val {
	if c.l.directIface(t) {
		return val{data}
	}
	if c.l.lay.Sizeof(t) == 0 {
		return c.zeroVal(t)
	}
	return c.loadVal(t, data, 0)
}

// typeWord returns the type of an interface value, nil for a nil interface.
func (c *fn) typeWord(it types.Type, tab *ir.Value) *ir.Value {
	if it.Underlying().(*types.Interface).NumMethods() == 0 {
		return tab
	}
	return c.cond(c.op(ir.OpEq, ir.I8, tab, c.zero(ir.Ptr)), -1,
		func() val { return val{c.zero(ir.Ptr)} },
		func() val { return val{c.load(ir.Ptr, tab, 8)} })[0]
}

func (c *fn) changeInterface(from, to types.Type, v val) val {
	ft, tt := from.Underlying().(*types.Interface), to.Underlying().(*types.Interface)
	if types.Identical(ft, tt) {
		return v
	}
	typ := c.typeWord(from, v[0])
	if tt.NumMethods() == 0 {
		return val{typ, v[1]}
	}
	tab := c.cond(c.op(ir.OpEq, ir.I8, typ, c.zero(ir.Ptr)), -1,
		func() val { return val{c.zero(ir.Ptr)} },
		func() val { return c.rt("getitab", c.typeAddr(to), typ, c.bool(false)) })[0]
	return val{tab, v[1]}
}

func (c *fn) typeAssert(in *ssa.TypeAssert) {
	x := c.value(in.X)
	if c.nilChecks[in] {
		c.nilcheck(x[0])
		return
	}
	from, to := in.X.Type(), in.AssertedType
	if it, ok := to.Underlying().(*types.Interface); ok {
		c.assertIface(in, x, from, to, it)
		return
	}
	eface := from.Underlying().(*types.Interface).NumMethods() == 0
	is := c.op(ir.OpEq, ir.I8, c.typeWord(from, x[0]), c.typeAddr(to))
	if in.CommaOk {
		f := c.l.flat(to)
		if f.mem {
			// The value is the box, which is never written, or zero.
			r := c.cond(is, 0, func() val { return val{x[1]} }, func() val { return val{c.ptr(c.l.zeroMem(f.size))} })
			c.tuples[in] = []val{r, {is}}
			return
		}
		r := c.cond(is, 0, func() val { return c.unbox(to, x[1]) }, func() val { return c.zeroVal(to) })
		c.tuples[in] = []val{r, {is}}
		return
	}
	good, bad := c.f.NewBlock(), c.f.NewBlock()
	c.branch(is, good, bad, 1)
	c.b = bad
	if eface {
		c.rt("panicdottypeE", x[0], c.typeAddr(to), c.typeAddr(from))
	} else {
		c.rt("panicdottypeI", x[0], c.typeAddr(to), c.typeAddr(from))
	}
	c.b.Kind = ir.BlockUnreachable
	c.b = good
	c.set(in, c.unbox(to, x[1]))
}

func (c *fn) assertIface(in *ssa.TypeAssert, x val, from, to types.Type, it *types.Interface) {
	typ := c.typeWord(from, x[0])
	isNil := c.op(ir.OpEq, ir.I8, typ, c.zero(ir.Ptr))
	if in.CommaOk {
		if it.NumMethods() == 0 {
			c.tuples[in] = []val{{typ, x[1]}, {c.not(isNil)}}
			return
		}
		tab := c.cond(isNil, 0, func() val { return val{c.zero(ir.Ptr)} },
			func() val { return c.rt("getitab", c.typeAddr(to), typ, c.bool(true)) })[0]
		ok := c.op(ir.OpNe, ir.I8, tab, c.zero(ir.Ptr))
		data := c.op(ir.OpSelect, ir.Ptr, ok, x[1], c.zero(ir.Ptr))
		c.tuples[in] = []val{{tab, data}, {ok}}
		return
	}
	good, bad := c.f.NewBlock(), c.f.NewBlock()
	c.branch(isNil, bad, good, -1)
	c.b = bad
	c.rt("panicnildottype", c.typeAddr(to))
	c.b.Kind = ir.BlockUnreachable
	c.b = good
	if it.NumMethods() == 0 {
		c.set(in, val{typ, x[1]})
		return
	}
	c.set(in, val{c.rt("getitab", c.typeAddr(to), typ, c.bool(false))[0], x[1]})
}
