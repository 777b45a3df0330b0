//go:build linux

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// nocode runs gyr in a process to which the kernel denies memory for code.
func nocode() {
	if err := unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "prctl:", err)
		os.Exit(99)
	}
	main()
}

func init() { programs["gyr-nocode"] = nocode }
