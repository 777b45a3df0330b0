package process

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// A ThreadWait measures how long the calling thread has been ready to run while others had the
// processors. On an idle machine that time is zero; it does not include sleep or waits for a
// device. Only the thread that made it may use it.
type ThreadWait struct{ f *os.File }

// NewThreadWait watches the calling thread. The goroutine must be locked to it. Where the system
// does not tell, the total is always zero.
func NewThreadWait() *ThreadWait {
	f, err := os.Open("/proc/thread-self/schedstat")
	if err != nil {
		return &ThreadWait{}
	}
	return &ThreadWait{f}
}

// Total returns how long the thread has waited since it began.
func (w *ThreadWait) Total() time.Duration {
	if w.f == nil {
		return 0
	}
	var buf [96]byte
	n, _ := w.f.ReadAt(buf[:], 0)
	f := bytes.Fields(buf[:n]) // nanoseconds on a processor, nanoseconds waiting for one, turns
	if len(f) < 2 {
		return 0
	}
	ns, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return time.Duration(ns)
}

// Close ends the watch.
func (w *ThreadWait) Close() {
	if w.f != nil {
		w.f.Close()
	}
}

// TellsWaiting reports whether the system says how long a thread has waited.
func TellsWaiting() bool {
	data, err := os.ReadFile("/proc/thread-self/schedstat")
	return err == nil && len(bytes.Fields(data)) > 1
}
