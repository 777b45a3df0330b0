package memory

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps n inaccessible bytes, which take no memory.
func reserve(n uint64) ([]byte, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), syscall.PROT_NONE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

func release(b []byte) error { return unix.MunmapPtr(unsafe.Pointer(&b[0]), uintptr(len(b))) }

func protectRW(b []byte) error {
	return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE)
}

func protectNone(b []byte) error { return syscall.Mprotect(b, syscall.PROT_NONE) }

// decommit gives whole pages back. They read as zero afterwards.
func decommit(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return syscall.Madvise(b, syscall.MADV_DONTNEED)
}
