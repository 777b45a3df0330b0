//go:build unix

package research

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// writtenFlags open a file without following a link and without waiting for a pipe's writer.
const writtenFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// keepFiles keeps new processes from inheriting this process's open files, except the three
// standard ones. Through an open directory a process could leave any box.
func keepFiles() {
	names, _ := filepath.Glob("/dev/fd/*") // without /dev/fd the open files are unknown
	for _, name := range names {
		if fd, err := strconv.Atoi(filepath.Base(name)); err == nil && fd > int(os.Stderr.Fd()) {
			syscall.CloseOnExec(fd)
		}
	}
}
