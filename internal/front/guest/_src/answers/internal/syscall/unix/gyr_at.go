package unix

import (
	"syscall"
	_ "unsafe" // for go:linkname
)

// Fstatat says of a file what Stat and Lstat of package syscall say.
func Fstatat(dirfd int, path string, stat *syscall.Stat_t, flags int) error {
	return gyrFstatat(dirfd, path, stat, flags&AT_SYMLINK_NOFOLLOW == 0)
}

//go:linkname gyrFstatat syscall.gyrFstatat
func gyrFstatat(dirfd int, path string, stat *syscall.Stat_t, follow bool) error
