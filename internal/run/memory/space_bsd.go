//go:build dragonfly || freebsd || netbsd

package memory

import (
	"syscall"
	"unsafe"
)

func protectRW(b []byte) error {
	_, _, errno := syscall.Syscall(syscall.SYS_MPROTECT,
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), syscall.PROT_READ|syscall.PROT_WRITE)
	if errno != 0 {
		return errno
	}
	return nil
}
