//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package measure

import (
	"errors"
	"os"
	"syscall"
)

// sharedDir is the directory for temporary files of all users.
const sharedDir = "/tmp"

// openFlags keep an open from following a link and from waiting for a pipe's other end.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ownFile reports whether a file is a regular one with a single name.
func ownFile(f *os.File) bool {
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}

// lockFile takes the lock of an open file. Closing the file releases it.
func lockFile(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}
