//go:build !linux

package limits

import "time"

var begin = time.Now()

// threadTime is the time since the start.
func threadTime() time.Duration { return time.Since(begin) }
