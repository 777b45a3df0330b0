package limits

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is the processor time of the thread.
func threadTime() time.Duration {
	const clockThreadCPU = 3
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano())
}
