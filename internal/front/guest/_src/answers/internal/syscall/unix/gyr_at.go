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

// Mkdirat makes a directory as Mkdir of package syscall does.
func Mkdirat(dirfd int, path string, mode uint32) error {
	if path == "" {
		return syscall.ENOENT
	}
	return gyrMkdirat(dirfd, path, mode)
}

//go:linkname gyrMkdirat syscall.gyrMkdirat
func gyrMkdirat(dirfd int, path string, perm uint32) error

// Fchmodat changes a mode as Chmod of package syscall does.
func Fchmodat(dirfd int, path string, mode uint32, flags int) error {
	if path == "" {
		return syscall.ENOENT
	}
	return gyrFchmodat(dirfd, path, mode, flags&AT_SYMLINK_NOFOLLOW == 0)
}

//go:linkname gyrFchmodat syscall.gyrFchmodat
func gyrFchmodat(dirfd int, path string, mode uint32, follow bool) error
