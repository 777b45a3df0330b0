//go:build !linux

package process

import "time"

// A ThreadWait measures how long the calling thread has been ready to run while others had the
// processors. This system does not tell.
type ThreadWait struct{}

// NewThreadWait watches the calling thread.
func NewThreadWait() *ThreadWait { return &ThreadWait{} }

// Total is always zero.
func (w *ThreadWait) Total() time.Duration { return 0 }

// Close ends the watch.
func (w *ThreadWait) Close() {}

// TellsWaiting is false.
func TellsWaiting() bool { return false }
