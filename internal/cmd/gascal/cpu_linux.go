package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of this thread. Other work on the machine lengthens it less than
// wall time.
func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
