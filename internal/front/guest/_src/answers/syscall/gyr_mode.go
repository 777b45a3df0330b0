package syscall

import "unsafe"

// Permissions. WASI preview 1 has none: its functions that make files and directories take no mode, and there is none that changes one.
// Those of gyr_fs do. What WASI tells of a file has the mode where the specification has padding.

//go:wasmimport gyr_fs open
//go:noescape
func gyrOpen(dir int32, follow uint32, path *byte, n uint32, create uint32, rights, inheriting uint64, flags, mode uint32, fd *int32) Errno

//go:wasmimport gyr_fs mkdir
//go:noescape
func gyrMkdir(dir int32, path *byte, n uint32, mode uint32) Errno

//go:wasmimport gyr_fs chmod
//go:noescape
func gyrChmod(dir int32, follow uint32, path *byte, n uint32, mode uint32) Errno

//go:wasmimport gyr_fs fchmod
//go:noescape
func gyrFchmod(fd int32, mode uint32) Errno

// A gyrFilestat is the beginning of what the host stores in a Stat_t.
type gyrFilestat struct {
	dev, ino uint64
	typ      uint8
	mode     uint16
}

// gyrUmask has the bits that files and directories are made without.
var gyrUmask uint32 = 0o022

// Umask sets the bits that files and directories are made without, and returns those that it was.
func Umask(mask int) int {
	old := gyrUmask
	gyrUmask = uint32(mask) & 0o777
	return int(old)
}

// setDefaultMode completes what the host tells of a file: every file is the program's own.
func setDefaultMode(st *Stat_t) {
	st.Mode = int((*gyrFilestat)(unsafe.Pointer(st)).mode)
	st.Uid, st.Gid = uint32(Getuid()), uint32(Getgid())
}

// gyrFlag is WASI's flag for one of Open's.
func gyrFlag(openmode, open int, wasi uint32) uint32 {
	if openmode&open == 0 {
		return 0
	}
	return wasi
}

// openat opens a file, or makes one with the mode perm.
func openat(dir int32, path *byte, n size, openmode int, perm uint32) (int, error) {
	rights := fileRights
	switch openmode & (O_RDONLY | O_WRONLY | O_RDWR) {
	case O_RDONLY:
		rights &^= writeRights
	case O_WRONLY:
		rights &^= readRights
	}
	var create oflags
	if openmode&O_DIRECTORY != 0 {
		if openmode&(O_WRONLY|O_RDWR) != 0 {
			return -1, EISDIR
		}
		create = OFLAG_DIRECTORY
		rights &= dirRights
	}
	create |= gyrFlag(openmode, O_CREATE, OFLAG_CREATE) | gyrFlag(openmode, O_TRUNC, OFLAG_TRUNC) | gyrFlag(openmode, O_EXCL, OFLAG_EXCL)
	flags := gyrFlag(openmode, O_APPEND, FDFLAG_APPEND) | gyrFlag(openmode, O_SYNC, FDFLAG_SYNC)
	follow := LOOKUP_SYMLINK_FOLLOW &^ gyrFlag(openmode, O_NOFOLLOW, LOOKUP_SYMLINK_FOLLOW)
	var fd int32
	errno := gyrOpen(dir, follow, path, n, create, rights, fileRights, flags, perm&0o7777&^gyrUmask, &fd)
	return int(fd), errnoErr(errno)
}

func Mkdir(path string, perm uint32) error {
	if path == "" {
		return ENOENT
	}
	dir, p, n := preparePath(path)
	return gyrMkdirat(int(dir), unsafe.String(p, n), perm)
}

// gyrMkdirat is what internal/syscall/unix has for directories that are open.
//
//go:linkname gyrMkdirat
func gyrMkdirat(dir int, path string, perm uint32) error {
	return errnoErr(gyrMkdir(int32(dir), unsafe.StringData(path), size(len(path)), perm&0o1777&^gyrUmask))
}

func Chmod(path string, mode uint32) error {
	if path == "" {
		return ENOENT
	}
	dir, p, n := preparePath(path)
	return gyrFchmodat(int(dir), unsafe.String(p, n), mode, true)
}

// gyrFchmodat is what internal/syscall/unix has for directories that are open.
//
//go:linkname gyrFchmodat
func gyrFchmodat(dir int, path string, mode uint32, follow bool) error {
	var flags lookupflags
	if follow {
		flags = LOOKUP_SYMLINK_FOLLOW
	}
	return errnoErr(gyrChmod(int32(dir), flags, unsafe.StringData(path), size(len(path)), mode))
}

// Fchmod changes the mode of a file. That of a pipe stays.
func Fchmod(fd int, mode uint32) error {
	if fd >= gyrPipeBase {
		var st Stat_t
		return Fstat(fd, &st)
	}
	return errnoErr(gyrFchmod(int32(fd), mode))
}
