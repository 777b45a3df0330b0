//go:build !wasip1

// Package host has the functions that guests of the comparison of calls call. Native Go calls these
// functions; for each peer its own host functions replace them. The names and results are the same
// everywhere.
package host

// Add adds.
//
//go:noinline
func Add(a, b int64) int64 { return a + b }

// Text reads both ends of its arguments.
//
//go:noinline
func Text(s string, p []byte) int64 { return int64(len(s)+len(p)) + int64(s[0]) + int64(p[len(p)-1]) }

// Back calls f once.
//
//go:noinline
func Back(f func(int64) int64) int64 { return f(1) }
