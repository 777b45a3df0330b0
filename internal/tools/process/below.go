package process

import "time"

// A Running is a process at a moment.
type Running struct {
	PID  int
	CPU  time.Duration // of the processor, until now
	Idle bool          // none of its threads wants to run, and it has no child for which it could wait
}
