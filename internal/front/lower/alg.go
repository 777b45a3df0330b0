package lower

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// Equality and hash functions of types. Descriptors hold them as func(p, q unsafe.Pointer) bool and
// func(p unsafe.Pointer, h uintptr) uintptr.

var equalSig = ir.Sig{Params: []ir.Type{ir.Ptr, ir.Ptr}, Results: []ir.Type{ir.I8}}
var hashSig = ir.Sig{Params: []ir.Type{ir.Ptr, ir.I64}, Results: []ir.Type{ir.I64}}

// equalClosure is the layout's hook for abi.Type.Equal.
func (l *lowerer) equalClosure(t types.Type) uint32 { return l.lay.Closure(l.equalFunc(t).Index) }

// equalFunc returns the function that compares two values of a type in memory.
func (l *lowerer) equalFunc(t types.Type) *ir.Func {
	if f, ok := l.equals.At(t).(*ir.Func); ok {
		return f
	}
	name := "type:.eq." + l.lay.LinkString(t)
	if f := l.base.fn(name); f != nil {
		return f
	}
	f := l.newFunc(name, equalSig, ir.NoPreempt|ir.Wrapper)
	l.equals.Set(t, f)
	l.queue = append(l.queue, func() {
		l.equalBody(f, func(b *builder, p, q *ir.Value) *ir.Value { return b.equalMem(t, p, q, 0) })
	})
	return f
}

func (l *lowerer) equalBody(f *ir.Func, equal func(b *builder, p, q *ir.Value) *ir.Value) {
	b := builder{l: l, f: f}
	b.b = f.NewBlock()
	p := b.opAux(ir.OpArg, ir.Ptr, 0)
	q := b.opAux(ir.OpArg, ir.Ptr, 1)
	r := equal(&b, p, q)
	b.b.Rets = val{r}
	b.b.Kind = ir.BlockReturn
}

// equalMem compares two values of a type in memory.
func (b *builder) equalMem(t types.Type, p, q *ir.Value, off int64) *ir.Value {
	size := b.l.lay.Sizeof(t)
	if size == 0 {
		return b.bool(true)
	}
	if b.l.plainMemory(t) {
		switch size {
		case 1, 2, 4, 8:
			mt := map[int64]ir.Type{1: ir.I8, 2: ir.I16, 4: ir.I32, 8: ir.I64}[size]
			if b.l.lay.Alignof(t) == size {
				return b.op(ir.OpEq, ir.I8, b.load(mt, p, off), b.load(mt, q, off))
			}
		}
		return b.op(ir.OpMemEq, ir.I8, b.offset(p, off), b.offset(q, off), b.i64(size))
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		offs := b.l.lay.Offsets(u)
		apart := b.l.comparisons(u) > mostComparisons
		var parts []comparison
		for i := range u.NumFields() {
			fd := u.Field(i)
			if fd.Name() == "_" || b.l.lay.Sizeof(fd.Type()) == 0 {
				continue
			}
			o := offs[i]
			if apart && b.l.comparisons(fd.Type()) > fewComparisons {
				parts = append(parts, func(b *builder, p, q *ir.Value, off int64) *ir.Value {
					return b.call(b.l.equalFunc(fd.Type()), b.offset(p, off+o), b.offset(q, off+o))[0]
				})
				continue
			}
			parts = append(parts, func(b *builder, p, q *ir.Value, off int64) *ir.Value { return b.equalMem(fd.Type(), p, q, off+o) })
		}
		return b.compareAll(b.l.inGroups(u, parts), p, q, off)
	case *types.Array:
		if u.Len() == 1 {
			return b.equalMem(u.Elem(), p, q, off)
		}
		return b.equalLoop(u, p, q, off)
	}
	return b.equal(t, b.loadVal(t, p, off), b.loadVal(t, q, off))
}

// A comparison compares a part of two values in memory, at an offset.
type comparison func(b *builder, p, q *ir.Value, off int64) *ir.Value

func (b *builder) compareAll(parts []comparison, p, q *ir.Value, off int64) *ir.Value {
	list := make([]func() *ir.Value, len(parts))
	for i, f := range parts {
		list[i] = func() *ir.Value { return f(b, p, q, off) }
	}
	return b.all(list)
}

// inGroups distributes the comparisons of a struct with more than mostComparisons parts over
// functions, so that no function becomes large: compiling a function at its first call cannot be
// interrupted everywhere.
func (l *lowerer) inGroups(u *types.Struct, parts []comparison) []comparison {
	if len(parts) <= mostComparisons {
		return parts
	}
	if list, ok := l.grouped.At(u).([]comparison); ok {
		return list
	}
	name := "type:.eq." + l.lay.LinkString(u)
	for len(parts) > mostComparisons {
		var groups []comparison
		for group := range slices.Chunk(parts, mostComparisons) {
			f := l.newFunc(fmt.Sprintf("%s.%d", name, len(groups)), equalSig, ir.NoPreempt|ir.Wrapper)
			l.queue = append(l.queue, func() {
				l.equalBody(f, func(b *builder, p, q *ir.Value) *ir.Value { return b.compareAll(group, p, q, 0) })
			})
			groups = append(groups, func(b *builder, p, q *ir.Value, off int64) *ir.Value {
				return b.call(f, b.offset(p, off), b.offset(q, off))[0]
			})
		}
		name, parts = name+".", groups
	}
	l.grouped.Set(u, parts)
	return parts
}

// If a struct takes more than mostComparisons written out, a field that takes more than
// fewComparisons is compared by the function of its type. So the code for types grows with their
// declarations, not with their parts.
const (
	mostComparisons = 128
	fewComparisons  = 8
)

// comparisons returns how many parts of a type are compared one by one, written out. A loop
// compares the elements of an array.
func (l *lowerer) comparisons(t types.Type) int {
	if n, ok := l.compared[t]; ok {
		return n
	}
	n := 1
	switch u := t.Underlying().(type) {
	case *types.Array:
		n = l.comparisons(u.Elem())
	case *types.Struct:
		if l.plainMemory(u) {
			break
		}
		n = 0
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() != "_" && l.lay.Sizeof(f.Type()) > 0 {
				n = min(n+l.comparisons(f.Type()), mostComparisons+1)
			}
		}
	}
	l.compared[t] = n
	return n
}

// equalLoop compares arrays element by element.
func (b *builder) equalLoop(a *types.Array, p, q *ir.Value, off int64) *ir.Value {
	size := b.l.lay.Sizeof(a.Elem())
	p, q = b.offset(p, off), b.offset(q, off)
	head, body, next, yes, no, join := b.f.NewBlock(), b.f.NewBlock(), b.f.NewBlock(), b.f.NewBlock(), b.f.NewBlock(),
		b.f.NewBlock()
	zero := b.i64(0)
	b.jump(head)
	b.b = head
	i := b.op(ir.OpPhi, ir.I64, zero)
	b.branch(b.op(ir.OpLtS, ir.I8, i, b.i64(a.Len())), body, yes, 1)
	b.b = body
	eq := b.equalMem(a.Elem(), b.element(p, i, size), b.element(q, i, size), 0)
	b.branch(eq, next, no, 1)
	b.b = next
	i.Args = append(i.Args, b.op(ir.OpAdd, ir.I64, i, b.i64(1)))
	b.jump(head)
	b.b = yes
	t := b.bool(true)
	b.jump(join)
	b.b = no
	f := b.bool(false)
	b.jump(join)
	b.b = join
	return b.phi(ir.I8, t, f)
}

// plainMemory reports whether equal values of a type are equal bytes.
func (l *lowerer) plainMemory(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsFloat|types.IsComplex) == 0
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Array:
		return l.plainMemory(u.Elem())
	case *types.Struct:
		end := int64(0)
		offs := l.lay.Offsets(u)
		for i := range u.NumFields() {
			fd := u.Field(i)
			if fd.Name() == "_" || offs[i] != end || !l.plainMemory(fd.Type()) {
				return false
			}
			end = offs[i] + l.lay.Sizeof(fd.Type())
		}
		return end == l.lay.Sizeof(u)
	}
	return false
}

// hasherClosure is the layout's hook for abi.MapType.Hasher.
func (l *lowerer) hasherClosure(t types.Type) uint32 {
	f, ok := l.hashers.At(t).(*ir.Func)
	name := "type:.hash." + l.lay.LinkString(t)
	if !ok {
		if f = l.base.fn(name); f != nil {
			return l.lay.Closure(f.Index)
		}
		f = l.newFunc(name, hashSig, ir.NoPreempt|ir.Wrapper)
		l.hashers.Set(t, f)
		l.queue = append(l.queue, func() { l.hashBody(f, t) })
	}
	return l.lay.Closure(f.Index)
}

func (l *lowerer) hashBody(f *ir.Func, t types.Type) {
	b := builder{l: l, f: f}
	b.b = f.NewBlock()
	p := b.opAux(ir.OpArg, ir.Ptr, 0)
	h := b.opAux(ir.OpArg, ir.I64, 1)
	var r *ir.Value
	switch {
	case l.plainMemory(t):
		r = b.op(ir.OpMemHash, ir.I64, p, h, b.i64(l.lay.Sizeof(t)))
	case isString(t):
		n := b.load(ir.I64, p, 8)
		r = b.op(ir.OpMemHash, ir.I64, b.load(ir.Ptr, p, 0), h, n)
	default:
		r = b.rt("typehash", b.typeAddr(t), p, h)[0]
	}
	b.b.Rets = val{r}
	b.b.Kind = ir.BlockReturn
}
