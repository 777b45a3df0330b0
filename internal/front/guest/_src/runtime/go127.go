//go:build go1.27

package runtime

import "unsafe"

// What the standard library expects of this package since Go 1.27, beside what it always did.

// gyr_typepointers is filled by the compiler: gyr_typelinks as pointers.
var gyr_typepointers []*_type

//go:linkname reflect_compiledTypelinks reflect.compiledTypelinks
func reflect_compiledTypelinks() ([]*_type, [][]*_type) { return gyr_typepointers, nil }

//go:linkname reflect_adjustAIXGCDataForRuntime reflect.adjustAIXGCDataForRuntime
func reflect_adjustAIXGCDataForRuntime(p *byte) *byte { return p }

//go:linkname fips_monoTime crypto/internal/fips140deps/time.monoTime
func fips_monoTime() int64 { return nanotime() }

// bootstrapRand seeds hashes of internal/runtime/maps, which nobody asks for: gyr_hash.go of the answers has others.
func bootstrapRand() uint64 { return maps_rand() }

// maps_memhash is the hash of strings as keys for internal/runtime/maps. The price of an operation of a map has the hash of a key, but not
// its bytes.
//
//go:linkname maps_memhash internal/runtime/maps.gyr_memhash
func maps_memhash(p unsafe.Pointer, h, n uintptr) uintptr {
	charge(n, hashWeight)
	return ir_memhash(p, h, n)
}
