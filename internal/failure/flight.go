package failure

import "sync"

// A Flight makes something once. The first caller that needs it makes it while the others wait.
// Unlike a sync.Once it is not done when making it fails: that caller gets the error, and the next
// one tries again.
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
