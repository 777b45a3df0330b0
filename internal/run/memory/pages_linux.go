//go:build linux && (amd64 || arm64 || riscv64 || loong64)

package memory

import (
	"syscall"
	"unsafe"
)

// Package syscall's Mmap keeps a table of its mappings, which allocates, and has no mremap. So
// these functions make the system calls themselves.

func mapPages(n int) ([]byte, error) {
	addr, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, uintptr(n), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE, ^uintptr(0), 0)
	return mapping(addr, n, errno)
}

const (
	mremapMayMove = 1
	mremapFixed   = 2
)

// remapPages moves page tables, not contents.
func remapPages(b []byte, n int) ([]byte, error) {
	addr, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(n),
		mremapMayMove, 0, 0)
	return mapping(addr, n, errno)
}

const canMove = true

// movePages moves page tables to another place, and replaces the tables there. The source has none
// afterwards.
func movePages(to, from []byte) error {
	n := uintptr(len(from))
	_, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(unsafe.Pointer(&from[0])), n, n,
		mremapMayMove|mremapFixed, uintptr(unsafe.Pointer(&to[0])), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// mapping makes a slice of memory that no other pointer leads to.
//
//go:nocheckptr
func mapping(addr uintptr, n int, errno syscall.Errno) ([]byte, error) {
	if errno != 0 {
		return nil, errno
	}
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), addr)), n), nil
}

func unmapPages(b []byte) {
	syscall.Syscall(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0)
}
