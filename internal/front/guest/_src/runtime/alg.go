package runtime

import (
	"internal/abi"
	"unsafe"
)

// Hash and equality functions by kind. Hashes are below 2^32: on GOARCH wasm
// maps use 32 bits of them. A hash is a function of the value and the seed,
// except that every NaN hashes at random: no NaN is found in a map again, so it
// only matters that they spread.

const (
	hashmul = 3267000013
	hashxor = 2860486313
)

// mix is the hash of what has no bytes of its own: zeros, interfaces.
func mix(h uintptr) uintptr { return uintptr(uint32(hashmul * (h ^ hashxor))) }

// memhash is what package hash/maphash calls.
//
//go:linkname memhash
func memhash(p unsafe.Pointer, h, n uintptr) uintptr {
	charge(n, hashWeight)
	return ir_memhash(p, h, n)
}

func memhash0(p unsafe.Pointer, h uintptr) uintptr  { return uintptr(uint32(h)) }
func memhash8(p unsafe.Pointer, h uintptr) uintptr  { return ir_memhash(p, h, 1) }
func memhash16(p unsafe.Pointer, h uintptr) uintptr { return ir_memhash(p, h, 2) }

//go:linkname memhash32
func memhash32(p unsafe.Pointer, h uintptr) uintptr { return ir_memhash(p, h, 4) }

//go:linkname memhash64
func memhash64(p unsafe.Pointer, h uintptr) uintptr { return ir_memhash(p, h, 8) }

func memhash128(p unsafe.Pointer, h uintptr) uintptr { return ir_memhash(p, h, 16) }

//go:linkname strhash
func strhash(p unsafe.Pointer, h uintptr) uintptr {
	s := (*stringStruct)(p)
	return ir_memhash(s.str, h, uintptr(s.len))
}

func f32hash(p unsafe.Pointer, h uintptr) uintptr {
	f := *(*float32)(p)
	if f == 0 {
		return mix(h) // +0 and -0 are equal
	}
	if f != f {
		return mix(h ^ uintptr(rand()))
	}
	return ir_memhash(p, h, 4)
}

func f64hash(p unsafe.Pointer, h uintptr) uintptr {
	f := *(*float64)(p)
	if f == 0 {
		return mix(h)
	}
	if f != f {
		return mix(h ^ uintptr(rand()))
	}
	return ir_memhash(p, h, 8)
}

func c64hash(p unsafe.Pointer, h uintptr) uintptr {
	return f32hash(add(p, 4), f32hash(p, h))
}

func c128hash(p unsafe.Pointer, h uintptr) uintptr {
	return f64hash(add(p, 8), f64hash(p, h))
}

// interhash and nilinterhash hash a value of an interface type with and without
// methods.

func interhash(p unsafe.Pointer, h uintptr) uintptr {
	i := (*iface)(p)
	if i.tab == nil {
		return uintptr(uint32(h))
	}
	return datahash(i.tab.Type, &i.data, h)
}

//go:linkname nilinterhash
func nilinterhash(p unsafe.Pointer, h uintptr) uintptr {
	e := (*eface)(p)
	if e._type == nil {
		return uintptr(uint32(h))
	}
	return datahash(e._type, &e.data, h)
}

// datahash hashes the value in an interface whose data word is at data.
func datahash(t *_type, data *unsafe.Pointer, h uintptr) uintptr {
	if t.Equal == nil {
		// Here and not in typehash, to name the whole type and not the part of it.
		panic(errorString("hash of unhashable type " + typestring(t)))
	}
	p := *data
	if t.IsDirectIface() {
		p = unsafe.Pointer(data)
	}
	return mix(typehash(t, p, h))
}

// typehash hashes the value of type t at p.
//
//go:linkname typehash
func typehash(t *_type, p unsafe.Pointer, h uintptr) uintptr {
	if t.TFlag&abi.TFlagRegularMemory != 0 {
		charge(t.Size_, hashWeight)
		return ir_memhash(p, h, t.Size_)
	}
	switch t.Kind() {
	case abi.String:
		charge(uintptr((*stringStruct)(p).len), hashWeight)
		return strhash(p, h)
	case abi.Interface:
		if len((*interfacetype)(unsafe.Pointer(t)).Methods) == 0 {
			return nilinterhash(p, h)
		}
		return interhash(p, h)
	case abi.Float32:
		return f32hash(p, h)
	case abi.Float64:
		return f64hash(p, h)
	case abi.Complex64:
		return c64hash(p, h)
	case abi.Complex128:
		return c128hash(p, h)
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			h = typehash(a.Elem, add(p, i*a.Elem.Size_), h)
		}
		return uintptr(uint32(h))
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			f := &s.Fields[i]
			if !f.Name.IsBlank() {
				h = typehash(f.Typ, add(p, f.Offset), h)
			}
		}
		return uintptr(uint32(h))
	case abi.Bool, abi.Int, abi.Int8, abi.Int16, abi.Int32, abi.Int64,
		abi.Uint, abi.Uint8, abi.Uint16, abi.Uint32, abi.Uint64, abi.Uintptr,
		abi.Pointer, abi.UnsafePointer, abi.Chan:
		return ir_memhash(p, h, t.Size_)
	}
	panic(errorString("hash of unhashable type " + typestring(t)))
}

//go:linkname reflect_typehash reflect.typehash
func reflect_typehash(t *_type, p unsafe.Pointer, h uintptr) uintptr { return typehash(t, p, h) }

// Equality. Type descriptors hold these, or functions that the compiler made,
// in Equal; nil marks a type without equality.

func memequal0(p, q unsafe.Pointer) bool   { return true }
func memequal8(p, q unsafe.Pointer) bool   { return *(*uint8)(p) == *(*uint8)(q) }
func memequal16(p, q unsafe.Pointer) bool  { return *(*uint16)(p) == *(*uint16)(q) }
func memequal32(p, q unsafe.Pointer) bool  { return *(*uint32)(p) == *(*uint32)(q) }
func memequal64(p, q unsafe.Pointer) bool  { return *(*uint64)(p) == *(*uint64)(q) }
func memequal128(p, q unsafe.Pointer) bool { return ir_memequal(p, q, 16) }
func f32equal(p, q unsafe.Pointer) bool    { return *(*float32)(p) == *(*float32)(q) }
func f64equal(p, q unsafe.Pointer) bool    { return *(*float64)(p) == *(*float64)(q) }
func c64equal(p, q unsafe.Pointer) bool    { return *(*complex64)(p) == *(*complex64)(q) }
func c128equal(p, q unsafe.Pointer) bool   { return *(*complex128)(p) == *(*complex128)(q) }

func strequal(p, q unsafe.Pointer) bool {
	s, t := (*stringStruct)(p), (*stringStruct)(q)
	if s.len != t.len {
		return false
	}
	charge(uintptr(s.len), moveWeight)
	return ir_memequal(s.str, t.str, uintptr(s.len))
}

func interequal(p, q unsafe.Pointer) bool {
	x, y := (*iface)(p), (*iface)(q)
	return x.tab == y.tab && ifaceeq(x.tab, x.data, y.data)
}

func nilinterequal(p, q unsafe.Pointer) bool {
	x, y := (*eface)(p), (*eface)(q)
	return x._type == y._type && efaceeq(x._type, x.data, y.data)
}

// efaceeq compares the data words of two interface values whose dynamic type is
// t. It panics when values of the type cannot be compared.
func efaceeq(t *_type, x, y unsafe.Pointer) bool {
	if t == nil {
		return true
	}
	if t.TFlag&abi.TFlagDirectIface != 0 && t.Equal != nil {
		return x == y
	}
	if t.TFlag&abi.TFlagRegularMemory != 0 {
		if t.Size_ == 8 {
			return *(*uint64)(x) == *(*uint64)(y)
		}
		charge(t.Size_, moveWeight)
		return ir_memequal(x, y, t.Size_)
	}
	if t.Kind_ == abi.String {
		return strequal(x, y)
	}
	eq := t.Equal
	if eq == nil {
		panic(errorString("comparing uncomparable type " + typestring(t)))
	}
	return eq(noescape(x), noescape(y)) // it only looks at them
}

// ifaceeq is efaceeq for two interface values with the same itab.
func ifaceeq(tab *itab, x, y unsafe.Pointer) bool {
	if tab == nil {
		return true
	}
	return efaceeq(tab.Type, x, y)
}

// Names that packages and their tests reach for.

func stringHash(s string, seed uintptr) uintptr {
	return ir_memhash(strptr(s), seed, uintptr(len(s)))
}

func bytesHash(b []byte, seed uintptr) uintptr {
	return ir_memhash(unsafe.Pointer(unsafe.SliceData(b)), seed, uintptr(len(b)))
}
