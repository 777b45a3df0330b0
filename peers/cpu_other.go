//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime is the elapsed time: this system does not tell processor time.
func cpuTime() time.Duration { return time.Since(start) }

// cpuTimes is the same as if all of it were the process's own.
func cpuTimes() (user, system time.Duration) { return cpuTime(), 0 }
