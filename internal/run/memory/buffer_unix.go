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

// clearView replaces the host's view of a buffer by private zero memory.
func clearView(view []byte) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&view[0]), uintptr(len(view)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED|noReserve)
	return err
}

// unmapView gives back the host's view of a buffer.
func unmapView(view []byte) { unix.MunmapPtr(unsafe.Pointer(&view[0]), uintptr(len(view))) }
