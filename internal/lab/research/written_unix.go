//go:build unix

package research

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// writtenFlags open a file neither through a link nor waiting for who writes to a pipe.
const writtenFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// keepFiles has no process that is started get a file that this one was started with, but for the three of all processes: by a directory
// that is open a process leaves any box.
func keepFiles() {
	names, _ := filepath.Glob("/dev/fd/*") // where there is none nothing is known
	for _, name := range names {
		if fd, err := strconv.Atoi(filepath.Base(name)); err == nil && fd > int(os.Stderr.Fd()) {
			syscall.CloseOnExec(fd)
		}
	}
}
