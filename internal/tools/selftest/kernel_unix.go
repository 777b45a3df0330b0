//go:build unix

package selftest

import "golang.org/x/sys/unix"

// kernelRelease returns the release of the running kernel; empty: it is not known.
func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
