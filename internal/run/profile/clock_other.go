//go:build !linux

package profile

import "time"

var started = time.Now()

// threadTime returns wall time: a clock for one thread is not portable, and the kernel's share is
// not available.
func threadTime() (total, kernel time.Duration) { return time.Since(started), 0 }
