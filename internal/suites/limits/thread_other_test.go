//go:build !linux

package limits

import "time"

var begin = time.Now()

// threadTime is the time since the start.
func threadTime() (int, time.Duration) { return 0, time.Since(begin) }
