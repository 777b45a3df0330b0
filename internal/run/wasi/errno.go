package wasi

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// An Errno is an error number of WASI.
type Errno uint32

const (
	Success      Errno = 0
	E2BIG        Errno = 1
	EACCES       Errno = 2
	EAGAIN       Errno = 6
	EBADF        Errno = 8
	EBUSY        Errno = 10
	EDQUOT       Errno = 19
	EEXIST       Errno = 20
	EFAULT       Errno = 21
	EFBIG        Errno = 22
	EINTR        Errno = 27
	EINVAL       Errno = 28
	EIO          Errno = 29
	EISDIR       Errno = 31
	ELOOP        Errno = 32
	EMFILE       Errno = 33
	EMLINK       Errno = 34
	ENAMETOOLONG Errno = 37
	ENFILE       Errno = 41
	ENODEV       Errno = 43
	ENOENT       Errno = 44
	ENOMEM       Errno = 48
	ENOSPC       Errno = 51
	ENOSYS       Errno = 52
	ENOTDIR      Errno = 54
	ENOTEMPTY    Errno = 55
	ENOTSOCK     Errno = 57
	ENOTSUP      Errno = 58
	ENOTTY       Errno = 59
	ENXIO        Errno = 60
	EOVERFLOW    Errno = 61
	EPERM        Errno = 63
	EPIPE        Errno = 64
	ERANGE       Errno = 68
	EROFS        Errno = 69
	ESPIPE       Errno = 70
	ESTALE       Errno = 72
	ETIMEDOUT    Errno = 73
	ETXTBSY      Errno = 74
	EXDEV        Errno = 75
	ENOTCAPABLE  Errno = 76

	// The guest never sees these: they tell the caller to leave.
	Interrupted Errno = 1<<16 + iota // the context ended during a blocking call
	Exited                           // proc_exit
	OutOfMemory                      // the guest's memory limit is reached
	OutputLimit                      // Config.Output is reached
)

// hostErrnos maps the host's error numbers. It is keyed by the host's
// constants, whose values differ between systems; where two of them have one
// value on some system, only one stands here.
var hostErrnos = map[syscall.Errno]Errno{
	syscall.E2BIG:        E2BIG,
	syscall.EACCES:       EACCES,
	syscall.EAGAIN:       EAGAIN,
	syscall.EBADF:        EBADF,
	syscall.EBUSY:        EBUSY,
	syscall.EDQUOT:       EDQUOT,
	syscall.EEXIST:       EEXIST,
	syscall.EFBIG:        EFBIG,
	syscall.EINTR:        EINTR,
	syscall.EINVAL:       EINVAL,
	syscall.EIO:          EIO,
	syscall.EISDIR:       EISDIR,
	syscall.ELOOP:        ELOOP,
	syscall.EMFILE:       EMFILE,
	syscall.EMLINK:       EMLINK,
	syscall.ENAMETOOLONG: ENAMETOOLONG,
	syscall.ENFILE:       ENFILE,
	syscall.ENODEV:       ENODEV,
	syscall.ENOENT:       ENOENT,
	syscall.ENOMEM:       ENOMEM,
	syscall.ENOSPC:       ENOSPC,
	syscall.ENOSYS:       ENOSYS,
	syscall.ENOTDIR:      ENOTDIR,
	syscall.ENOTEMPTY:    ENOTEMPTY,
	syscall.ENOTSUP:      ENOTSUP,
	syscall.ENOTTY:       ENOTTY,
	syscall.ENXIO:        ENXIO,
	syscall.EOVERFLOW:    EOVERFLOW,
	syscall.EPERM:        EPERM,
	syscall.EPIPE:        EPIPE,
	syscall.EROFS:        EROFS,
	syscall.ESPIPE:       ESPIPE,
	syscall.ESTALE:       ESTALE,
	syscall.ETIMEDOUT:    ETIMEDOUT,
	syscall.ETXTBSY:      ETXTBSY,
	syscall.EXDEV:        EXDEV,
}

// escapes is the text of package os's unexported error for a path that leads
// out of a Root (Go 1.26: os.errPathEscapes).
const escapes = "path escapes from parent"

// errnoOf translates an error of the host. What has no number is EIO.
func errnoOf(err error) Errno {
	if err == nil {
		return Success
	}
	var num syscall.Errno
	if errors.As(err, &num) {
		if e, ok := hostErrnos[num]; ok {
			return e
		}
		return EIO
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ENOENT
	case errors.Is(err, fs.ErrExist):
		return EEXIST
	case errors.Is(err, fs.ErrPermission):
		return EPERM
	case errors.Is(err, os.ErrClosed):
		return EBADF
	case errors.Is(err, io.ErrClosedPipe):
		return EPIPE
	case errors.Is(err, os.ErrDeadlineExceeded):
		return EAGAIN
	case isEscape(err):
		return EPERM
	}
	return EIO
}

// isEscape reports whether the error is os.Root's for a path that leads out of
// the directory.
func isEscape(err error) bool {
	for err != nil {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error() == escapes
		}
		err = next
	}
	return false
}
