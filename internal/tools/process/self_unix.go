//go:build unix

package process

import (
	"os"
	"syscall"
	"time"
)

// Self returns what this process has used so far, without the wall time.
func Self() Usage {
	var u Usage
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.CPU = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	if b, err := os.ReadFile("/proc/self/status"); err == nil {
		u.Peak = highWater(b)
	}
	return u
}
