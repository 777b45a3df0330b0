package memory

import "syscall"

func protectRW(b []byte) error {
	return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE)
}

func protectNone(b []byte) error { return syscall.Mprotect(b, syscall.PROT_NONE) }
