package exec

import (
	"strings"
	"syscall"
	_ "unsafe" // for go:linkname
)

// gyrError says why a command cannot be found. It is ErrNotFound and ENOSYS for those who ask.
type gyrError string

func (e gyrError) Error() string { return string(e) }
func (gyrError) Unwrap() []error { return []error{ErrNotFound, syscall.ENOSYS} }

//go:linkname gyrFind syscall.gyrFind
func gyrFind(path string) bool

// lookPath finds the program itself, and those that the host named. They are files in /bin.
func lookPath(file string) (string, error) {
	switch {
	case gyrFind(file):
		return file, nil
	case !strings.Contains(file, "/") && gyrFind("/bin/"+file):
		return "/bin/" + file, nil
	}
	return "", &Error{file, gyrError(gyrWhy(file))}
}

// gyrWhy says why a program cannot be started.
//
//go:linkname gyrWhy syscall.gyrWhy
func gyrWhy(path string) string
