package syscall

import "unsafe"

// preparePath returns the descriptor of the granted directory that a path begins with, and what remains of the path.
// A directory is the beginning of a path only up to a slash: /tmpfile is not in /tmp.
func preparePath(path string) (int32, *byte, size) {
	dir := "/"
	if !isAbs(path) {
		dir = cwd
	}
	path = joinPath(dir, path)
	fd, begin := int32(-1), -1
	for _, p := range preopens {
		n := len(p.name)
		if n > begin && n <= len(path) && path[:n] == p.name && (n == len(path) || n == 0 || p.name[n-1] == '/' || path[n] == '/') {
			fd, begin = p.fd, n
		}
	}
	path = path[max(begin, 0):]
	for isAbs(path) {
		path = path[1:]
	}
	if path == "" {
		path = "."
	}
	return fd, unsafe.StringData(path), size(len(path))
}

// A path of no letters names nothing, as on Linux; WASI's answer is that it is not valid.

func Open(path string, openmode int, perm uint32) (int, error) {
	if path == "" {
		return -1, ENOENT
	}
	dir, p, n := preparePath(path)
	fd, err := openat(dir, p, n, openmode, perm)
	if err == nil && perm&S_IFMT == S_IFSOCK { // package net says that it makes the file of a Unix socket
		var st Stat_t
		if fd_filestat_get(int32(fd), unsafe.Pointer(&st)) == 0 {
			gyrSockets = append(gyrSockets, [2]uint64{st.Dev, st.Ino})
		}
	}
	return fd, err
}

// gyrSockets are devices and numbers of the files that Unix sockets are found by. WASI has no call that makes such a file:
// for the host it is an empty one.
var gyrSockets [][2]uint64

func Stat(path string, st *Stat_t) error { return gyrStat(path, st, true) }

func Lstat(path string, st *Stat_t) error { return gyrStat(path, st, false) }

func gyrStat(path string, st *Stat_t, follow bool) error {
	if path == "" {
		return ENOENT
	}
	dir, p, n := preparePath(path)
	return gyrFstatat(int(dir), unsafe.String(p, n), st, follow)
}

// gyrFstatat is what internal/syscall/unix has for directories that are open.
//
//go:linkname gyrFstatat
func gyrFstatat(dir int, path string, st *Stat_t, follow bool) error {
	var flags lookupflags
	if follow {
		flags = LOOKUP_SYMLINK_FOLLOW
	}
	errno := path_filestat_get(int32(dir), flags, unsafe.StringData(path), size(len(path)), unsafe.Pointer(st))
	if errno != 0 {
		return errno
	}
	if st.Filetype == FILETYPE_REGULAR_FILE && st.Size == 0 {
		for _, s := range gyrSockets {
			if s == [2]uint64{st.Dev, st.Ino} {
				st.Filetype = FILETYPE_SOCKET_STREAM
			}
		}
	}
	setDefaultMode(st)
	return nil
}

// ReadDir says of files, where one may be a socket's, that it does not know what they are: who lists them asks Lstat then.
func ReadDir(fd int, buf []byte, cookie dircookie) (int, error) {
	var n size
	errno := fd_readdir(int32(fd), &buf[0], size(len(buf)), cookie, &n)
	if errno == 0 && len(gyrSockets) > 0 {
		const head = 24
		for b := buf[:n]; len(b) >= head; {
			e := (*Dirent)(unsafe.Pointer(&b[0]))
			if e.Type == FILETYPE_REGULAR_FILE {
				e.Type = FILETYPE_UNKNOWN
			}
			b = b[min(head+int(e.Namlen), len(b)):]
		}
	}
	return int(n), errnoErr(errno)
}

func Unlink(path string) error {
	if path == "" {
		return ENOENT
	}
	return errnoErr(path_unlink_file(preparePath(path)))
}

func Rmdir(path string) error {
	if path == "" {
		return ENOENT
	}
	return errnoErr(path_remove_directory(preparePath(path)))
}

func Rename(from, to string) error {
	if from == "" || to == "" {
		return ENOENT
	}
	dir, p, n := preparePath(from)
	toDir, q, m := preparePath(to)
	return errnoErr(path_rename(dir, p, n, toDir, q, m))
}

func Truncate(path string, length int64) error {
	fd, err := Open(path, O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer Close(fd)
	return Ftruncate(fd, length)
}

func Chdir(path string) error {
	var st Stat_t
	switch err := Stat(path, &st); {
	case err != nil:
		return err
	case st.Filetype != FILETYPE_DIRECTORY:
		return ENOTDIR
	case st.Mode&S_IXUSR == 0:
		return EACCES
	}
	dir := "/"
	if !isAbs(path) {
		dir = cwd
	}
	cwd = joinPath(dir, path)
	return nil
}

func Readlink(path string, buf []byte) (n int, err error) {
	switch {
	case path == "":
		return 0, ENOENT
	case len(buf) == 0:
		return 0, nil
	}
	dir, p, l := preparePath(path)
	var used size
	errno := path_readlink(dir, p, l, &buf[0], size(len(buf)), &used)
	return int(used), errnoErr(errno)
}

func Link(path, link string) error {
	if path == "" || link == "" {
		return ENOENT
	}
	dir, p, n := preparePath(path)
	toDir, q, m := preparePath(link)
	return errnoErr(path_link(dir, 0, p, n, toDir, q, m))
}

func Symlink(path, link string) error {
	if path == "" || link == "" {
		return ENOENT
	}
	dir, p, n := preparePath(link)
	return errnoErr(path_symlink(unsafe.StringData(path), size(len(path)), dir, p, n))
}
