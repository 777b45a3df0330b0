//go:build linux || darwin || dragonfly || freebsd || netbsd

package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// unlend makes the guest's memory from lo to hi inaccessible, as if it had never been committed.
func (s *Space) unlend(lo, hi uint64) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Add(s.Base, lo), uintptr(hi-lo), unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED|noReserve)
	return err
}

// clearView puts memory of its own, all zero, in the place of the host's view of a buffer.
func clearView(view []byte) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&view[0]), uintptr(len(view)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED|noReserve)
	return err
}

// unmapView gives the host's view of a buffer back.
func unmapView(view []byte) { unix.MunmapPtr(unsafe.Pointer(&view[0]), uintptr(len(view))) }
