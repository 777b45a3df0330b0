//go:build linux

package instances

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func used(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cpuTime is the processor time of this process, threadTime that of the calling thread.
func cpuTime() time.Duration { return used(syscall.RUSAGE_SELF) }
func threadTime() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
