//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime is the elapsed time: this system does not tell processor time.
func cpuTime() time.Duration { return time.Since(start) }
