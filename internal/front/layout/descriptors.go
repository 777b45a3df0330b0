package layout

import (
	"go/types"
	"math"
	"slices"
	"sort"
	"strings"
)

// Sizes of the structures of internal/abi.
const (
	sizeType     = 48
	sizeUncommon = 16
	sizeMethod   = 16
	sizeImethod  = 8
	sizeField    = 24
)

// Offsets in abi.Type. The part for the kind follows at sizeType.
const (
	offSize       = 0
	offPtrBytes   = 8
	offHash       = 16
	offTFlag      = 20
	offAlign      = 21
	offFieldAlign = 22
	offKind       = 23
	offEqual      = 24
	offGCData     = 32
	offStr        = 40
	offPtrToThis  = 44
)

// abi.TFlag. ExtraStar is never set: strings are stored unchanged.
const (
	tflagUncommon       = 1 << 0
	tflagNamed          = 1 << 2
	tflagRegularMemory  = 1 << 3
	tflagGCMaskOnDemand = 1 << 4
	tflagDirectIface    = 1 << 5
)

// abi.Kind of the kinds that are not basic.
const (
	kindArray     = 17
	kindChan      = 18
	kindFunc      = 19
	kindInterface = 20
	kindMap       = 21
	kindPointer   = 22
	kindSlice     = 23
	kindString    = 24
	kindStruct    = 25
	kindUnsafePtr = 26
)

// maxGCMask bounds the pointer masks in descriptors. Larger types (above 64 MiB)
// have TFlagGCMaskOnDemand: GCData points to a word in which the runtime keeps
// the address of the mask once it has made it.
const maxGCMask = 1 << 20

// A desc is a descriptor.
type desc struct {
	typ     types.Type // without alias; a signature without receiver
	key     string     // link string
	addr    uint32
	kind    uint8
	named   bool
	fixed   uint32 // offset of the uncommon part or of the part after it
	extra   bool   // has an uncommon part
	tail    int    // bytes of fields, parameters or interface methods
	methods []*types.Selection
}

// Type returns the address of the descriptor of t. The type of an untyped constant stands for its
// default type.
func (b *Builder) Type(t types.Type) uint32 {
	d := b.desc(t)
	b.writeAll()
	return d.addr
}

// writeAll writes the contents of reserved descriptors, and of the descriptors that they refer to.
func (b *Builder) writeAll() {
	if b.writing {
		return // called back by a hook
	}
	b.writing = true
	for b.written < len(b.descList) && b.err == nil {
		d := b.descList[b.written]
		b.written++
		b.write(d)
	}
	b.writing = false
}

// ref returns the address of the descriptor of t, written or not.
func (b *Builder) ref(t types.Type) uint32 { return b.desc(t).addr }

// desc finds or reserves the descriptor of t.
func (b *Builder) desc(t types.Type) *desc {
	if d := b.descs[t]; d != nil {
		return d
	}
	key := b.LinkString(t)
	d := b.descKeys[key]
	if d == nil {
		var size int64
		d, size = b.outline(canonical(t), key)
		if addr, ok := b.base.typ(key); ok {
			d.addr = addr // written already
		} else {
			d.addr = b.place(TypeThing, key, size, 8)
			b.descList = append(b.descList, d)
		}
		b.descKeys[key] = d
	}
	b.descs[t] = d
	return d
}

func canonical(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Default(t)
	case *types.Signature:
		if t.Recv() != nil {
			return types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic())
		}
		return t
	default:
		return t
	}
}

// outline makes a descriptor without address and contents, and returns its size. Its parts, in
// order: abi.Type, the part for the kind, UncommonType, fields or parameters or interface methods,
// method table.
func (b *Builder) outline(t types.Type, key string) (d *desc, size int64) {
	d = &desc{typ: t, key: key, fixed: sizeType, kind: kindUnsafePtr}
	switch t.(type) {
	case *types.Named, *types.Basic:
		d.named = true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		d.kind = basicKind(u)
	case *types.Array:
		d.kind, d.fixed = kindArray, sizeType+24
	case *types.Chan:
		d.kind, d.fixed = kindChan, sizeType+16
	case *types.Signature:
		d.kind, d.fixed = kindFunc, sizeType+8
		d.tail = PtrSize * (u.Params().Len() + u.Results().Len())
	case *types.Interface:
		d.kind, d.fixed = kindInterface, sizeType+32
		d.tail = sizeImethod * u.NumMethods()
	case *types.Map:
		d.kind, d.fixed = kindMap, b.mapType.Size
	case *types.Pointer:
		d.kind, d.fixed = kindPointer, sizeType+8
	case *types.Slice:
		d.kind, d.fixed = kindSlice, sizeType+8
	case *types.Struct:
		d.kind, d.fixed = kindStruct, sizeType+32
		d.tail = sizeField * u.NumFields()
	}
	d.methods = b.methodSet(t)
	d.extra = d.named || len(d.methods) > 0
	size = int64(d.fixed) + int64(d.tail) + sizeMethod*int64(len(d.methods))
	if d.extra {
		size += sizeUncommon
	}
	return d, size
}

// basicKind returns the abi.Kind of a basic type. go/types orders its kinds as abi does up to
// Complex128. string and unsafe.Pointer have other places.
func basicKind(t *types.Basic) uint8 {
	switch t.Kind() {
	case types.String:
		return kindString
	case types.UnsafePointer, types.UntypedNil:
		return kindUnsafePtr
	}
	return uint8(t.Kind()-types.Bool) + 1
}

// write fills in a descriptor.
func (b *Builder) write(d *desc) {
	a, t, i := d.addr, d.typ, b.info(d.typ)
	_, noalg := b.noalg[t]

	flags := byte(0)
	if d.extra {
		flags |= tflagUncommon
	}
	if d.named {
		flags |= tflagNamed
	}
	if i.alg == AlgMem && !noalg {
		flags |= tflagRegularMemory
	}
	if b.DirectIface(t) {
		flags |= tflagDirectIface
	}
	gcdata, onDemand := b.gcData(t)
	if onDemand {
		flags |= tflagGCMaskOnDemand
	}

	b.SetInt64(a+offSize, i.size)
	b.SetInt64(a+offPtrBytes, i.ptrBytes)
	b.SetInt32(a+offHash, int32(hashString(d.key)))
	b.SetBytes(a+offTFlag, []byte{flags, byte(i.align), byte(i.align), d.kind})
	if i.alg != AlgNone && !noalg && b.hooks.Equal != nil {
		b.setPtr(a+offEqual, b.hooks.Equal(t))
	}
	b.setPtr(a+offGCData, gcdata)
	b.SetInt32(a+offStr, int32(b.name(b.TypeString(t), "", nil, exportedType(t), false)))
	if p := b.pointerTo(d, noalg); p != nil {
		b.ref(p)
	}

	b.writeKind(d, t.Underlying())
	if d.extra {
		b.writeUncommon(d)
	}
}

func (b *Builder) setPtr(addr, v uint32) { b.SetInt64(addr, int64(v)) }

// pointerTo returns the type *t if its descriptor must come with that of t: if t has a name, or if
// *t has methods, since reflect could not make it. Otherwise *t is described if the program uses
// it. Writing *t sets PtrToThis of t.
func (b *Builder) pointerTo(d *desc, noalg bool) types.Type {
	if noalg {
		return nil
	}
	p := types.NewPointer(d.typ)
	if d.named {
		return p
	}
	if _, ok := d.typ.(*types.Struct); ok && len(b.methodSet(p)) > 0 {
		return p
	}
	return nil
}

// exportedType reports whether the name of t, or of the type that it points to, is exported.
func exportedType(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Obj().Exported()
	case *types.Basic:
		return t.Kind() == types.UnsafePointer // named Pointer, of package unsafe
	}
	return false
}

// gcData returns the address of the pointer mask of t, which is a multiple of 8 bytes long, or 0 if
// t has no pointers.
func (b *Builder) gcData(t types.Type) (addr uint32, onDemand bool) {
	n := b.PtrBytes(t)
	if n == 0 {
		return 0, false
	}
	if n/PtrSize > maxGCMask*8 {
		return b.Global(8, 8, nil, "type:.gcmask."+b.LinkString(t)), true
	}
	mask := b.PtrMask(t)
	b.spend(8 * int64(len(mask)))
	data := make([]byte, 0, 8*len(mask))
	for _, w := range mask {
		for range 8 {
			data = append(data, byte(w))
			w >>= 8
		}
	}
	addr, ok := b.masks[string(data)]
	if !ok {
		addr = b.Bytes(data, 8)
		b.masks[string(data)] = addr
	}
	return addr, false
}

// writeKind writes the parts for the kind of d: the fixed part at sizeType and the tail after the
// uncommon part.
func (b *Builder) writeKind(d *desc, u types.Type) {
	a := d.addr + sizeType
	tail := d.addr + d.fixed
	if d.extra {
		tail += sizeUncommon
	}
	switch u := u.(type) {
	case *types.Array:
		b.setPtr(a, b.ref(u.Elem()))
		b.setPtr(a+8, b.ref(types.NewSlice(u.Elem())))
		b.SetInt64(a+16, u.Len())
	case *types.Chan:
		b.setPtr(a, b.ref(u.Elem()))
		b.SetInt64(a+8, chanDir(u))
	case *types.Pointer:
		elem := b.ref(u.Elem())
		b.setPtr(a, elem)
		if !d.named {
			b.SetInt32(elem+offPtrToThis, int32(d.addr))
		}
	case *types.Slice:
		b.setPtr(a, b.ref(u.Elem()))
	case *types.Map:
		b.writeMap(a, d, u)
	case *types.Signature:
		in, out := u.Params().Len(), u.Results().Len()
		if in > math.MaxUint16 || out >= 1<<15 {
			b.fail("too many parameters in %v", u)
		}
		counts := int32(in) | int32(out)<<16
		if u.Variadic() {
			counts |= -1 << 31
		}
		b.SetInt32(a, counts)
		for i := range in {
			b.setPtr(tail+uint32(8*i), b.ref(u.Params().At(i).Type()))
		}
		for i := range out {
			b.setPtr(tail+uint32(8*(in+i)), b.ref(u.Results().At(i).Type()))
		}
	case *types.Interface:
		b.writeInterface(a, tail, d, u)
	case *types.Struct:
		b.writeStruct(a, tail, u)
	}
}

func chanDir(t *types.Chan) int64 {
	switch t.Dir() {
	case types.RecvOnly:
		return 1
	case types.SendOnly:
		return 2
	}
	return 3
}

// writeSlice writes a slice header.
func (b *Builder) writeSlice(addr, data uint32, n int) {
	b.setPtr(addr, data)
	b.SetInt64(addr+8, int64(n))
	b.SetInt64(addr+16, int64(n))
}

// writeStruct writes PkgPath and Fields. Unexported fields of one struct type belong to one
// package, which is recorded once.
func (b *Builder) writeStruct(a, tail uint32, u *types.Struct) {
	n := u.NumFields()
	for i := range n {
		if f := u.Field(i); !f.Exported() {
			path := b.pkgPath(f.Pkg())
			if path == 0 {
				path = b.name("", "", nil, false, false) // groups of maps
			}
			b.setPtr(a, path)
			break
		}
	}
	b.writeSlice(a+8, tail, n)
	offsets := b.Offsets(u)
	for i := range n {
		f := u.Field(i)
		at := tail + uint32(sizeField*i)
		b.setPtr(at, b.name(f.Name(), u.Tag(i), nil, f.Exported(), f.Embedded()))
		b.setPtr(at+8, b.ref(f.Type()))
		b.SetInt64(at+16, offsets[i])
	}
}

// writeInterface writes PkgPath and Methods. The package is that of the declaration. Methods of
// other packages carry their own.
func (b *Builder) writeInterface(a, tail uint32, d *desc, u *types.Interface) {
	var pkg *types.Package
	if n, ok := d.typ.(*types.Named); ok {
		pkg = n.Obj().Pkg()
	}
	b.setPtr(a, b.pkgPath(pkg))
	methods := b.InterfaceMethods(u)
	b.writeSlice(a+8, tail, len(methods))
	for i, m := range methods {
		at := tail + uint32(sizeImethod*i)
		b.SetInt32(at, int32(b.methodName(m, pkg)))
		b.SetInt32(at+4, int32(b.ref(m.Type())))
	}
}

// methodName returns the address of the name of a method whose type belongs to package pkg.
func (b *Builder) methodName(m *types.Func, pkg *types.Package) uint32 {
	if m.Exported() {
		return b.name(m.Name(), "", nil, true, false)
	}
	other := m.Pkg()
	if other == pkg {
		other = nil
	}
	return b.name(m.Name(), "", other, false, false)
}

// TypeLinks returns the descriptors of unnamed types that reflect could also make
// (PointerTo, SliceOf...), ordered by their strings, for reflect.typelinks.
func (b *Builder) TypeLinks() []uint32 {
	type link struct {
		str  string
		addr uint32
	}
	var links []link
	for _, d := range b.descList {
		if _, noalg := b.noalg[d.typ]; d.named || noalg || d.kind == kindInterface {
			continue
		}
		links = append(links, link{b.TypeString(d.typ), d.addr})
	}
	slices.SortStableFunc(links, func(x, y link) int { return strings.Compare(x.str, y.str) })
	var addrs []uint32
	if b.base != nil {
		addrs = slices.Clone(b.base.Links)
	}
	for _, l := range links {
		if b.base == nil {
			addrs = append(addrs, l.addr)
			continue
		}
		at := sort.Search(len(addrs), func(i int) bool { return b.stringAt(addrs[i]) > l.str })
		addrs = slices.Insert(addrs, at, l.addr)
	}
	return addrs
}

// stringAt returns the string of a written descriptor.
func (b *Builder) stringAt(desc uint32) string {
	at := uint32(b.Int32(desc+offStr)) + 1 // after the flags
	n := 0
	for shift := 0; ; shift += 7 {
		c := b.window(at, 1)[0]
		at++
		if n |= int(c&0x7f) << shift; c < 0x80 {
			return string(b.window(at, n))
		}
	}
}
