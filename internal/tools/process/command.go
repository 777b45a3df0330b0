package process

import (
	"os/exec"
	"time"
)

// A Usage is what one run of a process used.
type Usage struct {
	Wall time.Duration `json:"wall_ns"`
	CPU  time.Duration `json:"cpu_ns"` // user and system, of all threads
	Peak int64         `json:"peak_bytes"`
}

// Command runs cmd to its end. An exit status other than 0 is an error.
func Command(cmd *exec.Cmd) (Usage, error) {
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Usage{}, err
	}
	watch := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	u := Usage{Wall: time.Since(start), Peak: watch(cmd.ProcessState)}
	if s := cmd.ProcessState; s != nil {
		u.CPU = s.UserTime() + s.SystemTime()
	}
	return u, err
}
