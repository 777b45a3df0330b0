//go:build linux || darwin || dragonfly || freebsd || netbsd

package memory

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lendFile is Space.lend by a file without a name, for systems that cannot map anonymous memory
// twice. It fills the file, since a full disk must be an error here and not a later fault.
func (s *Space) lendFile(lo, hi uint64) (view []byte, err error) {
	n := uintptr(hi - lo)
	defer func() {
		if err != nil {
			err = fmt.Errorf("memory: %d KiB for a buffer, as a file: %w", n>>10, err)
		}
	}()
	f, err := os.CreateTemp("", "gyr-buffer-*")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	zeros := make([]byte, BufferUnit)
	for at := uintptr(0); at < n; at += BufferUnit {
		if _, err := f.Write(zeros); err != nil {
			return nil, err
		}
	}
	fd := int(f.Fd())
	p, err := unix.MmapPtr(fd, 0, nil, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	view = unsafe.Slice((*byte)(p), n)
	if _, err := unix.MmapPtr(fd, 0, unsafe.Add(s.Base, lo), n, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
		unmapView(view)
		s.unlend(lo, hi)
		return nil, err
	}
	return view, nil
}
