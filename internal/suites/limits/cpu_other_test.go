//go:build !unix

package limits

func cpuTime() int64 { return 0 }
