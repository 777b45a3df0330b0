//go:build !unix

package selftest

// kernelRelease returns the release of the running kernel; empty: it is not known.
func kernelRelease() string { return "" }
