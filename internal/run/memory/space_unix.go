//go:build darwin || dragonfly || freebsd || netbsd

package memory

import (
	"errors"
	"syscall"
)

// reserve maps n bytes that can't be accessed. Inaccessible private mappings
// are not charged to anything on the systems that this file is for.
func reserve(n uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(n), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func release(b []byte) error { return syscall.Munmap(b) }

// decommit is not possible portably: MADV_DONTNEED keeps the contents on other
// systems than Linux. The caller clears the memory instead.
func decommit([]byte) error { return errors.ErrUnsupported }
