//go:build darwin || dragonfly || freebsd || netbsd || (linux && !(amd64 || arm64 || riscv64 || loong64))

package memory

import (
	"errors"
	"syscall"
)

func mapPages(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func remapPages([]byte, int) ([]byte, error) { return nil, errors.ErrUnsupported }

const canMove = false

func movePages(to, from []byte) error { return errors.ErrUnsupported }
func unmapPages(b []byte)             { syscall.Munmap(b) }
