package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this thread, which others on the machine
// do not lengthen as they lengthen wall time.
func cpuTime() time.Duration {
	const thread = 1
	var r syscall.Rusage
	if syscall.Getrusage(thread, &r) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
