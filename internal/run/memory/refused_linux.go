package memory

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// refusal tells which limit of Linux the process has reached when it is refused memory, and the
// remedy. It is empty if no limit is visible. The order is the kernel's.
func refusal() string {
	size := statusKiB("/proc/self/status", "VmSize:")
	var as unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &as) == nil && as.Cur != unix.RLIM_INFINITY && size<<10+reserveSize > as.Cur {
		return fmt.Sprintf("the process has %d MiB of address space and may have %d (RLIMIT_AS): an instance takes %d; raise the limit (ulimit -v) or close instances",
			size>>10, as.Cur>>20, reserveSize>>20)
	}
	if most := number("/proc/sys/vm/max_map_count"); most > 0 {
		// A refused instance has made some mappings and given them back.
		if n := mappings(); n+64 > most {
			return fmt.Sprintf("the process has %d mappings and may have %d: an instance takes 3 to 5; raise the limit (sysctl vm.max_map_count) or close instances",
				n, most)
		}
	}
	if number("/proc/sys/vm/overcommit_memory") == 2 {
		limit := statusKiB("/proc/meminfo", "CommitLimit:")
		used := statusKiB("/proc/meminfo", "Committed_AS:")
		return fmt.Sprintf("the system never promises more memory than it has (vm.overcommit_memory is 2): %d MiB of %d are promised; set it to 0 or 1, raise vm.overcommit_ratio, or close instances",
			used>>10, limit>>10)
	}
	if const47 := uint64(1) << 47; size<<10+16*reserveSize > const47 {
		return fmt.Sprintf("the address space of the process is full: %d GiB of 131072; close instances", size>>20)
	}
	return ""
}

// mappings returns the number of the process's mappings.
func mappings() int {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	return bytes.Count(b, []byte("\n"))
}

// number reads a file that holds a number. It returns 0 for any other file.
func number(file string) int {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return n
}

// statusKiB returns the figure in a line of a file of /proc, in KiB, or 0.
func statusKiB(file, name string) uint64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, found := strings.CutPrefix(line, name); found {
			f := strings.Fields(rest)
			if len(f) == 0 {
				return 0
			}
			kib, _ := strconv.ParseUint(f[0], 10, 64)
			return kib
		}
	}
	return 0
}
