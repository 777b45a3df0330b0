// Package pagesize runs tests with larger pages than this machine has, as arm64 has them on darwin and
// in some kernels of Linux. A multiple of the system's size of pages is as good as that size wherever
// pages are mapped or protected.
package pagesize

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

const variable = "GYR_TEST_PAGE"

// Of returns the size with which Test runs this process, or the system's size. The test's package
// gives it to package memory.
func Of(system int) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return system
	}
	return n
}

// Test runs this test program with pages of 16 and of 64 KiB. The flags choose its tests; the calling one
// may be among them.
func Test(t *testing.T, flags ...string) {
	if os.Getenv(variable) != "" {
		t.Skip("this is a test with another size of pages")
	}
	for _, size := range []int{16 << 10, 64 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if size < os.Getpagesize() {
				t.Skip("pages of this system are larger")
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], flags...)
			cmd.Env = append(os.Environ(), variable+"="+fmt.Sprint(size))
			switch out, err := cmd.CombinedOutput(); {
			case errors.Is(err, syscall.ENOEXEC):
				t.Skip("an emulator runs this test, and the system cannot start it")
			case err != nil:
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
