package wasi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// shapes tell Describe how a function's arguments print, a letter each:
//
//	n  a number
//	o  a mode, in octal
//	s  two arguments: address and length of a string
//	v  two: address and count of buffers; the text has their bytes
//	b  two: address and length of a buffer; the text has the length
//	r  the address of a result, 32 bits, which is printed after the call
//	-  not printed
var shapes = map[string]string{
	"args_get":                "--",
	"args_sizes_get":          "--",
	"environ_get":             "--",
	"environ_sizes_get":       "--",
	"clock_time_get":          "n--",
	"poll_oneoff":             "--nr",
	"sched_yield":             "",
	"proc_exit":               "n",
	"random_get":              "b",
	"fd_close":                "n",
	"fd_fdstat_get":           "n-",
	"fd_fdstat_set_flags":     "nn",
	"fd_fdstat_set_rights":    "nnn",
	"fd_filestat_get":         "n-",
	"fd_filestat_set_size":    "nn",
	"fd_pread":                "nvnr",
	"fd_prestat_dir_name":     "n--",
	"fd_prestat_get":          "n-",
	"fd_pwrite":               "nvnr",
	"fd_read":                 "nvr",
	"fd_readdir":              "nbnr",
	"fd_seek":                 "nnn-",
	"fd_sync":                 "n",
	"fd_write":                "nvr",
	"path_create_directory":   "ns",
	"path_filestat_get":       "n-s-",
	"path_filestat_set_times": "n-s---",
	"path_link":               "n-sns",
	"path_open":               "n-sn--nr",
	"path_readlink":           "ns--r",
	"path_remove_directory":   "ns",
	"path_rename":             "nsns",
	"path_symlink":            "sns",
	"path_unlink_file":        "ns",
	"open":                    "n-sn--nor",
	"mkdir":                   "nso",
	"chmod":                   "n-so",
	"fchmod":                  "no",
	"flock":                   "nn",
	"sock_accept":             "nnr",
	"sock_shutdown":           "nn",
}

// maxString is how much of a string Describe prints.
const maxString = 1024

// Describe prints a call of a function in one line, with its arguments and the error that it
// returned: fd_write(1, 6) = 6. It checks memory as the function did.
func Describe(mem Memory, name string, args *ir.Args, e Errno) string {
	var b strings.Builder
	b.WriteString(name + "(")
	i, first, result := 0, true, -1
	for _, c := range shapes[name] {
		if c != '-' && c != 'r' {
			if !first {
				b.WriteString(", ")
			}
			first = false
		}
		switch c {
		case 'n':
			b.WriteString(strconv.FormatInt(int64(args[i]), 10))
		case 'o':
			fmt.Fprintf(&b, "%#o", u32(args[i]))
		case 's':
			n := u32(args[i+1])
			text, ok := mem.Bytes(u32(args[i]), min(n, maxString))
			i++
			if !ok {
				b.WriteByte('?')
				break
			}
			b.WriteString(strconv.Quote(string(text)))
			if n > maxString {
				b.WriteString("...")
			}
		case 'b':
			i++
			b.WriteString(strconv.FormatUint(u32(args[i]), 10))
		case 'v':
			b.WriteString(vectorLength(mem, u32(args[i]), u32(args[i+1])))
			i++
		case 'r':
			result = i
		}
		i++
	}
	b.WriteByte(')')
	switch {
	case e >= Interrupted:
	case e != Success:
		b.WriteString(" = " + errnoName(e))
	case result >= 0:
		if p, ok := mem.Bytes(u32(args[result]), 4); ok {
			b.WriteString(" = " + strconv.FormatUint(uint64(le.Uint32(p)), 10))
		}
	}
	return b.String()
}

// vectorLength sums the bytes of n buffers.
func vectorLength(mem Memory, addr, n uint64) string {
	const most = 1024
	sum := uint64(0)
	for i := range min(n, most) {
		p, ok := mem.Bytes(addr+8*i, 8)
		if !ok {
			return "?"
		}
		sum += uint64(le.Uint32(p[4:]))
	}
	if n > most {
		return "?"
	}
	return strconv.FormatUint(sum, 10)
}

// errnoNames are the numbers that this package returns.
var errnoNames = map[Errno]string{
	E2BIG: "E2BIG", EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY", EDQUOT: "EDQUOT",
	EEXIST: "EEXIST", EFAULT: "EFAULT", EFBIG: "EFBIG", EINTR: "EINTR", EINVAL: "EINVAL", EIO: "EIO",
	EISDIR: "EISDIR", ELOOP: "ELOOP", EMFILE: "EMFILE", EMLINK: "EMLINK", ENAMETOOLONG: "ENAMETOOLONG",
	ENFILE: "ENFILE", ENODEV: "ENODEV", ENOENT: "ENOENT", ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS",
	ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ENOTSOCK: "ENOTSOCK", ENOTSUP: "ENOTSUP", ENOTTY: "ENOTTY",
	ENXIO: "ENXIO", EOVERFLOW: "EOVERFLOW", EPERM: "EPERM", EPIPE: "EPIPE", ERANGE: "ERANGE", EROFS: "EROFS",
	ESPIPE: "ESPIPE", ESTALE: "ESTALE", ETIMEDOUT: "ETIMEDOUT", ETXTBSY: "ETXTBSY", EXDEV: "EXDEV",
	ENOTCAPABLE: "ENOTCAPABLE",
}

func errnoName(e Errno) string {
	if name := errnoNames[e]; name != "" {
		return name
	}
	return fmt.Sprintf("errno %d", e)
}
