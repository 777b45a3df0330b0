package memory

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Tracker finds the pages that guests have written to, by the kernel's page tables. Pages are
// write-protected there. The first write to a page removes its protection without a notice
// (userfaultfd in its asynchronous mode). One system call names the unprotected pages and protects
// them again (PAGEMAP_SCAN; both need Linux 6.7). Protections of this kind are not mappings, so
// their number is not limited. The first write to a page costs about half a microsecond. Finding
// the pages costs the same for every MiB that has page tables.
//
// A Tracker serves any number of spaces and goroutines. It holds two descriptors until it becomes
// unreachable.
type Tracker struct{ fault, pages int }

// NewTracker returns an error if the system does not support or allow this.
func NewTracker() (*Tracker, error) {
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK|uffdUserModeOnly, 0, 0)
	if errno != 0 {
		return nil, errno
	}
	api := &uffdAPI{api: uffdVersion, features: uffdWriteProtect | uffdWriteProtectFiles | uffdWriteProtectNothing | uffdAsync}
	if err := ioctl(int(fd), uffdioAPI, unsafe.Pointer(api)); err != nil {
		unix.Close(int(fd))
		return nil, err
	}
	pages, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(int(fd))
		return nil, err
	}
	t := &Tracker{int(fd), pages}
	runtime.AddCleanup(t, func(c Tracker) {
		unix.Close(c.fault)
		unix.Close(c.pages)
	}, *t)
	return t, nil
}

// track starts to track a part of a reservation. Earlier writes count as writes.
func (t *Tracker) track(s *Space, part span) error {
	b := s.all[part.lo:part.hi]
	// A page of 2 MiB would be copied as a whole. A kernel without such pages returns an error.
	if err := unix.Madvise(b, unix.MADV_NOHUGEPAGE); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	r := &uffdRegister{start: uint64(uintptr(unsafe.Pointer(&b[0]))), length: uint64(len(b)), mode: uffdModeWriteProtect}
	return ioctl(t.fault, uffdioRegister, unsafe.Pointer(r))
}

// forget ends the tracking that track began.
func (t *Tracker) forget(s *Space, part span) {
	b := s.all[part.lo:part.hi]
	ioctl(t.fault, uffdioUnregister, unsafe.Pointer(&uffdRange{uint64(uintptr(unsafe.Pointer(&b[0]))), uint64(len(b))}))
}

// written calls f with the ranges of a committed part of the reservation that may have been written
// to since they were protected, and protects them if protect is set. Pages that did not exist, or
// were only read, are included until they are protected.
func (t *Tracker) written(s *Space, part span, protect bool, f func(lo, hi uint64)) error {
	if s.regions == nil {
		s.regions = make([]pageRegion, 32)
	}
	start := uint64(uintptr(unsafe.Pointer(&s.all[0])))
	for part.lo < part.hi {
		a := pageScan{
			size: uint64(unsafe.Sizeof(pageScan{})), start: start + part.lo, end: start + part.hi,
			vec: uint64(uintptr(unsafe.Pointer(&s.regions[0]))), vecLen: uint64(len(s.regions)),
			// Asking for more than this one property makes the kernel read each page's own record,
			// which takes fifty times as long.
			all: pageIsWritten, tell: pageIsWritten,
		}
		if protect {
			a.flags = scanProtect | scanCheckAsync
		}
		n, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(t.pages), pagemapScan, uintptr(unsafe.Pointer(&a)))
		if errno != 0 {
			return errno
		}
		for _, r := range s.regions[:n] {
			f(r.start-start, r.end-start)
		}
		if int(n) < len(s.regions) {
			break
		}
		part.lo = a.walkEnd - start
	}
	runtime.KeepAlive(t)
	return nil
}

func ioctl(fd int, op uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), op, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// The structs and numbers of linux/userfaultfd.h and linux/fs.h.
type (
	uffdAPI      struct{ api, features, ioctls uint64 }
	uffdRange    struct{ start, length uint64 }
	uffdRegister struct{ start, length, mode, ioctls uint64 }
)

const (
	uffdVersion          = 0xAA
	uffdUserModeOnly     = 1
	uffdModeWriteProtect = 1 << 1

	uffdWriteProtect        = 1 << 0
	uffdWriteProtectFiles   = 1 << 12
	uffdWriteProtectNothing = 1 << 13 // pages that do not exist yet
	uffdAsync               = 1 << 15

	uffdioAPI        = 3<<30 | unsafe.Sizeof(uffdAPI{})<<16 | 0xAA<<8 | 0x3f
	uffdioRegister   = 3<<30 | unsafe.Sizeof(uffdRegister{})<<16 | 0xAA<<8 | 0
	uffdioUnregister = 2<<30 | unsafe.Sizeof(uffdRange{})<<16 | 0xAA<<8 | 1

	pageIsWritten = 1 << 1

	scanProtect    = 1 << 0
	scanCheckAsync = 1 << 1
)
