package layout

import (
	"encoding/binary"
	"go/types"
	"math"
	"slices"
	"sort"
	"strings"
)

// methodSet returns the methods of t in the order of its method table. Interfaces have none: their
// methods are in the interface part of the descriptor.
func (b *Builder) methodSet(t types.Type) []*types.Selection {
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if types.IsInterface(u) {
			return nil
		}
	case *types.Struct:
	case *types.Pointer:
		switch types.Unalias(u.Elem()).(type) {
		case *types.Named, *types.Struct:
		default:
			return nil
		}
	default:
		return nil
	}
	ms := b.methods.MethodSet(t)
	list := make([]*types.Selection, 0, ms.Len())
	for sel := range ms.Methods() {
		if m := sel.Obj().(*types.Func); m.Name() != "_" && m.Signature().TypeParams().Len() == 0 { // a generic method is in no method set
			list = append(list, sel)
		}
	}
	slices.SortFunc(list, func(x, y *types.Selection) int {
		return compareMethods(x.Obj().(*types.Func), y.Obj().(*types.Func))
	})
	return list
}

// InterfaceMethods returns the methods of an interface in the order of its
// descriptor and of its itabs. The caller must not change the slice.
func (b *Builder) InterfaceMethods(it *types.Interface) []*types.Func {
	list, ok := b.imethods[it]
	if !ok {
		list = make([]*types.Func, it.NumMethods())
		for i := range list {
			list[i] = it.Method(i)
		}
		slices.SortFunc(list, compareMethods)
		b.imethods[it] = list
	}
	return list
}

// MethodIndex returns the place of method m in the itabs (Fun) of an interface
// type, or -1.
func (b *Builder) MethodIndex(it *types.Interface, m *types.Func) int {
	return slices.IndexFunc(b.InterfaceMethods(it), func(x *types.Func) bool { return x == m || x.Id() == m.Id() })
}

// compareMethods orders methods as in descriptors and itabs: exported ones by name, then the others
// by name and package path.
func compareMethods(x, y *types.Func) int {
	switch ex, ey := x.Exported(), y.Exported(); {
	case ex && !ey:
		return -1
	case ey && !ex:
		return 1
	case ex || x.Name() != y.Name() || x.Pkg() == nil || y.Pkg() == nil:
		return strings.Compare(x.Name(), y.Name())
	}
	return strings.Compare(x.Pkg().Path(), y.Pkg().Path())
}

// writeUncommon writes the UncommonType and the method table of d.
func (b *Builder) writeUncommon(d *desc) {
	a := d.addr + d.fixed
	pkg := typePkg(d.typ)
	n := len(d.methods)
	if n > math.MaxUint16 {
		b.fail("too many methods on %v", d.typ)
		return
	}
	exported := sort.Search(n, func(i int) bool { return !d.methods[i].Obj().Exported() })
	moff := sizeUncommon + uint32(d.tail)

	var u [12]byte
	binary.LittleEndian.PutUint32(u[0:], b.pkgPath(pkg))
	binary.LittleEndian.PutUint16(u[4:], uint16(n))
	binary.LittleEndian.PutUint16(u[6:], uint16(exported))
	binary.LittleEndian.PutUint32(u[8:], moff)
	b.SetBytes(a, u[:])

	for i, sel := range d.methods {
		at := a + moff + uint32(sizeMethod*i)
		m := sel.Obj().(*types.Func)
		b.SetInt32(at, int32(b.methodName(m, pkg)))
		b.SetInt32(at+4, int32(b.ref(sel.Type())))
		b.SetInt32(at+8, -1)
		b.SetInt32(at+12, -1)
		if b.hooks.Method != nil {
			b.hooks.Method(d.typ, sel, at+8, at+12)
		}
	}
}

// typePkg returns the package of the name of t. For an unnamed array, slice, pointer or channel it
// returns that of its element.
func typePkg(t types.Type) *types.Package {
	switch u := t.(type) {
	case *types.Array:
		t = u.Elem()
	case *types.Slice:
		t = u.Elem()
	case *types.Pointer:
		t = u.Elem()
	case *types.Chan:
		t = u.Elem()
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Pkg()
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return types.Unsafe
		}
	}
	return nil
}

// itabKey names an itab by descriptors.
type itabKey struct{ iface, concrete uint32 }

// Itab returns the address of the itab of a concrete type for an interface with
// methods: {Inter, Type, Hash, Fun[n]}, methods in the interface's order. If the
// type does not implement the interface, Fun[0] is 0.
func (b *Builder) Itab(iface, concrete types.Type) uint32 {
	it, ok := iface.Underlying().(*types.Interface)
	if !ok || it.NumMethods() == 0 || types.IsInterface(concrete) {
		b.fail("no itab of %v for %v", concrete, iface)
		return 0
	}
	inter, typ := b.desc(iface), b.desc(concrete)
	key := itabKey{inter.addr, typ.addr}
	if addr, ok := b.itabs[key]; ok {
		return addr
	}
	methods := b.InterfaceMethods(it)
	sels := b.implement(typ, methods)
	n := max(len(sels), 1)
	addr := b.place(ItabThing, typ.key+" for "+inter.key, int64(24+8*n), 8)
	b.itabs[key] = addr
	b.setPtr(addr, inter.addr)
	b.setPtr(addr+8, typ.addr)
	b.SetInt32(addr+16, int32(hashString(typ.key)))
	if b.hooks.ItabFun != nil {
		for i, sel := range sels {
			b.hooks.ItabFun(typ.typ, sel, addr+24+uint32(8*i))
		}
	}
	b.writeAll()
	return addr
}

// implement returns the methods of d that implement an interface, or nil if one is missing. Both
// lists are in the same order.
func (b *Builder) implement(d *desc, methods []*types.Func) []*types.Selection {
	sels := make([]*types.Selection, 0, len(methods))
	have := d.methods
	for _, m := range methods {
		for len(have) > 0 && compareMethods(have[0].Obj().(*types.Func), m) < 0 {
			have = have[1:]
		}
		if len(have) == 0 || compareMethods(have[0].Obj().(*types.Func), m) != 0 ||
			!types.Identical(have[0].Type(), m.Type()) {
			return nil
		}
		sels = append(sels, have[0])
		have = have[1:]
	}
	return sels
}
