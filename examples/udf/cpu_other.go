//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime is the time that has passed, where the system does not tell that of the processors as the others do.
func cpuTime() time.Duration { return time.Since(start) }
