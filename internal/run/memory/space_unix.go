//go:build darwin || dragonfly || freebsd || netbsd

package memory

import (
	"errors"
	"syscall"
)

// reserve maps n inaccessible bytes. On the systems of this file, inaccessible private mappings are
// not charged.
func reserve(n uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(n), syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func release(b []byte) error { return syscall.Munmap(b) }

// decommit is not portable: outside Linux, MADV_DONTNEED keeps the contents. The caller clears the
// memory instead.
func decommit([]byte) error { return errors.ErrUnsupported }
