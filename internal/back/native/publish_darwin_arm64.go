package native

import (
	"syscall"
	"unsafe"
)

// makeExecutable makes new code visible to the instruction fetches of all processors, and executable. No
// processor can have fetched from the pages before, so the order of the two is enough: see decision 33.
func makeExecutable(code []byte) error {
	invalidate(libSystemInvalidate, uintptr(unsafe.Pointer(&code[0])), uintptr(len(code)), 0)
	return protectCode(code)
}

// invalidate calls sys_icache_invalidate, which cleans the data cache where that is needed and
// invalidates the instruction cache. It has no result. golang.org/x/sys/unix calls libSystem in this way.
//
//go:linkname invalidate syscall.syscall
func invalidate(function, start, size, _ uintptr) (r1, r2 uintptr, err syscall.Errno)

// libSystemInvalidate is the address of sys_icache_invalidate: see publish_darwin_arm64.s.
var libSystemInvalidate uintptr

//go:cgo_import_dynamic libc_sys_icache_invalidate sys_icache_invalidate "/usr/lib/libSystem.B.dylib"
