//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package measure

import (
	"errors"
	"os"
)

// sharedDir is the directory for temporary files, openFlags and ownFile matter only with locks.
var sharedDir = os.TempDir()

const openFlags = 0

func ownFile(*os.File) bool { return false }

// lockFile fails: locks here do not end with their process.
func lockFile(f *os.File) (bool, error) {
	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: errors.ErrUnsupported}
}
