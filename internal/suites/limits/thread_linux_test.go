package limits

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the number of the thread, and its processor time.
func threadTime() (int, time.Duration) {
	const clockThreadCPU = 3
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&ts)), 0)
	return syscall.Gettid(), time.Duration(ts.Nano())
}
