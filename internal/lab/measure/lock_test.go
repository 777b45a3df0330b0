package measure

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// TestLock: only one lock is held at a time, also within one process.
func TestLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	l, err := AcquireLock(t.Context(), file)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if second, err := TryLock(file); second != nil || err != nil {
		t.Fatalf("a second lock: %v %v", second, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := AcquireLock(ctx, file); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if l, err = AcquireLock(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	l.Release()
	if _, err := TryLock(filepath.Join(t.TempDir(), "no", "lock")); err == nil {
		t.Error("a lock in a directory that is not there")
	}
}
