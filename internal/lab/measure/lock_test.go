package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	if h := Holder(file); !strings.HasPrefix(h, fmt.Sprintf("process %d of user ", os.Getpid())) {
		t.Errorf("held by %q", h)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if h := Holder(file); h != "another process" {
		t.Errorf("a free lock is held by %q", h)
	}
	if l, err = AcquireLock(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	l.Release()
	if _, err := TryLock(filepath.Join(t.TempDir(), "no", "lock")); err == nil {
		t.Error("a lock in a directory that is not there")
	}
}

// TestLockPlace: the lock's place does not depend on the environment, and nothing is written through
// a link or into a file with another name.
func TestLockPlace(t *testing.T) {
	before := LockFile()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if l, err := TryLock(filepath.Join(dir, "probe")); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if l != nil {
		l.Release()
	}
	if LockFile() != before {
		t.Errorf("the lock is %s with another TMPDIR, else %s", LockFile(), before)
	}
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	link, hard := filepath.Join(dir, "link"), filepath.Join(dir, "hard")
	if err := errors.Join(os.Symlink(victim, link), os.Link(victim, hard)); err != nil {
		t.Skip(err)
	}
	if l, err := TryLock(link); l != nil || err == nil {
		t.Errorf("through a link: %v, %v", l, err)
	}
	l, err := TryLock(hard)
	if l == nil || err != nil {
		t.Fatalf("with another name: %v, %v", l, err)
	}
	l.Release()
	if text, _ := os.ReadFile(victim); string(text) != "text" {
		t.Errorf("the other file has %q", text)
	}
	forged := filepath.Join(dir, "forged")
	if err := os.WriteFile(forged, []byte("\x1b[2J someone\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if h := Holder(forged); h != "?[2J someone" {
		t.Errorf("a holder %q", h)
	}
}
