//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package measure

import (
	"errors"
	"os"
	"syscall"
)

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
