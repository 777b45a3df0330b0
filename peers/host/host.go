//go:build !wasip1

// Package host is what guests of the comparison of calls call: these functions for native Go, and for each peer what it
// has for functions of a host. The names and their results are the same everywhere.
package host

// Add adds.
//
//go:noinline
func Add(a, b int64) int64 { return a + b }

// Text looks at both ends of its arguments.
//
//go:noinline
func Text(s string, p []byte) int64 { return int64(len(s)+len(p)) + int64(s[0]) + int64(p[len(p)-1]) }

// Back calls f once.
//
//go:noinline
func Back(f func(int64) int64) int64 { return f(1) }
