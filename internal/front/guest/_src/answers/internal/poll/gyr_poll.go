package poll

import (
	"syscall"
	_ "unsafe" // for go:linkname
)

// Package net's sockets in memory are read and written by functions of its own, under this package's locks, waits and
// deadlines: RawRead and RawWrite without a closure to allocate.

//go:linkname gyrRead
func gyrRead(fd *FD, p []byte, do func(sysfd uintptr, p []byte) (int, error)) (int, error) {
	if err := fd.readLock(); err != nil {
		return 0, err
	}
	defer fd.readUnlock()
	if err := fd.pd.prepareRead(fd.isFile); err != nil {
		return 0, err
	}
	for {
		n, err := do(uintptr(fd.Sysfd), p)
		if err != syscall.EAGAIN {
			return n, err
		}
		if err := fd.pd.waitRead(fd.isFile); err != nil {
			return 0, err
		}
	}
}

//go:linkname gyrWrite
func gyrWrite(fd *FD, p []byte, do func(sysfd uintptr, p []byte) (int, error)) (n int, err error) {
	if err := fd.writeLock(); err != nil {
		return 0, err
	}
	defer fd.writeUnlock()
	if err := fd.pd.prepareWrite(fd.isFile); err != nil {
		return 0, err
	}
	for {
		m, err := do(uintptr(fd.Sysfd), p[n:])
		n += m
		switch {
		case err == syscall.EAGAIN:
			if err := fd.pd.waitWrite(fd.isFile); err != nil {
				return n, err
			}
		case err != nil || n == len(p):
			return n, err
		}
	}
}
