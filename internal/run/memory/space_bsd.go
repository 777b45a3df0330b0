//go:build dragonfly || freebsd || netbsd

package memory

import (
	"syscall"
	"unsafe"
)

func protectRW(b []byte) error { return protect(b, syscall.PROT_READ|syscall.PROT_WRITE) }

func protectNone(b []byte) error { return protect(b, syscall.PROT_NONE) }

func protect(b []byte, prot uintptr) error {
	_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), prot)
	if errno != 0 {
		return errno
	}
	return nil
}
