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
