package process

import (
	"bytes"
	"strconv"
)

// highWater finds VmHWM in the text of /proc/PID/status.
func highWater(status []byte) int64 {
	_, rest, ok := bytes.Cut(status, []byte("VmHWM:"))
	if !ok {
		return 0
	}
	f := bytes.Fields(rest)
	if len(f) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(f[0]), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
