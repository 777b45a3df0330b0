package main

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// tested runs gyr as on a system whose machine code is tested first. Its children are counted in the file
// that CHILDREN names, and crash if CHILD says so.
func tested() {
	testsNative, selftestTimeout = true, 5*time.Minute // other tests run beside it
	if len(os.Args) > 1 && os.Args[1] == selftestCmd.name {
		f, err := os.OpenFile(os.Getenv("CHILDREN"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, "child")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
		if os.Getenv("CHILD") == "crash" {
			p, _ := os.FindProcess(os.Getpid())
			p.Signal(syscall.SIGKILL)
			select {}
		}
	}
	main()
}

func init() { programs["gyr-tested"] = tested }
