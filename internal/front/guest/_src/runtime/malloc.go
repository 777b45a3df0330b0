package runtime

import "unsafe"

// Allocation of values whose type is known only at run time. Code that knows
// the type allocates in place.

// mallocgc returns size zeroed bytes that hold elements of type typ, or bytes
// without pointers if typ is nil. Memory is always zeroed.
//
//go:linkname mallocgc
func mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	if size == 0 {
		return unsafe.Pointer(&zerobase)
	}
	if typ == nil || typ.PtrBytes == 0 {
		if size >= maxAlloc {
			throw("out of memory")
		}
		return ir_newbytes(size)
	}
	return host_malloc(size, unsafe.Pointer(typ), size/typ.Size_)
}

// newobject is new(T).
func newobject(typ *_type) unsafe.Pointer {
	if typ.Size_ == 0 {
		return unsafe.Pointer(&zerobase)
	}
	charge(typ.Size_, allocWeight)
	if typ.PtrBytes == 0 {
		return ir_newbytes(typ.Size_)
	}
	return host_malloc(typ.Size_, unsafe.Pointer(typ), 1)
}

// newarray is new([n]T).
//
//go:linkname newarray
func newarray(typ *_type, n int) unsafe.Pointer {
	if n == 1 {
		return newobject(typ)
	}
	size, ok := mulsize(typ.Size_, n)
	if !ok {
		panic(plainError("runtime: allocation size out of range"))
	}
	charge(size, allocWeight)
	return mallocgc(size, typ, true)
}

// mulsize is size*n; not ok if n is negative or no object can be so large.
func mulsize(size uintptr, n int) (uintptr, bool) {
	if size == 0 {
		return 0, n >= 0
	}
	if uint(n) >= maxAlloc || size >= maxAlloc {
		return 0, false
	}
	r := size * uintptr(n) // both are below 2^32
	return r, r < maxAlloc
}

//go:linkname maps_newobject internal/runtime/maps.newobject
func maps_newobject(typ *_type) unsafe.Pointer { return newobject(typ) }

//go:linkname maps_newarray internal/runtime/maps.newarray
func maps_newarray(typ *_type, n int) unsafe.Pointer { return newarray(typ, n) }

//go:linkname reflect_unsafe_New reflect.unsafe_New
func reflect_unsafe_New(typ *_type) unsafe.Pointer { return newobject(typ) }

//go:linkname reflectlite_unsafe_New internal/reflectlite.unsafe_New
func reflectlite_unsafe_New(typ *_type) unsafe.Pointer { return newobject(typ) }

//go:linkname reflect_unsafe_NewArray reflect.unsafe_NewArray
func reflect_unsafe_NewArray(typ *_type, n int) unsafe.Pointer { return newarray(typ, n) }

//go:linkname bytealg_MakeNoZero internal/bytealg.MakeNoZero
func bytealg_MakeNoZero(n int) []byte {
	if uint(n) >= maxAlloc {
		panicmakeslicelen()
	}
	c := roundupsize(uintptr(n), true)
	charge(c, allocWeight)
	var b slice
	b.array = mallocgc(c, nil, false)
	b.len = n
	b.cap = int(c)
	return *(*[]byte)(unsafe.Pointer(&b))
}

// Typed moves and clears: there are no write barriers.

//go:linkname typedmemmove
func typedmemmove(typ *_type, dst, src unsafe.Pointer) {
	charge(typ.Size_, moveWeight)
	ir_memmove(dst, src, typ.Size_)
}

func typedmemclr(typ *_type, p unsafe.Pointer) {
	charge(typ.Size_, moveWeight)
	ir_memclr(p, typ.Size_)
}

//go:linkname maps_typedmemmove internal/runtime/maps.typedmemmove
func maps_typedmemmove(typ *_type, dst, src unsafe.Pointer) { typedmemmove(typ, dst, src) }

//go:linkname maps_typedmemclr internal/runtime/maps.typedmemclr
func maps_typedmemclr(typ *_type, p unsafe.Pointer) { typedmemclr(typ, p) }

//go:linkname reflect_typedmemmove reflect.typedmemmove
func reflect_typedmemmove(typ *_type, dst, src unsafe.Pointer) { typedmemmove(typ, dst, src) }

//go:linkname reflectlite_typedmemmove internal/reflectlite.typedmemmove
func reflectlite_typedmemmove(typ *_type, dst, src unsafe.Pointer) { typedmemmove(typ, dst, src) }

//go:linkname reflect_typedmemclr reflect.typedmemclr
func reflect_typedmemclr(typ *_type, p unsafe.Pointer) { typedmemclr(typ, p) }

//go:linkname reflect_typedmemclrpartial reflect.typedmemclrpartial
func reflect_typedmemclrpartial(typ *_type, p unsafe.Pointer, off, size uintptr) {
	charge(size, moveWeight)
	ir_memclr(p, size)
}

//go:linkname reflect_typedarrayclear reflect.typedarrayclear
func reflect_typedarrayclear(typ *_type, p unsafe.Pointer, n int) {
	charge(typ.Size_*uintptr(n), moveWeight)
	ir_memclr(p, typ.Size_*uintptr(n))
}

//go:linkname reflect_memmove reflect.memmove
func reflect_memmove(to, from unsafe.Pointer, n uintptr) {
	charge(n, moveWeight)
	ir_memmove(to, from, n)
}

//go:linkname reflect_memclrNoHeapPointers reflect.memclrNoHeapPointers
func reflect_memclrNoHeapPointers(p unsafe.Pointer, n uintptr) {
	charge(n, moveWeight)
	ir_memclr(p, n)
}

// reflect_verifyNotInHeapPtr: reflect asks it about pointers to types that must not
// be in the heap. Any value but the all-ones pattern may be one.
//
//go:linkname reflect_verifyNotInHeapPtr reflect.verifyNotInHeapPtr
func reflect_verifyNotInHeapPtr(p uintptr) bool { return p != ^uintptr(0) }
