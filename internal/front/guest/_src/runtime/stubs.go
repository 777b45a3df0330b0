package runtime

import (
	"internal/abi"
	"unsafe"
)

// The shapes of Go values in memory, under the names that the rest of the
// package uses.

type _type = abi.Type
type itab = abi.ITab
type interfacetype = abi.InterfaceType
type arraytype = abi.ArrayType
type structtype = abi.StructType
type chantype = abi.ChanType

// A funcval is a closure object: captured variables follow the index.
type funcval struct {
	fn uintptr // index of the function
}

type eface struct {
	_type *_type
	data  unsafe.Pointer
}

type iface struct {
	tab  *itab
	data unsafe.Pointer
}

type slice struct {
	array unsafe.Pointer
	len   int
	cap   int
}

type stringStruct struct {
	str unsafe.Pointer
	len int
}

func efaceOf(p *any) *eface { return (*eface)(unsafe.Pointer(p)) }

// getg returns the record of the running goroutine.
func getg() *g { return curg }

// add returns p+x. Its result must stay within the object of p.
//
//go:linkname add
func add(p unsafe.Pointer, x uintptr) unsafe.Pointer {
	return unsafe.Pointer(uintptr(p) + x)
}

// noescape hides a pointer from escape analysis.
//
//go:linkname noescape
func noescape(p unsafe.Pointer) unsafe.Pointer {
	return abi.NoEscape(p)
}

//go:linkname memmove
func memmove(to, from unsafe.Pointer, n uintptr) { ir_memmove(to, from, n) }

//go:linkname memclrNoHeapPointers
func memclrNoHeapPointers(p unsafe.Pointer, n uintptr) { ir_memclr(p, n) }

//go:linkname memclrHasPointers
func memclrHasPointers(p unsafe.Pointer, n uintptr) { ir_memclr(p, n) }

//go:linkname memequal
func memequal(p, q unsafe.Pointer, n uintptr) bool { return ir_memequal(p, q, n) }

// funcPC returns the index of the function that a func value calls.
func funcPC(f func()) uintptr {
	return **(**uintptr)(unsafe.Pointer(&f))
}

// rand is the instance's deterministic generator.
//
//go:linkname rand
func rand() uint64 { return host_rand() }

//go:linkname rand32
func rand32() uint32 { return uint32(host_rand() >> 32) }

// randn returns a number below n.
//
//go:linkname randn
func randn(n uint32) uint32 { return uint32((uint64(rand32()) * uint64(n)) >> 32) }

//go:linkname cheaprand
func cheaprand() uint32 { return rand32() }

//go:linkname cheaprand64
func cheaprand64() int64 { return int64(host_rand()) }

//go:linkname cheaprandn
func cheaprandn(n uint32) uint32 { return randn(n) }

//go:linkname legacy_fastrand runtime.fastrand
func legacy_fastrand() uint32 { return rand32() }

//go:linkname legacy_fastrandn runtime.fastrandn
func legacy_fastrandn(n uint32) uint32 { return randn(n) }

//go:linkname legacy_fastrand64 runtime.fastrand64
func legacy_fastrand64() uint64 { return host_rand() }

// zeroVal is what reads of absent map entries point at.
//
//go:linkname zeroVal
var zeroVal [abi.ZeroValSize]byte

// zerobase is the address of all values of size zero.
var zerobase uintptr

// maxAlloc bounds a single object: the guest's address space is 4 GiB.
const maxAlloc = 1 << 32

// exit ends the program. os.Exit and a returning main come here.
func exit(code int32) {
	host_exit(code)
}
