package runtime

import (
	"internal/abi"
	"internal/runtime/maps"
	"unsafe"
)

// What programs outside of the standard library take from it by linkname: the list is in internal/front/load/answers.go.
//
// The compiler and std call the functions behind these with operands that fit, and where their work grows with an
// operand the compiler charges for it at the call. Callers of these may be anybody, and pass anything. So each of these
// charges for what it does before it does it, beside the price of a call of the runtime, and checks what it counts by.
// What else is wrong with their operands ends as it does for who makes the same mistake with package unsafe: in a panic, a
// fault, or garbage in the guest's memory.

func pulled_nothing() {}

func pulled_getAuxv() []uintptr { return nil }

func pulled_nanotime() int64 { return time_runtimeNano() }

func pulled_walltime() (sec int64, nsec int32) {
	sec, nsec, _ = time_now()
	return sec, nsec
}

func pulled_now() (sec int64, nsec int32, mono int64) { return time_now() }

func pulled_fastrandu() uint { return uint(host_rand()) }

// Memory and hashing.

func pulled_memmove(to, from unsafe.Pointer, n uintptr) {
	charge(n, moveWeight)
	ir_memmove(to, from, n)
}

func pulled_memclr(p unsafe.Pointer, n uintptr) {
	charge(n, moveWeight)
	ir_memclr(p, n)
}

func pulled_memequal(p, q unsafe.Pointer, n uintptr) bool {
	charge(n, moveWeight)
	return ir_memequal(p, q, n)
}

func pulled_memhash(p unsafe.Pointer, h, n uintptr) uintptr {
	charge(n, hashWeight)
	return ir_memhash(p, h, n)
}

func pulled_memhash32(p unsafe.Pointer, h uintptr) uintptr { return ir_memhash(p, h, 4) }
func pulled_memhash64(p unsafe.Pointer, h uintptr) uintptr { return ir_memhash(p, h, 8) }

func pulled_strhash(p unsafe.Pointer, h uintptr) uintptr {
	s := (*stringStruct)(p)
	return pulled_memhash(s.str, h, uintptr(s.len))
}

func pulled_stringHash(s string, h uintptr) uintptr {
	return pulled_memhash(strptr(s), h, uintptr(len(s)))
}

func pulled_nilinterhash(p unsafe.Pointer, h uintptr) uintptr { return nilinterhash(p, h) }

func pulled_typehash(t *_type, p unsafe.Pointer, h uintptr) uintptr { return typehash(t, p, h) }

// Objects.

// pulledsize is the size of n elements of a type, for which it charges what it costs to allocate them. Nobody trusts the
// descriptor: an object of a type with pointers has at least one word.
func pulledsize(typ *_type, n int) uintptr {
	size, ok := mulsize(typ.Size_, n)
	if !ok || typ.PtrBytes > typ.Size_ {
		panic(plainError("runtime: allocation size out of range"))
	}
	charge(size, allocWeight)
	return size
}

func pulled_mallocgc(size uintptr, typ *_type, needzero bool) unsafe.Pointer {
	if size >= maxAlloc || typ != nil && (typ.PtrBytes > typ.Size_ || typ.PtrBytes != 0 && size%typ.Size_ != 0) {
		panic(plainError("runtime: allocation size out of range"))
	}
	charge(size, allocWeight)
	return mallocgc(size, typ, needzero)
}

func pulled_newobject(typ *_type) unsafe.Pointer { return pulled_newarray(typ, 1) }

func pulled_newarray(typ *_type, n int) unsafe.Pointer {
	return mallocgc(pulledsize(typ, n), typ, true)
}

func pulled_makeslice(typ *_type, n, c int) unsafe.Pointer {
	if n >= 0 && n <= c {
		if _, ok := mulsize(typ.Size_, c); ok {
			return mallocgc(pulledsize(typ, c), typ, true)
		}
	}
	return makeslice(typ, n, c) // it says what is wrong
}

// pulled_growslice charges for the elements that there will be at least and that there were: growslice makes room for no
// more than twice the greater number.
func pulled_growslice(old unsafe.Pointer, newLen, oldCap, num int, typ *_type) (unsafe.Pointer, int, int) {
	if newLen < 0 || oldCap < 0 || num < 0 || num > newLen || newLen-num > oldCap {
		panicgrowslice()
	}
	pulledsize(typ, max(newLen, oldCap))
	return growslice(old, newLen, oldCap, num, typ)
}

func pulled_typedmemmove(typ *_type, dst, src unsafe.Pointer) { typedmemmove(typ, dst, src) }

func pulled_typedmemclr(typ *_type, p unsafe.Pointer) { typedmemclr(typ, p) }

func pulled_typedslicecopy(typ *_type, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int {
	n := min(dstLen, srcLen)
	if n <= 0 {
		return 0
	}
	size, ok := mulsize(typ.Size_, n)
	if !ok {
		panic(plainError("runtime: size out of range"))
	}
	charge(size, moveWeight)
	ir_memmove(dst, src, size)
	return n
}

func pulled_reflect_typedslicecopy(typ *_type, dst, src slice) int {
	return pulled_typedslicecopy(typ, dst.array, dst.len, src.array, src.len)
}

func pulled_reflect_growslice(typ *_type, old slice, num int) slice {
	num -= old.cap - old.len // as reflect's
	array, _, c := pulled_growslice(old.array, old.cap+num, old.cap, num, typ)
	return slice{array, old.len, c}
}

// Maps. A map of which not even the header is one ends like any other garbage; the loops of package maps charge for each
// iteration.

const (
	pulledAccess = 15 * unitWeight
	pulledAssign = 65 * unitWeight
	pulledDelete = 45 * unitWeight
	pulledMake   = 45 * unitWeight
	pulledNew    = 25 * unitWeight
	entryWeight  = 256
)

func pulled_makemap(typ *abi.MapType, hint int, m *maps.Map) *maps.Map {
	return pulled_reflect_makemap(typ, hint)
}

func pulled_reflect_makemap(typ *abi.MapType, hint int) *maps.Map {
	if typ.Key.Equal == nil {
		throw("runtime.reflect_makemap: unsupported map key type")
	}
	charge(1, pulledMake)
	if hint <= abi.MapGroupSlots {
		return makemap(typ, 0)
	}
	charge(uintptr(hint), entryWeight)
	return makemap(typ, hint)
}

func pulled_makemap_small() *maps.Map {
	charge(1, pulledNew)
	return makemap_small()
}

func pulled_mapaccess1(typ *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer {
	charge(1, pulledAccess)
	return mapaccess1(typ, m, key)
}

func pulled_mapaccess2(typ *abi.MapType, m *maps.Map, key unsafe.Pointer) (unsafe.Pointer, bool) {
	charge(1, pulledAccess)
	return mapaccess2(typ, m, key)
}

func pulled_mapaccess2_fast32(typ *abi.MapType, m *maps.Map, key uint32) (unsafe.Pointer, bool) {
	charge(1, pulledAccess)
	return mapaccess2_fast32(typ, m, key)
}

func pulled_mapaccess2_fast64(typ *abi.MapType, m *maps.Map, key uint64) (unsafe.Pointer, bool) {
	charge(1, pulledAccess)
	return mapaccess2_fast64(typ, m, key)
}

func pulled_mapaccess2_faststr(typ *abi.MapType, m *maps.Map, key string) (unsafe.Pointer, bool) {
	charge(1, pulledAccess)
	return mapaccess2_faststr(typ, m, key)
}

func pulled_mapassign(typ *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer {
	charge(1, pulledAssign)
	return mapassign(typ, m, key)
}

func pulled_mapassign_fast32(typ *abi.MapType, m *maps.Map, key uint32) unsafe.Pointer {
	charge(1, pulledAssign)
	return mapassign_fast32(typ, m, key)
}

func pulled_mapassign_fast64(typ *abi.MapType, m *maps.Map, key uint64) unsafe.Pointer {
	charge(1, pulledAssign)
	return mapassign_fast64(typ, m, key)
}

func pulled_mapassign_fast64ptr(typ *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer {
	charge(1, pulledAssign)
	return mapassign_fast64ptr(typ, m, key)
}

func pulled_mapassign_faststr(typ *abi.MapType, m *maps.Map, key string) unsafe.Pointer {
	charge(1, pulledAssign)
	return mapassign_faststr(typ, m, key)
}

func pulled_mapdelete(typ *abi.MapType, m *maps.Map, key unsafe.Pointer) {
	charge(1, pulledDelete)
	m.Delete(typ, key)
}

func pulled_mapdelete_fast32(typ *abi.MapType, m *maps.Map, key uint32) {
	charge(1, pulledDelete)
	mapdelete_fast32(typ, m, key)
}

func pulled_mapdelete_fast64(typ *abi.MapType, m *maps.Map, key uint64) {
	charge(1, pulledDelete)
	mapdelete_fast64(typ, m, key)
}

func pulled_mapdelete_faststr(typ *abi.MapType, m *maps.Map, key string) {
	charge(1, pulledDelete)
	mapdelete_faststr(typ, m, key)
}

func pulled_mapclear(typ *abi.MapType, m *maps.Map) {
	charge(1, pulledDelete)
	charge(uintptr(maplen(m)), entryWeight)
	m.Clear(typ)
}

func pulled_reflect_mapaccess(typ *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer {
	if e, ok := pulled_mapaccess2(typ, m, key); ok {
		return e
	}
	return nil
}

func pulled_reflect_mapaccess_faststr(typ *abi.MapType, m *maps.Map, key string) unsafe.Pointer {
	if e, ok := pulled_mapaccess2_faststr(typ, m, key); ok {
		return e
	}
	return nil
}

func pulled_reflect_mapassign(typ *abi.MapType, m *maps.Map, key, elem unsafe.Pointer) {
	typedmemmove(typ.Elem, pulled_mapassign(typ, m, key), elem)
}

func pulled_reflect_mapassign_faststr(typ *abi.MapType, m *maps.Map, key string, elem unsafe.Pointer) {
	typedmemmove(typ.Elem, pulled_mapassign_faststr(typ, m, key), elem)
}

func pulled_maplen(m *maps.Map) int { return maplen(m) }

// A pullediter is the beginning of the iterators that programs have: since Go 1.24 the rest, which is other in each of
// their versions, is not used.
type pullediter struct {
	key  unsafe.Pointer
	elem unsafe.Pointer
	typ  *abi.MapType
	it   *maps.Iter
}

func (it *pullediter) next() {
	it.it.Next()
	it.key, it.elem = it.it.Key(), it.it.Elem()
}

func pulled_mapiterinit(typ *abi.MapType, m *maps.Map, it *pullediter) {
	charge(1, pulledMake)
	it.typ = typ
	it.it = new(maps.Iter)
	it.it.Init(typ, m)
	it.next()
}

// pulled_mapiterinit2 makes the iterator itself, as reflect.mapiterinit did before Go 1.18.
func pulled_mapiterinit2(typ *abi.MapType, m *maps.Map) *pullediter {
	charge(unsafe.Sizeof(pullediter{}), allocWeight)
	it := new(pullediter)
	pulled_mapiterinit(typ, m, it)
	return it
}

func pulled_mapiternext(it *pullediter) {
	charge(1, pulledAccess)
	it.next()
}

// pulled_mapiternext2 is for declarations that have a result, which the function of gc never had. It is the key.
func pulled_mapiternext2(it *pullediter) unsafe.Pointer {
	pulled_mapiternext(it)
	return it.key
}

func pulled_mapiterkey(it *pullediter) unsafe.Pointer { return it.it.Key() }

func pulled_mapiterelem(it *pullediter) unsafe.Pointer { return it.it.Elem() }

// Interfaces and types.

func pulled_convT64(x uint64) unsafe.Pointer {
	if x < uint64(len(staticuint64s)) {
		return unsafe.Pointer(&staticuint64s[x])
	}
	charge(unsafe.Sizeof(x), allocWeight)
	p := new(uint64)
	*p = x
	return unsafe.Pointer(p)
}

func pulled_convTstring(s string) unsafe.Pointer {
	charge(unsafe.Sizeof(s), allocWeight)
	p := new(string)
	*p = s
	return unsafe.Pointer(p)
}

func pulled_convTslice(s []byte) unsafe.Pointer {
	charge(unsafe.Sizeof(s), allocWeight)
	p := new([]byte)
	*p = s
	return unsafe.Pointer(p)
}

// pulled_getitab charges for the itab, which stays, and the search for its methods.
func pulled_getitab(inter *interfacetype, typ *_type, canfail bool) *itab {
	charge(uintptr(len(inter.Methods)), 2*unitWeight)
	return getitab(inter, typ, canfail)
}

func pulled_ifaceE2I(inter *interfacetype, e eface, dst *iface) {
	if e._type != nil {
		charge(uintptr(len(inter.Methods)), 2*unitWeight)
	}
	ifaceE2I(inter, e, dst)
}

func pulled_typelinks() ([]unsafe.Pointer, [][]int32) {
	charge(1, unitWeight)
	return reflect_typelinks()
}

// pulled_rtypeOff is given a section of pulled_typelinks and one of its offsets.
func pulled_rtypeOff(section unsafe.Pointer, off int32) unsafe.Pointer {
	return unsafe.Pointer(uintptr(section) + uintptr(off))
}

// Goroutines.

func pulled_procyield(cycles uint32) {}

func pulled_osyield() {
	charge(1, 45*unitWeight)
	Gosched()
}
