package profile

import (
	"syscall"
	"time"
	"unsafe"
)

const (
	clockThreadCPU = 3 // CLOCK_THREAD_CPUTIME_ID of <time.h>
	rusageThread   = 1 // RUSAGE_THREAD of <sys/resource.h>
)

// threadTime returns the processor time of the calling thread, and the kernel's part of it. The
// latter advances in steps of the kernel's own clock.
func threadTime() (total, kernel time.Duration) {
	var ts syscall.Timespec
	var ru syscall.Rusage
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&ts)), 0)
	syscall.Getrusage(rusageThread, &ru)
	return time.Duration(ts.Nano()), time.Duration(ru.Stime.Nano())
}
