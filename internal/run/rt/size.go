package rt

import (
	"fmt"
	"strconv"
	"strings"
)

const sizeUnits = "KMG" // powers of 1024

// ParseSize reads a positive number of bytes such as 65536, 512K, 64M, 64MiB or 1g.
func ParseSize(text string) (uint64, error) {
	t := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	shift := 0
	if last := len(t) - 1; last >= 0 {
		if i := strings.IndexByte(sizeUnits, t[last]); i >= 0 {
			t, shift = t[:last], 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(t, 10, 64)
	if err != nil || n == 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is not a size such as 512K, 64M or 1G", text)
	}
	return n << shift, nil
}
