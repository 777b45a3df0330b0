package runtime

import (
	"internal/abi"
	"unsafe"
)

// Calls by the host. A program whose functions the host calls has a generated
// main function (internal/load, exports.go), which describes the functions, waits
// in gyr_next for a call, fetches its arguments and delivers its results.

// host_describe names the struct types of the arguments and the results of
// function number i.
func host_describe(i int, in, out unsafe.Pointer)

// host_nextcall leaves the engine until the host calls; host_callnumber is the
// number of the function.
func host_nextcall()
func host_callnumber() int

// host_callargs fills the struct at p, of the type described, with the
// arguments; host_callresults reads the results.
func host_callargs(p unsafe.Pointer)
func host_callresults(p unsafe.Pointer)

func gyr_describe(i int, in, out any) {
	host_describe(i, pointee(in), pointee(out))
}

// pointee returns the descriptor of the type that the pointer in x points to.
func pointee(x any) unsafe.Pointer {
	return unsafe.Pointer((*abi.PtrType)(unsafe.Pointer(efaceOf(&x)._type)).Elem)
}

func gyr_next() int {
	host_nextcall()
	return host_callnumber()
}

func gyr_args(in any) { host_callargs(efaceOf(&in).data) }

func gyr_results(out any) { host_callresults(efaceOf(&out).data) }
