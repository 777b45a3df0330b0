//go:build !unix

package main

import "time"

var start = time.Now()

// cpuTime is the elapsed time: this file is for systems that do not tell processor time in the
// usual way.
func cpuTime() time.Duration { return time.Since(start) }
