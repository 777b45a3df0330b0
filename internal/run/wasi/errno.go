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
	Success         Errno = 0
	E2BIG           Errno = 1
	EACCES          Errno = 2
	EADDRINUSE      Errno = 3
	EADDRNOTAVAIL   Errno = 4
	EAFNOSUPPORT    Errno = 5
	EAGAIN          Errno = 6
	EBADF           Errno = 8
	EBUSY           Errno = 10
	ECHILD          Errno = 12
	ECONNABORTED    Errno = 13
	ECONNREFUSED    Errno = 14
	ECONNRESET      Errno = 15
	EDQUOT          Errno = 19
	EEXIST          Errno = 20
	EFAULT          Errno = 21
	EFBIG           Errno = 22
	EHOSTUNREACH    Errno = 23
	EINTR           Errno = 27
	EINVAL          Errno = 28
	EIO             Errno = 29
	EISCONN         Errno = 30
	EISDIR          Errno = 31
	ELOOP           Errno = 32
	EMFILE          Errno = 33
	EMLINK          Errno = 34
	EMSGSIZE        Errno = 35
	ENAMETOOLONG    Errno = 37
	ENETDOWN        Errno = 38
	ENETRESET       Errno = 39
	ENETUNREACH     Errno = 40
	ENFILE          Errno = 41
	ENOBUFS         Errno = 42
	ENODEV          Errno = 43
	ENOENT          Errno = 44
	ENOMEM          Errno = 48
	ENOSPC          Errno = 51
	ENOSYS          Errno = 52
	ENOTCONN        Errno = 53
	ENOTDIR         Errno = 54
	ENOTEMPTY       Errno = 55
	ENOTSOCK        Errno = 57
	ENOTSUP         Errno = 58
	ENOTTY          Errno = 59
	ENXIO           Errno = 60
	EOVERFLOW       Errno = 61
	EPERM           Errno = 63
	EPIPE           Errno = 64
	EPROTONOSUPPORT Errno = 66
	ERANGE          Errno = 68
	EROFS           Errno = 69
	ESPIPE          Errno = 70
	ESRCH           Errno = 71
	ESTALE          Errno = 72
	ETIMEDOUT       Errno = 73
	ETXTBSY         Errno = 74
	EXDEV           Errno = 75
	ENOTCAPABLE     Errno = 76

	// The guest never sees these. They tell the caller to end the run.
	Interrupted Errno = 1<<16 + iota // the context ended during a blocking call
	Exited                           // proc_exit
	OutOfMemory                      // the guest's memory limit is reached
	OutputLimit                      // Config.Output is reached
)

// hostErrnos maps the host's error numbers. Its keys are the host's constants, whose values differ
// between systems. If two constants have one value on some system, the map has only one of them.
var hostErrnos = map[syscall.Errno]Errno{
	syscall.E2BIG:           E2BIG,
	syscall.EACCES:          EACCES,
	syscall.EADDRINUSE:      EADDRINUSE,
	syscall.EADDRNOTAVAIL:   EADDRNOTAVAIL,
	syscall.EAFNOSUPPORT:    EAFNOSUPPORT,
	syscall.EAGAIN:          EAGAIN,
	syscall.EBADF:           EBADF,
	syscall.EBUSY:           EBUSY,
	syscall.ECONNABORTED:    ECONNABORTED,
	syscall.ECONNREFUSED:    ECONNREFUSED,
	syscall.ECONNRESET:      ECONNRESET,
	syscall.EDQUOT:          EDQUOT,
	syscall.EEXIST:          EEXIST,
	syscall.EFBIG:           EFBIG,
	syscall.EHOSTUNREACH:    EHOSTUNREACH,
	syscall.EINTR:           EINTR,
	syscall.EINVAL:          EINVAL,
	syscall.EIO:             EIO,
	syscall.EISCONN:         EISCONN,
	syscall.EISDIR:          EISDIR,
	syscall.ELOOP:           ELOOP,
	syscall.EMFILE:          EMFILE,
	syscall.EMLINK:          EMLINK,
	syscall.EMSGSIZE:        EMSGSIZE,
	syscall.ENAMETOOLONG:    ENAMETOOLONG,
	syscall.ENETDOWN:        ENETDOWN,
	syscall.ENETRESET:       ENETRESET,
	syscall.ENETUNREACH:     ENETUNREACH,
	syscall.ENFILE:          ENFILE,
	syscall.ENOBUFS:         ENOBUFS,
	syscall.ENODEV:          ENODEV,
	syscall.ENOENT:          ENOENT,
	syscall.ENOMEM:          ENOMEM,
	syscall.ENOSPC:          ENOSPC,
	syscall.ENOSYS:          ENOSYS,
	syscall.ENOTCONN:        ENOTCONN,
	syscall.ENOTDIR:         ENOTDIR,
	syscall.ENOTEMPTY:       ENOTEMPTY,
	syscall.ENOTSUP:         ENOTSUP,
	syscall.ENOTTY:          ENOTTY,
	syscall.ENXIO:           ENXIO,
	syscall.EOVERFLOW:       EOVERFLOW,
	syscall.EPERM:           EPERM,
	syscall.EPIPE:           EPIPE,
	syscall.EPROTONOSUPPORT: EPROTONOSUPPORT,
	syscall.EROFS:           EROFS,
	syscall.ESPIPE:          ESPIPE,
	syscall.ESTALE:          ESTALE,
	syscall.ETIMEDOUT:       ETIMEDOUT,
	syscall.ETXTBSY:         ETXTBSY,
	syscall.EXDEV:           EXDEV,
}

// ErrnoOf returns the guest's number of an error of the host's system, or EIO if the guest has none
// for it. It is false for an error without a number.
func ErrnoOf(err error) (Errno, bool) {
	var num syscall.Errno
	if !errors.As(err, &num) {
		return 0, false
	}
	if e, ok := hostErrnos[num]; ok {
		return e, true
	}
	return EIO, true
}

// escapes is the text of package os's unexported error for a path that leaves a Root (Go 1.26:
// os.errPathEscapes).
const escapes = "path escapes from parent"

// errnoOf translates an error of the host. An error without a number is EIO.
func errnoOf(err error) Errno {
	if err == nil {
		return Success
	}
	if e, ok := ErrnoOf(err); ok {
		return e
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

// isEscape reports whether the error is os.Root's for a path that leaves the directory.
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
