package lower

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// appendCall lowers append(s, x...): grow when the capacity is short, then copy.
func (c *fn) appendCall(in *ssa.Call) {
	args := in.Call.Args
	s := c.value(args[0])
	if len(args) == 1 {
		c.set(in, s)
		return
	}
	elemT := in.Type().Underlying().(*types.Slice).Elem()
	size := c.l.lay.Sizeof(elemT)
	var count *ir.Value
	var src *ir.Value
	var elems []ssa.Value
	if sl, ok := args[1].(*ssa.Slice); ok && c.varargs[sl] != nil {
		elems = c.varargs[sl]
		count = c.i64(int64(len(elems)))
	} else {
		if isNilConst(args[1]) {
			c.set(in, s)
			return
		}
		x := c.value(args[1])
		src, count = x[0], x[1]
	}
	n := c.op(ir.OpAdd, ir.I64, s[1], count)
	fits := c.op(ir.OpLeU, ir.I8, n, s[2])
	var place *ir.Value // of the header that the result replaces
	if elems != nil {
		if load := c.appendsInPlace(in); load != nil {
			place = c.one(load.X)
		}
	}
	grown := c.cond(fits, 1, func() val { return val{s[0], s[2]} }, func() val {
		r := c.rt("growslice", s[0], n, s[2], count, c.typeAddr(elemT))
		if place != nil {
			c.store(place, r[0], 0)
			c.store(place, r[2], 16)
		}
		return val{r[0], r[2]}
	})
	if place != nil {
		c.store(place, n, 8)
	}
	if elems != nil {
		for i, e := range elems {
			at := s[1]
			if i > 0 {
				at = c.op(ir.OpAdd, ir.I64, at, c.i64(int64(i)))
			}
			if size > 0 {
				c.storeVal(elemT, c.element(grown[0], at, size), 0, c.value(e))
			}
		}
	} else if size > 0 {
		bytes := count
		if size != 1 {
			bytes = c.op(ir.OpMul, ir.I64, count, c.i64(size))
		}
		c.moveElements(elemT, c.element(grown[0], s[1], size), src, bytes)
	}
	c.set(in, val{grown[0], n, grown[1]})
}

// findVarargs finds the arrays that go/ssa makes for append's elements: the elements of such an
// array are stored once, and the array is only used as the slice. The elements then go straight to
// their place.
func (c *fn) findVarargs() {
	for _, b := range c.src.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || len(call.Call.Args) != 2 {
				continue
			}
			if bi, ok := call.Call.Value.(*ssa.Builtin); !ok || bi.Name() != "append" {
				continue
			}
			if sl, ok := call.Call.Args[1].(*ssa.Slice); ok {
				c.foldVarargs(call, sl)
			}
		}
	}
}

func (c *fn) foldVarargs(call *ssa.Call, sl *ssa.Slice) {
	a, ok := sl.X.(*ssa.Alloc)
	if !ok || sl.Low != nil || sl.High != nil || sl.Max != nil || a.Comment != "varargs" || sl.Block() != call.Block() ||
		a.Block() != call.Block() {
		return
	}
	if refs := sl.Referrers(); refs == nil || len(*refs) != 1 {
		return
	}
	n := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
	elems := make([]ssa.Value, n)
	var drop []ssa.Instruction
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Slice:
			if r != sl {
				return
			}
		case *ssa.IndexAddr:
			i, ok := constInt(r.Index)
			if !ok || i < 0 || i >= n || len(*r.Referrers()) != 1 {
				return
			}
			st, ok := (*r.Referrers())[0].(*ssa.Store)
			if !ok || st.Addr != ssa.Value(r) || elems[i] != nil || st.Block() != call.Block() {
				return
			}
			if c.l.flat(st.Val.Type()).mem {
				return // the copy would be read after the array's
			}
			elems[i] = st.Val
			drop = append(drop, r, st)
		default:
			return
		}
	}
	for _, e := range elems {
		if e == nil {
			return
		}
	}
	for _, d := range drop {
		c.skip[d] = true
	}
	c.skip[a], c.skip[sl] = true, true
	c.varargs[sl] = elems
}

// appendsInPlace returns the load of the slice to which a call appends elements, if the result replaces
// it at once: x = append(x, …). As in gc, only growth then writes pointer and capacity, and all of the
// header is written before the elements. The store is dropped.
func (c *fn) appendsInPlace(in *ssa.Call) *ssa.UnOp {
	load, ok := in.Call.Args[0].(*ssa.UnOp)
	if !ok || load.Op != token.MUL || load.Block() != in.Block() {
		return nil
	}
	var store *ssa.Store
	for _, r := range *in.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Val == ssa.Value(in) {
			if store != nil {
				return nil
			}
			store = st
		}
	}
	if store == nil || store.Block() != in.Block() || !samePlace(in.Block(), load.X, store.Addr) || isBlankField(store.Addr) {
		return nil
	}
	// Nothing may change the header or the way to it from the first load on. New objects may be filled.
	within := false
	fresh := map[ssa.Value]bool{}
	for _, x := range in.Block().Instrs {
		switch {
		case x == ssa.Instruction(store):
			if !within {
				return nil
			}
			c.skip[store] = true
			return load
		case x == ssa.Instruction(load):
			within = true
		case !within:
			within = leadsTo(x, load.X)
		case x == ssa.Instruction(in) || c.skip[x] || !mayWrite(x):
		default:
			switch x := x.(type) {
			case *ssa.Alloc:
				if !x.Heap {
					return nil
				}
				fresh[x] = true
			case *ssa.Store:
				if !fresh[object(x.Addr)] {
					return nil
				}
			default:
				return nil
			}
		}
	}
	return nil
}

// object returns the address of the object that an address points into.
func object(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		default:
			return addr
		}
	}
}

// leadsTo reports whether an instruction is a load on the way to an address.
func leadsTo(x ssa.Instruction, addr ssa.Value) bool {
	for {
		load, ok := object(addr).(*ssa.UnOp)
		if !ok || x == ssa.Instruction(load) {
			return ok
		}
		addr = load.X
	}
}

// samePlace reports whether two addresses, or values, are equal if no memory changes in a block.
func samePlace(in *ssa.BasicBlock, a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && samePlace(in, a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && samePlace(in, a.X, b.X) && samePlace(in, a.Index, b.Index)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == token.MUL && b.Op == token.MUL && a.Block() == in && b.Block() == in && samePlace(in, a.X, b.X)
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		if !ok {
			return false
		}
		x, isInt := constInt(a)
		y, isToo := constInt(b)
		return isInt && isToo && x == y
	}
	return false
}

// mayWrite reports whether an instruction may write to memory, or run code that does.
func mayWrite(x ssa.Instruction) bool {
	switch x := x.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.BinOp, *ssa.ChangeType, *ssa.ChangeInterface,
		*ssa.Extract, *ssa.Slice, *ssa.MakeInterface, *ssa.DebugRef:
		return false
	case *ssa.UnOp:
		return x.Op == token.ARROW
	case *ssa.Convert:
		from, _ := x.X.Type().Underlying().(*types.Basic)
		to, _ := x.Type().Underlying().(*types.Basic)
		return from == nil || to == nil || from.Info()&types.IsNumeric == 0 || to.Info()&types.IsNumeric == 0
	}
	return true
}
