package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// peakInterval is how often a process's peak is read. What the process takes in its last moment is
// missed.
const peakInterval = 10 * time.Millisecond

// watchPeak follows a process's peak of resident memory. The returned function ends the watch and
// returns the peak. The rusage of a process that Go started is no less than our own peak (Linux
// carries it over exec), so rusage serves only processes that ended before the first reading.
func watchPeak(pid int) func(*os.ProcessState) int64 {
	stop, result := make(chan struct{}), make(chan int64, 1)
	go func() {
		name := fmt.Sprintf("/proc/%d/status", pid)
		tick := time.NewTicker(peakInterval)
		defer tick.Stop()
		peak := int64(0)
		for {
			select {
			case <-stop:
				result <- peak
				return
			case <-tick.C:
				if b, err := os.ReadFile(name); err == nil {
					peak = max(peak, highWater(b))
				}
			}
		}
	}()
	return func(s *os.ProcessState) int64 {
		close(stop)
		peak := <-result
		if r, ok := s.SysUsage().(*syscall.Rusage); ok && peak == 0 {
			peak = r.Maxrss << 10
		}
		return peak
	}
}
