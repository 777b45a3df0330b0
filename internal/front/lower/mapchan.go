package lower

import (
	"errors"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// mapVariant names the specialised entry points that gc uses for a map type.
func (l *lowerer) mapVariant(m *types.Map) string {
	if l.lay.Sizeof(m.Elem()) > 128 {
		return ""
	}
	switch k := m.Key().Underlying().(type) {
	case *types.Basic:
		switch {
		case k.Info()&types.IsString != 0:
			return "_faststr"
		case k.Info()&types.IsInteger != 0 && l.lay.Sizeof(k) == 4:
			return "_fast32"
		case k.Info()&types.IsInteger != 0 && l.lay.Sizeof(k) == 8:
			return "_fast64"
		}
	}
	return ""
}

// mapFunc finds a map operation. The map package provides accesses by linkname, and the overlay
// provides the rest.
func (l *lowerer) mapFunc(name string) *ir.Func {
	const path, prefix = "internal/runtime/maps", "runtime_"
	if l.base != nil {
		if f := l.base.fn(path + "." + prefix + name); f != nil {
			return f
		}
	} else if fn := l.prog.Std(path).SSA.Func(prefix + name); fn != nil {
		return l.funcOf(fn)
	}
	return l.runtimeFunc(name)
}

// mapKey returns the operands for a key: its scalars for the specialised functions, else its
// address.
func (c *fn) mapKey(variant string, t types.Type, k val) []*ir.Value {
	if variant != "" {
		return k
	}
	return []*ir.Value{c.addr(t, k)}
}

func (c *fn) makeMap(in *ssa.MakeMap) {
	var hint *ir.Value
	if in.Reserve != nil {
		hint = c.toInt(in.Reserve)
	}
	most := c.maxHint(in.Type().Underlying().(*types.Map))
	if hint == nil || hint.Op == ir.OpConst && (hint.Aux <= 8 || hint.Aux > most) {
		c.set(in, c.rt("makemap_small"))
		return
	}
	if hint.Op != ir.OpConst {
		// A negative or too large number is no hint and costs nothing.
		hint = c.op(ir.OpSelect, ir.I64, c.op(ir.OpLeU, ir.I8, hint, c.i64(most)), hint, c.i64(0))
	}
	c.set(in, c.rt("makemap", c.typeAddr(in.Type()), hint))
}

// maxHint is the largest number of entries for which maps.NewMap makes room. Its tables have
// 1,024 slots, seven of eight in use, and their number is a power of two. All of them fit in
// the largest memory.
func (b *builder) maxHint(m *types.Map) int64 {
	const slots, group = 1024, 8
	table := slots * b.l.lay.MapInfo(m).GroupSize
	if table > 1<<32 {
		return 0
	}
	n := int64(slots)
	for ; 2*table <= 1<<32; table *= 2 {
		n *= 2
	}
	return ((group-1)*(n+1) - 1) / group
}

// maxChanElem is the size of the largest elements of channels, as in gc.
const maxChanElem = 1<<16 - 1

func (c *fn) makeChan(in *ssa.MakeChan) {
	if t := in.Type().Underlying().(*types.Chan).Elem(); c.l.lay.Sizeof(t) > maxChanElem {
		// The loader checks all types but those in instances of generic functions.
		panic(&SizeError{c.l.prog.Fset.Position(in.Pos()), errors.New("channel element type too large (>64kB)")})
	}
	c.set(in, c.rt("makechan", c.typeAddr(in.Type()), c.toInt(in.Size)))
}

func (c *fn) lookup(in *ssa.Lookup) {
	m := in.X.Type().Underlying().(*types.Map)
	if u := updateOf(in); u != nil {
		p := c.mapElem(in.X, in.Index)
		c.elems[u] = p
		c.set(in, c.copyOut(m.Elem(), p))
		return
	}
	variant := c.l.mapVariant(m)
	k := c.value(in.Index)
	args := append([]*ir.Value{c.typeAddr(in.X.Type()), c.one(in.X)}, c.mapKey(variant, m.Key(), k)...)
	name := "mapaccess1"
	if in.CommaOk {
		name = "mapaccess2"
	}
	big := c.l.lay.Sizeof(m.Elem()) > 1024
	if big {
		// A missing key yields the shared zero value, which is 1,024 bytes long.
		name = "mapaccess2"
	}
	r := c.call(c.l.mapFunc(name+variant), args...)
	p := r[0]
	if big {
		p = c.op(ir.OpSelect, ir.Ptr, r[1], p, c.ptr(c.l.zeroMem(c.l.lay.Sizeof(m.Elem()))))
	}
	v := c.copyOut(m.Elem(), p)
	if in.CommaOk {
		c.tuples[in] = []val{v, {r[1]}}
		return
	}
	c.set(in, v)
}

// copyOut loads a value that may change in memory later.
func (c *fn) copyOut(t types.Type, p *ir.Value) val {
	if c.l.lay.Sizeof(t) == 0 {
		return c.zeroVal(t)
	}
	v := c.loadVal(t, p, 0)
	if f := c.l.flat(t); f.mem {
		tmp := c.temp(t, "copy")
		c.move(tmp, v[0], f.size)
		return val{tmp}
	}
	return v
}

func (c *fn) mapUpdate(in *ssa.MapUpdate) {
	p, v := c.elems[in], c.value(in.Value)
	if p == nil {
		p = c.mapElem(in.Map, in.Key)
	}
	if t := in.Map.Type().Underlying().(*types.Map).Elem(); c.l.lay.Sizeof(t) > 0 {
		c.storeVal(t, p, 0, v)
	}
}

// mapElem makes an entry for a key if there is none, and returns the address of its element.
func (c *fn) mapElem(x, key ssa.Value) *ir.Value {
	m := x.Type().Underlying().(*types.Map)
	variant := c.l.mapVariant(m)
	args := append([]*ir.Value{c.typeAddr(x.Type()), c.one(x)}, c.mapKey(variant, m.Key(), c.value(key))...)
	return c.call(c.l.mapFunc("mapassign"+variant), args...)[0]
}

// updateOf finds the update of m[k] op= x and of m[k] = append(m[k], x...), as which one search for the
// key is enough: in is m[k], and only the new value reads it. As with gc, the key is there when the new
// value is computed, except by a division. What lies between cannot panic, nor see or change the map.
func updateOf(in *ssa.Lookup) *ssa.MapUpdate {
	if in.CommaOk {
		return nil
	}
	only := func(v ssa.Value) ssa.Instruction {
		if list := *v.Referrers(); len(list) == 1 && list[0].Block() == in.Block() {
			return list[0]
		}
		return nil
	}
	result, ok := only(in).(ssa.Value)
	if !ok {
		return nil
	}
	u, ok := only(result).(*ssa.MapUpdate)
	if !ok || u.Map != in.X || u.Key != in.Index || u.Value != result {
		return nil
	}
	switch r := result.(type) {
	case *ssa.BinOp:
		if r.Op == token.QUO || r.Op == token.REM || r.X != ssa.Value(in) {
			return nil
		}
	case *ssa.Call:
		if b, ok := r.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" || r.Call.Args[0] != in {
			return nil
		}
	default:
		return nil
	}
	list := in.Block().Instrs
	list = list[slices.Index(list, ssa.Instruction(in))+1:]
	for _, x := range list[:slices.Index(list, ssa.Instruction(u))] {
		switch x := x.(type) {
		case *ssa.Alloc, *ssa.ChangeType, *ssa.Convert, *ssa.DebugRef, *ssa.Extract, *ssa.Field, *ssa.MakeInterface:
		case *ssa.BinOp, *ssa.Call:
			if x.(ssa.Value) != result {
				return nil
			}
		case *ssa.UnOp:
			switch x.X.(type) {
			case *ssa.Alloc, *ssa.FreeVar, *ssa.Global: // a variable
			default:
				return nil
			}
		// The array of the operands of append.
		case *ssa.IndexAddr:
			_, array := x.X.(*ssa.Alloc)
			if _, known := x.Index.(*ssa.Const); !array || !known {
				return nil
			}
		case *ssa.Slice:
			if _, array := x.X.(*ssa.Alloc); !array || x.Low != nil || x.High != nil || x.Max != nil {
				return nil
			}
		case *ssa.Store:
			if a, ok := x.Addr.(*ssa.IndexAddr); !ok || a.Block() != in.Block() || slices.Index(list, ssa.Instruction(a)) < 0 {
				return nil
			}
		default:
			return nil
		}
	}
	return u
}

// keyHash is the hash of a key where a function of the map package for one kind of keys calls the hasher
// of the map's type: what the hasher would compute, without the call and without the key in memory. The
// result is nil elsewhere.
func (c *fn) keyHash(call *ssa.CallCommon, args []val) *ir.Value {
	if c.l.stdPath(c.src) != "internal/runtime/maps" || len(args) != 2 {
		return nil
	}
	load, ok := call.Value.(*ssa.UnOp)
	if !ok {
		return nil
	}
	if field, ok := load.X.(*ssa.FieldAddr); !ok || field.X != ssa.Value(c.src.Params[0]) { // typ.Hasher
		return nil
	}
	key := func() val { return c.value(c.src.Params[2]) }
	switch seed, name := args[1][0], c.src.Name(); {
	case strings.HasSuffix(name, "_fast32"):
		return c.hashWord(c.op(ir.OpZExt, ir.I64, key()[0]), seed, 4)
	case strings.HasSuffix(name, "_fast64"):
		return c.hashWord(key()[0], seed, 8)
	case strings.HasSuffix(name, "_faststr"):
		k := key()
		c.rt("charge", k[1], c.i64(ir.HashWeight))
		return c.op(ir.OpMemHash, ir.I64, k[0], seed, k[1])
	}
	return nil
}

// hashWord is OpMemHash of n bytes, 8 at most, that are the word x.
func (c *fn) hashWord(x, seed *ir.Value, n uint64) *ir.Value {
	word := func(k uint64) *ir.Value { return c.i64(int64(k)) }
	fold := func(x *ir.Value, k uint64) *ir.Value {
		y := word(k)
		return c.op(ir.OpXor, ir.I64, c.op(ir.OpMulHiU, ir.I64, x, y), c.op(ir.OpMul, ir.I64, x, y))
	}
	h := fold(c.op(ir.OpXor, ir.I64, seed, word(ir.HashSeed)), n^ir.HashLast)
	h = fold(c.op(ir.OpXor, ir.I64, h, x), ir.HashLast)
	return c.op(ir.OpAnd, ir.I64, c.op(ir.OpXor, ir.I64, h, c.op(ir.OpShrU, ir.I64, h, c.i64(32))), c.i64(math.MaxUint32))
}

func (c *fn) mapDelete(x, key ssa.Value) {
	m := x.Type().Underlying().(*types.Map)
	k := c.value(key)
	c.call(c.l.mapFunc("mapdelete"), c.typeAddr(x.Type()), c.one(x), c.addr(m.Key(), k))
}

// rangeInstr starts an iteration over a map or a string. Its state is a local:
// the map package's iterator, or the next byte's index.
func (c *fn) rangeInstr(in *ssa.Range) {
	if isString(in.X.Type()) {
		p := c.temp(types.Typ[types.Int], "range")
		c.store(p, c.i64(0), 0)
		c.iters[in] = p
		return
	}
	it := c.l.iterType()
	p := c.temp(it, "iter")
	c.opAux(ir.OpClear, ir.Void, c.l.lay.Sizeof(it), p)
	c.call(c.l.iterMethod("Init"), p, c.typeAddr(in.X.Type()), c.one(in.X))
	c.iters[in] = p
}

func (l *lowerer) iterType() types.Type {
	return l.prog.Std("internal/runtime/maps").Types.Scope().Lookup("Iter").Type()
}

func (l *lowerer) iterMethod(name string) *ir.Func {
	t := types.NewPointer(l.iterType())
	sel := types.NewMethodSet(t).Lookup(nil, name)
	return l.funcOf(l.prog.SSA.MethodValue(sel))
}

func (c *fn) next(in *ssa.Next) {
	p := c.iters[in.Iter]
	rng := in.Iter.(*ssa.Range)
	if in.IsString {
		s := c.value(rng.X)
		i := c.load(ir.I64, p, 0)
		more := c.op(ir.OpLtS, ir.I8, i, s[1])
		r := c.cond(more, 1, func() val {
			b := c.load(ir.I8, c.element(s[0], i, 1), 0)
			x := c.op(ir.OpZExt, ir.I32, b)
			r := c.cond(c.op(ir.OpLtU, ir.I8, x, c.iconst(ir.I32, 0x80)), 1, func() val {
				return val{x, c.op(ir.OpAdd, ir.I64, i, c.i64(1))}
			}, func() val {
				return c.rt("decoderune", s[0], s[1], i)
			})
			c.store(p, r[1], 0)
			return val{r[0]}
		}, func() val { return val{c.iconst(ir.I32, 0)} })
		c.tuples[in] = []val{{more}, {i}, r}
		return
	}
	m := rng.X.Type().Underlying().(*types.Map)
	c.call(c.l.iterMethod("Next"), p)
	key := c.load(ir.Ptr, p, 0)
	elem := c.load(ir.Ptr, p, 8)
	ok := c.op(ir.OpNe, ir.I8, key, c.zero(ir.Ptr))
	useK, useV := false, false
	for _, r := range *in.Referrers() {
		if e, isExtract := r.(*ssa.Extract); isExtract {
			useK = useK || e.Index == 1
			useV = useV || e.Index == 2
		}
	}
	// At the end key and element are nil: nothing is loaded.
	var kv, vv val
	load := func(use bool, t types.Type, p *ir.Value) val {
		if !use || c.l.lay.Sizeof(t) == 0 {
			return nil
		}
		f := c.l.flat(t)
		if f.mem {
			tmp := c.temp(t, "copy")
			src := c.cond(ok, 1, func() val { return val{p} }, func() val { return val{c.ptr(c.l.zeroMem(f.size))} })
			c.move(tmp, src[0], f.size)
			return val{tmp}
		}
		return c.cond(ok, 1, func() val { return c.loadVal(t, p, 0) }, func() val { return c.zeroVal(t) })
	}
	kv = load(useK, m.Key(), key)
	vv = load(useV, m.Elem(), elem)
	if kv == nil && useK {
		kv = c.zeroVal(m.Key())
	}
	if vv == nil && useV {
		vv = c.zeroVal(m.Elem())
	}
	c.tuples[in] = []val{{ok}, kv, vv}
}

// scase is the overlay's record of a select case: channel, element, direction.
const scaseSize, scaseElem, scaseSend = 24, 8, 16

func (c *fn) selectInstr(in *ssa.Select) {
	n := len(in.States)
	ptrs := make([]uint64, (3*n+63)/64)
	for i := range n {
		for _, w := range []int{3 * i, 3*i + 1} {
			ptrs[w/64] |= 1 << (w % 64)
		}
	}
	cases := c.zero(ir.Ptr)
	if n > 0 {
		cases = c.opAux(ir.OpLocalAddr, ir.Ptr,
			c.f.AddLocal(ir.Local{Name: "select", Size: scaseSize * int64(n), Align: 8, Ptrs: ptrs}))
	}
	recv := make([]*ir.Value, n)
	// Operands were evaluated before; now lay the cases out.
	for i, s := range in.States {
		et := s.Chan.Type().Underlying().(*types.Chan).Elem()
		off := scaseSize * int64(i)
		c.store(cases, c.one(s.Chan), off)
		send := s.Dir == types.SendOnly
		var p *ir.Value
		switch {
		case send:
			p = c.addr(et, c.value(s.Send))
		case c.l.lay.Sizeof(et) == 0:
			p = c.zero(ir.Ptr)
		default:
			p = c.temp(et, "recv")
			c.opAux(ir.OpClear, ir.Void, c.l.lay.Sizeof(et), p)
			recv[i] = p
		}
		c.store(cases, p, off+scaseElem)
		c.store(cases, c.bool(send), off+scaseSend)
	}
	if n == 1 && in.States[0].Pos.IsValid() {
		c.at(in.States[0].Pos) // in gc it is an operation of the channel
	}
	r := c.rt("selectgo", cases, c.i64(int64(n)), c.bool(in.Blocking))
	parts := []val{{r[0]}, {r[1]}}
	for i, s := range in.States {
		if s.Dir == types.SendOnly {
			continue
		}
		et := s.Chan.Type().Underlying().(*types.Chan).Elem()
		if recv[i] == nil {
			parts = append(parts, c.zeroVal(et))
		} else {
			parts = append(parts, c.loadVal(et, recv[i], 0))
		}
	}
	c.tuples[in] = parts
}
