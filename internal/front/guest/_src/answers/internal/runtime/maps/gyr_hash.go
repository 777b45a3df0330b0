//go:build go1.27

package maps

import (
	"internal/abi"
	"unsafe"
)

// Since Go 1.27 the fast paths of maps hash keys themselves. Hashers of types, which all other paths call, are those of package runtime, so these are too.

func gyr_memhash(p unsafe.Pointer, h, n uintptr) uintptr
func gyr_memhash32(p unsafe.Pointer, h uintptr) uintptr
func gyr_memhash64(p unsafe.Pointer, h uintptr) uintptr

func memHashFallback(p unsafe.Pointer, seed, s uintptr) uintptr { return gyr_memhash(p, seed, s) }

func memHash32Fallback(k uint32, seed uintptr) uintptr {
	return gyr_memhash32(abi.NoEscape(unsafe.Pointer(&k)), seed)
}

func memHash64Fallback(k uint64, seed uintptr) uintptr {
	return gyr_memhash64(abi.NoEscape(unsafe.Pointer(&k)), seed)
}
