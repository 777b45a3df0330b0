package process

import "time"

// A Running is a snapshot of a process.
type Running struct {
	PID  int
	CPU  time.Duration // processor time until now
	Idle bool          // none of its threads wants to run, and it has no child that it could wait for
}
