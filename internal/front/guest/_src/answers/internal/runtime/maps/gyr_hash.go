//go:build go1.27

package maps

import "unsafe"

// Since Go 1.27 the fast paths of maps hash keys themselves. Hashers of types, which all other paths call, are those of package runtime, so these are too.

func gyr_memhash(p unsafe.Pointer, h, n uintptr) uintptr

func memHashFallback(p unsafe.Pointer, seed, s uintptr) uintptr { return gyr_memhash(p, seed, s) }

// Calls of these are operations.

func memHash32Fallback(k uint32, seed uintptr) uintptr
func memHash64Fallback(k uint64, seed uintptr) uintptr
