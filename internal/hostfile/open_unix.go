//go:build unix

package hostfile

import (
	"os"
	"syscall"
)

// openFlags open a file for reading without blocking, and without acquiring a controlling terminal.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// noFollow refuses to open a link.
const noFollow = syscall.O_NOFOLLOW
