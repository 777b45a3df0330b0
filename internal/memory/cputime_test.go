//go:build unix

package memory

import "syscall"

// cpuTime is the CPU time that the process used, in seconds.
func cpuTime() float64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}
