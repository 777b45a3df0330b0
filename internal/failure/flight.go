package failure

import "sync"

// A Flight is something that is made once, by whoever needs it first, while others
// wait. Unlike a sync.Once it is not over when making it fails: the one that fails gets
// the error, and the next one tries again.
type Flight struct {
	mu   sync.Mutex
	done bool
}

// Do calls f unless an earlier call of f returned nil.
func (f *Flight) Do(run func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return nil
	}
	err := run()
	f.done = err == nil
	return err
}
