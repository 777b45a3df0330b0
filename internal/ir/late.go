package ir

import (
	"sync"
	"sync/atomic"
)

// A late is something that is read on first use; other users wait. An error belongs to one attempt:
// the next one reads again.
type late struct {
	mu   sync.Mutex
	done atomic.Bool
}

// load calls read unless an earlier call returned nil.
func (l *late) load(read func() error) error {
	if l.done.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done.Load() {
		return nil
	}
	err := read()
	l.done.Store(err == nil)
	return err
}
