//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process.
func cpuTime() time.Duration {
	user, system := cpuTimes()
	return user + system
}

// cpuTimes is the processor time of this process, in its own code and in the system's.
func cpuTimes() (user, system time.Duration) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}
