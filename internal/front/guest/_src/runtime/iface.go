package runtime

import (
	"internal/abi"
	"unsafe"
)

// Interfaces: itabs, assertions, conversions.

// itabs holds an itab of every pair of interface and concrete type that has met
// at run time, and pairs that do not fit, whose Fun[0] is 0. Those of the program's data,
// for conversions that the compiler saw, are not in it: a pair may have one of each, since nobody
// compares itabs by address, and what getitab costs does not depend on what else the
// program consists of. It is a hash table with linear
// probing; its size is a power of two, at least twice the number of entries.
var itabs struct {
	table []*itab
	count int
}

// getitab returns the itab for a value of type typ in interface inter. When
// typ lacks a method it returns nil if canfail, else panics.
//
//go:linkname getitab
func getitab(inter *interfacetype, typ *_type, canfail bool) *itab {
	if mask := uint32(len(itabs.table) - 1); int32(mask) >= 0 {
		for h := inter.Type.Hash ^ typ.Hash; ; h++ {
			m := itabs.table[h&mask]
			if m == nil {
				break
			}
			if m.Inter == inter && m.Type == typ {
				if m.Fun[0] != 0 {
					return m
				}
				break
			}
		}
	}
	return getitabslow(inter, typ, canfail)
}

func getitabslow(inter *interfacetype, typ *_type, canfail bool) *itab {
	if len(inter.Methods) == 0 {
		throw("getitab: interface without methods")
	}
	if itabs.table == nil {
		itabs.table = make([]*itab, 32)
	}
	m := itabfind(inter, typ)
	if m == nil {
		if typ.TFlag&abi.TFlagUncommon == 0 {
			if canfail {
				return nil
			}
			panic(&TypeAssertionError{concrete: typ, asserted: &inter.Type, missingMethod: nameoff(inter.Methods[0].Name).Name()})
		}
		// Itabs live for ever and hold only types that do, too.
		m = (*itab)(ir_newbytes(unsafe.Sizeof(itab{}) + uintptr(len(inter.Methods)-1)*8))
		m.Inter = inter
		m.Type = typ
		m.Hash = typ.Hash
		itabfill(m)
		itabadd(m)
	}
	if m.Fun[0] != 0 {
		return m
	}
	if canfail {
		return nil
	}
	panic(&TypeAssertionError{concrete: typ, asserted: &inter.Type, missingMethod: itabfill(m)})
}

func itabfind(inter *interfacetype, typ *_type) *itab {
	mask := uint32(len(itabs.table) - 1)
	for h := inter.Type.Hash ^ typ.Hash; ; h++ {
		m := itabs.table[h&mask]
		if m == nil || m.Inter == inter && m.Type == typ {
			return m
		}
	}
}

func itabadd(m *itab) {
	if 2*itabs.count >= len(itabs.table) {
		old := itabs.table
		itabs.table = make([]*itab, 2*len(old))
		for _, o := range old {
			if o != nil {
				itabput(o)
			}
		}
	}
	itabput(m)
	itabs.count++
}

func itabput(m *itab) {
	mask := uint32(len(itabs.table) - 1)
	h := m.Inter.Type.Hash ^ m.Type.Hash
	for itabs.table[h&mask] != nil {
		h++
	}
	itabs.table[h&mask] = m
}

// itabfill sets the methods of m. If the type lacks one, it returns its name and
// leaves Fun[0] zero. Methods of interfaces and types are sorted by name.
func itabfill(m *itab) (missing string) {
	inter := m.Inter
	u := m.Type.Uncommon()
	var methods []abi.Method
	if u != nil {
		methods = u.Methods()
	}
	fun := unsafe.Slice(&m.Fun[0], len(inter.Methods))
	var fun0 uintptr
	j := 0
next:
	for k := range inter.Methods {
		im := &inter.Methods[k]
		iname := nameoff(im.Name)
		for ; j < len(methods); j++ {
			tm := &methods[j]
			if tm.Mtyp != im.Typ && typeoff(tm.Mtyp) != typeoff(im.Typ) {
				continue
			}
			tname := nameoff(tm.Name)
			if tname.Name() != iname.Name() {
				continue
			}
			if !tname.IsExported() {
				ipkg := namepkg(iname)
				if ipkg == "" {
					ipkg = inter.PkgPath.Name()
				}
				tpkg := namepkg(tname)
				if tpkg == "" {
					tpkg = nameoff(u.PkgPath).Name()
				}
				if ipkg != tpkg {
					continue
				}
			}
			f := uintptr(uint32(tm.Ifn))
			if tm.Ifn == -1 || f == 0 {
				f = funcPC(unreachableMethod)
			}
			if k == 0 {
				fun0 = f // last, as it says that the itab is good
			} else {
				fun[k] = f
			}
			j++
			continue next
		}
		return iname.Name()
	}
	fun[0] = fun0
	return ""
}

// unreachableMethod stands for methods that the compiler left out because
// nothing seemed to need them.
func unreachableMethod() {
	throw("unreachable method called. compiler bug?")
}

// assertE2I is x.(I) for a value of dynamic type t.
func assertE2I(inter *interfacetype, t *_type) *itab {
	if t == nil {
		panic(&TypeAssertionError{asserted: &inter.Type})
	}
	return getitab(inter, t, false)
}

// assertE2I2 is the same with ", ok": nil if it fails.
func assertE2I2(inter *interfacetype, t *_type) *itab {
	if t == nil {
		return nil
	}
	return getitab(inter, t, true)
}

// panicdottypeE: x.(T) failed; x is of interface type iface and holds have.
func panicdottypeE(have, want, iface *_type) {
	panic(&TypeAssertionError{_interface: iface, concrete: have, asserted: want})
}

// panicdottypeI is the same for an x whose interface has methods.
func panicdottypeI(have *itab, want, iface *_type) {
	var t *_type
	if have != nil {
		t = have.Type
	}
	panicdottypeE(t, want, iface)
}

// panicnildottype: x.(I) failed because x is nil.
func panicnildottype(want *_type) {
	panic(&TypeAssertionError{asserted: want})
}

// ifaceE2I converts e to an interface type with methods.
func ifaceE2I(inter *interfacetype, e eface, dst *iface) {
	dst.tab = assertE2I(inter, e._type)
	dst.data = e.data
}

//go:linkname reflect_ifaceE2I reflect.ifaceE2I
func reflect_ifaceE2I(inter *interfacetype, e eface, dst *iface) { ifaceE2I(inter, e, dst) }

//go:linkname reflectlite_ifaceE2I internal/reflectlite.ifaceE2I
func reflectlite_ifaceE2I(inter *interfacetype, e eface, dst *iface) { ifaceE2I(inter, e, dst) }

// staticuint64s are the numbers that fit a byte: an interface that holds such
// a value points here.
var staticuint64s [256]uint64

func init() {
	for i := range staticuint64s {
		staticuint64s[i] = uint64(i)
	}
}

//go:linkname getStaticuint64s
func getStaticuint64s() *[256]uint64 { return &staticuint64s }

// Type descriptors. Offsets in them are addresses.

func nameoff(off abi.NameOff) abi.Name {
	return abi.Name{Bytes: (*byte)(unsafe.Pointer(uintptr(uint32(off))))}
}

func typeoff(off abi.TypeOff) *_type {
	if off == -1 {
		return nil
	}
	return (*_type)(unsafe.Pointer(uintptr(uint32(off))))
}

// typestring is the type as reflect prints it.
func typestring(t *_type) string {
	s := nameoff(t.Str).Name()
	if t.TFlag&abi.TFlagExtraStar != 0 {
		s = s[1:]
	}
	return s
}

//go:linkname maps_typeString internal/runtime/maps.typeString
func maps_typeString(t *_type) string { return typestring(t) }

// typepkg is the path of the package that a type belongs to, "" if to none.
func typepkg(t *_type) string {
	if u := t.Uncommon(); u != nil {
		return nameoff(u.PkgPath).Name()
	}
	switch t.Kind() {
	case abi.Struct:
		return (*structtype)(unsafe.Pointer(t)).PkgPath.Name()
	case abi.Interface:
		return (*interfacetype)(unsafe.Pointer(t)).PkgPath.Name()
	}
	return ""
}

// namepkg is the package path that an unexported name carries, or "".
func namepkg(n abi.Name) string {
	const hasTag, hasPkg = 1 << 1, 1 << 2
	if n.Bytes == nil || *n.Bytes&hasPkg == 0 {
		return ""
	}
	i, l := n.ReadVarint(1)
	off := 1 + i + l
	if *n.Bytes&hasTag != 0 {
		i, l = n.ReadVarint(off)
		off += i + l
	}
	var po abi.NameOff
	ir_memmove(unsafe.Pointer(&po), unsafe.Pointer(n.Data(off)), 4)
	return nameoff(po).Name()
}
