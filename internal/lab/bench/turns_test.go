package bench

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// TestAlone: a run that waits for another measurement says so once and names it, and lets others
// measure between its turns.
func TestAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	held, err := measure.TryLock(file)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	var said []string
	r := newRunner(&Options{LockFile: file, Say: func(text string) { said = append(said, text) }})
	for range 2 {
		done := make(chan error)
		go func() { done <- r.alone(t.Context(), func() error { return nil }) }()
		select {
		case <-done:
			t.Fatal("two measure at once")
		case <-time.After(10 * time.Millisecond):
		}
		held.Release()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if held, err = measure.TryLock(file); held == nil || err != nil {
			t.Fatalf("the lock is held between turns: %v", err)
		}
	}
	held.Release()
	if len(said) != 1 || !strings.Contains(said[0], "waiting for process ") {
		t.Errorf("said %q", said)
	}
	failed := errors.New("failed")
	if err := r.alone(t.Context(), func() error { return failed }); err != failed {
		t.Error(err)
	}
}
