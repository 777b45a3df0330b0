package memory

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// freed is the address of the reservation that was released last. The next one asks for it, so that an
// emulator, which has tables for all addresses that were ever used, and chooses new ones by itself, does
// not grow.
var freed atomic.Uintptr

// reserve maps n inaccessible bytes, which take no memory.
func reserve(n uint64) ([]byte, error) {
	hint := unsafe.Add(unsafe.Pointer(nil), freed.Swap(0))
	p, err := unix.MmapPtr(-1, 0, hint, uintptr(n), syscall.PROT_NONE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), n), nil
}

func release(b []byte) error {
	p := unsafe.Pointer(&b[0])
	if err := unix.MunmapPtr(p, uintptr(len(b))); err != nil {
		return err
	}
	freed.Store(uintptr(p))
	return nil
}

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
