// Package cancel lets a compilation end when the run that waits for it does.
//
// A run is over when a channel is closed, that of its context; a nil channel never is.
// Work that takes long asks Asked(done) again and again and ends with ErrStopped. What
// several runs share, so that one works while the others wait, is guarded by
// a Lock, the wait for which can end too.
package cancel

import "errors"

// ErrStopped is the error of work that was stopped. Nothing is left of it: somebody
// else can begin it anew.
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

// A Lock is a mutex; whoever waits for it can give up. It is made by NewLock.
type Lock chan struct{}

// NewLock returns a Lock that nobody holds.
func NewLock() Lock { return make(Lock, 1) }

// Lock waits for the lock and reports true, or gives up and reports false when done is closed.
func (l Lock) Lock(done <-chan struct{}) bool {
	select {
	case l <- struct{}{}:
		return true
	case <-done:
		return false
	}
}

// Unlock lets the next one have the lock.
func (l Lock) Unlock() { <-l }

// A Meter asks whether work is to stop, once for so many steps of it.
type Meter struct {
	// Stop, if not nil, says whether the work is to stop.
	Stop func() bool

	left  int
	ended bool
}

// Every is how many steps lie between two questions: operations of the IR, or what takes as
// long. All that a compiler does with so many takes a millisecond.
const Every = 1 << 10

// Step notes that n steps are about to be done, and reports whether the work is to stop.
// Once it is, every call says so.
func (m *Meter) Step(n int) bool {
	if m.left -= n; m.left > 0 || m.Stop == nil || m.ended {
		return m.ended
	}
	m.left = Every
	m.ended = m.Stop()
	return m.ended
}
