// Package cancel ends a compilation when the run that waits for it ends.
//
// A run is over when its context's channel is closed; a nil channel is never closed. Long work
// calls Asked(done) repeatedly and ends with ErrStopped. If several runs share work, one does it
// while the others wait for a Lock, and that wait can be given up, too.
package cancel

import "errors"

// ErrStopped is the error of stopped work. Nothing of the work is kept: another caller can start it
// again.
var ErrStopped = errors.New("the compilation was stopped")

// Asked reports whether done is closed.
func Asked(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// A Lock is a mutex that supports giving up. NewLock makes one.
type Lock chan struct{}

// NewLock returns an unlocked Lock.
func NewLock() Lock { return make(Lock, 1) }

// Lock acquires the lock and returns true, or gives up and returns false when done is closed.
func (l Lock) Lock(done <-chan struct{}) bool {
	select {
	case l <- struct{}{}:
		return true
	case <-done:
		return false
	}
}

// Unlock releases the lock.
func (l Lock) Unlock() { <-l }

// A Meter checks periodically whether work must stop, once in Every steps.
type Meter struct {
	// Stop, if not nil, reports whether the work must stop.
	Stop func() bool

	left  int
	ended bool
}

// Every is the number of steps between two checks. A step is an operation of the IR, or work that
// takes as long. A compiler does that many steps in a millisecond.
const Every = 1 << 10

// Step counts n steps that follow, and reports whether the work must stop. Once it must, every call
// returns true.
func (m *Meter) Step(n int) bool {
	if m.left -= n; m.left > 0 || m.Stop == nil || m.ended {
		return m.ended
	}
	m.left = Every
	m.ended = m.Stop()
	return m.ended
}
