package runtime

import (
	"internal/abi"
	"internal/runtime/maps"
	"unsafe"
)

// Maps are package internal/runtime/maps, which runs as guest code. Here is
// what it needs, and the names under which compiled code and reflect call it.

//go:linkname maps_errNilAssign internal/runtime/maps.errNilAssign
var maps_errNilAssign error = plainError("assignment to entry in nil map")

//go:linkname maps_rand internal/runtime/maps.rand
func maps_rand() uint64 { return host_maprand() }

// makemap is make(map[K]V, hint).
func makemap(t *abi.MapType, hint int) *maps.Map {
	if hint <= abi.MapGroupSlots {
		return maps.NewEmptyMap()
	}
	return maps.NewMap(t, uintptr(hint), nil, maxAlloc)
}

// makemap_small is make(map[K]V) with a hint that is absent or small.
//
//go:linkname makemap_small
func makemap_small() *maps.Map { return maps.NewEmptyMap() }

// These have their bodies in internal/runtime/maps, which pushes them here.

func mapaccess1(t *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer
func mapaccess2(t *abi.MapType, m *maps.Map, key unsafe.Pointer) (unsafe.Pointer, bool)
func mapassign(t *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer

func mapaccess1_fast32(t *abi.MapType, m *maps.Map, key uint32) unsafe.Pointer
func mapaccess2_fast32(t *abi.MapType, m *maps.Map, key uint32) (unsafe.Pointer, bool)
func mapassign_fast32(t *abi.MapType, m *maps.Map, key uint32) unsafe.Pointer
func mapdelete_fast32(t *abi.MapType, m *maps.Map, key uint32)

func mapaccess1_fast64(t *abi.MapType, m *maps.Map, key uint64) unsafe.Pointer
func mapaccess2_fast64(t *abi.MapType, m *maps.Map, key uint64) (unsafe.Pointer, bool)
func mapassign_fast64(t *abi.MapType, m *maps.Map, key uint64) unsafe.Pointer
func mapassign_fast64ptr(t *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer
func mapdelete_fast64(t *abi.MapType, m *maps.Map, key uint64)

func mapaccess1_faststr(t *abi.MapType, m *maps.Map, key string) unsafe.Pointer
func mapaccess2_faststr(t *abi.MapType, m *maps.Map, key string) (unsafe.Pointer, bool)
func mapassign_faststr(t *abi.MapType, m *maps.Map, key string) unsafe.Pointer
func mapdelete_faststr(t *abi.MapType, m *maps.Map, key string)

// mapaccess1_fat and mapaccess2_fat are for elements larger than zeroVal.

func mapaccess1_fat(t *abi.MapType, m *maps.Map, key, zero unsafe.Pointer) unsafe.Pointer {
	e, ok := mapaccess2(t, m, key)
	if !ok {
		return zero
	}
	return e
}

func mapaccess2_fat(t *abi.MapType, m *maps.Map, key, zero unsafe.Pointer) (unsafe.Pointer, bool) {
	e, ok := mapaccess2(t, m, key)
	if !ok {
		return zero, false
	}
	return e, true
}

//go:linkname mapdelete
func mapdelete(t *abi.MapType, m *maps.Map, key unsafe.Pointer) { m.Delete(t, key) }

// mapclear is clear(m). The caller says how many entries there are, for which it pays.
func mapclear(t *abi.MapType, m *maps.Map, n int) {
	if n != maplen(m) {
		throw("mapclear: the map has another length")
	}
	m.Clear(t)
}

func maplen(m *maps.Map) int {
	if m == nil {
		return 0
	}
	return int(m.Used())
}

// mapIterStart begins a range over m in it, which is zero, and moves to the first
// entry. it.Key() is nil at the end.
func mapIterStart(t *abi.MapType, m *maps.Map, it *maps.Iter) {
	it.Init(t, m)
	it.Next()
}

func mapIterNext(it *maps.Iter) { it.Next() }

//go:linkname reflect_makemap reflect.makemap
func reflect_makemap(t *abi.MapType, hint int) *maps.Map {
	if t.Key.Equal == nil {
		throw("runtime.reflect_makemap: unsupported map key type")
	}
	return makemap(t, hint)
}

//go:linkname reflect_mapaccess reflect.mapaccess
func reflect_mapaccess(t *abi.MapType, m *maps.Map, key unsafe.Pointer) unsafe.Pointer {
	if e, ok := mapaccess2(t, m, key); ok {
		return e
	}
	return nil
}

//go:linkname reflect_mapaccess_faststr reflect.mapaccess_faststr
func reflect_mapaccess_faststr(t *abi.MapType, m *maps.Map, key string) unsafe.Pointer {
	if e, ok := mapaccess2_faststr(t, m, key); ok {
		return e
	}
	return nil
}

//go:linkname reflect_mapassign reflect.mapassign0
func reflect_mapassign(t *abi.MapType, m *maps.Map, key, elem unsafe.Pointer) {
	typedmemmove(t.Elem, mapassign(t, m, key), elem)
}

//go:linkname reflect_mapassign_faststr reflect.mapassign_faststr0
func reflect_mapassign_faststr(t *abi.MapType, m *maps.Map, key string, elem unsafe.Pointer) {
	typedmemmove(t.Elem, mapassign_faststr(t, m, key), elem)
}

//go:linkname reflect_mapdelete reflect.mapdelete
func reflect_mapdelete(t *abi.MapType, m *maps.Map, key unsafe.Pointer) { m.Delete(t, key) }

//go:linkname reflect_mapdelete_faststr reflect.mapdelete_faststr
func reflect_mapdelete_faststr(t *abi.MapType, m *maps.Map, key string) { mapdelete_faststr(t, m, key) }

//go:linkname reflect_maplen reflect.maplen
func reflect_maplen(m *maps.Map) int { return maplen(m) }

//go:linkname reflectlite_maplen internal/reflectlite.maplen
func reflectlite_maplen(m *maps.Map) int { return maplen(m) }

//go:linkname reflect_mapclear reflect.mapclear
func reflect_mapclear(t *abi.MapType, m *maps.Map) { m.Clear(t) }

//go:linkname mapclone maps.clone
func mapclone(m any) any {
	e := efaceOf(&m)
	e.data = unsafe.Pointer((*maps.Map)(e.data).Clone((*abi.MapType)(unsafe.Pointer(e._type))))
	return m
}
