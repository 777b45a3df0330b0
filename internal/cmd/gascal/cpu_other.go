//go:build !linux

package main

import "time"

var start = time.Now()

func cpuTime() time.Duration { return time.Since(start) }
