package memory

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lend makes shared memory: the host sees it at the returned address, the guest from lo to hi,
// read-only. It needs no descriptor: mremap of no bytes makes a second mapping of the same pages.
func (s *Space) lend(lo, hi uint64) ([]byte, error) {
	n := uintptr(hi - lo)
	view, err := unix.MmapPtr(-1, 0, nil, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("memory: %d KiB for a buffer: %w", n>>10, err)
	}
	to := unsafe.Add(s.Base, lo)
	if _, err = unix.MremapPtr(view, 0, to, n, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED); err == nil {
		err = unix.Mprotect(unsafe.Slice((*byte)(to), n), unix.PROT_READ)
	}
	if err != nil {
		unix.MunmapPtr(view, n)
		s.unlend(lo, hi)
		if err == unix.EINVAL || err == unix.ENOSYS || err == unix.ENOMEM { // a system that only resembles Linux, qemu's emulation
			return s.lendFile(lo, hi)
		}
		return nil, fmt.Errorf("memory: a buffer of %d KiB in the guest's memory: %w", n>>10, err)
	}
	return unsafe.Slice((*byte)(view), n), nil
}

// noReserve keeps the system from counting a mapping before it is touched.
const noReserve = unix.MAP_NORESERVE
